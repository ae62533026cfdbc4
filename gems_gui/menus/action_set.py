"""Qt's actions, made from the table of acts: menus, shortcuts and buttons all have them from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from gems_gui.actions.table import ACTIONS, MENUS, ActionSpec
from gems_gui.icons import icon
from gems_gui.menus.text_field_shortcuts import TextFieldShortcuts
from gems_gui.theme import Theme

Handler = Callable[..., Any]

_ARROWS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}


def key_text(key: str) -> str:
    """A shortcut as people read it: «Shift+→»."""
    native = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
    head, plus, last = native.rpartition("+")
    return f"{head}{plus}{_ARROWS.get(last, last)}" if last else native


def _menu(name: str, parent: QMenuBar | QMenu) -> QMenu:
    """A new menu; one that Qt makes by itself is deleted by PySide when somebody asks an action for its menu."""
    menu = QMenu(name, parent)
    parent.addMenu(menu)
    return menu


class ActionSet(QObject):
    """The actions of a window.

    Parameters
    ----------
    window
        In it, and wherever in it the focus is, the shortcuts hold; what somebody types stays theirs.
    """

    def __init__(self, window: QWidget, theme: Theme, acts: Iterable[ActionSpec] = ACTIONS) -> None:
        super().__init__(window)
        self.acts = tuple(acts)
        self._theme = theme
        self._window = window
        self._playing = False
        self._handlers: dict[str, Handler] = {}
        self._actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._menus: dict[str, QMenu] = {}
        for act in self.acts:
            self._actions[act.name] = self._make(act)
        window.addActions(list(self))  # not only to the menus: shortcuts hold in full screen, where there are none
        self._own_keys = TextFieldShortcuts(self, self)
        self.refused = self._own_keys.refused
        self.set_theme(theme)

    def _make(self, act: ActionSpec) -> QAction:
        action = QAction(act.text, self)
        action.setObjectName(act.name)
        action.setShortcuts([QKeySequence(key) for key in act.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setAutoRepeat(act.repeats)
        action.setIconVisibleInMenu(False)
        action.setStatusTip(f"{act.tip}.")
        action.setWhatsThis(f"{act.tip}.")
        action.setToolTip(f"{act.tip} ({key_text(act.keys[0])})" if act.keys else act.tip)
        if act.label:
            action.setIconText(act.label)
        if act.choice:
            if act.choice not in self._groups:
                self._groups[act.choice] = QActionGroup(self)
            self._groups[act.choice].addAction(action)
        action.setCheckable(act.checkable or bool(act.choice))
        action.setMenuRole(QAction.MenuRole.QuitRole if act.name == "quit" else QAction.MenuRole.NoRole)
        action.triggered.connect(self._triggered)
        return action

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self) -> Iterator[QAction]:
        return iter(self._actions.values())

    # -- handlers -----------------------------------------------------------------------------------------------

    def bind(self, name: str, handler: Handler) -> None:
        """Say what an act does: a function without arguments, or with whether it is on for one that is checkable.

        Raises
        ------
        ValueError
            If there is no such act, or it has a handler.
        """
        if name not in self._actions:
            raise ValueError(f"there is no act {name!r} to bind")
        if name in self._handlers:
            raise ValueError(f"the act {name!r} is bound already")
        self._handlers[name] = handler

    def bind_all(self, owner: object) -> None:
        """Bind every act that has no handler yet to the method of its name."""
        for act in self.acts:
            if act.name not in self._handlers and callable(handler := getattr(owner, act.name, None)):
                self.bind(act.name, handler)

    def check(self) -> None:
        """Raise a ValueError if an act has no handler."""
        missing = [act.name for act in self.acts if act.name not in self._handlers]
        if missing:
            raise ValueError(f"acts without a handler: {', '.join(missing)}")

    def _triggered(self, checked: bool) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        handler = self._handlers.get(action.objectName())
        if handler is None:
            raise ValueError(f"the act {action.objectName()!r} has no handler")
        if action.isCheckable() and action.actionGroup() is None:
            handler(checked)
        else:
            handler()

    # -- menus --------------------------------------------------------------------------------------------------

    def fill(self, bar: QMenuBar) -> None:
        """Make the menus; all acts must have their handlers."""
        self.check()
        for name in MENUS:
            self._menus[name] = _menu(f"&{name}", bar)
        section: dict[str, str] = {}
        for act in self.acts:
            menu = self.menu(act.menu)
            if section.setdefault(act.menu, act.section) != act.section:
                menu.addSeparator()
                section[act.menu] = act.section
            menu.addAction(self[act.name])

    def menu(self, path: str) -> QMenu:
        """The menu at a path such as «View/Theme», for what is not in the table; a new submenu where there is none."""
        if path not in self._menus:
            parent, _, name = path.rpartition("/")
            if not parent:
                raise ValueError(f"there is no menu {path!r}")
            self._menus[path] = _menu(name, self.menu(parent))
        return self._menus[path]

    # -- how they look ------------------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in the colours of a theme."""
        self._theme = theme
        for act in self.acts:
            if act.icon:
                self[act.name].setIcon(icon(act.icon, theme))
        self._draw_play()

    def show_playing(self, playing: bool) -> None:
        """Let the act that plays say that it pauses, or the other way round."""
        if playing != self._playing:
            self._playing = playing
            self._draw_play()

    def _draw_play(self) -> None:
        if "play" in self._actions:
            self["play"].setText("Pause" if self._playing else "Play")
            self["play"].setIcon(icon("pause" if self._playing else "play", self._theme))

    def enable(self, names: Iterable[str], on: bool) -> None:
        """Let acts be asked for, or not."""
        for name in names:
            if self[name].isEnabled() != on:
                self[name].setEnabled(on)

    def mark(self, name: str, on: bool) -> None:
        """Show that a checkable act is on or off, or that a choice is made; its handler is not called."""
        if self[name].isChecked() != on:
            self[name].setChecked(on)
