"""Arrows and brackets of a story in a plot, drawn in pixels above everything else."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsItem, QWidget

from gems_gui.theme import LIGHT, Theme
from gems_gui.views.items import view_range

if TYPE_CHECKING:
    from gems_engine.talk.annotation import Mark

_SIZES = {"arrow": 12, "bracket": 17}  # of texts in pixels, before font scaling
_WIDTH = 2.5
_LENGTH, _TIP, _END, _GAP, _PAD = 26.0, 9.0, 8.0, 4.0, 4.0  # pixels, before font scaling
_WIDE = 0.6  # of the plot: a longer text is wrapped
_WRAP = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
_TOWARDS = {"above": (0.0, -1.0), "below": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}


class DrawnMark(NamedTuple):
    """A mark in pixels: its lines, the tip of an arrow (empty for a bracket), its text, and the text's rectangle."""

    lines: tuple[QPolygonF, ...]
    tip: QPolygonF
    text: str
    room: QRectF


class Annotations(QGraphicsItem):
    """Arrows with a text at a point, and brackets between two points of an axis; hidden while there are none."""

    def __init__(self, plot: Any, box: pg.ViewBox) -> None:
        super().__init__()
        self._plot, self._box = plot, box
        self._theme = LIGHT
        self.marks: tuple[Mark, ...] = ()
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def apply_theme(self, theme: Theme) -> None:
        """Set the colours and sizes."""
        self._theme = theme
        self.update()

    def show_marks(self, marks: tuple[Mark, ...]) -> None:
        """Replace the marks."""
        if marks != self.marks:
            self.marks = marks
            self.setVisible(bool(marks))
            self.update()

    def empty(self) -> None:
        """Show no marks."""
        self.show_marks(())

    def boundingRect(self) -> QRectF:
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def shown(self) -> list[DrawnMark]:
        """The marks in pixels of the plot's widget."""
        return self._placed(self.sceneTransform() * self._plot.viewportTransform())

    def covered(self, transform: QTransform) -> list[QRectF]:
        """What texts, lines and tips cover, in pixels."""
        width = self._theme.pen_width(_WIDTH)
        return [
            rectangle
            for mark in self._placed(transform)
            for rectangle in (
                mark.room,
                mark.tip.boundingRect(),
                *(line.boundingRect().adjusted(-width, -width, width, width) for line in mark.lines),
            )
        ]

    # -- places ------------------------------------------------------------------------------------------------

    def _font(self, kind: str) -> QFont:
        return self._theme.font(_SIZES[kind], bold=True)

    def _length(self, pixels: float) -> float:
        return pixels * self._theme.font_scale

    def _position(self, value: float, axis: str) -> float:
        """A data position on an axis; its logarithm on a logarithmic one."""
        log = bool((self._plot.x_axis if axis == "x" else self._plot.y_axis).logMode)
        return (math.log10(value) if value > 0 else -math.inf) if log else value

    def _placed(self, transform: QTransform) -> list[DrawnMark]:
        inside = transform.mapRect(view_range(self._box))
        return [
            self._bracket(mark, transform, inside) if mark.kind == "bracket" else self._arrow(mark, transform, inside)
            for mark in self.marks
        ]

    def _pixel(self, transform: QTransform, x: float, y: float, inside: QRectF) -> QPointF:
        """A point in pixels, inside the plot."""
        (left, right), (low, high) = self._box.viewRange()
        point = transform.map(QPointF(min(max(x, left), right), min(max(y, low), high)))
        return QPointF(
            min(max(point.x(), inside.left()), inside.right()), min(max(point.y(), inside.top()), inside.bottom())
        )

    def _text_room(self, mark: Mark, inside: QRectF) -> QRectF:
        """The size of a text, wrapped if it is long."""
        if not mark.text:
            return QRectF()
        metrics = QFontMetricsF(self._font(mark.kind))
        box = metrics.boundingRect(QRectF(0.0, 0.0, _WIDE * inside.width(), inside.height()), _WRAP, mark.text)
        pad = self._length(_PAD)
        return box.adjusted(-pad, -pad, pad, pad)

    def _bracket(self, mark: Mark, transform: QTransform, inside: QRectF) -> DrawnMark:
        (left, _), (low, _) = self._box.viewRange()
        along = mark.side == "x"
        ends = [self._position(each, mark.side) for each in mark.points]
        corners = [(each, low) if along else (left, each) for each in ends]
        first, last = (self._pixel(transform, x, y, inside) for x, y in corners)
        end, room = self._length(_END), self._text_room(mark, inside)
        middle = QPointF((first.x() + last.x()) / 2.0, (first.y() + last.y()) / 2.0)
        if along:
            y = min(max(inside.bottom() - mark.at * inside.height(), inside.top() + end), inside.bottom() - end)
            line = [(first.x(), y + end), (first.x(), y), (last.x(), y), (last.x(), y + end)]
            room.moveCenter(QPointF(middle.x(), y))
            room.moveBottom(y - self._length(_GAP))
            if room.top() < inside.top():
                room.moveTop(y + self._length(_GAP))
        else:
            x = min(max(inside.left() + mark.at * inside.width(), inside.left() + end), inside.right() - end)
            line = [(x - end, first.y()), (x, first.y()), (x, last.y()), (x - end, last.y())]
            room.moveCenter(QPointF(x, middle.y()))
            room.moveLeft(x + self._length(_GAP))
            if room.right() > inside.right():
                room.moveRight(x - end - self._length(_GAP))
        return DrawnMark((_polygon(line),), QPolygonF(), mark.text, _moved_into(room, inside))

    def _side(self, text: QRectF, tip: QPointF, side: str, inside: QRectF) -> tuple[QPointF, QRectF]:
        """Where an arrow from one side of a point begins, and the rectangle of its text, inside the plot."""
        room = QRectF(text)
        across, down = _TOWARDS[side]
        tail = QPointF(tip.x() + across * self._length(_LENGTH), tip.y() + down * self._length(_LENGTH))
        room.moveCenter(QPointF(tail.x() + across * room.width() / 2.0, tail.y() + down * room.height() / 2.0))
        return tail, _moved_into(room, inside)

    def _arrow(self, mark: Mark, transform: QTransform, inside: QRectF) -> DrawnMark:
        x, y = (self._position(each, axis) for each, axis in zip(mark.points, ("x", "y"), strict=True))
        tip = self._pixel(transform, x, y, inside)
        text, away = self._text_room(mark, inside), self._length(_TIP)
        ways = (self._side(text, tip, side, inside) for side in (mark.side, *_TOWARDS))
        far = (way for way in ways if not way[1].adjusted(-away, -away, away, away).contains(tip))
        tail, room = next(far, None) or self._side(text, tip, mark.side, inside)
        if mark.text:  # from the edge of the text that is nearest to the point: the arrow does not cross it
            tail = QPointF(min(max(tip.x(), room.left()), room.right()), min(max(tip.y(), room.top()), room.bottom()))
        dx, dy = tip.x() - tail.x(), tip.y() - tail.y()
        length = max(math.hypot(dx, dy), 1e-9)
        size = min(self._length(_TIP), length)
        dx, dy = size * dx / length, size * dy / length
        neck = QPointF(tip.x() - dx, tip.y() - dy)
        wings = [QPointF(neck.x() + each * dy / 2.0, neck.y() - each * dx / 2.0) for each in (1.0, -1.0)]
        head = QPolygonF([tip, *wings])
        return DrawnMark((QPolygonF([tail, neck]),), head, mark.text, room)

    # -- painting ----------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw in pixels: the size of text and lines does not depend on the scale of the plot."""
        transform = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink, ground = self._theme.color("text"), self._theme.color("card", 225)
        for given, mark in zip(self.marks, self._placed(transform), strict=True):
            painter.setFont(self._font(given.kind))
            if mark.text:
                painter.fillRect(mark.room, ground)
            painter.setPen(QPen(ink, self._theme.pen_width(_WIDTH)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for line in mark.lines:
                painter.drawPolyline(line)
            painter.setBrush(ink)
            if not mark.tip.isEmpty():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawPolygon(mark.tip)
            painter.setPen(ink)
            painter.drawText(mark.room, _WRAP, mark.text)
        painter.restore()


def _polygon(points: list[tuple[float, float]]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points])


def _moved_into(room: QRectF, inside: QRectF) -> QRectF:
    """A rectangle, moved so that it is inside another one."""
    moved = QRectF(room)
    moved.moveLeft(max(min(moved.left(), inside.right() - moved.width()), inside.left()))
    moved.moveTop(max(min(moved.top(), inside.bottom() - moved.height()), inside.top()))
    return moved
