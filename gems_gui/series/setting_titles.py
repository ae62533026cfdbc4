"""The settings of a run as the form shows them: their titles and values; does not import Qt."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from gems_engine.algorithms import algorithm_named
from gems_engine.forcing import PARAMETERS
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter
from gems_engine.rewards import Noise
from gems_engine.terminal import number
from gems_gui.field_text import ALGORITHM, FORCED, PART_TITLES, choice_text, label_of, noise_text

_TITLES = {
    "algorithm": "Algorithm",
    "seed": "Run seed",
    "goal": "Goal",
    "rewards": "Rewards from",
    "instance.noise": "Noise",
}
_SWITCH = {"true": "yes", "false": "no"}
_VALUES = {
    ("goal", "epsilon"): "an arm within 2ε of the best",
    ("goal", "best arm"): "the best arm",
    ("rewards", ""): "the noise of the instance",
    ("rewards", "outside"): "outside",
}


def setting_title(name: str, algorithms: Iterable[str], instance: Instance) -> str:
    """A setting in which two runs differ, as the form calls it: "β", "Arms: x_5, feature 4".

    Parameters
    ----------
    name
        As :class:`~gems_engine.diff.Difference` has it, with the indices of an entry: "parameters.base", "arms[4, 3]".
    algorithms
        The algorithms of the runs, the first of which has the parameter.
    instance
        The instance of a run, for the labels of its arms.
    """
    name, _, entry = name.partition("[")
    part, _, rest = name.partition(".")
    if part == "parameters":
        known = next(filter(None, (parameter_of(each, rest) for each in algorithms)), None)
        return _words(rest) if known is None else label_of(known, ALGORITHM)
    if part == "forced":
        at, _, rest = rest.partition(".")
        label = next((label_of(each, FORCED) for each in PARAMETERS if each.name == rest), _words(rest))
        return f"{label}, forced after event {number(int(at))}"
    if part == "instance" and rest in PART_TITLES:
        where = ", ".join(_entry_labels(rest, [int(each) for each in entry.rstrip("]").split(",") if each], instance))
        return f"{PART_TITLES[rest]}: {where}" if where else PART_TITLES[rest]
    return _TITLES.get(name) or _words(name)


def setting_value(name: str, value: str) -> str:
    """The value of a setting as the form shows it."""
    if name == "instance.noise":
        return noise_text(Noise.parse(value))
    return _VALUES.get((name, value)) or _SWITCH.get(value) or choice_text(value)


def _entry_labels(part: str, indices: list[int], instance: Instance) -> list[str]:
    if part == "theta":
        return [instance.feature_label(each) for each in indices]
    label = instance.target_label if part.startswith("target") else instance.arm_label
    return [*map(label, indices[:1]), *map(instance.feature_label, indices[1:])]


@lru_cache(maxsize=512)
def parameter_of(algorithm: str, name: str) -> Parameter | None:
    """A parameter of an algorithm; None if it has none of that name, or is not installed."""
    try:
        known = algorithm_named(algorithm).parameters
    except Exception:  # of a package that is not installed
        return None
    return next((each for each in known if each.name == name), None)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
