"""A cache for results of pure functions, within a given size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from typing import Any, Protocol, TypeVar

import numpy as np

MOST_BYTES = 2**26
"""Size of the memo of a process."""


class Kept(Protocol):
    """An entry of a memo."""

    @property
    def nbytes(self) -> int:
        """Its size; it may grow while it is used."""


T = TypeVar("T", bound=Kept)


class Memo:
    """Pure functions of their keys; the least recently used are dropped when the memo is full.

    An entry is measured when the next one is added, after most of its growth: the memo may exceed its size by the
    newest entry.

    Parameters
    ----------
    room
        Size in bytes; 0 disables the memo.
    """

    def __init__(self, room: int = MOST_BYTES) -> None:
        self._room = room
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}
        self._lock = threading.Lock()
        self._newest: Hashable = None
        self.nbytes = 0
        """The size of its entries, except the newest."""

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The entry with this key, made if it is missing."""
        with self._lock:
            found: Any = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found  # type: ignore[no-any-return]
        made = make()
        if self._room:
            with self._lock:
                self._make_room()
                self._kept[key], self._newest = made, key
        return made

    def clear(self) -> None:
        """Drop all entries."""
        with self._lock:
            self._kept.clear()
            self._sizes.clear()
            self.nbytes = 0

    def _make_room(self) -> None:
        """Measure the newest entry, and drop the oldest until the rest fits."""
        if self._newest in self._kept:
            size = self._kept[self._newest].nbytes
            self.nbytes += size - self._sizes.get(self._newest, 0)
            self._sizes[self._newest] = size
        while self.nbytes > self._room:
            key, _ = self._kept.popitem(last=False)
            self.nbytes -= self._sizes.pop(key)


MEMO = Memo()
"""The memo of this process."""


_FEW = 64  # entries of longer lists, such as the bounds of all iterations, hold no arrays
_PLAIN = frozenset((float, int, bool, str, bytes, type(None)))  # counted with their container


def nbytes_in(thing: object, *without: object) -> int:
    """The approximate size of an object in bytes, with its arrays and parts but without some of them."""
    total = 0
    seen = {id(each) for each in without}
    todo = [thing]
    while todo:
        each = todo.pop()
        if type(each) in _PLAIN or id(each) in seen:
            continue
        seen.add(id(each))
        total += 64
        if isinstance(each, np.ndarray):
            if each.base is None:
                total += each.nbytes
            todo.append(each.base)
            continue
        inside: Collection[object]
        if isinstance(each, dict):
            inside = each.values()
        elif isinstance(each, (list, tuple)):
            inside = each if len(each) <= _FEW else ()
            total += 64 * len(each)
        elif hasattr(each, "__dict__") and not isinstance(each, type):
            inside = vars(each).values()
        else:
            continue
        total += 32 * len(inside)
        todo += inside
    return total
