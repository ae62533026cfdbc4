"""Whether a run is of the algorithm that a theorem is about: what was forced on it, and what its designs prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gems_engine.complexity.bounds import Condition
from gems_engine.design.solve import TOLERANCE
from gems_engine.forcing import Fork

FINE_ENOUGH = 1e-4
"""A relative gap of designs that changes none of the digits in which a bound is said."""
CERTIFIED = "certified"


def run_conditions(parameters: Mapping[str, Any], forks: Sequence[Fork], rewards: str = "") -> tuple[Condition, ...]:
    """The conditions of a theorem about an algorithm that are about the run, not about its instance.

    Parameters
    ----------
    parameters
        Of the algorithm.
    forks
        What a person has forced.
    rewards
        ``outside`` where they did not come from the instance, as a ``RunStarted`` has it.
    """
    found = [_designs(parameters, forks)]
    if forks:
        found.insert(0, _branch(forks))
    if rewards:
        found.append(Condition("The rewards came from outside: nobody knows whether they are the instance's.", False))
    return tuple(found)


def _branch(forks: Sequence[Fork]) -> Condition:
    """Another d or B is another algorithm; another seed is not, and solvers are looked at by themselves."""
    said = "; ".join(map(str, forks))
    if any(fork.forced.dimension is not None or fork.forced.selection_budget is not None for fork in forks):
        return Condition(f"Not the theorem's algorithm: a branch ({said}).", False)
    return Condition(f"A branch that forces neither d nor B ({said}).", True)


def _designs(parameters: Mapping[str, Any], forks: Sequence[Fork]) -> Condition:
    """OPT goes on until a certified probe is decided, so that a large tolerance costs samples only."""
    solvers = [parameters.get("solver") or CERTIFIED, *(fork.forced.solver for fork in forks)]
    unproven = [each for each in solvers if each not in (None, CERTIFIED)]
    if unproven:
        return Condition(
            f"The solver {unproven[0]} proves nothing: OPT may take a wrong d, and a round too many samples.", False
        )
    tolerances = [parameters.get("tolerance") or TOLERANCE, *(fork.forced.tolerance or 0.0 for fork in forks)]
    worst = float(max(tolerances))
    if worst <= FINE_ENOUGH:
        return Condition(f"The designs are proven within {worst:g} of the best.", True)
    return Condition(
        f"The designs are proven within {worst:g} of the best only: a round may take more samples than the theorem "
        "counts.",
        False,
    )
