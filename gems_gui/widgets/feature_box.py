"""A spin box for a feature, by its number or its name, or for a dimension."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QSpinBox

_MOST_LETTERS = 14  # of a name


class FeatureBox(QSpinBox):
    """A spin box for the number of a feature; its name can be typed too."""

    def __init__(self) -> None:
        super().__init__()
        self.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.setRange(1, 1)
        self._names: Sequence[str] = ()
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
        short = name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"
        suffix = f" {short}" if short else ""
        if suffix != self.suffix():
            self.setSuffix(suffix)
