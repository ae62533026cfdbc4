"""Shares and quantiles with confidence intervals.

The intervals assume no distribution. Unknown numbers (of a trial that was wrong when it was cut off, or that failed)
are part of every quantile, between their lower bound and infinity: no quantile is made smaller by omitting them, and
none is claimed to be larger than is known.
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
    """A count out of a total, and the interval of the true share with the given confidence (Wilson)."""

    count: int
    """The number of successes."""
    total: int
    """The number of trials."""
    low: float
    """The lower end of the interval."""
    high: float
    """Its upper end."""

    @property
    def share(self) -> float:
        """count/total; NaN if the total is 0."""
        return self.count / self.total if self.total else float("nan")


def wilson(count: int, total: int, confidence: float = CONFIDENCE) -> Proportion:
    """Wilson's score interval, which stays in [0, 1] and is meaningful at 0 and at the total too.

    Parameters
    ----------
    count, total : int
        The number of successes, and of trials.
    confidence : float
        Of the interval.

    Returns
    -------
    Proportion
        The share, with its interval.

    Examples
    --------
    >>> from gems_engine.experiment import wilson
    >>> found = wilson(30, 30)
    >>> round(found.low, 2), found.high
    (0.89, 1.0)
    """
    if not 0 <= count <= total or not 0.0 < confidence < 1.0:
        raise ValueError("the count must be from 0 to the total, and the confidence between 0 and 1")
    if total == 0:
        return Proportion(0, 0, 0.0, 1.0)
    z2 = NormalDist().inv_cdf(0.5 + confidence / 2.0) ** 2
    share = count / total
    middle = share + z2 / (2.0 * total)
    half = (z2 * (share * (1.0 - share) / total + z2 / (4.0 * total**2))) ** 0.5
    scale = 1.0 + z2 / total
    # At 0 and 1 the interval includes these values exactly, despite rounding.
    low = 0.0 if count == 0 else (middle - half) / scale
    high = 1.0 if count == total else (middle + half) / scale
    return Proportion(count, total, low, high)


@dataclass(frozen=True)
class Quantile:
    """A sample quantile, and the interval of the true quantile with the given confidence.

    Attributes
    ----------
    value
        One of the observed numbers; infinite if it is an unknown one.
    low, high
        Two of the observed numbers, or the lower bound of one; 0 and ∞ if there are too few.
    at_least
        The value if unknown numbers equal their lower bounds; equal to ``value`` if it is known.
    above
        Whether an unknown value is certainly above ``at_least``. A trial that was cut off would have gone beyond it,
        but one that failed may have had any number.
    """

    probability: float
    """Which quantile it is."""
    value: float
    low: float
    high: float
    at_least: float
    above: bool = True

    @property
    def censored_at(self) -> float | None:
        """The lower bound of an unknown value; None if the value is known, finite or infinite."""
        return self.at_least if math.isinf(self.value) and math.isfinite(self.at_least) else None


def quantile(
    ordered: ArrayLike, probability: float, confidence: float = CONFIDENCE, least: ArrayLike | None = None
) -> Quantile:
    """A quantile of non-negative numbers, with the interval between two order statistics.

    The number of observations below the true quantile is binomial for any distribution: the l-th and the u-th enclose
    it with the probability that such a number is in [l, u).

    Parameters
    ----------
    ordered
        The numbers in ascending order, infinite ones last.
    probability
        Strictly between 0 and 1.
    confidence
        The minimal confidence of the interval.
    least
        Lower bounds of the numbers, in ascending order; by default the numbers themselves.

    Returns
    -------
    Quantile
        The value and its interval.

    Examples
    --------
    >>> from gems_engine.experiment import quantile
    >>> found = quantile([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 0.5)
    >>> found.value, found.low, found.high
    (5.0, 2.0, 9.0)
    """
    values = np.asarray(ordered, dtype=np.float64)
    lowest = values if least is None else np.asarray(least, dtype=np.float64)
    n = len(values)
    if n == 0:
        return Quantile(probability, math.nan, 0.0, math.inf, math.nan)
    lower, upper = interval_ranks(n, probability, confidence)
    low = float(lowest[lower - 1]) if lower >= 1 else 0.0
    high = float(values[upper - 1]) if upper <= n else math.inf
    value, at_least = order_statistic(values, probability), order_statistic(lowest, probability)
    may_be_as_low = int((lowest < at_least).sum() + (values == at_least).sum())  # including unknown ones
    above = may_be_as_low < _place(n, probability)
    return Quantile(probability, value, low, high, at_least, above)


def interval_ranks(n: int, probability: float, confidence: float = CONFIDENCE) -> tuple[int, int]:
    """The ranks, from 1, of the observations that enclose a quantile; 0 and n + 1 if n observations are too few."""
    from scipy.special import bdtr

    below = bdtr(np.arange(n + 1, dtype=np.float64), n, probability)  # P(at most k of n lie below the true quantile)
    rest = (1.0 - confidence) / 2.0
    lower = int(np.searchsorted(below, rest, side="right"))  # the largest l with P(fewer than l) ≤ rest
    upper = int(np.searchsorted(below, 1.0 - rest)) + 1  # the smallest u with P(fewer than u) ≥ 1 − rest
    return lower, upper


def order_statistic(ordered: np.ndarray, probability: float) -> float:
    """The smallest number that this share of them does not exceed: always an observed one, infinite or not.

    This is numpy's "inverted_cdf".
    """
    return float(ordered[_place(len(ordered), probability) - 1])


def _place(total: int, probability: float) -> int:
    """The rank of the order statistic, from 1."""
    return max(1, math.ceil(probability * total - 1e-9))


# -- of rows -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Findings:
    """The statistics of a set of rows.

    Attributes
    ----------
    success
        The share of trials that ran and are right at the end.
    failed
        Trials that ended in an error; they do not count otherwise.
    lucky
        Trials whose first guess was right and never changed: τ = 0.
    quantiles
        Quantiles of τ over the trials that were right and not lucky, by probability; empty if there are none.
    """

    success: Proportion
    failed: int
    lucky: int
    quantiles: dict[float, float]

    @property
    def median(self) -> float:
        """The median of the non-zero τ; NaN if there is none."""
        return self.quantiles.get(0.5, float("nan"))


def findings(
    rows: Iterable[Row], probabilities: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9), confidence: float = CONFIDENCE
) -> Findings:
    """The share of right trials, with Wilson's interval, and quantiles of the non-zero τ.

    Parameters
    ----------
    rows : iterable of Row
        Rows of one cell.
    probabilities : sequence of float
        Of the quantiles.
    confidence : float
        Of the intervals.

    Returns
    -------
    Findings
        Counts, the share and the quantiles.
    """
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
