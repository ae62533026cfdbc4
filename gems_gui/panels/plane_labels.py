"""Names of the points in the plane: moved to a free side of their point, or left out where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QGraphicsItem, QWidget

from gems_engine.arrays import Floats
from gems_gui.series.names import shortened
from gems_gui.theme import Theme
from gems_gui.views.items import view_range

_ALONG = 4.0  # pixels between the places on a line to a name that no other name covers
_SAME_PLACE = 5.0  # pixels: points this close share a label
_LINE = 2.0  # pixels around a line that no label covers
_NAMED = 2  # names in the label of several points
_MOST_LETTERS = 14  # of a name
_MOST_TRIED = 80  # labels of a large instance
_FAR = (3.0, 4.5, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 25.0)  # reach of the name of a large mark, with a line to it
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))  # the best first


@dataclass(frozen=True)
class NamedPoint:
    """A point with its name.

    Attributes
    ----------
    name
        Empty for a point that is only not to be covered.
    size
        Diameter of its mark in pixels.
    """

    x: float
    y: float
    name: str
    size: float


class PlaneLabels(QGraphicsItem):
    """Names next to points. None covers a point, a line or another name; points at one place share a label.

    A large mark is named in a crowd too: a line leads from it to its name.
    """

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__()
        self._box = box
        self._font, self._color, self._ground = QFont(), QColor(), QColor()
        self._points: Sequence[NamedPoint] = ()
        self._lines: Floats = np.zeros((0, 2))
        self._known: tuple[tuple[QTransform, QRectF], list[tuple[str, QRectF]]] | None = None
        self.leaders: list[QLineF] = []
        """The lines from large marks in a crowd to their names, in pixels."""
        box.addItem(self, ignoreBounds=True)

    def apply_theme(self, theme: Theme) -> None:
        """Set font and colours."""
        self._font, self._color, self._ground = theme.font(10), theme.color("text"), theme.color("card")
        self._known = None
        self.update()

    def show_names(self, points: Sequence[NamedPoint], lines: Floats) -> None:
        """Name these points, the most important first.

        Parameters
        ----------
        lines
            Places on lines, which no name should cover.
        """
        if points != self._points or not np.array_equal(lines, self._lines):
            self._points, self._lines = points, lines
            self._known = None
            self.setVisible(bool(points))
            self.update()

    def placed(self, transform: QTransform) -> list[tuple[str, QRectF]]:
        """The names that fit, with their boxes in pixels; during a drag they do not change."""
        drawn_for = QTransform(transform), view_range(self._box)
        if self._known is None or self._known[0] != drawn_for:
            self._known = drawn_for, self._place(transform)
        return self._known[1]

    def _place(self, transform: QTransform) -> list[tuple[str, QRectF]]:
        metrics = QFontMetricsF(self._font)
        room = transform.mapRect(view_range(self._box))
        places = _mapped(transform, np.array([(each.x, each.y) for each in self._points]).reshape(-1, 2))
        obstacles = np.vstack([places, _mapped(transform, self._lines)])
        sizes = np.array([*(each.size / 2 for each in self._points), *[_LINE] * len(self._lines)])
        x, y = places.T
        left = (x > room.left()) & (x < room.right()) & (y > room.top()) & (y < room.bottom())
        found: list[tuple[str, QRectF]] = []
        taken: list[QRectF] = []
        apart = metrics.horizontalAdvance("  ")  # more than between the words of one name
        self.leaders = []
        tried, least = 0, min((each.size for each in self._points), default=0.0)
        for at, point in enumerate(self._points):
            if not (left[at] and point.name):
                continue
            near = left & (np.hypot(*(places - places[at]).T) < _SAME_PLACE)
            left &= ~near
            here = [self._points[int(other)] for other in np.flatnonzero(near)]
            words = _label(point, here)
            size = metrics.horizontalAdvance(words), metrics.height()
            radius = max(each.size for each in here) / 2 + 2
            tried += 1
            reach = (radius, 1.6 * radius) if point.size > least else (radius,)  # a large mark is found from afar too
            boxes = (_next_to(places[at], each, size, side) for each in reach for side in _SIDES)
            free = (box for box in boxes if room.contains(box) and not any(box.intersects(other) for other in taken))
            box = next((box for box in free if not _covers(box, obstacles, sizes)), None)
            if box is None and point.size > least:
                words = _label(point, [each for each in here if each.size > least])  # others are there by chance
                size = metrics.horizontalAdvance(words), metrics.height()
                far = (_next_to(places[at], each * radius, size, side) for each in _FAR for side in _SIDES)
                ways = ((each, _leader(places[at], radius, each)) for each in far if room.contains(each))
                ways = (way for way in ways if not any(_cross(each, way[1]) for each in self.leaders))
                clear = (way for way in ways if not any(_meets(each, *way) for each in taken))
                box, leader = next((way for way in clear if not _covers(way[0], obstacles, sizes)), (None, QLineF()))
                if box is not None:
                    self.leaders.append(leader)
                    along = [each.toTuple() for each in _along(leader)]
                    obstacles = np.vstack([obstacles, along])
                    sizes = np.append(sizes, np.full(len(along), _LINE))
            if box is not None:
                found.append((words, box))
                taken.append(box.adjusted(-apart, 0.0, apart, 0.0))
            if tried == _MOST_TRIED:
                break
        return found

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
        painter.drawLines(self.leaders)
        for words, box in placed:
            painter.fillRect(box, self._ground)  # the axes through 0 and the grid do not cross a name
            painter.drawText(box.adjusted(-1.0, 0.0, 1.0, 0.0), Qt.AlignmentFlag.AlignCenter, words)


def _mapped(transform: QTransform, places: Floats) -> Floats:
    """The pixels of places; Qt maps one at a time."""
    turn = np.array([[transform.m11(), transform.m12()], [transform.m21(), transform.m22()]])
    return np.asarray(places @ turn + np.array([transform.dx(), transform.dy()]))


def _label(first: NamedPoint, here: Sequence[NamedPoint]) -> str:
    """The names of the points at a place: two of them, and how many more there are."""
    names = [first.name, *(each.name for each in here if each is not first and each.name)]
    short = [shortened(name, _MOST_LETTERS) for name in names[:_NAMED]]
    return ", ".join(short) + (f" +{len(names) - _NAMED}" if len(names) > _NAMED else "")


def _next_to(place: Floats, radius: float, size: tuple[float, float], side: tuple[int, int]) -> QRectF:
    """The box of a text on one side of a point."""
    (width, height), (across, down) = size, side
    near = radius * (0.8 if across and down else 1.0)
    x = place[0] + across * (near + width / 2) - width / 2
    y = place[1] + down * (near + height / 2) - height / 2
    return QRectF(x, y, width, height)


def _leader(place: Floats, radius: float, box: QRectF) -> QLineF:
    """The line from the rim of a mark to the nearest place of a box."""
    x = min(max(place[0], box.left() - _LINE), box.right() + _LINE)
    y = min(max(place[1], box.top()), box.bottom())
    line = QLineF(place[0], place[1], x, y)
    return QLineF(line.pointAt(min(1.0, radius / max(line.length(), 1e-9))), line.p2())


def _meets(other: QRectF, box: QRectF, leader: QLineF) -> bool:
    """Whether a name with its line meets another name."""
    near = QRectF(leader.p1(), leader.p2()).normalized().adjusted(-1.0, -1.0, 1.0, 1.0)
    return box.intersects(other) or (near.intersects(other) and any(map(other.contains, _along(leader))))


def _cross(one: QLineF, other: QLineF) -> bool:
    return one.intersects(other)[0] == QLineF.IntersectionType.BoundedIntersection


def _along(leader: QLineF) -> list[QPointF]:
    parts = np.linspace(0.0, 1.0, 2 + int(leader.length() / _ALONG))
    return [leader.pointAt(part) for part in parts.tolist()]


def _covers(box: QRectF, points: Floats, radii: Floats) -> bool:
    """Whether a point of some radius reaches into a box."""
    x, y = points.T
    across = (x > box.left() - radii) & (x < box.right() + radii)
    return bool((across & (y > box.top() - radii) & (y < box.bottom() + radii)).any())
