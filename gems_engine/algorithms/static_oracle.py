"""The non-interactive allocation of the lower-bound theorem (section 3): it knows θ⋆, and answers by least squares."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log
from typing import Any

from gems_engine.algorithms.algorithm import BEST_ARM, DELTA, SHARED, Algorithm, needs_linear_rewards
from gems_engine.algorithms.laboratory import Events, Laboratory, allocated, solved
from gems_engine.complexity.quantities import gap_divisors, rho_problem
from gems_engine.design import DesignProblem
from gems_engine.elimination import least_squares
from gems_engine.events import (
    BUDGET_SPENT,
    Estimated,
    Place,
    Recommended,
    RunFinished,
)
from gems_engine.parameters import Parameter


def static_oracle(lab: Laboratory, given: Mapping[str, Any]) -> Events[RunFinished]:
    """Round the design of ρ⋆_{d⋆} to N pulls, by default ½·ρ⋆·log(1/δ), and take the arm with the largest estimate."""
    instance = lab.instance
    d = instance.d_star
    assert d is not None
    yield Recommended(Place(), lab.any_of(lab.everyone()), 0, "first guess")
    place = Place(1, 1, 1)
    problem = rho_problem(instance, d, gap_divisors(instance))
    design = lab.solve(problem)  # its value is ρ⋆_{d⋆}
    yield solved(place, d, design, design.safe_value)
    pulls = given["pulls"] or max(1, ceil(0.5 * design.safe_value * log(1.0 / given["delta"])))
    allocation = lab.rounded(problem, design, pulls)
    sums = yield from lab.pull(allocated(place, d, allocation))
    everyone = DesignProblem(instance.arms[:, :d], targets=instance.targets[:, :d])
    fit = least_squares(everyone, allocation.norm.arms, allocation.norm.counts, sums)
    yield Estimated(place, fit.theta)
    best = int(fit.estimates.argmax())
    yield Recommended(place, best, lab.samples, "the largest estimate")
    return RunFinished(place, BUDGET_SPENT, best, lab.everyone()[best : best + 1], lab.samples)


STATIC_ORACLE = Algorithm(
    "static-oracle",
    "The fixed allocation that knows θ⋆, of the non-interactive lower bound (section 3).",
    (
        Parameter("pulls", "int", None, "Pulls; none: ½·ρ⋆·log(1/δ).", "N", 1, 10**15, optional=True),
        DELTA,
        *SHARED,
    ),
    BEST_ARM,
    static_oracle,
    needs_linear_rewards,
)
