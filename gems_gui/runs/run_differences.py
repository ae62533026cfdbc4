"""The settings that tell apart runs of one algorithm on instances of one family or file; independent of Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gems_engine.errors import InputError
from gems_engine.gallery import family_named
from gems_engine.instance import Instance
from gems_gui.field_text import ALGORITHM, INSTANCE, label_of
from gems_gui.series.setting_titles import parameter_of
from gems_gui.series.side_by_side import parameters_of, value_text
from gems_gui.workbench.run_session import RunSession

_Settings = Mapping[tuple[str, str], Any]  # of the instance, which has no algorithm, and of an algorithm


def instance_name(instance: Instance) -> str:
    """The family or the file of an instance."""
    return instance.recipe.title or instance.recipe.file.rpartition("/")[2] or "custom instance"


def run_differences(run: RunSession, runs: Iterable[RunSession]) -> list[str]:
    """The settings of a run, without its seed, that differ from those of a run of the same kind: "B = 28.7"."""
    kind = _kind(run)
    others = [_settings(each) for each in runs if _kind(each) == kind]
    return [
        f"{_label(run.trace.instance, *key)} = {value_text(value)}"
        for key, value in _settings(run).items()
        if any(other.get(key, value) != value for other in others)
    ]


def _kind(run: RunSession) -> tuple[str, str]:
    started = run.trace.started
    return "" if started is None else started.algorithm, instance_name(run.trace.instance)


def _settings(run: RunSession) -> _Settings:
    started, recipe = run.trace.started, run.trace.instance.recipe
    made = {} if recipe.edited else {("", key): value for key, value in recipe.settings}
    if started is None:
        return made
    return {**made, **{(started.algorithm, key): value for key, value in parameters_of(run.trace).items()}}


def _label(instance: Instance, algorithm: str, name: str) -> str:
    """A setting as the form calls it."""
    if algorithm:
        known = parameter_of(algorithm, name)
    else:
        try:
            parameters = family_named(instance.recipe.family).parameters
        except InputError:  # a file, or a family that is not installed
            parameters = ()
        known = next((each for each in parameters if each.name == name), None)
    return name.replace("_", " ") if known is None else label_of(known, ALGORITHM if algorithm else INSTANCE)
