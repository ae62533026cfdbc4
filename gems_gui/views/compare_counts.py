"""The view of how often every arm was pulled in each of several runs."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gems_gui.series.compare_counts import PULLS, SHARE, ComparedCounts, compared_count_words, compared_counts
from gems_gui.series.side_by_side import MOST
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import SCALE, order_option
from gems_gui.views.arm_view import ArmView
from gems_gui.views.compare_lanes import UNTIL
from gems_gui.views.option import Option


class CompareCounts(ArmView):
    """A bar for each run at every arm, in the colours of the runs."""

    name = "compare-counts"
    title = "Samples by run"
    about = (
        "How often each arm was pulled in each of the compared runs, up to the same number of samples: where one "
        "spends what another saves. The colours are those of the runs in their list."
    )
    options = (
        Option("shows", "Shows", {PULLS: "Pulls", SHARE: "Percent of the run's pulls"}),
        order_option("By pulls"),
        SCALE,
        UNTIL,
    )

    def make(self) -> QWidget:
        """A set of bars for each run."""
        plot = super().make()
        self.runs = [self.bars() for _ in range(MOST)]
        self.series: ComparedCounts | None = None
        return plot

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        super().clear()

    def paint(self, snapshot: Snapshot) -> None:
        """The pulls up to the clock."""
        shows = self.settings["shows"]
        series = self.series = compared_counts(snapshot, shows, self.settings["order"], self.settings["until"])
        unit, least = ("pulls", 0.5) if shows == PULLS else ("% of pulls", None)
        self.plot.arrange(series.order, self.settings["scale"], series.shown, unit, "by pulls", least=least)
        legend = []
        for at, (side, values) in enumerate(zip(series.sides.runs, series.shown, strict=True)):
            self.plot.draw_beside(self.runs[at], f"run {side.color}", values, at, len(series.shown))
            legend.append(("■", f"run {side.color}", side.short))
        self.finish(series.subtitle, legend, series.nothing)

    def _words(self, x: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return compared_count_words(self.snapshot, self.series, x)
