"""Names of arms, targets and features as they are typeset in print: x_9 with a real index."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace

from gems_engine.instance import Instance
from gems_engine.terminal import subscript
from gems_engine.trace import Trace
from gems_gui.snapshot import Snapshot

_INDEXED = re.compile(r"([^\W\d_])_([0-9]{1,6})")


class Typesetter:
    """Writes names of the form x_9 as x₉ in snapshots; other names are not changed."""

    def __init__(self) -> None:
        self._instances: dict[int, tuple[Instance, Instance]] = {}  # by id, with the original, so that no id is reused

    def typeset(self, snapshot: Snapshot) -> Snapshot:
        """The same snapshot with typeset names."""
        traces: dict[int, Trace] = {}
        for trace in (snapshot.trace, *(each.trace for each in snapshot.compared)):
            if id(trace) not in traces:
                traces[id(trace)] = made = copy(trace)
                made.instance = self._instance(trace.instance)
        compared = tuple(replace(each, trace=traces[id(each.trace)]) for each in snapshot.compared)
        return replace(snapshot, trace=traces[id(snapshot.trace)], compared=compared)

    def _instance(self, instance: Instance) -> Instance:
        if id(instance) not in self._instances:
            names = (_names(each) for each in (instance.arm_names, instance.target_names, instance.feature_names))
            arms, targets, features = names
            made = replace(instance, arm_names=arms, target_names=targets, feature_names=features)
            self._instances[id(instance)] = instance, made
        return self._instances[id(instance)][1]


def _names(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(map(_name, names))


def _name(name: str) -> str:
    match = _INDEXED.fullmatch(name)
    return f"{match[1]}{subscript(int(match[2]))}" if match else name
