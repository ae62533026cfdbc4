"""Paints a run in the list of runs: colour, name, instance and status."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from gems_gui.runs.runs_model import ABOUT, ACTIVE, COLOR, PINNED, RECOVERED, RESULT, SAVED
from gems_gui.widgets.themed_delegate import SMALL, Index, ThemedDelegate

_PAD = 7


class RunsDelegate(ThemedDelegate):
    """Paints a row of three lines, and edits the first in place."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.theme.pixels(180), self._name_height() + 2 * self._small_height() + 2 * _PAD)

    def _name_height(self) -> int:
        return QFontMetrics(self.theme.font(bold=True)).height()

    def _small_height(self) -> int:
        return QFontMetrics(self.theme.font(SMALL)).height() + 1

    def _left(self) -> int:
        """The left edge of texts, after the colour."""
        return 2 * _PAD + self.theme.pixels(10)

    def _name_box(self, row: QRect, marks: str) -> QRect:
        room = QFontMetrics(self.theme.font(SMALL)).horizontalAdvance(marks) + _PAD if marks else 0
        return QRect(
            row.left() + self._left(), row.top() + _PAD, row.width() - self._left() - _PAD - room, self._name_height()
        )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self.theme, option.rect
        active = bool(index.data(ACTIVE))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, option, active)
        self._swatch(painter, row, index.data(COLOR), active)
        known = {"pinned": PINNED, "recovered": RECOVERED, "saved": SAVED}
        marks = " · ".join(word for word, role in known.items() if index.data(role))
        name = self._name_box(row, marks)
        self._line(painter, name, str(index.data()), bold=active)
        box = QRect(name.right() + 1, name.top(), row.right() - _PAD - name.right(), name.height())
        self._line(painter, box, marks, dim=True, align=Qt.AlignmentFlag.AlignRight)
        for at, role in enumerate((ABOUT, RESULT)):
            top = name.bottom() + 1 + at * self._small_height()
            box = QRect(name.left(), top, row.width() - self._left() - _PAD, self._small_height())
            self._line(painter, box, str(index.data(role)), dim=True)
        painter.setPen(QPen(theme.color("line")))
        painter.drawLine(row.bottomLeft(), row.bottomRight())
        painter.restore()

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

    def _line(
        self,
        painter: QPainter,
        box: QRect,
        text: str,
        bold: bool = False,
        dim: bool = False,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        font = self.theme.font(SMALL) if dim else self.theme.font(bold=bold)
        painter.setFont(font)
        painter.setPen(self.theme.color("dim" if dim else "text"))
        fits = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, align | Qt.AlignmentFlag.AlignVCenter, fits)

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
        box = self._name_box(option.rect, "")
        middle = box.center().y()
        height = max(editor.sizeHint().height(), box.height())
        editor.setGeometry(box.left() - _PAD, middle - height // 2, box.width() + _PAD, height)
