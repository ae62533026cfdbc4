"""The view of the dimension that each budget B would buy in each round, with a slider for B."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel

from gems_engine.terminal import number
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.budget_map import STEPS, BudgetMap, budget_map, budget_of, budget_text, place_of
from gems_gui.series.dimension_book import book_of
from gems_gui.series.dimension_rounds import wanted
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.kit import DASHED, Stroke, line, marks, raster
from gems_gui.views.option import Option, Real
from gems_gui.views.plot_view import Axes, Entries
from gems_gui.views.slider_view import Controls, SliderView
from gems_gui.widgets.boxes import hbox

_MOST = 60 * STEPS  # positions of the slider: B up to 2^60
_UNKNOWN, _NONE, _FIRST, _LAST = 0, 1, 2, 254  # codes of cells; codes in between are dimensions
_BEST = 255  # the code of d⋆


def whole_budget(place: int) -> int:
    """The budget at a position of the slider, in whole samples; 0 for each round's own budget."""
    return round(budget_of(place) or 0.0)


class BudgetSlider(Controls):
    """The slider for B, and its label."""

    name, most, page = "Another budget B", _MOST, STEPS
    tip = "Choose another budget B and see the dimension that it would buy in every round. Left end: the B of the run"

    def __init__(self) -> None:
        super().__init__()
        self.words = QLabel()
        self.words.setProperty("role", "dim")
        row = hbox(self, 6)
        row.addWidget(self.words)
        row.addWidget(self.slider, 1)

    def show_budget(self, budget: float | None) -> None:
        """Move the slider without emitting a signal."""
        self.words.setText("B of the run" if budget is None else f"B = {number(budget, 3)}")
        if whole_budget(self.slider.value()) != (budget or 0):  # several positions may give the same small budget
            self.set_place(place_of(budget))

    def _on_slider_moved(self, place: int) -> None:
        self.chosen.emit("budget", str(whole_budget(place)))


def _cell_colors(theme: Theme) -> dict[int, QColor]:
    """A stronger blue for a larger dimension."""
    codes = {_UNKNOWN: theme.color("line"), _NONE: theme.color("card"), _BEST: theme.color("best")}
    for code in range(_FIRST, _LAST + 1):
        codes[code] = theme.color("surviving", 35 + round(220 * (code - _FIRST) / (_LAST - _FIRST)))
    return codes


class BudgetMapView(SliderView[BudgetMap]):
    """One row for each round, budgets from left to right; the colour is the dimension that a budget buys."""

    name = "budgets"
    title = "Budget map"
    marks_selection = False
    about = (
        "The dimension that each budget B would buy in each round: one row for each round, budgets from left to right. "
        "The stronger the colour, the larger the dimension; yellow is d⋆. The vertical line is the B of the run. "
        "Move the slider to see what another budget would have bought; the result is shown next to each row. A diamond "
        "marks a tie: B equals a cost to nine digits."
    )
    options = (
        Option("scope", "Rounds", {RUN: "Whole run", SUBROUTINE: "This call"}),
        Real("budget", "Another budget B, 0 for each round's own", least=0, most=2**60, start=0),
    )

    axes = Axes(log="x", down=True, printed=("", "round: d bought"))
    image = raster(_cell_colors)
    own = line("budget", 3, connect="pairs")
    other = line("text", 1.5, DASHED, connect="pairs")
    tied = marks("d", "card", 9, rim=Stroke("text", 1.5))

    kind_of_controls = BudgetSlider
    controls: BudgetSlider

    def paint(self, snapshot: Snapshot) -> None:
        """Show what is known of the rounds up to the cursor; a picture is painted after everything is computed."""
        scope, budget = self.settings["scope"], float(self.settings["budget"]) or None
        if self.exporting:
            book_of(snapshot.instance).fill(wanted(snapshot, scope), False)
        series = self.series = budget_map(snapshot, scope, budget)
        rows = len(series.image)
        low, high = series.x_range
        if rows:
            self.image.fill(_codes(series), QRectF(low, 0.0, high - low, float(rows)))
        else:
            self.image.empty()
        at = np.arange(rows, dtype=float)
        finite = np.isfinite(series.costs.budget) & (series.costs.budget > 0)
        own = np.log10(np.where(finite, series.costs.budget, 1.0))
        self.own.setData(np.repeat(own[finite], 2), np.stack([at, at + 1.0], axis=1)[finite].ravel())
        asked = [] if series.budget is None else [math.log10(series.budget)] * 2
        self.other.setData(asked, [0.0, float(rows)] if asked else [])
        ties = (series.tied > 0) & (finite if series.budget is None else True)
        x = own if series.budget is None else np.full(rows, math.log10(series.budget))
        self.tied.setData(x[ties], at[ties] + 0.5)
        self.plot.y_axis.set_tick_labels(series.names)
        self.plot.label("budget B", "", self.theme)
        self.plot.frame((low, high), (0.0, float(max(rows, 1))))
        self.controls.show_budget(budget)

    def entries(self, series: BudgetMap) -> Entries:
        return (
            ("■", "surviving", f"stronger: larger d, up to {series.D}"),
            ("│", "budget", "B of the run"),
            ("■", "best", f"d⋆ = {series.d_star}", series.d_star is not None),
            ("┆", "text", f"B = {number(series.budget or 0.0, 3)}", series.budget is not None),
            ("◇", "text", "tie", self.tied.isVisible()),
            ("■", "line", "being computed", series.waits),
        )

    def make_room(self) -> None:
        super().make_room()
        if self.series is not None and self.series.placeholder:
            self.controls.setVisible(False)

    # -- mouse ------------------------------------------------------------------------------------------------------

    def clicked(self, snapshot: Snapshot, series: BudgetMap, x: float, y: float) -> None:
        place = round(STEPS * x / math.log10(2.0))
        self.set_option("budget", str(whole_budget(min(max(place, 1), _MOST))))

    def describe(self, snapshot: Snapshot, series: BudgetMap, x: float, y: float) -> str:
        return "" if series.placeholder else budget_text(snapshot, series, x, y)


def _codes(series: BudgetMap) -> np.ndarray:
    """Dimensions as codes of colours."""
    image = series.image
    span = max(series.D - 1, 1)
    codes = _FIRST + np.round((_LAST - _FIRST) * (image - 1) / span)
    codes = np.where(image < 0, _UNKNOWN, np.where(image == 0, _NONE, codes))
    if series.d_star is not None:
        codes = np.where(image == series.d_star, _BEST, codes)
    return codes.astype(np.uint8)
