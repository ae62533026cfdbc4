"""Proofs of how good given weights are, from a file, another solver or a slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen, relative_gap
from gems_engine.blas import one_blas_thread
from gems_engine.design.coordinates import FEATURES
from gems_engine.design.equivalence import Equivalence, equivalence_in, equivalence_of
from gems_engine.design.information import Spectrum
from gems_engine.design.minimax import ROUNDS
from gems_engine.design.norm_frame import NormFrame
from gems_engine.design.problem import DesignProblem
from gems_engine.design.proof import between, lower_bound
from gems_engine.design.result import Design
from gems_engine.design.shares import check_weights
from gems_engine.design.solve import TOLERANCE, solve_design

MOST_ARMS = 300
"""With more arms, the search for the best multipliers takes too long: minutes for 1,000 arms."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is proven about given weights, and their analysis by the equivalence theorem.

    Attributes
    ----------
    weights
        As given, scaled to sum to one.
    value
        max_y yᵀA(λ)⁻¹y as computed; ∞ if the weights do not determine a direction.
    lower_bound, upper_bound
        Proven bounds, rounding errors included: the optimum is at least the first (from the weights themselves or from
        the certified solver), the value of these weights at most the second.
    worst
        The pair of targets (or the row of the list) that attains the value.
    equivalence
        Which arms should have more weight and which less. It is not a proof, and no bound depends on it.
    condition
        Condition number of A(λ) on its range; `rank` is the dimension of that range.
    optimum
        The certified design of the same problem, if requested.
    lower_proof, upper_proof
        The arithmetic that proves each bound.
    """

    weights: Floats
    value: float
    lower_bound: float
    upper_bound: float
    worst: tuple[int, int] | int | None
    equivalence: Equivalence
    rank: int
    """The dimension of the range of A(λ)."""
    condition: float
    optimum: Design | None
    lower_proof: str
    upper_proof: str

    @property
    def gap(self) -> float:
        """The weights are proven to be within this fraction of the optimum."""
        return relative_gap(self.upper_bound, self.lower_bound)


@one_blas_thread()
def certify(
    problem: DesignProblem, weights: ArrayLike, tolerance: float = TOLERANCE, against_optimum: bool = True
) -> Certificate:
    """Value, proven lower bound, worst direction and the equivalence theorem for given weights.

    Parameters
    ----------
    problem
        Arms and directions.
    weights
        One per arm; they are scaled to sum to one.
    tolerance
        The gap of the comparison.
    against_optimum
        Also solve the problem, so that the gap shows how far these weights are from optimal ones. Without it, the lower
        bound comes from the weights alone, and is poor for poor weights.

    Returns
    -------
    Certificate
        The bounds, and what would improve the weights.

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.design import DesignProblem, certify
    >>> arms = instances.make("paper-hard").arms
    >>> found = certify(DesignProblem(arms, targets=arms), [1.0] * 10)
    >>> round(found.value, 6), found.lower_bound <= 20.0
    (20.0, True)
    """
    share = frozen(check_weights(weights, len(problem.arms)))
    optimum, lower, tried = _solved(problem, tolerance) if against_optimum else (None, 0.0, [])
    spectrum = Spectrum.of(problem.arms, share)  # as given: those of the geometry are scaled, and others
    rank, condition = spectrum.rank, spectrum.condition
    geometry = problem.geometry
    if geometry.directions is None:
        seen, how = equivalence_of(problem, share), FEATURES
        return Certificate(share, 0.0, 0.0, 0.0, None, seen, rank, condition, optimum, how, how)
    frame = NormFrame.of(problem, share)
    value, below = frame.value * geometry.unit**2, optimum.proof if optimum else own_method(problem)
    if np.isfinite(value):
        own = proven_bound(problem, frame, strongest_proof(frame, tried))
        if own > lower:
            lower, below = own, own_method(problem)
    value = between(value, lower, frame.upper)
    seen = equivalence_in(problem, frame, share, relative_gap(value, lower), ROUNDS)
    worst = problem.name_direction(frame.longest)
    upper, above = frame.upper, frame.upper_proof
    return Certificate(share, value, lower, upper, worst, seen, rank, condition, optimum, below, above)


def own_method(problem: DesignProblem) -> str:
    """The arithmetic that proves a lower bound of the weights themselves: that of the problem's coordinates."""
    frame = problem.geometry.frame
    return FEATURES if frame is None else frame.method


def proven_bound(problem: DesignProblem, frame: NormFrame, proof: Proof) -> float:
    """The lower bound on the optimum that multipliers w prove with u = A⁻¹y, rounding errors included."""
    geometry = problem.geometry
    assert geometry.frame is not None
    u = frame.white.vectors(proof.keys) @ frame.lift
    size = float(np.abs(u).max(initial=0.0))
    if not 0.0 < size < np.inf:
        return 0.0
    u = u / 2.0 ** int(np.frexp(size)[1]) / geometry.frame.scale * geometry.frame.scale
    return lower_bound(problem, geometry, proof.keys, proof.w, u)


def _solved(problem: DesignProblem, tolerance: float) -> tuple[Design, float, list[tuple[Integers, Floats]]]:
    """The certified design, its lower bound, and the directions and multipliers that prove it."""
    design = solve_design(problem, tolerance=tolerance)
    keys = problem.keys_of(design.dual_keys)
    return design, design.lower_bound, [(keys, np.asarray(design.dual_weights))] if len(keys) else []


@dataclass(frozen=True)
class Proof:
    """Multipliers w of directions, and the lower bound that they give in the geometry's unit, as computed."""

    bound: float
    keys: Integers
    w: Floats


def strongest_proof(frame: NormFrame, tried: Sequence[tuple[Integers, Floats]], thorough: bool = True) -> Proof:
    """The best available proof. Its w may be on any directions, and is not the w of the equivalence theorem.

    Parameters
    ----------
    frame
        The frame of the weights. A single direction that attains their value is a proof.
    tried
        Known keys and multipliers of solved designs.
    thorough
        Also search for the best multipliers by a linear program, if there are not too many arms.
    """
    directions, value, count = frame.white, frame.value, len(frame.arms)
    every = [(np.array([frame.longest]), np.ones(1)), *tried]
    found = []
    for keys, w in every:
        seen, lengths = _seen(frame.arms, directions.vectors(keys), value)
        found.append(Proof(value * _proven(seen, lengths, w), keys, w))
    if thorough and count <= MOST_ARMS:
        near = directions.near(np.eye(frame.points.shape[1]), 0.9, 3 * count)
        keys = np.unique(np.concatenate([near, *(keys for keys, _ in every)])).astype(np.int64)
        bound, w = best_proof(frame.arms, directions.vectors(keys), value)
        some = w > 1e-9 * w.max()
        found.append(Proof(bound, keys[some], w[some] / w[some].sum()))
    return max(found, key=lambda each: each.bound)


def best_proof(arms: Floats, y: Floats, value: float) -> tuple[float, Floats]:
    """The best lower bound with u_y = A⁻¹y, and the w ≥ 0 of the directions y that proves it.

    Arms and directions are in coordinates in which the norm of A⁻¹ is the length.
    (Σ w v)²/Σ w with Σ w (xᵀu)² ≤ 1 for every arm; the tangent of (Σ w v)²/Σ w where all v equal the value lies below
    it and makes this a linear program.
    """
    seen, lengths = _seen(arms, y, value)
    from scipy.optimize import linprog  # here: a window shows its forms before it needs to load this

    answer = linprog(1.0 - 2.0 * lengths, A_ub=seen, b_ub=np.ones(len(arms)), bounds=(0, None), method="highs")
    w = np.maximum(answer.x, 0.0) if answer.x is not None else np.ones(len(y))
    return value * _proven(seen, lengths, w), w / w.sum()


def _seen(arms: Floats, y: Floats, value: float) -> tuple[Floats, Floats]:
    """(xᵀu_y)² of arms and directions for u_y = A⁻¹y, and yᵀu_y, both in units of the value."""
    white = y / np.sqrt(value)
    return (arms @ white.T) ** 2, np.einsum("ij,ij->i", white, white)


def _proven(seen: Floats, lengths: Floats, w: Floats) -> float:
    """The bound that w gives, in units of the value."""
    w = w / w.sum()
    return float(w @ lengths) ** 2 / float((seen @ w).max())
