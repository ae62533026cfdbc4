"""What was computed once and would come out the same again, kept as long as there is room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar

MOST_BYTES = 2**26
"""Room in the memo of a process."""


class Kept(Protocol):
    """Something that a memo keeps."""

    @property
    def nbytes(self) -> int:
        """How much room it takes; it may grow while it is used."""


T = TypeVar("T", bound=Kept)


class Memo:
    """Pure functions of their keys, the least recently used of which leave when the room is used up.

    An entry is weighed when the next one comes, when most of what it grows by is there: the memo may hold more than its
    room by as much as the newest entry.

    Parameters
    ----------
    room
        Bytes; 0 keeps nothing.
    """

    def __init__(self, room: int = MOST_BYTES) -> None:
        self._room = room
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}
        self._lock = threading.Lock()
        self._newest: Hashable = None
        self.nbytes = 0
        """What is in it, but for the newest."""

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What has this key; made if it is not there."""
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
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._sizes.clear()
            self.nbytes = 0

    def _make_room(self) -> None:
        """Weigh the newest, and let the oldest go until the rest fits."""
        if self._newest in self._kept:
            size = self._kept[self._newest].nbytes
            self.nbytes += size - self._sizes.get(self._newest, 0)
            self._sizes[self._newest] = size
        while self.nbytes > self._room:
            key, _ = self._kept.popitem(last=False)
            self.nbytes -= self._sizes.pop(key)


MEMO = Memo()
"""The memo of this process."""
