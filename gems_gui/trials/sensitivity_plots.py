"""Two plots, one above the other: median τ and success against the values of one parameter."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from gems_gui.appearance import Appearance
from gems_gui.series.sensitivity import SensitivitySeries
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.plot import Plot
from gems_gui.widgets.explained import described

_LEAST = 0.8  # smallest range in powers of ten, so that a nearly constant curve looks constant


class _Points:
    """A curve through points, each with a vertical error bar."""

    def __init__(self, name: str, role: str) -> None:
        self.plot = described(Plot(), name=name)
        self.role = role
        self.intervals = CurveItem(self.plot.box, connect="pairs")
        self.line = CurveItem(self.plot.box, connect="finite")
        self.points = MarkItem(self.plot.box, size=8)
        self.beyond = MarkItem(self.plot.box, "t1", size=10)
        self.present = MarkItem(self.plot.box, size=12)

    def apply_theme(self, theme: Theme) -> None:
        color = theme.color(self.role)
        self.plot.apply_theme(theme)
        self.intervals.setPen(pg.mkPen(theme.color(self.role, 150), width=theme.stroke(2)))
        self.line.setPen(pg.mkPen(color, width=theme.stroke(1.2)))
        for marks, size in ((self.points, 8), (self.beyond, 10), (self.present, 12)):
            marks.setBrush(color)
            marks.setSize(theme.stroke(size))

    def show(self, x: np.ndarray, values: np.ndarray, top: float, present: int | None) -> None:
        """Draw three rows: values, and both ends of their intervals; infinite values are drawn at the top."""
        some = ~np.isnan(values[0])
        middle = np.where(np.isfinite(values[0]), values[0], np.nan)
        low, high = (np.minimum(np.where(np.isnan(each), 0.0, each), top) for each in values[1:])
        self.intervals.setData(np.repeat(x[some], 2), np.column_stack([low[some], high[some]]).ravel())
        self.line.setData(x[some], middle[some])
        known = np.isfinite(middle)
        self.points.setData(x[known], middle[known])
        beyond = some & np.isinf(values[0])
        self.beyond.setData(x[beyond], np.full(int(beyond.sum()), top))
        here = [] if present is None or not known[present] else [present]
        self.present.setData(x[here], middle[here])

    def clear(self) -> None:
        for item in (self.intervals, self.line, self.points, self.beyond, self.present):
            item.setData([], [])


class SensitivityPlots(QSplitter):
    """The two plots; a click selects a value."""

    picked = Signal(int)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._appearance = appearance
        self.tau = _Points("Median τ against the values", "surviving")
        self.success = _Points("Success against the values", "chosen")
        self.series: SensitivitySeries | None = None
        self.tau.plot.y_axis.setLogMode(False, True)
        self.success.plot.y_axis.set_tick_labels([(each / 4, f"{25 * each} %") for each in range(5)])
        for each in (self.tau, self.success):
            each.plot.describe = self._describe
            each.plot.pick = self._pick
            self.addWidget(each.plot)
        self.setChildrenCollapsible(False)
        appearance.follow(self._apply_theme)
        self.show_nothing(("",))

    def _apply_theme(self, theme: Theme) -> None:
        for each in (self.tau, self.success):
            each.apply_theme(theme)
            each.plot.setMinimumSize(theme.pixels(240), theme.pixels(120))
        if self.series is not None:
            self.show_series(self.series)

    def show_nothing(self, why: tuple[str, ...]) -> None:
        """Show why there is nothing to draw."""
        self.series = None
        for each in (self.tau, self.success):
            each.clear()
            each.plot.x_axis.setLogMode(False, False)
            each.plot.frame((0.0, 1.0), (0.0, 1.0))
            each.plot.show_placeholder(why)
            each.plot.settle()

    def show_series(self, series: SensitivitySeries) -> None:
        """Draw the curves."""
        self.series = series
        x = series.x
        margin = 0.06 * max(float(np.ptp(x)), 0.5)
        across = (float(x.min()) - margin, float(x.max()) + margin)
        with np.errstate(divide="ignore"):
            tau = np.log10(np.maximum(series.tau, 1.0))
        seen = tau[np.isfinite(tau) & (series.tau > 0)]
        low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
        middle, half = (low + high) / 2, max((high - low) / 2, _LEAST / 2)
        low, high = middle - half, middle + half
        top = high + 0.08 * (high - low)
        bottom = low - 0.08 * (high - low)
        self.tau.show(x, np.where(np.isnan(tau), tau, np.maximum(tau, bottom)), top, series.present)
        self.success.show(x, series.success, 1.0, series.present)
        symbol = series.asked.specification.symbols[series.asked.name]
        for each, label, rows in ((self.tau, "median τ", (bottom, top)), (self.success, "right", (0.0, 1.0))):
            plot = each.plot
            plot.show_placeholder(())
            if bool(plot.x_axis.logMode) != series.log_x:
                plot.x_axis.setLogMode(series.log_x, False)
            plot.x_axis.set_tick_labels(series.names)
            plot.label(symbol, label, self._appearance.theme)
            plot.frame(across, rows, *(self._appearance.theme.pixels(8),) * 2)
            plot.y_axis.setWidth(None)
            plot.settle()
        widest = max(each.plot.y_axis.minimumWidth() for each in (self.tau, self.success))
        for each in (self.tau, self.success):
            each.plot.y_axis.setWidth(widest)  # so that the two plots are aligned
            each.plot.settle()

    def _describe(self, x: float, y: float) -> str:
        return "" if self.series is None else self.series.words(self.series.nearest(x))

    def _pick(self, x: float, y: float) -> None:
        if self.series is not None:
            self.picked.emit(self.series.nearest(x))
