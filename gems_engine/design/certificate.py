"""A proof of how good weights are that come from anywhere: a file, another solver, a hand on a slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.blas import one_blas_thread
from gems_engine.design.information import Information
from gems_engine.design.problem import DesignProblem, Geometry
from gems_engine.design.result import Design, relative_gap
from gems_engine.design.solve import TOLERANCE, DesignSolve
from gems_engine.errors import InputError

MOST_ARMS = 300
"""Beyond so many, the search for the best multipliers takes longer than anybody waits: minutes for 1,000 arms."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is proven about given weights.

    Attributes
    ----------
    weights
        As given, scaled to sum to one.
    value
        max_y yᵀA(λ)⁻¹y; ∞ where the weights leave out what a direction needs.
    lower_bound
        The best proven lower bound of the optimum: from the weights themselves or from the certified solver.
    worst
        The pair of targets (or the row of the list) that attains the value.
    sensitivity
        G_x over arms for the directions that speak best for these weights, scaled so that its largest entry is the
        value over the bound that it proves. The equivalence theorem: 1 on the support and nowhere above, if optimal.
    violators
        Arms above 1 by more than the tolerance, worst first: those that deserve more weight.
    condition
        Condition number of A(λ) on its range; `rank` is the dimension of that range.
    optimum
        The certified design of the same problem, unless it was not asked for.
    """

    weights: Floats
    value: float
    lower_bound: float
    worst: tuple[int, int] | int | None
    sensitivity: Floats
    violators: Integers
    rank: int
    condition: float
    optimum: Design | None

    @property
    def gap(self) -> float:
        """The weights are proven to be within this part of the optimum."""
        return relative_gap(self.value, self.lower_bound)


def check_weights(weights: ArrayLike, arms: int) -> Floats:
    """Weights scaled to sum to one (counts of pulls will do), or one sentence on why they are no design."""
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("The weights must be numbers, one for each arm.") from error
    if given.shape != (arms,):
        raise InputError(f"There are {given.size} weights for {arms} arms; there must be one for each.")
    if not np.isfinite(given).all():
        raise InputError(f"Weight {int(np.flatnonzero(~np.isfinite(given))[0])} is not a finite number.")
    if (given < 0.0).any():
        worst = int(given.argmin())
        raise InputError(f"Weight {worst} is {given[worst]:g}; weights are at least 0.")
    total = float(given.sum())
    if not 0.0 < total < np.inf:
        raise InputError(f"The weights sum to {total:g}; some must be above 0.")
    return np.asarray(given / total)


@one_blas_thread()
def certify(
    problem: DesignProblem, weights: ArrayLike, tolerance: float = TOLERANCE, against_optimum: bool = True
) -> Certificate:
    """Value, proven lower bound, worst direction and violated arms for weights from anywhere.

    Parameters
    ----------
    problem
        Arms and directions.
    weights
        One per arm; they are scaled to sum to one.
    tolerance
        How far above 1 the sensitivity may be before an arm counts as a violator, and the gap of the comparison.
    against_optimum
        Also solve the problem, so that the gap tells how far these weights are from the best ones. Without it the
        lower bound comes from the weights alone, which for poor weights is poor.
    """
    share = check_weights(weights, len(problem.arms))
    geometry = problem.geometry
    optimum: Design | None = None
    keys, multipliers = np.empty(0, dtype=np.int64), np.empty(0)
    lower = 0.0
    if against_optimum:
        solve = DesignSolve(problem, tolerance=tolerance)
        while not solve.done:
            solve.step()
        optimum, lower, keys = solve.design(), solve.lower, solve.dual_keys()
        multipliers = optimum.dual_weights
    if geometry.directions is None:
        nothing = np.zeros(len(share))
        return Certificate(
            frozen(share), 0.0, 0.0, None, nothing, np.empty(0, np.int64), *_rank_and_condition(problem, share), optimum
        )
    information = Information.of(geometry.arms, share)
    longest, squares = information.longest(geometry.directions)
    square = geometry.unit**2
    value = float(squares.max()) * square
    key = int(longest[int(squares.argmax())])
    worst = problem.name_direction(key)
    if np.isinf(value):
        sensitivity = np.full(len(share), np.nan)
        violators = np.empty(0, dtype=np.int64)
    else:
        tried = [(keys, multipliers)] if len(keys) else []
        sensitivity, proven, _, _ = strongest_proof(geometry, information, value / square, key, tried)
        lower = max(lower, min(proven * square, value))
        if optimum is not None and relative_gap(value, lower) <= tolerance:
            # Proven optimal. Where A(λ) is singular A⁻¹y is not the u that shows it; the solver's own u is.
            sensitivity = optimum.sensitivity * (value / optimum.value)
        above = np.flatnonzero(sensitivity > 1.0 + tolerance)
        violators = above[np.argsort(-sensitivity[above], kind="stable")].astype(np.int64)
    rank, condition = _rank_and_condition(problem, share)
    return Certificate(frozen(share), value, lower, worst, sensitivity, violators, rank, condition, optimum)


def _rank_and_condition(problem: DesignProblem, share: Floats) -> tuple[int, float]:
    """Of A(λ) in the coordinates that were given: those of the geometry are scaled, and their condition is another."""
    information = Information.of(problem.arms, share)
    return len(information.singular_values), information.condition


def strongest_proof(
    geometry: Geometry,
    information: Information,
    value: float,
    longest: int,
    tried: Sequence[tuple[Integers, Floats]],
    thorough: bool = True,
) -> tuple[Floats, float, Integers, Floats]:
    """The best proof at hand: G_x, the bound (in the geometry's unit), keys of the directions and their w.

    Parameters
    ----------
    value
        Of the weights, in the geometry's unit.
    longest
        The key of a direction that attains it, which alone is a proof.
    tried
        Keys and multipliers that are known from solved designs.
    thorough
        Also search for the multipliers that prove most, by linear program, where there are not too many arms.
    """
    directions = geometry.directions
    assert directions is not None
    every = [(np.array([longest]), np.ones(1)), *tried]
    found = [(*proof(geometry.arms, directions.vectors(keys), information, value, w), keys, w) for keys, w in every]
    if thorough and len(geometry.arms) <= MOST_ARMS:
        near = directions.near(information.inverse_root, 0.9, 3 * len(geometry.arms))
        keys = np.unique(np.concatenate([near, *(keys for keys, _ in every)])).astype(np.int64)
        g, proven, w = best_proof(geometry.arms, directions.vectors(keys), information, value)
        some = w > 1e-9 * w.max()
        found.append((g, proven, keys[some], w[some] / w[some].sum()))
    return max(found, key=lambda each: each[1])


def proof(arms: Floats, y: Floats, information: Information, value: float, w: Floats) -> tuple[Floats, float]:
    """G_x for multipliers w ≥ 0 of the directions y with u_y = A⁻¹y, and the lower bound that they prove.

    G_x is in the unit in which its largest entry is the value over that bound.
    """
    white = y @ information.inverse_root
    seen = ((arms @ information.inverse_root) @ white.T) ** 2
    return _proven(seen, np.einsum("ij,ij->i", white, white), value, w)


def best_proof(arms: Floats, y: Floats, information: Information, value: float) -> tuple[Floats, float, Floats]:
    """As :func:`proof` for the w that proves most, and that w.

    (Σ w v)²/Σ w with Σ w (xᵀu)² ≤ 1 for every arm; the tangent of (Σ w v)²/Σ w where all v equal the value lies below
    it and makes this a linear program.
    """
    white = y @ information.inverse_root
    lengths = np.einsum("ij,ij->i", white, white)
    seen = ((arms @ information.inverse_root) @ white.T) ** 2
    from scipy.optimize import linprog  # here: a window shows its forms before it needs to load this

    answer = linprog(
        1.0 - 2.0 * lengths / value, A_ub=seen / value, b_ub=np.ones(len(arms)), bounds=(0, None), method="highs"
    )
    w = np.maximum(answer.x, 0.0) if answer.x is not None else np.ones(len(y))
    return *_proven(seen, lengths, value, w), w / w.sum()


def _proven(seen: Floats, lengths: Floats, value: float, w: Floats) -> tuple[Floats, float]:
    w = w / w.sum()
    along = float(w @ lengths)
    g = np.asarray(seen @ w)
    return g * (value / along**2), along**2 / float(g.max())
