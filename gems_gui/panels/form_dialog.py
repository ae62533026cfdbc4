"""A dialog with a form of parameters and a line that describes the request, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gems_engine.errors import InputError
from gems_gui.panels.parameter_form import ParameterForm
from gems_gui.widgets.boxes import STRETCH, fill
from gems_gui.widgets.dialogs import SpeakingDialog, sentence_label
from gems_gui.widgets.explained import described


class FormDialog(SpeakingDialog):
    """Base class of such dialogs; a subclass defines what its form requests.

    Parameters
    ----------
    scope
        The scope of the parameters.
    about
        The accessible name of the line under the form.
    """

    def __init__(self, parent: QWidget, title: str, scope: str, about: str) -> None:
        super().__init__(parent, title)
        self.form = ParameterForm(scope)
        self.form.changed.connect(self._on_form_changed)
        self.preview = described(sentence_label("dim"), name=about)

    def lay_out(self, above: QWidget, left: Sequence[QPushButton], right: Sequence[QPushButton], width: float) -> None:
        """Put a widget above the form and buttons under it; the rightmost button is the default."""
        right[-1].setProperty("role", "primary")
        right[-1].setDefault(True)
        row = fill(QHBoxLayout(), *left, STRETCH, *right)
        fill(self.column, above, self.form, self.preview, self.sentence, STRETCH, row)
        self.setMinimumWidth(round(width))

    # -- what a subclass does -----------------------------------------------------------------------------------

    def value(self) -> Any:
        """The request in the form; raises InputError if it is not valid."""
        raise NotImplementedError

    def words(self, value: Any) -> str:
        """The request in a sentence."""
        raise NotImplementedError

    def show_form(self) -> None:
        """Update everything to the content of the form."""
        raise NotImplementedError

    # -- description --------------------------------------------------------------------------------------------

    def asked_for(self) -> str:
        """The request in words, or what is wrong with it; an error that a field shows is not repeated."""
        try:
            return self.words(self.value())
        except InputError as error:
            return "" if self.form.errors() else str(error)

    def checked(self) -> Any:
        """The request in the form; None, with an error message, where it is not valid."""
        self.show_message("")
        try:
            return self.value()
        except InputError as error:
            self.show_message("" if self.form.errors() else str(error))
            return None

    def _on_form_changed(self) -> None:
        self.show_message("")
        self.show_form()
