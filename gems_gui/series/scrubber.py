"""What is marked on the line over a whole run, and which place of the run a cursor on it is."""

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
    """What is drawn on the line, as cursors: at each of them the marked event is the last that is shown."""

    subroutines: Integers
    """Where one begins, except where an ℓ does."""
    loops: Integers
    """Where a further ℓ begins."""
    changes: Integers
    """Where the recommendation changed."""
    warnings: Integers
    """Where a problem shows that is a warning, and no error does."""
    errors: Integers
    """Where one shows that is an error."""


class Milestones:
    """The events at which the recommendation changed; each recommendation is read once."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.changes = _NO_EVENTS
        self._read = 0
        self._target = -1

    def update(self) -> None:
        """Read the recommendations that are new."""
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
    """Of sorted numbers in 0 … length the first in each of so many equal parts, in a time that grows with the parts."""
    if not len(events) or length <= 0 or bins <= 0:
        return _NO_EVENTS
    edges = np.arange(bins + 1) * (length / bins)
    edges[-1] = np.inf
    starts = np.searchsorted(events, edges)
    found: Integers = events[starts[:-1][np.diff(starts) > 0]]
    return found


def position_text(history: History, cursor: int) -> str:
    """«ℓ5 i1 k3», «i5 j1 k3» in a fixed-budget run, «k3» in a single call: the place of the last event before a cursor.

    From the columns, not from the event: under a moving mouse that would decode a chunk of the trace each time.
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
    together = place[2] and rounds.idle[at] and 0 <= rounds.decided[at] < cursor  # idle rounds are counted at once
    return f"{words}–{number(int(rounds.last_k[at]))}" if together and rounds.last_k[at] > place[2] else words


NO_MARKS = ScrubberMarks(*[_NO_EVENTS] * 5)


def marks_of(milestones: Milestones, problems: Problems | None, truth: bool, length: int, bins: int) -> ScrubberMarks:
    """What is marked on a line of so many events that has room for so many marks side by side."""
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
    """Warnings and errors; of two at one place the error is seen."""
    if problems is None:
        return _NO_EVENTS, _NO_EVENTS
    known = (problems.positions("warning", truth), problems.positions("error", truth))
    warnings, errors = (first_in_bins(each[each < length], length, bins) for each in known)
    return warnings[~np.isin(warnings * bins // length, errors * bins // length)] + 1, errors + 1
