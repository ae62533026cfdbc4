"""Sensitivity: a small experiment that varies one parameter of a run and keeps the others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gems_engine.algorithms import algorithm_named, algorithm_title
from gems_engine.errors import InputError
from gems_engine.experiment.specification import Cell, Specification
from gems_engine.gallery import FAMILIES, make
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value, check_all
from gems_engine.rewards import Noise

MOST_VALUES = 40
_DOUBLED = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_DECADES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3, 1e4)
_SMALL = 16  # integers up to this are varied one by one
_NO_FILE = "The instance of the form does not belong to a family. Save it to a file to use it in an experiment."


def varied_parameters(algorithm: str) -> tuple[Parameter, ...]:
    """The parameters that can be varied: numbers, choices, switches and the noise."""
    return tuple(each for each in algorithm_named(algorithm).parameters if each.kind != "text" or each.name == "noise")


def proposed(parameter: Parameter, value: Value, instance: Instance) -> tuple[Value, ...]:
    """Values around the current one, including it: all choices, or numbers evenly spaced on a logarithmic axis."""
    if parameter.name == "noise":
        noise = Noise.parse(value) if isinstance(value, str) else instance.noise
        sigma = noise.sigma if noise.kind == "gaussian" else 1.0
        around = [str(Noise("gaussian", _short(sigma * each))) for each in (0.25, 0.5, 1.0, 2.0)]
        return tuple(dict.fromkeys([*around, str(noise)]))
    if parameter.kind == "bool":
        return (False, True)
    if parameter.kind == "choice":
        return parameter.choices
    if value is None or isinstance(value, bool | str) or value <= 0:
        value = parameter.default if isinstance(parameter.default, int | float) and parameter.default > 0 else 1
    numbers: list[float]
    if parameter.kind == "int" and value <= _SMALL:
        numbers = [value + step for step in range(-2, 5)]
    else:
        numbers = [value * each for each in (_DECADES if parameter.name == "tolerance" else _DOUBLED)]
    return tuple(sorted({each for number in numbers if (each := _allowed(parameter, number)) is not None}, key=float))


def _allowed(parameter: Parameter, number: float) -> float | int | None:
    try:
        found = parameter.check(round(number) if parameter.kind == "int" else _short(number))
    except InputError:
        return None
    assert isinstance(found, int | float)
    return found


def _short(number: float) -> float:
    return float(f"{number:.6g}")


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """A parameter to vary, and the settings around it.

    Attributes
    ----------
    instance, algorithm, parameters
        As for a run.
    name, values
        The parameter, and its values in order of display.
    trials, seed
        The number of trials per value, and the seed of the experiment: the trials have the same seeds for all values.
    label
        What the parameter is called; by default its symbol, or its name in words.
    """

    instance: Instance
    algorithm: str
    parameters: Mapping[str, Value]
    name: str
    values: tuple[Value, ...]
    trials: int
    seed: int
    label: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.values) <= MOST_VALUES or len(set(self.values)) < len(self.values):
            raise InputError(f"Give from 1 to {MOST_VALUES} values, each only once.")
        for value in self.values:
            values = check_all(algorithm_named(self.algorithm).parameters, self.settings(value))
            noise = values.get("noise")
            instance = self.instance.with_noise(noise) if isinstance(noise, str) else self.instance
            algorithm_named(self.algorithm).refuse(instance, values)

    @property
    def parameter(self) -> Parameter:
        """The parameter to vary."""
        return next(each for each in algorithm_named(self.algorithm).parameters if each.name == self.name)

    def settings(self, value: Value) -> dict[str, Value]:
        """The parameters of a run with this value: those that differ from the defaults, and the varied one."""
        known = {each.name: each.default for each in algorithm_named(self.algorithm).parameters}
        kept = {name: each for name, each in self.parameters.items() if known.get(name) != each}
        return {**kept, self.name: value}

    @cached_property
    def specification(self) -> Specification:
        """The experiment: one cell for each value."""
        method = algorithm_title(self.algorithm)
        cells = tuple(
            Cell(at, self.instance, False, self.algorithm, self.settings(value), method, {self.name: value})
            for at, value in enumerate(self.values)
        )
        symbol = self.label or self.parameter.symbol or self.name.replace("_", " ")
        title = f"Sensitivity of {method} to {symbol}"
        return Specification("sensitivity", title, "", self.trials, self.seed, cells, self.name, {self.name: symbol})

    def toml(self) -> str:
        """The same as a file for ``gems experiment``; raises InputError if no family makes the instance."""
        recipe = self.instance.recipe
        if recipe.family not in FAMILIES or recipe.steps:
            raise InputError(_NO_FILE)
        made = make(recipe.family, **recipe.parameters)
        settings = self.settings(self.values[0])
        if made.with_noise(self.instance.noise).digest != self.instance.digest:
            raise InputError(_NO_FILE)
        if str(made.noise) != str(self.instance.noise):
            settings = {"noise": str(self.instance.noise), **settings}
        lines = [f"title = {_word(self.specification.title)}", f"trials = {self.trials}", f"seed = {self.seed}"]
        lines += [f"x = {_word(self.name)}", "", "[instance]", f"family = {_word(recipe.family)}"]
        lines += [f"{name} = {_word(value)}" for name, value in recipe.settings if value is not None]
        lines += ["", "[[algorithm]]", f"name = {_word(self.algorithm)}"]
        lines += [f"{name} = {_word(value)}" for name, value in settings.items() if name != self.name]
        lines.append(f"{self.name} = [{', '.join(map(_word, self.values))}]")
        return "\n".join(lines) + "\n"


def _word(value: Value) -> str:
    """A value in TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else repr(value)
