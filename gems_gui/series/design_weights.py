"""The design weights λ_k of the current round beside the shares of the pulls that rounding made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.terminal import number
from gems_gui.moment import Moment
from gems_gui.series.arm_order import ArmOrder, arm_columns, arm_order
from gems_gui.series.table import Table, by_columns, masked


@dataclass(frozen=True, eq=False)
class WeightSeries:
    """What the view of λ_k draws; arrays have one entry for each arm, by its index.

    Attributes
    ----------
    weights
        λ_k; 0 outside of its support, and everywhere while there is no design.
    counts
        Pulls of the round's allocation; 0 everywhere while there is none.
    pulls
        N_k, their sum.
    solved, allocated
        Whether there is a design, and an allocation.
    validation
        Whether the pulls validate candidates and follow no design.
    """

    order: ArmOrder
    weights: Floats
    counts: Integers
    pulls: int
    solved: bool
    allocated: bool
    validation: bool
    subtitle: str

    @property
    def shares(self) -> Floats:
        """Pulls of each arm over N_k."""
        return self.counts / max(1, self.pulls)

    def table(self, moment: Moment) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        return by_columns(
            {
                **arm_columns(moment.instance, arms),
                "weight": masked(self.weights[arms], self.solved),
                "pulls": masked(self.counts[arms], self.allocated),
                "share": masked(self.shares[arms], self.allocated),
            }
        )


def weight_series(moment: Moment, order: str) -> WeightSeries:
    """The design and the allocation of the round at the cursor."""
    state, arms = moment.state, len(moment.instance.arms)
    weights, counts = np.zeros(arms), np.zeros(arms, dtype=np.int64)
    if state.design is not None:
        weights[state.design.support] = state.design.weights
    if state.allocation is not None:
        np.add.at(counts, state.allocation.arms, state.allocation.counts)  # two candidates may be the same arm
    return WeightSeries(
        arm_order(moment, order, weights if state.design is not None else counts),
        weights,
        counts,
        int(counts.sum()),
        state.design is not None,
        state.allocation is not None,
        state.allocation is not None and state.allocation.d == 0,
        _subtitle(moment),
    )


def _subtitle(moment: Moment) -> str:
    state = moment.state
    design, allocation = state.design, state.allocation
    if allocation is not None and allocation.d == 0:
        each = " and ".join(number(count) for count in sorted(set(allocation.counts.tolist())))
        arms = len(allocation.arms)
        return f"validation · {number(arms)} candidate{'s' if arms > 1 else ''} · {each} pulls each"
    if state.idle is not None:
        return f"idle: {state.idle.why}, so nothing is designed"
    parts = []
    if design is not None:
        parts.append(f"λ_{design.place.k} in R^{design.d}")
        parts.append(f"support {number(len(design.support))} of {number(len(moment.instance.arms))} arms")
        parts.append(f"value {number(design.value)} (proven ≥ {number(design.lower_bound)})")
    if allocation is not None:
        if design is None:
            parts.append(f"{number(int(allocation.counts.sum()))} pulls in R^{allocation.d}")
        parts.append(f"rounding factor {number(allocation.factor)}")
    if parts:
        return " · ".join(parts)
    return "no design in this round yet" if state.subroutine is not None else "before the first round"


def weight_words(moment: Moment, series: WeightSeries, x: float) -> str:
    """What the arm at x was given: «arm 4: λ = 0.123, 1 234 of 10 032 pulls (0.123)»."""
    arm = series.order.arm_at(x)
    if arm is None or not (series.solved or series.allocated):
        return ""
    parts = []
    if series.solved:
        parts.append(f"λ = {number(float(series.weights[arm]), 5)}")
    if series.allocated:
        share = number(float(series.shares[arm]), 5)
        parts.append(f"{number(int(series.counts[arm]))} of {number(series.pulls)} pulls ({share})")
    return f"{moment.instance.arm_label(arm)}: {', '.join(parts)}"
