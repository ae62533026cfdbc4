"""ROUND: from a continuous design to whole pulls, and the factor that this costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats, Integers, frozen, sealed, trimmed
from gems_engine.blas import one_blas_thread
from gems_engine.design.norm_frame import value_of
from gems_engine.design.problem import DesignProblem
from gems_engine.design.shares import check_weights
from gems_engine.elimination import Norm
from gems_engine.errors import InputError, quoted
from gems_engine.index_text import targets_text

__all__ = ["Allocation", "allocate", "rounding_samples"]

Form = Literal["quadratic", "linear"]
FORMS: tuple[Form, ...] = ("quadratic", "linear")
"""r_d(ζ) as (d² + d + 2)/ζ (Pukelsheim) or as 180 d/ζ² (Allen-Zhu et al.)."""


SMALLEST_ZETA = 1e-6
MOST_PULLS = 10**15


def rounding_samples(d: int, zeta: float, form: Form = "quadratic") -> float:
    """r_d(ζ): the number of pulls with which rounding in R^d costs at most a factor 1 + ζ (section 4).

    Parameters
    ----------
    d : int
        The dimension.
    zeta : float
        ζ, above 0 and at most 1.
    form : {"quadratic", "linear"}
        (d² + d + 2)/ζ, or 180 d/ζ².

    Returns
    -------
    float
        r_d(ζ).

    Examples
    --------
    >>> from gems_engine.rounding import rounding_samples
    >>> rounding_samples(9, zeta=1.0)
    92.0
    """
    check_zeta(zeta)
    if form == "quadratic":
        return (d * d + d + 2) / zeta
    if form == "linear":
        return 180.0 * d / zeta**2
    raise InputError(f"There is no form {quoted(str(form))} of r_d. Choose {' or '.join(FORMS)}.")


def check_zeta(zeta: float) -> float:
    """Return ζ if it is at most 1, where the bounds of both forms hold, and not extremely small."""
    if not SMALLEST_ZETA <= zeta <= 1.0:
        raise InputError(f"ζ, the loss allowed in rounding, must be from {SMALLEST_ZETA:g} to 1, not {zeta:g}.")
    return zeta


@dataclass(frozen=True, eq=False)
class Allocation:
    """Whole pulls for a design.

    Attributes
    ----------
    counts
        Pulls per arm; they sum to exactly N.
    factor
        max_y ‖y‖² under the counts, times N, over the same under the design: what rounding cost; ∞ if the counts do not
        determine a direction.
    support
        Number of arms that the design was reduced to before rounding.
    guaranteed
        Whether N is large enough for this support to guarantee a factor of at most 1 + ζ for any design:
        N ≥ p(1+ζ)/ζ. With r_d = 180 d/ζ² this must be checked; (d²+d+2)/ζ implies it.
    norm
        The norm of the errors of an estimate from these pulls.
    """

    counts: Integers
    factor: float
    support: int
    guaranteed: bool
    norm: Norm

    @property
    def total(self) -> int:
        """N."""
        return int(self.counts.sum())

    @property
    def nbytes(self) -> int:
        """Approximate size in memory, without the problem."""
        return self.counts.nbytes + self.norm.nbytes

    @one_blas_thread()
    def without_lost(self, observed: Integers, value: float) -> Allocation:
        """The pulls whose rewards were observed; the others are lost.

        Parameters
        ----------
        observed
            The number of rewards of each of the arms that were pulled.
        value
            The design's value.

        Raises
        ------
        InputError
            If they do not determine every direction, unlike the whole allocation; it names arms to pull.
        """
        arms, some = self.norm.arms, observed > 0
        norm = Norm(self.norm.problem, sealed(arms[some]), sealed(observed[some]))
        reached = norm.longest * int(observed.sum()) if some.any() else np.inf
        if np.isinf(reached) and np.isfinite(self.factor):
            needed = targets_text(self._needed(some))
            raise InputError(
                "The remaining rewards do not determine the estimate of this round. Pull each of these arms at "
                f"least once more: {needed}."
            )
        counts = np.zeros_like(self.counts)
        counts[arms[some]] = observed[some]
        factor = 1.0 if value == 0.0 else np.inf if np.isinf(reached) else reached / value
        return Allocation(sealed(counts), factor, len(norm.arms), False, norm)

    def _needed(self, observed: NDArray[np.bool_]) -> list[int]:
        """Arms of the allocation that determine every direction with those that were observed."""
        arms, rows = self.norm.arms, self.norm.problem.geometry.arms[self.norm.arms]
        order = np.concatenate([np.flatnonzero(observed), np.flatnonzero(~observed)])
        basis = np.zeros((0, rows.shape[1]))
        needed = []
        for at in order.tolist():
            rest = rows[at] - basis.T @ (basis @ rows[at])
            rest -= basis.T @ (basis @ rest)  # twice is enough
            if np.linalg.norm(rest) > 1e-9 * np.linalg.norm(rows[at]):
                basis = np.vstack([basis, rest / np.linalg.norm(rest)])
                if not observed[at]:
                    needed.append(at)
        chosen = observed.copy()
        chosen[needed] = True
        if np.isinf(Norm(self.norm.problem, sealed(arms[chosen]), sealed(self.norm.counts[chosen])).longest):
            needed = np.flatnonzero(~observed).tolist()  # doubles do not decide
        return sorted(arms[needed].tolist())


@dataclass(frozen=True, eq=False)
class Rounding:
    """The part of rounding a design that does not depend on the number of pulls.

    Attributes
    ----------
    problem
        The design problem.
    weights
        λ, which sums to one.
    zeta
        The allowed loss is a factor 1 + ζ; decides how far the support must be reduced.
    value
        The design's value.
    """

    problem: DesignProblem
    weights: Floats
    zeta: float
    value: float

    @property
    def nbytes(self) -> int:
        """Approximate size in memory, without the problem."""
        return 4 * self.weights.nbytes + 512

    @cached_property
    def _whole(self) -> tuple[Integers, Floats]:
        return _shares(self.weights)

    @cached_property
    def _reduced(self) -> tuple[Integers, Floats]:
        return _shares(reduce_support(self.problem.geometry.arms, self.weights))

    @one_blas_thread()
    def to(self, pulls: int) -> Allocation:
        """Exactly this many pulls."""
        if not 1 <= pulls <= MOST_PULLS:
            raise InputError(
                f"A design can be rounded to a number of pulls from 1 to {MOST_PULLS:.0e}, not to {pulls}."
            )
        support, share = self._whole if self._guarantees(len(self._whole[0]), pulls) else self._reduced
        some = _apportioned(share, pulls)
        counts = np.zeros(len(self.weights), dtype=np.int64)
        counts[support] = some
        arms = support
        if not some.all():
            arms, some = sealed(support[some > 0]), some[some > 0]
        norm = Norm(self.problem, arms, sealed(some))
        reached = norm.longest * pulls
        return Allocation(
            counts=sealed(counts),
            factor=1.0 if self.value == 0.0 else np.inf if np.isinf(reached) else reached / self.value,
            support=len(support),
            guaranteed=self._guarantees(len(support), pulls),
            norm=norm,
        )

    def _guarantees(self, arms: int, pulls: int) -> bool:
        """Whether these numbers of arms and pulls guarantee a loss of at most 1 + ζ for any design."""
        return arms * (1.0 + self.zeta) <= pulls * self.zeta


@one_blas_thread()
def allocate(
    problem: DesignProblem, weights: Floats, pulls: int, zeta: float, value: float | None = None
) -> Allocation:
    """Round a design to exactly this many pulls.

    Parameters
    ----------
    problem
        The design problem.
    weights
        λ; scaled to sum to one.
    pulls
        N.
    zeta
        The allowed loss is a factor 1 + ζ; decides how far the support must be reduced.
    value
        The design's value, if the caller knows it.

    Returns
    -------
    Allocation
        The pulls of each arm, and what rounding cost.

    Examples
    --------
    >>> from gems_engine.design import DesignProblem, solve_design
    >>> from gems_engine.rounding import allocate
    >>> problem = DesignProblem([[1.0, 0.0], [0.0, 1.0]], targets=[[1.0, 0.0], [0.0, 1.0]])
    >>> allocate(problem, solve_design(problem).weights, pulls=7, zeta=1.0).counts.tolist()
    [4, 3]
    """
    return rounding_of(problem, weights, zeta, value).to(pulls)


def rounding_of(problem: DesignProblem, weights: Floats, zeta: float, value: float | None = None) -> Rounding:
    """Prepare a design for rounding to any number of pulls; parameters as for :func:`allocate`."""
    check_zeta(zeta)
    weights = check_weights(weights, len(problem.arms))
    return Rounding(problem, weights, zeta, value_of(problem, weights) if value is None else value)


def apportion(weights: Floats, pulls: int) -> Integers:
    """Pukelsheim's efficient apportionment: counts n with Σn = N and n_x ≥ (1 − p/N)·N·λ_x on p arms."""
    support, share = _shares(weights)
    result = np.zeros(len(weights), dtype=np.int64)
    result[support] = _apportioned(share, pulls)
    return result


def _shares(weights: Floats) -> tuple[Integers, Floats]:
    """The arms with a weight, and their shares.

    Weights that are equal up to rounding become equal: if arms tie for a pull, the first one gets it.
    """
    support = frozen(np.flatnonzero(weights), np.int64)
    return support, trimmed(weights[support] / weights[support].sum())


def _apportioned(share: Floats, pulls: int) -> Integers:
    """The counts of the arms with these shares."""
    counts = np.ceil(max(pulls - len(share) / 2.0, 0.0) * share).astype(np.int64)
    over = int(counts.sum()) - pulls
    for _ in range(over):
        counts[int(((counts - 1) / share).argmax())] -= 1
    for _ in range(-over):
        counts[int((counts / share).argmin())] += 1
    return counts


def reduce_support(arms: Floats, weights: Floats) -> Floats:
    """The same information matrix or a larger one on at most r(r+1)/2 arms (Carathéodory).

    On more arms, Σ n_x x xᵀ = 0 has a solution; moving λ along it until an entry is zero does not change A. The
    direction is the one in which Σλ does not grow, so that the final scaling to 1 can only help.
    """
    left = np.flatnonzero(weights)
    upper = np.triu_indices(arms.shape[1])
    limit = len(upper[0])
    mass = np.array(weights, dtype=np.float64)
    portion = limit + max(64, limit // 4)  # in small portions, because the cost grows with their cube
    while len(left) > limit:
        some = left[:portion]
        mass[some] = _leave_out(arms[some][:, upper[0]] * arms[some][:, upper[1]], mass[some])
        left = left[mass[left] > 0.0]
    return np.asarray(mass / mass.sum())


def _leave_out(products: Floats, mass: Floats) -> Floats:
    """Masses with the same Σ mass·product and no larger sum, on at most as many rows as there are columns."""
    full, _ = np.linalg.qr(products, mode="complete")
    free = full[:, products.shape[1] :]  # Σ n_x x xᵀ = 0 for every column n
    while free.shape[1]:
        move = free[:, 0] if free[:, 0].sum() >= 0.0 else -free[:, 0]
        # With Σ move ≥ 0 some entry is positive, so some mass reaches 0.
        ratio = np.divide(mass, move, out=np.full_like(mass, np.inf), where=move > 1e-12 * np.abs(move).max())
        gone = int(ratio.argmin())
        mass = mass - ratio[gone] * move
        mass[gone] = 0.0
        # Several may reach 0 in the same step: all of them are dropped, and no later move may touch them again.
        for row in np.flatnonzero(mass <= 1e-15 * mass.max()):
            mass[row] = 0.0
            if not free.shape[1]:
                break
            pivot = int(np.abs(free[row]).argmax())
            if free[row, pivot] != 0.0:
                free = np.delete(free - np.outer(free[:, pivot], free[row] / free[row, pivot]), pivot, axis=1)
            free[row] = 0.0
        size = np.linalg.norm(free, axis=0)
        free = free[:, size > 1e-12] / size[size > 1e-12]
    return np.maximum(mass, 0.0)
