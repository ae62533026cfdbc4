"""The first steps: their keys are pressed in their order on the real window, and what they say is seen.

The README has the first of them, and `docs/guide/first-steps.md` all.
"""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gems_engine.events import DesignSolved
from gems_engine.files import read_run
from gems_engine.talk.shipped import SHIPPED
from gems_gui.compare.compare_dialog import CompareDialog
from gems_gui.drafts.presets import PRESETS
from gems_gui.help.help_window import HelpWindow
from gems_gui.menus.key_sheet import KeySheet
from gems_gui.menus.palette import Palette
from tests.gui.test_budget_rulers import known
from tests.gui.test_linked_selection import click
from tests.gui.test_welcome import page, welcome
from tests.gui.window_driver import choose_in_list, driven, slide

THIN = "\N{NARROW NO-BREAK SPACE}"


def plain(words):
    return words.replace(THIN, "")


def verdict(driver):
    """The bold text of the strip above the plots."""
    return plain(driver.window.strip.text.bold)


def raced(driver, before=None):
    """Wait for another race than the one before, and go to the end of both of its runs."""
    driver.wait(lambda: driver.run is not None and driver.run is not before and len(driver.run.race) == 2)
    driver.wait(lambda: all(run.playback.ended for run in driver.run.race))
    driver.press("End")
    driver.shown()
    return driver.run


def lanes(driver):
    """What is written over the two lanes: the recommendation, and whether it is right."""
    view = driver.views["race"]
    shown = [lane for lane, name in view.names.items() if name.isVisible()]
    judged = {lane: item.toPlainText() if item.isVisible() else "" for lane, item in view.judgements.items()}
    return [(plain(view.names[lane].toPlainText()), plain(judged[lane])) for lane in shown]


def ended(driver, preset):
    """Choose a preset in the form, press Ctrl+R, and go to the end."""
    choose_in_list(driver.form.presets, preset)
    assert driver.draft == PRESETS[preset].draft
    driver.start()
    driver.finish()
    driver.press("End")
    driver.shown()


def test_the_race(qtbot):
    with driven(qtbot, PRESETS["paper-hard"].draft, size=(1366, 740)) as driver:
        welcome(driver).welcome()
        driver.click(page(driver).race)
        first = raced(driver)
        (gems, right), (rage, wrong) = lanes(driver)
        assert gems.startswith("GEMS")
        assert gems.endswith("x_9")
        assert right.startswith("right since 41986")
        assert rage.startswith("RAGE")
        assert rage.endswith("x_10")
        assert wrong.startswith("wrong")
        assert verdict(driver) == "✓ Right: x_9, from sample 41986 on (τ)"
        driver.wait(lambda: first.seeds.complete)
        driver.shown()
        assert "RAGE is wrong with 14 of 30 seeds, GEMS with 0 of 30" in driver.views["seeds"].head.subtitle.text()

        slider = driver.form.instance_form.list.fields["instance.epsilon"].slider
        assert slider.isVisible()
        slide(slider, slider.scale.place(0.01))
        second = raced(driver, first)
        assert all(run.request.instance.min_gap == pytest.approx(0.01) for run in second.race)
        assert driver.views["race"].series.subtitle[0].startswith("RAGE is ahead")

        driver.wait(lambda: second.seeds.complete)
        driver.shown()
        driver.click_plot("seeds", 7.0, float(driver.views["seeds"].series.cap - 1.0))
        third = raced(driver, second)
        assert [run.request.seed for run in third.race] == [7, 7]

        driver.press("T")
        driver.shown()
        said = [*driver.views["race"].series.subtitle, verdict(driver), *(words for _, words in lanes(driver))]
        assert not any(secret in words for words in said for secret in ("ahead", "ight", "rong"))
        driver.press("T")
        driver.shown()
        assert any("right" in words or "wrong" in words for _, words in lanes(driver))

        driver.choose("Help", "Welcome page")
        driver.click(page(driver).steps["gems-c-steps"])
        driver.wait(lambda: driver.run is not third and not driver.run.race)
        driver.wait(lambda: driver.board.layout_name == "explore")  # a run without a rival is not shown in a race
        driver.shown()
        docks = driver.board.docks
        assert docks["survivors"].exposed
        assert abs(docks["weights"].width() - docks["dimension"].width()) < 3, "one column"
        assert not driver.window.auto_run.auto.on, "only a race starts again with every change of the form"


def test_the_steps(qtbot):
    with driven(qtbot, PRESETS["paper-hard"].draft, size=(1440, 900)) as driver:
        welcome(driver).welcome()
        driver.click(page(driver).steps["gems-c-steps"])
        driver.wait(lambda: driver.run is not None and driver.board.settled)
        assert (driver.cursor, driver.playback.playing) == (0, False)
        driver.press("Right")
        driver.wait(lambda: driver.cursor == 1)
        driver.press("Right")
        driver.wait(lambda: driver.cursor == 2)
        driver.press("Left")
        driver.wait(lambda: driver.cursor == 1)
        driver.press("Shift+Right")
        driver.wait(lambda: driver.cursor > 2)
        driver.shown()
        before = driver.cursor
        driver.press("N")
        driver.wait(lambda: driver.cursor > before)
        assert driver.window.strip.text.text.startswith("Round 2 works in R⁴: "), "d was 5"
        driver.press("Space")
        assert driver.playback.playing
        driver.press("Space")
        assert not driver.playback.playing
        driver.press("Home")
        driver.wait(lambda: driver.cursor == 0)
        driver.press("End")
        driver.finish()
        driver.wait(lambda: driver.cursor == driver.playback.length)
        driver.shown()
        assert [event.d for event in driver.trace if isinstance(event, DesignSolved)] == [5, 4, 3, 2]
        assert len(driver.trace.finished.survivors) == 1
        assert verdict(driver) == "✓ Right: 1 of 8 arms remains, leader arm 2"
        assert "4909 samples" in plain(driver.window.strip.text.text)
        driver.press("Ctrl+2")
        driver.wait(lambda: "why" in driver.views and driver.views["why"].body.isVisible())


def test_the_strategies(qtbot):
    with driven(qtbot, PRESETS["gems-c-steps"].draft, size=(1440, 900)) as driver:
        ended(driver, "paper-hard")
        assert verdict(driver) == "✓ Right: x_9, from sample 41986 on (τ)"
        ended(driver, "paper-hard-rage")
        assert verdict(driver).startswith("✗ Wrong: x_10")
        assert len(driver.trace.finished.survivors) == 2
        assert "2 of 10 arms remain" in driver.transport.status.text
        driver.press("Ctrl+L")
        runs = driver.window.run_list.runs_dock
        driver.wait(lambda: runs.exposed)
        assert runs.list.model().rowCount() == 2
        driver.press("Ctrl+L")
        before = driver.run
        driver.press("Home")
        driver.wait(lambda: driver.cursor == 0)
        assert driver.run is before, "keys belong to the run again, not to the presets of the form"
        dialog = driver.opened("Ctrl+D", CompareDialog)
        driver.wait(lambda: not driver.window.comparison.comparing.busy)
        QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_the_ruler_the_arms_and_the_keys(qtbot, tmp_path):
    with driven(qtbot, PRESETS["gems-c-steps"].draft, size=(1440, 900)) as driver:
        ruler = known(driver, marks=5)
        mark = ruler.ruler.marks[2]
        QTest.mousePress(ruler, Qt.MouseButton.LeftButton, pos=QPoint(ruler.width() - 9, 8))
        QTest.mouseMove(ruler, QPoint(round(ruler.x_of(mark.value)), 8))
        QTest.mouseRelease(ruler, Qt.MouseButton.LeftButton, pos=QPoint(round(ruler.x_of(mark.value)), 8))
        driver.start()
        driver.finish()
        driver.press("End")
        driver.shown()
        assert next(event.d for event in driver.trace if isinstance(event, DesignSolved)) == mark.d

        click(driver, "weights", 1)
        assert driver.run.selection.arm == 1
        driver.press("Esc")
        assert driver.run.selection.arm is None
        driver.views["cost"].body.setFocus()
        driver.press("F1")
        shown = driver.window.findChild(HelpWindow)
        assert shown.browser.key == "views/cost"
        QTest.keyClick(shown, Qt.Key.Key_Escape)
        driver.window.activateWindow()

        stories = driver.actions.menu("Talk/Stories").actions()
        assert [action.text() for action in stories] == [each.title for each in SHIPPED.values()]
        assert len(stories) == 4

        driver.press("Ctrl+S")
        driver.answer(tmp_path / "walk.gems")
        driver.wait(lambda: (tmp_path / "walk.gems").exists() and driver.run.path != "")
        assert list(read_run(tmp_path / "walk.gems")) == list(driver.trace)
        driver.press("?")
        assert driver.window.findChild(KeySheet).isVisible()
        driver.window.activateWindow()
        driver.press("Ctrl+Shift+P")
        assert driver.window.findChild(Palette).isVisible()
