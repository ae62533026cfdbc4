"""Carries out the commands of a table on the selection; each emits a new table."""

from __future__ import annotations

from collections.abc import Callable, Sized

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from gems_engine.errors import InputError
from gems_engine.formats.spreadsheet import may_be_decimals
from gems_gui.drafts.instance_table import ARMS, TARGETS, THETA, InstanceTable
from gems_gui.drafts.paste_plan import APPEND, REPLACE, PastePlan
from gems_gui.drafts.pasting import NAME, PastedBlock, read_block, written
from gems_gui.panels.cell_view import CellView
from gems_gui.panels.paste_dialog import PasteDialog
from gems_gui.panels.table_commands import COLUMNS, TableCommand
from gems_gui.panels.table_model import TableModel
from gems_gui.widgets.dialogs import LazyDialog


class TableEditing(QObject):
    """The commands of one view."""

    edited = Signal(object)
    """The new table; the receiver shows it in the model at once."""
    message = Signal(str)
    """What a command did, where it is not visible."""

    def __init__(self, view: CellView, model: TableModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.view = view
        self.model = model
        self._copied = ""
        self._dialog = LazyDialog(self._make_dialog)
        self._methods: dict[str, Callable[[], None]] = {
            "add_row": self._add_row,
            "duplicate_rows": self._duplicate_rows,
            "remove_rows": self._remove_rows,
            "rows_up": self._rows_up,
            "rows_down": self._rows_down,
            "add_column": self._add_column,
            "duplicate_columns": self._duplicate_columns,
            "remove_columns": self._remove_columns,
            "columns_left": self._columns_left,
            "columns_right": self._columns_right,
            "copy": self._copy,
            "paste": self._paste,
            "paste_whole": self._paste_whole,
            "clear": self._clear,
        }

    def do(self, name: str) -> None:
        """Carry out a command, or raise an InputError that says why it is not possible."""
        if self.model.table is not None:
            self._methods[name]()

    def can(self, command: TableCommand) -> bool:
        """Whether a command applies to the part that is shown."""
        return command.about != COLUMNS or self._part in (ARMS, TARGETS)

    def _take(self, table: InstanceTable, rows: range | None = None, columns: range | None = None) -> None:
        if table != self.model.table:
            self.edited.emit(table)
        if rows is not None and self.model.table is not None:
            height, width = self.model.rowCount(), self.model.columnCount() - self.model.first
            self.view.pick(range(max(rows[0], 0), min(rows[-1] + 1, height)), columns or range(width))
        self.view.setFocus()

    @property
    def _now(self) -> InstanceTable:
        assert self.model.table is not None  # `do` has checked it
        return self.model.table

    @property
    def _part(self) -> str:
        return self.model.part

    def _add_row(self) -> None:
        rows = self.view.picked.rows
        at = rows[-1] + 1 if rows else self.model.rowCount()
        self._take(self._now.insert_rows(self._part, at), range(at, at + 1))

    def _duplicate_rows(self) -> None:
        if rows := self.view.picked.rows:
            at = rows[-1] + 1
            self._take(self._now.duplicate_rows(self._part, rows), range(at, at + len(rows)))

    def _remove_rows(self) -> None:
        if rows := self.view.picked.rows:
            left = self.model.rowCount() - len(rows)
            at = max(min(rows[0], left - 1), 0)
            self._take(self._now.remove_rows(self._part, rows), range(at, at + 1), range(1))

    def _move_rows(self, by: int) -> None:
        if rows := self.view.picked.rows:
            at = min(max(rows[0] + by, 0), self.model.rowCount() - len(rows))
            self._take(self._now.move_rows(self._part, rows, by), range(at, at + len(rows)))

    def _rows_up(self) -> None:
        self._move_rows(-1)

    def _rows_down(self) -> None:
        self._move_rows(1)

    def _features(self) -> tuple[int, ...]:
        return tuple(column for column in self.view.picked.columns if column >= 0)

    def _all_rows(self) -> range:
        return range(self.model.rowCount())

    def _add_column(self) -> None:
        columns = self.view.picked.columns
        at = columns[-1] + 1 if columns else self._now.D
        self._take(self._now.insert_columns(at), self._all_rows(), range(at, at + 1))

    def _duplicate_columns(self) -> None:
        if columns := self._features():
            at = columns[-1] + 1
            table = self._now.duplicate_columns(columns)
            self._take(table, self._all_rows(), range(at, at + len(columns)))

    def _remove_columns(self) -> None:
        if columns := self._features():
            at = max(min(columns[0], self._now.D - len(columns) - 1), 0)
            self._take(self._now.remove_columns(columns), range(1), range(at, at + 1))

    def _move_columns(self, by: int) -> None:
        if columns := self._features():
            at = min(max(columns[0] + by, 0), self._now.D - len(columns))
            self._take(self._now.move_columns(columns, by), self._all_rows(), range(at, at + len(columns)))

    def _columns_left(self) -> None:
        self._move_columns(-1)

    def _columns_right(self) -> None:
        self._move_columns(1)

    # -- cells --------------------------------------------------------------------------------------------------

    def copied(self) -> str:
        """The selected cells as text for a spreadsheet, with a header if there is more than one."""
        picked, sheet, first = self.view.picked, self._now.sheet(self._part), self.model.first
        names = self._now.names(self._part) if first else ()
        rows = [
            [names[row] if column < 0 else sheet.text(row, column) for column in picked.columns] for row in picked.rows
        ]
        header = [NAME if column < 0 else self._header(column) for column in picked.columns]
        return written(rows, header if len(rows) * len(header) > 1 else None)

    def _header(self, column: int) -> str:
        return "theta" if self._part == THETA else self.model.shown_header(column)

    def _copy(self) -> None:
        self._copied = self.copied()
        QGuiApplication.clipboard().setText(self._copied)

    def paste_text(self, text: str, whole: bool = False) -> None:
        """Paste the text of a spreadsheet at the current cell, or as the whole table.

        Numbers are pasted at once, as are cells that were copied here, unless names would not go to names. For
        everything else a dialog shows first what will happen.

        Raises
        ------
        InputError
            If the text cannot be pasted here.
        """
        picked = self.view.picked
        row = picked.rows[0] if picked.rows and not whole else 0
        column = picked.columns[0] if picked.columns and not whole else 0
        block = read_block(text, self._part not in (ARMS, TARGETS), column < 0)
        own = text == self._copied and (whole or block.names is None or column < 0)
        if not own and not self._is_plain(text, block, column < 0):
            self._dialog.show(text, PastePlan.of(text, self._part, (row, column), whole=whole))
            return
        table = self._now if not whole else self._shrunk(block)
        column = max(column, 0)
        height, width = block.values.shape
        self._take(
            table.with_block(self._part, row, column, block),
            range(row, row + max(height, 1)),
            range(column, column + width) if width else range(1),
        )
        self._tell_bad(block.bad)

    def _is_plain(self, text: str, block: PastedBlock, at_names: bool) -> bool:
        """Whether there is nothing to decide or to point out: a rectangle of numbers, names over names, or one cell."""
        if block.values.size == 1 and block.header is None and block.names is None:
            return True
        if self._part in (ARMS, TARGETS) and may_be_decimals(text):
            return False
        only_names = at_names and block.values.shape[1] == 0
        return block.header is None and not block.bad and (block.names is None or only_names)

    def _make_dialog(self, text: str, plan: PastePlan) -> PasteDialog:
        dialog = PasteDialog(self.view.window(), self.model.appearance, text, plan, self._now)
        dialog.agreed.connect(self._paste_plan)
        dialog.finished.connect(self._on_dialog_closed)
        return dialog

    def _on_dialog_closed(self, *_: object) -> None:
        """Give the keys back to the table that the user was in, not to the run."""
        self.view.setFocus()

    def _paste_plan(self, plan: PastePlan) -> None:
        """Paste a sheet as the user has chosen."""
        before = self._now.sheet(self._part).shape[0]
        columns = plan.feature_columns(self._now)
        table = plan.pasted(self._now)
        start = {REPLACE: 0, APPEND: before}.get(plan.where, plan.at[0])
        picked = range(min(columns), max(columns) + 1) if columns else range(1)
        self._take(table, range(start, start + len(plan.kept)), picked)
        self._tell_bad(plan.bad)

    def _tell_bad(self, bad: Sized) -> None:
        """Say where a cell that was pasted is not a number, and why."""
        if bad and self.model.table is not None:
            self.message.emit(f"Pasted. {self._now.refusal()}")

    def _shrunk(self, block: PastedBlock) -> InstanceTable:
        """The table cut to the size of a block that replaces all of it."""
        table, (height, width) = self._now, block.values.shape
        if not width:
            raise InputError("The clipboard contains only names. Copy numbers too: a table needs them.")
        if self._part == THETA:
            return table
        table = table.remove_rows(self._part, range(height, self.model.rowCount()))
        return table.with_D(width) if self._part in (ARMS, TARGETS) else table

    def _paste(self) -> None:
        self.paste_text(QGuiApplication.clipboard().text())

    def _paste_whole(self) -> None:
        self.paste_text(QGuiApplication.clipboard().text(), whole=True)

    def _clear(self) -> None:
        picked = self.view.picked
        if picked.whole_rows and not picked.whole_columns:
            self._remove_rows()
        elif picked.whole_columns and not picked.whole_rows and self._can_remove_columns(picked.columns):
            self._remove_columns()
        else:
            self._empty(picked.rows, picked.columns)

    def _can_remove_columns(self, columns: tuple[int, ...]) -> bool:
        return self._part in (ARMS, TARGETS) and columns[0] >= 0

    def _empty(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> None:
        table, features = self._now, [column for column in columns if column >= 0]
        for row in rows if len(features) < len(columns) else ():
            table = table.with_name(self._part, row, "")
        if features:
            shape = (rows[-1] - rows[0] + 1, features[-1] - features[0] + 1)
            cells = {(i, j): "" for i in range(shape[0]) for j in range(shape[1])}
            table = table.with_block(self._part, rows[0], features[0], PastedBlock(np.full(shape, np.nan), cells))
        self._take(table)
