"""Presentation mode: what is on the stage, and its keys."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor

from gems_engine.algorithms import BUILT_IN, algorithm_title
from gems_gui.appearance import Appearance
from gems_gui.drafts.presets import PRESETS
from gems_gui.painting import transition as ways
from gems_gui.snapshot import Snapshot
from gems_gui.talk import presenter as presenting
from gems_gui.talk.stage import Stage
from gems_gui.talk.stage_actions import STAGE_ACTIONS
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.plot import Plot
from gems_gui.workbench.changes import Field
from tests.gui.sample_runs import run as sample_run
from tests.gui.stage_driver import arrived, begun, finished, hurry_up, presenter, press, said, stage, told
from tests.gui.window_driver import driven


@pytest.fixture
def driver(qtbot, monkeypatch):
    with finished(qtbot, monkeypatch) as made:
        yield made


# -- on the stage -------------------------------------------------------------------------------------------------


def test_a_story_is_told_by_a_clicker(driver):
    bound_story = told(driver)
    shown = begun(driver)
    assert shown.isFullScreen()
    assert shown.isWindow()
    arrived(driver, 0)
    press(driver, "PgDown")
    assert presenter(driver)._transition is not None  # it plays to there
    arrived(driver, 1)
    assert driver.cursor == bound_story.cursor(1)
    press(driver, "PgDown")
    arrived(driver, 2)
    assert driver.run.trace is bound_story.traces[1]  # the companion has joined the runs of the window
    press(driver, "PgDown")
    arrived(driver, 3)
    press(driver, "PgDown")  # behind the last there is nothing
    arrived(driver, 3)
    press(driver, "PgUp")
    arrived(driver, 2)


def test_pressing_again_skips_the_way(driver):
    told(driver)
    begun(driver)
    presenter(driver)._mover.setInterval(10**6)  # a way that never ends by itself
    press(driver, "PgDown")
    way = presenter(driver)._transition
    assert way is not None
    assert driver.cursor < way.end
    press(driver, "PgDown")
    arrived(driver, 1)
    assert presenter(driver).at == 1


def test_on_the_way_the_views_see_every_place_in_between(driver, monkeypatch):
    monkeypatch.setattr(ways, "_LONGEST", 1.5)
    monkeypatch.setattr(ways, "_SHORTEST", 1.5)
    told(driver)
    begun(driver)
    arrived(driver, 0)
    seen = []
    workbench = driver.workbench
    workbench.subscribe(lambda change: seen.append(workbench.snapshot.cursor), Field.SNAPSHOT)
    press(driver, "PgDown")
    arrived(driver, 1)
    assert seen == sorted(seen)
    assert len(set(seen)) > 3


def test_a_number_and_return_go_to_that_moment(driver):
    told(driver)
    begun(driver)
    press(driver, "4")
    assert stage(driver).corner.text() == "→ 4"
    press(driver, "Return")
    arrived(driver, 3)
    for key in "99":
        press(driver, key)
    press(driver, "Return")  # there is no such snapshot
    assert stage(driver).corner.text() == "There is no moment 99. Type a number from 1 to 4."
    presenter(driver)._show_clock()
    assert stage(driver).corner.text().startswith("4 / 4 · ")
    arrived(driver, 3)
    press(driver, "2")
    press(driver, "Esc")  # takes the number back and does not end the talk
    assert stage(driver).corner.text().startswith("4 / 4 · ")
    press(driver, "2")
    press(driver, "Enter")
    arrived(driver, 1)
    press(driver, "Return")  # without a number it is the next one
    arrived(driver, 2)


def test_what_a_speaker_asks_for_on_the_stage(driver):
    told(driver)
    shown = begun(driver)
    assert_black_until_the_next_key(driver, shown)
    assert_mouse_is_a_dot_that_rests(driver, shown)
    driver.set_look("dark")  # which may change during a talk
    assert shown.theme.window == "#000000"
    assert shown.views["survivors"].theme is shown.theme
    assert_every_key_means_something(driver, shown)


def assert_black_until_the_next_key(driver, shown):
    press(driver, "B")
    assert shown.black
    presenter(driver)._show_clock()  # a second goes by
    shown.show_notes(True)
    image = shown.grab().toImage()
    places = [(x, y) for x in range(0, image.width(), 37) for y in range(0, image.height(), 29)]
    assert {image.pixelColor(*place).name() for place in places} == {"#000000"}
    shown.show_notes(False)
    press(driver, "PgDown")
    assert not shown.black
    arrived(driver, 0)
    press(driver, ".")
    press(driver, ".")
    assert not shown.black


def test_notes_have_their_own_strip_when_asked_for(driver):
    told(driver)
    shown = begun(driver)
    arrived(driver, 0)
    whole = shown._ground.width()
    assert shown.notes.isHidden()
    press(driver, "N")
    driver.wait(lambda: shown.notes.isVisible() and shown._ground.width() < whole)
    assert shown.notes.notes.text() == "Slow: R⁹."
    assert shown.notes.upcoming.text() == presenter(driver).bound_story.caption(1)
    assert not shown.notes.geometry().intersects(shown._ground.geometry()), "nothing covers the picture"
    assert not shown.notes.geometry().intersects(shown.caption.geometry())
    assert not shown.corner.geometry().intersects(shown.caption.geometry())
    press(driver, "PgDown")
    arrived(driver, 1)
    assert shown.notes.notes.text() == "No notes for this moment."
    press(driver, "End")
    assert shown.notes.upcoming.text() == "This is the last moment."
    press(driver, "N")
    assert shown.notes.isHidden()
    driver.wait(lambda: shown._ground.width() == whole)
    press(driver, "N")
    press(driver, "Esc")
    assert begun(driver).notes.isHidden()  # the next audience has not asked for them


def test_the_clock_counts_from_the_beginning(driver, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(presenting.time, "monotonic", lambda: now[0])
    told(driver)
    shown = begun(driver)
    assert shown.corner.text() == "1 / 4 · 0:00"
    now[0] += 187.4
    presenter(driver)._show_clock()
    assert shown.corner.text() == "1 / 4 · 3:07"
    press(driver, "C")
    assert shown.corner.isHidden()


def assert_mouse_is_a_dot_that_rests(driver, shown):
    picture = shown.cursor().pixmap()
    assert picture.width() >= 15
    middle = picture.toImage().pixelColor(picture.width() // 2, picture.height() // 2)
    assert middle.red() > 150 > middle.blue()
    assert picture.toImage().pixelColor(0, 0).alpha() == 0
    for _ in range(20):
        shown._look_at_mouse()
    assert shown.cursor().shape() == Qt.CursorShape.BlankCursor
    QCursor.setPos(QCursor.pos() + QPoint(9, 9))
    shown._mouse = (QPoint(-1, -1), shown._mouse[1])  # the offscreen platform may not move it
    shown._look_at_mouse()
    assert not shown.cursor().pixmap().isNull()
    press(driver, "D")
    assert shown.cursor().shape() == Qt.CursorShape.ArrowCursor
    assert {each.cursor().shape() for each in shown.findChildren(Plot)} == {Qt.CursorShape.ArrowCursor}


def assert_every_key_means_something(driver, shown):
    asked = []
    shown.asked.disconnect()
    shown.asked.connect(asked.append)
    for act in STAGE_ACTIONS:
        for key in act.keys:
            press(driver, key)
            assert asked.pop() is act
    assert asked == []


def test_it_plays_by_itself(driver):
    told(driver, seconds=0.05)
    begun(driver)
    for key in ("3", "Return"):
        press(driver, key)
    arrived(driver, 2)
    press(driver, "A")
    arrived(driver, 3)
    driver.wait(lambda: not presenter(driver).automatic)


def test_text_is_large_and_nothing_of_the_panels_is_there(driver):
    told(driver)
    shown = begun(driver)
    shown.showNormal()
    shown.resize(1920, 1080)
    driver.wait(lambda: shown.width() == 1920 and shown.settled)
    view = shown.views["survivors"]
    assert view.head.title.fontMetrics().height() > 30
    assert view.plot.x_axis.style["tickFont"].pixelSize() >= 1080 / 28
    assert shown.caption.height() + view.body.height() + view.head.height() > 0.95 * 1080
    assert shown.theme.text == "#000000"
    assert shown.theme.window == "#FFFFFF"
    assert shown.caption.letters() == 47
    shown.caption.set_text("word " * 60)
    assert shown.caption.letters() < 1080 / 28


def test_every_view_can_be_on_the_stage(qtbot):
    snapshot = Snapshot.of(sample_run("paper-hard"))
    shown = Stage(Appearance(LIGHT))
    qtbot.addWidget(shown)
    shown.resize(1280, 720)
    shown.show()
    for name in VIEWS:
        shown.arrange((name, "nothing-of-that-name"))
        shown.show_snapshot(snapshot)
        shown.settle()
        assert shown.shown == (name,)
        assert shown.views[name].snapshot is snapshot
        assert {each for each, view in shown.views.items() if view.body.isVisible()} == {name}


def test_the_truth_stays_hidden_in_a_talk(driver):
    bound_story = told(driver)
    driver.press("T")
    shown = begun(driver)
    driver.wait(lambda: shown.settled)
    assert shown.caption.words == bound_story.caption(0)  # it tells nothing of the truth
    press(driver, "PgDown")
    driver.wait(lambda: presenter(driver)._transition is None and shown.settled)
    assert shown.caption.words == said(driver)  # instead of "d = 3 of hidden"
    assert not any(view.snapshot.truth for name, view in shown.views.items() if name in shown.shown)
    press(driver, "T")
    arrived(driver, 1)
    press(driver, "T")
    driver.wait(lambda: shown.settled)
    assert shown.caption.words == said(driver)
    behind = [view.snapshot for view in shown.views.values() if view.body.isHidden()]
    assert not any(snapshot is not None and snapshot.truth for snapshot in behind)


# -- without a story ----------------------------------------------------------------------------------------------


def test_without_a_story_the_run_is_presented_round_by_round(driver):
    shown = begun(driver)
    assert set(shown.shown) <= set(driver.board.docks)
    assert shown.shown
    press(driver, "E")
    assert driver.cursor == 1
    press(driver, "Right")
    after = driver.cursor
    assert after > 2, "a round"
    press(driver, "Left")
    assert driver.cursor < after
    press(driver, "End")
    driver.wait(lambda: shown.settled)
    assert driver.cursor == len(driver.trace)
    about = f"{algorithm_title('fixed-confidence')} on paper-hard, 5 arms in R⁵, seed 1"
    assert shown.caption.words.splitlines()[0] == about, "an audience does not read d_star=4,epsilon=0.3"
    assert f"samples {driver.trace.finished.samples:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") in shown.caption.words
    press(driver, "Home")
    assert driver.cursor == 0
    press(driver, "P")
    assert driver.playback.playing
    press(driver, "P")
    assert not driver.playback.playing
    for name in shown.shown:
        driver.wait(lambda: shown.settled)
        assert shown.views[name].snapshot.cursor == driver.cursor


def test_a_call_of_gems_c_is_presented_with_large_lines_and_without_recommendations(qtbot, monkeypatch):
    hurry_up(monkeypatch)
    with driven(qtbot, PRESETS["gems-c-steps"].draft, size=(1600, 900), layout="talk") as driver:
        driver.start()
        driver.wait(lambda: driver.playback.ended)
        driver.press("Right", 8)
        assert driver.board.docks["recommendation"].exposed
        driver.window.talk.present()
        stage = driver.window.talk.presenter.stage
        stage.showNormal()
        stage.resize(1920, 1080)
        driver.wait(lambda: stage.width() == 1920)
        assert stage.shown == ("survivors", "dimension", "pseudocode")
        driver.wait(lambda: stage.settled)
        page, listing = stage.views["pseudocode"].page, BUILT_IN["gems-c"].listing
        assert [row.line.id for row in page.layout_now.rows] == [line.id for line in listing.lines]
        assert page.verticalScrollBar().maximum() == 0, "all lines are in sight"
        assert page.layout_now.size >= 20
        driver.window.talk.presenter.leave()


@pytest.mark.parametrize("size", [(1440, 900), (1920, 1080)])
def test_the_pseudocode_of_layout_explore_is_presented(qtbot, monkeypatch, size):
    hurry_up(monkeypatch)
    with driven(qtbot, PRESETS["gems-c-steps"].draft, size=size, layout="explore") as driver:
        driver.start()
        driver.wait(lambda: driver.playback.ended)
        seen = [name for name, dock in driver.board.docks.items() if dock.exposed]
        assert "pseudocode" in seen[4:], "it would not be among the first four"
        driver.window.talk.present()
        stage = driver.window.talk.presenter.stage
        assert stage.shown == (*seen[:3], "pseudocode")
        assert "recommendation" not in stage.shown
        driver.window.talk.presenter.leave()
        driver.window.talk.add_moment()
        assert driver.trace.story.moments[0].views == (*seen[:3], "pseudocode")
        assert f'to the story "{driver.trace.story.title}" with 4 of the {len(seen)} visible views. ' in driver.said()


def test_a_click_on_the_stage_picks_an_arm(driver):
    shown = begun(driver)
    press(driver, "End")
    driver.wait(lambda: shown.settled)
    shown.views["survivors"].point(2)
    assert driver.run.selection.target == 2
