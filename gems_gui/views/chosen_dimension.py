"""The view of the dimension that every round works in."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gems_engine.terminal import number
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.chosen_dimension import DimensionSeries, dimension_series, dimension_words
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.band import Band, steps
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.levels import LevelLine, SecondAxis
from gems_gui.views.number_axis import Level
from gems_gui.views.option import Option
from gems_gui.views.plot import Plot, bars
from gems_gui.views.view import View

_MOST_DOTS = 150  # more of them only hide the line
_FAINT = 26  # of 255: what costs more than B


class ChosenDimension(View):
    """d_k of every round as steps, between the lines of d⋆ and D.

    A B that all rounds share is a line over the largest dimension that fits it; one that changes has its own axis.
    """

    name = "dimension"
    title = "Chosen dimension d_k"
    marks_selection = False
    blanks = False
    about = (
        "The dimension that each round works in: the richest one whose optimal design fits the budget B. "
        "Below d⋆ the estimates are biased; above it they cost more than needed. Where all rounds have the same B, "
        "the dotted line shows where it ends the choice: what is shaded costs more. Rings and crosses are the "
        "dimensions that this round has looked at."
    )
    options = (Option("scope", "Rounds", {RUN: "Whole run", SUBROUTINE: "This subroutine"}),)

    def make(self) -> QWidget:
        """Steps, dots, two level lines, and the budget."""
        self.plot = Plot(whole_y=True)
        self.plot.describe = self._describe
        self.plot.falls_silent = ()  # D is known from the start, and often n
        self.budget = SecondAxis(self.plot)
        self.budget_line = CurveItem(self.budget.box, connect="finite")
        self.over_budget = Band(self.plot.box)
        self.ceiling = CurveItem(self.plot.box, connect="finite")
        self.band = bars(self.plot)
        self.D_line = LevelLine(self.plot)
        self.d_star_line = LevelLine(self.plot)
        self.steps = CurveItem(self.plot.box, connect="finite")
        self.dots = MarkItem(self.plot.box, size=7)
        self.fitting = MarkItem(self.plot.box, size=9)
        self.over = MarkItem(self.plot.box, "x", size=8)
        self.unfit = MarkItem(self.plot.box, "x", size=8)
        self.current = MarkItem(self.plot.box, size=11)
        self.series: DimensionSeries | None = None
        self.plot.box.sigRangeChanged.connect(self._follow)
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        self.steps.setPen(pg.mkPen(theme.surviving, width=theme.stroke(2)))
        self.dots.setBrush(theme.surviving)
        self.fitting.setBrush(theme.card)
        self.fitting.setPen(pg.mkPen(theme.surviving, width=theme.stroke(1.5)))
        self.over.setBrush(theme.now)
        self.unfit.setBrush(theme.now)
        self.current.setBrush(theme.chosen)
        for marks, size in (
            (self.dots, 7),
            (self.fitting, 8),
            (self.over, 8),
            (self.unfit, 8),
            (self.current, 11),
        ):
            marks.setSize(theme.stroke(size))
        self.band.setOpts(brush=theme.color("text", 14), pen=pg.mkPen(theme.color("text", 150)))
        self.over_budget.set_color(theme.color("budget", _FAINT))
        for line in (self.budget_line, self.ceiling):
            line.setPen(pg.mkPen(theme.budget, width=theme.stroke(1.5), style=Qt.PenStyle.DotLine))
        self.budget.apply_theme(theme, "budget")
        self.D_line.apply_theme(theme, "dim")
        self.d_star_line.apply_theme(theme, "best")

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        marks = (self.dots, self.fitting, self.over, self.unfit, self.current)
        for item in (self.steps, self.budget_line, self.ceiling, *marks):
            item.setData([], [])
        self.band.empty()
        self.over_budget.set_steps()
        self.plot.y_axis.name_level(self, None)
        self.budget.show(False)
        self.D_line.hide()
        self.d_star_line.hide()
        self.plot.x_axis.name_places([])
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """Steps up to the cursor, and what the current round has looked at."""
        series = self.series = dimension_series(snapshot, self.settings["scope"])
        rounds, edges = len(series.d), series.edges
        middles = (edges[:-1] + edges[1:]) / 2
        chosen = np.where(series.d > 0, series.d, np.nan)
        self.steps.setData(*steps(edges, chosen))
        self.ceiling.setData(*steps(edges, series.ceiling))
        self._shade(series)
        dots = series.d > 0 if rounds <= _MOST_DOTS else np.zeros(rounds, dtype=bool)
        self.dots.setData(middles[dots], chosen[dots])
        for item, looked in ((self.fitting, series.fitting), (self.over, series.over)):
            item.setData(np.repeat(middles[-1:], len(looked)), looked)
        now = series.current >= 0 and series.d[series.current] > 0
        self.current.setData(middles[-1:] if now else [], [series.d[series.current]] if now else [])
        self._budget(series)
        marked = [] if snapshot.selection.dimension is None else [snapshot.selection.dimension - 0.5]
        width = 4.0 * (series.width + 1)
        self.band.setOpts(x=[series.width / 2] * len(marked), width=width, y0=marked, height=[1.0] * len(marked))
        self.D_line.show(series.D, f"D = {number(series.D)}")
        if series.d_star is None:
            self.d_star_line.hide()
        else:
            self.d_star_line.show(series.d_star, f"d⋆ = {number(series.d_star)}")
        first = Level(1.0, "1", self.theme.dim) if series.D > 1 and series.d_star != 1 else None
        self.plot.y_axis.name_level(self, first)  # 0 is no dimension: the axis begins here
        self.plot.x_axis.name_places(series.places)
        self.plot.label(series.x_label, "", self.theme)
        low, high = (1.0, float(series.D)) if series.D > 1 else (0.5, 1.5)
        below = self.theme.pixels(16 if len(series.unfit) else 8)
        self.plot.frame((0.0, series.width), (low, high), self.theme.pixels(10), below)
        self._follow()
        self._explain(series)
        self.set_subtitle(series.subtitle, phrasings(series.nothing))

    def _shade(self, series: DimensionSeries) -> None:
        """What is known to cost more than B."""
        known = np.isfinite(series.ceiling)
        if known.any():
            low = np.where(known, series.ceiling, series.D)
            self.over_budget.set_steps(series.edges, low, np.full(len(low), float(series.D)))
        else:
            self.over_budget.set_steps()

    def _explain(self, series: DimensionSeries) -> None:
        legend = [("●", "surviving", "chosen"), ("●", "chosen", "this round")]
        for mark, role, words, there in (
            ("○", "surviving", "looked at: fits", len(series.fitting)),
            ("✕", "now", "looked at: over budget", len(series.over)),
            ("✕", "now", "none fits", len(series.unfit)),
        ):
            if there:
                legend.append((mark, role, words))
        if np.isfinite(series.ceiling).any():
            assert series.constant is not None
            legend.append(("┄", "budget", f"over budget, B = {number(series.constant)}"))
        elif self.budget.axis.isVisible():
            legend.append(("┄", "budget", "B (right)"))
        self.legend.show_entries(legend, self.theme)

    def _budget(self, series: DimensionSeries) -> None:
        usable = np.isfinite(series.budget) & (series.budget > 0) & (series.constant is None)
        self.budget.show(bool(usable.any()))
        if usable.any():
            logs = np.log10(np.where(usable, series.budget, 1.0))
            self.budget_line.setData(*steps(series.edges, np.where(usable, logs, np.nan)))
            low, high = float(logs[usable].min()), float(logs[usable].max())
            self.budget.frame(low - 0.1 * (high - low + 1), high + 0.1 * (high - low + 1))

    def _follow(self, *_: object) -> None:
        """The crosses of rounds that nothing fits stay at the lower edge: 0 is no dimension."""
        series = self.series
        if series is None:
            return
        low, high = self.plot.box.viewRange()[1]
        y = low + self.theme.pixels(6) * (high - low) / max(self.plot.box.height(), 1.0)
        middles = (series.edges[:-1] + series.edges[1:]) / 2
        self.unfit.setData(middles[series.unfit], np.full(len(series.unfit), y))

    def _describe(self, x: float, y: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return dimension_words(self.snapshot, self.series, x)
