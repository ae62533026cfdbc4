"""The adaptive strategy of section 4: doubling over (rounds n, budget B); it never stops by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gems_engine.algorithms.algorithm import (
    BASE,
    BEST_ARM,
    COUNT_IDLE,
    DELTA,
    LAST_ROUND,
    LITERAL,
    MAX_LOOPS,
    MAX_SAMPLES,
    SHARED,
    STOP_WHEN_VERIFIABLE,
    Algorithm,
)
from gems_engine.algorithms.gems_c import GEMS_C_LINES, gems_c
from gems_engine.algorithms.gems_m import GEMS_M_LINES, gems_m
from gems_engine.algorithms.pseudocode import LOOP, SUBROUTINE, Line, Listing, Said, before_loops, in_loop
from gems_engine.algorithms.run_context import CapReached, Events, RunContext, count_to
from gems_engine.algorithms.subroutine import Subroutine
from gems_engine.algorithms.symbols import Known, Symbol
from gems_engine.complexity.schedule import configuration
from gems_engine.events import (
    CAP,
    LAST_LOOP,
    VERIFIED,
    BecameVerifiable,
    Place,
    Recommended,
    RunFinished,
    RunStarted,
)


def strategy(context: RunContext, given: Mapping[str, Any], subroutine: Subroutine) -> Events[RunFinished]:
    """Recommend the arm of the first singleton in every loop ℓ, which has the largest B of those that reached one."""
    context.limit(given)
    beta = given["base"]
    recommended = context.any_of(context.reset_survivors())
    yield Recommended(Place(), recommended, 0, "first guess")
    try:
        for ell in count_to(given["max_loops"]):
            delta_ell = given["delta"] / (2.0 * ell**3)
            for i in count_to(ell):
                n_i, B_i = configuration(beta, ell, i)
                place = Place(ell, i, 0)
                context.require_room()
                outcome = yield from subroutine(
                    context, place, n_i, B_i, delta_ell, given["literal"], given["count_idle"]
                )
                if outcome.singleton:
                    recommended = int(outcome.survivors[0])
                    yield Recommended(place, recommended, context.samples, "the first singleton of this loop")
                    if outcome.verified:
                        yield BecameVerifiable(place, recommended, context.samples)
                        if given["stop_when_verifiable"]:
                            return RunFinished(place, VERIFIED, recommended, context.survivors, context.samples)
                    break
    except CapReached:
        return RunFinished(Place(), CAP, recommended, context.survivors, context.samples)
    return RunFinished(Place(), LAST_LOOP, recommended, context.survivors, context.samples)


GUESS = Line("guess", "ẑ_⋆ ← a random z ∈ 𝒵", events=(Said(Recommended, before_loops),), shows=("ẑ_⋆",))
EACH_LOOP = Line("loop", "**for** ℓ = 1, 2, … **do**", passed=LOOP, shows=("ℓ",))
EACH_CALL = Line("calls", "**for** i = 1, 2, …, ℓ **do**", 1, passed=SUBROUTINE, shows=("i",))
CONFIGURE = Line("configure", "n_i ← β^i, B_i ← γ_ℓ/n_i = β^{ℓ−i}", 2, passed=SUBROUTINE, shows=("n_i", "B_i"))
FINISH = Line(
    "output",
    "**until** the run ends ▷ the strategy never stops",
    events=(RunFinished,),
    shows=("ẑ_⋆", "ended"),
    numbered=False,
    ours=True,
)
"""Lines that both strategies without a stopping rule share."""


def _remaining(at: Known) -> int | None:
    return len(at.state.survivors) if at.state.subroutine_finished else None


SCHEDULE = {
    "δ": Symbol("the allowed probability of a wrong recommendation", lambda at: at.parameter("delta")),
    "ℓ": Symbol("the loop", lambda at: at.state.subroutine.place.ell if at.state.subroutine else None),
    "i": Symbol("the call in its loop", lambda at: at.state.subroutine.place.i if at.state.subroutine else None),
    "γ_ℓ": Symbol("the budget of loop ℓ, divided between n and B", lambda at: _gamma(at)),
    "δ_ℓ": Symbol(
        "the allowed error probability of each call in loop ℓ",
        lambda at: at.state.subroutine.delta if at.state.subroutine else None,
    ),
    "n_i": Symbol(
        "rounds of the call: a guess of log(1/Δ_min)",
        lambda at: at.state.subroutine.rounds if at.state.subroutine else None,
    ),
    "B_i": Symbol("selection budget of the call: a guess of ρ⋆", lambda at: at.B if at.state.subroutine else None),
}
"""Symbols of the schedule of section 4."""


def _gamma(at: Known) -> int | None:
    call, base = at.state.subroutine, at.parameter("base")
    return base**call.place.ell if call is not None and isinstance(base, int) else None


def _lines(called: Listing) -> tuple[Line, ...]:
    return (
        Line("input", "**input** δ", events=(RunStarted,), shows=("δ", "β"), numbered=False),
        GUESS,
        EACH_LOOP,
        Line("schedule", "γ_ℓ ← β^ℓ, δ_ℓ ← δ/(2ℓ³)", 1, passed=LOOP, shows=("γ_ℓ", "δ_ℓ")),
        EACH_CALL,
        CONFIGURE,
        Line("call", f"Ŝ_i ← {called.name}(n_i, B_i, δ_ℓ)", 2, passed=SUBROUTINE, calls=called, shows=("|Ŝ_i|",)),
        Line(
            "update",
            "**if** Ŝ_i = {ẑ} **then** ẑ_⋆ ← ẑ; **break**",
            2,
            (Said(Recommended, in_loop),),
            shows=("ẑ_⋆",),
        ),
        Line(
            "verifiable",
            "**if** d_k = D in every round **then** ẑ_⋆ is verifiable",
            3,
            (BecameVerifiable,),
            ours=True,
        ),
        FINISH,
    )


_SYMBOLS = {
    **SCHEDULE,
    "Ŝ_i": Symbol("the targets that remain after the i-th call"),
    "|Ŝ_i|": Symbol("the number of targets that remain after the i-th call", _remaining),
    "ẑ": Symbol("the one target that remains"),
}
STRATEGY_LINES = Listing("Adaptive strategy", "fixed confidence, over GEMS-c", _lines(GEMS_C_LINES), _SYMBOLS)
"""Algorithm 2 of the paper."""
MISSPECIFIED_STRATEGY_LINES = Listing(
    "Adaptive strategy", "fixed confidence, over GEMS-m", _lines(GEMS_M_LINES), _SYMBOLS
)

_PARAMETERS = (DELTA, BASE, MAX_SAMPLES, LAST_ROUND, MAX_LOOPS, STOP_WHEN_VERIFIABLE, LITERAL, COUNT_IDLE, *SHARED)

FIXED_CONFIDENCE = Algorithm(
    "fixed-confidence",
    "The adaptive strategy over GEMS-c: recommends, and never stops by itself (section 4).",
    _PARAMETERS,
    BEST_ARM,
    lambda context, given: strategy(context, given, gems_c),
    stops=False,
    listing=STRATEGY_LINES,
    title="GEMS (fixed confidence)",
    aliases=("gems", "gems-fixed-confidence"),
)

MISSPECIFIED_BEST_ARM = Algorithm(
    "misspecified-best-arm",
    "The same strategy over GEMS-m: finds the best arm even if the rewards are not quite linear (appendix).",
    _PARAMETERS,
    BEST_ARM,
    lambda context, given: strategy(context, given, gems_m),
    stops=False,
    listing=MISSPECIFIED_STRATEGY_LINES,
    title="GEMS (misspecified, best arm)",
    aliases=("gems-misspecified-best-arm",),
    rival="fixed-confidence",
)
