"""A broken algorithm of another package in the window: it is listed with its error, and everything else works."""

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt

from gems_engine import plugins
from gems_engine.algorithms import BUILT_IN, installed_algorithm
from gems_gui.workbench.messages import ERROR
from tests.gui.window_driver import SMALL, driven
from tests.plugin_packages import algorithm, install

SENTENCE = 'The algorithm "raises" of the package raises cannot be used: it cannot be loaded: ZeroDivisionError: '


@pytest.fixture
def site(tmp_path, monkeypatch):
    install(tmp_path, "raises", "1 / 0")
    install(tmp_path, "good", algorithm("good"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("good", None)
    plugins._attempt.cache_clear()
    installed_algorithm.cache_clear()


def test_a_broken_algorithm_is_listed_and_the_others_run(site, qtbot):
    with driven(qtbot) as driver:
        window = driver.window
        box = window.form.algorithm_form.algorithm
        names = [box.itemData(row) for row in range(box.count())]
        assert names == [*BUILT_IN, "good", None]
        assert box.itemText(box.count() - 1) == "raises (broken)"
        assert box.itemData(box.count() - 1, Qt.ItemDataRole.ToolTipRole).startswith(SENTENCE)
        assert not box.model().item(box.count() - 1).isEnabled()
        assert box.currentData() in BUILT_IN
        driver.wait(lambda: window.begun)
        (entry,) = [each for each in window.workbench.messages.entries if "raises" in each.sentence]
        assert entry.kind == ERROR
        assert entry.sentence.startswith(SENTENCE)
        driver.start("Ctrl+Return")
        driver.finish()
        assert driver.trace.finished is not None


def test_a_missing_event_is_said_in_the_window_and_the_next_run_works(site, tmp_path, qtbot):
    install(tmp_path, "endless", algorithm("endless", "return None"))
    with driven(qtbot, SMALL.with_algorithm("endless"), in_thread=False) as driver:
        driver.start("Ctrl+Return")
        driver.wait(lambda: bool(driver.window.workbench.messages.errors))
        (sentence,) = driver.window.workbench.messages.errors
        assert sentence.startswith('The algorithm "endless" has an error: it ends without RunFinished')
        driver.drafts.set_draft(SMALL)
        driver.start()
        driver.finish()
        assert driver.trace.finished is not None


def test_the_error_of_a_broken_algorithm_is_shown_as_text(site, tmp_path, qtbot):
    install(tmp_path, "tagged", """raise ValueError('<img src="canary.png">')""")
    with driven(qtbot) as driver:
        box = driver.window.form.algorithm_form.algorithm
        tip = box.itemData(box.findText("tagged (broken)"), Qt.ItemDataRole.ToolTipRole)
        assert "canary.png" in tip
        assert not GuiQt.mightBeRichText(tip)
