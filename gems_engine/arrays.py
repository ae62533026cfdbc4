"""Small helpers for the immutable float arrays that everything here is made of."""

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


_BITS = 40  # of 53: processors differ in the last few
_TIED = 1e-12


def trimmed(values: Floats) -> Floats:
    """The numbers without their last digits, which depend on the processor; 0.25 stays 0.25."""
    fraction, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.round(np.ldexp(fraction, _BITS)), exponent - _BITS))


def first_largest(values: Floats) -> int:
    """The first of those that are the largest but for rounding: where many tie, no last digit chooses."""
    largest = float(values.max())
    return int(np.argmax(values >= largest - _TIED * abs(largest)))
