"""The list of problems shows what the engine finds, and goes there."""

from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from shiboken6 import delete

from gems_engine.gallery import make
from gems_engine.problems import problems
from gems_engine.running import Run
from gems_engine.terminal import with_indices
from gems_engine.wording import place_text
from gems_gui.appearance import Appearance
from gems_gui.snapshot import Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views.problem_list import CURSOR, ERRORS, SERIOUS, ProblemList
from tests.engine.synthetic_runs import synthetic_trace
from tests.gui.sample_runs import run, snapshot_of
from tests.gui.text_boxes import card_of, settle


@pytest.fixture
def view(qtbot):
    """The view in its card, 600×400."""
    shown = ProblemList(Appearance(LIGHT))
    assert shown.settings["upto"] == "cursor", "nothing after the cursor, unless it is asked for"
    shown.settings["upto"] = "record"
    shown.card = card_of(shown, LIGHT)
    qtbot.addWidget(shown.card)
    settle(shown.card, 600, 400)
    return shown


def cell(view, row, column, role=Qt.ItemDataRole.DisplayRole):
    return view.model.index(row, column).data(role)


@contextmanager
def checked_by_qt(model):
    """Qt looks at every row of a model, now and with each change."""
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    yield
    delete(tester)


def finished(view):
    """All of the record was looked at."""
    view.snapshot.problems.update()
    view.show(view.snapshot)


def test_every_problem_has_its_line(view):
    trace = run("fixed-budget")
    view.show(snapshot_of("fixed-budget", 30))
    finished(view)
    expected = problems(trace, truth=True)
    kinds = [each.kind for each in expected]
    firsts = [each for at, each in enumerate(expected) if each.kind == "theorem" or each.kind not in kinds[:at]]
    firsts.sort(key=lambda each: ["error", "warning", "note"].index(each.severity))
    assert view.model.rowCount() == len(firsts) < len(expected)
    for row, each in enumerate(firsts):
        assert cell(view, row, 2).endswith(with_indices(each.sentence))
        times = 1 if each.kind == "theorem" else kinds.count(each.kind)
        assert (f"▸ {times} times." in cell(view, row, 2)) == (times > 1)
        assert cell(view, row, 1) == (place_text(trace[each.event].place, "fixed-budget") or "the run")
    counts = {kind: sum(each.severity == kind for each in expected) for kind in ("error", "warning", "note")}
    plural = {kind: f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in counts.items() if count}
    assert view.head.subtitle.text() == ", ".join(plural.values())
    assert counts["error"]


def test_colours_say_how_bad_it_is(view):
    view.show(snapshot_of("fixed-budget"))
    finished(view)
    for theme in (LIGHT, DARK):
        view.appearance.set_theme(theme)
        colours = {"error": theme.now, "warning": theme.best, "note": theme.dim}
        for row, each in enumerate(view.model.rows):
            brush = cell(view, row, 0, Qt.ItemDataRole.ForegroundRole)
            assert brush.color().name().upper() == colours[each.problem.severity]
    tip = cell(view, 0, 2, Qt.ItemDataRole.ToolTipRole)
    assert tip.endswith(view.model.rows[0].problem.sentence)


def test_the_truth_is_hidden(view):
    view.show(snapshot_of("fixed-budget", truth=False))
    finished(view)
    assert view.model.problems == problems(run("fixed-budget"))
    view.show(replace(view.snapshot, truth=True))
    assert view.model.problems == problems(run("fixed-budget"), truth=True)


def test_what_is_listed(view):
    trace = run("fixed-budget")
    expected = problems(trace, truth=True)
    view.show(snapshot_of("fixed-budget", 100))
    finished(view)
    for choice, severities in ((ERRORS, {"error"}), (SERIOUS, {"error", "warning"})):
        view.set_option("severity", choice)
        assert view.model.problems == [each for each in expected if each.severity in severities]
    view.set_option("severity", "all")
    view.set_option("upto", CURSOR)
    assert view.model.problems == problems(trace, 100, truth=True)
    later = [cell(view, row, 2, Qt.ItemDataRole.ForegroundRole) for row in range(view.model.rowCount())]
    assert later == [None] * len(later)
    view.set_option("upto", "record")
    later = [cell(view, row, 2, Qt.ItemDataRole.ForegroundRole) is not None for row in range(view.model.rowCount())]
    assert later == [row.problem.event >= 100 for row in view.model.rows]


def click(view, qtbot, row):
    """Click a row."""
    view.table.scrollTo(view.model.index(row, 2))
    area = view.table.visualRect(view.model.index(row, 2))
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=area.center())


def test_a_click_goes_there_and_opens_what_repeats(view, qtbot):
    view.show(snapshot_of("fixed-budget"))
    finished(view)
    went = []
    view.place_picked.connect(went.append)
    head = next(at for at, row in enumerate(view.model.rows) if row.repeats)
    kind, closed = view.model.rows[head].problem.kind, view.model.rowCount()
    alike = [each for each in view.model.problems if each.kind == kind]
    click(view, qtbot, head)
    assert not went  # the cursor stays, or what is listed up to it would go
    assert view.model.rowCount() == closed + len(alike)
    for at, each in enumerate(alike, start=1):
        click(view, qtbot, head + at)
        assert went[-1] == each.event
        assert cell(view, head + at, 2).strip() == with_indices(each.sentence)
    view.show(view.snapshot)
    assert view.model.rows[head].opened
    view.table.setCurrentIndex(view.model.index(head, 0))
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert view.model.rowCount() == closed
    single = next(at for at, row in enumerate(view.model.rows) if row.times == 1)
    click(view, qtbot, single)
    assert went[-1] == view.model.rows[single].problem.event


def test_a_clean_run_has_an_empty_list(view):
    clean = Run(make("sphere", n=20, D=5, min_gap=0.1), "rage", 1).finish()
    view.show(Snapshot.of(clean))
    finished(view)
    assert view.model.rowCount() == 0
    assert view.head.subtitle.text() == "none found"


def test_what_is_not_looked_at_yet_is_said_and_nothing_is_read_while_painting(view):
    trace = synthetic_trace(loops=3, rounds=60)
    view.show(Snapshot.of(trace))
    assert view.model.rowCount() == 0
    assert view.snapshot.problems.events == 0
    assert "0 % checked" in view.head.subtitle.text()
    view.snapshot.problems.update(0.0)
    view.show(view.snapshot)
    assert "0 % checked" in view.head.subtitle.text()
    finished(view)
    assert "checked" not in view.head.subtitle.text()
    assert view.model.problems == problems(trace, truth=True)


@pytest.mark.parametrize("opened", [(), ("below d⋆", "best eliminated")])
def test_only_what_is_new_is_listed(view, opened, monkeypatch):
    snapshot = Snapshot.of(synthetic_trace(loops=40, subroutines=10, rounds=1, probes=1))
    found = snapshot.problems
    view.model.rows.opened = set(opened)
    added, resets, times = [], [], 0
    add = view.model.add
    monkeypatch.setattr(view.model, "add", lambda problems: added.append(len(problems)) or add(problems))
    view.show(snapshot)
    view.model.modelReset.connect(lambda: resets.append(1))
    with ExitStack() as stack:
        stack.enter_context(checked_by_qt(view.model))
        while not found.complete:
            before = len(found)
            found.update(0.0)
            view.show(snapshot)
            assert added[-1] == len(found) - before
            times += added[-1] > 0
            if times == 60:  # to look at every row after each of 500 changes takes half a minute
                stack.close()
    with checked_by_qt(view.model):
        assert not resets
    assert sum(added) == len(found) > times > 400
    whole = ProblemList(Appearance(LIGHT))
    whole.settings["upto"] = "record"
    whole.model.rows.opened = set(opened)
    whole.show(snapshot)
    assert view.model.problems == whole.model.problems == problems(snapshot.trace, truth=True)
    assert list(view.model.rows) == list(whole.model.rows)
    assert view.model.rowCount() == len(view.model.rows)
    assert {row.problem.kind for row in view.model.rows if row.opened} == set(opened)
    assert view.head.subtitle.text() == whole.head.subtitle.text()


def test_moving_back_removes_the_last_ones(view):
    trace = run("fixed-budget")
    view.set_option("upto", CURSOR)
    snapshot = Snapshot.of(trace)
    snapshot.problems.update()
    view.model.rows.opened = {"below d⋆"}
    resets = []
    with checked_by_qt(view.model):
        view.show(snapshot)
        view.model.modelReset.connect(lambda: resets.append(1))
        for cursor in (len(trace), len(trace) // 2, 1, 0, 30, len(trace) // 3):
            view.show(replace(snapshot, state=trace.state_at(cursor)))
            listed = problems(trace, cursor, truth=True)
            assert view.model.problems == listed
            assert sum(row.times for row in view.model.rows) == len(listed)
            assert view.model.rowCount() == len(view.model.rows)
        assert not resets


def test_a_picture_has_all_of_them(qapp):
    shown = ProblemList(Appearance(LIGHT), exporting=True)
    shown.show(snapshot_of("fixed-budget", 100))
    assert shown.model.problems == problems(run("fixed-budget"), 100, truth=True)


def test_another_run_and_none(view):
    view.show(snapshot_of("fixed-budget"))
    view.show(snapshot_of("transductive"))
    finished(view)
    assert view.model.problems == problems(run("transductive"), truth=True)
    view.show(None)
    assert view.model.rowCount() == 0
