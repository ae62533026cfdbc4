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
    LITERAL,
    MAX_LOOPS,
    MAX_SAMPLES,
    SHARED,
    Algorithm,
    needs_targets_among_arms,
)
from gems_engine.algorithms.gems_m import gems_m
from gems_engine.algorithms.laboratory import CapReached, Events, Laboratory, count_to
from gems_engine.algorithms.validation import validate
from gems_engine.complexity.schedule import configuration
from gems_engine.events import CAP, LAST_LOOP, CandidateKept, Place, Recommended, RunFinished


def misspecified(lab: Laboratory, given: Mapping[str, Any]) -> Events[RunFinished]:
    """From some loop on it recommends 2ε-optimal arms; it never stops by itself."""
    lab.cap, beta, epsilon = given["max_samples"], given["base"], given["epsilon"]
    recommended = lab.any_of(lab.everyone())
    yield Recommended(Place(), recommended, 0, "first guess")
    try:
        for ell in count_to(given["max_loops"]):
            delta_ell = given["delta"] / (4.0 * ell**3)
            candidates: list[int] = []  # 𝒜_ℓ
            for i in count_to(ell):
                n_i, B_i = configuration(beta, ell, i)
                place = Place(ell, i, 0)
                outcome = yield from gems_m(lab, place, n_i, B_i, delta_ell, given["literal"], given["count_idle"])
                yield CandidateKept(place, outcome.pick, outcome.pick not in candidates)
                candidates.append(outcome.pick)
            pulls = ceil(8.0 * log(2.0 / delta_ell) / epsilon**2)
            recommended = yield from validate(lab, Place(ell, 0, 0), candidates, pulls)
    except CapReached:
        return RunFinished(Place(), CAP, recommended, lab.left, lab.samples)
    return RunFinished(Place(), LAST_LOOP, recommended, lab.left, lab.samples)


MISSPECIFIED = Algorithm(
    "misspecified",
    "The adaptive strategy over GEMS-m with validation: a 2ε-optimal arm (appendix).",
    (EPSILON_GOAL, DELTA, BASE, MAX_SAMPLES, MAX_LOOPS, LITERAL, COUNT_IDLE, *SHARED),
    EPSILON,
    misspecified,
    needs_targets_among_arms,
    stops=False,
)
