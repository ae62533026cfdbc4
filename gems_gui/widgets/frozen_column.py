"""The first column of a table, which stays in sight while the others scroll."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView

Index = QModelIndex | QPersistentModelIndex
_NEVER = Qt.ScrollBarPolicy.ScrollBarAlwaysOff


class FrozenColumn(QTableView):
    """The first column of a table view again, over its place; it shares the selection, and the view has the focus."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view
        self.setModel(view.model())
        self.setSelectionModel(view.selectionModel())
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
        self.hide()
        view.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        view.verticalHeader().sectionResized.connect(self._follow_height)

    def place(self, needed: bool) -> None:
        """Cover the first column, or hide."""
        view = self._view
        self.setVisible(needed)
        if not needed:
            return
        self.verticalHeader().setDefaultSectionSize(view.verticalHeader().defaultSectionSize())
        self.setColumnWidth(0, view.columnWidth(0))
        head = view.horizontalHeader().height()
        self.horizontalHeader().setFixedHeight(head)
        edge = view.frameWidth()
        rows = view.verticalHeader()
        left = edge + (0 if rows.isHidden() else rows.width())
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
