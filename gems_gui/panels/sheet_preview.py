"""The preview of a sheet: its cells, with what each column becomes in the headers."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView

from gems_gui.appearance import Appearance
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.drafts.paste_plan import LEFT_OUT, PastePlan
from gems_gui.markup import plain_text
from gems_gui.panels.cell_delegate import CellDelegate
from gems_gui.panels.table_model import BAD, Index
from gems_gui.widgets.explained import described, explain

_ROLE = Qt.ItemDataRole
_MARKS = frozenset([BAD, _ROLE.ToolTipRole, _ROLE.BackgroundRole, _ROLE.ForegroundRole])
_NOWHERE = QModelIndex()
_ROWS_MEASURED, _WIDEST = 20, 300  # for the widths of the columns


class SheetModel(QAbstractTableModel):
    """The cells of a plan; its headers say what each column becomes, in a table into which it is pasted."""

    def __init__(
        self, plan: PastePlan, appearance: Appearance, parent: QObject, table: InstanceTable | None = None
    ) -> None:
        super().__init__(parent)
        self._plan, self._appearance, self._table = plan, appearance, table

    def show_plan(self, plan: PastePlan) -> None:
        same = (plan.rows, plan.body) == (self._plan.rows, self._plan.body)
        if same:
            self._plan = plan
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
            return
        self.beginResetModel()
        self._plan = plan
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._plan.body)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else self._plan.width

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> Any:
        plan, row, column = self._plan, self._plan.body[index.row()], index.column()
        if role == _ROLE.DisplayRole:
            return plan.cell(row, column)
        if role not in _MARKS:
            return None
        bad = plan.bad.get((row, column), "")
        if role == BAD:
            return bool(bad)
        if role == _ROLE.ToolTipRole:
            return plain_text(bad) if bad else None
        if role == _ROLE.BackgroundRole:
            return self._appearance.theme.color("now", 60) if bad else None
        gone = plan.roles[column] == LEFT_OUT or row not in plan.kept_rows
        return self._appearance.theme.color("error" if bad else "dim") if bad or gone else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole) -> Any:
        if role != _ROLE.DisplayRole:
            return None
        plan = self._plan
        if orientation == Qt.Orientation.Vertical:
            return str(plan.body[section] + 1)
        header = "" if plan.header is None else plan.header[section]
        return f"{header}\n{plan.role_label(section, self._table)}"


def sheet_preview(model: SheetModel, appearance: Appearance) -> QTableView:
    """A table of the sheet, in which a click on a header or a cell makes its column the current one."""
    view = described(QTableView(), name="The sheet")
    view.setModel(model)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setTabKeyNavigation(False)
    view.setWordWrap(False)
    view.horizontalHeader().setResizeContentsPrecision(_ROWS_MEASURED)
    view.horizontalHeader().setMaximumSectionSize(_WIDEST)
    view.setItemDelegate(CellDelegate(appearance, view))

    def choose(column: int) -> None:
        view.setCurrentIndex(model.index(0, column))
        view.selectColumn(column)

    view.horizontalHeader().sectionClicked.connect(choose)
    explain(view, "Click a column to choose what it is.")
    return view
