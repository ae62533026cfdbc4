"""The design weights λ_k of the current round, the shares of its pulls after rounding, and all other rounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.events import Allocated, DesignSolved
from gems_engine.terminal import number, plural, superscript
from gems_gui.series.arm_order import ArmOrder, arm_columns, arm_order
from gems_gui.series.axis import subroutine_label
from gems_gui.series.last_round import last_round
from gems_gui.series.round_designs import RoundDesigns, round_designs
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.to_come import to_come
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

HISTORY, THIS, ALL = "history", "this", "all"
"""Which rounds are shown: this one above all of them, this one only, or all of them only."""
EVERY, SUPPORT = "every", "support"
"""Which arms are shown."""


@dataclass(frozen=True, eq=False)
class WeightSeries:
    """What the view of λ_k draws; arrays have one entry for each arm, by its index.

    Attributes
    ----------
    weights
        λ_k; 0 outside its support, and everywhere while there is no design.
    counts
        Pulls of the round's allocation; 0 everywhere while there is none.
    pulls
        N_k, their sum.
    k
        The round that the design belongs to; 0 while there is none.
    late
        Whether it is the design of the previous round, because this one has none yet.
    solved, allocated
        Whether there is a design, and an allocation.
    validation
        Whether the pulls validate candidates and follow no design.
    rounds
        The designs of all rounds of this subroutine so far; none if they are not shown.
    alone
        Whether only these are shown.
    placeholder
        Why the view is empty, if it is.
    """

    order: ArmOrder
    rounds: RoundDesigns
    alone: bool
    weights: Floats
    counts: Integers
    pulls: int
    solved: bool
    k: int
    late: bool
    allocated: bool
    validation: bool
    subtitle: Phrasings
    placeholder: str

    @property
    def shares(self) -> Floats:
        """Pulls of each arm divided by N_k."""
        return self.counts / max(1, self.pulls)

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each arm, from the left; if all rounds are shown, for each arm in a design."""
        arms = self.order.arms
        if self.alone:
            return self._table_of_rounds(snapshot)
        return by_columns(
            {
                **arm_columns(snapshot.instance, arms),
                "weight": masked(self.weights[arms], self.solved),
                "pulls": masked(self.counts[arms], self.allocated),
                "share": masked(self.shares[arms], self.allocated),
            }
        )

    def _table_of_rounds(self, snapshot: Snapshot) -> Table:
        rows, at = np.nonzero(self.rounds.weights[:, self.order.arms])
        arms = self.order.arms[at]
        return by_columns(
            {
                "k": self.rounds.k[rows],
                "d": masked(self.rounds.d[rows], not snapshot.keeps_d),
                **arm_columns(snapshot.instance, arms),
                "weight": self.rounds.weights[rows, arms],
            }
        )


def weight_series(snapshot: Snapshot, order: str, shows: str = THIS, which: str = EVERY) -> WeightSeries:
    """The design and the allocation of the round at the cursor; while it has none, the design of the previous one."""
    state, late = snapshot.state, False
    if state.design is None and state.allocation is None and state.idle is None and (before := last_round(snapshot)):
        state, late = before.state, True
    design, allocation = state.design, None if late else state.allocation
    arms = len(snapshot.instance.arms)
    weights, counts = np.zeros(arms), np.zeros(arms, dtype=np.int64)
    if design is not None:
        weights[design.support] = design.weights
    if allocation is not None:
        np.add.at(counts, allocation.arms, allocation.counts)  # two candidates may be the same arm
    known = design is not None or allocation is not None
    rounds = RoundDesigns.none(arms) if shows == THIS else round_designs(snapshot)
    alone = shows == ALL
    sizes = rounds.weights.max(axis=0, initial=0.0) if alone else weights if design is not None else counts
    here = (weights > 0) | (counts > 0)  # the cells below the bars show the same arms
    support = (rounds.support if alone or not known else here) if which == SUPPORT else None
    call = subroutine_label(snapshot, snapshot.completed)
    if alone:
        known = len(rounds) > 0
        subtitle = _rounds_subtitle(arms, rounds, snapshot.keeps_d, call) if known else ()
    else:
        subtitle = _subtitle(arms, design, allocation, late, snapshot.keeps_d, call) if known else ()
    return WeightSeries(
        arm_order(snapshot, order, sizes, support),
        rounds,
        alone,
        weights,
        counts,
        int(counts.sum()),
        design is not None,
        design.place.k if design is not None else 0,
        late,
        allocation is not None,
        allocation is not None and allocation.d == 0,
        subtitle,
        "" if known else _placeholder(snapshot),
    )


def _placeholder(snapshot: Snapshot) -> str:
    state = snapshot.state
    if state.idle is not None:
        return f"idle: {state.idle.why}, so there is no design"
    return to_come(snapshot, "design")


def _subtitle(
    arms: int, design: DesignSolved | None, allocation: Allocated | None, late: bool, keeps_d: bool, call: str
) -> Phrasings:
    """What is shown of a round; the call is named if it is not that at the cursor."""
    if allocation is not None and allocation.d == 0:
        counts = sorted(set(allocation.counts.tolist()))
        each = " and ".join(number(count) for count in counts)
        many = plural(len(allocation.arms), "candidate")
        return phrasings("validation", f"{each} {'pull' if counts == [1] else 'pulls'} each", many)
    factor = "" if allocation is None else f"rounding factor {number(allocation.factor)}"
    if allocation is not None and allocation.lost:
        factor = f"{number(allocation.lost)} of {plural(allocation.total + allocation.lost, 'reward')} lost"
    if design is None:
        assert allocation is not None
        where = "" if keeps_d else f" in R{superscript(allocation.d)}"
        return phrasings(f"{plural(int(allocation.counts.sum()), 'pull')}{where}", factor)
    what = f"λ_{design.place.k}{'' if keeps_d else f' in R{superscript(design.d)}'}"
    some = f"{number(len(design.support))} of {number(arms)} arms"
    value = f"value {number(design.value)}"
    return phrasings(
        (f"{what}, the last design", f"last: {what}", "last") if late else what,
        call,
        (f"support {some}", some, ""),
        (f"{value} (proven ≥ {number(design.lower_bound)})", value, ""),
        factor,
    )


def _rounds_subtitle(arms: int, rounds: RoundDesigns, keeps_d: bool, call: str) -> Phrasings:
    first, last = int(rounds.k[0]), int(rounds.k[-1])
    some = f"{number(int(rounds.support.sum()))} of {number(arms)} arms"
    low, high = (f"R{superscript(int(each))}" for each in (rounds.d.min(), rounds.d.max()))
    return phrasings(
        f"λ_{first}" if first == last else f"λ_{first} to λ_{last}",
        call,
        "" if keeps_d else f"in {low}" if low == high else f"in {low} to {high}",
        (f"support {some}", some, ""),
        f"largest weight {number(float(rounds.weights.max()), 3)}",
    )


def weight_text(snapshot: Snapshot, series: WeightSeries, x: float, row: int | None = None) -> str:
    """What the arm at x was given: "arm 4: λ = 0.123, 1 234 of 10 032 pulls (0.123)"; in the round of a row, if any."""
    arm = series.order.arm_at(x)
    if arm is not None and row is not None:
        k, weight = int(series.rounds.k[row]), float(series.rounds.weights[row, arm])
        where = "" if snapshot.keeps_d else f" in R{superscript(int(series.rounds.d[row]))}"
        has = f"λ_{k} = {number(weight, 5)}" if weight else f"no weight in λ_{k}"
        return f"{snapshot.instance.arm_label(arm)}: {has}{where}"
    if arm is None or series.alone or not (series.solved or series.allocated):
        return ""
    parts = []
    if series.solved:
        parts.append(f"λ = {number(float(series.weights[arm]), 5)}")
    if series.allocated:
        share = number(float(series.shares[arm]), 5)
        parts.append(f"{number(int(series.counts[arm]))} of {number(series.pulls)} pulls ({share})")
    late = f" in k{series.k}" if series.late else ""
    return f"{snapshot.instance.arm_label(arm)}{late}: {', '.join(parts)}"
