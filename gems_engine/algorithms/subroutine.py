"""Shared code of the subroutines: the rounds of GEMS-c and GEMS-m, their outcome, and a single call as a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, log
from typing import Any

from gems_engine.algorithms.opt import OPT
from gems_engine.algorithms.pseudocode import ROUND, Line, Said, before_loops, in_loop, in_round
from gems_engine.algorithms.run_context import CapReached, Events, RunContext, count_to, log_term
from gems_engine.arrays import Integers
from gems_engine.events import (
    CAP,
    NO_ARM,
    NO_DIMENSION_FITS,
    NOTHING_TO_TELL_APART,
    RETURNS_A_SET,
    ROUNDS_DONE,
    SINGLETON,
    Allocated,
    DesignSolved,
    Eliminated,
    Estimated,
    IdleRounds,
    Place,
    Pulled,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
)
from gems_engine.margins import Width

STARTS = (RunStarted, Said(Recommended, before_loops))
"""Events before the subroutine in a run of a single call."""
ENDS = (Said(Recommended, in_loop), RunFinished)
"""Events at its end."""
_ENDED_EARLY = (SINGLETON, NO_DIMENSION_FITS, NOTHING_TO_TELL_APART)


def ended_by(*why: str) -> Said:
    """Calls that ended for one of these reasons."""
    return Said(SubroutineFinished, lambda event: event.why in why)


RETURNED = (Said(SubroutineFinished, lambda event: event.why not in _ENDED_EARLY),)
"""Calls that ended with their last round, or at a cap."""
BEGIN = Line("begin", "Ŝ_1 ← 𝒵", events=(SubroutineStarted,), shows=("|𝒵|",))
EACH_ROUND = Line("round", "**for** k = 1, 2, …, n **do**", passed=ROUND, shows=("k",))
CONFIDENCE = Line("confidence", "δ_k ← δ/k²", 1, passed=ROUND, shows=("δ_k", "|Ŝ_k|"))
COST = Line("cost", "g_k(d) := max{2^{2k}·ι(𝒴(ψ_d(Ŝ_k))), r_d(ζ)}", 1, passed=ROUND)
CHOOSE = Line("choose", "d_k ← OPT(B, D, g_k)", 1, passed=ROUND, calls=OPT, shows=("d_k", "g_k(d_k)"))
DESIGN = Line(
    "design",
    "λ_k ← argmin_λ max_{z, z′ ∈ Ŝ_k} ‖ψ_{d_k}(z) − ψ_{d_k}(z′)‖²_{A_{d_k}(λ)^{−1}}",
    1,
    (Said(DesignSolved, in_round),),
    shows=("ι", "|supp λ_k|"),
)
NONE_FITS = Line("none", "**if** no dimension fits **then** end", 1, (ended_by(NO_DIMENSION_FITS),), ours=True)
IDLE = Line(
    "idle",
    "**if** ι = 0 **then** count rounds k, …, n; end",
    1,
    (IdleRounds, ended_by(NOTHING_TO_TELL_APART)),
    shows=("idle",),
    ours=True,
)
ROUNDED = Line("allocate", "{x_1, …, x_{N_k}} ← ROUND(λ_k, N_k, d_k, ζ)", 1, (Said(Allocated, in_round),))
PULL = Line("pull", "pull x_1, …, x_{N_k}; receive r_1, …, r_{N_k}", 1, (Said(Pulled, in_round),), shows=("samples",))
ESTIMATE = Line(
    "estimate",
    "θ̂_k ← A_k^{−1} b_k, A_k = Σ_i ψ_{d_k}(x_i) ψ_{d_k}(x_i)^⊤, b_k = Σ_i ψ_{d_k}(x_i) r_i",
    1,
    (Estimated,),
    shows=("θ̂_k",),
)
WIDTH = Line(
    "width",
    "ω(z′, z) := ‖ψ_{d_k}(z′) − ψ_{d_k}(z)‖_{A_k^{−1}} √(2 log(|Ŝ_k|²/δ_k))",
    1,
    passed=("eliminate",),
    shows=("ω(z′, z)",),
)
BY_WIDTH = Line(
    "eliminate",
    "Ŝ_{k+1} ← Ŝ_k ∖ {z ∈ Ŝ_k : ∃ z′, ⟨θ̂_k, ψ_{d_k}(z′) − ψ_{d_k}(z)⟩ ≥ ω(z′, z)}",
    1,
    (Eliminated,),
    shows=("eliminated", "|Ŝ_{k+1}|"),
)
BY_ROUND = Line(
    "eliminate",
    "Ŝ_{k+1} ← Ŝ_k ∖ {z ∈ Ŝ_k : ∃ z′, ⟨θ̂_k, ψ_{d_k}(z′) − ψ_{d_k}(z)⟩ ≥ 2^{−k}}",
    1,
    (Eliminated,),
    shows=("2^{−k}", "eliminated", "|Ŝ_{k+1}|"),
)
SINGLE = Line("single", "**if** |Ŝ_{k+1}| = 1 **then** end", 1, (ended_by(SINGLETON),), ours=True)
"""Lines of a round that several algorithms share."""


def lines_in_rounds(factor: int, *last: Line) -> tuple[Line, ...]:
    """The lines of GEMS-c and GEMS-m: the shared ones up to the estimate, then the last of a round."""
    pulls = f"N_k ← ⌈{factor}(1 + ζ) g_k(d_k) log(|Ŝ_k|²/δ_k)⌉"
    return (
        Line("input", "**input** n, B, δ", alone=STARTS, shows=("n", "B", "δ"), numbered=False),
        BEGIN,
        EACH_ROUND,
        CONFIDENCE,
        COST,
        CHOOSE,
        NONE_FITS,
        DESIGN,
        IDLE,
        Line("pulls", pulls, 1, passed=("allocate",), shows=("N_k", "ζ")),
        ROUNDED,
        PULL,
        ESTIMATE,
        *last,
        SINGLE,
    )


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a subroutine.

    Attributes
    ----------
    survivors
        Ŝ_{n+1}.
    pick
        "Any uneliminated arm".
    why
        Why it ended.
    verified
        Whether it sampled, and in R^D in every round.
    """

    survivors: Integers
    pick: int
    why: str
    verified: bool

    @property
    def singleton(self) -> bool:
        """Whether one arm remains."""
        return len(self.survivors) == 1


def eliminate_in_rounds(
    context: RunContext,
    place: Place,
    name: str,
    n: int,
    B: float,
    delta: float,
    *,
    factor: float,
    width: Callable[[int, float], Width],
    whole: bool,
    literal: bool,
    count_idle: bool,
) -> Events[Outcome]:
    """The rounds that GEMS-c and GEMS-m share.

    Parameters
    ----------
    place, name, n, B, delta
        The position, the name and the parameters of the call: n rounds, selection budget B, confidence δ.
    factor
        The factor in N_k = ⌈factor·(1+ζ)·g_k(d_k)·log(|Ŝ_k|²/δ_k)⌉.
    width
        Maps k and log(|Ŝ_k|²/δ_k) to the width that an estimated gap must reach in round k.
    whole
        Whether the width assumes N_k pulls, so that the last round cannot be shortened.
    literal, count_idle
        The parameters of that name: whether to continue with one arm, and to count rounds with equal survivors.
    """
    yield SubroutineStarted(place, name, n, B, delta, 0.0)
    survivors = context.reset_survivors()  # Ŝ_1 = 𝒵
    verified, why = True, ROUNDS_DONE
    try:
        for k in count_to(n):
            here = Place(place.ell, place.i, k)
            if len(survivors) == 1 and not literal:
                why = SINGLETON
                break
            context.require_room()
            log_k = log_term(survivors, k, delta)  # log(|Ŝ_k|²/δ_k), δ_k = δ/k²
            chosen = yield from context.choose_dimension(here, survivors, B)  # d_k = OPT(B, D, g_k), λ_k, g_k(d_k)
            if chosen is None:
                why = NO_DIMENSION_FITS
                break
            if chosen.problem.is_trivial:
                # ι = 0 here and in every later round, and the costs only grow: nothing can change any more.
                why = SINGLETON if len(survivors) == 1 else NOTHING_TO_TELL_APART
                if count_idle:
                    cost = factor * (1.0 + context.zeta) * context.r(chosen.d)
                    yield from context.idle(here, n, chosen.d, cost, log_k - 2.0 * log(k), why)
                break
            N = ceil(factor * (1.0 + context.zeta) * chosen.cost * log_k)
            # θ̂_k by least squares in R^{d_k}
            fit = yield from context.sample(here, chosen.problem, chosen.design, N, whole)
            survivors = yield from context.eliminate(here, survivors, fit, width(k, log_k))
            verified = verified and chosen.d == context.D
        else:
            why = SINGLETON if len(survivors) == 1 else ROUNDS_DONE
    except CapReached:
        yield SubroutineFinished(place, survivors, CAP, context.samples)
        raise
    yield SubroutineFinished(place, survivors, why, context.samples)
    return Outcome(survivors, context.pick(), why, verified and context.estimates is not None)


def alone(context: RunContext, subroutine: Callable[[Place], Events[Outcome]], name: str) -> Events[RunFinished]:
    """A single call of a subroutine as a run: at its end it recommends a surviving arm.

    GEMS-c returns the set of survivors instead; if there are estimates, its end has their leader.
    """
    pick, why = context.any_of(context.reset_survivors()), CAP  # the recommendation if the cap allows no round
    if context.older:
        yield Recommended(Place(), pick, 0, "first guess")
    place = Place(1, 1, 0)
    try:
        outcome = yield from subroutine(place)
        pick, why = outcome.pick, outcome.why
    except CapReached:
        pick = pick if context.estimates is None else context.pick()
    if name == RETURNS_A_SET and not context.older:
        leader = NO_ARM if context.estimates is None else pick
        return RunFinished(place, why, leader, context.survivors, context.samples)
    yield Recommended(place, pick, context.samples, "the largest last estimate among those left")
    return RunFinished(place, why, pick, context.survivors, context.samples)


Subroutine = Callable[[RunContext, Place, int, float, float, bool, bool], Events[Outcome]]
"""GEMS-c or GEMS-m: from position, n, B, δ and the two options to the outcome."""


def alone_in_rounds(
    context: RunContext, given: Mapping[str, Any], subroutine: Subroutine, name: str
) -> Events[RunFinished]:
    """A single call of GEMS-c or GEMS-m as a run."""
    context.cap = given["max_samples"]
    n, B, delta = given["rounds"], given["selection_budget"], given["delta"]
    return alone(
        context, lambda place: subroutine(context, place, n, B, delta, given["literal"], given["count_idle"]), name
    )
