"""The end of a run that the cap cut off: the last completed call is shown, and the one that was cut off is marked."""

from dataclasses import replace

import numpy as np
import pytest

from gems_engine.events import CAP
from gems_engine.explanation import as_text, explain
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_gui.painting.frames import Frame, snapshot_at
from gems_gui.series.arm_order import INDEX
from gems_gui.series.axis import subroutine_label
from gems_gui.series.budget_map import budget_map
from gems_gui.series.chosen_dimension import dimension_series
from gems_gui.series.design_weights import weight_series
from gems_gui.series.dimensions import shown_round
from gems_gui.series.pseudocode import listing_of, pseudocode
from gems_gui.series.sample_counts import ALL, count_series
from gems_gui.series.status import status
from gems_gui.series.subroutine_grid import SURVIVORS, grid_series
from gems_gui.series.surviving_arms import survival_series
from gems_gui.snapshot import Snapshot, at_rest
from tests.gui.sample_runs import run as sample_run
from tests.gui.window_driver import driven

CUT = ("sphere", "paper-hard", "transductive")


def last_calls(trace):
    """Place and survivors of the last completed call with a round, and the place of the one that was cut off."""
    completed = call = None
    drew, alive = False, set()
    for event in trace:
        if event.kind == "subroutine started":
            call, drew, alive = event.place, False, set(range(len(trace.instance.targets)))
        elif event.kind == "design solved":
            drew = True
        elif event.kind == "eliminated":
            alive -= set(event.targets.tolist())
        elif event.kind == "subroutine finished" and event.why != CAP and drew:
            completed = (call, set(alive))
    return completed, call


@pytest.mark.parametrize("name", CUT)
def test_the_state_is_that_of_the_last_completed_call(name):
    trace = sample_run(name)
    (place, alive), cut = last_calls(trace)
    raw = Snapshot.of(trace)
    shown = at_rest(raw)
    assert shown.state.subroutine.place == place
    assert set(shown.state.survivors.tolist()) == alive
    assert raw.state.subroutine.place == cut
    for same in ("cursor", "samples", "finished", "recommendation", "place"):
        assert getattr(shown.state, same) == getattr(raw.state, same)
    assert np.array_equal(shown.state.counts, raw.state.counts)
    table = trace_rows(shown)
    assert (table[shown.call_row], table[shown.cut_row]) == ((place.ell, place.i), (cut.ell, cut.i))


def trace_rows(snapshot):
    calls = snapshot.history.subroutines
    return list(zip(calls.ell.tolist(), calls.i.tolist(), strict=True))


@pytest.mark.parametrize("name", CUT)
def test_at_every_other_cursor_nothing_changes(name):
    trace = sample_run(name)
    base = Snapshot.of(trace)
    for cursor in (0, 1, len(trace) // 2, len(trace) - 1):
        snapshot = replace(base, state=trace.state_at(cursor))
        assert at_rest(snapshot) is snapshot


def test_runs_that_were_not_cut_off_and_single_calls_stay_as_they_are():
    finished = Run(make("paper-hard", d_star=3), "fixed-budget", 1, budget=8_000).finish()
    single = Run(make("paper-hard"), "rage", 1, max_samples=20_000).finish()
    assert single.finished.why == CAP
    for trace in (finished, single):
        snapshot = Snapshot.of(trace)
        assert at_rest(snapshot) is snapshot


@pytest.mark.parametrize("name", CUT)
def test_the_status_line_names_both_calls(name):
    trace = sample_run(name)
    (place, alive), cut = last_calls(trace)
    said = status(at_rest(Snapshot.of(trace)))
    assert said.place == f"ended: sample cap reached in ℓ {cut.ell} · i {cut.i}"
    shown = f"ℓ {place.ell} · i {place.i}: {len(alive)} "
    assert said.survivors.startswith(f"{shown}of ")
    least = f"ℓ {place.ell} · i {place.i}: {len(alive)} remain"
    assert all(words.startswith(least) or shown in words for words in said.after_place), "however little room there is"


@pytest.mark.parametrize("name", CUT)
def test_views_of_one_call_show_the_completed_one_and_the_grid_marks_both(name):
    shown = at_rest(Snapshot.of(sample_run(name)))
    series = survival_series(shown, "subroutine", "index", "rounds")
    assert int(series.survivors[-1]) == len(shown.state.survivors)
    rows = shown.history.rounds.subroutine[series.rounds.first : series.rounds.last]
    assert set(rows.tolist()) == {shown.completed}
    chosen = dimension_series(shown, "subroutine")
    assert chosen.rounds.last == series.rounds.last
    grid = grid_series(shown, SURVIVORS)
    assert (grid.current, grid.cut) == (shown.completed, len(grid.row) - 1)
    assert grid.texts(grid.cut)[0] == ("cut off", "cut")
    assert grid.texts(grid.current)[0] != ("cut off", "cut")
    assert "(completed)" in " ".join(series.subtitle[:1])


@pytest.mark.parametrize("name", CUT)
def test_the_pseudocode_shows_the_end_of_the_completed_call_and_names_both(name):
    trace = sample_run(name)
    (place, alive), cut = last_calls(trace)
    shown = at_rest(Snapshot.of(trace))
    series = pseudocode(shown, listing_of(shown))
    (call,) = [frame for frame in series.stack if frame.listing.name.startswith("GEMS")]
    assert call.values["input", "B"] == shown.state.subroutine.selection_budget
    assert call.values["output", "|Ŝ_{n+1}|"] == len(alive)
    (recommended,) = [value for (_, symbol), value in series.stack[0].values.items() if symbol == "ẑ_⋆"]
    assert recommended.partition(",")[0] in status(shown).recommendation
    assert [label.split(" (") for label in series.calls] == [
        [f"ℓ{place.ell} i{place.i}", "completed)"],
        [f"ℓ{cut.ell} i{cut.i}", "cut off)"],
    ]


@pytest.mark.parametrize("name", CUT)
def test_no_view_takes_the_completed_call_for_the_one_at_the_cursor(name):
    trace = sample_run(name)
    (place, _), cut = last_calls(trace)
    shown = at_rest(Snapshot.of(trace))
    series = {
        "counts": count_series(shown, ALL, INDEX),
        "weights": weight_series(shown, INDEX),
        "weights of all rounds": weight_series(shown, INDEX, ALL),
        "budgets of the call": budget_map(shown, "subroutine", 1000.0),
        "budgets of the run": budget_map(shown, "run", 1000.0),
    }
    for view, each in series.items():
        assert f"ℓ{place.ell} i{place.i} (completed)" in each.subtitle[0], view
        assert "(cut off)" not in each.subtitle[0], view
        assert "this call" not in each.subtitle[0], view
    of_all_dimensions = shown_round(shown)
    assert subroutine_label(of_all_dimensions, of_all_dimensions.call_row).endswith("(completed)")
    last = shown.history.rounds.k[shown.history.rounds.subroutine == shown.completed][-1]
    assert all(f"(completed) k{last}" in series[each].subtitle[0] for each in series if "budgets" in each)
    assert f"The call ℓ {cut.ell} · i {cut.i} was cut off." in as_text(explain(trace, len(trace)))


def test_the_whole_run_still_contains_the_cut_call():
    shown = at_rest(Snapshot.of(sample_run("sphere")))
    series = survival_series(shown, "run", "index", "rounds")
    assert series.rounds.last == len(shown.history.rounds)
    last = int(shown.history.rounds.subroutine[series.rounds.last - 1])
    assert last == shown.cut_row
    assert series.subtitle[0].startswith(f"whole run, now {subroutine_label(shown, last)}"), "the one that is framed"


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("scope", ["subroutine", "run"])
def test_the_round_that_is_marked_is_the_last_of_the_completed_call(name, scope):
    shown = at_rest(Snapshot.of(sample_run(name)))
    chosen = dimension_series(shown, scope)
    rounds = shown.history.rounds
    last = int(np.flatnonzero(rounds.subroutine == shown.completed)[-1])
    assert chosen.rounds.first + chosen.current == last
    assert ("(cut off)" in chosen.subtitle[0]) == (scope == "run"), "where its rounds are shown, it is marked"
    assert chosen.d[chosen.current] == rounds.d[last]


def test_pictures_and_the_window_show_the_same(qtbot):
    trace = sample_run("sphere")
    (place, alive), _ = last_calls(trace)
    picture = snapshot_at(Snapshot.of(trace, 0), Frame(len(trace)))
    assert picture.state.subroutine.place == place
    with driven(qtbot, size=(1440, 900)) as driver:
        driver.workbench.open(trace, "/somewhere/run.gems")
        driver.press("End")
        driver.shown()
        snapshot = driver.workbench.snapshot
        assert snapshot.completed == picture.completed >= 0
        assert driver.views["survivors"].series.survivors[-1] == len(alive) == 1
        assert "cap reached in ℓ 11 · i 1" in driver.transport.status.text
        assert "ℓ 10 · i 2: 1 of 100 arms remains" in driver.transport.status.text
        driver.press("Left")
        driver.shown()
        assert driver.workbench.snapshot.completed == -1


def test_a_snapshot_moved_from_the_end_forgets_the_completed_call():
    trace = sample_run("sphere")
    end = at_rest(Snapshot.of(trace))
    assert snapshot_at(end, Frame(50)).completed == -1
    assert History(trace).subroutine_at(50) == snapshot_at(end, Frame(50)).call_row
