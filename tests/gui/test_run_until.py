"""Run until, on the real window: over the record and with the engine, both ways, and how it is asked for and ended."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QWidget
from shiboken6 import isValid

from gems_engine.conditions import (
    ANY,
    CONDITIONS,
    THIS,
    TRUE_BEST,
    DesignGapPasses,
    DimensionChanges,
    EventOfKind,
    PlaceReached,
    RecommendationChanges,
    SamplesPass,
    TargetEliminated,
)
from gems_engine.errors import InputError
from gems_gui.drafts.draft import Draft
from gems_gui.transport.run_until import RunUntil
from tests.engine.finding import find_next
from tests.gui.window_driver import LONG, MIDDLE, SMALL, choose_in_list, driven, finished_run

NEVER = SamplesPass(10**15)


def run_until(driver):
    """What runs until something happens."""
    return driver.window.run_until


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, MIDDLE, layout="talk") as made:
        yield made


@pytest.fixture(scope="module")
def whole():
    """The run when it is over."""
    return finished_run(MIDDLE)


def opened(driver):
    return driver.opened("U", RunUntil)


def choose(dialog, condition, fill=True):
    """Fill the form as this condition asks for."""
    choose_in_list(dialog.conditions, condition.name)
    if fill:
        dialog.form.fill({each.name: getattr(condition, each.name) for each in condition.parameters})
        dialog.form.changed.emit("")


def all_met(trace, condition):
    """Every cursor at which a condition is met, found by reading."""
    found, cursor = [], 0
    while (cursor := find_next(trace, condition, cursor)) is not None:
        found.append(cursor)
    return found


def arrived(driver):
    driver.wait(lambda: driver.playback.search is None)
    return driver.cursor


# -- over what is recorded --------------------------------------------------------------------------------------------


def test_keys_go_through_all_places_of_a_record_and_back(driver, whole):
    driver.finished()
    for condition in (TargetEliminated(), DimensionChanges(across=True), DesignGapPasses(1e-9), EventOfKind("pulled")):
        dialog = opened(driver)
        choose(dialog, condition)
        QTest.keyClick(dialog, Qt.Key.Key_Return)
        expected = all_met(whole, condition)
        assert len(expected) > 1
        assert arrived(driver) == expected[0]
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        driver.window.activateWindow()
        for cursor in expected[1:]:
            driver.press("F3")
            assert arrived(driver) == cursor
        driver.press("F3")
        assert "The run has ended" in driver.said()
        assert arrived(driver) == expected[-1], "it stays where it is"
        for cursor in reversed(expected[:-1]):
            driver.press("Shift+F3")
            assert arrived(driver) == cursor
        assert not driver.message, "the next question takes the sentence away"
        driver.press("Shift+F3")
        assert driver.said().startswith("Not found before the cursor: ")
        assert driver.shown() == expected[0]
        driver.press("Home")
        assert not driver.message, "it was about another cursor"


def test_in_the_dialog_shift_enter_goes_back_and_it_stays_open(driver, whole):
    driver.finished()
    driver.press("End")
    dialog = opened(driver)
    choose(dialog, TargetEliminated())
    expected = all_met(whole, TargetEliminated())
    QTest.keyClick(dialog.conditions, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert arrived(driver) == expected[-1]
    QTest.keyClick(dialog.conditions, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert arrived(driver) == expected[-2], "the keys of the window hold in it"
    driver.click(dialog.forward)
    assert arrived(driver) == expected[-1]
    driver.click(dialog.forward)
    driver.wait(lambda: "The run has ended" in dialog.sentence.text())
    assert not driver.message, "it is said where it was asked"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    driver.wait(lambda: not isValid(dialog))


# -- with the engine --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_thread", [True, pytest.param(False, marks=pytest.mark.long)], ids=["thread", "process"])
def test_the_engine_computes_exactly_as_far_as_it_takes(qtbot, whole, in_thread):
    with driven(qtbot, MIDDLE, in_thread=in_thread, layout="talk") as driver:
        driver.choose("Run/Look-ahead", "None: compute only what is shown")
        driver.start("Ctrl+R", "Space")
        for condition in (DimensionChanges(), SamplesPass(1500), PlaceReached(6), TargetEliminated()):
            expected = next(each for each in all_met(whole, condition) if each > driver.cursor)
            run_until(driver).go(condition, True)
            driver.wait(lambda: driver.playback.search is None)
            assert driver.shown() == expected
            assert len(driver.trace) == expected, "not one event too many"
        run_until(driver).go(DimensionChanges(), False)
        assert arrived(driver) == all_met(whole, DimensionChanges())[-1]


def test_with_look_ahead_the_cursor_stands_there_whatever_the_engine_has_done_since(driver, whole):
    driver.start("Ctrl+R", "Space", "Home")
    expected = all_met(whole, RecommendationChanges())
    run_until(driver).go(RecommendationChanges(), True)
    assert arrived(driver) == expected[0]
    driver.finish()
    assert driver.shown() == expected[0]


def test_a_held_engine_goes_no_event_too_far_and_is_held_again(driver, whole):
    driver.choose("Run/Look-ahead", "None: compute only what is shown")
    driver.start("Ctrl+R", "Space")
    driver.press("H")
    driver.wait(lambda: driver.transport.engine.text == "engine paused")
    driver.choose("Run/Look-ahead", "20\N{NARROW NO-BREAK SPACE}000 events")
    before = driver.cursor
    run_until(driver).go(SamplesPass(1000), True)
    expected = all_met(whole, SamplesPass(1000))[0]
    assert arrived(driver) == expected > before
    driver.wait(lambda: driver.transport.engine.text == "engine paused")
    assert len(driver.trace) == expected


def test_where_the_run_ends_without_it_one_sentence_says_so(driver, whole):
    driver.choose("Run/Look-ahead", "None: compute only what is shown")
    driver.start("Ctrl+R", "Space")
    run_until(driver).go(NEVER, True)
    assert driver.said() == (
        "Not found after the cursor: 1 000 000 000 000 000 samples are drawn. The run has ended."
    ).replace(" 000", "\N{NARROW NO-BREAK SPACE}000")
    driver.finish()
    assert arrived(driver) == driver.playback.length == len(whole), "it went with the engine"


# -- while it runs --------------------------------------------------------------------------------------------------


SLOW = Draft.of(
    "sphere", seed=1, instance={"n": 600, "D": 40}, parameters={"base": 2, "max_samples": 10**15, "max_loops": 200}
)
"""Its designs alone take many seconds."""


@pytest.fixture
def running(qtbot):
    """A long run that is run until something that never comes."""
    with driven(qtbot, SLOW, layout="talk") as driver:
        driver.start("Ctrl+R", "Space")
        run_until(driver).go(NEVER, True)
        driver.wait(lambda: driver.cursor > 50)
        yield driver


def test_it_is_seen_and_esc_ends_it(running):
    driver = running
    assert driver.transport.engine.text.startswith("running until 1")
    assert driver.actions["play"].text() == "Pause"
    assert driver.actions["stop_waiting"].isEnabled()
    driver.press("Esc")
    assert driver.playback.search is None
    at = driver.cursor
    assert not driver.actions["stop_waiting"].isEnabled()
    assert not driver.actions["leave_maximised"].isEnabled()
    assert not driver.transport.engine.text.startswith("running until")
    assert driver.shown() == at
    assert not driver.message, "who ends it knows"


def test_esc_gives_back_the_room_only_afterwards(running):
    driver = running
    driver.board.toggle_maximised("survivors")
    driver.press("Esc")
    assert driver.board.maximised == "survivors"
    assert driver.playback.search is None
    driver.press("Esc")
    assert driver.board.maximised is None


def test_whatever_else_is_asked_for_ends_it(running):
    for keys in ("Space", "Left", "Home", "L", "H", "H", "Shift+Right"):
        running.workbench.control(lambda playback: playback.run_until(NEVER))
        running.press(keys)
        assert running.playback.search is None, keys
        assert running.playback.playing == (keys == "L")


def test_the_dialog_says_it_and_its_button_ends_it(running):
    driver = running
    dialog = opened(driver)
    assert dialog.preview.text().startswith("Running until 1")
    assert not dialog.forward.isEnabled()
    assert dialog.stop.isVisible()
    driver.click(dialog.stop)
    assert driver.playback.search is None
    assert not dialog.stop.isVisible()
    assert dialog.forward.isEnabled()
    assert dialog.preview.text().startswith("Until ")


def test_another_run_may_be_shown_meanwhile(running):
    driver = running
    first = driver.run
    driver.workbench.open(finished_run(SMALL), "")
    assert not driver.transport.engine.text.startswith("running until")
    before = first.playback.cursor
    driver.wait(lambda: first.playback.cursor > before)
    driver.workbench.activate(first)
    assert driver.transport.engine.text.startswith("running until")


# -- the truth --------------------------------------------------------------------------------------------------------


def test_what_asks_about_the_truth_is_not_offered_while_it_is_hidden(driver):
    driver.finished()
    dialog = opened(driver)
    choose(dialog, TargetEliminated(TRUE_BEST))
    assert dialog.value() == TargetEliminated(TRUE_BEST)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    arrived(driver)
    driver.come_back()
    driver.press("T")
    who = dialog.form.field("who")
    assert [who.input.itemText(at) for at in range(who.input.count())] == [ANY, THIS]
    assert dialog.value() == TargetEliminated(ANY)
    assert "The truth is hidden" in dialog.preview.text()
    assert TRUE_BEST not in dialog.preview.text()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    driver.wait(lambda: run_until(driver).dialog is None)
    driver.press("Home")
    driver.press("F3")
    assert "hidden" in driver.said()
    assert driver.cursor == 0
    assert opened(driver).value() == TargetEliminated(ANY)
    driver.come_back()
    driver.press("T")
    assert TRUE_BEST in who_choices(driver)


def who_choices(driver):
    who = run_until(driver).dialog.form.field("who")
    return [who.input.itemText(at) for at in range(who.input.count())]


def test_hiding_the_truth_ends_what_would_tell_of_it(qtbot):
    with driven(qtbot, LONG, layout="talk") as driver:
        driver.start("Ctrl+R", "Space")
        driver.workbench.control(lambda playback: playback.run_until(TargetEliminated(TRUE_BEST), True))
        if driver.playback.search is not None:
            driver.press("T")
        assert driver.playback.search is None
        run_until(driver).go(NEVER, True)
        driver.press("T", times=2)
        assert driver.playback.search is not None, "this tells nothing"


# -- the form ---------------------------------------------------------------------------------------------------------


def test_every_condition_has_its_form_and_is_asked_for_as_it_says(driver):
    driver.finished()
    dialog = opened(driver)
    listed = [dialog.conditions.itemData(at) for at in range(dialog.conditions.count())]
    assert listed == list(CONDITIONS)
    for name, kind in CONDITIONS.items():
        choose(dialog, kind(), fill=False)
        assert dialog.value() == kind(**kind.suggested(driver.trace, driver.trace.state_at(driver.cursor)))
        choose(dialog, kind())
        assert dialog.form.names == [each.name for each in kind.parameters]
        assert dialog.value() == kind()
        assert type(dialog.value()) is kind
        words = kind().words(driver.trace.instance, driver.trace.started.algorithm)
        assert dialog.preview.text() == f"Until {words}."
        assert name == dialog.conditions.currentData()
        assert_says_what_it_is_and_has_room(driver, dialog)


def assert_says_what_it_is_and_has_room(driver, dialog):
    driver.wait(lambda: dialog.height() >= dialog.layout().totalHeightForWidth(dialog.width()))
    for each in dialog.findChildren(QWidget):
        if isinstance(each, QAbstractButton | QComboBox | QLineEdit) and each.isVisible():
            assert each.accessibleName() or each.text(), each
            assert each.toolTip(), each
            assert each.statusTip(), each
            assert each.whatsThis(), each
            assert each.height() >= each.minimumSizeHint().height(), each


def test_the_arm_that_is_picked_is_meant(driver):
    driver.finished()
    driver.workbench.select_target(2)
    dialog = opened(driver)
    assert dialog.value() == TargetEliminated(THIS, 2)
    driver.workbench.select_target(3)
    assert dialog.value() == TargetEliminated(THIS, 3)
    label, field = driver.trace.instance.target_label(3), dialog.form.field("target")
    assert label in dialog.preview.text()
    assert field.text == label, "as the views call it"
    for text, meant in ((driver.trace.instance.target_label(1).upper(), 1), ("2", 2)):
        field.set_text(text)
        assert dialog.value() == TargetEliminated(THIS, meant)
    field.set_text("zebra")
    with pytest.raises(InputError, match="There is no arm zebra: write a name such as"):
        dialog.value()
    choose(dialog, TargetEliminated(ANY))
    assert not dialog.form.field("target").input.isEnabled()


def test_what_is_wrong_is_said_and_nothing_moves(driver):
    driver.finished()
    dialog = opened(driver)
    choose(dialog, SamplesPass())
    field = dialog.form.field("samples")
    field.input.setFocus()
    field.input.selectAll()
    QTest.keyClicks(field.input, "many")
    assert "N (samples) = many is not allowed" in field.error.text_shown
    QTest.keyClick(field.input, Qt.Key.Key_Return)
    assert driver.cursor == 0
    choose(dialog, TargetEliminated(THIS, 77))
    driver.click(dialog.forward)
    assert "There is no arm 77" in dialog.sentence.text()
    choose(dialog, PlaceReached())
    dialog.form.fill({"ell": 0})
    driver.click(dialog.forward)
    assert dialog.sentence.text() == "Set at least one of ℓ, i and k."
    assert driver.cursor == 0


def test_a_budget_run_has_its_own_letters_and_another_run_its_own_arms(driver):
    driver.finished()
    dialog = opened(driver)
    choose(dialog, PlaceReached(2, 1, 0))
    driver.workbench.open(finished_run(SMALL.with_algorithm("fixed-budget")), "")
    assert [dialog.form.field(each).label_text for each in ("ell", "i", "k")] == ["i", "j", "k"]
    assert dialog.value() == PlaceReached(2, 1, 0), "what was typed stays"
    assert dialog.preview.text() == "Until i 2 · j 1 starts."


def test_without_a_run_there_is_nothing_to_run(driver):
    assert not driver.actions["run_until"].isEnabled()
    dialog = RunUntil(driver.window, None, None, 1.0)
    dialog.show()
    dialog.ask(True)
    assert dialog.sentence.text() == "No run yet: start one with Ctrl+R."
    assert not dialog.forward.isEnabled()
