"""The dimension d_k of every round, with D, d⋆ and the budget B that it had to fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.terminal import number
from gems_gui.moment import Moment
from gems_gui.series.axis import (
    SUBROUTINE,
    Rounds,
    place_columns,
    round_places,
    rounds_shown,
    subroutine_label,
    subroutine_places,
)
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.ways import Ways, ways
from gems_gui.truth import TOLD


@dataclass(frozen=True, eq=False)
class DimensionSeries:
    """What the view of d_k draws; round j of those shown lies between j and j + 1.

    Attributes
    ----------
    d
        One for each round, 0 where none was chosen: not yet, or because none fits.
    unfit
        Rounds in which no dimension fits.
    budget
        B of each round's subroutine, ∞ where there is no choice to make.
    current
        The round of the cursor, −1 if none has begun.
    nothing
        Why there is nothing to see, if so.
    """

    rounds: Rounds
    d: Integers
    unfit: Integers
    budget: Floats
    D: int
    d_star: int | None
    current: int
    places: list[tuple[float, str]]
    subtitle: Ways
    nothing: str

    def table(self, moment: Moment) -> Table:
        """One row for each round, from the left."""
        unfit = np.isin(np.arange(len(self.d)), self.unfit)
        return by_columns(
            {
                **place_columns(moment, slice(self.rounds.first, self.rounds.last)),
                "d": masked(self.d, self.d > 0),
                "no_dimension_fits": unfit,
                "budget": masked(self.budget, np.isfinite(self.budget)),
            }
        )


def dimension_series(moment: Moment, scope: str) -> DimensionSeries:
    """The dimensions chosen up to the cursor, in this subroutine or the whole run."""
    history = moment.history
    rounds = rounds_shown(moment, scope)
    rows = slice(rounds.first, rounds.last)
    table = history.rounds
    known = (table.chosen[rows] >= 0) & (table.chosen[rows] < moment.cursor)
    d = np.where(known & (not moment.keeps_d), table.d[rows], 0)
    over = (table.end[rows] >= 0) & (table.end[rows] <= moment.cursor)
    budgets = np.append(history.subroutines.selection_budget, np.inf)  # the last one: a round without a subroutine
    budget = budgets[table.subroutine[rows]]
    edges = np.arange(len(rounds) + 1, dtype=float)
    places = (round_places if scope == SUBROUTINE else subroutine_places)(moment, rounds, edges)
    return DimensionSeries(
        rounds,
        d,
        np.flatnonzero(~known & over),
        budget,
        moment.instance.D,
        moment.instance.d_star if moment.truth else None,
        len(rounds) - 1,
        places,
        _subtitle(moment, scope) if len(rounds) else (),
        "before the first round" if not len(rounds) else TOLD if moment.keeps_d else "",
    )


def _subtitle(moment: Moment, scope: str) -> Ways:
    subroutine = moment.state.subroutine
    where = subroutine_label(moment, moment.history.subroutine_at(moment.cursor))
    per = "per round of this subroutine" if scope == SUBROUTINE else "per round"
    if subroutine is None:
        return ways(per)
    budget = subroutine.selection_budget
    return ways(where or subroutine.name, f"B = {number(budget)}" if np.isfinite(budget) else "", per)


def dimension_words(moment: Moment, series: DimensionSeries, x: float) -> str:
    """What the round at x chose."""
    row = int(np.floor(x))
    if not 0 <= row < len(series.d):
        return ""
    table, at = moment.history.rounds, series.rounds.first + row
    where = " ".join(filter(None, (subroutine_label(moment, int(table.subroutine[at])), f"k{table.k[at]}")))
    if row in series.unfit:
        return f"{where}: no dimension fits B = {number(float(series.budget[row]))}"
    if moment.keeps_d:
        return f"{where}: d is hidden"
    if not series.d[row]:
        return f"{where}: not chosen yet"
    words = f"{where}: d = {series.d[row]}"
    if np.isfinite(series.budget[row]) and np.isfinite(table.cost[at]):
        words += f", cost {number(float(table.cost[at]))} ≤ B = {number(float(series.budget[row]))}"
    return words
