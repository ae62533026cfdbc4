"""A position in a run by what happens there, so that it can be found in another run or when the run is repeated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.events import Event, Place
from gems_engine.history import History
from gems_engine.trace import Trace

_OUTSIDE = Place()
_SEARCHED = 4096  # events searched in one round or subroutine; no bookmark is further away


@dataclass(frozen=True)
class Bookmark:
    """The last event before a cursor: its position (ℓ, i, k), its kind, and its ordinal among those of its kind there.

    ``kind`` is None before the first event; ``end`` means the end of a run, whatever its last event is.
    """

    place: Place = _OUTSIDE
    kind: type[Event] | None = None
    ordinal: int = 0
    end: bool = False

    @classmethod
    def of(cls, trace: Trace, cursor: int) -> Bookmark:
        """The bookmark of a cursor."""
        if cursor == 0:
            return cls()
        event = trace[cursor - 1]
        place, kind = event.place, type(event)
        if place == _OUTSIDE:
            return cls(place, kind, int(np.searchsorted(_outside(trace, kind), cursor - 1)))
        ordinal = 0
        for at in range(cursor - 2, max(-1, cursor - 2 - _SEARCHED), -1):
            before = trace[at]
            if not _within(before.place, place):
                break
            ordinal += type(before) is kind and before.place == place
        return cls(place, kind, ordinal)

    def find(self, history: History) -> tuple[int, bool]:
        """The cursor at the same event of another run and True, or the closest cursor before it and False."""
        if self.end or self.kind is None:
            return (history.events if self.end else 0), not self.end
        trace, place = history.trace, self.place
        if place == _OUTSIDE:
            if len(found := _outside(trace, self.kind)):
                return _nth(found, self.ordinal, history.events)
            return _nth(trace.positions(self.kind), self.ordinal, history.events)[0], False
        rows = history.subroutines
        if not place.i:
            found = _behind_a_loop(history, place, self.kind)
            return _nth(found, self.ordinal, history.events) if len(found) else (_before(history, place), False)
        at = trace.find(place.ell, place.i, place.k) if place.k else None
        if not place.k:
            same = np.flatnonzero((rows.ell == place.ell) & (rows.i == place.i))
            at = int(rows.event[same[0]]) if len(same) else None
        if at is None or at >= history.events:
            return _before(history, place), False
        positions, end = [], at
        for event in trace[at : min(at + _SEARCHED, history.events)]:
            if not _within(event.place, place):
                break
            if type(event) is self.kind and event.place == place:
                positions.append(end)
            end += 1
        cursor, exact = _nth(np.array(positions, dtype=np.int64), self.ordinal, history.events)
        return (cursor, exact) if positions else (max(end, at + 1), False)


def _outside(trace: Trace, kind: type[Event]) -> Integers:
    """Events of a kind that belong to no loop, such as the validation of a fixed budget."""
    there = trace.positions(kind)[-_SEARCHED:]
    return np.array([at for at in there.tolist() if trace[at].place == _OUTSIDE], dtype=np.int64)


def _within(here: Place, place: Place) -> bool:
    """Whether an event at one position belongs to the round or subroutine at another."""
    return (here.ell, here.i) == (place.ell, place.i) and place.k in (0, here.k)


def _behind_a_loop(history: History, place: Place, kind: type[Event]) -> Integers:
    """Events of a loop after its last subroutine, such as a validation."""
    rows, trace = history.subroutines, history.trace
    last = np.flatnonzero(rows.ell == place.ell)
    if not len(last):
        return np.zeros(0, dtype=np.int64)
    begin = int(rows.event[last[-1]])
    end = int(rows.event[last[-1] + 1]) if last[-1] + 1 < len(rows) else history.events
    there = trace.positions(kind)
    there = there[(there > begin) & (there < end)]
    return np.array([at for at in there.tolist() if trace[at].place == place], dtype=np.int64)


def _nth(positions: Integers, ordinal: int, events: int) -> tuple[int, bool]:
    """The cursor after the n-th of these events, or after the last if there are fewer."""
    known = positions[positions < events]
    if not len(known):
        return 0, False
    return int(known[min(ordinal, len(known) - 1)]) + 1, ordinal < len(known)


def _before(history: History, place: Place) -> int:
    """The cursor at the end of the last round, or the start of the last subroutine, before a position."""
    rounds, subroutines = history.rounds, history.subroutines
    earlier = _at_most((rounds.ell, rounds.i, rounds.k), (place.ell, place.i, place.k))
    begun = _at_most((subroutines.ell, subroutines.i), (place.ell, place.i))
    ends = np.where(rounds.end < 0, history.events, rounds.end)[earlier]
    return int(max(ends.max(initial=0), (subroutines.event[begun] + 1).max(initial=0)))


def _at_most(columns: tuple[Integers, ...], limit: tuple[int, ...]) -> Integers:
    """Rows whose columns, in lexicographic order, are at most a limit."""
    fits = np.zeros(len(columns[0]), dtype=bool)
    equal = np.ones(len(columns[0]), dtype=bool)
    for column, most in zip(columns, limit, strict=True):
        fits |= equal & (column < most)
        equal &= column == most
    return np.flatnonzero(fits | equal)
