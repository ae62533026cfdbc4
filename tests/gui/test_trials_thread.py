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
from gems_gui.trials.trials_thread import JobEnd, TrialsThread, default_jobs
from tests.engine.experiments import by_index, small
from tests.engine.test_experiment import held


@pytest.fixture
def trials(qapp):
    thread = TrialsThread()
    yield thread
    thread.close()


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


def test_rows_come_in_batches_to_the_thread_of_the_window_and_then_the_end(trials, qtbot):
    said, ear = small(trials=10), Ear(trials)
    trials.start(harness(said), jobs=0)
    qtbot.waitUntil(lambda: bool(ear.ends), timeout=60_000)
    assert ear.rows == list(run_trials(said.missing(bytearray())))
    assert ear.ends == [JobEnd("done")]
    assert len(ear.batches) < len(said)
    assert ear.threads == {threading.main_thread()}
    assert trials.job.standing.complete
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

    trials.start(begin, jobs=1)
    qtbot.waitUntil(lambda: bool(ear.ends), timeout=60_000)
    assert by_index(ear.rows) == list(run_trials(said.missing(bytearray())))
    assert seen[0] > psutil.Process().nice()
    assert ear.ends == [JobEnd("done")]


def test_a_pause_before_the_job_is_made_holds_and_it_goes_on(trials, qtbot):
    said, ear = small(), Ear(trials)
    trials.start(harness(said), jobs=0)
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

    trials.start(begin, jobs=1)
    with pytest.raises(RuntimeError, match="a job is running"):
        trials.start(begin, jobs=1)
    qtbot.waitUntil(lambda: bool(ear.batches), timeout=60_000)
    trials.cancel()
    qtbot.waitUntil(lambda: bool(ear.ends), timeout=60_000)
    assert ear.ends == [JobEnd("cancelled")]
    assert 0 < len(ear.rows) < len(said)
    assert list(read_rows(tmp_path)) == ear.rows
    assert not psutil.pid_exists(pids[0])


def test_cancelled_or_closed_while_its_workers_start_it_waits_for_none_of_them(qtbot, monkeypatch, tmp_path):
    started = tmp_path / "started"
    monkeypatch.setenv("STARTED", str(started))
    monkeypatch.setattr("gems_engine.experiment.local._begin", held)
    trials = TrialsThread()
    ear = Ear(trials)
    for end in (trials.cancel, trials.close):
        trials.start(harness(small()), jobs=1)
        qtbot.waitUntil(lambda: bool(active_children()), timeout=60_000)
        end()
        qtbot.waitUntil(lambda: bool(ear.ends), timeout=50_000)
        assert ear.ends.pop() == JobEnd("cancelled")
        assert not ear.rows
        assert not active_children()
    assert not started.exists()


def test_closing_ends_it_and_says_the_last_rows(qtbot):
    trials = TrialsThread()
    ear = Ear(trials)
    trials.start(harness(small(trials=100_000)), jobs=1)
    qtbot.waitUntil(lambda: bool(ear.batches), timeout=60_000)
    trials.close()
    assert ear.ends == [JobEnd("cancelled")]
    assert len(ear.rows) == trials.job.standing.done
    with pytest.raises(RuntimeError, match="closed"):
        trials.start(harness(small()))


def test_what_cannot_begin_is_said_and_another_can(trials, qtbot):
    ear = Ear(trials)

    def refuse(executor, told):
        raise InputError("There is no such folder.")

    def burst(executor, told):
        raise KeyError("x")

    for begin, how in ((refuse, "There is no such folder."), (burst, "The trials ended: KeyError: 'x'")):
        trials.start(begin, jobs=0)
        qtbot.waitUntil(lambda: not trials.running, timeout=60_000)
        assert ear.ends.pop() == JobEnd("failed", how)
    assert default_jobs() >= 1
