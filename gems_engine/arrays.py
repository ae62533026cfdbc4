"""Helpers for arrays: read-only copies, digits that do not depend on the processor, distances of close rows."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def frozen(values: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """A read-only, C-contiguous copy that no other reference can modify."""
    array = np.array(values, dtype=dtype, order="C", copy=True)
    array.flags.writeable = False
    return array


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Make a new array read-only; there must be no other reference to it."""
    array.flags.writeable = False
    return array


def is_frozen(array: NDArray[Any]) -> bool:
    """Whether an array of floats or integers already is what :func:`frozen` returns."""
    if array.dtype is not _FLOAT and array.dtype is not _INTEGER:
        return False
    flags = array.flags
    return not flags.writeable and flags.owndata and flags.c_contiguous


_FLOAT, _INTEGER = np.dtype(np.float64), np.dtype(np.int64)
_CANCELS = 1e-6  # relative squared distance below which it is computed from the difference itself
_PAIRS = 4096  # close pairs of rows in memory at a time
_BITS = 40  # of 53: processors differ in the last few
_TIED = 1e-12


def trimmed(values: Floats) -> Floats:
    """The numbers without their last bits, which depend on the processor; 0.25 stays 0.25."""
    fraction, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.round(np.ldexp(fraction, _BITS)), exponent - _BITS))


def relative_gap(upper: float, lower: float) -> float:
    """The distance between two bounds relative to the lower one; ∞ if the lower one is 0.

    Parameters
    ----------
    upper, lower : float
        The bounds.

    Returns
    -------
    float
        (upper − lower)/lower.

    Examples
    --------
    >>> from gems_engine.design import relative_gap
    >>> relative_gap(3.0, 2.0)
    0.5
    """
    if upper == 0.0:
        return 0.0
    return upper / lower - 1.0 if lower > 0.0 else np.inf


def first_largest(values: Floats) -> int:
    """The index of the first value that is the largest up to rounding, so that no last digit breaks a tie."""
    largest = float(values.max())
    return int(np.argmax(values >= largest - _TIED * abs(largest)))


def squared_distances(points: Floats, some: slice = slice(None)) -> Floats:
    """Squared distances of some rows to all, without the cancellation of the Gram form for close rows."""
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


def bytes_of_arrays(thing: object) -> int:
    """The total size in bytes of the attributes of an object that are arrays."""
    return sum(each.nbytes for each in vars(thing).values() if isinstance(each, np.ndarray))
