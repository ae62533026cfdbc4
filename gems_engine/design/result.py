"""What a solved design says about itself: weights, proven bounds, and how it got there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen

Status = Literal["certified", "exact", "trivial", "as published", "stalled", "iteration limit", "cancelled"]


def relative_gap(value: float, lower_bound: float) -> float:
    """How far the value may be above the optimum, in parts of the optimum: the proven worst case."""
    if value == 0.0:
        return 0.0
    return value / lower_bound - 1.0 if lower_bound > 0.0 else np.inf


@dataclass(frozen=True, eq=False)
class Design:
    """A continuous design with its proof.

    Attributes
    ----------
    weights
        λ, one entry per arm, non-negative, summing to one.
    value
        max_y yᵀA(λ)⁻¹y for these weights: an upper bound of the optimum.
    lower_bound
        A proven lower bound of the optimum.
    status
        ``certified``: the gap is at most the tolerance asked for. ``exact``: by linear program. ``trivial``:
        every direction is zero. ``as published``: a solver that stops by its own rule. The others say
        why there is no certificate.
    iterations
        Steps that the solver took.
    history
        Best upper and lower bound after 0, 1, 2, … iterations.
    dual_keys, dual_weights
        The directions that the lower bound rests on (pairs of targets, or rows of the list) and their w, summing
        to one.
    sensitivity
        G_x = Σ_y w_y (xᵀu_y)², one entry per arm, in the unit in which its largest entry is value/lower_bound: the
        equivalence theorem says that at the optimum it is 1 on the support and nowhere above.
    seconds
        Time spent after 0, 1, 2, … iterations. It says how the design was found and is no part of what it is: the same
        problem gives the same design in another time.
    solver, tolerance
        By which it was solved, and the relative gap that was asked for.
    support
        Arms with a weight, sorted.
    """

    weights: Floats
    value: float
    lower_bound: float
    status: Status
    iterations: int
    history: Floats
    dual_keys: tuple[tuple[int, int], ...] | tuple[int, ...]
    dual_weights: Floats
    sensitivity: Floats
    solver: str = "certified"
    tolerance: float = 1e-6
    seconds: Floats = field(default_factory=lambda: np.zeros(0))
    support: Integers = field(init=False)

    def __post_init__(self) -> None:
        for name in ("weights", "history", "dual_weights", "sensitivity", "seconds"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        object.__setattr__(self, "support", frozen(np.flatnonzero(self.weights), dtype=np.int64))

    @property
    def gap(self) -> float:
        """Relative distance between value and lower bound; the true excess over the optimum is at most this."""
        return relative_gap(self.value, self.lower_bound)

    @property
    def is_certified(self) -> bool:
        """Whether the gap is within the tolerance that was asked for."""
        return self.gap <= self.tolerance
