"""Least squares from sums per arm, the targets that it eliminates, and the pair that decides about each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen, sealed, squared_distances
from gems_engine.blas import one_blas_thread
from gems_engine.design.directions import PairDirections
from gems_engine.design.information import Information, sure_root
from gems_engine.design.norm_frame import exact_value
from gems_engine.design.problem import DesignProblem, coordinate_scale
from gems_engine.independent import IndependentArms
from gems_engine.margins import Doubt, IndependentDoubt, Width, exact_margins

_NONE = frozen((), np.int64), frozen((), np.int64), frozen(()), frozen(())

FEW_TARGETS = 512
"""Up to this many targets, one table has the norms of all pairs. Of more, blocks of rows are compared in turn."""

BLOCK = 32
"""Rows of a block: its tables stay in the cache."""

MOST_COMPARED = 240
"""Up to this number of survivors, all pairs are compared to explain a decision; beyond it, only the closest ones."""


@dataclass(frozen=True, eq=False)
class Norm:
    """‖·‖_{A⁻¹} with A = Σ n_x ψ(x)ψ(x)ᵀ, the norm of the errors of an estimate; it does not depend on rewards.

    Attributes
    ----------
    problem
        The design problem of the round: its targets are the survivors.
    arms, counts
        The arms pulled, and how often.
    """

    problem: DesignProblem
    arms: Integers
    counts: Integers

    @cached_property
    def independent(self) -> IndependentArms | None:
        """The pulled arms, if they are linearly independent and sufficient."""
        return self.problem.once(IndependentArms.of, self.arms)

    @cached_property
    def _weights(self) -> Floats:
        weights = np.zeros(len(self.problem.arms))
        weights[self.arms] = self.counts
        return weights

    @cached_property
    def _information(self) -> Information:
        return Information.of(self.problem.geometry.arms, self._weights)

    @cached_property
    def _sure_root(self) -> Floats | None:
        geometry = self.problem.geometry
        condition = 1.0 if geometry.frame is None else geometry.frame.condition
        return sure_root(geometry.arms[self.arms], self.counts.astype(np.float64), condition)

    @cached_property
    def inverse_root(self) -> Floats:
        """yᵀA⁻¹y = ‖y·inverse_root‖² in the coordinates and the unit of the problem's geometry."""
        if self.independent is not None:
            return np.asarray(self.independent.inverse / np.sqrt(self.counts))
        return self._information.inverse_root if self._sure_root is None else self._sure_root

    @property
    def _is_sure(self) -> bool:
        """Whether rounding hides nothing."""
        if self.independent is not None or self._sure_root is not None:
            return True
        return self._information.is_sure(self.problem, self._weights)

    @property
    def longest(self) -> float:
        """max_y yᵀA⁻¹y over all directions; ∞ if the pulls do not determine one of them."""
        geometry = self.problem.geometry
        if geometry.directions is None:
            return 0.0
        if not self._is_sure:
            return exact_value(self.problem, self._weights)
        if isinstance(geometry.directions, PairDirections) and len(geometry.kept) <= FEW_TARGETS:
            return float(np.maximum.reduce(self.of_pairs, axis=None)) ** 2
        return geometry.directions.length(self.inverse_root) * geometry.unit**2

    @cached_property
    def of_pairs(self) -> Floats:
        """‖ψ(z′) − ψ(z)‖_{A⁻¹} for all pairs of the kept targets."""
        return self._from(slice(None))

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """The rows of :attr:`of_pairs`: all at once of few targets, else in turn."""
        kept = len(self.problem.geometry.kept)
        if kept <= FEW_TARGETS:
            yield slice(0, kept), self.of_pairs
            return
        for start in range(0, kept, BLOCK):
            some = slice(start, min(start + BLOCK, kept))
            yield some, self._from(some)

    @cached_property
    def _points(self) -> Floats:
        """The kept targets in coordinates in which the norm is the length, in the geometry's unit."""
        directions = self.problem.geometry.directions
        assert isinstance(directions, PairDirections)
        return directions.points @ self.inverse_root

    def _from(self, some: slice) -> Floats:
        """‖ψ(z′) − ψ(z)‖_{A⁻¹} for some kept targets z (rows) and all z′."""
        if self.independent is not None:
            norms = np.sqrt(self.independent.squares(self.counts, some))
        else:
            norms = np.sqrt(squared_distances(self._points, some))
        norms *= self.problem.geometry.unit
        return np.asarray(norms)

    @cached_property
    def _doubt(self) -> Doubt | None:
        return Doubt.of(self.problem, self.arms, self.counts, self.inverse_root)

    def doubt(self, sums: Floats, values: Floats, slope: float) -> float:
        """A bound on the error of a computed gap − width, ∞ if nothing is proven.

        Parameters
        ----------
        sums
            Sums of the rewards of the pulled arms.
        values
            The computed estimates of the kept targets.
        slope
            How much the width grows with the norm.
        """
        if self.independent is not None:
            known = self.problem.once(_independent_doubt, self.arms)
            return math.inf if known is None else known.bound(sums, self.counts, slope)
        return math.inf if self._doubt is None else self._doubt.bound(sums, values, slope)

    @cached_property
    def _equations(self) -> tuple[Floats, Floats, Floats]:
        """The rows of least squares, the √n of each, and the scale of the features, in which rows have size 1."""
        rows = self.problem.arms[self.arms]
        root = np.sqrt(self.counts)
        scale = coordinate_scale(rows)
        return root[:, None] * (rows / scale), root, scale

    @property
    def in_basis(self) -> bool:
        """Whether coordinates are taken in a basis of arms because the arms are badly scaled."""
        frame = self.problem.geometry.frame
        return frame is not None and frame.basis is not None

    @property
    def nbytes(self) -> int:
        """Approximate size in memory, without the problem."""
        pulled, kept, d = len(self.arms), len(self.problem.geometry.kept), self.problem.d
        return 8 * (min(kept, FEW_TARGETS) ** 2 + 2 * d * (pulled + kept + d)) + 1024

    def fit(self, sums: Floats) -> Fit:
        """θ̂ by least squares from the sums of the rewards; the shortest solution if there are several."""
        if self.independent is not None:
            return Fit(sealed(self.independent.estimator @ (sums / self.counts)), self, sums)
        rows, root, scale = self._equations
        scaled, _, _, _ = np.linalg.lstsq(rows, sums / root, rcond=1e-12)
        return Fit(sealed(scaled / scale), self, sums)


def _independent_doubt(problem: DesignProblem, arms: Integers) -> IndependentDoubt | None:
    independent = problem.once(IndependentArms.of, arms)
    assert independent is not None
    return IndependentDoubt.of(problem, arms, independent.inverse, independent.estimator)


@dataclass(frozen=True, eq=False)
class Fit:
    """θ̂ = A⁻¹b in R^d, and the norm of its errors.

    Attributes
    ----------
    theta
        The estimate in the first d features; if A is singular, the shortest solution in scaled features.
    norm
        The norm of the pulls that it was estimated from.
    sums
        Sums of the rewards that it was estimated from; None if only the estimate is known.
    """

    theta: Floats
    norm: Norm
    sums: Floats | None = None

    @property
    def problem(self) -> DesignProblem:
        """The design problem of the round."""
        return self.norm.problem

    @cached_property
    def estimates(self) -> Floats:
        """⟨θ̂, ψ(z)⟩ for every survivor."""
        return np.asarray(
            self.of_kept[self.problem.geometry.place]
        )  # equal targets share one, so that no last digit decides

    @cached_property
    def of_kept(self) -> Floats:
        """⟨θ̂, ψ(z)⟩ for the first of each group of equal survivors."""
        value = self.problem.kept_targets @ self.theta
        if self.norm.in_basis and self.norm.independent is None and self.sums is not None:
            value = value[0] + self._differences()  # avoids cancellation in the features of θ̂
        return np.asarray(value)

    def _differences(self) -> Floats:
        """⟨θ̂, ψ(z) − ψ(z_0)⟩ for the kept targets, in the coordinates of the geometry."""
        geometry, root = self.problem.geometry, self.norm.inverse_root
        assert self.sums is not None
        assert isinstance(geometry.directions, PairDirections)
        q = self.sums @ (geometry.arms[self.norm.arms] @ root)
        return np.asarray(geometry.directions.points @ (root @ q) * geometry.unit)


@one_blas_thread()
def least_squares(problem: DesignProblem, arms: Integers, counts: Integers, sums: Floats) -> Fit:
    """The estimate from these pulls and the sums of their rewards."""
    return Norm(problem, arms, counts).fit(sums)


def given_estimate(theta: Floats, problem: DesignProblem, arms: Integers, counts: Integers) -> Fit:
    """A known estimate from these pulls, with the norm of its errors."""
    return Fit(theta, Norm(problem, arms, counts))


@one_blas_thread()
def separations(fit: Fit, width: Width) -> tuple[Integers, Integers, Floats, Floats]:
    """Survivors that another one beats by at least the width, the one that beats them, the gap and the width.

    Survivors that are equal in R^d share their fate and never beat each other (docs/decisions.md, 1). Of several that
    beat a survivor, the one with the largest margin is returned.

    Parameters
    ----------
    fit
        The estimate of the round.
    width
        The width that a gap must reach.
    """
    geometry = fit.problem.geometry
    if not isinstance(geometry.directions, PairDirections):
        return _NONE
    # If the rewards are not known, the margins are as computed.
    doubt = 0.0 if fit.sums is None else fit.norm.doubt(fit.sums, fit.of_kept, width.slope)
    found = [each for block in fit.norm.blocks() if (each := _contests(fit, width, doubt, *block)) is not None]
    if not found:
        return _NONE
    z, by, margins, gaps, widths = (np.concatenate(each) for each in zip(*found, strict=True))
    _settle(fit, z, by, margins, width)
    order = np.lexsort((by, -margins, z))
    order = order[margins[order] >= 0.0]
    beaten, first = np.unique(z[order], return_index=True)
    group = np.full(len(fit.of_kept), -1)
    group[beaten] = order[first]
    of_each = group[geometry.place]
    leave = np.flatnonzero(of_each >= 0)
    won = of_each[leave]
    return leave, geometry.kept[by[won]], gaps[won], widths[won]


def _contests(
    fit: Fit, width: Width, doubt: float, some: slice, norms: Floats
) -> tuple[Integers, Integers, Floats, Floats, Floats] | None:
    """Pairs in which z′ may eliminate z: z, z′, margin, gap and width.

    For every z, this is the z′ with the largest margin, and all pairs whose margin rounding errors may have changed:
    these have the margin NaN.

    Parameters
    ----------
    doubt
        How far a margin may be off.
    some
        The kept targets z.
    norms
        Of ψ(z′) − ψ(z) for these (rows) and all z′ (columns).
    """
    value = fit.of_kept
    gaps = value - value[some, None]
    widths = width(norms)
    margin = gaps - widths
    rows = np.arange(len(margin))
    margin[rows, rows + some.start] = -np.inf
    if np.maximum.reduce(margin, axis=None) < -doubt:
        return None
    open_ones = np.abs(margin) <= doubt if fit.sums is not None else np.zeros(margin.shape, dtype=bool)
    open_ones[rows, rows + some.start] = False
    near = open_ones.nonzero()
    margin[near] = -np.inf
    best = margin.argmax(axis=1)
    beaten = np.flatnonzero(margin[rows, best] >= 0.0)
    z, by = np.concatenate([beaten, near[0]]), np.concatenate([best[beaten], near[1]])
    margins = np.full(len(z), np.nan)
    margins[: len(beaten)] = margin[beaten, best[beaten]]
    return z + some.start, by, margins, gaps[z, by], widths[z, by]


def _settle(fit: Fit, z: Integers, by: Integers, margins: Floats, width: Width) -> None:
    """Give margins their exact sign where rounding errors could have changed it."""
    near = np.flatnonzero(np.isnan(margins))
    if len(near):
        assert fit.sums is not None
        pairs = np.column_stack([by[near], z[near]])
        margins[near] = exact_margins(fit.problem, fit.norm.arms, fit.norm.counts, fit.sums, pairs, width)


@dataclass(frozen=True, eq=False)
class Rivals:
    """For each survivor z of a fit the z′ with the largest ⟨θ̂, ψ(z′) − ψ(z)⟩ − width(z′, z).

    Attributes
    ----------
    rival
        Position of z′ among the survivors, −1 if all survivors are equal in R^d.
    gap, width
        The two numbers of the inequality, NaN if there is no z′.
    """

    rival: Integers
    gap: Floats
    width: Floats


@one_blas_thread()
def nearest_rivals(fit: Fit, width: Width, keep: Integers, most: int = MOST_COMPARED) -> Rivals:
    """The pair that decides about each survivor, by the numbers of :func:`separations`.

    Survivors that are equal in R^d share their fate and never beat each other. If there are more than ``most`` distinct
    ones, only ``most`` of them are compared with each other: half are those with the largest estimates, which eliminate
    others; half are those closest to being eliminated by the largest. All others are compared with the largest alone.

    Parameters
    ----------
    fit
        The estimate of the round.
    width
        The width that a gap must reach.
    keep
        Positions of survivors that are always compared with the others.
    """
    geometry = fit.problem.geometry
    if not isinstance(geometry.directions, PairDirections):
        count = len(geometry.place)
        return Rivals(np.full(count, -1), np.full(count, np.nan), np.full(count, np.nan))
    value = fit.of_kept
    points = geometry.directions.points @ fit.norm.inverse_root
    leader = int(value.argmax())
    rival = np.full(len(value), leader)
    gap = value[leader] - value
    reach = width(geometry.unit * np.linalg.norm(points - points[leader], axis=1))
    some = np.arange(len(value))
    if len(value) > most:
        largest = np.argsort(-value, kind="stable")[: most // 2]
        nearest = np.argsort(np.abs(gap - reach), kind="stable")[: most - most // 2]
        some = np.unique(np.concatenate([largest, nearest, geometry.place[keep]]))
        norms = geometry.unit * np.sqrt(squared_distances(points[some]))
    else:
        norms = fit.norm.of_pairs
    gaps = value[some][:, None] - value[some][None, :]  # of z′ (row) over z (column)
    widths = width(norms)
    margin = gaps - widths
    np.fill_diagonal(margin, -np.inf)
    winner, column = margin.argmax(axis=0), np.arange(len(some))
    rival[some], gap[some], reach[some] = some[winner], gaps[winner, column], widths[winner, column]
    return Rivals(geometry.kept[rival[geometry.place]], gap[geometry.place], reach[geometry.place])
