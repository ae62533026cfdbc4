"""What all dialogs of the program have in common: none blocks a run, Esc closes it, and there is one of each."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QVBoxLayout, QWidget


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


def sentence_label(role: str = "") -> QLabel:
    """A sentence on as many lines as it needs, to be selected and copied with the mouse."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
