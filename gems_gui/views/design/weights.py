"""The view of the weights of a design, which the user can change."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal

from gems_gui.design_study import Study
from gems_gui.series.design.arms import StudiedWeightSeries, studied_weight_series, studied_weight_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import SCALE, WIDE
from gems_gui.views.arm_view import ArmView
from gems_gui.views.design.drag_plot import DragPlot
from gems_gui.views.design.study_view import StudyView, arm_option
from gems_gui.views.kit import bars, dashes
from gems_gui.views.plot_view import Entries

_ROOM = 1.25


class StudiedWeights(StudyView, ArmView[StudiedWeightSeries]):
    """λ of every arm as bars that can be dragged; the compared design as outlines."""

    name = "design-weights"
    title = "Weights λ"
    about = (
        "The design's weights over the arms; outlines are those of the compared design. Drag a bar, or select an arm "
        "and press + or − (with Alt for small steps): the other weights keep their proportions, and value, worst pair "
        "and proof are updated. Press Esc while dragging to cancel."
    )
    options = (arm_option("By weight"), SCALE)

    weight_dragged = Signal(int, float)
    """An arm, and the weight that the user gives it."""
    weight_dropped = Signal()
    """The bar was released."""
    drag_given_up = Signal()
    """Esc was pressed while a bar was dragged."""

    kind_of_plot = DragPlot
    plot: DragPlot
    weights = bars()
    by_hand = bars()
    outlines = bars()
    caps = dashes()

    def let_drag(self) -> None:
        """Make bars draggable."""
        self.plot.dragged = self.weight_dragged.emit
        self.plot.dropped = self.weight_dropped.emit

    @property
    def holds(self) -> bool:
        return self.plot.dragging is not None

    def give_up(self) -> None:
        """Cancel the drag and restore the previous weights."""
        if self.plot.release():
            self.drag_given_up.emit()

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        series = self.series = studied_weight_series(snapshot, study, self.settings["order"])
        plot = self.plot
        room = np.array([_ROOM * series.weights.max()])  # space to drag a bar upwards
        values = [series.weights, series.compared, room] if plot.draggable else [series.weights, series.compared]
        plot.arrange(series.order, self.settings["scale"], values, "weight λ", "by weight")
        main, role = (self.by_hand, "chosen") if series.by_hand else (self.weights, "surviving")
        plot.draw(main, role, series.weights)
        compares, narrow = bool(series.compared_label), len(series.order) <= WIDE
        if compares and narrow:
            plot.draw(self.outlines, "text", series.compared, outline=True)
        elif compares:
            plot.caps(self.caps, "text", series.compared)
        plot.follow()

    def entries(self, series: StudiedWeightSeries) -> Entries:
        mark = "□" if len(series.order) <= WIDE else "─"
        return (
            ("■", "chosen" if series.by_hand else "surviving", series.words),
            (mark, "text", series.compared_label, series.compared_label),
            *super().entries(series),
        )

    def describe(self, snapshot: Snapshot, series: StudiedWeightSeries, x: float, y: float) -> str:
        return studied_weight_text(snapshot, series, x)
