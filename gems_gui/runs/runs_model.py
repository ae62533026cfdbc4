"""A Qt item model of the runs of a window."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from gems_engine.forcing import forks_of
from gems_engine.terminal import number, with_indices
from gems_engine.verdict import promise_text
from gems_gui.markup import plain_text
from gems_gui.runs.run_differences import instance_name, run_differences
from gems_gui.theme import RUN_COLORS
from gems_gui.workbench.run_facts import result_text
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench

Index = QModelIndex | QPersistentModelIndex

ABOUT = Qt.ItemDataRole.UserRole + 1
"""The second line: algorithm and instance, and what tells it apart from other runs."""
RESULT = Qt.ItemDataRole.UserRole + 2
"""The third line: state and result."""
COLOR = Qt.ItemDataRole.UserRole + 3
ACTIVE = Qt.ItemDataRole.UserRole + 4
PINNED = Qt.ItemDataRole.UserRole + 5
SAVED = Qt.ItemDataRole.UserRole + 6
RECOVERED = Qt.ItemDataRole.UserRole + 7

_PATIENCE = 0.004  # seconds of reading traces at a time


class RunsModel(QAbstractListModel):
    """The rows; editing one renames the run."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._runs: list[RunSession] = []
        self.reload()

    def reload(self) -> None:
        """Update the rows to the runs of the workbench; rows that remain keep their position and selection."""
        if self._runs == self._workbench.runs:
            self.refresh_rows()
            return
        kept = [run for run in self._runs if run in self._workbench.runs]
        for row in reversed(range(len(self._runs))):
            if self._runs[row] not in kept:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._runs[row]
                self.endRemoveRows()
        for row, run in enumerate(self._workbench.runs):
            if row >= len(self._runs) or self._runs[row] is not run:
                self.beginInsertRows(QModelIndex(), row, row)
                self._runs.insert(row, run)
                self.endInsertRows()
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Repaint all rows."""
        if self._runs:
            self.dataChanged.emit(self.index(0), self.index(len(self._runs) - 1))

    def read_on(self) -> bool:
        """Read new events of the traces for a few milliseconds; returns whether everything is read."""
        behind = [run for run in self._runs if not run.facts.complete]
        for run in behind:
            run.facts.follow(_PATIENCE / len(behind))
        if behind:
            self.refresh_rows()
        return all(run.facts.complete for run in behind)

    def run_at(self, index: Index) -> RunSession | None:
        """The run of a row."""
        return self._runs[index.row()] if index.isValid() and index.row() < len(self._runs) else None

    def row_of(self, run: RunSession | None) -> int:
        """The row of a run, −1 if it has none."""
        return next((row for row, each in enumerate(self._runs) if each is run), -1)

    # -- item model ---------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._runs)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        run = self.run_at(index)
        if run is None or role != Qt.ItemDataRole.EditRole or not str(value).strip():
            return False
        self._workbench.rename(run, str(value))
        return True

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        run = self.run_at(index)
        if run is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return run.name
        if role == ABOUT:
            return self._about(run)
        if role == RESULT:
            return self._result(run)
        if role == COLOR:
            return QColor(RUN_COLORS[run.color % len(RUN_COLORS)])
        if role == ACTIVE:
            return run is self._workbench.active
        if role == PINNED:
            return run.pinned
        if role == SAVED:
            return run.saved
        if role == RECOVERED:
            return run.recovered and not run.saved
        if role == Qt.ItemDataRole.ToolTipRole:
            started = run.trace.started
            id_ = () if started is None else (f"Id: {started.algorithm}",)
            return plain_text("\n".join((run.name, self._about(run), *id_, self._result(run), self._marks(run))))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return "; ".join((run.name, self._about(run), self._result(run), self._marks(run)))
        return None

    def _about(self, run: RunSession) -> str:
        instance = run.trace.instance
        algorithm = run.request.title if run.request is not None else "not started"
        started = run.trace.started
        forks = () if started is None else forks_of(started.forced, instance.D)
        file = PurePath(run.path).name  # as in the title of the window
        files = () if file in ("", run.name) else (f"file {file}",)
        more = "".join(f" · {each}" for each in (*run_differences(run, self._runs), *forks, *files))
        size = f"{number(len(instance.arms))} arms in R^{instance.D}"
        return with_indices(f"{algorithm} on {instance_name(instance)}, {size}{more}")

    def _result(self, run: RunSession) -> str:
        truth, judged = self._workbench.truth, run.verdict
        words = result_text(run.facts.summary, run.trace.instance, truth)
        if judged is not None:
            words = judged.sentence(not truth, "" if judged.correct is None else _promise(run))
        return f"{self._workbench.state_of(run)} · {words}"

    def _marks(self, run: RunSession) -> str:
        shown = "active" if run is self._workbench.active else "not shown"
        saved = f"saved as {run.path}" if run.saved else "not saved"
        marks = (*(["pinned"] if run.pinned else []), *(["recovered"] if run.recovered else []))
        return ", ".join((shown, *marks, saved))


def _promise(run: RunSession) -> str:
    """What theory promised about a run, if the strip or a view has asked for it."""
    from gems_engine.complexity.theory_query import (  # brings the theorems, which the start does not need
        KNOWN,
        query_of,
    )

    started = run.trace.started
    return "" if started is None else promise_text(KNOWN.get(query_of(started, run.trace.instance)))
