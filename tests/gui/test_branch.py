"""Branch from here, on the real window: the same past, what is forced, the file and the command that say so."""

import shlex

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QWidget
from shiboken6 import isValid

from gems_engine.branching import Branch
from gems_engine.cli import main
from gems_engine.diff import compare
from gems_engine.events import ASKED, DimensionProbed, Place
from gems_engine.files import read_run, write_run
from gems_engine.forcing import NEXT_ROUND, ONWARDS, PARAMETERS, THIS_SUBROUTINE, Forced
from gems_gui.compare.comparison_run_dialog import ComparisonRunDialog
from gems_gui.runs.branch_dialog import BranchDialog
from gems_gui.runs.runs_model import ABOUT
from gems_gui.workbench.command_line import branch_line
from tests.gui.window_driver import LONG, MIDDLE, choose_by_keys, choose_in_list, driven, finished_run, write


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, MIDDLE, layout="talk") as made:
        yield made


@pytest.fixture(scope="module")
def whole():
    return finished_run(MIDDLE)


def at(driver, cursor):
    """The finished run with the cursor somewhere."""
    assert not driver.actions["branch"].isEnabled(), "without a run there is nothing to branch"
    driver.finished()
    driver.seek(cursor)
    return driver.run


def opened(driver):
    return driver.opened("Ctrl+B", BranchDialog)


def type_into(dialog, name, text):
    field = dialog.form.field(name)
    write(field.input, text)


def branch(driver, **forced):
    """Ask for a branch in the dialog."""
    dialog = opened(driver)
    for name, value in forced.items():
        field = dialog.form.field(name).input
        if isinstance(field, QComboBox):
            choose_in_list(field, value)
        else:
            write(field, str(value))
    assert dialog.value() == Forced(**forced)
    driver.click(dialog.go)


def made(driver, before):
    """The branch when it is over."""
    driver.wait(lambda: driver.run is not before)
    driver.finish()
    return driver.run


def test_compared_with_other_algorithms_another_seed_is_said(driver):
    parent = at(driver, 60)
    dialog = opened(driver)
    type_into(dialog, "seed", "9")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    made(driver, parent)
    others = driver.opened("Ctrl+Shift+B", ComparisonRunDialog)
    seed = parent.request.seed
    assert f"Their seed is {seed}, and they are without what is forced on this branch." in others.where.text()
    QTest.keyClick(others, Qt.Key.Key_Return)
    driver.wait(lambda: len(driver.workbench.compared) > 1 and not driver.window.comparison_runs.runs.busy)
    driver.press("End")
    driver.shown()
    sides = driver.views["race"].series.sides
    assert [side.label for side in sides.runs] == ["GEMS (fixed confidence), after event 60: seed 9", "RAGE"]
    assert not sides.common
    assert driver.views["race"].series.lanes[0].found[0].startswith("GEMS (fixed confidence), after event 60: seed 9 ")
    assert "different seeds" in driver.views["race"].head.subtitle.text()


# -- nothing forced ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_thread", [True, pytest.param(False, marks=pytest.mark.long)], ids=["thread", "process"])
def test_with_nothing_forced_it_equals_its_parent(qtbot, whole, in_thread):
    with driven(qtbot, MIDDLE, in_thread=in_thread, layout="talk") as driver:
        parent = at(driver, 90)
        dialog = opened(driver)
        assert "Nothing is forced" in dialog.preview.text()
        QTest.keyClick(dialog, Qt.Key.Key_Return)
        run = made(driver, parent)
        assert driver.shown() == 90, "it is shown where it leaves its parent"
        assert not driver.playback.playing
        assert list(run.trace) == list(parent.trace)
        assert compare(run.trace, parent.trace).same
        assert compare(run.trace, whole).same
        assert driver.workbench.runs == [parent, run]
        assert run.name == f"branch at 90: nothing forced · {parent.name}"
        assert parent.playback.cursor == 90
        driver.wait(lambda: not isValid(dialog))


# -- what is forced ---------------------------------------------------------------------------------------------------


def test_what_is_forced_is_what_the_engine_forces(driver, whole):
    parent = at(driver, 60)
    driver.workbench.select_arm(2)
    dialog = opened(driver)
    assert "event 60 (ℓ 5 · i 1 · k 1)" in dialog.where.text()
    type_into(dialog, "dimension", "1")
    type_into(dialog, "seed", "7")
    assert dialog.preview.text() == "Forced from here on: seed 7, d = 1 in the next round."
    driver.click(dialog.go)
    run = made(driver, parent)
    expected = Branch(whole, 60, Forced(seed=7, dimension=1)).finish()
    assert list(run.trace) == list(expected)
    assert run.trace.started.forced == {"60.seed": 7, "60.dimension": 1, "60.dimension_for": NEXT_ROUND}
    assert list(run.trace)[1:60] == list(parent.trace)[1:60]
    assert not compare(run.trace, parent.trace).same
    assert run.name == f"branch at 60: seed 7, d = 1 in the next round · {parent.name}"
    row = driver.window.run_list.runs_dock.model.index(1)
    assert "after event 60: seed 7, d = 1 in the next round" in row.data(ABOUT)
    assert run.selection.arm == 2
    assert run.draft == parent.draft


def test_views_show_the_budget_that_each_round_chose_by(qtbot, whole):
    fork = next(at for at in range(60, len(whole)) if whole.state_at(at).design is not None)
    own, place = whole.state_at(fork).subroutine.selection_budget, whole.state_at(fork).round_place
    with driven(qtbot, MIDDLE) as driver:
        parent = at(driver, fork)
        branch(driver, selection_budget=99.0)
        run = made(driver, parent)
        chosen, cost = driver.views["dimension"], driver.views["cost"]
        assert driver.shown() == fork
        while run.trace.state_at(driver.cursor).round_place == place:
            driver.shown()
            assert cost.budget.line.value() == pytest.approx(np.log10(own)), "this round has chosen"
            assert f"B = {own:.0f}" in chosen.head.subtitle.text()
            driver.press("Right")
        driver.shown()
        assert run.trace.state_at(driver.cursor).round_place == Place(place.ell, place.i, place.k + 1)
        assert cost.budget.line.value() == pytest.approx(np.log10(99.0))
        assert "B = 99" in chosen.head.subtitle.text()
        assert chosen.series.budget[-2:].tolist() == [own, 99.0], "of the last two rounds"
        assert opened(driver).form.field("selection_budget").input.placeholderText() == "99 (unchanged)"


def test_a_branch_can_be_branched(driver, whole):
    first = at(driver, 60)
    branch(driver, solver="frank-wolfe")
    second = made(driver, first)
    dialog = opened(driver)
    assert dialog.form.field("solver").input.currentText() == "certified (unchanged)", (
        "it is forced only after event 60"
    )
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    driver.seek(100)
    dialog = opened(driver)
    assert dialog.form.field("solver").input.currentText() == "frank-wolfe (unchanged)"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    branch(driver, selection_budget=4.0)
    third = made(driver, second)
    parent = Branch(whole, 60, Forced(solver="frank-wolfe")).finish()
    assert list(third.trace) == list(Branch(parent, 100, Forced(selection_budget=4.0)).finish())
    assert set(third.trace.started.forced) == {"60.solver", "100.selection_budget", "100.budget_for"}


@pytest.mark.parametrize("in_thread", [True, pytest.param(False, marks=pytest.mark.long)], ids=["thread", "process"])
def test_a_run_that_is_still_computed_can_be_branched(qtbot, in_thread):
    with driven(qtbot, LONG, in_thread=in_thread, layout="talk") as driver:
        driver.start("Ctrl+R", "Space")
        driver.wait(lambda: len(driver.trace) > 300)
        driver.seek(200)
        parent = driver.run
        dialog = opened(driver)
        assert "The current run stops" in dialog.preview.text()
        type_into(dialog, "seed", "5")
        driver.click(dialog.go)
        driver.wait(lambda: driver.run is not parent and parent.playback.ended and len(driver.trace) > 260)
        driver.wait(lambda: driver.shown() == 200)  # when the playback has read the events
        kept = list(parent.trace)
        assert parent.trace.finished.why == ASKED, "the engine has left it"
        assert len(kept) > 300
        forced = Branch(parent.trace, 200, Forced(seed=5))
        assert [event for event, _ in zip(forced, range(260), strict=False)] == driver.trace[:260]


def test_with_no_look_ahead_no_event_is_computed_beyond_the_place(driver):
    parent = at(driver, 75)
    driver.choose("Run/Look-ahead", "None: compute only what is shown")
    branch(driver, seed=3)
    driver.wait(lambda: driver.run is not parent and driver.cursor == 75)
    driver.wait(lambda: driver.transport.engine.text == "waiting for a step")
    assert len(driver.trace) == 75
    driver.press("Right")
    driver.wait(lambda: driver.cursor == 76)
    assert driver.shown() == len(driver.trace) == 76


# -- refusals ---------------------------------------------------------------------------------------------------------


def test_what_cannot_be_forced_is_said_and_no_run_is_made(driver):
    parent = at(driver, 60)
    dialog = opened(driver)
    type_into(dialog, "dimension", "6")
    assert "d = 6 is not allowed" in dialog.form.field("dimension").error.text_shown, "R^5 has no sixth dimension"
    driver.click(dialog.go)
    type_into(dialog, "dimension", "")
    QTest.keyClick(dialog.form.field("dimension").input, Qt.Key.Key_Backspace)
    type_into(dialog, "tolerance", "x")
    driver.click(dialog.go)
    assert driver.workbench.runs == [parent]


def test_the_end_of_a_run_is_no_place_and_the_dialog_follows_the_cursor(driver):
    at(driver, 60)
    dialog = opened(driver)
    assert dialog.go.isEnabled()
    driver.click(driver.transport.buttons["last"])
    assert not dialog.go.isEnabled()
    assert "Move it back" in dialog.where.text()
    driver.seek(73)
    assert dialog.go.isEnabled()
    assert "event 73" in dialog.where.text()


def test_a_run_that_chooses_no_dimension_says_so(qtbot):
    with driven(qtbot, MIDDLE.with_algorithm("rage"), layout="talk") as driver:
        parent = at(driver, 5)
        dialog = opened(driver)
        type_into(dialog, "selection_budget", "4")
        driver.click(dialog.go)
        assert "so B cannot be forced" in dialog.sentence.text()
        assert driver.workbench.runs == [parent]


def test_a_file_whose_events_do_not_come_again_is_told_by_the_engine(driver, whole, tmp_path):
    from dataclasses import replace

    from gems_engine.trace import Trace

    forged = Trace(whole.instance)
    spoiled = int(whole.positions(DimensionProbed)[2])
    forged.extend(replace(each, d=each.d + 1) if at == spoiled else each for at, each in enumerate(whole))
    driver.workbench.open(forged, "")
    driver.seek(60)
    branch(driver, seed=2)
    assert "Cannot branch from this run" in driver.said()


# -- the form ---------------------------------------------------------------------------------------------------------


def test_the_form_has_what_can_be_forced_and_asks_for_it(driver):
    at(driver, 60)
    dialog = opened(driver)
    assert dialog.form.names == [each.name for each in PARAMETERS]
    assert not dialog.value()
    assert dialog.form.field("seed").input.placeholderText() == "1 (unchanged)"
    assert dialog.form.field("selection_budget").input.placeholderText() == "16 (unchanged)"
    assert not dialog.form.field("budget_for").input.isEnabled()
    values = {
        "seed": 12,
        "dimension": 2,
        "dimension_for": ONWARDS,
        "selection_budget": 8.0,
        "budget_for": THIS_SUBROUTINE,
        "solver": "frank-wolfe",
        "tolerance": 1e-3,
    }
    dialog.form.fill(values)
    dialog.form.changed.emit("")
    assert dialog.form.field("budget_for").input.isEnabled()
    assert dialog.value() == Forced(**values)
    solver = dialog.form.field("solver")
    choose_by_keys(solver.input, Qt.Key.Key_Home)
    assert dialog.value().solver is None, "a choice can be taken back"
    for each in dialog.findChildren(QWidget):
        if isinstance(each, QAbstractButton | QComboBox | QLineEdit) and each.isVisible():
            assert each.accessibleName() or each.text(), each
            assert each.toolTip(), each
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    driver.wait(lambda: not isValid(dialog))


# -- files and commands -----------------------------------------------------------------------------------------------


def copied(driver):
    driver.press("Ctrl+Shift+C")
    return QGuiApplication.clipboard().text()


def test_the_command_of_a_branch_repeats_it_once_its_parent_is_a_file(driver, tmp_path):
    parent = at(driver, 60)
    branch(driver, dimension=1, dimension_for=ONWARDS, tolerance=1e-3)
    run = made(driver, parent)
    QGuiApplication.clipboard().clear()
    assert copied(driver) == ""
    assert "Save it or the run it comes from" in driver.said()
    path = tmp_path / "the parent.gems"
    write_run(path, parent.trace)
    parent.path, parent.saved_events = str(path), 50
    assert copied(driver) == "", "the file has only a part of what they share"
    parent.saved_events = len(parent.trace)
    line = copied(driver)
    again = tmp_path / "again.gems"
    assert shlex.split(line)[:5] == ["gems", "run", str(path), "--at", "60"]
    assert main([*shlex.split(line)[1:], "-o", str(again)]) == 0
    assert list(read_run(again)) == list(run.trace)


def test_a_saved_branch_says_what_was_forced_and_repeats_itself(driver, tmp_path):
    parent = at(driver, 60)
    branch(driver, seed=9)
    run = made(driver, parent)
    path = tmp_path / "branch.gems"
    driver.press("Ctrl+S")
    driver.answer(path)
    driver.wait(lambda: run.saved)
    assert read_run(path).started.forced == {"60.seed": 9}
    driver.remove_run(run)
    driver.window.open_files([str(path)])
    driver.wait(lambda: driver.run.path == str(path) and driver.run is not run)
    opened_again = driver.window.run_list.runs_dock.model.index(1)
    assert "after event 60: seed 9" in opened_again.data(ABOUT)
    line = copied(driver)
    assert line == branch_line(str(path), 0, Forced())
    again = tmp_path / "again.gems"
    assert main([*shlex.split(line)[1:], "-o", str(again)]) == 0
    assert compare(read_run(again), run.trace).same
