"""The race: survivors, dimension and recommendation of several runs on one clock of samples, one lane for each."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import partial

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.events import CAP, SINGLETON
from gems_engine.state import State
from gems_engine.terminal import mark, number, plural
from gems_engine.wording import candidate_count, recorded_text, remain_words, remaining
from gems_gui.series.recommendation import LINEAR, LOG, Trajectory, samples_position, trajectory
from gems_gui.series.side_by_side import Side, Sides, brief_names, own_names, sides_of
from gems_gui.series.table import Table
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

_LARGEST_CAP = 10**12
_LESS = re.compile(r" \([^)]*\)|, one call")  # what a short name leaves out of the label of a run
_DECADES, _FIRST = 5.0, 2.0  # of the axis of a race: at least five up to the cap, and from 10² or less on


@dataclass(frozen=True, eq=False)
class Lane:
    """One run; arrays have one entry for each of its rounds that have drawn samples.

    Attributes
    ----------
    name
        The first word of its label, such as GEMS, if that is its own among the runs; else its label.
    short
        Its shortest name that no other run has.
    clock
        The number of samples up to which it is drawn: that of the race while the run continues, else its own.
    begin, end
        Samples before and after the round.
    survivors
        Targets at the start of the round.
    d
        Its dimension.
    path
        The recommendations.
    ends
        The samples at which each recommendation ends: the last one at the common clock, also if the run has ended.
    lives
        Intervals of samples in which the selected target survives, as pairs; empty without a selection.
    words
        The state of the run in one line, in several phrasings.
    found, judged
        Large texts: the run with its recommendation, the shortest phrasing being its short name; whether that is right,
        and since when. The second is empty while the truth is hidden.
    detail
        The text below: the targets that remain, and d_k.
    """

    side: Side
    name: str
    short: str
    clock: int
    begin: Floats
    end: Floats
    survivors: Integers
    d: Integers
    path: Trajectory
    ends: Integers
    lives: Floats
    words: Phrasings
    found: Phrasings
    judged: Phrasings
    detail: Phrasings

    @property
    def d_now(self) -> int:
        """d_k of the current round; 0 if there is none, or it is hidden."""
        return 0 if self.side.snapshot.keeps_d else self.side.snapshot.state.d or 0

    @property
    def waits(self) -> bool:
        """Whether its first recommendation is still to come."""
        return not len(self.path.targets) and self.side.snapshot.state.finished is None

    @property
    def right(self) -> bool | None:
        """Whether it is right at the clock; None if that is hidden, or nothing is recommended yet."""
        return bool(self.path.right[-1]) if self.path.right is not None and len(self.path.right) else None


@dataclass(frozen=True, eq=False)
class LaneSeries:
    """What the view of the lanes draws.

    Attributes
    ----------
    targets, D
        The maximal heights of survivors and dimensions.
    kind
        What a target is called: "arm" or "target".
    x_range
        Range of the axis: samples, or their logarithms.
    last
        The end of its scale, which has a number if it is a round one; infinite without a race.
    picked
        The name of the selected target; empty if there is none.
    placeholder
        Why the view is empty, if it is.
    """

    sides: Sides
    lanes: tuple[Lane, ...]
    targets: int
    kind: str
    D: int
    scale: str
    x_range: tuple[float, float]
    last: float
    picked: str
    subtitle: Phrasings
    placeholder: str

    def x(self, samples: Integers | Floats | int) -> Floats:
        """Positions of numbers of samples on the axis."""
        return samples_position(samples, self.scale, self.x_range)

    def samples_at(self, x: float) -> int:
        """The number of samples at a position of the axis."""
        return max(0, round(x if self.scale == LINEAR else 10.0**x))

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each round of each run."""
        columns = ("run", "from_samples", "to_samples", "survivors", "d", "recommended")
        rows = []
        for lane in self.lanes:
            at = np.searchsorted(lane.path.samples, lane.begin, side="right") - 1
            targets = [int(lane.path.targets[each]) if each >= 0 else None for each in at.tolist()]
            plain = (lane.begin, lane.end, lane.survivors, lane.d)
            rows += [
                (lane.side.label, int(begin), int(end), left, d or None, target)
                for begin, end, left, d, target in zip(*(each.tolist() for each in plain), targets, strict=True)
            ]
        return Table(columns, rows)


def lane_series(snapshot: Snapshot, scale: str, until: str) -> LaneSeries:
    """The runs up to the same number of samples, on a linear or logarithmic axis."""
    sides = sides_of(snapshot, until)
    names = zip(sides.runs, _names(sides), strict=True)
    lanes = tuple(_lane(side, *name, snapshot.clock, sides.clock) for side, name in names)
    instance, target = snapshot.instance, snapshot.selection.target
    drawn = any(len(lane.begin) for lane in lanes) or snapshot.clock is not None
    cap = _common_cap(sides) if snapshot.clock is not None else None
    most = 0 if cap is None else max(cap, sides.clock)
    return LaneSeries(
        sides,
        lanes,
        len(instance.targets),
        instance.target_kind,
        instance.D,
        scale,
        _x_range(lanes, sides.clock, scale) if cap is None else _whole_range(most, scale),
        math.inf if cap is None else most if scale == LINEAR else math.log10(cap),
        "" if target is None else instance.target_label(target),
        phrasings(_ahead(lanes, sides.clock), *sides.subtitle()) if drawn else (),
        "" if drawn else "no pulls yet",
    )


def _lane(side: Side, name: str, short: str, race: int | None, shared: int) -> Lane:
    snapshot = side.snapshot
    clock = snapshot.state.samples if race is None or snapshot.state.finished is not None else race
    table, cursor = snapshot.history.rounds, snapshot.cursor
    rows = slice(0, snapshot.history.rounds_before(cursor))
    drawn_at = np.where(table.idle[rows], table.decided[rows], table.pulled[rows])
    drawn = np.flatnonzero((drawn_at >= 0) & (drawn_at < cursor))
    end = table.samples[drawn].astype(float)
    path = trajectory(snapshot)
    return Lane(
        side,
        name,
        short,
        clock,
        end - table.pulls[drawn],
        end,
        table.survivors_before[drawn],
        np.zeros_like(drawn) if snapshot.keeps_d else table.d[drawn],
        path,
        np.append(path.samples[1:], shared) if len(path.samples) else path.samples,
        lives(snapshot),
        _words(side, short, path),
        *_large_words(side, name, short, path),
    )


def lives(snapshot: Snapshot) -> Floats:
    """Intervals of samples in which the selected target survives, as pairs: each subroutine starts with all targets."""
    target, history = snapshot.selection.target, snapshot.history
    if target is None:
        return np.zeros(0)
    begins = history.subroutines.event[history.subroutines.event < snapshot.cursor]
    gone = history.eliminations.event[
        (history.eliminations.target == target) & (history.eliminations.event < snapshot.cursor)
    ]
    ends = np.append(begins[1:], snapshot.cursor) if len(begins) else begins
    first = np.searchsorted(gone, begins)
    left = np.where(first < len(gone), np.append(gone, snapshot.cursor)[first], snapshot.cursor)
    ends = np.minimum(left, ends)
    clock = history.clock

    def samples(events: Integers) -> Floats:
        known = np.append(0, clock.samples)
        return known[np.searchsorted(clock.event, events, side="left")].astype(float)

    return np.stack([samples(begins), samples(ends)], axis=1).ravel() if len(begins) else np.zeros(0)


def _x_range(lanes: tuple[Lane, ...], clock: int, scale: str) -> tuple[float, float]:
    most = max(clock, 1)
    if scale == LINEAR:
        return 0.0, 1.02 * most
    first = min((float(lane.end[0]) for lane in lanes if len(lane.end)), default=1.0)
    low = float(np.log10(max(first, 1.0) / 2.0))
    high = max(float(np.log10(most)), low + 0.5)
    return low, high + 0.02 * (high - low)


def _common_cap(sides: Sides) -> int | None:
    """The largest sample cap of the runs; None if one of them has none, or only one of no use on an axis."""
    started = [side.snapshot.started for side in sides.runs]
    caps = [None if each is None else each.parameters.get("max_samples") for each in started]
    known = [each for each in caps if isinstance(each, int) and each <= _LARGEST_CAP]
    return max(known) if len(known) == len(caps) else None


def _whole_range(most: int, scale: str) -> tuple[float, float]:
    """The axis of a race, the same from its start until its clock passes the cap, as a finished last round may do."""
    high = float(np.log10(max(most, 10)))
    return (0.0, 1.01 * most) if scale == LINEAR else (max(0.0, min(high - _DECADES, _FIRST)), high + 0.01 * _DECADES)


# -- words --------------------------------------------------------------------------------------------------------


def found_text(snapshot: Snapshot, path: Trajectory) -> str:
    """The recommendation, marked as right or wrong unless the truth is hidden."""
    state = snapshot.state
    if not len(path.targets):
        leader = state.answer[0]
        return _nothing(state) if leader is None else f"leader {snapshot.instance.target_label(leader)}"
    name = snapshot.instance.target_label(int(path.targets[-1]))
    name += f" ({state.origin})" if state.origin else ""
    judged = name if path.right is None else f"{name} {mark(bool(path.right[-1]))}"
    return f"leader {judged}" if state.returns_set else judged


def _nothing(state: State) -> str:
    return "no recommendation" if state.finished is not None else "no recommendation yet"


def _names(sides: Sides) -> list[tuple[str, str]]:
    """The name and the short name of each run."""
    return list(zip(brief_names(sides), own_names(sides, partial(_LESS.sub, "")), strict=True))


def _ahead(lanes: tuple[Lane, ...], clock: int) -> Phrasings:
    """Which run is right, and for how long.

    Empty while the truth is hidden, if there is only one run, before the first sample, and until every run has
    recommended a target or ended.
    """
    if len(lanes) < 2 or not clock or any(lane.path.right is None or lane.waits for lane in lanes):
        return ("",)
    right = sorted((lane.path.tau, row) for row, lane in enumerate(lanes) if lane.path.tau is not None)
    if not right:
        return ("no run is right yet", "")
    tau = right[0][0]
    first = [lanes[row].name for each, row in right if each == tau]
    ahead = f"{first[0]} is ahead" if len(first) == 1 else f"{' and '.join(first)} are level"
    return (f"{ahead}: {judged_words(True, tau)[0]}", ahead)


def judged_words(right: bool, since: int) -> Phrasings:
    """Whether a run is right or wrong, and since which sample, in several phrasings."""
    word = "right" if right else "wrong"
    if not since:
        return (f"{word} from the start", word)
    return (f"{word} since {plural(since, 'sample')}", f"{word} since {number(since)}", word)


def _judged(path: Trajectory) -> Phrasings:
    """The words for the last recommendation; none while the truth is hidden."""
    return () if path.since is None else judged_words(path.tau is not None, path.since)


def _large_words(side: Side, name: str, short: str, path: Trajectory) -> tuple[Phrasings, Phrasings, Phrasings]:
    snapshot, state = side.snapshot, side.snapshot.state
    left = (
        candidate_count(len(state.candidates))
        if state.validates
        else remaining(len(state.survivors), state.targets, state.kind)
    )
    d = f"d = {state.d} of {snapshot.instance.D}" if state.d and not snapshot.keeps_d else ""
    now = (left, d, _end_words(state))
    target = int(path.targets[-1]) if len(path.targets) else state.answer[0]
    if target is None:
        return (name, name, short), (), phrasings(_nothing(state), *now)
    arm = snapshot.instance.target_label(target)
    says = ": leader" if state.returns_set or not len(path.targets) else " recommends"
    found = (f"{name}{says} {arm}", f"{name}: {arm}", f"{short}: {arm}", short)
    return found, _judged(path), phrasings(*now)


def _end_words(state: State) -> Phrasings:
    """When and why a run has ended; the survivors next to it say that one arm remains."""
    if state.finished is None:
        return ()
    why = state.finished.why
    if why not in (CAP, SINGLETON):
        return (f"{recorded_text(why)} at {plural(state.samples, 'sample')}", "")
    end = f"ended at {plural(state.samples, 'sample')}"
    return (f"{end}: the next round would exceed the cap", end, "") if why == CAP else (end, "")


def _words(side: Side, short: str, path: Trajectory) -> Phrasings:
    state = side.snapshot.state
    tau, found = path.tau, found_text(side.snapshot, path)
    said = phrasings(
        side.label,
        found,
        "" if tau is None else f"τ = {number(tau)}",
        f"d = {state.d}" if state.d and not side.snapshot.keeps_d else "",
        candidate_count(len(state.candidates)) if state.validates else remain_words(len(state.survivors)),
        _end_words(state),
    )
    return (*said[:-1], f"{short} · {found}", short)


def lane_text(series: LaneSeries, x: float, row: int) -> str:
    """What a run did at a position: "RAGE at 12 000 samples: d = 10, 4 of 10 arms remain, recommends arm 3"."""
    if not 0 <= row < len(series.lanes):
        return ""
    lane, samples = series.lanes[row], series.samples_at(x)
    words = [f"{lane.side.label} at {plural(samples, 'sample')}"]
    at = int(np.searchsorted(lane.begin, samples, side="right")) - 1
    if at >= 0 and samples <= lane.end[at]:
        words += [f"d = {lane.d[at]}"] if lane.d[at] else []
        words.append(remaining(int(lane.survivors[at]), series.targets, series.kind))
    elif len(lane.end) and samples > lane.end[-1]:
        words.append(recorded_text(lane.side.standing))
    said = int(np.searchsorted(lane.path.samples, samples, side="right")) - 1
    if said >= 0:
        target = int(lane.path.targets[said])
        right = "" if lane.path.right is None else " (right)" if lane.path.right[said] else " (wrong)"
        says = "leader" if lane.side.snapshot.state.returns_set else "recommends"
        words.append(f"{says} {lane.side.snapshot.instance.target_label(target)}{right}")
    return ", ".join((words[0] + (":" if len(words) > 1 else ""), *words[1:])).replace(":,", ":", 1)


__all__ = ["LINEAR", "LOG", "Lane", "LaneSeries", "found_text", "judged_words", "lane_series", "lane_text", "lives"]
