"""The order of arms side by side and the marked ones among them: shared by the views with an axis of arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats, Integers
from gems_engine.instance import Instance
from gems_gui.series.names import short_arm_name, typeset_name
from gems_gui.snapshot import Snapshot

INDEX = "index"
REWARD = "reward"
SIZE = "size"


@dataclass(frozen=True, eq=False)
class ArmOrder:
    """Arms from left to right, the one at position j between j − ½ and j + ½.

    Attributes
    ----------
    arms
        The arm at each position.
    positions
        The position of each arm, −1 for one that is not shown.
    by
        The order, which may differ from the requested one: the true reward may be hidden.
    named
        Whether the arms have their own names.
    names
        (position, name) of every arm, or None if a scale of numbers shows the same.
    best
        The arm that is the true best target; None if that is hidden or not an arm.
    recommended
        The recommended arm, or the leader of a single call, also if this call has eliminated it; else None.
    called
        Its label, such as "recommended, carried over" or "leader".
    selected
        The selected arm.
    selected_label
        Its name.
    """

    arms: Integers
    positions: Integers
    by: str
    named: bool
    names: list[tuple[float, str]] | None
    best: int | None
    recommended: int | None
    called: str
    selected: int | None
    selected_label: str

    def __len__(self) -> int:
        return len(self.arms)

    def label(self, by_size: str) -> str:
        """The label of the axis; empty if the arms have names."""
        ordered = {INDEX: "", REWARD: "by true reward ↓", SIZE: f"{by_size} ↓"}[self.by]
        return " ".join(filter(None, ("" if self.named else "arm", ordered)))

    def arm_at(self, x: float) -> int | None:
        """The arm whose column contains x."""
        position = int(np.floor(x + 0.5))
        return int(self.arms[position]) if 0 <= position < len(self.arms) else None


def arm_order(
    snapshot: Snapshot, by: str, sizes: Integers | Floats, shown: NDArray[np.bool_] | None = None
) -> ArmOrder:
    """Arms by index, by true mean reward, or by the drawn values, the largest first; ties by index.

    Parameters
    ----------
    shown
        Which arms are shown; all if there are none, or if not given.
    """
    instance = snapshot.instance
    if by == REWARD and not snapshot.truth:
        by = INDEX
    if by == INDEX:
        arms = np.arange(len(instance.arms))
    else:
        values = instance.require_rewards()[0] if by == REWARD else np.asarray(sizes, dtype=float)
        arms = np.argsort(-values, kind="stable")
    some = shown is not None and bool(shown.any()) and not bool(shown.all())
    if shown is not None and some:
        arms = arms[shown[arms]]
    positions = np.full(len(instance.arms), -1)
    positions[arms] = np.arange(len(arms))
    places = instance.target_arms
    selected = snapshot.selection.arm
    best = int(places[instance.best]) if snapshot.truth and places is not None else None
    return ArmOrder(
        arms,
        positions,
        by,
        bool(instance.arm_names),
        _names(snapshot, arms) if by != INDEX or instance.arm_names or some else None,
        None if best is None or positions[best] < 0 else best,
        _recommended(snapshot, positions),
        snapshot.state.answer[1],
        None if selected is None or positions[selected] < 0 else selected,
        "" if selected is None else typeset_name(instance.arm_label(selected)),
    )


def _recommended(snapshot: Snapshot, positions: Integers) -> int | None:
    (target, _), places = snapshot.state.answer, snapshot.instance.target_arms
    if target is None or places is None or positions[places[target]] < 0:
        return None
    return int(places[target])


def arm_columns(instance: Instance, arms: Integers) -> dict[str, list[Any]]:
    """The first columns of a table of arms."""
    return {"arm": arms.tolist(), "name": [instance.arm_label(arm) for arm in arms.tolist()]}


def _names(snapshot: Snapshot, arms: Integers) -> list[tuple[float, str]]:
    instance = snapshot.instance
    return [(float(position), short_arm_name(instance, arm)) for position, arm in enumerate(arms.tolist())]
