"""The view of the survivors of every round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.fate_raster import BEFORE, MOST_COLUMNS, NOW, SURVIVING, UNDECIDED
from gems_gui.series.row_names import row_names
from gems_gui.series.surviving_arms import (
    ESTIMATE,
    EVENTS,
    INDEX,
    LEAST_ROW,
    REWARD,
    ROUNDS,
    SAMPLES,
    SurvivalSeries,
    survival_raster,
    survival_rules,
    survival_series,
    survival_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.items import MarkItem
from gems_gui.views.kit import Stroke, count_strip, hatching, line, marks, outline, raster
from gems_gui.views.number_axis import Level
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, Entries, PlotView
from gems_gui.views.view import TARGET

_FAINT = 90  # of 255: opacity of the lines between cells
_ROOM = 14  # pixels for each mark next to the raster, and above it for that of the current round
_LIGHT = 110  # of 255: opacity of a survivor before its round has decided


def _fate_colors(theme: Theme) -> dict[int, QColor]:
    fates = {BEFORE: "before", NOW: "now", SURVIVING: "surviving"}
    return {UNDECIDED: theme.color("surviving", _LIGHT)} | {code: theme.color(role) for code, role in fates.items()}


class SurvivingArms(PlotView[SurvivalSeries]):
    """The fate of every target in every round as one image, with marks next to it and |Ŝ| above it."""

    name = "survivors"
    title = "Surviving arms"
    picks = TARGET
    blanks = False
    about = (
        "One row for each arm, one column for each round: which arms survive the round, which arms it eliminates, and "
        "how many remain. Light: the round has not decided yet, or has not started."
    )
    options = (
        Option("scope", "Rounds", {SUBROUTINE: "This call", RUN: "Whole run"}),
        Option("order", "Arms", {REWARD: "By true reward", ESTIMATE: "By estimate", INDEX: "By index"}),
        Option("axis", "Width of a round", {ROUNDS: "Rounds", EVENTS: "Events", SAMPLES: "Samples"}),
    )

    # The arms are known from the start.
    axes = Axes(whole="x", named="y", silent="x", bare="xy", down=True, printed=("", "arm"))
    image = raster(_fate_colors)
    hatch = hatching("card")
    lines = line("card", alpha=_FAINT, grows=False, connect="pairs")
    gaps = line("card", 5, grows=False, connect="pairs")
    coming = line("line", grows=False, connect="pairs")
    chosen_row = outline(Stroke("text", 2))
    current = outline(Stroke("text", 2))
    pointer = marks("t", "text", 10)
    best = marks("star", "best", 14)
    recommended = marks("d", "chosen", 11)
    counts = count_strip()

    def paint(self, snapshot: Snapshot) -> None:
        chosen, fates = self.settings, None if self.series is None else self.series.fates
        series = self.series = survival_series(snapshot, chosen["scope"], chosen["order"], chosen["axis"], fates)
        self.plot.label(series.x_label, series.y_label, self.theme)
        self.plot.x_axis.set_tick_labels(series.places)
        self.resized(snapshot, series)

    def resized(self, snapshot: Snapshot, series: SurvivalSeries) -> None:
        targets, room = float(len(series.order)), self.theme.pixels(_ROOM)
        marks = room * (1 if series.best is None else 2) + 4
        self.plot.frame((0.0, series.width), (0.0, targets), above=4, below=room, before=marks, after=room / 2)
        x_pixel, y_pixel = self.plot.framed_pixel
        shown, end = np.arange(len(series.survivors)), float(series.edges[-1])
        if len(shown):
            pixels = np.inf if self.plot.zoomed else self.plot.devicePixelRatioF() * end / x_pixel
            codes, shown = survival_raster(snapshot, series, min(pixels, MOST_COLUMNS), targets / self.plot.pixel[1])
            column = QRectF(series.edges[-2], 0.0, end - series.edges[-2], targets)
            self.image.fill(codes, QRectF(0.0, 0.0, end, targets))
            self.hatch.fill(codes[:, -1] == UNDECIDED, column)
            rules = survival_rules(series, x_pixel, y_pixel)
            self.lines.set_rules((0.0, end), rules.rows, (0.0, targets), rules.columns)
            self.gaps.set_rules((), np.zeros(0), (0.0, targets), rules.boundaries)
            self.coming.set_rules((end, *series.coming[-1:]), rules.coming_rows, (0.0, targets), series.coming)
            aside = 1 + self.theme.stroke(2) / 2  # outside, with a gap: a row may be no higher than its outline
            self.current.set_outline(None if series.waits else column, aside)
        else:
            for item in (self.image, self.hatch, self.current, self.lines, self.gaps, self.coming):
                item.empty()
        started = len(shown) > 0 and not series.waits
        self.pointer.set_point(series.edges[[series.current, -1]].mean(), -0.5 * room * y_pixel if started else None)
        self._mark(self.best, -0.75 * marks * x_pixel, series.best)
        self._mark(self.recommended, -(0.5 if series.best is None else 0.25) * marks * x_pixel, series.recommended)
        row = None if series.selected is None else QRectF(0.0, series.selected, max(end, series.width), 1.0)
        self.chosen_row.set_outline(row, least=LEAST_ROW)
        self._name_rows(snapshot, series)
        self.counts.show_counts(series.edges, series.survivors, len(series.order), shown, series.even)

    def _name_rows(self, snapshot: Snapshot, series: SurvivalSeries) -> None:
        """Name every row if all names fit; else the recommended and the best arm and the survivors, then others."""
        axis, (low, high) = self.plot.y_axis, self.plot.box.viewRange()[1]
        all_fit = self.plot.pixel[1] * axis.name_line <= 1.0
        names, more = row_names(snapshot, series, axis.most_levels, all_fit, low, high)
        levels = [Level(row, words, self.theme.text if first else self.theme.dim) for row, words, first in names]
        axis.set_tick_labels(series.names if more is None else [])
        counted = [] if more is None or self.theme.paper else [Level(*more, self.theme.dim, exact=False)]
        axis.name_levels(self, *levels, *counted)

    @staticmethod
    def _mark(item: MarkItem, x: float, position: int | None) -> None:
        """Place a mark next to a row, or hide it."""
        item.set_point(x, None if position is None else position + 0.5)

    def entries(self, series: SurvivalSeries) -> Entries:
        return (
            ("■", "surviving", "surviving"),
            ("■", "now", "eliminated this round"),
            ("■", "before", "eliminated before"),
            ("▨", "surviving", "being decided"),
            ("★", "best", self.best_words, series.best is not None),
            ("◆", "chosen", series.called, series.recommended is not None),
            ("─", "surviving", "arms remaining", self.counts.line.isVisible()),
        )

    # -- mouse ------------------------------------------------------------------------------------------------------

    def describe(self, snapshot: Snapshot, series: SurvivalSeries, x: float, y: float) -> str:
        return survival_text(snapshot, series, x, y)

    def in_order(self) -> Sequence[int]:
        return () if self.series is None else self.series.order.tolist()

    def index_at(self, series: SurvivalSeries, x: float, y: float) -> int | None:
        return series.target_at(x, y)
