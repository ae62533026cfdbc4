"""How far a computed margin of the elimination test may be off, and what it is where that matters.

The test eliminates z where ⟨θ̂, ψ(z′) − ψ(z)⟩ ≥ width(‖ψ(z′) − ψ(z)‖_{A⁻¹}) for some z′. Given the pulls and the sums of
their rewards as doubles, both sides are exact numbers. The margin is computed in doubles; its error is bounded as in
:mod:`gems_engine.design.proof`; and where the bound does not tell its sign, ball arithmetic does. What is tied to
hundreds of bits is a tie, and a tie eliminates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design import balls
from gems_engine.design.coordinates import Frame, power_of_two_scale
from gems_engine.design.directions import EPS, PairDirections, row_lengths
from gems_engine.design.problem import DesignProblem
from gems_engine.design.proof import ROUND, nearness, product_error

BITS = 512


@dataclass(frozen=True, eq=False)
class Pulls:
    """How often which arms were pulled, and the sums of their rewards."""

    arms: Integers
    counts: Integers
    sums: Floats


def margin_doubt(problem: DesignProblem, pulls: Pulls, root: Floats, values: Floats, slope: float) -> float:
    """A bound of |computed − exact| for gap − width, over all pairs of the kept targets; ∞ where none is proven.

    Parameters
    ----------
    root
        The inverse root of a fit: in the coordinates of the problem's geometry.
    values
        The computed estimates of the kept targets.
    slope
        How much a width grows with the norm.
    """
    found = _norm(problem, pulls, root)
    if found is None:
        return math.inf
    frame, arms, root, fitted = found
    share = pulls.counts.astype(np.float64)
    count = len(arms)
    which = np.concatenate([arms, frame.row_places])
    everything = frame.all_rows[which] @ root
    errors = product_error(frame.all_sizes[which], frame.all_floors[which], row_lengths(root))
    lengths = row_lengths(everything)
    seen, points = everything[:count], everything[count:]
    eta = nearness(seen, lengths[:count], errors[:count], share)
    if not eta < 0.5:
        return math.inf
    q = pulls.sums @ seen
    sizes = np.abs(pulls.sums)
    q_error = float(sizes @ (errors[:count] + (count + 2) * ROUND * lengths[:count]))
    q_size = math.sqrt(float(q @ q)) * 1.001 + q_error
    reach, error = float(lengths[count:].max()), float(errors[count:].max())
    gap_error = reach * (2.0 * eta * q_size + q_error + (len(q) + 2) * ROUND * q_size) + error * q_size
    off = float(np.abs(values - values[0] - points @ (q * frame.unit)).max()) + 4.0 * EPS * float(np.abs(values).max())
    # Of a norm: the fit's against the frame's, the error of this one, and that of distances in Gram form.
    norm_error = 2.0 * (float(row_lengths(points - fitted).max()) + error)
    norm_error += reach * (2.0 * eta + 2e3 * (len(q) + 6) * ROUND)
    return 1.01 * (2.0 * (off + gap_error * frame.unit) + slope * norm_error * frame.unit)


def _norm(problem: DesignProblem, pulls: Pulls, root: Floats) -> tuple[Frame, Integers, Floats, Floats] | None:
    """Coordinates with bounded errors; the pulled arms and the fit's root in them; the points as the fit has them."""
    geometry = problem.geometry
    frame, directions = geometry.frame, geometry.directions
    if frame is None or not isinstance(directions, PairDirections):
        return None
    white = directions.points @ root
    if root.shape[1] == len(root):
        return frame, pulls.arms, frame.inverse @ root, white * (geometry.unit / frame.unit)
    own = problem.span_of(pulls.arms)  # the pulled arms span less than all
    if own is None or own.basis is None or len(own.basis) != root.shape[1]:
        return None
    seen = geometry.arms[pulls.arms[own.basis]] @ root  # the arms of its basis are unit vectors there
    return own, np.arange(len(pulls.arms)), seen, white * (geometry.unit / own.unit)


def exact_margins(problem: DesignProblem, pulls: Pulls, pairs: Integers, width: Callable[[Floats], Floats]) -> Floats:
    """gap − width for rows (z′, z) of positions among the kept targets, with a sign that is right; 0 for a tie.

    The width is constant or proportional to the norm. Where a direction leaves the span of the pulled arms, nothing is
    known, and every margin is −∞.
    """
    from flint import arb, ctx

    assert problem.targets is not None
    rows = problem.targets[problem.geometry.kept]
    level, steep = (float(width(np.array([at]))[0]) for at in (0.0, 1.0))
    if problem.span_of(pulls.arms) is None:
        return np.full(len(pairs), -math.inf)
    with ctx.workprec(BITS):
        solve = _Exactly(problem.arms[pulls.arms], pulls)
        margins = []
        for one, other in pairs:
            gap, square = solve.of(rows[one], rows[other])
            margin = gap - arb(level) - arb(steep - level) * square.sqrt()
            margins.append(0.0 if margin.contains(0) else float(margin.mid()))
    return np.array(margins)


class _Exactly:
    """Least squares in balls, in a basis of the pulled arms."""

    def __init__(self, arms: Floats, pulls: Pulls) -> None:
        from flint import arb_mat

        self.scale = power_of_two_scale(arms)
        self.basis = balls.find_basis(arms / self.scale)
        columns = (arms / self.scale)[:, self.basis.columns]
        self.inverse = balls.balls(columns[self.basis.arms]).inv()
        seen = balls.balls(columns) * self.inverse
        weighted = arb_mat(
            [[entry * count for entry in row] for row, count in zip(seen.tolist(), pulls.counts.tolist(), strict=True)]
        )
        self.information = (seen.transpose() * weighted).inv()
        self.estimate = self.information * (seen.transpose() * arb_mat([[each] for each in pulls.sums.tolist()]))

    def of(self, one: Floats, other: Floats) -> tuple[Any, Any]:
        """⟨θ̂, one − other⟩ and the squared norm."""
        picked = self.basis.columns
        table = [balls.balls((row / self.scale)[None, picked]) for row in (one, other)]
        y = (table[0] - table[1]) * self.inverse
        return (y * self.estimate)[0, 0], (y * self.information * y.transpose())[0, 0]
