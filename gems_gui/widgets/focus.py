"""Where the focus goes when a part of a window is hidden: to its middle, so that keys control the run."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMainWindow, QWidget


def focus_middle(widget: QWidget) -> None:
    """Move the focus to the middle of the main window that a part or a dialog belongs to."""
    above: QWidget | None = widget
    while above is not None and not isinstance(above, QMainWindow):
        above = above.parentWidget()
    if above is not None and above.centralWidget() is not None:
        above.centralWidget().setFocus()


def release_focus(part: QWidget) -> None:
    """Move the focus out of a part that is being hidden; Qt would give it to the next field, such as the presets."""
    focused = QApplication.focusWidget()
    if focused is not None and (focused is part or part.isAncestorOf(focused)):
        focus_middle(part)
