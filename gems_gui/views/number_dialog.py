"""A dialog for a number of a view, entered as text because it may exceed the range of Qt's spin boxes."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from gems_engine.errors import InputError
from gems_gui.views.option import Whole
from gems_gui.widgets.boxes import hbox
from gems_gui.widgets.dialogs import SpeakingDialog, push_button
from gems_gui.widgets.explained import explain


class NumberDialog(SpeakingDialog):
    """A dialog with one field; shows an error if the text is not a valid number.

    Signals
    -------
    chosen
        The number, as the option writes it.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget, title: str, option: Whole, value: str) -> None:
        super().__init__(parent, title)
        self._option = option
        self.field = QLineEdit(value)
        self.field.setAccessibleName(option.label)
        explain(self.field, f"{option.label}: {option.words}.")
        label = QLabel(option.label)
        label.setBuddy(self.field)
        self.button = push_button("Show", "Show the view with this number", self._choose)
        self.button.setProperty("role", "primary")
        self.button.setDefault(True)
        row = hbox(spacing=8)
        row.addWidget(self.field, 1)
        row.addWidget(self.cancel_button("Change nothing"))
        row.addWidget(self.button)
        self.field.textEdited.connect(self._on_text_edited)
        self.column.addWidget(label)
        self.column.addLayout(row)
        self.column.addWidget(self.sentence)
        self.column.addStretch(1)
        self.field.selectAll()
        self.field.setFocus()

    def _on_text_edited(self) -> None:
        self.show_message("")

    def _choose(self) -> None:
        try:
            value = self._option.check("".join(self.field.text().split()))
        except InputError as error:
            self.show_message(str(error))
            return
        self.chosen.emit(value)
        self.close()
