"""Run until something happens: found in a record, forwards and backwards, and watched for while it grows.

A condition that is met by event p is found at cursor p + 1, where that event is on screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.conditions import CONDITIONS as CONDITIONS
from gems_engine.conditions import Condition as Condition
from gems_engine.conditions import EventOfKind
from gems_engine.conditions import make_condition as make_condition
from gems_engine.events import Event
from gems_engine.history import History
from gems_engine.trace import CHUNK, Trace


def find_next(trace: Trace, condition: Condition, start: int, history: History | None = None) -> int | None:
    """The first cursor behind ``start`` at which a condition is met, None where the record has none.

    Parameters
    ----------
    trace, condition
        Where to look, and for what.
    start
        A cursor; one that is found can be given again to find the next.
    history
        Of this trace: with it most conditions are found at once, in a trace of any length. What it has not read yet
        is not looked at. Without, events are read up to the one that is found.
    """
    found = _indexed(trace, condition, history)
    if found is not None:
        at = int(np.searchsorted(found, start))
        return int(found[at]) + 1 if at < len(found) else None
    return Watcher(condition, trace, start).update()


def find_previous(trace: Trace, condition: Condition, start: int, history: History | None = None) -> int | None:
    """The last cursor in front of ``start`` at which a condition is met, None where there is none. See `find_next`."""
    found = _indexed(trace, condition, history)
    if found is not None:
        at = int(np.searchsorted(found, start - 1))
        return int(found[at - 1]) + 1 if at else None
    later: tuple[int, Any] | None = None
    for at, reading in _readings_before(trace, condition, start - 1):
        if later is not None and condition.met(reading, later[1]):
            return later[0] + 1
        later = at, reading
    return later[0] + 1 if later is not None and condition.met(None, later[1]) else None


def _indexed(trace: Trace, condition: Condition, history: History | None) -> Integers | None:
    """All events that meet a condition, where no event has to be read to know them."""
    if isinstance(condition, EventOfKind):
        return trace.positions(condition.kind)
    return None if history is None else condition.positions(history)


def _readings_before(trace: Trace, condition: Condition, end: int) -> Iterator[tuple[int, Any]]:
    """What a condition reads off the events in front of ``end``, the last first."""
    if condition.kinds:
        positions = np.sort(np.concatenate([trace.positions(kind) for kind in condition.kinds]))
    else:
        positions = np.arange(len(trace))
    for at in positions[: int(np.searchsorted(positions, end))][::-1].tolist():
        reading = condition.read(trace[at], trace.instance)
        if reading is not None:
            yield at, reading


class Watcher:
    """Waits for a condition in a trace that grows, from a cursor on; every event is read once.

    Attributes
    ----------
    condition : Condition
    position : int
        How many events were read.
    """

    def __init__(self, condition: Condition, trace: Trace, start: int) -> None:
        self.condition = condition
        self.position = start
        self._trace = trace
        self._before: Any = next((reading for _, reading in _readings_before(trace, condition, start)), None)

    def update(self, most: int | None = None) -> int | None:
        """Read what was recorded since, at most so many events: the next cursor where it is met, None if none yet.

        After one is found, the next call goes on behind it.
        """
        end = len(self._trace) if most is None else min(len(self._trace), self.position + most)
        kinds = self.condition.kinds or (Event,)
        while self.position < end:
            for event in self._trace[self.position : min(end, self.position + CHUNK)]:
                self.position += 1
                if not isinstance(event, kinds):
                    continue
                now = self.condition.read(event, self._trace.instance)
                if now is None:
                    continue
                before, self._before = self._before, now
                if self.condition.met(before, now):
                    return self.position
        return None
