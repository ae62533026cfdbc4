"""Many small texts in a plot, each in its own rectangle; a text that does not fit is not drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QWidget

_PAD = 2.0  # pixels around a text


Placed = tuple[str, QRectF, QColor]
"""A line of text, its rectangle in pixels, and its colour."""


class PlotCaption(NamedTuple):
    """A text and its rectangle in the plot.

    Attributes
    ----------
    lines
        The most important first; each line is one or more phrasings, the shortest last.
    left, right
        Pixels at these sides that are used by something else.
    begins
        Whether the text starts at the left edge instead of being centred.
    """

    room: QRectF
    lines: Sequence[tuple[str, ...]]
    color: QColor
    left: float = 0.0
    right: float = 0.0
    begins: bool = False


class Captions(pg.GraphicsObject):  # type: ignore[misc]
    """Texts centred in their rectangles, or at the bottom: one graphics item for all of them, so hundreds are cheap."""

    def __init__(self, at_the_bottom: bool = False) -> None:
        super().__init__()
        self._at_the_bottom = at_the_bottom
        self._font = QFont()
        self._captions: list[PlotCaption] = []
        self._bounds = QRectF()
        self._kept: tuple[QTransform, list[Placed]] | None = None

    def set_font(self, font: QFont) -> None:
        """Set the font of all texts."""
        self._font = font
        self._kept = None
        self.update()

    def show_captions(self, captions: list[PlotCaption]) -> None:
        """Replace the texts."""
        if captions == self._captions:
            return
        self.prepareGeometryChange()
        self._captions = captions
        self._kept = None
        self._bounds = QRectF()
        for caption in captions:
            self._bounds = self._bounds.united(caption.room)
        self.update()

    def empty(self) -> None:
        """Show no texts."""
        self.show_captions([])

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shown(self) -> list[tuple[str, QRectF]]:
        """The texts that fit, with their rectangles on the plot's widget."""
        transform = self.sceneTransform() * self.getViewWidget().viewportTransform()
        return [(text, box) for text, box, _ in self._placed(transform)]

    def _placed(self, transform: QTransform) -> list[Placed]:
        """The position of each line under a transform, cached until something changes."""
        if self._kept is None or self._kept[0] != transform:
            self._kept = QTransform(transform), self._place(transform)
        return self._kept[1]

    def _place(self, transform: QTransform) -> list[Placed]:
        metrics = QFontMetricsF(self._font)
        height = metrics.height()
        placed: list[Placed] = []
        for caption in self._captions:
            room = transform.mapRect(caption.room).adjusted(caption.left, 0.0, -caption.right, 0.0)
            most = int((room.height() - _PAD) // height)
            width = room.width() - 2 * _PAD
            fitting = [
                next((text for text in line if metrics.horizontalAdvance(text) <= width), None)
                for line in caption.lines[:most]
            ]
            lines = [text for text in fitting if text is not None]
            if most < 1 or not fitting or fitting[0] is None:
                continue
            free = room.height() - height * len(lines)
            top = room.top() + (free if self._at_the_bottom else free / 2)
            for text in lines:
                advance = metrics.horizontalAdvance(text)
                left = room.left() + _PAD if caption.begins else room.center().x() - advance / 2
                placed.append((text, QRectF(left, top, advance, height), caption.color))
                top += height
        return placed

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw in pixels: the size of the text does not depend on the scale of the plot."""
        transform = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setFont(self._font)
        for text, box, color in self._placed(transform):
            painter.setPen(color)
            painter.drawText(box.adjusted(-1.0, 0.0, 1.0, 0.0), Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()
