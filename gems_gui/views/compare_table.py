"""The table of who found what, with how many samples."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gems_gui.series.compare_table import ResultRow, ResultSeries, result_series
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.compare_lanes import UNTIL
from gems_gui.views.rows import Index, RowModel, RowTable
from gems_gui.views.table_view import TableView

_AROUND = 18  # pixels beside the text of a cell, before the scale of fonts
_LEAST_NAME = 6  # letters of a run's name that are always seen
_GIVE_WAY = ("differs", "remain", "d", "samples", "ratio")  # columns that a narrow table does without, the first first


class NameDelegate(QStyledItemDelegate):
    """Shortens the name of a run so that it stays away from what stands beside it."""

    apart = 0
    """Pixels; 0 leaves a name whole, as a picture wants it, where it goes on in the next line."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """The text, in the middle of which something may be missing: what tells two runs apart is at the end."""
        super().initStyleOption(option, index)
        room = option.rect.width() - self.apart
        if self.apart and room > 0:  # else it is asked how much room there should be
            middle = Qt.TextElideMode.ElideMiddle
            option.text = option.fontMetrics.elidedText(option.text, middle, room)


class ResultTable(RowTable):
    """The table itself, whose numbers are never cut.

    Where it is narrow, names are shortened first; then columns are left out, whole ones. Only what is still too wide
    is scrolled, in a window.
    """

    def __init__(self, model: RowModel, name: str, tip: str) -> None:
        super().__init__(model, name, tip)
        self._names = NameDelegate(self)
        self.setItemDelegateForColumn(0, self._names)

    series: ResultSeries | None = None
    """What stands in the columns."""

    def apply_theme(self, theme: Theme) -> None:
        """Widths by the fonts and by what stands in the columns."""
        series = self.series
        columns = self._model.columns if series is None else series.columns
        rows = () if series is None else tuple(row.cells for row in series.rows)
        texts = [(name, *(row[at] for row in rows)) for at, name in enumerate(columns)]
        metrics = QFontMetrics(theme.font())
        wide = [max(map(metrics.horizontalAdvance, some)) + theme.pixels(_AROUND) for some in texts]
        self._needed = dict(zip(columns, wide, strict=True))
        self._name = metrics.horizontalAdvance("m" * _LEAST_NAME) + theme.pixels(_AROUND)
        super().apply_theme(theme)
        bar = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if self.steady else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setHorizontalScrollBarPolicy(bar)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._names.apart = 0 if self.steady else theme.pixels(_AROUND) - 1
        self._give_way()

    gave_way = Signal()
    """Other columns are left out than before."""

    _needed: dict[str, int] = {}  # noqa: RUF012 - replaced, never changed
    _name = 0

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that there is no room for, in their order."""
        return tuple(name for at, name in enumerate(self._model.columns) if self.isColumnHidden(at))

    def _give_way(self) -> None:
        columns, widths, room = self._model.columns, dict(self._needed), self.viewport().width()
        if not columns or tuple(widths) != tuple(columns):
            return
        first = columns[0]
        full, widths[first] = widths[first], min(widths[first], self._name)
        for name in _GIVE_WAY:
            if name in widths and sum(widths.values()) > room:
                del widths[name]
        widths[first] = min(full, max(widths[first], room - sum(widths.values()) + widths[first]))
        self.horizontalHeader().setStretchLastSection(sum(widths.values()) <= room)
        before = self.left_out
        for at, name in enumerate(columns):
            self.setColumnHidden(at, name not in widths)
            if name in widths:
                self.setColumnWidth(at, widths[name])
        self.ensure_visible(self._row)  # in a picture rows are as high as the columns that are left need
        if self.left_out != before:
            self.gave_way.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width has room for other columns."""
        super().resizeEvent(event)
        self._give_way()


class ResultModel(RowModel):
    """The runs as rows, each in its colour."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[ResultRow, ...] = ()

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
        if role == Qt.ItemDataRole.ForegroundRole:
            if column == 0:
                return self.brush(f"run {row.side.color}")
            if column == 1 and row.right is not None:
                return self.brush("chosen" if row.right else "now")
            return None
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            said = (f"{name} {cell}" for name, cell in zip(self.columns[1:], row.cells[1:], strict=True) if cell)
            return f"{row.cells[0]}: {', '.join(said)}; {row.side.standing}"
        return None


class CompareTable(TableView):
    """A row for each of the compared runs."""

    name = "compare-table"
    title = "Who found what"
    about = (
        "What each of the compared runs recommends at the same number of samples: right (✓) or wrong (✗), from how "
        "many samples on (τ), how many times the least of them that is, what it has drawn (■: it is over), its "
        'dimension and how many targets remain. While the truth is hidden, "since" is how long the recommendation '
        "has stood."
    )
    options = (UNTIL,)
    table: ResultTable

    def make(self) -> QWidget:
        """The table."""
        self.model = ResultModel()
        self.table = ResultTable(self.model, self.title, "The compared runs at the same number of samples")
        self.table.steady = self.exporting
        self.series: ResultSeries | None = None
        self.table.gave_way.connect(self.make_room)
        return self.table

    def clear(self) -> None:
        """No rows."""
        self.series = self.table.series = None
        self.model.list(self.model.columns, ())

    def paint(self, snapshot: Snapshot) -> None:
        """The runs at the clock."""
        before = _shape(self.series)
        series = self.series = result_series(snapshot, self.settings["until"])
        self.model.list(series.columns, series.rows)
        if before != _shape(series):
            self.table.series = series
            self.apply_theme(self.theme)
        self.make_room()

    def make_room(self) -> None:
        """Say which columns a narrow table does without."""
        if self.series is None:
            return
        left_out = self.table.left_out
        if not left_out:
            self.set_subtitle(self.series.subtitle)
            return
        count = f"+{len(left_out)} column{'s'[: len(left_out) > 1]}"
        some = (f"no room for {', '.join(left_out)}", *(() if self.exporting else (f"{count}: widen",)), count)
        self.set_subtitle((*(f"{said} · {out}" for out in some[:2] for said in self.series.subtitle), *some))


def _shape(series: ResultSeries | None) -> tuple[object, ...]:
    """What the widths of the columns depend on."""
    return () if series is None else (series.columns, tuple(tuple(map(len, row.cells)) for row in series.rows))
