"""Help texts of a control: tooltip, status tip and "What is this?"."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtWidgets import QAbstractButton, QMainWindow, QPushButton, QWidget

from gems_gui.markup import plain_text
from gems_gui.widgets.descendants import descendants

Described = TypeVar("Described", bound=QWidget)


def explain(widget: QWidget, sentence: str) -> None:
    """Set all three texts; a longer or dynamic tooltip is kept."""
    sentence = plain_text(sentence)
    _set_status_tip(widget, sentence.partition("\n")[0])
    widget.setWhatsThis(sentence)
    if not widget.toolTip():
        widget.setToolTip(sentence)


def _set_status_tip(widget: QWidget, tip: str) -> None:
    """Set the status tip, also where it is shown: Qt shows a new one only when the mouse enters again."""
    before, window = widget.statusTip(), widget.window()
    widget.setStatusTip(tip)
    if tip == before or not widget.underMouse() or not isinstance(window, QMainWindow):
        return
    if window.statusBar().currentMessage() == before:
        QCoreApplication.sendEvent(widget, QStatusTipEvent(tip))


def described(widget: Described, *, name: str = "", tip: str = "", about: str = "", role: str = "") -> Described:
    """A widget with its texts.

    Parameters
    ----------
    name
        Its accessible name.
    tip
        Its tooltip.
    about
        The sentence that explains it; see :func:`explain`.
    role
        Its role in the style sheet.
    """
    if role:
        widget.setProperty("role", role)
    if name:
        widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(plain_text(tip))
    if about:
        explain(widget, about)
    return widget


def complete(root: QWidget) -> None:
    """Copy the tooltip of every control inside to its status tip and "What is this?" where these are empty.

    A click on a button leaves the keys to the run: Space would press the button again.
    """
    for widget in descendants(root, QWidget):
        if isinstance(widget, QPushButton) and widget.focusPolicy() == Qt.FocusPolicy.StrongFocus:
            widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        tip = widget.toolTip()
        control = isinstance(widget, QAbstractButton) or bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        if not control or not tip:
            continue
        if not widget.statusTip():
            widget.setStatusTip(tip.partition("\n")[0])
        if not widget.whatsThis():
            widget.setWhatsThis(tip)
