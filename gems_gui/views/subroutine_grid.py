"""The view of the outer loop: one cell for every call of the subroutine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF

from gems_engine.arrays import Floats
from gems_gui.series.round_grid import RoundGrid, round_grid
from gems_gui.series.subroutine_grid import LAST_D, SAMPLES, SCHEDULE, SURVIVORS, GridSeries, grid_series
from gems_gui.snapshot import Snapshot
from gems_gui.views.captions import PlotCaption
from gems_gui.views.kit import Stroke, captions, hairline, line, marks, outline, raster
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView
from gems_gui.views.theory_request import known_theory
from gems_gui.views.view import PLACE

_LEAST = 3  # minimal number of rows and columns, so that a single cell does not fill the card
_PALE, _STRONG = 0.08, 0.55  # opacity of a role's colour on the card
_CORNER = 8.0  # pixels from the edge of a cell to the centre of a mark
_MOST_TEXTS = 600
_LINES = 5  # the most lines of text in a cell
_STRONGER = {
    SURVIVORS: "stronger: more remain",
    SAMPLES: "stronger: more samples",
    SCHEDULE: "stronger: larger B",
    LAST_D: "stronger: larger d",
}


class SubroutineGrid(PlotView[GridSeries]):
    """Loops ℓ down and calls i across, coloured by a property of each subroutine."""

    name = "grid"
    title = "Calls"
    picks = PLACE
    about = (
        "The calls of the outer loop, one cell each: loops ℓ down and calls i across (i and j in a fixed-budget run). "
        "A call has a number of rounds n and a selection budget B. If the run is a single call, each cell is one of "
        "its rounds k. Click a cell to go to its start."
    )
    options = (
        Option(
            "shows",
            "Show",
            {
                SURVIVORS: "Survivors",
                SAMPLES: "Samples",
                SCHEDULE: "n and B; for a round, its cost",
                LAST_D: "Chosen d of the last round",
            },
        ),
    )

    axes = Axes(bare="xy", down=True)
    image = raster()
    lines = line("card", 2, grows=False, connect="pairs")
    sure = line("best", 2.5, connect="finite")
    current = outline(Stroke("text", 2))
    texts = captions()
    unfit = marks("x", "now")
    singleton = marks("d", "text")
    candidate = marks("o", "chosen", rim=hairline("card"))  # the cell may have the same colour
    left = marks("t", "text")

    def paint(self, snapshot: Snapshot) -> None:
        theory = known_theory(self, snapshot)
        shows = self.settings["shows"]
        series = (
            round_grid(snapshot, shows, self._is_high()) if snapshot.one_call else grid_series(snapshot, shows, theory)
        )
        self.series = series
        rows, columns = len(series.loops), len(series.calls)
        begun = series.current >= 0
        if begun:
            self.image.fill(self._pixels(series), QRectF(0.0, 0.0, columns, rows))
        else:
            self.image.empty()
        self.current.set_outline(QRectF(series.column[-1], series.row[-1], 1.0, 1.0) if begun else None)
        self.plot.x_axis.set_tick_labels([(at + 0.5, name) for at, name in enumerate(series.column_names)])
        self.plot.y_axis.set_tick_labels([(at + 0.5, name) for at, name in enumerate(series.row_names)])
        self.plot.label(*series.axes, self.theme)
        least = 1 if snapshot.one_call else _LEAST
        self.plot.frame((0.0, float(max(columns, least))), (0.0, float(max(rows, least))), above=2, below=2)
        self.range_changed(snapshot, series)

    def entries(self, series: GridSeries) -> Entries:
        begun = series.current >= 0
        costs = isinstance(series, RoundGrid) and series.shows == SCHEDULE
        return (
            ("■", "surviving", "stronger: higher cost" if costs else _STRONGER[series.shows], begun),
            ("■", "chosen", "recommended", series.recommends.any()),
            ("□", "best", series.promise, series.promise),
            ("□", "text", "current", begun),
            ("✕", "now", "ended: no dimension fits", series.unfit.any()),
            ("◆", "text", "one remains", series.singleton.any()),
            ("●", "chosen", "new candidate", series.new.any()),
            ("▼", "text", "selected arm eliminated", series.left_in.any()),
        )

    def _is_high(self) -> bool:
        """Whether rounds are stacked vertically: a high card has space for wide cells."""
        return bool(1.6 * self.plot.box.height() > self.plot.box.width())

    def resized(self, snapshot: Snapshot, series: GridSeries) -> None:
        """Stack rounds vertically in a high card, else horizontally."""
        if isinstance(series, RoundGrid) and series.down != self._is_high():
            self.paint(snapshot)
        else:
            self.range_changed(snapshot, series)

    # -- colours --------------------------------------------------------------------------------------------------

    def _colors(self, series: GridSeries) -> Floats:
        """RGB of every cell: a role's colour blended with that of the card."""
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

    # -- everything that depends on the size --------------------------------------------------------------------------

    def range_changed(self, snapshot: Snapshot, series: GridSeries) -> None:
        """Update lines, marks and texts, which depend on the size of a cell."""
        width, height = (1.0 / each for each in self.plot.pixel)  # of a cell, in pixels
        rows, columns = len(series.loops), len(series.calls)
        across, down = np.arange(rows + 1.0), np.arange(columns + 1.0)
        if not rows or min(width, height) < 5:
            across = down = np.zeros(0)
        self.lines.set_rules((0.0, columns), across, (0.0, rows), down)
        self.sure.setData(*_outlines(series, min(3.0 / width, 0.2), min(3.0 / height, 0.2)).T)
        left_side, right_side = self._draw_marks(series, width, height)
        self._write(series, width, height, left_side, right_side)

    def _draw_marks(self, series: GridSeries, width: float, height: float) -> tuple[Floats, Floats]:
        """Draw marks in the corners, in low cells next to each other; returns the pixels that they need at both sides.

        Marks about targets are on the left (one remains; the selected one is eliminated), all others on the right.
        """
        corner = _CORNER * self.theme.font_scale
        high = height >= 4 * corner
        near, far = (corner, corner) if high else (corner, 2.5 * corner)
        if width < (3 if self.theme.hall else 5) * corner:  # large text needs the room next to a mark
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
        if height - 3 * corner >= _LINES * QFontMetricsF(self.theme.font(11)).height():
            none = np.zeros(len(series.column))  # marks are above and below the text
            return none, none
        left, right = (np.select([outer, inner], [far + corner / 2, near + corner / 2], 0.0) for inner, outer in sides)
        return left, right

    def _write(self, series: GridSeries, width: float, height: float, left: Floats, right: Floats) -> None:
        """Write texts into cells that are large enough for the shortest phrasing."""
        font = self.theme.pixels(11)
        if width < font or height < 1.2 * font or len(series.event) > _MOST_TEXTS:
            self.texts.empty()
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
                for at in series.newest
            ]
        )

    # -- mouse ------------------------------------------------------------------------------------------------------

    def describe(self, snapshot: Snapshot, series: GridSeries, x: float, y: float) -> str:
        return series.words(snapshot, x, y)

    def in_order(self) -> Sequence[int]:
        return () if self.series is None else self.series.event.tolist()

    def pointed_at(self) -> int | None:
        return None if self.series is None or self.series.current < 0 else int(self.series.event[self.series.current])

    def point(self, at: int | None) -> None:
        if at is not None:
            self.place_picked.emit(at)

    def clicked(self, snapshot: Snapshot, series: GridSeries, x: float, y: float) -> None:
        at = series.subroutine_at(x, y)
        self.point(None if at is None else int(series.event[at]))


def _rgb(color: QColor) -> Floats:
    return np.array([color.red(), color.green(), color.blue()], dtype=float)


def _outlines(series: GridSeries, aside: float, down: float) -> Floats:
    """Outlines slightly inside the cells that are guaranteed to succeed; adjacent cells in a column share one."""
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
