"""A form of parameters for a dialog, with the same fields as the form of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal

from gems_engine.errors import InputError
from gems_engine.parameters import Parameter, Value
from gems_gui.field_text import parsed, refusal_of, text_of
from gems_gui.panels.form_column import FieldList, FormColumn
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.widgets.boxes import vbox


class ParameterForm(FormColumn):
    """Fields for some parameters.

    Parameters
    ----------
    scope
        Where the parameters belong, see :mod:`gems_gui.field_text`.
    """

    changed = Signal(str)
    """The name of a parameter whose text the user has changed."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope
        self.list = FieldList()
        self.list.changed.connect(self._on_field_changed)
        column = vbox(self)
        column.addWidget(self.list)

    def make(self, parameters: Sequence[Parameter]) -> None:
        """Show fields for these parameters, with their defaults."""
        self.list.make((each, self.scope) for each in parameters)
        for field in self.list.fields.values():
            field.set_text(field.default)
        self.arrange()

    def field(self, name: str) -> ParameterField:
        """The field of a parameter."""
        return self.list.fields[f"{self.scope}.{name}"]

    def show_placeholder(self, words: Mapping[str, str]) -> None:
        """Set the placeholders of optional parameters, which say what an empty field means."""
        for name, nothing in words.items():
            self.field(name).show_placeholder(nothing)

    @property
    def names(self) -> list[str]:
        """The parameters of the form."""
        return [field.parameter.name for field in self.list.fields.values()]

    def fill(self, values: Mapping[str, Value]) -> None:
        """Put values into their fields; values without a field are ignored."""
        for field in self.list.fields.values():
            if field.parameter.name in values:
                field.set_text(text_of(field.parameter, values[field.parameter.name]))

    def errors(self) -> dict[str, str]:
        """Errors by the keys of the fields, which show them too."""
        found = {
            key: refusal_of(field.parameter, field.text, self.scope)
            for key, field in self.list.fields.items()
            if field.input.isEnabled()
        }
        self.list.show_errors(found)
        return {key: sentence for key, sentence in found.items() if sentence}

    def values(self) -> dict[str, Value]:
        """All values, with defaults for disabled fields; raises the InputError of the first invalid field."""
        if errors := self.errors():
            raise InputError(next(iter(errors.values())))
        return {
            field.parameter.name: parsed(field.parameter, field.text if field.input.isEnabled() else field.default)
            for field in self.list.fields.values()
        }

    def _on_field_changed(self, key: str, text: str) -> None:
        self.errors()
        self.settle()
        self.changed.emit(key.partition(".")[2])
