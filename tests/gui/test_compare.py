"""Two runs compared in the window: the numbers are those of the engine, and a click goes there in both."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from shiboken6 import isValid

from gems_engine.cli import main
from gems_engine.diff import Comparison, compare
from gems_engine.diff_wording import both, difference_text, where_text
from gems_engine.events import DesignSolved, DimensionProbed, Eliminated, Estimated, Pulled
from gems_engine.forcing import Forced
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_gui.compare.compare_dialog import CompareDialog
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.runs.branch_dialog import BranchDialog
from gems_gui.series.run_difference import ASKED, MOST, difference_rows, difference_series
from gems_gui.snapshot import Snapshot
from tests.engine.synthetic_runs import synthetic_trace
from tests.gui.sample_runs import run as recorded
from tests.gui.test_truth import with_another_truth
from tests.gui.window_driver import LONG, MIDDLE, choose_by_keys, driven, finished_run

OTHER = MIDDLE.with_text("run.seed", "2")


@pytest.fixture(scope="module")
def runs():
    return finished_run(MIDDLE), finished_run(OTHER)


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, MIDDLE, layout="talk") as made:
        yield made


def changed(trace, **spoiled):
    """A copy in which the third design has something else."""
    at = int(trace.positions(DesignSolved)[2])
    made = Trace(trace.instance)
    made.extend(replace(event, **spoiled) if here == at else event for here, event in enumerate(trace))
    return made, at


def compared(*traces, over=(True, True)):
    comparison = Comparison(*traces)
    while not comparison.update(0.0, over):
        pass
    return comparison


def opened(driver):
    dialog = driver.opened("Ctrl+D", CompareDialog)
    settled(driver)
    return dialog


def settled(driver):
    driver.wait(lambda: not driver.window.comparison.comparing.busy)


def cells(dialog):
    model = dialog.model
    return [[model.index(row, at).data() for at in range(len(model.columns))] for row in range(model.rowCount())]


def elided(table):
    """The texts that do not fit into their cells, wrapped."""
    model, found = table.model(), []
    for index in (model.index(row, at) for row in range(model.rowCount()) for at in range(model.columnCount())):
        cell = table.visualRect(index).adjusted(3, 0, -3, 0)
        needed = table.fontMetrics().boundingRect(cell, Qt.TextFlag.TextWordWrap, index.data())
        found += [index.data()] if needed.height() > cell.height() or needed.width() > cell.width() else []
    return found


# -- rows and words -------------------------------------------------------------------------------------------------


def test_rows_are_the_differences_of_the_engine(runs):
    found = compare(*runs)
    rows = difference_rows(compared(*runs))
    asked = [row for row in rows if row.where == ASKED]
    assert [(row.what, row.a, row.b) for row in asked] == [("Run seed", "1", "2")]
    assert all(row.event is None for row in asked)
    first, label = (
        [row for row in rows if row.event == found.position and row.what != "decision"],
        runs[0].instance.target_label,
    )
    expected = [
        (
            "recommendation" if name == "target" else name,
            *(map(label, (a, b)) if name == "target" else both(a, b)),
            "" if relative is None else number(relative, 3),
        )
        for field in found.fields
        for name, a, b, relative in field.pairs()
    ]
    assert [(row.what, row.a, row.b, row.relative) for row in first] == expected
    assert expected


def test_rounding_is_told_apart(runs):
    value = runs[0][int(runs[0].positions(DesignSolved)[2])].value
    other, at = changed(runs[0], value=value * (1 + 1e-12))
    rows = difference_rows(compared(runs[0], other))
    assert [(row.what, row.event) for row in rows] == [("value", at)]
    assert rows[0].a != rows[0].b, "as many digits as it takes"
    words = difference_text(compared(runs[0], other))
    assert "differ only by rounding" in words


def test_where_they_part_after_rounding_is_a_row_of_its_own(runs):
    value = runs[0][int(runs[0].positions(DesignSolved)[2])].value
    rounded, at = changed(runs[0], value=value * (1 + 1e-12))
    parted = Trace(rounded.instance)
    parted.extend(rounded[: len(rounded) - 40])
    comparison = compared(runs[0], parted)
    rows = difference_rows(comparison)
    decision, first, diverge = rows
    assert (decision.what, decision.b) == ("decision", "has ended")
    assert (first.event, diverge.event) == (at, len(parted))
    assert diverge.what == "runs diverge"
    assert diverge.b == "nothing: the run has ended"
    assert diverge.a.startswith(runs[0][len(parted)].kind)


def test_runs_with_the_same_decisions_do_not_diverge(runs):
    """A decision that another solver leads to is the same decision."""
    designs = runs[0].positions(DesignSolved)
    near, _ = changed(runs[0], value=runs[0][int(designs[2])].value * (1 + 1e-12))
    other, at = Trace(near.instance), int(designs[3])
    other.extend(replace(event, solver="frank-wolfe") if here == at else event for here, event in enumerate(near))
    rows = difference_rows(compared(runs[0], other))
    assert compared(runs[0], other).found.decision is None
    assert [(row.what, row.event) for row in rows] == [("value", int(designs[2])), ("steps differ: solver", at)]
    words = difference_text(compared(runs[0], other))
    assert "diverge" not in words
    assert f"Their steps first differ at event {at + 1};" in words
    assert words.endswith("All decisions are the same.")
    probe = next(int(each) for each in runs[0].positions(DimensionProbed) if each > designs[2])
    asked = Trace(near.instance)
    asked.extend(replace(event, d=event.d % 2 + 1) if here == probe else event for here, event in enumerate(near))
    rows = difference_rows(compared(runs[0], asked))
    assert [row.what for row in rows] == ["value", "steps differ: d examined"]
    assert compared(runs[0], asked).found.decision is None


def test_entries_have_the_names_of_their_arms_and_a_row_says_what_differs(runs):
    trace = runs[0]
    pulled = int(trace.positions(Pulled)[0])
    gone = next(int(at) for at in trace.positions(Eliminated) if len(trace[int(at)].targets))
    other = Trace(trace.instance)
    sums, targets = trace[pulled].sums, trace[gone].targets
    by = np.where(np.arange(len(targets)) == 0, (trace[gone].by + 1) % len(trace.instance.targets), trace[gone].by)
    estimated = int(trace.positions(Estimated)[0])
    theta = trace[estimated].theta
    spoiled = {pulled: {"sums": sums * 1.5}, estimated: {"theta": theta * 3.0}, gone: {"by": by}}
    other.extend(replace(event, **spoiled.get(here, {})) for here, event in enumerate(trace))
    rows = difference_rows(compared(trace, other))
    arms = trace.state_at(pulled).allocation.arms.tolist()
    assert [row.what for row in rows if row.event == pulled] == [f"sums, {trace.instance.arm_label(a)}" for a in arms]
    assert [row.what for row in rows if row.event == estimated] == ["largest difference: estimate, feature 1"]
    label = trace.instance.target_label
    expected = (f"steps differ: {label(targets[0])} eliminated by", label(trace[gone].by[0]), label(by[0]))
    assert [(row.what, row.a, row.b) for row in rows if row.event == gone] == [expected]


def test_the_same_and_what_is_not_compared_yet(runs):
    assert difference_rows(compared(runs[0], runs[0])) == []
    same = compared(runs[0], runs[0])
    assert difference_text(same) == f"All {len(runs[0])} events are the same."
    begun = Comparison(runs[0], runs[0])
    assert difference_text(begun, busy=True).endswith(f"0 of {len(runs[0])} events compared.")
    growing = compared(runs[0], runs[0], over=(False, True))
    assert "that both have are the same" in difference_text(growing, (False, True))


def test_long_arrays_are_cut(runs):
    wide, other = synthetic_trace(loops=1), synthetic_trace(loops=1, seed=1)
    assert len(difference_rows(compared(wide, other))) <= 2 * MOST + 4


def test_the_hidden_truth_is_in_no_row():
    one, other = recorded("paper-hard"), with_another_truth("paper-hard")
    shown = difference_rows(compared(one, other), truth=True)
    assert any(row.what.startswith("θ⋆: ") for row in shown)
    hidden = difference_rows(compared(one, other), truth=False)
    assert [(row.what, row.a, row.b) for row in hidden] == [("Instance, its truth", "hidden", "hidden")]


# -- the window -----------------------------------------------------------------------------------------------------


def two_runs(driver, runs):
    """Both runs, the first one shown, from before their first event on."""
    workbench = driver.workbench
    first, second = (workbench.open(trace, name) for trace, name in zip(runs, ("a.gems", "b.gems"), strict=True))
    workbench.activate(first)
    return first, second


def test_the_dialog_shows_what_the_engine_finds(driver, runs):
    two_runs(driver, runs)
    dialog = opened(driver)
    assert dialog.shown.text() == "a.gems"
    assert dialog.other.currentText() == "b.gems"
    assert dialog.sentence.text() == difference_text(compared(*runs))
    expected = difference_rows(compared(*runs))
    assert cells(dialog) == [[row.where, row.what, row.a, row.b, row.relative] for row in expected]
    tip = dialog.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "settings, Run seed: 1 – 2"


def test_a_click_goes_to_the_event_in_both_runs(driver, runs):
    first, second = two_runs(driver, runs)
    dialog = opened(driver)
    position = compare(*runs).position
    row = next(at for at, each in enumerate(dialog.model.rows) if each.event == position)
    driver.click(dialog.table.viewport(), dialog.table.visualRect(dialog.model.index(row, 1)).center())
    assert driver.shown() == position + 1
    assert second.playback.cursor == position + 1
    driver.click(dialog.table.viewport(), dialog.table.visualRect(dialog.model.index(0, 1)).center())
    assert driver.cursor == position + 1, "what was asked is at no event"
    driver.show_run(second)
    assert driver.shown() == position + 1
    assert (dialog.shown.text(), dialog.other.currentText()) == ("b.gems", "a.gems"), "they have changed places"
    settled(driver)
    assert [each.a for each in dialog.model.rows][:1] == ["2"]
    driver.seek(0)
    driver.click(dialog.go)
    assert first.playback.cursor == second.playback.cursor == position + 1
    assert driver.window.comparison.dialog is None, "the views show it"
    driver.seek(0)
    QTest.keyClick(opened(driver).other, Qt.Key.Key_Return)
    assert second.playback.cursor == position + 1, "Return, where the dialog opens"
    driver.seek(0)
    dialog = opened(driver)
    driver.click(dialog.table.viewport(), dialog.table.visualRect(dialog.model.index(0, 1)).center())
    QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    assert second.playback.cursor == 0, "Return in the table is about its row, here the settings"
    driver.click(dialog.swap)
    assert driver.run is first


def test_a_run_that_plays_stays_where_it_was_sent(driver, runs):
    first, second = two_runs(driver, runs)
    driver.press("Home")
    driver.press("Space")
    assert first.playback.moving
    dialog = opened(driver)
    driver.click(dialog.go)
    assert not any(run.playback.moving for run in (first, second))
    assert first.playback.cursor == second.playback.cursor == compare(*runs).position + 1


def test_where_a_run_has_ended_its_cursor_is_at_its_end(driver, runs):
    short = Trace(runs[0].instance)
    short.extend(runs[0][:100])
    _, second = two_runs(driver, (runs[0], short))
    dialog = opened(driver)
    driver.click(dialog.go)
    assert driver.cursor == 101
    assert second.playback.cursor == 100


def test_a_branch_is_compared_with_where_it_comes_from(driver, runs):
    two_runs(driver, runs)
    driver.finished()
    driver.seek(60)
    parent = driver.run
    driver.window.branches.make(Forced(dimension=1))
    driver.wait(lambda: driver.run is not parent)
    driver.finish()
    branch = driver.run
    dialog = opened(driver)
    assert dialog.other.currentText() == parent.name
    expected = compare(branch.trace, parent.trace)
    assert expected.position > 60 - 1
    assert dialog.sentence.text().startswith(where_text(expected, branch.trace, parent.trace))
    assert ["settings", "d, forced after event 60", "1", "–", ""] in cells(dialog)


def test_a_branch_with_nothing_forced_differs_in_nothing(driver, runs):
    driver.finished()
    driver.seek(60)
    parent = driver.run
    driver.window.branches.make(Forced())
    driver.wait(lambda: driver.run is not parent)
    driver.finish()
    dialog = opened(driver)
    assert dialog.sentence.text() == f"All {len(parent.trace)} events are the same."
    assert dialog.model.rowCount() == 0
    assert not dialog.go.isEnabled()


def test_pinned_runs_come_first_and_any_can_be_chosen(driver, runs):
    first, second = two_runs(driver, runs)
    third = driver.workbench.open(runs[0], "c.gems")
    first.pinned = True
    dialog = opened(driver)
    assert dialog.other.currentText() == "a.gems"
    assert [dialog.other.itemText(at) for at in range(dialog.other.count())] == ["a.gems", "b.gems"]
    assert dialog.sentence.text().startswith("All ")
    choose_by_keys(dialog.other, Qt.Key.Key_Down)
    settled(driver)
    assert driver.window.comparison.comparing.other is second
    assert dialog.sentence.text().startswith("The seeds differ (1 and 2).")
    driver.remove_run(second)
    assert dialog.other.currentText() == "a.gems"
    driver.remove_run(first)
    assert "No other run" in dialog.sentence.text()
    assert not dialog.swap.isEnabled()
    assert driver.run is third


def test_the_runs_dock_compares_the_chosen_one(driver, runs):
    _, second = two_runs(driver, runs)
    driver.workbench.open(runs[0], "c.gems")
    dock = driver.window.run_list.runs_dock
    driver.press("Ctrl+L")
    row = dock.list.visualRect(dock.model.index(driver.workbench.runs.index(second)))
    driver.click(dock.list.viewport(), row.center())
    driver.choose_in_context(dock.list.viewport(), "Compare", row.center())
    settled(driver)
    assert driver.window.comparison.dialog.other.currentText() == "b.gems"
    driver.press("Esc")
    for at, name in ((0, "a.gems"), (1, "b.gems"), (2, "b.gems")):
        driver.click(dock.list.viewport(), dock.list.visualRect(dock.model.index(at)).center())
        dialog = opened(driver)
        assert dialog.other.currentText() == name, "the selected run, and the newest other one if that is shown"
        driver.press("Esc")
    dock.choose(driver.workbench.runs[0])
    driver.press("Ctrl+L")
    assert not dock.isVisible()
    assert opened(driver).other.currentText() == "b.gems", "where no list shows what is selected, nothing is"


def test_runs_that_are_computed_are_compared_as_they_grow(qtbot):
    with driven(qtbot, LONG, layout="talk") as driver:
        workbench = driver.workbench
        whole = finished_run(LONG.with_text("algorithm.max_loops", "9"))
        workbench.open(whole, "a.gems")
        driver.start("Ctrl+R", "L")
        dialog = opened(driver)
        driver.wait(lambda: driver.playback.length > len(whole))
        settled(driver)
        found = compare(driver.trace, whole)
        assert found.position is not None
        assert driver.window.comparison.comparing.comparison.found.position == found.position
        assert ["settings", "max ℓ", "200", "9", ""] in cells(dialog)


def test_settings_have_the_titles_of_the_form(driver):
    traces = [
        Run(make("paper-hard", d_star=2, epsilon=each), name, 1, max_samples=900, **noise).finish()
        for each, name, noise in ((0.3, "rage", {}), (0.2, "misspecified", {"noise": "gaussian:2"}))
    ]
    two_runs(driver, traces)
    dialog = opened(driver)
    form = {field.label_text for field in driver.form.findChildren(ParameterField)}
    shown = {row[1]: row[2:4] for row in cells(dialog) if row[0] == "settings"}
    assert shown["Arms: x_3, feature 2"] == ["0.7", "0.8"]
    assert sorted(shown["Noise"]) == ["N(0, 1)", "N(0, 4)"]
    assert "an arm within 2ε of the best" in shown["Goal"]
    assert {"Noise", "β", "max ℓ", "Count idle rounds"} <= set(shown) & form
    assert not any("_" in title.replace("x_", "") or "." in title for title in shown)
    driver.wait(lambda: not elided(dialog.table))


def test_a_long_comparison_does_not_hold_the_window(driver):
    trace, again = (synthetic_trace(loops=6, rounds=60) for _ in range(2))
    two_runs(driver, (trace, again))
    driver.press("Ctrl+D")
    dialog = driver.window.comparison.dialog
    assert driver.window.comparison.comparing.comparison.events < len(trace), "it is not compared at once"
    driver.wait(lambda: dialog.sentence.text().startswith("All "))


def test_hiding_the_truth_hides_it_here_too(driver):
    two_runs(driver, (recorded("paper-hard"), with_another_truth("paper-hard")))
    dialog = opened(driver)
    assert any(row[1].startswith("θ⋆: ") for row in cells(dialog))
    driver.come_back()
    driver.press("T")
    assert cells(dialog) == [["settings", "Instance, its truth", "hidden", "hidden", ""]]
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert cells(opened(driver)) == [["settings", "Instance, its truth", "hidden", "hidden", ""]]


def test_it_closes_by_escape_and_compares_no_more(driver, runs):
    two_runs(driver, runs)
    dialog = opened(driver)
    assert dialog.table.toolTip()
    for button in (dialog.go, dialog.swap, dialog.other):
        assert button.toolTip()
        assert button.whatsThis()
        assert button.statusTip()
    driver.set_look("dark")
    assert dialog.model.brush("dim").color() == driver.theme.color("dim")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    driver.wait(lambda: not isValid(dialog))
    assert driver.window.comparison.comparing.comparison is None


def test_another_algorithm_and_another_seed_are_told_apart_by_what_they_decide(driver, tmp_path, capsys):
    """The keys that a person presses; `gems diff` says the same about the saved runs."""
    driver.start("Ctrl+Return")
    driver.finish()
    gems = driver.run
    driver.press("Ctrl+S")
    driver.answer(tmp_path / "gems.gems")
    driver.wait(lambda: gems.saved)
    box = driver.form.algorithm_form.algorithm
    box.setFocus()
    choose_by_keys(box, *[Qt.Key.Key_Down] * 4)
    driver.wait(lambda: not box.view().isVisible())
    assert driver.draft.algorithm == "rage"
    driver.window.activateWindow()
    driver.wait(driver.window.isActiveWindow)
    driver.start()
    driver.finish()
    rage = driver.run
    driver.write_run(rage, tmp_path / "rage.gems")
    driver.wait(lambda: rage.saved)
    dialog = opened(driver)
    said = dialog.sentence.text().replace("\N{NO-BREAK SPACE}", " ")
    assert said == (
        "The decisions first differ before any sample: RAGE chooses d = 5 (k 1); "
        "GEMS (fixed confidence) chooses d = 1 (ℓ 3 · i 1 · k 1)."
    )
    assert main(["diff", str(tmp_path / "rage.gems"), str(tmp_path / "gems.gems")]) == 1
    assert said in capsys.readouterr().out.splitlines()
    assert [row[1] for row in cells(dialog)][-1] == "decision"
    assert ["settings", "Count idle rounds", "–", "yes", ""] in cells(dialog)
    driver.click(dialog.go)
    here = rage.trace.state_at(rage.playback.cursor), gems.trace.state_at(gems.playback.cursor)
    assert [(state.d, state.place.k) for state in here] == [(5, 1), (1, 1)], "each at its own event"
    assert driver.message == said, "whatever page is shown"
    driver.press("Right")
    assert not driver.message
    driver.show_run(gems)
    driver.seek(60)
    branch = driver.opened("Ctrl+B", BranchDialog)
    QTest.keyClicks(branch.form.field("seed").input, "9")
    driver.click(branch.go)
    driver.wait(lambda: driver.run not in (gems, rage))
    driver.finish()
    said = opened(driver).sentence.text()
    assert said.startswith("The seeds differ after event 60 (9 and 1). The rewards first differ at event ")
    assert "rounding" not in " ".join((said, *(cell for row in cells(driver.window.comparison.dialog) for cell in row)))


def test_a_single_call_is_compared_by_what_both_decide():
    """RAGE recommends after every round, GEMS-c never does: that is no decision."""
    instance = make("sphere", D=5, d_star=2, n=60, theta="flat", seed=6)
    traces = (
        Run(instance, "gems-c", 1, rounds=8, selection_budget=256.0).finish(),
        Run(instance, "rage", 1, max_samples=100_000).finish(),
    )
    comparison = compared(*traces)
    said = difference_text(comparison)
    assert comparison.found.decision.what == "eliminated"
    assert "recommends nothing" not in said
    assert "eliminates" in said


def test_one_run_has_nothing_to_be_compared_with(driver):
    assert not driver.actions["compare"].isEnabled()
    driver.finished()
    assert not driver.actions["compare"].isEnabled()
    assert len(driver.trace.positions(Pulled))


def test_a_picture_of_where_two_runs_part_knows_nothing_behind_the_cursor(runs):
    a, b = runs
    at = compare(a, b).position
    for cursor, known in ((at, False), (at + 1, True)):
        here = Snapshot.of(a, cursor)
        shown = difference_series(here.with_runs([here, Snapshot.of(b)]))
        assert (shown.found.position == at) == known
        assert any(row.event == at for row in shown.rows) == known
        assert shown.table(here).columns[2:4] == ("this_run", "the_other")
    assert "no other run" in difference_series(Snapshot.of(a)).subtitle
