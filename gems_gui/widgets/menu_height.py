"""How much of a window its menus take."""

from PySide6.QtWidgets import QWidget


def menu_height(window: QWidget) -> int:
    """Pixels of its bar of menus; 0 where it has none."""
    layout = window.layout()
    bar = None if layout is None else layout.menuBar()
    return 0 if bar is None else bar.height()
