"""Base classes of dialogs, which are not modal and closed by Esc, and the owner that opens one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget
from shiboken6 import isValid

from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.focus import focus_middle

IN_DIALOGS = "inDialogs"
"""The property of an action of a window whose keys also apply in its dialogs."""


class Dialog(QDialog):
    """A non-modal window that is deleted when it closes."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.addActions([each for each in parent.window().actions() if each.property(IN_DIALOGS)])
        self.column = vbox(self, 10, margins=(16, 14, 16, 14))

    def cancel_button(self, tip: str) -> QPushButton:
        """A button that closes it without doing what it asks for, as Esc does."""
        return push_button("Cancel", f"{tip} (Esc)", self.reject)

    def close_button(self) -> QPushButton:
        """A button that closes it, for a dialog that stays open."""
        return push_button("Close", "Close this dialog (Esc)", self.reject)

    def done(self, result: int) -> None:
        """Close; where the user was in it, keys control the run again, or the stage of a talk that it belongs to."""
        parent = self.parentWidget()
        if self.isActiveWindow():
            if parent is not None and parent.focusPolicy() != Qt.FocusPolicy.NoFocus:
                parent.setFocus()
            else:
                focus_middle(self)
        super().done(result)


class SpeakingDialog(Dialog):
    """A dialog that shows its own errors; a subclass places the label."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent, title)
        self.sentence = described(sentence_label("error"), name="Error")
        self.sentence.hide()

    def show_message(self, sentence: str) -> None:
        """Show a result or an error; an empty sentence clears it."""
        if sentence != self.sentence.text():
            self.sentence.setText(sentence)
            self.sentence.setVisible(bool(sentence))
            self.adjustSize()


Arguments = ParamSpec("Arguments")
Kind = TypeVar("Kind", bound=QWidget)
Speaking = TypeVar("Speaking", bound=SpeakingDialog)


class LazyDialog(Generic[Arguments, Kind]):
    """Creates a dialog when it is shown, and holds the one that is open.

    Parameters
    ----------
    make
        Creates the dialog, connected to what it asks for.
    """

    def __init__(self, make: Callable[Arguments, Kind]) -> None:
        self._make = make
        self._shown: Kind | None = None

    @property
    def open(self) -> Kind | None:
        """The dialog, if it is open."""
        if self._shown is not None and not (isValid(self._shown) and self._shown.isVisible()):
            self._shown = None
        return self._shown

    def show(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Kind:
        """Open a new dialog in place of the one that is open."""
        self.close()
        self._shown = dialog = self._make(*args, **kwargs)
        dialog.show()
        return dialog

    def shown(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Kind:
        """The dialog that is open, or else a new one."""
        return self.open or self.show(*args, **kwargs)

    def close(self) -> None:
        """Close the dialog if it is open."""
        if (dialog := self.open) is not None:
            dialog.close()

    def show_message(self: LazyDialog[Arguments, Speaking], sentence: str, otherwise: Callable[[str], object]) -> None:
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
