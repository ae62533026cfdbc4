"""The names of the rows, which stay in sight while the other columns of the instance table scroll."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QTableView

from gems_gui.appearance import Appearance
from gems_gui.panels.cell_delegate import CellDelegate
from gems_gui.panels.table_model import Index
from gems_gui.widgets.frozen_column import FrozenColumn


class FrozenNames(FrozenColumn):
    """The first column of the instance table; its menu and its editor are those of the table."""

    def __init__(self, view: QTableView, appearance: Appearance) -> None:
        super().__init__(view)
        self.setItemDelegate(CellDelegate(appearance, self))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_for_menu)
        self.doubleClicked.connect(self._edit)

    def _ask_for_menu(self, at: QPoint) -> None:
        place = self.viewport().mapToGlobal(at)
        self._view.customContextMenuRequested.emit(self._view.viewport().mapFromGlobal(place))

    def _edit(self, index: Index) -> None:
        self._view.edit(index)
