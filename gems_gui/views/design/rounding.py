"""The view of a design after rounding to whole pulls."""

from __future__ import annotations

from gems_gui.design_study import Study
from gems_gui.series.design.arms import RoundingSeries, rounding_series, rounding_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import SCALE, WIDE
from gems_gui.views.arm_view import ArmView
from gems_gui.views.design.study_view import StudyView, arm_option
from gems_gui.views.kit import ItemGroup, bars, dashes
from gems_gui.views.plot_view import Entries


class Rounding(StudyView, ArmView[RoundingSeries]):
    """Whole pulls as bars, N·λ as outlines; the rounding factor is in the head."""

    name = "design-rounding"
    title = "Rounding"
    about = (
        "N·λ rounded to whole pulls: bars are the counts, outlines N·λ. The factor is the cost of rounding: the value "
        "under the counts divided by that of the design; the theorems allow 1 + ζ. Enter another N to see when there "
        "are too few pulls."
    )
    options = (arm_option("By pulls"), SCALE)

    counts = ItemGroup({role: bars() for role in ("surviving", "now")})
    outlines = bars()
    caps = dashes()

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        series = self.series = rounding_series(snapshot, study, self.settings["order"])
        self.plot.arrange(series.order, self.settings["scale"], [series.wanted, series.counts], "pulls", "by pulls")
        role = "surviving" if series.within else "now"
        self.plot.draw(self.counts[role], role, series.counts)
        if len(series.order) <= WIDE:
            self.plot.draw(self.outlines, "text", series.wanted, outline=True)
        else:
            self.plot.caps(self.caps, "text", series.wanted)

    def entries(self, series: RoundingSeries) -> Entries:
        return (
            ("■", "surviving", "counts", series.within),
            ("■", "now", "counts: above 1 + ζ", not series.within),
            ("□" if len(series.order) <= WIDE else "─", "text", "N·λ"),
            *super().entries(series),
        )

    def describe(self, snapshot: Snapshot, series: RoundingSeries, x: float, y: float) -> str:
        return rounding_text(snapshot, series, x)
