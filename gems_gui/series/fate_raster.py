"""The raster of targets × rounds by fate: columns are computed once and cached, and sampled if there are many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats, Integers
from gems_engine.history import History

Codes = NDArray[np.uint8]

BEFORE, NOW, UNDECIDED, SURVIVING = 1, 2, 3, 4
"""Fates in a round. If several share a pixel, the largest is shown, so that no survivor disappears."""

_KEPT = 4096  # columns: two full images of `MOST_COLUMNS`
MOST_COLUMNS = 2000
"""The largest number of columns of an image."""


class FateColumns:
    """The fate of every target in the rounds of a run, one column each; columns of finished rounds never change."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._kept = np.empty((len(history.trace.instance.targets), _KEPT), dtype=np.uint8)
        self._places = np.full(0, -1, dtype=np.int64)  # of each round in the cache
        self._used = 0

    def over(self, rounds: Integers) -> Codes:
        """Columns of finished rounds, by target: at most `MOST_COLUMNS` of them, without duplicates."""
        total = len(self.history.rounds)
        if total > len(self._places):
            more = np.full(max(total, 2 * len(self._places)) - len(self._places), -1, dtype=np.int64)
            self._places = np.concatenate([self._places, more])
        missing = rounds[self._places[rounds] < 0]
        if self._used + len(missing) > _KEPT:
            self._places[:] = -1
            self._used, missing = 0, rounds
        if len(missing):
            places = self._used + np.arange(len(missing))
            self._kept[:, places] = self._computed(missing).T
            self._places[missing] = places
            self._used += len(missing)
        return np.asarray(self._kept.take(self._places[rounds], axis=1))

    def undecided(self, one: int) -> Codes:
        """The column of a round that has not decided yet."""
        column: Codes = self._computed(np.array([one]), with_now=False)[0]
        column[column == SURVIVING] = UNDECIDED
        return column

    def _computed(self, rounds: Integers, with_now: bool = True) -> Codes:
        """One row for each round."""
        eliminations, table = self.history.eliminations, self.history.rounds
        starts = np.append(self.history.subroutines.first_round, 0)[table.subroutine[rounds]]  # −1 outside of all
        first, here, end = (np.searchsorted(eliminations.round, at) for at in (starts, rounds, rounds + 1))
        codes = np.full((len(rounds), len(self._kept)), SURVIVING, dtype=np.uint8)
        targets = eliminations.target
        for row, a, b, c in zip(codes, first.tolist(), here.tolist(), end.tolist(), strict=True):
            row[targets[a:b]] = BEFORE
            if with_now:
                row[targets[b:c]] = NOW
        return codes


def sampled(edges: Floats, first: int, columns: int) -> Integers:
    """The round shown in each of ``columns`` columns of equal width; the rounds have these edges, from ``first`` on.

    Of several rounds in one column, the one whose number is divisible by the largest power of two is shown: it stays
    the same while the run grows, so few columns are new in each image. The last column shows the last round.
    """
    bounds = np.linspace(edges[0], edges[-1], columns + 1)
    last = len(edges) - 2
    low = first + np.clip(np.searchsorted(edges, bounds[:-1], side="right") - 1, 0, last)
    high = first + np.clip(np.searchsorted(edges, bounds[1:], side="left"), 1, last + 1)  # exclusive
    high = np.maximum(high, low + 1)
    bit = np.frexp((low ^ high).astype(float))[1] - 1
    rounds = (high >> bit << bit) - 1
    rounds[-1] = first + last
    return np.asarray(rounds, dtype=np.int64)


def squeezed(codes: Codes, order: Integers, rows: int) -> Codes:
    """The rows in an order, reduced to at most ``rows``; each shows the largest code of those that it replaces."""
    if len(order) <= rows:
        return codes[order]
    bounds = np.arange(rows + 1) * len(order) // rows
    seen = codes[order[bounds[:-1]]]
    for step in range(1, int(np.diff(bounds).max())):  # whole rows at a time: ten times as fast as reduceat
        np.maximum(seen, codes[order[np.minimum(bounds[:-1] + step, bounds[1:] - 1)]], out=seen)
    return seen
