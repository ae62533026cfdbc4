"""The ratio of τ of two algorithms, trial by trial, and its median with an interval.

Both algorithms run every trial with the same instance and seed, so each trial has its own ratio, and the difficulty of
an instance cancels. A median needs no distribution of the ratios, and censored trials are part of it: such a ratio is
only known to be between two bounds, and so is the median where it depends on them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.experiment.specification import Cell
from gems_engine.experiment.statistics import CONFIDENCE, interval_ranks, order_statistic

Numbers = Mapping[int, tuple[float, float]]
"""τ by trial, between two bounds that are equal if it is known; the upper one is infinite if it is censored."""


@dataclass(frozen=True)
class CellRatio:
    """τ of one algorithm divided by τ of another at one point of a map.

    Attributes
    ----------
    of, over
        The cells of the two algorithms.
    trials
        Trials that both have finished.
    at_zero
        Those in which both first guesses were right and never changed: τ = 0 for both, and there is no ratio.
    unknown
        Those in which the ratio is not known, because a run was cut off or failed, or both were never right.
    least, most
        The bounds of the median; equal if it is known.
    low, high
        The interval of the true median with 95 % confidence; 0 and ∞ if there are too few trials.
    trial
        The number of the trial with the median ratio, by its lower bound; −1 if there is none.
    """

    of: Cell
    over: Cell
    trials: int
    at_zero: int
    unknown: int
    least: float
    most: float
    low: float
    high: float
    trial: int

    @property
    def known(self) -> bool:
        """Whether the median is a number, which may be 0 or infinite."""
        return self.least == self.most

    @property
    def pays(self) -> bool:
        """Whether the second algorithm needs fewer samples in the median trial."""
        return self.least > 1.0

    @property
    def costs(self) -> bool:
        """Whether it needs more."""
        return self.most < 1.0

    @property
    def certain(self) -> bool:
        """Whether the interval excludes 1."""
        return self.low > 1.0 or self.high < 1.0

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON; infinity becomes null."""
        names = ("trials", "at_zero", "unknown", "least", "most", "low", "high", "trial")
        return {"varied": dict(self.of.varied), **{name: getattr(self, name) for name in names}}


def cell_ratio(of: Cell, over: Cell, first: Numbers, second: Numbers, confidence: float = CONFIDENCE) -> CellRatio:
    """The median ratio of two cells, from τ of their trials."""
    both = sorted(first.keys() & second.keys())
    bounds = {number: bounds_of_ratio(first[number], second[number]) for number in both}
    ratios = {number: found for number, found in bounds.items() if found is not None}
    at_zero, count = len(both) - len(ratios), len(ratios)
    if not count:
        trial = both[0] if both else -1
        return CellRatio(of, over, len(both), at_zero, 0, 0.0, math.inf, 0.0, math.inf, trial)
    pairs = np.array(list(ratios.values()), dtype=np.float64)
    lowest, highest = np.sort(pairs[:, 0]), np.sort(pairs[:, 1])
    lower, upper = interval_ranks(count, 0.5, confidence)
    return CellRatio(
        of,
        over,
        len(both),
        at_zero,
        int((pairs[:, 0] != pairs[:, 1]).sum()),
        order_statistic(lowest, 0.5),
        order_statistic(highest, 0.5),
        float(lowest[lower - 1]) if lower >= 1 else 0.0,
        float(highest[upper - 1]) if upper <= count else math.inf,
        _median_trial(ratios),
    )


def bounds_of_ratio(of: tuple[float, float], over: tuple[float, float]) -> tuple[float, float] | None:
    """The bounds of a ratio of two numbers, each between two bounds; None for 0/0.

    A number against 0 is infinite, and 0 against a number is 0: an algorithm that was right from the start is never
    "as quick as" another. Of two algorithms that are never right nothing is known.
    """
    if of == over == (0.0, 0.0):
        return None
    if math.isinf(of[0]) and math.isinf(over[0]):
        return 0.0, math.inf
    return _divided(of[0], over[1], 0.0), _divided(of[1], over[0], math.inf)


def _divided(a: float, b: float, unknown: float) -> float:
    if (a == 0.0 and b == 0.0) or (math.isinf(a) and math.isinf(b)):
        return unknown
    return math.inf if b == 0.0 else a / b


def _median_trial(ratios: Mapping[int, tuple[float, float]]) -> int:
    ordered = sorted(ratios, key=lambda number: (*ratios[number], number))
    return ordered[max(1, math.ceil(len(ordered) / 2)) - 1]


def numbers_of(trials: Integers, kept: Floats) -> Numbers:
    """τ by trial from the numbers of a cell, in which −1 − x is a censored number of at least x."""
    return {
        int(trial): (float(value), float(value)) if value >= 0.0 else (float(-1.0 - value), math.inf)
        for trial, value in zip(trials, kept, strict=True)
    }
