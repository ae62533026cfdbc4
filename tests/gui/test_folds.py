"""What plots fold: stretches without a round, and loops long after a verifiable recommendation; where auto-run ends."""

from dataclasses import replace

import numpy as np
import pytest

from gems_engine.events import BecameVerifiable
from gems_engine.gallery import make
from gems_engine.history import LATE
from gems_engine.running import Run
from gems_gui.drafts.draft import Draft
from gems_gui.series.chosen_dimension import dimension_series
from gems_gui.series.dimension_cost import cost_series
from gems_gui.series.folds import is_late, last_full_loop, one_each
from gems_gui.series.subroutine_grid import SURVIVORS, grid_series
from gems_gui.series.surviving_arms import survival_series
from gems_gui.snapshot import Snapshot
from gems_gui.views.dimension_cost import drawn_budget, scale_of
from tests.gui.sample_runs import snapshot_of
from tests.gui.window_driver import driven

EASY = Draft.of("paper-hard", instance={"epsilon": 0.24}, parameters={"base": 4})


@pytest.fixture(scope="module")
def easy():
    """A run whose recommendation is verifiable early, and that goes on to the last loop."""
    return Run(make("paper-hard", epsilon=0.24), "fixed-confidence", 0, base=4).finish()


def first_verifiable(trace):
    """The event and the loop of the first verifiable recommendation."""
    return next((at, event.place.ell) for at, event in enumerate(trace) if isinstance(event, BecameVerifiable))


def test_stretches_without_a_round_share_the_width_of_one(easy):
    snapshot = Snapshot.of(easy, int(easy.loop_starts[4]))
    series = dimension_series(snapshot, "run")
    widths, unfit = np.diff(series.edges), np.zeros(len(series.d), dtype=bool)
    unfit[series.unfit] = True
    assert unfit.sum() > 3
    begin = 0
    while begin < len(unfit):
        end = begin
        while end < len(unfit) and unfit[end] == unfit[begin]:
            end += 1
        expected = 1.0 if unfit[begin] else end - begin
        assert widths[begin:end].sum() == pytest.approx(expected)
        begin = end
    assert len(series.d) > series.edges[-1], "they take less room than before"
    assert survival_series(snapshot, "run", "index", "rounds").edges[-1] == pytest.approx(series.edges[-1])


def test_the_rounds_of_one_call_are_not_folded():
    series = dimension_series(snapshot_of("sphere"), "subroutine")
    assert (np.diff(series.edges) == 1.0).all()


def test_late_loops_are_those_after_the_first_verifiable_recommendation(easy):
    event, loop = first_verifiable(easy)
    end = Snapshot.of(easy)
    assert last_full_loop(replace(end, state=easy.state_at(event))) is None
    assert last_full_loop(replace(end, state=easy.state_at(event + 1))) == loop + LATE
    every = np.arange(1, 41)
    assert every[is_late(end, every)].tolist() == list(range(loop + LATE + 1, 41))
    inside = replace(end, state=easy.state_at(int(easy.loop_starts[29]) + 1))
    assert every[is_late(inside, every)].tolist() == list(range(loop + LATE + 1, 30)), "not the loop at the cursor"


def test_they_flatten_neither_the_axis_nor_the_budgets(easy):
    _, loop = first_verifiable(easy)
    series = dimension_series(Snapshot.of(easy), "run")
    widths = np.diff(series.edges)
    assert widths[series.late].sum() == pytest.approx(2.0)
    assert series.budget[series.late].max() > 1e20
    assert series.budget[~series.late].max() <= 4.0 ** (loop + LATE)
    assert series.places[-1][1] == f"ℓ{loop + LATE + 1}–40"
    for cursor in range(int(easy.loop_starts[29]) + 1, len(easy), 7):
        before = dimension_series(Snapshot.of(easy, cursor), "run")
        assert before.budget[~before.late].max() <= 4.0 ** (loop + LATE), "the scale is the same within a late loop"


def test_the_grid_has_one_row_for_them_and_its_table_all_loops(easy):
    _, loop = first_verifiable(easy)
    snapshot = Snapshot.of(easy)
    grid = grid_series(snapshot, SURVIVORS)
    assert grid.row_names == [*(str(each) for each in range(1, loop + LATE + 1)), f"{loop + LATE + 1}–40"]
    assert [row[0] for row in grid.table(snapshot).rows] == snapshot.history.subroutines.ell.tolist()
    newest = {(int(grid.row[at]), int(grid.column[at])): at for at in range(len(grid.row))}
    assert sorted(newest.values()) == grid.newest
    assert grid.subroutine_at(0.5, len(grid.loops) - 0.5) == len(grid.row) - 1


def test_a_budget_far_above_all_costs_does_not_flatten_them(easy):
    series = cost_series(Snapshot.of(easy))
    assert series.budget > 1e20
    base, top = scale_of(series)
    assert top - base < 7
    assert drawn_budget(series) < series.budget
    near = cost_series(snapshot_of("sphere", 46))
    assert drawn_budget(near) == near.budget


def test_one_mark_for_each_stretch():
    assert one_each(np.array([0.1, 0.2, 0.3, 1.5, 2.5, 2.6])).tolist() == [True, False, False, True, True, False]
    assert not len(one_each(np.zeros(0)))


def test_without_a_verifiable_recommendation_nothing_is_late():
    snapshot = snapshot_of("sphere")
    assert not is_late(snapshot, np.arange(1, 100)).any()
    assert grid_series(snapshot, SURVIVORS).fold is None


# -- auto-run -------------------------------------------------------------------------------------------------------


def test_auto_run_stops_with_a_reason_that_can_be_overridden(qtbot, easy):
    with driven(qtbot, EASY, size=(1440, 900)) as driver:
        driver.press("Ctrl+Shift+R")
        driver.wait(lambda: driver.run is not None and driver.playback.settled_in is not None)
        _event, loop = first_verifiable(easy)
        assert driver.playback.settled_in == loop
        assert driver.workbench.state_of(driver.run) == driver.workbench.engine_text
        assert driver.workbench.engine_text == f"stopped: verifiable since ℓ {loop}"
        assert driver.trace.finished is None
        assert list(driver.trace) == list(easy)[: len(driver.trace)], "the events themselves are the same"
        assert int(driver.playback.history.subroutines.ell.max()) == loop + LATE
        driver.shown()
        strip = driver.window.strip
        assert (
            strip.text.text
            == f"Recommends x_9  verifiable since loop {loop}, so auto-run stopped after loop {loop + LATE}."
        )
        assert driver.transport.engine.text == f"stopped: verifiable since ℓ {loop}"
        assert not driver.actions["hold"].isEnabled()
        driver.press("H")
        assert "Press Ctrl+Return to run to the end." in driver.message
        assert not driver.playback.held
        button = strip._override
        assert button.isVisible()
        driver.click(button)
        driver.finish()
        assert list(driver.trace) == list(easy)
        assert not button.isVisible()
        assert strip.text.bold.startswith("✓ Right: x_9")
        driver.type_into("instance.epsilon", "0.25")
        driver.wait(lambda: driver.run.draft.text("instance.epsilon") == "0.25" and driver.playback.ended)
        assert driver.trace.finished is not None, "the override lasts"


def test_a_run_started_by_hand_goes_to_its_end(qtbot, easy):
    with driven(qtbot, EASY, size=(1150, 760), layout="talk") as driver:
        driver.start()
        driver.finish()
        assert list(driver.trace) == list(easy)
        assert driver.playback.settled_in is None
