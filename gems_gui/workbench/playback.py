"""The model of the transport: the cursor in a trace, and the credit of the engine; independent of Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError
from gems_engine.history import LATE, History
from gems_engine.history import UNITS as UNITS
from gems_engine.state import State
from gems_engine.terminal import number, plural
from gems_engine.trace import Trace
from gems_engine.wording import place_names

if TYPE_CHECKING:
    from gems_engine.conditions import Condition
    from gems_engine.until import Search
    from gems_gui.workbench.race_clock import RaceClock

SPEEDS: tuple[float, ...] = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, math.inf)
"""Rounds per second, or decades of samples per second in a race, from slow motion to full speed."""

MOST_READ = 2048
"""The largest number of events read at a time, in about 30 ms."""
_SEARCH = 0.006  # seconds of one search for a condition
_SEVERAL = 1000  # look-ahead from which the engine need not know where to halt
_EVENTS_OF_A_ROUND = 8  # estimate until the first round is complete


@dataclass(frozen=True)
class Credit:
    """What the engine may compute. It is absolute: granting the same credit again changes nothing.

    Attributes
    ----------
    limit
        Number of events to compute up to; None: to the end of the run.
    unit
        With ``round``, ``subroutine`` or ``loop`` it halts at the first end of such a unit, even before the limit:
        a round ends after its last event, a subroutine or loop right before the next one starts. What comes before
        the first subroutine belongs to it. ``event`` halts at the limit alone.
    after
        Only ends of a unit after this number of events count, so that a halt does not block the next step.
    until
        A condition, and what it read in the first ``after`` events: the engine halts at the first later event
        that meets it, or at once if it is already beyond that.
    late
        Whether it may compute loops long after the first verifiable recommendation; see
        :data:`gems_engine.history.LATE`.
    """

    limit: int | None
    unit: str = "event"
    after: int = 0
    until: tuple[Condition, Any] | None = None
    late: bool = True


class Playback:
    """A cursor that plays, steps and follows through a trace, and the credit of the engine that writes it.

    Playing, stepping and seeking are about what is shown and never touch the engine, except that the engine may not
    run further ahead of the cursor than ``look_ahead`` events, and a step beyond the recorded events requests more.

    It behaves like a media player: a step pauses. A seek continues playing from there, but no longer follows the
    newest event. Playing at the end of a run starts it again. Steps that have not arrived do not accumulate.

    Another thread may append to the trace at any time; the model uses what there was when :meth:`catch_up` was called
    last (commands call it themselves), so that nothing changes while it is read. If there was more than can be read at
    a time, the model is behind, and :meth:`catch_up` must be called again.

    Parameters
    ----------
    trace
        A run, recorded or being recorded.
    look_ahead
        How many events the engine may be ahead of the cursor; with 0 it computes only what is requested.
    history
        The history of the trace, if it was read before.
    late
        Whether the engine may compute loops long after the first verifiable recommendation without being asked to run
        to the end.

    Attributes
    ----------
    cursor : int
        How many events are shown.
    playing : bool
        Whether the cursor moves by itself, also when it is live.
    live : bool
        Whether it follows the newest event.
    speed : float
        Rounds per second; ∞ jumps to the newest event.
    held : bool
        Whether the engine is paused and computes only what steps request.
    to_the_end : bool
        Whether the engine does not wait for the cursor.
    pending : Credit or None
        A step that has not arrived: what it needs from the engine.
    search : Search or None
        The search of "run until", forward or back, while it is in progress.
    behind : bool
        Whether there are more events than :meth:`catch_up` has read.
    missed : str
        A sentence that a search has found nothing in the whole run, until it is taken.
    clock : RaceClock or None
        The clock that it shares with the other runs of a race: it plays in samples, and each run is at its last event
        with no more samples than that.
    """

    def __init__(
        self, trace: Trace, look_ahead: int = 20_000, history: History | None = None, *, late: bool = True
    ) -> None:
        self.trace = trace
        self.late = late
        self.history = history or History(trace)
        self.history.update()
        self.look_ahead = look_ahead
        self.cursor = 0
        self.playing = False
        self.live = False
        self.speed = 1.0
        self.held = False
        self.to_the_end = False
        self.pending: Credit | None = None
        self.search: Search | None = None
        self.missed = ""
        self.clock: RaceClock | None = None
        self.behind = False
        self._goes_along = False  # with the engine, since all recorded events have been searched
        self._along: Credit | None = None  # what the engine needs to search itself
        self._began = 0  # the cursor at which the search began
        self._ended = False
        self._loop: tuple[int, int | None] | None = None
        self._progress = 0.0  # fraction of the way to the next event
        self._state: State | None = None

    # -- state ------------------------------------------------------------------------------------------------

    @property
    def length(self) -> int:
        """The number of events of the trace known here."""
        return self.history.events

    @property
    def state(self) -> State:
        """The state at the cursor."""
        if self._state is None or self._state.cursor != self.cursor:
            self._state = self.trace.state_at(self.cursor)
        return self._state

    @property
    def moving(self) -> bool:
        """Whether the cursor moves with time, or a search is in progress."""
        return self.playing or self.search is not None

    @property
    def samples(self) -> int | None:
        """The number of samples on the clock of a race; None without one."""
        return None if self.clock is None else self.clock.samples

    @property
    def at_end(self) -> bool:
        """Whether the cursor is at the newest event."""
        return self.cursor == self.length

    @property
    def over(self) -> bool:
        """Whether playing has come to its end: that of the run, or of all runs of a race."""
        return self.ended and (self.at_end if self.clock is None else self.clock.over)

    @property
    def complete(self) -> bool:
        """Whether the trace has its last event."""
        return self.trace.finished is not None and self.length == len(self.trace)

    @property
    def ended(self) -> bool:
        """Whether there will be no more events: the run is complete, was stopped, failed or is truncated."""
        return (self._ended and not self.behind) or self.complete

    @ended.setter
    def ended(self, ended: bool) -> None:
        self._ended = ended
        self.catch_up()

    @property
    def look_ahead(self) -> int:
        """How many events the engine may be ahead of the cursor."""
        return self._look_ahead

    @look_ahead.setter
    def look_ahead(self, events: int) -> None:
        if isinstance(events, bool) or not isinstance(events, int) or events < 0:
            raise InputError("The look-ahead must be a whole number of events of at least 0.")
        self._look_ahead = events

    @property
    def loop(self) -> tuple[int, int | None] | None:
        """The cursors between which playing repeats, the second None for the end of the run; None: no repetition."""
        return self._loop

    @loop.setter
    def loop(self, loop: tuple[int, int | None] | None) -> None:
        if loop is not None and (loop[0] < 0 or (loop[1] is not None and loop[1] <= loop[0])):
            raise InputError("A loop must end after it starts, and start at event 0 or later.")
        self._loop = loop

    def repeat(self, on: bool) -> None:
        """Repeat the whole run after its end, or not."""
        self.loop = (0, None) if on else None

    # -- play -------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play; from the start if a finished run is at its end."""
        self.catch_up()
        self.pending = self.search = None
        if self.over:
            turn = self._turn()
            self._move(0 if self._loop is None or turn is None else self._loop[0])
        self.playing = self.length > 0 or not self.ended

    def pause(self) -> None:
        """Pause the cursor and cancel the search."""
        self.playing = self.live = False
        self.search = None

    def toggle(self) -> None:
        """Play or pause; the engine is not affected."""
        if self.moving:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """Set the speed in rounds per second; ∞ is full speed."""
        if not speed > 0:
            raise InputError("The speed must be a number of rounds per second above 0.")
        self.speed = float(speed)

    def faster(self) -> None:
        """Choose the next higher of :data:`SPEEDS`."""
        self.speed = next((speed for speed in SPEEDS if speed > self.speed), self.speed)

    def slower(self) -> None:
        """Choose the next lower of :data:`SPEEDS`."""
        self.speed = next((speed for speed in reversed(SPEEDS) if speed < self.speed), self.speed)

    def follow(self, on: bool = True) -> None:
        """Go to the newest event and follow the run; off: continue from here at the current speed."""
        self.live = False
        if on:
            self.last()
            self.live = self.playing = not (self.ended and (self.clock is None or self.clock.recorded))

    def tick(self, seconds: float) -> bool:
        """Move the cursor after time has passed, if it plays; returns whether it moved.

        The events of a round, with those leading to it, take equal parts of 1/speed seconds. Time that passes at the
        end of a growing trace is not made up for later.
        """
        before = self.cursor, self.samples
        if self.search is not None:
            self._search_on()
        if self.playing and not self.live and seconds > 0:
            if self.clock is not None:
                self._advance_clock(self.clock, seconds * self.speed)
            elif math.isinf(self.speed):
                self._jump()
            else:
                self._advance(seconds * self.speed)
            self._settle()
        return (self.cursor, self.samples) != before

    def _advance_clock(self, clock: RaceClock, decades: float) -> None:
        if clock.over and self._loop is not None:
            self._move(self._loop[0])
        else:
            clock.advance(decades)
            self.cursor = self.history.cursor_at(clock.samples)

    def _advance(self, rounds: float) -> None:
        while rounds > 0:
            end, turns = self._end()
            if self.cursor >= end:
                self._progress = self._progress + rounds * self._pace(self.cursor - 1) if turns else 0.0
                if self._progress >= 1 and self._loop is not None:  # the last event was shown as long as the others
                    self._move(self._loop[0])
                return
            pace = self._pace(self.cursor)
            stop = self.history.stop_after("round", self.cursor)
            ahead = (end if stop is None else min(stop, end)) - self.cursor
            possible = self._progress + rounds * pace + 1e-9  # against rounding
            if possible < ahead:
                self.cursor += int(possible)
                self._progress = possible - int(possible)
                return
            rounds -= (ahead - self._progress) / pace
            self._move(self.cursor + ahead)

    def _jump(self) -> None:
        end, turns = self._end()
        if self.cursor < end:
            self._move(end)
        elif turns and self._loop is not None:
            self._move(self._loop[0])

    def _pace(self, cursor: int) -> int:
        """The number of events in the round at the cursor; while it is being computed, that of the previous one."""
        begin = self.history.stop_before("round", cursor + 1) or 0
        stop = self.history.stop_after("round", cursor)
        if stop is not None:
            return stop - begin
        before = self.history.stop_before("round", begin)
        guess = _EVENTS_OF_A_ROUND if before is None else begin - before
        return max(guess, cursor + 1 - begin)

    def _turn(self) -> int | None:
        """The cursor at which a loop turns back; None if there is no loop or it is not recorded yet."""
        if self._loop is None:
            return None
        start, end = self._loop
        if end is None or end > self.length:
            end = self.length if self.ended else None
        return end if end is not None and start < end else None

    def _end(self) -> tuple[int, bool]:
        """How far the cursor may play, and whether it then returns to the start of the loop."""
        turn = self._turn()
        if turn is not None and self.cursor <= turn:
            return turn, True
        return self.length, turn is not None and self.ended

    def _settle(self) -> None:
        """Stop playing, following and waiting at the end of a finished run, unless it repeats."""
        if self.ended:
            self.live = self.live and self.clock is not None and not self.clock.recorded
            self.pending = None
            if self.over and self._turn() is None:
                self.playing = False

    # -- move -------------------------------------------------------------------------------------------------

    def seek(self, cursor: int) -> None:
        """Go to a cursor, or to the nearest recorded event; playing continues, following ends."""
        self.catch_up()
        self.pending = self.search = None
        self.live = False
        self._move(min(max(cursor, 0), self.length))

    def go_on_to(self, cursor: int) -> None:
        """Go to a cursor; if it is not recorded yet, follow the engine until it is."""
        self.seek(cursor)
        if self.cursor < cursor and not self.ended:
            self.pause()
            self.pending = Credit(cursor, "event", cursor - 1)

    def last(self) -> None:
        """Go to the newest event, in a race to the last of all runs."""
        self.catch_up()
        self.seek(self.length)
        if self.clock is not None:
            self.clock.samples = self.clock.end

    def go_to_samples(self, samples: int) -> None:
        """Go to the last event with at most this number of samples."""
        self.seek(self.history.cursor_at(samples))
        if self.clock is not None:
            self.clock.samples = min(samples, self.clock.end)

    def step(self, unit: str, direction: int = 1) -> None:
        """Pause, and go to the next or the previous end of a unit.

        If the next one is not recorded yet, the cursor follows the engine until it is.
        A step back cancels such a step if nothing was recorded. A second step before that has no further effect.
        """
        if unit not in UNITS:
            raise ValueError(f"there are no steps by {unit!r}")
        self.catch_up()
        self.pause()
        asked, self.pending = self.pending, None
        if direction > 0:
            self._step_forward(unit)
        elif asked is None or (asked.unit, asked.after) != (unit, self.cursor):
            self._move(self.history.stop_before(unit, self.cursor) or 0)

    def _step_forward(self, unit: str) -> None:
        stop = self.history.stop_after(unit, self.cursor)
        if stop is not None:
            self._move(stop)
            return
        if not self.ended:
            self.pending = Credit(self.cursor + 1 if unit == "event" else None, unit, self.cursor)
        self._move(self.length)

    def run_until(self, condition: Condition, forward: bool = True) -> None:
        """Pause, and go to the next or the previous event at which a condition holds.

        If there is none yet and the run continues, the cursor follows the engine until the condition holds;
        any other command cancels that. If it holds nowhere, ``missed`` says so.
        """
        self.catch_up()
        self.pause()
        self.pending = None
        self.missed = ""
        self._goes_along, self._along, self._began = False, None, self.cursor
        from gems_engine.until import Search  # loaded with the first search

        self.search = Search(self.trace, condition, self.cursor, forward, self.history)
        self._search_on()

    def _search_on(self) -> None:
        search = self.search
        assert search is not None
        found = search.update(_SEARCH)
        self._read()  # it may have read further than that
        if self.behind and search.forward and (search.exhausted or (found or 0) > self.length):
            return
        if found is not None:
            self.search = None
            self._move(found)
        elif search.exhausted and search.forward and not self.ended:
            self._goes_along = True
            if self._along is None:  # unchanged until the engine has halted: a new one would halt it
                position, before = search.reached
                self._along = Credit(None, after=position, until=(search.condition, before))
            self._move(self.length)
        elif search.exhausted:
            if self._goes_along:
                self._move(self._began if search.condition.returns else self.length)
            self.missed = search.condition.missed(self.trace.instance, self._algorithm, search.forward)
            self.search = None

    def take_missed(self) -> str:
        """The text of ``missed``, which is then cleared."""
        sentence, self.missed = self.missed, ""
        return sentence

    @property
    def search_text(self) -> str:
        """The condition of the search in words, to follow "until" or "that"; empty if there is none."""
        return "" if self.search is None else self.search.condition.words(self.trace.instance, self._algorithm)

    @property
    def _algorithm(self) -> str:
        started = self.trace.started
        return started.algorithm if started else ""

    def forget_truth(self) -> None:
        """Cancel a search that would reveal the hidden truth."""
        if self.search is not None and self.search.condition.truth:
            self.search = None

    def go_to(self, ell: int, i: int | None = None, k: int | None = None) -> None:
        """Go to the first event of a loop, a subroutine or a round.

        Raises
        ------
        InputError
            If the run has no such position, or not yet.
        """
        if k is not None and i is None:
            raise InputError("To go to a round k, enter its call too.")
        outer, inner, last = place_names(self.trace.started.algorithm if self.trace.started else "")
        for name, value in ((outer or "ℓ", ell), (inner or "i", i), (last, k)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise InputError(f"{name} must be a whole number of at least 1.")
        self.catch_up()
        at = self.trace.find(ell, i, k)
        if at is None or at >= self.length:
            raise InputError(self._nowhere((ell, i, k)))
        self.seek(at + 1)

    def _nowhere(self, wanted: tuple[int | None, ...]) -> str:
        name = self._named(wanted)
        rounds, subroutines = self.history.rounds, self.history.subroutines
        if not len(subroutines) and not len(rounds):
            return f"Cannot go to {name}: the run {'has no rounds' if self.ended else 'has not reached a round yet'}."
        newest = (0, 0, 0)
        if len(subroutines):
            newest = int(subroutines.ell[-1]), int(subroutines.i[-1]), 0
        if len(rounds):
            newest = max(newest, (int(rounds.ell[-1]), int(rounds.i[-1]), int(rounds.last_k[-1])))
        there = self._named(newest)
        if self.ended:
            return f"This run has no {name}: it ended at {there}."
        if tuple(value or 0 for value in wanted) > newest:
            return f"The run has not reached {name} yet: it is at {there}."
        return f"This run has no {name}: it has already reached {there}."

    def _named(self, place: Sequence[int | None]) -> str:
        names = place_names(self.trace.started.algorithm if self.trace.started else "")
        parts = zip(names, place, strict=True)
        return " · ".join(f"{name} {number(value)}" for name, value in parts if name and value) or "call"

    def _move(self, cursor: int) -> None:
        self.cursor = cursor
        self._progress = 0.0
        if self.clock is not None:
            self.clock.samples = self.history.samples_at(cursor)

    # -- the engine -------------------------------------------------------------------------------------------

    def hold(self, on: bool = True) -> None:
        """Pause the engine after the current event, or resume it; cancels the search."""
        self.held = on
        self.search = None

    def run_to_end(self, on: bool = True) -> None:
        """Let the engine run ahead without limit and follow it; off: restore the limit."""
        self.to_the_end = on
        self.search = None
        if on:
            self.held = False
            self.follow()

    def catch_up(self) -> bool:
        """Read what was recorded since the last call; returns whether the cursor moved."""
        before = self.cursor
        self._read()
        if self.live and self.clock is not None:
            self.clock.samples = max(self.clock.samples, self.clock.known)
            self.cursor = self.history.cursor_at(self.clock.samples)
        elif self.live:
            self._move(self.length)
        elif self.pending is not None:
            stop = self.history.stop_after(self.pending.unit, self.pending.after)
            self._move(self.length if stop is None else stop)
            if stop is not None:
                self.pending = None
        elif self.search is not None:
            self._search_on()
        self._settle()
        return self.cursor != before

    def _read(self) -> None:
        length = len(self.trace)
        self.history.update(most=MOST_READ)
        self.behind = self.length < length

    def halted(self) -> None:
        """The engine has computed everything granted, and all of it is read.

        The end of a subroutine is recorded only when the next one starts; if the engine halts right before that, the
        step has arrived.
        """
        self._along = None
        self.catch_up()
        finished = self.history.subroutines.finished
        if self.pending is None or self.pending.unit not in ("subroutine", "loop") or not len(finished):
            return
        if finished[-1] >= self.pending.after:
            self.pending = None

    def credit(self) -> Credit:
        """What the engine may compute now."""
        if self.to_the_end and not self.held:
            return Credit(None)
        if self.pending is not None and (self.held or not self.look_ahead):
            return self.pending
        if self.search is not None and self.search.forward:
            if self._along is not None and (self.held or self.look_ahead < _SEVERAL):
                return self._along  # exactly the events needed, and not one at a time
            return Credit(self.cursor + (1 if self.held else max(self.look_ahead, 1)))
        if self.held:
            return Credit(0)
        return Credit(self.cursor + max(self.look_ahead, int(self.playing)), late=self.late)

    @property
    def settled_in(self) -> int | None:
        """The loop of the first verifiable recommendation, if the engine stopped long after it; otherwise None."""
        if self.late or self.to_the_end or self.ended or not self.at_end:
            return None
        first, calls = self.history.verifiable, self.history.subroutines
        if first is None or calls.finished[-1] < 0 or calls.ell[-1] != first[1] + LATE:
            return None
        return first[1]

    @property
    def waits(self) -> str:
        """Why the engine is waiting, in a sentence; empty if it is not."""
        if self.ended or self.pending is not None or (self.search is not None and self.search.forward):
            return ""
        if self.held:
            return "The engine is paused. Resume it or step to continue."
        if self.settled_in is not None:
            return (
                "The engine stopped: the recommendation has been verifiable for some loops. Run to the end to continue."
            )
        limit = self.credit().limit
        if limit is None or self.length < limit:
            return ""
        if not self.look_ahead:
            return "The engine computes only what the cursor needs. Play or step to continue."
        return f"The engine is waiting, {plural(self.length - self.cursor, 'event')} ahead of the cursor."
