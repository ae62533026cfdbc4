"""The view of the survivors of every round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainterPath
from PySide6.QtWidgets import QGraphicsPathItem, QWidget

from gems_engine.arrays import Integers
from gems_engine.terminal import number
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.fate_raster import BEFORE, MOST_COLUMNS, NOW, SURVIVING, UNDECIDED, FateColumns
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
    survival_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.count_strip import CountStrip
from gems_gui.views.items import MarkItem, hatched
from gems_gui.views.kit import ItemSpec, Stroke, line, marks, outline, raster
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, PlotView
from gems_gui.views.view import TARGET

_MOST_LINES = 60  # with more rows, there are no lines between them
_LEAST_ROW = 8  # pixels: lines between lower rows are noise, and an outline would cover the row
_LEAST_SEEN = 3  # pixels: arms with lower rows share one, in which survivors take precedence
_LOW = 13  # lines of text: a lower plot has no line for the number of survivors
_FAINT = 90  # of 255: opacity of the lines between cells
_ROOM = 14  # pixels for each mark next to the raster, and above it for that of the current round
_LIGHT = 110  # of 255: opacity of a survivor before its round has decided


def _fate_colors(theme: Theme) -> dict[int, QColor]:
    fates = {BEFORE: "before", NOW: "now", SURVIVING: "surviving"}
    return {UNDECIDED: theme.color("surviving", _LIGHT)} | {code: theme.color(role) for code, role in fates.items()}


class _Hatch(QGraphicsPathItem):
    """Hatched rectangles."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__()
        self.setPen(pg.mkPen(None))
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def empty(self) -> None:
        """Draw none of them."""
        self.setVisible(False)


class SurvivingArms(PlotView[SurvivalSeries]):
    """The fate of every target in every round as one image, with marks next to it and |Ŝ| above it."""

    name = "survivors"
    title = "Surviving arms"
    picks = TARGET
    blanks = False
    about = (
        "One row for each arm, one column for each round: which arms survive the round, which arms it eliminates, and "
        "how many remain. Light: the round has not decided yet, or has not started."
    )
    options = (
        Option("scope", "Rounds", {SUBROUTINE: "This call", RUN: "Whole run"}),
        Option("order", "Arms", {REWARD: "By true reward", ESTIMATE: "By estimate", INDEX: "By index"}),
        Option("axis", "Width of a round", {ROUNDS: "Rounds", EVENTS: "Events", SAMPLES: "Samples"}),
    )

    axes = Axes(whole="x", named="y", silent="x", bare="xy", down=True)  # the arms are known from the start
    image = raster(_fate_colors)
    hatch = ItemSpec(lambda plot, box: _Hatch(box))
    lines = line("card", alpha=_FAINT, grows=False, connect="pairs")
    gaps = line("card", 5, grows=False, connect="pairs")
    coming = line("line", grows=False, connect="pairs")
    chosen_row = outline(Stroke("text", 2))
    current = outline(Stroke("text", 2))
    pointer = marks("t", "text", 10)
    best = marks("star", "best", 14)
    recommended = marks("d", "chosen", 11)
    counts = ItemSpec(lambda plot, box: CountStrip(plot), CountStrip.apply_theme)
    _kept: FateColumns | None = None

    def make(self) -> QWidget:
        made = super().make()
        self.plot.box.sigRangeChangedManually.connect(self._on_plot_resized)
        return made

    def clear(self) -> None:
        super().clear()
        self._kept = None

    def paint(self, snapshot: Snapshot) -> None:
        if self._kept is None or self._kept.history is not snapshot.history:
            self._kept = FateColumns(snapshot.history)
        chosen = self.settings
        series = self.series = survival_series(snapshot, chosen["scope"], chosen["order"], chosen["axis"])
        self.plot.label(series.x_label, series.y_label, self.theme)
        self.plot.x_axis.set_tick_labels(series.places)
        self.plot.y_axis.set_tick_labels(series.names)
        self.resized(snapshot, series)

    # -- everything that depends on the size --------------------------------------------------------------------------

    def resized(self, snapshot: Snapshot, series: SurvivalSeries) -> None:
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
        shown = np.arange(rounds)
        if rounds:
            shown = self._draw_image(snapshot, series, across, pixel[1])
            self._draw_lines(series, x_pixel, y_pixel)
            left, right = series.edges[-2], series.edges[-1]
            column = QRectF(left, 0.0, right - left, targets)
            half = 1 + self.theme.stroke(2) / 2  # outside, with a gap: a row may be no higher than its outline
            aside, over = half * pixel[0], half * pixel[1]
            self.current.set_outline(None if waits else column.adjusted(-aside, -over, aside, over))
            self._draw_hatch(series, column, *pixel)
        else:
            for item in (self.image, self.current, self.lines, self.gaps, self.coming):
                item.empty()
        pointed = series.edges[[series.current, -1]].mean(keepdims=True) if rounds and not waits else np.zeros(0)
        self.pointer.setData(pointed, np.full(len(pointed), -0.5 * room * y_pixel))
        slots = (-0.75 * marks * x_pixel, -0.25 * marks * x_pixel)
        _mark(self.best, slots[0], series.best)
        _mark(self.recommended, slots[1] if series.best is not None else (slots[0] + slots[1]) / 2, series.recommended)
        if series.selected is None:
            self.chosen_row.empty()
        else:
            more = max(0.0, _LEAST_ROW * pixel[1] - 1.0) / 2  # above and below a row that its outline would cover
            row = QRectF(0.0, series.selected, max(float(series.edges[-1]), series.width), 1.0)
            self.chosen_row.set_outline(row.adjusted(0.0, -more, 0.0, more))
        drawn = self._count(series, shown, x_pixel)
        self.finish(
            series.subtitle,
            ("■", "surviving", "surviving"),
            ("■", "now", "eliminated this round"),
            ("■", "before", "eliminated before"),
            ("▨", "surviving", "being decided"),
            ("★", "best", "true best", series.best is not None),
            ("◆", "chosen", series.called, series.recommended is not None),
            ("─", "surviving", "arms remaining", drawn),
            nothing=series.placeholder,
        )

    def _draw_image(self, snapshot: Snapshot, series: SurvivalSeries, across: float, y_pixel: float) -> Integers:
        assert self._kept is not None
        sharp = self.plot.devicePixelRatioF()
        columns = int(np.clip(across * sharp * series.edges[-1] / series.width, 1, MOST_COLUMNS))
        rows = max(1, int(len(series.order) / (_LEAST_SEEN * y_pixel)))
        if self.plot.zoomed:
            columns = MOST_COLUMNS
        codes, shown = survival_raster(snapshot, series, self._kept, columns, rows)
        self.image.fill(codes, QRectF(0.0, 0.0, series.edges[-1], len(series.order)))
        return shown

    def _draw_hatch(self, series: SurvivalSeries, column: QRectF, x_pixel: float, y_pixel: float) -> None:
        """Hatch the rows that are not decided yet."""
        path = QPainterPath()
        codes = self.image.image
        if series.undecided and codes is not None:
            height = len(series.order) / len(codes)  # a row may represent several arms
            about = np.flatnonzero(codes[:, -1] == UNDECIDED)
            for rows in np.split(about, np.flatnonzero(np.diff(about) > 1) + 1):
                if len(rows):
                    path.addRect(QRectF(column.left(), rows[0] * height, column.width(), len(rows) * height))
        self.hatch.setPath(path)
        self.hatch.setBrush(hatched(self.theme.color("card"), x_pixel, y_pixel))
        self.hatch.setVisible(not path.isEmpty())

    def _draw_lines(self, series: SurvivalSeries, x_pixel: float, y_pixel: float) -> None:
        """Draw lines between rows and rounds that are large enough, and wide ones between subroutines."""
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
        """Show the number of survivors above every round if it fits; returns whether it is a line."""
        font = QFontMetricsF(self.theme.font(11))
        widths = np.diff(series.edges)
        room = font.horizontalAdvance(number(len(series.order))) + 10
        if not len(widths) or widths.min() >= room * x_pixel:
            middles = (series.edges[:-1] + series.edges[1:]) / 2
            counts = zip(middles.tolist(), series.survivors.tolist(), strict=True)
            self.counts.show_numbers([(x, number(left)) for x, left in counts])
            return False
        if self.plot.height() < _LOW * font.height():
            self.counts.empty()
            return False
        logs = np.log10(np.maximum(series.survivors[shown], 1))
        if len(shown) == len(widths) and series.even:
            edges = series.edges
        else:
            edges = np.linspace(0.0, series.edges[-1], len(shown) + 1)
        self.counts.show_line(edges, logs, len(series.order))
        return True

    def reset(self) -> None:
        self.counts.make_room(False, False)
        super().reset()

    # -- mouse ------------------------------------------------------------------------------------------------------

    def describe(self, snapshot: Snapshot, series: SurvivalSeries, x: float, y: float) -> str:
        return survival_text(snapshot, series, x, y)

    def in_order(self) -> Sequence[int]:
        return () if self.series is None else self.series.order.tolist()

    def index_at(self, series: SurvivalSeries, x: float, y: float) -> int | None:
        return series.target_at(x, y)


def _mark(item: MarkItem, x: float, position: int | None) -> None:
    """Place a mark next to a row, or hide it."""
    item.setData([] if position is None else [x], [] if position is None else [position + 0.5])
