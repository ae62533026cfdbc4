"""The content of every instance file, in any format: arrays and metadata."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.features import as_name, as_table, as_vector, linear_rewards, match_rows
from gems_engine.instance import Instance, rewards_of_targets
from gems_engine.parameters import Value, shown, unknown_name
from gems_engine.recipe import Recipe
from gems_engine.rewards import Noise

FORMAT = "gems-instance"
VERSION = 3
"""The newest; 2 has the names of features, and 3 has no rewards. Each is written only where it is needed."""
WORDS = ("format", "version", "name", "noise", "recipe", "arm_names", "target_names", "feature_names")


def words(instance: Instance) -> dict[str, Any]:
    """Everything in an instance that is not an array, as JSON values; absent fields are omitted."""
    version = 3 if not instance.has_rewards else 1 if instance.feature_names is None else 2
    said: dict[str, Any] = {"format": FORMAT, "version": version, "name": instance.name, "noise": str(instance.noise)}
    if recipe := recipe_text(instance.recipe):
        said["recipe"] = recipe
    if instance.arm_names is not None:
        said["arm_names"] = list(instance.arm_names)
    if instance.target_names is not None:
        said["target_names"] = list(instance.target_names)
    if instance.feature_names is not None:
        said["feature_names"] = list(instance.feature_names)
    return said


def recipe_text(recipe: Recipe) -> dict[str, Any]:
    """A recipe as JSON values; absent fields are omitted."""
    said = {
        "family": recipe.family,
        "parameters": recipe.parameters,
        "file": recipe.file,
        "steps": list(recipe.steps),
    }
    return {key: value for key, value in said.items() if value}


def check_version(said: Mapping[str, Any]) -> None:
    """Raise InputError for another kind of file, or a newer version."""
    if said.get("format") != FORMAT:
        raise InputError(
            f"The field format is {shown(said.get('format'))}: an instance file has "
            f'"format": "{FORMAT}" and "version": {VERSION}.'
        )
    require_version(said.get("version"), VERSION)


def require_version(version: Any, newest: int) -> None:
    """Raise InputError for an invalid version of a file, or a newer one."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(f"The field version is {shown(version)}: it must be {newest}.")
    if version > newest:
        raise InputError(
            f"It was made by a newer version of this program (file version {shown(version)}; this program reads "
            f"{newest}). Update the program."
        )


def assemble(
    said: Mapping[str, Any],
    default_name: str,
    file: str,
    arms: Any,
    targets: Any = None,
    rewards: Any = None,
    target_rewards: Any = None,
    theta: Any = None,
) -> Instance:
    """The instance in a file; absent arrays are derived if the others determine them."""
    table = as_table(arms, "arms", said.get("feature_names"))
    goals = table if targets is None else as_table(targets, "targets", said.get("feature_names"))
    parameter = None if theta is None else as_vector(theta, "theta", table.shape[1], "feature")
    if rewards is None and parameter is not None:
        rewards = linear_rewards(table, parameter)
    means = None if rewards is None else as_vector(rewards, "rewards", len(table), "arm")
    if target_rewards is None and means is not None:
        target_rewards = implied_target_rewards(table, goals, means, parameter)
    name = as_name(said.get("name", default_name), "name")
    noise = said.get("noise", "gaussian")
    if not isinstance(noise, str):
        raise InputError(f"The field noise is {shown(noise)}: it must be a text such as gaussian:0.5.")
    recipe = recipe_of(said["recipe"]) if "recipe" in said else Recipe() if "format" in said else Recipe(file=file)
    names = (said.get(side) for side in ("arm_names", "target_names", "feature_names"))
    return Instance(table, goals, means, target_rewards, parameter, Noise.parse(noise), name, recipe, *names)


def implied_target_rewards(arms: Floats, targets: Floats, rewards: Floats, theta: Floats | None) -> Floats:
    """The targets' rewards if a file does not have them: those of equal arms, else by theta."""
    same = targets.shape == arms.shape and np.array_equal(targets, arms)
    if theta is None or same or targets.shape[1] != arms.shape[1]:
        return rewards_of_targets(arms, targets, rewards)
    places = match_rows(targets, arms)
    return rewards[places] if (places >= 0).all() else linear_rewards(targets, theta)


def implies_target_rewards(instance: Instance) -> bool:
    """Whether reading without target rewards gives the same bits."""
    try:
        rewards, target_rewards = instance.require_rewards()
        implied = implied_target_rewards(instance.arms, instance.targets, rewards, instance.theta)
    except InputError:
        return not instance.has_rewards
    return implied.tobytes() == target_rewards.tobytes()


def recipe_of(value: Any) -> Recipe:
    """The recipe in untrusted JSON values."""
    if not isinstance(value, dict):
        raise InputError(f"The field recipe is {shown(value)}: it must be an object.")
    for key in value:
        if key not in ("family", "parameters", "file", "steps"):
            raise unknown_name("field in recipe", key, ("family", "parameters", "file", "steps"))
    parameters, steps = value.get("parameters", {}), value.get("steps", [])
    if not isinstance(parameters, dict) or not isinstance(steps, list) or len(parameters) + len(steps) > 1000:
        raise InputError("The field recipe must have parameters as an object and steps as a list of at most 1000.")
    return Recipe(
        as_name(value.get("family", ""), "recipe.family"),
        tuple((as_name(key, "recipe.parameters"), _plain(entry, key)) for key, entry in parameters.items()),
        as_name(value.get("file", ""), "recipe.file"),
        tuple(as_name(step, f"recipe.steps[{i}]") for i, step in enumerate(steps)),
    )


def _plain(value: Any, key: str) -> Value:
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return as_name(value, f"recipe.parameters.{key}")
