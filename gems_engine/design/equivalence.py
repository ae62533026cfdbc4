"""The equivalence theorem for given weights: which arms should have more weight, which less, and how to change it.

Let v_y = yᵀA(λ)⁻¹y and v = max v_y. For w on the simplex over directions and G_x(w) = Σ_y w_y (xᵀA⁻¹y)² we have
Σ_x λ_x G_x(w) = Σ_y w_y v_y = s(w), so that g_x = G_x/s(w) has the λ-average 1 for every w. Here w is on the directions
within ε of the longest and minimises the largest G_x: λ is optimal if and only if no g_x is then above 1 (ε → 0).

Where A(λ) is singular, u_y = A⁺y + n_y takes the place of A⁻¹y, with n_y in the null space of A. The arms with weight
are orthogonal to n_y; it is chosen together with w. Both are one linear program in columns (y, n), which are generated:
for multipliers μ of the arms the best n of each y is a least-squares problem.

This module computes what is drawn, not what is proven (bounds on the optimum): a proof may use any w.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.blas import one_blas_thread
from gems_engine.design.directions import squares_of
from gems_engine.design.minimax import ROUNDS, least_largest
from gems_engine.design.norm_frame import NormFrame
from gems_engine.design.problem import DesignProblem
from gems_engine.design.shares import check_weights

LEAST_EPSILON = 1e-5
"""Weights that were saved with six digits keep their active directions within this part of the longest."""
NEAR = 0.01
"""Weights with a larger proven gap are not optimal: their picture shows the longest directions only."""
PROVEN = 1e-4
"""Weights within this part of the optimum may use a wider ε, if no arm is above 1 then."""
NOTED = 1e-3
"""Only what is further from 1 than this is said to be above or below it."""

Name = tuple[int, int] | int


@dataclass(frozen=True, eq=False)
class Equivalence:
    """The equivalence theorem for weights λ.

    Attributes
    ----------
    weights
        λ, summing to one.
    value
        max_y v_y as computed; ∞ where the weights leave out what a direction needs.
    epsilon
        Directions with v_y ≥ value·(1 − epsilon) are active.
    g
        g_x = G_x/s(w) of every arm: its λ-average is 1. Above 1 an arm deserves more weight; an arm with weight and g_x
        below 1 deserves less. NaN where the value is infinite; 1 without directions: any weights are optimal.
    active, norms, w
        The active directions (pairs of targets, or rows of the list), their v_y, and their w, summing to one. Pairs of
        equal targets share the w of their direction.
    active_count
        The number of active directions; if there are very many, only those with w > 0 are listed.
    arms, shares
        μ: the arms to move to, and how to share the weight that is moved among them. Empty if no direction remains.
    slope
        The one-sided derivative of the value at t = 0 for the weights (1 − t)λ + tμ, over the directions that are
        exactly as long as the longest; −∞ where the value is infinite.
    lost, lost_count
        The directions that the weights cannot estimate (only the first ones if there are very many), and their number.
        Together the arms in `arms` restore all of them.
    """

    weights: Floats
    value: float
    epsilon: float
    g: Floats
    active: tuple[Name, ...] = ()
    norms: Floats = field(default_factory=lambda: np.empty(0))
    w: Floats = field(default_factory=lambda: np.empty(0))
    active_count: int = 0
    arms: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    shares: Floats = field(default_factory=lambda: np.empty(0))
    slope: float = 0.0
    lost: tuple[Name, ...] = ()
    lost_count: int = 0

    def __post_init__(self) -> None:
        for name in ("weights", "g", "norms", "w", "shares"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def more(self) -> Integers:
        """Arms that should have more weight: g_x above 1, the largest first."""
        above = np.flatnonzero(self.g > 1.0 + NOTED)
        return above[np.argsort(-self.g[above], kind="stable")].astype(np.int64)

    @property
    def less(self) -> Integers:
        """Arms that deserve less weight: they have some, and g_x is below 1; what matters most first.

        None where no arm deserves more: then there is none to give it to.
        """
        if not len(self.more):
            return np.empty(0, dtype=np.int64)
        below = np.flatnonzero((self.g < 1.0 - NOTED) & (self.weights > 0.0))
        effect = self.weights[below] * (1.0 - self.g[below])
        return below[np.argsort(-effect, kind="stable")].astype(np.int64)

    @property
    def target(self) -> Floats:
        """μ with an entry for every arm."""
        full = np.zeros(len(self.weights))
        full[self.arms] = self.shares
        return full


@one_blas_thread()
def equivalence_of(
    problem: DesignProblem, weights: ArrayLike, gap: float = np.inf, rounds: int = ROUNDS
) -> Equivalence:
    """Find g, the active directions with their w, and where to move.

    Parameters
    ----------
    problem
        Arms, and targets or listed directions.
    weights
        One per arm; they are scaled to sum to one.
    gap
        What is proven of these weights: they are within this part of the optimum; ∞ where nothing is. It sets ε.
    rounds
        Of the search for w, at most. Any w gives a g with the λ-average 1; fewer rounds may leave its largest entry
        above the least possible.

    Returns
    -------
    Equivalence
        g of every arm, and where to move.
    """
    share = check_weights(weights, len(problem.arms))
    if problem.geometry.directions is None:
        return Equivalence(share, 0.0, active_epsilon(gap), np.ones(len(share)))
    return equivalence_in(problem, NormFrame.of(problem, share), share, gap, rounds)


def equivalence_in(problem: DesignProblem, frame: NormFrame, share: Floats, gap: float, rounds: int) -> Equivalence:
    """As :func:`equivalence_of` where the weights and their frame are known, and there are directions."""
    epsilon = active_epsilon(gap)
    if np.isinf(frame.value):
        return _undetermined(problem, frame, share, epsilon)
    first = _determined(problem, frame, share, epsilon, rounds)
    if gap > PROVEN or not len(first.more):
        return first
    # Weights with a gap δ may leave a part δ/ε of the optimum's w on directions that are shorter by more than ε.
    wider = (_determined(problem, frame, share, factor * epsilon, rounds) for factor in (10.0, 100.0))
    return next((each for each in wider if not len(each.more)), first)


def active_epsilon(gap: float) -> float:
    """How much shorter than the longest an active direction may be, in parts of it.

    Weights that are proven to be near the optimum have their active directions within a few gaps of the longest. For
    all others that would be most directions; what can be improved is told by those that are really the longest.
    """
    return max(LEAST_EPSILON, 4.0 * gap) if gap <= NEAR else LEAST_EPSILON


def _determined(problem: DesignProblem, frame: NormFrame, share: Floats, epsilon: float, rounds: int) -> Equivalence:
    active, square = frame.within(epsilon), problem.geometry.unit**2
    found = least_largest(frame, active, rounds)
    keys = found.keys if active.keys is None else np.union1d(found.keys, active.keys)
    w = np.zeros(len(keys))
    w[np.searchsorted(keys, found.keys)] = found.w
    names, at = problem.name_equals(keys)
    arms = np.flatnonzero(found.mu).astype(np.int64)
    return Equivalence(
        share,
        frame.value * square,
        epsilon,
        found.seen / float(share @ found.seen),
        names,
        squares_of(active.vectors(keys))[at] * square,
        (w / np.bincount(at, minlength=len(keys)))[at],
        active.count,
        arms,
        found.mu[arms],
        frame.slope(found.mu, active) * square,
    )


def _undetermined(problem: DesignProblem, frame: NormFrame, share: Floats, epsilon: float) -> Equivalence:
    lost = frame.lost()
    arms = frame.restoring
    return Equivalence(
        share,
        np.inf,
        epsilon,
        np.full(len(share), np.nan),
        arms=arms,
        shares=np.full(len(arms), 1.0 / max(1, len(arms))),
        slope=-np.inf,
        lost=problem.name_equals(lost.first())[0],
        lost_count=lost.count,
    )
