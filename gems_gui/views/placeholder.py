"""The text in the middle of an empty view, which says why it is empty."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from gems_engine.terminal import with_indices
from gems_gui.series.wordings import Phrasings
from gems_gui.theme import Theme

_MIDDLE = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap


def fitting_placeholder(why: Phrasings, room: QRectF, theme: Theme) -> tuple[str, QRectF]:
    """The first of these texts that fits into the room, with its rectangle; none fits: no text."""
    aside = min(theme.pixels(24), room.width() // 8)
    inside = room.adjusted(aside, 2, -aside, -2)
    metrics = QFontMetricsF(theme.font(12))
    for words in map(with_indices, why):
        box = metrics.boundingRect(inside, int(_MIDDLE), words)
        if box.height() <= inside.height() and box.width() <= inside.width() + 1:
            return words, box
    return "", QRectF()


def ground_of(box: QRectF) -> QRectF:
    """What such a text covers: its rectangle and a narrow edge."""
    return box.adjusted(-4, -1, 4, 1)


def draw_placeholder(widget: QWidget, words: str, box: QRectF, theme: Theme) -> None:
    """Draw such a text."""
    if words:
        painter = QPainter(widget)
        painter.fillRect(ground_of(box), theme.color("card"))
        painter.setFont(theme.font(12))
        painter.setPen(theme.color("dim"))
        painter.drawText(box.adjusted(-1, 0, 1, 0), int(_MIDDLE), words)
