"""The window as its user drives it: running, playing, stepping, scrubbing, and what the form does meanwhile."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QScreen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_engine.history import History
from gems_gui.appearance import ChosenAppearance
from gems_gui.drafts.presets import PRESETS
from gems_gui.help.help_window import HelpWindow
from gems_gui.menus.key_sheet import KeySheet
from gems_gui.settings import Settings
from gems_gui.settings_store import settings_file
from gems_gui.transport.go_to import GoTo
from gems_gui.views import VIEWS
from gems_gui.workbench.changes import Field
from tests.gui.window_driver import LEFT, SMALL, choose_in_list, driven, finished_run, slide, write

KEYS = {"event": "{}", "round": "Shift+{}", "subroutine": "Ctrl+{}", "loop": "Alt+{}"}


@pytest.fixture
def driver(qtbot):
    with driven(qtbot) as made:
        yield made


@pytest.fixture(scope="module")
def expected():
    """The run of the form, and its history, without a window."""
    trace = finished_run(SMALL)
    history = History(trace)
    history.update()
    return history


# -- running --------------------------------------------------------------------------------------------------------


def test_ctrl_r_runs_the_form_and_plays_from_the_first_event(driver, expected):
    assert driver.window.windowTitle() == "GEMS Lab"
    assert driver.transport.status.text == "no run yet"
    assert not driver.actions["save"].isEnabled()
    driver.start()
    assert driver.window.windowTitle() == "GEMS (fixed confidence) · paper-hard · seed 1* – GEMS Lab"
    assert driver.playback.playing
    assert driver.cursor < 10, "one round per second, whatever the engine has done already"
    driver.finish()
    assert list(driver.trace) == list(expected.trace)
    driver.wait(lambda: driver.transport.engine.text == "done")
    driver.wait(lambda: driver.cursor > 0)
    driver.press("Space")
    assert 0 < driver.cursor < len(driver.trace)
    assert driver.shown() == driver.cursor


def test_ctrl_return_without_a_run_starts_the_form_and_runs_it_to_the_end(driver, expected):
    driver.type_into("algorithm.delta", "-1")
    driver.press("Ctrl+Return")
    assert "δ" in driver.said()
    assert not driver.actions["run_to_end"].isChecked()
    driver.drafts.set_draft(SMALL)
    driver.start("Ctrl+Return")
    driver.wait(lambda: driver.playback.ended and driver.cursor == len(expected.trace))
    assert not driver.actions["run_to_end"].isEnabled()
    driver.drafts.set_draft(SMALL.with_text("run.seed", "2"))
    driver.start()
    assert not driver.playback.to_the_end, "it was said about the other"


def test_the_button_runs_too_and_leaves_the_keys_to_the_transport(driver):
    driver.wait(lambda: driver.drafts.instance is not None)
    driver.click(driver.form.run)
    driver.wait(lambda: driver.run is not None)
    driver.press("Space")
    assert not driver.playback.playing, "Space pauses, right after a click on Run"
    driver.press("Space")
    assert driver.playback.playing
    assert driver.actions["play"].text() == "Pause"
    driver.click(driver.transport.buttons["play"])
    assert not driver.playback.playing
    assert driver.actions["play"].text() == "Play"


def test_a_click_beside_the_fields_gives_the_keys_back(driver):
    driver.finished()
    driver.type_into("run.seed", "7")
    driver.press("Right")
    driver.press("End")
    assert driver.cursor == 0, "arrows belong to a field while one types there"
    driver.click(driver.views["dimension"].plot.viewport())
    driver.press("Right")
    assert driver.cursor == 1


def test_steps_by_every_unit_go_to_where_it_ends_and_back(driver, expected):
    driver.finished()
    for unit, keys in KEYS.items():
        forward, back = keys.format("Right"), keys.format("Left")
        stops = list(range(7)) if unit == "event" else expected.stops(unit).tolist()[:7]
        assert len(stops) > 2
        for stop in stops[1:]:
            driver.press(forward)
            assert driver.shown() == stop
        for stop in (*reversed(stops[:-1]), 0):
            driver.press(back)
            assert driver.shown() == stop
    driver.press("End")
    assert driver.shown() == len(expected.trace)
    for keys in KEYS.values():
        driver.press(keys.format("Right"))
        assert driver.cursor == len(expected.trace)
    assert not driver.actions["event_forward"].isEnabled()
    assert driver.actions["event_back"].isEnabled()


def test_the_mouse_scrubs_and_playing_goes_on_from_there(driver):
    driver.finished()
    line = driver.transport.scrubber
    driver.click(line, QPoint(round(line.x_of(60)), line.height() // 2))
    assert driver.shown() == pytest.approx(60, abs=1)
    assert not driver.playback.playing
    QTest.mousePress(line, LEFT, pos=QPoint(round(line.x_of(20)), 10))
    for cursor in (40, 80, 30):
        QTest.mouseMove(line, QPoint(round(line.x_of(cursor)), 10))
        assert driver.shown() == pytest.approx(cursor, abs=1)
    QTest.mouseRelease(line, LEFT, pos=QPoint(round(line.x_of(30)), 10))
    driver.press("Right")
    assert driver.shown() == pytest.approx(31, abs=1)
    driver.press("Space")
    driver.click(line, QPoint(round(line.x_of(50)), 10))
    assert driver.playback.playing
    assert driver.cursor == pytest.approx(50, abs=1)


def test_speed_keys_slider_and_as_fast_as_it_goes(driver):
    driver.finished()
    driver.press("]", 2)
    assert driver.playback.speed == 5
    assert driver.transport.speed_label.text == "5 rounds/s"
    driver.press("[", 3)
    assert driver.playback.speed == 0.5
    slide(driver.transport.speed, driver.transport.speed.maximum())
    assert math.isinf(driver.playback.speed)
    driver.press("Space")
    driver.wait(lambda: not driver.playback.playing)
    assert driver.shown() == len(driver.trace)
    driver.press("Space")
    assert driver.cursor == 0, "to play at the end of a run begins again"


def test_repeat_begins_again(driver):
    driver.finished()
    driver.choose("Run", "Repeat")
    assert driver.actions["repeat"].isChecked()
    slide(driver.transport.speed, driver.transport.speed.maximum())
    seen = set()
    workbench = driver.workbench
    workbench.subscribe(lambda change: seen.add(workbench.snapshot.cursor), Field.SNAPSHOT)
    driver.press("Space")
    driver.wait(lambda: seen >= {0, len(driver.trace)})
    assert driver.playback.playing


def test_go_to_a_place(driver):
    driver.finished()
    driver.press("Ctrl+G")
    dialog = driver.window.findChild(GoTo)
    for field, value in zip(dialog.fields, ("3", "2", "1"), strict=True):
        write(field, value)
    driver.click(dialog.button)
    assert driver.shown() == driver.trace.find(3, 2, 1) + 1
    place = driver.trace[driver.cursor - 1].place
    assert (place.ell, place.i, place.k) == (3, 2, 1)


def test_help_and_the_sheet_of_keys_open_beside_the_run(driver):
    driver.start()
    driver.press("?")
    assert driver.window.findChild(KeySheet).isVisible()
    driver.window.activateWindow()
    driver.choose("Help", "How to read this window")
    shown = driver.window.findChild(HelpWindow)
    assert shown.isVisible()
    assert shown.browser.width() > shown.width() / 2
    words = shown.browser.toPlainText().replace("\N{NON-BREAKING HYPHEN}", "-").replace("\N{WORD JOINER}", "")
    for view in VIEWS.values():
        for said in (view.title, view.about):
            assert said.replace("_", "").replace("^", "") in words  # indices and powers are set lower and higher
    assert driver.playback.playing


# -- the form meanwhile ---------------------------------------------------------------------------------------------


def test_the_form_may_change_while_a_run_is_shown(driver):
    driver.start()
    run, events = driver.run, driver.trace
    assert not driver.difference_bar.isVisible()
    driver.type_into("run.seed", "5")
    assert driver.difference_bar.isVisible()
    driver.finish()
    assert driver.run is run
    assert run.trace is events
    assert run.trace.started.seed == 1
    driver.click(driver.difference_bar.buttons["Revert form"])
    assert not driver.difference_bar.isVisible()
    assert driver.form.draft == SMALL
    driver.type_into("run.seed", "5")
    driver.click(driver.difference_bar.buttons["Run the form"])
    driver.wait(lambda: driver.run is not run)
    assert not driver.difference_bar.isVisible()
    driver.finish()
    assert driver.trace.started.seed == 5
    assert driver.window.windowTitle().startswith("GEMS (fixed confidence) · paper-hard · seed 5* ")
    assert len(driver.workbench.runs) == 2


def test_what_is_typed_wrong_does_not_run_and_says_why(driver):
    driver.wait(lambda: driver.drafts.instance is not None)
    driver.type_into("algorithm.delta", "2")
    assert not driver.form.run.isEnabled()
    driver.press("Ctrl+R")
    assert "δ" in driver.said()
    assert driver.run is None
    driver.type_into("algorithm.delta", "0.1")
    driver.press("Return")
    driver.wait(lambda: driver.run is not None)
    assert driver.trace.started is None or driver.trace.started.parameters["delta"] == 0.1
    assert not driver.message


def test_presets_fill_the_form_and_the_window_can_start_one(driver):
    choose_in_list(driver.form.presets, "budget")
    assert driver.draft == PRESETS["budget"].draft
    assert driver.form.algorithm_form.algorithm.currentText() == "GEMS (fixed budget)"
    driver.start()
    driver.finish()
    assert driver.trace.finished.why == "budget spent"
    driver.window.start_preset("verifiability-1")
    driver.wait(lambda: len(driver.workbench.runs) == 2)
    driver.finish()
    driver.press("End")
    assert driver.shown() == len(driver.trace)
    assert driver.trace.finished.why == "verified"
    assert driver.transport.status.text.startswith("ended: the recommendation is verifiable")


def test_runs_are_kept_each_with_its_cursor(driver):
    driver.finished()
    driver.press("Right", 30)
    first = driver.run
    driver.start()
    driver.finish()
    second = driver.run
    assert second.name == f"{first.name} (2)"
    driver.press("End")
    assert driver.shown() == len(second.trace)
    driver.choose("Run/Runs", first.name)
    assert driver.run is first
    assert driver.shown() == 30
    assert driver.window.windowTitle() == f"{first.name}* – GEMS Lab"
    checked = [action.text() for action in driver.actions.menu("Run/Runs").actions() if action.isChecked()]
    assert checked == [first.name]
    driver.choose("Run/Runs", second.name)
    assert driver.shown() == len(second.trace)


# -- looks ----------------------------------------------------------------------------------------------------------


def color_of_bars(driver):
    return QColor(driver.views["counts"].run.opts["brush"].color()).name().upper()


def test_themes_change_the_plots_and_the_program(driver):
    driver.finished()
    driver.press("End")
    driver.shown()
    driver.choose("View/Theme", "Light")
    light = driver.theme
    assert color_of_bars(driver) == light.before.upper()
    image = driver.board.grab().toImage()
    driver.choose("View/Theme", "Dark")
    dark = driver.theme
    assert dark.dark
    assert color_of_bars(driver) == dark.before.upper() != light.before.upper()
    assert driver.actions["theme_dark"].isChecked()
    assert QApplication.instance().palette().window().color().name().upper() == dark.window
    assert driver.board.grab().toImage() != image
    assert driver.shown() == len(driver.trace)


def test_system_follows_the_desktop_and_the_others_do_not(driver, monkeypatch):
    # The offscreen platform has no colour scheme of its own to change: this replaces it.
    hints = SimpleNamespace(colorScheme=lambda: Qt.ColorScheme.Light)
    monkeypatch.setattr("gems_gui.theme.QGuiApplication", SimpleNamespace(styleHints=lambda: hints))
    changed = QGuiApplication.styleHints().colorSchemeChanged
    driver.choose("View/Theme", "System")
    assert not driver.theme.dark
    hints.colorScheme = lambda: Qt.ColorScheme.Dark
    changed.emit(Qt.ColorScheme.Dark)
    assert driver.theme.dark
    assert driver.views["counts"].theme is driver.theme
    driver.choose("View/Theme", "Light")
    changed.emit(Qt.ColorScheme.Dark)
    assert not driver.theme.dark


def test_text_grows_and_shrinks(driver):
    normal = driver.form.width(), driver.views["counts"].plot.x_axis.style["tickFont"].pixelSize()
    driver.press("Ctrl++", 2)
    assert driver.theme.font_scale == pytest.approx(1.1**2)
    larger = driver.form.width(), driver.views["counts"].plot.x_axis.style["tickFont"].pixelSize()
    assert np.all(np.array(larger) > normal)
    driver.finished()
    driver.press("End")
    for theme, scale in (("light", 1.0), ("dark", 1.5)):
        driver.set_look(theme, scale)
        driver.press("Ctrl+1")
        driver.shown()
        QTest.qWait(1)
        legends = [view.legend for view in driver.views.values() if view.is_plot and view.legend.isVisible()]
        assert {legend.font().pixelSize() for legend in legends} == {driver.theme.font(11).pixelSize()}, "legends too"
    driver.set_look(font_scale=0.72)
    driver.press("Ctrl+-")
    assert driver.theme.font_scale == pytest.approx(0.7), "not smaller than can be read"
    driver.press("Ctrl+0")
    assert (driver.form.width(), driver.theme.font_scale) == (normal[0], 1.0)


def test_the_first_window_leaves_room_for_its_frame_and_has_larger_text_on_a_large_screen(qtbot, monkeypatch):
    room = QRect(600, 300, 1440, 900)
    monkeypatch.setattr(QScreen, "availableSize", lambda screen: room.size())
    monkeypatch.setattr(QScreen, "availableGeometry", lambda screen: room)
    monkeypatch.setattr(QScreen, "size", lambda screen: QSize(2560, 1440))
    with driven(qtbot, size=None) as driver:
        assert driver.window.width() <= 1440
        assert 900 - 60 <= driver.window.height() <= 900 - 30, "a title bar, and no more"
        assert room.contains(driver.window.pos()), "it is placed before a dialog is, which is centred on it"
        assert driver.theme.font_scale == 1.25
        assert driver.window.menuBar().font().pixelSize() == round(1.25 * 13)
        assert not settings_file().exists() or "font_scale" not in settings_file().read_text()
        driver.press("Ctrl+-")
        assert driver.theme.font_scale == pytest.approx(1.25 / 1.1)
        again = ChosenAppearance(QApplication.instance(), Settings())
        assert again.theme.font_scale == pytest.approx(1.25 / 1.1), "what the user has chosen stays"
        driver.press("Ctrl+0")
        assert driver.theme.font_scale == 1.25
        assert ChosenAppearance(QApplication.instance(), Settings()).theme.font_scale == 1.25
        monkeypatch.setattr(QScreen, "size", lambda screen: QSize(1920, 1080))
        monkeypatch.setattr(QScreen, "logicalDotsPerInch", lambda screen: 144.0)
        assert ChosenAppearance(QApplication.instance(), Settings()).theme.font_scale == 1.5, "nor is it only its size"


@pytest.mark.parametrize("maximised", [False, True])
def test_full_screen_and_back(driver, maximised):
    if maximised:
        driver.window.showMaximized()
        driver.wait(driver.window.isMaximized)
    driver.press("F11")
    driver.wait(driver.window.isFullScreen)
    assert driver.actions["full_screen"].isChecked()
    driver.finished()
    driver.press("Shift+Right")
    assert driver.shown() > 0
    driver.press("F11")
    driver.wait(lambda: not driver.window.isFullScreen())
    assert driver.window.isMaximized() == maximised
    assert not driver.actions["full_screen"].isChecked()


def test_what_a_study_turns_on_is_in_sight_in_the_smallest_window(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        form = driver.form
        for preset in PRESETS.values():
            driver.drafts.set_draft(preset.draft)
            fields = {**form.instance_form.list.fields, **form.algorithm_form.fields}
            for key in ("instance.D", "instance.d_star", "instance.epsilon", "algorithm.epsilon", "algorithm.delta"):
                field = fields[key]
                driver.wait(lambda field=field: field.isVisible() and not field.visibleRegion().isEmpty())
                assert field.visibleRegion().boundingRect() == field.rect(), (preset.name, key)
