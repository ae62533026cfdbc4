"""*Improve*: one step from given weights to better ones.

The program of the equivalence theorem gives the arms to move weight to. With the smallest ε it helps only the longest
direction, and the next one stops the step early; with a larger ε many directions get shorter together. So several ε are
tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, frozen
from gems_engine.blas import one_blas_thread
from gems_engine.design.directions import Directions
from gems_engine.design.equivalence import LEAST_EPSILON
from gems_engine.design.information import design_value
from gems_engine.design.minimax import Minimax, least_largest
from gems_engine.design.norm_frame import NormFrame, value_of
from gems_engine.design.problem import DesignProblem, Geometry
from gems_engine.design.shares import check_weights

WIDTHS = (LEAST_EPSILON, 1e-3, 3e-3, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
"""ε of the directions that a step tries to shorten together."""
_DIFFERENCE = 1e-6  # t of the measured slope
_MOST_ENTRIES = 100_000  # of the program's table: a click must not take longer than a second or two
_FEW_SEARCHES, _SEARCHES = 8, 20  # evaluations of a line search to choose a direction, and along that one
_GOLDEN = (5.0**0.5 - 1.0) / 2.0
_WORTH = 1e-12  # the least part of the value that a step must gain


@dataclass(frozen=True, eq=False)
class Step:
    """From weights λ to (1 − t)λ + tμ.

    Attributes
    ----------
    weights, value
        After the step.
    before
        The value before it.
    target
        μ, an entry for every arm.
    predicted
        The one-sided derivative of the value with respect to t at t = 0, from the directions that are exactly the
        longest; −∞ from an infinite value.
    measured
        The same by a finite difference of the value; NaN from an infinite value.
    """

    weights: Floats
    value: float
    before: float
    t: float
    """The length of the step."""
    target: Floats
    predicted: float
    measured: float

    def __post_init__(self) -> None:
        for name in ("weights", "target"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def gains(self) -> Floats:
        """The weight that each arm gained; the sum is the fraction of the weight that was moved."""
        before = (self.weights - self.t * self.target) / (1.0 - self.t)
        return np.maximum(self.weights - before, 0.0)


@one_blas_thread()
def improve(problem: DesignProblem, weights: ArrayLike) -> Step | None:
    """The best step over several ε, with a line search for each; None if no step reduces the value.

    Parameters
    ----------
    problem : DesignProblem
        Arms, and targets or listed directions.
    weights : array_like
        One for each arm; they are scaled to sum to one.

    Returns
    -------
    Step or None
        The step that reduces the value most.

    Examples
    --------
    >>> from gems_engine.design import DesignProblem, improve
    >>> problem = DesignProblem([[1.0, 0.0], [0.0, 1.0]], targets=[[1.0, 0.0], [0.0, 1.0]])
    >>> step = improve(problem, [0.9, 0.1])
    >>> step.value < step.before
    True
    """
    share = check_weights(weights, len(problem.arms))
    geometry = problem.geometry
    if geometry.directions is None:
        return None
    frame = NormFrame.of(problem, share)
    lines = [_Line.of(geometry, frame, share, mu) for mu in _proposals(frame, share)]
    best = min(lines, key=lambda line: _line_search(line.value, _FEW_SEARCHES)[1])
    t, _ = _line_search(best.value, _SEARCHES)
    step = _step(problem, frame, best, t)
    return step if step.value < step.before * (1.0 - _WORTH) else None


def _proposals(frame: NormFrame, share: Floats) -> list[Floats]:
    """Weights μ to move to, for each ε two: those of the program, and those that only what has too much pays for."""
    if np.isinf(frame.value):
        mu = np.zeros(len(frame.arms))
        mu[frame.restoring] = 1.0
        return [mu / mu.sum()]
    found: list[Floats] = []
    for epsilon in WIDTHS:
        active = frame.within(epsilon)
        if found and active.count * len(share) > _MOST_ENTRIES:
            break
        best = least_largest(frame, active)
        if not any(np.array_equal(best.mu, each) for each in found):
            found += [best.mu, *_paid_for(share, best)]
    return found


def _paid_for(share: Floats, best: Minimax) -> list[Floats]:
    """Weights in which arms with g_x below 1 give what the others get, until the first of them has nothing left."""
    spare = np.maximum(0.0, 1.0 - best.seen / float(share @ best.seen))
    given = share * spare
    if not given.any():
        return []
    most = 1.0 / float(spare[share > 0.0].max())
    target = share - most * given + most * float(given.sum()) * best.mu
    return [np.maximum(target, 0.0)]


@dataclass(frozen=True)
class _Line:
    """The value of (1 − t)λ + tμ in the geometry's unit, as a function of t.

    Attributes
    ----------
    points, stretch
        Where A(λ) is regular: directions in coordinates in which A(λ) is the identity and A(μ) the diagonal `stretch`.
    """

    geometry: Geometry
    share: Floats
    mu: Floats
    points: Directions | None
    stretch: Floats

    @staticmethod
    def of(geometry: Geometry, frame: NormFrame, share: Floats, mu: Floats) -> _Line:
        if frame.blind.shape[1]:
            return _Line(geometry, share, mu, None, np.empty(0))
        stretch, turn = np.linalg.eigh(frame.arms.T @ (mu[:, None] * frame.arms))
        points = type(frame.directions)(frame.points @ turn)  # type: ignore[call-arg]
        return _Line(geometry, share, mu, points, np.maximum(stretch, 0.0))

    def weights(self, t: float) -> Floats:
        mixed = (1.0 - t) * self.share + t * self.mu
        return np.asarray(mixed / mixed.sum())

    def value(self, t: float) -> float:
        if self.points is None:
            return self.exact(t)
        _, squares = self.points.longest(np.diag(1.0 / np.sqrt(1.0 - t + t * self.stretch)))
        return float(squares.max())

    def exact(self, t: float) -> float:
        """The same by a factorisation of its own, but for what rounding hides."""
        return design_value(self.geometry, self.weights(t)) / self.geometry.unit**2


def _line_search(value: Callable[[float], float], searches: int) -> tuple[float, float]:
    """The t in (0, 1) with the smallest value, which is convex in t: golden sections of log t."""
    low, high = np.log(1e-6), np.log(0.999)
    best = np.inf, 0.0
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = value(np.exp(left)), value(np.exp(right))
    for _ in range(searches):
        best = min(best, (at_left, left), (at_right, right))
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = value(np.exp(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = value(np.exp(right))
    return float(np.exp(best[1])), float(best[0])


def _step(problem: DesignProblem, frame: NormFrame, line: _Line, t: float) -> Step:
    square = problem.geometry.unit**2
    before = frame.value * square
    predicted, measured = -np.inf, np.nan
    if np.isfinite(frame.value):
        predicted = frame.slope(line.mu) * square
        measured = (value_of(problem, line.weights(_DIFFERENCE)) - before) / _DIFFERENCE
    return Step(line.weights(t), value_of(problem, line.weights(t)), before, t, line.mu, predicted, measured)
