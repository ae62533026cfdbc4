"""Vertical lines with names at their upper ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from gems_gui.theme import Theme
from gems_gui.views.items import WordItem
from gems_gui.views.plot import Plot

_LANES = 2  # lines of text above the content
_FONT = 11
_OVERLAP = 4  # pixels of the margins of texts that may overlap


class NamedLine(NamedTuple):
    """A vertical line to draw."""

    x: float
    words: str
    role: str


class NamedLines:
    """Dashed vertical lines; the name of each is next to its upper end, where it covers no other.

    Parameters
    ----------
    most
        The largest number of lines.
    """

    def __init__(self, plot: Plot, most: int) -> None:
        self._plot = plot
        self.lines = []
        self.names = []
        for _ in range(most):
            line = pg.InfiniteLine(angle=90, movable=False)
            plot.addItem(line, ignoreBounds=True)
            self.lines.append(line)
            self.names.append(WordItem(plot.box))
            self.names[-1].setZValue(1)  # above all lines
        self.empty()

    def empty(self) -> None:
        for item in (*self.lines, *self.names):
            item.setVisible(False)

    def height(self, theme: Theme) -> float:
        """The space that the names need, in pixels."""
        return _LANES * (QFontMetricsF(theme.font(_FONT)).height() + 2)

    def show_lines(self, lines: Sequence[NamedLine], theme: Theme) -> None:
        """Draw these lines in the visible range; a name for which there is no space is left out."""
        for item in (*self.lines[len(lines) :], *self.names[len(lines) :]):
            item.setVisible(False)
        (left, _), (low, _) = self._plot.box.viewRange()
        across, down = self._plot.pixel
        taken: list[QRectF] = []
        places = [(each.x - left) / across for each in lines]
        for (x, words, role), line, name in zip(lines, self.lines, self.names, strict=False):
            color = theme.color(role)
            line.setPen(pg.mkPen(color, width=theme.pen_width(1.5), style=Qt.PenStyle.DashLine))
            line.setValue(x)
            line.setVisible(True)
            name.setFont(theme.font(_FONT))
            name.setColor(color)
            if name.toPlainText() != words:
                name.setPlainText(words)
            name.fill = pg.mkBrush(theme.color("card"))  # no line crosses a name
            box = self._free_box(name.boundingRect(), (x - left) / across, taken, places)
            name.setVisible(box is not None)
            if box is not None:
                taken.append(box)
                name.setPos(left + box.left() * across, low + box.top() * down)

    def _free_box(self, size: QRectF, at: float, taken: Sequence[QRectF], lines: Sequence[float]) -> QRectF | None:
        """A rectangle of this size next to a line, in pixels, that covers no other; None if there is none.

        If possible, none of the lines is in it, either.
        """
        free = []
        for lane in range(_LANES):
            for x in (at, at - size.width()):
                box = QRectF(x, lane * (size.height() - 8) - 3, size.width(), size.height())
                apart = not any(_inner(box).intersects(_inner(other)) for other in taken)
                if x >= 0 and box.right() <= self._plot.box.width() and apart:
                    free.append(box)
        clear = (each for each in free if not any(each.left() < line < each.right() for line in lines if line != at))
        return next(clear, free[0] if free else None)


def _inner(box: QRectF) -> QRectF:
    return box.adjusted(_OVERLAP, _OVERLAP, -_OVERLAP, -_OVERLAP)
