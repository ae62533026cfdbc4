"""GEMS-b, section 5: gap elimination with model selection, fixed budget."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor, ldexp
from typing import Any

import numpy as np

from gems_engine.algorithms.algorithm import (
    BEST_ARM,
    COUNT_IDLE,
    LITERAL,
    ROUNDS,
    SELECTION_BUDGET,
    SHARED,
    Algorithm,
)
from gems_engine.algorithms.opt import OPT
from gems_engine.algorithms.pseudocode import ROUND, Line, Listing, Said, in_round
from gems_engine.algorithms.run_context import Events, RunContext, constant, count_to
from gems_engine.algorithms.subroutine import (
    BEGIN,
    BY_ROUND,
    DESIGN,
    EACH_ROUND,
    ENDS,
    ESTIMATE,
    IDLE,
    NONE_FITS,
    RETURNED,
    SINGLE,
    STARTS,
    Outcome,
    alone,
)
from gems_engine.algorithms.symbols import Known, Symbol
from gems_engine.dimension import richest_rounded
from gems_engine.events import (
    NO_DIMENSION_FITS,
    NOTHING_TO_TELL_APART,
    ROUNDS_DONE,
    SINGLETON,
    Allocated,
    BudgetDivided,
    Place,
    Pulled,
    RunFinished,
    SubroutineFinished,
    SubroutineStarted,
    TopDimensionChosen,
)
from gems_engine.parameters import Parameter


def gems_b(
    context: RunContext,
    place: Place,
    T: float | Fraction,
    n: int,
    B: float,
    literal: bool = False,
    count_idle: bool = True,
) -> Events[Outcome]:
    """The subroutine: budget T over n rounds; the selection budget B only limits the dimension."""
    yield SubroutineStarted(place, "gems-b", n, B, 0.0, float(T))
    pulls = floor(T / n)  # T′
    survivors = context.reset_survivors()  # Ŝ_1 = 𝒵
    yield BudgetDivided(place, pulls)
    top = richest_rounded(context.D, context.r, pulls)  # D̃ = OPT(T′, D, r)
    yield TopDimensionChosen(place, pulls, top, np.array([context.r(d) for d in range(1, context.D + 1)]))
    verified, why = True, ROUNDS_DONE
    for k in count_to(n):
        here = Place(place.ell, place.i, k)
        if not top:  # T′ < r_1(ζ)
            why = NO_DIMENSION_FITS
            break
        if len(survivors) == 1 and not literal:
            why = SINGLETON
            break
        # d_k = OPT(B, D̃, g_k), λ_k; here g_k(d) = 2^{2k}·ι alone
        chosen = yield from context.choose_dimension(here, survivors, B, rounding_counts=False, top=top)
        if chosen is None:
            why = NO_DIMENSION_FITS
            break
        if chosen.problem.is_trivial:
            why = SINGLETON if len(survivors) == 1 else NOTHING_TO_TELL_APART
            if count_idle:
                yield from context.idle(here, n, chosen.d, pulls, None, why)
            break
        fit = yield from context.sample(here, chosen.problem, chosen.design, pulls)  # θ̂_k by least squares in R^{d_k}
        survivors = yield from context.eliminate(here, survivors, fit, constant(ldexp(1.0, -k)))  # 2^−k
        verified = verified and chosen.d == context.D
    else:
        why = SINGLETON if len(survivors) == 1 else ROUNDS_DONE
    yield SubroutineFinished(place, survivors, why, context.samples)
    return Outcome(survivors, context.pick(), why, verified and context.estimates is not None)


BUDGET = Parameter(
    "budget", "int", None, "Sample budget. None: derived from B, n and the instance.", "T", 1, 10**15, optional=True
)


def _steps(context: RunContext, given: Mapping[str, Any]) -> Events[RunFinished]:
    return alone(
        context,
        lambda place: gems_b(
            context,
            place,
            given["budget"],
            given["rounds"],
            given["selection_budget"],
            given["literal"],
            given["count_idle"],
        ),
        "gems-b",
    )


def _rounding(at: Known, more: int) -> float | None:
    """r_d for d = D̃ + ``more``, if there is such a dimension."""
    top = at.state.top_dimension
    d = 0 if top is None else top.top + more
    return float(top.rounding_samples[d - 1]) if top is not None and 1 <= d <= len(top.rounding_samples) else None


GEMS_B_LINES = Listing(
    "GEMS-b",
    "gap elimination with model selection, fixed budget",
    (
        Line("input", "**input** T, n, B", alone=STARTS, shows=("T", "n", "B"), numbered=False),
        BEGIN,
        Line("divide", "T′ ← ⌊T/n⌋", events=(BudgetDivided,), shows=("T′",)),
        Line(
            "top",
            "D̃ ← OPT(T′, D, r) ▷ max d ≤ D with r_d(ζ) ≤ T′",
            events=(TopDimensionChosen,),
            shows=("D̃", "r_{D̃}(ζ)", "r_{D̃+1}(ζ)"),
        ),
        EACH_ROUND,
        Line("cost", "g_k(d) := 2^{2k}·ι(𝒴(ψ_d(Ŝ_k)))", 1, passed=ROUND, shows=("|Ŝ_k|",)),
        Line("choose", "d_k ← OPT(B, D̃, g_k)", 1, passed=ROUND, calls=OPT, shows=("d_k", "g_k(d_k)")),
        NONE_FITS,
        DESIGN,
        IDLE,
        Line("allocate", "{x_1, …, x_{T′}} ← ROUND(λ_k, T′, d_k, ζ)", 1, (Said(Allocated, in_round),), shows=("ζ",)),
        Line("pull", "pull x_1, …, x_{T′}; receive r_1, …, r_{T′}", 1, (Said(Pulled, in_round),), shows=("samples",)),
        ESTIMATE,
        BY_ROUND,
        SINGLE,
        Line(
            "output",
            "**output** any ẑ_⋆ ∈ Ŝ_{n+1}",
            events=RETURNED,
            alone=ENDS,
            shows=("|Ŝ_{n+1}|", "ẑ_⋆", "ended"),
            numbered=False,
        ),
    ),
    {
        "T": Symbol("the budget of this call", lambda at: at.of_call(lambda call: call.budget, "budget")),
        "T′": Symbol("pulls of every round: ⌊T/n⌋", lambda at: at.state.divided.pulls if at.state.divided else None),
        "D̃": Symbol(
            "the largest dimension in which T′ pulls can be rounded; 0 if there is none",
            lambda at: at.state.top_dimension.top if at.state.top_dimension else None,
        ),
        "r": Symbol("r_d(ζ) as a function of d"),
        "r_{D̃}(ζ)": Symbol("pulls needed for rounding in R^{D̃}: at most T′", lambda at: _rounding(at, 0)),
        "r_{D̃+1}(ζ)": Symbol(
            "pulls needed for rounding in the next dimension: more than T′; empty if D̃ = D",
            lambda at: _rounding(at, 1),
        ),
        "x_{T′}": Symbol("the arm of the last pull of round k"),
        "r_{T′}": Symbol("the reward of the last pull of round k"),
    },
)
"""Algorithm 3 of the paper."""

GEMS_B = Algorithm(
    "gems-b",
    "One call of GEMS-b: a sample budget T over n rounds; B limits the dimension (section 5).",
    (BUDGET, ROUNDS, SELECTION_BUDGET, LITERAL, COUNT_IDLE, *SHARED),
    BEST_ARM,
    _steps,
    listing=GEMS_B_LINES,
    title="GEMS-b, one call",
    rival="gems-c",
)
