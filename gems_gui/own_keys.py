"""Keys that belong to where the focus is: a shortcut never takes a letter from someone who types."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
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

ACTS = "acts"
"""What a list that nobody searches says of its property ``letters``: they are shortcuts there as anywhere else."""
_TYPED_INTO = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox, QComboBox, QAbstractItemView)
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
    if event.text().isalpha() and widget.property("letters") == ACTS:
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


class OwnKeys(QObject):
    """Keeps the keys of the focused widget from the shortcuts.

    Qt asks the focused widget whether it wants a key before any shortcut gets it. Inputs of Qt answer for some of
    theirs only, so this answers for them. It listens to the one widget that has the focus: to listen to all would
    lead every event of the program through Python.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_changed)
        self._focus_changed(None, QApplication.focusWidget())

    def _focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
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
        return super().eventFilter(watched, event)
