"""Docking of docks that float."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget


def put_back(dock: QDockWidget) -> None:
    """Dock a floating dock. A hidden one keeps its window, and Qt would close that instead of the dock from then on."""
    dock.setFloating(False)
    if dock.isHidden() and dock.windowHandle() is not None:
        dock.destroy()
