"""Qt actions made from the action table, for menus, shortcuts and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from gems_gui.actions.spec import ActionSpec, AnyAction, Context, never
from gems_gui.appearance import Appearance
from gems_gui.icons import icon
from gems_gui.markup import label_text
from gems_gui.menus.text_field_shortcuts import TextFieldShortcuts
from gems_gui.theme import Theme
from gems_gui.widgets.dialogs import IN_DIALOGS

_ARROWS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}

T = TypeVar("T")


@cache
def key_text(key: str) -> str:
    """A shortcut for display: "Shift+→"."""
    native = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
    head, plus, last = native.rpartition("+")
    return f"{head}{plus}{_ARROWS.get(last, last)}" if last else native


def _menu(name: str, parent: QMenuBar | QMenu) -> QMenu:
    """A new menu; PySide would delete one made by Qt when the menu of an action is read."""
    menu = QMenu(name, parent)
    parent.addMenu(menu)
    return menu


def _tip(spec: AnyAction, refusal: str = "") -> str:
    """What an action does, with its key and, where it is not available, the reason."""
    tip = f"{spec.tip} ({key_text(spec.keys[0])})" if spec.keys else spec.tip
    return f"{tip}\n{refusal}" if refusal else tip


@dataclass(frozen=True)
class _Entry:
    """A Qt action with functions bound to its target; None where its state never changes."""

    spec: AnyAction
    action: QAction
    perform: Callable[[bool], None]
    refusal: Callable[[], str] | None
    checked: Callable[[], bool] | None
    text: Callable[[], str] | None
    icon: Callable[[], str] | None

    @property
    def changes(self) -> bool:
        return any(each is not None for each in (self.refusal, self.checked, self.text, self.icon))

    def icon_now(self) -> str:
        return self.spec.icon if self.icon is None else self.icon()


def _entry(spec: ActionSpec[T], action: QAction, target: T) -> _Entry:
    return _Entry(
        spec,
        action,
        partial(spec.perform, target),
        None if spec.refusal is never else partial(spec.refusal, target),
        None if spec.checked is None else partial(spec.checked, target),
        None if spec.text_of is None else partial(spec.text_of, target),
        None if spec.icon_of is None else partial(spec.icon_of, target),
    )


class ActionSet(QObject):
    """The actions of a window.

    Parameters
    ----------
    window
        The window in which the shortcuts apply; text fields keep their own keys.
    """

    def __init__(self, window: QWidget, appearance: Appearance) -> None:
        super().__init__(window)
        self._appearance = appearance
        self._window = window
        self._entries: dict[str, _Entry] = {}
        self._changing: list[_Entry] = []
        self._icons: dict[str, str] = {}  # names of the icons of actions
        self._groups: dict[str, QActionGroup] = {}
        self._menus: dict[str, QMenu] = {}
        self._text_field_shortcuts = TextFieldShortcuts(window, self)
        self.refused = self._text_field_shortcuts.refused
        appearance.follow(self._apply_theme)

    def add(self, specs: Iterable[ActionSpec[T]], target: T) -> None:
        """Create actions for a target.

        Raises
        ------
        ValueError
            If there is an action with the same id.
        """
        for spec in specs:
            if spec.id in self._entries:
                raise ValueError(f"there is an action {spec.id!r} already")
            entry = _entry(spec, self._make(spec), target)
            self._entries[spec.id] = entry
            if entry.changes:
                self._changing.append(entry)
            self._window.addAction(entry.action)  # not only to menus: shortcuts apply in full screen too
            self._refresh(entry)
            if spec.icon:
                self._draw(entry)

    def _make(self, spec: ActionSpec[T]) -> QAction:
        action = QAction(spec.text, self)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setProperty(IN_DIALOGS, "dialog" in spec.contexts)
        action.setAutoRepeat(spec.repeats)
        action.setIconVisibleInMenu(False)
        action.setStatusTip(f"{spec.tip}.")
        action.setWhatsThis(f"{spec.tip}.")
        action.setToolTip(_tip(spec))
        if spec.label:
            action.setIconText(spec.label)
        if spec.choice:
            if spec.choice not in self._groups:
                self._groups[spec.choice] = QActionGroup(self)
            self._groups[spec.choice].addAction(action)
        action.setCheckable(spec.checked is not None)
        action.setMenuRole(QAction.MenuRole.QuitRole if spec.id == "quit" else QAction.MenuRole.NoRole)
        action.triggered.connect(self._on_triggered)
        return action

    def __getitem__(self, name: str) -> QAction:
        return self._entries[name].action

    def __iter__(self) -> Iterator[QAction]:
        return (entry.action for entry in self._entries.values())

    @property
    def specs(self) -> tuple[AnyAction, ...]:
        """The specifications of the actions, in the order of the menus once those exist."""
        return tuple(entry.spec for entry in self._entries.values())

    @property
    def toolbar(self) -> tuple[AnyAction, ...]:
        """The actions with a button in the transport, from left to right."""
        return tuple(sorted((spec for spec in self.specs if spec.toolbar), key=lambda spec: spec.toolbar))

    def refusal(self, action: QAction) -> str:
        """Why an action is not available now; empty if it is."""
        refusal = self._entries[action.objectName()].refusal
        return "" if refusal is None else refusal()

    def in_context(self, context: Context) -> list[QAction]:
        """The actions whose keys apply in a context."""
        return [entry.action for entry in self._entries.values() if context in entry.spec.contexts]

    def _on_triggered(self, checked: bool) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._entries[action.objectName()].perform(checked)
        self.refresh()

    # -- menus --------------------------------------------------------------------------------------------------

    def fill(self, bar: QMenuBar, table: Iterable[AnyAction]) -> None:
        """Create the menus of a table, in its order.

        Raises
        ------
        ValueError
            If an action of the table was not added, or an added action is not in the table.
        """
        specs = {spec.id: spec for spec in table}
        if missing := [name for name in specs if name not in self._entries]:
            raise ValueError(
                f"actions of the table that were not added: {', '.join(missing)}; add their tuple "
                "in _add_actions of gems_gui/window.py"
            )
        if others := [name for name in self._entries if name not in specs]:
            raise ValueError(
                f"actions that are not in the table: {', '.join(others)}; add their tuple to ACTIONS in "
                "gems_gui/action_table.py"
            )
        self._entries = {name: self._entries[name] for name in specs}
        for name in dict.fromkeys(spec.menu.partition("/")[0] for spec in specs.values()):
            self._menus[name] = _menu(f"&{name}", bar)
        section: dict[str, str] = {}
        for spec in specs.values():
            menu = self.menu(spec.menu)
            if section.setdefault(spec.menu, spec.section) != spec.section:
                menu.addSeparator()
                section[spec.menu] = spec.section
            menu.addAction(self[spec.id])

    def menu(self, path: str) -> QMenu:
        """The menu at a path such as "View/Theme", for entries outside the table; a new submenu if there is none."""
        if path not in self._menus:
            parent, _, name = path.rpartition("/")
            if not parent:
                raise ValueError(f"there is no menu {path!r}")
            self._menus[path] = _menu(name, self.menu(parent))
        return self._menus[path]

    # -- state --------------------------------------------------------------------------------------------------

    def refresh(self, *_: object) -> None:
        """Update the state of every action; only what has changed is set."""
        for entry in self._changing:
            self._refresh(entry)

    def _refresh(self, entry: _Entry) -> None:
        action = entry.action
        if entry.refusal is not None:
            refusal = entry.refusal()
            if action.isEnabled() == bool(refusal):
                action.setEnabled(not refusal)
            if action.toolTip() != (tip := _tip(entry.spec, refusal)):
                action.setToolTip(tip)
        if entry.checked is not None and action.isChecked() != (checked := entry.checked()):
            action.setChecked(checked)
        if entry.text is not None and action.text() != (text := label_text(entry.text())):
            action.setText(text)
        if entry.icon is not None and self._icons.get(entry.spec.id) != entry.icon():
            self._draw(entry)

    def _draw(self, entry: _Entry) -> None:
        name = self._icons[entry.spec.id] = entry.icon_now()
        entry.action.setIcon(icon(name, self._appearance.theme))

    def _apply_theme(self, theme: Theme) -> None:
        for entry in self._entries.values():
            if entry.spec.icon:
                self._draw(entry)
