"""The adaptive strategy with misspecification, appendix: candidates of GEMS-m, validated in every loop."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log
from typing import Any

from gems_engine.algorithms.algorithm import (
    BASE,
    COUNT_IDLE,
    DELTA,
    EPSILON,
    EPSILON_GOAL,
    LAST_ROUND,
    LITERAL,
    MAX_LOOPS,
    MAX_SAMPLES,
    SHARED,
    Algorithm,
    needs_targets_among_arms,
)
from gems_engine.algorithms.fixed_confidence import CONFIGURE, EACH_CALL, EACH_LOOP, FINISH, GUESS, SCHEDULE
from gems_engine.algorithms.gems_m import GEMS_M_LINES, gems_m
from gems_engine.algorithms.pseudocode import LOOP, SUBROUTINE, Line, Listing
from gems_engine.algorithms.run_context import CapReached, Events, RunContext, count_to
from gems_engine.algorithms.symbols import Symbol
from gems_engine.algorithms.validation import VALIDATION_LINES, validate
from gems_engine.complexity.schedule import configuration
from gems_engine.events import CAP, LAST_LOOP, CandidateKept, Place, Recommended, RunFinished, RunStarted


def misspecified(context: RunContext, given: Mapping[str, Any]) -> Events[RunFinished]:
    """From some loop on, recommend 2ε-optimal arms; it never stops by itself."""
    context.limit(given)
    beta, epsilon = given["base"], given["epsilon"]
    recommended = context.any_of(context.reset_survivors())
    yield Recommended(Place(), recommended, 0, "first guess")
    try:
        for ell in count_to(given["max_loops"]):
            delta_ell = given["delta"] / (4.0 * ell**3)
            candidates: list[int] = []  # 𝒜_ℓ
            for i in count_to(ell):
                n_i, B_i = configuration(beta, ell, i)
                place = Place(ell, i, 0)
                context.require_room()
                outcome = yield from gems_m(context, place, n_i, B_i, delta_ell, given["literal"], given["count_idle"])
                yield CandidateKept(place, outcome.pick, outcome.pick not in candidates)
                candidates.append(outcome.pick)
            context.require_room()
            pulls = ceil(8.0 * log(2.0 / delta_ell) / epsilon**2)
            recommended = yield from validate(context, Place(ell, 0, 0), candidates, pulls)
    except CapReached:
        return RunFinished(Place(), CAP, recommended, context.survivors, context.samples)
    return RunFinished(Place(), LAST_LOOP, recommended, context.survivors, context.samples)


MISSPECIFIED_LINES = Listing(
    "Adaptive strategy",
    "misspecification, over GEMS-m",
    (
        Line("input", "**input** δ, ε", events=(RunStarted,), shows=("δ", "ε", "β"), numbered=False),
        GUESS,
        EACH_LOOP,
        Line("schedule", "γ_ℓ ← β^ℓ, δ_ℓ ← δ/(4ℓ³), 𝒜_ℓ ← ∅", 1, passed=LOOP, shows=("γ_ℓ", "δ_ℓ")),
        EACH_CALL,
        CONFIGURE,
        Line("call", "ẑ_i ← GEMS-m(n_i, B_i, δ_ℓ)", 2, passed=SUBROUTINE, calls=GEMS_M_LINES, shows=("ẑ_i",)),
        Line("keep", "𝒜_ℓ ← 𝒜_ℓ ∪ {ẑ_i}", 2, (CandidateKept,), shows=("|𝒜_ℓ|",)),
        Line("validate", "ẑ_⋆ ← VALIDATE(𝒜_ℓ, ⌈8 log(2/δ_ℓ)/ε²⌉)", 1, calls=VALIDATION_LINES),
        FINISH,
    ),
    {
        **SCHEDULE,
        "ẑ_i": Symbol("any target that remains after the i-th call", lambda at: at.returned),
        "𝒜_ℓ": Symbol("the candidates of loop ℓ, a set"),
        "|𝒜_ℓ|": Symbol("the number of candidates so far", lambda at: len(at.state.candidates) or None),
    },
)
"""The strategy of the appendix."""

MISSPECIFIED = Algorithm(
    "misspecified",
    "The adaptive strategy over GEMS-m with validation: finds a 2ε-optimal arm (appendix).",
    (EPSILON_GOAL, DELTA, BASE, MAX_SAMPLES, LAST_ROUND, MAX_LOOPS, LITERAL, COUNT_IDLE, *SHARED),
    EPSILON,
    misspecified,
    needs_targets_among_arms,
    stops=False,
    listing=MISSPECIFIED_LINES,
    title="GEMS (misspecified)",
    aliases=("gems-misspecified",),
    rival="fixed-confidence",
)
