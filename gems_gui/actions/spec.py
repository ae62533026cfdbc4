"""An action as data: what a menu, a button or a key can ask for, what that does, and when it can be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, Literal, Never, TypeAlias, TypeVar

Context = Literal["window", "stage"]
"""Where the keys of an action hold: in the window, or on the stage of a talk."""

T = TypeVar("T")
Target = TypeVar("Target", contravariant=True)
"""What an action acts on: the bench, or the controller of a feature."""


def always(_: object) -> bool:
    """The condition of what can be asked for at any time."""
    return True


@dataclass(frozen=True)
class ActionSpec(Generic[Target]):
    """Something that a user can ask for.

    Attributes
    ----------
    id
        Its key.
    text
        As menus show it.
    tip
        What it does, without a full stop.
    do, toggle
        The function behind it; one that is on or off has `toggle`, which is told which, and `checked`.
    enabled
        Whether it can be asked for now.
    checked
        Whether it is on, or is the one that is chosen.
    text_of, icon_of
        Where they depend on the state: the text and the icon that hold now.
    keys
        Shortcuts; the first one is that which is shown.
    contexts
        Where its keys hold; two actions with one key in one context are an error of the table.
    icon
        Of :mod:`gems_gui.icons`, empty for none.
    choice
        The group of actions of which always one is chosen, empty for none.
    repeats
        Whether it goes on while its key is held down.
    toolbar
        The place of its button in the transport, from the left; 0: it has none.
    label
        What stands on such a button, where the icon alone would not say it.
    menu
        Where it is: a menu, or a menu and a submenu with a slash between.
    section
        What it belongs to: a line divides the sections of a menu, and the sheet of keys has them as headings.
    after
        The id of the action of the same section that it follows; empty: it follows those that were declared before.
    """

    id: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    do: Callable[[Target], object] | None = None
    toggle: Callable[[Target, bool], object] | None = None
    enabled: Callable[[Target], bool] = always
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

    def __post_init__(self) -> None:
        if (self.do is None) == (self.toggle is None):
            raise ValueError(f"the action {self.id!r} needs either do or toggle")
        if (self.checked is None) == (self.toggle is not None or bool(self.choice)):
            raise ValueError(f"the action {self.id!r} needs checked if, and only if, it is on or off or a choice")

    @property
    def checkable(self) -> bool:
        """Whether it is on or off, other than as one of a choice."""
        return self.toggle is not None

    def perform(self, target: Target, on: bool = False) -> None:
        """Do it; one that is on or off becomes what is said."""
        if self.toggle is not None:
            self.toggle(target, on)
        elif self.do is not None:
            self.do(target)


AnyAction: TypeAlias = ActionSpec[Never]
"""An action of which only what it says is of interest, whatever it acts on."""


def in_section(menu: str, section: str, *specs: ActionSpec[T]) -> tuple[ActionSpec[T], ...]:
    """These actions in a section of a menu."""
    return tuple(replace(spec, menu=menu, section=section) for spec in specs)


def where(enabled: Callable[[T], bool], *specs: ActionSpec[T]) -> tuple[ActionSpec[T], ...]:
    """These actions, which can be asked for where one condition holds."""
    return tuple(replace(spec, enabled=enabled) for spec in specs)


def on_stage_too(*specs: ActionSpec[T]) -> tuple[ActionSpec[T], ...]:
    """These actions of the window, whose keys hold on the stage of a talk, too."""
    return tuple(replace(spec, contexts=("window", "stage")) for spec in specs)


def checked_table(specs: Iterable[AnyAction]) -> tuple[AnyAction, ...]:
    """The table of these actions.

    Raises
    ------
    ValueError
        If two have one id, or one key in one context.
    """
    table = tuple(specs)
    known: dict[str, AnyAction] = {}
    keys: dict[tuple[str, str], str] = {}
    for spec in table:
        if spec.id in known:
            raise ValueError(f"two actions have the id {spec.id!r}: {known[spec.id].text!r} and {spec.text!r}")
        known[spec.id] = spec
        for held in ((context, key) for context in spec.contexts for key in spec.keys):
            if held in keys:
                raise ValueError(f"two actions have the key {held[1]} in the {held[0]}: {keys[held]} and {spec.id}")
            keys[held] = spec.id
    return table


def in_menu_order(specs: Iterable[AnyAction], menus: dict[str, tuple[str, ...]]) -> tuple[AnyAction, ...]:
    """The actions in the order of menus and their sections.

    Raises
    ------
    ValueError
        If one is in no menu or section, or follows one that is not in its section.
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
    """The actions under the headings of the sheet of keys: those that have a key."""
    found: dict[str, list[AnyAction]] = {}
    for spec in specs:
        if spec.keys:
            found.setdefault(spec.section, []).append(spec)
    return found
