"""The information matrix A(λ), factored: no ridge, and no pseudo-inverse that hides a direction outside its range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats, Integers
from gems_engine.design.balls import exact_rank, whole_numbers
from gems_engine.design.coordinates import scaled_lengths
from gems_engine.design.directions import Directions, squares_of
from gems_engine.design.problem import DesignProblem, Geometry

_NEARLY_DEPENDENT = 1e12
_SURE = 1e7  # condition number up to which no rank is in doubt


def inverse_root(arms: Floats, weights: Floats) -> Floats:
    """R⁻¹ with RᵀR = A(weights)."""
    return roots(arms, weights)[1]


def roots(arms: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """R with RᵀR = A(weights), and R⁻¹: by QR of √λ·X, which keeps twice the digits of a factorisation of A itself."""
    lapack = clock.load("gems_engine.lapack")
    rank = arms.shape[1]
    if len(arms) < rank:
        raise np.linalg.LinAlgError("fewer arms than dimensions do not span the space")
    scaled = (arms.T * np.sqrt(weights)).T  # in Fortran's order, so that LAPACK takes it as it is
    factor, _, _, _ = lapack.dgeqrf(scaled, lwork=32 * rank, overwrite_a=1)
    root = np.triu(factor[:rank])
    inverse, singular = lapack.dtrtri(root, lower=0)
    if singular:
        raise np.linalg.LinAlgError("the arms with weight do not span the space")
    return root, np.asarray(inverse)


def blur(condition: float) -> float:
    """What part of a direction is outside of a span by rounding alone, at this condition number of its arms."""
    return 1e-12 + 1e-14 * condition


@dataclass(frozen=True)
class Information:
    """A(λ) = V S² Vᵀ on its range, and what is orthogonal to it.

    Attributes
    ----------
    inverse_root
        V S⁻¹, r × rank: yᵀA⁺y = ‖y V S⁻¹‖².
    null
        r × (r − rank): directions with a part in here have an infinite norm (paper, first appendix).
    singular_values
        √ of the non-zero eigenvalues of A, largest first.
    spread
        Condition number of the matrix that the null space is computed from.
    """

    inverse_root: Floats
    null: Floats
    singular_values: Floats
    spread: float

    @staticmethod
    def of(arms: Floats, weights: Floats) -> Information:
        """Factor A(weights)."""
        on = weights > 0.0
        rows = np.sqrt(weights[on])[:, None] * arms[on]
        if len(rows) > 2 * rows.shape[1]:
            rows = np.asarray(np.linalg.qr(rows, mode="r"))
        # All rows of the last factor are needed, and never those of the first that make it square.
        _, values, vectors = np.linalg.svd(rows, full_matrices=len(rows) < rows.shape[1])
        floor = 16 * max(arms.shape) * np.finfo(float).eps * values[0]
        rank = int((values > floor).sum())
        spread = float(values[0] / values[rank - 1]) if rank else 1.0
        return Information(vectors[:rank].T / values[:rank], vectors[rank:].T, values[:rank], spread)

    @staticmethod
    def exactly(problem: DesignProblem, weights: Floats) -> Information:
        """As :meth:`of` in the problem's geometry, on the exact span of the arms with weight, however small it is.

        In a basis of these arms their coordinates are moderate numbers, and QR with large rows first keeps the digits
        of each row.
        """
        import scipy.linalg

        used = np.flatnonzero(weights)
        if not problem.arms[used].any():
            return Information.of(problem.geometry.arms, weights)
        basis = problem.basis_of(used)
        scaled = np.sqrt(weights[used])[:, None] * basis.coordinates.middle
        scaled = scaled[np.argsort(-np.abs(scaled).max(axis=1), kind="stable")]
        _, root, order = scipy.linalg.qr(scaled, mode="economic", pivoting=True)
        inverse = np.empty_like(root)
        inverse[order] = scipy.linalg.solve_triangular(root, np.eye(len(root)))
        arms = problem.geometry.accurate_arms[used[basis.arms]]
        lengths = scaled_lengths(arms)
        turn, triangle = np.linalg.qr((arms / lengths[:, None]).T, mode="complete")
        rank = len(root)
        spread = float(np.linalg.cond(triangle[:rank]))
        if not spread < _NEARLY_DEPENDENT:  # they differ only in digits that are lost next to longer arms
            return Information.of(problem.geometry.arms, weights)
        back = turn[:, :rank] @ np.linalg.inv(triangle[:rank]).T  # takes a vector of the span to its coordinates
        return Information(
            (back / lengths) @ inverse,
            turn[:, rank:],
            np.asarray(np.linalg.svd(root, compute_uv=False), dtype=np.float64),
            spread,
        )

    @property
    def condition(self) -> float:
        """Condition number of A on its range; ∞ where that is empty."""
        if not len(self.singular_values):
            return float("inf")
        return float((self.singular_values[0] / self.singular_values[-1]) ** 2)

    @property
    def blur(self) -> float:
        """What part of a direction is outside of the range by rounding alone."""
        return blur(self.spread)

    def lost(self, directions: Directions) -> Integers:
        """Keys of directions that leave the range, among them the one that does most; none where none does."""
        if not self.null.shape[1]:
            return np.empty(0, dtype=np.int64)
        keys, outside = directions.longest(self.null)
        _, scale = directions.longest(np.eye(len(self.null)))
        return np.asarray(keys[outside > self.blur**2 * scale.max()])

    def longest(self, directions: Directions) -> tuple[Integers, Floats]:
        """As :meth:`Directions.longest`, with ∞ for directions that leave the range."""
        lost = self.lost(directions)
        return (lost, np.full(len(lost), np.inf)) if len(lost) else directions.longest(self.inverse_root)


def design_value(geometry: Geometry, weights: Floats) -> float:
    """max_y yᵀA(weights)⁻¹y, ∞ where the weights leave out what a direction needs."""
    if geometry.directions is None:
        return 0.0
    on = np.flatnonzero(weights > 0.0)
    if not len(on):
        return np.inf
    root = _sure_root(geometry.arms[on], weights[on])
    if root is not None:
        return geometry.directions.length(root) * geometry.unit**2
    _, squares = Information.of(geometry.arms, weights).longest(geometry.directions)
    return float(squares.max()) * geometry.unit**2


def _sure_root(arms: Floats, weights: Floats) -> Floats | None:
    """As :func:`inverse_root`, where the arms clearly span the space; else None."""
    if len(arms) < arms.shape[1]:
        return None
    try:
        root = inverse_root(arms, weights)
    except np.linalg.LinAlgError:
        return None
    size = float(weights @ squares_of(arms))  # ‖R‖² = Σ λ ‖x‖²
    return root if size * float(np.vdot(root, root)) < _SURE**2 else None


def spectrum(arms: Floats, weights: Floats) -> Floats:
    """Eigenvalues of A(weights), largest first, from the singular values of √λ·X: twice the digits that A would keep.

    As many are above 0 as the exact rank says, also where they are no larger than rounding.
    """
    on = weights > 0.0
    values = np.linalg.svd(np.sqrt(weights[on])[:, None] * arms[on], compute_uv=False)
    sure = int((values > 16 * max(arms.shape) * np.finfo(float).eps * values[0]).sum())
    found = np.zeros(arms.shape[1])
    if sure < len(found):
        sure = exact_rank(whole_numbers(arms[on]))
    found[:sure] = np.maximum(values[:sure], np.finfo(float).tiny) ** 2
    return found
