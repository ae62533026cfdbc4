"""What an XY-optimal design is asked for: arms, directions, and coordinates in which both are well scaled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.errors import InputError

EQUAL = 1e-12
"""Two targets are equal where every coordinate differs by at most this part of the coordinate's scale."""

OUTSIDE = 1e-8
"""A direction is outside the span of the arms where more than this part of it is."""

BLOCK = 512
"""Rows of the table of all pairs that are in memory at one time."""


class Directions(Protocol):
    """A set of directions in the coordinates of :class:`Geometry`, which may be far too many to list."""

    def initial(self, inverse_root: Floats, arms: int) -> Integers:
        """Keys of a working set that is likely to hold the directions that matter at A = (root·rootᵀ)."""

    def vectors(self, keys: Integers) -> Floats:
        """The directions with these keys, as rows."""

    def longest(self, inverse_root: Floats) -> tuple[Integers, Floats]:
        """Keys of directions among which is the longest one in the norm of A⁻¹, and their squared norms."""

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Keys of the directions whose squared norm is at least this part of the largest: the longest of them."""


@dataclass(frozen=True)
class PairDirections:
    """All differences of a set of distinct points, never listed: the key of p_i − p_j is i·n + j."""

    points: Floats

    def initial(self, inverse_root: Floats, arms: int) -> Integers:
        """Every pair where they are few; else for every point the one that is farthest from it."""
        n = len(self.points)
        if n * (n - 1) // 2 <= max(300, arms):
            i, j = np.triu_indices(n, 1)
            return (i * n + j).astype(np.int64)
        # Where many pairs tie (as many arms as dimensions: all of them do), «the first» would choose a
        # star around one point; a nudge that prefers the next point in the circle covers them evenly.
        return np.unique(self._farthest(self.points @ inverse_root, nudge=1e-7))

    def vectors(self, keys: Integers) -> Floats:
        """The differences of the pairs with these keys."""
        n = len(self.points)
        difference: Floats = self.points[keys // n] - self.points[keys % n]
        return difference

    def longest(self, inverse_root: Floats) -> tuple[Integers, Floats]:
        """For every point its farthest other point."""
        white = self.points @ inverse_root
        keys = self._farthest(white)
        n = len(white)
        # Norms again from the differences themselves: the Gram form cancels for near points.
        difference = white[keys // n] - white[keys % n]
        return keys, _squares(difference)

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Pairs nearly as far apart as the farthest."""
        white = self.points @ inverse_root
        n = len(white)
        _, longest = self.longest(inverse_root)
        keys = np.empty(0, dtype=np.int64)
        found = np.empty(0)
        for start in range(0, n, BLOCK):
            block = white[start : start + BLOCK]
            squares = _squares(block)[:, None] + _squares(white)[None, :] - 2.0 * (block @ white.T)
            i, j = np.nonzero(squares >= part * longest.max())
            i, j = i[start + i < j], j[start + i < j]
            keys = np.concatenate([keys, (start + i) * n + j])
            found = np.concatenate([found, squares[i, j]])
            best = np.argsort(-found, kind="stable")[:most]
            keys, found = keys[best], found[best]
        return np.sort(keys)

    def _farthest(self, white: Floats, nudge: float = 0.0) -> Integers:
        n = len(white)
        squares = _squares(white)
        index = np.arange(n)
        partner = np.empty(n, dtype=np.int64)
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            distance = white[rows] @ white.T
            distance *= -2.0
            distance += squares
            if nudge:
                distance += squares[rows, None]
                distance *= 1.0 - nudge * ((index - index[rows, None]) % n) / n
            distance[np.arange(len(distance)), index[rows]] = -np.inf
            partner[rows] = distance.argmax(axis=1)
        return np.minimum(index, partner) * n + np.maximum(index, partner)


@dataclass(frozen=True)
class ListedDirections:
    """Directions given one by one: the key is the row."""

    rows: Floats

    def initial(self, inverse_root: Floats, arms: int) -> Integers:
        """All where they are few; else the longest two per arm."""
        size = max(300, 2 * arms)
        if len(self.rows) <= size:
            return np.arange(len(self.rows), dtype=np.int64)
        _, squares = self.longest(inverse_root)
        return np.sort(np.argsort(-squares, kind="stable")[:size]).astype(np.int64)

    def vectors(self, keys: Integers) -> Floats:
        """The rows with these keys."""
        rows: Floats = self.rows[keys]
        return rows

    def longest(self, inverse_root: Floats) -> tuple[Integers, Floats]:
        """Every direction."""
        white = self.rows @ inverse_root
        return np.arange(len(white), dtype=np.int64), _squares(white)

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Rows nearly as long as the longest."""
        keys, squares = self.longest(inverse_root)
        order = np.argsort(-squares, kind="stable")[:most]
        return np.sort(keys[order[squares[order] >= part * squares.max()]])


def _squares(rows: Floats) -> Floats:
    """Squared norms of rows."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


class DesignProblem:
    """min over λ in the simplex of max over y of yᵀA(λ)⁻¹y, with A(λ) = Σ λ_x x xᵀ.

    Parameters
    ----------
    arms
        One row per arm, already truncated to the first d coordinates.
    targets
        Rows whose pairwise differences are the directions; or
    directions
        the directions themselves, as ρ⋆ needs them. Exactly one of the two is given.
    """

    def __init__(
        self, arms: ArrayLike, *, targets: ArrayLike | None = None, directions: ArrayLike | None = None
    ) -> None:
        self.arms: Floats = _matrix("arms", arms)
        if (targets is None) == (directions is None):
            raise TypeError("give either targets or directions")
        self.targets: Floats | None = None if targets is None else _matrix("targets", targets)
        self.directions: Floats | None = None if directions is None else _matrix("directions", directions)
        rows = self._rows
        if rows.shape[1] != self.d:
            raise InputError(f"The arms have {self.d} coordinates but the {self._what}s have {rows.shape[1]}.")

    @property
    def d(self) -> int:
        """The dimension that the design works in."""
        return int(self.arms.shape[1])

    @property
    def _rows(self) -> Floats:
        rows = self.directions if self.targets is None else self.targets
        assert rows is not None
        return rows

    @property
    def _what(self) -> str:
        return "direction" if self.targets is None else "target"

    @cached_property
    def geometry(self) -> Geometry:
        """The same problem in coordinates in which it is well scaled."""
        return Geometry.of(self)

    @property
    def is_trivial(self) -> bool:
        """Whether every direction is zero: then there is nothing to tell apart, and any weights do."""
        return self.geometry.directions is None

    def name_directions(self, keys: Integers) -> tuple[tuple[int, int], ...] | tuple[int, ...]:
        """As :meth:`name_direction`, for many."""
        keep = self.geometry.kept
        if self.targets is None:
            return tuple(keep[keys].tolist())
        n = len(keep)
        return tuple(zip(keep[keys // n].tolist(), keep[keys % n].tolist(), strict=True))

    def name_direction(self, key: int) -> tuple[int, int] | int:
        """The pair of targets, or the row of the list, that a key of :attr:`geometry` stands for."""
        keep = self.geometry.kept
        if self.targets is None:
            return int(keep[key])
        n = len(keep)
        return int(keep[key // n]), int(keep[key % n])


@dataclass(frozen=True)
class Geometry:
    """A design problem after a change of coordinates, which changes no value: x → xT and y → yT.

    Features of scales 1e-8 … 1e8 become orthonormal columns, arms that span less than R^d become arms that
    span R^r, and what cannot be estimated at all is found here, once, instead of hiding in a pseudo-inverse.

    Attributes
    ----------
    arms
        K × r, of full column rank; rows of zeros stay.
    directions
        The non-zero directions, or None where there are none.
    kept
        Which targets (the first of each group of equal ones) or rows are behind the directions.
    place
        For every target the position in `kept` of the one that it is equal to; −1 for a row that is zero.
    unit
        Lengths of directions are in this unit, so that a problem of any scale is solved as one of scale 1.
    """

    arms: Floats
    directions: Directions | None
    kept: Integers
    place: Integers
    unit: float = 1.0

    @staticmethod
    def of(problem: DesignProblem) -> Geometry:
        """Find the coordinates, and refuse directions that no pull can tell about."""
        kept, place = _kept(problem)
        rows = problem._rows[kept]
        pairs = problem.targets is not None
        if pairs and len(kept):
            # Differences of nearby floats are exact: taken first, a tight cluster keeps all its digits.
            rows = rows - rows[0]
        if len(kept) < (2 if pairs else 1):
            return Geometry(problem.arms, None, kept, place)
        change = _ChangeOfCoordinates.for_arms(problem.arms)
        white, outside = change.apply(rows)
        if outside.any():
            _raise_outside(problem, kept, int(np.flatnonzero(outside)[0]))
        unit = float(np.abs(white).max())
        if not (0.0 < unit * unit < np.inf):
            raise InputError(
                "The directions are so much longer or shorter than the arms that their design's value is beyond the "
                "range of numbers; bring both to a similar scale."
            )
        white = white / unit
        directions: Directions = PairDirections(white) if pairs else ListedDirections(white)
        return Geometry(change.arms, directions, kept, place, unit)

    @cached_property
    def collinear(self) -> Floats | None:
        """The longest direction where all are multiples of it (two targets, or R¹), else None."""
        match self.directions:
            case PairDirections(points=rows) | ListedDirections(rows=rows):
                squares = _squares(rows)
                axis = rows[int(squares.argmax())] / np.sqrt(squares.max())
                along = rows @ axis
                if np.abs(rows - along[:, None] * axis).max() > 1e-13 * np.sqrt(squares.max()):
                    return None
                reach = np.ptp(along) if isinstance(self.directions, PairDirections) else np.abs(along).max()
                line: Floats = reach * axis
                return line
        return None


@dataclass(frozen=True)
class _ChangeOfCoordinates:
    """Two QR factorisations: the first finds the span, whatever the scales; the second makes columns orthonormal."""

    arms: Floats
    scale: Floats
    pivots: Integers
    span: Floats  # r × d, upper trapezoidal
    root: Floats  # r × r, upper triangular

    @staticmethod
    def for_arms(arms: Floats) -> _ChangeOfCoordinates:
        import scipy.linalg  # here: a window shows its forms before it needs to load this

        scale = coordinate_scale(arms)
        scaled = arms / scale
        lengths = np.sqrt(_squares(scaled))
        seen = lengths > 0.0
        if not seen.any():
            raise InputError("Every feature of every arm is zero here: no pull can tell anything about a direction.")
        if len(arms) >= arms.shape[1]:
            q, root = np.linalg.qr(scaled)
            # Far from rank-deficient, as most are: one factorisation is enough.
            if np.abs(np.diag(root)).min() > 0.0 and np.linalg.cond(root, "fro") < 1e7:
                d = arms.shape[1]
                return _ChangeOfCoordinates(q, scale, np.arange(d), root, np.eye(d))
        unit = scaled[seen] / lengths[seen, None]
        q, root, pivots = scipy.linalg.qr(unit, mode="economic", pivoting=True, check_finite=False)
        diagonal = np.abs(np.diag(root))
        rank = int((diagonal > 16 * max(unit.shape) * np.finfo(float).eps * diagonal[0]).sum())
        # Large rows first, so that Householder's reflections keep the digits of the small ones.
        order = np.argsort(-lengths[seen], kind="stable")
        even, second = np.linalg.qr((q[:, :rank] * lengths[seen, None])[order])
        white = np.zeros((len(arms), rank))
        white[np.flatnonzero(seen)[order]] = even
        return _ChangeOfCoordinates(white, scale, np.asarray(pivots, np.int64), np.asarray(root[:rank], float), second)

    def apply(self, rows: Floats) -> tuple[Floats, np.ndarray]:
        """New coordinates of these rows, and which of them leave the span of the arms."""
        rank = len(self.span)
        scaled = (rows / self.scale)[:, self.pivots]
        inside = _solve_right(scaled[:, :rank], self.span[:, :rank])
        residual = np.abs(scaled[:, rank:] - inside @ self.span[:, rank:])
        outside = np.zeros(len(rows), dtype=bool)
        if residual.size:
            outside = residual.max(axis=1) > OUTSIDE * np.abs(scaled).max(axis=1)
        return np.ascontiguousarray(_solve_right(inside, self.root)), outside


def _solve_right(rows: Floats, upper: Floats) -> Floats:
    """rows · upper⁻¹."""
    import scipy.linalg

    answer: Floats = scipy.linalg.solve_triangular(upper, rows.T, trans="T", check_finite=False).T
    return answer


def _kept(problem: DesignProblem) -> tuple[Integers, Integers]:
    rows = problem._rows
    if problem.targets is None:
        asked = (rows != 0.0).any(axis=1)
        return np.flatnonzero(asked).astype(np.int64), np.where(asked, np.cumsum(asked) - 1, -1).astype(np.int64)
    kept, place = np.unique(equal_groups(rows), return_inverse=True)
    return kept, place.reshape(-1).astype(np.int64)


def coordinate_scale(rows: Floats) -> Floats:
    """The size of each coordinate over these rows; 1 where all are zero."""
    scale = np.abs(rows).max(axis=0, initial=0.0)
    return np.where(scale > 0.0, scale, 1.0)


def equal_groups(rows: Floats) -> Integers:
    """For every row the first row that it is equal to, within 1e-12 of each coordinate's scale.

    Told by the features, never by a computed norm (method.md, decision 1). Equal rows have nearly equal
    projections on a line, so only neighbours on that line are compared.
    """
    scaled = rows / coordinate_scale(rows)
    n, d = scaled.shape
    line = 0.5 + (np.arange(1, d + 1) * 0.6180339887498949) % 1.0
    position = scaled @ line
    reach = EQUAL * line.sum() + 1e-14 * d
    order = np.argsort(position, kind="stable")
    group = np.arange(n, dtype=np.int64)
    apart = np.diff(position[order]) > reach
    if apart.all():
        return group
    for cluster in np.split(order, np.flatnonzero(apart) + 1):
        if len(cluster) < 2:
            continue
        members = np.sort(cluster)
        leaders: list[int] = []
        for member in members:
            same = [k for k in leaders if np.abs(scaled[member] - scaled[k]).max() <= EQUAL]
            if same:
                group[member] = same[0]
            else:
                leaders.append(int(member))
    return group


def _raise_outside(problem: DesignProblem, kept: Integers, row: int) -> None:
    if problem.targets is None:
        what = f"Direction {int(kept[row])}"
    else:
        what = f"The difference of targets {int(kept[0])} and {int(kept[row])}"
    raise InputError(
        f"{what} is outside the span of the arms in R^{problem.d}: no allocation of pulls can estimate it "
        "(its optimum is infinite)."
    )


def _matrix(what: str, values: ArrayLike) -> Floats:
    try:
        array = frozen(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"The {what} must be a table of numbers with rows of equal length.") from error
    if array.ndim != 2 or array.shape[1] == 0:
        raise InputError(f"The {what} must be a table of numbers, one row each, with at least one column.")
    if not len(array):
        raise InputError(f"There are no {what}.")
    if not np.isfinite(array).all():
        row, column = (int(i[0]) for i in np.nonzero(~np.isfinite(array)))
        raise InputError(f"{what.capitalize()}, row {row}, coordinate {column + 1}: not a finite number.")
    return array
