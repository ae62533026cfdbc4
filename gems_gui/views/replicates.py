"""The view of many seeds of the shown run, laid over each other."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from gems_gui.series.replicates import QUANTITIES, BandSeries, band_series, band_words
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.band import Band, steps
from gems_gui.views.items import CurveItem
from gems_gui.views.option import Option
from gems_gui.views.plot import Plot
from gems_gui.views.view import View

_OUTER, _INNER = 46, 70  # of 255: how much colour the bands have


class ReplicateBands(View):
    """Quantiles of what other seeds did, and what this run did."""

    name = "replicates"
    title = "Replicates"
    marks_selection = False
    about = (
        "More seeds of the shown run, laid over each other: the median, the band with half of them and the band with "
        "eight of ten; the thin line is this run, up to the cursor. Ctrl+K runs them."
    )
    options = (Option("quantity", "What", QUANTITIES),)

    def make(self) -> QWidget:
        """Two bands, the median, and the run's own line."""
        self.plot = Plot(whole_y=True)
        self.plot.describe = self._describe
        self.outer, self.inner = Band(self.plot.box), Band(self.plot.box)
        self.median = CurveItem(self.plot.box)
        self.own = CurveItem(self.plot.box)
        self.series: BandSeries | None = None
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)
        self.outer.set_color(theme.color("surviving", _OUTER))
        self.inner.set_color(theme.color("surviving", _INNER))
        self.median.setPen(pg.mkPen(theme.surviving, width=theme.stroke(2)))
        self.own.setPen(pg.mkPen(theme.text, width=theme.stroke(1.2)))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        self.outer.set_steps()
        self.inner.set_steps()
        self.median.empty()
        self.own.empty()
        self._scale(False, False)
        self.plot.x_axis.name_places([])
        self.plot.frame((0.0, 1.0), (0.0, 1.0))

    def paint(self, snapshot: Snapshot) -> None:
        """What is known of all seeds, and of this run up to the cursor."""
        series = self.series = band_series(snapshot, self.settings["quantity"])
        if series.nothing:
            self.set_subtitle("", series.nothing)
            return
        low, below, middle, above, high = series.lines
        self.outer.set_steps(series.edges, low, high)
        self.inner.set_steps(series.edges, below, above)
        self.median.setData(*steps(series.edges, middle))
        self.own.setData(*steps(series.own_x, series.own_y))
        self._scale(not series.by_place, series.log_y)
        if series.by_place:
            self.plot.x_axis.name_places(series.names)
        self.plot.label(series.x_label, series.y_label, self.theme)
        room = self.theme.pixels(8)
        self.plot.frame(series.x_range, series.y_range, room, 0.0 if series.by_place else room)
        legend = [("━", "surviving", "median"), ("■", "surviving", "half of all seeds, and 8 of 10")]
        if len(series.own_y):
            legend.append(("━", "text", "this run"))
        self.legend.show_entries(legend, self.theme)
        self.set_subtitle(series.subtitle)

    def _scale(self, log_x: bool, log_y: bool) -> None:
        """Logarithms where there are samples; names of places elsewhere."""
        if log_x:
            self.plot.x_axis.name_places(None)
        for axis, log in ((self.plot.x_axis, (log_x, False)), (self.plot.y_axis, (False, log_y))):
            if bool(axis.logMode) != any(log):
                axis.setLogMode(*log)

    def _describe(self, x: float, y: float) -> str:
        return "" if self.snapshot is None or self.series is None else band_words(self.snapshot, self.series, x)
