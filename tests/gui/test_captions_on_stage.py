"""A caption is never false: it is shown at its moment and nowhere else, on the stage, in films and in pages."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gems_engine.talk.bound_story import BoundStory
from gems_gui.painting import transition as ways
from gems_gui.painting.story_frames import story_frames
from gems_gui.workbench.changes import Field
from tests.gui.stage_driver import arrived, begun, finished, presenter, press, said, stage, told


@pytest.fixture
def driver(qtbot, monkeypatch):
    with finished(qtbot, monkeypatch) as made:
        yield made


def words(driver):
    driver.wait(lambda: stage(driver).settled and not presenter(driver).waits)
    return stage(driver).caption.words


def assert_away(driver):
    caption = presenter(driver).bound_story.caption(presenter(driver).at)
    assert words(driver) == said(driver) != caption


STEPS = ("E", "Shift+E", "Shift+Right", "Shift+Left", "Ctrl+Right", "Ctrl+Left", "Alt+Right")


def test_the_caption_gives_way_to_the_narrator_until_the_moment_is_back(driver):
    told(driver)
    begun(driver)
    arrived(driver, 0)
    for keys in STEPS:
        press(driver, keys)
        assert_away(driver)
        press(driver, "Left")  # back to the moment, not to the one before
        arrived(driver, 0)
    press(driver, "E")
    press(driver, "Shift+E")
    arrived(driver, 0)
    cursor = driver.cursor
    driver.seek(cursor + 3)  # as the slider of the window does, on another screen
    assert_away(driver)
    driver.seek(cursor)
    arrived(driver, 0)


def test_the_caption_gives_way_while_the_run_plays(driver):
    told(driver)
    begun(driver)
    arrived(driver, 0)
    driver.playback.speed = 200.0
    press(driver, "P")
    driver.wait(lambda: driver.cursor > presenter(driver).bound_story.cursor(0))
    assert stage(driver).caption.words == said(driver)
    press(driver, "P")
    assert_away(driver)
    press(driver, "Right")
    arrived(driver, 1)


def test_another_run_and_another_mark_are_not_the_moment(driver):
    told(driver)
    begun(driver)
    press(driver, "3")
    press(driver, "Return")
    arrived(driver, 2)
    main = driver.workbench.runs[0]
    driver.workbench.activate(main)
    assert_away(driver)
    press(driver, "Left")
    arrived(driver, 2)
    press(driver, "Home")
    arrived(driver, 0)
    driver.workbench.select_arm(0)
    assert_away(driver)
    press(driver, "Left")
    arrived(driver, 0)


def test_after_the_last_moment_next_returns_to_it(driver):
    told(driver)
    begun(driver)
    press(driver, "End")
    arrived(driver, 3)
    press(driver, "E")
    assert_away(driver)
    press(driver, "Space")
    arrived(driver, 3)


def test_no_caption_is_under_the_picture_of_another_moment(driver, monkeypatch):
    """At every paint of a view and every step of the way, the caption is that of what all views show, or none."""
    monkeypatch.setattr(ways, "_SHORTEST", 0.3)
    bound_story = told(driver)
    shown = begun(driver)
    arrived(driver, 0)
    seen = []

    def look(*_):
        cursors = {shown.views[name].snapshot and shown.views[name].snapshot.cursor for name in shown.shown}
        seen.append((shown.caption.words, cursors, shown.shown))

    driver.workbench.subscribe(look, Field.SNAPSHOT, last=True)
    paint_next = shown._paint_next
    shown._painter.timeout.disconnect()
    shown._painter.timeout.connect(lambda: (paint_next(), look()))
    captions = [bound_story.caption(at) for at in range(4)]
    for at in (1, 2, 3):
        press(driver, "Right")
        arrived(driver, at)
    press(driver, "Left")
    arrived(driver, 2)
    assert len(seen) > 8
    for caption, cursors, views in seen:
        if caption:
            at = captions.index(caption)
            assert (views, cursors) == (bound_story[at].views, {bound_story.cursor(at)})
    assert {caption for caption, _, _ in seen} == {"", *captions[1:]}


def test_a_step_during_a_transition_ends_it(driver):
    bound_story = told(driver)
    begun(driver)
    presenter(driver)._mover.setInterval(10**6)  # a way that never ends by itself
    press(driver, "Right")
    assert words(driver) == ""
    press(driver, "E")
    assert presenter(driver)._transition is None
    assert driver.cursor == bound_story.cursor(0) + 1
    assert_away(driver)
    press(driver, "Left")  # to the moment that the way led to
    arrived(driver, 1)
    press(driver, "Home")
    press(driver, "Right")
    driver.seek(bound_story.cursor(0) + 2)  # in the window on another screen
    assert_away(driver)


def test_automatic_play_stops_when_the_speaker_explores(driver):
    told(driver)
    driver.actions["play_story"].trigger()
    assert presenter(driver).automatic
    QTest.keyClick(stage(driver), Qt.Key.Key_E)
    assert not presenter(driver).automatic
    assert not presenter(driver)._stay.isActive()
    assert_away(driver)


def test_frames_of_a_film_have_the_caption_of_their_moment_or_none(driver):
    bound_story = told(driver)
    frames = story_frames(bound_story, film=30.0)
    of_moments = [frame for frame in frames if frame.moment]
    assert [frame.caption for frame in of_moments] == [bound_story.caption(at) for at in range(4)]
    between = [frame for frame in frames if not frame.moment]
    assert len(between) > 3
    assert {frame.caption for frame in between} == {""}
    stepwise = story_frames(bound_story, every="round")
    assert {frame.caption for frame in stepwise if not frame.moment} == {""}
    assert [frame.caption for frame in stepwise if frame.moment] == [frame.caption for frame in of_moments]


def test_a_caption_that_cannot_be_filled_says_so_at_its_moment_only(driver):
    told(driver)
    story = driver.trace.story
    driver.trace.story = story.with_changed(0, replace(story.moments[0], caption="{sampls}"))
    assert BoundStory(driver.trace)[0].caption == "{sampls}"
    begun(driver)
    driver.wait(lambda: stage(driver).settled)
    assert "Unknown placeholder" in stage(driver).caption.words
    press(driver, "E")
    driver.wait(lambda: stage(driver).settled)
    assert stage(driver).caption.words == said(driver)
