"""Paints the cells of an instance's table: what is no number keeps its frame, selected or not."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gems_gui.appearance import Appearance
from gems_gui.panels.table_model import BAD, Index

_WIDTH = 2.0


class CellDelegate(QStyledItemDelegate):
    """The cell as the style paints it, and over it the frame of a bad one, which no selection hides."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one cell."""
        super().paint(painter, option, index)
        if index.data(BAD):
            painter.save()
            painter.setPen(QPen(self._appearance.theme.color("now"), _WIDTH))
            inset = _WIDTH / 2
            painter.drawRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset))
            painter.restore()
