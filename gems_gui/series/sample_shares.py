"""Shares of samples by dimension, loop or subroutine, before and after τ, or of selection and validation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.history import Booleans
from gems_engine.terminal import THIN, number, plural
from gems_engine.wording import place_names
from gems_gui.series.axis import round_name, subroutine_labels
from gems_gui.series.recommendation import trajectory
from gems_gui.series.table import Table, by_columns
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.truth import HIDDEN

DIMENSION = "dimension"
LOOP = "loop"
SUBROUTINE = "subroutine"
TAU = "tau"
HALF = "half"

BELOW, AT, ABOVE, ANY, VALIDATION = range(5)
"""Kinds of samples: below, at or above d⋆; in any dimension, if d⋆ is hidden or undefined; outside of rounds."""
KINDS = 5
_COLUMNS = {
    BELOW: "drawn_below_d_star",
    AT: "drawn_at_d_star",
    ABOVE: "drawn_above_d_star",
    ANY: "drawn_in_rounds",
    VALIDATION: "drawn_in_validation",
}


@dataclass(frozen=True, eq=False)
class ShareSeries:
    """What the view of the shares draws: one bar for each bin, stacked by kind.

    Attributes
    ----------
    by
        How the bins are made, which may differ from the option: τ may be hidden.
    x
        The centre of each bar.
    drawn, idle
        Samples of shape (kinds, bins): those drawn from arms, and those of idle rounds, which are not drawn. All are
        whole numbers, exact up to 2⁵³. Together they are all samples of the run up to the cursor.
    total
        All samples up to the cursor; the whole budget for the halves of a fixed-budget run.
    budget
        Whether the total is the budget, of which selection and validation may each use one half.
    names
        (position, name) of every bar.
    words
        A text for each bar.
    placeholder
        Why the view is empty, if it is.
    """

    by: str
    x: Floats
    drawn: Floats
    idle: Floats
    total: int
    names: list[tuple[float, str]]
    words: list[str]
    d_star: int | None
    x_label: str
    subtitle: Phrasings
    placeholder: str
    budget: bool = False

    @property
    def sums(self) -> Floats:
        """Samples of each bar."""
        return np.asarray((self.drawn + self.idle).sum(axis=0))

    def share(self, samples: Floats) -> Floats:
        """Percentages of all samples, or of the budget."""
        return 100.0 * samples / self.total if self.total else np.zeros_like(samples)

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each bar, from the left, with the kinds of samples that occur."""
        kinds = {_COLUMNS[kind]: self.drawn[kind].astype(np.int64) for kind in range(KINDS) if self.drawn[kind].any()}
        return by_columns(
            {
                "of": self.words,
                **kinds,
                "idle": self.idle.sum(axis=0).astype(np.int64),
                "samples": self.sums.astype(np.int64),
                "percent": self.share(self.sums),
            }
        )

    def bar_at(self, x: float) -> int | None:
        """The bar whose column contains x."""
        found = np.flatnonzero(np.abs(self.x - x) <= 0.5)
        return int(found[0]) if len(found) else None


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The rounds whose samples are drawn, by row."""

    rows: Integers
    pulls: Floats
    idle: Booleans
    kinds: Integers

    def into(self, bins: Integers, count: int) -> tuple[Floats, Floats]:
        """Drawn and idle samples by kind and bin."""
        cells = self.kinds * count + bins
        both = np.zeros((2, KINDS * count))
        np.add.at(both, (self.idle.astype(np.int64), cells), self.pulls)
        drawn, idle = both.reshape(2, KINDS, count)
        return drawn, idle


def share_series(snapshot: Snapshot, by: str) -> ShareSeries:
    """The samples up to the cursor, grouped by one of the five."""
    path = trajectory(snapshot)
    tau = path.tau
    if by == TAU and path.right is None:
        by = DIMENSION
    rounds = _drawn(snapshot)
    total = snapshot.state.samples
    budget = _budget(snapshot) if by == HALF else None
    if by == TAU:
        names, words = _sides(tau)
        samples = snapshot.history.rounds.samples[rounds.rows]
        bins = (samples > tau).astype(np.int64) if tau is not None else np.zeros(len(samples), np.int64)
    else:
        count = _by_round if snapshot.one_call and by not in (DIMENSION, HALF) else _BINS[by]
        names, words, bins = count(snapshot, rounds)
    drawn, idle = rounds.into(bins, len(names))
    x = np.arange(1, len(names) + 1, dtype=float)
    outside = total - int(rounds.pulls.sum())
    if by == TAU:  # samples before τ that were not drawn in rounds were drawn for validations
        before = outside if tau is None else tau - int((drawn + idle)[:, 0].sum())
        drawn[VALIDATION] = [before, outside - before][: len(names)]
    elif outside or budget is not None:
        room = max(1.0, 0.12 * len(names))  # for its name
        x = np.append(x, len(names) + 0.5 + room / 2)
        drawn, idle = (np.pad(each, ((0, 0), (0, 1))) for each in (drawn, idle))
        drawn[VALIDATION, -1] = outside
        names, words = [*names, "validation"], [*words, "validation"]
    outer = place_names(snapshot.state.algorithm)[0]
    rounds_of_call = snapshot.one_call and by in (LOOP, SUBROUTINE)
    labels = {DIMENSION: "dimension d", LOOP: f"loop {outer}", SUBROUTINE: "call", TAU: _tau_text(tau), HALF: ""}
    return ShareSeries(
        by,
        x,
        drawn,
        idle,
        total if budget is None else budget,
        list(zip(x.tolist(), names, strict=True)),
        words,
        _d_star(snapshot),
        "round k" if rounds_of_call else labels[by],
        _subtitle(total, by, int(idle.sum()), outside, rounds_of_call, budget) if total else (),
        "" if total else "no samples yet",
        budget is not None,
    )


def _budget(snapshot: Snapshot) -> int | None:
    """2T of a fixed-budget run, one half for selection and one for validation; None for other runs."""
    given = {} if snapshot.started is None else snapshot.started.parameters
    budget = given.get("budget")
    whole = snapshot.algorithm == "fixed-budget" and isinstance(budget, int | float)
    return int(budget) if whole and budget is not None else None


def _d_star(snapshot: Snapshot) -> int | None:
    return snapshot.instance.d_star if snapshot.truth else None


def _drawn(snapshot: Snapshot) -> _Drawn:
    table, cursor = snapshot.history.rounds, snapshot.cursor
    begun = slice(snapshot.history.rounds_before(cursor))
    pulled, decided, idle = table.pulled[begun], table.decided[begun], table.idle[begun]
    counted = ((pulled >= 0) & (pulled < cursor)) | (idle & (decided >= 0) & (decided < cursor))
    rows = np.flatnonzero(counted)
    d_star = _d_star(snapshot)
    kinds = np.full(len(rows), ANY) if d_star is None else np.sign(table.d[rows] - d_star) + AT
    return _Drawn(rows, table.pulls[rows].astype(float), idle[rows], kinds)


def _sides(tau: int | None) -> tuple[list[str], list[str]]:
    if tau is None:
        return ["not yet right"], ["so far, not yet right"]
    return ["before τ", "after τ"], [f"before τ = {number(tau)}", f"after τ = {number(tau)}"]


def _tau_text(tau: int | None) -> str:
    return "the recommendation is wrong" if tau is None else f"τ = {number(tau)}"


def _by_dimension(snapshot: Snapshot, rounds: _Drawn) -> tuple[list[str], list[str], Integers]:
    D = snapshot.instance.D
    if snapshot.keeps_d:
        return [HIDDEN], ["hidden dimension"], np.zeros(len(rounds.rows), dtype=np.int64)
    names = [str(d) for d in range(1, D + 1)]
    d = snapshot.history.rounds.d[rounds.rows]
    return names, [f"d = {name}" for name in names], np.clip(d, 1, D) - 1


def _selection(snapshot: Snapshot, rounds: _Drawn) -> tuple[list[str], list[str], Integers]:
    """One bar for all rounds: what is drawn outside of them is for validations."""
    return ["selection"], ["selection"], np.zeros(len(rounds.rows), dtype=np.int64)


def _by_loop(snapshot: Snapshot, rounds: _Drawn) -> tuple[list[str], list[str], Integers]:
    begun = snapshot.history.rounds.ell[: snapshot.history.rounds_before(snapshot.cursor)]
    loops = np.unique(begun)
    outer = place_names(snapshot.state.algorithm)[0]
    bins = np.searchsorted(loops, snapshot.history.rounds.ell[rounds.rows])
    return [str(ell) for ell in loops.tolist()], [f"{outer} = {ell}" for ell in loops.tolist()], bins


def _by_subroutine(snapshot: Snapshot, rounds: _Drawn) -> tuple[list[str], list[str], Integers]:
    subroutine = snapshot.history.rounds.subroutine[rounds.rows]
    outside = int(len(subroutine) > 0 and subroutine[0] < 0)  # an algorithm without subroutines
    names = ["run"] * outside + subroutine_labels(snapshot, snapshot.history.subroutine_at(snapshot.cursor) + 1)
    return names, names, subroutine + outside


def _by_round(snapshot: Snapshot, rounds: _Drawn) -> tuple[list[str], list[str], Integers]:
    """The rounds of a single call."""
    shown = snapshot.history.rounds_before(snapshot.cursor)
    names = [round_name(snapshot, row) for row in range(shown)]
    return names, [f"k = {name}" for name in names], rounds.rows


_BINS = {DIMENSION: _by_dimension, LOOP: _by_loop, SUBROUTINE: _by_subroutine, HALF: _selection}


# -- words ------------------------------------------------------------------------------------------------------


def percent(share: float) -> str:
    """A share in percent, with a decimal if it is small."""
    if 0 < share < 0.05:
        return f"<{THIN}0.1{THIN}%"
    return f"{number(round(share, 1) if share < 9.95 else round(share))}{THIN}%"


def _subtitle(total: int, by: str, idle: int, outside: int, rounds: bool, budget: int | None) -> Phrasings:
    by_words = {
        DIMENSION: "by dimension",
        LOOP: "by loop",
        SUBROUTINE: "by call",
        TAU: "before and after τ",
        HALF: "selection and validation",
    }
    words = "by round" if rounds else by_words[by]
    if budget is not None:
        return phrasings((f"% of the budget of {number(budget)}", "% of the budget"), f"{number(total)} used")
    return phrasings(
        (f"{words}, % of N = {number(total)}", f"{words}, %", words),
        f"validation {percent(100.0 * outside / total)}" if outside else "",
        f"idle {percent(100.0 * idle / total)}" if idle else "",
    )


def kind_text(series: ShareSeries, kind: int) -> str:
    """A text for samples of a kind."""
    return {
        BELOW: "d < d⋆, biased",
        AT: f"d = d⋆ = {series.d_star}",
        ABOVE: "d > d⋆, more than needed",
        ANY: "drawn in rounds",
        VALIDATION: "validation",
    }[kind]


def share_text(series: ShareSeries, x: float) -> str:
    """The bar at x: "ℓ = 3: 1 204 samples, 12 % · d < d⋆, biased: 300"."""
    bar = series.bar_at(x)
    if bar is None:
        return ""
    sum_ = float(series.sums[bar])
    words = f"{series.words[bar]}: {plural(int(sum_), 'sample')}, {percent(float(series.share(series.sums)[bar]))}"
    kinds = [
        f"{kind_text(series, kind)}: {number(int(series.drawn[kind, bar]))}"
        for kind in range(KINDS)
        if series.drawn[kind, bar] and kind != ANY and series.words[bar] != kind_text(series, kind)
    ]
    idle = int(series.idle[:, bar].sum())
    return " · ".join([words, *kinds, *([f"idle, not drawn: {number(idle)}"] if idle else [])])
