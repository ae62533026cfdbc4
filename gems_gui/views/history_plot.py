"""A plot of arms with a row of cells for each round, below the bars or instead of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gems_engine.arrays import Floats
from gems_gui.series.arm_order import ArmOrder
from gems_gui.theme import Theme
from gems_gui.views.arm_axis import ArmPlot
from gems_gui.views.kit import line, raster
from gems_gui.views.number_axis import Level

_PALE = 0.22  # opacity of a cell with hardly any weight
_ROW = 9  # pixels of a round below the bars
_SHARE = 0.36  # largest part of the plot for all rounds
_LOW = 60  # pixels: a lower plot shows only bars
_MARKS = 17  # pixels for marks above the cells if there are no bars
_RULED = 6  # pixels: rows of at least this height are separated by lines
_NO_ROWS = np.zeros((0, 0))


def cell_role(part: float) -> str:
    """The role with the colour of a cell, for the square root of its value relative to the largest."""
    return f"surviving {round(100 * (_PALE + (1.0 - _PALE) * part))}%"


def _cell_colors(theme: Theme) -> dict[int, QColor]:
    """The colour of each code of a cell; 0 is nothing."""
    shares = _PALE + (1.0 - _PALE) * np.arange(255) / 254.0
    colors = {code + 1: theme.color("surviving", round(255 * share)) for code, share in enumerate(shares.tolist())}
    return {0: theme.color("before 35%"), **colors}


class HistoryPlot(ArmPlot):
    """Bars for the current round; below them, as an image, the values of every arm in each round, the first on top."""

    cells = raster(_cell_colors, z=2)  # above bars that overlap them after a zoom
    rules = line("card", grows=False, connect="pairs", z=3)
    _rows: Floats = _NO_ROWS
    _names: Sequence[str] = ()
    _alone = False

    def have_rounds(self, rows: Floats, names: Sequence[str], alone: bool) -> None:
        """Show these values, of shape (rounds, arms), at the next call of :meth:`arrange`.

        Parameters
        ----------
        names
            Names of the rounds.
        alone
            Whether the cells fill the plot and there are no bars.
        """
        self._rows, self._names, self._alone = rows, names, alone

    def strip_height(self, order: ArmOrder) -> float:
        """Pixels for the rows below these arms."""
        room = float(self.box.height())
        if not len(self._rows):
            return 0.0
        if self._alone:
            return max(room - self._theme.pixels(_MARKS) - 2.0, 1.0)
        low = room < self._theme.pixels(_LOW)
        return 0.0 if low else min(self._theme.pixels(_ROW) * len(self._rows), _SHARE * room, self.room_below(order))

    def row_at(self, y: float) -> int | None:
        """The round whose row is at a height of the plot."""
        top, height = self._top()
        if height <= 0.0 or not top - height <= y < top:
            return None
        return min(int((top - y) / height * len(self._rows)), len(self._rows) - 1)

    def _top(self) -> tuple[float, float]:
        """Upper end and total height of the rows, in units of the axis."""
        low = self.box.viewRange()[1][0]
        height = self.strip * self.pixel[1]
        return low + height, height

    def _on_resized(self, *_: object) -> None:
        if self._whole is not None:
            strip = self.strip_height(self.order) if self.order is not None else 0.0
            self._whole = self._whole._replace(below=self._whole.below - self.strip + strip)
            self.strip = strip
        super()._on_resized()

    def _follow(self, *_: object) -> None:
        super()._follow()
        shown = self.order is not None and self.strip > 0.0 and len(self._rows) > 0
        self.cells.setVisible(shown)
        self._name_rows(shown)
        if not shown:
            self.rules.empty()
            return
        assert self.order is not None
        self.cells.set_image(self._codes()[::-1].copy())  # the y axis points upwards
        top, height = self._top()
        self.cells.set_rect(QRectF(-0.5, top - height, len(self.order), height))
        rounds = len(self._rows)
        between = top - height * np.arange(1, rounds) / rounds if self.strip >= _RULED * rounds else np.zeros(0)
        self.rules.set_rules((-0.5, len(self.order) - 0.5), between, (), np.zeros(0))

    def _codes(self) -> np.ndarray:
        """A code for each cell, 0 for nothing; cells that share a pixel show the largest code."""
        assert self.order is not None
        rows = self._rows[:, self.order.arms]
        most = float(rows.max(initial=0.0)) or 1.0
        codes = np.where(rows > 0, 1 + np.rint(254 * np.sqrt(rows / most)), 0).astype(np.uint8)
        (left, right), _ = self.box.viewRange()
        sharp = self.devicePixelRatioF()
        across = max(1, int(sharp * self.box.width() * codes.shape[1] / max(right - left, 1e-9)))
        return _squeezed(_squeezed(codes, max(1, int(sharp * self.strip)), 0), across, 1)

    def _name_rows(self, shown: bool) -> None:
        """Name every round at the axis where there are no bars, else the first and the last."""
        axis, rounds = self.y_axis, len(self._names)
        top, height = self._top()
        middles = [top - height * (row + 0.5) / max(rounds, 1) for row in range(rounds)]
        places = list(zip(middles, self._names, strict=True))
        axis.set_tick_labels(places[::-1] if shown and self._alone else None)
        low = self.strip < 2 * self._theme.pixels(11)  # no room for two names
        ends = sorted({rounds - 1 if low else 0, rounds - 1}) if shown and not self._alone else []
        axis.name_levels(self, *(Level(middles[row], f"k {self._names[row]}", self._theme.dim) for row in ends))


def _squeezed(codes: np.ndarray, most: int, axis: int) -> np.ndarray:
    """No more rows or columns than pixels, each with the largest code of those that it replaces."""
    length = codes.shape[axis]
    if length <= most:
        return codes
    return np.asarray(np.maximum.reduceat(codes, np.arange(most) * length // most, axis=axis))
