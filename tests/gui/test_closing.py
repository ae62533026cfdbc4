"""Title and closing: what is open, whether it is saved, and one dialog that asks about what would be lost."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog

from gems_engine.files import read_instance, read_run, write_instance
from gems_engine.instance import Instance
from gems_gui.closing.closing import ClosingDialog
from gems_gui.drafts.instance_table import ARMS, InstanceTable
from gems_gui.launch import Photographer
from gems_gui.workbench.unsaved import unsaved_run
from tests.gui.window_driver import SMALL, driven

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


def answer_file(driver, path):
    driver.wait(lambda: any(each.isVisible() for each in driver.window.findChildren(QFileDialog)))
    driver.answer(path)


def test_a_window_in_which_nothing_was_done_closes_without_a_word(driver, tmp_path):
    """A run of `--play` is the program's own, until it is given a name."""
    driver.workbench.play_opened = True
    driver.start()
    driver.finish()
    assert "*" not in driver.window.windowTitle()
    assert not unsaved_run(driver.run)
    driver.workbench.rename(driver.run, "mine")
    assert driver.window.windowTitle() == "mine* – GEMS Lab"
    driver.write_run(driver.run, tmp_path / "mine.gems")
    driver.wait(lambda: driver.run.saved)
    assert driver.window.close()
    assert not driver.window.isVisible()


def test_each_run_that_was_started_is_listed_however_short(driver):
    for seed in ("1", "2"):
        driver.drafts.set_draft(SMALL.with_text("run.seed", seed))
        driver.start()
        driver.finish()
    first, second = driver.workbench.runs
    assert not driver.window.close()
    assert [item.run for item in dialog_of(driver).items] == [first, second]
    assert all(item.words.startswith(f"{item.run.name}: 116 events, ") for item in dialog_of(driver).items)
    dialog_of(driver).close()
    first.path, first.saved_events = "kept.gems", len(first.trace)
    assert not unsaved_run(first)
    first.saved_events -= 1  # it went on after it was saved
    assert unsaved_run(first)


def test_of_the_runs_of_a_drag_the_last_one_is_listed(driver):
    driver.window.auto_run.auto.auto_run(True)
    for seed in ("3", "4"):
        driver.drafts.set_draft(SMALL.with_text("run.seed", seed))
        driver.wait(lambda seed=seed: driver.run is not None and driver.run.request.seed == int(seed))
    driver.finish()
    assert not driver.window.close()
    assert [item.run for item in dialog_of(driver).items] == [driver.run]


def test_save_all_writes_each_thing_under_its_name_and_over_no_file(driver, tmp_path):
    run = long_run(driver)
    own_instance(driver)
    driver.window.close()
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
    driver.window.close()
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
    driver.window.close()
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
    window.open_files([str(path)])
    driver.wait(lambda: window.windowTitle() == "mine.json – GEMS Lab")
    changed = InstanceTable.of(OWN).with_cell("arms", 0, 0, "2")
    window.workbench.drafts.set_draft(window.workbench.drafts.draft.with_table(changed))
    assert window.windowTitle() == "mine.json* – GEMS Lab"
    driver.actions["undo"].trigger()
    assert window.windowTitle() == "mine.json – GEMS Lab"
    window.workbench.drafts.set_draft(SMALL)
    run = long_run(driver)
    assert window.windowTitle() == f"{run.name}* – GEMS Lab"
    window.files.save_run(str(tmp_path / "kept.gems"), run.trace)
    driver.wait(lambda: window.windowTitle() == "kept.gems – GEMS Lab")


def test_closing_asks_in_one_dialog_and_cancel_keeps_everything(driver):
    run = long_run(driver)
    own_instance(driver)
    assert not driver.window.close()
    assert driver.window.isVisible()
    dialog = dialog_of(driver)
    assert dialog.isVisible()
    assert not dialog.isModal()
    words = [each.words for each in dialog.items]
    assert words[0].startswith("The instance in the form")
    assert words[1] == f"{run.name}: {len(run.trace)} events, 75 s of computing"
    assert len(words) == 2
    driver.click(dialog.cancel)
    assert dialog_of(driver) is None
    assert driver.window.isVisible()
    assert driver.run is run
    assert not driver.window.close(), "it asks again"
    assert sum(each.isVisible() for each in driver.window.findChildren(ClosingDialog)) == 1


def test_save_and_discard_per_item_then_the_window_closes(driver, tmp_path):
    run = long_run(driver)
    own_instance(driver)
    driver.window.close()
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
    driver.window.close()
    driver.click(dialog_of(driver).rows[1].discard)
    assert driver.window.isVisible()
    driver.click(dialog_of(driver).discard_all)
    assert not driver.window.isVisible()


def test_an_instance_that_is_not_valid_can_only_be_discarded(driver):
    broken = InstanceTable.of(OWN).with_cell("arms", 0, 0, "no number")
    driver.drafts.set_draft(SMALL.with_table(broken))
    assert not driver.window.close()
    only = dialog_of(driver).rows[0]
    assert "not valid" in only.words.text()
    assert not only.save.isEnabled()
    driver.click(only.discard)
    assert not driver.window.isVisible()


def test_the_dialog_blocks_no_run(driver):
    long_run(driver)
    driver.window.close()
    driver.drafts.set_draft(SMALL.with_text("run.seed", "9"))
    driver.workbench.run()
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


def test_a_saved_instance_that_is_changed_again_is_unsaved(driver):
    own_instance(driver)
    built = driver.drafts.instance
    driver.workbench.saved_instances[built.digest] = "own.json"
    driver.window.show_title()
    assert "*" not in driver.window.windowTitle()
    driver.drafts.set_draft(
        SMALL.with_table(InstanceTable.of(replace(OWN, theta=None, rewards=[3, 2, 1], target_rewards=[3, 2, 1])))
    )
    driver.wait(lambda: driver.drafts.instance is not None)
    assert driver.window.windowTitle() == "custom instance* – GEMS Lab"
