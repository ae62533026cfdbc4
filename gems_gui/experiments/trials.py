"""The list of trials: all rows of an experiment, sorted and filtered, from which a run can be opened."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHBoxLayout, QHeaderView, QTableView, QWidget

from gems_engine.arrays import Integers
from gems_engine.experiment import words
from gems_engine.terminal import number, plural
from gems_gui.appearance import Appearance
from gems_gui.experiments.trial_store import COLUMNS, TrialLine, TrialStore
from gems_gui.markup import plain_text
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import STRETCH, fill, vbox
from gems_gui.widgets.dialogs import push_button
from gems_gui.widgets.explained import described
from gems_gui.widgets.fitting_label import FittingLabel
from gems_gui.widgets.form_widgets import ElidingComboBox
from gems_gui.widgets.timers import single_shot

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_NONE: Integers = np.zeros(0, dtype=np.int64)
_RESORT = 500  # milliseconds from new rows to sorting again
HEADS = {
    "trial": "Trial",
    "cell": "Cell",
    "seed": "Seed",
    "right": "Right",
    "tau": "τ",
    "samples": "Samples",
    "seconds": "Time",
    "error": "Error",
}
_TIPS = {
    "trial": "Number of the trial in the experiment",
    "cell": "Algorithm and varied parameters",
    "seed": "Seed of the run: seed and cell determine every event",
    "right": "Whether the final recommendation is right",
    "tau": "τ, the sample after which the recommendation stays right; – if it does not",
    "samples": "Number of samples",
    "seconds": "Time of the run, excluding the generation of the instance",
    "error": "Why the trial failed",
}
_SAMPLES = ("000 000", "RAGE, ε = 0.001", "9007199254740991", "✗ wrong", "20 000 000", "20 000 000", "00.0 min")
_WIDEST = 300  # largest width of a column in pixels before font scaling
_UP, _DOWN = " ▲", " ▼"  # in the header text, as the arrow that Qt draws covers right-aligned text
_NUMBERS = frozenset(("trial", "seed", "tau", "samples", "seconds"))


class TrialsModel(QAbstractTableModel):
    """The sorted rows of a store, without a copy of the data."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.store: TrialStore | None = None
        self.column, self.down = "", False
        self.failed_only, self.cell = False, -1
        self._order: Integers = _NONE

    def show_store(self, store: TrialStore | None) -> None:
        """List the rows of another experiment."""
        self.beginResetModel()
        self.store, self.cell = store, -1
        self._order = self._ordered()
        self.endResetModel()

    def _ordered(self) -> Integers:
        if self.store is None:
            return _NONE
        return self.store.order(self.column, self.down, self.failed_only, self.cell)

    @property
    def in_order_of_coming(self) -> bool:
        """Whether new rows are appended at the end."""
        return not self.column and not self.failed_only and self.cell < 0

    def grow(self) -> None:
        """Add the rows that have arrived."""
        if self.store is None:
            return
        before, after = len(self._order), len(self.store)
        if self.in_order_of_coming:
            if after > before:
                self.beginInsertRows(_NOWHERE, before, after - 1)
                self._order = np.arange(after)
                self.endInsertRows()
        else:
            self.arrange()

    def arrange(self) -> None:
        """Sort the rows; the selection is kept."""
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        places = [int(self._order[index.row()]) for index in kept]
        self._order = self._ordered()
        row_of = {int(place): row for row, place in enumerate(self._order)} if places else {}
        moved = [self.index(row_of.get(place, -1), index.column()) for place, index in zip(places, kept, strict=True)]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.column = COLUMNS[column] if column >= 0 else ""
        self.down = order == Qt.SortOrder.DescendingOrder
        self.arrange()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def set_filter(self, failed_only: bool, cell: int) -> None:
        """List only failed trials, or those of one cell."""
        self.failed_only, self.cell = failed_only, cell
        self.arrange()

    def trial_at(self, row: int) -> int | None:
        """The number of the trial in a row."""
        if self.store is None or not 0 <= row < len(self._order):
            return None
        return self.store.index_of(int(self._order[row]))

    def line_at(self, row: int) -> TrialLine:
        """The trial in a row."""
        assert self.store is not None
        return self.store.line(int(self._order[row]))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                name = COLUMNS[section]
                return HEADS[name] + ((_DOWN if self.down else _UP) if name == self.column else "")
            if role == Qt.ItemDataRole.ToolTipRole:
                return f"{_TIPS[COLUMNS[section]]}. Click to sort"
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _side(COLUMNS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(column)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text = text_of(self.line_at(index.row()), column)
            return text if role == Qt.ItemDataRole.DisplayRole else plain_text(text)
        if role == Qt.ItemDataRole.ForegroundRole and column in ("right", "error"):
            line = self.line_at(index.row())
            right = column == "right" and line.right and not line.error
            return self._appearance.theme.color("chosen" if right else "error")
        return None


def _side(column: str) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return (Qt.AlignmentFlag.AlignHCenter if column == "right" else side) | Qt.AlignmentFlag.AlignVCenter


def text_of(line: TrialLine, column: str) -> str:
    """The text of a cell of the list."""
    if column == "right":
        return "failed" if line.error else "–" if line.right is None else "✓ right" if line.right else "✗ wrong"
    if column == "seconds":
        return words.seconds(line.seconds)
    value = line.index if column == "trial" else getattr(line, column)
    if value is None:
        return "–"
    return number(value) if isinstance(value, int) and column != "seed" else str(value)


class TrialsTable(QTableView):
    """The table; Enter or a double click opens the run of a trial."""

    asked = Signal(int)

    def __init__(self, model: TrialsModel, appearance: Appearance) -> None:
        super().__init__()
        self._model, self._appearance = model, appearance
        self.setModel(model)
        self.setAccessibleName("Trials")
        self.setToolTip(
            "Press Enter or double-click to open the run of a trial in the window, with its instance and seed"
        )
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.setStyleSheet("QTableView { border: none; }")
        rows, head = self.verticalHeader(), self.horizontalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.hide()
        head.setSortIndicatorClearable(True)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.setSortIndicatorShown(False)
        head.setStretchLastSection(True)
        head.setHighlightSections(False)
        self.doubleClicked.connect(self._ask)
        appearance.follow(self._apply_theme)

    def _apply_theme(self, theme: Theme) -> None:
        self.verticalHeader().setMinimumSectionSize(theme.pixels(22))
        self.verticalHeader().setDefaultSectionSize(theme.pixels(22))
        self.fit_columns()

    def fit_columns(self) -> None:
        """Set the widths by the fonts and the names of the cells."""
        theme = self._appearance.theme
        metrics = QFontMetrics(theme.font())
        store = self._model.store
        for column, sample in enumerate(_SAMPLES):
            cells = store.cells if store is not None and COLUMNS[column] == "cell" else ()
            widest = max(metrics.horizontalAdvance(text) for text in (sample, *cells)) + theme.pixels(14)
            head = metrics.horizontalAdvance(HEADS[COLUMNS[column]] + _DOWN) + theme.pixels(14)
            self.setColumnWidth(column, min(max(widest, head), theme.pixels(_WIDEST)))

    @property
    def chosen(self) -> int | None:
        """The number of the selected trial."""
        rows = self.selectionModel().selectedRows()
        return self._model.trial_at(rows[0].row()) if rows else None

    def _ask(self, index: QModelIndex) -> None:
        trial = self._model.trial_at(index.row())
        if trial is not None:
            self.asked.emit(trial)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._ask(self.currentIndex())
        else:
            super().keyPressEvent(event)


class Trials(QWidget):
    """The table with its filters, and a button for the selected trial."""

    asked = Signal(int)
    """Open the run of this trial."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.model = TrialsModel(appearance)
        self.table = TrialsTable(self.model, appearance)
        self.table.asked.connect(self.asked)
        self.failed = described(QCheckBox("Failed only"), about="List only the trials that ended in an error.")
        self.failed.toggled.connect(self._filter)
        self.cell = described(ElidingComboBox("Cell"), tip="Choose the cells to list")
        self.cell.currentIndexChanged.connect(self._filter)
        self.count = FittingLabel("Number of trials listed", appearance, least=40)
        self.open = push_button("Open this run", "Run the selected trial again in the window", self._open)
        self._resort = single_shot(self, self._grow, _RESORT)
        row = fill(QHBoxLayout(), (self.cell, 1), self.failed, self.count, STRETCH, self.open)
        fill(vbox(self), row, (self.table, 1))
        self.table.selectionModel().selectionChanged.connect(self._show_open)
        appearance.follow(self._apply_theme)
        self.show_store(None)

    def _apply_theme(self, theme: Theme) -> None:
        self.cell.setMaximumWidth(theme.pixels(_WIDEST))

    def show_store(self, store: TrialStore | None) -> None:
        """List another experiment."""
        self._resort.stop()
        cells = [] if store is None else store.cells
        self.cell.fill([("All cells", "-1", "List the trials of all cells")])
        self.cell.blockSignals(True)
        for at, name in enumerate(cells):
            self.cell.addItem(name, str(at))
        self.cell.setCurrentIndex(0)
        self.cell.blockSignals(False)
        self.model.show_store(store)
        self.table.fit_columns()
        self._show_count()

    def grow(self) -> None:
        """Append new rows at once, and sort them a little later."""
        if self.model.in_order_of_coming:
            self._grow()
        elif not self._resort.isActive():
            self._resort.start()

    def close_list(self) -> None:
        """Stop the timer."""
        self._resort.stop()

    def _grow(self) -> None:
        self.model.grow()
        self._show_count()

    def _filter(self, *_: object) -> None:
        self.model.set_filter(self.failed.isChecked(), int(self.cell.currentData() or -1))
        self._show_count()

    def _show_count(self) -> None:
        listed, store = self.model.rowCount(), self.model.store
        all_of_them = 0 if store is None else len(store)
        self.count.set_text(f"{number(listed)} of {plural(all_of_them, 'trial')}")
        self._show_open()

    def _show_open(self, *_: object) -> None:
        self.open.setEnabled(self.table.chosen is not None)

    def _open(self) -> None:
        if self.table.chosen is not None:
            self.asked.emit(self.table.chosen)
