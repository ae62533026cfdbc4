"""Keys of the focused widget: a shortcut never takes a letter from a text field."""

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

_TEXTS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)
_MOVED_IN = (*_TEXTS, QAbstractItemView)
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
    """Whether the focused widget uses a key, so that no shortcut may take it.

    Where one types: characters and Space; in texts and lists: movement, with Shift or Ctrl too; on a slider:
    movement; on a button: Space; on a combo box: Space, which opens it.
    """
    key, modifiers = event.key(), event.modifiers() & ~_IGNORED
    if isinstance(widget, _MOVED_IN):
        if key in _MOVES or key in _EDITS:
            return not modifiers & ~(_SHIFT | _CTRL)
        if not _typed_into(widget):
            return False
        # AltGr types brackets on many keyboards and is Ctrl+Alt on some systems: only Ctrl or Alt alone is a command.
        command = bool(modifiers & _CTRL) != bool(modifiers & _ALT) or bool(modifiers & _META)
        return not command and event.text().isprintable() and bool(event.text())
    if isinstance(widget, _MOVED):
        return key in _MOVES and modifiers == _NONE
    return isinstance(widget, QAbstractButton | QComboBox) and key == _KEY.Key_Space and modifiers == _NONE


def _typed_into(widget: QWidget) -> bool:
    """Whether characters can be typed into a text or a list: into a table that opens an editor for them."""
    if isinstance(widget, QAbstractItemView):
        return bool(widget.editTriggers() & QAbstractItemView.EditTrigger.AnyKeyPressed)
    return not (isinstance(widget, QTextEdit | QPlainTextEdit) and widget.isReadOnly())


_STANDARD = QKeySequence.StandardKey
_EVERYWHERE = (
    *(_STANDARD.Undo, _STANDARD.Redo, _STANDARD.Copy, _STANDARD.Cut, _STANDARD.Paste, _STANDARD.SelectAll),
    *(_STANDARD.DeleteStartOfWord, _STANDARD.DeleteEndOfWord),
)


class TextFieldShortcuts(QObject):
    """Protects the keys of the focused widget from shortcuts.

    Qt offers a key to the focused widget before any shortcut gets it. Qt's inputs accept only some of their keys,
    so this filter accepts them. It filters only the focused widget: filtering all would
    pass every event of the program through Python.
    """

    refused = Signal(QAction)
    """A disabled action whose key was pressed."""

    def __init__(self, window: QWidget, actions: Iterable[QAction] = ()) -> None:
        super().__init__(window)
        self._window = window
        self._actions = actions  # more actions may be added later
        window.installEventFilter(self)  # it gets the keys while nothing has the focus
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)
        self._on_focus_changed(None, QApplication.focusWidget())

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None and old is not self._window:
            old.removeEventFilter(self)
        if new is not None:
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept the offer of a key for the focused widget."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(watched, QWidget):
            assert isinstance(event, QKeyEvent)
            if belongs_to(watched, event):
                event.accept()
                return True
        if event.type() == QEvent.Type.KeyPress and isinstance(watched, QWidget):
            assert isinstance(event, QKeyEvent)
            # The window also gets what a table has typed into the editor that it opened: Qt leaves that key ignored.
            focused = QApplication.focusWidget() or watched
            typed = belongs_to(watched, event) or belongs_to(focused, event)
            action = None if typed else self._disabled(watched, event)
            if action is not None:
                if not event.isAutoRepeat():
                    self.refused.emit(action)
                return True
        return super().eventFilter(watched, event)

    def _disabled(self, widget: QWidget, event: QKeyEvent) -> QAction | None:
        """The action with this key, if it is disabled and the key has no other use in the widget.

        Qt then passes the key to the widget, where it may have another meaning: Ctrl+K deletes text in a line
        on some desktops, and arrows scroll a plot. The key of an action has no second meaning, except in widgets
        that claim it, such as tables; keys that edit text keep theirs. Esc also closes and cancels, and says nothing.
        """
        if not self._applies_in(widget.window()) or event.key() == _KEY.Key_Escape:
            return None
        if isinstance(widget, _TEXTS) and any(event.matches(each) for each in _EVERYWHERE):
            return None
        keys = QKeySequence(event.keyCombination())
        mine = [action for action in self._actions if keys in action.shortcuts()]
        if not mine or any(action.isEnabled() for action in mine):
            return None
        return None if not isinstance(widget, _TEXTS) and _claims(widget, event) else mine[0]

    def _applies_in(self, window: QWidget) -> bool:
        """Whether the keys of the window apply in another one: in its floating docks."""
        if QApplication.activeModalWidget() is not None:
            return False
        floats = window.windowType() == Qt.WindowType.Tool and window.parentWidget() is self._window
        return window is self._window or floats


def _claims(widget: QWidget, event: QKeyEvent) -> bool:
    """Whether a widget accepts a key when Qt offers it before the shortcuts."""
    offer = QKeyEvent(QEvent.Type.ShortcutOverride, event.key(), event.modifiers(), event.text())
    offer.ignore()
    QApplication.sendEvent(widget, offer)
    return offer.isAccepted()
