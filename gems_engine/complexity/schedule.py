"""The schedules of the adaptive strategies: the n and B of their calls, and upper bounds on the samples."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gems_engine.complexity.ceiling_sums import ceiling_sum as ceiling_sum
from gems_engine.complexity.ceiling_sums import ceiling_sum_at_most
from gems_engine.complexity.certified import LAST_DIGITS
from gems_engine.errors import InputError
from gems_engine.parameters import shown

SMALLEST_DELTA = 1e-200
"""The smallest δ: the δ_ℓ of every loop is then above 0 and its inverse is finite."""
SMALLEST_EPSILON = 1e-50
"""The smallest ε of a goal: 1/ε² is then finite."""
MANY = 1 << 14
"""The largest number of steps of a sum for a bound; longer sums are bounded in closed form."""


def check_base(base: int) -> int:
    """Return β if it is a whole number of at least 2."""
    if isinstance(base, bool) or not isinstance(base, int | np.integer) or base < 2:
        raise InputError(
            f"base = {shown(base)} is not allowed for the schedule: it must be a whole number of at least 2."
        )
    return int(base)


def exponent(value: float, base: int = 2, least: int = 0) -> int:
    """⌈log_β(value)⌉ and at least ``least``, without logarithms; a value 1e-9 above a power counts as that power."""
    if not math.isfinite(value):
        raise ValueError("only finite values have an exponent")
    power, i = 1, 0
    while power * (1 + LAST_DIGITS) < value:
        power, i = power * base, i + 1
    return max(i, least)


def rounds_needed(accuracy: float) -> int:
    """n⋆ = ⌈log₂(2/Δ)⌉, at least 1: after n⋆ rounds every survivor's gap is below 2^(1−n⋆) ≤ Δ.

    Taken from the exponent of the float, so that powers of two are exact.
    """
    if not accuracy > 0:
        raise ValueError("the accuracy must be above 0")
    return max(1, 2 - math.frexp(accuracy)[1])


# -- fixed confidence ------------------------------------------------------------------------------------------


def configuration(base: int, ell: int, i: int) -> tuple[int, float]:
    """n_i = β^i and B_i = β^{ℓ−i}, limited to what a run can reach: each round takes a sample, caps end at 10^15."""
    return min(base**i, 10**18), float(min(base ** (ell - i), 10**300))


def confidence_samples(
    ell: int, targets: int, delta: float, zeta: float, base: int = 2, factor: float = 2.0, share: float = 2.0
) -> float:
    """At most Σ over ℓ ≤ ell, i ≤ ℓ, k ≤ n_i of ``⌈factor·(1+ζ)·B_i·log(|𝒵|²k²/δ_ℓ)⌉`` with δ_ℓ = δ/(share·ℓ³).

    If a call has more than ``MANY`` rounds of more than ``MANY`` different sizes, its part is an upper bound, too large
    by a relative 10⁻⁴ at most.
    No round of GEMS-c (factor 2) or GEMS-m (factor 8) takes more, since its cost is at most B_i.

    Parameters
    ----------
    ell : int
        The last loop.
    targets : int
        The number of targets in 𝒵.
    delta, zeta : float
        δ and ζ.
    base : int
        β of the schedule.
    factor, share : float
        2 and 2 for GEMS-c, 8 and 4 for GEMS-m.

    Returns
    -------
    float
        The number of samples.
    """
    total = 0.0
    for l in range(1, ell + 1):
        start = 2 * math.log(targets) + math.log(share * l**3 / delta)
        for i in range(1, l + 1):
            total += ceiling_sum_at_most(factor * (1 + zeta) * float(base ** (l - i)), start, base**i, MANY)
    return total


def validation_samples(ell: int, delta: float, epsilon: float) -> float:
    """Σ over ℓ ≤ ell of ℓ·⌈8·log(2/δ_ℓ)/ε²⌉ with δ_ℓ = δ/(4ℓ³): the validations of the misspecified strategy.

    Parameters
    ----------
    ell : int
        The last loop.
    delta, epsilon : float
        δ, and ε of the goal.

    Returns
    -------
    float
        The number of samples.
    """
    return math.fsum(l * math.ceil(8 * math.log(8 * l**3 / delta) / epsilon**2) for l in range(1, ell + 1))


# -- fixed budget ----------------------------------------------------------------------------------------------


def whole_w(t: int | float | Fraction) -> int:
    """⌊W(t)⌋ with W(t) the root of p·2^p = t: the largest whole p with p·2^p ≤ t, compared exactly.

    Parameters
    ----------
    t : int, float or Fraction
        A number of samples.

    Returns
    -------
    int
        p, or 0 if t is below 2.

    Examples
    --------
    >>> from gems_engine.complexity import whole_w
    >>> whole_w(10_000)  # 9·2⁹ ≤ 10,000 < 10·2¹⁰
    9
    """
    p = 0
    while (p + 1) << (p + 1) <= t:
        p += 1
    return p


SMALLEST_BUDGET = 8
"""The smallest 2T of a grid with a call."""


@dataclass(frozen=True)
class BudgetGrid:
    """The subroutines of the fixed-budget strategy (section 5) with 2T samples in all.

    Attributes
    ----------
    budget : int
        2T.
    p : int
        Selection budgets B_i = 2^i for i = 1, …, p.
    q : tuple of int
        q_i, for the round counts n_j = 2^j with j = 1, …, q_i; 0 if i is skipped.
    """

    budget: int
    p: int
    q: tuple[int, ...]

    @classmethod
    def of(cls, budget: int) -> "BudgetGrid":
        """The grid for a total of 2T samples, or an InputError if no subroutine fits."""
        if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or budget < SMALLEST_BUDGET:
            raise InputError(
                f"The budget 2T = {shown(budget)} is too small for a single call of GEMS-b: it must be a whole number "
                f"of at least {SMALLEST_BUDGET}."
            )
        p = whole_w(Fraction(int(budget), 2))
        return cls(int(budget), p, tuple(whole_w(Fraction(int(budget), 2 * p * 2**i)) for i in range(1, p + 1)))

    @property
    def T(self) -> Fraction:
        """Samples for the selection, and as many for the validation."""
        return Fraction(self.budget, 2)

    @property
    def subroutines(self) -> int:
        """The number of subroutines, which is the largest number of candidates."""
        return sum(self.q)

    def q_of(self, i: int) -> int:
        """q_i; 0 also for an i outside the grid, which the file of a run may have."""
        return self.q[i - 1] if 1 <= i <= self.p else 0

    def share(self, i: int) -> Fraction | None:
        """T″ = T/(p·q_i), the samples of one subroutine with B_i = 2^i, or None if there is none."""
        return self.T / (self.p * self.q_of(i)) if self.q_of(i) else None
