"""A spin box for a feature, by its number or its name, or for a dimension."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSpinBox

from gems_gui.series.names import shortened

_MOST_LETTERS = 14  # of a name
_CARET = 6  # pixels that the line keeps free beside its text


class FeatureBox(QSpinBox):
    """A spin box for the number of a feature; its name can be typed too."""

    def __init__(self) -> None:
        super().__init__()
        self.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # a name may be shortened
        self.setRange(1, 1)
        self._names: Sequence[str] = ()
        self._name = ""  # of the chosen one, as it is shown where there is room
        self.valueChanged.connect(self._show_name)

    def name(self, words: str, prefix: str) -> None:
        """Set the words that say which axis it is for."""
        self.setAccessibleName(words)
        self.setToolTip(f"{words}: type the number or the name of a feature, or step with ↑ and ↓")
        self.setPrefix(prefix)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel: scrolling must not change the value."""
        event.ignore()

    def show_value(self, value: int, most: int, names: Sequence[str] = ()) -> None:
        """Show another value and range, and the names of the features, without a signal."""
        self.blockSignals(True)
        self.setMaximum(most)
        self.setValue(min(value, most))
        self.blockSignals(False)
        self._names = names
        self._show_name()

    def validate(self, text: str, position: int) -> object:
        typed = self._typed(text)
        if not typed or typed.isdigit() or not any(self._names):
            return super().validate(text, position)
        if self._found(typed):
            return QValidator.State.Acceptable, text, position
        begins = any(name.casefold().startswith(typed.casefold()) for name in self._names)
        return (QValidator.State.Intermediate if begins else QValidator.State.Invalid), text, position

    def valueFromText(self, text: str) -> int:
        return self._found(self._typed(text)) or super().valueFromText(text)

    def _typed(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()

    def _found(self, typed: str) -> int:
        """The number of the feature with this name, 0 if there is none; digits are always a number."""
        wanted = "" if typed.isdigit() else typed.casefold()
        return next((j for j, name in enumerate(self._names, 1) if name.casefold() == wanted != ""), 0)

    def _show_name(self) -> None:
        """Show the name of the feature after its number."""
        name = self._names[self.value() - 1] if 0 < self.value() <= len(self._names) else ""
        self._name = f" {shortened(name, _MOST_LETTERS)}" if name else ""
        metrics = self.fontMetrics()
        room = self.lineEdit().contentsRect().width() - metrics.horizontalAdvance(f"{self.prefix()}{self.value()}")
        suffix = metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, max(0, room - _CARET))
        if suffix != self.suffix():
            self.setSuffix(suffix)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_name()

    def sizeHint(self) -> QSize:
        return self._with(self._name, super().sizeHint())

    def minimumSizeHint(self) -> QSize:
        """Without the name, which takes the room that there is."""
        return self._with("", super().minimumSizeHint())

    def _with(self, suffix: str, size: QSize) -> QSize:
        width = self.fontMetrics().horizontalAdvance
        return size + QSize(width(suffix) - width(self.suffix()), 0)
