"""The result of a design: weights, proven bounds, and how it was computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen, relative_gap
from gems_engine.design.proof import AS_COMPUTED, Dual

Status = Literal["certified", "exact", "trivial", "as published", "uncertified", "cancelled"]


def how_proven(proof: str) -> str:
    """The proof in words: "proven in double precision with error bounds", "proven with 128-bit balls"."""
    return f"proven {'with' if proof.endswith('balls') else 'in'} {proof}"


@dataclass(frozen=True, eq=False)
class Design:
    """A continuous design with its proof.

    Attributes
    ----------
    weights
        λ, one entry per arm, non-negative, summing to one.
    value
        max_y yᵀA(λ)⁻¹y for these weights, as computed.
    lower_bound, upper_bound
        The optimum is at least the first; the exact value of these weights, times their sum, is at most the second.
        Both include every rounding error (:mod:`gems_engine.design.proof`).
    status
        ``certified``: the gap between the bounds is at most the tolerance. ``exact``: both are equal as rational
        numbers, up to rounding to doubles. ``trivial``: every direction is zero. ``as published``: the solver stopped
        by its own rule. ``uncertified``: the gap is larger than the tolerance. ``cancelled``: not finished.
    iterations
        The number of steps of the solver.
    history
        Best upper and lower bound after 0, 1, 2, … iterations.
    dual
        The directions that prove the lower bound, with their w and u.
    proof
        The arithmetic that proves the bounds.
    seconds
        Time spent after 0, 1, 2, … iterations. It is not part of the result: the same problem gives the same design in
        a different time.
    solver, tolerance
        The solver, and the requested relative gap.
    support
        Arms with positive weight, sorted.
    """

    weights: Floats
    value: float
    lower_bound: float
    upper_bound: float
    status: Status
    iterations: int
    history: Floats
    dual: Dual
    proof: str
    solver: str = "certified"
    tolerance: float = 1e-6
    seconds: Floats = field(default_factory=lambda: np.zeros(0))
    support: Integers = field(init=False)

    def __post_init__(self) -> None:
        for name in ("weights", "history", "seconds"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        object.__setattr__(self, "support", frozen(np.flatnonzero(self.weights), dtype=np.int64))

    def __repr__(self) -> str:
        bounds = f"[{self.lower_bound:.9g}, {self.upper_bound:.9g}]"
        arms = f"{len(self.support)} of {len(self.weights)} arms"
        return f"<Design {self.status}: value {self.value:.9g}, bounds {bounds}, {arms}>"

    def _repr_html_(self) -> str:
        from gems_engine.notebook import design_html

        return design_html(self)

    @cached_property
    def support_weights(self) -> Floats:
        """λ on its support."""
        return frozen(self.weights[self.support])

    @property
    def bounds(self) -> tuple[float, float]:
        """Proven lower and upper bound."""
        return self.lower_bound, self.upper_bound

    @property
    def gap(self) -> float:
        """Relative distance between the bounds; the true excess over the optimum is at most this."""
        return relative_gap(self.upper_bound, self.lower_bound)

    @property
    def is_certified(self) -> bool:
        """Whether the gap is within the tolerance."""
        return self.gap <= self.tolerance

    @property
    def safe_value(self) -> float:
        """The value for sample sizes: as computed if that is proven to 1e-9, else the bound."""
        return self.value if self.upper_bound <= self.value * (1.0 + AS_COMPUTED) else self.upper_bound

    @property
    def dual_keys(self) -> tuple[tuple[int, int], ...] | tuple[int, ...]:
        """The directions that prove the lower bound: pairs of targets, or rows of the list."""
        return self.dual.keys

    @property
    def dual_weights(self) -> Floats:
        """Their w, summing to one."""
        return self.dual.weights
