"""The area of a window below its menu bar, for what covers it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Signal
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QMainWindow


class WindowArea(QObject):
    """Where a window is, without the window itself."""

    resized = Signal()
    """The window has another size."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)

    @property
    def rect(self) -> QRect:
        """The area below the menu bar, in coordinates of the window."""
        return self._window.rect().adjusted(0, self._window.menuBar().height(), 0, 0)

    @property
    def screen(self) -> QScreen:
        """The screen that shows the window."""
        return self._window.screen()

    def activate(self) -> None:
        """Bring the window to the front of the desktop."""
        self._window.activateWindow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report a new size."""
        if event.type() == QEvent.Type.Resize:
            self.resized.emit()
        return super().eventFilter(watched, event)
