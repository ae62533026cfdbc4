"""Making a story in the window: record, edit, order, delete, undo, save, open, and tell it."""

import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from gems_engine.bookmark import Bookmark
from gems_engine.files import read_run, write_run
from gems_engine.history import History
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.shipped import SHIPPED
from gems_gui.talk.moment_delegate import RIGHT, WHERE
from gems_gui.views import DESIGN_VIEWS, VIEWS
from gems_gui.workbench.unsaved import unsaved_run
from tests.gui.window_driver import driven


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        made.finished()
        yield made


def dock(driver):
    return driver.window.talk.dock


def captions(driver):
    return [moment.caption for moment in driver.trace.story.moments]


def recorded(driver, *cursors):
    """Press M at some places, and open the list."""
    for cursor in cursors:
        driver.seek(cursor)
        driver.press("M")
    if dock(driver).isHidden():
        driver.press("Ctrl+Shift+T")
    driver.wait(dock(driver).isVisible)
    return dock(driver)


def test_m_records_where_the_run_is_what_is_seen_and_what_is_picked(driver):
    driver.seek(20)
    driver.workbench.select_arm(2)
    driver.press("M")
    story = driver.trace.story
    (moment,) = story.moments
    assert moment.where == Bookmark.of(driver.trace, 20)
    assert set(moment.views) <= {name for name, each in driver.board.docks.items() if each.exposed}
    assert 1 <= len(moment.views) <= 4
    assert (moment.arm, moment.target) == (2, 2)
    assert BoundStory(driver.trace).caption(0)
    assert "Added moment 1" in driver.said()
    driver.board.toggle_maximised("cost")
    driver.press("M")
    assert driver.trace.story.moments[1].views == ("cost",)


def test_letters_mean_the_same_in_the_list_as_anywhere_else(driver):
    shown = recorded(driver, 5, 9)
    shown.list.setFocus()
    driver.wait(shown.list.hasFocus)
    driver.press("M")
    assert len(driver.trace.story.moments) == 3
    driver.press("T")
    assert not driver.workbench.truth


def test_with_an_empty_list_the_keys_go_to_the_run(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.finished()
        driver.press("Ctrl+Shift+T")
        driver.wait(driver.window.talk.dock.isVisible)
        cursors = []
        for keys in ("Home", "N", "M", "End", "M"):
            driver.press(keys)
            cursors.append(driver.cursor)
        assert 0 < cursors[2] < cursors[4] == len(driver.trace)
        where = [moment.where for moment in driver.trace.story.moments]
        assert where == [Bookmark.of(driver.trace, cursors[at]) for at in (2, 4)]


def test_what_is_chosen_about_the_views_is_recorded_and_shown_again(driver):
    driver.views["survivors"].set_option("scope", "run")
    shown = recorded(driver, 20)
    assert ("survivors", "scope", "run") in driver.trace.story.moments[0].options
    driver.views["survivors"].set_option("scope", "subroutine")
    driver.views["survivors"].set_option("order", "index")
    driver.press("M")
    assert driver.trace.story.moments[1].options == (("survivors", "order", "index"),)
    talk = driver.window.talk.presenter
    talk.begin(driver.run)
    settings = talk.stage.views["survivors"].settings
    assert (settings["scope"], settings["order"]) == ("run", "reward")
    talk.next_moment()
    talk.next_moment()
    assert (settings["scope"], settings["order"]) == ("subroutine", "index")
    talk.leave()
    assert driver.views["survivors"].settings["order"] == "index"  # the board is as it was
    shown.list.setCurrentRow(0)
    shown.buttons["here"].click()
    assert driver.trace.story.moments[0].options == (("survivors", "order", "index"),)


def test_every_event_has_a_caption_to_begin_with(driver):
    for cursor in range(0, len(driver.trace) + 1, 3):
        driver.seek(cursor)
        driver.window.talk.add_moment()
    bound_story = BoundStory(driver.trace)
    assert len(bound_story) == len(range(0, len(driver.trace) + 1, 3))
    assert all(bound_story.caption(at) and "{" not in bound_story.caption(at) for at in range(len(bound_story)))


def test_the_list_shows_every_moment_with_its_numbers(driver):
    shown = recorded(driver, 20, len(driver.trace))
    bound_story = BoundStory(driver.trace)
    for at in range(2):
        item = shown.list.item(at)
        assert item.text() == bound_story.caption(at)
        assert item.data(WHERE).startswith(f"{at + 1} · ")
        assert f"event {bound_story.cursor(at)}" in item.data(WHERE)
    assert shown.time.text() == f"0:{bound_story.duration:02.0f}"


def test_a_caption_is_edited_and_shown_as_it_will_be_said(driver):
    shown = recorded(driver, 20)
    shown.editor.caption.setPlainText("")
    shown.editor.caption.setFocus()
    QTest.keyClicks(shown.editor.caption, "{samples} of {rho_star[2]}")
    assert captions(driver) == ["{samples} of {rho_star[2]}"]
    driver.wait(lambda: "…" not in shown.editor.preview.text())
    assert shown.editor.preview.text() == BoundStory(driver.trace).caption(0)
    QTest.keyClicks(shown.editor.caption, " {sampls}")
    assert 'did you mean "samples"' in shown.editor.preview.text()
    assert shown.editor.preview.property("role") == "error"
    assert not shown.list.item(0).data(RIGHT)


def test_a_word_of_the_vocabulary_is_put_in_from_the_menu(driver):
    shown = recorded(driver, 20)
    shown.editor.caption.setPlainText("")
    menu = shown.editor.insert.menu()
    next(action for action in menu.actions() if action.data() == "{left}").trigger()
    truth = next(action.menu() for action in menu.actions() if action.menu() is not None)
    next(action for action in truth.actions() if action.data() == "{d_star}").trigger()
    assert captions(driver) == ["{left}{d_star}"]
    for action in (*menu.actions(), *truth.actions()):
        if action.data():
            shown.editor.caption.setPlainText(action.data())
            assert shown.editor.preview.property("role") == "dim", action.data()


def test_views_marks_time_and_notes_are_edited(driver):
    shown = recorded(driver, 20)
    driver.trace.story = replace(driver.trace.story, moments=(replace(driver.trace.story.moments[0], views=("why",)),))
    shown.refresh()
    for action in shown.editor.views.menu().actions():
        if action.data() in ("survivors", "why"):
            action.trigger()
    shown.editor.dimension.setValue(3)
    shown.editor.seconds.setValue(7.5)
    shown.editor.notes.setPlainText("One.\nTwo.")
    driver.workbench.select_arm(1)
    shown.editor.picked.click()
    (moment,) = driver.trace.story.moments
    assert (moment.views, moment.dimension, moment.seconds) == (("survivors",), 3, 7.5)
    assert (moment.notes, moment.arm, moment.target) == ("One.\nTwo.", 1, 1)
    actions = shown.editor.views.menu().actions()
    assert {action.data() for action in actions[:-1]} == set(VIEWS)
    assert {action.data() for action in actions[-1].menu().actions()} == set(DESIGN_VIEWS)


def test_moments_are_put_in_order_and_deleted_and_everything_can_be_taken_back(driver):
    shown = recorded(driver, 10, 20, 30)
    for at, letter in enumerate("abc"):
        shown.list.setCurrentRow(at)
        shown.editor.caption.setPlainText(letter)
        shown.editor.sealed.emit()
    shown.list.setCurrentRow(0)
    shown.list.setFocus()
    QTest.keyClick(shown.list, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert captions(driver) == ["b", "a", "c"]
    assert shown.chosen == 1
    QTest.keyClick(shown.list, Qt.Key.Key_Delete)
    assert captions(driver) == ["b", "c"]
    shown.buttons["undo"].click()
    assert captions(driver) == ["b", "a", "c"]
    shown.buttons["undo"].click()
    assert captions(driver) == ["a", "b", "c"]
    shown.buttons["redo"].click()
    assert captions(driver) == ["b", "a", "c"]
    assert [item.text() for item in (shown.list.item(row) for row in range(3))] == ["b", "a", "c"]
    for _ in range(3):
        shown.delete()
    assert driver.trace.story is None
    assert shown.empty.isVisible()
    shown.buttons["undo"].click()
    assert len(captions(driver)) == 1


def test_the_next_moment_comes_behind_the_chosen_one(driver):
    shown = recorded(driver, 10, 30)
    shown.list.setCurrentRow(0)
    driver.seek(20)
    shown.buttons["add"].click()
    assert [BoundStory(driver.trace).cursor(at) for at in range(3)] == [10, 20, 30]
    assert shown.chosen == 1


def test_go_there_and_set_here(driver):
    shown = recorded(driver, 10, 30)
    shown.list.setCurrentRow(0)
    shown.buttons["go"].click()
    assert driver.cursor == 10
    driver.seek(15)
    shown.buttons["here"].click()
    assert BoundStory(driver.trace).cursor(0) == 15
    shown.list.setFocus()
    shown.list.setCurrentRow(1)
    QTest.keyClick(shown.list, Qt.Key.Key_Return)
    assert driver.cursor == 30


def test_a_title_is_typed(driver):
    shown = recorded(driver, 10)
    shown.title.setFocus()
    shown.title.selectAll()
    QTest.keyClicks(shown.title, "My talk")
    assert driver.trace.story.title == "My talk"
    shown.title.clear()
    QTest.keyClick(shown.title, Qt.Key.Key_Backspace)
    assert driver.trace.story.title == "My talk"  # a story has a title


def test_another_run_joins_the_story(driver):
    first = driver.run
    shown = recorded(driver, 10)
    driver.start()
    driver.finish()
    second = driver.run
    driver.workbench.activate(first)
    shown.buttons["run"].menu().aboutToShow.emit()
    (action,) = [each for each in shown.buttons["run"].menu().actions() if isinstance(each, QAction)]
    action.trigger()
    assert first.trace.story.run_names == ("run", "fixed-confidence")
    driver.workbench.activate(second)
    driver.seek(25)
    assert driver.window.talk.told_run() is first
    driver.press("M")
    assert [moment.run for moment in first.trace.story.moments] == [0, 1]
    assert BoundStory(first.trace).trace_of(1) is second.trace
    assert second.trace.story is None


def test_a_companion_is_saved_with_its_host_and_never_over_it(driver, tmp_path):
    test_another_run_joins_the_story(driver)
    first = driver.workbench.runs[0]
    write_run(tmp_path / "told.gems", first.trace)
    driver.window.open_files([str(tmp_path / "told.gems")])
    driver.wait(lambda: driver.run.path.endswith("told.gems"))
    host, talk = driver.run, driver.window.talk.presenter
    talk.begin(host, at=1)
    companion = driver.run
    talk.leave()
    assert driver.run is host
    assert companion is not host
    assert companion.name == "fixed-confidence · told.gems"
    assert companion.saved  # in the file of its host
    assert companion.path == ""  # which saving it would replace
    driver.window.talk.set_story(host, host.trace.story.without(0), "deletion")
    assert not companion.saved


def test_the_runs_of_a_story_are_prepared_in_the_thread_that_reads_its_file(driver, tmp_path, monkeypatch):
    test_another_run_joins_the_story(driver)
    write_run(tmp_path / "told.gems", driver.workbench.runs[0].trace)
    made, begin = [], History.__init__
    note = lambda self, *args: made.append(threading.current_thread()) or begin(self, *args)  # noqa: E731
    monkeypatch.setattr(History, "__init__", note)
    driver.window.open_files([str(tmp_path / "told.gems")])
    driver.wait(lambda: driver.run.path.endswith("told.gems"))
    host, talk = driver.run, driver.window.talk.presenter
    talk.begin(host, at=1)
    assert driver.run.main_run is host
    assert driver.run.playback.history is host.companions[0]
    assert driver.run.playback.history.events == len(driver.run.trace) > 0
    talk.leave()
    assert len(made) == 2
    assert threading.main_thread() not in made


def test_a_story_is_saved_with_its_run_and_comes_back(driver, tmp_path):
    shown = recorded(driver, 10, 30)
    shown.editor.caption.setPlainText("Here are {left}.")
    run = driver.run
    assert unsaved_run(run)
    assert driver.window.windowTitle().startswith(f"{run.name}*")
    driver.press("Ctrl+S")
    driver.answer(tmp_path / "told.gems")
    driver.wait(lambda: run.path != "")
    assert run.saved
    saved = read_run(tmp_path / "told.gems")
    assert saved.story.moments == run.trace.story.moments
    driver.remove_run(run)
    driver.window.open_files([str(tmp_path / "told.gems")])
    driver.wait(lambda: driver.run is not None)
    assert f'The run has a story, "{saved.story.title}". Press F5 to present it.' in driver.said()
    assert driver.run.saved
    assert captions(driver)[0] == "Here are {left}."
    shown.editor.caption.setPlainText("Changed.")
    assert not driver.run.saved
    assert unsaved_run(driver.run)
    shown.buttons["undo"].click()
    assert driver.run.saved


def test_the_truth_is_hidden_in_the_list(driver):
    shown = recorded(driver, 10)
    shown.editor.caption.setPlainText("The best is {best}.")
    driver.press("Esc")
    driver.workbench.set_truth(False)
    assert shown.list.item(0).text() == "The best is hidden."
    assert shown.editor.preview.text() == "The best is hidden."


def test_present_begins_at_the_chosen_moment(driver):
    shown = recorded(driver, 10, 30)
    shown.list.setCurrentRow(1)
    shown.buttons["present"].click()
    talk = driver.window.talk.presenter
    assert talk.at == 1
    talk.previous_moment()
    assert shown.chosen == 0  # the list follows: on a second screen it is what the speaker looks at
    assert driver.cursor == 10
    talk.leave()
    assert driver.cursor == 30  # where it was before


def test_the_stories_of_the_program_are_in_the_menu_and_play(driver):
    menu = driver.actions.menu("Talk/Stories")
    assert [action.text() for action in menu.actions()] == [each.title for each in SHIPPED.values()]
    talk = driver.window.talk.presenter
    for _ in range(2):  # the second time it is there already
        menu.actions()[0].trigger()
        assert talk.on
        assert talk.automatic
        assert talk.bound_story.story.title == "Why model selection matters"
        assert not talk.stage.isWindow()
        driver.wait(lambda: talk.stage.settled and not talk.waits)
        assert talk.stage.caption.words == talk.bound_story.caption(0)
        talk.leave()
    title = "Why model selection matters"
    assert [run.name for run in driver.workbench.runs[1:]] == [title, f"RAGE · {title}"]
    assert not any(unsaved_run(run) for run in driver.workbench.runs[1:])


def test_without_a_story_there_is_none_to_play(driver):
    assert not driver.actions["play_story"].isEnabled()
    driver.window.talk.play_story()
    assert "no story yet" in driver.said()


def test_ctrl_z_undoes_the_newest_change_of_the_story_or_the_form(driver):
    shown = recorded(driver, 10, 30, 50)
    draft = driver.draft
    told = driver.run.trace
    assert len(told.story.moments) == 3
    driver.click(shown.list.viewport(), shown.list.visualRect(shown.list.model().index(2, 0)).center())
    driver.press("Del")
    assert len(told.story.moments) == 2
    driver.press("Ctrl+Z")
    assert len(told.story.moments) == 3, "what was done last, not a change of the form"
    driver.press("Ctrl+Shift+Z")
    assert len(told.story.moments) == 2
    driver.drafts.set_draft(draft.with_text("run.seed", "7"))
    driver.press("Ctrl+Z")
    assert (driver.draft, len(told.story.moments)) == (draft, 2), "the form was changed after it"
    driver.press("Ctrl+Z")
    assert (driver.draft, len(told.story.moments)) == (draft, 3)
    for left in (2, 1):
        driver.press("Ctrl+Z")
        assert len(told.story.moments) == left, "also a moment that M has added"
