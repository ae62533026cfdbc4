"""Pulls of linearly independent arms, the usual support of designs for few targets.

A vector of their span has a unique combination y = Σ c_x x. Then yᵀA⁻¹y = Σ c_x²/n_x, and the estimate fits the mean
reward of every arm, whatever the counts n are. So the arms are factored once, and the counts of a round only divide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats, Integers, squared_distances
from gems_engine.design.coordinates import WELL_CONDITIONED
from gems_engine.design.directions import PairDirections, squares_of
from gems_engine.design.problem import DesignProblem, coordinate_scale

_LISTED = 2**14  # largest list of all pairs


@dataclass(frozen=True, eq=False)
class IndependentArms:
    """Arms whose span contains all directions of a problem.

    Attributes
    ----------
    inverse
        Maps a vector of the span, in the coordinates of the problem's geometry, to its c.
    points
        c of the points whose differences are the directions, in the geometry's unit.
    estimator
        Maps the mean rewards to θ̂ in the features: the shortest one in scaled features if there are several.
    """

    inverse: Floats
    points: Floats
    estimator: Floats

    @staticmethod
    def of(problem: DesignProblem, arms: Integers) -> IndependentArms | None:
        """These arms; None if they are (nearly) dependent, or a direction is outside their span."""
        geometry = problem.geometry
        if len(arms) > geometry.arms.shape[1] or not isinstance(geometry.directions, PairDirections):
            return None
        rows = geometry.arms[arms]
        features = problem.arms[arms]
        scale = coordinate_scale(features)
        found, estimate = _right_inverse(rows), _right_inverse(features / scale)
        if found is None or estimate is None:
            return None
        if len(arms) < rows.shape[1] and problem.span_of(arms) is None:
            return None
        return IndependentArms(found, geometry.directions.points @ found, estimate / scale[:, None])

    @cached_property
    def _pairs(self) -> Floats | None:
        """(c′ − c)² of all pairs as one list, if it is short."""
        n, arms = self.points.shape
        if n * n * arms > _LISTED:
            return None
        return np.asarray(np.square(self.points[:, None] - self.points).reshape(n * n, arms))

    def squares(self, counts: Integers, some: slice = slice(None)) -> Floats:
        """yᵀA⁻¹y of the pairs of some points with all, in the geometry's unit."""
        if self._pairs is None:
            return squared_distances(self.points / np.sqrt(counts), some)
        n = len(self.points)
        return np.asarray((self._pairs @ (1.0 / counts)).reshape(n, n)[some])


def _right_inverse(rows: Floats) -> Floats | None:
    """rows⁺ with rows·rows⁺ = I; None where the rows are dependent, or nearly."""
    lapack = clock.load("gems_engine.lapack")
    turn, triangle = lapack.thin_qr(rows.T)
    inverse, singular = lapack.dtrtri(triangle, lower=0)
    if singular:
        return None
    condition = math.sqrt(float(squares_of(triangle).sum() * squares_of(inverse).sum()))
    return turn @ inverse.T if condition < WELL_CONDITIONED else None
