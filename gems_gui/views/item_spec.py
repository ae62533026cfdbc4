"""Items that a plot or a view declares in its class: created in this order, themed and emptied together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar, overload

from gems_gui.theme import Theme

Item = TypeVar("Item")
Key = TypeVar("Key")


class ItemSpec(Generic[Item]):
    """An item that a class declares; each instance of the class has its own, under the same name.

    Items declared first are drawn below. :mod:`gems_gui.views.kit` has the kinds of items that views share.

    Parameters
    ----------
    make
        Creates the empty item from a plot and a box in it; the item has a method ``empty()``.
    apply_theme
        Sets the colours and sizes of an item.
    on
        Name of the axis, declared before, whose box contains the item; by default the box of the plot.
    z
        Items with a higher value are drawn above all with a lower one.
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
    def __get__(self, view: None, owner: type) -> Self: ...
    @overload
    def __get__(self, view: object, owner: type) -> Item: ...
    def __get__(self, view: object | None, owner: type) -> Self | Item:
        if view is None:
            return self
        raise AttributeError(f"{self.name} is not made yet")  # once created, it is an attribute of the object itself

    def create(self, view: object, plot: Any) -> Item:
        """A new item in a plot."""
        made: Any = self._make(plot, getattr(view, self._on).box if self._on else plot.box)
        if self._z:
            made.setZValue(self._z)
        item: Item = made
        return item


class ItemGroup(ItemSpec[dict[Key, Item]]):
    """Several items by key, such as one for each colour."""

    def __init__(self, each: Mapping[Key, ItemSpec[Item]]) -> None:
        super().__init__(lambda plot, box: {}, self._apply_theme)
        self._each = each

    def create(self, view: object, plot: Any) -> dict[Key, Item]:
        """Create all of them; the first is drawn below."""
        return {key: one.create(view, plot) for key, one in self._each.items()}

    def _apply_theme(self, item: dict[Key, Item], theme: Theme) -> None:
        for key, one in self._each.items():
            one.apply_theme(item[key], theme)


def declared(kind: type) -> tuple[ItemSpec[Any], ...]:
    """The specifications of a class, those of its bases first."""
    if kind not in _declared:
        values = (each for base in reversed(kind.__mro__) for each in vars(base).values())
        _declared[kind] = tuple(each for each in values if isinstance(each, ItemSpec))
    return _declared[kind]


_declared: dict[type, tuple[ItemSpec[Any], ...]] = {}  # a search takes longer than emptying all items


def create_items(view: object, plot: Any) -> None:
    """Create all items that the class of an object declares."""
    for each in declared(type(view)):
        setattr(view, each.name, each.create(view, plot))


def apply_theme_to_items(view: object, theme: Theme) -> None:
    """Set the colours of all items of an object."""
    for each in declared(type(view)):
        each.apply_theme(getattr(view, each.name), theme)


def items_of(view: object) -> Iterator[Any]:
    """All items of an object, one by one."""
    for each in declared(type(view)):
        made = getattr(view, each.name)
        yield from made.values() if isinstance(made, dict) else (made,)
