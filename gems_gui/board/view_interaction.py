"""How a view behaves wherever it is in the window: what it says of itself, and what keys do to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from gems_gui.snapshot import PLACE

if TYPE_CHECKING:
    from gems_gui.views.view import View

_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


def explain_view(view: View, how: str) -> None:
    """What tool tips, the line of status tips and «What's this?» say; ``how`` is about its head."""
    moves = {"": "", PLACE: " The arrow keys go from one subroutine to the next."}
    keys = moves.get(view.picks, " The arrow keys pick the next arm, Esc lets it go.")
    view.head.setToolTip(how)
    view.head.setStatusTip(f"{how}.")
    mouse = "the wheel zooms, a double click shows everything." if view.is_plot else f"{view.about}"
    view.body.setStatusTip(f"{view.title}: {mouse}{keys}")
    view.head.options.setStatusTip(f'What the view "{view.title}" shows, and how.')
    view.head.options.setWhatsThis(f'What the view "{view.title}" shows, and how.')
    for part in (view.head, view.body):
        part.setWhatsThis(f"{view.about}{keys}")


def handle_key(view: View, event: QKeyEvent) -> bool:
    """Let the arrows up and down move what is picked in the order of the view, and Esc let it go; whether it was one.

    While a hand drags something in the view, Esc ends that instead.

    An event filter of the view's body returns this.
    """
    if event.key() == Qt.Key.Key_Escape and view.holds:
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            view.give_up()
        return True
    plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    lets_go = event.key() == Qt.Key.Key_Escape and view.picks not in ("", PLACE) and view.pointed_at() is not None
    steps = event.key() in _STEPS and bool(view.picks)
    if not plain or not (lets_go or steps):
        return False
    event.accept()
    if event.type() == QEvent.Type.KeyPress:
        if lets_go:
            view.point(None)
        else:
            view.step(_STEPS[Qt.Key(event.key())])
    return event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
