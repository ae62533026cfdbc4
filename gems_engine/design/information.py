"""The information matrix A(λ), factored: no ridge, and no pseudo-inverse that hides a direction outside its range."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats, Integers
from gems_engine.design.balls import PRECISIONS, balls, exact_rank, not_told, whole_numbers, workprec
from gems_engine.design.directions import Directions, squares_of
from gems_engine.design.problem import DesignProblem, Geometry

_MOST_LOST = 1e9
"""Factors of rounding errors up to this leave seven digits."""
_CLEARLY = 1e7
"""The condition number up to which no rank is in doubt."""


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
    root = factor[:rank] * lapack.upper(rank)
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

    def is_sure(self, problem: DesignProblem, weights: Floats) -> bool:
        """Whether rounding hides nothing: squared norms in the problem's geometry are right to about 1e-7."""
        frame = problem.geometry.frame
        if not len(self.singular_values) or frame is None:
            return False
        worst = float(np.sqrt(weights.max()) / self.singular_values[-1])
        if not worst * frame.condition <= _MOST_LOST:
            return False
        if not self.null.shape[1]:
            return True
        own = problem.span_of(np.flatnonzero(weights))  # the weights span less than all: exactly so, and enough?
        return own is not None and own.arms.shape[1] == len(self.singular_values)

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
    """max_y yᵀA(weights)⁻¹y in doubles; ∞ where the weights leave out what a direction needs, but for rounding.

    For searches: what is shown or recorded is from :func:`gems_engine.design.norm_frame.value_of`, or bounded.
    """
    if geometry.directions is None:
        return 0.0
    on = np.flatnonzero(weights > 0.0)
    if not len(on):
        return np.inf
    root = sure_root(geometry.arms[on], weights[on])
    if root is not None:
        return geometry.directions.length(root) * geometry.unit**2
    _, squares = Information.of(geometry.arms, weights).longest(geometry.directions)
    return float(squares.max()) * geometry.unit**2


def sure_root(arms: Floats, weights: Floats, condition: float = 1.0) -> Floats | None:
    """As :func:`inverse_root`, where the arms clearly span the space; else None.

    Also where rounding errors, which grow by the condition number of the coordinates, may hide something.
    """
    if len(arms) < arms.shape[1]:
        return None
    try:
        root = inverse_root(arms, weights)
    except np.linalg.LinAlgError:
        return None
    spread = float(np.vdot(root, root))
    size = float(weights @ squares_of(arms))  # ‖R‖² = Σ λ ‖x‖²
    sure = size * spread < _CLEARLY**2 and math.sqrt(float(weights.max()) * spread) * condition <= _MOST_LOST
    return root if sure else None


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Of A(weights) in the coordinates of the features.

    Attributes
    ----------
    eigenvalues
        Largest first, those of the null space 0. One that is too large or too small for a double is ∞ or 0.
    rank
        Exact.
    condition
        The largest over the smallest that is not 0; ∞ where there is none, or where it is beyond the range of numbers.
    """

    eigenvalues: Floats
    rank: int
    condition: float

    @staticmethod
    def of(arms: Floats, weights: Floats) -> Spectrum:
        """From the singular values of √λ·X: twice the digits that A would keep; by balls where these do not suffice."""
        on = weights > 0.0
        found = np.zeros(arms.shape[1])
        size = float(np.abs(arms[on]).max(initial=0.0))
        if not size > 0.0:
            return Spectrum(found, 0, np.inf)
        unit = float(np.ldexp(1.0, int(np.clip(np.frexp(size)[1], -1000, 1000))))
        share = weights[on] / weights.max()
        values = np.linalg.svd(np.sqrt(share)[:, None] * (arms[on] / unit), compute_uv=False)
        sure = int((values > _SURE * values[0]).sum())
        if sure < len(found):
            rank = exact_rank(whole_numbers(arms[on]))
            if rank != sure:
                return _exact_spectrum(arms[on], weights[on], rank)
        with np.errstate(over="ignore", under="ignore"):
            found[:sure] = (values[:sure] * np.sqrt(weights.max()) * unit) ** 2
        return Spectrum(found, sure, float((values[0] / values[sure - 1]) ** 2))


_SURE = 1e-10
"""Singular values above this part of the largest have six digits."""


def _exact_spectrum(arms: Floats, weights: Floats, rank: int) -> Spectrum:
    """With as many bits as the smallest eigenvalue needs."""
    from flint import acb_mat, arb, arb_mat

    for bits in (*PRECISIONS, 2 * PRECISIONS[-1]):
        with workprec(bits):
            rows = balls(arms)
            weighted = arb_mat(
                [[entry * arb(by) for entry in row] for row, by in zip(rows.tolist(), weights.tolist(), strict=True)]
            )
            matrix = acb_mat((rows.transpose() * weighted).mid())
            values = sorted((each.real.mid() for each in matrix.eig(algorithm="approx")), reverse=True)
            if values[rank - 1] > values[0] * arb(2) ** (64 - bits):
                found = [float(each) for each in values[:rank]] + [0.0] * (len(values) - rank)
                return Spectrum(np.array(found), rank, float((values[0] / values[rank - 1]).mid()))
    raise not_told()
