"""A spin box for the number of a feature or a dimension."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QSpinBox


class FeatureBox(QSpinBox):
    """A spin box for the number of a feature."""

    def __init__(self) -> None:
        super().__init__()
        self.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.setRange(1, 1)

    def name(self, words: str, prefix: str) -> None:
        """Set the words that say which axis it is for."""
        self.setAccessibleName(words)
        self.setToolTip(f"{words}: type the number of a feature, or step with ↑ and ↓")
        self.setPrefix(prefix)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel: scrolling must not change the value."""
        event.ignore()

    def show_value(self, value: int, most: int) -> None:
        """Show another value and range without a signal."""
        self.blockSignals(True)
        self.setMaximum(most)
        self.setValue(min(value, most))
        self.blockSignals(False)
