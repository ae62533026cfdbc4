"""How roles differ without colour, in pictures for print: hatches of areas, dashes of lines, shapes of dots."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gems_gui.theme import LIGHT, RUN_COLORS

_APART = 4.0  # pixels between two lines of a hatching: 3 pt
_WIDTH = 0.7  # pixels of such a line
_GREY = 30  # largest difference between the parts of a grey
_ROUNDING = 2.0  # of 255
_LEAST_SHARE = 0.15  # of a role's colour in a shade: lighter ones are almost white


class PrintMark(NamedTuple):
    """The marks of a role.

    Attributes
    ----------
    hatch
        Angles of the lines over an area, in degrees; none for a plain area.
    dash
        Lengths of dashes and gaps of a line, in line widths; none for a solid line.
    symbol, glyph
        The shape that replaces a round dot, for pyqtgraph and as text.
    """

    hatch: tuple[int, ...] = ()
    dash: tuple[float, ...] = ()
    symbol: str = "o"
    glyph: str = "●"


PLAIN = PrintMark()
ROLE_MARKS = {
    "surviving": PLAIN,
    "now": PrintMark((45,), (1.5, 1.0), "t", "▼"),
    "before": PrintMark((135,), (1.0, 2.0), "+", "+"),
    "chosen": PrintMark((45, 135), (6.0, 1.5), "t1", "▲"),
    "best": PrintMark((90,), (4.0, 1.5, 1.0, 1.5), "star", "★"),
    "budget": PrintMark((0,), (2.5, 1.5), "d", "◆"),
    "dim": PrintMark((0, 90), (), "x", "✕"),
    "text": PrintMark((), (), "s", "■"),
}
"""The marks of each role."""
RUN_MARKS = (
    PLAIN,
    PrintMark((45,), (4.0, 1.5), "s", "■"),
    PrintMark((135,), (1.5, 1.0), "t1", "▲"),
    PrintMark((45, 135), (4.0, 1.5, 1.0, 1.5), "d", "◆"),
    PrintMark((90,), (6.0, 1.5), "t", "▼"),
    PrintMark((0,), (2.5, 1.5), "star", "★"),
    PrintMark((0, 90), (1.0, 1.0), "+", "+"),
    PrintMark((20,), (1.0, 2.0), "x", "✕"),
)
"""The marks of runs by their number."""


@cache
def _marks() -> tuple[tuple[tuple[int, int, int], PrintMark], ...]:
    """The colours of all roles and runs with their marks."""
    theme = LIGHT.for_paper()
    roles = ((theme.color(role), mark) for role, mark in ROLE_MARKS.items())
    runs = zip(map(QColor, RUN_COLORS), RUN_MARKS, strict=True)
    return tuple(((color.red(), color.green(), color.blue()), mark) for color, mark in (*roles, *runs))


def mark_of(color: QColor) -> PrintMark:
    """The marks of the role that has this colour or a light shade of it; plain ones for any other colour."""
    return _mark_of((color.red(), color.green(), color.blue()))


@cache
def _mark_of(color: tuple[int, int, int]) -> PrintMark:
    for full, mark in _marks():
        if color == full:
            return mark
    for full, mark in _marks():
        if max(full) - min(full) < _GREY:
            continue  # all greys are shades of each other
        share = (765 - sum(color)) / (765 - sum(full))
        mixture = (255 - share * (255 - part) for part in full)
        near = all(abs(one - other) <= _ROUNDING for one, other in zip(mixture, color, strict=True))
        if _LEAST_SHARE <= share <= 1 and near:
            return mark
    return PLAIN


def hatch_over(painter: QPainter, shape: QPainterPath, color: QColor) -> None:
    """Draw the hatching of a colour's role over a shape in pixels; its lines are light on dark colours."""
    angles, box = mark_of(color).hatch, shape.boundingRect()
    if not angles or box.isEmpty():
        return
    ink = QColor("black" if color.lightnessF() > 0.6 or color.alphaF() < 0.6 else "white")
    ink.setAlphaF(0.55 if ink.lightness() == 0 else 0.9)
    painter.save()
    painter.setClipPath(shape, Qt.ClipOperation.IntersectClip)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(QPen(ink, _WIDTH))
    for angle in angles:
        painter.drawLines(_lines(box, angle))
    painter.restore()


def _lines(box: QRectF, angle: int) -> list[QLineF]:
    """Parallel lines across a box, at fixed positions of the picture, so that neighbours match."""
    along = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
    across = -along[1], along[0]
    corners = [(point.x(), point.y()) for point in (box.topLeft(), box.topRight(), box.bottomLeft(), box.bottomRight())]
    depths = [x * across[0] + y * across[1] for x, y in corners]
    reaches = [x * along[0] + y * along[1] for x, y in corners]
    begin, end = min(reaches), max(reaches)
    return [
        QLineF(
            begin * along[0] + at * _APART * across[0],
            begin * along[1] + at * _APART * across[1],
            end * along[0] + at * _APART * across[0],
            end * along[1] + at * _APART * across[1],
        )
        for at in range(math.ceil(min(depths) / _APART), math.floor(max(depths) / _APART) + 1)
    ]


def dashed(pen: QPen) -> QPen:
    """A solid pen with the dashes of its role; any other as it is."""
    dash = mark_of(pen.color()).dash
    if pen.style() != Qt.PenStyle.SolidLine or not dash:
        return pen
    made = QPen(pen)
    made.setDashPattern(list(dash))
    made.setCapStyle(Qt.PenCapStyle.FlatCap)
    return made


def path_of(boxes: Iterable[QRectF]) -> QPainterPath:
    """Rectangles as one path."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    for box in boxes:
        path.addRect(box)
    return path
