"""The view of the designs of a study side by side."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gems_gui.design_study import Study
from gems_gui.series.design.comparison import COLUMNS, ComparisonRow, ComparisonSeries, apart, comparison_series
from gems_gui.snapshot import Snapshot
from gems_gui.views.design.study_view import StudyView
from gems_gui.views.rows import RowTable, TextModel
from gems_gui.views.table_view import TableView

_SAMPLES = (
    "as the run recorded it",
    "1.2345e−10",
    "1.2345e−10",
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
        self.model = TextModel[ComparisonRow](tuple(map(apart, range(len(COLUMNS)), COLUMNS)), _RIGHT)
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
