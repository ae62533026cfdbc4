"""What a set of numbers says about where they come from: shares and quantiles, each with its interval.

Neither interval assumes a distribution. What is not known (of a trial that was wrong when it was cut off, or that
failed) takes part in every quantile between the least that it can be and infinity: none is made smaller by leaving it
out, and none is said to be larger than is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.experiment.trials import Row

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Proportion:
    """So many of so many, and where the true share lies with the given confidence (Wilson's interval)."""

    count: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """count/total; NaN of nothing."""
        return self.count / self.total if self.total else float("nan")


def wilson(count: int, total: int, confidence: float = CONFIDENCE) -> Proportion:
    """Wilson's score interval, which stays in [0, 1] and means something at 0 and at all of them too."""
    if not 0 <= count <= total or not 0.0 < confidence < 1.0:
        raise ValueError("a count is from 0 to the total, and a confidence is between 0 and 1")
    if total == 0:
        return Proportion(0, 0, 0.0, 1.0)
    z2 = NormalDist().inv_cdf(0.5 + confidence / 2.0) ** 2
    share = count / total
    middle = share + z2 / (2.0 * total)
    half = (z2 * (share * (1.0 - share) / total + z2 / (4.0 * total**2))) ** 0.5
    scale = 1.0 + z2 / total
    # At the ends the interval touches them exactly; rounding must not say otherwise.
    low = 0.0 if count == 0 else (middle - half) / scale
    high = 1.0 if count == total else (middle + half) / scale
    return Proportion(count, total, low, high)


@dataclass(frozen=True)
class Quantile:
    """A quantile of what was seen, and where the true one lies with the given confidence.

    Attributes
    ----------
    value
        One of the numbers that were seen; infinite where it falls among what is not known to be finite.
    low, high
        Two of the numbers that were seen, or the least that one of them can be; 0 and ∞ where they are too few to say.
    at_least
        The value if what is not known were the least that it can be; the same where it is known.
    above
        Whether a value that is not known is above that for sure. A trial that was cut off would have passed where it
        was, but one that failed may have had any number: with enough of those, what others had is all that is known.
    """

    probability: float
    value: float
    low: float
    high: float
    at_least: float
    above: bool = True

    @property
    def censored_at(self) -> float | None:
        """What the value is at least, where no more is known; None where it is known, be it that it is infinite."""
        return self.at_least if math.isinf(self.value) and math.isfinite(self.at_least) else None


def quantile(
    ordered: ArrayLike, probability: float, confidence: float = CONFIDENCE, least: ArrayLike | None = None
) -> Quantile:
    """A quantile of non-negative numbers, with the interval between two order statistics.

    The number of observations below the true quantile is binomial, whatever they are: the l-th and the u-th enclose it
    with the probability that such a number lies in [l, u).

    Parameters
    ----------
    ordered
        The numbers in ascending order, infinite ones last.
    probability
        Strictly between 0 and 1.
    confidence
        Of the interval, at least.
    least
        The least that each of them can be, in ascending order; by default, what they are.
    """
    from scipy.special import bdtr

    values = np.asarray(ordered, dtype=np.float64)
    lowest = values if least is None else np.asarray(least, dtype=np.float64)
    n = len(values)
    if n == 0:
        return Quantile(probability, math.nan, 0.0, math.inf, math.nan)
    below = bdtr(np.arange(n + 1, dtype=np.float64), n, probability)  # P(at most k of n lie below the true quantile)
    rest = (1.0 - confidence) / 2.0
    lower = int(np.searchsorted(below, rest, side="right"))  # the largest l with P(fewer than l) ≤ rest
    upper = int(np.searchsorted(below, 1.0 - rest)) + 1  # the smallest u with P(fewer than u) ≥ 1 − rest
    low = float(lowest[lower - 1]) if lower >= 1 else 0.0
    high = float(values[upper - 1]) if upper <= n else math.inf
    value, at_least = order_statistic(values, probability), order_statistic(lowest, probability)
    may_be_as_low = int((lowest < at_least).sum() + (values == at_least).sum())  # of all, whatever is not known
    above = may_be_as_low < _place(n, probability)
    return Quantile(probability, value, low, high, at_least, above)


def order_statistic(ordered: np.ndarray, probability: float) -> float:
    """The smallest number that this share of them does not exceed: always one that was seen, infinite or not.

    Where the distribution function of what was seen reaches the probability; numpy calls it the inverted cdf.
    """
    return float(ordered[_place(len(ordered), probability) - 1])


def _place(total: int, probability: float) -> int:
    """Which of so many numbers that is, from 1."""
    return max(1, math.ceil(probability * total - 1e-9))


# -- of rows -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Findings:
    """What a set of rows says.

    Attributes
    ----------
    success
        Right at the end, of the trials that ran.
    failed
        Trials that ended in an error; they are in no other number.
    lucky
        Trials whose first guess was right and stayed: τ = 0.
    quantiles
        Of τ over the trials that were right and not lucky, by probability; empty if there are none.
    """

    success: Proportion
    failed: int
    lucky: int
    quantiles: dict[float, float]

    @property
    def median(self) -> float:
        """Of the non-zero τ; NaN if there is none."""
        return self.quantiles.get(0.5, float("nan"))


def findings(
    rows: Iterable[Row], probabilities: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9), confidence: float = CONFIDENCE
) -> Findings:
    """How often the trials were right, with Wilson's interval, and after how many samples: quantiles of non-zero τ."""
    kept = list(rows)
    ran = [row for row in kept if not row.error]
    taus = [row.tau for row in ran if row.tau is not None]
    later = [tau for tau in taus if tau > 0]
    quantiles = (
        dict(zip(probabilities, np.quantile(later, probabilities, method="inverted_cdf").tolist(), strict=True))
        if later
        else {}
    )
    success = wilson(sum(bool(row.correct) for row in ran), len(ran), confidence)
    return Findings(success, len(kept) - len(ran), len(taus) - len(later), quantiles)
