"""A line of text whose tooltip explains its symbols; a click opens the glossary."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent

from gems_gui.glossary import entries_in, glossary_key
from gems_gui.widgets.fitting_label import FittingLabel

_CLICK = "Click to open the glossary at these symbols (F1)."


class SymbolLabel(FittingLabel):
    """A line with symbols of the glossary.

    Signals
    -------
    symbols_requested
        The key of the glossary at the symbols that are shown.
    """

    symbols_requested = Signal(str)

    def tip(self, cut: str) -> str:
        """The meanings of the symbols, after the complete text if it is cut."""
        entries = entries_in(self.text)
        key = glossary_key(entries) if entries else ""
        if key != self.property("help"):
            self.setProperty("help", key)
            self.setCursor(Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor)
        return "\n".join(filter(None, (cut, *(each.tip for each in entries), _CLICK if entries else "")))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        key = self.property("help")
        if event.button() == Qt.MouseButton.LeftButton and key and self.rect().contains(event.position().toPoint()):
            self.symbols_requested.emit(key)
        super().mouseReleaseEvent(event)
