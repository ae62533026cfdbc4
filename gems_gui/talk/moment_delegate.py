"""Paints a moment in the list: its number, its position, and its caption in at most two lines."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from gems_gui.theme import Theme
from gems_gui.widgets.themed_delegate import SMALL, Index, ThemedDelegate

WHERE = Qt.ItemDataRole.UserRole
RIGHT = Qt.ItemDataRole.UserRole + 1
_PAD = 6
_LINES = 2


class MomentDelegate(ThemedDelegate):
    """Paints a row of three lines."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = QFontMetrics(self.theme.font()).lineSpacing()
        return QSize(self.theme.pixels(120), self._small() + _LINES * line + 2 * _PAD)

    def _small(self) -> int:
        return QFontMetrics(self.theme.font(SMALL)).height() + 2

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self.theme, option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen:
            painter.fillRect(row, theme.color("surviving"))
        painter.setPen(theme.color("line"))
        painter.drawLine(row.bottomLeft(), row.bottomRight())
        box = row.adjusted(_PAD, _PAD, -_PAD, -_PAD)
        painter.setFont(theme.font(SMALL))
        painter.setPen(theme.color("on_primary" if chosen else "dim"))
        where = QFontMetrics(theme.font(SMALL)).elidedText(index.data(WHERE), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(QRect(box.left(), box.top(), box.width(), self._small()), where)
        painter.setFont(theme.font())
        right = bool(index.data(RIGHT))
        painter.setPen(theme.color("on_primary" if chosen else "text" if right else "now"))
        top = box.top() + self._small()
        for at, line in enumerate(wrapped(str(index.data()), theme, box.width())):
            painter.drawText(box.left(), top + at * QFontMetrics(theme.font()).lineSpacing(), box.width(), 100, 0, line)
        painter.restore()


def wrapped(text: str, theme: Theme, width: int) -> list[str]:
    """At most two lines of a text; the second ends in "…" if the text is longer."""
    font, metrics = theme.font(), QFontMetrics(theme.font())
    layout = QTextLayout(text, font)
    layout.setTextOption(QTextOption())
    layout.beginLayout()
    first = layout.createLine()
    if not first.isValid():
        return []
    first.setLineWidth(width)
    cut = first.textLength()
    layout.endLayout()
    rest = text[cut:].strip()
    return [text[:cut].strip(), *([metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width)] if rest else [])]
