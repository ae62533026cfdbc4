"""The recommended target over the number of samples, when it became right, and the sample cap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.events import EPSILON, BecameVerifiable
from gems_engine.state import State
from gems_engine.terminal import number, plural
from gems_engine.trajectory import Trajectory as Trajectory
from gems_engine.trajectory import trajectory_of
from gems_gui.series.names import axis_label, short_name
from gems_gui.series.table import Table, by_columns
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

LINEAR = "linear"
LOG = "log"
_FAR = {LINEAR: 2.0, LOG: 1000.0}  # times the samples so far: a cap beyond that is not shown


def trajectory(snapshot: Snapshot) -> Trajectory:
    """The recommendations up to the cursor, without repetitions."""
    return trajectory_of(snapshot.history, snapshot.state, snapshot.judges)


class SampleMark(NamedTuple):
    """A number of samples with a meaning."""

    samples: int
    words: str
    role: str


@dataclass(frozen=True, eq=False)
class RecommendationSeries:
    """What the view of the recommendations draws; row j lies between j and j + 1, from the top.

    Attributes
    ----------
    path
        One segment for each of its entries.
    ends
        The samples at which each segment ends: the start of the next, or all so far.
    rows
        The row of each segment.
    targets
        The target of each row: the best first if the truth is shown, else in the order of recommendation.
    names
        (position, name) of every row.
    marks
        τ, the first right recommendation, becoming verifiable, and the cap if it is near.
    x_range
        Range of the axis: samples, or their logarithms.
    placeholder
        Why the view is empty, if it is.
    best, selected
        The rows of the true best and the selected target; None if never recommended, or hidden.
    """

    path: Trajectory
    ends: Integers
    rows: Integers
    targets: Integers
    names: list[tuple[float, str]]
    marks: list[SampleMark]
    scale: str
    x_range: tuple[float, float]
    best: int | None
    selected: int | None
    y_label: str
    subtitle: Phrasings
    placeholder: str

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each segment, from the left."""
        path = self.path
        return by_columns(
            {
                "from_samples": path.samples,
                "to_samples": self.ends,
                "target": path.targets,
                "name": [snapshot.instance.target_label(target) for target in path.targets.tolist()],
                **({} if path.right is None else {"right": path.right}),
            }
        )

    def x(self, samples: Integers | Floats | int) -> Floats:
        """Positions of numbers of samples on the axis."""
        return samples_position(samples, self.scale, self.x_range)

    def stretch_at(self, x: float) -> int | None:
        """The segment at a position of the axis."""
        if not len(self.rows) or not self.x_range[0] <= x <= float(self.x(self.ends[-1])):
            return None
        return max(0, int(np.searchsorted(self.x(self.path.samples), x, side="right")) - 1)


def recommendation_series(snapshot: Snapshot, scale: str) -> RecommendationSeries:
    """The recommendations up to the cursor over samples, on a linear or logarithmic axis."""
    path = trajectory(snapshot)
    samples = snapshot.state.samples
    known, first = np.unique(path.targets, return_index=True)
    order = np.argsort(snapshot.instance.gaps[known] if snapshot.judges else first, kind="stable")
    targets = known[order]
    row_of = np.empty(len(known), dtype=np.int64)
    row_of[order] = np.arange(len(known))
    cap = cap_of(snapshot)
    near = cap is not None and cap[0] <= _FAR[scale] * max(samples, 1)
    marks = _marks(path, _verifiable(snapshot))
    if cap is not None and near:
        marks.append(SampleMark(cap[0], cap[1], "budget"))
    return RecommendationSeries(
        path,
        np.append(path.samples[1:], samples) if len(path.samples) else path.samples,
        row_of[np.searchsorted(known, path.targets)],
        targets,
        [(row + 0.5, short_name(snapshot.instance, target)) for row, target in enumerate(targets.tolist())],
        marks,
        scale,
        _x_range(snapshot, scale, path, cap[0] if cap is not None and near else 0),
        _row(targets, snapshot.instance.best if snapshot.judges else None),
        _row(targets, snapshot.selection.target),
        " ".join(filter(None, (axis_label(snapshot.instance), "by true reward ↓" if snapshot.judges else ""))),
        _subtitle(snapshot, path, cap) if len(path.targets) else (),
        "" if len(path.targets) else _placeholder(snapshot.state),
    )


def _placeholder(state: State) -> str:
    if state.returns_set:
        return "GEMS-c returns a set and recommends no arm"
    return "a single call recommends nothing before its end" if state.single_call else "no recommendation yet"


def cap_of(snapshot: Snapshot) -> tuple[int, str] | None:
    """How many samples the run may draw, as a number and a text; None if there is no cap."""
    started = snapshot.state.started
    if started is None:
        return None
    for name, words in (
        ("max_samples", "cap"),
        ("budget", "2T" if started.algorithm == "fixed-budget" else "T"),
    ):
        value = started.parameters.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value, f"{words} = {number(value)}"
    return None


def _marks(path: Trajectory, verifiable: int | None) -> list[SampleMark]:
    tau, first = path.tau, path.first_right
    marks = [] if tau is None else [SampleMark(tau, f"τ = {number(tau)}", "chosen")]
    if first is not None and first != tau:
        marks.append(SampleMark(first, "first right", "dim"))
    if verifiable is not None:
        marks.append(SampleMark(verifiable, "verifiable", "surviving"))
    return marks


def _verifiable(snapshot: Snapshot) -> int | None:
    """The samples at which the recommendation became verifiable for the first time."""
    if snapshot.state.verifiable is None:
        return None
    first = snapshot.trace[int(snapshot.trace.positions(BecameVerifiable)[0])]
    assert isinstance(first, BecameVerifiable)
    return first.samples


def samples_position(samples: Integers | Floats | int, scale: str, x_range: tuple[float, float]) -> Floats:
    """Positions of numbers of samples on an axis with this range; on a logarithmic one, not below its start."""
    values = np.asarray(samples, dtype=float)
    return values if scale == LINEAR else np.log10(np.maximum(values, 10.0 ** x_range[0]))


def _x_range(snapshot: Snapshot, scale: str, path: Trajectory, cap: int) -> tuple[float, float]:
    samples = max(snapshot.state.samples, cap, 1)
    if scale == LINEAR:
        return 0.0, 1.03 * samples
    rows = snapshot.history.rounds_before(snapshot.cursor)
    pulled = snapshot.history.rounds.pulled[:rows]
    drawn = np.flatnonzero((pulled >= 0) & (pulled < snapshot.cursor))
    first = [*snapshot.history.rounds.samples[drawn[:1]].tolist(), *path.samples[path.samples > 0][:1].tolist()]
    low = float(np.log10(max(min(first, default=1), 1) / 2.0))
    high = max(float(np.log10(samples)), low + 0.5)
    return low, high + 0.03 * (high - low)


def _row(targets: Integers, target: int | None) -> int | None:
    found = np.flatnonzero(targets == target) if target is not None else targets[:0]
    return int(found[0]) if len(found) else None


# -- words ------------------------------------------------------------------------------------------------------


def _subtitle(snapshot: Snapshot, path: Trajectory, cap: tuple[int, str] | None) -> Phrasings:
    name, tau, samples = snapshot.instance.target_label(int(path.targets[-1])), path.tau, number(snapshot.state.samples)
    judged = (f"{name}, {'wrong' if tau is None else 'right'}", name) if path.right is not None else name
    return phrasings(
        (f"leader of {number(len(snapshot.state.survivors))}", "leader") if snapshot.state.returns_set else "",
        judged,
        snapshot.state.origin,
        "" if tau is None else f"τ = {number(tau)}",
        (f"after {plural(snapshot.state.samples, 'sample')}", f"N = {samples}", ""),
        "" if cap is None else cap[1],
    )


def recommendation_text(snapshot: Snapshot, series: RecommendationSeries, x: float) -> str:
    """What was recommended at a position of the axis: "arm 3 from 120 to 4 580 samples · wrong, gap 0.2"."""
    at = series.stretch_at(x)
    if at is None:
        return ""
    target = int(series.path.targets[at])
    begin, end = int(series.path.samples[at]), int(series.ends[at])
    so_far = "" if at + 1 < len(series.rows) else " so far"
    words = f"{snapshot.instance.target_label(target)} from {number(begin)} to {number(end)} samples{so_far}"
    if series.path.right is None:
        return words
    return f"{words} · {_judgement(snapshot, target, bool(series.path.right[at]))}"


def _judgement(snapshot: Snapshot, target: int, right: bool) -> str:
    gap = float(snapshot.instance.gaps[target])
    started = snapshot.state.started
    if started is None or started.goal != EPSILON:
        return "right, the true best" if right else f"wrong, gap {number(gap, 3)}"
    limit = f"2ε = {number(2 * float(started.parameters['epsilon']), 3)}"
    return f"right, gap {number(gap, 3)} ≤ {limit}" if right else f"wrong, gap {number(gap, 3)} > {limit}"
