"""Error bounds for the margins of the elimination test, and exact signs where rounding matters.

The test eliminates z if ⟨θ̂, ψ(z′) − ψ(z)⟩ ≥ width(‖ψ(z′) − ψ(z)‖_{A⁻¹}) for some z′. Given the pulls and the sums of
their rewards as doubles, both sides are exact numbers. The margin is computed in doubles, with an error bound as in
:mod:`gems_engine.design.proof`; if the bound does not decide its sign, ball arithmetic with increasing precision does.
A margin that is still undecided then is a tie, and a tie eliminates. A margin of which nothing is known does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats, Integers
from gems_engine.design import balls
from gems_engine.design.coordinates import Frame
from gems_engine.design.directions import EPS, PairDirections, row_lengths
from gems_engine.design.problem import DesignProblem
from gems_engine.design.proof import ROUND, nearness, product_error

BITS = (512, 2048, 8192)
"""Bits of the balls of a margin, in addition to those that tell the arms apart; the first that decides is used."""

LEAST = 5e-324
"""The value used for a margin that is smaller than every double, but not 0."""


@dataclass(frozen=True)
class Width:
    """The width that an estimated gap must reach: level + slope·‖ψ(z′) − ψ(z)‖_{A⁻¹}."""

    level: float = 0.0
    slope: float = 0.0

    def __call__(self, norms: Floats) -> Floats:
        """The width for each of these norms."""
        widths = self.slope * norms
        return np.asarray(widths + self.level) if self.level else widths


@dataclass(frozen=True, eq=False)
class Doubt:
    """Bounds on the error of a computed gap − width for given pulls and any rewards.

    Attributes
    ----------
    seen, points
        The pulled arms and the kept targets as rows in coordinates in which the norm of A⁻¹ is the length, nearly.
    arm_errors
        Error bounds of the product of a reward with each row of `seen`.
    eta
        At least ‖I − RᵀAR‖ for the root R behind these coordinates.
    reach, point_error
        The largest length of the points, and the error bound of each.
    norm_error
        Error bound of a computed norm.
    unit
        The unit of the points.
    """

    seen: Floats
    points: Floats
    arm_errors: Floats
    eta: float
    reach: float
    point_error: float
    norm_error: float
    unit: float

    @staticmethod
    def of(problem: DesignProblem, arms: Integers, counts: Integers, root: Floats) -> Doubt | None:
        """The bounds for these pulls; None if nothing is proven.

        The root is that of a fit: in the coordinates of the problem's geometry.
        """
        found = _norm(problem, arms, root)
        if found is None:
            return None
        frame, arms, root, fitted = found
        share = counts.astype(np.float64)
        count, rank = len(arms), root.shape[1]
        rows, sizes, floors = frame.pulled(arms)
        everything = rows @ root
        errors = product_error(sizes, floors, row_lengths(root))
        lengths = row_lengths(everything)
        seen, points = everything[:count], everything[count:]
        eta = nearness(seen, lengths[:count], errors[:count], share)
        if not eta < 0.5:
            return None
        reach, error = float(lengths[count:].max()), float(errors[count:].max())
        # For a norm: the fit's against the frame's, the error of the latter, and that of distances in Gram form.
        norm_error = 2.0 * (float(row_lengths(points - fitted).max()) + error)
        norm_error += reach * (2.0 * eta + 2e3 * (rank + 6) * ROUND)
        arm_errors = errors[:count] + (count + 2) * ROUND * lengths[:count]
        return Doubt(seen, points, arm_errors, eta, reach, error, norm_error, frame.unit)

    def bound(self, sums: Floats, values: Floats, slope: float) -> float:
        """The bound over all pairs of kept targets.

        Parameters
        ----------
        sums
            Sums of the rewards of the pulled arms.
        values
            The computed estimates of the kept targets.
        slope
            How much a width grows with the norm.
        """
        q = sums @ self.seen
        q_error = float(np.abs(sums) @ self.arm_errors)
        q_size = math.sqrt(q @ q) * 1.001 + q_error
        reach = self.reach + self.point_error
        gap_error = reach * (2.0 * self.eta * q_size + q_error + (len(q) + 2) * ROUND * q_size)
        gap_error += self.point_error * q_size
        first = float(values[0])
        off = float(np.maximum.reduce(np.abs(values - first - self.points @ (q * self.unit))))
        off += 4.0 * EPS * (abs(first) + off + 1.01 * self.reach * q_size * self.unit)  # covers all values
        return 1.01 * (2.0 * (off + gap_error * self.unit) + slope * self.norm_error * self.unit)


@dataclass(frozen=True, eq=False)
class IndependentDoubt:
    """The same for linearly independent arms and any counts.

    A direction has a unique combination y = Σ c_x x: its gap is exactly Σ c_x·mean_x, its norm √(Σ c_x²/n_x).

    Attributes
    ----------
    of_gap
        Error bound of a computed gap if no mean reward is larger than 1.
    of_norm
        Error bound of a computed norm if every arm is pulled once.
    """

    of_gap: float
    of_norm: float

    @staticmethod
    def of(problem: DesignProblem, arms: Integers, inverse: Floats, estimator: Floats) -> IndependentDoubt | None:
        """The bounds for these arms; None if nothing is proven.

        The inverse maps vectors of their span, in the coordinates of the problem's geometry, to c. The estimator maps
        mean rewards to θ̂ in the features.
        """
        found = _norm(problem, arms, inverse)
        if found is None:
            return None
        frame, some, inverse, fitted = found
        count = len(arms)
        rows, sizes, floors = frame.pulled(some)
        products = rows @ inverse
        errors = product_error(sizes, floors, row_lengths(inverse))
        # c·(I + F) = products: F is the difference of the arms' products from unit vectors.
        off = _beyond_one(products[:count]) + math.sqrt(float(errors[:count] @ errors[:count]))
        if not off < 0.1:
            return None
        points, error = products[count:], float(errors[count:].max())
        reach = 1.01 * (float(row_lengths(points).max()) + error) / (1.0 - off)  # at least ‖c‖
        apart = float(row_lengths(points - fitted).max()) + error + reach * off
        of_norm = 2.0 * apart + 2e3 * (count + 6) * ROUND * reach

        # With y = c·X, yᵀθ̂ is c·(X·estimator)·means, and the rest is the rounding of two products.
        features, size = problem.arms[arms], np.abs(estimator)
        blur = (problem.d + 2) * ROUND * float(np.linalg.norm(np.abs(features) @ size))
        seen = math.sqrt(count) * (_beyond_one(features @ estimator) + blur + 2.0 * ROUND)
        rounded = (count + problem.d + 10) * ROUND * float((np.abs(problem.kept_targets) @ size).sum(axis=1).max())
        of_gap = 2.0 * (seen * reach * frame.unit + rounded)
        if not math.isfinite(of_gap):
            return None
        return IndependentDoubt(1.02 * of_gap, 1.02 * of_norm * frame.unit)

    def bound(self, sums: Floats, counts: Integers, slope: float) -> float:
        """The bound over all pairs of kept targets, for sums of rewards, numbers of pulls and the slope of a width."""
        mean = float(np.maximum.reduce(np.abs(sums / counts)))
        return self.of_gap * mean + slope * self.of_norm / math.sqrt(int(np.minimum.reduce(counts)))


def _beyond_one(square: Floats) -> float:
    """‖square − I‖ in the Frobenius norm."""
    rest = square - np.eye(len(square))
    return 1.01 * math.sqrt(float(np.vdot(rest, rest)))


def _norm(problem: DesignProblem, arms: Integers, root: Floats) -> tuple[Frame, Integers, Floats, Floats] | None:
    """Coordinates with bounded errors; the pulled arms and the fit's root in them; the points as the fit has them."""
    geometry = problem.geometry
    frame, directions = geometry.frame, geometry.directions
    if frame is None or not isinstance(directions, PairDirections):
        return None
    white = directions.points @ root
    if root.shape[1] == len(root):
        return frame, arms, frame.inverse @ root, white * (geometry.unit / frame.unit)
    own = problem.span_of(arms)  # the pulled arms span less than all
    if own is None or own.basis is None or len(own.basis) != root.shape[1]:
        return None
    seen = geometry.arms[arms[own.basis]] @ root  # the arms of its basis are unit vectors there
    return own, np.arange(len(arms)), seen, white * (geometry.unit / own.unit)


def exact_margins(
    problem: DesignProblem,
    arms: Integers,
    counts: Integers,
    sums: Floats,
    pairs: Integers,
    width: Width,
) -> Floats:
    """gap − width for rows (z′, z) of positions among the kept targets, with the exact sign; 0 for a tie.

    A margin that 8192 bits cannot distinguish from 0 is a tie. A margin without a finite ball is −∞: it does not
    eliminate. If a direction is outside the span of the pulled arms, nothing is known, and every margin is −∞.
    """
    flint = clock.load("flint")
    arb, ctx = flint.arb, flint.ctx
    rows = problem.kept_targets
    if problem.span_of(arms) is None:
        return np.full(len(pairs), -math.inf)
    pulled = problem.arms[arms]
    basis = balls.find_basis(pulled)
    margins = np.full(len(pairs), -math.inf)
    open_ones = np.arange(len(pairs))
    for bits in BITS:
        with ctx.workprec(bits + basis.bits):
            try:
                solve = _Exactly(pulled, counts, sums, basis)
            except ZeroDivisionError:
                continue
            for at in open_ones.tolist():
                gap, square = solve.of(*rows[pairs[at]])
                margins[at] = signed(gap - arb(width.level) - arb(width.slope) * square.sqrt())
        open_ones = np.flatnonzero((margins == 0.0) | np.isneginf(margins))
        if not len(open_ones):
            break
    return margins


def signed(ball: Any) -> float:
    """A double with the sign of a ball: 0 if the ball includes 0, −∞ if it is not finite."""
    if not ball.is_finite():
        return -math.inf
    if ball.contains(0):
        return 0.0
    middle = float(ball.mid())
    return middle or (LEAST if ball > 0 else -LEAST)


class _Exactly:
    """Least squares in ball arithmetic, in a basis of the pulled arms."""

    def __init__(self, arms: Floats, counts: Integers, sums: Floats, basis: balls.Basis) -> None:
        from flint import arb_mat

        self.basis = basis
        columns = arms[:, basis.columns]
        self.inverse = balls.balls(columns[self.basis.arms]).inv()
        seen = balls.balls(columns) * self.inverse
        weighted = arb_mat(
            [[entry * count for entry in row] for row, count in zip(seen.tolist(), counts.tolist(), strict=True)]
        )
        self.information = (seen.transpose() * weighted).inv()
        self.estimate = self.information * (seen.transpose() * arb_mat([[each] for each in sums.tolist()]))

    def of(self, one: Floats, other: Floats) -> tuple[Any, Any]:
        """⟨θ̂, one − other⟩ and the squared norm."""
        picked = self.basis.columns
        table = [balls.balls(row[None, picked]) for row in (one, other)]
        y = (table[0] - table[1]) * self.inverse
        return (y * self.estimate)[0, 0], (y * self.information * y.transpose())[0, 0]
