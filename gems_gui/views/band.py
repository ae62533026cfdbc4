"""The filled area between two step functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QWidget

from gems_engine.arrays import Floats
from gems_gui.views.items import in_print, view_range
from gems_gui.views.print_marks import hatch_over
from gems_gui.views.thinning import MOST_POINTS, drawn_columns

_NOWHERE = QPainterPath()


def steps(edges: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    """A line that keeps each value from its edge to the next and is interrupted at NaN.

    Points are only placed where the value changes, because long lines are slow to draw.
    """
    at, of = np.asarray(edges, dtype=float), np.asarray(values, dtype=float)
    if not len(of):
        return np.zeros(0), np.zeros(0)
    same = (of[1:] == of[:-1]) | (np.isnan(of[1:]) & np.isnan(of[:-1]))
    starts = np.flatnonzero(np.append(True, ~same))
    places = np.append(at[starts], at[-1])
    return np.repeat(places, 2)[1:-1], np.repeat(of[starts], 2)


class Band(QGraphicsItem):
    """The area between a lower and an upper line."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__()
        self._box = box
        self._color = QColor()
        self._path: tuple[object, QPainterPath] | None = None  # what is filled, and for what
        self._data: tuple[bytes, ...] = ()
        self.low: tuple[Floats, Floats] = (np.zeros(0), np.zeros(0))
        self.high = self.low
        """The points of both lines."""
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def set_color(self, color: QColor) -> None:
        """Set the fill colour."""
        if color != self._color:
            self._color = color
            self.update()

    def set_steps(self, edges: ArrayLike = (), low: ArrayLike = (), high: ArrayLike = ()) -> None:
        """Set both lines; each value holds from its edge to the next."""
        data = tuple(np.asarray(each, dtype=float).tobytes() for each in (edges, low, high))
        if data == self._data:
            return
        self._data = data
        self.low, self.high = steps(edges, low), steps(edges, high)
        self._path = None
        self.setVisible(len(self.low[0]) > 0)
        self.update()

    def empty(self) -> None:
        self.set_steps()

    def boundingRect(self) -> QRectF:
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        return _NOWHERE

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._color)
        path = self._filled(painter)
        painter.drawPath(path)
        if in_print(self._box):
            shape = painter.transform().map(path)
            painter.save()
            painter.resetTransform()
            hatch_over(painter, shape, self._color)
            painter.restore()

    def _filled(self, painter: QPainter) -> QPainterPath:
        """The outline; of long lines, with one step for every two pixels."""
        drawn_for = drawn_columns(painter, view_range(self._box))
        if self._path is None or (self._path[0] != drawn_for and len(self.low[0]) > MOST_POINTS):
            low, high = (_sampled(*each, *drawn_for) for each in (self.low, self.high))
            x, y = (np.concatenate([low[at], high[at][::-1]]) for at in (0, 1))
            self._path = drawn_for, pg.arrayToQPath(x, y)
            self._path[1].closeSubpath()
        return self._path[1]


def _sampled(x: Floats, y: Floats, left: float, right: float, column: float) -> tuple[Floats, Floats]:
    """A line of steps; if it is long, with its value in the middle of every two columns."""
    if len(x) <= MOST_POINTS:
        return x, y
    begin, end = max(left, float(x[0])), min(right, float(x[-1]))
    edges = np.append(np.arange(begin, end, 2 * column), end)
    return steps(edges, y[np.searchsorted(x, (edges[1:] + edges[:-1]) / 2) - 1])
