"""A proof of how good weights are that come from anywhere: a file, another solver, a hand on a slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen, relative_gap
from gems_engine.blas import one_blas_thread
from gems_engine.design.equivalence import Equivalence, equivalence_in, equivalence_of
from gems_engine.design.information import Information, spectrum
from gems_engine.design.minimax import ROUNDS
from gems_engine.design.norm_frame import NormFrame
from gems_engine.design.problem import DesignProblem, Geometry
from gems_engine.design.proof import between, lower_bound, upper_bound
from gems_engine.design.result import Design
from gems_engine.design.shares import check_weights
from gems_engine.design.solve import TOLERANCE, solve_design

MOST_ARMS = 300
"""With more arms the search for the best multipliers takes too long: minutes for 1,000 arms."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is proven about given weights, and what the equivalence theorem says about them.

    Attributes
    ----------
    weights
        As given, scaled to sum to one.
    value
        max_y yᵀA(λ)⁻¹y as computed; ∞ where the weights leave out what a direction needs.
    lower_bound, upper_bound
        Proven, rounding errors included: the optimum is at least the one (from the weights themselves or from the
        certified solver), the value of these weights at most the other.
    worst
        The pair of targets (or the row of the list) that attains the value.
    equivalence
        Which arms deserve more weight and which less. It is no proof, and no bound rests on it.
    condition
        Condition number of A(λ) on its range; `rank` is the dimension of that range.
    optimum
        The certified design of the same problem, unless it was not asked for.
    """

    weights: Floats
    value: float
    lower_bound: float
    upper_bound: float
    worst: tuple[int, int] | int | None
    equivalence: Equivalence
    rank: int
    condition: float
    optimum: Design | None

    @property
    def gap(self) -> float:
        """The weights are proven to be within this part of the optimum."""
        return relative_gap(self.upper_bound, self.lower_bound)


@one_blas_thread()
def certify(
    problem: DesignProblem, weights: ArrayLike, tolerance: float = TOLERANCE, against_optimum: bool = True
) -> Certificate:
    """Value, proven lower bound, worst direction and the equivalence theorem for weights from anywhere.

    Parameters
    ----------
    problem
        Arms and directions.
    weights
        One per arm; they are scaled to sum to one.
    tolerance
        The gap of the comparison.
    against_optimum
        Also solve the problem, so that the gap tells how far these weights are from the best ones. Without it the
        lower bound comes from the weights alone, which for poor weights is poor.
    """
    share = frozen(check_weights(weights, len(problem.arms)))
    optimum, lower, tried = _solved(problem, tolerance) if against_optimum else (None, 0.0, [])
    eigenvalues = spectrum(problem.arms, share)  # as given: those of the geometry are scaled, and others
    rank = int(np.count_nonzero(eigenvalues))
    condition = float(eigenvalues[0] / eigenvalues[rank - 1]) if rank else float("inf")
    geometry = problem.geometry
    if geometry.directions is None:
        return Certificate(share, 0.0, 0.0, 0.0, None, equivalence_of(problem, share), rank, condition, optimum)
    frame, square = NormFrame.of(problem, share), geometry.unit**2
    value, upper = frame.value * square, float("inf")
    if np.isfinite(value):
        proof = strongest_proof(geometry, frame.information, frame.value, frame.longest, tried)
        lower = max(lower, proven_bound(problem, frame.information, proof))
        upper = upper_bound(problem, share, value)
    value = between(value, lower, upper)
    seen = equivalence_in(problem, frame, share, relative_gap(value, lower), ROUNDS)
    worst = problem.name_direction(frame.longest)
    return Certificate(share, value, lower, upper, worst, seen, rank, condition, optimum)


def proven_bound(problem: DesignProblem, information: Information, proof: Proof) -> float:
    """The lower bound of the optimum that multipliers w prove with u = A⁻¹y, rounding errors included."""
    geometry = problem.geometry
    assert geometry.directions is not None
    root = information.inverse_root
    u = (geometry.directions.vectors(proof.keys) @ root) @ root.T
    return lower_bound(problem, geometry, proof.keys, proof.w, geometry.in_frame(u))


def _solved(problem: DesignProblem, tolerance: float) -> tuple[Design, float, list[tuple[Integers, Floats]]]:
    """The certified design, its lower bound, and the directions with multipliers that it rests on."""
    design = solve_design(problem, tolerance=tolerance)
    keys = problem.keys_of(design.dual_keys)
    return design, design.lower_bound, [(keys, np.asarray(design.dual_weights))] if len(keys) else []


@dataclass(frozen=True)
class Proof:
    """Multipliers w of directions, and the lower bound that they give in the geometry's unit, as computed."""

    bound: float
    keys: Integers
    w: Floats


def strongest_proof(
    geometry: Geometry,
    information: Information,
    value: float,
    longest: int,
    tried: Sequence[tuple[Integers, Floats]],
    thorough: bool = True,
) -> Proof:
    """The best proof at hand. Its w may be on any directions, and is not the w of the equivalence theorem.

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
    found = []
    for keys, w in every:
        seen, lengths = _seen(geometry.arms, directions.vectors(keys), information, value)
        found.append(Proof(value * _proven(seen, lengths, w), keys, w))
    if thorough and len(geometry.arms) <= MOST_ARMS:
        near = directions.near(information.inverse_root, 0.9, 3 * len(geometry.arms))
        keys = np.unique(np.concatenate([near, *(keys for keys, _ in every)])).astype(np.int64)
        bound, w = best_proof(geometry.arms, directions.vectors(keys), information, value)
        some = w > 1e-9 * w.max()
        found.append(Proof(bound, keys[some], w[some] / w[some].sum()))
    return max(found, key=lambda each: each.bound)


def best_proof(arms: Floats, y: Floats, information: Information, value: float) -> tuple[float, Floats]:
    """The best lower bound with u_y = A⁻¹y, and the w ≥ 0 of the directions y that proves it.

    (Σ w v)²/Σ w with Σ w (xᵀu)² ≤ 1 for every arm; the tangent of (Σ w v)²/Σ w where all v equal the value lies below
    it and makes this a linear program.
    """
    seen, lengths = _seen(arms, y, information, value)
    from scipy.optimize import linprog  # here: a window shows its forms before it needs to load this

    answer = linprog(1.0 - 2.0 * lengths, A_ub=seen, b_ub=np.ones(len(arms)), bounds=(0, None), method="highs")
    w = np.maximum(answer.x, 0.0) if answer.x is not None else np.ones(len(y))
    return value * _proven(seen, lengths, w), w / w.sum()


def _seen(arms: Floats, y: Floats, information: Information, value: float) -> tuple[Floats, Floats]:
    """(xᵀu_y)² of arms and directions for u_y = A⁻¹y, and yᵀu_y, both in units of the value."""
    white = y @ (information.inverse_root / np.sqrt(value))
    return ((arms @ information.inverse_root) @ white.T) ** 2, np.einsum("ij,ij->i", white, white)


def _proven(seen: Floats, lengths: Floats, w: Floats) -> float:
    """The bound that w gives, in units of the value."""
    w = w / w.sum()
    return float(w @ lengths) ** 2 / float((seen @ w).max())
