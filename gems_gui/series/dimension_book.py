"""The cost of every dimension, as far as it is computed: one book for each instance; does not import Qt.

ι(𝒴(ψ_d(S))) depends only on the features and the set S, so a run needs few different curves: a round without an
elimination has the curve of the round before, and every subroutine starts with the same one. The functions here are
pure queries for the analysis worker; the book stores their answers, and a slider for B reads it without waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.blas import one_blas_thread
from gems_engine.complexity.certified import FINE, solve_certified
from gems_engine.complexity.quantities import rho_star
from gems_engine.design import DesignProblem
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_gui.design_study import features_of

Chosen = tuple[int, ...]
_AT_ONCE = 4000  # arms and targets of the designs in one query: an answer should not take long
_MOST_TOGETHER = 16  # dimensions of one query


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Proven bounds for d = 1, …, D; NaN where nothing is known yet."""

    lower: Floats
    upper: Floats

    @classmethod
    def unknown(cls, D: int) -> CostCurve:
        """A curve with no known values."""
        return cls(np.full(D, np.nan), np.full(D, np.nan))

    @property
    def known(self) -> int:
        """The number of known values."""
        return int(np.count_nonzero(~np.isnan(self.upper)))


@dataclass(frozen=True, eq=False)
class DimensionQuery:
    """A computation: a pure function, its arguments, and where the answer belongs."""

    what: str
    chosen: Chosen
    dimensions: tuple[int, ...]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@one_blas_thread()
def iota_bounds(arms: Floats, targets: Floats, dimensions: tuple[int, ...]) -> list[tuple[float, float]]:
    """Lower and upper bound on ι for all differences of these targets, in each of these dimensions.

    The bounds are as tight as OPT needs to decide ties, so that a budget that ties in the run ties here; ∞ if a
    direction is outside the span of the arms. Nothing is known, 0 and ∞, if the first features of the arms or targets
    are too small or too large for a design.
    """
    found = []
    for d in dimensions:
        if len(targets) < 2:
            found.append((0.0, 0.0))
            continue
        try:
            problem = DesignProblem(arms[:, :d], targets=targets[:, :d])
        except InputError:
            found.append((0.0, np.inf))
            continue
        solved = solve_certified(problem, FINE)
        found.append((min(solved.lower_bound, solved.value), solved.value))
    return found


@one_blas_thread()
def rho_bounds(instance: Instance, dimensions: tuple[int, ...]) -> list[tuple[float, float]]:
    """Lower and upper bound on ρ⋆_d; ∞ if the best target is tied or loses in R^d."""
    found = []
    for d in dimensions:
        try:
            solved = rho_star(instance, d)
            found.append((min(solved.lower_bound, solved.value), solved.value))
        except InputError:  # tied for the best
            found.append((np.inf, np.inf))
    return found


def gamma_bounds(instance: Instance) -> list[tuple[float, float]]:
    """Lower and upper bound on γ̃(d) in every dimension, each by a linear program."""
    return [(level.lower_bound, level.gamma_tilde) for level in instance.misspecification()]


class DimensionBook:
    """The known curves of an instance.

    Attributes
    ----------
    iota
        By the set of targets.
    rho, gamma
        ρ⋆_d and γ̃(d), which depend on the truth.
    """

    def __init__(self, instance: Instance, iota: dict[Chosen, CostCurve] | None = None) -> None:
        self.instance = instance
        self.iota: dict[Chosen, CostCurve] = {} if iota is None else iota
        self.rho = CostCurve.unknown(instance.D)
        self.gamma = CostCurve.unknown(instance.D)

    def curve(self, chosen: Chosen) -> CostCurve:
        """ι for all differences of these targets, as far as it is known."""
        return self.iota.get(chosen) or CostCurve.unknown(self.instance.D)

    def next_question(self, wanted: Iterable[Chosen], truth: bool) -> DimensionQuery | None:
        """The next computation for these sets, in their order; with the truth, also for its two curves."""
        for place, chosen in enumerate(wanted):
            if (question := self.question_of(chosen, range(1, self.instance.D + 1))) is not None:
                return question
            if truth and not place and (question := self._of_truth()) is not None:
                return question
        return self._of_truth() if truth else None

    def question_of(self, chosen: Chosen, dimensions: Iterable[int]) -> DimensionQuery | None:
        """The next computation of ι for a set in these dimensions, in their order."""
        instance, curve = self.instance, self.curve(chosen)
        missing = tuple(d for d in dimensions if np.isnan(curve.upper[d - 1]))
        if not missing:
            return None
        some = missing[: max(1, min(_MOST_TOGETHER, _AT_ONCE // (len(instance.arms) + len(chosen))))]
        return DimensionQuery("iota", chosen, some, iota_bounds, (instance.arms, instance.targets[list(chosen)], some))

    def _of_truth(self) -> DimensionQuery | None:
        instance = self.instance
        missing = _missing(self.rho)
        if missing:
            some = missing[: max(1, min(_MOST_TOGETHER, _AT_ONCE // (2 * len(instance.arms))))]
            return DimensionQuery("rho", (), some, rho_bounds, (instance, some))
        if _missing(self.gamma):
            return DimensionQuery("gamma", (), tuple(range(1, instance.D + 1)), gamma_bounds, (instance,))
        return None

    def take(self, question: DimensionQuery, bounds: list[tuple[float, float]]) -> None:
        """Store an answer."""
        if question.what == "iota":
            curve = self.iota.setdefault(question.chosen, CostCurve.unknown(self.instance.D))
        else:
            curve = self.rho if question.what == "rho" else self.gamma
        for d, (lower, upper) in zip(question.dimensions, bounds, strict=True):
            curve.lower[d - 1], curve.upper[d - 1] = lower, upper

    def fill(self, wanted: Iterable[Chosen], truth: bool) -> None:
        """Compute everything now: for pictures."""
        sets = list(wanted)
        while (question := self.next_question(sets, truth)) is not None:
            self.take(question, question.function(*question.arguments))


def _missing(curve: CostCurve) -> tuple[int, ...]:
    return tuple((np.flatnonzero(np.isnan(curve.upper)) + 1).tolist())


@lru_cache(maxsize=8)
def book_of(instance: Instance) -> DimensionBook:
    """The book of an instance, shared by all views and all runs of it."""
    return DimensionBook(instance, _shelf(features_of(instance)))


@lru_cache(maxsize=8)
def _shelf(features: str) -> dict[Chosen, CostCurve]:
    """ι of instances with the same arms and targets, whatever their rewards; it does not depend on the truth."""
    return {}
