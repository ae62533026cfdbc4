"""Pulls of every arm in every subroutine, read once from a trace, a little at a time if need be."""

from __future__ import annotations

import time
from bisect import bisect_right

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.events import Allocated
from gems_engine.trace import Trace

_AT_A_TIME = 32  # allocations between two looks at the clock


class Ledger:
    """What each subroutine has pulled, on its support.

    Attributes
    ----------
    trace : Trace
    read : int
        How many allocations of it are in.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.read = 0
        self._starts: list[int] = []  # the subroutines that have pulled, by the event that starts them
        self._sums: list[dict[int, int]] = []
        self._known = 0  # events that the positions below know of
        self._positions: Integers = np.zeros(0, np.int64)

    def update(self, seconds: float | None = None) -> bool:
        """Read what was recorded since the last call, for at most so long; True when nothing is left to read."""
        until = None if seconds is None else time.perf_counter() + seconds
        if len(self.trace) != self._known:
            self._known = len(self.trace)
            self._positions = self.trace.positions(Allocated)
        starts = self.trace.subroutines
        while self.read < len(self._positions):
            for at in self._positions[self.read : self.read + _AT_A_TIME].tolist():
                self._take(at, starts)
                self.read += 1
            if until is not None and time.perf_counter() > until:
                break
        return self.read == len(self._positions)

    @property
    def behind(self) -> int:
        """How many events were recorded since the last that is in."""
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
        sums = self._sums[-1]
        for arm, count in zip(event.arms.tolist(), event.counts.tolist(), strict=True):
            sums[arm] = sums.get(arm, 0) + count

    def complete_before(self, cursor: int) -> bool:
        """Whether every allocation before the cursor is in."""
        known = self._positions
        return self._known >= cursor and (self.read == len(known) or int(known[self.read]) >= cursor)

    def pulls(self, start: int, arm: int) -> int:
        """Pulls of an arm in the whole subroutine that the event at ``start`` begins."""
        row = bisect_right(self._starts, start) - 1
        return self._sums[row].get(arm, 0) if row >= 0 and self._starts[row] == start else 0
