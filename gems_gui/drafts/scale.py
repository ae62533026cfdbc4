"""Scales of sliders: positions to values of a parameter, linear or logarithmic; independent of Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from gems_engine.parameters import Parameter
from gems_gui.field_text import ALGORITHM, INSTANCE, RUN

_PER_DECADE = 24  # positions; two digits distinguish them


@dataclass(frozen=True)
class Scale:
    """The range of values of a slider.

    Attributes
    ----------
    low, high
        The first and the last value.
    factors
        Whether the scale is logarithmic; otherwise values are whole numbers.
    """

    low: float
    high: float
    factors: bool = False

    @property
    def places(self) -> int:
        """The last position; the first is 0."""
        if self.factors:
            return max(1, round(_PER_DECADE * math.log10(self.high / self.low)))
        return max(0, round(self.high - self.low))

    def value(self, place: int) -> int | float:
        """The value at a position, with two digits on a logarithmic scale."""
        if not self.factors:
            return round(self.low) + place
        if place in (0, self.places):
            return self.high if place else self.low
        return float(f"{self.low * (self.high / self.low) ** (place / self.places):.1e}")

    def place(self, value: float) -> int:
        """The position nearest to a value."""
        inside = min(max(value, self.low), self.high)
        if not self.factors:
            return round(inside - self.low)
        return round(self.places * math.log(inside / self.low) / math.log(self.high / self.low))

    def up_to(self, high: float) -> Scale:
        """The same scale with another upper end, not below the lower end."""
        return replace(self, high=max(high, self.low))


_SCALES = {
    (INSTANCE, "epsilon"): Scale(1e-4, 1.0, factors=True),
    (INSTANCE, "d_star"): Scale(1, 30),
    (INSTANCE, "D"): Scale(1, 60),
    (INSTANCE, "seed"): Scale(0, 99),
    (ALGORITHM, "epsilon"): Scale(1e-3, 1.0, factors=True),
    (ALGORITHM, "delta"): Scale(1e-4, 0.5, factors=True),
    (ALGORITHM, "selection_budget"): Scale(1.0, 1e6, factors=True),
    (ALGORITHM, "budget"): Scale(1e2, 1e6, factors=True),
    (ALGORITHM, "base"): Scale(2, 16),
    (RUN, "seed"): Scale(0, 99),
}


def scale_of(parameter: Parameter, scope: str) -> Scale | None:
    """The scale of a parameter's slider, within the allowed values; None if a slider would not help."""
    scale = _SCALES.get((scope, parameter.name))
    if scale is None:
        return None
    low, high = scale.low, scale.high
    if parameter.minimum is not None:
        low = max(low, float(parameter.minimum))
    if parameter.maximum is not None:
        high = min(high, float(parameter.maximum))
    return Scale(low, high, scale.factors) if low < high else None
