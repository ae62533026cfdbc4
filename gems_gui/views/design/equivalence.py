"""The view of the equivalence theorem: G_x over the arms."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from gems_gui.moment import Moment
from gems_gui.series.design.arms import EquivalenceSeries, equivalence_series, equivalence_words
from gems_gui.series.design.study import Study
from gems_gui.theme import Theme
from gems_gui.views.arm_axis import LINEAR, LOG
from gems_gui.views.design.study_view import ArmStudyView, arm_option
from gems_gui.views.levels import LevelLine
from gems_gui.views.option import Option

AUTOMATIC = "automatic"
_FAR = 20.0  # a largest G from which on a linear scale would hide the others
_ROOM = 1.3  # of the scale, at least: for the name of the line at 1
_ROLES = ("surviving", "before", "now")


class Equivalence(ArmStudyView):
    """G_x as bars against the line at 1: nowhere above it, and on it where the design has weight."""

    name = "design-equivalence"
    title = "Equivalence theorem"
    about = (
        "G_x = Σ_y w_y (xᵀu_y)², over the value: the design is optimal exactly if it is 1 on its support and nowhere "
        "above 1. Arms above 1 deserve more weight, and the largest bar is the value over the bound that is proven."
    )
    options = (
        arm_option("By G"),
        Option("scale", "Scale", {AUTOMATIC: "Linear, or logarithmic if far", LINEAR: "Linear", LOG: "Logarithmic"}),
    )

    def make(self) -> QWidget:
        """Bars for three kinds of arms, caps for the other design, the line at 1."""
        made = super().make()
        self.kinds = {role: self.bars() for role in _ROLES}
        self.caps = self.line()
        self.one = LevelLine(self.plot)
        self.series: EquivalenceSeries | None = None
        return made

    def dress(self, theme: Theme) -> None:
        """Colours."""
        super().dress(theme)
        self.one.dress(theme, "text")

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        self.one.hide()
        super().clear()

    def draw(self, moment: Moment, study: Study) -> None:
        """G_x under the weights of a study."""
        series = self.series = equivalence_series(moment, study, self.settings["order"])
        values = np.nan_to_num(series.sensitivity)
        scale = self.settings["scale"]
        if scale == AUTOMATIC:
            scale = LOG if series.most > _FAR else LINEAR
        most = max(_ROOM, 1.1 * series.most)
        self.plot.arrange(series.order, scale, [values, series.beside, np.array([most])], "G over the value", "by G")
        kinds = {
            "surviving": series.support & ~series.above,
            "before": ~series.support & ~series.above,
            "now": series.above,
        }
        for role, some in kinds.items():
            self.plot.draw(self.kinds[role], role, np.where(some, values, 0.0))
        if series.beside_words:
            self.plot.caps(self.caps, "text", series.beside)
        self.one.show(0.0 if self.plot.log else 1.0, "1")
        words = {"surviving": "on the support", "before": "no weight", "now": "above 1"}
        legend = [("■", role, words[role]) for role, some in kinds.items() if values[some].any()]
        if series.beside_words:
            legend.append(("─", "text", series.beside_words))
        self.finish(series.subtitle, legend)

    def _words(self, x: float) -> str:
        if self.moment is None or self.series is None:
            return ""
        return equivalence_words(self.moment, self.series, x)
