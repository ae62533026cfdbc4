"""The view of who is left after every round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainterPath, QTransform
from PySide6.QtWidgets import QGraphicsPathItem, QGraphicsRectItem, QWidget

from gems_engine.arrays import Floats, Integers
from gems_engine.terminal import number
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.fate_raster import BEFORE, MOST_COLUMNS, NOW, SURVIVING, UNDECIDED, Codes, FateColumns
from gems_gui.series.surviving_arms import (
    ESTIMATE,
    EVENTS,
    INDEX,
    REWARD,
    ROUNDS,
    SAMPLES,
    SurvivalSeries,
    survival_raster,
    survival_series,
    survival_words,
)
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem, RasterItem
from gems_gui.views.number_axis import NumberAxis
from gems_gui.views.option import Option
from gems_gui.views.plot import Plot
from gems_gui.views.view import TARGET, View

_MOST_LINES = 60  # rows with a line between them
_LEAST_ROW = 8  # pixels: lines between lower rows are only noise, and an outline of one covers it
_LEAST_SEEN = 3  # pixels: arms whose rows would be lower share one, where a survivor is seen before all others
_LOW = 13  # lines of text: a plot that is lower has no room for the line of how many are left
_FAINT = 90  # of 255: the lines between cells
_ROOM = 14  # pixels for each mark beside the raster, and over it for that of the current round
_LEFT = "|Ŝ|"
_LIGHT = 110  # of 255: how much of its colour a survivor has while its round is being decided


class SurvivingArms(View):
    """The fate of every target in every round as one image, with marks beside it and |Ŝ| over it."""

    name = "survivors"
    title = "Surviving arms"
    picks = TARGET
    blanks = False
    about = (
        "One row for each arm, one column for each round: which arms are still candidates after the round, which it "
        "eliminated, and how many remain. Light: the round has not decided yet, or not begun."
    )
    options = (
        Option("scope", "Rounds", {SUBROUTINE: "This subroutine", RUN: "Whole run"}),
        Option("order", "Arms", {REWARD: "By true reward", ESTIMATE: "By estimate", INDEX: "By index"}),
        Option("axis", "Width of a round", {ROUNDS: "Rounds", EVENTS: "Events", SAMPLES: "Samples"}),
    )

    def make(self) -> QWidget:
        """The image, what lies over it, and the marks beside it."""
        self.plot = Plot(whole_x=True)
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        self.plot.falls_silent = (self.plot.x_axis,)  # the arms are there from the start
        self.plot.box.invertY(True)
        for axis in (self.plot.x_axis, self.plot.y_axis):
            axis.setStyle(tickLength=0)  # marks would lie on the cells
        self.image = RasterItem(self.plot.box)
        self.hatch = QGraphicsPathItem()
        self.chosen_row = QGraphicsRectItem()
        self.current = QGraphicsRectItem()
        self.plot.addItem(self.hatch, ignoreBounds=True)
        self.lines = CurveItem(self.plot.box, connect="pairs")
        self.gaps = CurveItem(self.plot.box, connect="pairs")
        self.coming = CurveItem(self.plot.box, connect="pairs")
        for item in (self.chosen_row, self.current):
            self.plot.addItem(item, ignoreBounds=True)
        self.pointer = MarkItem(self.plot.box, "t")
        self.best = MarkItem(self.plot.box, "star")
        self.recommended = MarkItem(self.plot.box, "d")
        self._make_counts()
        self.series: SurvivalSeries | None = None
        self._kept: FateColumns | None = None
        self._codes: Codes | None = None
        self._room: tuple[bool, bool, Theme] | None = None
        self.plot.box.sigResized.connect(self._draw)
        self.plot.box.sigRangeChangedManually.connect(self._draw)
        return self.plot

    def _make_counts(self) -> None:
        """Over the columns: numbers where they have room, a line on an axis of its own where they have not."""
        self.numbers = NumberAxis("top")
        self.numbers.setStyle(tickLength=0, autoExpandTextSpace=False)
        self.numbers.linkToView(self.plot.box)
        self.plot.grid.addItem(self.numbers, 1, 1)
        self.numbers_label = pg.LabelItem(justify="right")
        self.plot.grid.addItem(self.numbers_label, 1, 0)
        self.strip = pg.ViewBox(enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self.strip_axis = NumberAxis("left")
        self.strip_axis.linkToView(self.strip)
        self.strip_line = CurveItem(self.strip)
        self.strip.setXLink(self.plot.box)
        self.plot.grid.addItem(self.strip_axis, 0, 0)
        self.plot.grid.addItem(self.strip, 0, 1)
        self.plot.grid.setAlignment(self.strip_axis, Qt.AlignmentFlag.AlignRight)

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        undecided = theme.color("surviving", _LIGHT)
        fates = {BEFORE: "before", NOW: "now", SURVIVING: "surviving"}
        colors = {code: theme.color(role) for code, role in fates.items()}
        self.image.set_colors({**colors, UNDECIDED: undecided}, theme.color("card"))
        self.hatch.setPen(pg.mkPen(None))
        self.coming.setPen(pg.mkPen(theme.line))
        self.lines.setPen(pg.mkPen(theme.color("card", _FAINT)))
        self.gaps.setPen(pg.mkPen(theme.card, width=5))
        for item in (self.chosen_row, self.current):
            item.setPen(pg.mkPen(theme.text, width=theme.stroke(2)))
        for mark, role, size in (
            (self.pointer, "text", 10),
            (self.best, "best", 14),
            (self.recommended, "chosen", 11),
        ):
            mark.setBrush(theme.color(role))
            mark.setSize(theme.pixels(size))
        for axis in (self.numbers, self.strip_axis):
            axis.setPen(pg.mkPen(None) if axis is self.numbers else pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.surviving if axis is self.strip_axis else theme.dim))
            axis.setTickFont(theme.font(11))
            axis.setStyle(tickTextOffset=2)
        self.strip_line.setPen(pg.mkPen(theme.surviving, width=theme.stroke(1)))
        self._codes = None

    def clear(self) -> None:
        """Empty axes."""
        self.series = self._kept = self._codes = None
        for item in (self.image, self.hatch, self.chosen_row, self.current):
            item.setVisible(False)
        for lines in (self.lines, self.gaps, self.coming):
            lines.setData([], [])
        for marks in (self.pointer, self.best, self.recommended):
            marks.setData([], [])
        self._show_counts([], None)
        self.plot.x_axis.name_places([])
        self.plot.y_axis.name_places([])
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """The rounds up to the cursor."""
        if self._kept is None or self._kept.history is not snapshot.history:
            self._kept, self._codes = FateColumns(snapshot.history), None
        chosen = self.settings
        series = self.series = survival_series(snapshot, chosen["scope"], chosen["order"], chosen["axis"])
        self.plot.label(series.x_label, series.y_label, self.theme)
        self.plot.x_axis.name_places(series.places)
        self.plot.y_axis.name_places(series.names)
        self._draw()
        self.set_subtitle(series.subtitle, phrasings(series.nothing))

    def _explain(self, series: SurvivalSeries, line: bool) -> None:
        legend = [
            ("■", "surviving", "surviving"),
            ("■", "now", "eliminated this round"),
            ("■", "before", "eliminated before"),
            ("▨", "surviving", "being decided"),
        ]
        if series.best is not None:
            legend.append(("★", "best", "true best"))
        if series.recommended is not None:
            legend.append(("◆", "chosen", series.called))
        if line:
            legend.append(("─", "surviving", "how many remain"))
        self.legend.show_entries(legend, self.theme)

    # -- what depends on the room there is --------------------------------------------------------------------------

    def _draw(self, *_: object) -> None:
        """Everything whose form depends on how many pixels there are."""
        series, snapshot = self.series, self.snapshot
        if series is None or snapshot is None:
            return
        targets, rounds, waits = len(series.order), len(series.survivors), series.waits
        marks = self.theme.pixels(_ROOM) * (1 if series.best is None else 2) + 4
        room = self.theme.pixels(_ROOM)
        across = max(self.plot.box.width() - marks - room / 2, 50.0)
        down = max(self.plot.box.height() - room - 4, 20.0)
        x_pixel, y_pixel = series.width / across, targets / down  # in units of the axes
        ends = (-marks * x_pixel, series.width + room / 2 * x_pixel)
        self.plot.frame(ends, (0.0, float(targets)), above=4, below=room)
        seen = self.plot.box.viewRect()
        pixel = seen.width() / max(self.plot.box.width(), 1.0), seen.height() / max(self.plot.box.height(), 1.0)
        self.image.setVisible(rounds > 0)
        self.current.setVisible(rounds > 0 and not waits)
        shown = np.arange(rounds)
        if rounds:
            shown = self._draw_image(snapshot, series, across, pixel[1])
            self._draw_lines(series, x_pixel, y_pixel)
            left, right = series.edges[-2], series.edges[-1]
            column = QRectF(left, 0.0, right - left, targets)
            half = 1 + self.theme.stroke(2) / 2  # outside, with a gap: a row at its end may be no higher than its line
            aside, over = half * pixel[0], half * pixel[1]
            self.current.setRect(column.adjusted(-aside, -over, aside, over))
            self._draw_hatch(series, column, *pixel)
        else:
            self.lines.setData([], [])
            self.gaps.setData([], [])
            self.coming.setData([], [])
        pointed = series.edges[[series.current, -1]].mean(keepdims=True) if rounds and not waits else np.zeros(0)
        self.pointer.setData(pointed, np.full(len(pointed), -0.5 * room * y_pixel))
        slots = (-0.75 * marks * x_pixel, -0.25 * marks * x_pixel)
        _mark(self.best, slots[0], series.best)
        _mark(self.recommended, slots[1] if series.best is not None else (slots[0] + slots[1]) / 2, series.recommended)
        self.chosen_row.setVisible(series.selected is not None)
        if series.selected is not None:
            more = max(0.0, _LEAST_ROW * pixel[1] - 1.0) / 2  # over and under a row that its outline would cover
            row = QRectF(0.0, series.selected, max(float(series.edges[-1]), series.width), 1.0)
            self.chosen_row.setRect(row.adjusted(0.0, -more, 0.0, more))
        self._explain(series, line=self._count(series, shown, x_pixel))

    def _draw_image(self, snapshot: Snapshot, series: SurvivalSeries, across: float, y_pixel: float) -> Integers:
        assert self._kept is not None
        sharp = self.plot.devicePixelRatioF()
        columns = int(np.clip(across * sharp * series.edges[-1] / series.width, 1, MOST_COLUMNS))
        rows = max(1, int(len(series.order) / (_LEAST_SEEN * y_pixel)))
        if self.plot.zoomed:
            columns = MOST_COLUMNS
        codes, shown = survival_raster(snapshot, series, self._kept, columns, rows)
        if self._codes is None or self._codes.shape != codes.shape or not np.array_equal(self._codes, codes):
            self._codes = codes
            self.image.set_image(codes)
        self.image.set_rect(QRectF(0.0, 0.0, series.edges[-1], len(series.order)))
        return shown

    def _draw_hatch(self, series: SurvivalSeries, column: QRectF, x_pixel: float, y_pixel: float) -> None:
        """Over those that are being decided about."""
        path = QPainterPath()
        if series.undecided and self._codes is not None:
            height = len(series.order) / len(self._codes)  # a row may show several arms
            about = np.flatnonzero(self._codes[:, -1] == UNDECIDED)
            for rows in np.split(about, np.flatnonzero(np.diff(about) > 1) + 1):
                if len(rows):
                    path.addRect(QRectF(column.left(), rows[0] * height, column.width(), len(rows) * height))
        self.hatch.setPath(path)
        brush = QBrush(self.theme.color("card"), Qt.BrushStyle.BDiagPattern)
        brush.setTransform(QTransform.fromScale(x_pixel, y_pixel))  # in pixels, whatever the scale of the plot
        self.hatch.setBrush(brush)
        self.hatch.setVisible(not path.isEmpty())

    def _draw_lines(self, series: SurvivalSeries, x_pixel: float, y_pixel: float) -> None:
        """Between rows and rounds, where these are large enough to be told apart; wide ones between subroutines."""
        targets, end = len(series.order), float(series.edges[-1])
        rows = np.arange(1, targets) if targets <= _MOST_LINES and y_pixel * _LEAST_ROW <= 1.0 else np.zeros(0)
        inner = series.edges[1:-1]
        columns = inner if len(inner) and np.diff(series.edges).min() >= 12 * x_pixel else np.zeros(0)
        across, down = np.tile([0.0, end], len(rows)), np.tile([0.0, float(targets)], len(columns))
        self.lines.setData(
            np.concatenate([across, np.repeat(columns, 2)]), np.concatenate([np.repeat(rows, 2), down]).astype(float)
        )
        coming = series.coming
        between = np.arange(0.0, targets + 1) if len(rows) else np.array([0.0, float(targets)])
        along = np.tile([end, float(coming[-1])], len(between)) if len(coming) else np.zeros(0)
        self.coming.setData(
            np.concatenate([along, np.repeat(coming, 2)]),
            np.concatenate([np.repeat(between, 2)[: len(along)], np.tile([0.0, float(targets)], len(coming))]),
        )
        gaps = series.boundaries
        if len(gaps) > 400 or len(gaps) * 20 * x_pixel > end:
            gaps = np.zeros(0)
        self.gaps.setData(np.repeat(gaps, 2), np.tile([0.0, float(targets)], len(gaps)))

    # -- |Ŝ| --------------------------------------------------------------------------------------------------------

    def _count(self, series: SurvivalSeries, shown: Integers, x_pixel: float) -> bool:
        """How many are left, over every round, if there is room; whether that is a line."""
        font = QFontMetricsF(self.theme.font(11))
        widths = np.diff(series.edges)
        room = font.horizontalAdvance(number(len(series.order))) + 10
        if not len(widths) or widths.min() >= room * x_pixel:
            middles = (series.edges[:-1] + series.edges[1:]) / 2
            counts = zip(middles.tolist(), series.survivors.tolist(), strict=True)
            self._show_counts([(x, number(left)) for x, left in counts], None)
            return False
        if self.plot.height() < _LOW * font.height():
            self._show_counts([], None)
            return False
        logs = np.log10(np.maximum(series.survivors[shown], 1))
        if len(shown) == len(widths) and series.even:
            edges = series.edges
        else:
            edges = np.linspace(0.0, series.edges[-1], len(shown) + 1)
        self._show_counts([], (edges, logs, len(series.order)))
        return True

    def _show_counts(self, numbers: list[tuple[float, str]], line: tuple[Floats, Floats, int] | None) -> None:
        self.numbers.name_places(numbers)
        self._make_room(bool(numbers), line is not None)
        if line is None:
            self.strip_line.setData([], [])
            return
        edges, logs, most = line
        top = max(float(np.log10(most)), 0.1)
        self.strip_line.setData(np.repeat(edges, 2)[1:-1], np.repeat(logs, 2))
        self.strip.setYRange(-0.4 * top, 1.4 * top, padding=0.0)
        self.strip_axis.name_places([(0.0, "1"), (top, number(most))])

    def reset(self) -> None:
        """With no room for numbers over the columns."""
        self._make_room(False, False)
        super().reset()

    def _make_room(self, numbers: bool, line: bool) -> None:
        """Room over the columns for numbers or for a line; each change of it lays the plot out anew."""
        if self._room == (numbers, line, self.theme):
            return
        self._room = numbers, line, self.theme
        height, tall = (self.theme.pixels(16) if numbers else 0), (self.theme.pixels(34) if line else 0)
        self.numbers.setVisible(numbers)
        self.numbers.setHeight(height)
        self.numbers_label.setText(_LEFT if numbers else "", color=self.theme.dim, size=f"{self.theme.pixels(11)}px")
        for bound in (self.numbers_label.setMinimumHeight, self.numbers_label.setMaximumHeight):
            bound(height)
        for item in (self.strip, self.strip_axis):
            item.setVisible(line)
            item.setMinimumHeight(tall)
            item.setMaximumHeight(tall)
        self.plot.unsettled.emit()

    # -- mouse ------------------------------------------------------------------------------------------------------

    def _describe(self, x: float, y: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return survival_words(self.snapshot, self.series, x, y)

    def in_order(self) -> Sequence[int]:
        """The rows from the top."""
        return () if self.series is None else self.series.order.tolist()

    def _pick(self, x: float, y: float) -> None:
        if self.snapshot is None or self.series is None:
            return
        target = self.series.target_at(x, y)
        self.target_picked.emit(None if target == self.snapshot.selection.target else target)


def _mark(item: MarkItem, x: float, position: int | None) -> None:
    """A mark beside a row, or none."""
    item.setData([] if position is None else [x], [] if position is None else [position + 0.5])
