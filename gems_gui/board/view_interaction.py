"""Help texts and keys of a view, wherever it is in the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from gems_engine.terminal import with_indices
from gems_gui.snapshot import PLACE
from gems_gui.theme import restyle

if TYPE_CHECKING:
    from gems_gui.views.view import View

_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


def explain_view(view: View, how: str) -> None:
    """Set tooltips, status tips and "What is this?"; ``how`` is about its head."""
    title, about = with_indices(view.title), with_indices(view.about)
    moves = {"": "", PLACE: " ↑ and ↓ go from one call to the next."}
    keys = "" if not view.steps else moves.get(view.picks, " ↑ and ↓ select the next arm; Esc clears the selection.")
    view.head.setToolTip(how)
    view.head.setStatusTip(f"{how}.")
    mouse = "the wheel zooms; a double click shows everything." if view.is_plot else about
    view.body.setStatusTip(f"{title}: {mouse}{keys}")
    view.head.options.setStatusTip(f'Choose what the view "{title}" shows, and how.')
    view.head.options.setWhatsThis(f'Choose what the view "{title}" shows, and how.')
    for part in (view.head, view.body):
        part.setWhatsThis(f"{about}{keys}")


def show_focus(view: View, on: bool) -> None:
    """Draw the upper part of the focus ring around the head of a view, whose body draws the rest."""
    view.head.setProperty("focused", on)
    restyle(view.head)


def handle_key(view: View, event: QKeyEvent) -> bool:
    """Handle the up and down arrows, which change what is selected, and Esc, which clears it; True if handled.

    During a drag in the view, Esc ends the drag instead.

    For use as the result of an event filter of the view's body.
    """
    if event.key() == Qt.Key.Key_Escape and view.holds:
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            view.give_up()
        return True
    plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    lets_go = event.key() == Qt.Key.Key_Escape and view.picks not in ("", PLACE) and view.pointed_at() is not None
    steps = event.key() in _STEPS and bool(view.picks) and view.steps
    if not plain or not (lets_go or steps):
        return False
    event.accept()
    if event.type() == QEvent.Type.KeyPress:
        if lets_go:
            view.point(None)
        else:
            view.step(_STEPS[Qt.Key(event.key())])
    return event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
