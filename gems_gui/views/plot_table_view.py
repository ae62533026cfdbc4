"""Plots with a bar in each row and a table below them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from gems_gui.series.table import Plotted, TextRow
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.option import Option
from gems_gui.views.plot_view import PlotView, stacked
from gems_gui.views.rows import RowTable, TextModel

_LOW = 250  # pixels, before font scaling: a lower body shows only bars
_ROW = 26  # largest height in pixels of a bar with its gap
_AXIS = 44  # pixels of the axis below the bars with its label
_UNLIMITED = 16777215  # Qt's value for no maximum
BOTH, BARS, TABLE = "both", "bars", "conditions"


class BarsWithRows(Plotted, Protocol):
    """A series of bars, from the top, and of the rows of a table."""

    @property
    def bars(self) -> Sequence[object]:
        """The bars."""

    @property
    def rows(self) -> Sequence[TextRow]:
        """The rows."""

    def range(self) -> tuple[float, float]:
        """The range that contains all bars."""


Listed = TypeVar("Listed", bound=BarsWithRows)


class PlotTableView(PlotView[Listed]):
    """A plot with a table below it where both fit, or one of them. A subclass declares the table, and draws the bars.

    Attributes
    ----------
    columns, samples, spare, tip
        Of the table, see :class:`gems_gui.views.rows.RowTable`.
    """

    columns: ClassVar[tuple[str, ...]]
    samples: ClassVar[tuple[str, ...]]
    spare: ClassVar[tuple[int, ...]]
    tip: ClassVar[str]

    options = (
        Option("show", "Show", {BOTH: "Bars, and conditions where they fit", BARS: "Bars", TABLE: "Conditions"}),
    )

    def make(self) -> QWidget:
        self.model = TextModel[TextRow](self.columns)
        self.table = RowTable(self.model, self.title, self.tip, self.samples, self.spare)
        self.table.least = 0
        self.table.whole = self.exporting
        self.table.rows_left_out.connect(self._on_rows_left_out)
        self.table.setVisible(False)
        self._more = 0
        whole = stacked((super().make(), 3), (self.table, 2))
        self.plot.box.setMouseEnabled(True, False)
        return whole

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self.table.apply_theme(theme.for_tables())
        self.table.whole = self.exporting or theme.hall

    def clear(self) -> None:
        super().clear()
        self.model.list(())
        self.table.setVisible(False)
        self.plot.setVisible(True)
        self.plot.setMaximumHeight(_UNLIMITED)

    def list_rows(self, rows: Sequence[TextRow]) -> None:
        """Show these rows in the table."""
        merged = [row.merged for row in self.model.rows]
        self.model.list(rows)
        if [row.merged for row in rows] != merged:
            self.table.clearSpans()
            for at, row in enumerate(rows):
                if row.merged:
                    self.table.setSpan(at, 1, 1, len(self.columns) - 1)
            self.table.leave_out()

    def subtitle(self, series: Listed) -> Phrasings:
        """The subtitle, with the number of rows that do not fit into a picture."""
        if not self._more or self.table.isHidden():
            return series.subtitle
        rest = f"+{self._more} more rows"
        return *(f"{rest} · {each}" for each in series.subtitle), rest

    def _on_rows_left_out(self, more: int) -> None:
        self._more = more
        self.explain()

    def make_room(self) -> None:
        """Give the bars the height that they need and the table the rest, or all of it if only the table is chosen."""
        series, show = self.series, self.settings["show"]
        if series is None:
            return
        high = self.body.height() >= self.theme.pixels(_LOW)
        tabled = bool(series.rows) and (show == TABLE or (show == BOTH and high))
        self.table.setVisible(tabled)
        self.plot.setVisible(not tabled or show != TABLE)
        most = self.theme.pixels(_ROW * len(series.bars) + _AXIS) if tabled else _UNLIMITED
        if self.plot.maximumHeight() != most:
            self.plot.setMaximumHeight(most)

    def resized(self, snapshot: Snapshot, series: Listed) -> None:
        if series.bars:
            rows = max(float(len(series.bars)), self.plot.box.height() / self.theme.pixels(_ROW))
            self.plot.frame(series.range(), (0.0, rows))
