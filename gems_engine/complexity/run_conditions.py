"""Whether a theorem applies to a run: what was forced, and what its designs prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gems_engine.complexity.bounds import Condition
from gems_engine.design.solve import TOLERANCE
from gems_engine.forcing import Fork

FINE_ENOUGH = 1e-4
"""A relative gap of designs that does not affect the digits shown of a bound."""
CERTIFIED = "certified"


def run_conditions(parameters: Mapping[str, Any], forks: Sequence[Fork], rewards: str = "") -> tuple[Condition, ...]:
    """The conditions of a theorem that concern the run, not its instance.

    Parameters
    ----------
    parameters
        The parameters of the algorithm.
    forks
        What was forced.
    rewards
        ``outside`` if they did not come from the instance, as in ``RunStarted``.
    """
    found = [_designs(parameters, forks)]
    if forks:
        found.insert(0, _branch(forks))
    if rewards:
        found.append(Condition("The rewards came from outside and may not be those of the instance.", False))
    return tuple(found)


def _branch(forks: Sequence[Fork]) -> Condition:
    """A forced d or B makes it another algorithm; a seed does not, and solvers are checked separately."""
    said = "; ".join(map(str, forks))
    if any(fork.forced.dimension is not None or fork.forced.selection_budget is not None for fork in forks):
        return Condition(f"The run is a branch, not the algorithm of the theorem ({said}).", False)
    return Condition(f"The run is a branch that forces neither d nor B ({said}).", True)


def _designs(parameters: Mapping[str, Any], forks: Sequence[Fork]) -> Condition:
    """OPT continues until a certified probe is decided, so a large tolerance only costs samples."""
    solvers = [parameters.get("solver") or CERTIFIED, *(fork.forced.solver for fork in forks)]
    unproven = [each for each in solvers if each not in (None, CERTIFIED)]
    if unproven:
        return Condition(
            f"The solver {unproven[0]} proves nothing: OPT may choose a wrong d, and rounds may take too many samples.",
            False,
        )
    tolerances = [parameters.get("tolerance") or TOLERANCE, *(fork.forced.tolerance or 0.0 for fork in forks)]
    worst = float(max(tolerances))
    if worst <= FINE_ENOUGH:
        return Condition(f"The designs are proven within {worst:g} of the optimum.", True)
    return Condition(
        f"The designs are only proven within {worst:g} of the optimum: a round may take more samples than the theorem "
        "counts.",
        False,
    )
