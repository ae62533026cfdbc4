"""Parts of a run that plots fold because they show nothing new: rounds without a dimension, and late loops."""

from __future__ import annotations

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.history import LATE, Booleans
from gems_gui.snapshot import Snapshot

_UNFIT_WIDTH, _LATE_WIDTH = 1.0, 2.0  # in rounds
VISIBLE = 0.5
"""The least width of a round that has its own marks and label."""


def last_full_loop(snapshot: Snapshot) -> int | None:
    """The last loop that is shown in full; None while no recommendation is verifiable.

    From the first verifiable recommendation on, loops repeat what is known with larger and larger budgets.
    """
    first = snapshot.history.verifiable
    return None if first is None or first[0] >= snapshot.cursor else first[1] + LATE


def is_late(snapshot: Snapshot, ell: Integers) -> Booleans:
    """Which of these loops are folded; while the run continues, not the loop at the cursor."""
    last = last_full_loop(snapshot)
    if last is None:
        return np.zeros(len(ell), dtype=bool)
    here = np.inf if snapshot.state.finished is not None else snapshot.state.place.ell
    return np.asarray((ell > last) & (ell < here))


def folded_widths(snapshot: Snapshot, first: int, last: int) -> Floats:
    """The widths of rounds on the axis of a whole run: 1, or less in a stretch that is folded."""
    table, rows = snapshot.history.rounds, slice(first, last)
    over = (table.end[rows] >= 0) & (table.end[rows] <= snapshot.cursor)
    late = is_late(snapshot, table.ell[rows])
    unfit = over & (table.chosen[rows] < 0) & ~late
    widths = np.ones(last - first)
    for folded, most in ((unfit, _UNFIT_WIDTH), (late, _LATE_WIDTH)):
        edges = np.flatnonzero(np.diff(folded.astype(np.int8), prepend=0, append=0))
        for begin, end in edges.reshape(-1, 2).tolist():
            widths[begin:end] = min(1.0, most / (end - begin))
    return widths


def one_each(x: Floats) -> Booleans:
    """Which of these increasing positions to mark: of those in a folded stretch, the first."""
    return np.asarray(np.diff(x, prepend=-np.inf) > VISIBLE)
