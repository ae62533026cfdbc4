"""The view of what each dimension would cost, and of the budget that decides."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from gems_engine.arrays import Floats
from gems_engine.terminal import number
from gems_gui.series.dimension_book import book_of
from gems_gui.series.dimension_cost import CostSeries, cost_series, cost_words
from gems_gui.series.first_costs import first_set
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.levels import LevelLine
from gems_gui.views.plot import Plot, bars
from gems_gui.views.view import View

_LIGHT = 80  # of 255: the part of a bar between the two bounds
_NARROW = 100  # more dimensions than this get a line around each bar, or those thinner than a pixel vanish
_DOWN, _UP = 4.0, 6.0  # decades that the scale may reach below and above B
_NO_PEN = QPen(Qt.PenStyle.NoPen)
_ROLES = ("surviving", "now", "chosen")


class DimensionCost(View):
    """Bars of g_k(d) on a logarithmic scale, up to the proven lower bound, lighter up to the upper one; B is a line."""

    name = "cost"
    title = "Why this dimension?"
    marks_selection = False
    about = (
        "What each dimension would cost this round, g_k(d), against the budget B: the round takes the largest d that "
        "fits. A bar is solid up to the proven lower bound and light up to the upper bound; where the two already "
        "decide, the computation stops. Costs do not decrease in d, so the search skips most dimensions. In the "
        "first round of a call a line shows g_1(d) of every dimension, computed for this picture alone. Before the "
        "first round of GEMS-b: the pulls that rounding needs, r_d(ζ), against T′, and D̃, the largest d that fits."
    )

    def make(self) -> QWidget:
        """Two sets of bars for each verdict, marks, and the line of B."""
        self.plot = Plot(whole_x=True)
        self.plot.y_axis.setLogMode(False, True)
        self.plot.describe = self._describe
        self.band = bars(self.plot)
        self.solid = {role: bars(self.plot) for role in _ROLES}
        self.light = {role: bars(self.plot) for role in _ROLES}
        self.rounding = CurveItem(self.plot.box, connect="pairs")
        self.unseen = CurveItem(self.plot.box, connect="pairs")
        self.computed = CurveItem(self.plot.box, connect="finite")
        self.computed_dots = MarkItem(self.plot.box, size=5)
        self.beyond = MarkItem(self.plot.box, "t1")
        self.below = MarkItem(self.plot.box, "t")
        self.star = MarkItem(self.plot.box, "star")
        self.budget = LevelLine(self.plot)
        self.series: CostSeries | None = None
        self.plot.box.sigRangeChanged.connect(self._follow)
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        for role in _ROLES:
            self.solid[role].setOpts(brush=theme.color(role))
            self.light[role].setOpts(brush=theme.color(role, _LIGHT))
        self.rounding.setPen(pg.mkPen(theme.text, width=theme.stroke(2), capStyle=Qt.PenCapStyle.FlatCap))
        self.unseen.setPen(pg.mkPen(theme.dim, width=theme.stroke(1)))
        self.computed.setPen(pg.mkPen(theme.dim, width=theme.stroke(1.5)))
        self.computed_dots.setBrush(theme.dim)
        self.computed_dots.setSize(theme.stroke(5))
        for mark, role, size in ((self.beyond, "text", 9), (self.below, "text", 9), (self.star, "best", 11)):
            mark.setBrush(theme.color(role))
            mark.setSize(theme.pixels(size))
        self.budget.apply_theme(theme, "budget")
        self.band.setOpts(brush=theme.color("text", 14), pen=pg.mkPen(theme.color("text", 150)))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        self.band.empty()
        self._draw_bars(np.zeros(0), np.zeros(0), np.zeros(0), {}, 0.0)
        for item in (self.rounding, self.unseen, self.computed, self.computed_dots, self.beyond, self.below, self.star):
            item.setData([], [])
        self.budget.empty()
        self.plot.frame((0.5, 1.5), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """The probes of the round at the cursor; a picture waits for the curve of a first round."""
        if self.exporting and (chosen := first_set(snapshot)):
            book_of(snapshot.instance).fill([chosen], truth=False)
        series = self.series = cost_series(snapshot)
        base, top = scale_of(series)
        d = series.d.astype(float)
        low, high = (np.clip(logarithms(each), base, top) for each in (series.lower, series.upper))
        taken = series.d == series.chosen
        shown = {"surviving": series.fits & ~taken, "now": ~series.fits, "chosen": taken}
        self._draw_bars(d, low, high, shown, base)
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
            self.budget.show(math.log10(series.budget), f"{'T′' if series.tops else 'B'} = {number(series.budget)}")
        else:
            self.budget.empty()
        self.plot.label("dimension d", series.y_label, self.theme)
        self.plot.x_axis.lowest, self.plot.x_axis.highest = 1.0, float(series.D)
        margin = max(0.1, 0.01 * series.D)
        under = self.theme.pixels(17 if series.d_star is not None else 6)
        self.plot.frame((0.5 - margin, series.D + 0.5 + margin), (base, top), self.theme.pixels(10), under)
        self._follow()
        self._explain(series, shown, bool(marked.any()), bool(beyond.any()), bool(below.any()))
        self.set_subtitle(series.subtitle, phrasings(series.nothing))

    def _draw_bars(self, d: Floats, low: Floats, high: Floats, shown: dict[str, np.ndarray], base: float) -> None:
        """Solid from the foot of the scale to the lower bound, light from there to the upper one."""
        narrow = self.series is not None and self.series.D > _NARROW
        for role in _ROLES:
            some = shown.get(role)
            if some is None or not some.any():
                self.solid[role].empty()
                self.light[role].empty()
                continue
            for item, foot, head, alpha in (
                (self.solid[role], np.full(len(d), base), low, 255),
                (self.light[role], low, high, _LIGHT),
            ):
                some_of = some & (head > foot)
                pen = pg.mkPen(self.theme.color(role, alpha)) if narrow else _NO_PEN
                item.setOpts(x=d[some_of], y0=foot[some_of], height=(head - foot)[some_of], width=0.7, pen=pen)

    @staticmethod
    def _dashes(curve: CurveItem, x: Floats, y: Floats, half: float) -> None:
        """A short line at each place."""
        curve.setData(np.stack([x - half, x + half], axis=1).ravel(), np.repeat(y, 2))

    def _explain(
        self, series: CostSeries, shown: dict[str, np.ndarray], rounding: bool, beyond: bool, below: bool
    ) -> None:
        names = ("r_d ≤ T′", "r_d > T′", "D̃") if series.tops else ("fits", "over budget", "chosen")
        if not np.isfinite(series.budget):
            names = (*names[:2], "given")
        legend = [("■", role, words) for role, words in zip(_ROLES, names, strict=True) if shown[role].any()]
        if rounding:
            legend.append(("─", "text", "r_d"))
        if series.has_curve:
            legend.append(("─", "dim", "g_1(d), computed for this picture"))
        if len(series.unseen):
            legend.append(("–", "dim", "not looked at"))
        if beyond:
            legend.append(("▲", "text", "beyond the scale"))
        if below:
            legend.append(("▼", "text", "0 or below the scale"))
        if series.d_star is not None:
            legend.append(("★", "best", "d⋆"))
        self.legend.show_entries(legend, self.theme)

    def _follow(self, *_: object) -> None:
        """The star of d⋆ stays at the lower edge of what is in sight."""
        low, high = self.plot.box.viewRange()[1]
        d_star = None if self.series is None else self.series.d_star
        pixel = (high - low) / max(self.plot.box.height(), 1.0)
        at = [] if d_star is None else [float(d_star)]
        self.star.setData(at, [low + self.theme.pixels(8) * pixel] * len(at))
        marked = None if self.snapshot is None or self.series is None else self.snapshot.selection.dimension
        x = [] if marked is None else [float(marked)]
        self.band.setOpts(x=x, y0=[low] * len(x), height=[high - low] * len(x), width=1.0)

    def _describe(self, x: float, y: float) -> str:
        return "" if self.series is None else cost_words(self.series, x)


def scale_of(series: CostSeries) -> tuple[float, float]:
    """First and last logarithm of the scale: all that is known, as far as it lies around B, and what was chosen."""
    known = np.concatenate([series.lower, series.upper, series.rounding, series.computed, [series.budget]])
    known = known[np.isfinite(known) & (known > 0.0)]
    if not len(known):
        return 0.0, 1.0
    low, high = math.log10(known.min()), math.log10(known.max())
    if 0.0 < series.budget < np.inf:
        middle = math.log10(series.budget)
        chosen = logarithms(series.upper[series.d == series.chosen])
        low, high = max(low, min([middle - _DOWN, *chosen[np.isfinite(chosen)]])), min(high, middle + _UP)
    base = math.floor(low - 0.05)
    return float(base), max(high, base + 1.0)


def logarithms(values: Floats) -> Floats:
    """To base 10; −∞ for 0."""
    with np.errstate(divide="ignore"):
        return np.log10(values)
