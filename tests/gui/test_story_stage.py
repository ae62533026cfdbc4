"""On the stage and in the list of moments: two runs, locked axes, arrows and brackets."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gems_engine.bookmark import Bookmark
from gems_engine.talk.annotation import Arrow, Bracket
from gems_engine.talk.story import Companion, SecondRun, Story, StoryMoment
from tests.gui.sample_runs import run as sample_run
from tests.gui.stage_driver import begun, finished, presenter, press, stage


@pytest.fixture
def driver(qtbot, monkeypatch):
    with finished(qtbot, monkeypatch) as made:
        yield made


def told(driver):
    """A story with a pair of runs, a race, and a group of two moments."""
    trace, other = driver.trace, sample_run("soare")
    early, arrow = Bookmark.of(trace, len(trace) // 3), Arrow("counts", "0", "1", "here")
    moments = (
        StoryMoment(early, ("counts",), "Early", lock="c"),
        StoryMoment(Bookmark(end=True), ("counts",), "Late", lock="c", annotations=(arrow,)),
        StoryMoment(
            Bookmark(end=True),
            ("weights",),
            "Two",
            second=SecondRun(1, Bookmark(end=True)),
            annotations=(Arrow("weights", "0", "0.1", "{samples} there", second=True), Bracket("weights", "0", "1")),
        ),
        StoryMoment(Bookmark(end=True), ("design-bounds",), "{samples/nonsense}"),
    )
    trace.story = Story("Pairs", moments, "", "main", (Companion("other", other),))
    driver.actions.refresh()
    return trace.story


def arrived(driver, at):
    talk = presenter(driver)
    driver.wait(lambda: talk.at == at and talk._transition is None and talk.stage.settled and not talk._going)
    return talk.stage


def texts(shown, panel):
    return [mark.text for mark in shown.views[panel].plot.annotations.marks]


def test_a_talk_shows_pairs_locks_axes_and_marks_only_the_moment(driver):
    told(driver)
    begun(driver)
    shown = arrived(driver, 0)
    counts = shown.views["counts"].plot
    assert counts.locked is not None
    early = counts.box.viewRange()
    assert texts(shown, "counts") == []
    press(driver, "Right")
    assert texts(shown, "counts") == []  # on the way, nothing is marked
    shown = arrived(driver, 1)
    assert counts.box.viewRange()[1] == pytest.approx(early[1], rel=0.02)
    assert texts(shown, "counts") == ["here"]
    press(driver, "Shift+E")
    driver.wait(lambda: texts(shown, "counts") == [])
    press(driver, "Left")
    arrived(driver, 1)
    assert texts(shown, "counts") == ["here"]
    press(driver, "Right")
    shown = arrived(driver, 2)
    story = presenter(driver).bound_story
    assert shown.shown == ("weights", "weights@2")
    first, second = (shown.views[panel] for panel in shown.shown)
    assert (first.head.title.text()[:6], second.head.title.text()[:7]) == ("main: ", "other: ")
    assert first.snapshot.trace is story.traces[0]
    assert second.snapshot.trace is story.traces[1]
    assert second.snapshot.cursor == len(story.traces[1])
    assert first.plot._whole[:2] == second.plot._whole[:2]  # the plots may differ by a line of their legends
    assert texts(shown, "weights") == [""]
    (words,) = texts(shown, "weights@2")
    samples = str(story.traces[1].finished.samples)
    assert "".join(sign for sign in words if sign.isdigit()) == samples
    press(driver, "Right")
    shown = arrived(driver, 3)
    assert shown.shown == ("design-bounds",)
    assert "nonsense" in shown.caption.words
    press(driver, "Home")
    arrived(driver, 0)
    assert shown.views["counts"].head.title.text() == "Samples per arm"
    press(driver, "Esc")
    driver.wait(lambda: stage(driver) is None)


def test_the_race_of_a_story_has_all_its_runs(driver):
    """Although the second one was never opened in the window."""
    driver.window.talk.tell("why-model-selection")
    driver.wait(lambda: stage(driver) is not None and stage(driver).settled and not presenter(driver)._going)
    shown = stage(driver)
    assert shown.shown == ("race",)
    assert [lane.name for lane in shown.views["race"].series.lanes] == ["RAGE", "GEMS"]
    presenter(driver).go(5, play=False)
    arrived(driver, 5)
    assert texts(shown, "race") == ["× 4\N{NARROW NO-BREAK SPACE}700"]
    presenter(driver).leave()


def test_curves_that_the_stage_lacks_are_computed(driver):
    driver.window.talk.tell("when-the-model-is-wrong")
    driver.wait(lambda: stage(driver) is not None and "dimensions" in stage(driver).views)
    view = stage(driver).views["dimensions"]
    driver.wait(lambda: view.series is not None and view.series.gamma is not None)
    driver.wait(lambda: not np.isnan(view.series.gamma).any() and view.single["error"].isVisible())
    driver.wait(lambda: stage(driver).settled)
    low, high = view.plot.box.viewRange()[1]
    assert low < np.log10(view.series.gamma[-1]) < np.log10(view.series.gamma[0]) < high
    presenter(driver).leave()


# -- editing ------------------------------------------------------------------------------------------------------


def dock(driver):
    shown = driver.window.talk.dock
    if shown.isHidden():
        driver.press("Ctrl+Shift+T")
    driver.wait(shown.isVisible)
    return shown


def chosen(driver, at):
    shown = dock(driver)
    shown.choose(at)
    return shown.editor


def test_editing_loses_nothing(driver):
    story = told(driver)
    editor = chosen(driver, 2)
    before = story.moments[2]
    editor.caption.setPlainText("Another text")
    editor.seconds.setValue(4.0)
    driver.wait(lambda: driver.trace.story.moments[2].seconds == 4.0)
    after = driver.trace.story.moments[2]
    assert after == replace(before, caption="Another text", seconds=4.0)
    dock(driver).move_up()
    dock(driver).choose(1)
    moved = driver.trace.story.moments[1]
    assert moved == after
    dock(driver).set_here()
    updated = driver.trace.story.moments[1]
    assert (updated.second, updated.lock, updated.annotations) == (after.second, after.lock, after.annotations)


def test_axes_second_runs_and_annotations_are_edited_and_undone(driver):
    story = told(driver)
    editor = chosen(driver, 0)
    editor.lock.setFocus()
    editor.lock.selectAll()
    QTest.keyClicks(editor.lock, "pair")
    assert driver.trace.story.moments[0].lock == "pair"
    QTest.keyClicks(editor.lock, "/")
    assert driver.trace.story.moments[0].lock == "pair"
    assert "cannot be the name of a group of axes" in editor.preview.text()
    driver.seek(7)
    editor._second_here.trigger()
    assert driver.trace.story.moments[0].second == SecondRun(0, Bookmark.of(driver.trace, 7))
    assert editor.second.text() == "Also main, event 7…"
    editor.annotations.bracket.click()
    dialog = editor.annotations.dialog.open
    dialog.first.setText("{samples}")
    dialog.last.setText("here")
    dialog.choose()
    assert "it must be a number such as 2.5" in dialog.sentence.text()
    dialog.last.setText("{other.samples}")
    dialog.text.setText("× {factor:2}")
    dialog.orientation.setCurrentText("x")
    dialog.across.setValue(0.25)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    made = Bracket("counts", "{samples}", "{other.samples}", "× {factor:2}", "x", 0.25)
    driver.wait(lambda: driver.trace.story.moments[0].annotations == (made,))
    assert editor.annotations.list.item(0).text().startswith("bracket in counts, x from {samples}")
    editor.annotations.arrow.click()
    arrow = editor.annotations.dialog.open
    arrow.text.setText("look")
    arrow.choose()
    assert driver.trace.story.moments[0].annotations == (made, Arrow("counts", "0", "0", "look"))
    editor.annotations.list.setCurrentRow(1)
    editor.annotations.edit.click()
    arrow = editor.annotations.dialog.open
    arrow.orientation.setCurrentText("left")
    arrow.choose()
    assert driver.trace.story.moments[0].annotations[1].side == "left"
    editor.annotations.list.setCurrentRow(0)
    editor.annotations.remove.click()
    assert [each.text for each in driver.trace.story.moments[0].annotations] == ["look"]
    editor._second_none.trigger()
    assert driver.trace.story.moments[0].second is None
    for _ in range(20):
        dock(driver).undo()
    assert driver.trace.story == story
