"""What all dialogs of the program have in common: none blocks a run, Esc closes it, and there is one of each."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from gems_gui.widgets.explained import explain


class Dialog(QDialog):
    """A window beside the main one; when another of its kind opens, it goes."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        acts = getattr(parent, "acts", None)
        if acts is not None:
            self.addAction(acts["help"])  # F1 holds here too
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(16, 14, 16, 14)
        self.column.setSpacing(10)

    def showEvent(self, event: QShowEvent) -> None:
        """Take the place of an older one."""
        super().showEvent(event)
        parent = self.parentWidget()
        assert parent is not None
        for older in parent.findChildren(type(self), options=Qt.FindChildOption.FindDirectChildrenOnly):
            if older is not self:
                older.close()


Kind = TypeVar("Kind", bound=Dialog)


def open_dialog(parent: QWidget, kind: type[Kind] | None) -> Kind | None:
    """The dialog of a kind that is open, if one is; a kind that was not loaded yet (None) has none."""
    if kind is None:
        return None
    near = Qt.FindChildOption.FindDirectChildrenOnly
    return next((each for each in parent.findChildren(kind, options=near) if each.isVisible()), None)


def push_button(words: str, tip: str, slot: object) -> QPushButton:
    """A button of a dialog that says what it does; Enter means it only where it is the default."""
    button = QPushButton(words)
    button.setAutoDefault(False)
    button.setToolTip(tip)
    explain(button, f"{tip}.")
    button.clicked.connect(slot)
    return button


def sentence_label(role: str = "") -> QLabel:
    """A sentence on as many lines as it needs, to be selected and copied with the mouse."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
