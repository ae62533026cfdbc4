"""The names of the rows, which stay in sight while the other columns of the instance table scroll."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView

from gems_gui.appearance import Appearance
from gems_gui.panels.cell_delegate import CellDelegate
from gems_gui.panels.table_model import Index

_NEVER = Qt.ScrollBarPolicy.ScrollBarAlwaysOff


class FrozenNames(QTableView):
    """The first column of a table view again, over its place; it shares the selection, and the view has the focus."""

    def __init__(self, view: QTableView, appearance: Appearance) -> None:
        super().__init__(view)
        self._view = view
        self.setModel(view.model())
        self.setSelectionModel(view.selectionModel())
        self.setItemDelegate(CellDelegate(appearance, self))
        self.setAccessibleName("Names of the rows")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setStyleSheet("QTableView { border: none; border-radius: 0px; }")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)
        self.setWordWrap(False)
        self.setHorizontalScrollBarPolicy(_NEVER)
        self.setVerticalScrollBarPolicy(_NEVER)
        self.setVerticalScrollMode(view.verticalScrollMode())
        self.verticalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.hide()
        view.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        view.verticalHeader().sectionResized.connect(self._follow_height)
        self.customContextMenuRequested.connect(self._ask_for_menu)
        self.doubleClicked.connect(self._edit)

    def place(self, needed: bool) -> None:
        """Cover the column of names, or hide."""
        view = self._view
        self.setVisible(needed)
        if not needed:
            return
        self.verticalHeader().setDefaultSectionSize(view.verticalHeader().defaultSectionSize())
        self.setColumnWidth(0, view.columnWidth(0))
        head = view.horizontalHeader().height()
        self.horizontalHeader().setFixedHeight(head)
        edge = view.frameWidth()
        left = edge + view.verticalHeader().width()
        self.setGeometry(left, edge, view.columnWidth(0), head + view.viewport().height())
        self.verticalScrollBar().setValue(view.verticalScrollBar().value())

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Leave scrolling to the view."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self._view.viewport(), event)

    def _follow_height(self, row: int, old: int, height: int) -> None:
        self.setRowHeight(row, height)

    def _ask_for_menu(self, at: QPoint) -> None:
        place = self.viewport().mapToGlobal(at)
        self._view.customContextMenuRequested.emit(self._view.viewport().mapFromGlobal(place))

    def _edit(self, index: Index) -> None:
        self._view.edit(index)
