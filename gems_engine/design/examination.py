"""A full analysis of a design: its proof, its worst direction, the norm of every direction, the spectrum of A.

Given weights are examined in a few milliseconds, so that the effect of moving one of them is visible immediately.
What is drawn is :mod:`gems_engine.design.equivalence`. What is proven is Cauchy–Schwarz's bound (see
:mod:`gems_engine.design.certificate`): it is valid for any multipliers w of the directions, and that of a solved design
of the same problem holds for all weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen, relative_gap, squared_distances
from gems_engine.blas import one_blas_thread
from gems_engine.design.certificate import Proof, proven_bound, strongest_proof
from gems_engine.design.directions import PairDirections
from gems_engine.design.equivalence import Equivalence, equivalence_in, equivalence_of
from gems_engine.design.information import Spectrum
from gems_engine.design.minimax import ROUNDS
from gems_engine.design.norm_frame import NormFrame
from gems_engine.design.problem import DesignProblem, Geometry
from gems_engine.design.proof import between
from gems_engine.design.result import Design
from gems_engine.design.shares import check_weights

Pair = tuple[int, int]
_QUICK = 12  # rounds of the search for w while a weight is dragged: enough unless A(λ) is singular


@dataclass(frozen=True, eq=False)
class Examination:
    """The analysis of a design for the differences of a set of targets.

    Attributes
    ----------
    weights
        λ, summing to one.
    value
        max_y yᵀA(λ)⁻¹y; ∞ where the weights leave out what a direction needs.
    lower_bound, upper_bound
        Proven, rounding errors included: of the optimum from below, by these weights or by a design they were examined
        with, and of the value of these weights from above.
    own_bound
        What these weights prove by themselves; 0 where they prove nothing.
    worst
        A pair of targets (positions in the problem) that attains the value; None where all directions are zero.
    equivalence
        Which arms should have more weight and which less, the active pairs, and how to change the weights.
    proof_pairs, proof_weights
        The pairs that `own_bound` rests on and their w, summing to one. They explain the bound and nothing else.
    spectrum
        Of A(λ) in the coordinates of the features.
    """

    weights: Floats
    value: float
    lower_bound: float
    upper_bound: float
    own_bound: float
    worst: Pair | None
    equivalence: Equivalence
    proof_pairs: tuple[Pair, ...]
    proof_weights: Floats
    spectrum: Spectrum
    place: Integers
    """For every target the row of `white` that is its."""
    white: Floats
    """Targets in coordinates in which the norm of A(λ)⁻¹ is the length; equal ones share a row."""
    outside: Floats
    """A column of numbers, if A(λ) loses a direction: targets with different ones differ outside of its range."""

    def __post_init__(self) -> None:
        for name in ("weights", "proof_weights", "white", "outside"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def gap(self) -> float:
        """The weights are proven to be within this part of the optimum."""
        return relative_gap(self.upper_bound, self.lower_bound)

    @property
    def support(self) -> Integers:
        """Arms with a weight."""
        return np.flatnonzero(self.weights).astype(np.int64)

    @property
    def eigenvalues(self) -> Floats:
        """Of A(λ), largest first; those of its null space are 0."""
        return self.spectrum.eigenvalues

    @property
    def rank(self) -> int:
        """Of A(λ)."""
        return self.spectrum.rank

    @property
    def condition(self) -> float:
        """Condition number of A(λ) on its range."""
        return self.spectrum.condition

    @cached_property
    def norms(self) -> Floats:
        """‖ψ(z) − ψ(z′)‖² in the norm of A(λ)⁻¹ for all pairs of targets, a table; ∞ outside of the range of A."""
        table = squared_distances(self.white)
        if self.outside.shape[1]:
            table[squared_distances(self.outside) > 0.5] = np.inf
        return frozen(table[np.ix_(self.place, self.place)])


@one_blas_thread()
def examine(
    problem: DesignProblem, weights: ArrayLike, designs: Sequence[Design] = (), thorough: bool = False
) -> Examination:
    """Examine given weights.

    Parameters
    ----------
    problem
        Arms, and targets whose differences are the directions.
    weights
        One per arm; they are scaled to sum to one.
    designs
        Solved designs of the same problem: their bounds hold here too, and their multipliers are tried in the proof.
    thorough
        Search for the multipliers that prove most, by linear program, where there are not too many arms.
    """
    share = check_weights(weights, len(problem.arms))
    geometry = problem.geometry
    directions = geometry.directions
    lower = max((each.lower_bound for each in designs), default=0.0)
    spectrum = Spectrum.of(problem.arms, share)
    if directions is None:
        return _trivial(problem, share, spectrum)
    assert isinstance(directions, PairDirections), "the differences of targets are examined, not listed directions"
    frame = NormFrame.of(problem, share)
    value, key = frame.value * geometry.unit**2, frame.longest
    proof, own = Proof(0.0, np.empty(0, np.int64), np.empty(0)), 0.0
    if np.isfinite(value):
        proof, own = _best(problem, frame, designs, thorough)
    lower = max(lower, own)
    value = between(value, lower, frame.upper)
    return Examination(
        share,
        value,
        lower,
        frame.upper,
        own,
        _pair(geometry, key),
        equivalence_in(problem, frame, share, relative_gap(value, lower), ROUNDS if thorough else _QUICK),
        tuple(_pair(geometry, int(each)) for each in proof.keys),
        proof.w,
        spectrum,
        geometry.place,
        *_coordinates(geometry, frame),
    )


@one_blas_thread()
def examine_design(problem: DesignProblem, design: Design) -> Examination:
    """Examine a solved design: with its own proof, which also holds where the optimal A is singular."""
    geometry = problem.geometry
    directions = geometry.directions
    spectrum = Spectrum.of(problem.arms, design.weights)
    if directions is None:
        return _trivial(problem, design.weights, spectrum)
    assert isinstance(directions, PairDirections), "the differences of targets are examined, not listed directions"
    frame = NormFrame.of(problem, design.weights)
    pairs: tuple[Pair, ...] = tuple(each for each in design.dual_keys if isinstance(each, tuple))
    return Examination(
        design.weights,
        design.value if np.isfinite(frame.value) else np.inf,
        design.lower_bound,
        design.upper_bound,
        design.lower_bound,
        _pair(geometry, frame.longest),
        equivalence_in(problem, frame, design.weights, design.gap, ROUNDS),
        pairs,
        design.dual_weights,
        spectrum,
        geometry.place,
        *_coordinates(geometry, frame),
    )


def _best(problem: DesignProblem, frame: NormFrame, designs: Sequence[Design], thorough: bool) -> tuple[Proof, float]:
    """The best available proof, and the bound that it proves."""
    value = frame.value * problem.geometry.unit**2
    for design in designs:
        # Proven optimal. Where A(λ) is singular A⁻¹y is not the u that shows it; the solver's own u is.
        if relative_gap(value, design.lower_bound) <= design.tolerance and design.is_certified:
            found = Proof(design.lower_bound, problem.keys_of(design.dual_keys), design.dual_weights)
            return found, design.lower_bound
    tried = [(problem.keys_of(each.dual_keys), np.asarray(each.dual_weights)) for each in designs if each.dual_keys]
    best = strongest_proof(frame, tried, thorough)
    return best, proven_bound(problem, frame, best)


def _trivial(problem: DesignProblem, weights: Floats, spectrum: Spectrum) -> Examination:
    """All directions are zero, so any weights are optimal."""
    place = problem.geometry.place
    nothing = np.zeros((len(problem.geometry.kept), 0))
    seen = equivalence_of(problem, weights)
    return Examination(weights, 0.0, 0.0, 0.0, 0.0, None, seen, (), np.empty(0), spectrum, place, nothing, nothing)


def _coordinates(geometry: Geometry, frame: NormFrame) -> tuple[Floats, Floats]:
    """The targets in the norm of A⁻¹, and the groups that differ outside of its range."""
    outside = frame.groups[:, None].astype(np.float64) if frame.groups.any() else np.empty((len(frame.groups), 0))
    return frame.points * geometry.unit, outside


def _pair(geometry: Geometry, key: int) -> Pair:
    one, other = divmod(key, len(geometry.kept))
    return int(geometry.kept[one]), int(geometry.kept[other])
