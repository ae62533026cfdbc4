"""The mouse as a dot that the last row sees."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QCursor, QPainter, QPixmap

from gems_gui.theme import Theme

_SIZE = 15  # pixels before the scale of fonts
_SMALLEST, _LARGEST = 16, 96  # what can be seen, and what systems take as a cursor


def dot(theme: Theme) -> QCursor:
    """A dot in the colour that means «look here», with a rim that shows on every ground."""
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
