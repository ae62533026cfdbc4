"""What an XY-optimal design is asked for: arms, directions, and coordinates in which both are well scaled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.design.directions import Directions, ListedDirections, PairDirections, squares_of
from gems_engine.errors import InputError

EQUAL = 1e-12
"""Two targets are equal where every coordinate differs by at most this part of the coordinate's scale."""

OUTSIDE = 1e-8
"""A direction is outside the span of the arms where more than this part of it is."""


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
                squares = squares_of(rows)
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
        lengths = np.sqrt(squares_of(scaled))
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

    Told by the features, never by a computed norm (docs/decisions.md, 1). Equal rows have nearly equal
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
