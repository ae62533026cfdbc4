"""The arms of the form's instance in the plane; they and θ⋆ can be dragged."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from gems_engine.instance import Instance
from gems_engine.terminal import number, plural
from gems_gui.appearance import Appearance
from gems_gui.panels.plane_editor import PlaneEditor
from gems_gui.series.names import typeset_name
from gems_gui.series.plane import (
    THETA,
    PlaneSeries,
    Projection,
    Range,
    coordinates,
    is_edited,
    plane_series,
    point_label,
    principal_components,
    share_shown,
    words_for_point,
    words_for_vector,
)
from gems_gui.series.wordings import Phrasings
from gems_gui.theme import Theme
from gems_gui.views.plot import AxisRanges
from gems_gui.widgets.boxes import fill, hbox, vbox
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.feature_box import FeatureBox
from gems_gui.widgets.fitting_label import FittingLabel
from gems_gui.widgets.form_widgets import ElidingComboBox

COMPONENTS, FEATURES = "components", "features"
HELP = "topics/plane"
"""The help page about the picture."""
_HEIGHT = 190  # pixels before font scaling
_WHOLE = 6  # features, up to which the text at the mouse has all of them
_REMEMBERED = 8  # instances whose axes are remembered
_FEW = 3  # features, up to which two of them are shown by default
_HOW_TO = """Drag an arm or the tip of θ⋆ to change the instance: Ctrl snaps to the grid, Esc cancels.
Click a point to select it, and nudge it with the arrow keys, with Shift by a tenth of a step.
Page Down and Page Up select the next and the previous point.
Click points on top of each other to choose one, or press Tab.
Zoom with Ctrl and the wheel, drag the background, double-click it to show all points."""


class _Picture(NamedTuple):
    """The axes with which an instance was shown."""

    instance: Instance
    axes: str
    features: tuple[int, int]
    projection: Projection
    computed_for: Instance
    ranges: AxisRanges


class PlanePanel(QWidget):
    """A picture of an instance.

    Its axes stay where they are while the instance is edited: they change with another instance, or on request.

    Signals
    -------
    point_picked
        The arm that was selected, :data:`THETA`, or None.
    drag_begun
        A change starts: all moves until `drag_ended` or `drag_cancelled` are one undo step.
    point_moved
        An arm, or :data:`THETA`, and its new vector.
    drag_ended, drag_cancelled
        The end of a change; a cancelled one is to be undone.
    """

    point_picked = Signal(object)
    drag_begun = Signal()
    point_moved = Signal(int, object)
    drag_ended = Signal()
    drag_cancelled = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setAccessibleName("Arms in the plane")
        self.setProperty("help", HELP)
        self._instance: Instance | None = None
        self._last: Instance | None = None
        self._projection: Projection | None = None
        self._computed_for: Instance | None = None
        self._pictures: list[_Picture] = []
        self._selected: int | None = None
        self._truth = True
        self.plot = described(PlaneEditor(self._words, self._name), name="Picture of the arms", about=_HOW_TO)
        self.plot.setAccessibleDescription(_HOW_TO)
        self.axes = ElidingComboBox("Axes of the picture of the arms")
        self.axes.fill(
            [
                ("Principal components", COMPONENTS, "Show the plane in which the arms have the largest variance"),
                ("Two features", FEATURES, "Show two features of your choice"),
            ]
        )
        explain(self.axes, "Choose the axes of the picture.")
        self.across = self._feature_box("Horizontal feature", "→ ")
        self.up = self._feature_box("Vertical feature", "↑ ")
        self.fit = described(QPushButton("Fit"), tip="Show all points (double-click the background).")
        self.recompute = QPushButton("Recompute axes")
        self.caption = FittingLabel("About the picture of the arms", appearance, least=40)
        self._choices = QStackedWidget()
        self._lay_out()
        self._connect()
        appearance.follow(self._apply_theme)
        self.show_instance(None)

    def _feature_box(self, name: str, prefix: str) -> FeatureBox:
        box = FeatureBox()
        box.name(name, prefix)
        box.valueChanged.connect(self._on_feature_chosen)
        return box

    def _lay_out(self) -> None:
        """Lay out the parts at a height that does not depend on what is shown."""
        features = QWidget()
        fill(hbox(features, 6), (self.across, 1), (self.up, 1))
        for page in (self.recompute, features):
            self._choices.addWidget(page)
        first = fill(hbox(spacing=6), (self.axes, 1), self.fit)
        fill(vbox(self, 4), self.plot, self.caption, first, self._choices)

    def _connect(self) -> None:
        self.plot.begun.connect(self.drag_begun)
        self.plot.moved.connect(self._on_moved)
        self.plot.dropped.connect(self._on_dropped)
        self.plot.cancelled.connect(self._on_cancelled)
        self.plot.picked.connect(self.point_picked)
        self.plot.focus_changed.connect(self._show_caption)
        self.plot.box.sigRangeChanged.connect(self._show_caption)
        self.axes.activated.connect(self._on_axes_chosen)
        self.fit.clicked.connect(self.plot.fit)
        self.recompute.clicked.connect(self._on_recompute)

    def _apply_theme(self, theme: Theme) -> None:
        self.plot.setFixedHeight(theme.pixels(_HEIGHT))
        self.plot.apply_theme_to_points(theme)
        self._draw()

    def inputs(self) -> list[QWidget]:
        """The inputs in tab order."""
        return [self.plot, self.axes, self.fit, self.recompute, self.across, self.up]

    # -- what is shown ------------------------------------------------------------------------------------------

    @property
    def series(self) -> PlaneSeries | None:
        """The series that is drawn."""
        return self.plot.series

    @property
    def projection(self) -> Projection | None:
        """The projection that is shown."""
        return self._projection

    def show_instance(self, instance: Instance | None, selected: int | None = None, truth: bool = True) -> None:
        """Show an instance with a marked point; None: there is no instance yet."""
        self._instance, self._selected, self._truth = instance, selected, truth
        last = self._last
        if instance is not None and instance is not last:
            another = last is None or not is_edited(last, instance)
            if another:
                self._remember()
            self._last = instance
            self._offer_features(instance)
            if last is None or last.D != instance.D:
                self._show_axes(FEATURES if instance.D <= _FEW else COMPONENTS)
            if another and not self._show_again(instance):
                self._project(afresh=True)
        self._draw()

    def _remember(self) -> None:
        """Remember the axes of the last instance, in case that it comes back by undo."""
        if self._last is not None and self._projection is not None and self._computed_for is not None:
            axes, features = self.axes.currentData(), (self.across.value(), self.up.value())
            shown = _Picture(self._last, axes, features, self._projection, self._computed_for, self.plot.axis_ranges)
            self._pictures = [shown, *self._pictures][:_REMEMBERED]

    def _show_again(self, instance: Instance) -> bool:
        """Show an instance with the axes that it had before; returns False if there are none."""
        kept = next((each for each in self._pictures if _same_points(each.instance, instance)), None)
        if kept is None or kept.ranges.x is None or kept.ranges.y is None:
            return False
        self._show_axes(kept.axes)
        for box, feature in zip((self.across, self.up), kept.features, strict=True):
            box.show_value(feature, instance.D, instance.feature_names or ())
        self._projection, self._computed_for = kept.projection, kept.computed_for
        self.plot.zoomed = False
        self.plot.frame(kept.ranges.x, kept.ranges.y, *kept.ranges.margins)
        return True

    def _offer_features(self, instance: Instance) -> None:
        for box in (self.across, self.up):
            box.show_value(box.value(), instance.D, instance.feature_names or ())
        if self.up.value() == self.across.value():
            self._part(self.across, self.up)

    def _show_axes(self, axes: str) -> None:
        self.axes.choose(axes)
        self._choices.setCurrentIndex(int(axes == FEATURES))

    def _project(self, *, afresh: bool = False) -> None:
        """Set the axes for the instance that is shown, and show all of its points.

        Parameters
        ----------
        afresh
            Whether to ignore the previous picture: an instance always looks the same, whatever was shown before.
        """
        instance = self._instance
        if instance is None:
            return
        self._computed_for = instance
        if self.axes.currentData() == FEATURES:
            self._projection = coordinates(
                instance.D, self.across.value() - 1, self.up.value() - 1, instance.feature_label
            )
        else:
            self._projection = principal_components(instance.arms, None if afresh else self._projection)
        self._draw()
        self.plot.fit()

    @property
    def _outdated(self) -> bool:
        """Whether the components are those of arms before a change."""
        if self._instance is None or self._computed_for is None or self.axes.currentData() == FEATURES:
            return False
        now, then = self._instance.arms, self._computed_for.arms
        return now.shape != then.shape or bool((now != then).any())

    def _draw(self) -> None:
        instance, projection = self._instance, self._projection
        if instance is None or projection is None:
            self.plot.clear_points()
        else:
            series = plane_series(instance, projection, self._truth)
            names = instance.arm_names or ("",) * len(instance.arms)
            short = tuple(typeset_name(name) or number(at) for at, name in enumerate(names))
            self.plot.show_series(series, short, self._selected)
        self._show_caption()

    def _show_caption(self, *_: object) -> None:
        self.caption.set_text(self._caption())
        outdated = self._outdated
        if self.recompute.isEnabled() != outdated or not self.recompute.toolTip():
            self.recompute.setEnabled(outdated)
            self.recompute.setToolTip(
                "Compute the principal components of the arms as they are now, and show all points."
                if outdated
                else "The axes are the principal components of the arms as they are now."
            )

    def _caption(self) -> Phrasings:
        instance, projection, plot = self._instance, self._projection, self.plot
        if instance is None or projection is None or plot.series is None:
            return ("The arms are shown here when the instance is valid.", "shown when the instance is valid")
        step = number(plot.step)
        if plot.dragging is not None:
            return (f"{'Snaps' if plot.snapping else 'Ctrl snaps'} to {step} · Esc cancels",)
        if outside := plot.outside():
            return (f"{plural(outside, 'point')} out of view: press Fit", f"{number(outside)} out of view")
        if plot.selected is not None and plot.hasFocus():
            name = point_label(instance, plot.selected)
            said = f"Arrow keys move {name}"
            return (f"{said}, Esc gives them back to the run", f"{said}; Esc ends this", said, "Arrow keys move it")
        if projection.share is None:
            return (f"Drag a point; Ctrl snaps to {step}", f"Ctrl snaps to {step}")
        share = f"{100 * share_shown(instance.arms, projection):.0f} % of the variance"
        return (f"{share}, axes of earlier arms", share) if self._outdated else (f"{share}; drag a point", share)

    def _name(self, point: int) -> str:
        return "" if self._instance is None else point_label(self._instance, point)

    def _words(self, point: int, moving: bool) -> list[str]:
        """The lines about a point; those of a moving one are the shorter ones."""
        instance, projection = self._instance, self._projection
        if instance is None or projection is None:
            return []
        said = words_for_point(instance, projection, point, self._truth)
        if 2 < instance.D <= _WHOLE and not moving:
            vector = instance.theta if point == THETA else instance.arms[point]
            assert vector is not None
            said.insert(2, words_for_vector(vector))
        if moving and self.plot.dragging is None:  # by keys, and the caption may be out of sight
            said.append("Esc: arrows to the run")
        return said

    # -- what is chosen -----------------------------------------------------------------------------------------

    def _on_axes_chosen(self) -> None:
        self._show_axes(self.axes.currentData())
        self._project()

    def _on_recompute(self) -> None:
        self._project()

    def _on_feature_chosen(self) -> None:
        if self.across.value() == self.up.value():
            changed = self.sender()
            self._part(changed, self.up if changed is self.across else self.across)
        self._project()

    def _part(self, kept: object, other: FeatureBox) -> None:
        """The two axes show different features, if there are two."""
        assert isinstance(kept, FeatureBox)
        most, names = kept.maximum(), () if self._instance is None else self._instance.feature_names or ()
        other.show_value(kept.value() + 1 if kept.value() < most else max(1, kept.value() - 1), most, names)

    # -- moves --------------------------------------------------------------------------------------------------

    def _on_moved(self, point: int, place: Range) -> None:
        instance, projection = self._instance, self._projection
        if instance is None or projection is None:
            return
        vector = instance.theta if point == THETA else instance.arms[point]
        if vector is not None:
            self.point_moved.emit(point, projection.moved(vector, place))
        self._show_caption()

    def _on_dropped(self) -> None:
        self.drag_ended.emit()
        self._draw()

    def _on_cancelled(self) -> None:
        self.drag_cancelled.emit()
        self._draw()


def _same_points(one: Instance, other: Instance) -> bool:
    """Whether two instances have the same arms and targets."""
    return np.array_equal(one.arms, other.arms) and np.array_equal(one.targets, other.targets)
