"""More seeds in the window: what comes is shown with its run only, and the run itself knows nothing of it."""

from dataclasses import replace

import numpy as np
import psutil
import pytest
from PySide6.QtCore import Qt

from gems_engine.experiment.measures import PROBABILITIES
from gems_engine.experiment.replicates import WRONG, Replicates, Source, fails
from gems_engine.forcing import Forced
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.terminal import number
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import Draft
from gems_gui.series.replicates import QUANTITIES, SAMPLES, SURVIVORS, band_series, band_text
from gems_gui.series.table import as_csv
from gems_gui.series.tau import tau_series, tau_text
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from tests.engine.synthetic_runs import synthetic_trace
from tests.gui.sample_runs import replicates_of, run, snapshot_of
from tests.gui.window_driver import SMALL, driven, write

FAILING = Draft.of(
    "paper-hard", "fixed-budget", seed=3, instance={"d_star": 4, "epsilon": 0.3}, parameters={"budget": 600}
)
"""Wrong, as is the seed 9; those between are right."""


def replicates(driver):
    """What runs more seeds."""
    return driver.window.replicates


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        yield made


def replicated(driver, count):
    """Ask for a number of seeds as a user does, and wait for them."""
    window = driver.window
    driver.press("Ctrl+K")
    dock = window.replicates.dock
    driver.wait(dock.count.hasFocus)
    write(dock.count, str(count), Qt.Key.Key_Return)
    driver.wait(lambda: not window.replicates.replicating.running)
    return driver.run.replicates


# -- the numbers --------------------------------------------------------------------------------------------------


def test_bands_and_the_run_s_own_line_up_to_the_cursor():
    found = replicates_of("paper-hard")
    snapshot = replace(snapshot_of("paper-hard", len(run("paper-hard")) // 2), replicates=found)
    series = band_series(snapshot, SURVIVORS)
    table = series.table(snapshot)
    assert table.columns == ("samples", *(f"quantile_{round(100 * each)}" for each in PROBABILITIES))
    assert [row[0] for row in table.rows] == found.survivors.x.tolist()
    assert np.array_equal(np.array([row[1:] for row in table.rows]).T, found.survivors.quantiles)
    rounds = [event for event in snapshot.trace[: snapshot.cursor] if event.kind == "eliminated"]
    assert series.own_y.tolist() == [event.left for event in rounds]
    samples = band_series(snapshot, SAMPLES)
    ended = [event for event in snapshot.trace[: snapshot.cursor] if event.kind == "subroutine finished"]
    assert len(samples.own_y) == len(ended)
    assert 10 ** samples.own_y[-1] == pytest.approx(ended[-1].samples)
    middle = band_text(snapshot, series, float(series.x[len(series.x) // 2]))
    at = len(series.x) // 2
    assert f"median {int(found.survivors.quantiles[2, at])}" in middle


def test_tau_counts_those_without_one():
    found = replicates_of("fixed-budget")
    snapshot = replace(snapshot_of("fixed-budget"), replicates=found)
    series = tau_series(snapshot)
    none = [number for number, tau in zip(found.numbers, found.taus, strict=True) if not np.isfinite(tau)]
    assert sum(each.trials for each in series.censored) == len(none) > 0
    assert series.shares[-1] == pytest.approx(1 - len(none) / len(found))
    assert series.success == pytest.approx(found.right / len(found))
    table = series.table(snapshot)
    assert sorted(row[0] for row in table.rows) == [found.source.seed_of(each) for each in sorted(found.numbers)]
    assert [row[1] for row in table.rows].count(None) == len(none)
    place = float(series.logs[0])
    assert tau_text(series, place).endswith(f"seed {series.seed_at(place)} has {number(round(10**place))}")


def test_without_replicates_views_say_what_to_do_and_keep_their_columns():
    snapshot = snapshot_of("paper-hard")
    for series in (*(band_series(snapshot, each) for each in QUANTITIES), tau_series(snapshot)):
        assert "Ctrl+K" in series.placeholder[0]
        assert series.table(snapshot).rows == []
    hidden = replace(snapshot, truth=False, replicates=replicates_of("paper-hard"))
    assert "hidden" in tau_series(hidden).placeholder[0]
    assert tau_series(hidden).table(hidden) == tau_series(snapshot).table(snapshot)


def test_hidden_truth_shows_nothing_that_depends_on_who_is_right(qapp):
    found = replicates_of("fixed-budget")
    other = Replicates(found.source, found.wanted)
    other.__dict__.update({**vars(found), "right": 0, "failing": [], "_kept": {}})
    pictures = []
    for each in (found, other):
        snapshot = replace(snapshot_of("fixed-budget", truth=False), replicates=each)
        texts = []
        for name in ("replicates", "tau"):
            view = VIEWS[name](Appearance(LIGHT), exporting=True)
            view.show(snapshot)
            texts += [view.head.subtitle.text(), view.legend.text(), as_csv(view.as_table())]
            view.body.deleteLater()
            view.head.deleteLater()
        pictures.append(texts)
    assert pictures[0] == pictures[1]


# -- in the window ------------------------------------------------------------------------------------------------


def test_replicates_come_without_touching_the_run(driver):
    driver.finished()
    work = driver.workbench
    before = (len(driver.trace), driver.cursor, driver.run.ending, driver.engine.current)
    grants = []
    driver.engine.grant = grants.append
    found = replicated(driver, 12)
    assert len(found) == 12
    assert before == (len(driver.trace), driver.cursor, driver.run.ending, driver.engine.current)
    assert not grants
    request = driver.run.request
    alone = [
        summarise(Run(request.instance, request.algorithm, seed, **request.parameters).finish())
        for seed in range(2, 14)
    ]
    assert found.taus.tolist() == [np.inf if each.tau is None else each.tau for each in alone]
    driver.board.show_view("replicates")
    driver.wait(lambda: driver.views.get("replicates") is not None and driver.board.settled)
    view = driver.views["replicates"]
    assert view.snapshot.replicates is found
    assert "12 seeds" in view.head.subtitle.text()
    assert view.outer.low[1].tolist()
    # Another run has none, and this one has them still when it is shown again.
    first = driver.run
    driver.drafts.set_draft(SMALL.with_text("run.seed", "5"))
    driver.start()
    assert work.snapshot.replicates is None
    work.activate(first)
    assert work.snapshot.replicates is found


def test_more_are_only_those_that_are_missing_and_a_bad_number_is_refused(driver):
    driver.finished()
    found = replicated(driver, 3)
    assert replicated(driver, 5) is found
    assert sorted(found.numbers) == [1, 2, 3, 4, 5]
    dock = replicates(driver).dock
    assert replicated(driver, 4) is found
    assert "have been run" in dock.refusal.text()
    write(dock.count, "")
    driver.click(dock.start)
    assert "number of seeds" in dock.refusal.text()


def test_a_failing_seed_is_found_and_opened_as_the_same_run(qtbot):
    with driven(qtbot, FAILING, layout="talk") as driver:
        driver.finished()
        first = driver.run
        driver.press("Ctrl+Shift+K")
        driver.wait(lambda: driver.run is not first)
        driver.finish()
        opened = driver.run.request.seed
        facts = summarise(driver.trace)
        assert not facts.correct
        source = Source(first.trace.instance, "fixed-budget", 3, first.request.parameters)
        assert opened > source.seed
        for seed in range(source.seed + 1, opened):
            assert summarise(Run(source.instance, "fixed-budget", seed, **source.parameters).finish()).correct
        assert driver.trace[:] == Run(source.instance, "fixed-budget", opened, **source.parameters).finish()[:]
        assert driver.run.draft.text("run.seed") == str(opened)
        # Asked again from the first run, the run that is there is shown.
        driver.show_run(first)
        driver.press("Ctrl+Shift+K")
        driver.wait(lambda: driver.run is not first)
        assert len(driver.workbench.runs) == 2
        # And among replicates that are there, the list names it.
        driver.show_run(first)
        found = replicated(driver, opened - source.seed)
        dock = replicates(driver).dock
        assert dock.failing.item(0).text().startswith(f"seed {opened}: recommends")
        line = dock.failing.visualItemRect(dock.failing.item(0)).height()
        dock.failing.setFixedWidth(120)
        driver.wait(lambda: dock.failing.visualItemRect(dock.failing.item(0)).height() >= 2 * line - 8)
        assert [row.seed for row in found.failing] == [opened]
        # What is said of a search is shown next to its runs only.
        replicates(driver).find_failing()
        driver.wait(lambda: f"Seed {opened} fails" in dock.refusal.text())
        driver.workbench.start(first.request)
        assert not dock.refusal.text()
        driver.show_run(first)
        driver.press("Esc")  # leaves the field of the dock
        driver.press("T")
        assert not dock.failing.count()
        assert not dock.look.isEnabled()
        assert "Right" not in dock.facts.text()


def test_a_search_goes_on_where_the_last_one_ended(qtbot):
    """Also where it began behind replicates that were there: no seed is looked at twice."""
    with driven(qtbot, FAILING.with_text("algorithm.budget", "200000"), layout="talk") as driver:
        driver.finished()
        replicated(driver, 3)
        replicating = replicates(driver).replicating
        for last in (5, 7):
            replicating.find(driver.run, WRONG, 2)
            assert replicating.task.last == last
            driver.wait(lambda: not replicating.running)
            assert replicating.message == "None of 2 more seeds fails."


def test_cancelled_at_once_and_nothing_is_left_when_the_window_closes(qtbot):
    with driven(qtbot, in_thread=False, layout="talk") as driver:
        driver.finished()
        replicating = replicates(driver).replicating
        replicates(driver).start(10_000)
        driver.wait(lambda: len(driver.run.replicates) > 0)
        workers = [each.pid for each in psutil.Process().children() if each.nice() > psutil.Process().nice()]
        assert workers
        (job,) = driver.workbench.jobs.running
        assert (job.title, job.done, job.total) == (f"More seeds of {driver.run.name}", replicating.tried, 10_000)
        replicating.cancel()
        driver.wait(lambda: not replicating.running)
        assert not driver.workbench.jobs.running
        assert not any(psutil.pid_exists(each) for each in workers)
        kept = len(driver.run.replicates)
        assert 0 < kept < 10_000
        replicates(driver).start(10_000)
        driver.wait(lambda: len(driver.run.replicates) > kept)
    assert not [each for each in psutil.Process().children() if each.nice() > psutil.Process().nice()]


def test_what_has_no_replicates_says_why(driver):
    driver.finished()
    work, handlers = driver.workbench, replicates(driver)
    handlers.replicate()
    assert "cap" not in handlers.dock.facts.text()
    whole = driver.run
    work.set_look_ahead(60)  # so that it waits, and can be stopped
    driver.start()
    driver.wait(lambda: len(driver.trace) >= 60)
    driver.press("Ctrl+.")
    driver.wait(lambda: "cap" in handlers.dock.facts.text())
    drawn = number(driver.trace.state_at(len(driver.trace)).samples)
    cap = number(driver.run.request.parameters["max_samples"])
    stopped = f"The run was stopped by hand after {drawn} samples; the trials continue up to the cap of {cap}."
    assert handlers.dock.facts.text() == stopped
    work.activate(whole)
    branch = work.branch(driver.run, 40, Forced(seed=9))
    handlers.replicate()
    assert "branch" in handlers.dock.facts.text()
    assert not handlers.dock.start.isEnabled()
    handlers.start(3)
    assert branch.replicates is None
    foreign = work.open(synthetic_trace(loops=1, rounds=2), "foreign.gems")  # its algorithm is not installed
    assert handlers.dock.facts.text().startswith('Unknown algorithm "synthetic": ')
    assert not handlers.dock.start.isEnabled()
    handlers.start(3)
    assert foreign.replicates is None


def test_a_row_fails_in_the_way_that_was_asked():
    found = replicates_of("fixed-budget")
    assert all(fails(row) for row in found.failing)
    assert isinstance(Snapshot.of(run("paper-hard")).replicates, type(None))
