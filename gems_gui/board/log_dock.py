"""The log: what happened in this window and when, in sentences that can be copied."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QWidget,
)

from gems_gui.board.side_dock import SideDock
from gems_gui.theme import Theme

NOTE, ERROR = "note", "error"
LONGEST = 2_000
"""Sentences that are kept."""
_LINES = 5  # that it shows at least where nobody gives it more room


@dataclass(frozen=True)
class LogEntry:
    """One thing that happened.

    Attributes
    ----------
    kind
        ``note`` or ``error``.
    details
        A report for whoever mends the program; copied with the sentence, not shown.
    """

    sentence: str
    kind: str = NOTE
    details: str = ""
    when: datetime = field(default_factory=datetime.now)

    def __str__(self) -> str:
        return f"{self.when:%H:%M:%S}  {self.sentence}"

    @property
    def copied(self) -> str:
        """As it is copied."""
        return f"{self.when:%Y-%m-%d %H:%M:%S}  {self.sentence}" + (f"\n{self.details}\n" if self.details else "")


class LogList(QListWidget):
    """The sentences; Ctrl+C copies those that are selected."""

    def sizeHint(self) -> QSize:
        """A few lines: where it lies under the board it takes no more of it than it must."""
        return QSize(super().sizeHint().width(), _LINES * self.fontMetrics().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selected()
        else:
            super().keyPressEvent(event)

    def copy_selected(self) -> None:
        """Put the selected sentences into the clipboard, or all where none is selected."""
        rows = sorted(self.row(item) for item in self.selectedItems()) or range(self.count())
        entries = (self.item(row).data(Qt.ItemDataRole.UserRole) for row in rows)
        QGuiApplication.clipboard().setText("\n".join(entry.copied for entry in entries) + "\n")


class LogDock(SideDock):
    """A list that grows at its end."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("log", "Log", theme, parent)
        self.list = LogList()
        self.list.setAccessibleName("What happened")
        self.list.setToolTip("What happened in this window, the newest at the end")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy the selected sentences, or all of them, with the reports of errors")
        self.copy.clicked.connect(self.list.copy_selected)
        self.empty = QPushButton("Clear")
        self.empty.setToolTip("Forget all sentences")
        self.empty.clicked.connect(self.list.clear)
        self._following = QTimer(self)
        self._following.setSingleShot(True)
        self._following.timeout.connect(self.list.scrollToBottom)
        column = self.column()
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.copy)
        buttons.addWidget(self.empty)
        column.addWidget(self.list, 1)
        column.addLayout(buttons)

    @property
    def entries(self) -> list[LogEntry]:
        """Everything that is kept, the oldest first."""
        return [self.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.list.count())]

    def add(self, sentence: str, kind: str = NOTE, details: str = "") -> None:
        """Write a sentence down; an empty one is nothing."""
        if not sentence:
            return
        bar = self.list.verticalScrollBar()
        if bar.value() == bar.maximum():
            self._following.start(0)  # later, and once for many sentences: it breaks all lines anew
        entry = LogEntry(sentence, kind, details)
        item = QListWidgetItem(str(entry))
        item.setData(Qt.ItemDataRole.UserRole, entry)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{kind}: {entry}" if kind == ERROR else str(entry))
        self._dress(item)
        self.list.addItem(item)
        while self.list.count() > LONGEST:
            self.list.takeItem(0)

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        self.apply_theme(theme)
        for row in range(self.list.count()):
            self._dress(self.list.item(row))

    def _dress(self, item: QListWidgetItem) -> None:
        entry = item.data(Qt.ItemDataRole.UserRole)
        item.setForeground(self._theme.color("now" if entry.kind == ERROR else "text"))

    def showEvent(self, event: QShowEvent) -> None:
        """Begin with the newest: nothing was laid out while nobody looked."""
        super().showEvent(event)
        self._following.start(0)

    def changeEvent(self, event: QEvent) -> None:
        """Lines break anew with another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.list.scheduleDelayedItemsLayout()

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy").triggered.connect(self.list.copy_selected)
        menu.popup(self.list.viewport().mapToGlobal(at))
