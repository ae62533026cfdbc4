"""Arrays as everything here uses them: read-only, without digits that a processor decides, near rows told apart."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def frozen(values: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """A read-only, C-contiguous copy: nobody can write into it through another name."""
    array = np.array(values, dtype=dtype, order="C", copy=True)
    array.flags.writeable = False
    return array


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """An array that was just made and that no other name refers to, read-only from here on."""
    array.flags.writeable = False
    return array


def is_frozen(array: NDArray[Any]) -> bool:
    """Whether an array is what :func:`frozen` gives for floats or whole numbers, and need not be copied again."""
    if array.dtype is not _FLOAT and array.dtype is not _INTEGER:
        return False
    flags = array.flags
    return not flags.writeable and flags.owndata and flags.c_contiguous


_FLOAT, _INTEGER = np.dtype(np.float64), np.dtype(np.int64)
_CANCELS = 1e-6  # part of two squared norms below which that of the difference is computed from the difference itself
_PAIRS = 4096  # near pairs of rows that are in memory at one time
_BITS = 40  # of 53: processors differ in the last few
_TIED = 1e-12


def trimmed(values: Floats) -> Floats:
    """The numbers without their last digits, which depend on the processor; 0.25 stays 0.25."""
    fraction, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.round(np.ldexp(fraction, _BITS)), exponent - _BITS))


def relative_gap(upper: float, lower: float) -> float:
    """How far a number between two bounds may be below the upper one, in parts of the lower one; ∞ if that is 0."""
    if upper == 0.0:
        return 0.0
    return upper / lower - 1.0 if lower > 0.0 else np.inf


def first_largest(values: Floats) -> int:
    """The first of those that are the largest but for rounding: where many tie, no last digit chooses."""
    largest = float(values.max())
    return int(np.argmax(values >= largest - _TIED * abs(largest)))


def squared_distances(points: Floats, some: slice = slice(None)) -> Floats:
    """Squared distances of some rows from all; where two nearly agree, without the cancellation of the Gram form."""
    squares = np.einsum("ij,ij->i", points, points)
    sums = squares[some, None] + squares
    table = points[some] @ points.T
    table *= -2.0
    table += sums
    sums *= _CANCELS
    cancels = table < sums
    if np.count_nonzero(cancels) > len(table):  # more than the rows themselves
        near, other = np.nonzero(cancels)
        for start in range(0, len(near), _PAIRS):
            i, j = near[start : start + _PAIRS], other[start : start + _PAIRS]
            apart = points[some][i] - points[j]
            table[i, j] = np.einsum("ij,ij->i", apart, apart)
    table[np.arange(len(table)), np.arange(len(points))[some]] = 0.0
    return np.asarray(table)
