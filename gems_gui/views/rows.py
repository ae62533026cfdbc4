"""A table of many rows that reads only the visible ones: shared by the lists of events and problems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetrics, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from gems_engine.arrays import Integers
from gems_gui.markup import plain_text
from gems_gui.series.table import TextRow
from gems_gui.series.wordings import Phrasings, without_cut_number
from gems_gui.theme import LIGHT, Theme
from gems_gui.views.placeholder import draw_placeholder, fitting_placeholder

Index = QModelIndex | QPersistentModelIndex
Rows = Integers | int
"""Indices of the listed things, in order; or their number, if row n is thing n."""
Row = TypeVar("Row", bound=TextRow)
_NOWHERE = QModelIndex()
_TO_THE_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROW_HEIGHT = 22
_BETWEEN = 6  # pixels between two wrapped sentences
_LAST = 330  # pixels that the last column needs for most of a sentence, before font scaling
_LAST_WRAPPED = 150  # the same where it wraps
_MOST_CUT = 1000  # rows hidden at the end of a picture: more would never be reached


class RowModel(QAbstractTableModel):
    """Rows that are read one at a time; a subclass provides their content.

    A longer list starts like the shorter one, so that rows are only added and removed at the end.
    """

    columns: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self._rows: Rows = 0
        self.apply_theme(LIGHT)

    def apply_theme(self, theme: Theme) -> None:
        """Set the look of the rows."""
        self._theme = theme
        self._brushes: dict[tuple[str, int], QBrush] = {}
        self.bold = theme.font(bold=True)

    def brush(self, role: str, alpha: int = 255) -> QBrush:
        """The colour of a role, at some opacity."""
        if (role, alpha) not in self._brushes:
            self._brushes[role, alpha] = QBrush(self._theme.color(role, alpha))
        return self._brushes[role, alpha]

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else _count(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.columns[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def item(self, row: int) -> int:
        """The index of the thing in a row."""
        return row if isinstance(self._rows, int) else int(self._rows[row])

    def set_rows(self, rows: Rows, reset: bool = False) -> None:
        """List these rows; set ``reset`` if they do not start like the current ones."""
        before, after = _count(self._rows), _count(rows)
        if reset:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        elif after > before:
            self.beginInsertRows(_NOWHERE, before, after - 1)
            self._rows = rows
            self.endInsertRows()
        elif after < before:
            self.beginRemoveRows(_NOWHERE, after, before - 1)
            self._rows = rows
            self.endRemoveRows()

    def changed(self, row: int) -> None:
        """Signal that a row looks different."""
        if 0 <= row < self.rowCount():
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))


class TextModel(RowModel, Generic[Row]):
    """Rows that say themselves what their cells show; the cells of the columns ``right`` are aligned right."""

    def __init__(self, columns: tuple[str, ...], right: Sequence[int] = ()) -> None:
        super().__init__()
        self.columns, self._right = columns, right
        self.rows: Sequence[Row] = ()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self._right:
            return _TO_THE_RIGHT
        return super().headerData(section, orientation, role)

    def list(self, rows: Sequence[Row], columns: tuple[str, ...] | None = None) -> None:
        """Replace the rows, and the columns if they are given; rows that are the same stay."""
        before, self.rows = self.rows, rows
        others = columns is not None and columns != self.columns
        self.columns = self.columns if columns is None else columns
        if others or len(rows) != len(before):
            self.set_rows(len(rows), reset=True)
        else:
            for at in [at for at, row in enumerate(rows) if row != before[at]]:
                self.changed(at)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.texts()[column]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            tip = plain_text(row.tip(column))
            return tip if role == Qt.ItemDataRole.ToolTipRole else tip.partition("\n")[0]
        if role == Qt.ItemDataRole.ForegroundRole and row.role(column):
            return self.brush(row.role(column))
        if role == Qt.ItemDataRole.TextAlignmentRole and column in self._right:
            return _TO_THE_RIGHT
        return self.bold if role == Qt.ItemDataRole.FontRole and row.bold(column) else None


def _count(rows: Rows) -> int:
    return rows if isinstance(rows, int) else len(rows)


class RowDelegate(QStyledItemDelegate):
    """Elides a cell, but not within a number."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        aside = 2 * (self._table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
        room = option.rect.width() - aside
        if not self._table.wordWrap() and room > 0:  # otherwise Qt asks for the preferred size
            short = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, room)
            option.text = without_cut_number(short)


class RowTable(QTableView):
    """A table of such rows; a click or Return goes to the thing in a row.

    Parameters
    ----------
    samples
        For each column except the last and those with other widths, a text that determines its width.
    spare
        Columns that are hidden, one after the other, where the last column would be too narrow.
    """

    went_to = Signal(int)
    """The row that was clicked."""
    rows_left_out = Signal(int)
    """The number of rows that do not fit, if such rows are hidden."""
    steady = False
    """Whether the scroll position depends only on the row that must be visible: for pictures."""
    whole = False
    """Whether a row that does not fit completely is hidden: for pictures that start with the first row."""
    least = _LAST
    """Pixels, before font scaling, below which the last column takes space from others."""

    def __init__(
        self, model: RowModel, name: str, tip: str, samples: tuple[str, ...] = (), spare: tuple[int, ...] = ()
    ) -> None:
        super().__init__()
        self._model = model
        self._theme = LIGHT
        self.placeholder: Phrasings = ()
        self._row = -1
        self._tall: list[int] = []
        self._cut = range(0)
        self._samples, self._spare = samples, spare
        self._widths: list[int] = []
        self._least = 0
        self.setModel(model)
        self.setItemDelegate(RowDelegate(self))
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table
        self.setStyleSheet("QTableView { border: none; }")
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.hide()
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        self.clicked.connect(self._go)

    def _go(self, index: QModelIndex) -> None:
        self.went_to.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Treat Return as a click on the current row; on some desktops, Qt also emits ``activated`` for clicks."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._go(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def apply_theme(self, theme: Theme) -> None:
        """Set the colours of the rows, and heights and widths according to the font."""
        self._theme = theme
        self._model.apply_theme(theme)
        self.steady = self.steady or theme.hall  # a stage is not scrolled
        self.verticalHeader().setDefaultSectionSize(theme.pixels(_ROW_HEIGHT))
        self.verticalHeader().setMinimumSectionSize(theme.pixels(_ROW_HEIGHT))
        metrics = QFontMetrics(theme.font())
        self._widths = [metrics.horizontalAdvance(sample) + theme.pixels(14) for sample in self._samples]
        self._least = theme.pixels(_LAST_WRAPPED if self.steady else self.least)
        for column, width in enumerate(self._widths):
            self.setColumnWidth(column, width)
        self._spare_a_column()

    def _spare_a_column(self) -> None:
        room = self.viewport().width() - sum(self._widths)
        for column in self._spare:
            self.setColumnHidden(column, room < self._least)
            room += self._widths[column] if room < self._least else 0

    def show_placeholder(self, why: Phrasings) -> None:
        """Say in the middle why there are no rows."""
        if why != self.placeholder:
            self.placeholder = why
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.placeholder and not self._model.rowCount():
            room = QRectF(self.viewport().rect())
            draw_placeholder(self.viewport(), *fitting_placeholder(self.placeholder, room, self._theme), self._theme)

    def ensure_visible(self, row: int) -> None:
        """Scroll to a row, also after a resize, unless the table has the focus."""
        self._row = row
        if self.steady:
            self.setWordWrap(True)  # a picture has no tooltips and cannot be scrolled
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self._wrap(min(row, self._model.rowCount() - 1))
            self.doItemsLayout()
            self.scrollToTop()
        if 0 <= row < self._model.rowCount() and not self.hasFocus():
            self.updateGeometries()  # new rows extend the scroll range only at the next layout
            self.scrollTo(self._model.index(row, 0))
        if self.steady:
            self._hide_cut_rows()

    def _hide_cut_rows(self) -> None:
        """Hide the row that the lower edge cuts, and those after it."""
        for row in self._cut:
            self.setRowHidden(row, False)
        last, low = self.rowAt(max(0, self.viewport().height() - 1)), self.viewport().height()
        cut = last >= 0 and self.rowViewportPosition(last) + self.rowHeight(last) > low and last > self._row
        self._cut = range(last, self._model.rowCount()) if cut and last > 0 else range(0)
        for row in self._cut[:_MOST_CUT]:
            self.setRowHidden(row, True)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Start with a whole row, also at the end of the list."""
        super().scrollContentsBy(dx, dy)
        self._begin_whole()

    def updateGeometries(self) -> None:
        super().updateGeometries()
        self._begin_whole()

    def _begin_whole(self) -> None:
        """Align the first row with the top: Qt aligns the last row with the bottom, which cuts the first one."""
        bar, header = self.verticalScrollBar(), self.verticalHeader()
        if 0 < bar.maximum() == bar.value():
            before = header.offset()
            header.setOffsetToSectionPosition(bar.value())
            if header.offset() != before:
                self.viewport().update()

    def _wrap(self, last: int) -> None:
        """Wrap rows: first upwards from this one, then downwards, as far as they fit."""
        room = self.viewport().height()
        while self._tall:  # from an earlier picture
            self.setRowHeight(self._tall.pop(), self.verticalHeader().defaultSectionSize())
        for row in chain(range(last, -1, -1), range(max(last + 1, 0), self._model.rowCount())):
            # Not resizeRowToContents, which makes space for the header even if it is hidden.
            line, needed = self.verticalHeader().defaultSectionSize(), self.sizeHintForRow(row)
            if needed > line:
                self.setRowHeight(row, needed + _BETWEEN)
                self._tall.append(row)
            room -= self.rowHeight(row)
            if room <= 0:
                break

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spare_a_column()
        self.ensure_visible(self._row)
        self.leave_out()

    def leave_out(self) -> None:
        """Hide rows that would be cut, and those after them, if this is enabled."""
        if not self.whole:
            return
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        room = self.viewport().height() // max(1, self.verticalHeader().defaultSectionSize())
        for row in range(self._model.rowCount()):
            self.setRowHidden(row, row >= room)
        self.rows_left_out.emit(max(0, self._model.rowCount() - room))

    def picked_rows(self) -> list[int]:
        """The selected rows, from the top."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())
