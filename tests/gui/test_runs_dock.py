"""The Runs dock on the real window: what it lists, and all that can be done there by keys and mouse."""

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit
from shiboken6 import isValid

from gems_engine.complexity.theory_query import KNOWN, query_of
from gems_engine.files import read_run
from gems_engine.summary import summarise
from gems_engine.terminal import number
from gems_engine.verdict import promise_of, verdict_of
from gems_gui.drafts.draft import Draft
from gems_gui.runs.runs_model import ABOUT, ACTIVE, COLOR, PINNED, RESULT, SAVED
from gems_gui.theme import DARK, LIGHT, RUN_COLORS
from gems_gui.workbench.run_facts import RunFacts, result_text
from tests.gui.sample_runs import run as recorded
from tests.gui.window_driver import SMALL, choose_by_keys, driven, write

ENDLESS = Draft.of("paper-hard", seed=1, parameters={"base": 4, "max_samples": 10**9})


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        yield made


def dock_of(driver):
    return driver.window.run_list.runs_dock


def row(driver, at):
    return dock_of(driver).model.index(at)


def several(driver, seeds=(1, 2, 3)):
    """Runs of several seeds, finished, with the dock open; the last one is active."""
    for seed in seeds:
        driver.drafts.set_draft(SMALL.with_text("run.seed", str(seed)))
        driver.start()
        driver.finish()
        if driver.playback.playing:
            driver.press("Space")
    driver.press("Ctrl+L")
    driver.wait(lambda: all(run.facts.complete for run in driver.workbench.runs))
    return driver.workbench.runs[:]


def test_facts_read_within_a_budget_are_those_of_the_whole_trace():
    trace = recorded("paper-hard")
    facts = RunFacts(trace)
    steps = 0
    while facts.follow(0.0):
        steps += 1
    assert facts.complete
    assert steps == len(trace), "without time, one event at a time"
    assert facts.summary == summarise(trace)
    assert 0 < facts.seconds < summarise(trace).seconds


@pytest.mark.parametrize("name", ["paper-hard", "fixed-budget", "made up"])
def test_a_result_says_what_the_summary_says(name):
    trace = recorded(name)
    facts = summarise(trace)
    words = result_text(facts, trace.instance, truth=True)
    assert trace.instance.target_label(facts.recommendation) in words
    assert ("✓ right" in words, "✗ wrong" in words) == (facts.correct, not facts.correct)
    assert (f"τ = {number(facts.tau)}" in words) == (facts.tau is not None)
    assert words.endswith(f"{number(facts.samples)} samples")
    hidden = result_text(facts, trace.instance, truth=False)
    assert not any(word in hidden for word in ("right", "wrong", "τ"))


def test_it_lists_every_run_with_its_result(driver):
    assert not dock_of(driver).isVisible()
    runs = several(driver)
    dock = dock_of(driver)
    assert dock.isVisible()
    assert dock.model.rowCount() == 3
    for at, run in enumerate(runs):
        assert row(driver, at).data() == run.name == f"GEMS (fixed confidence) · paper-hard · seed {at + 1}"
        assert row(driver, at).data(ABOUT) == "GEMS (fixed confidence) on paper-hard, 5 arms in R⁵"
        KNOWN.find(query_of(run.trace.started, run.trace.instance))  # as the strip asks for it at the end of a run
        assert row(driver, at).data(RESULT) == f"done · {verdict_of(run.trace).sentence(promise=promise_of(run.trace))}"
        assert row(driver, at).data(COLOR) == QColor(RUN_COLORS[at])
        assert row(driver, at).data(ACTIVE) is (at == 2)
        assert row(driver, at).data(SAVED) is False
    roles = {
        getattr(theme, role) for theme in (LIGHT, DARK) for role in ("surviving", "now", "chosen", "best", "budget")
    }
    assert not roles & set(RUN_COLORS)
    driver.window.resize(1800, 900)
    for scale in (1.0, 1.5):
        driver.set_look(font_scale=scale)
        driver.wait(lambda: every_text_is_whole(driver))
        tall = dock.list.visualRect(row(driver, 0)).height()
        driver.window.resizeDocks([dock], [dock.width() + 200], Qt.Orientation.Horizontal)
        driver.wait(lambda tall=tall: dock.list.visualRect(row(driver, 0)).height() < tall)
        driver.wait(lambda: every_text_is_whole(driver))
    driver.type_into("instance.epsilon", "0.25")
    driver.type_into("algorithm.delta", "0.1")
    driver.start()
    driver.finish()
    about = "GEMS (fixed confidence) on paper-hard, 5 arms in R⁵"
    assert row(driver, 0).data(ABOUT) == f"{about} · ε (instance) = 0.3 · δ = 0.05"
    assert row(driver, 3).data(ABOUT) == f"{about} · ε (instance) = 0.25 · δ = 0.1"
    driver.click(driver.form.algorithm_form.more)
    noise = driver.form.fields["algorithm.noise"].input
    noise.setFocus()
    choose_by_keys(noise, Qt.Key.Key_End)
    driver.press("Ctrl+R")
    driver.wait(lambda: len(driver.workbench.runs) == 5)
    driver.finish()  # what a run has differs from others once it has begun
    assert row(driver, 3).data(ABOUT).endswith("δ = 0.1 · Noise = N(0, 1)"), "what the instance has, unless it is set"
    assert row(driver, 4).data(ABOUT).endswith("δ = 0.1 · Noise = No noise")


def test_a_name_takes_one_line_where_it_fits_and_a_growing_run_stays_in_sight(driver):
    several(driver)
    driver.window.resize(1800, 700)
    dock, listed = dock_of(driver), dock_of(driver).list
    name = QFontMetrics(driver.theme.font()).horizontalAdvance(row(driver, 0).data())
    wide = name + 2 + 3 * 7 + driver.theme.pixels(10)  # in bold, as that of the active run, it needs two lines
    more = wide - listed.viewport().width()
    driver.window.resizeDocks([dock], [dock.width() + more], Qt.Orientation.Horizontal)
    driver.wait(lambda: listed.viewport().width() == wide)
    driver.wait(lambda: every_text_is_whole(driver))

    def in_sight():
        return listed.viewport().rect().contains(listed.visualRect(listed.currentIndex()))

    free = listed.viewport().height() - listed.visualRect(row(driver, 2)).bottom()
    driver.window.resize(1800, driver.window.height() - free + 4)
    driver.wait(in_sight)
    tall = listed.visualRect(row(driver, 2)).height()
    driver.click_run(driver.run)
    QTest.keyClick(listed, Qt.Key.Key_F2)
    write(listed.findChild(QLineEdit), "a name of several lines, " * 8, Qt.Key.Key_Return)
    driver.wait(lambda: listed.visualRect(row(driver, 2)).height() > tall)
    assert in_sight()


def every_text_is_whole(driver):
    """Whether rows follow each other, each with room for all lines of its texts and no line too many."""
    listed, theme = dock_of(driver).list, driver.theme
    edge = 0
    for at in range(listed.model().rowCount()):
        place, index = listed.visualRect(row(driver, at)), row(driver, at)
        if place.top() != edge:
            return False
        edge = place.bottom() + 1
        room = QRect(0, 0, place.width() - 2 * 7 - theme.pixels(10) - 7, 10_000)
        needed = sum(
            QFontMetrics(font).boundingRect(room, Qt.TextFlag.TextWordWrap, str(index.data(role))).height()
            for role, font in (
                (Qt.ItemDataRole.DisplayRole, theme.font(bold=index.data(ACTIVE))),
                (ABOUT, theme.font(11)),
                (RESULT, theme.font(11)),
            )
        )
        if not needed <= place.height() <= needed + 20 * theme.font_scale:
            return False
    return True


def test_a_run_that_is_computed_or_was_stopped_says_so(driver):
    driver.drafts.set_draft(ENDLESS)
    driver.start()
    driver.press("Ctrl+L")
    driver.wait(lambda: row(driver, 0).data(RESULT).startswith("running"))
    driver.do("stop")
    driver.finish()
    assert row(driver, 0).data(RESULT).startswith("stopped")


def test_enter_and_a_double_click_show_a_run_where_it_was_left(driver):
    first, _, last = several(driver)
    dock = dock_of(driver)
    first.playback.seek(7)
    dock.list.setFocus()
    driver.press("Home")
    assert dock.chosen is first
    assert driver.run is last
    driver.press("Return")
    assert driver.run is first
    assert driver.shown() == 7
    driver.press("Home")
    assert driver.shown() == 0, "the keys belong to the run that is shown"
    assert dock.chosen is first
    at = dock.list.visualRect(row(driver, 2)).center()
    QTest.mouseClick(dock.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(dock.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert driver.run is last
    assert driver.window.windowTitle().startswith(last.name)


def test_f2_renames_in_place_everywhere(driver, tmp_path):
    first, _, _ = several(driver)
    dock = dock_of(driver)
    driver.show_run(first)
    dock.list.setFocus()  # as Tab does
    driver.press("F2")
    editor = dock.list.findChild(QLineEdit)
    QTest.keyClicks(editor, "the good")
    driver.workbench.runs_changed()  # as when a run ends meanwhile
    QTest.keyClicks(editor, " one")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    driver.wait(lambda: first.name == "the good one")
    assert first.name == row(driver, 0).data() == "the good one"
    assert driver.window.windowTitle() == "the good one* – GEMS Lab"
    assert driver.actions.menu("Run/Runs").actions()[0].text() == "the good one"
    driver.press("F2")
    editor = next(each for each in dock.list.findChildren(QLineEdit) if each.isVisible())
    write(editor, "", Qt.Key.Key_Return)
    driver.wait(lambda: not isValid(editor))
    assert first.name == "the good one", "a run keeps its name when none is typed"
    driver.write_run(first, tmp_path / "first.gems")
    driver.wait(lambda: first.saved)
    driver.press("F2")
    editor = next(each for each in dock.list.findChildren(QLineEdit) if each.isVisible())
    write(editor, "the best one", Qt.Key.Key_Return)
    driver.wait(lambda: first.name == "the best one")
    assert driver.said() == "The run has this name in this window only. Its file is still called first.gems."


def test_removing_is_undone_in_its_place_with_cursor_name_and_colour(driver):
    runs = several(driver)
    dock, workbench = dock_of(driver), driver.workbench
    second = runs[1]
    second.playback.seek(5)
    driver.click_run(second)
    driver.press("Del")
    assert workbench.runs == [runs[0], runs[2]]
    assert dock.bar.isVisible()
    assert dock.bar.sentence.text() == f"Removed {second.name}."
    driver.press("Del", times=2)
    assert workbench.runs == []
    assert driver.run is None
    assert driver.window.windowTitle() == "GEMS Lab"
    assert dock.empty.isVisible()
    for _ in range(3):
        driver.click(dock.bar.buttons["Undo"])
    assert workbench.runs == runs
    assert not dock.bar.isVisible()
    assert (second.playback.cursor, second.color) == (5, 1)
    assert dock.model.rowCount() == 3
    assert driver.run is not None


def test_the_newest_act_is_undone_first_whether_a_removal_or_a_change_of_the_form(driver):
    runs = several(driver)
    workbench, drafts, actions = driver.workbench, driver.drafts, driver.actions
    first_draft = drafts.draft
    driver.click_run(runs[2])  # the one that is shown
    driver.press("Del")
    assert actions["undo"].text() == f"Undo removal of {runs[2].name}"
    drafts.set_draft(first_draft.with_text("run.seed", "77"))
    drafts.set_draft(first_draft.with_text("run.seed", "78"))
    driver.click_run(runs[0])
    driver.press("Del")

    def seen():
        return len(workbench.runs), drafts.draft.text("run.seed")

    first = first_draft.text("run.seed")
    path = [(1, "78"), (2, "78"), (2, "77"), (2, first), (3, first)]
    assert seen() == path[0]
    for there in path[1:]:
        driver.press("Ctrl+Z")
        assert seen() == there
    assert workbench.runs == runs
    assert driver.run is runs[2], "what was shown is shown again"
    for there in path[-2::-1]:
        driver.press("Ctrl+Shift+Z")
        assert seen() == there
    assert not actions["redo"].isEnabled()
    driver.press("Ctrl+Z")
    drafts.set_draft(first_draft)
    assert not actions["redo"].isEnabled(), "a new act leaves nothing to redo, in whichever list"
    driver.press("Ctrl+Shift+Z")
    assert len(workbench.runs) == 2


def test_removing_the_run_that_is_computed_stops_it(driver):
    driver.drafts.set_draft(ENDLESS)
    driver.start()
    run = driver.run
    driver.press("Ctrl+L")
    driver.press("Del")
    driver.wait(lambda: not driver.engine.running)
    driver.press("Ctrl+Z")
    assert driver.run is run
    assert run.playback.ended
    assert row(driver, 0).data(RESULT).startswith("stopped")


def test_a_run_goes_back_into_the_form_and_that_is_undone(driver):
    first, _, _ = several(driver)
    dock, drafts = dock_of(driver), driver.drafts
    before = drafts.draft
    driver.click_run(first)
    driver.click(dock.buttons["form"])
    assert drafts.draft == SMALL
    driver.press("Ctrl+Z")
    assert drafts.draft == before


def test_pinning_is_shown_and_kept(driver):
    first, _, _ = several(driver)
    dock = dock_of(driver)
    driver.click_run(first)
    driver.click(dock.buttons["pin"])
    assert (first.pinned, row(driver, 0).data(PINNED), dock.buttons["pin"].text()) == (True, True, "Unpin")
    driver.click_run(driver.run)
    assert dock.buttons["pin"].text() == "Pin"
    driver.click_run(first)
    driver.click(dock.buttons["pin"])
    assert (first.pinned, dock.buttons["pin"].text()) == (False, "Pin")


def test_the_chosen_run_is_saved_not_the_shown_one(driver, tmp_path):
    first, _, last = several(driver)
    dock = dock_of(driver)
    driver.click_run(first)
    driver.click(dock.buttons["save"])
    driver.wait(lambda: any(each.isVisible() for each in driver.window.findChildren(QFileDialog)))
    asked = next(each for each in driver.window.findChildren(QFileDialog) if each.isVisible())
    assert [Path(each).name for each in asked.selectedFiles()] == ["GEMS-fixed-confidence-paper-hard-seed-1.gems"]
    driver.answer(tmp_path / "first.gems")
    driver.wait(lambda: first.saved)
    assert not last.saved
    assert list(read_run(tmp_path / "first.gems")) == list(first.trace)
    assert row(driver, 0).data(SAVED) is True
    assert row(driver, 0).data(ABOUT).endswith(" · file first.gems"), "the name that the title has"
    tip = row(driver, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "saved as" in tip
    assert f"\nId: {driver.window.workbench.runs[0].trace.started.algorithm}\n" in tip


def test_the_dock_stays_as_it_was_left(qtbot):
    for expected in (False, True):
        with driven(qtbot, layout="talk") as driver:
            assert dock_of(driver).isVisible() is expected
            assert driver.actions["list_runs"].isChecked() is expected
            if not expected:
                driver.press("Ctrl+L")


@pytest.mark.parametrize(("theme", "scale"), [pytest.param("light", 1.0, marks=pytest.mark.long), ("dark", 1.5)])
def test_swatch_and_ground_are_painted_in_the_colours_of_run_and_theme(driver, theme, scale):
    runs = several(driver, (1, 2))
    driver.set_look(theme, scale)
    dock = dock_of(driver)
    driver.click_run(runs[0])
    driver.wait(lambda: dock.list.visualRect(row(driver, 1)).height() >= 3 * 11 * scale)
    image = dock.list.viewport().grab().toImage()
    colors = {image.pixelColor(x, y).name().upper() for x in range(30) for y in range(image.height())}
    assert {RUN_COLORS[0], RUN_COLORS[1]} <= colors
    assert driver.theme.card.upper() in colors
