"""Names of targets on an axis, and the label of such an axis."""

from __future__ import annotations

import re

from gems_engine.instance import Instance
from gems_engine.terminal import subscript

_LONGEST = 12  # letters of a name on an axis
_INDEXED = re.compile(r"([^\W\d_])_([0-9]{1,6})")


def typeset_name(name: str) -> str:
    """A name of the form x_9 with a real index, x₉; other names are not changed.

    Names in plots are typeset: the underscore of one would touch the row below. Text has the name as it is.
    """
    match = _INDEXED.fullmatch(name)
    return f"{match[1]}{subscript(int(match[2]))}" if match else name


def shortened(name: str, most: int) -> str:
    """A name of at most this many letters: its middle is left out, as long names often differ at their end.

    A number at the end stays whole if there is room.
    """
    if len(name) <= most:
        return name
    end = whole = len(name) - (most - 1) // 2
    while whole > 0 and name[whole].isdigit() and name[whole - 1].isdigit():
        whole -= 1
    if len(name) - whole < most - 2:
        end = whole
    return f"{name[: most - 1 - (len(name) - end)].rstrip()}…{name[end:].lstrip()}"


def axis_label(instance: Instance) -> str:
    """The label of an axis of targets; empty if they have names."""
    named = instance.target_names or (instance.arm_names if instance.target_arms is not None else None)
    return "" if named else instance.target_kind


def short_name(instance: Instance, target: int) -> str:
    """The name of a target, typeset, and shortened if it is long; without a name, its index or that of its arm."""
    place = target if instance.target_arms is None else int(instance.target_arms[target])
    words = instance.target_label(target)
    return str(place) if words == f"{instance.target_kind} {place}" else _cut(words)


def short_arm_name(instance: Instance, arm: int) -> str:
    """The name of an arm, typeset, and shortened if it is long; without a name, its index."""
    return _cut(instance.arm_names[arm]) if instance.arm_names and instance.arm_names[arm] else str(arm)


def _cut(name: str) -> str:
    return shortened(typeset_name(name), _LONGEST)
