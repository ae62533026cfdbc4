"""The adaptive strategy of section 5: selection over a grid of GEMS-b, then validation, with 2T samples in all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gems_engine.algorithms.algorithm import (
    BEST_ARM,
    COUNT_IDLE,
    LITERAL,
    SHARED,
    Algorithm,
    needs_targets_among_arms,
)
from gems_engine.algorithms.gems_b import BUDGET, GEMS_B_LINES, gems_b
from gems_engine.algorithms.pseudocode import LOOP, RUN, SUBROUTINE, Line, Listing, Said
from gems_engine.algorithms.run_context import Events, RunContext, count_to
from gems_engine.algorithms.symbols import Known, Symbol, Value
from gems_engine.algorithms.validation import VALIDATION_LINES, validate
from gems_engine.complexity.schedule import SMALLEST_BUDGET, BudgetGrid
from gems_engine.events import BUDGET_SPENT, CandidateKept, Place, Recommended, RunFinished, RunStarted


def fixed_budget(context: RunContext, given: Mapping[str, Any]) -> Events[RunFinished]:
    """Every call returns an arm; the best of them in validation is recommended. Never more than 2T samples."""
    grid = BudgetGrid.of(given["budget"])  # p = ⌊W(T)⌋, q_i = ⌊W(T′/B_i)⌋
    context.cap = given["budget"]
    yield Recommended(Place(), context.any_of(context.reset_survivors()), 0, "first guess")
    candidates: list[int] = []  # 𝒜
    for i in count_to(grid.p):
        share = grid.share(i)  # T″ = T′/q_i
        if share is None:
            continue  # q_i = 0
        for j in count_to(grid.q[i - 1]):
            place = Place(i, j, 0)
            outcome = yield from gems_b(context, place, share, 2**j, float(2**i), given["literal"], given["count_idle"])
            yield CandidateKept(place, outcome.pick, outcome.pick not in candidates)
            candidates.append(outcome.pick)
    pulls = int(grid.T // len(set(candidates)))
    best = yield from validate(context, Place(), candidates, pulls)
    return RunFinished(Place(), BUDGET_SPENT, best, context.survivors, context.samples)


def _grid(at: Known) -> BudgetGrid | None:
    """The grid of the run, once a subroutine of it has started."""
    budget = at.parameter("budget")
    return BudgetGrid.of(budget) if at.state.subroutine is not None and isinstance(budget, int) else None


def _of_grid(read: Callable[[BudgetGrid, Place], Value]) -> Callable[[Known], Value | None]:
    def value(at: Known) -> Value | None:
        grid, call = _grid(at), at.state.subroutine
        return None if grid is None or call is None else read(grid, call.place)

    return value


FIXED_BUDGET_LINES = Listing(
    "Adaptive strategy",
    "fixed budget, over GEMS-b",
    (
        Line("input", "**input** 2T", events=(RunStarted,), shows=("T",), numbered=False),
        Line(
            "guess",
            "ẑ_⋆ ← a random z ∈ 𝒵",
            events=(Said(Recommended, lambda event: not event.by_validation),),
            shows=("ẑ_⋆",),
            ours=True,
        ),
        Line("select", "𝒜 ← ∅, p ← ⌊W(T)⌋, T′ ← T/p ▷ selection", passed=RUN, shows=("p", "T′")),
        Line("budgets", "**for** i = 1, 2, …, p **do**", passed=LOOP, shows=("i",)),
        Line("share", "B_i ← 2^i, q_i ← ⌊W(T′/B_i)⌋, T″ ← T′/q_i", 1, passed=LOOP, shows=("B_i", "q_i", "T″")),
        Line("rounds", "**for** j = 1, 2, …, q_i **do**", 1, passed=SUBROUTINE, shows=("j",)),
        Line("configure", "n_j ← 2^j", 2, passed=SUBROUTINE, shows=("n_j",)),
        Line("call", "ẑ_{ij} ← GEMS-b(T″, n_j, B_i)", 2, passed=SUBROUTINE, calls=GEMS_B_LINES, shows=("ẑ_{ij}",)),
        Line("keep", "𝒜 ← 𝒜 ∪ {ẑ_{ij}}", 2, (CandidateKept,), shows=("|𝒜|",)),
        Line("validate", "ẑ_⋆ ← VALIDATE(𝒜, ⌊T/|𝒜|⌋) ▷ validation", calls=VALIDATION_LINES),
        Line("output", "**output** ẑ_⋆", events=(RunFinished,), shows=("ẑ_⋆", "ended"), numbered=False),
    ),
    {
        "T": Symbol(
            "half of all samples: one half for selection, the other for validation",
            lambda at: at.parameter("budget") / 2 if at.parameter("budget") else None,
        ),
        "W": Symbol("W(T) is the p with p·2^p = T"),
        "p": Symbol("the number of selection budgets", _of_grid(lambda grid, place: grid.p)),
        "T′": Symbol("samples for each selection budget", _of_grid(lambda grid, place: float(grid.T / grid.p))),
        "i": Symbol("the index of the selection budget", _of_grid(lambda grid, place: place.ell)),
        "j": Symbol("the index of the number of rounds", _of_grid(lambda grid, place: place.i)),
        "B_i": Symbol("the selection budget", lambda at: at.B if at.state.subroutine else None),
        "q_i": Symbol("the number of values of n tried with B_i", _of_grid(lambda grid, place: grid.q_of(place.ell))),
        "T″": Symbol("the budget of one call", lambda at: at.state.subroutine.budget if at.state.subroutine else None),
        "n_j": Symbol("rounds of the call", lambda at: at.state.subroutine.rounds if at.state.subroutine else None),
        "ẑ_{ij}": Symbol("any target that remains after this call", lambda at: at.returned),
        "𝒜": Symbol("the candidates, a set"),
        "|𝒜|": Symbol("the number of candidates", lambda at: len(at.state.candidates) or None),
    },
)
"""Algorithm 4 of the paper."""

FIXED_BUDGET = Algorithm(
    "fixed-budget",
    "The adaptive strategy over GEMS-b: selection, then validation, with 2T samples in all (section 5).",
    (
        replace(
            BUDGET,
            default=20_000,
            help="Total samples: half for selection, half for validation.",
            symbol="2T",
            minimum=SMALLEST_BUDGET,
            optional=False,
        ),
        LITERAL,
        COUNT_IDLE,
        *SHARED,
    ),
    BEST_ARM,
    fixed_budget,
    needs_targets_among_arms,
    stops=False,
    listing=FIXED_BUDGET_LINES,
    title="GEMS (fixed budget)",
    aliases=("gems-fixed-budget",),
)
