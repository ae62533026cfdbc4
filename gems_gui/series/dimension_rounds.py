"""The dimension that a budget buys: the sets at the start of rounds, and the cost of every dimension for each set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.dimension import TIE, within
from gems_engine.events import SubroutineStarted
from gems_engine.explanation.dimension import pulls_of_call
from gems_engine.explanation.scene import Scene
from gems_gui.series.axis import rounds_shown
from gems_gui.series.dimension_book import Chosen, CostCurve, book_of
from gems_gui.snapshot import Snapshot

MOST_ROUNDS = 300
"""The largest number of rounds shown, the newest ones: more would be thinner than a pixel."""
NO_ROUNDING = "gems-b"  # its cost does not include r_d(ζ), which limits the dimension instead


@dataclass(frozen=True, eq=False)
class RoundCosts:
    """The rounds that are shown, and the cost of each dimension in them.

    Attributes
    ----------
    rows
        Rows of the history.
    sets
        Ŝ_k of each.
    lower, upper
        Proven bounds on g_k(d), of shape (rounds, D): NaN if nothing is known yet, ∞ above D̃.
    budget
        B of each, ∞ if there is nothing to choose.
    d
        d_k, 0 while none is chosen.
    """

    rows: Integers
    sets: tuple[Chosen, ...]
    lower: Floats
    upper: Floats
    budget: Floats
    d: Integers

    def buys(self, budget: float | Floats) -> Integers:
        """The largest d that fits a budget in each round, 0 for none; −1 if not enough is known.

        As in OPT, d fits unless its cost is proven to exceed B by more than a tie.
        """
        ceiling = np.asarray(budget, dtype=float) * (1.0 + TIE)
        fits = self.lower <= np.broadcast_to(ceiling, (len(self.rows),))[:, None]
        found = np.where(fits.any(axis=1), self.lower.shape[1] - fits[:, ::-1].argmax(axis=1), 0)
        above = np.arange(1, self.lower.shape[1] + 1)[None, :] > found[:, None]
        unknown = (np.isnan(self.lower) & above).any(axis=1)
        # Costs do not decrease in d: if the next larger one is known to be over budget, nothing above it matters.
        nxt = np.minimum(found, self.lower.shape[1] - 1)
        decided = (found < self.lower.shape[1]) & (self.lower[np.arange(len(found)), nxt] > ceiling)
        return np.where(unknown & ~decided, -1, found)

    def ties(self, budget: float | Floats) -> Integers:
        """For each round, the d whose cost equals a budget within 1e-9; 0 for none."""
        B = np.broadcast_to(np.asarray(budget, dtype=float), (len(self.rows),))[:, None]
        with np.errstate(invalid="ignore"):
            tied = (self.lower <= B * (1.0 + TIE)) & (self.upper >= B * (1.0 - TIE)) & (self.upper < np.inf)
        return np.where(tied.any(axis=1), tied.shape[1] - tied[:, ::-1].argmax(axis=1), 0)


def round_costs(snapshot: Snapshot, scope: str) -> RoundCosts:
    """The rounds of this subroutine or of the run up to the cursor, with the known bounds on their costs."""
    table = snapshot.history.rounds
    rows = rows_of(snapshot, scope)
    sets = sets_of(snapshot, rows)
    book = book_of(snapshot.instance)
    D = snapshot.instance.D
    called = table.subroutine[rows]
    lower, upper = np.empty((len(rows), D)), np.empty((len(rows), D))
    rounding = rounding_of(snapshot)
    limits = {each: pulls_of(snapshot, each) for each in set(called.tolist())}
    found: dict[tuple[object, ...], tuple[Floats, Floats]] = {}
    for at, (k, call, chosen) in enumerate(zip(table.k[rows].tolist(), called.tolist(), sets, strict=True)):
        key = (chosen, k, limits[call])
        if key not in found:
            found[key] = costs(book.curve(chosen), k, rounding, limits[call])
        lower[at], upper[at] = found[key]
    known = (table.chosen[rows] >= 0) & (table.chosen[rows] < snapshot.cursor)
    budgets = snapshot.history.round_budgets(rows, snapshot.cursor)
    return RoundCosts(rows, sets, lower, upper, budgets, np.where(known, table.d[rows], 0))


def rows_of(snapshot: Snapshot, scope: str) -> Integers:
    """The newest rounds in a scope, as rows of the history; rounds outside subroutines choose no dimension."""
    shown = rounds_shown(snapshot, scope)
    rows = np.arange(shown.first, shown.last)
    return rows[snapshot.history.rounds.subroutine[rows] >= 0][-MOST_ROUNDS:]


def rounding_of(snapshot: Snapshot) -> Floats:
    """r_d(ζ) of the run for every d."""
    begun = snapshot.state.started is not None or snapshot.started is None
    scene = Scene(snapshot.history, snapshot.state if begun else snapshot.trace.state_at(1))  # what is asked for
    return np.array([scene.r(d) for d in range(1, snapshot.instance.D + 1)])


def pulls_of(snapshot: Snapshot, subroutine: int) -> float | None:
    """T′ of GEMS-b, where r_d(ζ) limits the dimension instead of being part of the cost; None for all others."""
    at = int(snapshot.history.subroutines.event[subroutine])
    call = snapshot.trace[at]
    if not isinstance(call, SubroutineStarted) or call.name != NO_ROUNDING:
        return None
    return float(pulls_of_call(snapshot.trace, at))


def costs(curve: CostCurve, k: int, rounding: Floats, pulls: float | None) -> tuple[Floats, Floats]:
    """Bounds on g_k(d) for every d: max{2^{2k}·ι, r_d(ζ)}, or for GEMS-b 2^{2k}·ι up to D̃."""
    with np.errstate(over="ignore"):
        lower, upper = np.ldexp(curve.lower, 2 * k), np.ldexp(curve.upper, 2 * k)
    if pulls is not None:
        beyond = np.array([not within(samples, pulls) for samples in rounding.tolist()])
        return np.where(beyond, np.inf, lower), np.where(beyond, np.inf, upper)
    return np.maximum(lower, rounding), np.maximum(upper, rounding)


def sets_of(snapshot: Snapshot, rows: Integers) -> tuple[Chosen, ...]:
    """The targets at the start of each of these rounds: all except those eliminated before in its subroutine."""
    history = snapshot.history
    everyone = np.ones(len(snapshot.instance.targets), dtype=bool)
    gone, targets = history.eliminations.round, history.eliminations.target
    mask, before, start, found = everyone.copy(), -1, 0, []
    last: Chosen = tuple(range(len(everyone)))
    for row in rows.tolist():
        subroutine = int(history.rounds.subroutine[row])
        if subroutine != before:
            mask[:], before = True, subroutine
            start = int(history.subroutines.first_round[subroutine])
            last = tuple(range(len(everyone)))
        left = targets[int(np.searchsorted(gone, start)) : int(np.searchsorted(gone, row))]
        if len(left):
            mask[left] = False
            last = tuple(np.flatnonzero(mask).tolist())
        start = row
        found.append(last)
    return tuple(found)


def current_set(snapshot: Snapshot) -> tuple[Chosen, int]:
    """Ŝ_k and k of the round at the cursor; before the first round, all targets and 1."""
    k = snapshot.state.round_place.k
    if not k or snapshot.state.subroutine is None:
        return tuple(range(len(snapshot.instance.targets))), 1
    return tuple(Scene(snapshot.history, snapshot.state).survivors.tolist()), k


def wanted(snapshot: Snapshot, scope: str) -> list[Chosen]:
    """The sets whose curves are shown: that of the round at the cursor first, then the newest rounds."""
    sets = [current_set(snapshot)[0], *reversed(sets_of(snapshot, rows_of(snapshot, scope)))]
    return [each for each in dict.fromkeys(sets) if len(each) > 1]
