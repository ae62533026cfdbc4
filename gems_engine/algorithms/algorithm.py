"""The interface of an algorithm: a name, typed parameters, and a generator of events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gems_engine.algorithms.pseudocode import Listing
from gems_engine.algorithms.run_context import DROP, FINISH, Events, RunContext
from gems_engine.complexity.schedule import SMALLEST_DELTA, SMALLEST_EPSILON
from gems_engine.design import SOLVERS
from gems_engine.errors import InputError
from gems_engine.events import BEST_ARM as BEST_ARM
from gems_engine.events import EPSILON as EPSILON
from gems_engine.events import RunFinished
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value
from gems_engine.rounding import FORMS, SMALLEST_ZETA

__all__ = ["SHARED", "Algorithm"]


@dataclass(frozen=True)
class Algorithm:
    """A registered algorithm.

    Attributes
    ----------
    name, summary
        Its id, on the command line and in files, and one sentence about it.
    parameters
        Its own parameters, then those that all algorithms share.
    goal
        ``best arm``, or ``epsilon`` if any 2ε-optimal arm is right.
    steps
        The generator: from a run context and checked parameters to events, ending with a `RunFinished`.
    refuse
        Raises InputError if it cannot run on an instance. That the best target is unique for the goal ``best arm`` is
        checked separately, if the rewards are the instance's own.
    stops
        Whether it ends by itself unless it is stopped before; the strategies of the paper never stop, or only when
        their budget is spent.
    listing
        Its pseudo-code, None if there is none.
    title
        The name that people know; without one, the id.
    aliases
        Other names that are accepted instead of the id.
    rival
        The id of the algorithm that it is usually compared with.
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
    rival: str = "rage"

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name)


def needs_targets_among_arms(instance: Instance, parameters: Mapping[str, Any]) -> None:
    """Raise InputError for a transductive instance: candidates are pulled directly (docs/decisions.md, 10)."""
    if instance.target_arms is None:
        raise InputError(
            "This algorithm pulls its candidates to validate them, so every target must be an arm. "
            "Some targets of this (transductive) instance are not."
        )


def needs_linear_rewards(instance: Instance, parameters: Mapping[str, Any]) -> None:
    """Raise InputError if there is no d⋆ or no unique best arm."""
    instance.require_unique_best()
    if instance.d_star is None:
        raise InputError(
            "This oracle needs d⋆, but the rewards of this instance are not linear, even in all D features."
        )


DELTA = Parameter(
    "delta",
    "float",
    0.05,
    "Allowed probability of a wrong recommendation with Gaussian noise; slightly more with other noise.",
    "δ",
    SMALLEST_DELTA,
    1.0,
    exclusive_maximum=True,
)
EPSILON_GOAL = Parameter(
    "epsilon",
    "float",
    0.1,
    "ε of the goal: any arm within 2ε of the best is right.",
    "ε",
    SMALLEST_EPSILON,
    10.0,
)
BASE = Parameter("base", "int", 2, "Base of the schedule γ_ℓ = β^ℓ; the paper's experiments use 4.", "β", 2, 64)
ROUNDS = Parameter("rounds", "int", 8, "Largest number of rounds.", "n", 1, 10**15)
SELECTION_BUDGET = Parameter(
    "selection_budget",
    "float",
    None,
    "Selection budget: the largest dimension whose cost fits it is chosen. None: g₂(D) of the instance.",
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
    "The run ends at the round that would exceed this number of samples.",
    "",
    1,
    10**15,
)
LAST_ROUND = Parameter(
    "last_round",
    "choice",
    DROP,
    "The round that would exceed the cap: drop it, or finish it as the authors' code does.",
    choices=(DROP, FINISH),
)
MAX_LOOPS = Parameter("max_loops", "int", 40, "The run ends after this loop ℓ.", "max ℓ", 1, 200)
STOP_WHEN_VERIFIABLE = Parameter(
    "stop_when_verifiable",
    "bool",
    False,
    "End when the recommendation becomes verifiable: one arm remains, with d = D in every round.",
)
LITERAL = Parameter(
    "literal",
    "bool",
    False,
    "Count rounds up to n even if one arm remains, as in the pseudo-code, instead of ending the call.",
)
COUNT_IDLE = Parameter(
    "count_idle",
    "bool",
    True,
    "Count the samples of rounds in which all survivors are equal; otherwise the call ends there.",
)
SHARED: tuple[Parameter, ...] = (
    Parameter("zeta", "float", 1.0, "Rounding to whole pulls may cost a factor 1 + ζ.", "ζ", SMALLEST_ZETA, 1.0),
    Parameter(
        "rounding",
        "choice",
        "quadratic",
        "Pulls needed for rounding, r_d(ζ): quadratic, (d²+d+2)/ζ, or linear, 180 d/ζ².",
        "r_d",
        choices=FORMS,
    ),
    Parameter("solver", "choice", "certified", "Solver for the designs.", choices=tuple(SOLVERS)),
    Parameter(
        "tolerance",
        "float",
        1e-6,
        "Relative gap that the certified solver proves for every design.",
        "",
        1e-12,
        0.5,
    ),
    Parameter(
        "noise",
        "text",
        None,
        "gaussian:σ, bernoulli, rademacher or deterministic. None: the noise of the instance.",
        optional=True,
    ),
)
"""Parameters of every algorithm."""


def context_settings(parameters: Mapping[str, Value]) -> dict[str, Any]:
    """The parameters of the run_context."""
    return {name: parameters[name] for name in ("zeta", "rounding", "solver", "tolerance")}
