"""An action of a menu, a button or a key as data: its texts, its function and its conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, Literal, Never, TypeAlias, TypeVar

Context = Literal["window", "dialog", "stage"]
"""Where the keys of an action apply: in the window, in its dialogs, or on the stage of a talk."""

_SPELLINGS = {"escape": "esc", "delete": "del", "insert": "ins", "page up": "pgup", "page down": "pgdown"}
"""Keys that Qt reads under two names."""

T = TypeVar("T")
Target = TypeVar("Target", contravariant=True)
"""The target of an action: the bench, or the controller of a feature."""


def never(_: object) -> str:
    """The refusal of an action that is always available."""
    return ""


@dataclass(frozen=True)
class ActionSpec(Generic[Target]):
    """An action of the user interface.

    Attributes
    ----------
    id
        Its key.
    text
        Text in menus.
    tip
        What it does, without a full stop.
    do, toggle
        Its function; an action that is on or off has `toggle`, which gets the new state, and `checked`.
    refusal
        Why it is not available now, as a sentence that says what to do; empty if it is available.
    checked
        Whether it is on, or is the chosen one of its group.
    text_of, icon_of
        The current text and icon, where they depend on the state.
    keys
        Shortcuts; the first one is displayed.
    contexts
        Where its keys apply; two actions with the same key in one context are an error.
    icon
        The name of an icon in :mod:`gems_gui.icons`, empty for none.
    choice
        The exclusive group that it belongs to, empty for none.
    repeats
        Whether it repeats while its key is held down.
    toolbar
        The position of its button in the transport, from the left; 0 for none.
    label
        The text on that button, where the icon alone is not clear.
    menu
        Its menu, or menu and submenu separated by a slash.
    section
        Its section: sections are separated by a line in the menu and are headings in the list of shortcuts.
    after
        The id of the action in the same section that it follows; empty: the order of declaration.
    words
        Other words for it, by which the command palette finds it.
    """

    id: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    do: Callable[[Target], object] | None = None
    toggle: Callable[[Target, bool], object] | None = None
    refusal: Callable[[Target], str] = never
    checked: Callable[[Target], bool] | None = None
    text_of: Callable[[Target], str] | None = None
    icon_of: Callable[[Target], str] | None = None
    contexts: tuple[Context, ...] = ("window",)
    choice: str = ""
    repeats: bool = False
    toolbar: int = 0
    label: str = ""
    menu: str = ""
    section: str = ""
    after: str = ""
    words: str = ""

    def __post_init__(self) -> None:
        if (self.do is None) == (self.toggle is None):
            raise ValueError(f"the action {self.id!r} needs either do or toggle")
        if "" in self.keys:
            raise ValueError(f"the action {self.id!r} has an empty key")
        if (self.checked is None) == (self.toggle is not None or bool(self.choice)):
            raise ValueError(f"the action {self.id!r} needs checked if, and only if, it is on or off or a choice")

    @property
    def checkable(self) -> bool:
        """Whether it can be switched on and off, other than in an exclusive group."""
        return self.toggle is not None

    def perform(self, target: Target, on: bool = False) -> None:
        """Call its function; one that is on or off is set to the given state."""
        if self.toggle is not None:
            self.toggle(target, on)
        elif self.do is not None:
            self.do(target)


AnyAction: TypeAlias = ActionSpec[Never]
"""An action with any target, where only its texts matter."""


def in_section(menu: str, section: str, *specs: ActionSpec[T]) -> tuple[ActionSpec[T], ...]:
    """These actions in a section of a menu."""
    return tuple(replace(spec, menu=menu, section=section) for spec in specs)


def where(refusal: Callable[[T], str], *specs: ActionSpec[T]) -> tuple[ActionSpec[T], ...]:
    """These actions, refused for one reason."""
    return tuple(replace(spec, refusal=refusal) for spec in specs)


def on_stage_too(*specs: ActionSpec[T]) -> tuple[ActionSpec[T], ...]:
    """These actions of the window, whose keys also apply on the stage of a talk."""
    return tuple(replace(spec, contexts=("window", "stage")) for spec in specs)


def checked_table(specs: Iterable[AnyAction]) -> tuple[AnyAction, ...]:
    """The table of these actions.

    Raises
    ------
    ValueError
        If two have the same id, or the same key in one context.
    """
    table = tuple(specs)
    known: dict[str, AnyAction] = {}
    keys: dict[tuple[str, str], str] = {}
    for spec in table:
        if spec.id in known:
            raise ValueError(f"two actions have the id {spec.id!r}: {known[spec.id].text!r} and {spec.text!r}")
        known[spec.id] = spec
        for context, key in ((context, key) for context in spec.contexts for key in spec.keys):
            held = (context, _normal(key))
            if held in keys:
                raise ValueError(f"two actions have the key {key} in the {context}: {keys[held]} and {spec.id}")
            keys[held] = spec.id
    return table


def _normal(key: str) -> str:
    """A key with its modifiers in one order and one spelling of its name: Shift+Ctrl+Del is Ctrl+Shift+Delete."""
    modifiers, _, name = key[:-1].rpartition("+")  # the last character may be the key "+"
    last = f"{name}{key[-1:]}".casefold()
    return "+".join((*sorted(modifiers.casefold().split("+")), _SPELLINGS.get(last, last)))


def in_menu_order(specs: Iterable[AnyAction], menus: dict[str, tuple[str, ...]]) -> tuple[AnyAction, ...]:
    """The actions in the order of menus and their sections.

    Raises
    ------
    ValueError
        If an action is in no section of a menu, or follows one that is not in its section.
    """
    places: dict[tuple[str, str], list[AnyAction]] = {
        (menu, section): [] for menu, sections in menus.items() for section in sections
    }
    followers = []
    for spec in specs:
        place = (spec.menu, spec.section)
        if place not in places:
            raise ValueError(
                f"the action {spec.id!r} is in no section of a menu: {spec.menu!r}, {spec.section!r}; "
                "the table of sections is MENUS in gems_gui/action_table.py"
            )
        followers.append(spec) if spec.after else places[place].append(spec)
    for spec in followers:
        there = places[spec.menu, spec.section]
        at = next((at for at, each in enumerate(there) if each.id == spec.after), None)
        if at is None:
            raise ValueError(f"the action {spec.id!r} follows {spec.after!r}, which is not in its section")
        there.insert(at + 1, spec)
    return tuple(spec for there in places.values() for spec in there)


def sections(specs: Iterable[AnyAction]) -> dict[str, list[AnyAction]]:
    """The actions with a key, under the headings of the list of shortcuts."""
    found: dict[str, list[AnyAction]] = {}
    for spec in specs:
        if spec.keys:
            found.setdefault(spec.section, []).append(spec)
    return found
