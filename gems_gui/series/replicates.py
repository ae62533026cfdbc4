"""Replicates of a run: quantile bands, and the run itself up to the cursor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.events import SubroutineFinished
from gems_engine.experiment.measures import PROBABILITIES
from gems_engine.experiment.replicates import Bands, Replicates
from gems_engine.experiment.words import share
from gems_engine.terminal import number, plural
from gems_engine.wording import place_names
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

SURVIVORS, DIMENSION, SAMPLES = "survivors", "dimension", "samples"
QUANTITIES = {SURVIVORS: "Surviving targets", DIMENSION: "Dimension", SAMPLES: "Samples by call"}
NONE_YET = ("no replicates of this run: press Ctrl+K to run more seeds", "no replicates: Ctrl+K")
_NONE_DONE = ("no replicate has ended yet", "none yet")
_MANY = 16  # with more targets, the axis is logarithmic
_ALL_FAILED = "every replicate ended in an error: see the list of replicates"


@dataclass(frozen=True, eq=False)
class BandSeries:
    """What the view of replicates draws.

    Attributes
    ----------
    quantity
        One of :data:`QUANTITIES`.
    bands
        Quantiles along the axis; a value holds until the next position.
    x, edges
        Where each value starts, and where the last one ends; logarithms if the axis shows samples.
    lines
        The drawn quantiles: logarithms of samples; infinite values are at the upper edge.
    own_x, own_y
        The run's own steps up to the cursor, in the same units.
    names
        (position, name) along the axis, if it shows positions in the run.
    x_range, y_range
        The visible range.
    placeholder
        Why the view is empty, if it is.
    """

    quantity: str
    bands: Bands | None
    x: Floats
    edges: Floats
    lines: Floats
    own_x: Floats
    own_y: Floats
    names: list[tuple[float, str]]
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_label: str
    y_label: str
    subtitle: Phrasings
    placeholder: Phrasings

    log_y: bool = False

    @property
    def by_place(self) -> bool:
        """Whether the axis shows positions in the run instead of samples."""
        return self.quantity == SAMPLES

    def table(self, snapshot: Snapshot) -> Table:
        """The quantiles, one row for each position of the axis."""
        bands = self.bands
        names = [f"quantile_{round(100 * each)}" for each in PROBABILITIES]
        if bands is None:
            return Table((SAMPLES, *names), [])
        columns = dict(zip(names, (masked(each, np.isfinite(each)) for each in bands.quantiles), strict=True))
        if not self.by_place:
            return by_columns({SAMPLES: bands.x, **columns})
        letters = place_names(snapshot.state.algorithm)
        places = {letter: [place[at] for place in bands.places] for at, letter in enumerate(letters) if letter}
        return by_columns({**places, **columns})


def band_series(snapshot: Snapshot, quantity: str) -> BandSeries:
    """The quantiles of one quantity over all replicates that have ended."""
    found = snapshot.replicates
    if found is None:
        return _placeholder(quantity, NONE_YET)
    if not len(found):
        return _placeholder(quantity, _NONE_DONE)
    bands = getattr(found, quantity)
    if len(found) == found.errors or not len(bands.x):
        return _placeholder(quantity, phrasings(_ALL_FAILED))
    return _by_place(snapshot, found, bands) if quantity == SAMPLES else _over_samples(snapshot, found, bands, quantity)


def _placeholder(quantity: str, why: Phrasings) -> BandSeries:
    none = np.zeros(0)
    whole = (0.0, 1.0)
    return BandSeries(quantity, None, none, none, np.zeros((5, 0)), none, none, [], whole, whole, "", "", (), why)


def _over_samples(snapshot: Snapshot, found: Replicates, bands: Bands, quantity: str) -> BandSeries:
    own_x, own_y = _own_rounds(snapshot, quantity)
    first = np.flatnonzero((bands.quantiles != bands.quantiles[:, :1]).any(axis=0))
    begin = bands.x[max(0, first[0] - 1)] if len(first) else bands.x[0]
    begin = min(begin, own_x[0]) if len(own_x) else begin
    low = float(np.log10(max(1.0, begin / 1.5)))
    x = np.log10(bands.x.astype(float))
    edges = np.append(x, x[-1])
    high = max(float(x[-1]), low + 0.3, float(np.log10(own_x[-1])) if len(own_x) else 0.0)
    most = len(snapshot.instance.targets) if quantity == SURVIVORS else snapshot.instance.D
    log_y = quantity == SURVIVORS and most > _MANY  # the last few matter, and at least one remains
    logs = np.log10(np.maximum(np.append(own_x, max(own_x[-1], snapshot.state.samples)) if len(own_x) else own_x, 1.0))
    return BandSeries(
        quantity,
        bands,
        x,
        edges,
        np.log10(bands.quantiles) if log_y else bands.quantiles,
        logs,
        np.log10(own_y) if log_y else own_y,
        [],
        (low, high + 0.02 * (high - low)),
        (0.0, float(np.log10(most)) if log_y else float(most)),
        "samples",
        "targets" if quantity == SURVIVORS else "d",
        _subtitle(snapshot, found, "after the last round" if quantity == SURVIVORS else "of the last round"),
        (),
        log_y,
    )


def _own_rounds(snapshot: Snapshot, quantity: str) -> tuple[Floats, Floats]:
    """Samples after each of the run's own rounds before the cursor, and its survivors or its dimension."""
    table, cursor = snapshot.history.rounds, snapshot.cursor
    rows = slice(0, snapshot.history.rounds_before(cursor))
    drawn = table.idle[rows] | ((table.pulled[rows] >= 0) & (table.pulled[rows] < cursor))
    decided = (table.decided[rows] >= 0) & (table.decided[rows] < cursor)
    drawn &= decided | ~table.idle[rows]
    if quantity == DIMENSION:
        values = table.d[rows]
    else:
        values = np.where(decided, table.survivors_after[rows], table.survivors_before[rows])
    return table.samples[rows][drawn].astype(float), values[drawn].astype(float)


def _by_place(snapshot: Snapshot, found: Replicates, bands: Bands) -> BandSeries:
    own = _own_ends(snapshot, bands)
    numbers = bands.quantiles
    positive = numbers[np.isfinite(numbers) & (numbers > 0)]
    low = float(np.log10(positive.min() / 1.5)) if len(positive) else 0.0
    top = float(np.log10(max(found.source.most, 2)))
    tops = [float(np.log10(each)) for each in (positive.max() if len(positive) else 10.0, *own[own > 0])]
    high = top if np.isinf(numbers).any() else max(*tops, low + 0.5)
    lines = np.log10(np.clip(numbers, 10.0**low, 10.0**high))
    some = np.flatnonzero((numbers > 0).any(axis=0))
    begin = int(some[0]) if len(some) else 0
    x = bands.x.astype(float)
    rounds = bool(bands.places[0][2])
    letters = place_names(snapshot.state.algorithm)
    return BandSeries(
        SAMPLES,
        bands,
        x,
        np.append(x, x[-1] + 1.0),
        lines,
        np.append(x[: len(own)], float(len(own))) if len(own) else np.zeros(0),
        np.log10(np.clip(own, 10.0**low, 10.0**high)),
        [(at + 0.5, _name(place, letters)) for at, place in enumerate(bands.places)],
        (float(begin), float(len(x))),
        (low, high),
        f"by the end of round {letters[2]}" if rounds else "by the end of each call",
        "samples",
        _subtitle(snapshot, found, "all samples by then"),
        (),
        True,
    )


def _name(place: tuple[int, int, int], letters: tuple[str, ...]) -> str:
    return f"{place[2]}" if place[2] else f"{letters[0]}{place[0]} {letters[1]}{place[1]}"


def _own_ends(snapshot: Snapshot, bands: Bands) -> Floats:
    """The run's own samples at the end of each position that it has passed in this order."""
    table, cursor = snapshot.history.rounds, snapshot.cursor
    ends: dict[tuple[int, int, int], int] = {}
    if bands.places[0][2]:
        for row in range(snapshot.history.rounds_before(cursor)):
            if 0 <= table.pulled[row] < cursor or (table.idle[row] and 0 <= table.decided[row] < cursor):
                ends[int(table.ell[row]), int(table.i[row]), int(table.last_k[row])] = int(table.samples[row])
    else:
        finished = snapshot.history.subroutines.finished
        for at in finished[(finished >= 0) & (finished < cursor)][: len(bands.places)].tolist():
            event = snapshot.trace[at]
            assert isinstance(event, SubroutineFinished)
            ends[event.place.ell, event.place.i, 0] = event.samples
    passed = []
    for place in bands.places:
        if place not in ends:
            break
        passed.append(float(ends[place]))
    return np.array(passed)


def _subtitle(snapshot: Snapshot, found: Replicates, what: str) -> Phrasings:
    seeds = plural(len(found), "seed")
    if found.wanted > len(found):
        seeds = f"{number(len(found))} of {plural(found.wanted, 'seed')}"
    right = f"right {share(found.success)}" if snapshot.truth else ""
    return phrasings(seeds, right, what)


def band_text(snapshot: Snapshot, series: BandSeries, x: float) -> str:
    """The quantiles at a position of the axis: "1 024 samples: median 4, 50 % in 2–6, 80 % in 1–8"."""
    bands = series.bands
    if bands is None or not len(series.x):
        return ""
    at = int(np.searchsorted(series.x, x, side="right")) - 1
    if at < 0 or x > series.edges[-1]:
        return ""
    low, below, middle, above, high = (_shown(each) for each in bands.quantiles[:, at])
    where = plural(int(bands.x[at]), "sample")
    if series.by_place:
        letters = place_names(snapshot.state.algorithm)
        where = _name(bands.places[at], letters)
        where = f"round {where}" if bands.places[at][2] else where
    return f"{where}: median {middle}, 50 % in {below}–{above}, 80 % in {low}–{high}"


def _shown(value: float) -> str:
    return "cut off" if np.isinf(value) else number(int(value))
