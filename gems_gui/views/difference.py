"""The view of the first difference of two runs, as the dialog that compares them lists it, for pictures."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from gems_gui.series.run_difference import DifferenceRow, DifferenceSeries, difference_series
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.rows import RowTable, TextModel
from gems_gui.views.table_view import TableView


class DifferenceModel(TextModel[DifferenceRow]):
    """The differences as rows."""

    def __init__(self) -> None:
        super().__init__(("where", "what", "this run", "the other", "relative"))


class DifferenceTable(RowTable):
    """The table of differences, wrapped; the columns of both values share the remaining width."""

    def __init__(self, model: DifferenceModel, tip: str) -> None:
        super().__init__(model, "Differences", tip, ("event 00 000", "largest difference: x"))
        self.setWordWrap(True)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        for column in (2, 3):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self.setColumnWidth(4, theme.pixels(70))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.wrap_rows()

    def wrap_rows(self) -> None:
        """Make each row as tall as its texts need; a picture has its own rule."""
        least = self.verticalHeader().defaultSectionSize()
        for row in range(0 if self.steady else self._model.rowCount()):
            self.setRowHeight(row, max(least, self.sizeHintForRow(row)))


class RunDifference(TableView):
    """The first event before the cursor in which another run differs, with both values side by side."""

    name = "difference"
    title = "First difference"
    marks_selection = False
    about = (
        "Settings in which two runs differ, the first event before the cursor that differs with both values side by "
        "side, and whether the difference is more than rounding."
    )

    def make(self) -> QWidget:
        self.model = DifferenceModel()
        self.table = DifferenceTable(self.model, self.title)
        self.table.steady = self.exporting
        self.series: DifferenceSeries | None = None
        return self.table

    def clear(self) -> None:
        self.series = None
        self.model.list([])

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = difference_series(snapshot)
        self.model.list(series.rows)
        if series.found is None:
            self.set_subtitle("", series.subtitle)
        else:
            self.set_subtitle(series.subtitle)
