"""The view of τ over many seeds of the shown run."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from gems_gui.series.tau import TauSeries, tau_series, tau_words
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.plot import Plot, bars
from gems_gui.views.view import View

_MOST_DOTS = 2_000  # more of them only hide each other
_ROLES = ("budget", "now", "dim")


class TauDistribution(View):
    """The share of all trials with at most this τ, as steps; those without τ as a column at the right edge."""

    name = "tau"
    title = "Distribution of τ"
    marks_selection = False
    about = (
        "How many of the replicates are right for good after at most so many samples. The column at the right are "
        "those that are not right in the end: they have no τ, and are in every quantile all the same."
    )

    seed_picked = Signal(object)
    """The user points at a trial: its seed."""

    def make(self) -> QWidget:
        """Steps, a dot for each trial, the median with its interval, and columns for those without τ."""
        self.plot = Plot()
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        self.zeros = bars(self.plot)
        self.columns = {role: bars(self.plot) for role in _ROLES}
        self.edge = CurveItem(self.plot.box, connect="pairs")
        self.steps = CurveItem(self.plot.box)
        self.interval = CurveItem(self.plot.box)
        self.own = CurveItem(self.plot.box)
        self.dots = MarkItem(self.plot.box, size=5)
        self.median = MarkItem(self.plot.box, "d", size=10)
        self.plot.y_axis.name_places([(each / 4, f"{25 * each} %") for each in range(5)])
        self.series: TauSeries | None = None
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        self.steps.setPen(pg.mkPen(theme.chosen, width=theme.stroke(2)))
        self.zeros.setOpts(brush=theme.color("chosen", 150), pen=pg.mkPen(None))
        for role, column in self.columns.items():
            column.setOpts(brush=theme.color(role, 170), pen=pg.mkPen(theme.card))
        self.edge.setPen(pg.mkPen(theme.line, width=theme.stroke(1), style=Qt.PenStyle.DashLine))
        self.interval.setPen(pg.mkPen(theme.surviving, width=theme.stroke(3), capStyle=Qt.PenCapStyle.FlatCap))
        self.median.setBrush(theme.surviving)
        self.own.setPen(pg.mkPen(theme.text, width=theme.stroke(1.2), style=Qt.PenStyle.DashLine))
        self.dots.setBrush(theme.color("chosen", 130))
        self.dots.setSize(theme.stroke(5))
        self.median.setSize(theme.stroke(10))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        for item in (self.steps, self.interval, self.own, self.dots, self.median, self.edge):
            item.setData([], [])
        for column in (self.zeros, *self.columns.values()):
            column.empty()
        self._log(False)
        self.plot.x_axis.lowest, self.plot.x_axis.highest = -np.inf, np.inf
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """What is known so far."""
        series = self.series = tau_series(snapshot)
        if series.nothing:
            self.set_subtitle("", series.nothing)
            return
        self._log(True)
        left, right = series.x_range
        low, high = self.plot.x_axis.lowest, self.plot.x_axis.highest = series.inner
        x = np.concatenate([[low], np.repeat(series.logs, 2), [high]])
        y = np.concatenate([[series.zeros] * 2, np.repeat(series.shares, 2)])
        self.steps.setData(x, y)
        self.edge.setData([low, low, high, high], [0.0, 1.0, 0.0, 1.0])
        some = [series.zeros] if series.zeros else []
        self.zeros.setOpts(
            x=[(left + low) / 2] * len(some), y0=[0.0] * len(some), height=some, width=0.6 * (low - left)
        )
        below, drawn = series.success, {}
        for each in series.censored:
            drawn[each.role] = (below, each.trials / series.total)
            below += each.trials / series.total
        for role, column in self.columns.items():
            if role in drawn:
                middle, width = (high + right) / 2, 0.6 * (right - high)
                column.setOpts(x=[middle], y0=[drawn[role][0]], height=[drawn[role][1]], width=width)
            else:
                column.empty()
        dots = series.logs[:: max(1, len(series.logs) // _MOST_DOTS)]
        self.dots.setData(dots, np.full(len(dots), -0.035))
        self._median(series)
        self.own.setData(*(([], []) if series.own is None else ([series.own] * 2, [0.0, 1.0])))
        self.plot.label("τ: samples after which it is right for good", "share of all seeds", self.theme)
        self.plot.frame((left, right), (-0.07, 1.0), self.theme.pixels(8))
        self._explain(series)
        self.set_subtitle(series.subtitle)

    def _median(self, series: TauSeries) -> None:
        """The median between the two order statistics that enclose the true one; what is infinite ends at the edge."""
        low, high = series.inner
        found = series.median
        if found is None or found.value == 0.0:
            self.interval.empty()
            self.median.setData([], [])
            return
        ends = [np.clip(np.log10(max(each, 1e-9)), low, high) for each in (found.low, found.high)]
        self.interval.setData(ends, [0.5, 0.5])
        finite = np.isfinite(found.value)
        self.median.setData([np.log10(found.value)] if finite else [], [0.5] if finite else [])

    def _explain(self, series: TauSeries) -> None:
        legend = [("━", "chosen", "share with at most this τ"), ("◆", "surviving", "median and its 95 % interval")]
        if series.own is not None:
            legend.append(("┆", "text", "this run"))
        legend += [("■", each.role, f"{each.trials} {each.words}") for each in series.censored]
        if series.zeros:
            legend.append(("■", "chosen", "τ = 0"))
        self.legend.show_entries(legend, self.theme)

    def _log(self, on: bool) -> None:
        if bool(self.plot.x_axis.logMode) != on:
            self.plot.x_axis.setLogMode(on, False)

    def _describe(self, x: float, y: float) -> str:
        return "" if self.series is None else tau_words(self.series, x)

    def _pick(self, x: float, y: float) -> None:
        if self.series is not None and x <= self.series.inner[1]:
            seed = self.series.seed_at(x)
            if seed is not None:
                self.seed_picked.emit(seed)
