"""Names above some of many bars: as many as fit into the visible range, the most important first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QWidget

from gems_engine.arrays import Floats
from gems_gui.theme import Theme
from gems_gui.views.items import view_range

_APART = 3.0  # pixels between two names
_OVER = 2.0  # pixels between a bar and its name, before scaling: clear of a line on top of the bar


class BarLabel(NamedTuple):
    """A text above a bar.

    Attributes
    ----------
    raised
        Whether it moves above higher bars next to its own instead of being left out; a line then leads from its own bar
        to it, and no other label is below it.
    """

    x: float
    y: float
    words: str
    raised: bool = False


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
        self._font, self._pen, self._over = QFont(), QPen(), _OVER
        self.labels: list[BarLabel] = []
        """The labels, the most important first."""
        self.leaders: list[QLineF] = []
        """The lines from bars to labels above higher ones, in pixels."""
        self._bars: tuple[Floats, Floats] = (np.zeros(0), np.zeros(0))
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def apply_theme(self, theme: Theme) -> None:
        """Set font and colour."""
        self._font, self._over = theme.font(10), theme.pen_width(_OVER)
        self._pen = QPen(theme.color("text"), theme.pen_width(1))
        self.update()

    def show_labels(self, labels: list[BarLabel], bars: tuple[Floats, Floats]) -> None:
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
        taken: list[QRectF] = []
        others = self._covered_by_others(transform)
        self.leaders = []
        for label in self.labels:
            box = self._box_of(label, transform, metrics)
            wide = box.adjusted(-_APART, 0.0, _APART, 0.0)
            free = seen.contains(box) and not any(wide.intersects(other) for other in taken)
            reached = self._highest(transform, box) > label.y + 1e-12 and not label.raised
            if free and not reached and not any(box.intersects(other) for other in others):
                found.append((label.words, box))
                foot = transform.map(QPointF(label.x, label.y))
                taken.append(box.adjusted(0.0, 0.0, 0.0, max(foot.y() - box.bottom(), 0.0)))
                if foot.y() - box.bottom() > 2 * self._over:
                    self.leaders.append(QLineF(foot.x(), box.bottom(), foot.x(), foot.y()))
        return found

    def _box_of(self, label: BarLabel, transform: QTransform, metrics: QFontMetricsF) -> QRectF:
        """The box of a label in pixels."""
        width, height = metrics.horizontalAdvance(label.words), metrics.height()

        def above(y: float) -> QRectF:
            at = transform.map(QPointF(label.x, y))
            return QRectF(at.x() - width / 2, at.y() - height - self._over, width, height)

        box = above(label.y)
        return above(max(label.y, self._highest(transform, box))) if label.raised else box

    def _highest(self, transform: QTransform, box: QRectF) -> float:
        """The top of the highest bar below or in a box given in pixels."""
        plane = transform.inverted()[0].mapRect(box.adjusted(-self._over, 0.0, self._over, 0.0))  # outlines, line ends
        x, tops = self._bars
        inside = (x > plane.left() - 0.5) & (x < plane.right() + 0.5)
        return float(tops[inside].max(initial=-np.inf))

    def boundingRect(self) -> QRectF:
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw in pixels: the size of the text does not depend on the scale of the plot."""
        placed = self.placed(painter.transform())
        painter.resetTransform()
        painter.setFont(self._font)
        painter.setPen(self._pen)
        painter.drawLines(self.leaders)
        for words, box in placed:
            painter.drawText(box.adjusted(-1.0, 0.0, 1.0, 0.0), Qt.AlignmentFlag.AlignCenter, words)
