"""Title and closing: what is open, whether it is saved, and one dialog that asks about what would be lost."""

import shlex

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from gems_engine.cli import main
from gems_engine.diff import compare
from gems_engine.files import read_instance, read_run, write_instance, write_run
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.session import Session
from gems_gui.closing.closing import ClosingDialog
from gems_gui.drafts.instance_table import ARMS, InstanceTable
from gems_gui.drafts.sources import FromTable
from gems_gui.launch import Photographer
from gems_gui.runs.branch_dialog import BranchDialog
from gems_gui.workbench.unsaved import unsaved_run
from tests.gui.debugger_driver import Debugged, drag
from tests.gui.window_driver import LONG, SMALL, choose_by_keys, driven, write

OWN = Instance.linear(np.eye(3), [1.0, 0.5, 0.0])


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        yield made


def long_run(driver):
    """A finished run, as if its designs had taken minutes."""
    driver.start()
    driver.finish()
    run = driver.run
    run.facts.follow()
    run.facts.seconds = 75.0
    driver.window.show_title()
    return run


def dialog_of(driver):
    return driver.window.closing.dialog


def own_instance(driver):
    driver.drafts.set_draft(SMALL.with_table(InstanceTable.of(OWN)))
    driver.wait(lambda: driver.drafts.instance is not None)


def middle(driver, widget):
    return widget.mapTo(driver.window, widget.rect().center())


def answer_file(driver, path):
    driver.wait(lambda: any(each.isVisible() for each in driver.window.findChildren(QFileDialog)))
    driver.answer(path)


def type_into_table(driver, *cells):
    """Type one text after another into the first feature of the first arm in the table."""
    table = driver.window.instance_table
    if table.editor is None:
        driver.press("Ctrl+T")
    view = table.editor.view
    driver.wait(lambda: view.isVisible() and view.isEnabled())
    for cell in cells:
        driver.click(view.viewport(), view.visualRect(view.model().index(0, 1)).center())
        QTest.keyClicks(view, cell[:1])  # opens an editor
        QTest.keyClicks(QApplication.focusWidget(), cell[1:])
        driver.press("Return")
        driver.wait(lambda: view.state() == view.State.NoState)


def edited(driver, *cells):
    """Type numbers into a cell, and wait for the instance."""
    type_into_table(driver, *cells)
    driver.wait(lambda: isinstance(driver.draft.source, FromTable) and driver.drafts.instance is not None)


def save(driver, keys, path):
    """Save by keys under a name."""
    driver.press(keys)
    answer_file(driver, path)
    driver.wait(lambda: driver.message.endswith(f"{path}."))


def asked(driver):
    """What closing asks about, by its titles; the runs that can be repeated are in a tuple."""
    driver.press("Ctrl+Q")
    dialog = driver.window.closing.dialog
    found = [tuple(run.name for run in item.runs) or item.title for item in dialog.items]
    driver.click(dialog.cancel)
    return found


def test_a_window_in_which_nothing_was_done_closes_without_a_word(driver, tmp_path):
    """A run of `--play` is the program's own, until it is given a name."""
    driver.workbench.play_opened = True
    driver.start()
    driver.finish()
    assert "*" not in driver.window.windowTitle()
    assert not unsaved_run(driver.run)
    driver.press("Ctrl+L")
    driver.press("F2")
    write(QApplication.focusWidget(), "mine", Qt.Key.Key_Return)
    driver.wait(lambda: driver.run.name == "mine")
    assert driver.window.windowTitle() == "mine* – GEMS Lab"
    driver.write_run(driver.run, tmp_path / "mine.gems")
    driver.wait(lambda: driver.run.saved)
    driver.press("Ctrl+N")
    driver.wait(lambda: driver.drafts.instance is not None)
    assert driver.window.windowTitle() == "mine.gems – GEMS Lab"
    driver.form.presets.setFocus()
    choose_by_keys(driver.form.presets, Qt.Key.Key_Home, Qt.Key.Key_Down)
    assert not driver.draft.own, "a new instance that was not touched is not set aside"
    driver.press("Ctrl+Q")
    assert not driver.window.isVisible()


def several(driver, *seeds):
    for seed in seeds:
        driver.drafts.set_draft(SMALL.with_text("run.seed", seed))
        driver.start()
        driver.finish()
    return driver.workbench.runs


def test_runs_that_can_be_repeated_are_one_question_which_can_be_answered_for_good(qtbot, tmp_path):
    """With a list; the log has their commands; a menu brings the question back."""
    with driven(qtbot, layout="talk") as driver:
        first, second = several(driver, "1", "2")
        driver.press("Ctrl+Q")
        dialog = dialog_of(driver)
        (only,) = dialog.items
        assert only.runs == (first, second)
        assert only.title == "2 runs that can be repeated from their seeds"
        assert only.details.split("\n") == [first.name, second.name]
        driver.click(dialog.rows[0].save)
        answer_file(driver, tmp_path)
        driver.wait(lambda: not driver.window.isVisible())
        assert sorted(read_run(each).started.seed for each in tmp_path.glob("*.gems")) == [1, 2]
    with driven(qtbot, layout="talk") as driver:
        (run,) = several(driver, "3")
        driver.press("Ctrl+Q")
        assert dialog_of(driver).items[0].words.startswith(f"{run.name}: 116 events, ")
        assert dialog_of(driver).items[0].words.endswith("s of computing. It can be repeated from its seed.")
        driver.click(dialog_of(driver).forget, QPoint(8, dialog_of(driver).forget.height() // 2))
        driver.click(dialog_of(driver).cancel)
        driver.press("Ctrl+Q")
        assert not dialog_of(driver).forget.isChecked(), "Cancel remembers nothing"
        driver.click(dialog_of(driver).forget, QPoint(8, dialog_of(driver).forget.height() // 2))
        driver.click(dialog_of(driver).discard_all)
        assert not driver.window.isVisible()
        logged = [each.sentence for each in driver.workbench.messages.entries_since(0)]
        repeated = next(
            each for each in logged if each.startswith(f"Closed {run.name} without saving it. To repeat it: ")
        )
        trace = run.trace
    again = tmp_path / "again.gems"
    assert main([*shlex.split(repeated.partition("gems ")[2]), "-o", str(again)]) == 0
    assert compare(read_run(again), trace).same
    with driven(qtbot, layout="talk") as driver:
        several(driver, "4")
        driver.press("Ctrl+Q")
        assert not driver.window.isVisible(), "without a word, as was said"
    with driven(qtbot, layout="talk") as driver:
        several(driver, "5")
        own_instance(driver)
        driver.press("Ctrl+Q")
        assert [item.title for item in dialog_of(driver).items] == ["The instance in the form, edited by hand"]
        driver.click(dialog_of(driver).cancel)
        driver.choose("File", "Ask about repeatable runs")
        driver.start()
        driver.finish()
        driver.press("Ctrl+Q")
        dialog = dialog_of(driver)
        instance, on_own, again = dialog.rows
        assert "is lost, except for the runs that can be repeated: the log file will" in dialog.intro.text()
        assert on_own.details.text().endswith("Its instance is not in a file.")
        driver.click(instance.save)
        answer_file(driver, tmp_path / "own.json")
        driver.wait(lambda: instance.settled)
        assert on_own.details.text().endswith("It can be repeated from its seed.")
        assert dialog.intro.text().startswith("These runs are in no file."), "nothing else is lost"
        driver.click(again.discard)
        driver.click(on_own.save)
        answer_file(driver, tmp_path / "own.gems")
        driver.wait(lambda: not driver.window.isVisible())
        assert np.array_equal(read_run(tmp_path / "own.gems").instance.arms, OWN.arms)


def test_an_instance_in_a_saved_run_is_not_lost(driver, tmp_path):
    edited(driver, "0.25")
    driver.start("Ctrl+R")
    driver.finish()
    name = driver.run.name
    assert asked(driver) == ["The instance in the form, edited by hand", name]
    save(driver, "Ctrl+S", tmp_path / "mine.gems")
    assert driver.window.windowTitle() == "mine.gems – GEMS Lab"
    driver.drafts.set_draft(SMALL)
    assert driver.draft.own, "it is set aside"
    assert not driver.window.closing.unsaved()
    driver.write_run(driver.run, tmp_path / "other.gems")
    driver.wait(lambda: driver.run.path.endswith("other.gems"))
    (tmp_path / "other.gems").unlink()
    assert asked(driver)[0].endswith(", edited earlier"), "the run is in no file any more"


def test_runs_in_the_list_are_told_apart_as_in_the_list_of_runs(driver):
    for noise in ("", "gaussian:2"):
        driver.drafts.set_draft(SMALL.with_text("algorithm.noise", noise))
        driver.start()
        driver.finish()
    driver.press("Ctrl+Q")
    words = dialog_of(driver).items[0].details
    assert "Noise = N(0, 4)" in words
    driver.click(dialog_of(driver).cancel)


def test_what_would_be_lost_is_named_with_the_reason(driver, tmp_path):
    """Each in its own row, whatever was said about runs that can be repeated."""
    driver.window.settings.ask_repeatable = False
    parent, story = several(driver, "1", "2")
    driver.press("M")  # the story of the second run
    driver.show_run(parent)
    driver.seek(60)
    dialog = driver.opened("Ctrl+B", BranchDialog)
    QTest.keyClicks(dialog.form.field("seed").input, "9")
    driver.click(dialog.go)
    driver.wait(lambda: driver.run not in (parent, story))
    driver.finish()
    branch = driver.run
    session = Session(OWN, "gems-c", 2, rounds=2, selection_budget=50.0)
    while (batch := session.next_batch()) is not None:
        session.observe(batch.counts * OWN.rewards[batch.arms])
    external = driver.workbench.recover((History(session.trace),), "measured")
    own_instance(driver)
    driver.start()
    driver.finish()
    on_own = driver.run
    driver.press("Ctrl+Q")
    reasons = {item.run: item.details.partition(". ")[2] for item in dialog_of(driver).items if item.run is not None}
    assert reasons == {
        story: "Its story was edited by hand.",
        branch: "It is a branch of a run that is not saved.",
        external: "Its rewards are external.",
        on_own: "Its instance is not in a file.",
    }
    assert dialog_of(driver).items[0].title == "The instance in the form, edited by hand"
    assert not dialog_of(driver).forget.isVisible(), "nothing of it can be repeated"
    driver.click(dialog_of(driver).cancel)
    parent.facts.follow()
    parent.facts.seconds = 75.0
    driver.write_run(parent, tmp_path / "parent.gems")
    driver.wait(lambda: parent.saved)
    assert {item.run for item in driver.window.closing.unsaved() if item.run} == {story, external, on_own}, (
        "a branch of a saved run can be repeated"
    )
    driver.window.recovery._on_write_failed("The disk is full.")
    assert branch in {item.run for item in driver.window.closing.unsaved()}, "it is in no recovery file"
    driver.window.recovery._on_write_resumed()
    assert branch not in {item.run for item in driver.window.closing.unsaved()}


def test_an_instance_that_is_only_in_a_run_is_said_to_be_there(driver, tmp_path):
    own_instance(driver)
    for seed in ("1", "2"):
        driver.type_into("run.seed", seed)
        driver.start()
        driver.finish()
        if seed == "1":
            save(driver, "Ctrl+S", tmp_path / "first.gems")
    driver.press("Ctrl+Q")
    (item,) = dialog_of(driver).items
    assert item.details.endswith("Its instance is only in a run, first.gems.")


def test_a_computation_that_closing_would_stop_is_named(qtbot):
    with driven(qtbot, LONG, layout="talk") as driver:
        driver.window.settings.ask_repeatable = False
        driver.start()
        driver.wait(lambda: len(driver.trace) > 300)
        assert [item.runs for item in driver.window.closing.unsaved()] == [(driver.run,)], "it has taken no time yet"
        driver.run.facts.seconds = 7.0
        driver.press("Ctrl+Q")
        (item,) = dialog_of(driver).items
        assert item.details.endswith("It is still being computed.")
        driver.click(dialog_of(driver).cancel)
        driver.press("Ctrl+.")
        driver.finish()
        driver.press("Ctrl+Q")
        assert not driver.window.isVisible()


def test_a_run_that_repeats_a_saved_one_is_not_asked_about(driver, tmp_path):
    own_instance(driver)
    driver.start()
    driver.finish()
    save(driver, "Ctrl+S", tmp_path / "first.gems")
    first = driver.run
    driver.start()
    driver.finish()
    assert driver.run is not first
    assert list(driver.trace) == list(first.trace)
    (tmp_path / "first.gems").unlink()
    assert asked(driver) == ["The instance in the form, edited by hand", first.name, driver.run.name]
    save(driver, "Ctrl+Shift+I", tmp_path / "own.json")
    driver.show_run(first)
    driver.write_run(first, tmp_path / "again.gems")
    driver.wait(lambda: first.saved)
    driver.press("Ctrl+Q")
    assert not driver.window.isVisible()


def test_a_story_that_a_button_makes_again_is_lost_only_once_it_was_edited(qtbot):
    with driven(qtbot, SMALL, layout="explore") as driver:
        driver.window.settings.ask_repeatable = False
        driver.start()
        driver.finish()
        driver.press("End")
        story = next(each for each in driver.window.strip.findChildren(QPushButton) if each.text() == "Story")
        driver.wait(story.isVisible)
        driver.click(story)
        assert driver.trace.story is not None
        assert [item.runs for item in driver.window.closing.unsaved()] == [(driver.run,)], "it can be repeated"
        driver.press("M")
        assert asked(driver) == [driver.run.name]
        driver.press("Ctrl+Z")
        driver.press("Ctrl+Q")
        assert not driver.window.isVisible()


def test_a_cell_that_is_being_typed_and_weights_by_hand_are_not_lost(qtbot, tmp_path):
    with driven(qtbot, layout="explore") as driver:
        debugged = Debugged(driver)
        debugged.go_to_design(3)
        driver.run.path = str(tmp_path / "run.gems")
        write_run(driver.run.path, driver.trace)
        assert driver.window.closing.unsaved() == [], "the solver's weights can be computed again"
        plot = debugged.views["design-weights"]
        end = drag(plot, 0, 0.6)
        QTest.mouseRelease(plot.plot.viewport(), Qt.MouseButton.LeftButton, pos=end)
        debugged.shown()
        driver.press("Ctrl+Q")
        (row,) = dialog_of(driver).rows
        assert row.item.title == "The weights of the design debugger, set by hand"
        driver.click(row.save)
        answer_file(driver, tmp_path / "weights.csv")
        driver.wait(lambda: not driver.window.isVisible())
        assert (tmp_path / "weights.csv").exists()
    with driven(qtbot, SMALL.with_instance(OWN), layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.press("Ctrl+T")
        view = driver.window.instance_table.editor.view
        driver.wait(view.isVisible)
        driver.click(view.viewport(), view.visualRect(view.model().index(0, 1)).center())
        QTest.keyClicks(view, "7")
        assert view.state() == view.State.EditingState
        driver.press("Ctrl+Q")
        assert driver.window.isVisible()
        assert [item.title for item in dialog_of(driver).items] == ["The instance in the form, edited by hand"]
        driver.wait(lambda: driver.drafts.instance is not None)
        assert driver.drafts.instance.arms[0, 0] == 7


def test_of_the_runs_of_a_drag_the_last_one_is_listed(driver):
    driver.press("Ctrl+Shift+R")
    for seed in ("3", "4"):
        driver.type_into("run.seed", seed)
        driver.wait(lambda seed=seed: driver.run is not None and driver.run.request.seed == int(seed))
    driver.finish()
    driver.press("Ctrl+Q")
    assert [item.runs for item in dialog_of(driver).items] == [(driver.run,)]


def test_save_all_writes_each_thing_under_its_name_and_over_no_file(driver, tmp_path):
    run = long_run(driver)
    own_instance(driver)
    driver.press("Ctrl+Q")
    dialog, trace = dialog_of(driver), run.trace
    (tmp_path / "instance.json").write_text("another file")
    driver.click(dialog.save_all)
    answer_file(driver, tmp_path)
    driver.wait(lambda: not driver.window.isVisible())
    assert list(read_run(tmp_path / "GEMS-fixed-confidence-paper-hard-seed-1.gems")) == list(trace)
    assert np.array_equal(read_instance(tmp_path / "instance-2.json").arms, OWN.arms)
    assert (tmp_path / "instance.json").read_text() == "another file"


def test_return_never_discards(driver):
    """Neither at once, when the first thing that can be done is to discard, nor on the way from one to the next."""
    long_run(driver)
    driver.drafts.set_draft(SMALL.with_table(InstanceTable.of(OWN).with_cell(ARMS, 0, 0, "x")))
    driver.press("Ctrl+Q")
    dialog = dialog_of(driver)
    driver.wait(dialog.isActiveWindow)
    bad, run = dialog.rows
    assert not bad.save.isEnabled()
    assert dialog.focusWidget() is dialog.save_all
    run.settle("saved")
    assert dialog.focusWidget() is dialog.cancel, "what is left can only be lost"
    bad.discard.setFocus()
    driver.press("Return")
    assert not bad.settled
    assert not dialog.isVisible(), "Return means Cancel"
    assert driver.window.isVisible()


def test_what_cannot_be_saved_is_said_in_the_dialog(driver, tmp_path):
    long_run(driver)
    driver.press("Ctrl+Q")
    driver.click(dialog_of(driver).save_all)
    answer_file(driver, tmp_path / "no folder" / "run.gems")
    driver.wait(dialog_of(driver).errors.isVisible)
    assert "no folder" in dialog_of(driver).errors.text()
    assert not dialog_of(driver).rows[0].settled
    assert driver.window.isVisible()


def test_the_title_says_what_is_open_and_whether_it_is_saved(driver, tmp_path):
    window = driver.window
    assert window.windowTitle() == "GEMS Lab"
    path = tmp_path / "mine.json"
    write_instance(path, OWN)
    assert driver.drop(window, path)
    driver.wait(lambda: window.windowTitle() == "mine.json – GEMS Lab")
    driver.wait(lambda: driver.drafts.instance is not None)
    driver.press("Ctrl+T")
    driver.press("2")
    driver.press("Return")
    driver.wait(lambda: window.windowTitle() == "mine.json* – GEMS Lab")
    driver.press("Ctrl+Z")
    assert window.windowTitle() == "mine.json – GEMS Lab"
    window.workbench.drafts.set_draft(SMALL)
    run = long_run(driver)
    assert window.windowTitle() == f"{run.name}* – GEMS Lab"
    driver.press("Ctrl+S")
    driver.answer(tmp_path / "kept.gems")
    driver.wait(lambda: window.windowTitle() == "kept.gems – GEMS Lab")


def test_closing_asks_in_one_dialog_and_cancel_keeps_everything(driver):
    run = long_run(driver)
    own_instance(driver)
    driver.press("Ctrl+Q")
    assert driver.window.isVisible()
    dialog = dialog_of(driver)
    assert dialog.isVisible()
    assert QApplication.activeModalWidget() is dialog
    run_button = driver.form.run
    QTest.mouseClick(driver.window.windowHandle(), Qt.MouseButton.LeftButton, pos=middle(driver, run_button))
    QApplication.processEvents()
    assert driver.workbench.pending is None, "what is made behind it would be discarded without being named"
    assert driver.workbench.runs == [run]
    words = [each.words for each in dialog.items]
    assert words[0].startswith("The instance in the form")
    assert words[1] == f"{run.name}: {len(run.trace)} events, 75 s of computing. To repeat it takes as long again."
    assert len(words) == 2
    driver.click(dialog.cancel)
    assert dialog_of(driver) is None
    assert driver.window.isVisible()
    assert driver.run is run
    QTest.mouseClick(driver.window.windowHandle(), Qt.MouseButton.LeftButton, pos=middle(driver, run_button))
    driver.wait(lambda: driver.run is not run)
    driver.finish()
    driver.remove_run(driver.run)
    driver.press("Ctrl+Q")
    assert driver.window.isVisible(), "it asks again"
    assert sum(each.isVisible() for each in driver.window.findChildren(ClosingDialog)) == 1


def test_save_and_discard_per_item_then_the_window_closes(driver, tmp_path):
    run = long_run(driver)
    own_instance(driver)
    driver.press("Ctrl+Q")
    dialog = dialog_of(driver)
    driver.click(dialog.rows[0].save)
    answer_file(driver, tmp_path / "own.json")
    driver.wait(lambda: dialog.rows[0].settled)
    assert dialog.rows[0].fate.text() == "saved"
    assert np.array_equal(read_instance(tmp_path / "own.json").arms, OWN.arms)
    assert driver.window.isVisible()
    trace = run.trace
    driver.click(dialog.rows[1].save)
    answer_file(driver, tmp_path / "run.gems")
    driver.wait(lambda: not driver.window.isVisible())
    assert list(read_run(tmp_path / "run.gems")) == list(trace)


def test_discarding_all_closes(driver):
    long_run(driver)
    own_instance(driver)
    driver.press("Ctrl+Q")
    driver.click(dialog_of(driver).rows[1].discard)
    assert driver.window.isVisible()
    driver.click(dialog_of(driver).discard_all)
    assert not driver.window.isVisible()


def test_an_instance_that_is_not_valid_can_only_be_discarded(driver):
    broken = InstanceTable.of(OWN).with_cell("arms", 0, 0, "no number")
    driver.drafts.set_draft(SMALL.with_table(broken))
    driver.press("Ctrl+Q")
    assert driver.window.isVisible()
    only = dialog_of(driver).rows[0]
    assert "not valid" in only.words.text()
    assert not only.save.isEnabled()
    driver.click(only.discard)
    assert not driver.window.isVisible()


def test_the_dialog_blocks_no_run(driver):
    long_run(driver)
    driver.drafts.set_draft(SMALL.with_text("run.seed", "9"))
    driver.start()
    driver.press("Ctrl+Q")
    driver.wait(lambda: driver.run.request.seed == 9 and driver.playback.ended)
    assert dialog_of(driver).isVisible()


def test_a_picture_of_the_window_asks_nothing(driver, monkeypatch):
    long_run(driver)
    monkeypatch.setattr(QApplication, "quit", lambda: None)
    photographer = Photographer(driver.window)
    QTimer.singleShot(0, photographer.take)
    driver.wait(lambda: not driver.window.isVisible())
    assert photographer.picture.startswith(b"\x89PNG")
    assert dialog_of(driver) is None


def test_an_instance_whose_file_was_saved_over_is_unsaved(driver, tmp_path):
    driver.wait(lambda: driver.drafts.instance is not None)
    edited(driver, "7")
    save(driver, "Ctrl+Shift+I", tmp_path / "own.json")
    assert driver.window.windowTitle() == "own.json – GEMS Lab"
    edited(driver, "8", "7")  # and back
    assert "*" not in driver.window.windowTitle()
    edited(driver, "8")
    assert driver.window.windowTitle() == "own.json* – GEMS Lab"
    driver.press("Ctrl+Shift+I")  # to its file
    driver.wait(lambda: driver.window.windowTitle() == "own.json – GEMS Lab")
    edited(driver, "7")
    assert driver.window.windowTitle() == "own.json* – GEMS Lab"
    assert asked(driver) == ["The instance in the form, edited by hand"]
