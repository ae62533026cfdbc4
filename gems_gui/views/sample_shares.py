"""The view of the shares of all samples."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF

from gems_gui.series.sample_shares import (
    ABOVE,
    ANY,
    AT,
    BELOW,
    DIMENSION,
    HALF,
    LOOP,
    SUBROUTINE,
    TAU,
    VALIDATION,
    ShareSeries,
    kind_text,
    percent,
    share_series,
    share_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.views.captions import PlotCaption
from gems_gui.views.kit import ItemGroup, bars, captions, level
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Entries, PlotView

_ROLES = {BELOW: "now", AT: "chosen", ABOVE: "surviving", ANY: "surviving", VALIDATION: "dim"}
_NARROW = 200  # with more bars, they get an outline: those thinner than a pixel would disappear
_HALF = 50.0  # percent of a budget that selection and validation may each use
_LEAST, _LEAST_HALVES = 4, 3  # there is always space for this many bars; names of halves are long


class SampleShares(PlotView[ShareSeries]):
    """Bars of the share of all samples, coloured by whether their dimension is below, at or above d⋆."""

    name = "shares"
    title = "Sample shares"
    marks_selection = False
    about = (
        "The share of all samples used by each dimension, loop or call, before and after τ, or by selection and "
        "validation; of a fixed budget, each of these may use one half. In a dimension "
        "below d⋆, estimates are biased; above it, they cost more samples than needed. Hatched: samples of idle "
        "rounds, which are counted but not drawn."
    )
    options = (
        Option(
            "by",
            "By",
            {
                DIMENSION: "Dimension",
                LOOP: "Loop",
                SUBROUTINE: "Call",
                TAU: "Before and after τ",
                HALF: "Selection and validation",
            },
        ),
    )

    drawn = ItemGroup({kind: bars(role) for kind, role in _ROLES.items()})
    idle = ItemGroup({kind: bars() for kind in _ROLES})
    texts = captions(at_the_bottom=True)
    half = level("budget")

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = share_series(snapshot, self.settings["by"])
        base = np.zeros(len(series.x))
        thin = len(series.x) > _NARROW
        for kind in _ROLES:
            self.drawn[kind].set_outlined(thin)
            for item, counts in ((self.drawn[kind], series.drawn[kind]), (self.idle[kind], series.idle[kind])):
                some = np.flatnonzero(counts)
                if not len(some) and not len(item.opts["x"]):
                    continue  # emptying an empty item costs as much as drawing it
                heights = series.share(counts)
                item.setOpts(x=series.x[some], y0=base[some], height=heights[some], width=0.8)
                base = base + heights
        top = max(float(base.max(initial=0.0)), 1e-3) if series.total else 100.0
        if series.budget:
            top = max(top, _HALF)
            self.half.show(_HALF, "one half")
        else:
            self.half.empty()
        self._write(series, top)
        self.plot.x_axis.set_tick_labels(series.names)
        unit = "share of the budget, %" if series.budget else "share of samples, %"
        self.plot.label(series.x_label, unit, self.theme)
        # The last bar is in the middle of its space, which is wider than 1 if it is set apart.
        wide = 2 * float(series.x[-1]) - len(series.x) if len(series.x) else 0.0
        least = _LEAST_HALVES if self.settings["by"] in (HALF, TAU) else _LEAST
        spare = max(0.0, least - wide) / 2
        self.plot.frame((0.5 - spare, wide + 0.5 + spare), (0.0, top), self.theme.pixels(18), self.theme.pixels(8))
        self.range_changed(snapshot, series)

    def entries(self, series: ShareSeries) -> Entries:
        return (
            *(
                ("■", role, kind_text(series, kind), series.drawn[kind].any() or series.idle[kind].any())
                for kind, role in _ROLES.items()
            ),
            ("▨", "text", "idle, not drawn", series.idle.any()),
        )

    def _write(self, series: ShareSeries, top: float) -> None:
        color = self.theme.color("text")
        shares = series.share(series.sums)
        self.texts.show_captions(
            [
                PlotCaption(QRectF(x - 0.5, share, 1.0, 2 * top), (_short_too(share),), color)
                for x, share in zip(series.x.tolist(), shares.tolist(), strict=True)
                if share
            ]
            if len(series.x) <= _NARROW
            else []
        )

    def range_changed(self, snapshot: Snapshot, series: ShareSeries) -> None:
        for kind, item in self.idle.items():
            item.set_hatched(self.theme.color(_ROLES[kind]))

    resized = range_changed

    def describe(self, snapshot: Snapshot, series: ShareSeries, x: float, y: float) -> str:
        return share_text(series, x)


def _short_too(share: float) -> tuple[str, ...]:
    """A share in percent, and shorter forms: the axis says that it is in percent."""
    return (percent(share), f"{share:.0f}%", f"{share:.0f}") if share >= 0.5 else (percent(share),)
