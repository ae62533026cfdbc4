"""The dimension d_k of every round, with D, d⋆ and the budget B that limits it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.algorithms import subroutine_title
from gems_engine.arrays import Floats, Integers
from gems_engine.dimension import within
from gems_engine.history import Booleans
from gems_engine.terminal import number
from gems_gui.series.axis import (
    SUBROUTINE,
    Rounds,
    place_columns,
    planned_width,
    round_name,
    round_places,
    round_widths,
    rounds_shown,
    subroutine_label,
    subroutine_places,
)
from gems_gui.series.dimension_rounds import NO_ROUNDING, pulls_of, rounding_of
from gems_gui.series.folds import last_full_loop
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.truth import TOLD


@dataclass(frozen=True, eq=False)
class DimensionSeries:
    """What the view of d_k draws.

    Attributes
    ----------
    edges
        Round j of those shown lies between edges j and j + 1.
    width
        Width of the axis, with space for coming rounds.
    d
        One for each round; 0 if none is chosen, either not yet or because none fits.
    unfit
        Rounds in which no dimension fits.
    budget
        B that each round chose by; ∞ if there is nothing to choose.
    late
        Rounds of late loops, also of the one at the cursor, whose B would flatten the others.
    constant
        B, if the rounds of one subroutine are shown and all chose by the same one; else None.
    ceiling
        If B is constant, d_k + ½ of each round whose d_k + 1 costs more than B; else NaN.
    fitting, over
        Dimensions examined in the current round: those that fit, and those over budget.
    current
        The round at the cursor, −1 if none has started; the last completed one if the cap cut off the call.
    placeholder
        Why the view is empty, if it is.
    """

    rounds: Rounds
    edges: Floats
    width: float
    d: Integers
    unfit: Integers
    budget: Floats
    late: Booleans
    constant: float | None
    ceiling: Floats
    fitting: Integers
    over: Integers
    D: int
    d_star: int | None
    current: int
    places: list[tuple[float, str]]
    x_label: str
    subtitle: Phrasings
    placeholder: str

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each round, from the left."""
        unfit = np.isin(np.arange(len(self.d)), self.unfit)
        return by_columns(
            {
                **place_columns(snapshot, slice(self.rounds.first, self.rounds.last)),
                "d": masked(self.d, self.d > 0),
                "no_dimension_fits": unfit,
                "budget": masked(self.budget, np.isfinite(self.budget)),
            }
        )


def dimension_series(snapshot: Snapshot, scope: str) -> DimensionSeries:
    """The dimensions chosen up to the cursor, in this subroutine or the whole run."""
    history = snapshot.history
    rounds = rounds_shown(snapshot, scope)
    rows = slice(rounds.first, rounds.last)
    table = history.rounds
    known = (table.chosen[rows] >= 0) & (table.chosen[rows] < snapshot.cursor)
    d = np.where(known & (not snapshot.keeps_d), table.d[rows], 0)
    over = (table.end[rows] >= 0) & (table.end[rows] <= snapshot.cursor)
    budget = history.round_budgets(np.arange(rounds.first, rounds.last), snapshot.cursor)
    here = scope == SUBROUTINE or snapshot.one_call or not len(rounds.subroutines)
    edges = np.concatenate([[0.0], np.cumsum(round_widths(snapshot, rounds, here))])
    places = (round_places if here else subroutine_places)(snapshot, rounds, edges)
    last = None if here else last_full_loop(snapshot)
    same = here and len(budget) > 0 and bool((budget == budget[0]).all())  # another one can be forced
    constant = float(budget[0]) if same and np.isfinite(budget[0]) else None
    probes = () if snapshot.keeps_d or not snapshot.state.place.k else snapshot.state.probes
    return DimensionSeries(
        rounds,
        edges,
        planned_width(snapshot, float(edges[-1])) if here else max(float(edges[-1]), 1.0),
        d,
        np.flatnonzero(~known & over),
        budget,
        table.ell[rows] > (np.inf if last is None else last),
        constant,
        np.full(len(d), np.nan) if constant is None else _ceiling(snapshot, d),
        np.array(sorted(each.d for each in probes if each.fits), dtype=np.int64),
        np.array(sorted(each.d for each in probes if not each.fits), dtype=np.int64),
        snapshot.instance.D,
        snapshot.instance.d_star if snapshot.truth else None,
        history.rounds_before(snapshot.call_end) - 1 - rounds.first,
        places,
        "round k" if here else "rounds, by call",
        _subtitle(snapshot, scope) if snapshot.call is not None or len(rounds) else (),
        TOLD if snapshot.keeps_d else "" if len(rounds) else _placeholder(snapshot),
    )


def _placeholder(snapshot: Snapshot) -> str:
    """How the first round will choose, if that is known."""
    call = snapshot.call
    if not snapshot.waits or call is None:
        return "round 1 has not started" if snapshot.waits else "no round"
    if not np.isfinite(snapshot.selection_budget):
        return "round 1 has not started; its dimension is given"
    largest = "D̃" if call.name == NO_ROUNDING else "D"
    return f"round 1 will take the largest d ≤ {largest} with g₁(d) ≤ B = {number(snapshot.selection_budget)}"


def _ceiling(snapshot: Snapshot, d: Integers) -> Floats:
    """Where B limits the choice: OPT has found that d_k + 1 is over budget. Not where d is forced, nor at D or D̃."""
    started, call = snapshot.state.started, snapshot.call_row
    if call < 0 or started is None or started.forced:
        return np.full(len(d), np.nan)
    pulls, rounding = pulls_of(snapshot, call), rounding_of(snapshot)
    top = len(rounding) if pulls is None else sum(within(each, pulls) for each in rounding.tolist())
    return np.where((d > 0) & (d < top), d + 0.5, np.nan)


def _subtitle(snapshot: Snapshot, scope: str) -> Phrasings:
    subroutine = snapshot.call
    where = subroutine_label(snapshot, snapshot.call_row)
    several = scope == SUBROUTINE and not snapshot.one_call
    per = "per round of this call" if several else "per round"
    if subroutine is None:
        return phrasings(per)
    budget, top = snapshot.selection_budget, snapshot.state.top_dimension
    bound = f"D̃ = {top.top}" if top is not None and top.top < snapshot.instance.D else ""
    cut = subroutine_label(snapshot, snapshot.cut_row) if scope != SUBROUTINE else ""  # its rounds are shown as well
    budgets = f"B = {number(budget)}" if np.isfinite(budget) else ""
    name = where or subroutine_title(subroutine.name)
    return phrasings((name, name.removesuffix(" (completed)")), cut, bound, budgets, per)


def dimension_text(snapshot: Snapshot, series: DimensionSeries, x: float) -> str:
    """What the round at x chose."""
    row = int(np.searchsorted(series.edges, x, side="right")) - 1
    if not 0 <= row < len(series.d):
        return ""
    table, at = snapshot.history.rounds, series.rounds.first + row
    where = " ".join(
        filter(None, (subroutine_label(snapshot, int(table.subroutine[at])), f"k{round_name(snapshot, at)}"))
    )
    if row in series.unfit:
        return f"{where}: no dimension fits B = {number(float(series.budget[row]))}"
    if snapshot.keeps_d:
        return f"{where}: d is hidden"
    if not series.d[row]:
        looked = [(series.fitting, "fits" if len(series.fitting) == 1 else "fit"), (series.over, "over budget")]
        known = [f"d = {', '.join(map(str, each.tolist()))} {words}" for each, words in looked if len(each)]
        return "\n".join([f"{where}: not chosen yet", *known])
    words = f"{where}: d = {series.d[row]}"
    if np.isfinite(series.budget[row]) and np.isfinite(table.cost[at]):
        words += f", cost {number(float(table.cost[at]))} ≤ B = {number(float(series.budget[row]))}"
    return words
