"""The decisions of a run, round by round, and the first one in which two runs differ.

A decision is the dimension of a round, the arms that it eliminates, or the recommendation after it; a recommendation
before any sample is a guess, and not a decision. Two algorithms have different events from the start, so rounds are
compared in their order, wherever their events are. A single call of a subroutine recommends nothing before its end:
it is compared with other algorithms by dimensions and eliminations.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from gems_engine.events import Allocated, Eliminated, Event, IdleRounds, Place, Pulled, Recommended, RunFinished
from gems_engine.trace import Trace

DIMENSION, ELIMINATED, RECOMMENDED, ENDED = "dimension", "eliminated", "recommended", "ended"
REWARDS = "rewards"
_AT_A_TIME = 32  # events between two checks of the clock


@dataclass(frozen=True)
class Decision:
    """What one run decides where two runs first decide differently.

    Attributes
    ----------
    value
        The dimension, the eliminated targets, or the recommended target; None if there is none.
    event
        The event of the decision, or the last one of the round without it.
    samples
        The samples drawn before it.
    """

    value: int | tuple[int, ...] | None
    event: int
    place: Place
    samples: int


@dataclass(frozen=True)
class DecisionDifference:
    """The first decision in which two runs differ: what it is about, and what each decides."""

    what: str
    a: Decision
    b: Decision


@dataclass
class _Round:
    """The decisions of one round; the recommendation is that after it, whenever it was made."""

    place: Place
    event: int
    samples: int
    d: int | None = None
    recommended: int | None = None
    eliminated: list[int] = field(default_factory=list)
    events: dict[str, int] = field(default_factory=dict)
    pulled: Pulled | None = None
    before: int = 0
    closed: bool = False
    last: bool = False

    def decision(self, what: str) -> Decision:
        if what == DIMENSION:
            return Decision(self.d, self.events.get(what, self.event), self.place, self.before)
        value = tuple(sorted(self.eliminated)) if what == ELIMINATED else self.recommended
        return Decision(value, self.events.get(what, self.event), self.place, self.samples)


class _Reader:
    """Reads the rounds of a run from an event on; the last one may be open."""

    def __init__(self, trace: Trace, begin: int, most: int | None) -> None:
        self._trace, self._at, self._most = trace, begin, most
        self._algorithm = trace.started.algorithm if trace.started else ""
        state = trace.state_at(begin)
        self.single_call = state.single_call
        self._guess = state.recommendation if state.recommended is None or not state.recommended.samples else None
        self._recommended = state.recommendation if self._guess is None else None
        self._open = _Round(state.place, max(begin - 1, 0), state.samples, state.d or None, self._recommended)
        self.rounds = deque([self._open])

    @property
    def _end(self) -> int:
        return len(self._trace) if self._most is None else min(self._most, len(self._trace))

    def read(self, over: bool) -> bool:
        """Read a few more events; False if there are none now. A run that is over closes its last round."""
        events = self._trace[self._at : min(self._at + _AT_A_TIME, self._end)]
        for event in events:
            self._take(event)
            self._at += 1
        if not events and over:
            self._open.closed = self._open.last = True
        return bool(events)

    def can_read(self, over: bool) -> bool:
        """Whether there is more to read, or the end of a run that is over."""
        return self._at < self._end or (over and not self._open.last)

    def _take(self, event: Event) -> None:
        if isinstance(event, IdleRounds) or (isinstance(event, Allocated) and not event.lost):
            self._open.closed = True
            before = self._open.samples
            self._open = _Round(event.place, self._at, before, event.d, self._recommended, before=before)
            self._open.events[DIMENSION] = self._at
            self.rounds.append(self._open)
        now = self._open
        now.samples, now.event = getattr(event, "samples", now.samples), self._at
        if isinstance(event, Eliminated):
            now.eliminated += event.targets.tolist()
            now.events.setdefault(ELIMINATED, self._at)
        if isinstance(event, Pulled):
            now.pulled, now.events[REWARDS] = event, self._at
        recommended = None
        if isinstance(event, Recommended) and event.holds(self._algorithm):
            recommended = event.target
        elif isinstance(event, RunFinished) and event.recommendation >= 0:
            recommended = event.recommendation
        if recommended is None:
            return
        if not now.samples:
            self._guess = recommended
        elif recommended != (self._guess if self._recommended is None else self._recommended):
            self._recommended = now.recommended = recommended
            now.events[RECOMMENDED] = self._at


class DecisionComparison:
    """Finds the first decision in which two runs differ, step by step; they may still grow.

    Attributes
    ----------
    found : DecisionDifference or None
    rewards : (int, int) or None
        The events of the first rewards that differ, in each run, as far as the decisions are the same.

    Parameters
    ----------
    begin
        An event before which both runs are the same.
    most
        The largest number of events of each run to read; None for all.
    """

    def __init__(self, a: Trace, b: Trace, begin: int = 0, most: int | None = None) -> None:
        self._readers = _Reader(a, min(begin, len(a)), most), _Reader(b, min(begin, len(b)), most)
        calls = {reader.single_call for reader in self._readers}  # such a call recommends nothing before its end
        self._compared = (ELIMINATED, RECOMMENDED) if len(calls) == 1 else (ELIMINATED,)
        self.found: DecisionDifference | None = None
        self.rewards: tuple[int, int] | None = None
        self.done = False

    def update(self, seconds: float | None = None, over: tuple[bool, bool] = (True, True)) -> bool:
        """Continue for at most ``seconds``; True if there is nothing more to compare now."""
        until = None if seconds is None else time.perf_counter() + seconds
        while not self.done:
            more = [reader.read(ended) for reader, ended in zip(self._readers, over, strict=True)]
            while not self.done and self._compare():
                pass
            if not any(more):
                return True
            if until is not None and time.perf_counter() > until:
                return not self.can_continue(over)
        return True

    def can_continue(self, over: tuple[bool, bool]) -> bool:
        """Whether there is more to compare now."""
        return not self.done and any(each.can_read(ended) for each, ended in zip(self._readers, over, strict=True))

    def _compare(self) -> bool:
        """Compare the oldest round of each run; True if it is settled and the next ones can be compared."""
        a, b = (reader.rounds[0] for reader in self._readers)
        if a.d != b.d:
            self._differ(DIMENSION, a, b)
            return False
        pulled = self.rewards is None and a.pulled is not None and b.pulled is not None
        if pulled and not np.array_equal(a.pulled.sums, b.pulled.sums):  # type: ignore[union-attr]
            self.rewards = a.events[REWARDS], b.events[REWARDS]
        if not (a.closed and b.closed):
            return False
        for what in self._compared:
            if a.decision(what).value != b.decision(what).value:
                self._differ(what, a, b)
                return False
        if a.last or b.last:
            self.done = True
            if not (a.last and b.last):
                self._differ(ENDED, *(self._next(reader.rounds) for reader in self._readers))
            return False
        if any(len(reader.rounds) < 2 for reader in self._readers):
            return False
        for reader in self._readers:
            reader.rounds.popleft()
        return True

    def _next(self, rounds: deque[_Round]) -> _Round:
        """The round after the compared one, or the end of the run."""
        if len(rounds) > 1:
            return rounds[1]
        end = rounds[0]
        return _Round(end.place, end.event, end.samples, None, end.recommended, before=end.samples)

    def _differ(self, what: str, a: _Round, b: _Round) -> None:
        kind = DIMENSION if what == ENDED else what
        self.found, self.done = DecisionDifference(what, a.decision(kind), b.decision(kind)), True
