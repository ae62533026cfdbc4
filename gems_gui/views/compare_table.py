"""The table of who found what, with how many samples."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QResizeEvent
from PySide6.QtWidgets import QWidget

from gems_gui.moment import Moment
from gems_gui.series.compare_table import ResultRow, ResultSeries, result_series
from gems_gui.theme import Theme
from gems_gui.views.compare_lanes import UNTIL
from gems_gui.views.rows import Index, RowModel, RowTable
from gems_gui.views.view import View

_SAMPLES = ("arm 000 ✓", "0 000 000", "× 00.0", "00 000 000 ■", "000", "0 000")
_PICKED = "survives"
_LONGEST = 32  # letters of a run's name that its column makes room for
_GIVE_WAY = ("differs", "left", "d", "samples", "ratio")  # columns that a narrow table does without, the first first


class ResultTable(RowTable):
    """The table itself, which leaves out columns where it is narrow."""

    def dress_columns(self, theme: Theme, series: ResultSeries | None) -> None:
        """Widths by the fonts and the names of the runs."""
        names = () if series is None else tuple(row.cells[0] for row in series.rows)
        longest = max(names, key=len, default="")[:_LONGEST]
        picked = [_PICKED] if series is not None and len(series.columns) > len(_SAMPLES) + 2 else []
        self.dress(theme, (longest or "fixed-confidence", *_SAMPLES, *picked))
        self._give_way()

    def _give_way(self) -> None:
        columns = list(self._model.columns)
        for column in range(len(columns)):
            self.setColumnHidden(column, False)
        widths = dict(zip(columns, (*self._widths, self._least), strict=False))
        for name in _GIVE_WAY:
            if name in widths and sum(widths.values()) > self.viewport().width():
                self.setColumnHidden(columns.index(name), True)
                widths[name] = 0
        self.have_in_sight(self._row)  # in a picture rows are as high as the columns that are left need

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width has room for other columns."""
        super().resizeEvent(event)
        self._give_way()


class ResultModel(RowModel):
    """The runs as rows, each in its colour."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[ResultRow, ...] = ()
        self.theme: Theme | None = None

    def list(self, columns: tuple[str, ...], rows: tuple[ResultRow, ...]) -> None:
        """Other rows; where only what they say is new, they stay."""
        anew = columns != self.columns or len(rows) != len(self.rows)
        changed = [at for at, row in enumerate(rows) if anew or row.cells != self.rows[at].cells]
        self.columns, self.rows = columns, rows
        if anew:
            self.set_rows(len(rows), anew=True)
        for at in changed:
            self.changed(at)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[column]
        if role == Qt.ItemDataRole.ForegroundRole and self.theme is not None:
            if column == 0:
                return QBrush(self.theme.color(f"run {row.side.color}"))
            if column == 1 and row.right is not None:
                return QBrush(self.theme.color("chosen" if row.right else "now"))
            return None
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            said = (f"{name} {cell}" for name, cell in zip(self.columns[1:], row.cells[1:], strict=True) if cell)
            return f"{row.cells[0]}: {', '.join(said)}; {row.side.standing}"
        return None


class CompareTable(View):
    """A row for each of the compared runs."""

    name = "compare-table"
    title = "Who found what"
    is_plot = False
    about = (
        "What each of the compared runs recommends at the same number of samples: right (✓) or wrong (✗), from how "
        "many samples on (τ), how many times the least of them that is, what it has drawn (■: it is over), its "
        "dimension and how many targets are left. While the truth is hidden, «since» is how long the recommendation "
        "has stood."
    )
    options = (UNTIL,)

    def make(self) -> QWidget:
        """The table."""
        self.model = ResultModel()
        self.table = ResultTable(self.model, self.title, "The compared runs at the same number of samples")
        self.series: ResultSeries | None = None
        return self.table

    def dress(self, theme: Theme) -> None:
        """Colours and widths."""
        self.model.theme = theme
        self.table.dress_columns(theme, self.series)

    def clear(self) -> None:
        """No rows."""
        self.series = None
        self.model.list(self.model.columns, ())

    def paint(self, moment: Moment) -> None:
        """The runs at the clock."""
        before = _shape(self.series)
        series = self.series = result_series(moment, self.settings["until"])
        self.model.list(series.columns, series.rows)
        if before != _shape(series):
            self.dress(self.theme)
        self.say(series.subtitle)


def _shape(series: ResultSeries | None) -> tuple[object, ...]:
    """What the widths of the columns depend on."""
    return () if series is None else (series.columns, tuple(row.cells[0] for row in series.rows))
