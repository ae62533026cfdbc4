"""The subroutine of the fixed-confidence strategies that is guaranteed to succeed: B⋆, n⋆, i⋆, j⋆, ℓ⋆ and τ⋆."""

import math
from dataclasses import dataclass
from typing import Any

from gems_engine.complexity.certified import FINE, Certified
from gems_engine.complexity.quantities import rho_star
from gems_engine.complexity.schedule import check_base, exponent, rounds_needed
from gems_engine.complexity.ticker import Ticker
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_engine.rounding import Form, rounding_samples
from gems_engine.terminal import superscript


@dataclass(frozen=True, eq=False)
class GoodSubroutine:
    """The subroutine that the proof of a fixed-confidence theorem uses.

    Attributes
    ----------
    d : int
        d⋆, or d⋆(ε).
    epsilon : float
        ε of the goal; 0 if the goal is the best target.
    accuracy : float
        Δ_min, or ε.
    rho : Certified
        ρ⋆_d⋆, or ρ⋆_d⋆(ε)(ε).
    rounding_samples : float
        r_d(ζ).
    base : int
        β of n_i = β^i, B_i = β^(ℓ−i).
    B_star, n_star : float, int
        max{64ρ, r_d} and ⌈log₂(2/accuracy)⌉, at least 1: any B and n as large as these suffice.
    i_star, j_star : int
        The first exponents with β^i⋆ ≥ B⋆ and β^j⋆ ≥ n⋆; j⋆ is at least 1, as i starts at 1 and n_1 = β.
    tau_star : float
        log₂(4/accuracy)·max{ρ, r_d}.
    """

    d: int
    epsilon: float
    accuracy: float
    rho: Certified
    rounding_samples: float
    base: int
    B_star: float
    n_star: int
    i_star: int
    j_star: int
    tau_star: float

    @property
    def ell_star(self) -> int:
        """ℓ⋆ = i⋆ + j⋆, the first outer loop in which it is called."""
        return self.i_star + self.j_star

    @property
    def B(self) -> int:
        """Its selection budget in loop ℓ⋆."""
        return int(self.base**self.i_star)

    @property
    def n(self) -> int:
        """Its number of rounds."""
        return int(self.base**self.j_star)

    @property
    def sentence(self) -> str:
        """The sentence that describes it."""
        return (
            f"From loop ℓ = {self.ell_star} on, call i = {self.j_star} (n = {self.n}, B ≥ {self.B}) is "
            f"guaranteed to succeed: it needs n ≥ {self.n_star} and B ≥ {self.B_star:.6g}."
        )

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON."""
        return {
            "d": self.d,
            "epsilon": self.epsilon,
            "accuracy": self.accuracy,
            "rho": self.rho.value,
            "rho_lower": self.rho.lower_bound,
            "rounding_samples": self.rounding_samples,
            "base": self.base,
            "B_star": self.B_star,
            "n_star": self.n_star,
            "i_star": self.i_star,
            "j_star": self.j_star,
            "ell_star": self.ell_star,
            "tau_star": self.tau_star,
            "n": self.n,
            "B": self.B,
            "sentence": self.sentence,
        }


def good_subroutine(
    instance: Instance,
    d: int,
    epsilon: float = 0.0,
    zeta: float = 1.0,
    base: int = 2,
    rounding: Form = "quadratic",
    tolerance: float = TOLERANCE,
    ticker: Ticker | None = None,
) -> GoodSubroutine:
    """The subroutine that is guaranteed to find the best target in R^d, or with ε > 0 an ε-optimal one.

    An infinite ρ raises InputError: then no subroutine is guaranteed to succeed.

    Parameters
    ----------
    instance : Instance
        Its best target must be unique, unless ε is given.
    d : int
        The dimension, such as d⋆.
    epsilon : float
        ε of the goal; 0 for the best target.
    zeta, rounding
        ζ and the form of r_d(ζ).
    base : int
        β of the schedule.
    tolerance : float
        Relative gap to prove between the value and its lower bound.
    ticker : Ticker, optional
        Counts finished steps, and may end the work.

    Returns
    -------
    GoodSubroutine
        Its n and B, and the loop that has it.

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.complexity import good_subroutine
    >>> found = good_subroutine(instances.make("paper-hard", epsilon=0.01), d=9)
    >>> found.n_star, round(found.B_star, 2)  # ⌈log₂(2/ε)⌉ and 64 ρ⋆_9
    (8, 938.04)
    """
    check_base(base)
    rho = rho_star(instance, d, epsilon, tolerance, ticker)
    if not rho.is_finite:
        raise InputError(f"Nothing is guaranteed in R{superscript(d)}, because the complexity is infinite: {rho.note}")
    samples = rounding_samples(d, zeta, rounding)
    accuracy = epsilon or instance.min_gap
    lowest, highest = (exponent(max(64 * side, samples), base) for side in (rho.lower_bound, rho.upper_bound))
    if lowest != highest and tolerance > FINE:  # a power of β lies between the bounds: its last digits decide
        rho = rho_star(instance, d, epsilon, FINE, ticker)
    B_star = max(64 * rho.upper_bound, samples)
    n_star = rounds_needed(accuracy)
    return GoodSubroutine(
        d=d,
        epsilon=epsilon,
        accuracy=accuracy,
        rho=rho,
        rounding_samples=samples,
        base=base,
        B_star=B_star,
        n_star=n_star,
        i_star=exponent(B_star, base),
        j_star=exponent(n_star, base, least=1),
        tau_star=math.log2(4 / accuracy) * max(rho.upper_bound, samples),
    )
