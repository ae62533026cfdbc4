"""Presentation mode: what is on the stage, its keys, and that the window comes back exactly as it was."""

import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_engine.algorithms import BUILT_IN
from gems_engine.bookmark import Bookmark
from gems_engine.events import Eliminated
from gems_engine.talk.story import Companion, Story, StoryMoment
from gems_engine.talk.telling import Telling
from gems_gui.appearance import Appearance
from gems_gui.drafts.presets import PRESETS
from gems_gui.painting import transition as ways
from gems_gui.snapshot import Snapshot
from gems_gui.talk import presenter as presenting
from gems_gui.talk.sleep_inhibitor import SleepInhibitor
from gems_gui.talk.stage import Stage
from gems_gui.talk.stage_actions import STAGE_ACTIONS
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.plot import Plot
from gems_gui.workbench.changes import Field
from tests.gui.sample_runs import run as sample_run
from tests.gui.window_driver import driven


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Ways that an audience would not see: a tenth of their time."""
    monkeypatch.setattr(ways, "_SHORTEST", 0.05)
    monkeypatch.setattr(ways, "_LONGEST", 0.3)
    monkeypatch.setattr(presenting, "_FRAME", 4)


@pytest.fixture
def driver(qtbot, hurry):
    with driven(qtbot) as made:
        made.finished()
        yield made


def told(driver, **rest):
    """Give the shown run a story of four snapshots, the third of another run."""
    trace, other = driver.trace, sample_run("paper-hard")
    third, last = (int(trace.positions(Eliminated)[at]) + 1 for at in (2, -1))
    moments = (
        StoryMoment(Bookmark.of(trace, third), ("survivors", "cost"), "{left} left", notes="Slowly.", arm=1, target=1),
        StoryMoment(Bookmark.of(trace, last), ("dimension",), "d = {d_k} of {rho_star[2]}", dimension=3),
        StoryMoment(Bookmark(end=True), ("survivors",), "{hard.samples}", run=1, **rest),
        StoryMoment(Bookmark.of(trace, 5), ("counts", "weights", "why"), "Back at {event}", seconds=0.05),
    )
    trace.story = Story("Four", moments, "", "main", (Companion("hard", other),))
    driver.actions.refresh()
    return Telling(trace)


def presenter(driver):
    return driver.window.talk.presenter


def stage(driver):
    return presenter(driver).stage


def press(driver, keys):
    """A key for whoever has the focus, which in a talk is the stage."""
    driver.wait(lambda: stage(driver) is None or stage(driver).isActiveWindow())
    driver.press(keys)


def begun(driver):
    press(driver, "F5")
    driver.wait(lambda: stage(driver) is not None and stage(driver).hasFocus())
    return stage(driver)


def arrived(driver, at):
    """Wait for a snapshot; what is on the stage is that snapshot."""
    talk = presenter(driver)
    driver.wait(lambda: talk.at == at and talk._way is None and talk.stage.settled and not talk.waits)
    moment, telling = talk.telling[at], talk.telling
    assert talk.stage.shown == moment.views
    assert talk.stage.caption.words == telling.caption(at)
    for name in moment.views:
        shown = talk.stage.views[name].snapshot
        assert shown.trace is telling.trace_of(at)
        assert shown.cursor == telling.cursor(at)
        assert (shown.selection.arm, shown.selection.target) == (moment.arm, moment.target)
        assert shown.selection.dimension == moment.dimension
    visible = {name for name, view in talk.stage.views.items() if view.body.isVisible()}
    assert visible == set(moment.views)


# -- on the stage -------------------------------------------------------------------------------------------------


def test_a_story_is_told_by_a_clicker(driver):
    telling = told(driver)
    shown = begun(driver)
    assert shown.isFullScreen()
    assert shown.isWindow()
    arrived(driver, 0)
    press(driver, "PgDown")
    assert presenter(driver)._way is not None  # it plays to there
    arrived(driver, 1)
    assert driver.cursor == telling.cursor(1)
    press(driver, "PgDown")
    arrived(driver, 2)
    assert driver.run.trace is telling.traces[1]  # the companion has joined the runs of the window
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
    way = presenter(driver)._way
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
    workbench = driver.window.workbench
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
    driver.window.appearance.choose("dark")  # which may change during a talk
    assert shown.theme.window == "#000000"
    assert shown.views["survivors"].theme is shown.theme
    assert_every_key_means_something(driver, shown)


def assert_black_until_the_next_key(driver, shown):
    press(driver, "B")
    assert shown.black
    presenter(driver)._show_clock()  # a second goes by
    shown.say_notes("For the speaker alone.")
    image = shown.grab().toImage()
    places = [(x, y) for x in range(0, image.width(), 37) for y in range(0, image.height(), 29)]
    assert {image.pixelColor(*place).name() for place in places} == {"#000000"}
    press(driver, "PgDown")
    assert not shown.black
    arrived(driver, 0)
    press(driver, ".")
    press(driver, ".")
    assert not shown.black


def test_notes_are_shown_when_asked_for(driver):
    told(driver)
    shown = begun(driver)
    assert shown.notes.isHidden()
    press(driver, "N")
    assert shown.notes.isVisible()
    assert shown.notes.text() == "Slowly."
    assert shown.rect().contains(shown.notes.geometry())
    press(driver, "PgDown")
    arrived(driver, 1)
    assert shown.notes.text() == "No notes for this moment."
    press(driver, "N")
    assert shown.notes.isHidden()
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
    assert view.plot.x_axis.style["tickFont"].pixelSize() >= 1080 / 50
    assert shown.caption.height() + view.body.height() + view.head.height() > 0.95 * 1080
    assert shown.theme.text == "#000000"
    assert shown.theme.window == "#FFFFFF"
    assert shown.caption.letters() == 19
    shown.caption.set_text("word " * 120)
    assert shown.caption.letters() < 14


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
    told(driver)
    driver.press("T")
    shown = begun(driver)
    press(driver, "PgDown")
    driver.wait(lambda: shown.caption.words.endswith("hidden"))
    driver.wait(lambda: shown.settled)
    assert not any(view.snapshot.truth for name, view in shown.views.items() if name in shown.shown)
    press(driver, "Shift+T")
    driver.wait(lambda: not shown.caption.words.endswith("hidden") and not presenter(driver).waits)
    press(driver, "T")
    driver.wait(lambda: shown.caption.words.endswith("hidden"))
    behind = [view.snapshot for view in shown.views.values() if view.body.isHidden()]
    assert not any(snapshot is not None and snapshot.truth for snapshot in behind)


# -- without a story ----------------------------------------------------------------------------------------------


def test_without_a_story_the_run_is_presented_with_the_keys_of_the_transport(driver):
    shown = begun(driver)
    assert set(shown.shown) <= set(driver.board.docks)
    assert shown.shown
    press(driver, "Right")
    assert driver.cursor == 1
    press(driver, "PgDown")
    after = driver.cursor
    assert after > 1
    press(driver, "PgUp")
    assert driver.cursor < after
    press(driver, "End")
    driver.wait(lambda: shown.settled)
    assert driver.cursor == len(driver.trace)
    assert f"samples {driver.trace.finished.samples:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") in shown.caption.words
    press(driver, "Home")
    press(driver, "Space")
    assert driver.playback.playing
    press(driver, "Space")
    for name in shown.shown:
        driver.wait(lambda: shown.settled)
        assert shown.views[name].snapshot.cursor == driver.cursor


def test_a_call_of_gems_c_is_presented_with_large_lines_and_without_recommendations(qtbot, hurry):
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
def test_the_pseudocode_of_layout_explore_is_presented(qtbot, hurry, size):
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


# -- and back -----------------------------------------------------------------------------------------------------


def everything(window):
    """All of a window that a talk must not change."""
    board = window.board
    return {
        "geometry": window.geometry(),
        "saved geometry": window.saveGeometry(),
        "state": window.windowState(),
        "visible": window.isVisible(),
        "docks": window.saveState(),
        "board": board.saveState(),
        "board docks": {
            name: (dock.geometry() if dock.isVisible() else None, dock.isVisible(), dock.isFloating())
            for name, dock in board.docks.items()
        },
        "layout": (board.layout_name, board.maximised, board.moved),
        "theme": window.theme,
        "chosen theme": (window.settings.theme, window.settings.font_scale),
        "sheet": QApplication.instance().styleSheet(),
        "font": QApplication.instance().font(),
        "palette": QApplication.instance().palette(),
        "menus": [action.isEnabled() for action in window.action_set],
        "checks": [action.isChecked() for action in window.action_set],
        "title": window.windowTitle(),
        "options": board.options,
        "look-ahead": window.workbench.look_ahead,
        "parts": [part.geometry() for part in (window.form, window.board, window.transport, window.menuBar())],
    }


def arrange(driver, how):
    window = driver.window
    if how == "moved and floating":
        window.resize(1300, 820)
        driver.board.docks["gaps"].hide()
        driver.actions["list_runs"].trigger()
        driver.board.docks["weights"].setFloating(True)
        driver.wait(lambda: driver.board.docks["weights"].isFloating())
        driver.window.activateWindow()
    elif how == "dark and large":
        driver.actions["theme_dark"].trigger()
        driver.press("Ctrl++", times=2)
        driver.press("Right")
        driver.press("Left")  # menus are told with the next snapshot
    elif how == "one view on the full screen":
        driver.press("F11")
        driver.wait(window.isFullScreen)
        driver.board.toggle_maximised("cost")
    driver.shown()


def picture(driver):
    """The window as it is when nothing moves in it any more."""
    driver.wait(lambda: driver.board.settled)
    images = []

    def steady():  # over some passes of the event loop: a legend finds its room in one, what is around it in the next
        images.append(driver.window.grab().toImage())
        return len(images) > 4 and all(image == images[-1] for image in images[-4:])

    driver.wait(steady)
    return images[-1]


@pytest.mark.parametrize(
    ("how", "leave"),
    [
        pytest.param("plain", "Esc", marks=pytest.mark.long),
        ("moved and floating", "F5"),
        pytest.param("dark and large", "F5", marks=pytest.mark.long),
        ("one view on the full screen", "Esc"),
    ],
)
def test_leaving_restores_the_window_exactly(driver, how, leave):
    arrange(driver, how)
    image, before = picture(driver), everything(driver.window)
    shown = begun(driver)
    if how == "moved and floating":
        assert not driver.board.docks["weights"].isVisible()
    driver.wait(lambda: shown.settled)
    press(driver, leave)
    assert stage(driver) is None
    driver.wait(lambda: driver.window.isActiveWindow() and driver.board.settled)
    after = everything(driver.window)
    for name, value in before.items():
        assert after[name] == value, name
    assert driver.shown() == 0
    assert picture(driver) == image


def test_after_a_story_the_window_shows_the_run_where_it_was(driver):
    told(driver)
    run = driver.run
    driver.seek(7)
    driver.window.workbench.select_arm(2)
    driver.shown()
    picked, before, rooms = run.selection, everything(driver.window), driver.window.transport.rooms
    begun(driver)
    press(driver, "PgDown")
    arrived(driver, 1)
    board_cursor = {view.snapshot.cursor for view in driver.views.values() if view.snapshot is not None}
    assert board_cursor == {7}  # nobody painted what nobody saw
    press(driver, "PgDown")
    arrived(driver, 2)
    assert driver.run is not run
    driver.window.transport.counter.set_text("999 999 / 999 999")  # of a longer run
    press(driver, "Esc")
    assert driver.shown() == 7
    assert driver.window.transport.rooms == rooms  # the line over the run is as long as it was
    assert driver.run is run
    assert driver.window.workbench.runs == [run]  # who joined for the story has gone with it
    assert run.selection == picked
    after = everything(driver.window)
    for name in ("geometry", "docks", "board", "theme", "sheet", "state", "board docks"):
        assert after[name] == before[name], name
    assert QApplication.focusWidget() is driver.window.centralWidget()


def test_after_a_story_what_played_plays_on(driver):
    told(driver)
    driver.seek(7)
    driver.playback.speed = 0.1
    driver.actions["play"].trigger()
    begun(driver)
    press(driver, "PgDown")
    arrived(driver, 1)
    assert not driver.playback.playing
    press(driver, "Esc")
    assert driver.playback.playing
    assert driver.actions["play"].text() == "Pause"


def test_without_a_story_and_in_the_window_the_run_stays_where_it_was_taken(driver):
    begun(driver)
    press(driver, "Right")
    press(driver, "Esc")
    assert driver.shown() == 1
    telling = told(driver)
    driver.actions["play_story"].trigger()
    QTest.keyClick(stage(driver), Qt.Key.Key_Escape)
    assert driver.shown() == telling.cursor(0)


def test_whoever_closes_the_stage_or_the_window_ends_the_talk(driver):
    told(driver)
    begun(driver).close()  # as the desktop does
    assert stage(driver) is None
    assert driver.window.isVisible()
    assert not presenter(driver)._clock.isActive()
    driver.window.activateWindow()
    driver.wait(driver.window.isActiveWindow)
    driver.trace.story = Story("One", (StoryMoment(Bookmark(end=True), ("why",), "{sampls}"),))
    shown = begun(driver)
    assert shown.caption.words == "Moment 1: Unknown placeholder 'sampls': did you mean 'samples'?"
    driver.window.close_without_asking()
    assert stage(driver) is None
    assert not shown.isVisible()


def test_in_the_window_a_story_plays_by_itself_and_follows_the_size(driver):
    told(driver, seconds=0.05)
    driver.actions["play_story"].trigger()
    shown = stage(driver)
    assert not shown.isWindow()
    assert shown.geometry().top() == driver.window.menuBar().height()
    assert shown.width() == driver.window.width()
    driver.window.resize(1000, 700)
    driver.wait(lambda: shown.width() == 1000)
    assert presenter(driver).automatic
    QTest.keyClick(shown, Qt.Key.Key_PageDown)
    arrived(driver, 1)
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    assert stage(driver) is None
    driver.shown()


def test_f5_takes_a_story_from_the_window_to_the_whole_screen(driver):
    told(driver)
    driver.actions["play_story"].trigger()
    presenter(driver).set_automatic(False)
    presenter(driver).go(1, play=False)
    arrived(driver, 1)
    QTest.keyClick(stage(driver), Qt.Key.Key_F5)
    assert stage(driver).isWindow()
    assert presenter(driver).at == 1
    assert presenter(driver).telling is not None
    press(driver, "F5")
    assert stage(driver) is None
    driver.shown()


# -- the screen saver ---------------------------------------------------------------------------------------------


class Counted:
    """Stands in for who keeps the screen on."""

    def __init__(self):
        self.calls = []

    def begin(self):
        self.calls.append("begin")

    def end(self):
        self.calls.append("end")


def test_the_screen_stays_on_while_a_talk_fills_it(driver):
    told(driver, seconds=0.05)
    presenter(driver)._sleep_inhibitor = inhibitor = Counted()
    begun(driver)
    assert inhibitor.calls == ["begin"]
    press(driver, "Esc")
    assert inhibitor.calls == ["begin", "end"]
    driver.window.talk.play_story()  # in the window it is nobody's business
    presenter(driver).leave()
    assert inhibitor.calls == ["begin", "end", "end"]


@pytest.mark.parametrize("address", ["unix:path=/nowhere/at/all", "nonsense"])
def test_where_no_session_answers_nothing_happens(qtbot, monkeypatch, address):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    inhibitor = SleepInhibitor()
    for _ in range(2):
        inhibitor.begin()
        qtbot.waitUntil(lambda: inhibitor.how == "")
        inhibitor.end()
    assert inhibitor.how == ""
