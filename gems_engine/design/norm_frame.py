"""A design problem for given weights, in coordinates in which the norm of A(λ)⁻¹ is the length."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design.active import ActiveDirections
from gems_engine.design.directions import Directions, ListedDirections, PairDirections, squares_of
from gems_engine.design.exact_frame import ExactFrame
from gems_engine.design.information import Information
from gems_engine.design.problem import DesignProblem
from gems_engine.design.proof import upper_with_method
from gems_engine.errors import InputError

_NOTHING = 1e-9  # part of the largest singular value below which multipliers of the arms say nothing about n


LARGEST = 1e140
"""Values beyond this, in the geometry's unit, leave no room for the squares that are computed from them."""
NEARLY = 1e-6
"""A value in doubles that differs by more than this part from its proven upper bound is computed in balls."""
EXACT = 1e-9
"""Directions within this part of the longest are as long as it, but for rounding."""


@dataclass(frozen=True)
class NormFrame:
    """Arms and directions on the range of A(λ) and in its null space, in the geometry's unit.

    Attributes
    ----------
    arms, blind
        The arms on the range, and outside of it (no columns where A is regular).
    points
        The points or rows behind the directions, on the range.
    lift
        From the coordinates of A⁻¹y on the range to u in the coordinates of the problem's frame.
    value, longest
        max_y v_y (∞ where a direction leaves the range), and the key of a direction that attains it.
    upper, upper_proof
        A proven upper bound on the value, in the unit of the features, ∞ where none is proven; and the arithmetic used.
    groups
        Directions between points of different groups are lost; of a list, those with a group other than 0.
    restoring
        Arms that together restore all lost directions; none of them can be left out.
    sizes
        How many equal targets are behind each point.
    """

    directions: Directions
    arms: Floats
    blind: Floats
    points: Floats
    lift: Floats
    value: float
    longest: int
    upper: float
    upper_proof: str
    groups: Integers
    restoring: Integers
    sizes: Integers | None = None

    @staticmethod
    def of(problem: DesignProblem, share: Floats) -> NormFrame:
        """Factor A(share); refuses weights with a value that is beyond the range of numbers.

        In doubles where these are sure to be right and the proven upper bound agrees, else in balls.
        """
        geometry = problem.geometry
        directions = geometry.directions
        assert directions is not None
        with np.errstate(over="ignore", invalid="ignore"):
            information = Information.of(geometry.arms, share)
            found = _plain(problem, information)
        if found.value < LARGEST and information.is_sure(problem, share):
            value = found.value * geometry.unit**2
            upper, method = upper_with_method(problem, share, value)
            if abs(upper - value) <= NEARLY * upper < math.inf:
                return replace(found, upper=upper, upper_proof=method)
        return _exact(problem, share)

    def within(self, epsilon: float) -> ActiveDirections:
        """The directions that are at most this part shorter than the longest."""
        return ActiveDirections(self.directions, self.points, self.value * (1.0 - epsilon), self.sizes)

    def lost(self) -> ActiveDirections:
        """The directions with a part outside of the range."""
        return ActiveDirections(self.directions, self.groups[:, None].astype(np.float64), 0.5, self.sizes)

    def initial(self) -> Integers:
        """Keys of directions to begin with."""
        return self.white.initial(np.eye(self.points.shape[1]), len(self.arms))

    @property
    def white(self) -> Directions:
        """The directions on the range."""
        return directions_like(self.directions, self.points)

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


def value_of(problem: DesignProblem, weights: Floats) -> float:
    """max_y yᵀA(weights)⁻¹y, ∞ exactly where a direction leaves the span of the arms with weight."""
    geometry = problem.geometry
    if geometry.directions is None:
        return 0.0
    if not (weights > 0.0).any():
        return math.inf
    information = Information.of(geometry.arms, weights)
    if information.is_sure(problem, weights):
        return float(geometry.directions.longest(information.inverse_root)[1].max()) * geometry.unit**2
    return exact_value(problem, weights)


def exact_value(problem: DesignProblem, weights: Floats) -> float:
    """The same in balls; also ∞ where it is beyond the range of numbers."""
    seen = ExactFrame.of(problem, weights)
    directions = problem.geometry.directions
    if seen.groups.any() or directions is None:
        return math.inf if seen.groups.any() else 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        value = float(directions_like(directions, seen.points).longest(np.eye(seen.points.shape[1]))[1].max())
        return math.inf if math.isnan(value) else value * problem.geometry.unit**2


def directions_like(directions: Directions, rows: Floats) -> Directions:
    """The same set of directions in other coordinates."""
    return PairDirections(rows) if isinstance(directions, PairDirections) else ListedDirections(rows)


def _plain(problem: DesignProblem, information: Information) -> NormFrame:
    geometry, directions = problem.geometry, problem.geometry.directions
    assert directions is not None
    root, null = information.inverse_root, information.null
    keys, squares = directions.longest(root)
    blind = geometry.arms @ null
    blind[squares_of(blind) <= information.blur**2 * squares_of(geometry.arms)] = 0.0  # rounding
    rows = _anchored(directions)
    return NormFrame(
        directions,
        geometry.arms @ root,
        blind,
        rows @ root,
        geometry.in_frame(np.ascontiguousarray(root.T)),
        float(squares.max()),
        int(keys[int(squares.argmax())]),
        math.inf,
        "",
        np.zeros(len(rows), dtype=np.int64),
        np.empty(0, dtype=np.int64),
        problem.sizes,
    )


def _exact(problem: DesignProblem, share: Floats) -> NormFrame:
    geometry, directions = problem.geometry, problem.geometry.directions
    assert directions is not None
    seen = ExactFrame.of(problem, share)
    frame = NormFrame(
        directions,
        seen.arms,
        seen.blind,
        seen.points,
        seen.lift,
        math.inf,
        0,
        math.inf,
        "",
        seen.groups,
        seen.restoring,
        problem.sizes,
    )
    if seen.groups.any():
        return replace(frame, longest=int(frame.lost().first()[0]))
    reach, sight = float(np.abs(seen.points).max()), float(np.abs(seen.arms).max())
    if not (reach < math.sqrt(LARGEST) and sight * max(1.0, reach) < LARGEST):
        raise InputError(
            "The arms with weight are so much shorter than the directions or the other arms, or differ so little, that "
            "the value of these weights is too large to compute. Bring them to a similar scale, or give weight to more "
            "arms."
        )
    keys, squares = frame.white.longest(np.eye(seen.points.shape[1]))
    value = float(squares.max())
    upper, method = upper_with_method(problem, share, value * geometry.unit**2)
    longest = int(keys[int(squares.argmax())])
    return replace(frame, value=value, longest=longest, upper=upper, upper_proof=method)


def _anchored(directions: Directions) -> Floats:
    """Rows of a list, or points whose first is zero: differences lose no digits to a common offset."""
    if isinstance(directions, PairDirections):
        return np.asarray(directions.points - directions.points[0])
    assert isinstance(directions, ListedDirections)
    return directions.rows
