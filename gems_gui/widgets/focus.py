"""Where the focus goes when a part of a window is hidden: to its middle, so that keys control the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from shiboken6 import isValid


def focus_middle(widget: QWidget) -> None:
    """Move the focus to the middle of the main window that a part or a dialog belongs to."""
    above: QWidget | None = widget
    while above is not None:
        if isinstance(above, QMainWindow) and above.centralWidget() is not None:  # the area of the docks has none
            above.centralWidget().setFocus()
            return
        above = above.parentWidget()


class FocusWindow(QMainWindow):
    """A main window whose middle has the focus while keys control the run.

    Attributes
    ----------
    used
        The widget that was used last by mouse: from the middle, Tab goes on there.
    """

    used: QWidget | None = None

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Go to the next or previous widget."""
        used, self.used = self.used, None
        if used is not None and isValid(used) and used.isVisible() and self.focusWidget() is self.centralWidget():
            used.setFocus(Qt.FocusReason.TabFocusReason)
        return bool(super().focusNextPrevChild(forwards))


def leave_to_run(used: QWidget) -> None:
    """Move the focus to the middle of the window after a widget was used by mouse."""
    window = used.window()
    if isinstance(window, FocusWindow) and not used.hasFocus():
        focus_middle(used)
        window.used = used


def leaves_field(field: QWidget, event: QKeyEvent) -> bool:
    """Move the focus out of a field of the main window with Esc, so that keys control the run; True if done."""
    if event.key() != Qt.Key.Key_Escape or event.modifiers() or not isinstance(field.window(), QMainWindow):
        return False
    focus_middle(field)
    return True


@contextmanager
def kept_focus(part: QWidget) -> Iterator[None]:
    """Keep the focus while widgets are hidden and shown; if it was in one that stays hidden, move it to the middle."""
    focused = QApplication.focusWidget()
    yield
    if focused is None or focused is QApplication.focusWidget() or not part.isAncestorOf(focused):
        return
    if focused.isVisible():
        focused.setFocus()
    else:
        focus_middle(part)


def release_focus(part: QWidget) -> None:
    """Move the focus out of a part that is being hidden; Qt would give it to the next field, such as the presets."""
    focused = QApplication.focusWidget()
    if focused is not None and (focused is part or part.isAncestorOf(focused)):
        focus_middle(part)
