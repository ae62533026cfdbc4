"""Paints a run in the list of runs: colour, name, instance and status, wrapped so that no number is cut off."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from gems_gui.markup import unbroken_formulas
from gems_gui.runs.runs_model import ABOUT, ACTIVE, COLOR, PINNED, RECOVERED, RESULT, SAVED
from gems_gui.widgets.themed_delegate import SMALL, Index, ThemedDelegate

_PAD = 7
_WRAPPED = QTextOption()
_WRAPPED.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)


def _marks(index: Index) -> str:
    known = {"pinned": PINNED, "recovered": RECOVERED, "saved": SAVED}
    return " · ".join(word for word, role in known.items() if index.data(role))


def _text_of(index: Index, role: int) -> str:
    return unbroken_formulas(str(index.data(role)))


def _height(text: str, font: QFont, width: int) -> int:
    """The height of a text that is wrapped at a width."""
    layout = QTextLayout(text, font)
    layout.setTextOption(_WRAPPED)
    layout.beginLayout()
    lines = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1))
        lines += 1
    layout.endLayout()
    return max(lines, 1) * (QFontMetrics(font).height() + 1)


class RunsDelegate(ThemedDelegate):
    """Paints a row of three texts, each of as many lines as it needs, and edits the first in place."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        view = self.parent()
        width = view.viewport().width() if isinstance(view, QAbstractItemView) else option.rect.width()
        boxes = self._boxes(QRect(0, 0, width, 0), index)
        return QSize(self.theme.pixels(180), boxes[-1].bottom() + 1 + _PAD)

    def _name_height(self) -> int:
        return QFontMetrics(self.theme.font(bold=True)).height()

    def _name_font(self, index: Index) -> QFont:
        return self.theme.font(bold=bool(index.data(ACTIVE)))

    def _left(self) -> int:
        """The left edge of texts, after the colour."""
        return 2 * _PAD + self.theme.pixels(10)

    def _boxes(self, row: QRect, index: Index) -> list[QRect]:
        """The rectangles of the name, the instance and the status, from the top."""
        left, width, top = row.left() + self._left(), row.width() - self._left() - _PAD, row.top() + _PAD
        marks = QFontMetrics(self.theme.font(SMALL)).horizontalAdvance(_marks(index))
        boxes = []
        for text, font, room in (
            (str(index.data()), self._name_font(index), width - (marks + _PAD if marks else 0)),
            (_text_of(index, ABOUT), self.theme.font(SMALL), width),
            (_text_of(index, RESULT), self.theme.font(SMALL), width),
        ):
            boxes.append(QRect(left, top, room, _height(text, font, room)))
            top = boxes[-1].bottom() + 1
        return boxes

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self.theme, option.rect
        active = bool(index.data(ACTIVE))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, option, active)
        self._swatch(painter, row, index.data(COLOR), active)
        name, about, result = self._boxes(row, index)
        self._text(painter, name, str(index.data()), self._name_font(index), "text")
        self._text(painter, about, _text_of(index, ABOUT), theme.font(SMALL), "dim")
        self._text(painter, result, _text_of(index, RESULT), theme.font(SMALL), "dim")
        box = QRect(name.right() + 1, name.top(), row.right() - _PAD - name.right(), self._name_height())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _marks(index))
        painter.setPen(QPen(theme.color("line")))
        painter.drawLine(row.bottomLeft(), row.bottomRight())
        painter.restore()

    def _text(self, painter: QPainter, box: QRect, text: str, font: QFont, role: str) -> None:
        painter.setFont(font)
        painter.setPen(self.theme.color(role))
        painter.drawText(QRectF(box), text, _WRAPPED)

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, active: bool) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            focused = bool(option.state & QStyle.StateFlag.State_Active)
            painter.fillRect(option.rect, self.theme.color("surviving", 60 if focused else 36))
        elif active:
            painter.fillRect(option.rect, self.theme.color("field"))

    def _swatch(self, painter: QPainter, row: QRect, color: QColor, active: bool) -> None:
        """A disc in the colour of the run; a ring if it is not the shown run."""
        side = self.theme.pixels(10)
        middle = QPoint(row.left() + _PAD + side // 2, row.top() + _PAD + self._name_height() // 2)
        path = QPainterPath()
        path.addEllipse(middle, side / 2 - 1, side / 2 - 1)
        if active:
            painter.fillPath(path, color)
        painter.strokePath(path, QPen(color, 2.0))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        editor.setAccessibleName("Name of the run")
        editor.setToolTip("Press Enter to rename the run, Esc to cancel")
        editor.setAutoFillBackground(True)
        editor.setBackgroundRole(QPalette.ColorRole.Base)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Fill the editor once: a growing run must not overwrite what is typed."""
        if not editor.property("filled"):
            editor.setProperty("filled", True)
            super().setEditorData(editor, index)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        left, height = option.rect.left() + _PAD + self.theme.pixels(10), editor.sizeHint().height()
        middle = option.rect.top() + _PAD + self._name_height() // 2
        editor.setGeometry(left, middle - height // 2, option.rect.right() - _PAD - left, height)
