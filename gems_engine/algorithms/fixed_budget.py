"""The adaptive strategy of section 5: selection over a grid of GEMS-b, then validation, with 2T samples in all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gems_engine.algorithms.algorithm import (
    BEST_ARM,
    COUNT_IDLE,
    LITERAL,
    SHARED,
    Algorithm,
    needs_targets_among_arms,
)
from gems_engine.algorithms.gems_b import BUDGET, gems_b
from gems_engine.algorithms.laboratory import Events, Laboratory, count_to
from gems_engine.algorithms.validation import validate
from gems_engine.complexity.schedule import BudgetGrid
from gems_engine.events import BUDGET_SPENT, CandidateKept, Place, Recommended, RunFinished
from gems_engine.instance import Instance


def fixed_budget(lab: Laboratory, given: Mapping[str, Any]) -> Events[RunFinished]:
    """Every subroutine names an arm; the best of them in validation is the answer. Never more than 2T samples."""
    grid = BudgetGrid.of(given["budget"])  # p = ⌊W(T)⌋, q_i = ⌊W(T′/B_i)⌋
    lab.cap = given["budget"]
    yield Recommended(Place(), lab.any_of(lab.everyone()), 0, "first guess")
    candidates: list[int] = []  # 𝒜
    for i in count_to(grid.p):
        share = grid.share(i)  # T″ = T′/q_i
        if share is None:
            continue  # q_i = 0
        for j in count_to(grid.q[i - 1]):
            place = Place(i, j, 0)
            outcome = yield from gems_b(lab, place, share, 2**j, float(2**i), given["literal"], given["count_idle"])
            yield CandidateKept(place, outcome.pick, outcome.pick not in candidates)
            candidates.append(outcome.pick)
    pulls = int(grid.T // len(set(candidates)))
    best = yield from validate(lab, Place(), candidates, pulls)
    return RunFinished(Place(), BUDGET_SPENT, best, lab.left, lab.samples)


def _refuse(instance: Instance, given: Mapping[str, Any]) -> None:
    needs_targets_among_arms(instance, given)
    BudgetGrid.of(given["budget"])


FIXED_BUDGET = Algorithm(
    "fixed-budget",
    "The adaptive strategy over GEMS-b: selection, then validation, with 2T samples in all (section 5).",
    (
        replace(
            BUDGET,
            default=20_000,
            help="All samples: half for selection, half for validation.",
            symbol="2T",
            optional=False,
        ),
        LITERAL,
        COUNT_IDLE,
        *SHARED,
    ),
    BEST_ARM,
    fixed_budget,
    _refuse,
    stops=False,
)
