"""What the theorems say about the cells of an experiment: bounds that stand beside what is measured.

A new algorithm's bounds are a function from an instance and its parameters, and a line in `THEORY`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from gems_engine.algorithms import algorithm_named
from gems_engine.blas import one_blas_thread
from gems_engine.complexity import Bound, BudgetGrid, GammaCurve, Ticker
from gems_engine.complexity.theorems import Theorems
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import InputError
from gems_engine.experiment.specification import Cell, Specification
from gems_engine.experiment.trials import trial_seed
from gems_engine.gallery import make_from_spec
from gems_engine.instance import Instance
from gems_engine.parameters import check_all

SAMPLE = 3
"""Instances that stand for a cell whose trials have one each."""

Side = Literal["lower", "upper", "error"]


@dataclass(frozen=True)
class CellBound:
    """A bound for one cell.

    Attributes
    ----------
    side
        A lower or an upper bound on samples, or an upper bound on the probability of an error.
    value
        The median over its instances.
    says
        What the theorem says, for the first of them.
    holds
        Whether all its conditions hold there.
    """

    side: Side
    value: float
    says: str
    holds: bool


_Theory = Callable[[Instance, Mapping[str, Any]], list[tuple[Side, Bound]]]


def _theorems(instance: Instance, given: Mapping[str, Any]) -> Theorems:
    base = int(given.get("base") or 2)
    return Theorems(
        instance, float(given.get("delta") or 0.05), given["zeta"], base, given["rounding"], TOLERANCE, Ticker(None, 1)
    )


def _fixed_confidence(instance: Instance, given: Mapping[str, Any]) -> list[tuple[Side, Bound]]:
    theorems = _theorems(instance, given)
    good = theorems.good(instance.d_star, 0.0)
    return [("lower", theorems.pac_lower(good)), ("upper", theorems.fixed_confidence(good))]


def _rage(instance: Instance, given: Mapping[str, Any]) -> list[tuple[Side, Bound]]:
    """RAGE has to be right for every θ in R^D: the lower bound for those who stop, with D instead of d⋆."""
    theorems = _theorems(instance, given)
    return [("lower", theorems.pac_lower_everywhere(theorems.good(instance.D, 0.0)))]


def _oracle(instance: Instance, given: Mapping[str, Any]) -> list[tuple[Side, Bound]]:
    theorems = _theorems(instance, given)
    return [("lower", theorems.pac_lower(theorems.good(instance.d_star, 0.0)))]


def _misspecified(instance: Instance, given: Mapping[str, Any]) -> list[tuple[Side, Bound]]:
    theorems = _theorems(instance, given)
    dimension = GammaCurve(instance, given["zeta"], TOLERANCE, Ticker(None, 1)).d_star(given["epsilon"])
    good = theorems.good(dimension.d, given["epsilon"])
    return [("upper", theorems.misspecified_fixed_confidence(good, dimension))]


def _misspecified_best_arm(instance: Instance, given: Mapping[str, Any]) -> list[tuple[Side, Bound]]:
    theorems = _theorems(instance, given)
    dimension = GammaCurve(instance, given["zeta"], TOLERANCE, Ticker(None, 1)).d_star(instance.min_gap)
    return [("upper", theorems.misspecified_best_arm(theorems.good(dimension.d, 0.0), dimension))]


def _fixed_budget(instance: Instance, given: Mapping[str, Any]) -> list[tuple[Side, Bound]]:
    theorems = _theorems(instance, given)
    bound = theorems.fixed_budget(theorems.good(instance.d_star, 0.0), BudgetGrid.of(given["budget"]))
    return [("error", bound)]


THEORY: dict[str, _Theory] = {
    "fixed-confidence": _fixed_confidence,
    "rage": _rage,
    "rage-oracle": _oracle,
    "misspecified": _misspecified,
    "misspecified-best-arm": _misspecified_best_arm,
    "fixed-budget": _fixed_budget,
}
"""The theorems about an algorithm, by its name."""


@one_blas_thread()
def bounds_of(specification: Specification) -> dict[int, tuple[CellBound, ...]]:
    """The bounds of every cell; of those with an instance per trial, the medians over the first few instances."""
    made: dict[str, Instance] = {}
    return {cell.index: _bounds(specification, cell, made) for cell in specification.cells}


@one_blas_thread()
def bounds_of_cell(specification: Specification, index: int) -> tuple[CellBound, ...]:
    """The bounds of one cell: for somebody who cannot wait for all of them at once."""
    return _bounds(specification, specification.cells[index], {})


def _bounds(specification: Specification, cell: Cell, made: dict[str, Instance]) -> tuple[CellBound, ...]:
    if cell.algorithm not in THEORY:
        return ()
    given = check_all(algorithm_named(cell.algorithm).parameters, cell.parameters)
    found: dict[tuple[Side, str], list[Bound]] = {}
    for number in range(min(SAMPLE, specification.trials) if cell.fresh else 1):
        try:
            instance = _made(cell.instance_of(trial_seed(specification.seed, number)), made)
            if isinstance(given["noise"], str):
                instance = instance.with_noise(given["noise"])
            for side, bound in THEORY[cell.algorithm](instance, given):
                found.setdefault((side, bound.name), []).append(bound)
        except InputError:  # nothing is promised for this one: a tie, or an infinite complexity
            continue
    bounds = []
    for (side, _), several in found.items():
        values = [bound.value for bound in several if bound.value is not None and not bound.says_nothing]
        if values and math.isfinite(value := median(values)):
            bounds.append(CellBound(side, value, several[0].statement, all(each.holds for each in several)))
    return tuple(bounds)


def _made(instance: str | Instance, made: dict[str, Instance]) -> Instance:
    if isinstance(instance, Instance):
        return instance
    if instance not in made:
        made[instance] = make_from_spec(instance)
    return made[instance]
