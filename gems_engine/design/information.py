"""The information matrix A(λ), factored: no ridge, and no pseudo-inverse that hides a direction outside its range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design.directions import Directions
from gems_engine.design.problem import Geometry


def inverse_root(arms: Floats, weights: Floats) -> Floats:
    """R⁻¹ with RᵀR = A(weights)."""
    return roots(arms, weights)[1]


def roots(arms: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """R with RᵀR = A(weights), and R⁻¹: by QR of √λ·X, which keeps twice the digits of a factorisation of A itself."""
    from scipy.linalg.lapack import dgeqrf, dtrtri  # here: a window shows its forms before it needs to load this

    rank = arms.shape[1]
    if len(arms) < rank:
        raise np.linalg.LinAlgError("fewer arms than dimensions do not span the space")
    scaled = (arms.T * np.sqrt(weights)).T  # in Fortran's order, so that LAPACK takes it as it is
    factor, _, _, _ = dgeqrf(scaled, lwork=32 * rank, overwrite_a=1)
    root = np.triu(factor[:rank])
    inverse, singular = dtrtri(root, lower=0)
    if singular:
        raise np.linalg.LinAlgError("the arms with weight do not span the space")
    return root, np.asarray(inverse)


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
    """

    inverse_root: Floats
    null: Floats
    singular_values: Floats

    @staticmethod
    def of(arms: Floats, weights: Floats) -> Information:
        """Factor A(weights)."""
        on = weights > 0.0
        rows = np.sqrt(weights[on])[:, None] * arms[on]
        if len(rows) > 2 * rows.shape[1]:
            rows = np.asarray(np.linalg.qr(rows, mode="r"))
        _, values, vectors = np.linalg.svd(rows, full_matrices=True)
        floor = 16 * max(arms.shape) * np.finfo(float).eps * values[0]
        rank = int((values > floor).sum())
        return Information(vectors[:rank].T / values[:rank], vectors[rank:].T, values[:rank])

    @property
    def condition(self) -> float:
        """Condition number of A on its range; ∞ where that is empty."""
        if not len(self.singular_values):
            return float("inf")
        return float((self.singular_values[0] / self.singular_values[-1]) ** 2)

    @property
    def blur(self) -> float:
        """What part of a direction is outside of the range by rounding alone."""
        if not len(self.singular_values):  # every arm with a weight is zero
            return 1e-12
        # The computed null space is off by about eps over the smallest kept singular value.
        return float(1e-12 + 1e-14 * self.singular_values[0] / self.singular_values[-1])

    def longest(self, directions: Directions) -> tuple[Integers, Floats]:
        """As :meth:`Directions.longest`, with ∞ for directions that leave the range."""
        keys, squares = directions.longest(self.inverse_root)
        if self.null.shape[1]:
            outside_keys, outside = directions.longest(self.null)
            _, scale = directions.longest(np.eye(len(self.null)))
            lost = outside > self.blur**2 * scale.max()
            if lost.any():
                return outside_keys[lost], np.full(int(lost.sum()), np.inf)
        return keys, squares


def design_value(geometry: Geometry, weights: Floats) -> float:
    """max_y yᵀA(weights)⁻¹y, ∞ where the weights leave out what a direction needs."""
    if geometry.directions is None:
        return 0.0
    if not (weights > 0.0).any():
        return np.inf
    information = Information.of(geometry.arms, weights)
    if information.null.shape[1]:
        return float(information.longest(geometry.directions)[1].max()) * geometry.unit**2
    return geometry.directions.length(information.inverse_root) * geometry.unit**2
