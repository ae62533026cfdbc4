"""The problem of an XY-optimal design: arms, directions, and coordinates in which both are well scaled."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gems_engine import clock
from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.design.coordinates import (
    LARGE,
    Frame,
    basis_frame,
    feature_frame,
    in_large_units,
    independent_frame,
    scaled_arms,
)
from gems_engine.design.directions import Directions, ListedDirections, PairDirections, squares_of
from gems_engine.errors import InputError
from gems_engine.features import match_rows
from gems_engine.terminal import superscript

T = TypeVar("T")

EQUAL = 1e-12
"""Two targets are equal where every coordinate, in units of its scale, differs by at most this part of their size."""


LARGEST = 1e300
"""Largest entries beyond this, or below one over it, leave no room for products."""


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
        self.plus: Floats | None = None
        self.minus: Floats | None = None
        self.divisors: Floats | None = None
        rows = self._rows
        if rows.shape[1] != self.d:
            raise InputError(f"The arms have {self.d} coordinates but the {self._what}s have {rows.shape[1]}.")

    @classmethod
    def weighted(cls, arms: ArrayLike, plus: ArrayLike, minus: ArrayLike, divisors: ArrayLike) -> DesignProblem:
        """Directions that are exactly (plus − minus) over the sum of the row's two divisors, as ρ⋆ has them.

        A difference or quotient of doubles is rarely a double: what is proven about the problem is proven about the
        exact ones.
        """
        upper, lower, parts = _matrix("directions", plus), _matrix("directions", minus), _matrix("divisors", divisors)
        if upper.shape != lower.shape or parts.shape != (len(upper), 2) or not (parts.sum(axis=1) > 0.0).all():
            raise InputError("Each direction needs two rows of features and two divisors with a sum above 0.")
        problem = cls(arms, directions=(upper - lower) / parts.sum(axis=1, keepdims=True))
        problem.plus, problem.minus, problem.divisors = upper, lower, parts
        return problem

    def on_arms(self, some: Integers) -> DesignProblem:
        """The same directions with some of the arms."""
        smaller = self._other()
        smaller.arms = frozen(self.arms[some])
        smaller.__dict__.pop("scaled_arms", None)
        return smaller

    def for_targets(self, targets: Floats) -> DesignProblem:
        """The same arms with other targets; nothing about the arms is computed twice."""
        self.scaled_arms  # noqa: B018
        other = self._other()
        other.targets = _matrix("targets", targets)
        return other

    def _other(self) -> DesignProblem:
        """A copy with the arms but without the directions."""
        other = copy(self)
        for name in ("geometry", "exact_geometry", "kept_targets", "sizes", "_known", "_extended"):
            other.__dict__.pop(name, None)
        return other

    def once(self, make: Callable[[DesignProblem, Integers], T], some: Integers) -> T:
        """The result of a function of this problem and some arms, computed once."""
        known: dict[tuple[object, bytes], T] = self.__dict__.setdefault("_known", {})
        key = make, some.tobytes()
        if key not in known:
            known[key] = make(self, some)
        return known[key]

    def span_of(self, some: Integers) -> Frame | None:
        """Exact coordinates in the span of some arms; None where a direction leaves it, by however little."""
        return self.once(_span, some)

    @property
    def d(self) -> int:
        """The dimension of the design."""
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
    def scaled_arms(self) -> tuple[Floats, Floats, Floats, Floats, Floats] | None:
        """The scaled arms for coordinates in the features."""
        return scaled_arms(self.arms)

    @cached_property
    def geometry(self) -> Geometry:
        """The same problem in coordinates in which it is well scaled."""
        return Geometry.of(self)

    @cached_property
    def exact_geometry(self) -> Geometry:
        """The same, in a basis of arms: for what doubles cannot decide in the features."""
        known: Geometry | None = self.__dict__.get("geometry")
        if known is not None and (known.frame is None or known.frame.basis is not None):
            return known
        return Geometry.of(self, exact=True)

    @property
    def warning(self) -> str:
        """A warning if the arms are badly scaled; else empty. It names arms by index; features are counted from 1."""
        return self.warning_with(str, lambda feature: str(feature + 1))

    def warning_with(self, arm_label: Callable[[int], str], feature_label: Callable[[int], str]) -> str:
        """The warning with the labels of an instance."""
        frame = self.geometry.frame
        found = None if frame is None else frame.warning
        return "" if found is None else found.text(arm_label if found.kind == "arm" else feature_label)

    def parts(self, kept: Integers) -> tuple[Floats, Floats, Floats | None]:
        """Exactly what the directions are: (plus − minus) over the sum of the divisors, which are 1 if None.

        For targets these are the differences to the first of them.
        """
        if self.targets is not None:
            plus = self.targets[kept]
            return plus, np.broadcast_to(plus[0], plus.shape), None
        if self.plus is None or self.minus is None or self.divisors is None:
            rows = self._rows[kept]
            return rows, np.zeros_like(rows), None
        return self.plus[kept], self.minus[kept], self.divisors[kept]

    def raise_outside(self, kept: Integers, row: int) -> NoReturn:
        """Raise InputError for a direction that no pull gives information about."""
        if self.targets is None:
            what = f"Direction {int(kept[row])}"
        else:
            what = f"The difference of target {int(kept[0])} and target {int(kept[row])}"
        raise InputError(
            f"{what} is outside the span of the arms in R{superscript(self.d)}, so no allocation of pulls can estimate "
            "it (its optimum is infinite)."
        )

    @property
    def is_trivial(self) -> bool:
        """Whether every direction is zero: then there is nothing to tell apart, and any weights are optimal."""
        return self.geometry.directions is None

    def name_directions(self, keys: Integers) -> tuple[tuple[int, int], ...] | tuple[int, ...]:
        """As :meth:`name_direction`, for many."""
        keep = self.geometry.kept
        if self.targets is None:
            return tuple(keep[keys].tolist())
        n = len(keep)
        return tuple(zip(keep[keys // n].tolist(), keep[keys % n].tolist(), strict=True))

    @cached_property
    def kept_targets(self) -> Floats:
        """The first of each group of equal targets."""
        assert self.targets is not None
        return self.targets[self.geometry.kept]

    @cached_property
    def sizes(self) -> Integers | None:
        """How many targets are behind each one that is kept; None for a list of directions."""
        place = self.geometry.place
        return None if self.targets is None else np.bincount(place, minlength=len(self.geometry.kept))

    def name_equals(self, keys: Integers) -> tuple[tuple[tuple[int, int], ...] | tuple[int, ...], Integers]:
        """As :meth:`name_directions`, with all pairs of targets that are equal to these; and whose place each has."""
        if self.sizes is None or self.sizes.max() == 1:
            return self.name_directions(keys), np.arange(len(keys))
        n, place = len(self.geometry.kept), self.geometry.place
        members = [np.flatnonzero(place == each).tolist() for each in range(n)]
        ends = [divmod(key, n) for key in keys.tolist()]
        names = [(at, (i, j)) for at, (one, other) in enumerate(ends) for i in members[one] for j in members[other]]
        return tuple(name for _, name in names), np.array([at for at, _ in names], dtype=np.int64)

    def keys_of(self, names: tuple[tuple[int, int], ...] | tuple[int, ...]) -> Integers:
        """The keys that :meth:`name_directions` has these names for."""
        place, n = self.geometry.place, len(self.geometry.kept)
        rows = place[np.array(names, dtype=np.int64)]
        return rows if self.targets is None or not len(names) else np.asarray(rows[:, 0] * n + rows[:, 1])

    def name_direction(self, key: int) -> tuple[int, int] | int:
        """The pair of targets, or the row of the list, for a key of :attr:`geometry`."""
        keep = self.geometry.kept
        if self.targets is None:
            return int(keep[key])
        n = len(keep)
        return int(keep[key // n]), int(keep[key % n])


@dataclass(frozen=True)
class Geometry:
    """A design problem after a change of coordinates, which changes no value: x → xT and y → yT.

    Attributes
    ----------
    arms
        K × r, with orthonormal columns; rows of zeros stay.
    directions
        The non-zero directions, or None where there are none.
    kept
        Which targets (the first of each group of equal ones) or rows are behind the directions.
    place
        For every target the position in `kept` of the one that it is equal to; −1 for a row that is zero.
    unit
        Lengths of directions are in this unit, so that a problem of any scale is solved as one of scale 1.
    frame
        The coordinates with bounded errors in which bounds are proven; None where there are no directions.
    """

    arms: Floats
    directions: Directions | None
    kept: Integers
    place: Integers
    unit: float = 1.0
    frame: Frame | None = None

    @staticmethod
    def of(problem: DesignProblem, exact: bool = False) -> Geometry:
        """Find the coordinates; raise InputError for directions that no pull gives information about.

        With `exact` they come from a basis of arms also where the features are well conditioned.
        """
        kept, place = _kept(problem)
        pairs = problem.targets is not None
        if len(kept) < (2 if pairs else 1):
            return Geometry(problem.arms, None, kept, place)
        frame = None if exact else feature_frame(problem, kept)
        frame = frame or independent_frame(problem, kept) or basis_frame(problem, kept)
        rows = solve_right(frame.rows, frame.root)
        unit = float(np.abs(rows).max())
        directions: Directions = PairDirections(rows / unit) if pairs else ListedDirections(rows / unit)
        return Geometry(frame.white, directions, kept, place, unit * frame.unit, frame)

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

    def targets_as_arms(self, problem: DesignProblem) -> Integers | None:
        """Which arms the kept targets are, where each is one, and there are no more than dimensions."""
        if problem.targets is None or len(self.kept) > self.arms.shape[1]:
            return None
        where = match_rows(problem.kept_targets, problem.arms)
        return where if (where >= 0).all() else None

    def in_frame(self, vectors: Floats) -> Floats:
        """Vectors u of these coordinates in those of the frame: products with arms stay what they are.

        Rounded so that over the frame's scale, as a certificate has them, they are exact too.
        """
        assert self.frame is not None
        return np.asarray(solve_right(vectors, self.frame.root.T, lower=True) / self.frame.scale * self.frame.scale)


def _span(problem: DesignProblem, some: Integers) -> Frame | None:
    kept = problem.geometry.kept  # the same for any arms
    if problem.is_trivial:
        return None
    smaller = problem.on_arms(some)
    try:
        return independent_frame(smaller, kept) or basis_frame(smaller, kept)
    except (InputError, np.linalg.LinAlgError):
        return None


def solve_right(rows: Floats, triangle: Floats, lower: bool = False) -> Floats:
    """rows · triangle⁻¹."""
    dtrtrs = clock.load("gems_engine.lapack").dtrtrs
    if triangle.flags.f_contiguous:
        answer, singular = dtrtrs(triangle, rows.T, lower=lower, trans=1)
    else:  # LAPACK counts by columns, so that this is its transpose
        answer, singular = dtrtrs(triangle.T, rows.T, lower=not lower)
    if singular:
        raise np.linalg.LinAlgError("the triangle is singular")
    return np.ascontiguousarray(answer.T)


def _kept(problem: DesignProblem) -> tuple[Integers, Integers]:
    rows = problem._rows
    if problem.targets is None:
        asked = (rows != 0.0 if problem.plus is None else problem.plus != problem.minus).any(axis=1)
        return np.flatnonzero(asked).astype(np.int64), np.where(asked, np.cumsum(asked) - 1, -1).astype(np.int64)
    group = equal_groups(rows)
    each = np.arange(len(rows), dtype=np.int64)
    if (group == each).all():
        return each, each
    kept, place = np.unique(group, return_inverse=True)
    return kept, place.reshape(-1).astype(np.int64)


def coordinate_scale(rows: Floats) -> Floats:
    """The size of each coordinate over these rows; 1 where all are zero."""
    scale = np.abs(rows).max(axis=0, initial=0.0)
    return np.where(scale > 0.0, scale, 1.0)


def equal_groups(rows: Floats) -> Integers:
    """For every row the first row that it is equal to (:func:`equal_to`).

    Told by the features, never by a computed norm (docs/decisions.md, 1). Equal rows have nearly equal
    projections on a line, so only neighbours on that line are compared.
    """
    scaled = in_large_units(rows, coordinate_scale(rows))
    n, d = scaled.shape
    line, reach = _line(d)
    position = scaled @ line
    order = position.argsort(kind="stable")
    group = np.arange(n, dtype=np.int64)
    ordered = position[order]
    apart = ordered[1:] - ordered[:-1] > reach
    if apart.all():
        return group
    for cluster in np.split(order, np.flatnonzero(apart) + 1):
        if len(cluster) < 2:
            continue
        members = np.sort(cluster)
        if equal_to(scaled[members[0]], scaled[members]).all():
            group[members] = members[0]
            continue
        leaders: list[int] = []
        for member in members:
            same = equal_to(scaled[member], scaled[leaders])
            if same.any():
                group[member] = leaders[int(same.argmax())]
            else:
                leaders.append(int(member))
    return group


@lru_cache(256)
def _line(d: int) -> tuple[Floats, float]:
    """A direction in R^d, and how far apart the projections of equal rows on it may be."""
    line = 0.5 + (np.arange(1, d + 1) * 0.6180339887498949) % 1.0
    return frozen(line), float((EQUAL * line.sum() + 1e-14 * d) * LARGE)


def equal_to(row: Floats, rows: Floats) -> np.ndarray:
    """Which rows are equal to one, all :func:`in_large_units` of the coordinates: within 1e-12 of the larger's size."""
    size = np.maximum(np.abs(row).max(), np.abs(rows).max(axis=1, initial=0.0))
    return np.asarray(np.abs(rows - row).max(axis=1, initial=0.0) <= EQUAL * size)


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
    largest = float(np.abs(array).max())
    if largest > LARGEST or 0.0 < largest < 1.0 / LARGEST:
        raise InputError(f"The {what} have the size {largest:.3g}. Rescale them to be between 1e-300 and 1e300.")
    return array
