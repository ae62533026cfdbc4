"""The table of the results of the compared runs: what each recommends, and after how many samples."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gems_engine.terminal import plural
from gems_gui.series.compare_table import ResultRow, ResultSeries, result_series
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.race import UNTIL
from gems_gui.views.rows import Index, RowModel, RowTable, TextModel
from gems_gui.views.table_view import TableView

_AROUND = 18  # pixels around the text of a cell, before font scaling
_NAMES = 0.4  # part of the width that long names have, before columns are hidden
_LEAST_NAME = 6  # letters of a run's name that are always visible
GIVE_WAY = ("differs", "remain", "d", "samples", "ratio")  # columns that a narrow table hides, in this order


class NameDelegate(QStyledItemDelegate):
    """Elides the name of a run so that it does not touch the next column."""

    apart = 0
    """Pixels between name and next column; 0 wraps the name instead, for pictures."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Elide in the middle: the end of a name tells runs apart."""
        super().initStyleOption(option, index)
        room = option.rect.width() - self.apart
        if self.apart and room > 0:  # otherwise Qt asks for the preferred size
            middle = Qt.TextElideMode.ElideMiddle
            option.text = option.fontMetrics.elidedText(option.text, middle, room)


class ResultTable(RowTable):
    """The table; its numbers are never cut off.

    If it is narrow, long names are elided, then whole columns are hidden, and names again. In a window, a table that is
    still too wide scrolls.
    """

    def __init__(self, model: RowModel, name: str, tip: str) -> None:
        super().__init__(model, name, tip)
        self._names = NameDelegate(self)
        self.setItemDelegateForColumn(0, self._names)
        self.horizontalHeader().setMinimumSectionSize(1)  # a narrow column, such as τ, is as wide as it needs

    series: ResultSeries | None = None
    """The columns."""

    def apply_theme(self, theme: Theme) -> None:
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
    """Other columns are hidden than before."""

    _needed: dict[str, int] = {}  # noqa: RUF012 - replaced, never changed
    _name = 0

    @property
    def left_out(self) -> tuple[str, ...]:
        """The hidden columns, in their order."""
        return tuple(name for at, name in enumerate(self._model.columns) if self.isColumnHidden(at))

    def _give_way(self) -> None:
        columns, widths, room = self._model.columns, dict(self._needed), self.viewport().width()
        if not columns or tuple(widths) != tuple(columns):
            return
        first = columns[0]
        full, least = widths[first], min(widths[first], self._name)
        # A picture wraps names; in a window a long one has a part of the width, so that its end tells it apart.
        widths[first] = least if self.steady else min(full, max(least, round(_NAMES * room)))
        for name in GIVE_WAY:
            if name in widths and sum(widths.values()) > room:
                del widths[name]
        widths[first] = min(full, max(least, room - sum(widths.values()) + widths[first]))
        self.horizontalHeader().setStretchLastSection(sum(widths.values()) <= room)
        before = self.left_out
        for at, name in enumerate(columns):
            self.setColumnHidden(at, name not in widths)
            if name in widths:
                self.setColumnWidth(at, widths[name])
        self.ensure_visible(self._row)  # in a picture, the height of a row depends on the visible columns
        if self.left_out != before:
            self.gave_way.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_way()


class CompareTable(TableView):
    """A row for each of the compared runs."""

    name = "compare-table"
    title = "Results by run"
    about = (
        "What each of the compared runs recommends at the same number of samples: right (✓) or wrong (✗), τ, the ratio "
        "of τ to the smallest one, the samples drawn (■: the run has ended), the dimension, and how many targets "
        'remain. While the truth is hidden, "since" is the number of samples since which the recommendation has not '
        "changed."
    )
    options = (UNTIL,)
    table: ResultTable

    def make(self) -> QWidget:
        self.model = TextModel[ResultRow](())
        self.table = ResultTable(self.model, self.title, "The compared runs at the same number of samples")
        self.table.steady = self.exporting
        self.series: ResultSeries | None = None
        self.table.gave_way.connect(self.make_room)
        return self.table

    def clear(self) -> None:
        self.series = self.table.series = None
        self.model.list(())

    def paint(self, snapshot: Snapshot) -> None:
        before = _shape(self.series)
        series = self.series = result_series(snapshot, self.settings["until"])
        self.model.list(series.rows, series.columns)
        if before != _shape(series):
            self.table.series = series
            self.apply_theme(self.theme)
        self.make_room()

    def make_room(self) -> None:
        if self.series is None:
            return
        left_out = self.table.left_out
        if not left_out:
            self.set_subtitle(self.series.subtitle)
            return
        count = plural(len(left_out), "more column")
        names = f"hidden {'column' if len(left_out) == 1 else 'columns'}: {', '.join(left_out)}"
        some = (names, *(() if self.exporting else (f"{count}: widen the window",)), count)
        self.set_subtitle((*(f"{said} · {out}" for out in some[:2] for said in self.series.subtitle), *some))


def _shape(series: ResultSeries | None) -> tuple[object, ...]:
    """Everything that the widths of the columns depend on."""
    return () if series is None else (series.columns, tuple(tuple(map(len, row.cells)) for row in series.rows))
