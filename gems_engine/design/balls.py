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

PRECISIONS = (128, 256, 512, 1024, 2048, 4096)
"""Bits of the balls: the first that decides is used."""

CLOSE = 2.0**-60
"""Coordinates are known well enough when every radius is at most this part of the largest entry of its row."""

STAGE = 1e-6
"""Pivots below this part of the largest are chosen in a later stage, from what the balls say is left over."""


@dataclass(frozen=True, eq=False)
class Enclosed:
    """A table whose exact entries differ from `middle` by at most an ulp and the row's `floor`."""

    middle: Floats
    floor: Floats

    def is_close(self) -> bool:
        """Whether the radii are negligible next to the rounding of the middles."""
        return bool((self.floor <= CLOSE * np.abs(self.middle).max(axis=1, initial=0.0)).all())


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
        1 where the arms are well scaled; each further one is for arms that differ from the others only in digits
        which a double computation would lose.
    coordinates
        K × r.
    """

    arms: Integers
    columns: Integers
    bits: int
    stages: int
    coordinates: Enclosed


def whole_numbers(table: Floats) -> list[list[int]]:
    """The table times a power of two, as integers: exact."""
    mantissa, exponent = np.frexp(table)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    shift = exponent - exponent[table != 0.0].min(initial=0)
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


def enclosed_entries(matrix: Any) -> tuple[Floats, Floats]:
    """Middles, and radii that are not below the true ones, of the entries of a matrix of balls, one after the other."""
    entries = matrix.entries()
    middle = np.array([float(entry.mid()) for entry in entries])
    return middle, np.array([float(entry.rad()) for entry in entries]) * 1.001


def enclosed(matrix: Any) -> Enclosed:
    """A matrix of balls, rounded to doubles."""
    shape = (matrix.nrows(), matrix.ncols())
    middle, radius = (part.reshape(shape) for part in enclosed_entries(matrix))
    return Enclosed(middle, radius.max(axis=1, initial=0.0))


def find_basis(arms: Floats) -> Basis:
    """A basis among the arms in which all of them have moderate coordinates.

    Large arms first, by pivoted QR; where what is left over after some pivots is lost in rounding, balls say what it
    is, and the pivoting goes on with that. The exact rank says when to stop.
    """
    rank = exact_rank(whole_numbers(arms))
    if rank == 0:
        raise np.linalg.LinAlgError("every arm is zero")
    for bits in PRECISIONS:
        found = _with_bits(arms, rank, bits)
        if found is not None:
            return found
    raise np.linalg.LinAlgError(f"{PRECISIONS[-1]} bits do not separate the arms")


def _with_bits(arms: Floats, rank: int, bits: int) -> Basis | None:
    from flint import ctx

    with ctx.workprec(bits):
        chosen: list[int] = []
        columns: list[int] = []
        stages = 0
        remainder = arms
        while len(chosen) < rank:
            more, places = _pivots(remainder, rank - len(chosen))
            if not more:
                return None
            stages += 1
            chosen += more
            columns += places
            try:
                inverse = balls(arms[np.ix_(chosen, columns)]).inv()
            except ZeroDivisionError:
                return None
            coordinates = balls(arms[:, columns]) * inverse
            if len(chosen) < rank:
                remainder = _left_over(arms, coordinates, arms[chosen])
        close = enclosed(coordinates)
        close.middle[chosen], close.floor[chosen] = np.eye(rank), 0.0
        if not close.is_close():
            return None
    return Basis(np.array(chosen), np.array(columns), bits, stages, close)


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


def _left_over(arms: Floats, coordinates: Any, basis: Floats) -> Floats:
    """What the basis does not explain of the arms; 0 where that may be nothing."""
    middle, radius = (part.reshape(arms.shape) for part in enclosed_entries(balls(arms) - coordinates * balls(basis)))
    return np.where(np.abs(middle) <= radius, 0.0, middle)
