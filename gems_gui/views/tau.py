"""The view of the distribution of τ over many seeds of the shown run."""

from __future__ import annotations

import numpy as np

from gems_gui.series.tau import TauSeries, tau_series, tau_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.kit import DASHED, ItemGroup, bars, hairline, line, marks
from gems_gui.views.plot_view import Entries, PlotView

_MOST_DOTS = 2_000  # more dots would hide each other

_TAU = "τ, samples after which the recommendation stays right"


class TauDistribution(PlotView[TauSeries]):
    """The share of all trials with at most a given τ, as steps; trials without τ are a column at the right edge."""

    name = "tau"
    title = "Distribution of τ"
    marks_selection = False
    about = (
        "The share of the replicates that settle on the right arm within a given number of samples. The column on the "
        "right counts those that are wrong at the end: they have no τ, but are part of every quantile."
    )

    zeros = bars("chosen", 150)
    columns = ItemGroup({role: bars(role, 170, hairline("card")) for role in ("budget", "now", "dim")})
    edge = line("line", 1, DASHED, connect="pairs")
    steps = line("chosen", 2)
    interval = line("surviving", 3)
    own = line("text", 1.2, DASHED)
    dots = marks("o", "chosen", 5, alpha=130, like_text=False)
    median = marks("d", "surviving", 10, like_text=False)

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = tau_series(snapshot)
        if series.placeholder:
            return
        self.plot.x_axis.set_log(True)
        self.plot.y_axis.set_tick_labels([(each / 4, f"{25 * each} %") for each in range(5)])
        left, right = series.x_range
        low, high = self.plot.x_axis.lowest, self.plot.x_axis.highest = series.inner
        x = np.concatenate([[low], np.repeat(series.logs, 2), [high]])
        y = np.concatenate([[series.zeros] * 2, np.repeat(series.shares, 2)])
        self.steps.setData(x, y)
        self.edge.setData([low, low, high, high], [0.0, 1.0, 0.0, 1.0])
        some = [series.zeros] if series.zeros else []
        self.zeros.setOpts(
            x=[(left + low) / 2] * len(some), y0=[0.0] * len(some), height=some, width=0.6 * (low - left)
        )
        below, drawn = series.success, {}
        for each in series.censored:
            drawn[each.role] = (below, each.trials / series.total)
            below += each.trials / series.total
        for role, column in self.columns.items():
            if role in drawn:
                middle, width = (high + right) / 2, 0.6 * (right - high)
                column.setOpts(x=[middle], y0=[drawn[role][0]], height=[drawn[role][1]], width=width)
            else:
                column.empty()
        dots = series.logs[:: max(1, len(series.logs) // _MOST_DOTS)]
        self.dots.setData(dots, np.full(len(dots), -0.035))
        self._median(series)
        self.own.setData(*(([], []) if series.own is None else ([series.own] * 2, [0.0, 1.0])))
        self.plot.label("τ, samples" if self.theme.paper else _TAU, "share of all seeds", self.theme)
        self.plot.frame((left, right), (-0.07, 1.0), self.theme.pixels(8))

    def entries(self, series: TauSeries) -> Entries:
        if series.placeholder:
            return ()
        return (
            ("━", "chosen", "share with at most this τ"),
            ("◆", "surviving", "median and its 95 % interval"),
            ("┆", "text", "this run", series.own is not None),
            *(("■", each.role, f"{each.trials} {each.words}") for each in series.censored),
            ("■", "chosen", "τ = 0", series.zeros),
        )

    def _median(self, series: TauSeries) -> None:
        """Draw the median with the interval between two order statistics; infinite ends are at the edge."""
        low, high = series.inner
        found = series.median
        if found is None or found.value == 0.0:
            self.interval.empty()
            self.median.empty()
            return
        ends = [np.clip(np.log10(max(each, 1e-9)), low, high) for each in (found.low, found.high)]
        self.interval.setData(ends, [0.5, 0.5])
        finite = np.isfinite(found.value)
        self.median.setData([np.log10(found.value)] if finite else [], [0.5] if finite else [])

    def describe(self, snapshot: Snapshot, series: TauSeries, x: float, y: float) -> str:
        return tau_text(series, x)

    def clicked(self, snapshot: Snapshot, series: TauSeries, x: float, y: float) -> None:
        seed = series.seed_at(x) if x <= series.inner[1] else None
        if seed is not None:
            self.seed_picked.emit(seed)
