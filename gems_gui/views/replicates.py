"""The view of many seeds of the shown run in one plot."""

from __future__ import annotations

from gems_gui.series.replicates import QUANTITIES, BandSeries, band_series, band_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.band import steps
from gems_gui.views.kit import band, line
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView


class ReplicateBands(PlotView[BandSeries]):
    """Quantiles over other seeds, and the shown run."""

    name = "replicates"
    title = "Replicates"
    marks_selection = False
    about = (
        "More seeds of the shown run: the median, the band that contains half of the seeds and the band that contains "
        "80 % of them. The thin line is this run, up to the cursor. Ctrl+K runs more seeds."
    )
    options = (Option("quantity", "Show", QUANTITIES),)

    axes = Axes(whole="y")
    outer = band("surviving", 46)
    inner = band("surviving", 70)
    median = line("surviving", 2)
    own = line("text", 1.2)

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = band_series(snapshot, self.settings["quantity"])
        if series.placeholder:
            return
        low, below, middle, above, high = series.lines
        self.outer.set_steps(series.edges, low, high)
        self.inner.set_steps(series.edges, below, above)
        self.median.setData(*steps(series.edges, middle))
        self.own.setData(*steps(series.own_x, series.own_y))
        self.plot.x_axis.set_log(not series.by_place)
        self.plot.y_axis.set_log(series.log_y)
        self.plot.x_axis.set_tick_labels(series.names if series.by_place else None)
        self.plot.label(series.x_label, series.y_label, self.theme)
        room = self.theme.pixels(8)
        self.plot.frame(series.x_range, series.y_range, room, 0.0 if series.by_place else room)

    def entries(self, series: BandSeries) -> Entries:
        if series.placeholder:
            return ()
        return (
            ("━", "surviving", "median"),
            ("■", "surviving", "50 % and 80 % of all seeds"),
            ("━", "text", "this run", len(series.own_y)),
        )

    def describe(self, snapshot: Snapshot, series: BandSeries, x: float, y: float) -> str:
        return band_text(snapshot, series, x)
