"""ROUND: from a continuous design to whole pulls, with the factor that was paid for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.blas import one_blas_thread
from gems_engine.design.information import design_value
from gems_engine.design.problem import DesignProblem
from gems_engine.errors import InputError

Form = Literal["quadratic", "linear"]
FORMS: tuple[Form, ...] = ("quadratic", "linear")
"""r_d(ζ) as (d² + d + 2)/ζ (Pukelsheim) or as 180 d/ζ² (Allen-Zhu et al.)."""


def rounding_samples(d: int, zeta: float, form: Form = "quadratic") -> float:
    """r_d(ζ): how many pulls rounding in R^d asks for to lose at most a factor 1 + ζ (section 4)."""
    check_zeta(zeta)
    if form == "quadratic":
        return (d * d + d + 2) / zeta
    if form == "linear":
        return 180.0 * d / zeta**2
    raise InputError(f"There is no form {form!r} of r_d; there are {' and '.join(FORMS)}.")


def check_zeta(zeta: float) -> float:
    """ζ itself if it is in (0, 1], where the bounds of both forms hold."""
    if not 0.0 < zeta <= 1.0:
        raise InputError(f"ζ is the factor that rounding may lose and lies above 0 and at most at 1, not at {zeta:g}.")
    return zeta


@dataclass(frozen=True, eq=False)
class Allocation:
    """Whole pulls for a design.

    Attributes
    ----------
    counts
        Pulls per arm; they sum to exactly N.
    factor
        max_y ‖y‖² under the counts, times N, over the same under the design: what rounding cost.
    support
        Number of arms that the design was reduced to before rounding.
    guaranteed
        Whether N is large enough for this support that the factor is at most 1 + ζ by theory, whatever the design:
        N ≥ p(1+ζ)/ζ. With r_d = 180 d/ζ² this has to be looked at; (d²+d+2)/ζ implies it.
    """

    counts: Integers
    factor: float
    support: int
    guaranteed: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", frozen(self.counts, dtype=np.int64))

    @property
    def total(self) -> int:
        """N."""
        return int(self.counts.sum())


@one_blas_thread()
def allocate(
    problem: DesignProblem, weights: Floats, pulls: int, zeta: float, value: float | None = None
) -> Allocation:
    """Round a design to exactly this many pulls.

    Parameters
    ----------
    problem
        What the design is for.
    weights
        λ, a point of the simplex.
    pulls
        N.
    zeta
        The factor 1 + ζ that may be lost; decides how far the support has to be reduced.
    value
        The design's value, if the caller knows it.
    """
    check_zeta(zeta)
    if pulls < 1:
        raise InputError(f"A design can be rounded to 1 pull or more, not to {pulls}.")
    geometry = problem.geometry
    if value is None:
        value = design_value(geometry, weights)
    few = weights
    if np.count_nonzero(few) * (1.0 + zeta) > pulls * zeta:
        few = reduce_support(geometry.arms, few)
    support = int(np.count_nonzero(few))
    counts = apportion(few, pulls)
    reached = design_value(geometry, counts / pulls)
    return Allocation(
        counts=counts,
        factor=1.0 if value == 0.0 else reached / value,
        support=support,
        guaranteed=support * (1.0 + zeta) <= pulls * zeta,
    )


def apportion(weights: Floats, pulls: int) -> Integers:
    """Pukelsheim's efficient apportionment: counts n with Σn = N and n_x ≥ (1 − p/N)·N·λ_x on p arms."""
    on = np.flatnonzero(weights)
    share = weights[on] / weights[on].sum()
    counts = np.ceil(max(pulls - len(on) / 2.0, 0.0) * share).astype(np.int64)
    for _ in range(int(counts.sum()) - pulls):
        counts[int(np.where(counts > 0, (counts - 1) / share, -np.inf).argmax())] -= 1
    for _ in range(pulls - int(counts.sum())):
        counts[int((counts / share).argmin())] += 1
    result = np.zeros(len(weights), dtype=np.int64)
    result[on] = counts
    return result


def reduce_support(arms: Floats, weights: Floats) -> Floats:
    """The same information matrix or a larger one on at most r(r+1)/2 arms (Carathéodory).

    Σ n_x x xᵀ = 0 has a solution on more arms than that; moving λ along it until an entry is zero leaves A as it is,
    and in the direction of not growing Σλ, so that the final scaling to 1 can only help.
    """
    on = np.flatnonzero(weights)
    rank = arms.shape[1]
    upper = np.triu_indices(rank)
    limit = len(upper[0])
    surplus = len(on) - limit
    if surplus <= 0:
        return weights
    products = arms[on][:, upper[0]] * arms[on][:, upper[1]]
    full, _ = np.linalg.qr(products, mode="complete")
    free = full[:, limit:]
    mass = weights[on].copy()
    for _ in range(surplus):
        move = free[:, 0] if free[:, 0].sum() >= 0.0 else -free[:, 0]
        # With Σ move ≥ 0 some entry is positive; where none clearly is, nothing can be left out.
        positive = move > 1e-12 * np.abs(move).max()
        ratio = np.where(positive, mass / np.where(positive, move, 1.0), np.inf)
        gone = int(ratio.argmin())
        mass = np.maximum(mass - ratio[gone] * move, 0.0)
        mass[gone] = 0.0
        free = free[:, 1:] - np.outer(move, free[gone, 1:] / move[gone])
        free[mass == 0.0] = 0.0  # up to rounding they are: what is gone stays gone
        size = np.linalg.norm(free, axis=0)
        free = free / np.where(size > 0.0, size, 1.0)
    reduced = np.zeros_like(weights)
    reduced[on] = mass / mass.sum()
    return reduced
