"""The table of all events, with filters and search; a click moves the cursor to an event."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from gems_engine.events import Estimated
from gems_engine.terminal import number, plural, with_indices
from gems_engine.trace import CHUNK
from gems_engine.wording import ordinal
from gems_gui.markup import plain_text
from gems_gui.series.event_list import COLUMNS, KINDS, MOST_COPIED, EventList, event_table
from gems_gui.series.table import Table, as_csv
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.option import Option
from gems_gui.views.rows import Index, RowModel, RowTable
from gems_gui.views.table_view import TableView
from gems_gui.widgets.boxes import hbox, vbox
from gems_gui.widgets.form_widgets import ElidingComboBox
from gems_gui.widgets.timers import single_shot

RECORD, CURSOR = "record", "cursor"
_SLICE = 0.002  # seconds of searching at a time
_PAUSE = 12  # milliseconds in between
_KEPT = 512  # cached lines


class EventModel(RowModel):
    """Events as rows; those after the cursor are dimmed, and the last one before it is marked."""

    columns = COLUMNS

    def __init__(self) -> None:
        super().__init__()
        self.events: EventList | None = None
        self.cursor = 0
        self._lines: dict[int, tuple[str, str, str]] = {}

    def apply_theme(self, theme: Theme) -> None:
        """Use a slanted font for θ̂: upright, DejaVu Sans misplaces the hat."""
        super().apply_theme(theme)
        self.slanted = theme.font()
        self.slanted.setItalic(True)

    def list(self, events: EventList | None) -> None:
        """Show another run."""
        self.events = events
        self._lines.clear()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.events is None or not index.isValid():
            return None
        at = self.item(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return ordinal(at) if index.column() == 0 else self._line(at)[index.column() - 1]
        if role == Qt.ItemDataRole.ForegroundRole:
            return self.brush("dim") if at >= self.cursor or index.column() == 0 else None
        if role == Qt.ItemDataRole.BackgroundRole:
            return self.brush("surviving", 45) if at == self.cursor - 1 else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_text(" · ".join(filter(None, self._line(at))))
        if role == Qt.ItemDataRole.FontRole:
            return self.slanted if index.column() == 3 and self._line(at)[1] == Estimated.kind else None
        return None

    def _line(self, at: int) -> tuple[str, str, str]:
        assert self.events is not None
        if at not in self._lines:
            if len(self._lines) >= _KEPT:
                self._lines.clear()
            place, kind, words = self.events.line(self.events.trace[at])
            self._lines[at] = place, kind, with_indices(words)
        return self._lines[at]

    def row_of(self, event: int) -> int:
        """The last row up to an event, −1 if there is none."""
        rows = self._rows
        return min(event, rows - 1) if isinstance(rows, int) else int(np.searchsorted(rows, event, side="right")) - 1


class EventTable(TableView):
    """Every event of the run, one line each."""

    name = "events"
    title = "Events"
    marks_selection = False
    about = (
        "Every event of the run, one line each: its position and what happened. The event at the cursor is marked; "
        "later events, if listed, are dimmed. Click an event to go there. Filter everything recorded by words or by "
        "kind; copy the listed or selected events as CSV."
    )
    options = (Option("upto", "List", {CURSOR: "Up to the cursor", RECORD: "Everything recorded"}),)

    def make(self) -> QWidget:
        self.model = EventModel()
        spare = (COLUMNS.index("kind"), COLUMNS.index("position"))
        samples = ("000 000 ", "ℓ 00 · i 00 · k 00", "subroutine finished")
        self.table = RowTable(self.model, self.title, "Click an event to go there", samples, spare)
        self.table.went_to.connect(self._go)
        self.table.steady = self.exporting
        self.search_field = QLineEdit()
        self.search_field.setAccessibleName("Search the events")
        self.search_field.setPlaceholderText("Search")
        self.search_field.setToolTip('List the events that contain all of these words, such as "arm 4 eliminated"')
        self.search_field.setClearButtonEnabled(True)
        self.search_field.setAcceptDrops(False)  # the window opens files
        self.kinds = ElidingComboBox("Kind of events")
        self.kinds.fill((kind or "all kinds", kind, "") for kind in ("", *KINDS))
        self.kinds.setToolTip("List the events of one kind")
        self.copy = QPushButton("Copy as CSV")
        self.copy.setToolTip(f"Copy the selected events, or all listed ones (at most {number(MOST_COPIED)})")
        self._timer = single_shot(self, self._search_on, _PAUSE)
        self.controls = QWidget()
        whole = QWidget()
        column = vbox(whole, 4)
        if not self.exporting:
            self.search_field.textChanged.connect(self._search)
            self.kinds.currentIndexChanged.connect(self._search)
            self.copy.clicked.connect(self.copy_csv)
            shortcut = QShortcut(QKeySequence.StandardKey.Copy, self.table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(self.copy_csv)
            line = hbox(self.controls, 6)
            line.addWidget(self.search_field, 3)
            line.addWidget(self.kinds, 2)
            line.addWidget(self.copy)
            column.addWidget(self.controls)
        column.addWidget(self.table, 1)
        return whole

    def make_room(self) -> None:
        """Show the search in a window; the stage of a talk has none."""
        self.controls.setVisible(not self.exporting and not self.theme.hall)

    def clear(self) -> None:
        self._timer.stop()
        self.model.list(None)
        self.model.set_rows(0, reset=True)

    def paint(self, snapshot: Snapshot) -> None:
        events = self.model.events
        reset = events is None or events.trace is not snapshot.trace
        if events is None or reset:
            events = EventList(snapshot.trace)
            events.search(*self._asked)
            self.model.list(events)
        self._list(events, snapshot, reset)

    @property
    def _asked(self) -> tuple[str, str]:
        return self.search_field.text(), str(self.kinds.currentData())

    def _list(self, events: EventList, snapshot: Snapshot, reset: bool) -> None:
        """Update the rows, and continue the search soon if it is not finished."""
        if events.behind <= CHUNK:
            events.update(_SLICE)
        # A click on a search result moves the cursor; results after it must stay.
        whole = (self.settings["upto"] == RECORD or events.filtered) and not self.exporting
        before = self.model.cursor
        self.model.cursor = snapshot.cursor
        self.model.set_rows(events.rows(len(snapshot.trace) if whole else snapshot.cursor), reset)
        if reset or before != snapshot.cursor:
            self._follow()
        self._show_count(events)
        if events.behind and not self._timer.isActive():
            self._timer.start()

    def _follow(self) -> None:
        """Repaint the rows that the cursor has passed, and scroll to its event unless the table has the focus."""
        row = self.model.row_of(self.model.cursor - 1)
        self.table.viewport().update()
        self.table.ensure_visible(row)

    def _show_count(self, events: EventList) -> None:
        count = self.model.rowCount()
        words = plural(count, "event")
        if events.filtered:
            words = f"{number(count)} of {number(len(events.trace))} events"
        if events.progress < 1.0:
            words += f" · searched {100 * events.progress:.0f} %"
        self.head.subtitle.setText(words)

    # -- user actions ---------------------------------------------------------------------------------------------

    def _search(self, *_: object) -> None:
        events, snapshot = self.model.events, self.snapshot
        if events is not None and snapshot is not None and events.search(*self._asked):
            self._list(events, snapshot, reset=True)

    def _search_on(self) -> None:
        """Search a little more while the view is visible."""
        events, snapshot = self.model.events, self.snapshot
        if events is not None and snapshot is not None and self.body.isVisible():
            events.update(_SLICE)
            self._list(events, snapshot, reset=False)

    def _go(self, row: int) -> None:
        self.place_picked.emit(self.model.item(row))

    def as_table(self) -> Table:
        events = self.model.events
        if events is None:
            return super().as_table()
        return event_table(events.trace, [self.model.item(row) for row in range(self.model.rowCount())])

    def copy_csv(self) -> None:
        """Copy the selected events, or all listed ones, to the clipboard as CSV."""
        events = self.model.events
        if events is None:
            return
        selected = self.table.picked_rows()
        rows = selected if len(selected) > 1 else list(range(self.model.rowCount()))
        table = event_table(events.trace, [self.model.item(row) for row in rows[:MOST_COPIED]])
        QGuiApplication.clipboard().setText(as_csv(table))
        more = f", the first of {number(len(rows))}" if len(rows) > MOST_COPIED else ""
        copied = min(len(rows), MOST_COPIED)
        self.head.subtitle.setText(f"{plural(copied, 'event')} copied as CSV{more}")
