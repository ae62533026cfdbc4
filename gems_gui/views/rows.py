"""A table of many rows of which only those in sight are read: what lists of events and problems share."""

from __future__ import annotations

from itertools import chain
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gems_engine.arrays import Integers
from gems_gui.theme import LIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
Rows = Integers | int
"""Indices of what is listed, in order; or how many, where the n-th row is the n-th thing."""
_NOWHERE = QModelIndex()
_ROW_HEIGHT = 22
_BETWEEN = 6  # pixels between two sentences of several lines
_LAST = 330  # pixels that the last column needs for most of a sentence, before the scale of fonts
_LAST_WRAPPED = 150  # and where it goes on in the next line


class RowModel(QAbstractTableModel):
    """Rows that are asked for one by one; a subclass says what is in them.

    A longer list begins like the shorter one, so that rows come and go at the end and nothing else moves.
    """

    columns: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self._rows: Rows = 0
        self.apply_theme(LIGHT)

    def apply_theme(self, theme: Theme) -> None:
        """The look of what is in the rows."""
        self._theme = theme
        self._brushes: dict[tuple[str, int], QBrush] = {}
        self.bold = theme.font(bold=True)

    def brush(self, role: str, alpha: int = 255) -> QBrush:
        """The colour of a role, more or less transparent."""
        if (role, alpha) not in self._brushes:
            self._brushes[role, alpha] = QBrush(self._theme.color(role, alpha))
        return self._brushes[role, alpha]

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """How many rows."""
        return 0 if parent.isValid() else _count(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """How many columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.columns[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def item(self, row: int) -> int:
        """The index of what is listed in a row."""
        return row if isinstance(self._rows, int) else int(self._rows[row])

    def set_rows(self, rows: Rows, anew: bool = False) -> None:
        """List these; ``anew`` if they do not begin as those that were listed."""
        before, after = _count(self._rows), _count(rows)
        if anew:
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
        """A row looks different now."""
        if 0 <= row < self.rowCount():
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))


def _count(rows: Rows) -> int:
    return rows if isinstance(rows, int) else len(rows)


class RowTable(QTableView):
    """The table of such rows: a click, or Return, goes to what a row is about.

    Parameters
    ----------
    samples
        For each column but the last, or but those whose width is found otherwise, a text that has room in it.
    spare
        Columns that are left out, one after the other, where the last one would have too little room.
    """

    went_to = Signal(int)
    """The row that was clicked."""
    rows_left_out = Signal(int)
    """How many rows have no room, where such rows are left out."""
    steady = False
    """Whether where it is scrolled to depends on nothing but the row that must be in sight: for pictures."""
    whole = False
    """Whether a row that has no room to its lower edge is left out: for pictures that begin with the first row."""
    least = _LAST
    """Pixels, before the scale of fonts, below which the last column takes the room of others."""

    def __init__(
        self, model: RowModel, name: str, tip: str, samples: tuple[str, ...] = (), spare: tuple[int, ...] = ()
    ) -> None:
        super().__init__()
        self._model = model
        self._row = -1
        self._tall: list[int] = []
        self._samples, self._spare = samples, spare
        self._widths: list[int] = []
        self._least = 0
        self.setModel(model)
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
        """Return is a click on the current row; Qt's own signal for it comes with clicks too, on some desktops."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._go(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def apply_theme(self, theme: Theme) -> None:
        """Colours of the rows, heights and widths by the fonts."""
        self._model.apply_theme(theme)
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

    def ensure_visible(self, row: int) -> None:
        """Scroll to a row, also when the table gets another size; not while the user is in it."""
        self._row = row
        if self.steady:
            self.setWordWrap(True)  # a picture has no tooltips, and nothing to scroll with
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self._wrap(min(row, self._model.rowCount() - 1))
            self.doItemsLayout()
            self.scrollToTop()
        if 0 <= row < self._model.rowCount() and not self.hasFocus():
            self.updateGeometries()  # rows that have just come make it longer only at the next layout
            self.scrollTo(self._model.index(row, 0))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Begin with a whole row, at the end of the list too."""
        super().scrollContentsBy(dx, dy)
        self._begin_whole()

    def updateGeometries(self) -> None:
        """So it is when the room changes."""
        super().updateGeometries()
        self._begin_whole()

    def _begin_whole(self) -> None:
        """Qt puts the last row to the lower edge, which cuts the first one; an empty strip below does no harm."""
        bar, header = self.verticalScrollBar(), self.verticalHeader()
        if 0 < bar.maximum() == bar.value():
            before = header.offset()
            header.setOffsetToSectionPosition(bar.value())
            if header.offset() != before:
                self.viewport().update()

    def _wrap(self, last: int) -> None:
        """Give rows as many lines as their sentences need: up from this one, then down, as far as there is room."""
        room = self.viewport().height()
        while self._tall:  # by an earlier picture, of which nothing may be seen
            self.setRowHeight(self._tall.pop(), self.verticalHeader().defaultSectionSize())
        for row in chain(range(last, -1, -1), range(max(last + 1, 0), self._model.rowCount())):
            # Not resizeRowToContents, which makes room for a header too, though it is hidden.
            line, needed = self.verticalHeader().defaultSectionSize(), self.sizeHintForRow(row)
            if needed > line:
                self.setRowHeight(row, needed + _BETWEEN)
                self._tall.append(row)
            room -= self.rowHeight(row)
            if room <= 0:
                break

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the row in sight, and the last column readable."""
        super().resizeEvent(event)
        self._spare_a_column()
        self.ensure_visible(self._row)
        self.leave_out()

    def leave_out(self) -> None:
        """Leave out what would be cut, and what comes after it, where that is wanted."""
        if not self.whole:
            return
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        room = self.viewport().height() // max(1, self.verticalHeader().defaultSectionSize())
        for row in range(self._model.rowCount()):
            self.setRowHidden(row, row >= room)
        self.rows_left_out.emit(max(0, self._model.rowCount() - room))

    def picked_rows(self) -> list[int]:
        """The rows that the user has selected, from the top."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())
