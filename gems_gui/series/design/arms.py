"""Numbers per arm of a study, in the order in which arms stand: weights, G of the equivalence theorem, pulls."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.terminal import number
from gems_gui.moment import Moment
from gems_gui.series.arm_order import ArmOrder, arm_columns, arm_order
from gems_gui.series.design.study import Entry, Study
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.ways import Ways, ways


def order_of(moment: Moment, by: str, sizes: Floats | Integers) -> ArmOrder:
    """Arms by index or by what is drawn; a design knows nothing of rewards, so that no best arm is marked."""
    return arm_order(replace(moment, truth=False), by, sizes)


def percent(part: float) -> str:
    """A part in percent."""
    return f"{number(100.0 * part, 3)} %" if np.isfinite(part) else "∞"


def above(study: Study, entry: Entry) -> str:
    """How far a design is above the best proven bound, in words."""
    excess = study.excess(entry)
    if excess <= entry.tolerance:
        return "optimal"
    return f"{percent(excess)} above the bound" if np.isfinite(excess) else "infinite"


@dataclass(frozen=True, eq=False)
class StudiedWeightSeries:
    """λ of every arm, and that of the design beside it (zero everywhere if there is none)."""

    order: ArmOrder
    weights: Floats
    beside: Floats
    words: str
    beside_words: str
    by_hand: bool
    subtitle: Ways

    def table(self, moment: Moment) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        return by_columns(
            {
                **arm_columns(moment.instance, arms),
                "weight": self.weights[arms],
                "weight_beside": masked(self.beside[arms], bool(self.beside_words)),
            }
        )


def studied_weight_series(moment: Moment, study: Study, by: str) -> StudiedWeightSeries:
    """The weights of a study."""
    seen, other = study.main.examination, study.other
    worst = study.subject.pair(seen.worst)
    return StudiedWeightSeries(
        order_of(moment, by, seen.weights),
        seen.weights,
        np.zeros(len(seen.weights)) if other is None else other.examination.weights,
        study.main.words,
        "" if other is None else other.words,
        study.hand is not None,
        ways(
            f"value {number(seen.value, 5)}",
            above(study, study.main),
            f"worst pair {worst}",
            f"support {number(len(seen.support))} of {number(len(seen.weights))} arms",
        ),
    )


def studied_weight_words(moment: Moment, series: StudiedWeightSeries, x: float) -> str:
    """«arm 4: λ = 0.123 (Frank–Wolfe 0.2)»."""
    arm = series.order.arm_at(x)
    if arm is None:
        return ""
    beside = f", {series.beside_words}: {number(float(series.beside[arm]), 4)}" if series.beside_words else ""
    return f"{moment.instance.arm_label(arm)}: λ = {number(float(series.weights[arm]), 4)}{beside}"


@dataclass(frozen=True, eq=False)
class EquivalenceSeries:
    """G_x of every arm, normalised.

    Attributes
    ----------
    sensitivity
        1 on the support and nowhere above, if the weights are optimal; NaN where their value is infinite.
    support
        Whether an arm has a weight.
    above
        Whether G_x is above 1 by more than the tolerance: these arms deserve more weight.
    beside
        G_x of the design beside it, zero everywhere if there is none.
    """

    order: ArmOrder
    sensitivity: Floats
    support: np.ndarray
    above: np.ndarray
    beside: Floats
    beside_words: str
    subtitle: Ways

    def table(self, moment: Moment) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        known = np.isfinite(self.sensitivity[arms])
        return by_columns(
            {
                **arm_columns(moment.instance, arms),
                "sensitivity": masked(self.sensitivity[arms], known),
                "on_support": self.support[arms],
                "sensitivity_beside": masked(self.beside[arms], bool(self.beside_words)),
            }
        )

    @property
    def most(self) -> float:
        """The largest G_x of both designs, at least 1."""
        return float(max(np.nanmax(self.sensitivity, initial=1.0), self.beside.max(initial=1.0)))


def equivalence_series(moment: Moment, study: Study, by: str) -> EquivalenceSeries:
    """The picture of the equivalence theorem."""
    entry, other = study.main, study.other
    seen = entry.examination
    above = np.nan_to_num(seen.sensitivity) > 1.0 + entry.tolerance + 1e-9
    flat = np.zeros(len(seen.weights))
    if seen.value == 0.0:
        words: Ways = ("all directions are zero: any weights do", "all directions are zero")
    elif not np.isfinite(seen.value):
        words = (f"infinite: nothing is known of {study.subject.pair(seen.worst)}", "infinite")
    elif above.any():
        most, count = f"up to {number(float(seen.sensitivity.max()), 4)}", int(above.sum())
        some = f"{number(count)} arm{'' if count == 1 else 's'} above 1, {most}"
        deserves = "it deserves" if count == 1 else "they deserve"
        words = (f"{some}: {deserves} more weight", some, most)
    else:
        gap = number(max(entry.tolerance, seen.gap), 2)
        words = (f"nowhere above 1, within {gap}: optimal, proven", "nowhere above 1: optimal", "optimal")
    return EquivalenceSeries(
        order_of(moment, by, np.nan_to_num(seen.sensitivity)),
        seen.sensitivity,
        seen.weights > 0.0,
        above,
        flat if other is None else np.nan_to_num(other.examination.sensitivity),
        "" if other is None else other.words,
        words,
    )


def equivalence_words(moment: Moment, series: EquivalenceSeries, x: float) -> str:
    """«arm 4: G = 0.98, no weight»."""
    arm = series.order.arm_at(x)
    if arm is None:
        return ""
    beside = f" · {series.beside_words}: {number(float(series.beside[arm]), 5)}" if series.beside_words else ""
    held = "on the support" if series.support[arm] else "no weight"
    return f"{moment.instance.arm_label(arm)}: G = {number(float(series.sensitivity[arm]), 7)}, {held}{beside}"


@dataclass(frozen=True, eq=False)
class RoundingSeries:
    """N·λ of every arm, and the whole pulls that it is rounded to."""

    order: ArmOrder
    wanted: Floats
    counts: Integers
    pulls: int
    within: bool
    """Whether the factor is at most 1 + ζ."""
    subtitle: Ways

    def table(self, moment: Moment) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        return by_columns(
            {**arm_columns(moment.instance, arms), "wanted": self.wanted[arms], "pulls": self.counts[arms]}
        )


def rounding_series(moment: Moment, study: Study, by: str) -> RoundingSeries:
    """A study's weights as whole pulls."""
    weights = study.main.examination.weights
    wanted = weights * study.pulls
    allocation, limit = study.rounding, 1.0 + study.subject.zeta
    whose = "of the round" if study.subject.allocated and study.pulls == study.subject.pulls else ""
    whose = whose or ("= r_d(ζ)" if not study.subject.allocated and study.pulls == study.subject.pulls else "picked")
    head = f"N = {number(study.pulls)} {whose}"
    if allocation is None:
        counts = np.zeros(len(weights), dtype=np.int64)
        words = (f"{head}: no rounding", "no rounding")
        return RoundingSeries(order_of(moment, by, wanted), wanted, counts, study.pulls, False, words)
    finite = np.isfinite(allocation.factor)
    within = finite and allocation.factor <= limit * (1.0 + 1e-9)
    sign = "≤" if within else ">"
    factor = f"factor {number(allocation.factor, 5)}" if finite else "factor infinite"
    beside = f"{factor} {sign} 1 + ζ = {number(limit)}" if finite else factor
    promise = "guaranteed" if allocation.guaranteed and finite else "not guaranteed"
    return RoundingSeries(
        order_of(moment, by, wanted),
        wanted,
        allocation.counts,
        study.pulls,
        bool(within),
        ways((f"{beside}, {promise}", beside, factor), head, f"support {number(allocation.support)}"),
    )


def rounding_words(moment: Moment, series: RoundingSeries, x: float) -> str:
    """«arm 4: 123 pulls for N·λ = 122.6»."""
    arm = series.order.arm_at(x)
    if arm is None:
        return ""
    wanted, count = number(float(series.wanted[arm]), 5), number(int(series.counts[arm]))
    return f"{moment.instance.arm_label(arm)}: {count} pulls for N·λ = {wanted}"
