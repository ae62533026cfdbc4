"""The view of the designs of a study side by side."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gems_gui.design_study import Study
from gems_gui.series.design.comparison import COLUMNS, ComparisonRow, ComparisonSeries, comparison_series
from gems_gui.snapshot import Snapshot
from gems_gui.views.design.study_view import StudyView
from gems_gui.views.rows import Index, RowModel, RowTable
from gems_gui.views.table_view import TableView

_SAMPLES = (
    "as the run recorded it",
    "12.345678",
    "12.345678",
    "above the bound  ",
    "largest g  ",
    "support  ",
    "condition  ",
    "iterations  ",
    "1 234.5",
)
_RIGHT = range(1, 9)
_SPARE = ("ms", "condition", "iterations", "support", "largest g", "proven ≥")
"""The columns that a narrow picture omits, in this order."""
_WORST = 130  # pixels for the names of a pair


def _apart(column: int, text: str) -> str:
    """A text with a space before it, next to a right-aligned number."""
    return f"    {text}" if column == len(COLUMNS) - 1 else text


class ComparisonModel(RowModel):
    """Designs as rows; the one shown in the plots is bold."""

    columns = COLUMNS

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ComparisonRow] = []

    def list(self, rows: list[ComparisonRow]) -> None:
        """Replace the designs."""
        if rows != self.rows:
            self.rows = rows
            self.set_rows(len(rows), reset=True)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole and section in _RIGHT:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _apart(section, COLUMNS[section])
        return super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _apart(column, row.cells[column])
        if role == Qt.ItemDataRole.ToolTipRole:
            proof = f"\n{row.proof}" if row.proof and COLUMNS[column] == "proven ≥" else ""
            return f"{COLUMNS[column]}: {row.cells[column]}{proof}"
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _RIGHT:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and row.main:
            return self.bold
        if role == Qt.ItemDataRole.ForegroundRole and row.optimal and COLUMNS[column] == "above the bound":
            return self.brush("chosen")
        return None


class Comparison(StudyView, TableView):
    """Values, proofs and costs of the designs of a study, one row each."""

    name = "design-table"
    title = "Designs side by side"
    marks_selection = False
    about = (
        "One row for each design of the same problem: its value, its own lower bound, how far its value is above the "
        "best lower bound of all designs, the largest g_x (1 at the optimum), its support, the condition number of "
        "A(λ), the iterations and the time, and its worst pair of targets."
    )

    def make(self) -> QWidget:
        self.model = ComparisonModel()
        self.series: ComparisonSeries | None = None
        spare = tuple(map(COLUMNS.index, _SPARE)) if self.exporting else ()
        tip = "One row for each design of the same problem"
        self.table = RowTable(self.model, self.title, tip, _SAMPLES, spare)
        self.table.least = _WORST
        if self.exporting:  # a picture does not scroll: columns that do not fit are omitted
            self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        else:
            self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        return self.table

    def clear(self) -> None:
        self.series = None
        self.model.list([])

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        series = self.series = comparison_series(study, timed=not self.exporting)  # pictures are reproducible
        self.model.list(series.rows)
        self.set_subtitle(series.subtitle)
