"""The arms of the form's instance in the plane; they and θ⋆ can be dragged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gems_engine.arrays import Floats
from gems_engine.instance import Instance
from gems_gui.appearance import Appearance
from gems_gui.panels.plane_plot import THETA, PlanePlot
from gems_gui.series.plane import (
    PlaneSeries,
    Projection,
    coordinates,
    plane_series,
    principal_components,
    words_for_arm,
    words_for_vector,
)
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import fill, hbox, vbox
from gems_gui.widgets.explained import described
from gems_gui.widgets.feature_box import FeatureBox
from gems_gui.widgets.form_widgets import ElidingComboBox, WrappingLabel

COMPONENTS, FEATURES = "components", "features"
_HEIGHT = 150  # pixels before font scaling


class PlanePanel(QWidget):
    """A picture of an instance.

    Signals
    -------
    arm_picked
        The arm that was clicked, or None.
    drag_begun
        A drag starts: all changes until the next such signal are one undo step.
    arm_moved
        An arm and its new features.
    theta_moved
        The new θ⋆.
    """

    arm_picked = Signal(object)
    drag_begun = Signal()
    arm_moved = Signal(int, object)
    theta_moved = Signal(object)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setAccessibleName("Arms in the plane")
        self._instance: Instance | None = None
        self._projection: Projection | None = None
        self._moved: tuple[int, Floats] | None = None
        self._selected: int | None = None
        self._truth = True
        self.plot = described(PlanePlot(), name="Picture of the arms")
        self.plot.setAccessibleDescription(
            "Drag an arm or the tip of θ⋆ to change the instance (hold Shift to drag θ⋆ where both are at the same "
            "point); click an arm to select it"
        )
        self.plot.describe = self._describe
        self.plot.begun = self.drag_begun.emit
        self.plot.dragged = self._dragged
        self.plot.dropped = self._dropped
        self.plot.picked = self.arm_picked.emit
        self.axes = ElidingComboBox("Axes of the picture of the arms")
        self.axes.fill(
            [
                ("Principal components", COMPONENTS, "Show the plane in which the arms have the largest variance"),
                ("Two features", FEATURES, "Show two features of your choice"),
            ]
        )
        self.axes.choose(COMPONENTS)
        self.axes.activated.connect(self._on_axes_chosen)
        self.across = self._feature_box("Horizontal feature", "→ ")
        self.up = self._feature_box("Vertical feature", "↑ ")
        self.caption = WrappingLabel("dim", self)
        self._features = QWidget()
        self._lay_out()
        appearance.follow(self._apply_theme)
        self.show_instance(None)

    def _feature_box(self, name: str, prefix: str) -> FeatureBox:
        box = FeatureBox()
        box.name(name, prefix)
        box.valueChanged.connect(self._on_feature_chosen)
        return box

    def _lay_out(self) -> None:
        fill(hbox(self._features, 6), (self.across, 1), (self.up, 1))
        self._features.hide()
        fill(vbox(self, 4), self.plot, self.caption, self.axes, self._features)

    def _apply_theme(self, theme: Theme) -> None:
        self.plot.setFixedHeight(theme.pixels(_HEIGHT))
        self.plot.apply_theme_to_points(theme)
        self._draw()

    def inputs(self) -> list[QWidget]:
        """The inputs in tab order."""
        return [self.axes, self.across, self.up]

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
        """Show an instance with a marked arm; None: there is no instance yet."""
        changed = instance is not self._instance
        self._instance, self._selected, self._truth = instance, selected, truth
        if instance is not None and changed:
            for box in (self.across, self.up):
                box.show_value(box.value(), instance.D, instance.feature_names or ())
            if self.up.value() == self.across.value():
                self._part(self.across, self.up)
            self._project()
        self._draw()

    def _project(self) -> None:
        """Choose the projection; during a drag it does not change."""
        instance = self._instance
        if instance is None or (self.plot.dragging is not None and self._fits(instance)):
            return
        if self.axes.currentData() == FEATURES:
            self._projection = coordinates(
                instance.D, self.across.value() - 1, self.up.value() - 1, instance.feature_label
            )
        else:
            like = self._projection if self._projection is not None and self._fits(instance) else None
            self._projection = principal_components(instance.arms, like)

    def _fits(self, instance: Instance) -> bool:
        return self._projection is not None and self._projection.basis.shape[1] == instance.D

    def _draw(self) -> None:
        instance, projection = self._instance, self._projection
        if instance is None or projection is None:
            self.plot.clear_points()
            self.caption.show_text("The arms are shown here when the instance is valid.")
            return
        series = plane_series(instance, projection, self._truth)
        if self._moved is not None:
            series = _with_moved(series, *self._moved)
        self.plot.show_series(series, self._selected)
        self.caption.show_text(self._caption(projection))

    def _caption(self, projection: Projection) -> str:
        names = " and ".join(filter(None, projection.names))
        theta = self._truth and self._instance is not None and self._instance.theta is not None
        drag = "drag an arm or θ⋆" if theta else "drag an arm"
        if projection.share is None:
            return f"Axes: {names}; {drag}"
        return f"{100 * projection.share:.0f} % of the variance: {drag}"

    def _describe(self, x: float, y: float) -> str:
        series, instance = self.plot.series, self._instance
        if series is None or instance is None:
            return ""
        meant = self.plot.near(x, y)
        if meant == THETA and instance.theta is not None:
            return f"θ⋆\n{words_for_vector(instance.theta)}"
        return "" if meant is None else words_for_arm(instance, series, meant, self._truth)

    # -- what is chosen -----------------------------------------------------------------------------------------

    def _on_axes_chosen(self) -> None:
        self._features.setVisible(self.axes.currentData() == FEATURES)
        self._project()
        self._draw()

    def _on_feature_chosen(self) -> None:
        if self.across.value() == self.up.value():
            changed = self.sender()
            self._part(changed, self.up if changed is self.across else self.across)
        self._project()
        self._draw()

    def _part(self, kept: object, other: FeatureBox) -> None:
        """The two axes show different features, if there are two."""
        assert isinstance(kept, FeatureBox)
        most, names = kept.maximum(), () if self._instance is None else self._instance.feature_names or ()
        other.show_value(kept.value() + 1 if kept.value() < most else max(1, kept.value() - 1), most, names)

    # -- drags --------------------------------------------------------------------------------------------------

    def _dragged(self, what: int, place: tuple[float, float]) -> None:
        instance, projection = self._instance, self._projection
        if instance is None or projection is None:
            return
        if what == THETA:
            if instance.theta is not None:
                vector = projection.moved(instance.theta, place)
                self._moved = THETA, projection.seen(vector[None, :])[0]
                self.theta_moved.emit(vector)
        elif what < len(instance.arms):
            vector = projection.moved(instance.arms[what], place)
            self._moved = what, projection.seen(vector[None, :])[0]
            self.arm_moved.emit(what, vector)
        self._draw()

    def _dropped(self) -> None:
        self._moved = None
        self._project()
        self._draw()


def _with_moved(series: PlaneSeries, what: int, place: Floats) -> PlaneSeries:
    """The series with the dragged point at the mouse; the instance itself follows a moment later."""
    if what == THETA:
        arrow = np.array(series.arrow)
        arrow[1:] = place
        return replace(series, arrow=arrow)
    arms = np.array(series.arms)
    if what < len(arms):
        arms[what] = place
    return replace(series, arms=arms)
