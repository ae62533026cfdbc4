"""The survivors of every round: the fate of each target, in an order, along an axis of rounds, events or samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gems_engine.algorithms import subroutine_title
from gems_engine.arrays import Floats, Integers
from gems_engine.events import Estimated
from gems_engine.instance import Instance
from gems_engine.terminal import number, plural
from gems_gui.series.axis import (
    PLANNED,
    SUBROUTINE,
    Rounds,
    is_over,
    leap,
    place_columns,
    planned_width,
    round_name,
    round_places,
    round_widths,
    rounds_shown,
    subroutine_label,
)
from gems_gui.series.fate_raster import (
    BEFORE,
    MOST_COLUMNS,
    NOW,
    SURVIVING,
    UNDECIDED,
    Codes,
    FateColumns,
    sampled,
    squeezed,
)
from gems_gui.series.names import axis_label, short_name
from gems_gui.series.table import Table, by_columns
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

ROUNDS, EVENTS, SAMPLES = "rounds", "events", "samples"
REWARD, ESTIMATE, INDEX = "reward", "estimate", "index"

LEAST_ROW = 8
"""Pixels: lines between lower rows are noise, and an outline would cover the row."""
LEAST_SEEN = 3
"""Pixels: arms with lower rows share one, in which survivors take precedence."""
_LEAST_COLUMN, _LEAST_SUBROUTINE = 12, 20  # pixels: there are no lines between narrower ones
_MOST_LINES = 60  # with more rows, there are no lines between them
_MOST_GAPS = 400  # with more subroutines, there are no gaps between them
_LABELS = 80  # no axis has space for more
_ROWS_NAMED = 200  # if there are many
_FATES = {SURVIVING: "surviving", NOW: "eliminated now", BEFORE: "eliminated before", UNDECIDED: "being decided"}
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, eq=False)
class SurvivalSeries:
    """What the view of the survivors draws. The target at position j lies between j and j + 1, from the top.

    Attributes
    ----------
    edges
        Round j of those shown lies between edges j and j + 1.
    even
        Whether all rounds are equally wide.
    width
        Width of the axis, with space for coming rounds.
    survivors
        How many survive each round; while it is not decided, how many it started with.
    undecided
        Whether the last round has not decided yet.
    order
        The target at each position.
    by
        The order, which may differ from the requested one: the truth may be hidden, or there is no estimate yet.
    remaining
        Positions of the targets that survive the last round, or of its candidates while it is not decided.
    best, recommended, selected
        Positions, None if there is none to show.
    called
        Label of the recommended one: recommended, carried over, or the leader in a single call.
    places
        Names on the axis of rounds, None for a scale of numbers.
    boundaries
        Where one subroutine ends and the next starts.
    waits
        Whether no round has started: the only column is that of the first, in which every target is a candidate.
    coming
        Where planned rounds end, as empty columns; none if they do not fit.
    fates
        The columns of the raster, as far as they are known.
    placeholder
        Why the view is empty, if it is.
    """

    rounds: Rounds
    edges: Floats
    even: bool
    width: float
    survivors: Integers
    undecided: bool
    order: Integers
    by: str
    names: list[tuple[float, str]]
    remaining: Integers
    best: int | None
    recommended: int | None
    called: str
    selected: int | None
    places: list[tuple[float, str]] | None
    boundaries: Floats
    x_label: str
    y_label: str
    subtitle: Phrasings
    placeholder: str
    waits: bool
    coming: Floats
    fates: FateColumns

    @property
    def current(self) -> int:
        """The round at the cursor among those shown, −1 if none has started."""
        return len(self.rounds) - 1

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each round, from the left, with the fate of every target, from the top."""
        rows = np.arange(self.rounds.first, self.rounds.last)
        fates = [self.fates.over(rows[at : at + MOST_COLUMNS]) for at in range(0, len(rows), MOST_COLUMNS)]
        codes = np.concatenate(fates, axis=1) if fates else np.zeros((len(self.order), 0), dtype=np.uint8)
        if self.undecided and not self.waits:
            codes[:, -1] = self.fates.undecided(int(rows[-1]))
        names = [snapshot.instance.target_label(target) for target in self.order.tolist()]
        columns: dict[str, Any] = {**place_columns(snapshot, rows), "survivors": self.survivors[: len(rows)]}
        for target, name in zip(self.order.tolist(), names, strict=True):
            columns[f"{target} ({name})"] = [_FATES[code] for code in codes[target].tolist()]
        return by_columns(columns)

    def target_at(self, x: float, y: float) -> int | None:
        """The target whose row contains a point."""
        if not (len(self.edges) > 1 and self.edges[0] <= x <= self.edges[-1] and 0 <= y < len(self.order)):
            return None
        return int(self.order[int(y)])


def survival_series(
    snapshot: Snapshot, scope: str, order: str, axis: str, fates: FateColumns | None = None
) -> SurvivalSeries:
    """The rounds up to the cursor of this subroutine or the whole run.

    Parameters
    ----------
    fates
        Columns that are known already, used if they are of this run.
    """
    rounds = rounds_shown(snapshot, scope)
    here = scope == SUBROUTINE or snapshot.one_call or not len(rounds.subroutines)  # an algorithm may have none
    rows = slice(rounds.first, rounds.last)
    table = snapshot.history.rounds
    waits = not len(rounds) and snapshot.waits
    undecided = waits or bool(len(rounds) and not is_over(snapshot, rounds.last - 1))
    survivors = np.array([snapshot.state.targets]) if waits else np.array(table.survivors_after[rows])
    if undecided and not waits:
        survivors[-1] = table.survivors_before[rounds.last - 1]
    widths = np.ones(1) if waits else _widths(snapshot, rounds, axis, undecided, here)
    edges = np.concatenate([[0.0], np.cumsum(widths)])
    targets, by = _order(snapshot, order)
    positions = np.argsort(targets)
    if fates is None or fates.history is not snapshot.history:
        fates = FateColumns(snapshot.history)
    (recommended, called), selected = snapshot.state.answer, snapshot.selection.target
    return SurvivalSeries(
        rounds,
        edges,
        bool((np.diff(edges) == 1.0).all()),
        _axis_width(snapshot, float(edges[-1]), axis, here),
        survivors,
        undecided,
        targets,
        by,
        _names(snapshot.instance, targets),
        np.sort(positions[_remaining(snapshot, fates, rounds, undecided)]),
        int(positions[snapshot.instance.best]) if snapshot.truth else None,
        None if recommended is None else int(positions[recommended]),
        called,
        None if selected is None else int(positions[selected]),
        _first_places(snapshot) if waits else _places(snapshot, rounds, edges, axis, here),
        _boundaries(rounds, edges),
        _x_label(ROUNDS, True) if waits else _x_label(axis, here),
        axis_label(snapshot.instance),
        _waiting(snapshot) if waits else _subtitle(snapshot, rounds, scope, order, by, axis) if len(rounds) else (),
        "" if len(rounds) or waits else _placeholder(snapshot),
        waits,
        _coming(snapshot, float(edges[-1])) if here and axis == ROUNDS else np.zeros(0),
        fates,
    )


def _remaining(snapshot: Snapshot, fates: FateColumns, rounds: Rounds, undecided: bool) -> Integers:
    if not len(rounds):
        return np.arange(snapshot.state.targets)
    last = rounds.last - 1
    column = fates.undecided(last) if undecided else fates.over(np.array([last]))[:, 0]
    return np.flatnonzero(column >= UNDECIDED)


@dataclass(frozen=True)
class SurvivalRules:
    """Where lines separate the cells of the raster.

    Attributes
    ----------
    rows, columns
        Between rows and between rounds, where they are large enough.
    boundaries
        Between subroutines, if they are not too many.
    coming_rows
        Around the rows of planned rounds.
    """

    rows: Floats
    columns: Floats
    boundaries: Floats
    coming_rows: Floats


def survival_rules(series: SurvivalSeries, x_pixel: float, y_pixel: float) -> SurvivalRules:
    """The lines between the cells; a pixel has this width and height in units of the axes."""
    targets, none = len(series.order), np.zeros(0)
    ruled = 1 < targets <= _MOST_LINES and y_pixel * LEAST_ROW <= 1.0
    inner, gaps = series.edges[1:-1], series.boundaries
    wide = len(inner) and np.diff(series.edges).min() >= _LEAST_COLUMN * x_pixel
    crowded = len(gaps) > _MOST_GAPS or len(gaps) * _LEAST_SUBROUTINE * x_pixel > series.edges[-1]
    around = np.arange(0.0, targets + 1) if ruled else np.array([0.0, float(targets)])
    return SurvivalRules(
        np.arange(1.0, targets) if ruled else none,
        inner if wide else none,
        none if crowded else gaps,
        around if len(series.coming) else none,
    )


def survival_raster(
    snapshot: Snapshot, series: SurvivalSeries, columns: float, height: float
) -> tuple[Codes, Integers]:
    """The codes of the raster, from the top, and the round of each column.

    Parameters
    ----------
    columns
        Pixels for all columns.
    height
        Pixels for all rows; arms whose rows would be too low share one.
    """
    columns, rows = max(1, int(columns)), max(1, int(height / LEAST_SEEN))
    kept = series.fates
    if series.waits:
        everyone = np.full((len(series.order), 1), UNDECIDED, dtype=np.uint8)
        return squeezed(everyone, series.order, rows), np.zeros(1, dtype=np.int64)
    first, last = series.rounds.first, series.rounds.last
    all_fit = series.even and last - first <= columns
    shown = np.arange(first, last) if all_fit else sampled(series.edges, first, columns)
    different = np.concatenate([[True], shown[1:] != shown[:-1]])
    needed = shown[different]
    codes = kept.over(needed[:-1] if series.undecided else needed)
    if series.undecided:
        codes = np.column_stack([codes, kept.undecided(last - 1)])
    codes = squeezed(codes, series.order, rows)
    if len(needed) < len(shown):
        codes = codes.take(np.cumsum(different) - 1, axis=1)
    return codes, shown - first


# -- the axis of time -------------------------------------------------------------------------------------------


def _widths(snapshot: Snapshot, rounds: Rounds, axis: str, undecided: bool, here: bool) -> Floats:
    table, rows = snapshot.history.rounds, slice(rounds.first, rounds.last)
    if axis == ROUNDS or not len(rounds):
        return round_widths(snapshot, rounds, here)
    if axis == EVENTS:
        ends = np.array(table.end[rows])
        if undecided:
            ends[-1] = snapshot.cursor
        return np.asarray(ends - table.event[rows], dtype=float)
    pulled = table.pulled[rows]
    drawn = ((pulled >= 0) & (pulled < snapshot.cursor)) | (table.idle[rows] & (table.decided[rows] < snapshot.cursor))
    widths = np.where(drawn, table.pulls[rows], 0).astype(float)
    if undecided and not drawn[-1]:
        widths[-1] = max(1.0, 0.03 * widths.sum())  # space for the samples to come
    return widths if widths.any() else np.ones(len(rounds))  # no samples: all have the same width


def _axis_width(snapshot: Snapshot, total: float, axis: str, here: bool) -> float:
    """Width with space for what is to come, so that the axis grows in steps instead of with every event."""
    if snapshot.call is None:
        return max(total, 1.0)
    if here:
        return planned_width(snapshot, total) if axis == ROUNDS else leap(max(total, 1.0))
    if snapshot.state.finished is not None:
        return max(total, 1.0)
    return max(leap(total), PLANNED if axis == ROUNDS else 1.0)


def _coming(snapshot: Snapshot, end: float) -> Floats:
    call = snapshot.call
    planned = call.rounds if call is not None and 0 < call.rounds <= PLANNED else 0
    return np.arange(end + 1.0, planned + 0.5)


def _first_places(snapshot: Snapshot) -> list[tuple[float, str]]:
    """Round 1, then the coming rounds if all of them fit."""
    none = Rounds(0, 0, range(0), np.zeros(0, np.int64))
    return round_places(snapshot, none, np.zeros(1)) or [(0.5, "1")]


def _places(snapshot: Snapshot, rounds: Rounds, edges: Floats, axis: str, here: bool) -> list[tuple[float, str]] | None:
    if here and axis != ROUNDS:
        return None
    if here:
        return round_places(snapshot, rounds, edges, max(1, len(rounds) // _LABELS))
    ends = np.append(rounds.starts[1:], len(rounds))
    low, high = edges[rounds.starts], edges[ends]
    middles, widths = (low + high) / 2, high - low
    # Of many subroutines, only the widest in each part of the axis can be named.
    part = np.floor(middles / max(float(edges[-1]), 1.0) * _LABELS).astype(int)
    ranked = np.lexsort((-widths, part))
    widest = ranked[np.concatenate([[True], part[ranked][1:] != part[ranked][:-1]])] if len(ranked) else ranked
    return [
        (float(middles[each]), subroutine_label(snapshot, rounds.subroutines[each]))
        for each in np.sort(widest).tolist()
        if widths[each] > 0
    ]


def _boundaries(rounds: Rounds, edges: Floats) -> Floats:
    starts = rounds.starts
    begins = np.diff(starts, prepend=0) > 0  # a subroutine may have no round
    return edges[starts[begins & (starts < len(rounds))]]


def _x_label(axis: str, here: bool) -> str:
    if here:
        return {ROUNDS: "round k", EVENTS: "events", SAMPLES: "samples"}[axis]
    return f"{axis}, by call"


# -- the axis of targets ----------------------------------------------------------------------------------------


def _order(snapshot: Snapshot, by: str) -> tuple[Integers, str]:
    """Targets from the top, ties by index; by index if the requested order is not known."""
    instance = snapshot.instance
    if by == REWARD and snapshot.truth:
        return np.argsort(instance.gaps, kind="stable"), REWARD
    theta = newest_estimate(snapshot) if by == ESTIMATE else None
    if theta is not None:
        return np.argsort(-(instance.targets[:, : len(theta)] @ theta), kind="stable"), ESTIMATE
    return np.arange(len(instance.targets)), INDEX


def newest_estimate(snapshot: Snapshot) -> Floats | None:
    """θ̂ of the newest round that has one at the cursor, possibly of the previous subroutine."""
    if snapshot.state.theta is not None:
        return snapshot.state.theta
    rows = snapshot.history.rounds_before(snapshot.cursor)
    pulled = snapshot.history.rounds.pulled[:rows]
    for row in np.flatnonzero((pulled >= 0) & (pulled < snapshot.cursor))[::-1][:2].tolist():
        for at in range(int(pulled[row]) + 1, min(snapshot.cursor, int(pulled[row]) + 3)):
            event = snapshot.trace[at]
            if isinstance(event, Estimated):
                return event.theta
    return None


def _names(instance: Instance, targets: Integers) -> list[tuple[float, str]]:
    return _names_in(instance, targets.tobytes())


@lru_cache(maxsize=4)  # two of the three orders do not change during a run
def _names_in(instance: Instance, order: bytes) -> list[tuple[float, str]]:
    targets = np.frombuffer(order, dtype=np.int64)
    stride = max(1, len(targets) // _ROWS_NAMED)
    return [(row * stride + 0.5, short_name(instance, target)) for row, target in enumerate(targets[::stride].tolist())]


# -- words ------------------------------------------------------------------------------------------------------


def _placeholder(snapshot: Snapshot) -> str:
    call = snapshot.state.subroutine
    where = subroutine_label(snapshot, snapshot.call_row) or ("" if call is None else call.name)
    return f"{where}: no round" if where else "no round"


def _waiting(snapshot: Snapshot) -> Phrasings:
    """That no round has started, with what is known about the coming rounds."""
    label, call = subroutine_label(snapshot, snapshot.call_row), snapshot.call
    all_remain = f"all {number(snapshot.state.targets)} {snapshot.instance.target_kind}s remain"
    planned = f"n = {plural(call.rounds, 'round')}" if call is not None and call.rounds else ""
    return phrasings(
        label,
        (f"round 1 has not started: {all_remain}", all_remain),
        (planned, "") if planned else "",
    )


def _subtitle(snapshot: Snapshot, rounds: Rounds, scope: str, order: str, by: str, axis: str) -> Phrasings:
    subroutine = snapshot.state.subroutine
    cut = scope != SUBROUTINE and snapshot.completed >= 0  # the rounds end with those of a call that was cut off
    where = subroutine_label(snapshot, rounds.subroutines[-1] if cut else snapshot.call_row)
    place: str | Phrasings = where
    if subroutine is not None:
        where = where or subroutine_title(subroutine.name)
        place = (where,) if scope == SUBROUTINE else (f"whole run, now {where}", f"now {where}")
    short = {REWARD: "by true reward", ESTIMATE: "by estimate", INDEX: "by index"}[by]
    ordered = f"{snapshot.instance.target_kind}s {short}"
    if order == ESTIMATE and by == INDEX:
        ordered += ", no estimate yet"
    per = {ROUNDS: "one column per round", EVENTS: "widths by events", SAMPLES: "widths by samples"}[axis]
    return phrasings(place, (ordered, short, ""), per)


def survival_text(snapshot: Snapshot, series: SurvivalSeries, x: float, y: float) -> str:
    """The fate of the target at a point in the round there, with the numbers that decided it."""
    target = series.target_at(x, y)
    if target is None:
        return ""
    if series.waits:
        return f"{snapshot.instance.target_label(target)} · remains: round 1 has not started"
    column = int(np.clip(np.searchsorted(series.edges, x, side="right") - 1, 0, series.current))
    row = series.rounds.first + column
    label = subroutine_label(snapshot, int(snapshot.history.rounds.subroutine[row]))
    where = " ".join(filter(None, (label, f"k{round_name(snapshot, row)}")))
    return " · ".join((snapshot.instance.target_label(target), where, _fate(snapshot, series, row, target)))


def _fate(snapshot: Snapshot, series: SurvivalSeries, row: int, target: int) -> str:
    history, instance = snapshot.history, snapshot.instance
    table, gone = history.rounds, history.eliminations
    subroutine = int(table.subroutine[row])
    begin = int(history.subroutines.first_round[subroutine]) if subroutine >= 0 else 0
    undecided = series.undecided and row == series.rounds.last - 1
    first, last = np.searchsorted(gone.round, (begin, row + (not undecided)))
    found = first + np.flatnonzero(gone.target[first:last] == target)
    left = number(int(series.survivors[row - series.rounds.first]))
    if len(found):
        at = int(found[0])
        left_in = int(gone.round[at])
        when = "" if left_in == row else f" in k{round_name(snapshot, left_in)}"
        width = _width(float(gone.width[at]), int(table.k[left_in]))
        by = instance.target_label(int(gone.by[at]))
        return f"eliminated{when} by {by}: gap {number(float(gone.gap[at]), 3)} ≥ {width}"
    if undecided:
        return f"being decided, |Ŝ_{table.k[row]}| = {left}"
    after = f"survives, |Ŝ_{number(int(table.last_k[row]) + 1)}| = {left}"
    if table.idle[row]:
        return f"{after}: idle rounds, no arms can be distinguished"
    if table.decided[row] >= 0:
        return after
    if table.chosen[row] < 0:
        return f"{after}: no dimension fits"
    return f"{after}: no elimination rule" if table.pulled[row] >= 0 else f"{after}: the round was stopped early"


def _width(width: float, k: int) -> str:
    """ω, or 2^−k if that is the rule."""
    if width == np.ldexp(1.0, -k):
        return f"2⁻{str(k).translate(_SUPERSCRIPTS)} = {number(width, 3)}"
    return f"ω = {number(width, 3)}"
