"""The log dock: the messages of this window with their times."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListWidget, QListWidgetItem, QMenu, QPushButton, QWidget

from gems_gui.appearance import Appearance
from gems_gui.board.side_dock import SideDock
from gems_gui.log_file import log_path
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import STRETCH, fill
from gems_gui.widgets.explained import described
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Field
from gems_gui.workbench.messages import ERROR, LONGEST, LogEntry
from gems_gui.workbench.workbench import Workbench

_LINES = 5  # least number of visible lines


class LogList(QListWidget):
    """The list of messages; Ctrl+C copies the selected ones."""

    def sizeHint(self) -> QSize:
        """The height of a few lines, so that a log under the board takes little room."""
        return QSize(super().sizeHint().width(), _LINES * self.fontMetrics().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selected()
        else:
            super().keyPressEvent(event)

    def copy_selected(self) -> None:
        """Copy the selected messages to the clipboard, or all if none is selected."""
        rows = sorted(self.row(item) for item in self.selectedItems()) or range(self.count())
        entries = (self.item(row).data(Qt.ItemDataRole.UserRole) for row in rows)
        QGuiApplication.clipboard().setText("\n".join(entry.copied for entry in entries) + "\n")


class LogDock(SideDock):
    """The dock with the list of messages."""

    def __init__(self, workbench: Workbench, appearance: Appearance, parent: QWidget) -> None:
        super().__init__("log", "Log", appearance, parent)
        self._messages = workbench.messages
        self._shown = 0  # of all entries ever logged
        self.list = described(LogList(), name="Log messages", tip="Show the messages of this window, the newest last")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.copy = described(QPushButton("Copy"), tip="Copy the selected messages, or all of them, with error reports")
        self.copy.clicked.connect(self.list.copy_selected)
        self.empty = described(QPushButton("Clear"), tip="Clear the log")
        self.empty.clicked.connect(self.list.clear)
        tip = f"Open the log file, which has the messages of earlier windows, too: {log_path()}"
        self.earlier = described(QPushButton("Earlier messages"), tip=tip)
        self.earlier.clicked.connect(self._open_file)
        self._following = single_shot(self, self.list.scrollToBottom)
        column = self.column()
        buttons = fill(QHBoxLayout(), self.earlier, STRETCH, self.copy, self.empty)
        fill(column, (self.list, 1), buttons)
        workbench.subscribe(self._show_new, Field.MESSAGES)
        appearance.follow(self._apply_theme)

    @property
    def entries(self) -> list[LogEntry]:
        """All entries, the oldest first."""
        return [self.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.list.count())]

    def _show_new(self, *_: object) -> None:
        new, self._shown = self._messages.entries_since(self._shown), self._messages.logged
        for entry in new:
            self._add(entry)

    def _add(self, entry: LogEntry) -> None:
        bar = self.list.verticalScrollBar()
        if bar.value() == bar.maximum():
            self._following.start(0)  # later, and once for many messages: it wraps all lines again
        item = QListWidgetItem(str(entry))
        item.setData(Qt.ItemDataRole.UserRole, entry)
        item.setData(
            Qt.ItemDataRole.AccessibleTextRole, f"{entry.kind}: {entry}" if entry.kind == ERROR else str(entry)
        )
        self._style_item(item)
        self.list.addItem(item)
        while self.list.count() > LONGEST:
            self.list.takeItem(0)

    def _apply_theme(self, theme: Theme) -> None:
        for row in range(self.list.count()):
            self._style_item(self.list.item(row))

    def _style_item(self, item: QListWidgetItem) -> None:
        entry = item.data(Qt.ItemDataRole.UserRole)
        item.setForeground(self._appearance.theme.color("error" if entry.kind == ERROR else "text"))

    def showEvent(self, event: QShowEvent) -> None:
        """Scroll to the newest message: hidden lists are not laid out."""
        super().showEvent(event)
        self._following.start(0)
        self.earlier.setEnabled(log_path().exists())

    def _open_file(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_path()))):
            self._messages.show(f"No program on this machine opens {log_path()}. Open it with an editor.")

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy").triggered.connect(self.list.copy_selected)
        menu.popup(self.list.viewport().mapToGlobal(at))
