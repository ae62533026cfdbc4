"""Exact and high-precision linear algebra on tables of doubles, by python-flint: ranks, and coordinates in a basis.

A double is a rational number, so the rank of a table of doubles has one answer. Coordinates in a basis are computed in
ball arithmetic (a midpoint and a radius that the exact number is proven to be within), with as many bits as it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.errors import InputError

PRECISIONS = (128, 256, 512, 1024, 2048, 4096)
"""Bits of the balls: the first that decides is used."""

CLOSE = 2.0**-60
"""Coordinates are accurate enough if every radius is at most this fraction of the largest entry of its row."""

NORMAL = float(np.finfo(np.float64).tiny)
"""From here on a double has all its digits, and a power of two times it is exact."""

UNDERFLOW = 2.0**-1073
"""A bound on the error of a number and a radius that become subnormal doubles."""

STAGE = 1e-6
"""Pivots below this fraction of the largest are chosen in a later stage, from the remainder in balls."""


_ABOVE = 2000  # every exponent of a double


@dataclass(frozen=True, eq=False)
class Enclosed:
    """A table whose exact entries differ from `middle` by at most an ulp and the row's `floor`."""

    middle: Floats
    floor: Floats

    def is_close(self) -> bool:
        """Whether the radii are negligible next to the rounding of the middles."""
        size = np.abs(self.middle).max(axis=1, initial=0.0)
        return bool(((size < np.inf) & (self.floor <= CLOSE * size + UNDERFLOW)).all())


@dataclass(frozen=True, eq=False)
class Basis:
    """Linearly independent arms that span all arms, and the coordinates of every arm in them.

    Attributes
    ----------
    arms
        Which arms, in the order of the coordinates.
    columns
        As many features, in which they are independent already. The others are combinations of these.
    bits
        Precision of the balls that the coordinates are from.
    stages
        1 if the arms are well scaled; further stages are for arms that differ from the others only in digits that
        doubles would lose.
    coordinates
        K × r.
    """

    arms: Integers
    columns: Integers
    bits: int
    stages: int
    coordinates: Enclosed


def whole_numbers(table: Floats) -> list[list[int]]:
    """The table with each column times a power of two, as integers: exact, and of the same rank."""
    mantissa, exponent = np.frexp(table)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    shift = exponent - np.where(table != 0.0, exponent, _ABOVE).min(axis=0, initial=_ABOVE)
    return [
        [value << max(by, 0) for value, by in zip(values, shifts, strict=True)]
        for values, shifts in zip(whole.tolist(), shift.tolist(), strict=True)
    ]


def exact_rank(rows: Sequence[Sequence[int]]) -> int:
    """The rank of a table of integers."""
    from flint import fmpz_mat

    return int(fmpz_mat(rows).rank())


def balls(table: Floats) -> Any:
    """The doubles as exact balls."""
    from flint import arb_mat

    return arb_mat(table.tolist())


def largest_exponent(matrix: Any) -> int:
    """The least e with all middles of a matrix of balls below 2^e in size; 0 where all are zero."""
    parts = [entry.mid().man_exp() for entry in matrix.entries()]
    return max((int(man).bit_length() + int(exponent) for man, exponent in parts if man), default=0)


def times_powers(matrix: Any, exponents: Sequence[int]) -> Any:
    """The columns of a matrix of balls times these powers of two, whatever their size."""
    from flint import arb, arb_mat

    factors = [arb(2) ** exponent for exponent in exponents]
    return arb_mat([[entry * by for entry, by in zip(row, factors, strict=True)] for row in matrix.tolist()])


def enclosed_entries(matrix: Any) -> tuple[Floats, Floats]:
    """Middles, and upper bounds of the radii, of the entries of a matrix of balls, in order."""
    entries = matrix.entries()
    middle = np.array([float(entry.mid()) for entry in entries])
    radius = np.array([float(entry.rad()) for entry in entries]) * 1.001
    exact = np.array(
        [
            entry.is_zero() or (entry.is_exact() and size >= NORMAL)
            for entry, size in zip(entries, np.abs(middle), strict=True)
        ]
    )
    return middle, np.where(exact, radius, radius + UNDERFLOW)


def enclosed(matrix: Any) -> Enclosed:
    """A matrix of balls, rounded to doubles."""
    shape = (matrix.nrows(), matrix.ncols())
    middle, radius = (part.reshape(shape) for part in enclosed_entries(matrix))
    return Enclosed(middle, radius.max(axis=1, initial=0.0))


def find_basis(arms: Floats) -> Basis:
    """A basis among the arms in which all of them have moderate coordinates.

    Large arms come first, by pivoted QR; if the remainder after some pivots is lost in rounding, it is computed in
    balls, and pivoting continues with that. The exact rank decides when to stop.
    """
    rank = exact_rank(whole_numbers(arms))
    if rank == 0:
        raise np.linalg.LinAlgError("every arm is zero")
    for bits in PRECISIONS:
        found = _with_bits(arms, rank, bits)
        if found is not None:
            return found
    raise not_told()


def extended_basis(arms: Floats, first: Integers) -> tuple[Integers, Integers, int]:
    """A basis that starts with a basis of given arms: its arms, as many features, and how many span the given arms."""
    rank, own = exact_rank(whole_numbers(arms)), exact_rank(whole_numbers(arms[first]))
    for bits in PRECISIONS:
        with workprec(bits):
            begun = _chosen(arms[first], own) if own else ([], [], 0, None)
            found = begun and _chosen(arms, rank, (first[begun[0]].tolist(), begun[1]))
            if found:
                return np.array(found[0]), np.array(found[1]), own
    raise not_told()


def workprec(bits: int) -> Any:
    """A context in which balls have this number of bits."""
    from flint import ctx

    return ctx.workprec(bits)


def not_told() -> InputError:
    """The error for arms that the highest precision cannot tell apart."""
    return InputError(
        f"{PRECISIONS[-1]} bits do not decide which arms are independent, because their sizes differ too much. Check "
        "the units of the features."
    )


def _with_bits(arms: Floats, rank: int, bits: int) -> Basis | None:
    with workprec(bits):
        found = _chosen(arms, rank)
        if found is None:
            return None
        chosen, columns, stages, coordinates = found
        close = enclosed(coordinates)
        close.middle[chosen], close.floor[chosen] = np.eye(rank), 0.0
        if not close.is_close():
            return None
    return Basis(np.array(chosen), np.array(columns), bits, stages, close)


def _chosen(
    arms: Floats, rank: int, start: tuple[list[int], list[int]] = ([], [])
) -> tuple[list[int], list[int], int, Any] | None:
    """Arms of a basis, features, the number of stages, and coordinates; None if the precision does not suffice.

    The basis begins with the arms and features in `start`.
    """
    sizes = column_exponents(arms)
    chosen, columns = list(start[0]), list(start[1])
    stages = 0
    remainder = np.ldexp(arms, -sizes)  # no proof depends on the choice of arms and columns
    while True:
        if chosen:
            inverted = inverse(balls(arms[np.ix_(chosen, columns)]))
            if inverted is None:
                return None
            coordinates = balls(arms[:, columns]) * inverted
            if len(chosen) == rank:
                return chosen, columns, stages, coordinates
            remainder = _left_over(arms, sizes, coordinates, arms[chosen])
        more, places = _pivots(remainder, rank - len(chosen))
        if not more:
            return None
        stages += 1
        chosen += more
        columns += places


def column_exponents(table: Floats) -> Integers:
    """For each column the least e with all entries below 2^e in size; 0 where all are zero."""
    return np.asarray(np.frexp(np.abs(table).max(axis=0, initial=0.0))[1], dtype=np.int64)


def _pivots(remainder: Floats, most: int) -> tuple[list[int], list[int]]:
    """Rows and columns for the next stage, by pivoted QR of a table of doubles."""
    import scipy.linalg

    size = np.abs(remainder).max()
    if not size > 0.0:
        return [], []
    scaled = remainder / size
    root, rows = scipy.linalg.qr(scaled.T, mode="r", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(root))
    count = min(int((diagonal > STAGE * diagonal[0]).sum()), most)
    picked = rows[:count]
    _, columns = scipy.linalg.qr(scaled[picked], mode="r", pivoting=True, check_finite=False)
    return picked.tolist(), columns[:count].tolist()


def _left_over(arms: Floats, sizes: Integers, coordinates: Any, basis: Floats) -> Floats:
    """The remainder of the arms outside the basis, in units of the features and of the largest; 0 if undecided."""
    rest = times_powers(balls(arms) - coordinates * balls(basis), (-sizes).tolist())
    unit = -largest_exponent(rest)
    middle, radius = (part.reshape(arms.shape) for part in enclosed_entries(times_powers(rest, [unit] * len(sizes))))
    return np.where(np.abs(middle) <= radius, 0.0, middle)


def inverse(matrix: Any) -> Any | None:
    """The inverse of a matrix of balls; None if it is not proven to be regular."""
    try:
        return matrix.inv()
    except ZeroDivisionError:
        return None


def cholesky(matrix: Any) -> Any | None:
    """The lower triangle L of balls with LLᵀ = matrix; None if a pivot is not proven to be positive."""
    from flint import arb, arb_mat

    rows = matrix.tolist()
    lower: list[list[Any]] = []
    for i, row in enumerate(rows):
        line: list[Any] = []
        for j in range(i):
            rest = row[j] - sum((a * b for a, b in zip(line, lower[j], strict=False)), arb(0))
            line.append(rest / lower[j][j])
        pivot = row[i] - sum((each * each for each in line), arb(0))
        if not pivot > 0:
            return None
        lower.append([*line, pivot.sqrt(), *([arb(0)] * (len(rows) - i - 1))])
    return arb_mat(lower)
