"""The view of the dimension that every round works in."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gems_engine.terminal import number
from gems_gui.moment import Moment
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.chosen_dimension import DimensionSeries, dimension_series, dimension_words
from gems_gui.series.ways import ways
from gems_gui.theme import Theme
from gems_gui.views.band import steps
from gems_gui.views.items import Curve, Marks
from gems_gui.views.levels import LevelLine, SecondAxis
from gems_gui.views.option import Option
from gems_gui.views.plot import Plot, bars
from gems_gui.views.view import View

_MOST_DOTS = 150  # more of them only hide the line


class ChosenDimension(View):
    """d_k of every round as steps, between the lines of d⋆ and D, and B on an axis of its own."""

    name = "dimension"
    title = "Chosen dimension d_k"
    marks_selection = False
    about = (
        "The dimension that each round works in: the richest one whose optimal design fits the budget B. "
        "Below d⋆ the estimates are biased; above it they cost more than needed."
    )
    options = (Option("scope", "Rounds", {RUN: "Whole run", SUBROUTINE: "This subroutine"}),)

    def make(self) -> QWidget:
        """Steps, dots, two level lines, and the budget."""
        self.plot = Plot(whole_y=True)
        self.plot.describe = self._describe
        self.budget = SecondAxis(self.plot)
        self.budget_line = Curve(self.budget.box, connect="finite")
        self.band = bars(self.plot)
        self.D_line = LevelLine(self.plot)
        self.d_star_line = LevelLine(self.plot)
        self.steps = Curve(self.plot.box, connect="finite")
        self.dots = Marks(self.plot.box, size=7)
        self.unfit = Marks(self.plot.box, "x", size=8)
        self.current = Marks(self.plot.box, size=11)
        self.series: DimensionSeries | None = None
        return self.plot

    def dress(self, theme: Theme) -> None:
        """Colours."""
        self.plot.dress(theme)
        self.steps.setPen(pg.mkPen(theme.surviving, width=theme.stroke(2)))
        self.dots.setBrush(theme.surviving)
        self.unfit.setBrush(theme.now)
        self.current.setBrush(theme.chosen)
        for marks, size in ((self.dots, 7), (self.unfit, 8), (self.current, 11)):
            marks.setSize(theme.stroke(size))
        self.band.setOpts(brush=theme.color("text", 14), pen=pg.mkPen(theme.color("text", 150)))
        self.budget_line.setPen(pg.mkPen(theme.budget, width=theme.stroke(1.5), style=Qt.PenStyle.DotLine))
        self.budget.dress(theme, "budget")
        self.D_line.dress(theme, "dim")
        self.d_star_line.dress(theme, "best")

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        for item in (self.steps, self.dots, self.unfit, self.current, self.budget_line):
            item.setData([], [])
        self.band.empty()
        self.budget.show(False)
        self.D_line.hide()
        self.d_star_line.hide()
        self.plot.x_axis.name_places([])
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def paint(self, moment: Moment) -> None:
        """Steps up to the cursor."""
        series = self.series = dimension_series(moment, self.settings["scope"])
        rounds = len(series.d)
        middles = np.arange(rounds) + 0.5
        chosen = np.where(series.d > 0, series.d, np.nan)
        self.steps.setData(*steps(np.arange(rounds + 1), chosen))
        dots = series.d > 0 if rounds <= _MOST_DOTS else np.zeros(rounds, dtype=bool)
        self.dots.setData(middles[dots], chosen[dots])
        self.unfit.setData(middles[series.unfit], np.zeros(len(series.unfit)))
        now = series.current >= 0 and series.d[series.current] > 0
        self.current.setData([series.current + 0.5] if now else [], [series.d[series.current]] if now else [])
        self._budget(series)
        marked = [] if moment.selection.dimension is None else [moment.selection.dimension - 0.5]
        self.band.setOpts(x=[rounds / 2] * len(marked), width=4.0 * (rounds + 1), y0=marked, height=[1.0] * len(marked))
        self.D_line.show(series.D, f"D = {number(series.D)}")
        if series.d_star is None:
            self.d_star_line.hide()
        else:
            self.d_star_line.show(series.d_star, f"d⋆ = {number(series.d_star)}")
        self.plot.x_axis.name_places(series.places)
        scope = self.settings["scope"]
        self.plot.label("round k" if scope == SUBROUTINE else "rounds, by subroutine", "", self.theme)
        self.plot.frame(
            (0.0, max(1.0, float(rounds))), (0.0, float(series.D)), self.theme.pixels(10), self.theme.pixels(6)
        )
        legend = [("●", "surviving", "chosen"), ("●", "chosen", "this round")]
        if len(series.unfit):
            legend.append(("✕", "now", "none fits"))
        if np.isfinite(series.budget).any():
            legend.append(("┄", "budget", "B (right)"))
        self.legend.show_entries(legend, self.theme)
        self.say(series.subtitle, ways(series.nothing))

    def _budget(self, series: DimensionSeries) -> None:
        usable = np.isfinite(series.budget) & (series.budget > 0)
        self.budget.show(bool(usable.any()))
        if usable.any():
            logs = np.log10(np.where(usable, series.budget, 1.0))
            self.budget_line.setData(*steps(np.arange(len(logs) + 1), np.where(usable, logs, np.nan)))
            low, high = float(logs[usable].min()), float(logs[usable].max())
            self.budget.frame(low - 0.1 * (high - low + 1), high + 0.1 * (high - low + 1))

    def _describe(self, x: float, y: float) -> str:
        if self.moment is None or self.series is None:
            return ""
        return dimension_words(self.moment, self.series, x)
