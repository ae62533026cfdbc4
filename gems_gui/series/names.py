"""Names of targets on an axis, and the label of such an axis."""

from __future__ import annotations

from gems_engine.instance import Instance

_LONGEST = 12  # letters of a name on an axis


def kind_of(instance: Instance) -> str:
    """What a target is called: "arm" if every target is one."""
    return "target" if instance.target_arms is None else "arm"


def axis_label(instance: Instance) -> str:
    """The label of an axis of targets; empty if they have names."""
    named = instance.target_names or (instance.arm_names if instance.target_arms is not None else None)
    return "" if named else kind_of(instance)


def short_name(instance: Instance, target: int) -> str:
    """The name of a target, shortened if it is long; without a name, its index or that of its arm."""
    place = target if instance.target_arms is None else int(instance.target_arms[target])
    words = instance.target_label(target)
    return str(place) if words == f"{kind_of(instance)} {place}" else _cut(words)


def short_arm_name(instance: Instance, arm: int) -> str:
    """The name of an arm, shortened if it is long; without a name, its index."""
    return _cut(instance.arm_names[arm]) if instance.arm_names and instance.arm_names[arm] else str(arm)


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
