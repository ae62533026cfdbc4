"""A dialog with a form of parameters: it says what the form asks for, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gems_engine.errors import InputError
from gems_gui.panels.parameter_form import ParameterForm
from gems_gui.widgets.dialogs import SpeakingDialog, sentence_label


class FormDialog(SpeakingDialog):
    """What such dialogs share; a subclass says what its form asks for.

    Parameters
    ----------
    scope
        Whose parameters the form has.
    about
        What the line under the form says, for whoever cannot see where it stands.
    """

    def __init__(self, parent: QWidget, title: str, scope: str, about: str) -> None:
        super().__init__(parent, title)
        self.form = ParameterForm(scope)
        self.form.changed.connect(self._on_form_changed)
        self.preview = sentence_label("dim")
        self.preview.setAccessibleName(about)

    def lay_out(self, above: QWidget, left: Sequence[QPushButton], right: QPushButton, width: float) -> None:
        """Put something above the form and buttons under it, of which Enter means the right one."""
        right.setProperty("role", "primary")
        right.setDefault(True)
        row = QHBoxLayout()
        for button in left:
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(right)
        for widget in (above, self.form, self.preview, self.sentence):
            self.column.addWidget(widget)
        self.column.addStretch(1)
        self.column.addLayout(row)
        self.setMinimumWidth(round(width))

    # -- what a subclass does -----------------------------------------------------------------------------------

    def value(self) -> Any:
        """What the form asks for; an InputError if that is nothing."""
        raise NotImplementedError

    def words(self, value: Any) -> str:
        """That in a sentence."""
        raise NotImplementedError

    def show_form(self) -> None:
        """Bring everything up to date with what stands in the form."""
        raise NotImplementedError

    # -- what it says -------------------------------------------------------------------------------------------

    def asked_for(self) -> str:
        """What the form asks for in words, or why it is nothing; what a field says itself is not said again."""
        try:
            return self.words(self.value())
        except InputError as error:
            return "" if self.form.errors() else str(error)

    def checked(self) -> Any:
        """What the form asks for; None, and it is said, where something is wrong with it."""
        self.show_message("")
        try:
            return self.value()
        except InputError as error:
            self.show_message("" if self.form.errors() else str(error))
            return None

    def _on_form_changed(self) -> None:
        self.show_message("")
        self.show_form()
