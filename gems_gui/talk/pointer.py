"""The mouse pointer as a dot, visible from the last row."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QCursor, QPainter, QPixmap

from gems_gui.theme import Theme

_SIZE = 15  # pixels before font scaling
_SMALLEST, _LARGEST = 16, 96  # still visible, and accepted as a cursor by all systems


def dot(theme: Theme) -> QCursor:
    """A dot in the highlight colour, with a rim that is visible on every background."""
    side = min(max(theme.pixels(_SIZE), _SMALLEST), _LARGEST)
    picture = QPixmap(side, side)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    rim = max(1.0, side / 12)
    painter.setPen(QColor(255, 255, 255))
    painter.setBrush(theme.color("now", 220))
    pen = painter.pen()
    pen.setWidthF(rim)
    painter.setPen(pen)
    painter.drawEllipse(QRectF(rim, rim, side - 2 * rim, side - 2 * rim))
    painter.end()
    return QCursor(picture, side // 2, side // 2)
