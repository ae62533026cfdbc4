"""The grid of the instance table: navigates and edits like a spreadsheet, and maps keys to commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QTableView, QWidget

from gems_gui.appearance import Appearance
from gems_gui.panels.cell_delegate import CellDelegate
from gems_gui.panels.frozen_names import FrozenNames
from gems_gui.panels.table_commands import COMMANDS
from gems_gui.panels.table_model import Index, TableModel
from gems_gui.theme import Theme

_KEYS = {QKeySequence(command.key).toString(): command.name for command in COMMANDS if command.key}
_FLAG = QItemSelectionModel.SelectionFlag


@dataclass(frozen=True)
class Picked:
    """The selected rows and columns of numbers; −1 is the column of names."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    whole_rows: bool
    whole_columns: bool


class CellView(QTableView):
    """A table view over a `TableModel`."""

    commanded = Signal(str)
    """The name of the command whose key was pressed."""

    def __init__(self, model: TableModel, appearance: Appearance) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        self.setItemDelegate(CellDelegate(appearance, self))
        self.setAccessibleName("Cells of the instance")
        self.setTabKeyNavigation(False)  # Tab leaves the table, as in every other widget
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.DoubleClicked | trigger.EditKeyPressed | trigger.AnyKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setCornerButtonEnabled(True)
        self.setWordWrap(False)
        self.verticalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.frozen = FrozenNames(self, appearance)
        self.horizontalScrollBar().valueChanged.connect(self._place_names)
        self.horizontalHeader().sectionResized.connect(self._place_names)
        model.modelReset.connect(self._place_names)
        appearance.follow(self._apply_theme)

    def _apply_theme(self, theme: Theme) -> None:
        """Fit rows and columns to the text size."""
        self.verticalHeader().setDefaultSectionSize(theme.pixels(26))
        self.horizontalHeader().setDefaultSectionSize(theme.pixels(98))
        self.horizontalHeader().setMinimumSectionSize(theme.pixels(40))

    # -- names stay in sight ------------------------------------------------------------------------------------

    def updateGeometries(self) -> None:
        super().updateGeometries()
        if hasattr(self, "frozen"):  # Qt calls this during construction
            self._place_names()

    def _place_names(self) -> None:
        self.frozen.place(bool(self._model.first) and self.horizontalScrollBar().value() > 0)

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll to a cell so that the names do not cover it; a name is in sight at any place."""
        bar = self.horizontalScrollBar()
        before = bar.value()
        super().scrollTo(index, hint)
        if self._model.first and index.column() == 0:
            bar.setValue(before)
        elif self._model.first and bar.value() > 0:
            bar.setValue(bar.value() - max(self.columnWidth(0) - self.visualRect(index).left(), 0))

    def edit(self, index: Index, *how: Any) -> Any:
        """Edit a cell; a name is edited where it is, not under its frozen copy."""
        done = super().edit(index, *how)
        if self.state() == QAbstractItemView.State.EditingState and index.column() < self._model.first:
            self.horizontalScrollBar().setValue(0)
        return done

    # -- what is selected ---------------------------------------------------------------------------------------

    @property
    def picked(self) -> Picked:
        """The selected rows and columns, or those of the current cell."""
        first, height, width = self._model.first, self._model.rowCount(), self._model.columnCount()
        rows: set[int] = set()
        columns: set[int] = set()
        selection = self.selectionModel().selection()
        for part in (selection.at(i) for i in range(selection.size())):  # a large table has too many cells to list
            rows.update(range(part.top(), part.bottom() + 1))
            columns.update(range(part.left(), part.right() + 1))
        current = self.currentIndex()
        if not rows and current.isValid():
            rows, columns = {current.row()}, {current.column()}
        return Picked(
            tuple(sorted(rows)),
            tuple(each - first for each in sorted(columns)),
            bool(rows) and len(columns) == width > 1,
            bool(columns) and len(rows) == height > 1,
        )

    def pick(self, rows: range, columns: range) -> None:
        """Select a block of numbers and make its first cell current; column 0 is the first one after the names."""
        first = self._model.first
        if not rows or not columns or rows[-1] >= self._model.rowCount():
            return
        start = self._model.index(rows[0], columns[0] + first)
        end = self._model.index(rows[-1], columns[-1] + first)
        selection = self.selectionModel()
        selection.setCurrentIndex(start, _FLAG.NoUpdate)
        selection.select(QItemSelection(start, end), _FLAG.ClearAndSelect)
        self.scrollTo(end)
        self.scrollTo(start)

    def go(self, row: int, column: int) -> None:
        """Make one cell current and select only it, regardless of modifier keys; column 0 is that of the names."""
        self.selectionModel().setCurrentIndex(self._model.index(row, column), _FLAG.ClearAndSelect)

    # -- keys ---------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Claim the keys of the table's commands before the shortcuts of the window get them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._command(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if name := self._command(event):
            self.commanded.emit(name)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.state() != QAbstractItemView.State.EditingState:  # while editing, Enter ends the edit
                self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _command(self, event: QKeyEvent) -> str:
        if self.state() == QAbstractItemView.State.EditingState:
            return ""
        return _KEYS.get(QKeySequence(event.keyCombination()).toString(), "")

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Move down after Enter, as spreadsheets do."""
        super().closeEditor(editor, hint)
        at = self.currentIndex()
        if hint == QAbstractItemDelegate.EndEditHint.SubmitModelCache and at.row() + 1 < self._model.rowCount():
            self.go(at.row() + 1, at.column())
