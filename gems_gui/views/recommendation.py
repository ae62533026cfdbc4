"""The view of what was recommended at how many samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from gems_engine.history import Booleans
from gems_gui.series.recommendation import (
    LINEAR,
    LOG,
    RecommendationSeries,
    SampleMark,
    recommendation_series,
    recommendation_words,
)
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.option import Option
from gems_gui.views.plot import Plot, bars
from gems_gui.views.view import TARGET, View

_MARKS = 4  # τ, first right, verifiable, cap
_MARGIN = 18  # pixels on the left, for the star
_LANES = 2  # lines of text over the rows


class Recommendation(View):
    """The recommended target as steps over samples, right and wrong in two colours."""

    name = "recommendation"
    title = "Recommendation"
    picks = TARGET
    about = (
        "Which target is recommended after how many samples. τ is the number of samples from which the recommendation "
        "is right up to the present moment; a later mistake takes it back."
    )
    options = (Option("scale", "Samples", {LINEAR: "Linear", LOG: "Logarithmic"}),)

    def make(self) -> QWidget:
        """A row for each target, stretches by colour, steps between them, and upright lines for what matters."""
        self.plot = Plot(whole_x=True)
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        self.plot.box.invertY(True)
        self.band = bars(self.plot)
        self.marks = [_UprightLine(self.plot) for _ in range(_MARKS)]
        self.steps, self.wrong, self.right, self.unjudged = (
            CurveItem(self.plot.box, connect="pairs") for _ in range(4)
        )
        self.current = MarkItem(self.plot.box, size=11)
        self.best = MarkItem(self.plot.box, "star")
        self.series: RecommendationSeries | None = None
        self.plot.box.sigRangeChanged.connect(self._place_marks)
        self.plot.box.sigResized.connect(self._frame)
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        self.steps.setPen(pg.mkPen(theme.dim, width=theme.stroke(1)))
        for curve, role in ((self.right, "chosen"), (self.wrong, "now"), (self.unjudged, "surviving")):
            curve.setPen(pg.mkPen(theme.color(role), width=theme.stroke(4), capStyle=Qt.PenCapStyle.FlatCap))
        self.band.setOpts(brush=theme.color("text", 14), pen=pg.mkPen(theme.color("text", 150)))
        self.best.setBrush(theme.best)
        self.best.setSize(theme.pixels(12))
        self.current.setSize(theme.stroke(11))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        for curve in (self.steps, self.right, self.wrong, self.unjudged, self.current, self.best):
            curve.setData([], [])
        self.band.empty()
        for mark in self.marks:
            mark.hide()
        self.plot.x_axis.setLogMode(False, False)
        self.plot.y_axis.name_places([])
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """The recommendations up to the cursor."""
        series = self.series = recommendation_series(snapshot, self.settings["scale"])
        begin, end, y = series.x(series.path.samples), series.x(series.ends), series.rows + 0.5
        right = series.path.right
        for curve, which in (
            (self.right, right),
            (self.wrong, None if right is None else ~right),
            (self.unjudged, np.ones(len(y), dtype=bool) if right is None else None),
        ):
            curve.setData(*_stretches(begin, end, y, which))
        self.steps.setData(np.repeat(begin[1:], 2), np.column_stack([y[:-1], y[1:]]).ravel())
        self.current.setData(end[-1:], y[-1:])
        self.current.setBrush(
            self.theme.color("surviving" if right is None else "chosen" if right[-1:].all() else "now")
        )
        log = self.settings["scale"] == LOG
        if bool(self.plot.x_axis.logMode) != log:
            self.plot.x_axis.setLogMode(log, False)
        self.plot.y_axis.name_places(series.names)
        self.plot.label("samples", series.y_label, self.theme)
        self._frame()
        self._explain(series)
        self.set_subtitle(series.subtitle, phrasings(series.nothing))

    def _explain(self, series: RecommendationSeries) -> None:
        legend = []
        if series.path.right is None:
            legend.append(("━", "surviving", "recommended"))
        else:
            legend += [("━", "chosen", "right"), ("━", "now", "wrong")]
        if series.best is not None:
            legend.append(("★", "best", "true best"))
        for each in series.marks:
            legend.append(("┆", each.role, each.words.split(" = ")[0]))
        self.legend.show_entries(legend, self.theme)

    # -- what depends on the room there is --------------------------------------------------------------------------

    def _line(self) -> float:
        """Height of a line of text."""
        return QFontMetricsF(self.theme.font(11)).height()

    def _frame(self, *_: object) -> None:
        """Show all of it, with room for the star on the left and for names above."""
        if self.series is None:
            return
        low, high = self.series.x_range
        margin = self.theme.pixels(_MARGIN)
        left = low - margin * (high - low) / max(self.plot.box.width() - margin, 50.0)
        self.plot.x_axis.lowest = low
        rows = float(max(1, len(self.series.targets)))
        self.plot.frame((left, high), (0.0, rows), above=4, below=_LANES * (self._line() + 2))
        self._place_marks()

    def _place_marks(self, *_: object) -> None:
        """Upright lines with their names over the rows, those that have room; the star and the band at the edges."""
        series = self.series
        if series is None:
            return
        (left, right), (low, high) = self.plot.box.viewRange()
        across = (right - left) / max(self.plot.box.width(), 1.0)
        down = (high - low) / max(self.plot.box.height(), 1.0)
        taken: list[QRectF] = []
        for mark, line in zip([*series.marks, *[None] * _MARKS], self.marks, strict=False):
            if mark is None:
                line.hide()
                continue
            at = (float(series.x(mark.samples)) - left) / across
            line.show(mark, float(series.x(mark.samples)), self.theme)
            box = line.room(at, self.plot.box.width(), taken)
            line.write(None if box is None else (left + box.left() * across, low + box.top() * down))
            taken += [] if box is None else [box]
        star = [] if series.best is None else [series.best + 0.5]
        self.best.setData([left + self.theme.pixels(_MARGIN) / 2 * across] * len(star), star)
        if series.selected is None:
            self.band.empty()
        else:
            middle = (left + right) / 2
            self.band.setOpts(x=[middle], width=right - left, y0=[float(series.selected)], height=[1.0])

    # -- mouse ------------------------------------------------------------------------------------------------------

    def _describe(self, x: float, y: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return recommendation_words(self.snapshot, self.series, x)

    def in_order(self) -> Sequence[int]:
        """The rows from the top."""
        return () if self.series is None else self.series.targets.tolist()

    def _pick(self, x: float, y: float) -> None:
        if self.snapshot is None or self.series is None:
            return
        row = int(np.floor(y))
        target = int(self.series.targets[row]) if 0 <= row < len(self.series.targets) else None
        self.target_picked.emit(None if target == self.snapshot.selection.target else target)


def _stretches(
    begin: np.ndarray, end: np.ndarray, y: np.ndarray, which: Booleans | None
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of points, one pair for each level stretch that is meant."""
    if which is None:
        return np.zeros(0), np.zeros(0)
    return np.column_stack([begin[which], end[which]]).ravel(), np.repeat(y[which], 2)


class _UprightLine:
    """A dashed upright line with its name beside its upper end."""

    def __init__(self, plot: Plot) -> None:
        self.line = pg.InfiniteLine(angle=90, movable=False)
        self.text = pg.TextItem(anchor=(0.0, 0.0))
        for item in (self.line, self.text):
            plot.addItem(item, ignoreBounds=True)
        self.hide()

    def hide(self) -> None:
        """Draw nothing."""
        self.line.setVisible(False)
        self.text.setVisible(False)

    def show(self, mark: SampleMark, x: float, theme: Theme) -> None:
        """Draw the line."""
        color = theme.color(mark.role)
        self.line.setPen(pg.mkPen(color, width=theme.stroke(1.5), style=Qt.PenStyle.DashLine))
        self.line.setValue(x)
        self.line.setVisible(True)
        self.text.setFont(theme.font(11))
        self.text.setColor(color)
        if self.text.toPlainText() != mark.words:
            self.text.setPlainText(mark.words)

    def room(self, at: float, width: float, taken: list[QRectF]) -> QRectF | None:
        """Where beside the line, in pixels, the name lies on no other; None where that is nowhere."""
        size = self.text.boundingRect()
        for lane in range(_LANES):
            for x in (at, at - size.width()):
                box = QRectF(x, lane * (size.height() - 8) - 3, size.width(), size.height())
                inner = box.adjusted(4, 4, -4, -4)
                free = not any(inner.intersects(other.adjusted(4, 4, -4, -4)) for other in taken)
                if x >= 0 and box.right() <= width and free:
                    return box
        return None

    def write(self, place: tuple[float, float] | None) -> None:
        """Put the name there, or leave it out."""
        self.text.setVisible(place is not None)
        if place is not None:
            self.text.setPos(*place)
