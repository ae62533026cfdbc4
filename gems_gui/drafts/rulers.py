"""Rulers under the fields of B and T: which dimension each value buys; independent of Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gems_engine.dimension import within
from gems_engine.suggestion import Setting, rounded_up
from gems_engine.terminal import number, superscript

if TYPE_CHECKING:
    from gems_gui.series.dimension_book import CostCurve

MOST_MARKS = 24
"""Most dimensions that have a mark: more could not be told apart."""
_ROOM = 1.5  # factor by which a ruler extends beyond its marks at both ends
_TIGHT = 1e-3  # bounds of a cost further apart than this are mentioned


@dataclass(frozen=True)
class RulerMark:
    """The cost of a dimension: the smallest value that buys it."""

    d: int
    value: float


@dataclass(frozen=True)
class Ruler:
    """A logarithmic scale of the values of a field.

    Attributes
    ----------
    marks
        The known marks, by dimension.
    present
        The value of the field, or the one used instead; None if there is none.
    words
        What the current value buys, or what is being computed.
    top
        The largest dimension that any value buys; None if there is no such limit.
    """

    marks: tuple[RulerMark, ...]
    present: float | None
    words: str
    top: int | None = None

    def buys(self, mark: RulerMark) -> bool:
        """Whether the current value buys the dimension of a mark."""
        allowed = self.top is None or mark.d <= self.top
        return allowed and self.present is not None and within(mark.value, self.present)

    @property
    def ends(self) -> tuple[float, float] | None:
        """The first and the last value; None while no mark is known."""
        values = [mark.value for mark in self.marks if 0.0 < mark.value < math.inf]
        if not values:
            return None
        if self.present is not None and 0.0 < self.present < math.inf:
            values.append(min(max(self.present, min(values) / 1e3), max(values) * 1e3))
        return min(values) / _ROOM, max(values) * _ROOM

    def place(self, value: float) -> float:
        """The position of a value, from 0 to 1."""
        assert self.ends is not None
        low, high = self.ends
        return min(max(math.log(value / low) / math.log(high / low), 0.0), 1.0)

    def value(self, place: float) -> float:
        """The value at a position, with three digits."""
        assert self.ends is not None
        low, high = self.ends
        return rounded_up(low * (high / low) ** min(max(place, 0.0), 1.0))

    def step(self, forward: bool) -> float | None:
        """The next mark above or below the current value; None if there is none."""
        now = self.present or 0.0
        values = sorted({rounded_up(mark.value) for mark in self.marks if 0.0 < mark.value < math.inf})
        found = [each for each in values if (each > now if forward else each < now)]
        return (found[0] if forward else found[-1]) if found else None


def marked_dimensions(D: int) -> tuple[int, ...]:
    """The dimensions with a mark: D first, which a suggestion needs, then from 1, evenly spaced if D is large."""
    every = np.unique(np.linspace(1, D, min(D, MOST_MARKS)).round().astype(int)).tolist()
    return (D, *(each for each in every if each != D))


def cost_ruler(setting: Setting, curve: CostCurve, present: float | None, top: int | None = None) -> Ruler:
    """The ruler of B: a mark at each known g_1(d).

    Parameters
    ----------
    curve
        Bounds on ι of all targets, as far as they are known.
    present
        B, typed or suggested; None while it is not known.
    top
        D̃ of a call of GEMS-b, the limit for any B; None for the other subroutines.
    """
    wanted = sorted(marked_dimensions(setting.D))
    known = [d for d in wanted if not np.isnan(curve.upper[d - 1])]
    marks = tuple(RulerMark(d, setting.cost(1, d, float(curve.upper[d - 1]))) for d in known)
    words = _bought(marks, present, setting.D if top is None else top)
    if len(known) < len(wanted):
        words = f"Computing g₁(d): {len(known)} of {len(wanted)} dimensions."
    elif loose := _loose(curve, known):
        words += f" Costs are proven only within {number(100 * loose, 2)} %."
    return Ruler(marks, present, words, top)


def sample_ruler(setting: Setting, n: int, present: float | None) -> Ruler:
    """The ruler of T: a mark at each n·⌈r_d(ζ)⌉, the least T for which T′ = ⌊T/n⌋ pulls round a design in R^d."""
    wanted = sorted(marked_dimensions(setting.D))
    marks = tuple(RulerMark(d, float(n * math.ceil(setting.r(d) * (1 - 1e-12)))) for d in wanted)
    words = ""
    if present is not None:
        pulls, top = int(present // n), setting.richest(present, n)
        words = f"T′ = ⌊T/n⌋ = {number(pulls)} pulls in each round: "
        words += f"D̃ = {top}." if top else "too few for any dimension."
        if top < setting.D:
            words += f" r_{top + 1} = {number(setting.r(top + 1))}."
    return Ruler(marks, present, words)


def _bought(marks: Sequence[RulerMark], present: float | None, top: int) -> str:
    """The dimension up to the top that B buys in round 1, and the cost of the next one."""
    if present is None or not marks:
        return ""
    fitting = [mark for mark in marks if within(mark.value, present)]
    if top < marks[-1].d and (not top or (fitting and fitting[-1].d >= top)):
        what = f"R{superscript(top)}" if top else "no dimension"
        return f"B = {number(present)} buys {what} in round 1: the limit is D̃ = {top}."
    beyond = [mark for mark in marks if mark not in fitting]
    own, cost = _apart(present, beyond[0].value) if beyond else (number(present), "")
    price = f"g₁({beyond[0].d}) = {cost}" if beyond else ""
    if not fitting:
        return f"B = {own} buys no dimension in round 1: {price}."
    d = fitting[-1].d
    if not beyond:
        price = f"g₁({d}) = {number(fitting[-1].value, 3)}"
        return f"B = {number(present)} buys all of R{superscript(d)} in round 1: {price}."
    between = " or more" if beyond[0].d - d > 1 else ""
    return f"B = {own} buys R{superscript(d)}{between} in round 1; {price}."


def _apart(present: float, cost: float) -> tuple[str, str]:
    """B with at least four digits and a higher cost with three, or with as many as tell them apart."""
    digits = next((each for each in range(3, 16) if number(cost, each) != number(present, max(each, 4))), 16)
    return number(present, max(digits, 4)), number(cost, digits)


def _loose(curve: CostCurve, known: Sequence[int]) -> float:
    """The largest relative distance of the bounds if it is worth mentioning, otherwise 0."""
    at = np.array(known) - 1
    lower, upper = curve.lower[at], curve.upper[at]
    finite = np.isfinite(upper) & (upper > 0)
    loose = float(((upper - lower)[finite] / upper[finite]).max(initial=0.0))
    return loose if loose > _TIGHT else 0.0
