"""The view of the equivalence theorem: g_x over the arms."""

from __future__ import annotations

import numpy as np

from gems_gui.design_study import Study
from gems_gui.series.design.arms import EquivalenceSeries, equivalence_series, equivalence_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import LINEAR, LOG
from gems_gui.views.arm_view import ArmView
from gems_gui.views.design.study_view import StudyView, arm_option
from gems_gui.views.kit import ItemGroup, bars, dashes, level
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Entries

AUTOMATIC = "automatic"
_FAR = 20.0  # a larger g gets a logarithmic scale, because a linear one would hide the others
_ROOM = 1.3  # the scale extends at least to here, for the name of the line at 1
_ROLES = {
    "now": "above 1: give more weight",
    "budget": "below 1 with weight: take some away",
    "surviving": "with weight",
    "before": "no weight",
}


class Equivalence(StudyView, ArmView[EquivalenceSeries]):
    """g_x as bars against the line at 1, its average over λ: no bar is above it if the design is optimal."""

    name = "design-equivalence"
    title = "Equivalence theorem"
    about = (
        "g_x = Σ_y w_y (xᵀu_y)² / Σ_y w_y yᵀu_y over the active directions y. Its average over λ is always 1, and the "
        "design is optimal if and only if no arm is above 1. Above 1: the arm needs more weight. Below 1 with weight: "
        "it needs less."
    )
    options = (
        arm_option("By g"),
        Option("scale", "Scale", {AUTOMATIC: "Automatic", LINEAR: "Linear", LOG: "Logarithmic"}),
    )

    kinds = ItemGroup({role: bars() for role in _ROLES})
    caps = dashes()
    one = level("text")

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        series = self.series = equivalence_series(snapshot, study, self.settings["order"])
        values = np.nan_to_num(series.g)
        scale = self.settings["scale"]
        if scale == AUTOMATIC:
            scale = LOG if series.most > _FAR else LINEAR
        most = max(_ROOM, 1.1 * series.most)
        self.plot.arrange(
            series.order, scale, [values, series.compared, np.array([most])], "g, average 1 over λ", "by g"
        )
        held = series.weights > 0.0
        kinds = {
            "now": series.above,
            "budget": series.below,
            "surviving": held & ~series.above & ~series.below,
            "before": ~held & ~series.above,
        }
        for role, some in kinds.items():
            self.plot.draw(self.kinds[role], role, np.where(some, values, 0.0))
        if series.compared_label:
            self.plot.caps(self.caps, "text", series.compared)
        self.one.show(0.0 if self.plot.log else 1.0, "1")

    def entries(self, series: EquivalenceSeries) -> Entries:
        return (
            *(("■", role, words, self.kinds[role].isVisible()) for role, words in _ROLES.items()),
            ("─", "text", series.compared_label, series.compared_label),
            *super().entries(series),
        )

    def describe(self, snapshot: Snapshot, series: EquivalenceSeries, x: float, y: float) -> str:
        return equivalence_text(snapshot, series, x)
