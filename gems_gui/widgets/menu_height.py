"""The height of the menu bar."""

from PySide6.QtWidgets import QWidget


def menu_height(window: QWidget) -> int:
    """The height of a window's menu bar in pixels; 0 if it has none."""
    layout = window.layout()
    bar = None if layout is None else layout.menuBar()
    return 0 if bar is None else bar.height()
