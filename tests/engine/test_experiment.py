"""Trials: their seeds and rows, wherever they run, and whatever fails or is cancelled on the way."""

import json
import math
import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gems_engine.errors import Cancelled, InputError
from gems_engine.experiment import (
    Control,
    Lost,
    Row,
    Trial,
    executors,
    findings,
    local_executor,
    repeated,
    run_trial,
    run_trials,
    trials,
    wilson,
)
from gems_engine.gallery import make, make_from_spec
from gems_engine.running import Run
from gems_engine.summary import summarise

HARD = "paper-hard:d_star=3,epsilon=0.3"
SHORT = {"base": 4, "max_samples": 20_000}


def by_index(rows):
    return sorted(rows, key=lambda row: row.index)


# -- trials ------------------------------------------------------------------------------------------------------


def test_seeds_come_from_the_experiment_and_the_number_alone():
    few, many = list(repeated(HARD, "rage", 3, seed=7)), list(repeated("soare", "fixed-confidence", 50, seed=7))
    assert [each.seed for each in few] == [each.seed for each in many[:3]]  # paired over algorithms and instances
    assert len({each.seed for each in many}) == 50
    assert all(0 <= each.seed < 2**53 for each in many)
    assert {each.seed for each in many}.isdisjoint(each.seed for each in repeated(HARD, "rage", 50, seed=8))
    # written down, as saved experiments rely on it
    sequence = np.random.SeedSequence(7, spawn_key=(2,))
    assert few[2].seed == int(sequence.generate_state(1, np.uint64)[0]) >> 11


def test_several_series_make_one_experiment():
    trials = [*repeated(HARD, "rage", 2), *repeated(HARD, "fixed-confidence", 2, first=2, delta=0.1)]
    assert [each.index for each in trials] == [0, 1, 2, 3]
    assert trials[0].seed == trials[2].seed
    assert trials[3].parameters == {"delta": 0.1}


def test_a_new_instance_for_every_trial_counts_its_seed_up():
    trials = list(repeated("sphere:D=8, seed=10, n=20", "rage", 3, new_instances=True))
    made = [make_from_spec(each.instance) for each in trials]
    assert [each.recipe.parameters["seed"] for each in made] == [10, 11, 12]
    assert made[1] == make("sphere", D=8, n=20, seed=11)
    assert [each.instance for each in repeated("sphere", "rage", 2, new_instances=True)] == [
        "sphere:seed=0",
        "sphere:seed=1",
    ]


@pytest.mark.parametrize("instance", ["paper-hard", make("sphere", D=8, n=20)])
def test_new_instances_of_what_is_not_random_are_refused(instance):
    with pytest.raises(InputError, match=r"is not random|need a family"):
        list(repeated(instance, "rage", 2, new_instances=True))


# -- rows --------------------------------------------------------------------------------------------------------


def test_a_row_is_the_summary_of_the_run():
    instance = make_from_spec(HARD)
    row = run_trial(Trial(5, HARD, "fixed-confidence", 3, SHORT))
    said = summarise(Run(instance, "fixed-confidence", 3, **SHORT).finish()).as_dict()
    for name in ("recommendation", "correct", "samples", "tau", "first_right", "changes", "rounds", "finish"):
        assert getattr(row, name) == said[name]
    assert (row.index, row.instance, row.seed, row.error) == (5, HARD, 3, "")
    assert row.seconds > 0
    assert json.loads(json.dumps(row.as_dict())) == row.as_dict()


def test_an_instance_can_be_given_itself():
    instance = make_from_spec(HARD)
    assert run_trial(Trial(0, instance, "rage", 3, {})).samples == run_trial(Trial(0, HARD, "rage", 3, {})).samples


def test_right_is_2_epsilon_optimal_where_that_is_the_goal():
    instance = make("misspecified", D=3, d_star=2, n=8, size=0.02)
    parameters = {"epsilon": float(instance.gaps.max() / 2), "max_loops": 1}
    assert run_trial(Trial(0, instance, "misspecified", 0, parameters)).correct  # everybody is
    rows = run_trials(repeated(instance, "misspecified", 30, max_loops=1, epsilon=1e-3, max_samples=50))
    assert {row.correct for row in rows} == {True, False}  # a guess


def test_a_trial_that_fails_says_why_and_the_rest_goes_on():
    bad = [
        Trial(0, "no-such-family", "rage", 0),
        Trial(1, HARD, "no-such-algorithm", 0),
        Trial(2, HARD, "fixed-budget", 0, {"budget": 2}),
        Trial(3, HARD, "rage", 0, {"max_samples": "many"}),
        Trial(4, HARD, "rage", 0, {"max_samples": 1000}),
    ]
    rows = list(run_trials(bad))
    assert [row.index for row in rows] == [0, 1, 2, 3, 4]
    for row, word in zip(rows[:4], ("no-such-family", "no-such-algorithm", "budget", "max_samples"), strict=True):
        assert word in row.error
        assert row.correct is None
        assert row.samples is None
    assert rows[4].error == ""
    assert findings(rows).failed == 4
    assert findings(rows).success.total == 1


def test_a_bug_is_named_with_its_type(monkeypatch):
    monkeypatch.setattr(trials, "Run", lambda *a, **b: 1 / 0)
    assert run_trial(Trial(0, HARD, "rage", 0)).error == "ZeroDivisionError: division by zero"


# -- executors ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_workers():
    with local_executor(2) as executor:
        yield executor
        pids = executor.pids()
    assert not any(map(alive, pids))


def test_spawned_workers_give_the_same_rows_and_use_one_blas_thread(two_workers):
    some = [*repeated(HARD, "fixed-confidence", 6, **SHORT), Trial(6, "no-such-family", "rage", 0)]
    here = list(run_trials(some))
    seen = []
    there = list(run_trials(reversed(some), two_workers, seen.append))
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert by_index(there) == here
    assert two_workers.submit(blas_threads).result() == {1}
    assert two_workers.submit(kind_of_process).result() == "SpawnProcess"
    assert os.getpid() not in two_workers.pids()


def blas_threads():
    from threadpoolctl import threadpool_info

    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def kind_of_process():
    return type(multiprocessing.current_process()).__name__


def test_workers_are_gone_at_once_when_killed():
    executor = local_executor(1)
    future = executor.submit(time.sleep, 3600)
    [pid] = executor.pids()
    executor.kill()
    assert not alive(pid)
    assert future.exception() is not None


def held(back, says):
    """A start that takes its time."""
    time.sleep(60)
    Path(os.environ["STARTED"]).touch()


def test_workers_that_are_still_starting_are_killed_as_well_and_nobody_waits_for_them(monkeypatch, tmp_path):
    started = tmp_path / "started"
    monkeypatch.setenv("STARTED", str(started))
    monkeypatch.setattr("gems_engine.experiment.local._begin", held)
    before, older = set(threading.enumerate()), set(multiprocessing.active_children())
    executor = local_executor(2)
    first = [executor.submit(time.sleep, 3600) for _ in range(4)]
    assert len(set(multiprocessing.active_children()) - older) == 2
    for future in first:
        future.cancel()  # as who is cancelled does: some are under way by then, some are not
    executor.kill()
    assert set(multiprocessing.active_children()) <= older
    assert all(future.cancelled() or future.exception() is not None for future in first)
    assert not set(threading.enumerate()) - before
    assert not started.exists()


def alive(pid):
    return pid in {child.pid for child in multiprocessing.active_children()}


class Deadly:
    """Ends the process that unpickles it."""

    def __reduce__(self):
        return os._exit, (1,)


def test_a_worker_that_dies_costs_its_trial_a_retry_and_no_more(two_workers):
    deadly = Trial(3, HARD, "rage", 0, {"max_samples": Deadly()})
    some = list(repeated(HARD, "rage", 9, max_samples=1000))
    rows = by_index(run_trials([*some[:3], deadly, *some[4:]], two_workers))
    assert [row.index for row in rows] == list(range(9))
    assert rows[3].error == "The worker process died 2 times while running this trial."
    assert rows[3].tries == 2
    others = rows[:3] + rows[4:]
    assert others == list(run_trials([*some[:3], *some[4:]]))
    assert {row.tries for row in others} == {1}  # what waited behind it, or ran next to it, was not to blame


def test_a_broken_executor_is_said_and_nothing_is_made_up():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        executor.submit(os._exit, 1)
        with pytest.raises(Lost, match=r"broken|no more trials"):
            list(run_trials(repeated(HARD, "rage", 3, max_samples=1000), executor))
    with pytest.raises(Lost, match="no more trials"):
        list(run_trials(repeated(HARD, "rage", 3, max_samples=1000), executor))


def test_what_cannot_be_sent_is_an_error_of_its_row(two_workers):
    some = [Trial(0, HARD, "rage", 0, {"max_samples": lambda: 1}), Trial(1, HARD, "rage", 0)]
    rows = by_index(run_trials(some, two_workers))
    assert "<lambda>" in rows[0].error  # in other words in each Python
    assert rows[1].error == ""


def test_trials_are_taken_as_needed_and_closing_cancels(monkeypatch):
    monkeypatch.setattr(executors, "AHEAD", 4)
    taken = []

    def endless():
        for trial in repeated(HARD, "rage", 10**9, max_samples=1000):
            taken.append(trial.index)
            yield trial

    with ThreadPoolExecutor(1) as executor:
        rows = run_trials(endless(), executor)
        assert next(rows).error == ""
        rows.close()
    assert len(taken) <= 8
    here = run_trials(endless())
    next(here)
    here.close()


@pytest.mark.parametrize("where", ["here", "threads"])
def test_pausing_begins_nothing_and_going_on_loses_nothing(where):
    control = Control()
    some = list(repeated(HARD, "rage", 20, max_samples=1000))

    def rest(done):
        if done == 5:
            control.pause()
            assert control.paused
            threading.Timer(0.05, control.go_on).start()

    with ThreadPoolExecutor(2) as pool:
        executor = None if where == "here" else pool
        rows = by_index(run_trials(some, executor, rest, control))
    assert rows == list(run_trials(some))
    assert control.rested >= 0.05


@pytest.mark.parametrize("where", ["here", "threads"])
def test_cancelling_ends_it_between_trials_and_from_a_pause(where):
    with ThreadPoolExecutor(2) as pool:
        executor = None if where == "here" else pool
        control = Control()
        rows = run_trials(repeated(HARD, "rage", 10**6, max_samples=1000), executor, None, control)
        next(rows)
        control.pause()
        threading.Timer(0.05, control.cancel).start()
        assert len(list(rows)) <= 2 * executors.AHEAD


def test_cancelling_ends_a_trial_in_this_process_between_two_iterations():
    control = Control()
    trial = Trial(0, HARD, "fixed-confidence", 0, SHORT)
    control.cancel()
    with pytest.raises(Cancelled):
        run_trial(trial, lambda: control.cancelled)


# -- findings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "total"), [(0, 10), (1, 10), (7, 20), (99, 100), (100, 100)])
def test_wilson_agrees_with_scipy(count, total):
    ours = wilson(count, total, 0.9)
    theirs = stats.binomtest(count, total).proportion_ci(0.9, "wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert 0 <= ours.low <= ours.share <= ours.high <= 1


def test_wilson_of_nothing_knows_nothing():
    nothing = wilson(0, 0)
    assert (nothing.low, nothing.high) == (0.0, 1.0)
    assert math.isnan(nothing.share)
    with pytest.raises(ValueError, match="count"):
        wilson(3, 2)


def test_findings_leave_out_lucky_guesses_and_those_not_right():
    taus = [0, 0, 10, 20, 30, None]
    rows = [Row(i, "x", "rage", i, correct=tau is not None, tau=tau) for i, tau in enumerate(taus)]
    found = findings([*rows, Row(9, "x", "rage", 9, error="oh")], probabilities=(0.25, 0.5))
    assert (found.success.count, found.success.total, found.failed, found.lucky) == (5, 6, 1, 2)
    assert found.quantiles == {0.25: 10.0, 0.5: 20.0}
    assert found.median == 20.0
    assert math.isnan(findings(rows[:2]).median)
