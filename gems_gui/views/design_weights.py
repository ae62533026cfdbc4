"""The view of the optimal design of the current round."""

from __future__ import annotations

from functools import partial
from math import inf

import numpy as np

from gems_engine.terminal import number, with_indices
from gems_gui.series.design_weights import (
    ALL,
    EVERY,
    HISTORY,
    SUPPORT,
    THIS,
    WeightSeries,
    weight_series,
    weight_text,
)
from gems_gui.series.names import short_arm_name
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import LINEAR, SCALE, order_option
from gems_gui.views.arm_view import ArmView
from gems_gui.views.history_plot import HistoryPlot, cell_role
from gems_gui.views.kit import bars, dashes
from gems_gui.views.legend import Entry
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Entries


class DesignWeights(ArmView[WeightSeries]):
    """λ_k of every arm as bars, with the arm's share of the pulls after rounding."""

    name = "weights"
    title = "Design weights λ_k"
    about = (
        "How the pulls of this round are distributed over the arms: bars are the optimal design λ_k, lines the shares "
        "after rounding to whole pulls. Grey bars: the design of the previous round, until this one has its own. A "
        "validation pulls all candidates equally often. The cells below show the designs of all rounds of this "
        "call, the first at the top: the stronger a cell, the more weight the arm has in that round."
    )
    options = (
        Option(
            "rounds", "Rounds", {HISTORY: "This round, all rounds below", THIS: "This round only", ALL: "All rounds"}
        ),
        Option("arms", "Which arms", {EVERY: "All", SUPPORT: "Support only"}),
        order_option("By weight"),
        SCALE,
    )
    kind_of_plot = HistoryPlot
    plot: HistoryPlot
    weights = bars()
    validated = bars()
    caps = dashes()

    def paint(self, snapshot: Snapshot) -> None:
        chosen, plot = self.settings, self.plot
        series = self.series = weight_series(snapshot, chosen["order"], chosen["rounds"], chosen["arms"])
        plot.have_rounds(series.rounds.weights, [number(k) for k in series.rounds.k.tolist()], series.alone)
        strip = plot.strip_height(series.order)
        if series.alone:
            plot.y_axis.highest = inf
            plot.arrange(series.order, LINEAR, [np.zeros(0)], "round k", "by weight", strip=strip)
            return
        shown = series.counts if series.validation else series.shares
        unit = "pulls" if series.validation else "share of pulls"
        least = 0.5 if series.validation else None
        plot.arrange(series.order, chosen["scale"], [series.weights, shown], unit, "by weight", least, strip)
        plot.y_axis.highest = inf if series.validation else 0.0 if plot.log else 1.0  # no share is larger
        plot.draw(self.weights, "before" if series.late else "surviving", series.weights)
        if series.validation:
            plot.draw(self.validated, "chosen", series.counts)
        elif series.allocated:
            plot.caps(self.caps, "text", series.shares)
        plot.name_bars(np.maximum(series.weights, shown), partial(short_arm_name, snapshot.instance))

    def entries(self, series: WeightSeries) -> Entries:
        if series.alone:
            return *_scale(series), *super().entries(series)
        previous = with_indices(f"λ_{series.k} of the previous round")
        return (
            ("■", "before", previous, series.solved and series.late),
            ("■", "surviving", "design λₖ", series.solved and not series.late),
            ("■", "chosen", "pulls of a candidate", series.validation),
            ("─", "text", "after rounding", series.allocated and not series.validation),
            ("■", cell_role(0.5), "below: λ of each round", self.plot.strip),
            *super().entries(series),
        )

    def describe(self, snapshot: Snapshot, series: WeightSeries, x: float, y: float) -> str:
        """What is known of the arm at x; over a cell, of the arm in that round."""
        row = self.plot.row_at(y)
        return weight_text(snapshot, series, x, row if row is not None and row < len(series.rounds) else None)


def _scale(series: WeightSeries) -> list[Entry]:
    """The colours of cells: the square root of a weight, which makes small weights visible."""
    most = float(series.rounds.weights.max(initial=0.0))
    parts = (0.25, 0.5, 1.0) if most else ()
    return [("■", cell_role(part), f"λ = {number(part**2 * most, 2)}") for part in parts]
