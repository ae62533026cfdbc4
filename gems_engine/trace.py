"""The recorded stream of a run: append-only, indexed, and with the state at any cursor."""

from __future__ import annotations

import threading
import warnings
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from gems_engine.advance import advanced
from gems_engine.arrays import Integers, frozen
from gems_engine.errors import InputError, quoted
from gems_engine.events import (
    EVENTS,
    OUTSIDE,
    Event,
    IdleRounds,
    Place,
    Pulled,
    RunFinished,
    RunStarted,
    SubroutineStarted,
)
from gems_engine.formats import journal
from gems_engine.formats.chunk import MOST_NUMBERS, numbers_in
from gems_engine.formats.event_rules import Sizes
from gems_engine.formats.tables import NUMBERS, Batch
from gems_engine.instance import Instance
from gems_engine.observations import Pending
from gems_engine.parameters import Value, shown
from gems_engine.rounds import BEGIN_A_ROUND, RoundTable, round_table, rounds_of
from gems_engine.state import State, fold, initial_state

if TYPE_CHECKING:
    import pandas

    from gems_engine.notebook import Picture
    from gems_engine.talk.story import Story

__all__ = ["Trace"]

CHUNK = 512
"""The largest number of events between two checkpoints, which are compressed together."""
_DECODED = 8  # decoded chunks in memory: enough for views that play, scrub and list at the same time
_STRIDE = 16  # events between two remembered states in the chunk under the cursor
_LOOP = np.array([[1], [0], [0]])  # what is kept of the position of a loop
_LEVEL = 1  # of zlib, for chunks in memory: level 6 takes three times as long and saves a tenth


class Trace:
    """An append-only record of events, small in memory, with an index and the state at any cursor.

    Whole chunks of events are stored as the compressed bytes of a file, and decoded on demand. One thread may append
    while another reads.

    Parameters
    ----------
    instance : Instance
        The instance of the run; the first event must have its digest.

    Attributes
    ----------
    notes : list of str
        Sentences about the record itself, for example that the incomplete end of a file was dropped.
    started : RunStarted or None
    finished : RunFinished or None
    story : Story or None
        The story told with the run; it is saved in the same file, but is not part of the record.
    pending : Pending or None
        What a session has observed of its last request; saved in the same file, too.

    Examples
    --------
    >>> from gems_engine import instances, run
    >>> trace = run(instances.make("soare"), "rage", seed=1).finish()
    >>> [len(event.targets) for event in trace if event.kind == "eliminated"]
    [4, 0, 0, 0, 0, 0, 1]
    >>> trace.state_at(len(trace)).samples == trace.finished.samples
    True
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.notes: list[str] = []
        self.started: RunStarted | None = None
        self.finished: RunFinished | None = None
        self.story: Story | None = None
        self.pending: Pending | None = None
        self._sizes = Sizes.of(instance)
        self._lock = threading.RLock()  # the engine's thread appends while the window's reads
        self._chunks: list[bytes] = []
        self._starts = array("q", [0])  # where each chunk begins, and last the tail
        self._tail: list[Event] = []
        self._tail_numbers = 0
        self._decoded: OrderedDict[int, list[Event]] = OrderedDict()
        self._checkpoints = [initial_state(instance)]  # at the starts
        self._near = self._checkpoints[:1]  # every sixteenth state of one chunk, from its start
        self._near_chunk = 0
        self._last = self._near[0]
        self._end = self._near[0]  # the state after all events
        self._kinds = bytearray()
        self._rounds = _Places()
        self._begun: Place | None = None  # the newest round of this subroutine
        self._subroutines = _Places()
        self._loops = _Places()
        self._table: tuple[int, RoundTable] | None = None  # of this many events

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or pickle has its own events; it does not change with this trace."""
        records = tuple(record for record, _ in self.records_from(0))
        return _restored, (self.instance, records, list(self.notes), self.story, self.pending)

    # -- record -----------------------------------------------------------------------------------------------

    def append(self, event: Event) -> None:
        """Record one more event.

        Raises
        ------
        InputError
            If it cannot follow: a record starts with ``RunStarted`` of this instance and ends with ``RunFinished``,
            and each event must fit those before it, see :func:`gems_engine.state.fold`.
        """
        with self._lock:
            self._admit(event)
            self._tail.append(event)
            self._tail_numbers += numbers_in(event)
            if len(self._tail) >= CHUNK or self._tail_numbers >= MOST_NUMBERS:
                self._seal(journal.record(self._tail, self._sizes, _LEVEL, self._starts[-1]))

    def extend(self, events: Iterable[Event]) -> None:
        """Record several."""
        for event in events:
            self.append(event)

    def extend_with_record(self, record: bytes, batch: Batch) -> None:
        """Record the events of a file's chunk, and reuse its bytes if they form a chunk here too."""
        with self._lock:
            if self._tail or not CHUNK // 2 <= len(batch) <= CHUNK:
                self.extend(batch.events())
                return
            end = advanced(self._end, batch)
            if end is not None:
                self._index_batch(batch)
                self._end = end
            else:
                for event in batch.events():
                    self._admit(event)
                    self._tail.append(event)
            self._seal(record)

    def _admit(self, event: Event) -> None:
        kind = type(event)
        number = NUMBERS.get(kind)
        if number is None:
            raise TypeError(f"{kind.__name__} is not an event of the vocabulary")
        if self.finished is not None:
            raise InputError(f"Event {len(self) + 1} comes after the end of the run.")
        if isinstance(event, RunStarted):
            if self.started is not None:
                raise InputError(f"Event {len(self) + 1} starts the run again.")
            if event.instance != self.instance.digest:
                raise InputError("The run was made on another instance: the digests differ.")
            if event.rewards != OUTSIDE and not self.instance.has_rewards:
                raise InputError("The rewards of the run were simulated, but its instance has no mean rewards.")
        elif self.started is None:
            raise InputError(f"The first event is {quoted(event.kind)}: it must be {quoted(RunStarted.kind)}.")
        self._end = fold(self._end, event)
        if kind is RunStarted:
            self.started = self._end.started
        elif kind is RunFinished:
            self.finished = self._end.finished
        elif kind is Pulled:
            self.pending = None
        self._index(kind, event.place)
        self._kinds.append(number)

    def _index(self, kind: type[Event], place: Place) -> None:
        at = len(self._kinds)
        if kind is SubroutineStarted:
            self._subroutines.add(at, place)
            self._begun = None
            if not len(self._loops) or self._loops.last[0] != place.ell:
                self._loops.add(at, Place(place.ell))
        elif place.k and kind in BEGIN_A_ROUND and place != self._begun:
            self._rounds.add(at, place)
            self._begun = place

    def _index_batch(self, batch: Batch) -> None:
        """Do for a whole batch what :meth:`_index` does for one event."""
        at = len(self._kinds)
        begins, _, self._begun = rounds_of(batch, self._begun)
        self._rounds.extend(at + np.flatnonzero(begins), batch.places[:, begins])
        calls = batch.table(SubroutineStarted).at
        places = batch.places[:, calls]
        self._subroutines.extend(at + calls, places)
        loops = np.append(self._loops.last[0] if len(self._loops) else -1, places[0])
        new = loops[1:] != loops[:-1]
        self._loops.extend(at + calls[new], places[:, new] * _LOOP)
        self._kinds += batch.kinds.tobytes()

    def _seal(self, record: bytes) -> None:
        start = len(self._chunks)
        self._chunks.append(record)
        self._starts.append(self._end.cursor)
        self._checkpoints.append(self._end)
        if self._tail:
            self._remember(start, self._tail)
        self._tail = []
        self._tail_numbers = 0

    # -- events -----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._kinds)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        with self._lock:
            if isinstance(index, slice):
                start, stop, step = index.indices(len(self))
                return self._between(start, stop) if step == 1 else [self[i] for i in range(start, stop, step)]
            at = index + len(self) if index < 0 else index
            if not 0 <= at < len(self):
                raise IndexError(f"event {index} of {len(self)}")
            chunk = bisect_right(self._starts, at) - 1
            return self._events(chunk)[at - self._starts[chunk]]

    def _between(self, start: int, stop: int) -> list[Event]:
        events: list[Event] = []
        while start < stop:
            chunk = bisect_right(self._starts, start) - 1
            begin = self._starts[chunk]
            events += self._events(chunk)[start - begin : stop - begin]
            start = begin + len(self._events(chunk))
        return events

    def __iter__(self) -> Iterator[Event]:
        at = 0
        while at < len(self):  # checked each time, because it may grow
            with self._lock:
                chunk = bisect_right(self._starts, at) - 1
                events = self._events(chunk)[at - self._starts[chunk] :]
            yield from events
            at += len(events)

    def _events(self, chunk: int) -> list[Event]:
        if chunk == len(self._chunks):
            return self._tail
        if chunk in self._decoded:
            self._decoded.move_to_end(chunk)
            return self._decoded[chunk]
        events = journal.batch_of(self._chunks[chunk], self._sizes).events()
        self._remember(chunk, events)
        return events

    def _remember(self, chunk: int, events: list[Event]) -> None:
        self._decoded[chunk] = events
        while len(self._decoded) > _DECODED:
            self._decoded.popitem(last=False)

    def batches(self, start: int, stop: int) -> Iterator[Batch]:
        """The events from ``start`` to ``stop`` as columns, at most a chunk at a time."""
        while start < stop:
            with self._lock:
                chunk = bisect_right(self._starts, start) - 1
                begin = self._starts[chunk]
                whole = chunk < len(self._chunks) and start == begin and self._starts[chunk + 1] <= stop
                part = self._chunks[chunk] if whole else self._events(chunk)[start - begin : stop - begin]
            yield journal.batch_of(part, self._sizes) if isinstance(part, bytes) else Batch.of(part)
            start = self._starts[chunk + 1] if whole else start + len(part)

    def records_from(self, start: int) -> list[tuple[bytes, int]]:
        """The events from ``start`` on as records of a journal, each with its number of events."""
        parts: list[bytes | list[Event]] = []
        counts = []
        with self._lock:
            for chunk in range(bisect_right(self._starts, start) - 1, len(self._chunks)):
                begin, end = self._starts[chunk], self._starts[chunk + 1]
                parts.append(self._chunks[chunk] if start <= begin else self._events(chunk)[start - begin :])
                counts.append(end - max(start, begin))
            tail = self._tail[max(0, start - self._starts[-1]) :]
            if tail:
                parts.append(tail)
                counts.append(len(tail))
        # Packing happens outside the lock, so that other threads can read and append.
        packed = (part if isinstance(part, bytes) else journal.record(part, self._sizes, _LEVEL) for part in parts)
        return list(zip(packed, counts, strict=True))

    # -- index ------------------------------------------------------------------------------------------------

    @property
    def round_starts(self) -> Integers:
        """The first event of every round, in order; idle rounds count as one, at their event."""
        return self._rounds.positions()

    @property
    def subroutine_starts(self) -> Integers:
        """The event that starts each subroutine."""
        return self._subroutines.positions()

    @property
    def loop_starts(self) -> Integers:
        """The first event of every ℓ: the start of its first subroutine."""
        return self._loops.positions()

    def positions(self, kind: type[Event] | str) -> Integers:
        """All events of one kind."""
        kind = EVENTS[kind] if isinstance(kind, str) else kind
        with self._lock:
            return frozen(np.flatnonzero(np.frombuffer(bytes(self._kinds), np.uint8) == NUMBERS[kind]), np.int64)

    def find(self, ell: int | None = None, i: int | None = None, k: int | None = None) -> int | None:
        """The event that starts a round if k is given, else a subroutine if i is, else a loop; None if there is none.

        Counters that are not given may have any value. A round among idle ones is found at their event.
        """
        with self._lock:
            index = self._rounds if k is not None else self._subroutines if i is not None else self._loops
            found = index.find(ell, i, k)
            if found is None and k is not None:
                for at in map(int, self.positions(IdleRounds)):
                    idle = self[at]
                    assert isinstance(idle, IdleRounds)
                    here = ell in (None, idle.place.ell) and i in (None, idle.place.i)
                    if here and idle.first <= k <= idle.last:
                        return at
            return found

    # -- notebooks --------------------------------------------------------------------------------------------

    @property
    def rounds(self) -> RoundTable:
        """The rounds as columns: ``trace.rounds["d"]``, with missing values where a round did not reach them."""
        with self._lock:
            if self._table is None or self._table[0] != len(self):
                self._table = len(self), round_table(self, len(self.instance.targets))
            return self._table[1]

    @property
    def subroutines(self) -> Integers:
        """The former name of ``subroutine_starts``."""
        warnings.warn("Trace.subroutines is now Trace.subroutine_starts.", DeprecationWarning, stacklevel=2)
        return self.subroutine_starts

    @property
    def loops(self) -> Integers:
        """The former name of ``loop_starts``."""
        warnings.warn("Trace.loops is now Trace.loop_starts.", DeprecationWarning, stacklevel=2)
        return self.loop_starts

    def columns(self) -> dict[str, NDArray[Any]]:
        """The former name of ``rounds.columns``."""
        warnings.warn("Trace.columns() is now Trace.rounds.columns.", DeprecationWarning, stacklevel=2)
        return self.rounds.columns

    def to_dataframe(self, rows: Literal["rounds", "events"] = "rounds") -> pandas.DataFrame:
        """The run as a pandas DataFrame.

        Parameters
        ----------
        rows
            A row for each round, with the columns of :data:`gems_engine.rounds.COLUMNS`, or for each event, with its
            position, its kind, the samples so far and what it says.

        Raises
        ------
        InputError
            If pandas is not installed.

        Examples
        --------
        >>> from gems_engine import instances, run
        >>> trace = run(instances.make("paper-hard", epsilon=0.1), seed=1, max_samples=10_000).finish()
        >>> trace.to_dataframe()[["ell", "i", "k", "d", "pulls"]].tail(2)
            ell  i  k     d  pulls
        31    6  6  1  <NA>   <NA>
        32    7  1  1     7   <NA>
        """
        if rows == "rounds":
            return self.rounds.to_dataframe()
        if rows != "events":
            raise InputError(f'rows = {shown(rows)} is not allowed: choose "rounds" or "events".')
        from gems_engine.notebook import event_columns

        return event_columns(self).to_dataframe()

    def plot(
        self,
        view: str = "board",
        at: int | str | None = None,
        *,
        size: tuple[int, int] = (800, 500),
        theme: Literal["light", "dark"] = "light",
        style: Literal["window", "paper"] = "window",
        text: float = 1.0,
        truth: bool = True,
        **options: Value,
    ) -> Picture:
        """A view of the run as SVG, painted as in the window: shown in a notebook, ``.save(path)`` writes a file.

        It is painted by another process, so Qt does not run in this one.

        Parameters
        ----------
        view
            A view, or several as in "why,gaps"; ``gems render --list`` lists them.
        at
            The cursor: a number of events, or a position as in "l=5,i=1,k=3"; by default the end.
        size, theme, style, text
            As for ``gems render``; the size is in pixels.
        truth
            Whether d⋆, the best arm and what reveals them are shown.
        options
            Options of the view, for example ``order="index"`` for survivors.

        Raises
        ------
        InputError
            For unknown views and options, or if the window is not installed.

        Examples
        --------
        >>> from gems_engine import instances, run
        >>> trace = run(instances.make("paper-hard", epsilon=0.1), seed=1, max_samples=10_000).finish()
        >>> trace.plot("survivors", order="index").save("survivors.svg")  # doctest: +SKIP
        """
        from gems_engine.notebook import plotted

        return plotted(self, view, at, size=size, theme=theme, style=style, text=text, truth=truth, options=options)

    def __repr__(self) -> str:
        from gems_engine.notebook import trace_text

        return f"<Trace {trace_text(self)}>"

    def _repr_html_(self) -> str:
        from gems_engine.notebook import trace_html

        return trace_html(self)

    # -- state ------------------------------------------------------------------------------------------------

    def state_at(self, cursor: int) -> State:
        """The state after the first ``cursor`` events, 0 … len.

        Folds at most one chunk of events for a seek, one for a step forward and less than ``_STRIDE`` for a step back
        within a chunk that was stepped through.
        """
        if not 0 <= cursor <= len(self):
            raise IndexError(f"cursor {cursor} is outside 0 … {len(self)}")
        with self._lock:
            chunk = bisect_right(self._starts, cursor) - 1
            start = self._starts[chunk]
            if chunk != self._near_chunk:
                self._near_chunk, self._near = chunk, [self._checkpoints[chunk]]
            state = self._near[min((cursor - start) // _STRIDE, len(self._near) - 1)]
            for known in (self._last, self._end):
                if state.cursor < known.cursor <= cursor:
                    state = known
            if state.cursor < cursor:
                for event in self._events(chunk)[state.cursor - start : cursor - start]:
                    state = fold(state, event)
                    if state.cursor - start == _STRIDE * len(self._near):
                        self._near.append(state)
            self._last = state
            return state


def _restored(
    instance: Instance, records: tuple[bytes, ...], notes: list[str], story: Story | None, pending: Pending | None
) -> Trace:
    """The trace with these records of a journal."""
    trace = Trace(instance)
    sizes = Sizes.of(instance)
    for record in records:
        trace.extend_with_record(record, journal.batch_of(record, sizes))
    trace.notes, trace.story, trace.pending = notes, story, pending
    return trace


class _Places:
    """Events with their positions (ℓ, i, k), in order."""

    def __init__(self) -> None:
        self.at = array("q")
        self._places = array("q")

    def __len__(self) -> int:
        return len(self.at)

    @property
    def last(self) -> tuple[int, int, int]:
        ell, i, k = self._places[-3:]
        return ell, i, k

    def add(self, at: int, place: Place) -> None:
        self._places.extend((place.ell, place.i, place.k))
        self.at.append(at)

    def extend(self, at: Integers, places: Integers) -> None:
        self._places.frombytes(places.T.tobytes())
        self.at.frombytes(at.tobytes())

    def positions(self) -> Integers:
        return frozen(self.at, np.int64)

    def find(self, *wanted: int | None) -> int | None:
        places = np.array(self._places, dtype=np.int64).reshape(-1, 3)
        match = np.ones(len(places), dtype=bool)
        for column, value in enumerate(wanted):
            if value is not None:
                match &= places[:, column] == value
        return self.at[int(np.argmax(match))] if match.any() else None
