"""Frank–Wolfe as in the paper's experiments, to reproduce their designs and show their error.

Uniform start, steps 2/(k+2) for k = 1, 2, …, stopped when the value changes by less than 1 % or after 1,000
iterations (paper, last appendix; docs/decisions.md, 15). It certifies nothing by itself; the lower bound is the
best that its single worst directions prove.
"""

from __future__ import annotations

import numpy as np

from gems_engine.arrays import Floats, first_largest
from gems_engine.design.information import inverse_root
from gems_engine.design.problem import Geometry

CHANGE = 0.01
LIMIT = 1000


class FrankWolfe:
    """Steps of the method; `upper` is the value of the current weights, not the best so far."""

    name = "frank-wolfe"

    def __init__(self, geometry: Geometry, change: float = CHANGE) -> None:
        assert geometry.directions is not None
        self.arms = geometry.arms
        self.directions = geometry.directions
        self.change = change
        self.finished = False
        self.lower = 0.0
        self._steps = 0
        self._weights = np.full(len(self.arms), 1.0 / len(self.arms))
        self._look()

    def weights(self) -> Floats:
        """The current weights."""
        return self._weights

    def doubt(self) -> Floats:
        """Zeros: the published method drops no arms."""
        return np.zeros(len(self._weights))

    def dual(self) -> tuple[np.ndarray, Floats, Floats]:
        """Key, w = 1 and u of the direction with the best lower bound."""
        return self._best_dual

    def step(self) -> None:
        """Move towards the arm that shortens the longest direction most."""
        self._steps += 1
        size = 2.0 / (self._steps + 2.0)
        self._weights = (1.0 - size) * self._weights
        self._weights[self._best_arm] += size
        before = self.upper
        self._look()
        self.finished = abs(self.upper - before) < self.change * before or self._steps >= LIMIT

    def _look(self) -> None:
        root = inverse_root(self.arms, self._weights)
        keys, squares = self.directions.longest(root)
        worst = first_largest(squares)  # the first one in a tie, the same on every processor
        self.upper = float(squares[worst])
        u = (self.directions.vectors(keys[worst : worst + 1]) @ root) @ root.T
        slope = (self.arms @ u[0]) ** 2
        self._best_arm = first_largest(slope)
        lower = self.upper**2 / float(slope.max())
        if lower > self.lower:
            self.lower, self._best_dual = lower, (keys[worst : worst + 1], np.ones(1), u)
