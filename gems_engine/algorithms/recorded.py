"""The settings in a run file: checked by the reader as a new run does, and completed with those of this version."""

from __future__ import annotations

import math
from typing import Any

from gems_engine.algorithms import BUILT_IN
from gems_engine.algorithms.algorithm import BEST_ARM, EPSILON
from gems_engine.errors import InputError
from gems_engine.events import RunStarted
from gems_engine.parameters import Value, shown

_OF_ANY = {parameter.name: parameter for each in BUILT_IN.values() for parameter in each.parameters}
"""A parameter that an algorithm had in another version means what it means in the others."""


def check_recorded(started: RunStarted) -> None:
    """Raise InputError for settings with which no run can start.

    Parameters that another version has and this one does not know, or the other way round, are accepted. Those of
    algorithms of other packages have a meaning only there; what is shown of them is their text.
    """
    known = BUILT_IN.get(started.algorithm)
    goals = (BEST_ARM, EPSILON) if known is None else (known.goal,)
    if started.goal not in goals:
        raise _refusal("goal", started.goal, " or ".join(goals))
    epsilon: Any = started.parameters.get("epsilon")
    if started.goal == EPSILON and not (type(epsilon) in (int, float) and 0 < epsilon < math.inf):
        raise _refusal("parameters.epsilon", epsilon, "above 0 and finite")
    rules = {} if known is None else {**_OF_ANY, **{each.name: each for each in known.parameters}}
    for name, value in started.parameters.items():
        if name in rules:
            try:
                rules[name].check(value)
            except InputError as error:
                raise InputError(f"In the parameters of event 1 (run started): {error}") from error


def all_parameters(started: RunStarted) -> dict[str, Value]:
    """The parameters of a run, with the defaults of those that its version did not have: they do what it did."""
    known = BUILT_IN.get(started.algorithm)
    missing = {} if known is None else {each.name: each.default for each in known.parameters}
    return missing | started.parameters


def _refusal(field: str, value: object, allowed: str) -> InputError:
    return InputError(f"The field {field} of event 1 (run started) is {shown(value)}: it must be {allowed}.")
