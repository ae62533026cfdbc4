"""A run as columns with one row per round, and what each event adds to its row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.columns import Columns
from gems_engine.events import (
    Allocated,
    DesignSolved,
    DimensionProbed,
    Eliminated,
    Estimated,
    Event,
    IdleRounds,
    Place,
    Pulled,
    Recommended,
    RunStarted,
    SubroutineStarted,
)
from gems_engine.formats.tables import Batch, among
from gems_engine.parameters import Value
from gems_engine.terminal import plural

BEGIN_A_ROUND = (DimensionProbed, DesignSolved, Allocated, IdleRounds)
"""Events of which the first with a new k starts a round."""

COLUMNS: dict[str, Value] = {
    "event": 0,  # the first of the round
    "ell": 0,
    "i": 0,
    "k": 0,
    "rounds": 0.0,  # rounds sampled: 0 if no dimension fitted, more than 1 if idle
    "d": None,
    "probes": 0,
    "survivors_before": 0,
    "survivors_after": 0,
    "pulls": None,  # N_k
    "samples": 0,  # all so far
    "value": None,
    "lower_bound": None,
    "cost": None,
    "support": None,
    "factor": None,
    "guaranteed": None,
    "idle": False,
    "recommendation": None,  # at the end of the round
    "seconds": 0.0,  # of its design and its pulls
}
"""Every column with the value of a round that did not reach it; None is a missing value."""


class RoundTable(Columns):
    """The rounds of a run as columns, see :data:`COLUMNS`; idle rounds share one row.

    ``rounds["d"]`` is an array, ``rounds.columns`` are all of them, and ``rounds.to_dataframe()`` is a table of pandas.
    What a round did not reach is missing: NaN in an array of numbers, ``<NA>`` in a DataFrame.
    """

    def __repr__(self) -> str:
        return f"<RoundTable: {plural(len(self), 'row')}, {', '.join(self._values)}>"


def round_table(events: Iterable[Event], targets: int) -> RoundTable:
    """The rounds in a stream of events."""
    columns: dict[str, list[Value]] = {name: [] for name in COLUMNS}
    row: dict[str, Any] = {}
    survivors, samples, algorithm = targets, 0, ""
    recommendation: int | None = None
    begun: tuple[int, ...] | None = None

    def close() -> None:
        if row:
            for name, column in columns.items():
                column.append(row[name])

    for at, event in enumerate(events):
        place = (event.place.ell, event.place.i, event.place.k)
        if isinstance(event, SubroutineStarted):
            survivors, begun = targets, None
        samples = getattr(event, "samples", samples)
        if isinstance(event, RunStarted):
            algorithm = event.algorithm
        elif isinstance(event, Recommended) and event.holds(algorithm):
            recommendation = event.target
        if not event.place.k:
            continue
        if place != begun and isinstance(event, BEGIN_A_ROUND):
            close()
            begun = place
            where = dict(zip(("ell", "i", "k"), place, strict=True))
            row = {**COLUMNS, "event": at, **where, "survivors_before": survivors, "survivors_after": survivors}
        if place != begun:
            continue
        fill_round(row, event)
        survivors = row["survivors_after"]
        row["samples"], row["recommendation"] = samples, recommendation
    close()
    return RoundTable(columns)


def fill_round(row: dict[str, Any], event: Event) -> None:
    """Add what an event contributes to the row of its round."""
    fill = _FILLERS.get(type(event))
    if fill is not None:
        fill(row, event)


def _probed(row: dict[str, Any], event: DimensionProbed) -> None:
    row["probes"] += 1


def _solved(row: dict[str, Any], event: DesignSolved) -> None:
    row.update(d=event.d, value=event.value, lower_bound=event.lower_bound, cost=event.cost)
    row["support"] = len(event.support)
    row["seconds"] += event.seconds


def _allocated(row: dict[str, Any], event: Allocated) -> None:
    row.update(d=event.d, pulls=int(event.counts.sum()), factor=event.factor, guaranteed=event.guaranteed)
    row["rounds"] = 1.0


def _pulled(row: dict[str, Any], event: Pulled) -> None:
    row["seconds"] += event.seconds


def _estimated(row: dict[str, Any], event: Estimated) -> None:
    row["d"] = len(event.theta)


def _eliminated(row: dict[str, Any], event: Eliminated) -> None:
    row["survivors_after"] = event.left


def _idle(row: dict[str, Any], event: IdleRounds) -> None:
    row.update(d=event.d, idle=True, rounds=as_float(event.last - event.first + 1))
    row["pulls"] = min(event.drawn, 2**63 - 1)


_FILLERS: dict[type[Event], Callable[[dict[str, Any], Any], None]] = {
    DimensionProbed: _probed,
    DesignSolved: _solved,
    Allocated: _allocated,
    Pulled: _pulled,
    Estimated: _estimated,
    Eliminated: _eliminated,
    IdleRounds: _idle,
}


_TURNS, _CALLS = among(*BEGIN_A_ROUND, SubroutineStarted), among(SubroutineStarted)
_NO_PLACE = np.full((3, 1), -1)


def rounds_of(batch: Batch, newest: Place | None) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Place | None]:
    """The events of a batch that start a round, those that are in the newest round, and its position at the end.

    Parameters
    ----------
    newest
        The position of the newest round of the current subroutine before the batch, None if it has none.
    """
    places = batch.places
    in_round = places[2] > 0
    calls = _CALLS[batch.kinds]
    turns = (_TURNS[batch.kinds] & in_round) | calls
    called = calls[turns]
    before = _NO_PLACE if newest is None else [[newest.ell], [newest.i], [newest.k]]
    known = np.concatenate((before, np.where(called, _NO_PLACE, places[:, turns])), axis=1)
    begins = turns & ~calls
    begins[begins] = (known[:, 1:] != known[:, :-1]).any(axis=0)[~called]
    inside = in_round & (places == known[:, turns.cumsum()]).all(axis=0)
    ell, i, k = known[:, -1].tolist()
    return begins, inside, Place(ell, i, k) if k > 0 else None


def as_float(whole: int) -> float:
    """An integer as a float, ∞ if it is too large."""
    try:
        return float(whole)
    except OverflowError:
        return float("inf")
