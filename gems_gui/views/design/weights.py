"""The view of a design's weights, which a hand can change."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gems_gui.series.design.arms import StudiedWeightSeries, studied_weight_series, studied_weight_words
from gems_gui.series.design.study import Study
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import SCALE, WIDE
from gems_gui.views.design.drag_plot import DragPlot
from gems_gui.views.design.study_view import ArmStudyView, arm_option

_ROOM = 1.25


class StudiedWeights(ArmStudyView):
    """λ of every arm as bars that can be dragged; the design beside it as outlines."""

    name = "design-weights"
    title = "Weights λ"
    about = (
        "The design's weights over the arms; outlines are those of the design beside it. Drag a bar, or pick an arm "
        "and press + or − (with Alt for small steps): the other weights keep their proportions, and value, worst pair "
        "and proof follow. Esc while dragging gives it up."
    )
    options = (arm_option("By weight"), SCALE)

    weight_dragged = Signal(int, float)
    """An arm, and the share that the user wants it to have."""
    weight_dropped = Signal()
    """The bar was let go."""
    drag_given_up = Signal()
    """Esc while a bar was dragged."""

    kind_of_plot = DragPlot

    def make(self) -> QWidget:
        """Bars, and outlines or caps for the other design."""
        made = super().make()
        self.weights, self.by_hand, self.outlines = self.bars(), self.bars(), self.bars()
        self.caps = self.line()
        self.series: StudiedWeightSeries | None = None
        return made

    def let_drag(self) -> None:
        """Bars can be dragged from now on: somebody listens."""
        assert isinstance(self.plot, DragPlot)
        self.plot.dragged = self.weight_dragged.emit
        self.plot.dropped = self.weight_dropped.emit

    @property
    def holds(self) -> bool:
        """Whether a bar is dragged."""
        assert isinstance(self.plot, DragPlot)
        return self.plot.dragging is not None

    def give_up(self) -> None:
        """Let go of the bar as if it had never been taken."""
        assert isinstance(self.plot, DragPlot)
        if self.plot.let_go():
            self.drag_given_up.emit()

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        """The weights of a study."""
        series = self.series = studied_weight_series(snapshot, study, self.settings["order"])
        plot = self.plot
        assert isinstance(plot, DragPlot)
        room = np.array([_ROOM * series.weights.max()])  # to drag a bar up to
        values = [series.weights, series.beside, room] if plot.draggable else [series.weights, series.beside]
        plot.arrange(series.order, self.settings["scale"], values, "weight λ", "by weight")
        main, role = (self.by_hand, "chosen") if series.by_hand else (self.weights, "surviving")
        plot.draw(main, role, series.weights)
        legend = [("■", role, series.words)]
        if series.beside_words and len(series.order) <= WIDE:
            plot.draw(self.outlines, "text", series.beside, outline=True)
            legend.append(("□", "text", series.beside_words))
        elif series.beside_words:
            plot.caps(self.caps, "text", series.beside)
            legend.append(("─", "text", series.beside_words))
        self.finish(series.subtitle, legend)
        plot.follow()

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        super().clear()

    def _words(self, x: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return studied_weight_words(self.snapshot, self.series, x)
