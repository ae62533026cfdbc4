"""The adaptive strategy of section 4: doubling over (rounds n, budget B); it never stops by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gems_engine.algorithms.algorithm import (
    BASE,
    BEST_ARM,
    COUNT_IDLE,
    DELTA,
    LITERAL,
    MAX_LOOPS,
    MAX_SAMPLES,
    SHARED,
    STOP_WHEN_VERIFIABLE,
    Algorithm,
)
from gems_engine.algorithms.gems_c import gems_c
from gems_engine.algorithms.gems_m import gems_m
from gems_engine.algorithms.laboratory import CapReached, Events, Laboratory, count_to
from gems_engine.algorithms.subroutine import Subroutine
from gems_engine.complexity.schedule import configuration
from gems_engine.events import CAP, LAST_LOOP, VERIFIED, BecameVerifiable, Place, Recommended, RunFinished


def strategy(lab: Laboratory, given: Mapping[str, Any], subroutine: Subroutine) -> Events[RunFinished]:
    """Recommend the arm of the first singleton in every loop ℓ: the one from the richest class that got there."""
    lab.cap, beta = given["max_samples"], given["base"]
    recommended = lab.any_of(lab.everyone())
    yield Recommended(Place(), recommended, 0, "first guess")
    try:
        for ell in count_to(given["max_loops"]):
            delta_ell = given["delta"] / (2.0 * ell**3)
            for i in count_to(ell):
                n_i, B_i = configuration(beta, ell, i)
                place = Place(ell, i, 0)
                outcome = yield from subroutine(lab, place, n_i, B_i, delta_ell, given["literal"], given["count_idle"])
                if outcome.singleton:
                    recommended = int(outcome.survivors[0])
                    yield Recommended(place, recommended, lab.samples, "the first singleton of this loop")
                    if outcome.verified:
                        yield BecameVerifiable(place, recommended, lab.samples)
                        if given["stop_when_verifiable"]:
                            return RunFinished(place, VERIFIED, recommended, lab.left, lab.samples)
                    break
    except CapReached:
        return RunFinished(Place(), CAP, recommended, lab.left, lab.samples)
    return RunFinished(Place(), LAST_LOOP, recommended, lab.left, lab.samples)


_PARAMETERS = (DELTA, BASE, MAX_SAMPLES, MAX_LOOPS, STOP_WHEN_VERIFIABLE, LITERAL, COUNT_IDLE, *SHARED)

FIXED_CONFIDENCE = Algorithm(
    "fixed-confidence",
    "The adaptive strategy over GEMS-c: recommends, and never stops by itself (section 4).",
    _PARAMETERS,
    BEST_ARM,
    lambda lab, given: strategy(lab, given, gems_c),
    stops=False,
)

MISSPECIFIED_BEST_ARM = Algorithm(
    "misspecified-best-arm",
    "The same strategy over GEMS-m: the best arm although the rewards are not quite linear (appendix).",
    _PARAMETERS,
    BEST_ARM,
    lambda lab, given: strategy(lab, given, gems_m),
    stops=False,
)
