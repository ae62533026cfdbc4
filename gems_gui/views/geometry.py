"""The view of arms, targets and θ̂ in a plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gems_engine.terminal import number, plural
from gems_gui.series.confidence import BAND, ELLIPSE, OPEN, POINT, SEGMENT
from gems_gui.series.fate_raster import BEFORE, NOW, SURVIVING
from gems_gui.series.geometry import (
    BY_DELTA,
    COMPONENTS,
    ESTIMATE,
    FEATURES,
    LEVELS,
    MOST_SEGMENTS,
    GeometrySeries,
    Sight,
    geometry_series,
    geometry_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.views.geometry_controls import GeometryControls
from gems_gui.views.kit import DASHED, ItemGroup, Stroke, hairline, line, marks, round_dots
from gems_gui.views.option import Option, Whole
from gems_gui.views.plot import Range
from gems_gui.views.plot_view import Entries
from gems_gui.views.slider_view import SliderView
from gems_gui.views.view import TARGET

_NEAR = 10.0  # pixels: a click within this distance hits a point
_MANY = 300  # from this number on, points are small
_FATES = (
    (BEFORE, "before", "eliminated before"),
    (NOW, "now", "eliminated this round"),
    (SURVIVING, "surviving", "surviving"),
)


class Geometry(SliderView[GeometrySeries]):
    """Targets by fate, θ̂ with its confidence region, θ⋆, and the active directions of the design."""

    name = "geometry"
    title = "Geometry"
    picks = TARGET
    about = (
        "Arms and targets in a plane: two features, the two principal components, or the plane of the estimate and the "
        "widest direction among the targets at the start of the round. The ellipse is the confidence region of θ⋆ "
        "truncated to d, at the given level (at least that level in the plane of the estimate, which depends on the "
        "data). Thin lines are the active directions of the design. The slider truncates to d features."
    )
    options = (
        Option(
            "axes",
            "Axes",
            {
                COMPONENTS: "Principal components",
                FEATURES: "Two features",
                ESTIMATE: "Estimate and widest direction of the round",
            },
        ),
        Option("level", "Confidence", {**{level: f"{level} %" for level in LEVELS}, BY_DELTA: "1 − δ of the run"}),
        Whole("truncation", "Truncation in percent", least=0, most=100, start=0),
        Whole("across", "Horizontal feature", least=1, most=1_000_000, start=1),
        Whole("up", "Vertical feature", least=1, most=1_000_000, start=2),
    )

    active = line("text", 1, alpha=70, connect="pairs")
    widest = line("budget", 2)
    arms = marks("x", "dim", 6, rim=hairline("dim"))
    dots = ItemGroup({fate: round_dots() for fate, _, _ in _FATES})
    region = line("chosen", 2, connect="finite")
    truth = line("best", 2, DASHED)
    truth_tip = marks("d", "best", 10)
    estimate = line("chosen", 2)
    estimate_tip = marks("o", "chosen", 8)
    best = marks("star", "best", 14, rim=hairline("card"))
    recommended = marks("d", "card", 17, alpha=0, rim=Stroke("chosen", 1.5))
    ring = marks("o", "card", 16, alpha=0, rim=Stroke("text", 2))

    kind_of_controls = GeometryControls
    controls: GeometryControls

    def sight(self) -> Sight:
        """The chosen options."""
        chosen = self.settings
        return Sight(
            chosen["axes"], int(chosen["across"]), int(chosen["up"]), chosen["level"], int(chosen["truncation"])
        )

    def paint(self, snapshot: Snapshot) -> None:
        sight = self.sight()
        series = self.series = geometry_series(snapshot, sight)
        if series.projection is not None:
            self._draw(series)
            self.plot.label(*series.projection.names, self.theme)
            self.resized(snapshot, series)
        features = (sight.across, sight.up) if sight.axes == FEATURES else None
        self.controls.show_plane(
            series.d, series.D, sight.truncation, series.still, features, snapshot.instance.feature_names or ()
        )
        if snapshot.keeps_d:
            self.controls.short.setText("Rᵈ")

    def entries(self, series: GeometrySeries) -> Entries:
        """What is drawn, the most important first."""
        fates = [("●", role, words, (series.fates == fate).any()) for fate, role, words in reversed(_FATES)]
        shown = "" if series.active_count <= MOST_SEGMENTS else f"{number(MOST_SEGMENTS)} of "
        return [
            *fates,
            ("★", "best", self.best_words, series.best is not None),
            ("◇", "chosen", series.called, series.recommended is not None),
            ("—", "chosen", _region_text(series), series.region is not None),
            ("┄", "best", "θ⋆" if series.t >= series.D else "θ⋆, truncated", len(series.truth)),
            ("—", "dim", f"{shown}{plural(series.active_count, 'active direction')}", series.active_count),
            ("—", "budget", "widest direction at the start", series.widest is not None),
            ("✕", "dim", "arm, not a target", len(series.arms)),
        ]

    def _draw(self, series: GeometrySeries) -> None:
        size = self.theme.pixels(6 if len(series.targets) > _MANY else 9)
        for fate, role, _ in _FATES:
            dots = self.dots[fate]
            dots.set_look(self.theme.color(role), self.theme.color("card"), size)
            dots.setData(*series.targets[series.fates == fate].T)
        self.arms.setData(*series.arm_places.T)
        self.active.setData(*series.segments.T)
        self.widest.setData(*series.targets[list(series.widest or ())].reshape(-1, 2).T)
        self.region.setData(*series.outline().T)
        for shaft, tip, arrow in (
            (self.truth, self.truth_tip, series.truth),
            (self.estimate, self.estimate_tip, series.estimate),
        ):
            shaft.setData(*arrow.T)
            tip.setData(*arrow[1:].T)
        for mark, target in ((self.best, series.best), (self.recommended, series.recommended)):
            mark.setData(*series.targets[[] if target is None else [target]].T)
        self.ring.setData(*self._ringed(series).T)

    @staticmethod
    def _ringed(series: GeometrySeries) -> np.ndarray:
        if series.selected is not None:
            return np.asarray(series.targets[[series.selected]])
        return np.asarray(series.arm_places[series.arms == series.selected_arm])

    # -- everything that depends on the size ------------------------------------------------------------------------

    def resized(self, snapshot: Snapshot, series: GeometrySeries) -> None:
        """Show everything at the same scale on both axes, so that angles and circles are not distorted."""
        if series.projection is None:
            return
        width, height = max(self.plot.box.width(), 1.0), max(self.plot.box.height(), 1.0)
        (left, right), (low, high) = series.frame
        unit = max((right - left) / width, (high - low) / height)
        self.plot.frame(_around(left, right, unit * width), _around(low, high, unit * height))

    # -- mouse ----------------------------------------------------------------------------------------------------

    def near(self, x: float, y: float) -> tuple[int | None, int | None]:
        """The target, or else the arm that is not a target, near a point of the plot; those in front come first."""
        series = self.series
        if series is None or series.projection is None:
            return None, None
        pixel = np.array(self.plot.box.viewPixelSize())
        place = np.array([x, y])
        away = np.hypot(*((series.targets - place) / pixel).T)
        nearest = float(away.min(initial=np.inf))
        arms = np.hypot(*((series.arm_places - place) / pixel).T)
        if nearest <= _NEAR and nearest <= arms.min(initial=np.inf):
            there = np.flatnonzero(away <= nearest + 1e-6)
            return int(there[np.argmax(series.fates[there])]), None
        if len(arms) and arms.min() <= _NEAR:
            return None, int(series.arms[np.argmin(arms)])
        return None, None

    def describe(self, snapshot: Snapshot, series: GeometrySeries, x: float, y: float) -> str:
        return geometry_text(snapshot, series, *self.near(x, y))

    def in_order(self) -> Sequence[int]:
        return () if self.series is None else range(len(self.series.targets))

    def clicked(self, snapshot: Snapshot, series: GeometrySeries, x: float, y: float) -> None:
        """Select a target, or an arm that is not a target; a second click clears the selection."""
        target, arm = self.near(x, y)
        if arm is not None:
            self.arm_picked.emit(None if arm == series.selected_arm else arm)
        else:
            self.target_picked.emit(None if target == series.selected else target)


def _around(low: float, high: float, length: float) -> Range:
    """A range of a given length with the same centre."""
    middle = (low + high) / 2
    return middle - length / 2, middle + length / 2


def _region_text(series: GeometrySeries) -> str:
    if series.region is None:
        return ""
    words = {
        ELLIPSE: "estimate and its ellipse",
        SEGMENT: "estimate and its interval",
        BAND: "estimate and its band",
        POINT: "estimate",
        OPEN: "estimate, not identified",
    }[series.region.kind]
    return f"{words}, partly outside" if series.outside else words
