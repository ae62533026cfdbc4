"""What a plot or a view draws, declared in its class: made in this order, then themed and emptied together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar, overload

from gems_gui.theme import Theme

Item = TypeVar("Item")
Key = TypeVar("Key")


class ItemSpec(Generic[Item]):
    """An item that a class declares; each of its objects has one of its own, under the same name.

    What is declared first lies below. :mod:`gems_gui.views.kit` has the kinds of items that views share.

    Parameters
    ----------
    make
        From a plot and a box in it to the item, which is empty; the item can be emptied by ``empty()``.
    apply_theme
        Gives an item the colours and sizes of a theme.
    on
        The name of the axis, declared before, in whose box the item is; that of the plot without one.
    z
        What is higher lies above everything that is lower.
    """

    def __init__(
        self,
        make: Callable[[Any, Any], Item],
        apply_theme: Callable[[Item, Theme], None] = lambda item, theme: None,
        on: str = "",
        z: float = 0.0,
    ) -> None:
        self._make, self.apply_theme, self._on, self._z = make, apply_theme, on, z

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, host: None, owner: type) -> Self: ...
    @overload
    def __get__(self, host: object, owner: type) -> Item: ...
    def __get__(self, host: object | None, owner: type) -> Self | Item:
        if host is None:
            return self
        raise AttributeError(f"{self.name} is not made yet")  # once made, it is an attribute of the object itself

    def create(self, host: object, plot: Any) -> Item:
        """A new item in a plot."""
        made: Any = self._make(plot, getattr(host, self._on).box if self._on else plot.box)
        if self._z:
            made.setZValue(self._z)
        item: Item = made
        return item


class ItemGroup(ItemSpec[dict[Key, Item]]):
    """Several items by a key, such as one for each colour."""

    def __init__(self, each: Mapping[Key, ItemSpec[Item]]) -> None:
        super().__init__(lambda plot, box: {}, self._apply_theme)
        self._each = each

    def create(self, host: object, plot: Any) -> dict[Key, Item]:
        """All of them, the first below."""
        return {key: one.create(host, plot) for key, one in self._each.items()}

    def _apply_theme(self, item: dict[Key, Item], theme: Theme) -> None:
        for key, one in self._each.items():
            one.apply_theme(item[key], theme)


def declared(kind: type) -> tuple[ItemSpec[Any], ...]:
    """What a class declares, that of its bases first."""
    if kind not in _declared:
        values = (each for base in reversed(kind.__mro__) for each in vars(base).values())
        _declared[kind] = tuple(each for each in values if isinstance(each, ItemSpec))
    return _declared[kind]


_declared: dict[type, tuple[ItemSpec[Any], ...]] = {}  # looking for it takes longer than emptying all items


def create_items(host: object, plot: Any) -> None:
    """Make all that the class of an object declares, in a plot."""
    for each in declared(type(host)):
        setattr(host, each.name, each.create(host, plot))


def apply_theme_to_items(host: object, theme: Theme) -> None:
    """Give them the colours of a theme."""
    for each in declared(type(host)):
        each.apply_theme(getattr(host, each.name), theme)


def items_of(host: object) -> Iterator[Any]:
    """All items of an object, one by one."""
    for each in declared(type(host)):
        made = getattr(host, each.name)
        yield from made.values() if isinstance(made, dict) else (made,)
