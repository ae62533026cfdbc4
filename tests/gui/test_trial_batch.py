"""Trials in the background: the rows of a harness come in batches, at its pace, and nothing is left of it."""

import os
import signal
import threading
from contextlib import contextmanager, nullcontext
from multiprocessing import active_children

import psutil
import pytest

from gems_engine.errors import InputError
from gems_engine.experiment import run_trials
from gems_engine.experiment.folder import Recorder, read_rows
from gems_engine.experiment.harness import Harness
from gems_gui.trials.trial_batch import JobEnd, TrialBatch, TrialTask, default_jobs
from gems_gui.workbench.changes import Publisher
from gems_gui.workbench.jobs import Jobs
from tests.engine.experiments import by_index, small
from tests.engine.test_experiment import held


@pytest.fixture
def jobs():
    return Jobs(Publisher())


@pytest.fixture
def trials(qapp, jobs):
    batch = TrialBatch(jobs, "a batch")
    yield batch
    batch.close()


class Ear:
    """Who listens to trials."""

    def __init__(self, trials):
        self.batches, self.ends, self.threads = [], [], set()
        trials.rows.connect(self.take)
        trials.ended.connect(self.end)

    def take(self, rows):
        self.batches.append(rows)
        self.threads.add(threading.current_thread())

    def end(self, end):
        self.ends.append(end)

    @property
    def rows(self):
        return [row for batch in self.batches for row in batch]


def harness(said):
    return lambda executor, told: nullcontext(Harness(said, executor, told=told))


def task(begin, workers=None, **more):
    return TrialTask(begin, "Trials of a test", workers=workers, **more)


def test_rows_come_in_batches_to_the_thread_of_the_window_and_then_the_end(trials, qtbot):
    said, ear = small(trials=10), Ear(trials)
    trials.start(task(harness(said), 0))
    qtbot.waitUntil(lambda: bool(ear.ends), timeout=60_000)
    assert ear.rows == list(run_trials(said.missing(bytearray())))
    assert ear.ends == [JobEnd("done")]
    assert len(ear.batches) < len(said)
    assert ear.threads == {threading.main_thread()}
    assert trials.job.progress.complete
    assert not trials.running


def test_in_a_process_of_lower_priority_that_dies_once(trials, qtbot):
    said, ear, seen = small(trials=6), Ear(trials), []

    def begin(executor, told):
        def kill(row):
            if not seen:
                pid = executor.pids()[0]
                seen.append(psutil.Process(pid).nice())
                os.kill(pid, signal.SIGKILL)
            told(row)

        return nullcontext(Harness(said, executor, told=kill))

    trials.start(task(begin, 1))
    qtbot.waitUntil(lambda: bool(ear.ends), timeout=60_000)
    assert by_index(ear.rows) == list(run_trials(said.missing(bytearray())))
    assert seen[0] > psutil.Process().nice()
    assert ear.ends == [JobEnd("done")]


def test_a_pause_before_the_job_is_made_holds_and_it_goes_on(trials, qtbot):
    said, ear = small(), Ear(trials)
    trials.start(task(harness(said), 0))
    trials.pause()
    qtbot.waitUntil(lambda: trials.job is not None, timeout=60_000)
    assert trials.paused
    assert trials.job.control.paused
    with qtbot.waitSignal(trials.changed):
        trials.go_on()
    qtbot.waitUntil(lambda: bool(ear.ends), timeout=60_000)
    assert len(ear.rows) == len(said)


def test_cancelled_in_the_middle_it_keeps_the_rows_and_kills_the_worker(trials, qtbot, tmp_path):
    said, ear, pids = small(trials=100_000), Ear(trials), []

    @contextmanager
    def begin(executor, told):
        def tell(row):
            pids.extend(() if pids else executor.pids())
            told(row)

        with Recorder(tmp_path, said, "a test") as recorder:
            yield Harness(said, executor, recorder, tell)

    trials.start(task(begin, 1))
    with pytest.raises(RuntimeError, match="a job is running"):
        trials.start(task(begin, 1))
    qtbot.waitUntil(lambda: bool(ear.batches), timeout=60_000)
    trials.cancel()
    qtbot.waitUntil(lambda: bool(ear.ends), timeout=60_000)
    assert ear.ends == [JobEnd("cancelled")]
    assert 0 < len(ear.rows) < len(said)
    assert list(read_rows(tmp_path)) == ear.rows
    assert not psutil.pid_exists(pids[0])


def test_cancelled_or_closed_while_its_workers_start_it_waits_for_none_of_them(qtbot, jobs, monkeypatch, tmp_path):
    started = tmp_path / "started"
    monkeypatch.setenv("STARTED", str(started))
    monkeypatch.setattr("gems_engine.experiment.local._begin", held)
    trials = TrialBatch(jobs, "a batch")
    ear = Ear(trials)
    for end in (trials.cancel, trials.close):
        trials.start(task(harness(small()), 1))
        qtbot.waitUntil(lambda: bool(active_children()), timeout=60_000)
        end()
        qtbot.waitUntil(lambda: bool(ear.ends), timeout=50_000)
        assert ear.ends.pop() == JobEnd("cancelled")
        assert not ear.rows
        assert not active_children()
    assert not started.exists()


def test_closing_ends_it_and_says_the_last_rows(qtbot, jobs):
    trials = TrialBatch(jobs, "a batch")
    ear = Ear(trials)
    trials.start(task(harness(small(trials=100_000)), 1))
    qtbot.waitUntil(lambda: bool(ear.batches), timeout=60_000)
    trials.close()
    assert ear.ends == [JobEnd("cancelled")]
    assert len(ear.rows) == trials.job.progress.done
    with pytest.raises(RuntimeError, match="closed"):
        trials.start(task(harness(small())))


def test_what_cannot_begin_is_said_and_another_can(trials, qtbot):
    ear = Ear(trials)

    def refuse(executor, told):
        raise InputError("There is no such folder.")

    def burst(executor, told):
        raise KeyError("x")

    for begin, how in ((refuse, "There is no such folder."), (burst, "The trials failed: KeyError: 'x'")):
        trials.start(task(begin, 0))
        qtbot.waitUntil(lambda: not trials.running, timeout=60_000)
        assert ear.ends.pop() == JobEnd("failed", how)
    assert default_jobs() >= 1


def test_while_it_runs_it_is_a_job_of_the_workbench_that_says_how_far_it_is(trials, jobs, qtbot):
    said, ear, seen = small(trials=100_000), Ear(trials), []
    trials.rows.connect(lambda rows: seen.append(jobs.running[0]))
    trials.start(task(harness(said), 0, at_close="It ends."))
    assert [(each.title, each.at_close) for each in jobs.running] == [("Trials of a test", "It ends.")]
    assert jobs.at_close == "It ends."
    qtbot.waitUntil(lambda: len(seen) > 1, timeout=60_000)
    assert len(ear.batches[0]) <= seen[0].done < seen[1].done
    assert seen[0].total == len(said)
    jobs.running[0].stop()
    qtbot.waitUntil(lambda: bool(ear.ends), timeout=60_000)
    assert ear.ends == [JobEnd("cancelled")]
    assert not jobs.running
    assert jobs.at_close == ""


def test_another_task_takes_the_place_of_the_one_that_runs_and_the_last_asked_for_wins(trials, jobs, qtbot):
    ear, begun = Ear(trials), []

    def named(name, said):
        return task(harness(said), 0, begun=lambda: begun.append(name))

    trials.replace(named("first", small(trials=100_000)))
    trials.replace(named("second", small(trials=100_000)))
    trials.replace(named("third", small()))
    assert begun == ["first"]
    qtbot.waitUntil(lambda: len(ear.ends) == 2, timeout=60_000)
    assert begun == ["first", "third"]
    assert ear.ends == [JobEnd("cancelled"), JobEnd("done")]
    assert trials.told == len(small())
    trials.replace(named("fourth", small(trials=100_000)))
    trials.replace(named("fifth", small()))
    trials.cancel()
    qtbot.waitUntil(lambda: not trials.running, timeout=60_000)
    trials.close()
    trials.replace(named("sixth", small()))
    assert begun == ["first", "third", "fourth"]
    assert not jobs.running
