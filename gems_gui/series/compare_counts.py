"""How often every arm was pulled in each of several runs, at the same number of samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.terminal import number, plural
from gems_gui.series.arm_order import ArmOrder, arm_columns, arm_order
from gems_gui.series.side_by_side import Sides, sides_of
from gems_gui.series.table import Table, by_columns
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

PULLS, SHARE = "pulls", "share"


@dataclass(frozen=True, eq=False)
class ComparedCounts:
    """What the view draws; arrays have one entry for each arm, by its index.

    Attributes
    ----------
    pulls
        Pulls of every arm, for each run.
    shown
        The same, or as percentages of the run's pulls.
    placeholder
        Why the view is empty, if it is.
    """

    sides: Sides
    order: ArmOrder
    pulls: tuple[Floats, ...]
    shown: tuple[Floats, ...]
    subtitle: Phrasings
    placeholder: str

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        runs = {
            f"pulls {at}: {side.label}": counts[arms].astype(np.int64)
            for at, (side, counts) in enumerate(zip(self.sides.runs, self.pulls, strict=True), 1)
        }
        return by_columns({**arm_columns(snapshot.instance, arms), **runs})


def compared_counts(snapshot: Snapshot, shows: str, order: str, until: str) -> ComparedCounts:
    """The pulls of all runs, up to the same number of samples."""
    sides = sides_of(snapshot, until)
    pulls = tuple(side.snapshot.state.counts.astype(float) for side in sides.runs)
    shown = pulls if shows == PULLS else tuple(100.0 * each / max(each.sum(), 1.0) for each in pulls)
    drawn = any(each.any() for each in pulls)
    return ComparedCounts(
        sides,
        arm_order(snapshot, order, np.max(shown, axis=0)),
        pulls,
        shown,
        phrasings(*sides.subtitle()) if drawn else (),
        "" if drawn else "no pulls yet",
    )


def compared_count_text(snapshot: Snapshot, series: ComparedCounts, x: float) -> str:
    """How often the arm at x was pulled in each run."""
    arm = series.order.arm_at(x)
    if arm is None:
        return ""
    lines = [
        f"{side.label}: {plural(int(counts[arm]), 'pull')}, {number(100.0 * counts[arm] / max(counts.sum(), 1.0), 3)} %"
        for side, counts in zip(series.sides.runs, series.pulls, strict=True)
    ]
    return "\n".join((snapshot.instance.arm_label(arm), *lines))
