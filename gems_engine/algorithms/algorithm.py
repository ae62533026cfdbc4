"""What an algorithm is to the rest of the program: a name, typed parameters, and a generator of events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gems_engine.algorithms.pseudocode import Listing
from gems_engine.algorithms.run_context import Events, RunContext
from gems_engine.design import SOLVERS
from gems_engine.errors import InputError
from gems_engine.events import BEST_ARM as BEST_ARM
from gems_engine.events import EPSILON as EPSILON
from gems_engine.events import RunFinished
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value
from gems_engine.rounding import FORMS, SMALLEST_ZETA


@dataclass(frozen=True)
class Algorithm:
    """A registered algorithm.

    Attributes
    ----------
    name, summary
        Its id, on the command line and in files, and one sentence about it.
    parameters
        Its own, then those that all share.
    goal
        ``best arm``, or ``epsilon`` where a 2ε-optimal arm is right.
    steps
        The generator: from a run_context and checked parameters to events, ending with a `RunFinished`.
    refuse
        Raises InputError where it cannot run on an instance. That a best-arm goal has one best target is checked for
        all, where the rewards are the instance's own.
    stops
        Whether it ends by itself, unless it is cut off before; the strategies of the paper go on for ever, or until
        their budget is spent.
    listing
        Its pseudo-code, None where there is none to show.
    title
        The name that people know it by; without one, its id.
    aliases
        Other names that are accepted where an id is.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    goal: str
    steps: Callable[[RunContext, Mapping[str, Any]], Events[RunFinished]]
    refuse: Callable[[Instance, Mapping[str, Any]], None] = lambda instance, parameters: None
    stops: bool = True
    listing: Listing | None = None
    title: str = ""
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name)


def needs_targets_among_arms(instance: Instance, parameters: Mapping[str, Any]) -> None:
    """Refuse a transductive instance: candidates are pulled directly (docs/decisions.md, 10)."""
    if instance.target_arms is None:
        raise InputError(
            "This algorithm pulls its candidates to validate them, so every target must be an arm; "
            "here some are not (a transductive instance)."
        )


def needs_linear_rewards(instance: Instance, parameters: Mapping[str, Any]) -> None:
    """Refuse where there is no d⋆ to be told, or no unique best arm."""
    instance.require_unique_best()
    if instance.d_star is None:
        raise InputError("This oracle is told d⋆, and the rewards of this instance are not linear in all D features.")


DELTA = Parameter(
    "delta",
    "float",
    0.05,
    "Probability with which the answer may be wrong, in Gaussian noise; in other noise a little more.",
    "δ",
    0.0,
    1.0,
    exclusive_minimum=True,
    exclusive_maximum=True,
)
EPSILON_GOAL = Parameter(
    "epsilon",
    "float",
    0.1,
    "The goal's ε: any arm within 2ε of the best is right.",
    "ε",
    0.0,
    10.0,
    exclusive_minimum=True,
)
BASE = Parameter("base", "int", 2, "Base of the schedule γ_ℓ = β^ℓ; the paper's experiments use 4.", "β", 2, 64)
ROUNDS = Parameter("rounds", "int", 8, "Number of rounds, at most.", "n", 1, 10**15)
SELECTION_BUDGET = Parameter(
    "selection_budget",
    "float",
    None,
    "Budget for the choice of the dimension: the largest d that costs no more is taken. None: g_2(D) of the instance.",
    "B",
    0.0,
    1e15,
    exclusive_minimum=True,
    optional=True,
)
MAX_SAMPLES = Parameter(
    "max_samples",
    "int",
    10_000_000,
    "A round that would exceed this number of samples is not drawn, and the run ends.",
    "",
    1,
    10**15,
)
MAX_LOOPS = Parameter("max_loops", "int", 40, "The run ends after this loop ℓ.", "max ℓ", 1, 200)
STOP_WHEN_VERIFIABLE = Parameter(
    "stop_when_verifiable",
    "bool",
    False,
    "End when the recommendation becomes verifiable: a singleton reached in R^D throughout.",
)
LITERAL = Parameter(
    "literal",
    "bool",
    False,
    "Keep counting rounds to n when one arm remains, as the pseudo-code does, instead of ending the subroutine.",
)
COUNT_IDLE = Parameter(
    "count_idle",
    "bool",
    True,
    "Count the samples of rounds in which all survivors are equal; otherwise the subroutine ends there.",
)
SHARED: tuple[Parameter, ...] = (
    Parameter("zeta", "float", 1.0, "Rounding to whole pulls may cost a factor 1 + ζ.", "ζ", SMALLEST_ZETA, 1.0),
    Parameter(
        "rounding",
        "choice",
        "quadratic",
        "Pulls that rounding asks for, r_d(ζ): quadratic, (d²+d+2)/ζ, or linear, 180 d/ζ².",
        "r_d",
        choices=FORMS,
    ),
    Parameter("solver", "choice", "certified", "Solver of the designs.", choices=tuple(SOLVERS)),
    Parameter(
        "tolerance",
        "float",
        1e-6,
        "Relative gap that every design of the certified solver is proven to.",
        "",
        1e-12,
        0.5,
    ),
    Parameter(
        "noise",
        "text",
        None,
        "gaussian:σ, bernoulli, rademacher or deterministic; none: the instance's.",
        optional=True,
    ),
)
"""Parameters of every algorithm."""


def context_settings(parameters: Mapping[str, Value]) -> dict[str, Any]:
    """The part of the parameters that a run_context is made with."""
    return {name: parameters[name] for name in ("zeta", "rounding", "solver", "tolerance")}
