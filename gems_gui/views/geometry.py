"""The view of arms, targets and θ̂ in a plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gems_engine.terminal import number
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
    geometry_words,
)
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.geometry_controls import GeometryControls
from gems_gui.views.items import CurveItem, DotItem, MarkItem
from gems_gui.views.legend import Entry
from gems_gui.views.option import Option, Whole
from gems_gui.views.plot import Plot, Range
from gems_gui.views.view import TARGET, View

_NEAR = 10.0  # pixels within which a point is meant
_MANY = 300  # points from which on they are drawn small
_LOW = 150  # pixels of the body, before the scale of fonts, below which the picture needs the room of the slider
_FATES = ((BEFORE, "before", "eliminated before"), (NOW, "now", "this round"), (SURVIVING, "surviving", "surviving"))


class Geometry(View):
    """Targets by fate, θ̂ with its confidence region, θ⋆, and the directions that hold the design."""

    name = "geometry"
    title = "Geometry"
    picks = TARGET
    about = (
        "Arms and targets in a plane of their features: two of them, the principal components, or the plane of the "
        "estimate and the widest direction of the targets that the round began with. The ellipse is where θ⋆, "
        "truncated to d, is expected, at the level that is said (at least that in the plane of the estimate, which is "
        "chosen after it); thin lines are the directions that hold the design. "
        "The slider truncates to d features."
    )
    options = (
        Option(
            "axes",
            "Axes",
            {
                COMPONENTS: "Principal components",
                FEATURES: "Two features",
                ESTIMATE: "The estimate and the widest direction of the round",
            },
        ),
        Option("level", "Confidence", {**{level: f"{level} %" for level in LEVELS}, BY_DELTA: "1 − δ of the run"}),
        Whole("truncation", "Truncation in percent", least=0, most=100, start=0),
        Whole("across", "Feature across", least=1, most=1_000_000, start=1),
        Whole("up", "Feature upwards", least=1, most=1_000_000, start=2),
    )

    def make(self) -> QWidget:
        """Lines below, then dots from those that matter least, then marks; the controls under them."""
        self.plot = Plot()
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        box = self.plot.box
        self.active = CurveItem(box, connect="pairs")
        self.widest = CurveItem(box)
        self.arms = MarkItem(box, "x")
        self.dots = {fate: DotItem(box) for fate, _, _ in _FATES}
        self.region = CurveItem(box, connect="finite")
        self.truth = CurveItem(box)
        self.truth_tip = MarkItem(box, "d")
        self.estimate = CurveItem(box)
        self.estimate_tip = MarkItem(box, "o")
        self.best = MarkItem(box, "star")
        self.recommended = MarkItem(box, "d")
        self.ring = MarkItem(box, "o")
        self.series: GeometrySeries | None = None
        box.sigResized.connect(self._frame)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        self.controls = GeometryControls()
        self.controls.chosen.connect(self.set_option)
        self.controls.setVisible(False)
        column.addWidget(self.controls)
        return whole

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        self.controls.set_theme(theme)
        none = theme.color("card", 0)
        self.active.setPen(pg.mkPen(theme.color("text", 70), width=theme.stroke(1)))
        self.widest.setPen(pg.mkPen(theme.budget, width=theme.stroke(2)))
        self.region.setPen(pg.mkPen(theme.chosen, width=theme.stroke(2)))
        self.estimate.setPen(pg.mkPen(theme.chosen, width=theme.stroke(2)))
        self.estimate_tip.setBrush(theme.chosen)
        self.truth.setPen(pg.mkPen(theme.best, width=theme.stroke(2), style=Qt.PenStyle.DashLine))
        self.truth_tip.setBrush(theme.best)
        self.arms.setPen(pg.mkPen(theme.dim, width=1))
        self.arms.setBrush(theme.dim)
        self.best.setPen(pg.mkPen(theme.card, width=1))
        self.best.setBrush(theme.best)
        self.recommended.setPen(pg.mkPen(theme.chosen, width=theme.stroke(1.5)))
        self.ring.setPen(pg.mkPen(theme.text, width=theme.stroke(2)))
        for hollow in (self.recommended, self.ring):
            hollow.setBrush(none)
        for item, size in (
            (self.arms, 6),
            (self.best, 14),
            (self.recommended, 17),
            (self.ring, 16),
            (self.estimate_tip, 8),
            (self.truth_tip, 10),
        ):
            item.setSize(theme.pixels(size))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        for item in self._items():
            item.setData([], [])
        self.controls.setVisible(False)
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def _items(self) -> tuple[CurveItem | MarkItem | DotItem, ...]:
        lines = (self.active, self.widest, self.region, self.truth, self.estimate)
        marks = (self.arms, self.truth_tip, self.estimate_tip, self.best, self.recommended, self.ring)
        return (*lines, *marks, *self.dots.values())

    def sight(self) -> Sight:
        """What is chosen."""
        chosen = self.settings
        return Sight(
            chosen["axes"], int(chosen["across"]), int(chosen["up"]), chosen["level"], int(chosen["truncation"])
        )

    def paint(self, snapshot: Snapshot) -> None:
        """The plane at the cursor."""
        sight = self.sight()
        series = self.series = geometry_series(snapshot, sight)
        if series.projection is not None:
            self._draw(series)
            self.plot.label(*series.projection.names, self.theme)
            self._frame()
            self.legend.show_entries(_legend(series), self.theme)
        features = (sight.across, sight.up) if sight.axes == FEATURES else None
        self.controls.show_plane(series.d, series.D, sight.truncation, series.still, features)
        if snapshot.keeps_d:
            self.controls.short.setText("R^d")
        self.set_subtitle(series.subtitle, phrasings(series.nothing))
        self.make_room()

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
        for line, tip, arrow in (
            (self.truth, self.truth_tip, series.truth),
            (self.estimate, self.estimate_tip, series.estimate),
        ):
            line.setData(*arrow.T)
            tip.setData(*arrow[1:].T)
        for mark, target in ((self.best, series.best), (self.recommended, series.recommended)):
            mark.setData(*series.targets[[] if target is None else [target]].T)
        self.ring.setData(*self._ringed(series).T)

    @staticmethod
    def _ringed(series: GeometrySeries) -> np.ndarray:
        if series.selected is not None:
            return np.asarray(series.targets[[series.selected]])
        return np.asarray(series.arm_places[series.arms == series.selected_arm])

    # -- what depends on the room there is ------------------------------------------------------------------------

    def _frame(self, *_: object) -> None:
        """Everything in sight, and a unit upwards as long as one across: angles and circles look as they are."""
        if self.series is None or self.series.projection is None:
            return
        width, height = max(self.plot.box.width(), 1.0), max(self.plot.box.height(), 1.0)
        (left, right), (low, high) = self.series.frame
        unit = max((right - left) / width, (high - low) / height)
        self.plot.frame(_around(left, right, unit * width), _around(low, high, unit * height))

    def make_room(self) -> None:
        """The controls are for a window, and for a card that is high enough."""
        high = self.body.height() >= self.theme.pixels(_LOW)
        self.controls.setVisible(high and not self.exporting and self.series is not None)

    # -- mouse ----------------------------------------------------------------------------------------------------

    def near(self, x: float, y: float) -> tuple[int | None, int | None]:
        """The target, or else the arm that is none, that a place of the plot means; those in front come first."""
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

    def _describe(self, x: float, y: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return geometry_words(self.snapshot, self.series, *self.near(x, y))

    def in_order(self) -> Sequence[int]:
        """The targets by index."""
        return () if self.series is None else range(len(self.series.targets))

    def _pick(self, x: float, y: float) -> None:
        if self.snapshot is None or self.series is None:
            return
        target, arm = self.near(x, y)
        if arm is not None:
            self.arm_picked.emit(None if arm == self.series.selected_arm else arm)
        else:
            self.target_picked.emit(None if target == self.series.selected else target)


def _around(low: float, high: float, length: float) -> Range:
    """A range of a length with the same middle."""
    middle = (low + high) / 2
    return middle - length / 2, middle + length / 2


def _legend(series: GeometrySeries) -> list[Entry]:
    """What is drawn, what matters most first."""
    entries: list[Entry] = [
        ("●", role, words) for fate, role, words in reversed(_FATES) if (series.fates == fate).any()
    ]
    if series.best is not None:
        entries.append(("★", "best", "true best"))
    if series.recommended is not None:
        entries.append(("◇", "chosen", series.called))
    if series.region is not None:
        entries.append(("—", "chosen", _region_words(series)))
    if len(series.truth):
        entries.append(("┄", "best", "θ⋆" if series.t >= series.D else "θ⋆, truncated"))
    if series.active_count:
        shown = "" if series.active_count <= MOST_SEGMENTS else f"{number(MOST_SEGMENTS)} of "
        entries.append(("—", "dim", f"{shown}{number(series.active_count)} active in this round's design"))
    if series.widest is not None:
        entries.append(("—", "budget", "widest of this round's start"))
    if len(series.arms):
        entries.append(("✕", "dim", "arm, no target"))
    return entries


def _region_words(series: GeometrySeries) -> str:
    assert series.region is not None
    words = {
        ELLIPSE: "estimate and its ellipse",
        SEGMENT: "estimate and its interval",
        BAND: "estimate and its band",
        POINT: "estimate",
        OPEN: "estimate, not identified",
    }[series.region.kind]
    return f"{words}, partly out of sight" if series.out_of_sight else words
