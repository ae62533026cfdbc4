"""The keys of a talk are those that speakers know from slides, in full screen and in the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from gems_gui.action_table import ACTIONS
from gems_gui.menus.action_set import key_text
from gems_gui.menus.key_sheet import KeySheet
from gems_gui.talk.stage_actions import STAGE_ACTIONS
from tests.gui.stage_driver import arrived, begun, finished, presenter, stage, told

KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier
NEXT = (KEY.Key_Right, KEY.Key_Space, KEY.Key_PageDown, KEY.Key_Return, KEY.Key_Enter, KEY.Key_Down)
BACK = (KEY.Key_Left, KEY.Key_PageUp, KEY.Key_Backspace, KEY.Key_Up, (KEY.Key_Space, SHIFT))


@pytest.fixture
def driver(qtbot, monkeypatch):
    with finished(qtbot, monkeypatch) as made:
        yield made


def click(driver, key):
    QTest.keyClick(stage(driver), *(key if isinstance(key, tuple) else (key,)))


@pytest.mark.parametrize("full_screen", [True, False])
def test_every_key_of_a_clicker_goes_to_the_next_moment_or_back(driver, full_screen):
    told(driver)
    presenter(driver).begin(driver.run, full_screen=full_screen)
    arrived(driver, 0)
    for key in NEXT:
        click(driver, key)
        arrived(driver, 1)
        click(driver, KEY.Key_Home)
        arrived(driver, 0)
    for key in BACK:
        click(driver, KEY.Key_End)
        arrived(driver, 3)
        click(driver, key)
        arrived(driver, 2)
    for key in (KEY.Key_B, KEY.Key_Period):
        click(driver, key)
        assert stage(driver).black
        click(driver, KEY.Key_Right)  # shows the talk again and nothing else
        assert not stage(driver).black
        arrived(driver, 2)
    click(driver, KEY.Key_Escape)
    assert stage(driver) is None


def test_a_click_below_the_picture_is_next_and_a_click_in_it_picks_an_arm(driver):
    told(driver)
    shown = begun(driver)
    arrived(driver, 0)
    QTest.mouseClick(shown.caption, Qt.MouseButton.RightButton)
    arrived(driver, 0)
    QTest.mouseClick(shown.caption, Qt.MouseButton.LeftButton)
    arrived(driver, 1)
    shown.views["survivors"].point(2)
    assert driver.run.selection.target == 2
    assert presenter(driver).at == 1


def listed(sheet):
    return {label.text() for label in sheet.findChildren(QLabel)}


@pytest.mark.parametrize("key", [KEY.Key_Question, (KEY.Key_Question, SHIFT), KEY.Key_F1])
def test_the_keys_are_shown_on_request(driver, key):
    told(driver)
    begun(driver)
    click(driver, key)
    (sheet,) = stage(driver).findChildren(KeySheet)
    assert len({label.fontInfo().pixelSize() for label in sheet.findChildren(QLabel)}) == 1
    driver.wait(sheet.isVisible)
    for spec in (*STAGE_ACTIONS, *(spec for spec in ACTIONS if "stage" in spec.contexts)):
        assert spec.text.removesuffix("…") in listed(sheet)
        assert any(key_text(spec.keys[0]) in text for text in listed(sheet))
    QTest.keyClick(sheet, KEY.Key_Escape)  # closes the sheet, not the talk
    assert stage(driver) is not None
    driver.wait(lambda: not stage(driver).findChildren(KeySheet))
    assert "Next moment" not in {label.text() for label in stage(driver).findChildren(QLabel)}


def test_a_talk_that_ends_takes_its_keys_along(driver):
    told(driver)
    begun(driver)
    click(driver, KEY.Key_Question)
    presenter(driver).leave()
    assert not [each for each in QApplication.topLevelWidgets() if isinstance(each, KeySheet) and each.isVisible()]
