"""The calls of the outer loop as a grid: loops ℓ down, calls i across, with the settings and the result of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.complexity.run_theory import RunTheory, guaranteed
from gems_engine.events import SubroutineFinished, Validated
from gems_engine.history import Booleans
from gems_engine.terminal import number, plural
from gems_engine.wording import place_names, recorded_text, remain_words, remaining
from gems_gui.series.axis import subroutine_label
from gems_gui.series.folds import is_late
from gems_gui.series.sample_shares import percent
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

SURVIVORS = "survivors"
SAMPLES = "samples"
SCHEDULE = "schedule"
LAST_D = "dimension"
_NO_D = {False: "no dimension chosen", True: "its dimension is hidden"}
"""By whether the run's dimension is hidden."""
_BREAKS = ("fixed-confidence", "misspecified-best-arm")  # their loop ℓ ends with the first singleton

_CUT: Phrasings = ("cut off", "cut")


@dataclass(frozen=True, eq=False)
class GridSeries:
    """What the grid draws; arrays have one entry for each subroutine started before the cursor.

    Attributes
    ----------
    loops, calls
        ℓ of the rows from the top and i of the columns, only those that occur, and i of guaranteed calls.
    ell, fold
        ℓ of each, and the first and last of those that share one row because they show nothing new, if there are any.
    row, column
        Row and column of each.
    event
        The event that starts it.
    n, B
        n is 0 if it continues until one arm remains; B is ∞ if no dimension is chosen.
    survivors
        How many targets remain.
    samples
        Number of samples, including idle ones.
    d
        The dimension of its last round that has one, 0 if none has.
    finished, unfit, singleton
        Whether it has ended, whether it has because no dimension fits, and whether one target remains.
    recommends
        Whether the recommendation is its own, or a validation chose its candidate.
    candidate
        The target that it added to the pre-selection set, −1 for none.
    new
        Whether the target was not in the set before.
    left_in
        The round k in which the selected target was eliminated, 0 if it was not.
    current
        The subroutine that is shown, −1 before the first.
    cut
        The one that the sample cap cut off, if another one is shown; otherwise −1.
    shade
        Strength of the colour, from 0 to 1.
    total
        All samples of the run up to the cursor.
    sure, promise
        Which ones a theorem guarantees to succeed, and from where on, as text; empty if that is hidden or not known.
    uncalled : array of shape (m, 2)
        Row and column of guaranteed calls in started loops that were not made.
    placeholder
        Why the view is empty, if it is.
    """

    loops: Integers
    ell: Integers
    fold: tuple[int, int] | None
    calls: Integers
    row: Integers
    column: Integers
    event: Integers
    n: Floats
    B: Floats
    survivors: Integers
    samples: Floats
    d: Integers
    finished: Booleans
    unfit: Booleans
    singleton: Booleans
    recommends: Booleans
    candidate: Integers
    new: Booleans
    left_in: Integers
    current: int
    cut: int
    shade: Floats
    shows: str
    total: int
    axes: tuple[str, str]
    sure: Booleans
    promise: str
    uncalled: Integers
    subtitle: Phrasings
    placeholder: str

    @property
    def column_names(self) -> list[str]:
        """The calls."""
        return [str(call) for call in self.calls.tolist()]

    @property
    def row_names(self) -> list[str]:
        """The loops, "9–40" if several share a row."""
        first, last = self.fold or (0, 0)
        return [f"{loop}–{last}" if loop == first and last > first else str(loop) for loop in self.loops.tolist()]

    @property
    def newest(self) -> list[int]:
        """The newest subroutine of each cell, since those of folded loops share one."""
        return sorted(
            {cell: at for at, cell in enumerate(zip(self.row.tolist(), self.column.tolist(), strict=True))}.values()
        )

    def words(self, snapshot: Snapshot, x: float, y: float) -> str:
        """Everything about the subroutine at a point."""
        return grid_text(snapshot, self, x, y)

    @property
    def outlined(self) -> list[tuple[int, int]]:
        """Column and row of every guaranteed cell, called or not, down the columns."""
        called = zip(self.column[self.sure].tolist(), self.row[self.sure].tolist(), strict=True)
        return sorted({*called, *((column, row) for row, column in self.uncalled.tolist())})

    def is_uncalled(self, x: float, y: float) -> bool:
        """Whether a point is in a guaranteed cell that was not called."""
        return bool((self.uncalled == (np.floor(y), np.floor(x))).all(axis=1).any())

    def subroutine_at(self, x: float, y: float) -> int | None:
        """The newest subroutine whose cell contains a point."""
        found = np.flatnonzero((self.column == np.floor(x)) & (self.row == np.floor(y)))
        return int(found[-1]) if len(found) else None

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each subroutine, in the order of the run."""
        inner, outer = self.axes
        return by_columns(
            {
                outer: self.ell,
                inner: self.calls[self.column],
                "event": self.event + 1,
                "rounds": masked(self.n, self.n > 0),
                "budget": masked(self.B, np.isfinite(self.B)),
                "survivors": self.survivors,
                "samples": self.samples.astype(np.int64),
                "last_d": masked(self.d, self.d > 0),
                "finished": self.finished,
                "no_dimension_fits": self.unfit,
                "recommends": self.recommends,
                "candidate": masked(self.candidate, self.candidate >= 0),
            }
        )

    def texts(self, at: int) -> tuple[Phrasings, ...]:
        """The lines of a cell; the chosen quantity comes first."""
        drawn = float(self.samples[at])
        share = percent(100.0 * drawn / max(self.total, 1)) if self.shows == SAMPLES else ""
        n, B, survivors, d = float(self.n[at]), float(self.B[at]), int(self.survivors[at]), int(self.d[at])
        said = _texts(self.shows, n, B, survivors, drawn, share, d)
        return (_CUT, *said) if at == self.cut else said


@lru_cache(maxsize=4096)  # texts of finished subroutines do not change, and are shown many times a second
def _texts(shows: str, n: float, B: float, survivors: int, drawn: float, share: str, d: int) -> tuple[Phrasings, ...]:
    """The lines of a cell; its share of all samples only if samples are shown."""
    schedule = [(name, number(value)) for name, value in (("n", n), ("B", B)) if 0 < value < np.inf]
    lines: dict[str, tuple[Phrasings, ...]] = {
        SURVIVORS: ((remain_words(survivors), number(survivors)),),
        SAMPLES: (*([(share,)] if share else []), (f"N {number(int(drawn))}",)),
        SCHEDULE: ((" · ".join(map(" ".join, schedule)), " · ".join(value for _, value in schedule)),),
        LAST_D: ((f"d {d}", str(d)) if d else ("no d", "–"),),
    }
    return (*lines.pop(shows), *(line for rest in lines.values() for line in rest))


def grid_series(snapshot: Snapshot, shows: str, theory: RunTheory | None = None) -> GridSeries:
    """The subroutines started before the cursor, coloured and named by one of the four quantities, with guarantees."""
    history, cursor = snapshot.history, snapshot.cursor
    count = history.subroutine_at(cursor) + 1
    table = history.subroutines
    targets = len(snapshot.instance.targets)
    last_d, survivors, samples, rounds = _rounds(snapshot, count, targets)
    if snapshot.keeps_d:
        last_d = np.zeros_like(last_d)
    over = table.finished[:count]
    finished = (over >= 0) & (over < cursor)
    singleton = survivors == 1
    recommends, candidate, new = _recommends(snapshot, count)
    ell = table.ell[:count]
    late = is_late(snapshot, ell)
    fold = (int(ell[late].min()), int(ell[late].max())) if late.any() else None
    loops, row = np.unique(_in_rows(ell, fold), return_inverse=True)
    good = _good_calls(theory, ell, table.i[:count])
    calls = np.unique(np.concatenate([table.i[:count], good[:, 1]]))
    column = np.searchsorted(calls, table.i[:count])
    uncalled = np.column_stack([np.searchsorted(loops, _in_rows(good[:, 0], fold)), np.searchsorted(calls, good[:, 1])])
    n, B = table.rounds[:count], history.call_budgets(count, cursor)
    shade = shade_of(snapshot, shows, survivors, samples, B, last_d)
    return GridSeries(
        loops,
        ell,
        fold,
        calls,
        row,
        column,
        table.event[:count],
        n,
        B,
        survivors,
        samples,
        last_d,
        finished,
        finished & ~singleton & ~rounds,
        singleton,
        recommends,
        candidate,
        new,
        _left_in(snapshot, count),
        snapshot.call_row,
        snapshot.cut_row,
        np.asarray(shade, dtype=float),
        shows,
        snapshot.state.samples,
        _axes(snapshot),
        np.zeros(count, dtype=bool) if theory is None else guaranteed(theory, n, B, table.ell[:count], table.i[:count]),
        _promise(snapshot, theory, ell),
        uncalled,
        _subtitle(snapshot, shows, count) if count else (),
        "" if count else _placeholder(snapshot),
    )


def _in_rows(ell: Integers, fold: tuple[int, int] | None) -> Integers:
    """The loop that names the row of each loop: of those that are folded, the first."""
    return ell if fold is None else np.where((ell >= fold[0]) & (ell <= fold[1]), fold[0], ell)


def _good_calls(theory: RunTheory | None, ell: Integers, i: Integers) -> Integers:
    """ℓ and i of the calls that proofs rely on, in started loops, that were not made."""
    if theory is None:
        return np.zeros((0, 2), dtype=np.int64)
    called = set(zip(ell.tolist(), i.tolist(), strict=True))
    good = [(loop, call) for loop in np.unique(ell).tolist() if (call := theory.good_call(loop)) is not None]
    return np.array([each for each in good if each not in called], dtype=np.int64).reshape(-1, 2)


def _rounds(snapshot: Snapshot, count: int, targets: int) -> tuple[Integers, Integers, Floats, Booleans]:
    """For each subroutine: its last d, its survivors, its samples, and whether its last round found a dimension."""
    table, cursor = snapshot.history.rounds, snapshot.cursor
    begun = slice(snapshot.history.rounds_before(cursor))
    inside = table.subroutine[begun] >= 0
    subroutine = table.subroutine[begun]
    chosen, decided, pulled = (
        inside & (column[begun] >= 0) & (column[begun] < cursor)
        for column in (table.chosen, table.decided, table.pulled)
    )
    d = np.zeros(count, dtype=np.int64)
    d[subroutine[chosen]] = table.d[begun][chosen]  # the last row of each subroutine counts
    survivors = np.full(count, targets, dtype=np.int64)
    survivors[subroutine[decided]] = table.survivors_after[begun][decided]
    counted = pulled | (decided & table.idle[begun])
    samples = np.zeros(count)
    np.add.at(samples, subroutine[counted], table.pulls[begun][counted])
    found = np.zeros(count, dtype=bool)
    found[subroutine[inside]] = chosen[inside]
    return d, survivors, samples, found


def shade_of(
    snapshot: Snapshot, shows: str, survivors: Integers, samples: Floats, B: Floats, last_d: Integers
) -> Floats:
    """Strength of the colour of each cell, from 0 to 1."""
    if shows == SURVIVORS:
        return np.asarray(np.log(np.maximum(survivors, 1)) / max(np.log(snapshot.state.targets), 1e-9))
    if shows == SAMPLES:
        return np.asarray(samples / max(samples.max(initial=0.0), 1.0))
    return _by_size(B) if shows == SCHEDULE else np.asarray(last_d / snapshot.instance.D)


def _by_size(values: Floats) -> Floats:
    """Logarithmic scale from 0 for the smallest to 1 for the largest; ∞ is the largest."""
    usable = np.isfinite(values) & (values > 0)
    logs = np.log(np.where(usable, values, 1.0))
    low, high = (logs[usable].min(), logs[usable].max()) if usable.any() else (0.0, 0.0)
    return np.where(usable, (logs - low) / max(high - low, 1e-9), 1.0)


def _candidates(snapshot: Snapshot) -> tuple[Integers, Integers, Booleans]:
    """Events, targets and newness of the candidates before the cursor."""
    table = snapshot.history.candidates
    shown = int(np.searchsorted(table.event, snapshot.cursor, side="left"))
    return table.event[:shown], table.target[:shown], table.new[:shown]


def _recommends(snapshot: Snapshot, count: int) -> tuple[Booleans, Integers, Booleans]:
    """Which subroutines recommend, the candidate of each, and whether it is new."""
    starts = snapshot.history.subroutines.event[:count]
    table = snapshot.history.recommendations
    made = table.event[: int(np.searchsorted(table.event, snapshot.cursor, side="left"))]
    validated = snapshot.trace.positions(Validated)
    validated = validated[validated < snapshot.cursor]
    by_validation = np.isin(made - 1, validated)  # recorded right after it
    recommends = np.zeros(count, dtype=bool)
    own = np.searchsorted(starts, made[~by_validation], side="right") - 1
    recommends[own[own >= 0]] = True
    at, targets, new = _candidates(snapshot)
    subroutine = np.searchsorted(starts, at, side="right") - 1
    inside = subroutine >= 0
    at, targets, new, subroutine = at[inside], targets[inside], new[inside], subroutine[inside]
    candidate, first = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=bool)
    candidate[subroutine], first[subroutine] = targets, new
    winner = np.full(len(validated) + 1, -1, dtype=np.int64)  # the last entry: a validation that has not happened yet
    winner[np.searchsorted(validated, made[by_validation] - 1)] = table.target[: len(made)][by_validation]
    recommends[subroutine[winner[np.searchsorted(validated, at)] == targets]] = True
    return recommends, candidate, first


def where_left(snapshot: Snapshot, rounds: int) -> Booleans:
    """Which of the first rounds eliminated the selected target."""
    found, gone = np.zeros(rounds, dtype=bool), snapshot.history.eliminations
    if snapshot.selection.target is not None:
        shown = int(np.searchsorted(gone.event, snapshot.cursor, side="left"))
        at = gone.round[:shown][gone.target[:shown] == snapshot.selection.target]
        found[at[(at >= 0) & (at < rounds)]] = True  # a file may have eliminations outside of rounds
    return found


def _left_in(snapshot: Snapshot, count: int) -> Integers:
    rows = np.flatnonzero(where_left(snapshot, snapshot.history.rounds_before(snapshot.cursor)))
    subroutine, left = snapshot.history.rounds.subroutine[rows], np.zeros(count, dtype=np.int64)
    left[subroutine[subroutine >= 0]] = snapshot.history.rounds.k[rows[subroutine >= 0]]
    return left


# -- words ------------------------------------------------------------------------------------------------------


def _axes(snapshot: Snapshot) -> tuple[str, str]:
    outer, inner, _ = place_names(snapshot.state.algorithm)
    return inner, outer


def _promise(snapshot: Snapshot, theory: RunTheory | None, loops: Integers) -> str:
    """The subroutines that are guaranteed to succeed: "guaranteed: i 3 from ℓ 12 on", and whether they were reached."""
    if theory is None or theory.good is None or not theory.promises:
        return ""
    inner, outer = _axes(snapshot)
    first = theory.good.ell_star if theory.place is None else theory.place[0]
    if theory.place is not None:
        words = f"guaranteed: {outer} {first} {inner} {theory.place[1]}"
    else:
        words = f"guaranteed: {inner} {theory.good.j_star} from {outer} {first} on"
    if loops.max(initial=0) >= first:
        return words
    return f"{words}, not reached{' yet' if snapshot.state.finished is None else ''}"


def _placeholder(snapshot: Snapshot) -> str:
    begun = snapshot.history.rounds_before(snapshot.cursor)
    return "this algorithm calls no subroutine" if begun else "before the first call"


def _subtitle(snapshot: Snapshot, shows: str, count: int) -> Phrasings:
    words = {
        SURVIVORS: "arms remaining",
        SAMPLES: "samples drawn",
        SCHEDULE: "n and B",
        LAST_D: "d of the last round",
    }[shows]
    now = subroutine_label(snapshot, snapshot.call_row)
    return phrasings(words, f"now {now}" if now and snapshot.completed < 0 else now, plural(count, "call"))


def grid_text(snapshot: Snapshot, series: GridSeries, x: float, y: float) -> str:
    """Everything about the subroutine at a point, on a few lines."""
    at = series.subroutine_at(x, y)
    if at is None:
        return _uncalled_text(snapshot, series, int(y), int(x)) if series.is_uncalled(x, y) else ""
    instance = snapshot.instance
    name = subroutine_label(snapshot, at) or "this call"
    n, B = float(series.n[at]), float(series.B[at])
    began = [f"n = {number(n)}"] if n else []
    began += [f"B = {number(B)}"] if np.isfinite(B) else []
    samples = float(series.samples[at])
    share = percent(100.0 * samples / snapshot.state.samples) if snapshot.state.samples else percent(0.0)
    left = remaining(int(series.survivors[at]), len(instance.targets), instance.target_kind)
    lines = [
        f"{name}: {', '.join(began)}" if began else name,
        f"{left} · {plural(int(samples), 'sample')}, {share}",
        f"last d = {series.d[at]}" if series.d[at] else _NO_D[snapshot.keeps_d],
    ]
    ended = _ended(snapshot, series, at)
    kept = int(series.candidate[at])
    if kept >= 0:
        ended += f" · candidate {instance.target_label(kept)}{'' if series.new[at] else ' again'}"
    if series.recommends[at]:
        ended += " · recommended"
    if series.sure[at]:
        lines.insert(1, "guaranteed to succeed: n ≥ n⋆ and B ≥ B⋆")
    picked = snapshot.selection.target
    if picked is not None and series.left_in[at]:
        ended += f" · {instance.target_label(picked)} eliminated in k{series.left_in[at]}"
    return "\n".join([*lines, ended])


def _uncalled_text(snapshot: Snapshot, series: GridSeries, row: int, column: int) -> str:
    """Why a guaranteed call was not made. A singleton of an earlier call, with a larger B, is right as well."""
    inner, outer = series.axes
    place = f"{outer} {series.loops[row]} {inner} {series.calls[column]}"
    last = int(np.flatnonzero(series.row == row)[-1])
    before = f"{inner} = {series.calls[series.column[last]]}"
    if last == len(series.row) - 1 and snapshot.state.finished is None and not series.finished[last]:
        return f"{place}: not called yet, {before} is running\nguaranteed to succeed if it is called"
    if snapshot.state.algorithm in _BREAKS and series.finished[last] and series.singleton[last]:
        why = f"{place}: not called, the loop ended at {before}\nit would be guaranteed to succeed"
        return f"{why}\nthe arm that remained in {before} is the best by the same theorem: its B ≥ B⋆"
    ended = snapshot.state.finished is not None and last == len(series.row) - 1
    why = f"not called, the run ended at {before}" if ended else f"not called yet, {before} was the last"
    return f"{place}: {why}\nit would be guaranteed to succeed"


def _ended(snapshot: Snapshot, series: GridSeries, at: int) -> str:
    if not series.finished[at]:
        return "still running" if at == series.current and snapshot.state.finished is None else "stopped early"
    event = snapshot.trace[int(snapshot.history.subroutines.finished[at])]
    assert isinstance(event, SubroutineFinished)
    return f"ended: {recorded_text(event.why)}"
