"""Search for a condition in a record, forwards and backwards, and watch for it while the record grows.

A condition met by event p is found at cursor p + 1, where that event is on screen.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.conditions import CONDITIONS as CONDITIONS
from gems_engine.conditions import Condition as Condition
from gems_engine.conditions import EventOfKind
from gems_engine.conditions import make_condition as make_condition
from gems_engine.events import Event
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.trace import CHUNK, Trace

_AT_A_TIME = 32  # events between two checks of the clock


def _after(found: Integers, start: int) -> int | None:
    """The cursor of the first event that meets a condition after a cursor."""
    at = int(np.searchsorted(found, start))
    return int(found[at]) + 1 if at < len(found) else None


def _before(found: Integers, start: int) -> int | None:
    """The cursor of the last event that meets a condition before a cursor."""
    at = int(np.searchsorted(found, start - 1))
    return int(found[at - 1]) + 1 if at else None


def _met_before(trace: Trace, condition: Condition, start: int) -> Iterator[int | None]:
    """Go back from a cursor event by event: yield None, or the cursor at which a condition is met."""
    later: tuple[int, Any] | None = None
    for at, reading in _readings_before(trace, condition, start - 1):
        yield later[0] + 1 if later is not None and condition.met(reading, later[1]) else None
        later = at, reading
    yield later[0] + 1 if later is not None and condition.met(None, later[1]) else None


def _indexed(trace: Trace, condition: Condition, history: History | None) -> Integers | None:
    """All events that meet a condition, if they are known without reading events."""
    if isinstance(condition, EventOfKind):
        return trace.positions(condition.kind)
    return None if history is None else condition.positions(history)


def _readings_before(trace: Trace, condition: Condition, end: int) -> Iterator[tuple[int, Any]]:
    """What a condition reads from the events before ``end``, last first."""
    if condition.kinds:
        positions = np.sort(np.concatenate([trace.positions(kind) for kind in condition.kinds]))
    else:
        positions = np.arange(len(trace))
    for at in positions[: int(np.searchsorted(positions, end))][::-1].tolist():
        reading = condition.read(trace[at], trace.instance)
        if reading is not None:
            yield at, reading


class Watch:
    """Reads the events of a run one by one, and reports when a condition is met.

    Attributes
    ----------
    before
        The last value read; None if there is none yet.
    """

    def __init__(self, condition: Condition, instance: Instance, before: Any = None) -> None:
        self.before = before
        self._condition = condition
        self._instance = instance
        self._kinds = condition.kinds or (Event,)

    def matches(self, event: Event) -> bool:
        """Read one more event; return whether it meets the condition."""
        if not isinstance(event, self._kinds):
            return False
        now = self._condition.read(event, self._instance)
        if now is None:
            return False
        before, self.before = self.before, self._condition.combined(self.before, now)
        return self._condition.met(before, now)


class Watcher:
    """Waits for a condition in a growing trace, from a cursor on; every event is read once.

    Attributes
    ----------
    condition : Condition
    position : int
        The number of events read.
    """

    def __init__(self, condition: Condition, trace: Trace, start: int) -> None:
        self.condition = condition
        self.position = start
        self._trace = trace
        before = condition.last_reading(reading for _, reading in _readings_before(trace, condition, start))
        self._watch = Watch(condition, trace.instance, before)

    @property
    def before(self) -> Any:
        """The last value that the condition read."""
        return self._watch.before

    def update(self, most: int | None = None) -> int | None:
        """Read at most ``most`` new events; return the next cursor at which the condition is met, None if none yet.

        After one is found, the next call continues after it.
        """
        end = len(self._trace) if most is None else min(len(self._trace), self.position + most)
        while self.position < end:
            for event in self._trace[self.position : min(end, self.position + CHUNK)]:
                self.position += 1
                if self._watch.matches(event):
                    return self.position
        return None


class Search:
    """Searches for a condition from a cursor on, forward or backward, step by step.

    What an index knows is found by the first :meth:`update`, in a trace of any length. A forward search includes events
    that are recorded later.

    Attributes
    ----------
    condition : Condition
    forward : bool
    exhausted : bool
        Whether all events of the last update were searched without a match.
    """

    def __init__(
        self, trace: Trace, condition: Condition, start: int, forward: bool = True, history: History | None = None
    ) -> None:
        self.condition = condition
        self.forward = forward
        self.exhausted = False
        self._found: int | None = None
        self._trace = trace
        indexed = len(trace) if isinstance(condition, EventOfKind) or history is None else history.events
        positions = _indexed(trace, condition, history)
        if positions is not None:
            self._found = _after(positions, start) if forward else _before(positions, start)
            start = max(start, indexed)
        self._watcher = Watcher(condition, trace, start) if forward else None
        self._back = iter(()) if forward or positions is not None else _met_before(trace, condition, start)

    @property
    def reached(self) -> tuple[int, Any]:
        """For a forward search, the number of events searched and the last value read, from where it can continue."""
        assert self._watcher is not None
        return self._watcher.position, self._watcher.before

    def update(self, seconds: float | None = None) -> int | None:
        """Search for at most ``seconds``, but at least a few events; return the cursor found, None if none yet."""
        until = None if seconds is None else time.perf_counter() + seconds
        while self._found is None:
            more = self._look()
            self.exhausted = not more and self._found is None
            if not more or (until is not None and time.perf_counter() > until):
                break
        return self._found

    def _look(self) -> bool:
        """Search a few events; False if there are no more."""
        if self._watcher is not None:
            self._found = self._watcher.update(_AT_A_TIME)
            return self._watcher.position < len(self._trace)
        some = list(islice(self._back, _AT_A_TIME))
        self._found = next((each for each in some if each is not None), None)
        return len(some) == _AT_A_TIME
