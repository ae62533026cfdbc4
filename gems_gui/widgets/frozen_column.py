"""The first column of a table, which stays in sight while the others scroll."""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView
from shiboken6 import isValid

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
        self._bar, self._at = view.horizontalScrollBar(), 0
        self._bar.valueChanged.connect(self._stop_at_a_column)
        self._bar.rangeChanged.connect(self._end_at_a_column)

    def _stops(self) -> list[int]:
        """The values of the scroll bar at which a whole column is next to the first one: none loses its minus sign."""
        head = self._view.horizontalHeader()
        return [head.sectionPosition(column) - head.sectionSize(0) for column in range(1, head.count())]

    def _stop_at_a_column(self, value: int) -> None:
        if not isValid(self._bar):  # Qt scrolls back while it deletes the view
            return
        stops = self._stops()
        if stops and value not in stops:
            beyond = bisect_left(stops, value)
            at = beyond if value > self._at else beyond - 1
            value = stops[min(max(at, 0), len(stops) - 1)]
        self._at = value
        self._bar.setValue(value)

    def _end_at_a_column(self, least: int, most: int) -> None:
        if most <= 0 or not isValid(self._bar):  # the same
            return
        if (end := next((each for each in self._stops() if each >= most), most)) != most:
            self._bar.setMaximum(end)

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
