"""The view of how the bounds of a design converged."""

from __future__ import annotations

import math

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.terminal import number
from gems_gui.design_study import Study
from gems_gui.series.design.bounds import (
    BOUNDS,
    GAP,
    ITERATIONS,
    TIME,
    BoundSeries,
    Course,
    bound_series,
    bound_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.views.design.study_view import StudyView
from gems_gui.views.kit import DASHED, DOTTED, SOLID, ItemGroup, level, line, marks
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Entries, PlotView

_FAR = 8.0  # bounds that differ by more than this factor get a logarithmic scale
_DECADES = 12.0
_STYLES = (SOLID, DASHED, DOTTED)  # solved, compared, reference
_SIGNS = ("─", "╌", "┈")


class Bounds(StudyView, PlotView[BoundSeries]):
    """Upper and lower bounds, or the gap between them, over iterations or time."""

    name = "design-bounds"
    title = "Bounds by iteration"
    marks_selection = False
    about = (
        "The solver's upper and lower bounds on the optimum after each iteration, or the gap between them; dashed for "
        "the compared design. A solver that stops when its value hardly changes may be far from the optimum. The level "
        "of the certificate, the best bound of all designs in the table, shows how far. A linear program or a closed "
        "form has no iterations."
    )
    options = (
        Option("up", "Show", {BOUNDS: "Both bounds", GAP: "Their gap"}),
        Option("axis", "Horizontal axis", {ITERATIONS: "Iterations", TIME: "Time"}),
    )

    upper = ItemGroup({at: line("surviving", 2, style, grows=False) for at, style in enumerate(_STYLES)})
    lower = ItemGroup({at: line("chosen", 2, style, grows=False) for at, style in enumerate(_STYLES)})
    last = ItemGroup({role: marks("o", role, 7) for role in ("surviving", "chosen")})
    asked = level("text")
    log = True

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        series = self.series = bound_series(study, self.settings["axis"])
        gap = self.settings["up"] == GAP
        high = [course.gap if gap else course.upper for course in series.courses]
        low = [np.zeros(0) if gap else course.lower for course in series.courses]
        level = series.tolerance if gap else series.bound
        bottom, top = self._set_scale([*high, *low, np.array([level])], gap)
        for items, values in ((self.upper, high), (self.lower, low)):
            for at, curve in items.items():
                some = self._drawn(values[at], bottom, top) if at < len(values) else np.zeros(0)
                curve.setData(series.courses[at].x[: len(some)] if len(some) else [], some)
        self._end(series.courses, (high, low), bottom, top)
        self.plot.label(series.axis, "gap" if gap else "bounds on the optimum", self.theme)
        self.plot.x_axis.whole = self.settings["axis"] == ITERATIONS
        end = max(float(course.x[-1]) for course in series.courses)
        self.plot.x_axis.lowest = 0.0
        words = f"requested {number(level, 2)}" if gap else f"certificate ≥ {number(level, 6)}"
        self.plot.frame(
            (-0.02 * max(end, 1.0), 1.04 * max(end, 1.0) if end == 0.0 or self.plot.x_axis.whole else 1.04 * end),
            (bottom, top),
            self.theme.pixels(10),
            self.theme.pixels(18),
        )
        self.asked.show(float(self._drawn(np.array([level]), bottom, top)[0]), words)

    def entries(self, series: BoundSeries) -> Entries:
        gap, several = self.settings["up"] == GAP, len(series.courses) > 1
        return (
            ("─", "surviving", "gap" if gap else "upper bound"),
            ("─", "chosen", "lower bound of the solver", not gap),
            *((sign, "text", course.words, several) for sign, course in zip(_SIGNS, series.courses, strict=False)),
        )

    def _set_scale(self, values: list[Floats], gap: bool) -> tuple[float, float]:
        """The range of the values; logarithmic if it is large."""
        some = np.concatenate(values)
        some = some[np.isfinite(some) & (some > 0.0)]
        low, high = (float(some.min()), float(some.max())) if len(some) else (1.0, 1.0)
        self.log = gap or high > _FAR * low
        self.plot.y_axis.set_log(self.log)
        if not self.log:
            room = max(high - low, 0.1 * high)
            return max(low - 0.08 * room, 0.0), high + 0.08 * room
        top = math.log10(high)
        bottom = max(math.log10(low), top - _DECADES)
        room = max(0.06 * (top - bottom), 0.05)
        return bottom - room, max(top + room, bottom + 0.5)

    def _drawn(self, values: Floats, bottom: float, top: float) -> Floats:
        """Values on the scale; 0 and infinity are at its ends."""
        if not self.log:
            return np.clip(values, bottom, top)
        with np.errstate(divide="ignore"):
            return np.clip(np.log10(values), bottom, top)

    def _end(self, courses: list[Course], values: tuple[list[Floats], list[Floats]], bottom: float, top: float) -> None:
        for mark, every in zip(self.last.values(), values, strict=True):
            ends = [(course.x[-1], each[-1:]) for course, each in zip(courses, every, strict=True) if len(each)]
            mark.setData([x for x, _ in ends], [float(self._drawn(each, bottom, top)[0]) for _, each in ends])

    def describe(self, snapshot: Snapshot, series: BoundSeries, x: float, y: float) -> str:
        return bound_text(series, x)
