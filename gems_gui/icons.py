"""Icons drawn as paths in the colours of the theme, sharp at any size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import ClassVar

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
    QPixmap,
    QTransform,
)

from gems_gui.theme import DARK, LIGHT, Theme

SIDE = 24.0
"""The side of the square that all icons are drawn in."""
_STROKE = 2.0
_HALF = 7.0  # of the height of a triangle

Point = tuple[float, float]


class Drawing:
    """The shapes of an icon: filled areas and lines, in a square of side 24."""

    def __init__(self) -> None:
        self.filled = QPainterPath()
        self.lines = QPainterPath()

    def polygon(self, *points: Point) -> Drawing:
        """Fill a polygon."""
        self.filled.addPath(_path(points, closed=True))
        return self

    def box(self, x: float, y: float, width: float, height: float, radius: float = 0.0) -> Drawing:
        """Fill a rectangle."""
        self.filled.addRoundedRect(QRectF(x, y, width, height), radius, radius)
        return self

    def dot(self, x: float, y: float, radius: float) -> Drawing:
        """Fill a disc."""
        self.filled.addEllipse(QPointF(x, y), radius, radius)
        return self

    def line(self, *points: Point, closed: bool = False) -> Drawing:
        """Draw a line through points."""
        self.lines.addPath(_path(points, closed))
        return self

    def frame(self, x: float, y: float, width: float, height: float, radius: float = 0.0) -> Drawing:
        """Draw the outline of a rectangle."""
        self.lines.addRoundedRect(QRectF(x, y, width, height), radius, radius)
        return self

    def ring(self, x: float, y: float, radius: float) -> Drawing:
        """Draw a circle."""
        self.lines.addEllipse(QPointF(x, y), radius, radius)
        return self

    def arc(self, x: float, y: float, radius: float, start: float, span: float) -> Drawing:
        """Draw a part of a circle; degrees from three o'clock, counter-clockwise."""
        box = QRectF(x - radius, y - radius, 2 * radius, 2 * radius)
        self.lines.arcMoveTo(box, start)
        self.lines.arcTo(box, start, span)
        return self

    def right(self, x: float, width: float, half: float = _HALF) -> Drawing:
        """Fill a triangle that points to the right from x on."""
        return self.polygon((x, 12 - half), (x + width, 12), (x, 12 + half))

    def left(self, x: float, width: float) -> Drawing:
        """Fill a triangle that points to the left, from x on."""
        return self.polygon((x + width, 12 - _HALF), (x, 12), (x + width, 12 + _HALF))


def _path(points: Iterable[Point], closed: bool) -> QPainterPath:
    path = QPainterPath()
    for at, point in enumerate(points):
        (path.lineTo if at else path.moveTo)(QPointF(*point))
    if closed:
        path.closeSubpath()
    return path


def _sliders() -> Drawing:
    drawing = Drawing()
    for y, knob in ((6.0, 15.0), (12.0, 8.0), (18.0, 16.0)):
        drawing.line((4, y), (knob - 2.4, y)).line((knob + 2.4, y), (20, y)).ring(knob, y, 2.4)
    return drawing


def _dice() -> Drawing:
    drawing = Drawing().frame(4, 4, 16, 16, 3.5)
    for x, y in ((8.5, 8.5), (15.5, 8.5), (12, 12), (8.5, 15.5), (15.5, 15.5)):
        drawing.dot(x, y, 1.5)
    return drawing


def _turned(clockwise: bool) -> Drawing:
    """An arrow that goes back the way it came, for undo and redo."""
    drawing = Drawing().line((5, 9), (14, 9)).arc(14, 13.5, 4.5, 90, -180).line((14, 18), (8, 18))
    drawing.polygon((9.5, 4), (9.5, 14), (3.5, 9))
    if clockwise:
        mirror = QTransform(-1, 0, 0, 1, SIDE, 0)
        drawing.filled, drawing.lines = mirror.map(drawing.filled), mirror.map(drawing.lines)
    return drawing


def _loop() -> Drawing:
    drawing = Drawing().arc(12, 12, 7, 60, -300)
    tip = math.radians(120)
    x, y = 12 + 7 * math.cos(tip), 12 - 7 * math.sin(tip)
    return drawing.polygon((x - 1.6, y - 3.8), (x + 4.4, y - 0.6), (x - 0.8, y + 3.6))


def _chip() -> Drawing:
    """A processor, for what the engine does."""
    drawing = Drawing().frame(4.5, 4.5, 15, 15, 2)
    for at in (9.0, 15.0):
        drawing.line((at, 1.5), (at, 4.5)).line((at, 19.5), (at, 22.5))
        drawing.line((1.5, at), (4.5, at)).line((19.5, at), (22.5, at))
    return drawing


def _keyboard() -> Drawing:
    drawing = Drawing().frame(2.5, 6, 19, 12, 2).line((8, 14.7), (16, 14.7))
    for x in (6.5, 10.2, 13.8, 17.5):
        drawing.dot(x, 10.2, 1.1)
    return drawing


_DRAWINGS: dict[str, Callable[[], Drawing]] = {
    "first": lambda: Drawing().box(3, 5, 2.4, 14, 0.6).left(5.8, 7.6).left(13.4, 7.6),
    "back": lambda: Drawing().left(3.5, 8.2).left(11.9, 8.2),
    "play": lambda: Drawing().right(7, 12, 8),
    "pause": lambda: Drawing().box(6, 4.5, 4.2, 15, 1).box(13.8, 4.5, 4.2, 15, 1),
    "forward": lambda: Drawing().right(3.9, 8.2).right(12.3, 8.2),
    "last": lambda: Drawing().right(3, 7.6).right(10.6, 7.6).box(18.6, 5, 2.4, 14, 0.6),
    "interest_back": lambda: Drawing().left(3.2, 8.2).left(11, 8.2).dot(20.6, 12, 2.6),
    "interest_forward": lambda: Drawing().dot(3.4, 12, 2.6).right(4.8, 8.2).right(12.6, 8.2),
    "live": lambda: Drawing().ring(12, 12, 5.5),
    "live_on": lambda: Drawing().dot(12, 12, 6.5),
    "hold": lambda: _chip().box(8.7, 8.2, 2.4, 7.6, 0.4).box(12.9, 8.2, 2.4, 7.6, 0.4),
    "resume": lambda: _chip().box(8.2, 8.2, 2.0, 7.6, 0.4).polygon((11.4, 7.8), (16.6, 12), (11.4, 16.2)),
    "stop": lambda: _chip().box(8.4, 8.4, 7.2, 7.2, 0.8),
    "run": lambda: _chip().polygon((9.4, 7.8), (16, 12), (9.4, 16.2)),
    "run_to_end": lambda: (
        Drawing().line((3.5, 12), (12, 12)).polygon((10.5, 7), (17, 12), (10.5, 17)).line((19.5, 5), (19.5, 19))
    ),
    "loop": _loop,
    "faster": lambda: Drawing().line((6, 12), (12, 6), (18, 12)).line((6, 18), (12, 12), (18, 18)),
    "slower": lambda: Drawing().line((6, 6), (12, 12), (18, 6)).line((6, 12), (12, 18), (18, 12)),
    "options": _sliders,
    "dice": _dice,
    "open": lambda: Drawing().line((3.5, 18.5), (3.5, 5.5), (9, 5.5), (11, 8), (20.5, 8), (20.5, 18.5), closed=True),
    "save": lambda: (
        Drawing()
        .line((12, 4), (12, 12))
        .polygon((7, 10), (17, 10), (12, 16))
        .line((4, 15), (4, 20), (20, 20), (20, 15))
    ),
    "export": lambda: (
        Drawing()
        .frame(3.5, 4.5, 17, 15, 2)
        .line((4.5, 17), (9.5, 11.5), (13, 15), (15.5, 12.5), (19.5, 17))
        .dot(15, 9, 1.5)
    ),
    "copy": lambda: Drawing().frame(8.5, 8.5, 11.5, 11.5, 2).line((5, 15), (4, 15), (4, 4), (15, 4), (15, 5)),
    "close": lambda: Drawing().line((6, 6), (18, 18)).line((18, 6), (6, 18)),
    "help": lambda: (
        Drawing().ring(12, 12, 8.5).arc(12, 9.8, 2.7, 180, -220).line((12.9, 12.4), (12, 14)).dot(12, 17, 1.3)
    ),
    "keys": _keyboard,
    "maximise": lambda: (
        Drawing()
        .line((13, 4.5), (19.5, 4.5), (19.5, 11))
        .line((19, 5), (13, 11))
        .line((11, 19.5), (4.5, 19.5), (4.5, 13))
        .line((5, 19), (11, 13))
    ),
    "goto": lambda: (
        Drawing()
        .ring(12, 12, 5.5)
        .dot(12, 12, 1.8)
        .line((12, 2.5), (12, 6.5))
        .line((12, 17.5), (12, 21.5))
        .line((2.5, 12), (6.5, 12))
        .line((17.5, 12), (21.5, 12))
    ),
    "add": lambda: Drawing().line((12, 5), (12, 19)).line((5, 12), (19, 12)),
    "remove": lambda: Drawing().line((5, 12), (19, 12)),
    "duplicate": lambda: Drawing().frame(4, 4, 11.5, 11.5, 2).frame(8.5, 8.5, 11.5, 11.5, 2),
    "up": lambda: Drawing().line((12, 20), (12, 5)).line((6, 11), (12, 5), (18, 11)),
    "down": lambda: Drawing().line((12, 4), (12, 19)).line((6, 13), (12, 19), (18, 13)),
    "left": lambda: Drawing().line((20, 12), (5, 12)).line((11, 6), (5, 12), (11, 18)),
    "right": lambda: Drawing().line((4, 12), (19, 12)).line((13, 6), (19, 12), (13, 18)),
    "undo": lambda: _turned(clockwise=False),
    "redo": lambda: _turned(clockwise=True),
}
"""The drawing of each icon by name; "…_on" is the icon of an action that is on."""

NAMES = tuple(name for name in _DRAWINGS if not name.endswith("_on"))
"""All icons."""


class _DrawingEngine(QIconEngine):
    """Paints a drawing at every requested size, so that it is sharp at any device pixel ratio."""

    _clones: ClassVar[list[_DrawingEngine]] = []

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__()
        self._name = name
        self._theme = theme
        self._off = _DRAWINGS[name]()
        self._on = _DRAWINGS.get(f"{name}_on", _DRAWINGS[name])()

    def clone(self) -> QIconEngine:
        """A copy: QIcon requests it before it changes a copy of itself."""
        made = _DrawingEngine(self._name, self._theme)
        self._clones.append(made)  # PySide would delete the clone without a reference here
        return made

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        role = {QIcon.Mode.Disabled: "dim", QIcon.Mode.Selected: "on_primary"}.get(mode, "text")
        color = self._theme.color(role, 128 if mode == QIcon.Mode.Disabled else 255)
        drawing = self._on if state == QIcon.State.On else self._off
        side = min(rect.width(), rect.height())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(rect.x() + (rect.width() - side) / 2, rect.y() + (rect.height() - side) / 2)
        painter.scale(side / SIDE, side / SIDE)
        painter.fillPath(drawing.filled, color)
        pen = QPen(color, _STROKE, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(drawing.lines, pen)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """The drawing on a transparent background; the size is in device pixels."""
        picture = QPixmap(size)
        if picture.isNull():  # for a button without room at the moment
            return picture
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return picture


@cache
def _drawn(name: str, theme: Theme) -> QIcon:
    return QIcon(_DrawingEngine(name, theme))


def icon(name: str, theme: Theme | None = None) -> QIcon:
    """An icon in the colours of a theme, by default of the current one.

    Raises
    ------
    KeyError
        If there is no icon with that name.
    """
    look = current_theme() if theme is None else theme
    return _drawn(name, LIGHT if look.name == LIGHT.name else DARK)  # the font scale does not matter here


def current_theme() -> Theme:
    """The theme whose background matches the palette of the program."""
    ground = QGuiApplication.palette().color(QPalette.ColorRole.Window)
    return DARK if ground.lightness() < 128 else LIGHT
