"""The effect of another budget: the dimension that each B buys in each round."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.dimension import TIE
from gems_engine.terminal import number, plural
from gems_engine.wording import remain_words
from gems_gui.series.axis import RUN, place_columns, subroutine_label
from gems_gui.series.dimension_rounds import MOST_ROUNDS, RoundCosts, round_costs
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

COLUMNS = 192
"""Number of budgets for which each row is computed."""
STEPS = 8
"""Positions of the slider for each doubling of B."""


@dataclass(frozen=True, eq=False)
class BudgetMap:
    """What the view draws; row j lies between j and j + 1, from the top.

    Attributes
    ----------
    costs
        Costs of the rounds.
    x_range
        Logarithms of the smallest and the largest budget shown.
    image
        For each round and budget, the d that it buys; 0 for none, −1 if not known yet.
    own
        For each round, the d that its own B buys.
    budget
        The budget of the slider, or None.
    bought, tied
        For each round, the d that the slider's budget (or its own B) buys, and the d that ties with it, if any.
    names
        (position, name) of each row.
    waits
        How many rounds are still being computed.
    placeholder
        Why the view is empty, if it is.
    """

    costs: RoundCosts
    x_range: tuple[float, float]
    image: Integers
    own: Integers
    budget: float | None
    bought: Integers
    tied: Integers
    names: list[tuple[float, str]]
    D: int
    d_star: int | None
    waits: int
    subtitle: Phrasings
    placeholder: str

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each round: what its own B buys, what the slider's budget buys, and the least B for every d."""
        costs = self.costs
        least = {
            f"least_budget_{d}": masked(costs.upper[:, d - 1], np.isfinite(costs.upper[:, d - 1]))
            for d in range(1, self.D + 1)
        }
        finite = np.isfinite(costs.budget)
        return by_columns(
            {
                **place_columns(snapshot, costs.rows),
                "survivors": [len(each) for each in costs.sets],
                "budget": masked(costs.budget, finite),
                "d": masked(costs.d, costs.d > 0),
                "other_budget": [self.budget] * len(costs.rows),
                "buys": masked(self.bought, self.bought >= 0),
                "ties_with": masked(self.tied, self.tied > 0),
                **least,
            }
        )


def budget_of(place: int) -> float | None:
    """The budget at a position of the slider, None at 0."""
    return float(2.0 ** (place / STEPS)) if place else None


def place_of(budget: float | None) -> int:
    """The position of the slider closest to a budget."""
    return 0 if budget is None else max(1, round(STEPS * math.log2(budget)))


def budget_map(snapshot: Snapshot, scope: str, budget: float | None) -> BudgetMap:
    """The map of the rounds up to the cursor, and what another budget buys in them; None: each round's own."""
    costs = round_costs(snapshot, scope)
    chooses = np.isfinite(costs.budget)
    if len(costs.rows) and not chooses.any():
        nothing = "this algorithm chooses no dimension and has no budget B"
    else:
        nothing = "" if len(costs.rows) else "before the first round"
    low, high = _x_range(costs)
    edges = np.linspace(low, high, COLUMNS + 1)
    unknown = np.asarray(np.isnan(costs.lower).any(axis=1))
    asked = np.where(chooses, costs.budget, np.nan) if budget is None else np.full(len(costs.rows), budget)
    own = costs.buys(np.where(chooses, costs.budget, np.inf))
    bought = np.where(np.isnan(asked), own, costs.buys(np.where(np.isnan(asked), np.inf, asked)))
    return BudgetMap(
        costs,
        (low, high),
        _image(costs, 10.0 ** ((edges[1:] + edges[:-1]) / 2), unknown),
        own,
        budget,
        bought,
        np.where(np.isnan(asked), 0, costs.ties(np.where(np.isnan(asked), 1.0, asked))),
        [(at + 0.5, _name(snapshot, int(row), int(bought[at]))) for at, row in enumerate(costs.rows.tolist())],
        snapshot.instance.D,
        snapshot.instance.d_star if snapshot.truth else None,
        int(unknown.sum()),
        () if nothing else _subtitle(snapshot, costs, budget, bought, int(unknown.sum()), scope),
        nothing,
    )


def _image(costs: RoundCosts, budgets: Floats, unknown: np.ndarray) -> Integers:
    """The dimension that each budget buys: its position among the costs, which do not decrease in d."""
    image = np.full((len(costs.rows), len(budgets)), -1, dtype=np.int64)
    drawn: dict[bytes, Integers] = {}
    for row in np.flatnonzero(~unknown).tolist():
        steps = np.maximum.accumulate(costs.lower[row])
        key = steps.tobytes()
        if key not in drawn:
            drawn[key] = np.searchsorted(steps, budgets * (1.0 + TIE), side="right")
        image[row] = drawn[key]
    return image


def _x_range(costs: RoundCosts) -> tuple[float, float]:
    budgets = costs.budget[np.isfinite(costs.budget) & (costs.budget > 0)]
    if not len(budgets):
        return 0.0, 3.0
    least = costs.lower[np.isfinite(costs.lower) & (costs.lower > 0)]
    low = float(np.log10(min(budgets.min(), least.min() if len(least) else np.inf)))
    high = float(np.log10(budgets.max()))
    return max(low, float(np.log10(budgets.min())) - 1.0, high - 9.0) - 0.6, high + 1.3


def _name(snapshot: Snapshot, row: int, bought: int) -> str:
    return f"{_where(snapshot, row)}: {'…' if bought < 0 else bought or 'none'}"


def _where(snapshot: Snapshot, row: int) -> str:
    table = snapshot.history.rounds
    return " ".join(filter(None, (subroutine_label(snapshot, int(table.subroutine[row])), f"k{table.k[row]}")))


def _subtitle(
    snapshot: Snapshot, costs: RoundCosts, budget: float | None, bought: Integers, waits: int, scope: str
) -> Phrasings:
    asked = "the run's B" if budget is None else f"B = {number(budget, 3)}"
    # At the end of a run that the cap cut off, the round is the last one of the completed call.
    end = int(np.searchsorted(costs.rows, snapshot.history.rounds_before(snapshot.call_end)))
    last = int(bought[end - 1]) if end else -1
    now = "…" if last < 0 else f"d = {last}" if last else "nothing"
    here = _where(snapshot, int(costs.rows[end - 1])) if end and snapshot.completed >= 0 else "this round"
    cut = scope == RUN and len(costs.rows) == MOST_ROUNDS
    return phrasings(
        (f"{asked} buys {now} in {here}", f"{asked} buys {now}", f"B: {now}"),
        f"computing {plural(waits, 'round')}" if waits else "",
        f"the last {MOST_ROUNDS} rounds" if cut else "",
    )


def budget_text(snapshot: Snapshot, series: BudgetMap, x: float, y: float) -> str:
    """What the budget at x buys in the round at y, and from which budget on the next dimension fits."""
    row = int(np.floor(y))
    if not 0 <= row < len(series.costs.rows):
        return ""
    where, _, _ = series.names[row][1].partition(":")
    lower = series.costs.lower[row]
    if np.isnan(lower).any():
        return f"{where}: being computed"
    B = 10.0 ** min(x, 308.0)  # the axis may extend beyond the largest double
    d = int(np.searchsorted(np.maximum.accumulate(lower), B * (1.0 + TIE), side="right"))
    bought = f"d = {d}" if d else "nothing"
    words = f"{where}, {remain_words(len(series.costs.sets[row]))}: B = {number(B, 3)} buys {bought}"
    if d < series.D:
        words += f", d = {d + 1} from {number(float(series.costs.upper[row, d]))} on"
    own = series.costs.budget[row]
    if np.isfinite(own):
        words += f"\nin the run: B = {number(float(own))}, d_k = {series.costs.d[row] or '–'}"
        words += f", a tie with d = {series.tied[row]}" if series.tied[row] and series.budget is None else ""
    return words
