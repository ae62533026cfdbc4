"""The view of the outer loop: one cell for every subroutine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsRectItem, QWidget

from gems_engine.arrays import Floats
from gems_gui.series.round_grid import RoundGrid, round_grid
from gems_gui.series.subroutine_grid import LAST_D, SAMPLES, SCHEDULE, SURVIVORS, GridSeries, grid_series
from gems_gui.series.theory import KNOWN, question_of
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.captions import Captions, PlotCaption
from gems_gui.views.items import CurveItem, MarkItem, RasterItem
from gems_gui.views.option import Option
from gems_gui.views.plot import Plot
from gems_gui.views.view import PLACE, View

_LEAST = 3  # rows and columns that there is always room for, so that a lone cell does not fill the card
_PALE, _STRONG = 0.08, 0.55  # of a role's colour on the ground of the card
_CORNER = 8.0  # pixels from the edge of a cell to the middle of a mark
_MOST_TEXTS = 600
_STRONGER = {
    SURVIVORS: "stronger: more remain",
    SAMPLES: "stronger: more samples",
    SCHEDULE: "stronger: larger B",
    LAST_D: "stronger: larger d",
}


class SubroutineGrid(View):
    """Loops ℓ down and calls i across, coloured by what the subroutine there has come to."""

    name = "grid"
    title = "Subroutines"
    picks = PLACE
    about = (
        "The outer loop: each cell is one call of the subroutine with its number of rounds n and its budget B, loops "
        "ℓ down and calls i across (in a fixed-budget run i and j). Where the run is one call, each cell is one of its "
        "rounds k. Click a cell to go to where it starts."
    )
    options = (
        Option(
            "shows",
            "Shows",
            {
                SURVIVORS: "Survivors",
                SAMPLES: "Samples",
                SCHEDULE: "n and B; of a round, its cost",
                LAST_D: "Chosen d of the last round",
            },
        ),
    )

    place_picked = Signal(object)
    """The user wants to go to an event: the one that starts the subroutine of a cell."""

    theory_asked = Signal(object)
    """A theory that is not known yet, for the cells that are guaranteed to succeed."""

    def make(self) -> QWidget:
        """Cells as an image, lines between them, an outline, marks in corners, and texts."""
        self.plot = Plot()
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        self.plot.box.invertY(True)
        for axis in (self.plot.x_axis, self.plot.y_axis):
            axis.setStyle(tickLength=0)  # marks would lie on the cells
        self.image = RasterItem(self.plot.box)
        self.lines = CurveItem(self.plot.box, connect="pairs")
        self.sure = CurveItem(self.plot.box, connect="finite")
        self.current = QGraphicsRectItem()
        self.texts = Captions()
        for item in (self.current, self.texts):
            self.plot.addItem(item, ignoreBounds=True)
        self.unfit = MarkItem(self.plot.box, "x")
        self.singleton = MarkItem(self.plot.box, "d")
        self.candidate = MarkItem(self.plot.box, "o")
        self.left = MarkItem(self.plot.box, "t")
        self.series: GridSeries | None = None
        self._cells: np.ndarray | None = None
        self.plot.box.sigResized.connect(self._turn)
        self.plot.box.sigResized.connect(self._draw)
        self.plot.box.sigRangeChanged.connect(self._draw)
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        self.lines.setPen(pg.mkPen(theme.card, width=2))
        self.sure.setPen(pg.mkPen(theme.best, width=theme.stroke(2.5)))
        self.current.setPen(pg.mkPen(theme.text, width=theme.stroke(2)))
        self.texts.set_font(theme.font(11))
        for item, role in (
            (self.unfit, "now"),
            (self.singleton, "text"),
            (self.candidate, "chosen"),
            (self.left, "text"),
        ):
            item.setBrush(theme.color(role))
        self.candidate.setPen(pg.mkPen(theme.card))  # its cell may have the same colour

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        for item in (self.image, self.current):
            item.setVisible(False)
        self.lines.setData([], [])
        self.sure.setData([], [])
        for mark in (self.unfit, self.singleton, self.candidate, self.left):
            mark.setData([], [])
        self.texts.show_captions([])
        self.plot.x_axis.name_places([])
        self.plot.y_axis.name_places([])
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """The subroutines begun before the cursor."""
        question = question_of(snapshot)
        theory = KNOWN.find(question) if self.exporting else KNOWN.get(question)
        shows = self.settings["shows"]
        series = (
            round_grid(snapshot, shows, self._is_high()) if snapshot.one_call else grid_series(snapshot, shows, theory)
        )
        self.series = series
        self.head.title.setText(series.title)
        if question is not None and theory is None:
            self.theory_asked.emit(question)
        rows, columns = len(series.loops), len(series.calls)
        for item in (self.image, self.current):
            item.setVisible(series.current >= 0)
        if series.current >= 0:
            cells = self._pixels(series)
            if self._cells is None or not np.array_equal(cells, self._cells):
                self._cells = cells
                self.image.set_image(cells)
            self.image.set_rect(QRectF(0.0, 0.0, columns, rows))
            self.current.setRect(QRectF(series.column[-1], series.row[-1], 1.0, 1.0))
        self.plot.x_axis.name_places([(at + 0.5, name) for at, name in enumerate(series.column_names)])
        self.plot.y_axis.name_places([(at + 0.5, name) for at, name in enumerate(series.row_names)])
        self.plot.label(*series.axes, self.theme)
        least = 1 if snapshot.one_call else _LEAST
        self.plot.frame((0.0, float(max(columns, least))), (0.0, float(max(rows, least))), above=2, below=2)
        self._draw()
        self._explain(series, snapshot)
        self.set_subtitle(series.subtitle, phrasings(series.nothing))

    def _is_high(self) -> bool:
        """Whether rounds lie below each other: a high card has room for wide cells."""
        return bool(1.6 * self.plot.box.height() > self.plot.box.width())

    def _turn(self, *_: object) -> None:
        """Lay rounds down or across, as the card is higher or wider now."""
        if self.snapshot is not None and isinstance(self.series, RoundGrid) and self.series.down != self._is_high():
            self.paint(self.snapshot)

    def _explain(self, series: GridSeries, snapshot: Snapshot) -> None:
        stronger = (
            _STRONGER[series.shows] if not snapshot.one_call or series.shows != SCHEDULE else "stronger: costlier"
        )
        legend = [("■", "surviving", stronger)] if series.current >= 0 else []
        if series.recommends.any():
            legend.append(("■", "chosen", "recommended"))
        if series.promise:
            legend.append(("□", "best", series.promise))
        if series.current >= 0:
            legend.append(("□", "text", "current"))
        for mark, role, words, there in (
            ("✕", "now", "no dimension fits", series.unfit.any()),
            ("◆", "text", "one remains", series.singleton.any()),
            ("●", "chosen", "new candidate", series.new.any()),
            ("▼", "text", "picked one eliminated", series.left_in.any()),
        ):
            if there:
                legend.append((mark, role, words))
        self.legend.show_entries(legend, self.theme)

    # -- colours --------------------------------------------------------------------------------------------------

    def _colors(self, series: GridSeries) -> Floats:
        """Red, green and blue of every cell: a role's colour mixed into that of the card."""
        ground, plain, chosen = (_rgb(self.theme.color(role)) for role in ("card", "surviving", "chosen"))
        strength = (_PALE + (_STRONG - _PALE) * np.clip(series.shade, 0.0, 1.0))[:, None]
        strength = np.where(series.recommends[:, None], np.maximum(strength, 0.45), strength)
        role = np.where(series.recommends[:, None], chosen, plain)
        return np.asarray(ground + (role - ground) * strength)

    def _pixels(self, series: GridSeries) -> np.ndarray:
        image = np.zeros((len(series.loops), len(series.calls), 4), dtype=np.uint8)
        image[series.row, series.column, :3] = np.rint(self._colors(series))
        image[series.row, series.column, 3] = 255
        return image

    # -- what depends on the room there is --------------------------------------------------------------------------

    def _draw(self, *_: object) -> None:
        """Lines, marks and texts: where and whether they are depends on how large a cell is."""
        series = self.series
        if series is None:
            return
        (left, right), (low, high) = self.plot.box.viewRange()
        width = max(self.plot.box.width(), 1.0) / (right - left)
        height = max(self.plot.box.height(), 1.0) / (high - low)
        rows, columns = len(series.loops), len(series.calls)
        across, down = np.arange(rows + 1.0), np.arange(columns + 1.0)
        if not rows or min(width, height) < 5:
            across = down = np.zeros(0)
        self.lines.setData(
            np.concatenate([np.tile([0.0, columns], len(across)), np.repeat(down, 2)]),
            np.concatenate([np.repeat(across, 2), np.tile([0.0, rows], len(down))]),
        )
        self.sure.setData(*_outlines(series, min(3.0 / width, 0.2), min(3.0 / height, 0.2)).T)
        left_side, right_side = self._draw_marks(series, width, height)
        self._write(series, width, height, left_side, right_side)

    def _draw_marks(self, series: GridSeries, width: float, height: float) -> tuple[Floats, Floats]:
        """Marks in the corners, in low cells beside each other; the pixels that each cell needs for them at its sides.

        Those about targets are on the left: one is left, or the picked one left; the others are on the right.
        """
        corner = _CORNER * self.theme.font_scale
        high = height >= 4 * corner
        near, far = (corner, corner) if high else (corner, 2.5 * corner)
        if width < 5 * corner:
            near = far = width / 2
        top = corner / height if high else 0.5
        size = min(self.theme.pixels(8), max(3.0, 0.8 * height))
        for item, which, x, y in (
            (self.unfit, series.unfit, 1 - near / width, top),
            (self.singleton, series.singleton, near / width, top),
            (self.candidate, series.new, 1 - far / width, 1 - top),
            (self.left, series.left_in > 0, far / width, 1 - top),
        ):
            at = np.flatnonzero(which)
            item.setSize(size)
            item.setData(series.column[at] + x, series.row[at] + y)
        sides = ((series.singleton, series.left_in > 0), (series.unfit, series.new))
        left, right = (np.select([outer, inner], [far + corner / 2, near + corner / 2], 0.0) for inner, outer in sides)
        return left, right

    def _write(self, series: GridSeries, width: float, height: float, left: Floats, right: Floats) -> None:
        """Texts, where a cell is large enough for the shortest of them."""
        font = self.theme.pixels(11)
        if width < font or height < 1.2 * font or len(series.event) > _MOST_TEXTS:
            self.texts.show_captions([])
            return
        dark, light = sorted((self.theme.color("text"), self.theme.color("card")), key=QColor.lightness)
        brightness = self._colors(series) @ np.array([0.299, 0.587, 0.114])
        self.texts.show_captions(
            [
                PlotCaption(
                    QRectF(series.column[at], series.row[at], 1.0, 1.0),
                    series.texts(at),
                    dark if brightness[at] > 125 else light,
                    float(left[at]),
                    float(right[at]),
                )
                for at in range(len(series.event))
            ]
        )

    # -- mouse ------------------------------------------------------------------------------------------------------

    def _describe(self, x: float, y: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return self.series.words(self.snapshot, x, y)

    def in_order(self) -> Sequence[int]:
        """The events that start the subroutines."""
        return () if self.series is None else self.series.event.tolist()

    def pointed_at(self) -> int | None:
        """That of the subroutine at the cursor."""
        return None if self.series is None or self.series.current < 0 else int(self.series.event[self.series.current])

    def point(self, at: int | None) -> None:
        """Go there."""
        if at is not None:
            self.place_picked.emit(at)

    def _pick(self, x: float, y: float) -> None:
        at = None if self.series is None else self.series.subroutine_at(x, y)
        if self.series is not None and at is not None:
            self.place_picked.emit(int(self.series.event[at]))


def _rgb(color: QColor) -> Floats:
    return np.array([color.red(), color.green(), color.blue()], dtype=float)


def _outlines(series: GridSeries, aside: float, down: float) -> Floats:
    """Around the cells that are guaranteed to succeed, a little inside of them, those below each other as one."""
    runs: list[list[int]] = []
    for column, row in series.outlined:
        if runs and runs[-1][0] == column and runs[-1][2] == row:
            runs[-1][2] = row + 1
        else:
            runs.append([column, row, row + 1])
    around = np.full((len(runs), 6, 2), np.nan)
    for at, (column, top, bottom) in enumerate(runs):
        left, right, low, high = column + aside, column + 1 - aside, top + down, bottom - down
        around[at, :5] = [(left, low), (right, low), (right, high), (left, high), (left, low)]
    return around.reshape(-1, 2)
