"""Messages end with their cause, and what is refused says why and what to do."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_gui.action_table import ACTIONS
from gems_gui.board import message_bar
from gems_gui.widgets.error_report import ErrorReport
from tests.gui.window_driver import LONG, SMALL, driven, toy_draft, toy_package

KEYED = [act for act in ACTIONS if act.keys and act.keys[0] != "Esc"]


def refusals(driver):
    """Press the key of every action that is not available, and read what is said; by action."""
    said = {}
    for act in KEYED:
        action = driver.actions[act.id]
        if action.isEnabled() or (driver.run is not None and act.id in ("first", "last")):
            continue
        driver.workbench.messages.dismiss()
        driver.window.centralWidget().setFocus()
        driver.press(act.keys[0])
        said[act.id] = driver.message
        assert driver.message == driver.actions.refusal(action), act.id
        assert driver.message.endswith("."), act.id
        assert driver.message in action.toolTip(), act.id
        assert QApplication.activePopupWidget() is None, act.id
    return said


def test_the_key_of_what_is_not_available_says_what_to_do(qtbot):
    with driven(qtbot, LONG, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        no_run = "No run yet. Press Ctrl+R to start one."
        said = refusals(driver)
        for name in ("play", "event_forward", "last", "hold", "live", "save", "export", "branch", "go_to", "run_until"):
            assert said[name] == no_run
        assert {said.pop(name) for name in ("undo", "redo")} == {"Nothing to undo.", "Nothing to redo."}
        assert said.pop("stop") == "The engine is not running. Press Ctrl+R to run the form."
        assert set(said.values()) == {no_run}
        driver.press("Space")
        assert driver.message == no_run
        driver.start("Ctrl+R", "Space")
        assert not driver.message, "it has ended with its cause"

        driver.press("Home")
        assert not driver.message, "the cursor is there"
        driver.press("Left")
        assert driver.message == "This is the start of the run. Press → to go forward."
        driver.press("Right")
        driver.wait(lambda: driver.cursor == 1)
        assert not driver.message
        driver.press("Ctrl+D")
        assert driver.message.startswith("There is no other run to compare with.")
        driver.press("Shift+F5")
        assert driver.message == "This run has no story yet. Press M to add the current moment to one."
        driver.press("T")
        driver.press("Ctrl+Shift+K")
        assert driver.message == "The failing seeds would reveal the hidden truth. Show the truth first (T)."
        driver.press("T")
        assert not driver.message

        driver.press("Ctrl+.")
        driver.finish()
        driver.press("End")
        said = refusals(driver)
        assert said["event_forward"] == "This is the last event of the run. Press Home to go to its start."
        assert said["hold"] == said["live"] == "The engine has ended this run. Press Ctrl+R to run the form."
        assert said["run_to_end"].startswith("The run of this form has ended.")

        line = driver.form.fields["run.seed"].input
        line.setFocus()
        driver.press("Ctrl+Return")
        assert driver.message == said["run_to_end"], "in a line, too"
        driver.type_into("run.seed", "2")
        assert not driver.message
        driver.press("L")
        assert not driver.message, "a letter in a line is a letter"


def test_ctrl_return_and_the_button_run_the_changed_form(qtbot):
    with driven(qtbot, layout="talk") as driver:
        act = driver.actions["run_to_end"]
        driver.finished()
        first = driver.run
        assert (act.isEnabled(), act.text()) == (True, "Run to the end"), "the cursor goes there"
        driver.press("End")
        assert (act.isEnabled(), act.text()) == (False, "Run to the end")
        driver.type_into("run.seed", "7")
        assert (act.isEnabled(), act.text()) == (True, "Run the form to the end")
        driver.start("Ctrl+Return")
        assert driver.run.request.seed == 7
        driver.wait(lambda: driver.playback.ended and driver.playback.at_end)
        assert first in driver.workbench.runs
        assert QApplication.focusWidget() is driver.window.centralWidget()

        second = driver.run
        driver.type_into("run.seed", "8")
        driver.click(driver.difference_bar.buttons["Run the form"])
        driver.wait(lambda: driver.run is not second)
        assert driver.run.request.seed == 8
        assert driver.playback.playing, "from the start, as Run does"

        driver.drafts.set_draft(LONG)
        driver.start("Ctrl+R", "Space")
        long = driver.run
        driver.press("Ctrl+Return")
        assert driver.run is long, "the run of the form itself goes on to its end"
        assert act.isChecked()
        driver.press("Ctrl+Return")
        assert not act.isChecked()
        assert not driver.playback.ended


def test_what_is_said_about_a_field_ends_when_it_is_mended(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.type_into("algorithm.delta", "2")
        driver.press("Ctrl+R")
        assert "δ" in driver.said()
        assert driver.notice.property("error")
        delta = driver.form.fields["algorithm.delta"].input
        over = delta.mapTo(driver.window, delta.rect().center())
        QTest.mouseMove(driver.window.windowHandle(), over)
        driver.wait(lambda: driver.window.status_tip.text().startswith("δ = 2 is not allowed"))
        assert QApplication.focusWidget() is delta, "to correct it at once"
        assert delta.selectedText() == "2"
        driver.type_into("run.seed", "5")
        assert "δ" in driver.message, "that was not the reason"
        driver.type_into("algorithm.delta", "0.1")
        assert not driver.message
        assert driver.window.status_tip.text() == delta.statusTip(), "the mouse has not moved"
        assert "not allowed" not in delta.statusTip()
        driver.window.centralWidget().setFocus()
        driver.type_into("algorithm.delta", "3")
        driver.press("Ctrl+R")
        assert "δ" in driver.said()
        driver.press("Ctrl+Z")
        assert not driver.message, "undo mends, too"
        driver.type_into("algorithm.delta", "3")
        driver.press("Ctrl+R")
        assert "δ" in driver.said()
        QTest.keyClick(delta, Qt.Key.Key_Escape)
        assert not driver.message, "Esc dismisses what is shown, also from a field"
        assert delta.text() == "3"
        assert not driver.actions["leave_maximised"].isEnabled()


@pytest.mark.parametrize("by", ["another run", "removal"])
def test_what_is_said_about_a_failed_run_ends_with_it(qtbot, tmp_path, by):
    with toy_package(tmp_path), driven(qtbot, toy_draft(tmp_path, "raise"), layout="talk") as driver:
        driver.press("Ctrl+R")
        failed = driver.said()
        assert driver.notice.property("error")
        QTest.keyClick(driver.window.findChild(ErrorReport), Qt.Key.Key_Escape)
        driver.press("End")
        assert driver.message == failed
        if by == "removal":
            driver.press("Ctrl+L")
            driver.press("Delete")
            driver.wait(lambda: driver.run is None)
        else:
            driver.drafts.set_draft(SMALL)
            driver.start()
        assert not driver.message


def test_a_confirmation_passes_by_itself_and_a_new_one_is_read_in_full(qtbot, monkeypatch):
    with driven(qtbot, layout="talk") as driver:
        driver.finished()
        passes = driver.notice._passes
        driver.press("Ctrl+Shift+C")
        assert driver.message == "Command copied. It repeats this run."
        first = passes.interval()
        driver.press("M")
        assert driver.message.startswith("Added moment 1")
        assert passes.interval() > first, "a longer one takes longer to read"
        assert passes.remainingTime() > first
        monkeypatch.setattr(message_bar, "_PASSES", 20)
        monkeypatch.setattr(message_bar, "_READ", 0)
        handle, button = driver.window.windowHandle(), driver.notice.buttons["Dismiss"]
        QTest.mouseMove(handle, button.mapTo(driver.window, button.rect().center()))
        driver.press("M")
        QTest.qWait(100)
        assert driver.message.startswith("Added moment 2"), "it does not vanish under the mouse"
        QTest.mouseMove(handle, driver.transport.mapTo(driver.window, driver.transport.rect().center()))
        driver.wait(lambda: not driver.message)
        driver.press("Ctrl+.")
        assert driver.message.startswith("The engine is not running."), "so does a refusal, whether or not it holds"
        driver.wait(lambda: not driver.message)
