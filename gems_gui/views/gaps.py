"""The view of the estimated gaps and the widths that they must reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import QGraphicsRectItem, QWidget

from gems_gui.series.gaps import GAP, INDEX, MARGIN, GapSeries, gap_series, gap_words
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.items import BarItem, CurveItem, MarkItem
from gems_gui.views.option import Option
from gems_gui.views.plot import Plot
from gems_gui.views.view import TARGET, View

_ROOM = 14  # pixels for each kind of mark beside the bars
_HIGHEST = 44  # pixels of a row: few arms stand at the top instead of filling the plot
_LIGHT = 90  # of 255: how much of its colour a bar has while its round is being decided


class Gaps(View):
    """One bar for each survivor of the round: the gap of the pair that decides about it, and its width as a line."""

    name = "gaps"
    title = "Gaps and widths"
    picks = TARGET
    blanks = False
    about = (
        "For each arm that entered this round, the rival that comes nearest to eliminating it: the bar is the "
        "estimated gap between the two, the line the width that the gap must reach. Where the bar reaches the line, "
        "the arm is eliminated. Light bars: the round has estimated and not decided yet."
    )
    options = (Option("order", "Arms", {GAP: "By gap", MARGIN: "By gap less width", INDEX: "By index"}),)

    def make(self) -> QWidget:
        """Two sets of bars, the lines of the widths, and marks."""
        self.plot = Plot()
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        self.plot.falls_silent = (self.plot.x_axis,)  # the arms are there from the start
        self.plot.box.invertY(True)
        self.row = QGraphicsRectItem()
        self.zero = pg.InfiniteLine(0.0, angle=90, movable=False)
        for item in (self.row, self.zero):
            self.plot.addItem(item, ignoreBounds=True)
        self.stay = BarItem(self.plot.box, x0=[], y=[], width=[], height=0.7)
        self.leave = BarItem(self.plot.box, x0=[], y=[], width=[], height=0.7)
        self.widths = CurveItem(self.plot.box, connect="pairs")
        self.best = MarkItem(self.plot.box, "star")
        self.recommended = MarkItem(self.plot.box, "d")
        self.series: GapSeries | None = None
        self.plot.box.sigResized.connect(self._frame)
        self.plot.box.sigRangeChanged.connect(self._follow)
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Colours; bars get theirs when they are drawn."""
        self.plot.apply_theme(theme)
        self.zero.setPen(pg.mkPen(theme.line))
        self.widths.setPen(pg.mkPen(theme.text, width=theme.stroke(2), capStyle=Qt.PenCapStyle.FlatCap))
        self.row.setPen(pg.mkPen(theme.color("text", 150)))
        self.row.setBrush(theme.color("text", 14))
        for mark, role, size in ((self.best, "best", 13), (self.recommended, "chosen", 10)):
            mark.setBrush(theme.color(role))
            mark.setSize(theme.pixels(size))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        self._draw_bars(None)
        self._frame()

    def paint(self, snapshot: Snapshot) -> None:
        """The survivors of the round at the cursor."""
        series = self.series = gap_series(snapshot, self.settings["order"])
        self._draw_bars(series)
        self.plot.y_axis.name_places(series.names)
        self.plot.label(series.x_label, series.y_label, self.theme)
        self._frame()
        self._explain(series)
        self.set_subtitle(series.subtitle, phrasings(series.nothing))

    def _draw_bars(self, series: GapSeries | None) -> None:
        count = 0 if series is None else len(series.targets)
        middles = np.arange(count) + 0.5
        gaps = np.zeros(0) if series is None else series.gaps
        leaves = np.zeros(0, dtype=bool) if series is None else series.leaves
        decided = series is None or series.decided or not series.rule
        for item, role, some in ((self.stay, "surviving", ~leaves), (self.leave, "now", leaves)):
            color = self.theme.color(role)
            item.setOpts(
                x0=np.zeros(int(some.sum())),
                y=middles[some],
                width=gaps[some],
                brush=QBrush(color) if decided else QBrush(self.theme.color(role, _LIGHT)),
                pen=pg.mkPen(None) if decided else pg.mkPen(color),
            )
        lined = series is not None and (series.rule or series.decided)
        widths = series.widths if series is not None and lined else np.zeros(0)
        ends = np.stack([middles - 0.45, middles + 0.45], axis=1)[: len(widths)]
        self.widths.setData(np.repeat(widths, 2), ends.ravel())

    def _explain(self, series: GapSeries) -> None:
        mark, would = ("■", "") if series.decided else ("▨", "would ")
        legend = []
        if series.rule or series.decided:
            legend = [
                (mark, "now", "would be eliminated" if would else "eliminated"),
                (mark, "surviving", "would remain" if would else "remains"),
                ("│", "text", f"width {series.rule}".strip()),
            ]
        elif len(series.targets):
            legend = [("■", "surviving", "gap to the nearest rival")]
        if series.best is not None:
            legend.append(("★", "best", "true best"))
        if series.recommended is not None:
            legend.append(("◆", "chosen", series.called))
        self.legend.show_entries(legend, self.theme)

    # -- what depends on the room there is --------------------------------------------------------------------------

    def _slots(self) -> int:
        """Kinds of marks beside the bars."""
        series = self.series
        return 0 if series is None else (series.best is not None) + (series.recommended is not None)

    def _frame(self, *_: object) -> None:
        """All bars and lines, with room for the marks on their left."""
        series = self.series
        rows = 0 if series is None else len(series.targets)
        if series is None or not rows:
            names = [] if series is None else series.names
            self.plot.x_axis.lowest = 0.0
            self.plot.y_axis.name_places(names)
            self.plot.frame((0.0, 1.0), (0.0, max(float(len(names)), 1.0)))
        else:
            low = min(0.0, float(series.gaps.min()))
            high = max(float(series.gaps.max()), float(series.widths.max()), low + 1e-12)
            marks = self.theme.pixels(_ROOM) * self._slots() + 4
            pixel = 1.04 * (high - low) / max(self.plot.box.width() - marks, 50.0)
            self.plot.x_axis.lowest = low
            half = self.theme.pixels(_ROOM) / 2  # of a mark in the first or last row, where rows are thin
            down = max(float(rows), self.plot.box.height() / self.theme.pixels(_HIGHEST))
            self.plot.frame((low - marks * pixel, high + 0.04 * (high - low)), (0.0, down), half, half)
        self._follow()

    def _follow(self, *_: object) -> None:
        """Marks stay at the left edge of what is in sight."""
        series = self.series
        left, right = self.plot.box.viewRange()[0]
        room = self.theme.pixels(_ROOM) * (right - left) / max(self.plot.box.width(), 1.0)
        slot = left + 0.6 * room
        for item, row in (
            (self.best, None if series is None else series.best),
            (self.recommended, None if series is None else series.recommended),
        ):
            item.setData([] if row is None else [slot], [] if row is None else [row + 0.5])
            slot += 0.0 if row is None else room
        selected = None if series is None else series.selected
        self.row.setVisible(selected is not None)
        if selected is not None:
            self.row.setRect(QRectF(left, selected, right - left, 1.0))

    # -- mouse ------------------------------------------------------------------------------------------------------

    def _describe(self, x: float, y: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return gap_words(self.snapshot, self.series, y)

    def in_order(self) -> Sequence[int]:
        """The rows from the top."""
        return () if self.series is None else self.series.targets.tolist()

    def _pick(self, x: float, y: float) -> None:
        if self.snapshot is None or self.series is None:
            return
        row = self.series.row_at(y)
        target = None if row is None else int(self.series.targets[row])
        self.target_picked.emit(None if target == self.snapshot.selection.target else target)
