"""The view of the cost of each dimension and the budget that decides."""

from __future__ import annotations

import math

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.history import Booleans
from gems_engine.terminal import number
from gems_gui.series.dimension_book import book_of
from gems_gui.series.dimension_cost import CostSeries, cost_series, cost_text
from gems_gui.series.first_costs import first_set
from gems_gui.snapshot import Snapshot
from gems_gui.views.dimension_axis import frame_dimensions, mark_dimensions
from gems_gui.views.items import CurveItem
from gems_gui.views.kit import ItemGroup, bars, level, line, marks, pick_band
from gems_gui.views.plot_view import Axes, Entries, PlotView

_LIGHT = 80  # of 255: opacity of a bar between its two bounds
_SEEN = 0.01  # decades: closer bounds look the same
_NARROW = 100  # with more dimensions, bars get an outline: those thinner than a pixel would disappear
_DOWN, _UP = 4.0, 6.0  # decades that the scale may extend below and above B
_ROLES = ("surviving", "now", "chosen")

_FAR, _ABOVE = 1e6, 1e3  # times the largest cost: B beyond the first is drawn at the second


class DimensionCost(PlotView[CostSeries]):
    """Bars of g_k(d) on a log scale: solid up to the proven lower bound, light up to the upper one; a line at B."""

    name = "cost"
    title = "Why this dimension?"
    marks_selection = False
    about = (
        "The cost g_k(d) of each dimension in this round, compared with the selection budget B: the round takes the "
        "largest d that fits. A bar is solid up to the proven lower bound and light up to the upper bound; where the "
        "bounds already decide, the computation stops. Costs do not decrease in d, so the search skips most "
        "dimensions. In the first round of a call, a line shows g_1(d) of every dimension, computed for this view "
        "only. Before the first round of GEMS-b, the view shows the pulls that rounding needs, r_d(ζ), compared with "
        "T′, and D̃, the largest d that fits."
    )

    axes = Axes(whole="x", log="y")
    band = pick_band()
    solid = ItemGroup({role: bars(role) for role in _ROLES})
    light = ItemGroup({role: bars(role, _LIGHT) for role in _ROLES})
    rounding = line("text", 2, connect="pairs")
    unseen = line("dim", 1, connect="pairs")
    computed = line("dim", 1.5, connect="finite")
    computed_dots = marks("o", "dim", 5, like_text=False)
    beyond = marks("t1", "text", 9)
    below = marks("t", "text", 9)
    star = marks("star", "best", 11)
    budget = level("budget")

    def paint(self, snapshot: Snapshot) -> None:
        """Show the probes of the round at the cursor; a picture waits for the curve of a first round."""
        if self.exporting and (chosen := first_set(snapshot)):
            book_of(snapshot.instance).fill([chosen], truth=False)
        series = self.series = cost_series(snapshot)
        base, top = scale_of(series)
        d = series.d.astype(float)
        low, high = (np.clip(logarithms(each), base, top) for each in (series.lower, series.upper))
        self._draw_bars(d, low, high, _bars_of(series), base)
        rounding = logarithms(series.rounding)
        marked = rounding >= base
        self._dashes(self.rounding, d[marked], rounding[marked], 0.4)
        self._dashes(self.unseen, series.unseen.astype(float), np.full(len(series.unseen), base), 0.2)
        curve = logarithms(series.computed)
        curve[(curve > top + 1e-9) | (curve < base)] = np.nan
        every, some = np.arange(1.0, series.D + 1), ~np.isnan(curve)
        self.computed.setData(*((every, curve) if some.any() else ((), ())))
        self.computed_dots.setData(every[some], curve[some])
        beyond, below = logarithms(series.upper) > top + 1e-9, high <= base
        self.beyond.setData(d[beyond], np.full(int(beyond.sum()), top))
        self.below.setData(d[below], np.full(int(below.sum()), base))
        if 0.0 < series.budget < np.inf:
            drawn = drawn_budget(series)
            far = " ↑" if drawn < series.budget else ""
            name = "T′" if series.tops else "B"
            self.budget.show(math.log10(drawn), f"{name} = {number(series.budget)}{far}")
        else:
            self.budget.empty()
        self.plot.label("dimension d", series.y_label, self.theme)
        frame_dimensions(self.plot, self.theme, series.D, (base, top), series.d_star is not None)
        self.range_changed(snapshot, series)

    def entries(self, series: CostSeries) -> Entries:
        shown = _bars_of(series)
        light = next((role for role in _ROLES if max(self.light[role].opts["height"], default=0) > _SEEN), "")
        names = ("r_d ≤ T′", "r_d > T′", "D̃") if series.tops else ("fits", "over budget", "chosen")
        if not np.isfinite(series.budget):
            names = (*names[:2], "given")
        return (
            *(("■", role, words, shown[role].any()) for role, words in zip(_ROLES, names, strict=True)),
            ("─", "text", "r_d", self.rounding.isVisible()),
            ("─", "dim", "g₁(d), computed for this view", series.has_curve),
            ("–", "dim", "not examined", len(series.unseen)),
            ("▲", "text", "above the scale", self.beyond.isVisible()),
            ("▼", "text", "0 or below the scale", self.below.isVisible()),
            ("★", "best", "d⋆", series.d_star is not None),
            ("■", f"{light} {round(100 * _LIGHT / 255)}%", "between its bounds", light),
        )

    def _draw_bars(self, d: Floats, low: Floats, high: Floats, shown: dict[str, Booleans], base: float) -> None:
        """Draw bars: solid up to the lower bound, light from there to the upper one."""
        narrow = self.series is not None and self.series.D > _NARROW
        for role, some in shown.items():
            foot = np.full(len(d), base)
            for item, under, over in ((self.solid[role], foot, low), (self.light[role], low, high)):
                some_of = some & (over > under)
                item.setOpts(x=d[some_of], y0=under[some_of], height=(over - under)[some_of], width=0.7)
                item.set_outlined(narrow)

    @staticmethod
    def _dashes(curve: CurveItem, x: Floats, y: Floats, half: float) -> None:
        """Draw a short line at each point."""
        curve.setData(np.stack([x - half, x + half], axis=1).ravel(), np.repeat(y, 2))

    def range_changed(self, snapshot: Snapshot, series: CostSeries) -> None:
        marked = snapshot.selection.dimension
        mark_dimensions(self.plot, self.theme, self.star, series.d_star, self.band, marked)

    def describe(self, snapshot: Snapshot, series: CostSeries, x: float, y: float) -> str:
        return cost_text(series, x)


def _bars_of(series: CostSeries) -> dict[str, Booleans]:
    """The dimensions with a bar in the colour of each role."""
    taken = series.d == series.chosen
    return {"surviving": series.fits & ~taken, "now": ~series.fits, "chosen": taken}


def drawn_budget(series: CostSeries) -> float:
    """B, or above all costs where it is so much larger that it would flatten them."""
    costs = np.concatenate([series.lower, series.upper, series.rounding])
    largest = float(costs[np.isfinite(costs)].max(initial=0.0))
    return series.budget if series.budget <= _FAR * largest or not largest else _ABOVE * largest


def scale_of(series: CostSeries) -> tuple[float, float]:
    """First and last logarithm of the scale: everything known within the limits around B, and the chosen dimension."""
    budget = drawn_budget(series)
    known = np.concatenate([series.lower, series.upper, series.rounding, series.computed, [budget]])
    known = known[np.isfinite(known) & (known > 0.0)]
    if not len(known):
        return 0.0, 1.0
    low, high = math.log10(known.min()), math.log10(known.max())
    if 0.0 < budget < np.inf:
        middle = math.log10(budget)
        chosen = logarithms(series.upper[series.d == series.chosen])
        low, high = max(low, min([middle - _DOWN, *chosen[np.isfinite(chosen)]])), min(high, middle + _UP)
    base = math.floor(low - 0.05)
    return float(base), max(high, base + 1.0)


def logarithms(values: Floats) -> Floats:
    """Base-10 logarithms; −∞ for 0."""
    with np.errstate(divide="ignore"):
        return np.log10(values)
