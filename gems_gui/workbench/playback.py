"""The model behind the transport: the cursor in a trace, and what the engine may compute; knows no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError
from gems_engine.history import UNITS as UNITS
from gems_engine.history import History
from gems_engine.state import State
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_engine.wording import place_names

if TYPE_CHECKING:
    from gems_engine.conditions import Condition
    from gems_engine.until import Search

SPEEDS: tuple[float, ...] = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, math.inf)
"""Rounds per second, from slow motion to as fast as it goes."""

_SEARCH = 0.006  # seconds of looking for a condition in one go
_SEVERAL = 1000  # events ahead of the cursor with which it is not worth while to be told where to halt
_EVENTS_OF_A_ROUND = 8  # until the first round is over and there is something to go by


@dataclass(frozen=True)
class Credit:
    """What the engine may compute. It is absolute: to grant the same again changes nothing.

    Attributes
    ----------
    limit
        Events until there are so many; None: to the end of the run.
    unit
        With ``round``, ``subroutine`` or ``loop`` it halts at the first end of such a unit, even before the limit:
        a round ends after its last event, a subroutine or loop right before the next one starts. What comes before
        the first subroutine belongs to it. ``event`` halts at the limit alone.
    after
        Only ends of a unit behind so many events count, so that a halt at one of them does not block the next step.
    until
        A condition, and what it read last in so many events as ``after`` says: it halts at the first event behind
        them that meets it, and at once if it is further already.
    """

    limit: int | None
    unit: str = "event"
    after: int = 0
    until: tuple[Condition, Any] | None = None


class Playback:
    """A cursor that plays, steps and follows through a trace, and the credit of the engine that writes it.

    Playing, stepping and seeking are about what is shown and never touch the engine, except that the engine may not
    run further ahead of the cursor than ``look_ahead`` events, and that a step beyond what there is asks for more.

    It behaves as a good media player: a step pauses. A seek goes on playing from there, but no longer follows the
    newest event. To play at the end of a run begins again from its start. Steps that have not arrived do not pile up.

    Another thread may append to the trace at any time; the model knows what there was when :meth:`catch_up` was called
    last (commands call it themselves), so that nothing changes under a reader.

    Parameters
    ----------
    trace
        A run, recorded or being recorded.
    look_ahead
        How many events the engine may be ahead of the cursor; with 0 it computes only what is asked for.
    history
        That of the trace, if it was read before.

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
        Whether the engine computes nothing but what steps ask for.
    to_the_end : bool
        Whether the engine does not wait for the cursor.
    pending : Credit or None
        A step on its way: what it needs of the engine.
    search : Search or None
        What it is run until, forward or back, as long as that is not found.
    missed : str
        That a search has found nothing in all of the run, in a sentence for whoever asked; they take it away.
    """

    def __init__(self, trace: Trace, look_ahead: int = 20_000, history: History | None = None) -> None:
        self.trace = trace
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
        self._goes_along = False  # with the engine, since all that there was has been searched
        self._along: Credit | None = None  # what the engine needs to look for it itself
        self._began = 0  # the cursor from which it is looked for
        self._ended = False
        self._loop: tuple[int, int | None] | None = None
        self._progress = 0.0  # towards the next event, as a part of it
        self._state: State | None = None

    # -- what there is ----------------------------------------------------------------------------------------

    @property
    def length(self) -> int:
        """How many events of the trace are known here."""
        return self.history.events

    @property
    def state(self) -> State:
        """The state at the cursor."""
        if self._state is None or self._state.cursor != self.cursor:
            self._state = self.trace.state_at(self.cursor)
        return self._state

    @property
    def moving(self) -> bool:
        """Whether time moves the cursor, or finds out where it goes."""
        return self.playing or self.search is not None

    @property
    def at_end(self) -> bool:
        """Whether the cursor is at the newest event."""
        return self.cursor == self.length

    @property
    def complete(self) -> bool:
        """Whether the trace has its last event."""
        return self.trace.finished is not None and self.length == len(self.trace)

    @property
    def ended(self) -> bool:
        """Whether no event will come any more: the run is complete, was stopped, has failed or is torn."""
        return self._ended or self.complete

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
        """Cursors between which playing repeats, the second None for the end of the run; None: it does not."""
        return self._loop

    @loop.setter
    def loop(self, loop: tuple[int, int | None] | None) -> None:
        if loop is not None and (loop[0] < 0 or (loop[1] is not None and loop[1] <= loop[0])):
            raise InputError("A loop must end after it starts, and start at event 0 or later.")
        self._loop = loop

    def repeat(self, on: bool) -> None:
        """Play the whole run again when its end has come, or not."""
        self.loop = (0, None) if on else None

    # -- play -------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Let the cursor go; from the start again at the end of a run that is over."""
        self.catch_up()
        self.pending = self.search = None
        if self.at_end and self.ended:
            turn = self._turn()
            self._move(0 if self._loop is None or turn is None else self._loop[0])
        self.playing = self.length > 0 or not self.ended

    def pause(self) -> None:
        """Let the cursor stand where it is, and look for nothing."""
        self.playing = self.live = False
        self.search = None

    def toggle(self) -> None:
        """Play or pause; the engine does not notice."""
        if self.moving:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """Rounds per second; ∞ for as fast as it goes."""
        if not speed > 0:
            raise InputError("The speed must be a number of rounds per second above 0.")
        self.speed = float(speed)

    def faster(self) -> None:
        """The next of :data:`SPEEDS`."""
        self.speed = next((speed for speed in SPEEDS if speed > self.speed), self.speed)

    def slower(self) -> None:
        """The one before."""
        self.speed = next((speed for speed in reversed(SPEEDS) if speed < self.speed), self.speed)

    def follow(self, on: bool = True) -> None:
        """Go to the newest event and stay there while the run goes on; off: play on from here at the speed."""
        self.live = False
        if on:
            self.last()
            self.live = self.playing = not self.ended

    def tick(self, seconds: float) -> bool:
        """Time has passed: move the cursor if it plays; whether it moved.

        The events of a round, with what led to it, take equal parts of 1/speed seconds. At the end of a trace that is
        still written the time that passes is not made up for later.
        """
        before = self.cursor
        if self.search is not None:
            self._search_on()
        if self.playing and not self.live and seconds > 0:
            if math.isinf(self.speed):
                self._jump()
            else:
                self._advance(seconds * self.speed)
            self._settle()
        return self.cursor != before

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
            possible = self._progress + rounds * pace + 1e-9  # ten tenths of an event are one
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
        """Events in the round at the cursor; while it is being computed, as many as in the one before."""
        begin = self.history.stop_before("round", cursor + 1) or 0
        stop = self.history.stop_after("round", cursor)
        if stop is not None:
            return stop - begin
        before = self.history.stop_before("round", begin)
        guess = _EVENTS_OF_A_ROUND if before is None else begin - before
        return max(guess, cursor + 1 - begin)

    def _turn(self) -> int | None:
        """The cursor at which a loop turns back, None while there is none or it is not there yet."""
        if self._loop is None:
            return None
        start, end = self._loop
        if end is None or end > self.length:
            end = self.length if self.ended else None
        return end if end is not None and start < end else None

    def _end(self) -> tuple[int, bool]:
        """How far the cursor may play, and whether it then goes back to the start of the loop."""
        turn = self._turn()
        if turn is not None and self.cursor <= turn:
            return turn, True
        return self.length, turn is not None and self.ended

    def _settle(self) -> None:
        """Nothing plays, follows or waits at the end of a run that is over, unless it loops."""
        if self.ended:
            self.live = False
            self.pending = None
            if self.at_end and self._turn() is None:
                self.playing = False

    # -- move -------------------------------------------------------------------------------------------------

    def seek(self, cursor: int) -> None:
        """Go to a cursor, or as near to it as there are events; playing goes on, following does not."""
        self.catch_up()
        self.pending = self.search = None
        self.live = False
        self._move(min(max(cursor, 0), self.length))

    def go_on_to(self, cursor: int) -> None:
        """Go to a cursor; as long as there are not so many events, with those that the engine adds."""
        self.seek(cursor)
        if self.cursor < cursor and not self.ended:
            self.pause()
            self.pending = Credit(cursor, "event", cursor - 1)

    def last(self) -> None:
        """To the newest event."""
        self.catch_up()
        self.seek(self.length)

    def step(self, unit: str, direction: int = 1) -> None:
        """Pause, and go to the next or the previous end of a unit.

        Where the next one is not recorded yet, the cursor goes with the events that the engine adds until it is there.
        A step back takes back such a step if nothing has come of it. A second step before that asks for the same.
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
        """Pause, and go to the next or the previous place at which a condition is met.

        Where the record has none and the run goes on, the cursor goes with the events that the engine adds until it is
        met, and stands there; whatever else is asked for ends that. Where it is met nowhere, ``missed`` says so.
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
        self.history.update()  # it may have looked further than that
        if found is not None:
            self.search = None
            self._move(found)
        elif search.exhausted and search.forward and not self.ended:
            self._goes_along = True
            if self._along is None:  # it stays the same until the engine has halted: each other one would halt it
                position, before = search.reached
                self._along = Credit(None, after=position, until=(search.condition, before))
            self._move(self.length)
        elif search.exhausted:
            if self._goes_along:
                self._move(self._began if search.condition.returns else self.length)
            self.missed = search.condition.missed(self.trace.instance, self._algorithm, search.forward)
            self.search = None

    def take_missed(self) -> str:
        """What ``missed`` says, which is empty from then on."""
        sentence, self.missed = self.missed, ""
        return sentence

    @property
    def search_text(self) -> str:
        """What it is run until, to follow «until» or «that»; empty if it is not."""
        return "" if self.search is None else self.search.condition.words(self.trace.instance, self._algorithm)

    @property
    def _algorithm(self) -> str:
        started = self.trace.started
        return started.algorithm if started else ""

    def forget_truth(self) -> None:
        """Look no more for what would tell of the truth, which is hidden now."""
        if self.search is not None and self.search.condition.truth:
            self.search = None

    def go_to(self, ell: int, i: int | None = None, k: int | None = None) -> None:
        """Go to where a loop, a subroutine of it or a round of that begins: its first event is shown.

        Raises
        ------
        InputError
            If the run has no such place, or not yet.
        """
        if k is not None and i is None:
            raise InputError("To go to a round k say in which subroutine it is.")
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
            return f"There is no {name}: the run {'has no rounds' if self.ended else 'has not got to a round yet'}."
        newest = (0, 0, 0)
        if len(subroutines):
            newest = int(subroutines.ell[-1]), int(subroutines.i[-1]), 0
        if len(rounds):
            newest = max(newest, (int(rounds.ell[-1]), int(rounds.i[-1]), int(rounds.last_k[-1])))
        there = self._named(newest)
        if self.ended:
            return f"This run has no {name}: it ended at {there}."
        if tuple(value or 0 for value in wanted) > newest:
            return f"The run has not got to {name} yet: it is at {there}."
        return f"This run has no {name}: it went on to {there} without it."

    def _named(self, place: Sequence[int | None]) -> str:
        names = place_names(self.trace.started.algorithm if self.trace.started else "")
        parts = zip(names, place, strict=True)
        return " · ".join(f"{name} {number(value)}" for name, value in parts if name and value) or "call"

    def _move(self, cursor: int) -> None:
        self.cursor = cursor
        self._progress = 0.0

    # -- the engine -------------------------------------------------------------------------------------------

    def hold(self, on: bool = True) -> None:
        """Let the engine wait at the next event, or go on; then nothing is run until anything."""
        self.held = on
        self.search = None

    def run_to_end(self, on: bool = True) -> None:
        """Let the engine go on without waiting for the cursor, which follows it; off: it waits again."""
        self.to_the_end = on
        self.search = None
        if on:
            self.held = False
            self.follow()

    def catch_up(self) -> bool:
        """Take in what was recorded since the last time; whether the cursor moved."""
        before = self.cursor
        self.history.update()
        if self.live:
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

    def halted(self) -> None:
        """The engine has computed all that it was granted.

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
                return self._along  # not one event too many, and not one at a time
            return Credit(self.cursor + (1 if self.held else max(self.look_ahead, 1)))
        if self.held:
            return Credit(0)
        return Credit(self.cursor + max(self.look_ahead, int(self.playing)))

    @property
    def waits(self) -> str:
        """Why the engine waits, in a sentence; empty while it does not."""
        if self.ended or self.pending is not None or (self.search is not None and self.search.forward):
            return ""
        if self.held:
            return "The engine is held: release it or step to go on."
        limit = self.credit().limit
        if limit is None or self.length < limit:
            return ""
        if not self.look_ahead:
            return "The engine computes only what the cursor asks for: play or step to go on."
        return f"The engine is {number(self.length - self.cursor)} events ahead of the cursor and waits for it."
