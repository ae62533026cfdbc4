"""The view of the pulls of every arm in each of several runs."""

from __future__ import annotations

from gems_gui.series.compare_counts import PULLS, SHARE, ComparedCounts, compared_count_text, compared_counts
from gems_gui.series.side_by_side import MOST
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import SCALE, order_option
from gems_gui.views.arm_view import ArmView
from gems_gui.views.kit import ItemGroup, bars
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Entries
from gems_gui.views.race import UNTIL


class CompareCounts(ArmView[ComparedCounts]):
    """A bar for each run at every arm, in the colour of the run."""

    name = "compare-counts"
    title = "Samples by run"
    about = (
        "How often each arm was pulled in each of the compared runs, up to the same number of samples. Shows where one "
        "run spends samples that another one saves. The colours are those of the runs in the list of runs."
    )
    options = (
        Option("shows", "Show", {PULLS: "Pulls", SHARE: "Percent of the run's pulls"}),
        order_option("By pulls"),
        SCALE,
        UNTIL,
    )

    runs = ItemGroup({run: bars() for run in range(MOST)})

    def paint(self, snapshot: Snapshot) -> None:
        shows = self.settings["shows"]
        series = self.series = compared_counts(snapshot, shows, self.settings["order"], self.settings["until"])
        unit, least = ("pulls", 0.5) if shows == PULLS else ("% of pulls", None)
        self.plot.arrange(series.order, self.settings["scale"], series.shown, unit, "by pulls", least=least)
        for at, (side, values) in enumerate(zip(series.sides.runs, series.shown, strict=True)):
            self.plot.draw_beside(self.runs[at], f"run {side.color}", values, at, len(series.shown))

    def entries(self, series: ComparedCounts) -> Entries:
        return *(("■", f"run {side.color}", side.short) for side in series.sides.runs), *super().entries(series)

    def describe(self, snapshot: Snapshot, series: ComparedCounts, x: float, y: float) -> str:
        return compared_count_text(snapshot, series, x)
