"""The rounds, subroutines, eliminations and recommendations of a run, in columns that grow with its trace.

Plots over a whole run use these columns at every repaint; each event is read only once. Everything is a function of the
events, and every row records the event at which it became true, so that the columns also describe any earlier cursor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats, Integers
from gems_engine.events import (
    Allocated,
    CandidateKept,
    DesignSolved,
    Eliminated,
    Event,
    IdleRounds,
    Place,
    Pulled,
    Recommended,
    RunFinished,
    SubroutineFinished,
    SubroutineStarted,
    Validated,
)
from gems_engine.rounds import BEGIN_A_ROUND, COLUMNS, as_float, fill_round
from gems_engine.trace import CHUNK, Trace

Booleans = NDArray[np.bool_]

UNITS = ("event", "round", "subroutine", "loop")
"""The units of steps through a run, from the smallest to the largest."""

_LARGEST = 2**63 - 1
_DTYPES: dict[str, Any] = {"Integers": np.int64, "Floats": np.float64, "Booleans": np.bool_}
_DEFAULTS = {name: default for name, (_, default) in COLUMNS.items()}


class _Columns:
    """Columns of equal length, named and typed by the annotations of the class; an attribute is a read-only view.

    A view has the rows that existed when it was taken. Rows of a round or subroutine that was still open may be filled
    in later. Full arrays are doubled.
    """

    def __init__(self) -> None:
        self._length, self._room = 0, 16
        self._columns = {
            name: np.empty(self._room, dtype=_DTYPES[kind]) for name, kind in type(self).__annotations__.items()
        }

    def __len__(self) -> int:
        return self._length

    def __getattr__(self, name: str) -> NDArray[Any]:
        columns: dict[str, NDArray[Any]] = self.__dict__.get("_columns", {})
        if name not in columns:
            raise AttributeError(f"{type(self).__name__} has no column {name!r}")
        view = columns[name][: self._length]
        view.flags.writeable = False
        return view

    def _make_room(self, rows: int) -> None:
        if rows > self._room:
            self._room = max(rows, 2 * self._room)
            for name, column in self._columns.items():
                larger = self._columns[name] = np.empty(self._room, dtype=column.dtype)
                larger[: self._length] = column[: self._length]

    def _add(self, **row: Any) -> None:
        at = self._length
        self._make_room(at + 1)
        self._fill(at, row)
        self._length = at + 1

    def _add_all(self, count: int, **rows: Any) -> None:
        end = self._length + count
        self._make_room(end)
        for name, column in self._columns.items():
            column[self._length : end] = rows[name]
        self._length = end

    def _fill(self, at: int, row: dict[str, Any]) -> None:
        """Write a row; keys without a column are ignored."""
        for name, column in self._columns.items():
            try:
                column[at] = row[name]
            except OverflowError:  # counts of idle rounds and their samples may exceed 64 bits
                column[at] = _LARGEST


class Rounds(_Columns):
    """One row per round; idle rounds share one row. See also :data:`gems_engine.rounds.COLUMNS`."""

    event: Integers
    """The first event of the round."""
    chosen: Integers
    """The event at which d_k became known, −1 before."""
    pulled: Integers
    """The event with its rewards, −1 before."""
    decided: Integers
    """The event with its eliminations, or that makes it idle, −1 before."""
    end: Integers
    """The cursor at which the round is over, −1 while it is open."""
    ell: Integers
    i: Integers
    k: Integers
    last_k: Integers
    """The last of idle rounds; k of any other."""
    subroutine: Integers
    """The row of its subroutine, −1 if there is none."""
    d: Integers
    survivors_before: Integers
    survivors_after: Integers
    pulls: Integers
    """N_k."""
    samples: Integers
    """All samples so far, at the end of the round or its latest event."""
    cost: Floats
    value: Floats
    idle: Booleans


class Subroutines(_Columns):
    """One row per subroutine."""

    event: Integers
    """The event that starts it."""
    ell: Integers
    i: Integers
    rounds: Floats
    """n."""
    selection_budget: Floats
    """B, which may be ∞."""
    first_round: Integers
    """The row of its first round, even before that starts."""
    finished: Integers
    """The event that ends it, −1 while it runs."""


class Eliminations(_Columns):
    """One row per eliminated target, in order."""

    event: Integers
    round: Integers
    """The row of the round."""
    target: Integers
    by: Integers
    gap: Floats
    width: Floats


class Candidates(_Columns):
    """One row for each candidate that a subroutine has kept."""

    event: Integers
    target: Integers
    new: Booleans
    """Whether it was not a candidate before."""


class Recommendations(_Columns):
    """One row for each recommendation, even if it did not change."""

    event: Integers
    samples: Integers
    target: Integers


class Clock(_Columns):
    """One row for each event that increases the number of samples."""

    event: Integers
    samples: Integers


class _Stops(_Columns):
    """The ends of rounds, subroutines or loops."""

    cursor: Integers


class History:
    """The columns of a trace; call :meth:`update` when the trace has grown.

    Attributes
    ----------
    trace : Trace
    events : int
        The number of events read.
    rounds : Rounds
    subroutines : Subroutines
    eliminations : Eliminations
    candidates : Candidates
    recommendations : Recommendations
    clock : Clock
    """

    def __init__(self, trace: Trace, watch: Callable[[int, int], None] | None = None) -> None:
        self.trace = trace
        self.events = 0
        self.rounds = Rounds()
        self.subroutines = Subroutines()
        self.eliminations = Eliminations()
        self.recommendations = Recommendations()
        self.candidates = Candidates()
        self.clock = Clock()
        self._targets = len(trace.instance.targets)
        self._stops = {unit: _Stops() for unit in UNITS[1:]}
        for stops in self._stops.values():
            stops._add(cursor=0)
        self._begun = 0  # rounds started, written or not
        self._row: dict[str, Any] = {}  # of the newest round, as rounds.py fills it
        self._place: Place | None = None  # of the newest round of this subroutine
        self._open = False  # whether that round is not over
        self._unwritten = False  # whether the row is newer than the columns
        self._survivors = self._targets
        self._samples = self._most = 0
        self._loop: int | None = None
        self.update(watch)

    def update(self, watch: Callable[[int, int], None] | None = None) -> None:
        """Read the events that were recorded since the last call.

        Parameters
        ----------
        watch
            Called with the number of events read and that of all; an exception that it raises ends the reading.
        """
        length = len(self.trace)
        while self.events < length:
            if watch is not None:
                watch(self.events, length)
            for event in self.trace[self.events : min(length, self.events + CHUNK)]:
                self._read(event)
                self.events += 1
        self._write_round()

    # -- questions --------------------------------------------------------------------------------------------

    def stops(self, unit: str) -> Integers:
        """The cursors at which a round, subroutine or loop is over, in order; 0, and the end of a finished run.

        A subroutine is over right before the next one starts, so that its recommendation belongs to it. Every cursor
        is a stop of ``event``: use :meth:`stop_after` and :meth:`stop_before` for that.
        """
        if unit not in self._stops:
            raise ValueError(f"there is no list of stops by {unit!r}")
        return self._stops[unit].cursor

    def stop_after(self, unit: str, cursor: int) -> int | None:
        """The first stop of a unit after the cursor, None if none is known yet."""
        if unit == "event":
            return cursor + 1 if cursor < self.events else None
        stops = self.stops(unit)
        at = int(np.searchsorted(stops, cursor, side="right"))
        return int(stops[at]) if at < len(stops) else None

    def stop_before(self, unit: str, cursor: int) -> int | None:
        """The last stop of a unit before the cursor, None at 0."""
        if unit == "event":
            return cursor - 1 if cursor > 0 else None
        stops = self.stops(unit)
        at = int(np.searchsorted(stops, cursor, side="left"))
        return int(stops[at - 1]) if at else None

    def rounds_before(self, cursor: int) -> int:
        """The number of rounds started before the cursor."""
        return int(np.searchsorted(self.rounds.event, cursor, side="left"))

    def cursor_at(self, samples: int) -> int:
        """The last cursor with at most this number of samples."""
        at = int(np.searchsorted(self.clock.samples, min(samples, _LARGEST), side="right"))
        return int(self.clock.event[at]) if at < len(self.clock) else self.events

    def subroutine_at(self, cursor: int) -> int:
        """The row of the subroutine at the cursor, −1 before the first."""
        return int(np.searchsorted(self.subroutines.event, cursor, side="left")) - 1

    def fates(self, subroutine: int, cursor: int) -> Integers:
        """For each target, the row of the round of this subroutine that eliminated it, −1 if it survives."""
        starts = self.subroutines.event
        begin = int(starts[subroutine]) if subroutine >= 0 else 0
        end = min(cursor, int(starts[subroutine + 1])) if subroutine + 1 < len(starts) else cursor
        first, last = np.searchsorted(self.eliminations.event, (begin, end), side="left")
        rounds = np.full(self._targets, -1, dtype=np.int64)
        rounds[self.eliminations.target[first:last]] = self.eliminations.round[first:last]
        rounds.flags.writeable = False
        return rounds

    # -- reading ----------------------------------------------------------------------------------------------

    def _read(self, event: Event) -> None:
        at, place, kind = self.events, event.place, type(event)
        self._samples = getattr(event, "samples", self._samples)
        if self._samples > self._most:
            self._most = self._samples
            self.clock._add(event=at, samples=self._samples)
        if place.k:
            inside = place == self._place
            if not inside and isinstance(event, BEGIN_A_ROUND):
                self._begin_round(at, place)
                inside = True
            if inside:
                self._in_round(at, event)
        read = _READERS.get(kind)
        if read is not None:
            read(self, at, event)

    def _begin_round(self, at: int, place: Place) -> None:
        self._end_round(at)
        self._write_round()
        where = {"event": at, "ell": place.ell, "i": place.i, "k": place.k}
        left = {"survivors_before": self._survivors, "survivors_after": self._survivors}
        marks = {"chosen": -1, "pulled": -1, "decided": -1, "end": -1, "last_k": place.k}
        self._row = {**_DEFAULTS, **where, **left, **marks, "subroutine": len(self.subroutines) - 1}
        self._place, self._open = place, True
        self._begun += 1

    def _in_round(self, at: int, event: Event) -> None:
        row = self._row
        fill_round(row, event)
        row["samples"] = self._samples
        self._survivors = row["survivors_after"]
        self._unwritten = True
        if row["chosen"] < 0 and isinstance(event, DesignSolved | Allocated | IdleRounds):
            row["chosen"] = at
        if isinstance(event, Pulled):
            row["pulled"] = at
        elif isinstance(event, Eliminated | IdleRounds):
            row["decided"] = at
            self._end_round(at + 1)
        if isinstance(event, IdleRounds):
            row["last_k"] = event.last
        elif isinstance(event, Eliminated) and len(event.targets):
            names = {"target": event.targets, "by": event.by, "gap": event.gaps, "width": event.widths}
            self.eliminations._add_all(len(event.targets), event=at, round=self._begun - 1, **names)

    def _end_round(self, cursor: int) -> None:
        if self._open:
            self._open, self._unwritten = False, True
            self._row["end"] = cursor
            self._stop("round", cursor)

    def _write_round(self) -> None:
        """Write the round once per round and update; once per event would take three times as long."""
        if self._unwritten:
            self._unwritten = False
            if self._begun > len(self.rounds):
                self.rounds._add(**self._row)
            else:
                self.rounds._fill(self._begun - 1, self._row)

    def _stop(self, unit: str, cursor: int) -> None:
        stops = self._stops[unit]
        if stops.cursor[-1] < cursor:
            stops._add(cursor=cursor)

    def _subroutine_started(self, at: int, event: SubroutineStarted) -> None:
        self._end_round(at)
        if len(self.subroutines):
            self._stop("subroutine", at)
        if self._loop not in (None, event.place.ell):
            self._stop("loop", at)
        self._loop = event.place.ell
        self._place, self._survivors = None, self._targets
        self.subroutines._add(
            event=at,
            ell=event.place.ell,
            i=event.place.i,
            rounds=as_float(event.rounds),
            selection_budget=event.selection_budget,
            first_round=self._begun,
            finished=-1,
        )

    def _subroutine_finished(self, at: int, event: SubroutineFinished) -> None:
        self._end_round(at + 1)
        if len(self.subroutines):
            self.subroutines._columns["finished"][len(self.subroutines) - 1] = at

    def _validated(self, at: int, event: Validated) -> None:
        self._stop("round", at + 1)

    def _kept(self, at: int, event: CandidateKept) -> None:
        self.candidates._add(event=at, target=event.target, new=event.new)

    def _recommended(self, at: int, event: Recommended) -> None:
        started = self.trace.started
        if started is None or not event.holds(started.algorithm):
            return
        self.recommendations._add(event=at, samples=event.samples, target=event.target)

    def _run_finished(self, at: int, event: RunFinished) -> None:
        self._end_round(at + 1)
        for unit in self._stops:
            self._stop(unit, at + 1)


_READERS: dict[type[Event], Callable[[History, int, Any], None]] = {
    SubroutineStarted: History._subroutine_started,
    SubroutineFinished: History._subroutine_finished,
    Validated: History._validated,
    CandidateKept: History._kept,
    Recommended: History._recommended,
    RunFinished: History._run_finished,
}
