"""The view of the estimated gaps and the widths that they have to reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF

from gems_gui.series.gaps import GAP, INDEX, MARGIN, GapSeries, gap_series, gap_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.kit import ItemGroup, hairline, level_bars, line, marks, outline
from gems_gui.views.number_axis import Level
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView
from gems_gui.views.view import TARGET

_ROOM = 14  # pixels for each kind of mark next to the bars
_HIGHEST = 44  # pixels of a row: a few arms are at the top instead of filling the plot
_LIGHT = 90  # of 255: opacity of a bar before the round has decided
_ROLES = ("surviving", "now")


class Gaps(PlotView[GapSeries]):
    """One bar for each survivor of the round: the gap of its deciding pair, with the width as a line."""

    name = "gaps"
    title = "Gaps and widths"
    picks = TARGET
    blanks = False
    about = (
        "For each arm that entered this round, the rival that comes closest to eliminating it: the bar is the "
        "estimated gap between the two, the line the width that the gap has to reach. Where the bar reaches the line, "
        "the arm is eliminated. Light bars: the round has estimated but not decided yet."
    )
    options = (Option("order", "Arms", {GAP: "By gap", MARGIN: "By gap minus width", INDEX: "By index"}),)

    axes = Axes(named="y", silent="x", down=True, printed=("", "arm"))  # the arms are known from the start
    row = outline(hairline("text", 150), fill=14)
    zero = line("line", grows=False)
    bars = ItemGroup(
        {(role, True): level_bars(0.7, role) for role in _ROLES}
        | {(role, False): level_bars(0.7, role, _LIGHT, hairline(role)) for role in _ROLES}
    )
    widths = line("text", 2, connect="pairs")
    best = marks("star", "best", 13)
    recommended = marks("d", "chosen", 10)

    def clear(self) -> None:
        super().clear()
        self.zero.setData([0.0, 0.0], [0.0, 1.0])

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = gap_series(snapshot, self.settings["order"])
        middles = np.arange(len(series.targets)) + 0.5
        for (role, decided), item in self.bars.items():
            some = series.leaves == (role == "now")
            some &= decided == (series.decided or not series.rule)
            item.setOpts(x0=np.zeros(int(some.sum())), y=middles[some], width=series.gaps[some])
        widths = series.widths if series.rule or series.decided else np.zeros(0)
        ends = np.stack([middles - 0.45, middles + 0.45], axis=1)[: len(widths)]
        self.widths.setData(np.repeat(widths, 2), ends.ravel())
        self.plot.y_axis.set_tick_labels(series.names)
        marked = (series.best, series.recommended, series.selected)
        named = [Level(at, name, self.theme.text) for at, name in series.names if int(at) in marked]
        self.plot.y_axis.name_levels(self, *named)  # in any case; others where there is room between them
        self.plot.label(series.x_label, series.y_label, self.theme)
        self.resized(snapshot, series)

    def entries(self, series: GapSeries) -> Entries:
        lined, mark = series.rule or series.decided, "■" if series.decided else "▨"
        return (
            (mark, "now", "eliminated" if series.decided else "would be eliminated", lined),
            (mark, "surviving", "remains" if series.decided else "would remain", lined),
            ("│", "text", f"width {series.rule}".strip(), lined),
            ("■", "surviving", "gap to the closest rival", len(series.targets) and not lined),
            ("★", "best", self.best_words, series.best is not None),
            ("◆", "chosen", series.called, series.recommended is not None),
        )

    def resized(self, snapshot: Snapshot, series: GapSeries) -> None:
        rows = len(series.targets)
        if not rows:
            self.plot.x_axis.lowest = 0.0
            self.plot.frame((0.0, 1.0), (0.0, max(float(len(series.names)), 1.0)))
        else:
            low = min(0.0, float(series.gaps.min()))
            high = max(float(series.gaps.max()), float(series.widths.max()), low + 1e-12)
            slots = (series.best is not None) + (series.recommended is not None)
            marks = self.theme.pixels(_ROOM) * slots + 4
            self.plot.x_axis.lowest = low
            half = self.theme.pixels(_ROOM) / 2  # for a mark in the first or last row, where rows are thin
            down = max(float(rows), self.plot.box.height() / self.theme.pixels(_HIGHEST))
            self.plot.frame((low, high + 0.04 * (high - low)), (0.0, down), half, half, before=marks)
        self.range_changed(snapshot, series)

    def range_changed(self, snapshot: Snapshot, series: GapSeries) -> None:
        (left, right), (low, high) = self.plot.box.viewRange()
        self.zero.setData([0.0, 0.0], [low, high])
        room = self.theme.pixels(_ROOM) * self.plot.pixel[0]
        slot = left + 0.6 * room
        for item, row in ((self.best, series.best), (self.recommended, series.recommended)):
            item.set_point(slot, None if row is None else row + 0.5)
            slot += 0.0 if row is None else room
        picked = series.selected
        self.row.set_outline(None if picked is None else QRectF(left, picked, right - left, 1.0))

    # -- mouse ------------------------------------------------------------------------------------------------------

    def describe(self, snapshot: Snapshot, series: GapSeries, x: float, y: float) -> str:
        return gap_text(snapshot, series, y)

    def in_order(self) -> Sequence[int]:
        return () if self.series is None else self.series.targets.tolist()

    def index_at(self, series: GapSeries, x: float, y: float) -> int | None:
        row = series.row_at(y)
        return None if row is None else int(series.targets[row])
