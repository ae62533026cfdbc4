"""The race: several runs on one clock of samples, one lane for each, with texts that can be read from afar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

from gems_engine.arrays import Floats
from gems_engine.terminal import plural
from gems_gui.series.race import LINEAR, LOG, Lane, LaneSeries, judged_words, lane_series, lane_text
from gems_gui.series.side_by_side import CURSOR, END, MOST
from gems_gui.series.wordings import Phrasings, without_cut_number
from gems_gui.snapshot import Snapshot
from gems_gui.views.items import WordItem
from gems_gui.views.kit import ItemGroup, bars, line, marks, text_label
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView
from gems_gui.views.view import PLACE

UNTIL = Option("until", "Each run", {CURSOR: "At the same number of samples", END: "At its own end"})
"""How far each run is shown."""
_MOST_STEPS = 400  # of a lane: about as many as it has pixels; more only take time
_RIBBON, _LIFE, _PAD = 6.0, 4.0, 3.0  # heights in pixels of the parts of a lane
_LEAST = 2.0  # a lane of fewer lines of text gets only a name
_TALL = 96.0  # pixels: a lane of at least this height has large texts
_APART = 4.0  # pixels between the two lines of large text
_ASIDE = 16.0  # pixels of a lane that its texts leave free
_SINCE = (2, 1)  # the shortest phrasings that say since when a run is right
_SAYS_MORE = 0.75  # texts may be smaller by this factor to say that
_SMALLEST, _LARGEST = 15, 64  # sizes of large texts in pixels, before font scaling; Qt paints larger ones unevenly
_LEVELS = ((0, 0), (0, 1), (1, 1), (2, 1), (1, 2), (2, 2))  # phrasings of the parts of the first line, longest first
_LARGE, _DETAIL, _CLOCK = 0.17, 0.62, 0.8  # the large text as a share of a lane; the others as shares of that


@dataclass(frozen=True)
class _Parts:
    """Where the parts of a lane are.

    Attributes
    ----------
    band
        Height of the band above all lanes with the clock, in lanes.
    top, foot, life, ribbon
        Relative heights in a lane: upper and lower end of the area, and where life line and ribbon are.
    size
        Of the large text, before font scaling; 0 if there is no room for it.
    """

    band: float
    top: float
    foot: float
    life: float
    ribbon: float
    size: int


class Race(PlotView[LaneSeries]):
    """For each run, the share of surviving targets as an area, d_k as a line, the recommendation as a ribbon."""

    name = "race"
    title = "Race"
    picks = PLACE
    steps = False
    about = (
        "Several runs on the same instance, one lane for each, at the same number of samples: the recommendation and, "
        "if the truth is shown, since when it is right; the surviving arms as an area, the dimension d_k as a line. "
        "Press R to race GEMS against RAGE. In a race the clock counts samples; otherwise it is that of the shown run "
        "at the cursor. Each run is shown at its last event with no more samples than that; at the end of the shown "
        "run, at its own end."
    )
    options = (
        Option("scale", "Samples", {LOG: "Logarithmic", LINEAR: "Linear"}),
        UNTIL,
    )

    axes = Axes(whole="x", fixed="y", down=True, printed=("", "run"))
    left = bars("surviving", 90)
    dividers = line("line", 1, connect="pairs")
    d = line("text", 2, connect="pairs")
    lives = line("text", 2, alpha=150, connect="pairs")
    right = line("chosen", _RIBBON - 2, connect="pairs")
    wrong = line("now", _RIBBON - 2, connect="pairs")
    unjudged = line("surviving", _RIBBON - 2, connect="pairs")
    hand = line("text", 2, connect="pairs")
    tau = marks("t1", "chosen", 9, like_text=False, z=11)  # above the end of the run and the texts of the next lane
    now = marks("o", "surviving", 8, like_text=False)
    over = marks("s", "text", 7, like_text=False)
    names = ItemGroup({row: text_label(bold=True, z=10) for row in range(MOST)})
    judgements = ItemGroup({row: text_label(bold=True, z=10) for row in range(MOST)})
    details = ItemGroup({row: text_label("text", z=9) for row in range(MOST)})
    clock = text_label("text", bold=True, z=10)

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = lane_series(snapshot, self.settings["scale"], self.settings["until"])
        self.plot.x_axis.set_log(self.settings["scale"] == LOG)
        self.plot.x_axis.lowest, self.plot.x_axis.highest = series.x_range[0], series.last
        self.plot.y_axis.set_tick_labels([])  # the lanes have names
        self.plot.label("samples", "", self.theme)
        self.resized(snapshot, series)

    def entries(self, series: LaneSeries) -> Entries:
        judged = series.lanes[0].path.right is not None
        return (
            ("■", "surviving", f"{series.kind}s that remain, of {series.targets}"),
            ("─", "text", f"dₖ, of {series.D}"),
            ("━", "surviving", "recommended", not judged),
            ("━", "chosen", "right", judged),
            ("━", "now", "wrong", judged),
            ("▲", "chosen", "τ", any(lane.path.tau is not None for lane in series.lanes)),
            ("■", "text", "end of run", any(lane.side.snapshot.state.finished is not None for lane in series.lanes)),
            ("─", "dim", f"{series.picked} survives", series.picked),
        )

    # -- lanes, which depend on the room there is -----------------------------------------------------------------

    def _line(self, size: float = 11) -> float:
        return QFontMetricsF(self.theme.font(size, bold=True)).height()

    def _clock_width(self, series: LaneSeries, size: int) -> float:
        """Width of the clock at its latest, with large texts of a size."""
        words = plural(series.samples_at(series.x_range[1]), "sample")
        return QFontMetricsF(self.theme.font(round(_CLOCK * size), bold=True)).horizontalAdvance(words) + 12.0

    def _parts(self, series: LaneSeries) -> _Parts:
        lanes = max(1, len(series.lanes))
        whole = max(self.plot.box.height(), 1.0)
        size = round(_LARGE * whole / lanes / self.theme.font_scale) if whole / lanes >= _TALL else 0
        size = min(max(size, _SMALLEST), _LARGEST) if size else 0
        room = self.plot.box.width()
        while size > _SMALLEST and not (
            self._clock_width(series, size) <= room and self._fits(series, size, room - _ASIDE, _LEVELS[-1])
        ):
            size -= 1
        least = max(_SMALLEST, round(_SAYS_MORE * size))  # somewhat smaller texts may say since when a run is right
        smaller = range(size, least - 1, -1)
        size = next((each for each in smaller if self._fits(series, each, room - _ASIDE, _SINCE)), size)
        band = self._line(_CLOCK * size) + 4.0 if size else 0.0
        height = max((whole - band) / lanes, 1.0)
        if size:
            head = self._line(size) + self._line(_DETAIL * size) + 9.0 + _APART
        else:
            head = self._line() + 9.0 if height >= _LEAST * self._line() else _PAD
        ribbon = height - _PAD - _RIBBON / 2
        life = ribbon - _RIBBON / 2 - _LIFE
        foot = (life - _LIFE / 2 if series.picked else life + 1.0) if height > 24 else ribbon - _RIBBON / 2
        return _Parts(
            band / height, min(head, foot - 1.0) / height, foot / height, life / height, ribbon / height, size
        )

    def resized(self, snapshot: Snapshot, series: LaneSeries) -> None:
        parts = self._parts(series)
        aside = self.theme.pixels(6)  # for the mark of τ = 0
        self.plot.frame(series.x_range, (-parts.band, float(len(series.lanes))), before=aside)
        if series.placeholder:
            return
        top, foot, life, ribbon = parts.top, parts.foot, parts.life, parts.ribbon
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
            at = float(series.x(lane.clock))
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
        self.dividers.setData(np.tile(self.plot.box.viewRange()[0], len(between)), np.repeat(between, 2))
        at, lanes = float(series.x(series.sides.clock)), len(series.lanes) if parts.size else 0
        ends = np.add.outer(np.arange(lanes), (top, 1.0)).ravel()  # below the texts of each lane
        self.hand.setData(np.full(len(ends), at), ends)
        self.range_changed(snapshot, series)

    def range_changed(self, snapshot: Snapshot, series: LaneSeries) -> None:
        left = self.plot.box.viewRange()[0][0]
        across, down = self.plot.pixel
        lane = 1.0 / down
        parts = self._parts(series)
        for item in (*self.names.values(), *self.judgements.values(), *self.details.values(), self.clock):
            item.set_text("")
        if series.placeholder:
            return
        headed = lane >= _LEAST * self._line()  # otherwise the names are over the areas
        for name in self.names.values():
            name.set_fill(self.theme.color("card", 0 if headed else 215))
        if parts.size:
            self._write_large(series, parts.size, (left, across, lane))
        else:
            room = self.plot.box.width() - _ASIDE
            for row, each in enumerate(series.lanes):
                place = (left + 2.0 * across, row - 2.0 / lane)
                words = each.words if headed else each.found[-1:]
                self._write(self.names[row], words, 11, f"run {each.side.color}", room, place)

    def _write_large(self, series: LaneSeries, size: int, scale: tuple[float, float, float]) -> None:
        """Write the large texts: the clock above the lanes, and two lines in each."""
        left, across, lane = scale
        room = self.plot.box.width() - _ASIDE
        level = self._level(series, size, room)
        for row, each in enumerate(series.lanes):
            place = (left + 2.0 * across, row - 2.0 / lane)
            found = each.found[level[0] :] or each.found[-1:]
            judged = each.judged[level[1] :] or each.judged[-1:]
            used = self._write(self.names[row], found, size, f"run {each.side.color}", room, place)
            if judged and room > used + size:
                role = "chosen" if each.right else "now"
                after = (place[0] + (used + size) * across, place[1])
                self._write(self.judgements[row], judged, size, role, room - used - size, after)
            below = (place[0], place[1] + (self._line(size) + _APART) / lane)
            self._write(self.details[row], each.detail, round(_DETAIL * size), "text", room, below)
        words = (plural(series.sides.clock, "sample"),)
        at = float(series.x(series.sides.clock))
        size = round(_CLOCK * size)
        width = QFontMetricsF(self.theme.font(size, bold=True)).horizontalAdvance(words[0]) + 12.0
        start = min(max(at - width * across / 2.0, left), left + (self.plot.box.width() - width) * across)
        self._write(self.clock, words, size, "text", room, (start, self.plot.box.viewRange()[1][0] - 2.0 / lane))

    def _level(self, series: LaneSeries, size: int, room: float) -> tuple[int, int]:
        """Which phrasings of both parts of the first line fit in every lane, at every clock."""
        return next((level for level in _LEVELS if self._fits(series, size, room, level)), _LEVELS[-1])

    def _fits(self, series: LaneSeries, size: int, room: float, level: tuple[int, int]) -> bool:
        """Whether these phrasings of both parts of the first line fit in every lane, at every clock."""
        width = QFontMetricsF(self.theme.font(size, bold=True)).horizontalAdvance
        longest = judged_words(False, series.samples_at(series.x_range[1]))
        lines = [_at(each.found, level[0]) + _at(longest if each.judged else (), level[1]) for each in series.lanes]
        return all(width(words) + size + 12.0 <= room for words in lines)

    def _write(
        self, item: WordItem, said: Phrasings, size: int, role: str, room: float, place: tuple[float, float]
    ) -> float:
        """Write the longest phrasing that fits; returns its width in pixels."""
        font = self.theme.font(size, bold=item is not None and item not in self.details.values())
        metrics = QFontMetricsF(font)
        words = _fitting(said, metrics, room)
        item.set_text(words)
        if words:
            item.setFont(font)
            item.setColor(self.theme.color(role))
            item.setPos(*place)
        return metrics.horizontalAdvance(words)

    # -- mouse ------------------------------------------------------------------------------------------------------

    def describe(self, snapshot: Snapshot, series: LaneSeries, x: float, y: float) -> str:
        return lane_text(series, x, int(np.floor(y)))

    def clicked(self, snapshot: Snapshot, series: LaneSeries, x: float, y: float) -> None:
        self.samples_picked.emit(series.samples_at(x))


def _at(said: Phrasings, level: int) -> str:
    return said[min(level, len(said) - 1)] if said else ""


def _thinned(series: LaneSeries, lane: Lane) -> tuple[Floats, Floats, Floats, Floats]:
    """The rounds on the axis, with the one that is being sampled; where there are more than pixels, one for each."""
    begin, end, survivors, d = lane.begin, lane.end, lane.survivors, lane.d
    last = end[-1] if len(end) else 0.0
    if lane.clock > last:
        begin, end = np.append(begin, last), np.append(end, lane.clock)
        survivors, d = np.append(survivors, len(lane.side.snapshot.state.survivors)), np.append(d, lane.d_now)
    begin, end = series.x(begin), series.x(end)
    if len(begin) <= _MOST_STEPS:
        return begin, end, survivors.astype(float), d.astype(float)
    edges = np.linspace(series.x_range[0], end[-1], _MOST_STEPS + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    at = np.searchsorted(begin, middles, side="right") - 1
    there = (at >= 0) & (middles <= end[at])
    at = at[there]
    return edges[:-1][there], edges[1:][there], survivors[at].astype(float), d[at].astype(float)


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
    short = metrics.elidedText(said[-1], Qt.TextElideMode.ElideRight, max(room, 0.0)) if said else ""
    return without_cut_number(short)
