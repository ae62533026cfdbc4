"""Tests of a talk on two screens; run by test_two_screens.py in a process whose platform has two."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_gui.menus.key_sheet import KeySheet
from gems_gui.talk import screens as talk_screens
from gems_gui.talk.presenter import clock
from tests.gui.stage_driver import arrived, begun, finished, presenter, said, stage, told

KEY = Qt.Key


@pytest.fixture
def driver(qtbot, monkeypatch):
    with finished(qtbot, monkeypatch) as made:
        assert [screen.name() for screen in QGuiApplication.screens()] == ["laptop", "projector"]
        assert made.window.screen().name() == "laptop"
        yield made


def speaker(driver):
    return presenter(driver).speaker.window


def on(widget):
    """The screen of a window, by its handle and by its geometry."""
    name = widget.windowHandle().screen().name()
    (screen,) = [each for each in QGuiApplication.screens() if each.name() == name]
    assert screen.geometry().contains(widget.geometry().center())
    return name


class Plug:
    """Stands for the cables of the screens."""

    def __init__(self, monkeypatch):
        self.all = QGuiApplication.screens()
        self.now = list(self.all)
        monkeypatch.setattr(talk_screens, "plugged_in", lambda: self.now)

    def remove(self, at):
        self.now = [each for each in self.all if each is not self.all[at]]
        QGuiApplication.instance().screenRemoved.emit(self.all[at])

    def add(self, at):
        self.now = list(self.all)
        QGuiApplication.instance().screenAdded.emit(self.all[at])


def test_the_talk_is_on_one_screen_and_the_speaker_on_the_other(driver):
    bound_story = told(driver)
    shown = begun(driver)
    arrived(driver, 0)
    window = speaker(driver)
    assert (on(shown), on(window)) == ("projector", "laptop")
    assert shown.isFullScreen()
    assert shown.geometry() == shown.screen().geometry()
    assert window.isVisible()
    assert not window.geometry().intersects(shown.geometry())
    assert shown.notes.isHidden(), "the audience sees no notes"
    assert shown.corner.isHidden(), "nor the clock"
    assert window.notes.text() == "Slow: R⁹."
    assert window.place.text() == "1 / 4"
    assert window.elapsed.text() == clock(presenter(driver).seconds)
    assert window.caption.text() == shown.caption.words == bound_story.caption(0)
    driver.wait(lambda: window.upcoming.text() == bound_story.caption(1))
    driver.wait(lambda: not window.now.pixmap.isNull() and not window.next.pixmap.isNull())
    assert window.now.pixmap.size() == shown.size()
    assert (window.next.pixmap.width(), window.next.pixmap.height()) == (960, 540)
    QTest.keyClick(window, KEY.Key_End)
    arrived(driver, 3)
    assert window.upcoming.text() == "This is the last moment."
    assert window.next.pixmap.isNull()
    presenter(driver).leave()
    assert driver.window.isActiveWindow() or not QApplication.activeWindow()


def test_every_key_works_in_the_window_of_the_speaker(driver):
    told(driver)
    shown = begun(driver)
    window = speaker(driver)
    arrived(driver, 0)
    for key, at in ((KEY.Key_Right, 1), (KEY.Key_Left, 0), (KEY.Key_PageDown, 1), (KEY.Key_Home, 0)):
        QTest.keyClick(window, key)
        arrived(driver, at)
    override = QKeyEvent(QEvent.Type.ShortcutOverride, KEY.Key_Space, Qt.KeyboardModifier.NoModifier, " ")
    override.ignore()
    QApplication.sendEvent(window, override)
    assert override.isAccepted(), "no shortcut of the window takes a key of the talk"
    QTest.keyClick(window, KEY.Key_E)
    driver.wait(lambda: shown.settled)
    assert shown.caption.words == window.caption.text() == said(driver)
    QTest.keyClick(window, KEY.Key_4)
    assert window.place.text() == "→ 4"
    QTest.keyClick(window, KEY.Key_Return)
    arrived(driver, 3)
    QTest.keyClick(window, KEY.Key_Question)
    (sheet,) = window.findChildren(KeySheet)
    assert on(sheet) == "laptop"
    QTest.keyClick(sheet, KEY.Key_Left)  # closes the list, and goes back
    arrived(driver, 2)
    QTest.keyClick(window, KEY.Key_Escape)
    assert stage(driver) is None
    assert speaker(driver) is None


def test_a_closed_speaker_window_comes_back_and_the_talk_goes_on(driver):
    told(driver)
    shown = begun(driver)
    speaker(driver).close()
    assert shown.isFullScreen()
    assert shown.corner.isVisible(), "the clock is on the only window that remains"
    QTest.keyClick(shown, KEY.Key_N)
    assert speaker(driver).isVisible()
    assert shown.corner.isHidden()
    QTest.keyClick(shown, KEY.Key_C)
    assert shown.corner.isVisible(), "on request, the audience sees the clock"


def test_the_screens_can_be_swapped(driver):
    told(driver)
    shown = begun(driver)
    QTest.keyClick(shown, KEY.Key_S)
    assert (on(shown), on(speaker(driver))) == ("laptop", "projector")
    assert shown.geometry() == shown.screen().geometry()
    QTest.keyClick(speaker(driver), KEY.Key_S)
    assert (on(shown), on(speaker(driver))) == ("projector", "laptop")
    arrived(driver, 0)


def test_a_projector_may_be_removed_and_plugged_in_again(driver, monkeypatch):
    told(driver)
    plug = Plug(monkeypatch)
    shown = begun(driver)
    QTest.keyClick(shown, KEY.Key_Right)
    plug.remove(1)
    driver.wait(lambda: on(shown) == "laptop" and speaker(driver) is None)
    assert shown.isFullScreen()
    assert shown.notes.isHidden()
    assert shown.corner.isVisible()
    arrived(driver, 1)
    QTest.keyClick(shown, KEY.Key_Right)
    arrived(driver, 2)
    plug.add(1)
    driver.wait(lambda: on(shown) == "projector" and speaker(driver) is not None)
    assert on(speaker(driver)) == "laptop"
    assert speaker(driver).isVisible()
    arrived(driver, 2)
    plug.remove(0)  # the laptop's own screen: the lid was closed
    driver.wait(lambda: not presenter(driver).speaker.screens._later.isActive())
    QTest.keyClick(shown, KEY.Key_Left)
    arrived(driver, 1)
    QTest.keyClick(shown, KEY.Key_Escape)
    assert driver.window.isVisible()
    plug.add(0)  # without a talk, nothing happens
    driver.wait(lambda: not presenter(driver).speaker.screens._later.isActive())
    assert stage(driver) is None


def test_a_story_in_the_window_stays_there(driver, monkeypatch):
    told(driver)
    plug = Plug(monkeypatch)
    driver.actions["play_story"].trigger()
    assert not stage(driver).isWindow()
    assert speaker(driver) is None
    plug.remove(1)
    driver.wait(lambda: not presenter(driver).speaker.screens._later.isActive())
    assert not stage(driver).isWindow()
    plug.add(1)
    driver.wait(lambda: not presenter(driver).speaker.screens._later.isActive())
    QTest.keyClick(stage(driver), KEY.Key_N)
    assert stage(driver).notes.isVisible()
