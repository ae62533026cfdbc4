"""Paints the cells of the instance table; an invalid cell keeps its frame when it is selected."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gems_gui.appearance import Appearance
from gems_gui.panels.table_model import BAD, Index

_WIDTH = 2.0


class CellDelegate(QStyledItemDelegate):
    """Paints a cell in the current style, with a frame on top if the cell is invalid."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if not option.displayAlignment & Qt.AlignmentFlag.AlignRight:  # a name: it often differs at its end
            option.textElideMode = Qt.TextElideMode.ElideMiddle

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.data(BAD):
            painter.save()
            painter.setPen(QPen(self._appearance.theme.color("now"), _WIDTH))
            inset = _WIDTH / 2
            painter.drawRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset))
            painter.restore()
