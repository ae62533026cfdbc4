"""Base classes of dialogs: they are not modal, Esc closes them, and there is at most one of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget
from shiboken6 import isValid

from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.explained import explain


class Dialog(QDialog):
    """A non-modal window; it closes when another of its kind opens."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if (help_action := parent.window().findChild(QAction, "help")) is not None:
            self.addAction(help_action)  # F1 works here too
        self.column = vbox(self, 10, margins=(16, 14, 16, 14))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        parent = self.parentWidget()
        assert parent is not None
        for older in parent.findChildren(type(self), options=Qt.FindChildOption.FindDirectChildrenOnly):
            if older is not self:
                older.close()


class SpeakingDialog(Dialog):
    """A dialog that shows its own errors; a subclass places the label."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent, title)
        self.sentence = sentence_label("error")
        self.sentence.setAccessibleName("Error")
        self.sentence.hide()

    def show_message(self, sentence: str) -> None:
        """Show a result or an error; an empty sentence clears it."""
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self.adjustSize()


Kind = TypeVar("Kind", bound=Dialog)
Speaking = TypeVar("Speaking", bound=SpeakingDialog)


class LazyDialog(Generic[Kind]):
    """Holds the only dialog of its kind, which its owner creates on demand."""

    def __init__(self) -> None:
        self._shown: Kind | None = None

    @property
    def open(self) -> Kind | None:
        """The dialog, if it is open."""
        if self._shown is not None and not (isValid(self._shown) and self._shown.isVisible()):
            self._shown = None
        return self._shown

    def show(self, dialog: Kind) -> None:
        """Open a new dialog in place of the one that is open."""
        self._shown = dialog
        dialog.show()

    def close(self) -> None:
        """Close the dialog if it is open."""
        if (dialog := self.open) is not None:
            dialog.close()

    def show_message(self: LazyDialog[Speaking], sentence: str, otherwise: Callable[[str], object]) -> None:
        """Show a sentence in the dialog if it is open; otherwise pass it to another function, unless it is empty."""
        if (dialog := self.open) is not None:
            dialog.show_message(sentence)
        elif sentence:
            otherwise(sentence)


def push_button(words: str, tip: str, slot: object) -> QPushButton:
    """A button of a dialog with a tooltip; Enter presses it only if it is the default."""
    button = QPushButton(words)
    button.setAutoDefault(False)
    button.setToolTip(tip)
    explain(button, f"{tip}.")
    button.clicked.connect(slot)
    return button


def sentence_label(role: str = "") -> QLabel:
    """A wrapped label whose text can be selected with the mouse."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
