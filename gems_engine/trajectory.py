"""The recommendations of a run up to a cursor, and τ: from the columns of its history, not event by event."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.history import Booleans, History
from gems_engine.instance import Instance
from gems_engine.state import State
from gems_engine.summary import Tally


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The first recommendation before the cursor and every change of it.

    Attributes
    ----------
    samples
        The numbers of samples at which it was made.
    right
        Whether it is right for the run's goal; None if the truth is hidden or unknown.
    """

    samples: Integers
    targets: Integers
    right: Booleans | None

    @property
    def tau(self) -> int | None:
        """τ as :class:`gems_engine.summary.Summary` defines it, for the events before the cursor."""
        return self.since if self.right is not None and len(self.right) and self.right[-1] else None

    @property
    def since(self) -> int | None:
        """The samples since which it is as right or as wrong as now; None if that is not known."""
        if self.right is None or not len(self.right):
            return None
        before = np.flatnonzero(self.right != self.right[-1])
        return int(self.samples[int(before[-1]) + 1 if len(before) else 0])

    @property
    def first_right(self) -> int | None:
        """The samples at which it was right for the first time."""
        if self.right is None or not self.right.any():
            return None
        return int(self.samples[int(self.right.argmax())])


def trajectory_of(history: History, state: State, judged: bool) -> Trajectory:
    """The recommendations up to the cursor of a state, without repetitions.

    Parameters
    ----------
    judged
        Whether to say which of them are right.
    """
    table = history.recommendations
    count = int(np.searchsorted(table.event, state.cursor, side="left"))
    samples, targets = table.samples[:count], table.target[:count]
    end = state.finished
    # The end is a recommendation, too, or has the leader of the set that GEMS-c returns.
    if end is not None and end.recommendation >= 0 and (state.returns_set or state.recommendation is not None):
        samples, targets = np.append(samples, state.samples), np.append(targets, end.recommendation)
    changes = np.flatnonzero(np.diff(targets, prepend=-1))
    samples, targets = samples[changes], targets[changes]
    return Trajectory(samples, targets, _right(history.trace.instance, state, targets) if judged else None)


def _right(instance: Instance, state: State, targets: Integers) -> Booleans:
    judge = Tally(instance)
    if state.started is not None:
        judge.add(state.started)
    known, where = np.unique(targets, return_inverse=True)
    return np.array([judge.right(target) for target in known.tolist()], dtype=bool)[where]
