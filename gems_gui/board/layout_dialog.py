"""The dialog that asks for the name of a layout."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QWidget

from gems_gui.theme import restyle
from gems_gui.widgets.boxes import fill
from gems_gui.widgets.dialogs import SpeakingDialog, sentence_label
from gems_gui.workbench.layouts import LAYOUTS

_LONGEST = 40
_TAKEN = {layout.title.casefold() for layout in LAYOUTS.values()} | set(LAYOUTS)


class LayoutDialog(SpeakingDialog):
    """A line for the name, and its error."""

    named = Signal(str)
    """The name that was entered."""

    def __init__(self, parent: QWidget, known: Sequence[str]) -> None:
        super().__init__(parent, "Save layout")
        self._known = tuple(known)
        ask = sentence_label()
        ask.setText("Name of this arrangement of views:")
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the layout")
        self.name.setToolTip("Enter a name for this arrangement; View ▸ Layout lists it.")
        self.name.setMaxLength(_LONGEST)
        self.name.textChanged.connect(self._check)
        ask.setBuddy(self.name)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._save)
        buttons.rejected.connect(self.reject)
        self._button = buttons.button(QDialogButtonBox.StandardButton.Save)
        fill(self.column, ask, self.name, self.sentence, buttons)
        self._check()

    def _check(self) -> None:
        name = self.name.text().strip()
        wrong = name.casefold() in _TAKEN
        known = next((each for each in self._known if each == name), "")
        words = f'"{name}" is a built-in layout: choose another name.' if wrong else ""
        self.show_message(words or (f'This replaces your layout "{known}".' if known else ""))
        self._button.setEnabled(bool(name) and not wrong)
        if self.name.property("invalid") != wrong:
            self.name.setProperty("invalid", wrong)
            restyle(self.name)

    def _save(self) -> None:
        self.named.emit(self.name.text().strip())
        self.accept()
