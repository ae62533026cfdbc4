"""A Qt item model of one part of the instance table; nothing is copied, so the table may be large."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from gems_engine.terminal import number
from gems_gui.appearance import Appearance
from gems_gui.drafts.instance_table import ARMS, TARGETS, THETA, InstanceTable, name_refusal
from gems_gui.drafts.pasting import NAME
from gems_gui.drafts.sheet import NumberGrid
from gems_gui.markup import plain_text
from gems_gui.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_DIGITS = 5
_NOWHERE = QModelIndex()
_ROLE = Qt.ItemDataRole
_FLAG = Qt.ItemFlag
BAD = _ROLE.UserRole + 1
"""Whether a cell is invalid."""
_EDITABLE = _FLAG.ItemIsEditable | _FLAG.ItemIsEnabled | _FLAG.ItemIsSelectable | _FLAG.ItemNeverHasChildren


class TableModel(QAbstractTableModel):
    """The cells of one part; the first column has names, except in θ⋆.

    Parameters
    ----------
    appearance
        Provides the colours of marked cells and of zeros.
    """

    edited = Signal(object)
    """The table after the user has edited a cell."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.appearance = appearance
        self.table: InstanceTable | None = None
        self.part = ARMS
        self._size = (0, 0)  # cached, because Qt reads it thousands of times
        appearance.follow(self._apply_theme)

    @property
    def sheet(self) -> NumberGrid | None:
        """The cells that are shown."""
        return None if self.table is None else self.table.sheet(self.part)

    @property
    def first(self) -> int:
        """Number of columns of names before the numbers."""
        return 0 if self.part == THETA else 1

    def show_part(self, table: InstanceTable | None, part: str) -> bool:
        """Show other cells; True if their number has changed, which clears the selection."""
        if table is not None and table == self.table and part == self.part:
            return False  # an edit in progress can continue
        old, before = self.sheet, self.part
        new = None if table is None else table.sheet(part)
        if old is not None and new is not None and before == part and old.shape == new.shape:
            self.table = table
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last.column())
            return False
        self.beginResetModel()
        self.table, self.part = table, part
        self._size = (0, 0) if new is None else (new.shape[0], new.shape[1] + self.first)
        self.endResetModel()
        return True

    def _apply_theme(self, theme: Theme) -> None:
        if (sheet := self.sheet) is not None and all(sheet.shape):
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    # -- item model ---------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else self._size[0]

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else self._size[1]

    def flags(self, index: Index) -> Qt.ItemFlag:
        return _EDITABLE

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> Any:
        table, sheet = self.table, self.sheet
        if table is None or sheet is None or not index.isValid():
            return None
        row, column = index.row(), index.column() - self.first
        if column < 0:
            return self._name(table.names(self.part)[row], role)
        if role == _ROLE.DisplayRole:
            bad = sheet.bad.get((row, column))
            return number(float(sheet.values[row, column]), _DIGITS) if bad is None else bad
        if role == _ROLE.EditRole:
            return _short_text(sheet, row, column)
        if role == _ROLE.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == _ROLE.ForegroundRole:
            if (row, column) in sheet.bad:
                return self.appearance.theme.color("error")
            return self.appearance.theme.color("dim") if sheet.values[row, column] == 0 else None
        if role == BAD:
            return (row, column) in sheet.bad
        if role == _ROLE.BackgroundRole:
            return self.appearance.theme.color("now", 40) if (row, column) in sheet.bad else None
        if role in (_ROLE.ToolTipRole, _ROLE.AccessibleDescriptionRole):
            if reason := sheet.reason(row, column):
                return plain_text(reason)
            return plain_text(f"{table.cell_label(self.part, row, column)}: {_short_text(sheet, row, column)}")
        return None

    def _name(self, name: str, role: int) -> Any:
        if role in (_ROLE.DisplayRole, _ROLE.EditRole):
            return name
        wrong = name_refusal(name)
        if role == BAD:
            return bool(wrong)
        if role == _ROLE.ForegroundRole:
            return self.appearance.theme.color("error") if wrong else None
        if role in (_ROLE.ToolTipRole, _ROLE.AccessibleDescriptionRole):
            return plain_text(wrong or (f"Name: {name}" if name else "No name yet: type one."))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole) -> Any:
        """Features are numbered from 1, as d is; arms and targets from 0, as everywhere."""
        if self.table is None:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self._column_header(section, role)
        if role == _ROLE.DisplayRole:
            return str(section + 1) if self.part == THETA else str(section)
        if role == _ROLE.ToolTipRole and section < self.rowCount():
            return plain_text(self.table.row_label(self.part, section))
        return None

    def _column_header(self, section: int, role: int) -> Any:
        named = section < self.first
        if role == _ROLE.DisplayRole:
            return NAME if named else self.shown_header(section - self.first)
        if role == _ROLE.ToolTipRole:
            if named:
                return "Names of the rows (optional)"
            if self.part in (ARMS, TARGETS):
                column = section - self.first
                place, label = f"feature {column + 1}", self.shown_header(column)
                said = place.capitalize() if label == place else f"{label}, {place}"
                return plain_text(f"{said} of {self.columnCount() - self.first}")
            return "θ⋆, one number for each feature" if self.part == THETA else "Mean reward"
        return None

    def shown_header(self, column: int) -> str:
        """The header of a column of numbers."""
        if self.part in (ARMS, TARGETS):
            return self.table.feature_label(column) if self.table is not None else ""
        return "θ⋆" if self.part == THETA else "reward"

    def setData(self, index: Index, value: Any, role: int = _ROLE.EditRole) -> bool:
        """Accept any typed text, also if it is not a number."""
        if self.table is None or role != _ROLE.EditRole or not index.isValid():
            return False
        text = str(value)
        if text == str(self.data(index, _ROLE.EditRole)):
            return True
        row, column = index.row(), index.column() - self.first
        if column < 0:
            self.edited.emit(self.table.with_name(self.part, row, text))
        else:
            self.edited.emit(self.table.with_cell(self.part, row, column, text))
        return True


def _short_text(sheet: NumberGrid, row: int, column: int) -> str:
    """The text of a cell for editing: "3" for 3.0, otherwise all digits."""
    text = sheet.text(row, column)
    return text[:-2] if text.endswith(".0") and (row, column) not in sheet.bad else text
