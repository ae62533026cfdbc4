"""The view of the norms of all pairwise directions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF

from gems_engine.arrays import Floats
from gems_gui.design_study import Study
from gems_gui.series.design.directions import DirectionSeries, direction_series, direction_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.design.study_view import StudyView
from gems_gui.views.kit import hairline, heat_map, marks, outline, sized_marks
from gems_gui.views.plot_view import Axes, Entries, PlotView
from gems_gui.views.view import TARGET


class Directions(StudyView, PlotView[DirectionSeries]):
    """A heat map of ‖z − z′‖² in the norm of A(λ)⁻¹; active pairs are marked, with sizes according to their w."""

    name = "design-directions"
    title = "Norms of all directions"
    picks = TARGET
    about = (
        "Squared norm of the difference of every pair of targets under the design, from 0 (light) to the largest "
        "(full). An optimal design makes many of them equal. Marked, above the diagonal: the worst pair, and the "
        "active pairs, whose norms are almost as large. The size of a mark shows its weight w in the equivalence "
        "theorem."
    )

    axes = Axes(down=True)
    image = heat_map("surviving", "now")
    row = outline(hairline("text", 200))
    column = outline(hairline("text", 200))
    active = sized_marks("o", "card", rim=hairline("text"))
    worst = marks("d", "now", rim=hairline("card"))

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        series = self.series = direction_series(snapshot, study)
        count = len(series)
        self.image.fill(series.shares)
        for axis in (self.plot.x_axis, self.plot.y_axis):
            axis.set_tick_labels(series.names)
        what = "arm" if snapshot.instance.targets is snapshot.instance.arms else "target"
        self.plot.label(what, what, self.theme)
        self.plot.frame((0.0, float(count)), (0.0, float(count)))
        self.range_changed(snapshot, series)

    def entries(self, series: DirectionSeries) -> Entries:
        return (
            ("■", "surviving", "largest norm", series.worst is not None),
            ("○", "text", "active (size: weight w)", series.active),
            ("◆", "now", "worst pair", series.worst is not None),
            ("■", "now", "infinite", np.isinf(series.norms).any()),
        )

    def range_changed(self, snapshot: Snapshot, series: DirectionSeries) -> None:
        worst = [] if series.worst is None else [series.worst]
        (left, right), _ = self.plot.box.viewRange()
        cell = self.plot.box.width() / max(right - left, 1e-9)
        largest = float(np.clip(0.7 * cell, self.theme.pixels(5), self.theme.pixels(14)))
        for item, pairs in ((self.active, series.active), (self.worst, worst)):
            item.setData([j + 0.5 for _, j in pairs], [i + 0.5 for i, _ in pairs])
        self.active.set_sizes(mark_sizes(series.w, self.theme.pixels(4), largest))
        self.worst.setSize(float(np.clip(0.8 * cell, self.theme.pixels(8), self.theme.pixels(13))))
        at, count = series.selected, len(series)
        self.row.set_outline(None if at is None else QRectF(0.0, at, count, 1.0))
        self.column.set_outline(None if at is None else QRectF(at, 0.0, 1.0, count))

    resized = range_changed

    def in_order(self) -> Sequence[int]:
        return () if self.series is None else self.series.chosen

    def describe(self, snapshot: Snapshot, series: DirectionSeries, x: float, y: float) -> str:
        return "" if self.study is None else direction_text(series, self.study, x, y)

    def index_at(self, series: DirectionSeries, x: float, y: float) -> int | None:
        pair = series.pair_at(x, y)
        return None if pair is None else series.chosen[pair[0]]


def mark_sizes(w: Floats, smallest: float, largest: float) -> Floats:
    """Diameters in pixels: the area of a mark is proportional to w, and a mark with w = 0 is still visible."""
    return np.asarray(np.maximum(smallest, largest * np.sqrt(w / max(float(w.max(initial=0.0)), 1e-300))))
