"""Sums of samples over rounds, Σ_{k=1}^n ⌈c·(s + 2·log k)⌉, exact for n as large as 4^40.

c and s are the exact values of their floats. For k ≥ 2 a term is never an integer before it is rounded up, since log k
is not rational: enough digits always decide its ceiling. For k = 1 it is c·s, a fraction.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from itertools import count

import numpy as np

MOST = 1 << 26
"""The largest number of steps of an exact sum; a million take half a second."""
_CHUNK = 1 << 12
_CHEAPER = 8
"""The number of terms that take as long as one value: terms are added as arrays."""
_LAST_DIGITS = 2.0**-50
"""A relative error of c·(s + 2·log k) that is well above eight roundings."""


def ceiling_sum(c: float, start: float, n: int) -> int:
    """Σ_{k=1}^n ⌈c·(start + 2·log k)⌉ for c > 0, exactly: the samples of n rounds.

    There log(|𝒵|²k²/δ) = start + 2·log k. Added term by term or value by value: the terms never decrease, and the value
    v ends at the largest k with log k ≤ (v/c − start)/2. The number of steps is that of the terms or of the values,
    whichever is smaller; a ValueError is raised if both exceed ``MOST``.
    """
    if steps(c, start, n) > MOST:
        raise ValueError("too many terms and too many distinct values to add exactly")
    first, last = _ceiling(c, start, 1), _ceiling(c, start, n)
    return _by_terms(c, start, n) if n <= _CHEAPER * (last - first) else _by_values(c, start, n, first, last)


def ceiling_sum_at_most(c: float, start: float, n: int, most: int) -> float:
    """The same as a float, exact if that takes at most ``most`` steps, else an upper bound.

    The bound adds 1 for each rounding up and takes log n! from the gamma function: it is too large by less than n.
    """
    if steps(c, start, n) <= most and c * (start + 2 * math.log(n)) * _LAST_DIGITS < 1e-3:
        return float(ceiling_sum(c, start, n))
    return (_unrounded(c, start, n) + n) * (1 + 1e-12)


def ceiling_sum_at_least(c: float, start: float, n: int) -> float:
    """A cheap lower bound: the terms before they are rounded up."""
    return _unrounded(c, start, n) * (1 - 1e-12)


def _unrounded(c: float, start: float, n: int) -> float:
    return c * (n * start + 2 * math.lgamma(n + 1.0))


def steps(c: float, start: float, n: int) -> float:
    """The approximate number of steps of an exact sum: terms or distinct values, whichever are fewer."""
    return min(n, 2 * c * math.log(n) + 2)


def _ceiling(c: float, start: float, k: int) -> int:
    """One term, with the digits doubled until its ceiling is certain."""
    if k == 1:
        return math.ceil(Fraction(c) * Fraction(start))
    size = len(str(int(c * (abs(start) + 2 * math.log(k)) + 1)))
    for doubled in count():
        digits = Context(prec=size + 24 * 2**doubled)
        log = digits.ln(Decimal(k))
        value = digits.multiply(Decimal(c), digits.add(Decimal(start), digits.add(log, log)))
        margin = digits.power(Decimal(10), size + 4 - digits.prec)
        low, high = math.ceil(digits.subtract(value, margin)), math.ceil(digits.add(value, margin))
        if low == high:
            return low
    raise AssertionError("unreachable")


def _by_terms(c: float, start: float, n: int) -> int:
    """In floats, chunk by chunk; terms too close to an integer get more digits."""
    total = 0
    for begin in range(1, n + 1, _CHUNK):
        k = np.arange(begin, min(begin + _CHUNK, n + 1), dtype=np.float64)
        value = c * (start + 2 * np.log(k))
        error = c * (abs(start) + 2 * np.log(k)) * _LAST_DIGITS
        clear = np.ceil(value - error) == np.ceil(value + error)
        total += int(np.ceil(value[clear]).astype(np.int64).sum())  # these are below 2^50, so no chunk overflows
        total += sum(_ceiling(c, start, int(each)) for each in k[~clear])
    return total


def _by_values(c: float, start: float, n: int, first: int, last: int) -> int:
    """Value by value: n·first, plus 1 for every term above each value v from first to the last but one.

    The largest k with a term ≤ v is ⌊x_v⌋, x_v = exp((v/c − start)/2), which grows by the factor exp(1/2c) from value
    to value. It is computed as an integer with enough binary places that its error is far below the distance to the
    next ⌊x_v⌋.
    """
    values = last - first
    exact_at_first = first == Fraction(c) * Fraction(start)  # then x_v = 1 there; it is an integer nowhere else
    for doubled in count():
        places = (n.bit_length() + values.bit_length() + 64) * 2**doubled
        x, factor = _geometric(c, start, first, places)
        margin, part = 4 * n * (values + 2), (1 << places) - 1
        total = n * first
        for value in range(values):
            k, beyond = x >> places, x & part
            if value == 0 and exact_at_first:
                k, x = 1, 1 << places
            elif not margin < beyond < part - margin:
                break
            total += n - k
            x = x * factor >> places
        else:
            return total
    raise AssertionError("unreachable")


def _geometric(c: float, start: float, first: int, places: int) -> tuple[int, int]:
    """x at the first value and the factor to the next, in units of 2^−places, each accurate to a unit or two."""
    digits = Context(prec=int(places * 0.604) + 40)
    half = digits.divide(Decimal(1), digits.multiply(Decimal(2), Decimal(c)))
    begin = digits.subtract(digits.multiply(Decimal(first), half), digits.divide(Decimal(start), Decimal(2)))
    scale = Decimal(1 << places)
    return int(digits.multiply(digits.exp(begin), scale)), int(digits.multiply(digits.exp(half), scale))
