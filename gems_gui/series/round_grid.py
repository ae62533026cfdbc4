"""The rounds of a run that is a single call, as cells: shown by the grid of subroutines if there is only one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.algorithms import subroutine_title
from gems_engine.arrays import Floats
from gems_engine.terminal import number, plural
from gems_engine.wording import remain_words, remaining
from gems_gui.series.axis import PLANNED, is_over, round_name, rounds_shown
from gems_gui.series.sample_shares import percent
from gems_gui.series.subroutine_grid import (
    LAST_D,
    SAMPLES,
    SCHEDULE,
    SURVIVORS,
    GridSeries,
    shade_of,
    where_left,
)
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot


@dataclass(frozen=True, eq=False)
class RoundGrid(GridSeries):
    """One row or column of cells, one for each round started before the cursor, with space for the coming ones.

    Attributes
    ----------
    cost
        g_k(d_k) of each, NaN if it is not known.
    names
        Names of the rounds.
    down
        Whether they are stacked vertically.
    last_k
        The last of idle rounds; k of any other.
    """

    cost: Floats
    names: tuple[str, ...]
    down: bool
    k: np.ndarray
    last_k: np.ndarray

    @property
    def column_names(self) -> list[str]:
        return [""] if self.down else list(self.names)

    @property
    def row_names(self) -> list[str]:
        return list(self.names) if self.down else [""]

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each round."""
        return by_columns(
            {
                "k": self.k,
                "last_k": self.last_k,
                "event": self.event + 1,
                "survivors": self.survivors,
                "samples": self.samples.astype(np.int64),
                "d": masked(self.d, self.d > 0),
                "cost": masked(self.cost, ~np.isnan(self.cost)),
                "budget": masked(self.B, np.isfinite(self.B)),
                "finished": self.finished,
                "no_dimension_fits": self.unfit,
            }
        )

    def texts(self, at: int) -> tuple[Phrasings, ...]:
        """The lines of a cell; the chosen quantity comes first."""
        survivors, drawn, d = int(self.survivors[at]), int(self.samples[at]), int(self.d[at])
        share = percent(100.0 * drawn / max(self.total, 1)) if self.shows == SAMPLES and drawn else ""
        lines: dict[str, tuple[Phrasings, ...]] = {
            SURVIVORS: ((remain_words(survivors), number(survivors)),),
            LAST_D: ((f"d {d}", str(d)),) if d else ((("no d", "–"),) if self.unfit[at] else ()),
            SCHEDULE: () if np.isnan(self.cost[at]) else ((f"g {number(float(self.cost[at]), 3)}",),),
            SAMPLES: (*([(share,)] if share else []), *([(f"N {number(drawn)}",)] if drawn else [])),
        }
        first = lines.pop(self.shows)
        said = (*first, *(line for rest in lines.values() for line in rest))
        if self.down and said:
            return (phrasings(said[0], *(line[0] for line in said[1:])),)
        return said or (("…",),)

    def words(self, snapshot: Snapshot, x: float, y: float) -> str:
        """Everything about the round at a point, on a few lines."""
        at = self.subroutine_at(x, y)
        if at is None:
            return ""
        here = f"k{self.names[at]}"
        d = f"d = {self.d[at]}" if self.d[at] else "no dimension fits" if self.unfit[at] else "no dimension chosen yet"
        if snapshot.keeps_d:
            d = "its dimension is hidden"
        elif not np.isnan(self.cost[at]):
            d += f", cost {number(float(self.cost[at]))}"
            d += f" ≤ B = {number(float(self.B[at]))}" if np.isfinite(self.B[at]) else ""
        remain = remaining(int(self.survivors[at]), snapshot.state.targets, snapshot.state.kind)
        lines = [f"{here}: {d}", f"{remain} · {plural(int(self.samples[at]), 'sample')}"]
        picked = snapshot.selection.target
        if picked is not None and self.left_in[at]:
            lines.append(f"{snapshot.instance.target_label(picked)} is eliminated here")
        return "\n".join(lines)


def round_grid(snapshot: Snapshot, shows: str, down: bool = False) -> RoundGrid:
    """The rounds started before the cursor, coloured and named by one of the four quantities.

    Parameters
    ----------
    down
        Whether they are stacked vertically instead of side by side.
    """
    rounds, table, cursor = rounds_shown(snapshot, "run"), snapshot.history.rounds, snapshot.cursor
    rows = slice(rounds.first, rounds.last)
    count = len(rounds)
    call = snapshot.state.subroutine
    over = np.array([is_over(snapshot, row) for row in range(rounds.first, rounds.last)], dtype=bool)
    chosen = (table.chosen[rows] >= 0) & (table.chosen[rows] < cursor)
    pulled = (table.pulled[rows] >= 0) & (table.pulled[rows] < cursor) | (table.idle[rows] & over)
    survivors = np.where(over, table.survivors_after[rows], table.survivors_before[rows])
    samples = np.where(pulled, table.pulls[rows], 0).astype(float)
    d = np.where(chosen & (not snapshot.keeps_d), table.d[rows], 0)
    cost = np.where(chosen & (not snapshot.keeps_d), table.cost[rows], np.nan)
    names = [round_name(snapshot, row) for row in range(rounds.first, rounds.last)]
    k, last_k = table.k[rows], table.last_k[rows]
    if call is not None and 0 < call.rounds <= PLANNED:
        done = int(last_k[-1] if over[-1] else k[-1]) if count else 0
        names += [number(each) for each in range(done + 1, call.rounds + 1)]
        names += [""] * (call.rounds - len(names))  # idle rounds share one cell
    ones = np.zeros(count, dtype=bool)
    return RoundGrid(
        loops=np.arange(len(names) if down else 1),
        ell=np.ones(count, np.int64),
        fold=None,
        calls=np.arange(1 if down else len(names)),
        row=np.arange(count) if down else np.zeros(count, np.int64),
        column=np.zeros(count, np.int64) if down else np.arange(count),
        event=table.event[rows],
        n=np.zeros(count),
        B=snapshot.history.round_budgets(np.arange(rounds.first, rounds.last), cursor),
        survivors=survivors,
        samples=samples,
        d=d,
        finished=over,
        unfit=over & ~chosen,
        singleton=over & (survivors == 1),
        recommends=ones,
        candidate=np.full(count, -1),
        new=ones,
        left_in=np.where(where_left(snapshot, count), k, 0),
        current=count - 1,
        cut=-1,
        shade=np.asarray(shade_of(snapshot, shows, survivors, samples, np.nan_to_num(cost), d), dtype=float),
        shows=shows,
        total=snapshot.state.samples,
        axes=("", "round k") if down else ("round k", ""),
        sure=ones,
        promise="",
        uncalled=np.zeros((0, 2), dtype=np.int64),
        subtitle=_subtitle(snapshot, shows) if count else (),
        placeholder="" if count else "before the first round",
        cost=cost,
        names=tuple(names),
        down=down,
        k=k,
        last_k=last_k,
    )


def _subtitle(snapshot: Snapshot, shows: str) -> Phrasings:
    words = {
        SURVIVORS: "arms remaining",
        SAMPLES: "samples drawn",
        SCHEDULE: "cost gₖ(dₖ)",
        LAST_D: "dₖ",
    }[shows]
    called = subroutine_title(snapshot.state.algorithm)
    call = snapshot.state.subroutine
    B = snapshot.selection_budget
    budget = f"B = {number(B)}" if np.isfinite(B) else ""
    planned = f"n = {number(call.rounds)}" if call is not None and call.rounds else ""
    return phrasings((f"{words}, by round", words), (f"one call of {called}", called), planned, budget)
