"""Text from files is text everywhere: no name is read as markup, loads a picture, or loses an ampersand."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QToolTip

from gems_engine.bookmark import Bookmark
from gems_engine.events import DesignSolved
from gems_engine.files import write_instance, write_run
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.talk.story import Story, StoryMoment
from gems_gui.closing.closing import ClosingDialog
from gems_gui.markup import label_text, plain_text
from gems_gui.menus.palette import Palette
from gems_gui.widgets.error_report import ErrorReport
from tests.engine.experiments import SMALL as EXPERIMENT
from tests.gui.shown_texts import HOSTILE, faults
from tests.gui.stage_driver import hurry_up
from tests.gui.window_driver import driven, live_until

FILE = HOSTILE.format("file")
DIALOGS = ("go_to", "run_until", "branch", "run_beside", "compare", "export", "save_layout", "help", "keys", "about")
DOCKS = ("list_runs", "show_log", "show_talk", "replicate", "sensitivity")


# -- the helper -----------------------------------------------------------------------------------------------------


@given(st.text(st.sampled_from("<>!?/&; abimglt\n=\"'") | st.characters(), max_size=60))
@example('<img src="a.png">')
@example("d < b > c")
@example("<!DOCTYPE html")
@example('<?xml version="1.0"?><b>x</b>')
@example("1 &lt; 2")
def test_qt_never_takes_it_for_markup_and_nothing_visible_changes(text):
    shown = plain_text(text)
    assert not GuiQt.mightBeRichText(shown)
    assert shown.replace("\N{ZERO WIDTH SPACE}", "") == text.replace("\N{ZERO WIDTH SPACE}", "")


def test_an_ordinary_sentence_is_not_changed():
    for text in ("Press Enter", "p < 0.05", "a & b", "5 > 3", "ℓ 5 · i 1 · k 3\nd ≤ D", ""):
        assert plain_text(text) == text


def test_a_menu_shows_each_ampersand():
    assert label_text("R&D && more") == "R&&D &&&& more"


# -- the window -----------------------------------------------------------------------------------------------------


def instance():
    arms = np.vstack([np.eye(3), np.random.default_rng(1).normal(size=(4, 3))])
    return Instance.linear(
        arms,
        [0.5, 1.0, 0.0],
        np.vstack([arms[:3], [[0.5, 0.5, 0.5]]]),
        name=HOSTILE.format("instance"),
        arm_names=[HOSTILE.format(f"arm-{arm}") for arm in range(7)],
        target_names=[HOSTILE.format(f"target-{target}") for target in range(4)],
        feature_names=[HOSTILE.format(f"feature-{at}") for at in range(3)],
    )


@pytest.fixture(scope="module")
def trace():
    made = Run(instance(), "fixed-confidence", 1, max_samples=20_000).finish()
    words = {name: HOSTILE.format(name) for name in ("caption", "notes")}
    moments = (StoryMoment(Bookmark.of(made, 20), ("survivors", "why"), arm=1, target=1, **words),)
    made.story = Story(HOSTILE.format("story"), moments, HOSTILE.format("about"))
    return made


@pytest.fixture
def driver(qtbot, tmp_path, trace):
    """A window with two runs and an instance whose every name is hostile."""
    write_run(tmp_path / f"{FILE}.gems", trace)
    write_run(tmp_path / f"{FILE}-2.gems", trace)
    write_instance(tmp_path / f"{FILE}.json", instance())
    with driven(qtbot, layout="debug") as made:
        made.window.open_files([str(tmp_path / f"{FILE}{end}") for end in (".json", ".gems", "-2.gems")])
        made.wait(lambda: len(made.workbench.runs) == 2)
        made.wait(lambda: made.draft.source.instance.name == instance().name)
        settle(made)
        yield made


def settle(driver):
    driver.wait(lambda: driver.board.settled)
    QApplication.processEvents()


def on_screen():
    """The hostile names that some widget shows: the walk is of no use without them."""
    return {each for each in ("arm", "instance", "file") if any(f"canary-{each}" in text for text in _texts())}


def _texts():
    for widget in QApplication.allWidgets():
        yield from (widget.toolTip(), widget.accessibleDescription(), widget.accessibleName())


def test_views_and_docks(driver):
    for layout in ("explore", "debug", "talk", "compare", "race"):
        driver.actions[f"layout_{layout}"].trigger()
        for cursor in (1, 20, 60, len(driver.trace)):
            driver.seek(cursor)
            driver.workbench.select_arm(cursor % 5)
            settle(driver)
            assert faults() == [], (layout, cursor)
    for dock in DOCKS:
        driver.actions[dock].trigger()
        settle(driver)
        assert faults() == [], dock
    assert on_screen()


def test_every_view_and_its_table(driver):
    driver.seek(60)
    driver.workbench.select_arm(3)
    for name in driver.board.docks:
        driver.board.show_view(name)
        driver.board.toggle_maximised(name)
        settle(driver)
        assert driver.views[name].failure is None
        assert faults() == [], name
        driver.board.toggle_maximised(name)
    assert set(driver.views) == set(driver.board.docks)


def test_dialogs(driver):
    driver.seek(40)
    for action in DIALOGS:
        driver.actions[action].trigger()
        driver.wait(lambda: shown_dialogs(driver))
        settle(driver)
        assert faults() == [], action
        for dialog in shown_dialogs(driver):
            dialog.close()
        driver.wait(lambda: not shown_dialogs(driver))


def shown_dialogs(driver):
    return [each for each in driver.window.findChildren(QDialog) if each.isVisible()]


def test_pages(driver):
    driver.seek(int(driver.trace.positions(DesignSolved)[0]) + 1)
    for page in ("edit_table", "debug_design", "welcome", "how_to_read"):
        driver.actions[page].trigger()
        settle(driver)
        assert faults() == [], page


def test_the_palette_and_what_it_lists(driver):
    driver.actions["palette"].trigger()
    palette = driver.window.findChild(Palette)
    QTest.keyClicks(palette.line, "canary")
    assert palette.found
    assert faults() == []


def test_questions_reports_and_failures(driver, tmp_path):
    report = ErrorReport(driver.window, HOSTILE.format("error"), HOSTILE.format("report"))
    report.show()
    damaged = tmp_path / f"{FILE}-damaged.gems"
    damaged.write_bytes(b"nothing")
    driver.window.open_files([str(damaged)])
    assert "canary" in driver.said()
    assert faults() == []
    report.close()
    driver.drafts.set_draft(driver.draft.with_text("algorithm.delta", HOSTILE.format("number")))
    settle(driver)
    assert faults() == []
    driver.actions["add_moment"].trigger()
    driver.window.close()
    driver.wait(lambda: any(each.isVisible() for each in driver.window.findChildren(ClosingDialog)))
    assert faults() == []


def test_the_card_of_a_view_that_fails(driver, monkeypatch):
    def paint(snapshot):
        raise ValueError(HOSTILE.format("error"))

    view = driver.views["events"]
    monkeypatch.setattr(view, "paint", paint)
    driver.seek(30)
    driver.wait(lambda: view.failure is not None)
    assert "canary-error" in view.failure[0]
    driver.actions["show_log"].trigger()
    assert faults() == []


def test_the_page_of_experiments(driver, tmp_path):
    text = EXPERIMENT.replace("A small one", "TITLE").replace('"GEMS"', '"LABEL"').replace('"RAGE"', '"OTHER"')
    for word in ("TITLE", "LABEL", "OTHER"):
        text = text.replace(word, HOSTILE.format(word.lower()).replace('"', '\\"'))
    file = tmp_path / f"{FILE}.toml"
    file.write_text(text)
    driver.window.open_files([str(file)])
    experiments = driver.window.experiments
    driver.wait(lambda: experiments.is_open and experiments.choice.session.chosen.path == str(file))
    driver.wait(lambda: not experiments.choice.is_pending)
    experiments.choice.set_folder(str(tmp_path / "results"))
    driver.click(experiments.page.spec_picker.start)
    live = experiments.live_summary
    driver.wait(lambda: live.running)
    driver.wait(lambda: not live.running and live.summariser.idle)
    for tab in range(experiments.page.tabs.count()):
        experiments.page.tabs.setCurrentIndex(tab)
        QApplication.processEvents()
        assert faults() == []


def test_a_talk(driver, monkeypatch):
    hurry_up(monkeypatch)
    driver.actions["present"].trigger()
    driver.wait(lambda: driver.window.talk.presenter.stage is not None)
    driver.wait(lambda: driver.window.talk.presenter.stage.settled)
    assert faults() == []
    driver.window.talk.presenter.leave()


# -- what Qt shows --------------------------------------------------------------------------------------------------


def test_the_tooltip_of_the_timeline_shows_the_name(driver):
    scrubber = driver.transport.scrubber
    driver.seek(len(driver.trace))
    settle(driver)
    place = next(x for x in range(scrubber.width()) if "canary" in scrubber.text_at(x))
    at = QPointF(place, scrubber.height() / 2)
    none = Qt.MouseButton.NoButton
    move = QMouseEvent(QEvent.Type.MouseMove, at, scrubber.mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(scrubber, move)
    live_until(QToolTip.isVisible)
    assert "canary-target" in QToolTip.text()
    assert faults() == []
    QToolTip.hideText()
    live_until(lambda: not QToolTip.isVisible())


def test_a_walk_finds_a_tooltip_that_loads_a_picture(driver):
    driver.window.notice.setToolTip('<img src="canary.png">')
    (found,) = faults()
    assert "canary.png" in found
