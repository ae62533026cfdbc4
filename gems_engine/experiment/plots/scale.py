"""Linear and logarithmic scales of a picture, with readable ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gems_engine.terminal import number, power_of_ten


@dataclass(frozen=True)
class Scale:
    """Maps numbers from `low` to `high` to positions from `start` to `end`; others are put at the edge."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The position of a number."""
        low, high = self._of(self.low), self._of(self.high)
        part = 0.5 if high == low else (self._of(value) - low) / (high - low)
        return self.start + min(1.0, max(0.0, part)) * (self.end - self.start)

    def _of(self, value: float) -> float:
        if not self.log:
            return value
        return -math.inf if value <= 0 else math.log10(value) if value < math.inf else math.inf

    def beyond(self, value: float, room: float) -> Scale:
        """A logarithmic scale that leaves some pixels after a value, if it is positive."""
        span = self.end - self.start
        if value <= 0.0 or not math.isfinite(value) or room >= span:
            return self
        low, part = math.log10(self.low), room / span
        return replace(self, high=max(self.high, 10.0 ** ((math.log10(value) - part * low) / (1.0 - part))))

    def ticks(self) -> list[tuple[float, str]]:
        """Positions and labels of the ticks."""
        if not self.log:
            return _linear_ticks(self.low, self.high)
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        every = max(1, math.ceil((last - first + 1) / 9))
        exponents = range(first, last + 1, every)
        if len(exponents) == 1:
            return _few_ticks(self.low, self.high)
        return [(10.0**each, name) for each, name in zip(exponents, decade_names(exponents), strict=True)]


def decade_names(exponents: Sequence[int]) -> list[str]:
    """Powers of ten, all as 1 000 or, on a scale with larger or smaller ones, all as 10³; 1 and 10 as they are."""
    plain = range(-3, 5) if all(each in range(-3, 5) for each in exponents) else (0, 1)
    return [number(10.0**each) if each in plain else power_of_ten(each) for each in exponents]


def _few_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Within one decade: 1, 2, 5."""
    found = []
    for exponent in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for digit in (1, 2, 5):
            value = digit * 10.0**exponent
            if low * 0.999 <= value <= high * 1.001:
                found.append((value, number(int(value) if value >= 1 else value)))
    return found


def _linear_ticks(low: float, high: float, most: int = 6) -> list[tuple[float, str]]:
    span = high - low
    if span <= 0:
        return [(low, number(low))]
    step = 10.0 ** math.floor(math.log10(span / most))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= most)
    first = math.ceil(low / step - 1e-9)
    return [(each * step, number(round(each * step, 12))) for each in range(first, math.floor(high / step + 1e-9) + 1)]


def log_scale(values: Iterable[float], start: float, end: float) -> Scale:
    """A logarithmic scale that contains all positive finite values, with a margin and at least one decade."""
    known = [value for value in values if 0 < value < math.inf]
    low, high = (min(known), max(known)) if known else (1.0, 10.0)
    room = max((high / low) ** 0.04, 1.08, (10.0 * low / high) ** 0.5)
    return Scale(low / room, high * room, start, end, log=True)
