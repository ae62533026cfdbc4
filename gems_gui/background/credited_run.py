"""A run on credit: only what was granted is computed. Does not import Qt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gems_engine.events import (
    Allocated,
    BecameVerifiable,
    DesignSolved,
    DimensionProbed,
    Eliminated,
    Event,
    IdleRounds,
    RunFinished,
    SubroutineFinished,
    SubroutineStarted,
    Validated,
)
from gems_engine.history import LATE
from gems_engine.instance import Instance
from gems_gui.workbench.playback import Credit

if TYPE_CHECKING:
    from gems_engine.until import Watch

AHEAD = 20_000
"""The most events by which a run may be ahead of the window's process, whatever its credit."""


class UnitEnds:
    """The ends of the last round, call and loop of a stream of events, as numbers of events before them."""

    def __init__(self) -> None:
        self.last = {"round": 0, "subroutine": 0, "loop": 0}
        self._in_round = False
        self._ell: int | None = None

    def before(self, event: Event, count: int) -> None:
        """Note an event before it becomes number ``count``: a call ends where the next one starts."""
        if isinstance(event, SubroutineStarted):
            if self._in_round:
                self.last["round"], self._in_round = count, False
            if self._ell is not None:
                self.last["subroutine"] = count
                if event.place.ell != self._ell:
                    self.last["loop"] = count
            self._ell = event.place.ell

    def after(self, event: Event, count: int) -> None:
        """Note an event after it became the last of ``count``: a round ends after its last event."""
        if isinstance(event, Eliminated | IdleRounds | Validated) or (
            isinstance(event, SubroutineFinished) and self._in_round
        ):
            self.last["round"] = count
            self._in_round = False
        elif isinstance(event, DimensionProbed | DesignSolved | Allocated):
            self._in_round = True


class CreditedRun:
    """Takes the events of a run one by one up to the credit, and waits there for more.

    Parameters
    ----------
    credit
        The initial credit.
    waits
        Called once with each credit when it is used up.
    ahead
        The most events that are reported and not yet acknowledged; None for any number.
    """

    def __init__(self, credit: Credit, waits: Callable[[Credit], None], ahead: int | None = AHEAD) -> None:
        self._credit = credit
        self._waits = waits
        self._ahead = ahead
        self._ends = UnitEnds()
        self._count = 0
        self._acknowledged = 0
        self._used_up: Credit | None = None
        self._stopped = False
        self._instance: Instance | None = None
        self._watch: Watch | None = None
        self._met = False
        self._verified: int | None = None  # the loop of the first verifiable recommendation
        self._late = False
        self._changed = threading.Condition()

    def grant(self, credit: Credit) -> None:
        """Replace the credit."""
        with self._changed:
            self._credit = credit
            self._used_up = None  # the same credit, granted again, is reported again when it is used up
            self._await()
            self._changed.notify()

    def _await(self) -> None:
        """Watch for the condition of the credit; the caller must make sure that the run is not already past it.

        Call this with the lock held.
        """
        self._watch, self._met = None, False
        if self._credit.until is not None and self._instance is not None:
            from gems_engine.until import Watch  # needed only for "run until"

            self._watch = Watch(self._credit.until[0], self._instance, self._credit.until[1])
            self._met = self._count != self._credit.after

    def acknowledge(self, count: int) -> None:
        """Note that a number of events have arrived."""
        with self._changed:
            self._acknowledged = count
            self._changed.notify()

    def stop(self) -> None:
        """Stop before the next event, or between two iterations of a solver."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def stopped(self) -> bool:
        """Whether it was stopped."""
        return self._stopped

    def drive(self, run: Iterator[Event], tell: Callable[[Event], None], instance: Instance | None = None) -> bool:
        """Take and report events until the run has finished; returns False if it was stopped before.

        Parameters
        ----------
        instance
            The instance of the run, for credit until a condition holds.
        """
        with self._changed:
            self._instance = instance
            self._await()
        while self._may_go_on():
            event = next(run)
            self._ends.before(event, self._count)
            self._note_late(event)
            # The event that starts the next call is computed, but held back if the credit ends before it.
            if isinstance(event, SubroutineStarted) and not self._may_go_on():
                return False
            tell(event)
            with self._changed:
                self._count += 1
                self._met = self._met or (self._watch is not None and self._watch.matches(event))
            self._ends.after(event, self._count)
            if isinstance(event, RunFinished):
                return True
        return False

    def _note_late(self, event: Event) -> None:
        """Note where the loops long after the first verifiable recommendation start."""
        if isinstance(event, BecameVerifiable) and self._verified is None:
            self._verified = event.place.ell
        elif isinstance(event, SubroutineStarted) and self._verified is not None:
            self._late = event.place.ell > self._verified + LATE

    def _may_go_on(self) -> bool:
        """Wait for credit; returns False if the run was stopped."""
        with self._changed:
            while not self._stopped:
                credit = self._credit
                spent = credit.limit is not None and self._count >= credit.limit
                spent = (
                    spent
                    or self._met
                    or (self._late and not credit.late)
                    or self._ends.last.get(credit.unit, 0) > credit.after
                )
                if spent and self._used_up != credit:
                    self._used_up = credit
                    self._waits(credit)
                    continue  # the callback may have granted more
                if not spent and (self._ahead is None or self._count - self._acknowledged < self._ahead):
                    return True
                self._changed.wait()
            return False
