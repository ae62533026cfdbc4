"""Coordinates of a design problem with bounds on every rounding error.

A design's value does not change under a change of basis. In the *features*, scaled by powers of two, arms are exact.
That is good enough for nearly every problem. If the arms are nearly dependent, badly scaled, or do not span the
features, coordinates *in a basis of arms* are used instead: they are moderate numbers for any features, and ball
arithmetic computes them to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats, Integers
from gems_engine.design import balls
from gems_engine.design.directions import EPS, row_lengths
from gems_engine.errors import InputError
from gems_engine.features import match_rows

if TYPE_CHECKING:
    from gems_engine.design.problem import DesignProblem

WELL_CONDITIONED = 1e7
"""Up to this condition number of the arms' scaled features, doubles keep enough digits."""

FEATURES = "double precision with error bounds"

LARGEST_EXPONENT = 503
"""Of two in the unit of the directions: its square, times what a design makes of it, is a normal number."""

_LARGE_EXPONENT = 900
LARGE = 2.0**_LARGE_EXPONENT

RELATIVE = 2.0 * EPS
"""Every entry of a frame's rows is within this part of the exact one (and the row's floor)."""


@dataclass(frozen=True)
class ScaleWarning:
    """A warning about badly scaled arms.

    Attributes
    ----------
    kind
        Whether it is about arms or features.
    which
        Their indices.
    sentence
        The warning, with ``{}`` in place of them.
    """

    kind: Literal["arm", "feature"]
    which: Integers
    sentence: str

    def text(self, label: Callable[[int], str]) -> str:
        """The warning with a label for each arm or feature, at most three of them."""
        some = ", ".join(label(int(each)).removeprefix(f"{self.kind} ") for each in self.which[:3])
        more = f" and {len(self.which) - 3} more" if len(self.which) > 3 else ""
        written = self.sentence.partition("{}")
        kind = self.kind if written[0] else self.kind.capitalize()
        return f"{written[0]}{kind}{'s' if len(self.which) > 1 else ''} {some}{more}{written[2]}"


@dataclass(frozen=True, eq=False)
class Frame:
    """Arms and directions in coordinates that are known up to bounded errors.

    Attributes
    ----------
    arms, rows
        Arms; and the points whose differences are the directions (the first is the origin), or the directions. Rows
        are in units of `unit`.
    arm_floor, row_floor
        The largest error of an entry, in addition to :data:`RELATIVE` of its size.
    unit
        A power of two: the largest entry of the rows is about 1.
    basis
        The arms that the coordinates refer to; None where these are the features over `scale`.
    scale
        A power of two for each feature; ones with a basis.
    white, root
        QR of the arms: orthonormal columns, and an upper triangle.
    method
        The arithmetic that computed the coordinates.
    warning
        The defect if the problem is so badly scaled that the user should know; otherwise None.
    known_inverse
        The inverse of the root, if it was needed before.
    """

    arms: Floats
    rows: Floats
    arm_floor: Floats
    row_floor: Floats
    unit: float
    basis: Integers | None
    scale: Floats
    white: Floats
    root: Floats
    method: str
    warning: ScaleWarning | None = None
    known_inverse: Floats | None = None

    @cached_property
    def inverse(self) -> Floats:
        """Of the root: it takes vectors u of the white coordinates to those of the frame."""
        return np.asarray(np.linalg.inv(self.root) if self.known_inverse is None else self.known_inverse)

    @cached_property
    def condition(self) -> float:
        """Of the root, in Frobenius' norm: how much rounding errors of the white coordinates grow."""
        return math.sqrt(float(np.vdot(self.root, self.root)) * float(np.vdot(self.inverse, self.inverse)))

    @cached_property
    def arm_sizes(self) -> Floats:
        """|arms|."""
        return np.abs(self.arms)

    @cached_property
    def row_sizes(self) -> Floats:
        """|rows|."""
        return np.abs(self.rows)

    def pulled(self, arms: Integers) -> tuple[Floats, Floats, Floats]:
        """Some arms and all rows: themselves, their sizes and floors; those of the last time are kept."""
        key = arms.tobytes()
        last: tuple[bytes, tuple[Floats, Floats, Floats]] | None = self.__dict__.get("_pulled")
        if last is None or last[0] != key:
            rows = np.concatenate([self.arms[arms], self.rows])
            last = key, (rows, np.abs(rows), np.concatenate([self.arm_floor[arms], self.row_floor]))
            self.__dict__["_pulled"] = last
        return last[1]


def feature_frame(problem: DesignProblem, kept: Integers) -> Frame | None:
    """The features, scaled by powers of two; None where the arms are too far from orthogonal for doubles.

    Also where a scaled number is too small to be exact.
    """
    if problem.scaled_arms is None:
        return None
    scale, arms, white, root, inverse = problem.scaled_arms
    plus, minus, divisors = problem.parts(kept)
    rows = exact_quotient(plus - minus, scale)  # a difference of doubles is rounded once, and never underflows
    if rows is not None and divisors is not None:
        rows = exact_quotient(rows, divisors.sum(axis=1, keepdims=True))  # rounded once, and the sum once
    if rows is None:
        return None
    exponent = _largest_exponent(rows)
    rows = exact_quotient(rows, np.array(2.0**exponent))
    if rows is None:
        return None
    none = np.zeros(len(arms)), np.zeros(len(rows))
    return Frame(arms, rows, *none, 2.0**exponent, None, scale, white, root, FEATURES, known_inverse=inverse)


def scaled_arms(table: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats] | None:
    """The scale of the features, the arms over it, their QR and its triangle's inverse; None if doubles do not do."""
    scale = power_of_two_scale(table)
    arms = exact_quotient(table, scale)
    if arms is None or len(arms) < arms.shape[1]:
        return None
    white, root = clock.load("gems_engine.lapack").thin_qr(arms)
    inverse = _well_inverted(root)
    return None if inverse is None else (scale, arms, white, root, inverse)


def _well_inverted(root: Floats) -> Floats | None:
    """The inverse of an upper triangle; None where ‖root‖·‖root⁻¹‖, in Frobenius' norm, is too large for doubles."""
    inverse, singular = clock.load("gems_engine.lapack").dtrtri(root, lower=0)
    if singular:
        return None
    condition = math.sqrt(float(np.vdot(root, root)) * float(np.vdot(inverse, inverse)))
    return np.asarray(inverse) if condition < WELL_CONDITIONED else None


def exact_quotient(table: Floats, divisor: Floats) -> Floats | None:
    """The quotient, where no entry underflows or overflows: exact for powers of two, else rounded once; else None."""
    with np.errstate(over="ignore", under="ignore"):
        found = np.asarray(table / divisor)
    size = np.abs(found)
    if size.min(initial=1.0) < balls.NORMAL and ((size < balls.NORMAL) & (table != 0.0)).any():
        return None
    return found if size.max(initial=0.0) < np.inf else None


def independent_frame(problem: DesignProblem, kept: Integers) -> Frame | None:
    """Independent arms as a basis of themselves, where every target is a multiple of one: its coordinates are exact.

    None where there are other targets, or doubles do not prove that the arms are independent.
    """
    if problem.targets is None or len(problem.arms) > problem.d:
        return None
    multiples = _multiples(problem.targets[kept], problem.arms)
    arms = exact_quotient(problem.arms, power_of_two_scale(problem.arms))
    if multiples is None or arms is None or not _independent(arms):
        return None
    count = len(problem.arms)
    basis = np.eye(count)
    none = np.zeros(count), np.zeros(len(kept))
    unit = 2.0 ** _largest_exponent(multiples - multiples[0])
    rows = exact_quotient(multiples - multiples[0], np.array(unit))
    if rows is None:
        return None
    # With as many arms as features these were refused because they are badly scaled, else because there are too few.
    warning = _warning(problem.arms, None) if count == problem.d else None
    return Frame(basis, rows, *none, unit, np.arange(count), np.ones(count), basis, basis, FEATURES, warning)


def _multiples(targets: Floats, arms: Floats) -> Floats | None:
    """For every target the factor of the arm that it is exactly a multiple of, in the arm's place; None if one is not.

    A target that is one of several arms has the factor 1 for the first.
    """
    where = match_rows(targets, arms)
    found = np.zeros((len(targets), len(arms)))
    found[np.flatnonzero(where >= 0), where[where >= 0]] = 1.0
    for row in np.flatnonzero(where < 0).tolist():
        target = targets[row]
        pivot = int(np.abs(target).argmax())
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            factors = target[pivot] / arms[:, pivot]
            near = np.flatnonzero((factors[:, None] * arms == target).all(axis=1))
        exact = (int(arm) for arm in near if _is_multiple(target, float(factors[arm]), arms[arm]))
        arm = next(exact, None)
        if arm is None:
            return None
        found[row, arm] = factors[arm]
    return found


def _is_multiple(row: Floats, factor: float, of: Floats) -> bool:
    """Whether a row is this multiple of another, exactly."""
    return all(Fraction(a) == Fraction(factor) * Fraction(b) for a, b in zip(row.tolist(), of.tolist(), strict=True))


def _independent(arms: Floats) -> bool:
    """Whether the rows are proven to be linearly independent: with R ≈ a root of (XXᵀ)⁻¹, ‖I − RᵀXXᵀR‖ < 1."""
    lengths = scaled_lengths(arms)
    if not lengths.min() > 0.0:
        return False
    rows = arms / lengths[:, None]
    _, root = np.linalg.qr(rows.T)
    if _well_inverted(root) is None:
        return False
    white = np.linalg.solve(root.T, rows)  # orthonormal rows, but for rounding
    off = float(np.linalg.norm(np.eye(len(arms)) - white @ white.T))
    return off + 1e-3 < 0.5  # rounding of what was computed here is below 1e-8 at this condition number


def basis_frame(problem: DesignProblem, kept: Integers) -> Frame:
    """Coordinates in a basis of arms; raises InputError for directions outside the exact span of the arms."""
    clock.load("flint")
    if not problem.arms.any():
        raise InputError("Every feature of every arm is zero here, so no pull gives information about a direction.")
    basis = balls.find_basis(problem.arms)
    rows, unit = _basis_rows(problem, kept, basis)
    return Frame(
        basis.coordinates.middle,
        rows.middle,
        basis.coordinates.floor,
        rows.floor,
        unit,
        basis.arms,
        np.ones(len(basis.arms)),
        *np.linalg.qr(basis.coordinates.middle),
        f"{basis.bits}-bit balls",
        _warning(problem.arms, basis.arms[-1] if basis.stages > 1 else None),
    )


def power_of_two_scale(table: Floats) -> Floats:
    """For each column a power of two of the size of its largest entry; 1 where all are zero."""
    return np.asarray(np.ldexp(1.0, np.clip(balls.column_exponents(table), -1000, 1000)))


def scaled_lengths(rows: Floats) -> Floats:
    """Norms of rows whose squares may be beyond the range of numbers."""
    size = np.abs(rows).max(axis=1, initial=0.0)
    scale = np.where(size > 0.0, size, 1.0)
    return np.asarray(scale * row_lengths(rows / scale[:, None]))


def in_large_units(rows: Floats, scale: Floats) -> Floats:
    """rows / scale times :data:`LARGE`: what is far smaller than the scale does not underflow, and is not 0."""
    size, exponent = np.frexp(scale)
    return np.asarray(np.ldexp(rows, _LARGE_EXPONENT - exponent) / size)


def _largest_exponent(rows: Floats) -> int:
    return _checked(int(np.frexp(float(np.abs(rows).max(initial=0.0)))[1]))


def _checked(exponent: int) -> int:
    """The exponent of the directions' unit, where the square of it is far from the ends of the range of numbers."""
    if abs(exponent) > LARGEST_EXPONENT:
        raise InputError(
            "The directions are so much longer or shorter than the arms that the value of their design overflows. "
            "Bring both to a similar scale."
        )
    return exponent


def _basis_rows(problem: DesignProblem, kept: Integers, basis: balls.Basis) -> tuple[balls.Enclosed, float]:
    """The directions' coordinates, and their unit."""
    from flint import ctx

    plus, minus, divisors = problem.parts(kept)
    if len(basis.arms) < problem.d:
        check_span(problem, kept, basis)
    spanning = problem.arms[basis.arms]
    for bits in [each for each in balls.PRECISIONS if each >= basis.bits]:
        with ctx.workprec(bits):
            inverse = balls.balls(spanning[:, basis.columns]).inv()
            found = _in_basis(plus, basis, spanning, inverse) - _in_basis(minus, basis, spanning, inverse)
            if divisors is not None:
                found = _divided(found, divisors)
            exponent = balls.largest_exponent(found)
            rows = balls.enclosed(balls.times_powers(found, [-exponent] * len(basis.arms)))
        same = (plus == minus).all(axis=1)
        rows.middle[same], rows.floor[same] = 0.0, 0.0
        if rows.is_close():
            break
    return rows, 2.0 ** _checked(exponent)


def _in_basis(rows: Floats, basis: balls.Basis, spanning: Floats, inverse: Any) -> Any:
    """Coordinates of rows; arms that are in the basis have their unit vectors exactly."""
    from flint import arb_mat

    found = (balls.balls(rows[:, basis.columns]) * inverse).tolist()
    for row, where in enumerate(match_rows(rows, spanning)):
        if where >= 0:
            found[row] = [int(j == where) for j in range(len(spanning))]
    return arb_mat(found)


def _divided(rows: Any, divisors: Floats) -> Any:
    from flint import arb, arb_mat

    return arb_mat(
        [
            [entry / sum((arb(part) for part in parts), arb(0)) for entry in row]
            for row, parts in zip(rows.tolist(), divisors.tolist(), strict=True)
        ]
    )


def check_span(problem: DesignProblem, kept: Integers, basis: balls.Basis) -> None:
    """Raise InputError for directions outside the exact span of the arms. A difference of arms never is."""
    plus, minus, _ = problem.parts(kept)
    some = np.flatnonzero((match_rows(plus, problem.arms) < 0) | (match_rows(minus, problem.arms) < 0))
    count, rank = len(some), len(basis.arms)
    table = balls.whole_numbers(np.vstack([problem.arms[basis.arms], plus[some], minus[some]]))
    spanning, upper, lower = table[:rank], table[rank : rank + count], table[rank + count :]
    rows = [[a - b for a, b in zip(*pair, strict=True)] for pair in zip(upper, lower, strict=True)]

    def inside(end: int) -> bool:
        return balls.exact_rank([*spanning, *rows[:end]]) == rank

    if inside(count):
        return
    low, high = 0, count  # the first `low` are inside, not all of the first `high`
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if inside(middle) else (low, middle)
    problem.raise_outside(kept, int(some[low]))


def _warning(arms: Floats, last: int | None) -> ScaleWarning | None:
    """A warning about badly scaled arms; ``last`` is an arm of the basis that rounding would have hidden."""
    size = np.abs(arms).max(axis=0)
    spread = np.ptp(arms, axis=0)
    shifted = np.flatnonzero((spread > 0.0) & (spread < 1e-5 * size))
    if len(shifted):
        return ScaleWarning(
            "feature",
            shifted,
            f"{{}} {'vary' if len(shifted) > 1 else 'varies'} by less than 1e-5 of the size: "
            "most digits are spent on a common offset. Store them without it, and add a constant feature.",
        )
    lengths = scaled_lengths(in_large_units(arms, np.where(size > 0, size, 1.0)))
    typical = float(np.median(lengths[lengths > 0.0]))
    long, short = np.flatnonzero(lengths > 1e6 * typical), np.flatnonzero((lengths > 0) & (lengths < 1e-6 * typical))
    if len(long) or len(short):
        which, how = (long, "longer") if len(long) else (short, "shorter")
        return ScaleWarning(
            "arm",
            which,
            f"{{}} {'are' if len(which) > 1 else 'is'} more than a million times {how} than most: "
            "check the units of the features.",
        )
    if last is None:
        return None
    return ScaleWarning(
        "arm",
        np.array([last]),
        "The arms are nearly dependent: {} differs from a combination of others only in its last digits. "
        "The design counts this difference as a dimension. If it is rounding, remove a redundant feature.",
    )
