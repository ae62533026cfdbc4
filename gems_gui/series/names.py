"""Targets at an axis: short names or numbers, and what stands beside such an axis."""

from __future__ import annotations

from gems_engine.instance import Instance

_LONGEST = 12  # letters of a name on an axis


def kind_of(instance: Instance) -> str:
    """What a target is called: an arm, where each of them is one."""
    return "target" if instance.target_arms is None else "arm"


def axis_label(instance: Instance) -> str:
    """What an axis of targets is called: nothing where they have names, which say it themselves."""
    named = instance.target_names or (instance.arm_names if instance.target_arms is not None else None)
    return "" if named else kind_of(instance)


def short_name(instance: Instance, target: int) -> str:
    """The name of a target, cut where it is long; its number, or that of the arm it is, where it has none."""
    place = target if instance.target_arms is None else int(instance.target_arms[target])
    words = instance.target_label(target)
    return str(place) if words == f"{kind_of(instance)} {place}" else _cut(words)


def short_arm_name(instance: Instance, arm: int) -> str:
    """The name of an arm, cut where it is long; its number where it has none."""
    return _cut(instance.arm_names[arm]) if instance.arm_names and instance.arm_names[arm] else str(arm)


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
