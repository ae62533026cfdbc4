"""Fields one below the other, all with the same place for their labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gems_engine.parameters import Parameter
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.widgets.boxes import vbox

_SPACE = 8
_MARGINS = 22  # of a card, left and right with its frame


class FieldList(QWidget):
    """Fields made from parameters, by the keys that a draft has for them."""

    changed = Signal(str, str)
    """Key and new text, when a person has changed it."""
    sensitivity_asked = Signal(str)
    """The name of a parameter whose effect on many runs is asked for."""
    stroke_begun = Signal()
    """A person takes hold of a slider: what follows is one change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sliders = False
        self.fields: dict[str, ParameterField] = {}
        self._rows = vbox(self, 6)

    def make(self, parameters: Iterable[tuple[Parameter, str]]) -> None:
        """Replace all fields: one for each parameter and its scope."""
        for old in self.fields.values():
            self._rows.removeWidget(old)
            old.hide()  # else Qt shows what was added a moment ago as a window of its own
            old.setParent(None)
            old.deleteLater()
        self.fields = {}
        for parameter, scope in parameters:
            field = ParameterField(f"{scope}.{parameter.name}", parameter, scope)
            field.changed.connect(self.changed)
            field.sensitivity_asked.connect(self.sensitivity_asked)
            field.begun.connect(self.stroke_begun)
            if field.slider is not None:
                field.slider.show_slider(self._sliders)
            self._rows.addWidget(field)
            self.fields[field.key] = field

    def show_sliders(self, on: bool) -> None:
        """Show the sliders of the fields that have one, or hide them."""
        self._sliders = on
        for field in self.fields.values():
            if field.slider is not None:
                field.slider.show_slider(on)

    def inputs(self) -> list[QWidget]:
        """What takes the focus, from top to bottom."""
        return [each for field in self.fields.values() for each in field.inputs()]

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Mark the fields that are not right, and only those."""
        for key, field in self.fields.items():
            field.show_error(errors.get(key, ""))


def arrange(fields: Sequence[ParameterField], width: int) -> None:
    """Align fields in this many pixels: labels beside the inputs, broken into words if need be.

    A label that leaves its input too little room even so stands above it.
    """
    if not fields:
        return
    room = width - _SPACE - max(field.input_width() for field in fields)
    widths = {field: field.label_widths() for field in fields}
    beside = [widths[field] for field in fields if widths[field][1] <= room]
    label = min(room, max((whole for whole, _ in beside), default=0))
    for field in fields:
        field.arrange(label, stacked=widths[field][1] > room)


class FormColumn(QWidget):
    """What scrolls: it arranges all fields in it anew when its width or its font changes."""

    def arrange(self) -> None:
        """Align all fields."""
        arrange(self.findChildren(ParameterField), self.width() - _MARGINS)
        self.settle()

    def settle(self) -> None:
        """Claim the height that everything in it needs at this width.

        Qt tells a changed size from layout to layout, one pass of the event loop each: until it has come up here, the
        fields would be squeezed.
        """
        for child in reversed(self.findChildren(QWidget)):  # the innermost first
            if (inner := child.layout()) is not None:
                inner.activate()
        if (own := self.layout()) is not None:
            own.activate()
            wraps = own.hasHeightForWidth()
            self.setMinimumHeight(own.heightForWidth(self.width()) if wraps else own.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Align for the new width."""
        super().resizeEvent(event)
        self.arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Align: only what is shown knows its fonts."""
        super().showEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Align for a new font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.arrange()
