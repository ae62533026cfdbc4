"""Which rounds a view shows, and what stands under them: shared by the views whose axis is time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.wording import place_names
from gems_gui.moment import Moment

RUN = "run"
SUBROUTINE = "subroutine"


@dataclass(frozen=True, eq=False)
class Rounds:
    """Rows of the history that are shown, all of them begun before the cursor.

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


def rounds_shown(moment: Moment, scope: str) -> Rounds:
    """The rounds of this subroutine, or of the whole run, up to the cursor."""
    history = moment.history
    last = history.rounds_before(moment.cursor)
    here = history.subroutine_at(moment.cursor)
    if here < 0:  # before the first one, or an algorithm that has none
        return Rounds(0, last, range(0), np.zeros(0, np.int64))
    chosen = range(here, here + 1) if scope == SUBROUTINE else range(here + 1)
    first = int(history.subroutines.first_round[chosen.start])
    starts = history.subroutines.first_round[chosen.start : chosen.stop] - first
    return Rounds(first, max(first, last), chosen, np.minimum(starts, max(0, last - first)))


def place_columns(moment: Moment, rows: slice | Integers) -> dict[str, Integers]:
    """The first columns of a table of rounds: where each is, under the names of its algorithm."""
    table = moment.history.rounds
    places = (table.ell[rows], table.i[rows], table.k[rows])
    return dict(zip(place_names(moment.state.algorithm), places, strict=True))


def subroutine_label(moment: Moment, subroutine: int) -> str:
    """«ℓ5 i1», or «i5 j1» in a fixed-budget run; a lone subroutine has no number."""
    table = moment.history.subroutines
    if subroutine < 0:
        return ""
    return _label(moment.state.algorithm, int(table.ell[subroutine]), int(table.i[subroutine]))


def subroutine_labels(moment: Moment, count: int) -> list[str]:
    """The first so many subroutines, as :func:`subroutine_label` names them."""
    table, algorithm = moment.history.subroutines, moment.state.algorithm
    places = zip(table.ell[:count].tolist(), table.i[:count].tolist(), strict=True)
    return [_label(algorithm, ell, i) for ell, i in places]


@lru_cache(maxsize=4096)  # an axis asks for all of them, many times a second
def _label(algorithm: str, ell: int, i: int) -> str:
    outer, inner, _ = place_names(algorithm)
    return " ".join(f"{name}{value}" for name, value in ((outer, ell), (inner, i)) if value)


def subroutine_places(moment: Moment, rounds: Rounds, edges: Floats) -> list[tuple[float, str]]:
    """The middle of each subroutine on an axis whose rounds have these edges, with its label."""
    table, algorithm = moment.history.subroutines, moment.state.algorithm
    rows = slice(rounds.subroutines.start, rounds.subroutines.stop)
    ends = np.append(rounds.starts[1:], len(rounds))[: len(rounds.starts)]
    some = ends > rounds.starts
    middles = (edges[rounds.starts[some]] + edges[ends[some]]) / 2
    numbers = zip(middles.tolist(), table.ell[rows][some].tolist(), table.i[rows][some].tolist(), strict=True)
    return [(middle, _label(algorithm, ell, i)) for middle, ell, i in numbers]


def round_places(moment: Moment, rounds: Rounds, edges: Floats) -> list[tuple[float, str]]:
    """The middle of each round with its k; rounds that were counted together have both ends."""
    table = moment.history.rounds
    return [
        (
            float(edges[row] + edges[row + 1]) / 2,
            f"{table.k[rounds.first + row]}"
            if table.last_k[rounds.first + row] == table.k[rounds.first + row]
            else f"{table.k[rounds.first + row]}–{table.last_k[rounds.first + row]}",
        )
        for row in range(len(rounds))
    ]
