"""The events of a run as a list with filters and search, read only as far as needed."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.events import EVENTS, Event, RunStarted
from gems_engine.terminal import THIN
from gems_engine.trace import Trace
from gems_engine.wording import describe, place_names, place_text
from gems_gui.series.table import Table
from gems_gui.truth import discreet_name

COLUMNS = ("event", "position", "kind", "what happened")
MOST_COPIED = 20_000
"""The largest number of events copied at a time; more would block the window."""
_AT_A_TIME = 16  # events between two checks of the time


class EventList:
    """The listed events: all, those of one kind, or those that contain given words.

    Attributes
    ----------
    trace : Trace
    kind : str
        Only events of this kind; empty for all.
    words : tuple of str
        All must occur in the line, in lower case; numbers are written without thin spaces.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.kind = ""
        self.words: tuple[str, ...] = ()
        self._looked_at = 0  # events read by the search
        self._found: list[int] = []
        self._rows: tuple[int, Integers] = (-1, np.zeros(0, np.int64))  # with the number of known matches

    def search(self, text: str, kind: str = "") -> bool:
        """List other events; False if they are listed already."""
        words = tuple(text.casefold().replace(THIN, "").split())
        if (words, kind) == (self.words, self.kind):
            return False
        self.words, self.kind = words, kind
        self._looked_at, self._found, self._rows = 0, [], (-1, self._rows[1][:0])
        return True

    @property
    def filtered(self) -> bool:
        """Whether a filter is active."""
        return bool(self.words or self.kind)

    @property
    def progress(self) -> float:
        """The part of the record that the search has read; 1 without a search."""
        return 1.0 if not self.words or not len(self.trace) else self._looked_at / len(self.trace)

    @property
    def behind(self) -> int:
        """How many events the search has not read."""
        return len(self.trace) - self._looked_at if self.words else 0

    def update(self, seconds: float | None = None) -> bool:
        """Search what was recorded since the last call, for a limited time; True when finished."""
        if not self.words:
            return True
        until = None if seconds is None else time.perf_counter() + seconds
        length = len(self.trace)
        candidates = self.trace.positions(self.kind) if self.kind else None
        while self._looked_at < length:
            if candidates is None:
                some: Iterable[int] = range(self._looked_at, min(length, self._looked_at + _AT_A_TIME))
                after = min(length, self._looked_at + _AT_A_TIME)
            else:
                first = int(np.searchsorted(candidates, self._looked_at))
                some = candidates[first : first + _AT_A_TIME].tolist()
                last = first + _AT_A_TIME
                after = int(candidates[last]) if last < len(candidates) else length
            self._found += [at for at in some if self._matches(self.trace[at])]
            self._looked_at = after
            if until is not None and time.perf_counter() > until:
                break
        return self._looked_at >= length

    def _matches(self, event: Event) -> bool:
        line = " ".join(self.line(event)).casefold().replace(THIN, "")
        return all(word in line for word in self.words)

    def line(self, event: Event) -> tuple[str, str, str]:
        """Position, kind and text of an event."""
        started = self.trace.started
        place = place_text(event.place, started.algorithm if started else "")
        return place, event.kind, words_of(self.trace, event)

    def rows(self, cursor: int) -> Integers | int:
        """Indices of the listed events before a cursor; without a filter, only their number."""
        if not self.filtered:
            return min(cursor, len(self.trace))
        known = len(self._found) if self.words else len(self.trace)
        if self._rows[0] != known:
            listed = np.array(self._found, np.int64) if self.words else self.trace.positions(self.kind)
            self._rows = known, listed
        rows = self._rows[1]
        return rows[: int(np.searchsorted(rows, cursor, side="left"))]


def words_of(trace: Trace, event: Event) -> str:
    """An event as text; the instance by its family only, because its full name contains d⋆ and ε."""
    words = describe(event, trace.instance, trace.started.algorithm if trace.started else "")
    if isinstance(event, RunStarted) and trace.instance.name:
        words = words.replace(trace.instance.name, discreet_name(trace.instance), 1)
    return words


def event_table(trace: Trace, events: Iterable[int]) -> Table:
    """Some events as a table, counted from 1; numbers in texts have no thin spaces."""
    names = tuple(filter(None, place_names(trace.started.algorithm if trace.started else "")))
    rows = []
    for at in events:
        event = trace[at]
        place = (event.place.ell, event.place.i, event.place.k)[-len(names) :]
        rows.append((at + 1, *place, event.kind, words_of(trace, event).replace(THIN, "")))
    return Table(("event", *names, "kind", "what happened"), rows)


KINDS = tuple(EVENTS)
"""Kinds of events, in the order in which they occur in a run."""
