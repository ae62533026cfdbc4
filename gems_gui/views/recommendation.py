"""The view of the recommendation over the number of samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gems_engine.history import Booleans
from gems_gui.series.recommendation import (
    LINEAR,
    LOG,
    RecommendationSeries,
    recommendation_series,
    recommendation_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.views.kit import line, marks, named_lines, pick_band
from gems_gui.views.named_lines import NamedLine
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView
from gems_gui.views.view import TARGET

_MARKS = 4  # τ, first right, verifiable, cap
_MARGIN = 18  # pixels on the left, for the star


class Recommendation(PlotView[RecommendationSeries]):
    """The recommended target as steps over the samples; right and wrong have different colours."""

    name = "recommendation"
    title = "Recommendation"
    picks = TARGET
    about = (
        "The recommended target over the number of samples. τ is the number of samples after which the recommendation "
        "has stayed right up to the cursor; a later wrong recommendation discards it."
    )
    options = (Option("scale", "Samples", {LINEAR: "Linear", LOG: "Logarithmic"}),)

    axes = Axes(whole="x", down=True, printed=("", "arm"))
    band = pick_band()
    uprights = named_lines(_MARKS)
    steps = line("dim", 1, connect="pairs")
    wrong = line("now", 4, connect="pairs")
    right = line("chosen", 4, connect="pairs")
    unjudged = line("surviving", 4, connect="pairs")
    current = marks("o", size=11, like_text=False)
    best = marks("star", "best", 12)

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = recommendation_series(snapshot, self.settings["scale"])
        begin, end, y = series.x(series.path.samples), series.x(series.ends), series.rows + 0.5
        right = series.path.right
        for curve, which in (
            (self.right, right),
            (self.wrong, None if right is None else ~right),
            (self.unjudged, np.ones(len(y), dtype=bool) if right is None else None),
        ):
            curve.setData(*_stretches(begin, end, y, which))
        self.steps.setData(np.repeat(begin[1:], 2), np.column_stack([y[:-1], y[1:]]).ravel())
        self.current.setData(end[-1:], y[-1:])
        self.current.setBrush(
            self.theme.color("surviving" if right is None else "chosen" if right[-1:].all() else "now")
        )
        self.plot.x_axis.set_log(self.settings["scale"] == LOG)
        self.plot.y_axis.set_tick_labels(series.names)
        self.plot.label("samples", series.y_label, self.theme)
        self.resized(snapshot, series)

    def entries(self, series: RecommendationSeries) -> Entries:
        right = series.path.right
        return (
            ("━", "surviving", "recommended", right is None),
            ("━", "chosen", "right", right is not None),
            ("━", "now", "wrong", right is not None),
            ("★", "best", self.best_words, series.best is not None),
            *(("┆", each.role, each.words.split(" = ")[0]) for each in series.marks),
        )

    # -- everything that depends on the size --------------------------------------------------------------------------

    def resized(self, snapshot: Snapshot, series: RecommendationSeries) -> None:
        low, high = series.x_range
        self.plot.x_axis.lowest = low
        rows = float(max(1, len(series.targets)))
        below = self.uprights.height(self.theme)
        self.plot.frame((low, high), (0.0, rows), above=4, below=below, before=self.theme.pixels(_MARGIN))
        self.range_changed(snapshot, series)

    def range_changed(self, snapshot: Snapshot, series: RecommendationSeries) -> None:
        (left, right), _ = self.plot.box.viewRange()
        named = [NamedLine(float(series.x(each.samples)), each.words, each.role) for each in series.marks]
        self.uprights.show_lines(named, self.theme)
        star = left + self.theme.pixels(_MARGIN) / 2 * self.plot.pixel[0]
        self.best.set_point(star, None if series.best is None else series.best + 0.5)
        if series.selected is None:
            self.band.empty()
        else:
            middle = (left + right) / 2
            self.band.setOpts(x=[middle], width=right - left, y0=[float(series.selected)], height=[1.0])

    # -- mouse ------------------------------------------------------------------------------------------------------

    def describe(self, snapshot: Snapshot, series: RecommendationSeries, x: float, y: float) -> str:
        return recommendation_text(snapshot, series, x)

    def in_order(self) -> Sequence[int]:
        return () if self.series is None else self.series.targets.tolist()

    def index_at(self, series: RecommendationSeries, x: float, y: float) -> int | None:
        row = int(np.floor(y))
        return int(series.targets[row]) if 0 <= row < len(series.targets) else None


def _stretches(
    begin: np.ndarray, end: np.ndarray, y: np.ndarray, which: Booleans | None
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of points, one pair for each selected horizontal segment."""
    if which is None:
        return np.zeros(0), np.zeros(0)
    return np.column_stack([begin[which], end[which]]).ravel(), np.repeat(y[which], 2)
