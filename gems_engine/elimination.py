"""Least squares from sums per arm, and which targets it separates: pairs without listing pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.blas import one_blas_thread
from gems_engine.design.information import Information
from gems_engine.design.problem import DesignProblem, PairDirections, coordinate_scale

NEAR = 1e-6
"""Below this part of the two squared norms, the squared norm of a difference is computed from the difference itself."""


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
    """

    theta: Floats
    problem: DesignProblem
    inverse_root: Floats

    @property
    def estimates(self) -> Floats:
        """⟨θ̂, ψ(z)⟩ for every survivor."""
        assert self.problem.targets is not None
        return np.asarray(self.problem.targets @ self.theta)


@one_blas_thread()
def least_squares(problem: DesignProblem, arms: Integers, counts: Integers, sums: Floats) -> Fit:
    """The estimate from so many pulls of these arms and the sums of their rewards."""
    rows = problem.arms[arms]
    root = np.sqrt(counts)
    scale = coordinate_scale(rows)
    scaled, _, _, _ = np.linalg.lstsq(root[:, None] * (rows / scale), sums / root, rcond=1e-12)
    weights = np.zeros(len(problem.arms))
    weights[arms] = counts
    information = Information.of(problem.geometry.arms, weights)
    return Fit(scaled / scale, problem, information.inverse_root)


@one_blas_thread()
def separations(fit: Fit, width: Callable[[Floats], Floats]) -> tuple[Integers, Integers, Floats, Floats]:
    """Survivors that another one beats by at least the width, by whom, and the two numbers.

    Survivors that are equal in R^d share a fate and never beat each other (method.md, decision 1). The one named is the
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
    widths = width(geometry.unit * distances(directions.points @ fit.inverse_root))
    margin = gaps - widths
    np.fill_diagonal(margin, -np.inf)
    winner = margin.argmax(axis=0)
    loser = np.flatnonzero(margin[winner, np.arange(len(winner))] >= 0.0)
    beaten = np.full(len(winner), False)
    beaten[loser] = True
    leave = np.flatnonzero(beaten[geometry.place])
    group = geometry.place[leave]
    by = winner[group]
    return leave, geometry.kept[by], gaps[by, group], widths[by, group]


def distances(points: Floats) -> Floats:
    """Distances between all rows, exact also for rows that nearly agree."""
    squares = np.einsum("ij,ij->i", points, points)
    total = squares[:, None] + squares[None, :]
    table = total - 2.0 * (points @ points.T)
    i, j = np.nonzero(table < NEAR * total)
    difference = points[i] - points[j]
    table[i, j] = np.einsum("ij,ij->i", difference, difference)
    return np.asarray(np.sqrt(table))
