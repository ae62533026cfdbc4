"""The view of the dimension of every round."""

from __future__ import annotations

import numpy as np

from gems_engine.terminal import number
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.chosen_dimension import DimensionSeries, dimension_series, dimension_text
from gems_gui.series.folds import VISIBLE, one_each
from gems_gui.snapshot import Snapshot
from gems_gui.views.band import steps
from gems_gui.views.kit import DOTTED, Stroke, band, level, line, marks, pick_band, right_axis
from gems_gui.views.number_axis import Level
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView

_MOST_DOTS = 150  # more dots would hide the line


class ChosenDimension(PlotView[DimensionSeries]):
    """The dimension d_k of every round as steps, with lines at d⋆ and D.

    If all rounds have the same B, a line is drawn above the largest dimension that fits; otherwise B has its own axis.
    """

    name = "dimension"
    title = "Chosen dimension d_k"
    marks_selection = False
    blanks = False
    about = (
        "The dimension d_k of each round: the largest one whose optimal design fits the selection budget B. Below d⋆, "
        "estimates are biased; above it, they cost more than needed. If all rounds have the same B, the dotted line is "
        "where B limits the choice, and dimensions in the shaded area are over budget. Circles and crosses are the "
        "dimensions examined in this round."
    )
    options = (Option("scope", "Rounds", {RUN: "Whole run", SUBROUTINE: "This call"}),)

    # D is known from the start, and often n.
    axes = Axes(whole="y", named="x", silent="", printed=("round", "dimension dₖ"))
    budget = right_axis("budget")
    budget_line = line("budget", 1.5, DOTTED, connect="finite", on="budget")
    over_budget = band("budget", 26)
    ceiling = line("budget", 1.5, DOTTED, connect="finite")
    band = pick_band()
    D_line = level("dim")
    d_star_line = level("best")
    steps = line("surviving", 2, connect="finite")
    dots = marks("o", "surviving", 7, like_text=False)
    fitting = marks("o", "card", 8, rim=Stroke("surviving", 1.5), like_text=False)
    over = marks("x", "now", 8, like_text=False)
    unfit = marks("x", "now", 8, like_text=False)
    current = marks("o", "chosen", 11, like_text=False)

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = dimension_series(snapshot, self.settings["scope"])
        rounds, edges = len(series.d), series.edges
        middles = (edges[:-1] + edges[1:]) / 2
        chosen = np.where(series.d > 0, series.d, np.nan)
        self.steps.setData(*steps(edges, chosen))
        self.ceiling.setData(*steps(edges, series.ceiling))
        known = np.isfinite(series.ceiling)
        low = np.where(known, series.ceiling, series.D)
        self.over_budget.set_steps(*((edges, low, np.full(len(low), float(series.D))) if known.any() else ()))
        dots = (series.d > 0) & (np.diff(edges) >= VISIBLE) & (rounds <= _MOST_DOTS)
        self.dots.setData(middles[dots], chosen[dots])
        for item, looked in ((self.fitting, series.fitting), (self.over, series.over)):
            item.setData(np.repeat(middles[-1:], len(looked)), looked)
        now = series.current >= 0 and series.d[series.current] > 0
        self.current.setData([middles[series.current]] if now else [], [series.d[series.current]] if now else [])
        self._budget(series)
        marked = [] if snapshot.selection.dimension is None else [snapshot.selection.dimension - 0.5]
        width = 4.0 * (series.width + 1)
        self.band.setOpts(x=[series.width / 2] * len(marked), width=width, y0=marked, height=[1.0] * len(marked))
        self.D_line.show(series.D, f"D = {number(series.D)}")
        if series.d_star is None:
            self.d_star_line.empty()
        else:
            self.d_star_line.show(series.d_star, f"d⋆ = {number(series.d_star)}")
        first = [Level(1.0, "1", self.theme.dim)] if series.D > 1 and series.d_star != 1 else []
        self.plot.y_axis.name_levels(self, *first)  # 0 is not a dimension: the axis starts at 1
        self.plot.x_axis.set_tick_labels(series.places)
        self.plot.label(series.x_label, "", self.theme)
        bottom, top = (1.0, float(series.D)) if series.D > 1 else (0.5, 1.5)
        below = self.theme.pixels(16 if len(series.unfit) else 8)
        aside = self.theme.pixels(6)  # for a mark in a narrow first or last round
        self.plot.frame((0.0, series.width), (bottom, top), self.theme.pixels(10), below, aside, aside)
        self.range_changed(snapshot, series)

    def entries(self, series: DimensionSeries) -> Entries:
        known = np.isfinite(series.ceiling).any()
        right = self.budget.axis.isVisible() and not known
        return (
            ("●", "surviving", "chosen"),
            ("●", "chosen", "this round"),
            ("○", "surviving", "examined: fits", len(series.fitting)),
            ("✕", "now", "examined: over budget", len(series.over)),
            ("✕", "now", "none fits", len(series.unfit)),
            ("┄", "budget", f"over budget, B = {number(series.constant or 0.0)}", known),
            ("┄", "budget", f"B (right){', of early loops' * bool(series.late.any())}", right),
        )

    def _budget(self, series: DimensionSeries) -> None:
        usable = np.isfinite(series.budget) & (series.budget > 0) & ~series.late & (series.constant is None)
        self.budget.show(bool(usable.any()))
        if usable.any():
            logs = np.log10(np.where(usable, series.budget, 1.0))
            self.budget_line.setData(*steps(series.edges, np.where(usable, logs, np.nan)))
            low, high = float(logs[usable].min()), float(logs[usable].max())
            axis = self.budget.axis
            axis.lowest, axis.highest = (low, high) if low == high else (-np.inf, np.inf)  # one B has one number
            self.budget.frame(low - 0.1 * (high - low + 1), high + 0.1 * (high - low + 1))

    def range_changed(self, snapshot: Snapshot, series: DimensionSeries) -> None:
        """Keep the crosses of rounds without a fitting dimension at the lower edge: 0 is not a dimension."""
        y = self.plot.box.viewRange()[1][0] + self.theme.pixels(6) * self.plot.pixel[1]
        middles = (series.edges[:-1] + series.edges[1:]) / 2
        x = middles[series.unfit]
        x = x[one_each(x)]
        self.unfit.setData(x, np.full(len(x), y))

    def describe(self, snapshot: Snapshot, series: DimensionSeries, x: float, y: float) -> str:
        return dimension_text(snapshot, series, x)
