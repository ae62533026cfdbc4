"""A cache for results of pure functions, within a given size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar

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
