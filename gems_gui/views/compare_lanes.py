"""The view of several runs side by side: one lane for each run, with a common axis of samples."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

from gems_engine.arrays import Floats
from gems_gui.series.compare_lanes import LINEAR, LOG, Lane, LaneSeries, lane_series, lane_text
from gems_gui.series.side_by_side import CURSOR, END, MOST
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.views.kit import ItemGroup, bars, line, marks, text_label
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView
from gems_gui.views.view import PLACE

UNTIL = Option("until", "Each run", {CURSOR: "At the same number of samples", END: "At its own end"})
"""How far each run is shown."""
_MOST_STEPS = 400  # of a lane: about as many as it has pixels; more only take time
_RIBBON, _LIFE, _PAD = 6.0, 4.0, 3.0  # heights in pixels of the parts of a lane
_LEAST = 2.0  # a lane of fewer lines of text gets no text


class CompareLanes(PlotView[LaneSeries]):
    """For each run, the share of surviving targets as an area, d_k as a line, the recommendation as a ribbon."""

    name = "compare"
    title = "Runs side by side"
    picks = PLACE
    about = (
        "Several runs on the same instance, one lane for each, at the same number of samples: the surviving targets as "
        "an area, the dimension d_k as a line, and the recommendation below them. The number of samples is that of the "
        "shown run at the cursor; every other run is shown at its last event with no more samples than that."
    )
    options = (
        Option("scale", "Samples", {LOG: "Logarithmic", LINEAR: "Linear"}),
        UNTIL,
    )

    axes = Axes(whole="x", down=True)
    left = bars("surviving", 90)
    dividers = line("line", 1, connect="pairs")
    d = line("text", 2, connect="pairs")
    lives = line("text", 2, alpha=150, connect="pairs")
    right = line("chosen", _RIBBON - 2, connect="pairs")
    wrong = line("now", _RIBBON - 2, connect="pairs")
    unjudged = line("surviving", _RIBBON - 2, connect="pairs")
    tau = marks("t1", "chosen", 9, like_text=False, z=1)  # visible even at the end of the run
    now = marks("o", "surviving", 8, like_text=False)
    over = marks("s", "text", 7, like_text=False)
    names = ItemGroup({row: text_label(fill=215, bold=True, z=10) for row in range(MOST)})

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = lane_series(snapshot, self.settings["scale"], self.settings["until"])
        self.plot.x_axis.set_log(self.settings["scale"] == LOG)
        self.plot.x_axis.lowest = series.x_range[0]
        self.plot.y_axis.set_tick_labels([(row + 0.5, str(row + 1)) for row in range(len(series.lanes))])
        self.plot.label("samples", "", self.theme)
        self.plot.frame(series.x_range, (0.0, float(len(series.lanes))))
        self.resized(snapshot, series)

    def entries(self, series: LaneSeries) -> Entries:
        judged = series.lanes[0].path.right is not None
        return (
            ("■", "surviving", f"targets that remain, of {series.targets}"),
            ("─", "text", f"dₖ, of {series.D}"),
            ("━", "surviving", "recommended", not judged),
            ("━", "chosen", "right", judged),
            ("━", "now", "wrong", judged),
            ("▲", "chosen", "τ", any(lane.path.tau is not None for lane in series.lanes)),
            ("■", "text", "end of run", any(lane.side.snapshot.state.finished is not None for lane in series.lanes)),
            ("─", "dim", f"{series.picked} survives", series.picked),
        )

    # -- lanes, which depend on the room there is -----------------------------------------------------------------

    def _line(self) -> float:
        return QFontMetricsF(self.theme.font(11, bold=True)).height()

    def _parts(self) -> tuple[float, float, float, float]:
        """Relative heights in a lane: lower and upper end of the area, and where life line and ribbon are."""
        lanes = 1 if self.series is None else max(1, len(self.series.lanes))
        height = max(self.plot.box.height() / lanes, 1.0)
        head = self._line() + 9.0 if height >= _LEAST * self._line() else _PAD
        ribbon = height - _PAD - _RIBBON / 2
        life = ribbon - _RIBBON / 2 - _LIFE
        picked = self.series is not None and bool(self.series.picked)
        foot = (life - _LIFE / 2 if picked else life + 1.0) if height > 24 else ribbon - _RIBBON / 2
        return min(head, foot - 1.0) / height, foot / height, life / height, ribbon / height

    def resized(self, snapshot: Snapshot, series: LaneSeries) -> None:
        if series.placeholder:
            return
        top, foot, life, ribbon = self._parts()
        drawn: dict[str, list[Floats]] = {name: [] for name in ("bars", "d", "life", "right", "wrong", "unjudged")}
        tau, now, over = [], [], []
        for row, lane in enumerate(series.lanes):
            begin, end, left, d = _thinned(series, lane)
            drawn["bars"].append(_areas(begin, end, (foot - top) * left / series.targets, row + foot))
            named = d > 0
            drawn["d"].append(_steps(begin[named], end[named], row + foot - (foot - top) * d[named] / series.D))
            lives = series.x(lane.lives)
            drawn["life"].append(np.stack([lives, np.full(len(lives), row + life)]))
            x = np.stack([series.x(lane.path.samples), series.x(lane.ends)], axis=1)
            right = lane.path.right
            for name, some in (
                ("right", right),
                ("wrong", None if right is None else ~right),
                ("unjudged", np.ones(len(x), dtype=bool) if right is None else None),
            ):
                pairs = x[some].ravel() if some is not None else np.zeros(0)
                drawn[name].append(np.stack([pairs, np.full(len(pairs), row + ribbon)]))
            state = lane.side.snapshot.state
            at = float(series.x(state.samples))
            share = len(state.survivors) / series.targets
            now.append((at, row + foot - (foot - top) * share))
            over += [(at, row + ribbon)] if state.finished is not None else []
            tau += [(float(series.x(lane.path.tau)), row + ribbon)] if lane.path.tau is not None else []
        middle, width, y0, height = np.concatenate(drawn["bars"], axis=1)
        self.left.setOpts(x=middle, width=width, y0=y0, height=height)
        pieces = (self.d, "d"), (self.lives, "life"), (self.right, "right"), (self.wrong, "wrong")
        for curve, name in (*pieces, (self.unjudged, "unjudged")):
            curve.setData(*np.concatenate(drawn[name], axis=1))
        for item, places in ((self.tau, tau), (self.now, now), (self.over, over)):
            item.setData([x for x, _ in places], [y for _, y in places])
        between = np.arange(1.0, len(series.lanes))
        self.dividers.setData(np.tile(series.x_range, len(between)), np.repeat(between, 2))
        self.range_changed(snapshot, series)

    def range_changed(self, snapshot: Snapshot, series: LaneSeries) -> None:
        (left, right), (low, high) = self.plot.box.viewRange()
        lane = self.plot.box.height() / max(high - low, 1e-9)
        across = (right - left) / max(self.plot.box.width(), 1.0)
        metrics = QFontMetricsF(self.theme.font(11, bold=True))
        written = series.lanes if not series.placeholder and lane >= _LEAST * self._line() else []
        for row, name in self.names.items():
            said = _fitting(written[row].words, metrics, self.plot.box.width() - 16.0) if row < len(written) else ""
            name.set_text(said)
            if said:
                name.setColor(self.theme.color(f"run {written[row].side.color}"))
                name.setPos(left + 2.0 * across, row - 2.0 / max(lane, 1.0))

    # -- mouse ------------------------------------------------------------------------------------------------------

    def describe(self, snapshot: Snapshot, series: LaneSeries, x: float, y: float) -> str:
        return lane_text(series, x, int(np.floor(y)))

    def clicked(self, snapshot: Snapshot, series: LaneSeries, x: float, y: float) -> None:
        self.place_picked.emit(max(snapshot.history.cursor_at(series.samples_at(x)) - 1, 0))


def _thinned(series: LaneSeries, lane: Lane) -> tuple[Floats, Floats, Floats, Floats]:
    """The rounds on the axis; where there are more than pixels, one for each pixel."""
    begin, end = series.x(lane.begin), series.x(lane.end)
    if len(begin) <= _MOST_STEPS:
        return begin, end, lane.survivors.astype(float), lane.d.astype(float)
    edges = np.linspace(series.x_range[0], end[-1], _MOST_STEPS + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    at = np.searchsorted(begin, middles, side="right") - 1
    there = (at >= 0) & (middles <= end[at])
    at = at[there]
    return edges[:-1][there], edges[1:][there], lane.survivors[at].astype(float), lane.d[at].astype(float)


def _areas(begin: Floats, end: Floats, high: Floats, foot: float) -> Floats:
    """Centre, width, upper edge and height of the bars; adjacent rounds of equal height are merged."""
    if not len(begin):
        return np.zeros((4, 0))
    first = np.flatnonzero(np.append(True, (high[1:] != high[:-1]) | (begin[1:] > end[:-1])))
    left, right, high = begin[first], end[np.append(first[1:] - 1, len(end) - 1)], high[first]
    return np.stack([(left + right) / 2, right - left, foot - high, high])


def _steps(begin: Floats, end: Floats, y: Floats) -> Floats:
    """Pairs of points: a horizontal line for each round, and a vertical one where the next starts as it ends."""
    level = np.stack([np.stack([begin, end], axis=1).ravel(), np.repeat(y, 2)])
    touch = np.flatnonzero((begin[1:] <= end[:-1]) & (y[1:] != y[:-1]))
    upright = np.stack([np.repeat(end[touch], 2), np.stack([y[touch], y[touch + 1]], axis=1).ravel()])
    return np.concatenate([level, upright], axis=1)


def _fitting(said: Phrasings, metrics: QFontMetricsF, room: float) -> str:
    """The longest phrasing that fits; if none does, the shortest one, elided."""
    for words in said:
        if metrics.horizontalAdvance(words) <= room:
            return words
    return metrics.elidedText(said[-1], Qt.TextElideMode.ElideRight, max(room, 0.0)) if said else ""
