"""The view of the bounds of the theorems, as bars on a logarithmic axis and as a table with every condition."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF

from gems_gui.series.theory import TheorySeries, theory_series
from gems_gui.series.wordings import wrapped
from gems_gui.snapshot import Snapshot
from gems_gui.views.captions import PlotCaption
from gems_gui.views.kit import ItemGroup, captions, hairline, level_bars
from gems_gui.views.plot_table_view import PlotTableView
from gems_gui.views.plot_view import Axes, Entries
from gems_gui.views.theory_request import known_theory

_LIGHT = 80  # of 255: opacity of a bound whose conditions fail
_INDENT = 4.0  # pixels from the axis to a text in place of a bar
_WORDS = {"chosen": "measured", "now": "wrong", "dim": "lower bound", "surviving": "upper bound"}


class Theory(PlotTableView[TheorySeries]):
    """The bounds next to the measured values."""

    name = "theory"
    title = "Theory"
    marks_selection = False
    about = (
        "The bounds of the paper's theorems for this instance, and what the run has measured, on a logarithmic axis. "
        "Light bars: a condition fails. A text in place of a bar says why there is none. The table lists every "
        "condition of each bound, and whether it holds here."
    )

    columns = ("", "bound", "promised", "measured")
    samples = ("✓", "lower, fixed design  ", "B⋆ = 938, n⋆ = 12", "N = 123 456 789")
    spare = (columns.index("measured"),)  # the bars above show the same
    tip = "The bounds of the theorems, each with its conditions"

    axes = Axes(log="x", bare="y", down=True, printed=("samples", "bound or measurement"))
    bars = ItemGroup(
        {(role, True): level_bars(0.66, role) for role in _WORDS}
        | {(role, False): level_bars(0.66, role, _LIGHT, hairline(role)) for role in _WORDS}
    )
    notes = captions()

    def paint(self, snapshot: Snapshot) -> None:
        """Show the bounds; if they are not known yet, show that they are being computed."""
        series = self.series = theory_series(snapshot, known_theory(self, snapshot))
        self._draw(series)
        self.list_rows(series.rows)
        self.plot.label(series.x_label, "", self.theme)
        self.plot.y_axis.set_tick_labels([(at + 0.5, bar.name) for at, bar in enumerate(series.bars)])
        self.resized(snapshot, series)

    def entries(self, series: TheorySeries) -> Entries:
        roles = {(bar.role, bar.holds) for bar in series.bars if bar.value}
        return (
            *(("■", role, words, (role, True) in roles) for role, words in _WORDS.items()),
            *(("□", role, f"{words}, a condition fails", (role, False) in roles) for role, words in _WORDS.items()),
        )

    def _draw(self, series: TheorySeries) -> None:
        low, high = series.range()
        self.notes.show_captions(
            [
                PlotCaption(
                    QRectF(low, at, high - low, 1.0), (bar.note,), self.theme.color(bar.role), _INDENT, begins=True
                )
                for at, bar in enumerate(series.bars)
                if bar.note
            ]
        )
        for (role, holds), bars in self.bars.items():
            some = [
                (at, bar.value)
                for at, bar in enumerate(series.bars)
                if (bar.role, bar.holds) == (role, holds) and bar.value is not None and 0.0 < bar.value < np.inf
            ]
            logs = np.log10([value for _, value in some]) if some else np.zeros(0)
            bars.setOpts(x0=np.full(len(some), low), y=np.array([at + 0.5 for at, _ in some]), width=logs - low)

    def describe(self, snapshot: Snapshot, series: TheorySeries, x: float, y: float) -> str:
        return wrapped(series.bars[int(y)].words) if 0 <= y < len(series.bars) else ""
