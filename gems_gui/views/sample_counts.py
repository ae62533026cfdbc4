"""The view of the pulls of every arm."""

from __future__ import annotations

from functools import partial

import numpy as np

from gems_engine.arrays import Integers
from gems_gui.series.names import short_arm_name
from gems_gui.series.sample_counts import (
    ALL,
    BY_ROUND,
    EVERY,
    MOST_LAYERS,
    PULLED,
    ROUND,
    RUN,
    SUBROUTINE,
    CountSeries,
    count_series,
    count_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.views.arm_axis import SCALE, order_option
from gems_gui.views.arm_view import ArmView
from gems_gui.views.kit import ItemGroup, bars
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Entries


class SampleCounts(ArmView[CountSeries]):
    """Pulls of every arm, stacked: this round, the rest of this subroutine, the rest of the run."""

    name = "counts"
    title = "Samples per arm"
    about = (
        "How often each arm was pulled. From the bottom: in this round, before it in this call, and before that "
        "in the run. Bars on a logarithmic scale are not stacked: each starts at the axis. Stacked by round, the first "
        "round of this call is at the bottom, and a bar ends at the pulls up to its round."
    )
    options = (
        Option(
            "shows",
            "Show",
            {
                ALL: "All, stacked",
                ROUND: "This round",
                SUBROUTINE: "This call",
                RUN: "Whole run",
                BY_ROUND: "This call, stacked by round",
            },
        ),
        Option("arms", "Which arms", {EVERY: "All", PULLED: "Pulled only"}),
        order_option("By pulls"),
        SCALE,
    )

    layers = ItemGroup({layer: bars() for layer in range(MOST_LAYERS)})
    run = bars()
    subroutine = bars()
    round = bars()

    def paint(self, snapshot: Snapshot) -> None:
        shows = self.settings["shows"]
        series = self.series = count_series(snapshot, shows, self.settings["order"], self.settings["arms"])
        name = partial(short_arm_name, snapshot.instance)
        if shows == BY_ROUND:
            self._stack(series)
            self.plot.name_bars(series.this_subroutine, name)
            return
        here, before = series.this_round, series.subroutine_before
        scopes = {ROUND: here, SUBROUTINE: series.this_subroutine}
        shown = scopes.get(shows, series.run)
        drawn = [here, series.this_subroutine, shown] if shows == ALL else [shown]
        self.plot.arrange(series.order, self.settings["scale"], drawn, "pulls", "by pulls", least=0.5)
        self.plot.name_bars(shown, name)
        if shows == ALL and not self.plot.log:
            self.plot.draw(self.round, "chosen", here)
            self.plot.draw(self.subroutine, "surviving", before, under=here)
            self.plot.draw(self.run, "before", series.run_before, under=here + before)
        else:
            if shows in (ALL, RUN):
                self.plot.draw(self.run, "before", series.run)
            if shows in (ALL, SUBROUTINE):
                self.plot.draw(self.subroutine, "surviving", series.this_subroutine)
            if shows in (ALL, ROUND):
                self.plot.draw(self.round, "chosen", here, width=0.4 if shows == ALL else 0.8)

    def _stack(self, series: CountSeries) -> None:
        """Draw the pulls up to each round, later ones behind earlier ones: this is correct on both scales."""
        layers = [counts for _, counts in series.layers]
        sums: list[Integers] = list(np.cumsum(layers, axis=0)) if layers else []
        self.plot.arrange(series.order, self.settings["scale"], sums[-1:], "pulls", "by pulls", least=0.5)
        for at, counts in enumerate(sums):
            self.plot.draw(self.layers[len(sums) - 1 - at], _layer_role(at, len(sums)), counts)

    def entries(self, series: CountSeries) -> Entries:
        shows, layers = self.settings["shows"], len(series.layers)
        if shows == BY_ROUND:
            rounds = [("■", _layer_role(at, layers), f"k {name}") for at, (name, _) in enumerate(series.layers)]
            return *rounds, *super().entries(series)
        rest = "last call" if series.validation else "rest of this call"
        rest = "previous rounds" if series.one_call else rest
        stacked = shows == ALL and not self.plot.log
        return (
            ("■", "chosen", "this validation" if series.validation else "this round", shows in (ALL, ROUND)),
            ("■", "surviving", rest if stacked else "this call", shows in (ALL, SUBROUTINE)),
            (
                "■",
                "before",
                "rest of the run" if stacked else "whole run",
                shows in (RUN, "" if series.one_call else ALL),
            ),
            *super().entries(series),
        )

    def describe(self, snapshot: Snapshot, series: CountSeries, x: float, y: float) -> str:
        return count_text(snapshot, series, x)


def _layer_role(at: int, layers: int) -> str:
    """The role with the colour of a layer: stronger for later rounds."""
    return f"surviving {round(30 + 70 * (at + 1) / layers)}%"
