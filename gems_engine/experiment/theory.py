"""The bounds of the theorems for the cells of an experiment, shown next to the measured values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from gems_engine.algorithms import algorithm_named
from gems_engine.blas import one_blas_thread
from gems_engine.complexity import Bound
from gems_engine.complexity.run_theory import THEORY, Side, run_theory
from gems_engine.errors import InputError
from gems_engine.experiment.specification import Cell, Specification
from gems_engine.experiment.trials import trial_seed
from gems_engine.gallery import make_from_spec
from gems_engine.instance import Instance
from gems_engine.parameters import check_all

SAMPLE = 3
"""The number of instances that represent a cell in which every trial has its own."""

_OF_ALLOCATIONS = "non-interactive-lower"  # it does not apply to adaptive runs, and nothing here measures static ones


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
        The statement of the theorem for the first of them.
    holds
        Whether all its conditions hold there.
    """

    side: Side
    value: float
    says: str
    holds: bool


@one_blas_thread()
def bounds_of(specification: Specification) -> dict[int, tuple[CellBound, ...]]:
    """The bounds of every cell; if every trial has its own instance, the medians over the first few instances."""
    made: dict[str, Instance] = {}
    return {cell.index: _bounds(specification, cell, made) for cell in specification.cells}


@one_blas_thread()
def bounds_of_cell(specification: Specification, index: int) -> tuple[CellBound, ...]:
    """The bounds of one cell, for callers that cannot wait for all cells."""
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
        except InputError:  # there is no such instance
            continue
        for side, bound in run_theory(instance, cell.algorithm, given).bounds:
            if bound.name != _OF_ALLOCATIONS:
                found.setdefault((side, bound.name), []).append(bound)
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
