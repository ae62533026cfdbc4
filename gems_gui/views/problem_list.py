"""The list of a run's problems; a click moves the cursor to the event that shows one."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gems_engine.problems import KINDS, Problem, Problems
from gems_engine.terminal import THIN, number, plural, with_indices
from gems_engine.trace import Trace
from gems_engine.wording import place_names, place_text
from gems_gui.markup import plain_text
from gems_gui.series.problem_rows import ProblemRow, problem_rows, row_of
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
        self.rows: list[ProblemRow] = []
        self.opened: frozenset[str] = frozenset()
        self.cursor = 0

    def list(self, trace: Trace | None, problems: list[Problem]) -> None:
        """Show other problems."""
        rows = problem_rows(problems, self.opened)
        before, length = self.rows, min(len(rows), len(self.rows))
        kept = [each.problem for each in before[:length]] == [each.problem for each in rows[:length]]
        reset = trace is not self.trace or not kept
        self.trace, self.problems, self.rows = trace, problems, rows
        self.set_rows(len(rows), reset)
        if not reset:
            for at in range(length):
                if rows[at] != before[at]:  # it represents more problems than before
                    self.changed(at)

    def toggle(self, row: int) -> None:
        """Expand or collapse a row that represents several problems."""
        self.opened ^= {self.rows[row].problem.kind}
        self.list(self.trace, self.problems)

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
        samples = ("●", "ℓ 00 · i 00 · k 00")
        self.table = RowTable(self.model, self.title, "Click a problem to go to its event", samples, spare=(1,))
        self.table.went_to.connect(self._go)
        self.table.steady = self.exporting
        return self.table

    def clear(self) -> None:
        self.model.list(None, [])

    def paint(self, snapshot: Snapshot) -> None:
        """Show the problems found so far by :mod:`gems_gui.analysis.problem_scan`; a picture shows all."""
        found = snapshot.problems
        if self.exporting:
            found.update()
        whole = self.settings["upto"] == RECORD and not self.exporting
        listed = found.before(found.events if whole else snapshot.cursor, snapshot.truth)
        kept = [each for each in listed if each.severity in _SEVERITIES[self.settings["severity"]]]
        passed = snapshot.cursor != self.model.cursor
        self.model.cursor = snapshot.cursor
        self.model.list(snapshot.trace, kept)
        if passed:
            self._follow()
        self._show_count(kept, found)

    def _follow(self) -> None:
        """Scroll to the newest problem before the cursor, unless the table has the focus."""
        self.table.viewport().update()
        passed = [each for each in self.model.problems if each.event < self.model.cursor]
        self.table.ensure_visible(row_of(self.model.rows, passed[-1]) if passed else -1)

    def _show_count(self, listed: list[Problem], found: Problems) -> None:
        counts = [(kind, sum(each.severity == kind for each in listed)) for kind in _SEVERITIES[ALL]]
        words = ", ".join(plural(count, kind) for kind, count in counts if count)
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
