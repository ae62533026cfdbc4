"""The theorems about a run: the bounds for its algorithm, instance and parameters, and its good subroutine.

To add the bounds of an algorithm, write a function of the theorems and its parameters, and add a line to `THEORY`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from gems_engine.blas import one_blas_thread
from gems_engine.complexity.bounds import Bound
from gems_engine.complexity.good_subroutines import GoodSubroutine
from gems_engine.complexity.run_conditions import run_conditions
from gems_engine.complexity.schedule import BudgetGrid
from gems_engine.complexity.suboptimality import GammaCurve
from gems_engine.complexity.theorems import Theorems
from gems_engine.complexity.ticker import Ticker
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import InputError
from gems_engine.forcing import forks_of
from gems_engine.instance import Instance
from gems_engine.rounding import Form

Side = Literal["lower", "upper", "error"]
"""A lower or an upper bound on samples, or an upper bound on the probability of an error."""


@dataclass(frozen=True, eq=False)
class RunTheory:
    """The theorems about a run.

    Attributes
    ----------
    bounds
        The bounds, each with its side.
    good
        The subroutine that a proof uses; None if no theorem has one.
    place
        (i⋆, j⋆) of a fixed-budget run, whose grid has other exponents; None for other runs, and if the budget is too
        small for such a subroutine.
    says
        Why there are no theorems, in one sentence; empty if there are some.
    """

    bounds: tuple[tuple[Side, Bound], ...] = ()
    good: GoodSubroutine | None = None
    place: tuple[int, int] | None = None
    says: str = ""

    @property
    def promises(self) -> bool:
        """Whether the theorem of the good subroutine holds here and is not vacuous."""
        if self.good is None or not self.bounds:
            return False
        bound = self.bounds[-1][1]
        return bound.holds and not bound.says_nothing

    def is_guaranteed(self, n: float, B: float, place: tuple[int, int]) -> bool:
        """Whether a call with n rounds and selection budget B at a position of the grid is guaranteed to succeed."""
        good = self.good
        if good is None or not self.promises:
            return False
        if self.place is not None:
            return place == self.place
        return n >= good.n_star and good.B_star <= B * (1.0 + 1e-9)

    def good_call(self, loop: int) -> int | None:
        """The call in a loop of the grid that the proof uses; None if there is none, or nothing is guaranteed."""
        if self.good is None or not self.promises:
            return None
        if self.place is not None:
            return self.place[1] if loop == self.place[0] else None
        return self.good.j_star if loop >= self.good.ell_star else None


_Theory = Callable[[Theorems, Mapping[str, Any]], RunTheory]


def _fixed_confidence(theorems: Theorems, given: Mapping[str, Any]) -> RunTheory:
    good = theorems.good(theorems.instance.d_star, 0.0)
    return RunTheory(
        (
            ("lower", theorems.pac_lower(good)),
            ("lower", theorems.non_interactive_lower(good)),
            ("upper", theorems.fixed_confidence(good)),
        ),
        good,
    )


def _misspecified_best_arm(theorems: Theorems, given: Mapping[str, Any]) -> RunTheory:
    dimension = _curve(theorems).d_star(theorems.instance.min_gap)
    good = theorems.good(dimension.d, 0.0)
    return RunTheory((("upper", theorems.misspecified_best_arm(good, dimension)),), good)


def _misspecified(theorems: Theorems, given: Mapping[str, Any]) -> RunTheory:
    dimension = _curve(theorems).d_star(float(given["epsilon"]))
    good = theorems.good(dimension.d, float(given["epsilon"]))
    return RunTheory((("upper", theorems.misspecified_fixed_confidence(good, dimension)),), good)


def _fixed_budget(theorems: Theorems, given: Mapping[str, Any]) -> RunTheory:
    good, grid = theorems.good(theorems.instance.d_star, 0.0), BudgetGrid.of(int(given["budget"]))
    place = None if good is None else theorems.budget_place(good)
    called = place is not None and place[1] <= grid.q_of(place[0])
    found = RunTheory((("error", theorems.fixed_budget(good, grid)),), good if called else None, place)
    return found if called else RunTheory(found.bounds)


def _rage(theorems: Theorems, given: Mapping[str, Any]) -> RunTheory:
    return RunTheory((("lower", theorems.pac_lower_everywhere(theorems.good(theorems.instance.D, 0.0))),))


def _rage_oracle(theorems: Theorems, given: Mapping[str, Any]) -> RunTheory:
    return RunTheory((("lower", theorems.pac_lower(theorems.good(theorems.instance.d_star, 0.0))),))


def _static_oracle(theorems: Theorems, given: Mapping[str, Any]) -> RunTheory:
    good = theorems.good(theorems.instance.d_star, 0.0)
    return RunTheory((("lower", theorems.non_interactive_lower(good)),))


def _curve(theorems: Theorems) -> GammaCurve:
    return GammaCurve(theorems.instance, theorems.zeta, theorems.tolerance, theorems.ticker)


THEORY: dict[str, _Theory] = {
    "fixed-confidence": _fixed_confidence,
    "misspecified-best-arm": _misspecified_best_arm,
    "misspecified": _misspecified,
    "fixed-budget": _fixed_budget,
    "rage": _rage,
    "rage-oracle": _rage_oracle,
    "static-oracle": _static_oracle,
}
"""The theorems about an algorithm, by its name."""
_EPSILON_GOALS = ("misspecified",)
NO_REWARDS = "The bounds depend on the mean rewards, which are not known."


@one_blas_thread()
def run_theory(
    instance: Instance,
    algorithm: str,
    parameters: Mapping[str, Any],
    forced: Mapping[str, Any] | None = None,
    rewards: str = "",
) -> RunTheory:
    """The theorems about an algorithm on an instance, or a sentence if there are none.

    An upper bound concerns one algorithm and has conditions on the run; a lower bound concerns all algorithms.

    Parameters
    ----------
    instance, algorithm
        Those of the run.
    parameters
        The parameters of the algorithm, as in ``RunStarted``; missing ones, as in runs of other versions, have their
        defaults.
    forced, rewards
        As in the same event.
    """
    from gems_engine.algorithms import BUILT_IN, subroutine_title  # imports theorems

    if algorithm not in THEORY:
        return RunTheory(says=f"There is no theorem about {subroutine_title(algorithm)} alone.")
    if not instance.has_rewards:
        return RunTheory(says=NO_REWARDS)
    if algorithm not in _EPSILON_GOALS and not instance.best_is_unique:
        return RunTheory(says=f"Nothing is guaranteed: {instance.tied_labels()} are tied for the best.")
    parameters = {each.name: each.default for each in BUILT_IN[algorithm].parameters} | dict(parameters)
    rounding: Form = "linear" if parameters.get("rounding") == "linear" else "quadratic"
    theorems = Theorems(
        instance,
        float(parameters.get("delta") or 0.05),
        float(parameters.get("zeta") or 1.0),
        int(parameters.get("base") or 2),
        rounding,
        TOLERANCE,
        Ticker(None, 1),
    )
    try:
        found = THEORY[algorithm](theorems, parameters)
        more = run_conditions(parameters, forks_of(forced or {}, instance.D), rewards)
        bounds = tuple(
            (side, bound if side == "lower" else replace(bound, conditions=(*bound.conditions, *more)))
            for side, bound in found.bounds
        )
        return replace(found, bounds=bounds)
    except InputError as error:  # an infinite complexity, or a budget for which there is no grid
        return RunTheory(says=str(error))


def guaranteed(theory: RunTheory, n: np.ndarray, B: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Which calls of a grid are guaranteed to succeed."""
    calls = zip(n.tolist(), B.tolist(), rows.tolist(), columns.tolist(), strict=True)
    return np.array([theory.is_guaranteed(a, b, (i, j)) for a, b, i, j in calls], dtype=bool)
