"""Whether the settings in a run file are those of a run: the reader checks them as a new run does."""

from __future__ import annotations

import math
from typing import Any

from gems_engine.algorithms import BUILT_IN
from gems_engine.algorithms.algorithm import BEST_ARM, EPSILON
from gems_engine.errors import InputError
from gems_engine.events import RunStarted
from gems_engine.parameters import shown


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
    for parameter in () if known is None else known.parameters:
        if parameter.name in started.parameters:
            try:
                parameter.check(started.parameters[parameter.name])
            except InputError as error:
                raise InputError(f"In the parameters of event 1 (run started): {error}") from error


def _refusal(field: str, value: object, allowed: str) -> InputError:
    return InputError(f"The field {field} of event 1 (run started) is {shown(value)}: it must be {allowed}.")
