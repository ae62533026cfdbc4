"""Suggested B, T and n for an instance: hints of form fields, and the values of a run if none is given.

B and T depend only on the features, so an algorithm may use them. n depends on the smallest gap, which no algorithm
knows, so it is only a suggestion.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gems_engine.arrays import Floats
from gems_engine.dimension import TIE, richest_rounded, times_four_to_the
from gems_engine.instance import Instance
from gems_engine.rounding import Form, rounding_samples
from gems_engine.terminal import number, superscript

RISK = 0.05
"""The probability of eliminating the best arm that the suggested T allows; equal to the default of δ."""

_LARGEST = 1e15  # of B and T
_DIGITS = 3


@dataclass(frozen=True)
class Suggestion:
    """A value, and the reason for it."""

    value: float
    sentence: str


@dataclass(frozen=True)
class Setting:
    """What a suggestion depends on, apart from designs.

    Attributes
    ----------
    D, targets
        Number of features and of targets.
    zeta, rounding
        The parameters of r_d(ζ).
    given_T
        Whether it is GEMS-b, which has a budget T: then r_d(ζ) limits D̃ and is not part of g_k(d).
    """

    D: int
    targets: int
    zeta: float = 1.0
    rounding: Form = "quadratic"
    given_T: bool = False

    @classmethod
    def of(cls, instance: Instance, algorithm: str, parameters: Mapping[str, Any]) -> Setting:
        """The setting of an algorithm with these parameters."""
        size = len(instance.targets)
        return cls(instance.D, size, parameters["zeta"], parameters["rounding"], algorithm == "gems-b")

    def r(self, d: int) -> float:
        """r_d(ζ)."""
        return rounding_samples(d, self.zeta, self.rounding)

    def cost(self, k: int, d: int, iota: float) -> float:
        """g_k(d), with the ι of all targets."""
        return max(times_four_to_the(k, iota), 0.0 if self.given_T else self.r(d))

    def richest(self, T: float, n: int) -> int:
        """D̃ for T pulls in n rounds; 0 if no dimension fits."""
        return richest_rounded(self.D, self.r, T // n)


def selection_budget(setting: Setting, iota: float) -> Suggestion:
    """B = g_2(D), rounded up.

    Parameters
    ----------
    iota
        ι of all targets in R^D.
    """
    B = rounded_up(setting.cost(2, setting.D, iota))
    if B > _LARGEST:
        return Suggestion(_LARGEST, f"The largest B allowed; two rounds in R{superscript(setting.D)} cost more.")
    words = f"It pays for R{superscript(setting.D)} in rounds 1 and 2, even if round 1 eliminates no arm"
    return Suggestion(B, f"{words}: B = g₂(D), rounded up.")


def budget(setting: Setting, B: float, n: int) -> Suggestion:
    """T with which GEMS-b keeps the best arm in n rounds, by a union bound."""
    by_noise = math.ceil(2.0 * (1.0 + setting.zeta) * B * math.log(n * setting.targets / RISK))
    pulls = max(by_noise, math.ceil(setting.r(setting.D)))
    T = int(rounded_up(float(n * pulls)))
    if T > _LARGEST:
        return Suggestion(int(_LARGEST), "The largest T allowed; this B and n need more.")
    words = (
        f"Each round then has enough pulls for R{superscript(setting.D)}, and the best arm remains through all {n} "
        f"rounds with probability {1 - RISK:g} or more, if the noise has variance 1 and the rewards are linear in "
        "every chosen dimension."
    )
    return Suggestion(T, words)


def rounds(instance: Instance) -> Suggestion | None:
    """The smallest n with S_{n+1} = {z⋆}; None if the best target is tied. It reveals Δ_min."""
    gap = instance.min_gap
    if not gap > 0.0:
        return None
    n = max(1, math.ceil(math.log2(4.0 / gap)) - 1)
    while len(instance.S(n + 1)) > 1:  # the logarithm was rounded
        n += 1
    words = f"In a good call one arm remains after these rounds: Δ_min = {number(gap, 3)} is at least 4·2^−(n+1)."
    return Suggestion(n, words)


def rounded_up(value: float, digits: int = _DIGITS) -> float:
    """The next larger number with few digits: easy to read, and independent of the processor's rounding."""
    if not 0.0 < value < math.inf:
        return value
    down = float(f"{value:.{digits - 1}e}")
    if down * (1.0 + TIE) >= value:  # a cost that exceeds it in the last digit is a tie, and fits
        return down
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return float(f"{down + unit:.{digits - 1}e}")


def filled_in(
    instance: Instance, algorithm: str, parameters: Mapping[str, Any], stop: Callable[[], bool] | None = None
) -> tuple[dict[str, Any], dict[str, Suggestion]]:
    """The parameters with B and T filled in if they were not given, and the suggestions used."""
    values, suggested = dict(parameters), {}
    if algorithm not in SUGGESTING:
        return values, {}
    setting = Setting.of(instance, algorithm, values)
    if values["selection_budget"] is None:
        suggested["selection_budget"] = selection_budget(setting, _iota(instance.arms, instance.targets, stop))
        values["selection_budget"] = suggested["selection_budget"].value
    if values.get("budget", 0) is None:
        suggested["budget"] = budget(setting, values["selection_budget"], values["rounds"])
        values["budget"] = suggested["budget"].value
    return values, suggested


SUGGESTING = ("gems-c", "gems-b", "gems-m")
"""The algorithms with a parameter B."""


def _iota(arms: Floats, targets: Floats, stop: Callable[[], bool] | None) -> float:
    """ι of all targets in R^D, to the tolerance of ties in OPT; ∞ if a direction is outside the span of the arms."""
    from gems_engine.complexity.certified import FINE, solve_certified
    from gems_engine.complexity.ticker import Ticker
    from gems_engine.design import DesignProblem

    if len(targets) < 2:
        return 0.0
    asked = Ticker(None if stop is None else lambda done, total: not stop(), 1)
    return solve_certified(DesignProblem(arms, targets=targets), FINE, asked).value
