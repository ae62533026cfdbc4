"""Presentation mode ends: the window comes back exactly as it was, and the screen may sleep again."""

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from gems_engine.bookmark import Bookmark
from gems_engine.talk.story import Story, StoryMoment
from gems_gui.talk.sleep_inhibitor import SleepInhibitor
from gems_gui.transport.go_to import GoTo
from tests.gui.stage_driver import arrived, begun, finished, presenter, press, stage, told


@pytest.fixture
def driver(qtbot, monkeypatch):
    with finished(qtbot, monkeypatch) as made:
        yield made


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
        ("moved and floating", "Esc"),
        pytest.param("dark and large", "Esc", marks=pytest.mark.long),
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
    driver.workbench.select_arm(2)
    driver.shown()
    picked, before, rooms = run.selection, everything(driver.window), driver.transport.rooms
    begun(driver)
    press(driver, "PgDown")
    arrived(driver, 1)
    board_cursor = {view.snapshot.cursor for view in driver.views.values() if view.snapshot is not None}
    assert board_cursor == {7}  # hidden views were not painted
    press(driver, "PgDown")
    arrived(driver, 2)
    assert driver.run is not run
    driver.transport.counter.set_text("999 999 / 999 999")  # of a longer run
    press(driver, "Esc")
    assert driver.shown() == 7
    assert driver.transport.rooms == rooms  # the line over the run is as long as it was
    assert driver.run is run
    assert driver.workbench.runs == [run]  # who joined for the story has gone with it
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
    press(driver, "E")
    press(driver, "Esc")
    assert driver.shown() == 1
    bound_story = told(driver)
    driver.actions["play_story"].trigger()
    QTest.keyClick(stage(driver), Qt.Key.Key_Escape)
    assert driver.shown() == bound_story.cursor(0)


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
    assert shown.caption.words == 'Moment 1: Unknown placeholder "sampls": did you mean "samples"?'
    driver.window.close_without_asking()
    assert stage(driver) is None
    assert not shown.isVisible()


@pytest.mark.parametrize("leave", ["Esc", "F5"])
def test_a_dialog_that_had_the_focus_may_be_gone_when_the_talk_ends(driver, leave):
    driver.press("M")
    dialog = driver.opened("Ctrl+G", GoTo)
    assert dialog.isAncestorOf(QApplication.focusWidget())
    driver.actions["play_story"].trigger()
    assert stage(driver).isVisible()
    dialog.close()
    driver.wait(lambda: not isValid(dialog))
    if leave == "F5":
        driver.actions["present"].trigger()
        assert stage(driver).isWindow()
    else:
        presenter(driver).leave()
        assert stage(driver) is None


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
    for key, at, hint in ((Qt.Key.Key_End, 3, "the end · ← back · "), (Qt.Key.Key_Home, 0, "→ next · ")):
        QTest.keyClick(stage(driver), key)
        arrived(driver, at)
        assert stage(driver).corner.text().startswith(f"{hint}Esc explore the run")
    QTest.keyClick(stage(driver), Qt.Key.Key_Right)
    arrived(driver, 1)
    QTest.keyClick(stage(driver), Qt.Key.Key_F5)
    assert stage(driver).isWindow()
    assert presenter(driver).at == 1
    assert presenter(driver).bound_story is not None
    press(driver, "F5")  # a clicker may send it during a talk
    press(driver, "Shift+F5")
    assert stage(driver).isFullScreen()
    assert presenter(driver).at == 1
    press(driver, "Esc")
    assert stage(driver) is None
    driver.shown()


# -- the screen saver ---------------------------------------------------------------------------------------------


class Counted:
    """A stand-in for what keeps the screen on."""

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
    driver.window.talk.play_story()  # in the window it has no effect
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


@pytest.mark.parametrize("keys", ["F5", "Shift+F5"])
def test_a_shorter_story_begins_at_its_own_moment(driver, keys):
    """Not at that of the story before, which it may not have: texts are shown before it has gone to the first one."""
    told(driver)
    press(driver, keys)
    driver.wait(lambda: stage(driver) is not None)
    presenter(driver).go(3, play=False)
    arrived(driver, 3)
    press(driver, "Esc")
    driver.trace.story = Story("One", (StoryMoment(Bookmark(end=True), ("survivors",)),), "", "main")
    driver.actions.refresh()
    seen = []
    before = presenter(driver).go

    def go(at, **how):
        seen.append(presenter(driver).at)
        presenter(driver)._show_text()  # as numbers of captions do when they come
        before(at, **how)

    presenter(driver).go = go
    press(driver, keys)
    driver.wait(lambda: stage(driver) is not None)
    arrived(driver, 0)
    assert seen == [0]
