"""Names above some of many bars: as many as fit into the visible range, the most important first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QGraphicsItem, QWidget

from gems_engine.arrays import Floats
from gems_gui.theme import Theme
from gems_gui.views.items import view_range

_APART = 3.0  # pixels between two names
_OVER = 2.0  # pixels between a bar and its name, before scaling: clear of a line on top of the bar


class BarLabels(QGraphicsItem):
    """Texts above bars. Those that would cover another text or a bar are not drawn; zooming in makes space for more.

    Parameters
    ----------
    covered
        Returns the rectangles in pixels that something else covers: labels there are not drawn, either.
    """

    def __init__(self, box: pg.ViewBox, covered: Callable[[QTransform], list[QRectF]]) -> None:
        super().__init__()
        self._box, self._covered_by_others = box, covered
        self._font, self._color, self._over = QFont(), QColor(), _OVER
        self.labels: list[tuple[float, float, str]] = []
        """Position and text of each label, the most important first."""
        self._bars: tuple[Floats, Floats] = (np.zeros(0), np.zeros(0))
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def apply_theme(self, theme: Theme) -> None:
        """Set font and colour."""
        self._font, self._color, self._over = theme.font(10), theme.color("text"), theme.pen_width(_OVER)
        self.update()

    def show_labels(self, labels: list[tuple[float, float, str]], bars: tuple[Floats, Floats]) -> None:
        """Show these labels, the most important first; ``bars`` are the positions and heights of the bars."""
        self._bars = bars
        if labels != self.labels:
            self.labels = labels
            self.setVisible(bool(labels))
        self.update()

    def empty(self) -> None:
        """Show no labels."""
        self.show_labels([], (np.zeros(0), np.zeros(0)))

    def placed(self, transform: QTransform) -> list[tuple[str, QRectF]]:
        """The labels that fit, with their boxes in pixels."""
        metrics = QFontMetricsF(self._font)
        seen = transform.mapRect(view_range(self._box))
        found: list[tuple[str, QRectF]] = []
        others = self._covered_by_others(transform)
        for x, y, words in self.labels:
            at = transform.map(QPointF(x, y))
            width, height = metrics.horizontalAdvance(words), metrics.height()
            box = QRectF(at.x() - width / 2, at.y() - height - self._over, width, height)
            wide = box.adjusted(-_APART, 0.0, _APART, 0.0)
            free = seen.contains(box) and not any(wide.intersects(other) for _, other in found)
            if free and not self._covered(transform, box) and not any(box.intersects(other) for other in others):
                found.append((words, box))
        return found

    def _covered(self, transform: QTransform, box: QRectF) -> bool:
        """Whether a bar reaches into a box given in pixels."""
        plane = transform.inverted()[0].mapRect(box)
        x, tops = self._bars
        inside = (x > plane.left() - 0.5) & (x < plane.right() + 0.5)
        return bool((tops[inside] > plane.top() + 1e-12).any())  # top() is the lower edge: y points upwards

    def boundingRect(self) -> QRectF:
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw in pixels: the size of the text does not depend on the scale of the plot."""
        placed = self.placed(painter.transform())
        painter.resetTransform()
        painter.setFont(self._font)
        painter.setPen(self._color)
        for words, box in placed:
            painter.drawText(box.adjusted(-1.0, 0.0, 1.0, 0.0), Qt.AlignmentFlag.AlignCenter, words)
