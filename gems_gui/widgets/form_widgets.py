"""Small inputs of forms; a text that does not fit always ends with an ellipsis."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPaintEvent, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFrame,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QStylePainter,
    QWidget,
)

from gems_gui.markup import plain_text
from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.explained import described
from gems_gui.widgets.focus import leave_to_run, leaves_field

ZERO_WIDTH_SPACE = "\N{ZERO WIDTH SPACE}"
_OPENING = (Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_F4)
_TEXT_MARGIN = 2  # pixels that Qt leaves free at both ends of the text of a line edit
_ENTRY = re.compile(r"[^\s,;](?:[^,;]|,(?=\d))*")  # "1e-4", "10 000 000" or "0,5", also in a list of several
_TOGETHER = "\N{NO-BREAK SPACE}"  # "D = 25" stays on one line


class ElidingComboBox(QComboBox):
    """A combo box that ends a long text with "…" and whose popup is as wide as its texts."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a choice by mouse leaves the keys to the run
        self.activated.connect(self._leave)

    def _leave(self) -> None:
        leave_to_run(self)

    def fill(self, items: Iterable[tuple[str, str, str]]) -> None:
        """Replace all items, each (text, key, tooltip)."""
        self.blockSignals(True)
        self.clear()
        for text, key, tooltip in items:
            self.addItem(text, key)
            self.setItemData(self.count() - 1, plain_text(tooltip), Qt.ItemDataRole.ToolTipRole)
        self.blockSignals(False)

    def add_disabled(self, text: str, tooltip: str) -> None:
        """Add an item that cannot be chosen."""
        self.addItem(text)
        self.setItemData(self.count() - 1, plain_text(tooltip), Qt.ItemDataRole.ToolTipRole)
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        model.item(self.count() - 1).setEnabled(False)

    def choose(self, key: str) -> None:
        """Show the item with this key, without a signal."""
        self.blockSignals(True)
        self.setCurrentIndex(self.findData(key))
        self.blockSignals(False)
        self.setToolTip(str(self.currentData(Qt.ItemDataRole.ToolTipRole) or ""))

    def shown_text(self) -> str:
        """The current text as it is painted."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        text = option.currentText if self.currentIndex() >= 0 else self.placeholderText()
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, field.width() - 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self.shown_text()
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def showPopup(self) -> None:
        view = self.view()
        view.setTextElideMode(Qt.TextElideMode.ElideNone)
        view.setMinimumWidth(view.sizeHintForColumn(0) + view.verticalScrollBar().sizeHint().width() + 8)
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel: scrolling the panel must not change a choice."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list with Space, ↑, ↓ or F4, and choose there: a stray key must not change a choice."""
        if event.key() in _OPENING:
            self.showPopup()
        else:
            event.ignore()


class FieldLine(QLineEdit):
    """A line edit of the main window.

    Esc leaves it; what was typed stays. A double-click selects a whole number. A space does not replace the whole text:
    it was meant to play the run, but the focus went to a value that was refused.
    """

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select the entry at the mouse: Qt would end it at a decimal point, a minus or a thin space."""
        super().mouseDoubleClickEvent(event)
        at = self.cursorPositionAt(event.position().toPoint())
        for found in _ENTRY.finditer(self.text()):
            if event.button() == Qt.MouseButton.LeftButton and found.start() <= at <= found.end():
                self.setSelection(found.start(), len(found[0]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the field with Esc."""
        whole = bool(self.text()) and self.selectedText() == self.text()
        if not (leaves_field(self, event) or (whole and event.text() == " ")):
            super().keyPressEvent(event)


class DraftLine(FieldLine):
    """A line edit without its own undo and redo: those of the whole form apply. Files dropped on it are opened."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(False)  # it would take the path as text

    def event(self, event: QEvent) -> bool:
        """Leave the shortcuts of undo and redo to the window."""
        if asks_to_undo(event):
            event.ignore()
            return True
        return super().event(event)


class PathLine(QLineEdit):
    """A field for a path. If it is too long, "…" and its end are shown while it is not edited."""

    def __init__(self) -> None:
        super().__init__()
        self.textChanged.connect(self._show_tip)

    def _show_tip(self, path: str) -> None:
        self.setToolTip(plain_text(path))

    @property
    def shown(self) -> str:
        """The text that is painted while it is not edited."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideLeft, self._room().width())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus() or self.shown == self.text():
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionFrame()
        self.initStyleOption(option)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option)
        painter.drawText(self._room(), Qt.AlignmentFlag.AlignVCenter, self.shown)

    def _room(self) -> QRect:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        contents = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        return contents.adjusted(_TEXT_MARGIN, 0, -_TEXT_MARGIN, 0)


class SearchLine(QLineEdit):
    """A field for words to search for. Esc clears it and leaves it."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear and leave the field with Esc."""
        if leaves_field(self, event):
            self.clear()
        else:
            super().keyPressEvent(event)


def asks_to_undo(event: QEvent) -> bool:
    """Whether an event offers the shortcut of undo or redo to a widget."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    again = event.key() == Qt.Key.Key_Y and event.modifiers() == Qt.KeyboardModifier.ControlModifier
    return again or event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)


class WrappingLabel(QLabel):
    """A label that wraps text, even within a long word."""

    def __init__(self, role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        if role:
            self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)

    def show_text(self, sentence: str) -> None:
        """Show a sentence; an empty one hides the label."""
        breakable = re.sub(r"(\S{14})(?=\S)", rf"\1{ZERO_WIDTH_SPACE}", sentence)
        self.setText(breakable.replace(" = ", f"{_TOGETHER}={_TOGETHER}"))
        self.setVisible(bool(sentence))

    @property
    def text_shown(self) -> str:
        """The sentence, empty if there is none."""
        return self.text().replace(ZERO_WIDTH_SPACE, "").replace(_TOGETHER, " ")


class SwitchLabel(WrappingLabel):
    """The label of a check box: clicking it toggles the box."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        box = self.buddy()
        if isinstance(box, QAbstractButton) and box.isEnabled() and self.rect().contains(event.position().toPoint()):
            box.toggle()


class FormCard(QFrame):
    """A titled card; `body` takes what is on it."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName(title.capitalize())
        self.body = vbox(self, 6, margins=(10, 8, 10, 10))
        heading = described(QLabel(title), role="section")
        self.body.addWidget(heading)
