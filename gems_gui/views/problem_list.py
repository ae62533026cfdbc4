"""The list of a run's problems; a click moves the cursor to the event that shows one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QWidget

from gems_engine.problems import KINDS, Problem, Problems
from gems_engine.terminal import THIN, number, plural, with_indices
from gems_engine.trace import Trace
from gems_engine.wording import place_names, place_text
from gems_gui.markup import plain_text
from gems_gui.series.problem_rows import ProblemGroup, ProblemRow, ProblemRows, problems_before
from gems_gui.series.table import Table
from gems_gui.snapshot import Snapshot
from gems_gui.views.option import Option
from gems_gui.views.rows import Index, RowModel, RowTable
from gems_gui.views.table_view import TableView

RECORD, CURSOR = "record", "cursor"
ALL, SERIOUS, ERRORS = "all", "serious", "errors"
_SEVERITIES = {ALL: ("error", "warning", "note"), SERIOUS: ("error", "warning"), ERRORS: ("error",)}
_ROLES = {"error": "now", "warning": "best", "note": "dim"}


class ProblemModel(RowModel):
    """Problems as rows, those of one kind in one row unless it is expanded; those after the cursor are dimmed.

    Attributes
    ----------
    problems
        All listed problems, also those in a collapsed row.
    rows
        The visible rows.
    """

    columns = ("", "position", "problem")

    def __init__(self) -> None:
        super().__init__()
        self.trace: Trace | None = None
        self.problems: list[Problem] = []
        self.rows = ProblemRows()
        self.cursor = 0

    def list(self, trace: Trace | None) -> None:
        """Show another run; its problems are still to be added."""
        self.beginResetModel()
        self.trace, self.problems, self._rows = trace, [], 0
        self.rows.groups.clear()
        self.endResetModel()

    def add(self, problems: Sequence[Problem]) -> None:
        """Add problems after those that are listed."""
        self.problems += problems
        for group, new in self.rows.with_new(problems):
            before = len(group.problems)
            with self._resizing(group, before, before + len(new)):
                group.problems += new

    def cut(self, event: int) -> None:
        """Remove the problems from this event on."""
        del self.problems[problems_before(self.problems, event) :]
        for group in [*self.rows.groups]:
            before, kept = len(group.problems), problems_before(group.problems, event)
            if kept < before:
                with self._resizing(group, before, kept):
                    del group.problems[kept:]
        self.rows.groups = [group for group in self.rows.groups if group.problems]

    def toggle(self, row: int) -> None:
        """Expand or collapse a row that represents several problems."""
        shown = self.rows[row]
        with self._inserting(row + 1, -shown.times if shown.opened else shown.times):
            self.rows.opened ^= {shown.problem.kind}
        self.changed(row)

    @contextmanager
    def _resizing(self, group: ProblemGroup, before: int, after: int) -> Iterator[None]:
        """Change the number of problems in a group."""
        start, rows, wanted = self.rows.start(group), self.rows.height(group, before), self.rows.height(group, after)
        with self._inserting(start + min(rows, wanted), wanted - rows):
            yield
        self.changed(start)

    @contextmanager
    def _inserting(self, at: int, rows: int) -> Iterator[None]:
        """Insert rows, or remove them if their number is negative."""
        if rows > 0:
            self.beginInsertRows(QModelIndex(), at, at + rows - 1)
        elif rows < 0:
            self.beginRemoveRows(QModelIndex(), at, at - rows - 1)
        yield
        self._rows = len(self.rows)
        if rows > 0:
            self.endInsertRows()
        elif rows < 0:
            self.endRemoveRows()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.trace is None or not index.isValid():
            return None
        row = self.rows[index.row()]
        problem = row.problem
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(row, index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            if index.column() == 0:
                return self.brush(_ROLES[problem.severity])
            return self.brush("dim") if problem.event >= self.cursor or index.column() == 1 else None
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            times = f", {number(row.times)} times, click to list them; the first" if row.repeats else ""
            kind, sentence = KINDS[problem.kind][1], with_indices(problem.sentence)
            return plain_text(f"{self._words(row, 1)}, {problem.severity}, {kind}{times}: {sentence}")
        return None

    def _words(self, row: ProblemRow, column: int) -> str:
        problem = row.problem
        if column == 0:
            return "○" if problem.severity == "note" else "●"
        if column == 2:
            return with_indices(row.words)
        assert self.trace is not None
        started = self.trace.started
        place = place_text(self.trace[problem.event].place, started.algorithm if started else "")
        return place or "the run"


class ProblemList(TableView):
    """Where the run went wrong or violated an assumption of the theorems."""

    name = "problems"
    title = "Problems"
    marks_selection = False
    about = (
        "Where the run went wrong or violated an assumption of the theorems: the true best eliminated, a dimension "
        "below d⋆, a design without a certificate, rounding above 1 + ζ, an ill-conditioned A, badly scaled arms, "
        "directions that are 0 or almost 0, no dimension that fits, a condition that is not met. Click a problem to go "
        "there. Repeated problems share a row (▸); click it to list all of them. Notes (○) are common in early "
        "calls."
    )
    options = (
        Option("severity", "List", {ALL: "All", SERIOUS: "Errors and warnings", ERRORS: "Errors"}),
        Option("upto", "Range", {CURSOR: "Up to the cursor", RECORD: "Everything recorded"}),
    )

    def make(self) -> QWidget:
        self.model = ProblemModel()
        self._listed: tuple[Problems, bool, str] | None = None  # where the listed problems are from
        self._end = 0  # the event up to which they are listed
        samples = ("●", "ℓ 00 · i 00 · k 00")
        self.table = RowTable(self.model, self.title, "Click a problem to go to its event", samples, spare=(1,))
        self.table.went_to.connect(self._go)
        self.table.steady = self.exporting
        return self.table

    def clear(self) -> None:
        self._listed = None
        self.model.list(None)

    def paint(self, snapshot: Snapshot) -> None:
        """Show the problems found so far by :mod:`gems_gui.analysis.problem_scan`; a picture shows all."""
        found = snapshot.problems
        if self.exporting:
            found.update()
        whole = self.settings["upto"] == RECORD and not self.exporting
        passed = snapshot.cursor != self.model.cursor
        self.model.cursor = snapshot.cursor
        self._list(found, found.events if whole else min(snapshot.cursor, found.events), snapshot.truth)
        if passed:
            self._follow()
        self._show_count(found)

    def _list(self, found: Problems, end: int, truth: bool) -> None:
        """List the problems before an event: only what changed since the last call is added or removed."""
        listed = found, truth, self.settings["severity"]
        if listed != self._listed:
            self._listed, self._end = listed, 0
            self.model.list(found.trace)
        if end < self._end:
            self.model.cut(end)
        else:
            new = found.between(self._end, end, truth)
            self.model.add([each for each in new if each.severity in _SEVERITIES[self.settings["severity"]]])
        self._end = end

    def _follow(self) -> None:
        """Scroll to the newest problem before the cursor, unless the table has the focus."""
        self.table.viewport().update()
        passed = problems_before(self.model.problems, self.model.cursor)
        self.table.ensure_visible(self.model.rows.row_of(self.model.problems[passed - 1]) if passed else -1)

    def _show_count(self, found: Problems) -> None:
        counts = dict.fromkeys(_SEVERITIES[ALL], 0)
        for group in self.model.rows.groups:
            counts[group.severity] += len(group.problems)
        words = ", ".join(plural(count, kind) for kind, count in counts.items() if count)
        if not found.complete:
            words = f"{words or 'none yet'} · {100 * found.events / len(found.trace):.0f} % checked"
        self.head.subtitle.setText(words or "none found")

    def as_table(self) -> Table:
        trace = self.model.trace
        if trace is None:
            return super().as_table()
        names = tuple(filter(None, place_names(trace.started.algorithm if trace.started else "")))
        places = [trace[each.event].place for each in self.model.problems]
        rows = [
            (
                each.event + 1,
                *(place.ell, place.i, place.k)[-len(names) :],
                each.severity,
                each.kind,
                each.sentence.replace(THIN, ""),
            )
            for each, place in zip(self.model.problems, places, strict=True)
        ]
        return Table(("event", *names, "severity", "kind", "what is wrong"), rows)

    def _go(self, row: int) -> None:
        if self.model.rows[row].repeats:
            self.model.toggle(row)
        else:
            self.place_picked.emit(self.model.rows[row].problem.event)
