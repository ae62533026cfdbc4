"""A design looked at from all sides: what it proves, what it is worst for, every direction's norm, the spectrum of A.

Weights from anywhere are examined in a few milliseconds, so that a hand may move one of them and see what follows.
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
from gems_engine.design.information import Information, spectrum
from gems_engine.design.minimax import ROUNDS
from gems_engine.design.norm_frame import NormFrame
from gems_engine.design.problem import DesignProblem, Geometry
from gems_engine.design.proof import between, upper_bound
from gems_engine.design.result import Design
from gems_engine.design.shares import check_weights

Pair = tuple[int, int]
_QUICK = 12  # rounds of the search for w while a hand drags: enough unless A(λ) is singular


@dataclass(frozen=True, eq=False)
class Examination:
    """What there is to see of a design for the differences of a set of targets.

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
        Which arms deserve more weight and which less, the active pairs, and where to move.
    proof_pairs, proof_weights
        The pairs that `own_bound` rests on and their w, summing to one. They explain the bound and nothing else.
    eigenvalues
        Of A(λ) in the coordinates of the features, largest first; those that are nothing but rounding are 0.
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
    eigenvalues: Floats
    place: Integers
    """For every target the row of `white` that is its."""
    white: Floats
    """Targets in coordinates in which the norm of A(λ)⁻¹ is the length; equal ones share a row."""
    outside: Floats
    """Their parts outside of the range of A(λ), in units of what rounding explains."""

    def __post_init__(self) -> None:
        for name in ("weights", "proof_weights", "eigenvalues", "white", "outside"):
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
    def rank(self) -> int:
        """Of A(λ)."""
        return int(np.count_nonzero(self.eigenvalues))

    @property
    def condition(self) -> float:
        """Condition number of A(λ) on its range."""
        return float(self.eigenvalues[0] / self.eigenvalues[self.rank - 1]) if self.rank else np.inf

    @cached_property
    def norms(self) -> Floats:
        """‖ψ(z) − ψ(z′)‖² in the norm of A(λ)⁻¹ for all pairs of targets, a table; ∞ outside of the range of A."""
        table = squared_distances(self.white)
        if self.outside.shape[1]:
            table[squared_distances(self.outside) > 1.0] = np.inf
        return frozen(table[np.ix_(self.place, self.place)])


@one_blas_thread()
def examine(
    problem: DesignProblem, weights: ArrayLike, designs: Sequence[Design] = (), thorough: bool = False
) -> Examination:
    """Examine weights from anywhere.

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
    eigenvalues = spectrum(problem.arms, share)
    if directions is None:
        return _trivial(problem, share, eigenvalues)
    assert isinstance(directions, PairDirections), "the differences of targets are examined, not listed directions"
    frame = NormFrame.of(problem, share)
    value, key = frame.value * geometry.unit**2, frame.longest
    proof, own, upper = Proof(0.0, np.empty(0, np.int64), np.empty(0)), 0.0, np.inf
    if np.isfinite(value):
        proof, own = _best(problem, frame.information, frame.value, key, designs, thorough)
        upper = upper_bound(problem, share, value)
    lower = max(lower, own)
    value = between(value, lower, upper)
    return Examination(
        share,
        value,
        lower,
        upper,
        own,
        _pair(geometry, key),
        equivalence_in(problem, frame, share, relative_gap(value, lower), ROUNDS if thorough else _QUICK),
        tuple(_pair(geometry, int(each)) for each in proof.keys),
        proof.w,
        eigenvalues,
        geometry.place,
        *_coordinates(geometry, directions, frame.information),
    )


@one_blas_thread()
def examine_design(problem: DesignProblem, design: Design) -> Examination:
    """Examine a solved design: with its own proof, which also holds where the optimal A is singular."""
    geometry = problem.geometry
    directions = geometry.directions
    eigenvalues = spectrum(problem.arms, design.weights)
    if directions is None:
        return _trivial(problem, design.weights, eigenvalues)
    assert isinstance(directions, PairDirections), "the differences of targets are examined, not listed directions"
    frame = NormFrame.of(problem, design.weights)
    pairs: tuple[Pair, ...] = tuple(each for each in design.dual_keys if isinstance(each, tuple))
    return Examination(
        design.weights,
        design.value,
        design.lower_bound,
        design.upper_bound,
        design.lower_bound,
        _pair(geometry, frame.longest),
        equivalence_in(problem, frame, design.weights, design.gap, ROUNDS),
        pairs,
        design.dual_weights,
        eigenvalues,
        geometry.place,
        *_coordinates(geometry, directions, frame.information),
    )


def _best(
    problem: DesignProblem,
    information: Information,
    value: float,
    longest: int,
    designs: Sequence[Design],
    thorough: bool,
) -> tuple[Proof, float]:
    """The best proof at hand, and the bound that it proves."""
    geometry = problem.geometry
    for design in designs:
        # Proven optimal. Where A(λ) is singular A⁻¹y is not the u that shows it; the solver's own u is.
        if relative_gap(value * geometry.unit**2, design.lower_bound) <= design.tolerance and design.is_certified:
            found = Proof(design.lower_bound, problem.keys_of(design.dual_keys), design.dual_weights)
            return found, design.lower_bound
    tried = [(problem.keys_of(each.dual_keys), np.asarray(each.dual_weights)) for each in designs if each.dual_keys]
    best = strongest_proof(geometry, information, value, longest, tried, thorough)
    return best, proven_bound(problem, information, best)


def _trivial(problem: DesignProblem, weights: Floats, eigenvalues: Floats) -> Examination:
    """All directions are zero: any weights do."""
    place = problem.geometry.place
    nothing = np.zeros((len(problem.geometry.kept), 0))
    seen = equivalence_of(problem, weights)
    return Examination(weights, 0.0, 0.0, 0.0, 0.0, None, seen, (), np.empty(0), eigenvalues, place, nothing, nothing)


def _coordinates(geometry: Geometry, directions: PairDirections, information: Information) -> tuple[Floats, Floats]:
    """The targets in the norm of A⁻¹, and their parts outside of its range in units of the blur."""
    outside = directions.points @ information.null
    if outside.shape[1]:
        _, scale = directions.longest(np.eye(len(information.null)))
        outside = outside / (information.blur * np.sqrt(float(scale.max())))
    return directions.points @ information.inverse_root * geometry.unit, outside


def _pair(geometry: Geometry, key: int) -> Pair:
    one, other = divmod(key, len(geometry.kept))
    return int(geometry.kept[one]), int(geometry.kept[other])
