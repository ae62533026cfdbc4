"""The norms of all pairwise directions, with the active pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.terminal import number, plural
from gems_gui.design_study import Study
from gems_gui.series.table import Table
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class DirectionSeries:
    """What the heat map draws; rows and columns are the chosen targets in their order.

    Attributes
    ----------
    shares
        Squared norm of each difference relative to the largest finite one; ∞ if the weights do not cover it.
    norms
        The squared norms themselves.
    active, w
        Pairs (i < j) within ε of the largest, and their w in the equivalence theorem, summing to one; if there are
        very many, only those with w > 0. ``active_count`` is their total number.
    worst
        A pair that attains the value.
    names
        (position, name) of every target, or None if a scale of numbers shows the same.
    selected
        Position of the selected target.
    """

    chosen: tuple[int, ...]
    norms: Floats
    shares: Floats
    active: list[Pair]
    w: Floats
    active_count: int
    worst: Pair | None
    names: list[tuple[float, str]]
    selected: int | None
    subtitle: Phrasings
    placeholder = ""

    def __len__(self) -> int:
        return len(self.chosen)

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each pair; the active ones have a w."""
        w = dict(zip(self.active, self.w.tolist(), strict=True))
        label = [snapshot.instance.target_label(each) for each in self.chosen]
        rows = [
            (self.chosen[i], self.chosen[j], label[i], label[j], float(self.norms[i, j]), w.get((i, j)))
            for i in range(len(self))
            for j in range(i + 1, len(self))
        ]
        return Table(("target", "other", "name", "other_name", "squared_norm", "w"), rows)

    def pair_at(self, x: float, y: float) -> Pair | None:
        """Row and column of the cell at a point."""
        row, column = int(np.floor(y)), int(np.floor(x))
        return (row, column) if 0 <= row < len(self) and 0 <= column < len(self) else None


def direction_series(snapshot: Snapshot, study: Study) -> DirectionSeries:
    """The norms under a study's weights."""
    seen, subject = study.main.examination, study.subject
    finite = np.where(np.isfinite(seen.norms), seen.norms, 0.0)
    most = float(finite.max())
    shares = seen.norms / most if most > 0.0 else np.where(np.isfinite(seen.norms), 0.0, np.inf)
    target = snapshot.selection.target
    known = subject.instance.target_names or ("",) * len(subject.instance.targets)
    names = [(position + 0.5, known[each] or str(each)) for position, each in enumerate(subject.chosen)]
    theorem = seen.equivalence
    active = [(min(pair), max(pair)) for pair in theorem.active if isinstance(pair, tuple)]
    worst = None if seen.worst is None else (min(seen.worst), max(seen.worst))
    return DirectionSeries(
        subject.chosen,
        seen.norms,
        shares,
        active,
        theorem.w,
        theorem.active_count,
        worst,
        names,
        subject.chosen.index(target) if target in subject.chosen else None,
        _subtitle(study, theorem.active_count),
    )


def _subtitle(study: Study, active: int) -> Phrasings:
    seen, count = study.main.examination, len(study.subject.chosen)
    if seen.worst is None:
        return "all targets are equal in these coordinates", "all targets are equal"
    pairs = count * (count - 1) // 2
    directions = plural(pairs, "direction")
    if not np.isfinite(seen.value):
        return phrasings((f"{study.subject.pair(seen.worst)} is infinite", "infinite"), directions)
    largest = f"‖y‖² = {number(seen.value, 5)}"
    named = f"worst {study.subject.pair(seen.worst)}: {largest}"
    return phrasings((named, largest), f"{number(active)} active", directions)


def direction_text(series: DirectionSeries, study: Study, x: float, y: float) -> str:
    """As in "arm 3 – arm 7: ‖y‖² = 17.9, 99.8 % of the largest, active with w = 0.02"."""
    pair = series.pair_at(x, y)
    if pair is None or pair[0] == pair[1]:
        return ""
    square = float(series.norms[pair])
    words = f"{study.subject.pair(pair)}: ‖y‖² = {number(square, 5)}"
    if square == 0.0:
        return f"{words}: equal here"
    share = float(series.shares[pair])
    if np.isfinite(share):
        words += f", {number(100.0 * share, 4)} % of the largest"
    ordered = (min(pair), max(pair))
    if ordered in series.active:
        words += f", active with w = {number(float(series.w[series.active.index(ordered)]), 3)}"
    return words
