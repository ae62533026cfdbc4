"""γ(d), the accuracy that can be reached in R^d despite misspecification, and d⋆(ε) (section 6)."""

import math
from dataclasses import dataclass

from gems_engine.complexity.certified import FINE, LAST_DIGITS, Certified
from gems_engine.complexity.quantities import check_epsilon, iota
from gems_engine.complexity.ticker import Ticker
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_engine.rounding import check_zeta
from gems_engine.terminal import superscript


@dataclass(frozen=True)
class Gamma:
    """γ(d) = 2·2^−n.

    Attributes
    ----------
    value : float
        γ(d); 0 if γ̃(d) = 0, and 2 if round 1 already fails.
    rounds : int or None
        n, the number of rounds that misspecification does not affect; None if all.
    certain : bool
        Whether bounds decided every round. If not, a round was tied to 1e-9 and counted as good, or a design missed its
        tolerance and the round was counted as bad.
    """

    d: int
    """The dimension."""
    value: float
    rounds: int | None
    certain: bool = True


@dataclass(frozen=True)
class EpsilonDimension:
    """d⋆(ε), or None if it does not exist, with a sentence."""

    epsilon: float
    """ε."""
    d: int | None
    """d⋆(ε), or None."""
    sentence: str
    """Why, if it does not exist."""


class GammaCurve:
    """γ(1), …, γ(D) of an instance, computed on demand; every distinct S_k is solved once for each d."""

    def __init__(
        self,
        instance: Instance,
        zeta: float = 1.0,
        tolerance: float = TOLERANCE,
        ticker: Ticker | None = None,
    ) -> None:
        self.instance = instance
        self.zeta = check_zeta(zeta)
        self.tolerance = tolerance
        self._ticker = ticker or Ticker(None, instance.D)
        self._known: dict[int, Gamma] = {}

    def gamma(self, d: int) -> Gamma:
        """γ(d), exactly as defined in section 6."""
        if not 1 <= d <= self.instance.D:
            raise InputError(f"The dimension d = {d} is not allowed: it must be from 1 to {self.instance.D}.")
        if d not in self._known:
            self._known[d] = self._gamma(d)
            self._ticker.advance()
        return self._known[d]

    def d_star(self, epsilon: float) -> EpsilonDimension:
        """d⋆(ε) = min{d : γ(d′) ≤ ε for every d′ ≥ d}, searched from D down until one fails."""
        check_epsilon(epsilon)
        last, found = 0.0, None
        for d in range(self.instance.D, 0, -1):
            last = self.gamma(d).value
            if last > epsilon:
                break
            found = d
        if found is None:
            sentence = (
                f"d⋆(ε) does not exist for ε = {epsilon:g}: even in R{superscript(self.instance.D)}, misspecification "
                f"leaves γ({self.instance.D}) = {last:g}, and nothing better is guaranteed."
            )
        elif found == 1:
            sentence = f"d⋆(ε) = 1 for ε = {epsilon:g}: γ(d) is at most ε in every Rᵈ."
        else:
            sentence = (
                f"d⋆(ε) = {found} for ε = {epsilon:g}: γ(d) is at most ε from there on, and γ({found - 1}) = {last:g}."
            )
        return EpsilonDimension(epsilon, found, sentence)

    def _gamma(self, d: int) -> Gamma:
        level = self.instance.misspecification()[d - 1]
        if level.gamma_tilde == 0:
            return Gamma(d, 0.0, None)
        least, most = level.lower_bound, level.gamma_tilde
        survivors, certain = -1, True
        design: Certified | None = None
        fine = False
        for k in range(1, 1100):  # 2^−k underflows to 0 before that, γ̃ does not
            limit = math.ldexp(0.5, -k)
            # Without a solve: no ι compensates 2·γ̃, and a smaller set needs no more than before (ι ≤ its ι).
            if 2 * least > limit * (1 + LAST_DIGITS):
                return Gamma(d, math.ldexp(2.0, 1 - k), k - 1, certain)
            if design is not None and self._needed(design.upper_bound, most) <= limit:
                continue
            S = self.instance.S(k)
            if len(S) != survivors:  # S_k only shrinks, so its size identifies it
                design, survivors, fine = iota(self.instance, d, S, self.tolerance, self._ticker), len(S), False
            assert design is not None
            open_ = self._needed(design.lower_bound, least) <= limit * (1 + LAST_DIGITS) and (
                self._needed(design.upper_bound, most) > limit
            )
            if open_ and not fine and self.tolerance > FINE:
                design, fine = iota(self.instance, d, S, FINE, self._ticker), True
            high, low = self._needed(design.upper_bound, most), self._needed(design.lower_bound, least)
            certain = certain and (high <= limit or low > limit)
            if high > limit * (1 + LAST_DIGITS):
                return Gamma(d, math.ldexp(2.0, 1 - k), k - 1, certain)
        raise AssertionError("unreachable: γ̃(d) > 0 makes some round bad")

    def _needed(self, value: float, gamma_tilde: float) -> float:
        return (2 + math.sqrt((1 + self.zeta) * value)) * gamma_tilde


def gamma(instance: Instance, d: int, zeta: float = 1.0, tolerance: float = TOLERANCE) -> Gamma:
    """γ(d) = min{2·2^−n : (2 + √((1+ζ)·ι(𝒴(ψ_d(S_k)))))·γ̃(d) ≤ 2^−k/2 for all k ≤ n}.

    Parameters
    ----------
    instance : Instance
        Any instance.
    d : int
        The dimension.
    zeta : float
        ζ of the rounding.
    tolerance : float
        Of the designs.

    Returns
    -------
    Gamma
        The value, and how it was decided.

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.complexity import gamma
    >>> gamma(instances.make("misspecified"), d=10).value
    0.015625
    """
    return GammaCurve(instance, zeta, tolerance).gamma(d)


def d_star_epsilon(
    instance: Instance, epsilon: float, zeta: float = 1.0, tolerance: float = TOLERANCE
) -> EpsilonDimension:
    """d⋆(ε), the smallest dimension from which on an ε-optimal arm can be found.

    Parameters
    ----------
    instance : Instance
        Any instance.
    epsilon : float
        ε of the goal.
    zeta : float
        ζ of the rounding.
    tolerance : float
        Of the designs.

    Returns
    -------
    EpsilonDimension
        The dimension, or None, with a sentence.

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.complexity import d_star_epsilon
    >>> d_star_epsilon(instances.make("misspecified"), 0.5).d
    6
    """
    return GammaCurve(instance, zeta, tolerance).d_star(epsilon)
