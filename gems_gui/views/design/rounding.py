"""The view of what rounding makes of a design."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gems_gui.series.design.arms import RoundingSeries, rounding_series, rounding_words
from gems_gui.series.design.study import Study
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import SCALE, WIDE
from gems_gui.views.design.study_view import ArmStudyView, arm_option


class Rounding(ArmStudyView):
    """Whole pulls as bars, N·λ as outlines; the factor that was paid stands in the head."""

    name = "design-rounding"
    title = "Rounding"
    about = (
        "What N·λ becomes as whole pulls: bars are the counts, outlines N·λ. The factor is what rounding cost, the "
        "value under the counts over that of the design; the theorems allow 1 + ζ. Give another N to see when it is "
        "too few."
    )
    options = (arm_option("By pulls"), SCALE)

    def make(self) -> QWidget:
        """Bars of the counts, outlines or caps of N·λ."""
        made = super().make()
        self.counts = {role: self.bars() for role in ("surviving", "now")}
        self.outlines = self.bars()
        self.caps = self.line()
        self.series: RoundingSeries | None = None
        return made

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        """The rounding of a study."""
        series = self.series = rounding_series(snapshot, study, self.settings["order"])
        self.plot.arrange(series.order, self.settings["scale"], [series.wanted, series.counts], "pulls", "by pulls")
        role = "surviving" if series.within else "now"
        self.plot.draw(self.counts[role], role, series.counts)
        legend = [("■", role, "counts" if series.within else "counts: above 1 + ζ")]
        if len(series.order) <= WIDE:
            self.plot.draw(self.outlines, "text", series.wanted, outline=True)
            legend.append(("□", "text", "N·λ"))
        else:
            self.plot.caps(self.caps, "text", series.wanted)
            legend.append(("─", "text", "N·λ"))
        self.finish(series.subtitle, legend)

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        super().clear()

    def _words(self, x: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return rounding_words(self.snapshot, self.series, x)
