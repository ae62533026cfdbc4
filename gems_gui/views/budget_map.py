"""The view of which dimension each budget would have bought in each round, with a slider over B."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from gems_engine.terminal import number
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.budget_map import STEPS, BudgetMap, budget_map, budget_of, budget_words, place_of
from gems_gui.series.dimension_book import book_of
from gems_gui.series.dimension_rounds import wanted
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem, RasterItem
from gems_gui.views.option import Option, Real
from gems_gui.views.plot import Plot
from gems_gui.views.view import View
from gems_gui.widgets.explained import explain

_MOST = 60 * STEPS  # places of the slider: B up to 2^60
_UNKNOWN, _NONE, _FIRST, _LAST = 0, 1, 2, 254  # codes of cells; those in between are dimensions
_BEST = 255  # the code of d⋆
_LOW = 150  # pixels of the body, before the scale of fonts, below which the map needs the room of the slider


def whole_budget(place: int) -> int:
    """The whole number of samples at a place of the slider, 0 for each round's own budget."""
    return round(budget_of(place) or 0.0)


class BudgetSlider(QWidget):
    """The slider over B, and what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.words = QLabel()
        self.words.setProperty("role", "dim")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _MOST)
        self.slider.setPageStep(STEPS)
        self.slider.setAccessibleName("Another budget B")
        self.slider.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        explain(self.slider, "Another budget B: what it would buy in every round; at the left end, each round's own B")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.words)
        row.addWidget(self.slider, 1)

    def show_budget(self, budget: float | None) -> None:
        """Stand there, without telling anybody."""
        self.words.setText("own B" if budget is None else f"B = {number(budget, 3)}")
        self.slider.blockSignals(True)
        if whole_budget(self.slider.value()) != (budget or 0):  # several places of small ones have the same
            self.slider.setValue(place_of(budget))
        self.slider.blockSignals(False)


class BudgetMapView(View):
    """A row for each round, budgets from left to right, the dimension that they buy as a colour."""

    name = "budgets"
    title = "What B buys"
    marks_selection = False
    about = (
        "A row for each round, budgets B from left to right: the stronger a cell, the larger the dimension that B "
        "would buy there, yellow where it is d⋆. The upright line is each round's own B; the slider asks what another "
        "one would have bought, which stands beside each row. A diamond is a tie: B equals a cost to the ninth digit."
    )
    options = (
        Option("scope", "Rounds", {RUN: "Whole run", SUBROUTINE: "This subroutine"}),
        Real("budget", "Another budget B, 0 for each round's own", least=0, most=2**60, start=0),
    )

    def make(self) -> QWidget:
        """The map, lines over it, and the slider below."""
        self.plot = Plot()
        self.plot.x_axis.setLogMode(True, False)
        self.plot.box.invertY(True)
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        self.image = RasterItem(self.plot.box)
        self.own = CurveItem(self.plot.box, connect="pairs")
        self.other = CurveItem(self.plot.box, connect="pairs")
        self.tied = MarkItem(self.plot.box, "d")
        self.series: BudgetMap | None = None
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        self.controls = BudgetSlider()
        self.controls.slider.valueChanged.connect(self._slid)
        self.controls.setVisible(False)
        column.addWidget(self.controls)
        return whole

    def apply_theme(self, theme: Theme) -> None:
        """Colours: more of the survivors' blue for a larger dimension."""
        self.plot.apply_theme(theme)
        codes = {_UNKNOWN: theme.color("line"), _NONE: theme.color("card"), _BEST: theme.color("best")}
        for code in range(_FIRST, _LAST + 1):
            codes[code] = theme.color("surviving", 35 + round(220 * (code - _FIRST) / (_LAST - _FIRST)))
        self.image.set_colors(codes, theme.color("card"))
        self.own.setPen(pg.mkPen(theme.budget, width=theme.stroke(3), capStyle=Qt.PenCapStyle.FlatCap))
        self.other.setPen(pg.mkPen(theme.text, width=theme.stroke(1.5), style=Qt.PenStyle.DashLine))
        self.tied.setBrush(theme.card)
        self.tied.setPen(pg.mkPen(theme.text, width=theme.stroke(1.5)))
        self.tied.setSize(theme.pixels(9))
        self.controls.slider.setFixedHeight(theme.pixels(18))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        self.image.setVisible(False)
        self.own.empty()
        self.other.empty()
        self.tied.setData([], [])
        self.controls.setVisible(False)
        self.plot.y_axis.name_places([])
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """What is known of the rounds up to the cursor; a picture waits for all of it."""
        scope, budget = self.settings["scope"], float(self.settings["budget"]) or None
        if self.exporting:
            book_of(snapshot.instance).fill(wanted(snapshot, scope), False)
        series = self.series = budget_map(snapshot, scope, budget)
        rows = len(series.image)
        low, high = series.x_range
        self.image.setVisible(rows > 0)
        if rows:
            self.image.set_image(_codes(series))
            self.image.set_rect(QRectF(low, 0.0, high - low, float(rows)))
        at = np.arange(rows, dtype=float)
        finite = np.isfinite(series.costs.budget) & (series.costs.budget > 0)
        own = np.log10(np.where(finite, series.costs.budget, 1.0))
        self.own.setData(np.repeat(own[finite], 2), np.stack([at, at + 1.0], axis=1)[finite].ravel())
        asked = [] if series.budget is None else [math.log10(series.budget)] * 2
        self.other.setData(asked, [0.0, float(rows)] if asked else [])
        ties = (series.tied > 0) & (finite if series.budget is None else True)
        x = own if series.budget is None else np.full(rows, math.log10(series.budget))
        self.tied.setData(x[ties], at[ties] + 0.5)
        self.plot.y_axis.name_places(series.names)
        self.plot.label("budget B", "", self.theme)
        self.plot.frame((low, high), (0.0, float(max(rows, 1))))
        self.controls.show_budget(budget)
        self.make_room()
        self._explain(series, bool(ties.any()))
        self.set_subtitle(series.subtitle, phrasings(series.nothing))

    def make_room(self) -> None:
        """The slider is for a window, and for a card that is high enough."""
        some = self.series is not None and not self.series.nothing
        self.controls.setVisible(some and not self.exporting and self.body.height() >= self.theme.pixels(_LOW))

    def _explain(self, series: BudgetMap, ties: bool) -> None:
        legend = [("■", "surviving", f"the stronger, the larger d, up to {series.D}"), ("│", "budget", "own B")]
        if series.d_star is not None:
            legend.append(("■", "best", f"d⋆ = {series.d_star}"))
        if series.budget is not None:
            legend.append(("┆", "text", f"B = {number(series.budget, 3)}"))
        if ties:
            legend.append(("◇", "text", "tie"))
        if series.waits:
            legend.append(("■", "line", "being computed"))
        self.legend.show_entries(legend, self.theme)

    # -- mouse ------------------------------------------------------------------------------------------------------

    def _slid(self, place: int) -> None:
        self.set_option("budget", str(whole_budget(place)))

    def _pick(self, x: float, y: float) -> None:
        """Ask for the budget under the mouse."""
        place = round(STEPS * x / math.log10(2.0))
        self._slid(min(max(place, 1), _MOST))

    def _describe(self, x: float, y: float) -> str:
        if self.snapshot is None or self.series is None or self.series.nothing:
            return ""
        return budget_words(self.snapshot, self.series, x, y)


def _codes(series: BudgetMap) -> np.ndarray:
    """Dimensions as codes of colours."""
    image = series.image
    span = max(series.D - 1, 1)
    codes = _FIRST + np.round((_LAST - _FIRST) * (image - 1) / span)
    codes = np.where(image < 0, _UNKNOWN, np.where(image == 0, _NONE, codes))
    if series.d_star is not None:
        codes = np.where(image == series.d_star, _BEST, codes)
    return codes.astype(np.uint8)
