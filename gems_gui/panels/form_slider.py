"""A slim slider under a field of the form: it sets the text of the field and follows what is typed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QLineEdit, QSlider, QWidget

from gems_engine.errors import InputError
from gems_engine.parameters import Parameter
from gems_gui.drafts.scale import Scale, scale_of
from gems_gui.field_text import label_of, parsed, text_of

_HEIGHT = 16  # pixels


class FormSlider(QSlider):
    """The slider of a parameter.

    Shown only if sliders are switched on and the input is enabled: a disabled input has nothing to change, and one
    that hides the truth must not reveal it.

    Signals
    -------
    begun
        A drag starts: all changes until the next such signal are one undo step.
    slid
        The new text of the field.
    """

    begun = Signal()
    slid = Signal(str)

    def __init__(
        self, parameter: Parameter, scope: str, scale: Scale, line: QLineEdit, parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._parameter = parameter
        self._line = line
        self._wanted = False
        self.scale = scale
        name = label_of(parameter, scope)
        self.setAccessibleName(f"{name}, slider")
        self.setToolTip(f"Drag to change {name} and run again")
        self.setAccessibleDescription(parameter.help)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(_HEIGHT)
        self._stretch()
        self.sliderPressed.connect(self.begun)
        self.valueChanged.connect(self._on_value_changed)
        line.installEventFilter(self)
        self.hide()

    def _stretch(self) -> None:
        self.blockSignals(True)
        self.setRange(0, self.scale.places)
        self.setPageStep(max(1, self.scale.places // 10))
        self.blockSignals(False)

    def show_slider(self, on: bool) -> None:
        """Show or hide the slider."""
        self._wanted = on
        self._appear()

    def _appear(self) -> None:
        self.setVisible(self._wanted and self._line.isEnabled())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.EnabledChange:
            self._appear()
        return False

    def set_most(self, most: float) -> None:
        """Change the upper end of the scale, for example that of d⋆ to D."""
        if most != self.scale.high and not self.isSliderDown():
            self.scale = self.scale.up_to(most)
            self._stretch()
            self.show_text(self._line.text())

    def show_text(self, text: str) -> None:
        """Move to a typed value without a signal; ignore a text that is not a value."""
        try:
            value = parsed(self._parameter, text)
        except InputError:
            return
        if isinstance(value, int | float) and not self.isSliderDown():
            self.blockSignals(True)
            self.setValue(self.scale.place(value))
            self.blockSignals(False)

    def _on_value_changed(self, place: int) -> None:
        value = self.scale.value(place)
        self.slid.emit(text_of(self._parameter, value if self._parameter.kind == "int" else float(value)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel: scrolling the form must not change a value."""
        event.ignore()


def slider_for(parameter: Parameter, scope: str, line: QWidget, parent: QWidget | None = None) -> FormSlider | None:
    """The slider for the input of a parameter; None if it has none."""
    scale = scale_of(parameter, scope)
    return FormSlider(parameter, scope, scale, line, parent) if scale and isinstance(line, QLineEdit) else None
