"""Undo and redo over the whole draft: one stack, merged where a user sees one change, said in words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from gems_engine.instance import Instance
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.draft_history import LONGEST, DraftHistory, typing_key, what_changed
from gems_gui.drafts.instance_table import InstanceTable
from tests.gui.window_driver import SMALL, choose_by_keys, driven

SEEDS = [SMALL.with_text("run.seed", str(seed)) for seed in range(5)]


@given(st.lists(st.tuples(st.sampled_from(["set", "undo", "redo", "seal"]), st.sampled_from(SEEDS)), max_size=40))
@settings(deadline=None)
def test_the_history_is_a_list_with_a_place_in_it(moves):
    """Without merging: compared with the plainest model there is."""
    history, past, future = DraftHistory(SMALL), [SMALL], []
    for what, draft in moves:
        if what == "set" and draft != past[-1]:
            past, future = [*past, draft], []
        elif what == "undo" and len(past) > 1:
            future.append(past.pop())
        elif what == "redo" and future:
            past.append(future.pop())
        if what == "set":
            history.record(draft)
        else:
            getattr(history, what)()
        assert history.draft == past[-1]
        assert (history.can_undo, history.can_redo) == (len(past) > 1, bool(future))
        assert (bool(history.undo_text), bool(history.redo_text)) == (history.can_undo, history.can_redo)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(SEEDS)), max_size=30))
@settings(deadline=None)
def test_merged_changes_are_one_step_each(changes):
    """Undo leads to where a stretch of the same key began, and redo to where it ended."""
    history, ends, key = DraftHistory(SMALL), [SMALL], None
    for merge, draft in changes:
        history.record(draft, merge)
        if draft == ends[-1]:
            continue
        if merge == key:
            ends.pop()
        key = None  # what leads back to where its step began is no step to merge with
        if draft != ends[-1]:
            ends.append(draft)
            key = merge
    walked = [history.draft]
    while history.can_undo:
        walked.append(history.undo())
    assert walked == ends[::-1]
    assert [history.redo() for _ in ends[1:]] == ends[1:]


def test_a_drag_is_one_step_and_what_leads_back_is_none():
    history = DraftHistory(SEEDS[0])
    for draft in (SEEDS[1], SEEDS[2], SEEDS[3]):
        history.record(draft, "drag seed")
    assert history.undo() == SEEDS[0]
    assert not history.can_undo
    assert history.redo() == SEEDS[3]
    history.record(SEEDS[1], "drag seed")
    assert history.undo() == SEEDS[3], "after undo and redo a drag is a new step"
    history.record(SEEDS[2], "drag")
    history.record(SEEDS[3], "drag")
    assert not history.can_redo
    assert history.undo() == SEEDS[0]


def test_a_step_ends_when_it_is_sealed():
    history = DraftHistory(SEEDS[0])
    history.record(SEEDS[1], "typing")
    history.seal()
    history.record(SEEDS[2], "typing")
    assert [history.undo(), history.undo()] == [SEEDS[1], SEEDS[0]]


def test_the_oldest_steps_are_forgotten():
    history = DraftHistory(SMALL.with_text("run.seed", "0"))
    for seed in range(1, LONGEST + 51):
        history.record(SMALL.with_text("run.seed", str(seed)))
    steps = 0
    while history.can_undo:
        history.undo()
        steps += 1
    assert (steps, history.draft.seed) == (LONGEST, "50")


OPENED = Instance.linear(np.eye(2), [1.0, 0.5])
WITH_GOAL = SMALL.with_algorithm("misspecified")


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (SMALL.with_text("instance.epsilon", "0.2"), "change of ε (instance)"),
        (SMALL.with_text("algorithm.delta", "0.2"), "change of δ"),
        (SMALL.with_text("algorithm.max_samples", "7"), "change of the sample cap"),
        (SMALL.with_text("run.seed", "9"), "change of the run seed"),
        (SMALL.with_text("run.seed", "9").with_text("algorithm.delta", "0.1"), "change of δ and the run seed"),
        (SMALL.with_family("sphere"), "choice of the family"),
        (SMALL.with_algorithm("rage"), "choice of the algorithm"),
        (SMALL.with_instance(OPENED, "/somewhere/hard.json"), "opening of hard.json"),
        (SMALL.with_table(InstanceTable.of(OPENED)), "change of the table"),
        (Draft.of("sphere", "rage", seed=77), "change of the whole form"),
    ],
)
def test_a_step_is_named_as_a_user_would(after, words):
    assert what_changed(SMALL, after) == words


def test_the_two_epsilons_are_told_apart():
    assert what_changed(WITH_GOAL, WITH_GOAL.with_text("algorithm.epsilon", "0.2")) == "change of ε (goal)"


def test_what_is_typed_into_one_field_belongs_together():
    assert typing_key(SMALL, SMALL.with_text("algorithm.delta", "0.1")) == "typing algorithm.delta"
    assert typing_key(SMALL, SMALL.with_text("algorithm.solver", "exact")) is None, "a choice is a step of its own"
    assert typing_key(SMALL, SMALL.with_family("sphere")) is None
    own = SMALL.with_table(InstanceTable.of(OPENED))
    assert typing_key(own, own.with_text("instance.D", "3")) == "typing instance.D"
    assert what_changed(own, own.with_text("instance.D", "3")) == "change of D"


# -- in the window --------------------------------------------------------------------------------------------------


def field(driver, key):
    form = driver.form
    return {**form.instance_form.list.fields, **form.algorithm_form.fields}[key]


def test_typing_is_undone_in_one_step_and_the_menu_says_what(qtbot):
    with driven(qtbot, layout="talk") as driver:
        controller = driver.drafts
        driver.type_into("algorithm.delta", "0.125")
        driver.type_into("run.seed", "77")
        assert driver.actions["undo"].text() == "Undo change of the run seed"
        assert not driver.actions["redo"].isEnabled()
        driver.press("Ctrl+Z")  # with the focus in the field: undo is the form's, not the line's
        assert (field(driver, "run.seed").text, field(driver, "algorithm.delta").text) == ("1", "0.125")
        assert driver.actions["undo"].text() == "Undo change of δ"
        assert driver.actions["redo"].text() == "Redo change of the run seed"
        driver.press("Ctrl+Z")
        assert controller.draft == SMALL
        assert field(driver, "algorithm.delta").text == "0.05"
        driver.press("Ctrl+Shift+Z")
        driver.press("Ctrl+Y")
        assert (field(driver, "run.seed").text, field(driver, "algorithm.delta").text) == ("77", "0.125")
        assert not driver.actions["redo"].isEnabled()


def test_family_algorithm_preset_and_opened_file_are_undone_in_one_stack(qtbot):
    with driven(qtbot, layout="talk") as driver:
        controller = driver.drafts
        drafts = [controller.draft]
        driver.form.presets.setFocus()  # as Tab does
        choose_by_keys(driver.form.presets, Qt.Key.Key_Home, *[Qt.Key.Key_Down] * 3)
        drafts.append(controller.draft)
        combo = driver.form.instance_form.family
        combo.setFocus()
        choose_by_keys(combo, Qt.Key.Key_Down)
        drafts.append(controller.draft)
        controller.set_draft(controller.draft.with_instance(OPENED, "hard.json"))
        drafts.append(controller.draft)
        assert len(set(drafts)) == 4
        for draft in drafts[-2::-1]:
            driver.press("Ctrl+Z")
            assert controller.draft == draft
            assert driver.form.draft == draft
        for draft in drafts[1:]:
            driver.press("Ctrl+Y")
            assert controller.draft == draft
        driver.wait(lambda: controller.instance == OPENED)


def test_a_run_ends_a_step_and_undo_leaves_runs_alone(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.type_into("run.seed", "2")
        driver.start("Return")
        driver.finish()
        driver.type_into("run.seed", "23")
        run = driver.run
        driver.press("Ctrl+Z")
        assert field(driver, "run.seed").text == "2"
        driver.press("Ctrl+Z")
        assert field(driver, "run.seed").text == "1"
        assert (driver.run, run.request.seed) == (run, 2)
        assert driver.difference_bar.isVisible()
