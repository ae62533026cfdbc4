"""RAGE (Fiez et al. 2019) in our notation: the baseline that works in R^D throughout, and its oracle in R^{d⋆}."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from math import ceil, inf, ldexp, sqrt
from typing import Any

from gems_engine.algorithms.algorithm import (
    BEST_ARM,
    DELTA,
    MAX_SAMPLES,
    SHARED,
    Algorithm,
    needs_linear_rewards,
)
from gems_engine.algorithms.laboratory import CapReached, Events, Laboratory, log_term, scaled
from gems_engine.events import (
    CAP,
    NOTHING_TO_TELL_APART,
    SINGLETON,
    Place,
    Recommended,
    RunFinished,
    SubroutineFinished,
    SubroutineStarted,
)


def rage(lab: Laboratory, d: int, delta: float) -> Events[RunFinished]:
    """Eliminate in R^d until one arm is left; the recommendation is the survivor with the largest current estimate."""
    start = Place(1, 1, 0)
    survivors = lab.everyone()
    recommended = lab.any_of(survivors)
    yield Recommended(Place(), recommended, 0, "first guess")
    yield SubroutineStarted(start, "rage", 0, inf, delta, 0.0)
    why = SINGLETON
    try:
        for k in count(1):
            if len(survivors) == 1:
                break
            here = Place(1, 1, k)
            log_k = log_term(survivors, k, delta)
            scale = ldexp(1.0, 2 * min(k, 500))
            problem, design = yield from lab.design_in(here, survivors, d, scale)
            if problem.is_trivial:
                why = NOTHING_TO_TELL_APART
                break
            N = max(ceil(2.0 * scale * design.safe_value * (1.0 + lab.zeta) * log_k), ceil(lab.r(problem.d)))
            fit = yield from lab.sample(here, problem, design, N)
            survivors = yield from lab.eliminate(here, survivors, fit, scaled(sqrt(2.0 * log_k)))
            recommended = lab.pick()
            yield Recommended(here, recommended, lab.samples, "the largest estimate among those left")
    except CapReached:
        why = CAP
    yield SubroutineFinished(start, survivors, why, lab.samples)
    return RunFinished(start, why, recommended, survivors, lab.samples)


def _rage(lab: Laboratory, given: Mapping[str, Any]) -> Events[RunFinished]:
    lab.cap = given["max_samples"]
    return rage(lab, lab.D, given["delta"])


def _oracle(lab: Laboratory, given: Mapping[str, Any]) -> Events[RunFinished]:
    lab.cap = given["max_samples"]
    assert lab.instance.d_star is not None
    return rage(lab, lab.instance.d_star, given["delta"])


RAGE = Algorithm(
    "rage",
    "The baseline that cannot select: elimination in R^D until one arm is left.",
    (DELTA, MAX_SAMPLES, *SHARED),
    BEST_ARM,
    _rage,
)

RAGE_ORACLE = Algorithm(
    "rage-oracle",
    "RAGE in R^{d⋆}, told d⋆: the best case that nobody can reach.",
    (DELTA, MAX_SAMPLES, *SHARED),
    BEST_ARM,
    _oracle,
    needs_linear_rewards,
)
