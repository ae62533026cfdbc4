"""An instance without rewards in the window: what depends on the truth is unknown, and everything else is as usual."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

from gems_engine.events import OUTSIDE, Allocated
from gems_engine.explanation import explain, story_of_arm
from gems_engine.files import read_run
from gems_engine.instance import Instance
from gems_engine.recipe import Recipe
from gems_engine.session import Session
from gems_engine.terminal import plural
from gems_engine.trace import Trace
from gems_engine.verdict import verdict_of
from gems_gui.drafts.advice import _rounds
from gems_gui.drafts.draft import Draft, FromFile
from gems_gui.drafts.instance_table import ARMS, InstanceTable
from gems_gui.panels.paste_dialog import PasteDialog
from gems_gui.recovery import draft_json
from gems_gui.series.status import outcome
from gems_gui.series.theory import UNKNOWN
from gems_gui.snapshot import Snapshot
from gems_gui.views import EVERY_VIEW
from tests.gui.sample_runs import run
from tests.gui.test_truth import cursor_in, seen
from tests.gui.window_driver import driven, open_dialog

JUDGING = ("right", "wrong", "✓", "✗", "true best", "d⋆", "τ")


@cache
def on_instance(name, known):
    """A run whose rewards came from outside, on an instance with rewards or without; otherwise the same."""
    trace = run(name)
    plain = {"name": "pills", "recipe": Recipe(), "theta": None}
    made = replace(trace.instance, **plain, **({} if known else {"rewards": None, "target_rewards": None}))
    other = Trace(made)
    started = replace(trace.started, instance=made.digest, rewards=OUTSIDE)
    other.extend(started if at == 0 else event for at, event in enumerate(trace))
    return other


@pytest.mark.parametrize("name", list(EVERY_VIEW))
def test_a_view_looks_as_if_the_truth_were_hidden(qapp, name):
    for run_name in ("paper-hard", "transductive"):
        unknown, hidden = on_instance(run_name, known=False), on_instance(run_name, known=True)
        cursor = cursor_in(unknown)
        shown, expected = seen(name, {}, unknown, cursor, truth=True), seen(name, {}, hidden, cursor, truth=False)
        if name == "theory":
            assert any(UNKNOWN in text for text in shown[1])
        else:
            assert shown[1:] == expected[1:]
            assert shown[0] == expected[0]
        assert not [text for text in (*shown[1], *shown[2]) if "press T" in text or "hidden" in text.lower()]


def test_no_sentence_judges_anything():
    trace = on_instance("paper-hard", known=False)
    for cursor in (1, 2, cursor_in(trace), len(trace)):
        snapshot = Snapshot.of(trace, cursor)
        assert [snapshot.truth, snapshot.judges, snapshot.hides] == [False] * 3
        said = [str(explain(trace, cursor, truth=True)), str(story_of_arm(trace, 0, cursor, truth=True))]
        said.append(outcome(snapshot))
        assert not [(word, text) for text in said for word in JUDGING if word in text]
    assert verdict_of(trace).correct is None
    assert snapshot.problems.before(len(trace), True) == snapshot.problems.before(len(trace), False)


def test_every_view_shows_rounds_with_lost_rewards(qapp):
    trace = read_run(Path(__file__).parents[1] / "data" / "runs" / "version-3-lost.gems")
    at = next(at for at, event in enumerate(trace) if isinstance(event, Allocated) and event.lost)
    used = trace[at]
    for cursor in (at, at + 1, at + 2, at + 4, len(trace)):
        for name in EVERY_VIEW:
            shown = seen(name, {}, trace, cursor, truth=True)
            if name == "weights" and cursor == at + 1:
                assert any(f"{used.lost} of {used.total + used.lost} rewards lost" in text for text in shown[1])


# -- the form and the table -------------------------------------------------------------------------------------------

PILLS = Instance.from_features([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], arm_names=("red", "blue", "both"))


@pytest.mark.parametrize("targets", [None, [[1.0, 0.0], [0.6, 0.8]]])
def test_the_table_of_an_instance_keeps_that_there_are_no_rewards(targets):
    instance = Instance.from_features(PILLS.arms, targets, name="pills")
    table = InstanceTable.of(instance)
    assert not table.has_rewards
    assert table.instance().digest == instance.digest
    draft = Draft.of().with_table(table.with_cell(ARMS, 0, 1, "0.5"))
    again = draft_json.from_json(b"".join(draft_json.to_json(draft)))
    assert again.source.table == draft.source.table
    rewarded = table.with_given_rewards().instance()
    assert not rewarded.rewards.any()
    assert rewarded.has_rewards


def test_no_rounds_are_suggested_without_gaps():
    assert "has no rewards" in _rounds(PILLS).why_none
    problems = Draft.of(algorithm="misspecified").with_instance(PILLS).problems(PILLS)
    assert list(problems.values()) == [
        "The instance has no rewards, so a run on it cannot be simulated. Open its file again and choose the column "
        'of the rewards, or paste a sheet with a column "reward" into the table (Ctrl+T). Real experiments run from '
        "Python."
    ]


# -- in the window ---------------------------------------------------------------------------------------------------


@pytest.fixture
def driver(qtbot):
    with driven(qtbot) as made:
        yield made


def shown_texts(driver):
    """The texts of all visible labels outside the form, which has a draft of its own."""
    labels = [each for each in driver.window.findChildren(QLabel) if each.isVisible()]
    return [each.text() for each in labels if not driver.form.isAncestorOf(each)]


def test_an_opened_instance_says_what_is_unknown_and_gets_rewards_by_pasting(driver, tmp_path):
    (tmp_path / "pills.csv").write_text("name,x1,x2\nred,1,0\nblue,0,1\nboth,0.6,0.8\n")
    driver.window.open_files([str(tmp_path / "pills.csv")])
    driver.wait(lambda: driver.window.items_controller.dialog.open is not None)
    dialog = driver.window.items_controller.dialog.open
    driver.wait(dialog.go.isEnabled)
    opened = "2 features as they are, without an intercept; name: name, no rewards."
    missing = "Choose the column of the rewards: without them, the instance cannot be run."
    assert dialog.words.text() == f"{opened} {missing}"
    driver.click(dialog.go)
    driver.wait(lambda: isinstance(driver.draft.source, FromFile) and driver.drafts.instance is not None)
    form = driver.form.instance_form
    for name in ("d_star", "epsilon"):
        assert form.list.fields[f"instance.{name}"].instead.text_shown == "Unknown."
    assert "no rewards, so a run on it cannot be simulated" in form.error.text_shown
    driver.wait(lambda: driver.form.assumptions._shown)
    assert [each.name for each in driver.form.assumptions._shown] == ["arms-span", "noise"]
    assert "which are not known" in driver.form.assumptions.status.text_shown
    driver.press("Ctrl+T")
    editor = driver.window.instance_table.editor
    driver.wait(editor.view.isVisible)
    driver.wait(lambda: editor.table is not None)
    assert editor.table.parts == (ARMS,)
    assert editor.status.text_shown == "3 arms · 2 features · no rewards"
    assert not editor.linear.isEnabled()
    assert not editor.linear.isChecked()
    assert "paste a table with a column of rewards" in editor.linear.toolTip()
    rows = ("name x1 x2 reward", "red 1 0 0.2", "blue 0 1 0.9", "both 0.6 0.8 0.7")
    QGuiApplication.clipboard().setText("\n".join(rows).replace(" ", "\t"))
    editor.view.setFocus()
    driver.press("Ctrl+Shift+V")
    driver.click(open_dialog(driver.window, PasteDialog).go)
    driver.wait(lambda: driver.drafts.instance is not None and driver.drafts.instance.has_rewards)
    assert driver.drafts.instance.rewards.tolist() == [0.2, 0.9, 0.7]
    assert not driver.drafts.problems()


def test_a_saved_session_opens_between_batches_and_judges_nothing(driver, tmp_path):
    session = Session(PILLS, "fixed-confidence", 3, max_samples=50_000)
    rng = np.random.default_rng(1)
    for _ in range(12):
        batch = session.next_batch()
        noise = np.sqrt(batch.counts) * rng.standard_normal(len(batch.arms))
        session.observe(batch.counts * np.array([0.2, 0.9, 0.7])[batch.arms] + noise)
    batch = session.next_batch()
    some = batch.counts // 2
    session.observe(some * 0.5, some, missing="repeat")
    session.save(tmp_path / "pills.gems")
    driver.window.open_files([str(tmp_path / "pills.gems")])
    driver.wait(lambda: driver.run is not None)
    assert list(driver.trace) == list(session.trace)
    assert driver.trace.finished is None
    assert driver.workbench.snapshot.cursor == len(session.trace)  # what is known so far
    for cursor in (0, 2, len(session.trace) // 2, len(session.trace)):
        driver.seek(cursor)
        QApplication.processEvents()
        words = " | ".join(shown_texts(driver))
        assert not [word for word in ("wrong", "✓", "✗", "true best", "hidden") if word in words]
        assert not driver.message
    assert not driver.workbench.snapshot.truth
    left = session.next_batch()
    words = f"waiting for {plural(int(left.counts.sum()), 'reward')} of {plural(len(left.arms), 'arm')}"
    assert driver.transport.engine.text == driver.workbench.state_of(driver.run) == words
    for name in ("hold", "live", "event_forward", "interest_forward"):
        assert not driver.actions[name].isEnabled()
        assert "Continue it from Python, with Session.open." in driver.actions[name].toolTip()
    for name in ("branch", "more_seeds", "run_beside", "copy_command"):
        assert not driver.actions[name].isEnabled()
        assert "The rewards of this run are external, so" in driver.actions[name].toolTip()
    copied = tmp_path / "copy.gems"
    driver.window.file_controller.write_run(driver.run, str(copied))
    driver.wait(copied.exists)
    assert Session.open(copied).next_batch().counts.tolist() == left.counts.tolist()
    race = driver.actions["race"]
    assert not race.isEnabled()
    assert "has no rewards, so there is nothing to simulate" in race.toolTip()
    for keys in ("R", "Ctrl+K", "Ctrl+Shift+K", "Ctrl+B"):
        driver.press(keys)
        assert driver.said(), keys
    QApplication.processEvents()
    assert len(driver.workbench.runs) == 1
    assert driver.run.replicates is None
