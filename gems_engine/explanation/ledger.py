"""Pulls of every arm in every call, read once from a trace, in small steps if needed."""

from __future__ import annotations

import time
from bisect import bisect_right

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.events import Allocated
from gems_engine.trace import Trace

_AT_A_TIME = 32  # allocations between two checks of the clock


class Ledger:
    """The pulls of each call, on its support.

    Attributes
    ----------
    trace : Trace
    read : int
        The number of allocations read so far.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.read = 0
        self._starts: list[int] = []  # the calls that have pulled, by the event that starts them
        self._sums: list[dict[int, int]] = []
        self._known = 0  # events covered by the positions below
        self._positions: Integers = np.zeros(0, np.int64)

    def update(self, seconds: float | None = None) -> bool:
        """Read what was recorded since the last call, for at most ``seconds``; True once everything is read."""
        until = None if seconds is None else time.perf_counter() + seconds
        if len(self.trace) != self._known:
            self._known = len(self.trace)
            self._positions = self.trace.positions(Allocated)
        starts = self.trace.subroutine_starts
        while self.read < len(self._positions):
            for at in self._positions[self.read : self.read + _AT_A_TIME].tolist():
                self._take(at, starts)
                self.read += 1
            if until is not None and time.perf_counter() > until:
                break
        return self.read == len(self._positions)

    @property
    def behind(self) -> int:
        """The number of recorded events that are not read yet."""
        last = int(self._positions[self.read - 1]) if self.read else 0
        return len(self.trace) - last

    def _take(self, at: int, starts: Integers) -> None:
        event = self.trace[at]
        assert isinstance(event, Allocated)
        if not event.d:  # a validation belongs to no subroutine
            return
        row = int(np.searchsorted(starts, at, side="right")) - 1
        start = int(starts[row]) if row >= 0 else 0
        if not self._starts or self._starts[-1] != start:
            self._starts.append(start)
            self._sums.append({})
        _add(self._sums[-1], event, 1)
        if event.lost:  # in place of the request before it
            asked = self.trace[at - 1]
            assert isinstance(asked, Allocated)
            _add(self._sums[-1], asked, -1)

    def complete_before(self, cursor: int) -> bool:
        """Whether every allocation before the cursor is read."""
        known = self._positions
        return self._known >= cursor and (self.read == len(known) or int(known[self.read]) >= cursor)

    def pulls(self, start: int, arm: int) -> int:
        """Pulls of an arm in the whole call that starts with the event at ``start``."""
        row = bisect_right(self._starts, start) - 1
        return self._sums[row].get(arm, 0) if row >= 0 and self._starts[row] == start else 0


def _add(sums: dict[int, int], event: Allocated, sign: int) -> None:
    for arm, count in zip(event.arms.tolist(), event.counts.tolist(), strict=True):
        sums[arm] = sums.get(arm, 0) + sign * count
