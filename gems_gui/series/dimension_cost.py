"""Why this dimension: the cost g_k(d) of every dimension examined in the round, compared with the budget B."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.dimension import REASONS, Reason
from gems_engine.events import NO_DIMENSION_FITS, DimensionProbed, TopDimensionChosen
from gems_engine.explanation.dimension import pulls_per_round
from gems_engine.state import State
from gems_engine.terminal import number, plural, superscript
from gems_engine.wording import recorded_text
from gems_gui.series.axis import subroutine_label
from gems_gui.series.first_costs import first_costs, first_pulls, first_set
from gems_gui.series.last_round import last_round, validates
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.truth import TOLD


@dataclass(frozen=True, eq=False)
class CostSeries:
    """What the view of the costs draws; arrays have one entry for each examined dimension, in ascending order.

    Attributes
    ----------
    d
        The dimensions, including that of the design, once there is one.
    lower, upper
        Proven bounds on the cost g_k(d), those of the design for its own d; 0 and ∞ if nothing is known.
    rounding
        r_d(ζ), 0 if it is not part of the cost.
    fits
        Whether d fits B; a tie does.
    words
        What is known of each, as text.
    chosen
        d_k, 0 while none is chosen.
    budget
        B; ∞ if there is nothing to choose, or no subroutine.
    unseen
        Dimensions that were not examined.
    pulls
        T′, the pulls of a round of GEMS-b, which limit the dimension to one with r_d(ζ) ≤ T′; else 0.
    limit
        D̃, if it is known; else D.
    tops
        Whether the choice of D̃ is shown: r_d(ζ) instead of a cost, T′ instead of B, D̃ instead of d_k.
    placeholder
        Why the view is empty, if it is.
    computed
        In a first round, g_1(d) of every dimension, as far as it was computed for this view; else NaN.
    """

    D: int
    d: Integers
    lower: Floats
    upper: Floats
    rounding: Floats
    fits: np.ndarray
    words: tuple[str, ...]
    chosen: int
    budget: float
    unseen: Integers
    pulls: int
    limit: int
    d_star: int | None
    y_label: str
    subtitle: Phrasings
    placeholder: str
    computed: Floats
    tops: bool = False

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each dimension; those not examined have no numbers."""
        every = np.arange(1, self.D + 1)
        if self.tops:
            pulls = np.full(self.D, self.pulls)
            return by_columns(
                {
                    "d": every,
                    "rounding_samples": self.upper,
                    "fits": self.fits,
                    "top": every == self.chosen,
                    "pulls": pulls,
                }
            )
        seen = np.isin(every, self.d)
        at = np.searchsorted(self.d, every).clip(max=max(len(self.d) - 1, 0))

        def spread(values: np.ndarray) -> np.ndarray:
            return values[at] if len(values) else np.zeros(self.D, dtype=values.dtype)

        return by_columns(
            {
                "d": every,
                "cost_at_least": masked(spread(self.lower), seen),
                "cost_at_most": masked(spread(self.upper), seen),
                "rounding_samples": masked(spread(self.rounding), seen & (spread(self.rounding) > 0)),
                "fits": masked(spread(self.fits), seen),
                "chosen": every == self.chosen,
                "budget": masked(np.full(self.D, self.budget), np.isfinite(self.budget)),
                **({"cost_computed": masked(self.computed, ~np.isnan(self.computed))} if self.has_curve else {}),
            }
        )

    @property
    def has_curve(self) -> bool:
        """Whether anything was computed for this view."""
        return not bool(np.isnan(self.computed).all())


def cost_series(snapshot: Snapshot) -> CostSeries:
    """The probes of the round at the cursor so far, and its design.

    A validation chooses no dimension: the last round before it is shown. Before the first round of GEMS-b, the choice
    of D̃ is shown.
    """
    top = snapshot.state.top_dimension
    if top is not None and snapshot.state.round_place == top.place:
        return _top_series(snapshot, top)
    last = last_round(snapshot) if validates(snapshot) else None
    return _series_at(snapshot if last is None else last, late=last is not None)


def _series_at(snapshot: Snapshot, late: bool) -> CostSeries:
    state = snapshot.state
    probes = {probe.d: probe for probe in state.probes}
    design = None if snapshot.keeps_d else state.design
    shown = sorted({*probes, design.d} if design is not None else probes)
    bounds = np.array([_cost_bounds(state, probes.get(d), d) for d in shown]).reshape(-1, 3)
    budget = snapshot.selection_budget
    fits = np.array([d not in probes or probes[d].fits for d in shown], dtype=bool)
    d = np.array(shown, dtype=np.int64)
    seen = np.zeros(snapshot.instance.D + 1, dtype=bool)
    seen[d] = seen[0] = True
    unseen = np.flatnonzero(~seen)
    first = bool(first_set(snapshot)) and not late  # a choice is coming, and B is known
    pulls = int(first_pulls(snapshot) or 0)
    return CostSeries(
        snapshot.instance.D,
        d,
        bounds[:, 0],
        bounds[:, 1],
        bounds[:, 2],
        fits,
        tuple(_words(state, probes.get(each), row, budget) for each, row in zip(shown, bounds, strict=True)),
        0 if design is None else design.d,
        budget,
        unseen,
        pulls,
        _limit(state) or snapshot.instance.D,
        snapshot.instance.d_star if snapshot.truth else None,
        f"{'cost gₖ(d)' if np.isfinite(budget) or design is None else 'cost of the design'} (log)",
        _subtitle(snapshot, budget, late) if shown or first else (),
        "" if shown or first else _placeholder(snapshot, budget),
        first_costs(snapshot),
    )


def _top_series(snapshot: Snapshot, event: TopDimensionChosen) -> CostSeries:
    """r_d(ζ) of every dimension compared with T′, and D̃."""
    D, r, top = snapshot.instance.D, event.rounding_samples, event.top
    every = np.arange(1, D + 1)
    pulls = number(event.pulls)

    def words(d: int) -> str:
        fits = f"> T′ = {pulls}: does not fit" if d > top else f"fits T′ = {pulls}"
        largest = "; the largest such d is D̃" if d == top else ""
        return f"d = {d}: r_d(ζ) = {number(float(r[d - 1]))} {fits}{largest}"

    return CostSeries(
        D,
        every,
        r,
        r,
        np.zeros(D),
        every <= top,
        tuple(words(d) for d in every.tolist()),
        top,
        float(event.pulls),
        every[:0],
        event.pulls,
        top,
        snapshot.instance.d_star if snapshot.truth else None,
        "r_d(ζ) in pulls (log)",
        phrasings(
            subroutine_label(snapshot, snapshot.call_row),
            f"D̃ = {top}" if top else ("no dimension fits", "none fits"),
            (f"r_d(ζ) against T′ = {pulls}", f"T′ = {pulls}"),
        ),
        "",
        np.full(D, np.nan),
        tops=True,
    )


def _limit(state: State) -> int:
    """D̃, 0 if not known; in files of versions 0 and 1, the dimension at which the search starts."""
    if state.top_dimension is not None:
        return state.top_dimension.top
    return state.probes[0].d if state.divided is None and state.probes and pulls_per_round(state) else 0


def scaled_cost(iota: float, k: int, rounding_samples: float) -> float:
    """max{2^{2k}·ι, r_d(ζ)}, as in OPT; ∞ on overflow."""
    with np.errstate(over="ignore"):
        return max(float(np.ldexp(iota, 2 * k)), rounding_samples)


def _cost_bounds(state: State, probe: DimensionProbed | None, d: int) -> tuple[float, float, float]:
    """Proven bounds on g_k(d), and r_d; those of the design are tighter than those of a probe."""
    rounding = 0.0 if probe is None else probe.rounding_samples
    design = state.design
    if design is not None and design.d == d:
        k = design.place.k if state.subroutine is not None else 0  # without rounds, nothing is scaled
        return min(scaled_cost(design.lower_bound, k, rounding), design.cost), design.cost, rounding
    assert probe is not None
    k = probe.place.k
    return scaled_cost(probe.lower, k, rounding), scaled_cost(probe.upper, k, rounding), rounding


# -- words --------------------------------------------------------------------------------------------------------


def cost_text(series: CostSeries, x: float) -> str:
    """What is known of the dimension at x."""
    d = int(np.floor(x + 0.5))
    if not 1 <= d <= series.D:
        return ""
    if d in series.d:
        return series.words[int(np.searchsorted(series.d, d))]
    why = why_unseen(series, d)
    cost = float(series.computed[d - 1])
    curve = "" if np.isnan(cost) else f"\ng₁({d}) = {number(cost)}, computed for this view"
    return f"d = {d}: not examined" + (f",\n{why}" if why else " so far") + curve


def _words(state: State, probe: DimensionProbed | None, bounds: Floats, budget: float) -> str:
    """ "d = 7: 7.9 ≤ ι ≤ 8.01, r_d = 58", the cost compared with B, and the verdict with its reason."""
    lower, upper, rounding = (float(each) for each in bounds)
    design = state.design
    chosen = design is not None and (probe is None or design.d == probe.d)
    if design is not None and chosen:
        known = [f"d = {design.d}: {_between(design.lower_bound, 'ι', design.value)}"]
    else:
        assert probe is not None
        known = [f"d = {probe.d}: {_between(probe.lower, 'ι', probe.upper)}"]
    if rounding:
        known.append(f"r_d = {number(rounding)}")
    cost = number(upper) if chosen else _interval(lower, upper)
    if probe is None:
        return f"{', '.join(known)}\ncost {cost}: given, not chosen"
    compared = {"fits": "≤", "tie": "="}.get(probe.verdict, ">")
    verdict = recorded_text(probe.verdict) + (", chosen" if chosen else "")
    reason = REASONS.get(cast(Reason, probe.reason), probe.reason)
    return f"{', '.join(known)}\ncost {cost} {compared} B = {number(budget)}: {verdict}\n({reason})"


def _between(lower: float, what: str, upper: float) -> str:
    if lower == upper:
        return f"{what} = {number(lower)}"
    low = f"{number(lower)} ≤ " if lower > 0.0 else ""
    high = f" ≤ {number(upper)}" if np.isfinite(upper) else ""
    return f"{low}{what}{high}" if low or high else f"{what} not bounded"


def _interval(lower: float, upper: float) -> str:
    if number(lower) == number(upper):
        return number(upper)
    if not np.isfinite(upper):
        return f"at least {number(lower)}"
    return f"{number(lower)} … {number(upper)}" if lower > 0.0 else f"at most {number(upper)}"


def why_unseen(series: CostSeries, d: int) -> str:
    """Why d did not have to be examined; empty while the search may still reach it."""
    if not np.isfinite(series.budget):
        return "this algorithm does not choose a dimension"
    larger, smaller = series.d[series.fits & (series.d > d)], series.d[~series.fits & (series.d < d)]
    if len(larger):
        return f"since d = {larger[0]} fits, and a smaller one costs no more"
    if len(smaller):
        return f"since d = {smaller[-1]} is over budget, and a larger one costs no less"
    return f"since r_d exceeds the T′ = {number(series.pulls)} pulls of a round" if d > series.limit else ""


def _placeholder(snapshot: Snapshot, budget: float) -> str:
    state = snapshot.state
    if snapshot.keeps_d:
        return TOLD
    if validates(snapshot):
        return "validation: no dimension is chosen"
    if snapshot.call is None:
        return "round 1 has not started"
    if not np.isfinite(budget):
        return "no selection: the dimension is given"
    return "no dimension fits" if _unfit(state) else "no dimension examined yet"


def _subtitle(snapshot: Snapshot, budget: float, late: bool) -> Phrasings:
    state, design = snapshot.state, snapshot.state.design
    k = state.round_place.k
    place = subroutine_label(snapshot, snapshot.call_row) if state.subroutine else ""
    where = " ".join(filter(None, (place, f"k{number(k)}" if k else "")))
    if not np.isfinite(budget) and design is not None:
        given = f"R{superscript(design.d)} is given"
        return phrasings((f"no selection: {given}", given), f"value {number(design.value)}", where)
    many = len(state.probes)
    probes = plural(many, "probe") if many else "no probe yet"
    k = k or 1
    if late:
        return phrasings((f"validation chooses none · {where}, the last choice", f"last: {where}", "last"), probes)
    limit = _limit(state)
    bound = f"D̃ = {limit}" if 0 < limit < snapshot.instance.D else ""
    return phrasings(where, "no dimension fits" if _unfit(state) else "", bound, probes, f"g_{number(k)}(d) against B")


def _unfit(state: State) -> bool:
    ended = state.subroutine_finished
    return ended is not None and ended.why == NO_DIMENSION_FITS
