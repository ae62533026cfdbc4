"""The rounds, subroutines, eliminations and recommendations of a run, in columns that grow with its trace.

Plots over a whole run use these columns at every repaint; each event is read only once. Everything is a function of the
events, and every row records the event at which it became true, so that the columns also describe any earlier cursor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats, Integers
from gems_engine.events import (
    Allocated,
    BecameVerifiable,
    CandidateKept,
    DesignSolved,
    Eliminated,
    Estimated,
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
from gems_engine.forcing import forced_budgets
from gems_engine.formats.tables import INT64, Batch, Table, whole
from gems_engine.rounds import as_float, rounds_of
from gems_engine.trace import Trace

Booleans = NDArray[np.bool_]

UNITS = ("event", "round", "subroutine", "loop")
"""The units of steps through a run, from the smallest to the largest."""

LATE = 3
"""Loops after the first verifiable recommendation from which on a run is only repeated with larger budgets."""

_DTYPES: dict[str, Any] = {"Integers": np.int64, "Floats": np.float64, "Booleans": np.bool_}
_NOTHING_YET: dict[str, Any] = {
    **dict.fromkeys(("d", "pulls", "samples"), 0),
    **dict.fromkeys(("cost", "value"), np.nan),
    "idle": False,
    **dict.fromkeys(("chosen", "pulled", "decided", "end"), -1),
}


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

    def _add(self, count: int, **rows: Any) -> None:
        if not count:
            return
        end = self._length + count
        self._make_room(end)
        for name, column in self._columns.items():
            column[self._length : end] = rows[name]
        self._length = end

    def _set(self, name: str, rows: Integers, values: Any) -> None:
        """Set a column in rows; in a row that occurs several times, the last value remains."""
        self._columns[name][rows] = values

    def _set_first(self, name: str, rows: Integers, values: Integers) -> None:
        """Set a column in rows where it is −1; in a row that occurs several times, to the first value."""
        column = self._columns[name]
        unset = column[rows] < 0
        column[rows[unset][::-1]] = values[unset][::-1]


class Rounds(_Columns):
    """One row per round; idle rounds share one row. See also :class:`gems_engine.rounds.RoundTable`."""

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
    verifiable : tuple of int, or None
        The event and the loop of the first verifiable recommendation.
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
        self.verifiable: tuple[int, int] | None = None
        self._targets = len(trace.instance.targets)
        self._stops = {unit: _Stops() for unit in UNITS[1:]}
        for stops in self._stops.values():
            stops._add(1, cursor=0)
        self._place: Place | None = None  # of the newest round of this subroutine
        self._survivors = self._targets
        self._samples = 0
        self.update(watch)

    def update(self, watch: Callable[[int, int], None] | None = None, most: int | None = None) -> None:
        """Read the events that were recorded since the last call.

        Parameters
        ----------
        watch
            Called with the number of events read and that of all; an exception that it raises ends the reading.
        most
            The largest number of events to read; by default all.
        """
        length = len(self.trace) if most is None else min(len(self.trace), self.events + most)
        for batch in self.trace.batches(self.events, length):
            if watch is not None:
                watch(self.events, length)
            self._read(batch)
            self.events += len(batch)

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
        at = int(np.searchsorted(self.clock.samples, min(samples, INT64), side="right"))
        return int(self.clock.event[at]) if at < len(self.clock) else self.events

    def samples_at(self, cursor: int) -> int:
        """The number of samples at a cursor."""
        rows = int(np.searchsorted(self.clock.event, cursor, side="left"))
        return int(self.clock.samples[rows - 1]) if rows else 0

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

    def round_budgets(self, rows: Integers, cursor: int) -> Floats:
        """B that each round chose its dimension by, or would choose it by at the cursor; ∞ outside subroutines."""
        chosen, end = self.rounds.chosen[rows], self.rounds.end[rows]
        chose = (chosen >= 0) & (chosen < cursor)
        looked = np.where(chose, chosen + 1, np.where(end < 0, cursor, np.minimum(end, cursor)))
        return self._budgets(self.rounds.subroutine[rows], looked)

    def call_budgets(self, count: int, cursor: int) -> Floats:
        """B of the first subroutines, as it was at their ends or is at the cursor."""
        finished = self.subroutines.finished[:count]
        return self._budgets(np.arange(count), np.where(finished < 0, cursor, np.minimum(finished, cursor)))

    def _budgets(self, calls: Integers, cursors: Integers) -> Floats:
        """B of subroutines by row, each at a cursor in it."""
        budgets: Floats = np.append(self.subroutines.selection_budget, np.inf)[calls]
        started, D = self.trace.started, self.trace.instance.D
        if started is None or not started.forced:
            return budgets
        begun = np.append(self.subroutines.event, self.events)[calls]
        for at, B in forced_budgets(started.forced, D):
            budgets[(begun < at) & (at < cursors)] = B
        return budgets

    # -- reading ----------------------------------------------------------------------------------------------

    def _read(self, batch: Batch) -> None:
        begins, inside, self._place = rounds_of(batch, self._place)
        rows = len(self.rounds) - 1 + begins.cumsum()  # of the newest round at each event
        samples, survivors = self._read_samples(batch), self._read_survivors(batch, inside)
        self._add_rounds(batch, np.flatnonzero(begins), survivors)
        self._read_subroutines(batch, rows)
        self.rounds._set("samples", rows[inside], samples[inside])
        steps = {kind: _Steps(batch.table(kind), inside, rows, self.events) for kind in _OF_ROUNDS}
        self._read_rounds(steps)
        self._read_eliminations(steps[Eliminated])
        self._end_rounds(batch, begins, rows, steps)
        self._read_candidates(batch)
        self._read_verifiable(batch)

    def _read_samples(self, batch: Batch) -> Integers:
        """All samples so far, after each event."""
        samples = np.maximum.accumulate(np.append(self._samples, batch.samples))
        grew = np.flatnonzero(samples[1:] > samples[:-1])
        self.clock._add(len(grew), event=self.events + grew, samples=samples[grew + 1])
        self._samples = int(samples[-1])
        return samples[1:]

    def _read_survivors(self, batch: Batch, inside: Booleans) -> Integers:
        """The number of surviving targets before each event."""
        known = np.full(len(batch) + 1, -1)
        known[0] = self._survivors
        known[batch.table(SubroutineStarted).at + 1] = self._targets
        eliminated = batch.table(Eliminated)
        some = inside[eliminated.at]
        known[eliminated.at[some] + 1] = eliminated.whole("left")[some]
        latest = np.maximum.accumulate(np.where(known >= 0, np.arange(len(known)), 0))
        self._survivors = int(known[latest[-1]])
        return known[latest[:-1]]

    def _add_rounds(self, batch: Batch, begins: Integers, survivors: Integers) -> None:
        ell, i, k = batch.places[:, begins]
        started = np.searchsorted(batch.table(SubroutineStarted).at, begins)
        self.rounds._add(
            len(begins),
            **_NOTHING_YET,
            event=self.events + begins,
            ell=ell,
            i=i,
            k=k,
            last_k=k,
            subroutine=len(self.subroutines) - 1 + started,
            survivors_before=survivors[begins],
            survivors_after=survivors[begins],
        )

    def _read_subroutines(self, batch: Batch, rows: Integers) -> None:
        started, finished = batch.table(SubroutineStarted), batch.table(SubroutineFinished)
        of = len(self.subroutines) - 1 + np.searchsorted(started.at, finished.at)
        at, loops = self.events + started.at, started.whole("ell")
        before = np.append(self.subroutines.ell[-1:], loops)
        later = at[len(at) + 1 - len(before) :] if len(before) else at  # not the first of the run
        self._stop("subroutine", later)
        self._stop("loop", later[before[1:] != before[:-1]])
        self.subroutines._add(
            len(at),
            event=at,
            ell=loops,
            i=started.whole("i"),
            rounds=[as_float(each) for each in started.values["rounds"]],
            selection_budget=started.values["selection_budget"],
            first_round=rows[started.at] + 1,
            finished=-1,
        )
        self.subroutines._set("finished", of[of >= 0], self.events + finished.at[of >= 0])

    def _read_rounds(self, steps: dict[type[Event], _Steps]) -> None:
        """Write what the steps of rounds say into the rows of these."""
        rounds = self.rounds
        solved, allocated, pulled, estimated, eliminated, idle = (steps[kind] for kind in _OF_ROUNDS)
        rounds._set("value", solved.rows, solved.of("value"))
        rounds._set("cost", solved.rows, solved.of("cost"))
        rounds._set("pulled", pulled.rows, pulled.events)
        rounds._set("survivors_after", eliminated.rows, eliminated.of("left"))
        rounds._set("idle", idle.rows, True)
        rounds._set("last_k", idle.rows, idle.of("last"))
        pulls = allocated.chosen(allocated.table.sums("counts"))
        rounds._set("pulls", *_in_order((allocated, pulls), (idle, idle.of("drawn"))))
        theta = estimated.chosen(estimated.table.sizes("theta"))
        choices = solved, allocated, idle
        rounds._set("d", *_in_order(*((each, each.of("d")) for each in choices), (estimated, theta)))
        rounds._set_first("chosen", *_in_order(*((each, each.events) for each in choices)))
        rounds._set("decided", *_in_order(*((each, each.events) for each in (eliminated, idle))))

    def _read_eliminations(self, eliminated: _Steps) -> None:
        sizes = eliminated.table.sizes("targets")
        entries = np.repeat(eliminated.inside, sizes)
        sizes = eliminated.chosen(sizes)
        names = {"target": "targets", "by": "by", "gap": "gaps", "width": "widths"}
        self.eliminations._add(
            int(sizes.sum()),
            event=np.repeat(eliminated.events, sizes),
            round=np.repeat(eliminated.rows, sizes),
            **{column: eliminated.table.values[name][entries] for column, name in names.items()},
        )

    def _end_rounds(self, batch: Batch, begins: Booleans, rows: Integers, steps: dict[type[Event], _Steps]) -> None:
        """Write where rounds are over: with their last step, or where the next round or the subroutine is."""
        next_rounds, calls = np.flatnonzero(begins), batch.table(SubroutineStarted).at
        ends = np.concatenate((batch.table(SubroutineFinished).at, batch.table(RunFinished).at))
        over = [(steps[kind].rows, steps[kind].events + 1) for kind in (Eliminated, IdleRounds)]
        over += [(rows[next_rounds] - 1, self.events + next_rounds), (rows[calls], self.events + calls)]
        over.append((rows[ends], self.events + ends + 1))
        which, cursors = (np.concatenate(each) for each in zip(*over, strict=True))
        fresh = which >= 0
        fresh[fresh] = self.rounds.end[which[fresh]] < 0
        order = np.argsort(cursors[fresh], kind="stable")
        which, cursors = which[fresh][order], cursors[fresh][order]
        self.rounds._set_first("end", which, cursors)
        finished, validated = self.events + batch.table(RunFinished).at + 1, self.events + batch.table(Validated).at + 1
        self._stop("round", np.concatenate((self.rounds.end[which], validated, finished)))
        self._stop("subroutine", finished)
        self._stop("loop", finished)

    def _stop(self, unit: str, cursors: Integers) -> None:
        stops = self._stops[unit]
        new = np.unique(cursors[cursors > stops.cursor[-1]]) if len(cursors) else cursors
        stops._add(len(new), cursor=new)

    def _read_verifiable(self, batch: Batch) -> None:
        found = batch.table(BecameVerifiable).at
        if self.verifiable is None and len(found):
            self.verifiable = self.events + int(found[0]), int(batch.places[0, found[0]])

    def _read_candidates(self, batch: Batch) -> None:
        kept, recommended, started = batch.table(CandidateKept), batch.table(Recommended), self.trace.started
        columns = {"target": kept.whole("target"), "new": kept.values["new"]}
        self.candidates._add(len(kept), event=self.events + kept.at, **columns)
        algorithm = "" if started is None else started.algorithm
        held = [isinstance(event, Recommended) and event.holds(algorithm) for event in recommended.events()]
        holds = np.array(held, dtype=bool)
        columns = {name: recommended.whole(name)[holds] for name in ("samples", "target")}
        self.recommendations._add(int(holds.sum()), event=self.events + recommended.at[holds], **columns)


_OF_ROUNDS: tuple[type[Event], ...] = (DesignSolved, Allocated, Pulled, Estimated, Eliminated, IdleRounds)


def histories(trace: Trace, watch: Callable[[int, int], None] | None = None) -> tuple[History, ...]:
    """The history of a run, and those of the other runs of its story.

    Parameters
    ----------
    watch
        Called with the number of events read and that of all; an exception that it raises ends the reading.
    """
    runs = [trace, *(each.trace for each in trace.story.companions)] if trace.story is not None else [trace]
    read, total = 0, sum(map(len, runs))
    found = []
    for run in runs:
        found.append(History(run, None if watch is None else partial(_watch_part, watch, read, total)))
        read += len(run)
    return tuple(found)


def _watch_part(watch: Callable[[int, int], None], before: int, total: int, read: int, _length: int) -> None:
    watch(before + read, total)


class _Steps:
    """The events of one kind in a batch that are in rounds.

    Attributes
    ----------
    table : Table
        All events of the kind.
    inside : array of bool
        Which of them are in rounds.
    events, rows : arrays of int
        The index of each in the run, and the row of its round.
    """

    def __init__(self, table: Table, inside: Booleans, rows: Integers, first: int) -> None:
        self.table = table
        self.inside = inside[table.at]
        at = table.at[self.inside]
        self.events = first + at
        self.rows = rows[at]

    def chosen(self, column: NDArray[Any]) -> NDArray[Any]:
        """The values of these events in a column of all events of the kind."""
        return column[self.inside]

    def of(self, name: str) -> NDArray[Any]:
        """A field of these events."""
        column = self.table.values[name]
        return self.chosen(column if isinstance(column, np.ndarray) else whole(column))


def _in_order(*parts: tuple[_Steps, NDArray[Any]]) -> tuple[Integers, NDArray[Any]]:
    """The rows and the values of steps of several kinds, in the order of their events."""
    order = np.argsort(np.concatenate([steps.events for steps, _ in parts]))
    return np.concatenate([steps.rows for steps, _ in parts])[order], np.concatenate([each for _, each in parts])[order]
