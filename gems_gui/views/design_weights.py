"""The view of the optimal design of the current round."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gems_gui.moment import Moment
from gems_gui.series.design_weights import WeightSeries, weight_series, weight_words
from gems_gui.views.arm_axis import SCALE, order_option
from gems_gui.views.arm_view import ArmView


class DesignWeights(ArmView):
    """λ_k of every arm as bars, with the share of the pulls that rounding gave it."""

    name = "weights"
    title = "Design weights λ_k"
    about = (
        "How the pulls of this round are spread over the arms: the bars are the optimal design λ_k, the lines what "
        "rounding to whole pulls made of it. Grey: the design of the round before, until this one has its own. A "
        "validation pulls each candidate as often as the others."
    )
    options = (order_option("By weight"), SCALE)

    def make(self) -> QWidget:
        """Bars of the design, caps of the allocation, bars of a validation."""
        plot = super().make()
        self.weights, self.validated = self.bars(), self.bars()
        self.caps = self.line()
        self.series: WeightSeries | None = None
        return plot

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        super().clear()

    def paint(self, moment: Moment) -> None:
        """The design of the round at the cursor."""
        series = self.series = weight_series(moment, self.settings["order"])
        shown = series.counts if series.validation else series.shares
        unit = "pulls" if series.validation else "share of pulls"
        least = 0.5 if series.validation else None
        self.plot.arrange(series.order, self.settings["scale"], [series.weights, shown], unit, "by weight", least)
        role, words = ("before", f"λ_{series.k} of the round before") if series.late else ("surviving", "design λ_k")
        self.plot.draw(self.weights, role, series.weights)
        legend = [("■", role, words)] if series.solved else []
        if series.validation:
            self.plot.draw(self.validated, "chosen", series.counts)
            legend.append(("■", "chosen", "pulls of a candidate"))
        elif series.allocated:
            self.plot.caps(self.caps, "text", series.shares)
            legend.append(("─", "text", "after rounding"))
        self.finish(series.subtitle, legend, series.nothing)

    def _words(self, x: float) -> str:
        if self.moment is None or self.series is None:
            return ""
        return weight_words(self.moment, self.series, x)
