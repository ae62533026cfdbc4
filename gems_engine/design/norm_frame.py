"""A design problem as given weights see it: in coordinates in which the norm of A(λ)⁻¹ is the length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design.active import ActiveDirections
from gems_engine.design.directions import Directions, ListedDirections, PairDirections, squares_of
from gems_engine.design.information import Information
from gems_engine.design.problem import DesignProblem
from gems_engine.errors import InputError

_NOTHING = 1e-9  # part of the largest singular value below which multipliers of the arms say nothing about n


LARGEST = 1e140
"""Values beyond this, in the geometry's unit, leave no room for the squares that are computed from them."""
EXACT = 1e-9
"""Directions within this part of the longest are as long as it, but for rounding."""


@dataclass(frozen=True)
class NormFrame:
    """Arms and directions on the range of A(λ) and in its null space, in the geometry's unit.

    Attributes
    ----------
    arms, blind
        The arms on the range, and in the null space (no columns where A is regular).
    points, hidden
        The same of the points or rows behind the directions.
    value, longest
        max_y v_y (∞ where a direction leaves the range), and the key of a direction that attains it.
    blur
        The longest part in the null space that rounding alone explains.
    sizes
        How many equal targets are behind each point.
    """

    directions: Directions
    information: Information
    arms: Floats
    blind: Floats
    points: Floats
    hidden: Floats
    value: float
    longest: int
    blur: float
    sizes: Integers | None = None

    @staticmethod
    def of(problem: DesignProblem, share: Floats) -> NormFrame:
        """Factor A(share); refuses weights with a value that is beyond the range of numbers."""
        geometry = problem.geometry
        directions = geometry.directions
        assert directions is not None
        rows = _anchored(directions)
        with np.errstate(over="ignore", invalid="ignore"):
            information = Information.of(geometry.arms, share)
            keys, squares = information.longest(directions)
            if not np.isfinite(squares.max()):  # by rounding, or really
                information = Information.exactly(problem, share)
                keys, squares = information.longest(directions)
        if not squares.max() < LARGEST and not problem.loses_with(np.flatnonzero(share)):
            raise InputError(
                "The arms with weight are so much shorter than the directions, or differ so little, that the value of "
                "these weights is too large to be computed with; bring both to a similar scale, or give weight to more "
                "arms."
            )
        root, null = information.inverse_root, information.null
        blind = geometry.arms @ null
        blind[squares_of(blind) <= information.blur**2 * squares_of(geometry.arms)] = 0.0  # rounding
        scale = float(directions.longest(np.eye(len(null)))[1].max()) if null.shape[1] else 0.0
        return NormFrame(
            directions,
            information,
            geometry.arms @ root,
            blind,
            rows @ root,
            rows @ null,
            float(squares.max()),
            int(keys[int(squares.argmax())]),
            information.blur * float(np.sqrt(scale)),
            problem.sizes,
        )

    def within(self, epsilon: float) -> ActiveDirections:
        """The directions that are at most this part shorter than the longest."""
        return ActiveDirections(self.directions, self.points, self.value * (1.0 - epsilon), self.sizes)

    def lost(self) -> ActiveDirections:
        """The directions with a part outside of the range."""
        return ActiveDirections(self.directions, self.hidden, self.blur**2, self.sizes)

    def initial(self) -> Integers:
        """Keys of directions to begin with."""
        return self.directions.initial(self.information.inverse_root, len(self.arms))

    def seen(self, rows: Floats, parts: Floats) -> Floats:
        """(xᵀu)² of every arm for u = A⁺y + n: y by its rows on the range, n by its parts in the null space."""
        return np.asarray((self.arms @ rows.T + self.blind @ parts.T) ** 2)

    def response(self, mu: Floats) -> tuple[Floats, Floats]:
        """Two matrices for multipliers μ of the arms.

        The first takes the rows of y to the parts of the n that minimises Σ_x μ_x (xᵀu)², the second to a vector whose
        squared length is that minimum.
        """
        on = mu > 0.0
        root = np.sqrt(mu[on])[:, None]
        left, hidden = root * self.arms[on], root * self.blind[on]
        best = np.zeros((hidden.shape[1], left.shape[1]))
        if hidden.shape[1]:
            best = -np.linalg.pinv(hidden, rcond=_NOTHING) @ left
        left = left + hidden @ best
        if len(left) > left.shape[1]:
            left = np.asarray(np.linalg.qr(left, mode="r"))
        return best.T, left.T

    def slope(self, mu: Floats, active: ActiveDirections | None = None) -> float:
        """The one-sided derivative of the value for a step from λ towards μ, over the exactly longest directions.

        They are among the active ones, if those are known.
        """
        longest = self.within(EXACT) if active is None else active.narrowed(self.value * (1.0 - EXACT))
        _, squares = longest.shortest(self.response(mu)[1])
        return self.value - float(squares.min())


def _anchored(directions: Directions) -> Floats:
    """Rows of a list, or points whose first is zero: differences lose no digits to a common offset."""
    if isinstance(directions, PairDirections):
        return np.asarray(directions.points - directions.points[0])
    assert isinstance(directions, ListedDirections)
    return directions.rows
