"""The summary of an experiment as a table: the results, and below them the numbers of the paper."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView

from gems_engine.experiment.tables import IN_PAPER, Table
from gems_gui.appearance import Appearance
from gems_gui.drafts.pasting import written
from gems_gui.markup import plain_text
from gems_gui.theme import Theme
from gems_gui.widgets.frozen_column import FrozenColumn

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class NumbersModel(QAbstractTableModel):
    """The tables of an experiment one below the other, each with a heading."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.columns: tuple[str, ...] = ()
        self.lines: list[tuple[str, ...]] = []
        """Rows of a single text are headings."""
        appearance.changed.connect(self._look_again)

    def _look_again(self) -> None:
        self.beginResetModel()
        self.endResetModel()

    def show_tables(self, tables: list[Table]) -> None:
        """Show these tables."""
        columns = tables[0].header if tables else ()
        lines: list[tuple[str, ...]] = []
        for table in tables:
            lines += [(table.title,), *table.rows]
        if len(columns) > 1 and tables and columns[1].lower() in tables[0].title.lower():
            columns = ("", *("" for _ in columns[1:]))  # nothing is varied: only the headings are needed
        if (columns, len(lines)) == (self.columns, len(self.lines)):
            self.lines = lines
            self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, len(columns) - 1))
            return
        self.beginResetModel()
        self.columns, self.lines = columns, lines
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line = self.lines[index.row()]
        heading, paper = len(line) == 1, line[0].endswith(IN_PAPER)
        text = line[index.column()] if index.column() < len(line) else ""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return text if role == Qt.ItemDataRole.DisplayRole else plain_text(text)
        if role == Qt.ItemDataRole.FontRole and heading:
            return self._appearance.theme.font(bold=True)
        if role == Qt.ItemDataRole.ForegroundRole and paper:
            return self._appearance.theme.color("dim")
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


class Numbers(QTableView):
    """The table; Ctrl+C copies the selection, separated by tabs, for a spreadsheet."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._model = NumbersModel(appearance)
        self._gap = 0
        self.setModel(self._model)
        self.setAccessibleName("Summary of the experiment")
        self.setToolTip("The results so far with 95 % intervals, the paper's numbers below them, and how they agree")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setHighlightSections(False)
        self.setStyleSheet("QTableView { border: none; }")
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.frozen = FrozenColumn(self)
        self.frozen.setShowGrid(False)
        self.horizontalScrollBar().valueChanged.connect(self._place_names)
        self.horizontalHeader().sectionResized.connect(self._place_names)
        self._model.modelReset.connect(self._span)
        appearance.follow(self._apply_theme)

    def sizeHintForColumn(self, column: int) -> int:
        """The width of its texts, and a gap before those on the right."""
        return super().sizeHintForColumn(column) + (self._gap if column else 0)

    def _apply_theme(self, theme: Theme) -> None:
        self._gap = theme.pixels(12)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(theme.pixels(23))
        self.verticalHeader().setDefaultSectionSize(theme.pixels(23))

    def show_tables(self, tables: list[Table]) -> None:
        """Show these tables."""
        self._model.show_tables(tables)

    @property
    def lines(self) -> list[tuple[str, ...]]:
        """The text of all cells, line by line."""
        return self._model.lines

    def updateGeometries(self) -> None:
        super().updateGeometries()
        if hasattr(self, "frozen"):  # Qt calls this during construction
            self._place_names()

    def _place_names(self) -> None:
        self.frozen.place(self.horizontalScrollBar().value() > 0)

    def _span(self) -> None:
        self.clearSpans()
        for row, line in enumerate(self._model.lines):
            if len(line) == 1 and len(self._model.columns) > 1:
                self.setSpan(row, 0, 1, len(self._model.columns))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            found: dict[int, list[str]] = {}
            for index in sorted(self.selectedIndexes(), key=lambda each: (each.row(), each.column())):
                found.setdefault(index.row(), []).append(str(index.data() or ""))
            QApplication.clipboard().setText(written(list(found.values())))
        else:
            super().keyPressEvent(event)
