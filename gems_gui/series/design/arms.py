"""Numbers per arm of a study, in the order of the arms: weights, g of the equivalence theorem, pulls."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design.equivalence import NOTED
from gems_engine.terminal import number, plural
from gems_gui.design_study import DesignEntry, Study
from gems_gui.series.arm_order import ArmOrder, arm_columns, arm_order
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

_MOST_NAMES = 8  # of arms in a sentence


def order_of(snapshot: Snapshot, by: str, sizes: Floats | Integers) -> ArmOrder:
    """Arms by index or by the drawn values; a design does not depend on rewards, so no arm is marked as best."""
    return replace(arm_order(replace(snapshot, truth=False), by, sizes), recommended=None)


def percent(part: float) -> str:
    """A fraction as a percentage."""
    return f"{number(100.0 * part, 3)} %" if np.isfinite(part) else "∞"


def above(study: Study, entry: DesignEntry) -> str:
    """How far a design is above the best proven bound, as text."""
    excess = study.excess(entry)
    if excess <= entry.tolerance:
        return "optimal"
    return f"{percent(excess)} above the bound" if np.isfinite(excess) else "infinite"


@dataclass(frozen=True, eq=False)
class StudiedWeightSeries:
    """λ of every arm, and that of the compared design (zero everywhere if there is none)."""

    order: ArmOrder
    weights: Floats
    compared: Floats
    words: str
    compared_label: str
    by_hand: bool
    subtitle: Phrasings
    placeholder = ""

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        return by_columns(
            {
                **arm_columns(snapshot.instance, arms),
                "weight": self.weights[arms],
                "weight_beside": masked(self.compared[arms], bool(self.compared_label)),
            }
        )


def studied_weight_series(snapshot: Snapshot, study: Study, by: str) -> StudiedWeightSeries:
    """The weights of a study."""
    seen, other = study.main.examination, study.other
    worst = study.subject.pair(seen.worst)
    return StudiedWeightSeries(
        order_of(snapshot, by, seen.weights),
        seen.weights,
        np.zeros(len(seen.weights)) if other is None else other.examination.weights,
        study.main.label,
        "" if other is None else other.label,
        study.custom is not None,
        phrasings(
            f"value {number(seen.value, 5)}",
            above(study, study.main),
            f"worst pair {worst}",
            f"support {number(len(seen.support))} of {number(len(seen.weights))} arms",
        ),
    )


def studied_weight_text(snapshot: Snapshot, series: StudiedWeightSeries, x: float) -> str:
    """ "arm 4: λ = 0.123 (Frank–Wolfe 0.2)"."""
    arm = series.order.arm_at(x)
    if arm is None:
        return ""
    other = f", {series.compared_label}: {number(float(series.compared[arm]), 4)}" if series.compared_label else ""
    return f"{snapshot.instance.arm_label(arm)}: λ = {number(float(series.weights[arm]), 4)}{other}"


@dataclass(frozen=True, eq=False)
class EquivalenceSeries:
    """g_x of every arm; the average over λ is 1.

    Attributes
    ----------
    g
        1 on the support and nowhere above 1, if the weights are optimal; NaN if their value is infinite.
    weights
        λ.
    above
        Whether g_x is above 1: these arms need more weight.
    below
        Whether g_x is below 1 although the arm has weight: these arms need less.
    shares
        μ: the distribution of the weight that *Improve* moves.
    compared
        g_x of the compared design, zero everywhere if there is none.
    """

    order: ArmOrder
    g: Floats
    weights: Floats
    above: np.ndarray
    below: np.ndarray
    shares: Floats
    compared: Floats
    compared_label: str
    subtitle: Phrasings
    placeholder: str
    """Why there is no g, and what to do; empty if there is one."""

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        return by_columns(
            {
                **arm_columns(snapshot.instance, arms),
                "weight": self.weights[arms],
                "g": masked(self.g[arms], np.isfinite(self.g[arms])),
                "g_beside": masked(self.compared[arms], bool(self.compared_label)),
            }
        )

    @property
    def most(self) -> float:
        """The largest g_x of both designs, at least 1."""
        return float(max(np.nan_to_num(self.g).max(initial=1.0), self.compared.max(initial=1.0)))


def equivalence_series(snapshot: Snapshot, study: Study, by: str) -> EquivalenceSeries:
    """g_x under a study's weights."""
    entry, other = study.main, study.other
    seen = entry.examination.equivalence
    drawn = np.nan_to_num(seen.g)
    flat = np.zeros(len(drawn))
    above, below = flat > 0.0, flat > 0.0
    above[seen.more] = True
    below[seen.less] = True
    return EquivalenceSeries(
        order_of(snapshot, by, drawn),
        seen.g,
        seen.weights,
        above,
        below,
        seen.target,
        flat if other is None else np.nan_to_num(other.examination.equivalence.g),
        "" if other is None else other.label,
        _equivalence_subtitle(study, int(above.sum()), int(below.sum())),
        "" if np.isfinite(seen.value) else _infinite(study),
    )


def _equivalence_subtitle(study: Study, above: int, below: int) -> Phrasings:
    """What to do about the weights, as text."""
    entry = study.main
    seen = entry.examination.equivalence
    if seen.value == 0.0:
        return "all directions are zero: any weights are optimal", "all directions are zero"
    if not np.isfinite(seen.value):
        return f"infinite: {_unknown(study)}", "infinite"
    if not above:
        excess = study.excess(entry)
        near = "optimal, proven" if excess <= entry.tolerance else f"at most {percent(excess)} above the optimum"
        return f"none above {1.0 + NOTED:g}: {near}", f"none above {1.0 + NOTED:g}", f"≤ {1.0 + NOTED:g}"
    most = f"up to {number(float(seen.g.max()), 4)}"
    more = f"{_arms(above)} above 1, {most}"
    give = f"{more}: give {'it' if above == 1 else 'them'} more weight"
    if not below:
        return phrasings((give, more, most))
    less = f"{number(below)} below 1 with weight"
    return phrasings((give, more, most), (f"{less}: take some away", less, ""))


def _unknown(study: Study) -> str:
    seen = study.main.examination
    others = seen.equivalence.lost_count - 1
    more = f" and {plural(others, 'more pair')}" if others else ""
    return f"{study.subject.pair(seen.worst)}{more} cannot be estimated"


def _infinite(study: Study) -> str:
    """What cannot be estimated, and which arms would change that."""
    names = [study.subject.instance.arm_label(arm) for arm in study.main.examination.equivalence.arms.tolist()]
    some = ", ".join(names[:_MOST_NAMES])
    more = f" and {number(len(names) - _MOST_NAMES)} more" if len(names) > _MOST_NAMES else ""
    return f"No g: {_unknown(study)}. Give weight to {some}{more}."


def _arms(count: int) -> str:
    return plural(count, "arm")


def equivalence_text(snapshot: Snapshot, series: EquivalenceSeries, x: float) -> str:
    """As in "arm 4: g = 0.98, λ = 0.1"."""
    arm = series.order.arm_at(x)
    if arm is None:
        return ""
    g = f"g = {number(float(series.g[arm]), 7)}" if np.isfinite(series.g[arm]) else "no g"
    held = f"λ = {number(float(series.weights[arm]), 4)}" if series.weights[arm] > 0.0 else "no weight"
    moved = f", Improve moves {percent(float(series.shares[arm]))} to it" if series.shares[arm] > 0.0 else ""
    other = f" · {series.compared_label}: {number(float(series.compared[arm]), 5)}" if series.compared_label else ""
    return f"{snapshot.instance.arm_label(arm)}: {g}, {held}{moved}{other}"


@dataclass(frozen=True, eq=False)
class RoundingSeries:
    """N·λ of every arm, and its rounded number of pulls."""

    order: ArmOrder
    wanted: Floats
    counts: Integers
    pulls: int
    within: bool
    """Whether the factor is at most 1 + ζ."""
    subtitle: Phrasings
    placeholder = ""

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        return by_columns(
            {**arm_columns(snapshot.instance, arms), "wanted": self.wanted[arms], "pulls": self.counts[arms]}
        )


def rounding_series(snapshot: Snapshot, study: Study, by: str) -> RoundingSeries:
    """A study's weights as whole pulls."""
    weights = study.main.examination.weights
    wanted = weights * study.pulls
    allocation, limit = study.rounding, 1.0 + study.subject.zeta
    given = study.pulls == study.subject.pulls
    whose = (" pulls of this round" if study.subject.allocated else " = r_d(ζ)") if given else ", as entered"
    head = f"N = {number(study.pulls)}{whose}"
    if allocation is None:
        counts = np.zeros(len(weights), dtype=np.int64)
        words = (f"{head}: no rounding", "no rounding")
        return RoundingSeries(order_of(snapshot, by, wanted), wanted, counts, study.pulls, False, words)
    finite = np.isfinite(allocation.factor)
    within = finite and allocation.factor <= limit * (1.0 + 1e-9)
    sign = "≤" if within else ">"
    factor = f"factor {number(allocation.factor, 5)}" if finite else "factor infinite"
    compared = f"{factor} {sign} 1 + ζ = {number(limit)}" if finite else factor
    promise = "guaranteed" if allocation.guaranteed and finite else "not guaranteed"
    return RoundingSeries(
        order_of(snapshot, by, wanted),
        wanted,
        allocation.counts,
        study.pulls,
        bool(within),
        phrasings((f"{compared}, {promise}", compared, factor), head, f"support {number(allocation.support)}"),
    )


def rounding_text(snapshot: Snapshot, series: RoundingSeries, x: float) -> str:
    """ "arm 4: 123 pulls for N·λ = 122.6"."""
    arm = series.order.arm_at(x)
    if arm is None:
        return ""
    wanted, count = number(float(series.wanted[arm]), 5), plural(int(series.counts[arm]), "pull")
    return f"{snapshot.instance.arm_label(arm)}: {count} for N·λ = {wanted}"
