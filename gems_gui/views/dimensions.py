"""The view of what every dimension costs and is worth."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gems_engine.arrays import Floats
from gems_engine.terminal import number
from gems_gui.series.dimension_book import book_of
from gems_gui.series.dimensions import (
    EVERYONE,
    SURVIVORS,
    DimensionsSeries,
    dimensions_series,
    dimensions_words,
    shown_set,
)
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.levels import LevelLine, SecondAxis
from gems_gui.views.option import Option
from gems_gui.views.plot import Plot, bars
from gems_gui.views.view import View

_LINES = {"iota": "surviving", "cost": "text", "rounding": "dim", "rho": "best"}
_WORDS = {"iota": "ι", "cost": "cost g_k(d)", "rounding": "r_d", "rho": "ρ⋆_d"}
_MOST_DOTS = 60
_DECADES = 9.0  # of the scale, at most


class Dimensions(View):
    """ι, cost, r_d, ρ⋆ and, on an axis of its own, γ̃ against d, all on logarithmic scales."""

    name = "dimensions"
    title = "Every dimension"
    marks_selection = False
    about = (
        "For every d at once: ι of the targets that remain, the cost g_k(d) that is compared with B, r_d(ζ), ρ⋆_d, "
        "what the instance needs in R^d, and γ̃(d), how far its rewards are from linear there. Curves fill up as they "
        "are computed; ρ⋆, γ̃ and d⋆ go with the truth."
    )
    options = (Option("of", "ι and cost of", {SURVIVORS: "The targets that remain", EVERYONE: "All targets"}),)

    def make(self) -> QWidget:
        """A line with dots for each quantity."""
        self.plot = Plot(whole_x=True)
        self.plot.y_axis.setLogMode(False, True)
        self.plot.describe = self._describe
        self.right = SecondAxis(self.plot)
        self.gamma = CurveItem(self.right.box, connect="finite")
        self.band = bars(self.plot)
        self.lines = {name: CurveItem(self.plot.box, connect="finite") for name in _LINES}
        self.dots = {name: MarkItem(self.plot.box, size=6) for name in _LINES}
        self.budget = LevelLine(self.plot)
        self.chosen = MarkItem(self.plot.box, "o")
        self.star = MarkItem(self.plot.box, "star")
        self.series: DimensionsSeries | None = None
        self.plot.box.sigRangeChanged.connect(self._follow)
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        for name, role in _LINES.items():
            self.lines[name].setPen(pg.mkPen(theme.color(role), width=theme.stroke(2 if name != "rounding" else 1)))
            self.dots[name].setBrush(theme.color(role))
            self.dots[name].setSize(theme.stroke(6))
        self.gamma.setPen(pg.mkPen(theme.now, width=theme.stroke(2), style=Qt.PenStyle.DotLine))
        self.right.apply_theme(theme, "now")
        self.budget.apply_theme(theme, "budget")
        self.chosen.setBrush(theme.chosen)
        self.chosen.setSize(theme.stroke(11))
        self.star.setBrush(theme.best)
        self.star.setSize(theme.pixels(11))
        self.band.setOpts(brush=theme.color("text", 14), pen=pg.mkPen(theme.color("text", 150)))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        for name in _LINES:
            self.lines[name].empty()
            self.dots[name].setData([], [])
        self.gamma.empty()
        self.right.show(False)
        self.band.empty()
        self.chosen.setData([], [])
        self.star.setData([], [])
        self.budget.empty()
        self.plot.frame((0.5, 1.5), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """What is known of every dimension; a picture waits for all of it."""
        if self.exporting:
            chosen, _ = shown_set(snapshot, self.settings["of"])
            book_of(snapshot.instance).fill([chosen] if len(chosen) > 1 else [], snapshot.truth)
        series = self.series = dimensions_series(snapshot, self.settings["of"])
        D = len(series.iota)
        d = np.arange(1.0, D + 1)
        curves = {"iota": series.iota, "cost": series.cost, "rounding": series.rounding, "rho": series.rho}
        low, high = _scale(series)
        for name, values in curves.items():
            logs = np.full(D, np.nan) if values is None else _logarithms(values)
            logs[(logs > high + 1e-9) | (logs < low - 1e-9)] = np.nan
            some = ~np.isnan(logs)
            self.lines[name].setData(*((d, logs) if some.any() else ((), ())))
            dots = some if name != "rounding" and D <= _MOST_DOTS else np.zeros(D, dtype=bool)
            self.dots[name].setData(d[dots], logs[dots])
        self._gamma(series, d)
        if np.isfinite(series.budget) and series.budget > 0:
            self.budget.show(math.log10(series.budget), f"B = {number(series.budget)}")
        else:
            self.budget.empty()
        at = [series.chosen] if series.chosen and np.isfinite(series.cost[series.chosen - 1]) else []
        self.chosen.setData(at, [math.log10(series.cost[each - 1]) for each in at])
        self.plot.label("dimension d", "", self.theme)
        self.plot.x_axis.lowest, self.plot.x_axis.highest = 1.0, float(D)
        margin = max(0.1, 0.01 * D)
        under = self.theme.pixels(17 if series.d_star is not None else 6)
        self.plot.frame((0.5 - margin, D + 0.5 + margin), (low, high), self.theme.pixels(10), under)
        self._follow()
        self._explain(series)
        self.set_subtitle(series.subtitle)

    def _gamma(self, series: DimensionsSeries, d: Floats) -> None:
        """On the right; where γ̃ is 0 there is no logarithm and no line."""
        logs = np.full(len(d), np.nan) if series.gamma is None else _logarithms(series.gamma)
        some = np.isfinite(logs)
        self.right.show(bool(some.any()))
        self.gamma.setData(*((d, np.where(some, logs, np.nan)) if some.any() else ((), ())))
        if some.any():
            low, high = float(logs[some].min()), float(logs[some].max())
            self.right.frame(low - 0.1 * (high - low + 1), high + 0.1 * (high - low + 1))

    def _follow(self, *_: object) -> None:
        """The star of d⋆ stays at the lower edge; a dimension that a story marks has a band."""
        low, high = self.plot.box.viewRange()[1]
        d_star = None if self.series is None else self.series.d_star
        at = [] if d_star is None else [float(d_star)]
        pixel = (high - low) / max(self.plot.box.height(), 1.0)
        self.star.setData(at, [low + self.theme.pixels(8) * pixel] * len(at))
        marked = None if self.snapshot is None or self.series is None else self.snapshot.selection.dimension
        x = [] if marked is None else [float(marked)]
        self.band.setOpts(x=x, y0=[low] * len(x), height=[high - low] * len(x), width=1.0)

    def _explain(self, series: DimensionsSeries) -> None:
        names = [name for name in _LINES if name != "rho" or series.rho is not None]
        legend = [("─", _LINES[name], _WORDS[name]) for name in names]
        if self.gamma.isVisible():
            legend.append(("┄", "now", "γ̃(d) (right)"))
        elif series.gamma is not None and not np.isnan(series.gamma).any():
            legend.append(("┄", "now", "γ̃(d) = 0"))
        if series.chosen:
            legend.append(("●", "chosen", "d_k"))
        if series.d_star is not None:
            legend.append(("★", "best", "d⋆"))
        self.legend.show_entries(legend, self.theme)

    def _describe(self, x: float, y: float) -> str:
        return "" if self.series is None else dimensions_words(self.series, x)


def _scale(series: DimensionsSeries) -> tuple[float, float]:
    """First and last logarithm of all that is known."""
    parts = [series.iota, series.cost, series.rounding, *([] if series.rho is None else [series.rho])]
    known = np.concatenate([*parts, [series.budget]])
    known = known[np.isfinite(known) & (known > 0.0)]
    low, high = math.log10(known.min()), math.log10(known.max())  # r_d is always there
    low = max(low, high - _DECADES)
    return low - 0.05, max(high, low + 1.0)


def _logarithms(values: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(values)
    return np.where(np.isfinite(logs), logs, np.nan)
