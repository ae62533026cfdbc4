"""The marks on the timeline of a run, and the position in the run of a cursor on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.history import History
from gems_engine.problems import Problems
from gems_engine.terminal import number
from gems_engine.wording import place_names

_NO_EVENTS: Integers = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ScrubberMarks:
    """The marks on the timeline, as cursors: at each of them, the marked event is the last one shown."""

    subroutines: Integers
    """Starts of subroutines, unless a loop ℓ starts there."""
    loops: Integers
    """Starts of loops ℓ after the first."""
    changes: Integers
    """Changes of the recommendation."""
    warnings: Integers
    """Warnings, where there is no error."""
    errors: Integers
    """Errors."""


class Milestones:
    """The events at which the recommendation changed; each recommendation is read once."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.changes = _NO_EVENTS
        self._read = 0
        self._target = -1

    def update(self) -> None:
        """Read new recommendations."""
        table = self.history.recommendations
        if len(table) == self._read:
            return
        events, targets = table.event[self._read :], table.target[self._read :]
        changed = np.diff(targets, prepend=self._target) != 0
        if not self._read:
            changed[0] = False  # the first is a guess, not a change
        self.changes = np.concatenate((self.changes, events[changed]))
        self._target, self._read = int(targets[-1]), len(table)


def first_in_bins(events: Integers, length: int, bins: int) -> Integers:
    """The first of sorted numbers in each of ``bins`` equal parts of 0 … length; the time depends on the bins only."""
    if not len(events) or length <= 0 or bins <= 0:
        return _NO_EVENTS
    edges = np.arange(bins + 1) * (length / bins)
    edges[-1] = np.inf
    starts = np.searchsorted(events, edges)
    found: Integers = events[starts[:-1][np.diff(starts) > 0]]
    return found


def position_text(history: History, cursor: int) -> str:
    """The position of the last event before a cursor: "ℓ5 i1 k3", "i5 j1 k3" with a fixed budget, "k3" in one call.

    Read from the columns, not from the event: while the mouse moves, that would decode a chunk of the trace each time.
    """
    started = history.trace.started
    names = place_names(started.algorithm if started is not None else "")
    place: list[int] = [0, 0, 0]
    at, rounds, subroutines = history.rounds_before(cursor) - 1, history.rounds, history.subroutines
    inside = history.subroutine_at(cursor)
    if inside >= 0:
        place[:2] = int(subroutines.ell[inside]), int(subroutines.i[inside])
    if at >= 0 and (inside < 0 or rounds.subroutine[at] == inside) and (rounds.end[at] < 0 or cursor <= rounds.end[at]):
        place = [int(rounds.ell[at]), int(rounds.i[at]), int(rounds.k[at])]
    words = " ".join(f"{name}{number(value)}" for name, value in zip(names, place, strict=True) if name and value)
    together = place[2] and rounds.idle[at] and 0 <= rounds.decided[at] < cursor  # idle rounds share one event
    return f"{words}–{number(int(rounds.last_k[at]))}" if together and rounds.last_k[at] > place[2] else words


NO_MARKS = ScrubberMarks(*[_NO_EVENTS] * 5)


def marks_of(milestones: Milestones, problems: Problems | None, truth: bool, length: int, bins: int) -> ScrubberMarks:
    """The marks on a timeline of ``length`` events with space for ``bins`` marks."""
    milestones.update()
    history = milestones.history
    starts = first_in_bins(history.subroutines.event, length, bins)
    loops = first_in_bins(history.stops("loop")[1:], length, bins)
    loops = loops[loops < length]  # the end of the run ends a loop, too
    return ScrubberMarks(
        starts[~np.isin(starts * bins // length, loops * bins // length)] + 1,
        loops + 1,
        first_in_bins(milestones.changes, length, bins) + 1,
        *_problem_marks(problems, truth, length, bins),
    )


def _problem_marks(problems: Problems | None, truth: bool, length: int, bins: int) -> tuple[Integers, Integers]:
    """Warnings and errors; at the same position, the error is shown."""
    if problems is None:
        return _NO_EVENTS, _NO_EVENTS
    known = (problems.positions("warning", truth), problems.positions("error", truth))
    warnings, errors = (first_in_bins(each[each < length], length, bins) for each in known)
    return warnings[~np.isin(warnings * bins // length, errors * bins // length)] + 1, errors + 1
