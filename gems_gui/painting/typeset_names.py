"""Names of arms, targets and features as they are typeset in print: x_9 with a real index."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from gems_engine.trace import Trace
from gems_gui.series.names import typeset_name
from gems_gui.snapshot import Snapshot


class Typesetter:
    """Writes names of the form x_9 as x₉ in snapshots; other names are not changed."""

    def __init__(self) -> None:
        # By id and length of a trace, with the trace, so that no id is reused; the history and problems are shared.
        self._bases: dict[tuple[int, int], tuple[Trace, Snapshot]] = {}

    def typeset(self, snapshot: Snapshot) -> Snapshot:
        """The same snapshot with typeset names."""
        base = self._base(snapshot.trace)
        runs = ((each, self._base(each.trace)) for each in snapshot.compared)
        compared = tuple(replace(each, trace=run.trace, history=run.history) for each, run in runs)
        return replace(snapshot, trace=base.trace, history=base.history, problems=base.problems, compared=compared)

    def _base(self, trace: Trace) -> Snapshot:
        """Any snapshot of a run with typeset names."""
        key = id(trace), len(trace)
        if key not in self._bases:
            made = copy(trace)
            instance = made.instance
            names = (_names(each) for each in (instance.arm_names, instance.target_names, instance.feature_names))
            arms, targets, features = names
            made.instance = replace(instance, arm_names=arms, target_names=targets, feature_names=features)
            self._bases[key] = trace, Snapshot.of(made, 0)
        return self._bases[key][1]


def _names(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(map(typeset_name, names))
