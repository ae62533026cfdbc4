"""The rounds that a view shows and their names on the axis: shared by the views whose axis is time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.terminal import number
from gems_engine.wording import place_names
from gems_gui.series.folds import VISIBLE, folded_widths, is_late
from gems_gui.snapshot import Snapshot

RUN = "run"
SUBROUTINE = "subroutine"
PLANNED = 12
"""Rounds for which an axis reserves space from the start."""
MOST_NAMES = 1000
"""Of more rounds or subroutines than this, at most twice this number is named on an axis."""
# Sizes at which a growing axis is extended:
_STEPS = np.array([1.0, 1.2, 1.5, 1.8, 2.1, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.5, 10.0])


@dataclass(frozen=True, eq=False)
class Rounds:
    """Rows of the history that are shown; all of them have started before the cursor.

    Attributes
    ----------
    first, last
        Half-open range of rows.
    subroutines
        Half-open range of the subroutines they belong to.
    starts
        For each of these, the row at which it starts, relative to ``first``; a subroutine may have no round yet.
    """

    first: int
    last: int
    subroutines: range
    starts: Integers

    def __len__(self) -> int:
        return self.last - self.first


def rounds_shown(snapshot: Snapshot, scope: str) -> Rounds:
    """The rounds of this subroutine, or of the whole run, up to the cursor."""
    history = snapshot.history
    here = snapshot.call_row if scope == SUBROUTINE else history.subroutine_at(snapshot.cursor)
    last = history.rounds_before(snapshot.call_end if scope == SUBROUTINE else snapshot.cursor)
    if here < 0:  # before the first one, or an algorithm without any
        return Rounds(0, last, range(0), np.zeros(0, np.int64))
    chosen = range(here, here + 1) if scope == SUBROUTINE else range(here + 1)
    first = int(history.subroutines.first_round[chosen.start])
    starts = history.subroutines.first_round[chosen.start : chosen.stop] - first
    return Rounds(first, max(first, last), chosen, np.minimum(starts, max(0, last - first)))


def place_columns(snapshot: Snapshot, rows: slice | Integers) -> dict[str, Integers]:
    """The first columns of a table of rounds: their positions, under the names of the algorithm."""
    table = snapshot.history.rounds
    places = (table.ell[rows], table.i[rows], table.k[rows])
    named = zip(place_names(snapshot.state.algorithm), places, strict=True)
    return {name: values for name, values in named if name}


def subroutine_label(snapshot: Snapshot, subroutine: int) -> str:
    """ "ℓ5 i1", or "i5 j1" in a fixed-budget run; empty for the only subroutine of a run.

    At the end of a run that the cap cut off, it says which call was cut off and which is the last completed one.
    """
    table = snapshot.history.subroutines
    if subroutine < 0:
        return ""
    marks = {snapshot.cut_row: " (cut off)", snapshot.completed: " (completed)"}
    return _label(snapshot.state.algorithm, int(table.ell[subroutine]), int(table.i[subroutine])) + marks.get(
        subroutine, ""
    )


def subroutine_labels(snapshot: Snapshot, count: int) -> list[str]:
    """The labels of the first subroutines, see :func:`subroutine_label`."""
    table, algorithm = snapshot.history.subroutines, snapshot.state.algorithm
    places = zip(table.ell[:count].tolist(), table.i[:count].tolist(), strict=True)
    return [_label(algorithm, ell, i) for ell, i in places]


@lru_cache(maxsize=4096)  # an axis needs all of them, many times a second
def _label(algorithm: str, ell: int, i: int) -> str:
    outer, inner, _ = place_names(algorithm)
    return " ".join(f"{name}{value}" for name, value in ((outer, ell), (inner, i)) if name and value)


def subroutine_places(snapshot: Snapshot, rounds: Rounds, edges: Floats) -> list[tuple[float, str]]:
    """The centre of each subroutine on an axis with these edges of rounds, with its label.

    Folded ones have none, unless all are folded: then the first and the last one name them together.
    """
    table, algorithm = snapshot.history.subroutines, snapshot.state.algorithm
    rows = slice(rounds.subroutines.start, rounds.subroutines.stop)
    ends = np.append(rounds.starts[1:], len(rounds))[: len(rounds.starts)]
    wide = edges[ends] - edges[rounds.starts] >= VISIBLE
    some = np.flatnonzero((ends > rounds.starts) & wide)
    some = some[:: _stride(len(some))]
    middles = (edges[rounds.starts[some]] + edges[ends[some]]) / 2
    numbers = zip(middles.tolist(), table.ell[rows][some].tolist(), table.i[rows][some].tolist(), strict=True)
    named = [(middle, _label(algorithm, ell, i)) for middle, ell, i in numbers]
    late = _late_place(snapshot, rounds, edges)
    if not named and not late and len(rounds):
        outer = rounds.subroutines.start, rounds.subroutines.stop - 1
        both = [_label(algorithm, int(table.ell[row]), int(table.i[row])) for row in outer]
        named = [(float(edges[-1]) / 2, " – ".join(dict.fromkeys(both)))]
    return sorted([*named, *late])


def _late_place(snapshot: Snapshot, rounds: Rounds, edges: Floats) -> list[tuple[float, str]]:
    """The centre of the loops that are folded because they come late, with the first and the last of them."""
    ell = snapshot.history.rounds.ell[rounds.first : rounds.last]
    late = np.flatnonzero(is_late(snapshot, ell))
    if len(late) < 2:
        return []
    outer = place_names(snapshot.state.algorithm)[0]
    return [(float(edges[late[0]] + edges[late[-1] + 1]) / 2, f"{outer}{ell[late[0]]}–{ell[late[-1]]}")]


# -- an axis of the rounds of one subroutine --------------------------------------------------------------------


def is_over(snapshot: Snapshot, row: int) -> bool:
    """Whether the round of a row has decided, or has ended, at the cursor."""
    table = snapshot.history.rounds
    decided, end = int(table.decided[row]), int(table.end[row])
    return 0 <= decided < snapshot.cursor or 0 <= end <= snapshot.cursor


def round_name(snapshot: Snapshot, row: int) -> str:
    """ "3", or "4–9" for idle rounds, which share one row."""
    table = snapshot.history.rounds
    k, last = int(table.k[row]), int(table.last_k[row])
    return number(k) if last == k or not is_over(snapshot, row) else f"{number(k)}–{number(last)}"


def round_widths(snapshot: Snapshot, rounds: Rounds, here: bool) -> Floats:
    """1 for each round. Idle rounds have the width of their number if all rounds of the subroutine fit.

    In a whole run, stretches that show nothing new are folded.

    Parameters
    ----------
    here
        Whether the axis shows the rounds of one subroutine.
    """
    if not here:
        return folded_widths(snapshot, rounds.first, rounds.last)
    widths, call = np.ones(len(rounds)), snapshot.call
    if call is not None and 0 < call.rounds <= PLANNED:
        table = snapshot.history.rounds
        for row in np.flatnonzero(table.idle[rounds.first : rounds.last]).tolist():
            if is_over(snapshot, rounds.first + row):
                widths[row] += float(table.last_k[rounds.first + row] - table.k[rounds.first + row])
    return widths


def planned_width(snapshot: Snapshot, total: float) -> float:
    """Space for the n rounds of a subroutine, also if it ends earlier; for many rounds, the width so far."""
    call = snapshot.call
    planned = np.inf if call is None or not call.rounds else call.rounds
    return max(total, float(min(planned, max(PLANNED, leap(total)))), 1.0)


def leap(value: float) -> float:
    """The next larger size at which an axis is extended."""
    if value <= 1:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value) + 1e-12)
    return float(power * _STEPS[np.searchsorted(_STEPS, value / power - 1e-9)])


def _stride(count: int) -> int:
    return max(1, count // MOST_NAMES)


def round_places(snapshot: Snapshot, rounds: Rounds, edges: Floats, stride: int = 1) -> list[tuple[float, str]]:
    """The centre of every ``stride``-th round with its k, then of the coming rounds if all of them fit."""
    shown = range(0, len(rounds), max(stride, _stride(len(rounds))))
    named = [(float(edges[row] + edges[row + 1]) / 2, round_name(snapshot, rounds.first + row)) for row in shown]
    call, table = snapshot.call, snapshot.history.rounds
    if call is None or not 0 < call.rounds <= PLANNED:
        return named
    done = int(table.last_k[rounds.last - 1]) if len(rounds) else 0
    if len(rounds) and not is_over(snapshot, rounds.last - 1):
        done = int(table.k[rounds.last - 1])  # rounds are known to be idle when they are over
    return named + [(float(edges[-1]) + j + 0.5, number(done + 1 + j)) for j in range(max(0, call.rounds - done))]
