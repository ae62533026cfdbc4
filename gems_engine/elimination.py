"""Least squares from sums per arm, which targets it separates, and the pair that decides about each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gems_engine.arrays import Floats, Integers, squared_distances
from gems_engine.blas import one_blas_thread
from gems_engine.design.directions import PairDirections
from gems_engine.design.information import Information
from gems_engine.design.problem import DesignProblem, coordinate_scale
from gems_engine.margins import Pulls, exact_margins, margin_doubt

_NORMS = np.array([0.0, 1.0])

MOST_COMPARED = 240
"""Among so many survivors every pair is compared to explain a decision; among more, those nearest to the decision."""


@dataclass(frozen=True, eq=False)
class Fit:
    """θ̂ = A⁻¹b in R^d with A = Σ n_x ψ(x)ψ(x)ᵀ, and the norm that its errors live in.

    Attributes
    ----------
    theta
        In the first d features; where A is singular, the shortest solution in scaled features.
    problem
        The design problem of the round: its targets are the survivors.
    inverse_root
        yᵀA⁻¹y = ‖y·inverse_root‖² in the coordinates and the unit of the problem's geometry.
    pulls
        What it was estimated from; None where only the estimate is known.
    """

    theta: Floats
    problem: DesignProblem
    inverse_root: Floats
    pulls: Pulls | None = None

    @cached_property
    def estimates(self) -> Floats:
        """⟨θ̂, ψ(z)⟩ for every survivor."""
        assert self.problem.targets is not None
        geometry = self.problem.geometry
        value = self.problem.targets[geometry.kept] @ self.theta
        if self._badly_scaled:  # the features of θ̂ cancel: the differences are computed where they do not
            value = value[0] + self._differences()
        return np.asarray(value[geometry.place])  # equal targets have one estimate: no last digit tells them apart

    @property
    def _badly_scaled(self) -> bool:
        frame = self.problem.geometry.frame
        return self.pulls is not None and frame is not None and frame.basis is not None

    def _differences(self) -> Floats:
        """⟨θ̂, ψ(z) − ψ(z_0)⟩ for the kept targets, in the coordinates of the geometry."""
        geometry, pulls = self.problem.geometry, self.pulls
        assert pulls is not None
        assert isinstance(geometry.directions, PairDirections)
        seen = geometry.arms[pulls.arms] @ self.inverse_root
        q = pulls.sums @ seen
        return np.asarray(geometry.directions.points @ (self.inverse_root @ q) * geometry.unit)


def _theta(rows: Floats, counts: Integers, sums: Floats) -> Floats:
    """Least squares in features of size 1; the shortest solution where there are several."""
    root = np.sqrt(counts)
    scale = coordinate_scale(rows)
    scaled, _, _, _ = np.linalg.lstsq(root[:, None] * (rows / scale), sums / root, rcond=1e-12)
    return np.asarray(scaled / scale)


@one_blas_thread()
def least_squares(problem: DesignProblem, arms: Integers, counts: Integers, sums: Floats) -> Fit:
    """The estimate from so many pulls of these arms and the sums of their rewards."""
    fit = given_estimate(_theta(problem.arms[arms], counts, sums), problem, arms, counts)
    return replace(fit, pulls=Pulls(arms, counts, sums))


@one_blas_thread()
def given_estimate(theta: Floats, problem: DesignProblem, arms: Integers, counts: Integers) -> Fit:
    """An estimate from so many pulls of these arms that is known already, with the norm of its errors."""
    weights = np.zeros(len(problem.arms))
    weights[arms] = counts
    return Fit(theta, problem, Information.of(problem.geometry.arms, weights).inverse_root)


@one_blas_thread()
def separations(fit: Fit, width: Callable[[Floats], Floats]) -> tuple[Integers, Integers, Floats, Floats]:
    """Survivors that another one beats by at least the width, by whom, and the two numbers.

    Survivors that are equal in R^d share a fate and never beat each other (docs/decisions.md, 1). The one named is the
    one that wins by most.

    Parameters
    ----------
    fit
        The estimate of the round.
    width
        From norms ‖ψ(z′) − ψ(z)‖_{A⁻¹} to widths.
    """
    geometry = fit.problem.geometry
    directions = geometry.directions
    if not isinstance(directions, PairDirections):
        nobody = np.empty(0, dtype=np.int64)
        return nobody, nobody, np.empty(0), np.empty(0)
    value = fit.estimates[geometry.kept]
    gaps = value[:, None] - value[None, :]  # of z′ (row) over z (column)
    widths = width(geometry.unit * np.sqrt(squared_distances(directions.points @ fit.inverse_root)))
    margin = gaps - widths
    np.fill_diagonal(margin, -np.inf)
    _settle(fit, value, margin, width)
    winner = margin.argmax(axis=0)
    loser = np.flatnonzero(margin[winner, np.arange(len(winner))] >= 0.0)
    beaten = np.full(len(winner), False)
    beaten[loser] = True
    leave = np.flatnonzero(beaten[geometry.place])
    group = geometry.place[leave]
    by = winner[group]
    return leave, geometry.kept[by], gaps[by, group], widths[by, group]


def _settle(fit: Fit, value: Floats, margin: Floats, width: Callable[[Floats], Floats]) -> None:
    """Give those margins their exact sign that rounding errors could have changed."""
    if fit.pulls is None:
        return
    level, steep = width(_NORMS).tolist()
    doubt = margin_doubt(fit.problem, fit.pulls, fit.inverse_root, value, steep - level)
    size = np.abs(margin)
    if float(size.min()) <= doubt:
        near = size <= doubt
        np.fill_diagonal(near, False)
        margin[near] = exact_margins(fit.problem, fit.pulls, np.argwhere(near), width)


@dataclass(frozen=True, eq=False)
class Rivals:
    """For each survivor z of a fit the z′ with the largest ⟨θ̂, ψ(z′) − ψ(z)⟩ − width(z′, z).

    Attributes
    ----------
    rival
        Position of z′ among the survivors, −1 where all survivors are equal in R^d.
    gap, width
        The two numbers of the inequality, not a number where there is no z′.
    """

    rival: Integers
    gap: Floats
    width: Floats


@one_blas_thread()
def nearest_rivals(fit: Fit, width: Callable[[Floats], Floats], keep: Integers, most: int = MOST_COMPARED) -> Rivals:
    """The pair that decides about each survivor, by the numbers that :func:`separations` has.

    Survivors that are equal in R^d share a fate and never beat each other. Of more than ``most`` distinct ones, only
    so many are compared with each other: half of them the largest estimates, for these eliminate; half those that the
    largest is nearest to eliminating. All others are compared with the largest alone.

    Parameters
    ----------
    fit
        The estimate of the round.
    width
        From norms ‖ψ(z′) − ψ(z)‖_{A⁻¹} to widths.
    keep
        Positions of survivors that are compared with the others in any case.
    """
    geometry = fit.problem.geometry
    if not isinstance(geometry.directions, PairDirections):
        count = len(geometry.place)
        return Rivals(np.full(count, -1), np.full(count, np.nan), np.full(count, np.nan))
    value = fit.estimates[geometry.kept]
    points = geometry.directions.points @ fit.inverse_root
    leader = int(value.argmax())
    rival = np.full(len(value), leader)
    gap = value[leader] - value
    reach = width(geometry.unit * np.linalg.norm(points - points[leader], axis=1))
    some = np.arange(len(value))
    if len(value) > most:
        largest = np.argsort(-value, kind="stable")[: most // 2]
        nearest = np.argsort(np.abs(gap - reach), kind="stable")[: most - most // 2]
        some = np.unique(np.concatenate([largest, nearest, geometry.place[keep]]))
    gaps = value[some][:, None] - value[some][None, :]  # of z′ (row) over z (column)
    widths = width(geometry.unit * np.sqrt(squared_distances(points[some])))
    margin = gaps - widths
    np.fill_diagonal(margin, -np.inf)
    winner, column = margin.argmax(axis=0), np.arange(len(some))
    rival[some], gap[some], reach[some] = some[winner], gaps[winner, column], widths[winner, column]
    return Rivals(geometry.kept[rival[geometry.place]], gap[geometry.place], reach[geometry.place])
