"""The certified solver for thousands of arms in few dimensions: some arms and directions at a time, proven for all.

In R^r an optimal design needs no more than r(r+1)/2 arms, and as many directions bind. The interior-point method
solves the problem of a few of both. Then everybody is looked at: arms that its multipliers say are worth more than
those that take part, and directions that are longer than those that take part, join. Bounds are for the whole problem:
the value of the weights over *all* directions, and the dual's bound with its maximum over *all* arms. It ends when
nobody wants to join.
"""

from __future__ import annotations

import numpy as np

from gems_engine.arrays import Floats, Integers, relative_gap
from gems_engine.design.directions import ListedDirections
from gems_engine.design.information import inverse_root
from gems_engine.design.interior_point import FLOOR, InteriorPoint
from gems_engine.design.problem import Geometry

LEAST_ARMS = 2000
"""Up to so many the interior-point method takes all of them in a few seconds."""

LAYERS = 6
"""How many spanning sets of arms take part at the beginning."""


def takes_some_at_a_time(geometry: Geometry) -> bool:
    """Whether arms are many, and many more than a design needs."""
    arms, rank = geometry.arms.shape
    return bool(arms > LEAST_ARMS and arms >= 20 * _needed(rank))


class Exchange:
    """Steps of the method on one problem; `upper`, `lower` are the best bounds so far, in the geometry's unit.

    A step is one of the interior-point method's. The start depends on nothing but the problem.
    """

    name = "certified"

    def __init__(self, geometry: Geometry, floor: float = FLOOR) -> None:
        assert geometry.directions is not None
        self._geometry = geometry
        self._directions = geometry.directions
        self._floor = floor
        self._join = 2 * _needed(geometry.arms.shape[1])
        self.finished = False
        self.upper, self.lower = np.inf, 0.0
        arms = geometry.arms
        self._some = _spanning(arms)
        keys, squares = self._directions.longest(inverse_root(arms, np.ones(len(arms))))
        self._keys = _first_of(keys, squares, 2 * self._join)
        self._begin()
        self._look_at_all()

    def weights(self) -> Floats:
        """λ with the best upper bound so far."""
        return self._best_weights

    def doubt(self) -> Floats:
        """As in the interior-point method; arms that do not take part have no weight to doubt."""
        return self._best_doubt

    def dual(self) -> tuple[Integers, Floats, Floats]:
        """Keys, w and u of the best lower bound so far."""
        return self._best_dual

    def step(self) -> None:
        """One iteration for those that take part, and a look at all where these are solved well enough."""
        self._inner.step()
        gap = relative_gap(self._inner.upper, self._inner.lower)
        if self._inner.finished or gap <= min(0.1 * relative_gap(self.upper, self.lower), 1e-2):
            self._look_at_all()

    def _begin(self) -> None:
        """The interior-point method on the arms and directions that take part."""
        rows = ListedDirections(self._directions.vectors(self._keys))
        everybody = np.arange(len(self._keys))
        self._inner = InteriorPoint(
            Geometry(self._geometry.arms[self._some], rows, everybody, everybody), floor=self._floor
        )

    def _look_at_all(self) -> None:
        """Bounds for the whole problem, and who joins."""
        inner, arms = self._inner, self._geometry.arms
        weights = np.zeros(len(arms))
        weights[self._some] = inner.weights()
        keys, squares = self._directions.longest(inverse_root(arms[self._some], weights[self._some]))
        if (upper := float(squares.max())) < self.upper:
            doubt = np.full(len(arms), np.inf)
            doubt[self._some] = inner.doubt()
            self.upper, self._best_weights, self._best_doubt = upper, weights, doubt
        own, w, u = inner.dual()
        along = float(w @ np.einsum("ij,ij->i", self._directions.vectors(self._keys[own]), u))
        worth = np.asarray(np.square(arms @ u.T) @ w)
        if (lower := along * along / (float(worth.max()) * float(w.sum()))) > self.lower:
            self.lower, self._best_dual = lower, (self._keys[own], w, u)
        # Whoever is above by less than what is not solved yet is perhaps not above at all.
        slack = 1.0 + 0.1 * relative_gap(inner.upper, inner.lower)
        better = worth > slack * float(worth[self._some].max())
        longer = squares > slack * inner.upper
        if better.any() or longer.any():
            self._some = np.union1d(self._some, _first_of(np.flatnonzero(better), worth[better], self._join))
            self._keys = np.union1d(self._keys, _first_of(keys[longer], squares[longer], self._join))
            self._begin()
        else:
            self.finished = inner.finished


def _needed(rank: int) -> int:
    return rank * (rank + 1) // 2


def _first_of(keys: Integers, size: Floats, most: int) -> Integers:
    """So many of the keys, those with the largest size."""
    return np.unique(keys[np.argsort(-size, kind="stable")[:most]])


def _spanning(arms: Floats) -> Integers:
    """Arms that span the space several times over: each time those that add most to the ones before."""
    import scipy.linalg  # here: a window shows its forms before it needs to load this

    rank = arms.shape[1]
    left = np.arange(len(arms))
    found = []
    for _ in range(LAYERS):
        _, _, pivots = scipy.linalg.qr(arms[left].T, mode="economic", pivoting=True, check_finite=False)
        found.append(left[pivots[:rank]])
        left = np.delete(left, pivots[:rank])
    return np.sort(np.concatenate(found)).astype(np.int64)
