"""What windows of release 0.1.0 left behind: settings, a layout, a saved run, and the folder of a killed window."""

import shutil
from pathlib import Path

import pytest

from gems_engine.verification import verify
from gems_gui.recovery.recovery_banner import recovery_root
from gems_gui.settings import Settings
from gems_gui.settings_store import settings_file
from tests.gui.test_recovery import OWN
from tests.gui.window_driver import driven

FILES = Path(__file__).parents[1] / "data" / "release_0_1_0"
MINE = {"survivors", "dimension", "recommendation", "events"}
"""The views of the layout "Mine": those of Talk, and the events."""


@pytest.fixture
def settings_left(own_settings):
    """The settings of 0.1.0 in the place of this user's, and the file that they list."""
    text = (FILES / "settings.json").read_text().replace("FOLDER", str(own_settings))
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(text)
    shutil.copy(FILES / "kept.gems", own_settings)


def in_front(driver):
    return {name for name, dock in driver.board.docks.items() if dock.isVisible()}


@pytest.mark.usefixtures("settings_left")
def test_settings_are_restored(qtbot):
    with driven(qtbot, size=None) as driver:
        assert Settings().remarks() == []
        assert driver.theme.dark
        assert driver.theme.font_scale == pytest.approx(1.1)
        assert (driver.window.width(), driver.window.height()) == (799, 717)
        assert Settings().welcome is False
        assert driver.board.options["weights"]["order"] == "reward"
        assert driver.board.options["dimension"]["scope"] == "subroutine"
        driver.choose("File/Recent", "kept.gems")
        driver.wait(lambda: driver.run is not None)
        assert (verify(driver.trace).alike, driver.trace.finished.recommendation) == (True, 0)
        driver.press("End")
        assert driver.shown() == len(driver.trace)


@pytest.mark.usefixtures("settings_left")
def test_a_layout_of_its_own_is_restored(qtbot):
    with driven(qtbot, size=None) as driver:
        assert driver.board.layout_name == "Mine"
        assert in_front(driver) == MINE
        driver.choose("View/Layout", "Explore")
        assert in_front(driver) != MINE
        driver.choose("View/Layout", "Mine")
        assert in_front(driver) == MINE, "views that are newer than the layout do not stay"


def test_the_folder_of_a_killed_window_is_offered_and_restored(qtbot):
    shutil.copytree(FILES / "recovery", recovery_root())
    with driven(qtbot) as driver:
        banner = driver.window.recovery.notice
        driver.wait(banner.isVisible)
        assert banner.sentence.text().endswith("Restore a run and a draft?")
        driver.click(banner.buttons["Restore"])
        driver.wait(lambda: driver.run is not None)
        assert (driver.run.name, driver.shown()) == ("fixed-confidence · paper-hard · seed 1", 31)
        assert driver.run.recovered
        assert driver.trace.finished is None
        assert (verify(driver.trace).alike, len(driver.trace)) == (True, 286)
        assert driver.draft == OWN
