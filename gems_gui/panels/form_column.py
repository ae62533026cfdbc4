"""A column of fields with aligned labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gems_engine.parameters import Parameter
from gems_gui.panels.noise_field import NoiseField
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.descendants import descendants

_SPACE = 8
_MARGINS = 22  # of a card, left and right with its frame


class FieldList(QWidget):
    """Fields made from parameters, by their keys in a draft."""

    changed = Signal(str, str)
    """Key and new text of a field that the user has changed."""
    sensitivity_asked = Signal(str)
    """The name of the parameter whose sensitivity is requested."""
    stroke_begun = Signal()
    """A drag of a slider begins: what follows is one step of undo."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sliders = False
        self.fields: dict[str, ParameterField] = {}
        self._rows = vbox(self, 6)

    def make(self, parameters: Iterable[tuple[Parameter, str]]) -> None:
        """Replace all fields: one for each parameter and its scope."""
        for old in self.fields.values():
            self._rows.removeWidget(old)
            old.hide()  # otherwise Qt shows a newly added widget as a separate window
            old.setParent(None)
            old.deleteLater()
        self.fields = {}
        for parameter, scope in parameters:
            kind = NoiseField if parameter.name == "noise" else ParameterField
            field = kind(f"{scope}.{parameter.name}", parameter, scope)
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
        """The inputs in tab order."""
        return [each for field in self.fields.values() for each in field.inputs()]

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Mark the invalid fields, and only those."""
        for key, field in self.fields.items():
            field.show_error(errors.get(key, ""))


def arrange(fields: Sequence[ParameterField], width: int) -> None:
    """Align the fields in this width: labels in front of the inputs, wrapped if necessary.

    A label that would still leave its input too little room is placed above it.
    """
    if not fields:
        return
    room = width - _SPACE - max(field.input_width() for field in fields)
    widths = {field: field.label_widths() for field in fields}
    inline = [widths[field] for field in fields if widths[field][1] <= room]
    label = min(room, max((whole for whole, _ in inline), default=0))
    for field in fields:
        field.arrange(label, stacked=widths[field][1] > room)


class FormColumn(QWidget):
    """The content of the scroll area; it aligns all fields again when its width or font changes.

    Attributes
    ----------
    least_height
        Returns a height below which it does not shrink.
    """

    least_height: Callable[[], int] = staticmethod(lambda: 0)

    def arrange(self) -> None:
        """Align all fields."""
        arrange(self.findChildren(ParameterField), self.width() - _MARGINS)
        self.settle()

    def settle(self) -> None:
        """Request the height that the content needs at this width.

        Qt propagates a changed size from layout to layout, one pass of the event loop each. Until it arrives here, the
        fields would be squeezed.
        """
        for child in reversed(list(descendants(self, QWidget))):  # the innermost first
            if (inner := child.layout()) is not None:
                inner.activate()
        if (own := self.layout()) is not None:
            own.activate()
            wraps = own.hasHeightForWidth()
            needed = own.heightForWidth(self.width()) if wraps else own.sizeHint().height()
            self.setMinimumHeight(max(needed, self.least_height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Align the fields: fonts are known only once the widget is shown."""
        super().showEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.arrange()
