"""Keys that belong to where the focus is: a shortcut never takes a letter from someone who types."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

LETTERS_ARE_SHORTCUTS = "acts"
"""What a list that nobody searches says of its property ``letters``: they are shortcuts there as anywhere else."""
_TEXTS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox, QComboBox)
_TYPED_INTO = (*_TEXTS, QAbstractItemView)
_MOVED = (QAbstractSlider, QTabBar)
_KEY = Qt.Key
_MOVES = frozenset(
    (
        *(_KEY.Key_Left, _KEY.Key_Right, _KEY.Key_Up, _KEY.Key_Down),
        *(_KEY.Key_Home, _KEY.Key_End, _KEY.Key_PageUp, _KEY.Key_PageDown),
    )
)
_EDITS = frozenset((_KEY.Key_Backspace, _KEY.Key_Delete, _KEY.Key_Insert))
_NONE = Qt.KeyboardModifier.NoModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_ALT = Qt.KeyboardModifier.AltModifier
_META = Qt.KeyboardModifier.MetaModifier
_IGNORED = Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.GroupSwitchModifier


def belongs_to(widget: QWidget, event: QKeyEvent) -> bool:
    """Whether a key means something to the widget that has the focus, so that no shortcut may take it.

    Where one types or picks from a list: characters, Space, and moves with Shift or Ctrl; on a slider: moves; on a
    button: Space.
    """
    key, modifiers = event.key(), event.modifiers() & ~_IGNORED
    if event.text().isalpha() and widget.property("letters") == LETTERS_ARE_SHORTCUTS:
        return False
    if isinstance(widget, _TYPED_INTO):
        if key in _MOVES or key in _EDITS:
            return not modifiers & ~(_SHIFT | _CTRL)
        # AltGr writes brackets on many keyboards and is Ctrl+Alt on some systems: only one of the two is a command.
        command = bool(modifiers & _CTRL) != bool(modifiers & _ALT) or bool(modifiers & _META)
        return not command and event.text().isprintable() and bool(event.text())
    if isinstance(widget, _MOVED):
        return key in _MOVES and modifiers == _NONE
    return isinstance(widget, QAbstractButton) and key == _KEY.Key_Space and modifiers == _NONE


_STANDARD = QKeySequence.StandardKey
_EVERYWHERE = (
    *(_STANDARD.Undo, _STANDARD.Redo, _STANDARD.Copy, _STANDARD.Cut, _STANDARD.Paste, _STANDARD.SelectAll),
    *(_STANDARD.DeleteStartOfWord, _STANDARD.DeleteEndOfWord),
)


class TextFieldShortcuts(QObject):
    """Keeps the keys of the focused widget from the shortcuts.

    Qt asks the focused widget whether it wants a key before any shortcut gets it. Inputs of Qt answer for some of
    theirs only, so this answers for them. It listens to the one widget that has the focus: to listen to all would
    lead every event of the program through Python.
    """

    refused = Signal(QAction)
    """An action that cannot be asked for now, though its key was pressed where one types."""

    def __init__(self, parent: QObject, actions: Iterable[QAction] = ()) -> None:
        super().__init__(parent)
        self._actions = actions  # there may be more of them later
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)
        self._on_focus_changed(None, QApplication.focusWidget())

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        if new is not None:
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Say yes to «is this key yours?»."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(watched, QWidget):
            assert isinstance(event, QKeyEvent)
            if belongs_to(watched, event):
                event.accept()
                return True
        if event.type() == QEvent.Type.KeyPress and isinstance(watched, _TEXTS):  # a table has keys of its own
            assert isinstance(event, QKeyEvent)
            if (action := self._disabled(event)) is not None:
                self.refused.emit(action)
                return True
        return super().eventFilter(watched, event)

    def _disabled(self, event: QKeyEvent) -> QAction | None:
        """The action whose key this is, where it cannot be asked for now.

        Qt then hands the key to the line that has the focus, and to some lines it means something: Ctrl+K erases them
        on some desktops. A key that is one action's has no second meaning; those that edit text everywhere keep theirs.
        """
        if QApplication.activeModalWidget() is not None:  # there the window's keys do not hold
            return None
        if not event.modifiers() & (_CTRL | _META) or any(event.matches(each) for each in _EVERYWHERE):
            return None
        keys = QKeySequence(event.keyCombination())
        mine = [action for action in self._actions if keys in action.shortcuts()]
        return mine[0] if mine and not any(action.isEnabled() for action in mine) else None
