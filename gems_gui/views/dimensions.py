"""The view of the cost and the complexity of all dimensions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.terminal import number
from gems_gui.series.dimension_book import book_of
from gems_gui.series.dimensions import (
    ALL,
    COMPLEXITY,
    ERROR,
    EVERYONE,
    SURVIVORS,
    DimensionsSeries,
    dimensions_series,
    dimensions_text,
    shown_set,
    single_series,
)
from gems_gui.snapshot import Snapshot
from gems_gui.views.dimension_axis import frame_dimensions, mark_dimensions
from gems_gui.views.kit import DOTTED, ItemGroup, level, line, marks, pick_band, right_axis
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView

_LINES = {"iota": "surviving", "cost": "text", "rounding": "dim", "rho": "best"}
_WORDS = {"iota": "ι", "cost": "cost gₖ(d)", "rounding": "r_d", "rho": "ρ⋆_d"}
_WIDTHS = {"rounding": 1}


class _Single(NamedTuple):
    """A curve that can be shown alone: its colour, its name, the label of its axis, and the choice in the menu."""

    role: str
    words: str
    label: str
    choice: str


_SINGLE = {
    COMPLEXITY: _Single("best", "ρ⋆ in Rᵈ", "complexity ρ⋆", "Complexity ρ⋆"),
    ERROR: _Single("now", "γ̃(d)", "largest error γ̃(d)", "Error of the linear models γ̃(d)"),
}
_MOST_DOTS = 60
_DECADES = 9.0  # of the scale, at most


class Dimensions(PlotView[DimensionsSeries]):
    """ι, cost, r_d, ρ⋆ and, on its own axis, γ̃ against d, all on logarithmic scales."""

    name = "dimensions"
    title = "All dimensions"
    marks_selection = False
    about = (
        "The complexities of every dimension d: ι of the surviving targets, the cost g_k(d) that is compared with B, "
        "r_d(ζ), the complexity ρ⋆_d of the instance in R^d, and γ̃(d), the distance of its rewards from linear ones "
        "there. Curves are filled in as they are computed. ρ⋆, γ̃ and d⋆ are hidden with the truth."
    )
    options = (
        Option("of", "ι and cost of", {SURVIVORS: "Surviving targets", EVERYONE: "All targets"}),
        Option("show", "Show", {ALL: "All curves", **{name: one.choice for name, one in _SINGLE.items()}}),
    )

    axes = Axes(whole="x", log="y", printed=("", "ι, cost, ρ⋆"))
    right = right_axis("now")
    gamma = line("now", 2, DOTTED, connect="finite", on="right")
    band = pick_band()
    lines = ItemGroup({name: line(role, _WIDTHS.get(name, 2), connect="finite") for name, role in _LINES.items()})
    dots = ItemGroup({name: marks("o", role, 6, like_text=False) for name, role in _LINES.items()})
    single = ItemGroup({name: line(one.role, 3, connect="finite") for name, one in _SINGLE.items()})
    points = ItemGroup({name: marks("o", one.role, 9, like_text=False) for name, one in _SINGLE.items()})
    budget = level("budget")
    chosen = marks("o", "chosen", 11, like_text=False)
    star = marks("star", "best", 11)

    def paint(self, snapshot: Snapshot) -> None:
        """Show what is known of every dimension; a picture is painted after everything is computed."""
        if self.exporting:
            chosen, _ = shown_set(snapshot, self.settings["of"])
            book_of(snapshot.instance).fill([chosen] if len(chosen) > 1 else [], snapshot.truth)
        D = snapshot.instance.D
        d = np.arange(1.0, D + 1)
        for show in _SINGLE:
            self.single[show].empty()
            self.points[show].empty()
        if self.settings["show"] != ALL:
            self._paint_single(snapshot, d, self.settings["show"])
            return
        series = self.series = dimensions_series(snapshot, self.settings["of"])
        curves = {"iota": series.iota, "cost": series.cost, "rounding": series.rounding, "rho": series.rho}
        low, high = _scale(series)
        for name, values in curves.items():
            logs = np.full(D, np.nan) if values is None else _logarithms(values)
            logs[(logs > high + 1e-9) | (logs < low - 1e-9)] = np.nan
            some = ~np.isnan(logs)
            self.lines[name].setData(*((d, logs) if some.any() else ((), ())))
            dots = some if name != "rounding" and D <= _MOST_DOTS else np.zeros(D, dtype=bool)
            self.dots[name].setData(d[dots], logs[dots])
        self._gamma(series, d)
        if np.isfinite(series.budget) and series.budget > 0:
            self.budget.show(math.log10(series.budget), f"B = {number(series.budget)}")
        else:
            self.budget.empty()
        at = [series.chosen] if series.chosen and 0.0 < series.cost[series.chosen - 1] < math.inf else []
        self.chosen.setData(at, [math.log10(series.cost[each - 1]) for each in at])
        self.plot.label("dimension d", "", self.theme)
        frame_dimensions(self.plot, self.theme, D, (low, high), series.d_star is not None)
        self.range_changed(snapshot, series)

    def _paint_single(self, snapshot: Snapshot, d: Floats, show: str) -> None:
        """Show one curve alone, on the left axis."""
        self.series, values = single_series(snapshot, self.settings["of"], show)
        for curve in (*self.lines.values(), self.gamma):
            curve.empty()
        for dots in (*self.dots.values(), self.chosen):
            dots.empty()
        self.right.empty()
        self.budget.empty()
        logs = _logarithms(values)
        some = np.isfinite(logs)
        self.single[show].setData(*((d, logs) if some.any() else ((), ())))
        self.points[show].setData(d[some], logs[some])
        low, high = (float(logs[some].min()), float(logs[some].max())) if some.any() else (-1.0, 0.0)
        self.plot.label("dimension d", _SINGLE[show].label, self.theme)
        y = low - 0.1, max(high, low + 1.0) + 0.1
        frame_dimensions(self.plot, self.theme, len(d), y, self.series.d_star is not None)
        self.range_changed(snapshot, self.series)

    def entries(self, series: DimensionsSeries) -> Entries:
        show = self.settings["show"]
        if show != ALL:
            one = _SINGLE[show]
            zero = show == ERROR and series.gamma is not None and not series.gamma.any()
            return (
                ("─", one.role, f"{one.words} = 0" if zero else one.words),
                ("★", "best", "d⋆", series.d_star is not None),
            )
        none = series.gamma is not None and not np.isnan(series.gamma).any()  # γ̃ is 0 everywhere
        return (
            *(("─", role, _WORDS[name], name != "rho" or series.rho is not None) for name, role in _LINES.items()),
            ("┄", "now", "γ̃(d) (right)", self.gamma.isVisible()),
            ("┄", "now", "γ̃(d) = 0", none and not self.gamma.isVisible()),
            ("●", "chosen", "dₖ", series.chosen),
            ("★", "best", "d⋆", series.d_star is not None),
        )

    def _gamma(self, series: DimensionsSeries, d: Floats) -> None:
        """Draw γ̃ on the right axis; where it is 0, there is no logarithm and no line."""
        logs = np.full(len(d), np.nan) if series.gamma is None else _logarithms(series.gamma)
        some = np.isfinite(logs)
        self.right.show(bool(some.any()))
        self.gamma.setData(*((d, np.where(some, logs, np.nan)) if some.any() else ((), ())))
        if some.any():
            low, high = float(logs[some].min()), float(logs[some].max())
            self.right.frame(low - 0.1 * (high - low + 1), high + 0.1 * (high - low + 1))

    def range_changed(self, snapshot: Snapshot, series: DimensionsSeries) -> None:
        marked = snapshot.selection.dimension
        mark_dimensions(self.plot, self.theme, self.star, series.d_star, self.band, marked)

    def describe(self, snapshot: Snapshot, series: DimensionsSeries, x: float, y: float) -> str:
        return dimensions_text(series, x)


def _scale(series: DimensionsSeries) -> tuple[float, float]:
    """First and last logarithm of all known values."""
    parts = [series.iota, series.cost, series.rounding, *([] if series.rho is None else [series.rho])]
    known = np.concatenate([*parts, [series.budget]])
    known = known[np.isfinite(known) & (known > 0.0)]
    low, high = math.log10(known.min()), math.log10(known.max())  # r_d is always known
    low = max(low, high - _DECADES)
    return low - 0.05, max(high, low + 1.0)


def _logarithms(values: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(values)
    return np.where(np.isfinite(logs), logs, np.nan)
