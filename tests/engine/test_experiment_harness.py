"""A whole experiment: the same rows wherever it runs and whatever interrupts it; what fails is kept."""

import asyncio
import os
import signal
import threading
import time
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from distributed import KilledWorker, LocalCluster
from distributed.comm import CommClosedError

from gems_engine.errors import InputError
from gems_engine.experiment import Lost, cluster_executor, local_executor, run_trials
from gems_engine.experiment.cluster import _hand_over
from gems_engine.experiment.folder import Recorder, read_results, read_rows
from gems_engine.experiment.harness import Harness
from gems_engine.experiment.measures import Measures
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import failed
from tests.engine.experiments import by_index, small


def rows_of(folder):
    return by_index(read_rows(folder))


@pytest.fixture(scope="module")
def serial():
    """What every way to run it has to give."""
    said = small()
    return list(run_trials(said.missing(bytearray())))


def ran(folder, executor=None, resume=False, told=None, said=None):
    said = said or small()
    with Recorder(folder, said, "a test", resume) as recorder:
        harness = Harness(said, executor, recorder, told)
        harness.run()
    return harness


def test_in_this_process(tmp_path, serial):
    heard = []
    harness = ran(tmp_path, told=heard.append)
    assert rows_of(tmp_path) == serial
    assert heard == serial
    progress = harness.progress
    assert (progress.done, progress.total, progress.before, progress.failed, progress.remaining) == (16, 16, 0, 0, 0.0)
    assert progress.complete
    assert progress.elapsed > 0
    assert [(each.success.total, each.failed) for each in harness.summary().cells] == [(4, 0)] * 4
    assert all(row.made_by.startswith("gems-lab") and row.seconds >= (row.seconds_to_tau or 0) for row in serial)


@pytest.mark.long
def test_in_two_processes_one_of_which_is_killed(tmp_path, serial):
    with local_executor(2) as executor:

        def kill(row):
            if harness.progress.done == 3:
                os.kill(executor.pids()[1], signal.SIGKILL)

        with Recorder(tmp_path, small(), "two processes") as recorder:
            harness = Harness(small(), executor, recorder, kill)
            harness.run()
    assert rows_of(tmp_path) == serial
    assert sorted(row.tries for row in rows_of(tmp_path))[:-1] == [1] * 15


@pytest.mark.long
def test_on_a_dask_cluster_of_two_processes_one_of_which_is_killed(tmp_path, serial):
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with cluster, cluster_executor(cluster.scheduler_address) as executor:
        assert executor.threads == 2
        assert len(executor.made_by) == 2
        ran(tmp_path / "whole", executor)
        assert rows_of(tmp_path / "whole") == serial
        victim = next(iter(cluster.workers.values()))

        def kill(row):
            if row.index == 2:
                os.kill(victim.pid, signal.SIGKILL)

        ran(tmp_path / "killed", executor, told=kill)
        assert rows_of(tmp_path / "killed") == serial


def test_no_scheduler_is_said(monkeypatch):
    monkeypatch.setattr("gems_engine.experiment.cluster._PATIENCE", 0.3)
    with pytest.raises(
        InputError, match=r"--scheduler tcp://127\.0\.0\.1:9: no Dask scheduler responds at this address"
    ):
        cluster_executor("tcp://127.0.0.1:9")
    with pytest.raises(InputError, match="no Dask scheduler responds at this address"):
        cluster_executor("nonsense://x")
    with pytest.raises(InputError, match="missing port number"):
        cluster_executor("foo")


@pytest.mark.parametrize("threads", [0, 2])
def test_interrupted_and_gone_on_with(tmp_path, serial, threads):
    """Cancelled after every few rows, and resumed until nothing is missing: nothing is lost, nothing is done twice."""
    sessions = 0
    with ThreadPoolExecutor(2) as pool:
        pool.ahead = 2  # so that it is not all done before the first row is written
        while True:
            done = sum(read_results(tmp_path).done) if sessions else 0
            with Recorder(tmp_path, small(), "a test", resume=sessions > 0) as recorder:
                harness = Harness(small(), pool if threads else None, recorder)
                harness.told = lambda row, h=harness, d=done: h.cancel() if h.progress.done >= d + 3 else None
                assert harness.progress.before == done
                assert harness.run().done >= done
            sessions += 1
            if harness.progress.complete:
                break
    assert sessions > 2
    assert 2 < len(read_results(tmp_path).sessions) <= sessions
    assert rows_of(tmp_path) == serial
    assert len(list(read_rows(tmp_path))) == 16


def test_it_can_be_watched_paused_and_cancelled_from_another_thread():
    said = small(trials=5000)
    harness = Harness(said)
    paused = threading.Event()

    def rest(row):
        if row.index == 30:
            harness.pause()
            paused.set()

    harness.told = rest
    assert harness.progress.remaining is None
    thread = threading.Thread(target=harness.run)
    thread.start()
    try:
        assert paused.wait(60)
        assert harness.summary().done == 31
        assert harness.progress.remaining > 0
        time.sleep(0.02)
        assert harness.progress.done == 31  # nothing is begun
        harness.go_on()
        wait_until(lambda: harness.progress.done > 31)
    finally:
        harness.cancel()
        thread.join(60)
    assert not thread.is_alive()
    assert 31 < harness.progress.done < len(said)
    assert harness.summary().done == harness.progress.done
    assert harness.control.rested >= 0.02


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


# -- failures ------------------------------------------------------------------------------------------------------

UNMEETABLE = """
trials = 3
[[instance]]
family = "paper-hard"
d_star = 3
epsilon = 0.3
[[instance]]
family = "sphere"
D = 12
d_star = 2
n = 6
min_gap = 1.9
[[algorithm]]
name = "rage"
max_samples = 2000
"""


def test_a_trial_that_fails_is_kept_with_its_seed_and_error_and_the_rest_goes_on(tmp_path):
    said = parse_specification(UNMEETABLE, "unmeetable", rehearse=False)
    harness = ran(tmp_path, said=said)
    rows = rows_of(tmp_path)
    assert [bool(row.error) for row in rows] == [False, True] * 3
    assert all("min_gap = 1.9 was not reached" in row.error for row in rows[1::2])
    assert [row.seed for row in rows] == [said.trial(index).seed for index in range(6)]
    assert harness.progress.failed == 3
    good, bad = harness.summary().cells
    assert (good.failed, good.success.total) == (0, 3)
    assert (bad.failed, bad.success.count, bad.success.total) == (3, 0, 3)  # not dropped
    assert (bad.measured["tau"].censored, bad.measured["tau"].median.value) == (3, float("inf"))
    assert [row.index for row in harness.summary().failures] == [1, 3, 5]
    again = ran(tmp_path, resume=True, said=said)
    assert again.progress.before == 6  # what failed is done


def test_what_is_lost_on_the_way_is_no_row_and_what_a_worker_died_of_is_one():
    """A scheduler that dies while a row is fetched: Dask's future is finished, and its result is not to be had."""
    for status, error in (("finished", CommClosedError("in <TCP>")), ("cancelled", CancelledError())):
        with pytest.raises(Lost):
            list(run_trials([small().trial(0)], OneEnd(status, error)))
    with pytest.raises(Lost):  # whatever the executor is
        list(run_trials([small().trial(0)], OneEnd("error", CommClosedError("in <TCP>"))))
    (row,) = run_trials([small().trial(0)], OneEnd("error", KilledWorker("key", SimpleNamespace(address="tcp://x"), 4)))
    assert row.error.startswith("KilledWorker")


class OneEnd(Executor):
    """All that it is handed ends like a future of Dask with this status."""

    def __init__(self, status, error):
        self.theirs = SimpleNamespace(status=status, done=lambda: True, release=lambda: None)
        self.error = error

    async def gather(self, theirs, asynchronous):
        raise self.error

    def submit(self, work, /, *arguments, **named):
        ours = Future()
        asyncio.run(_hand_over(self, self.theirs, ours))
        return ours


def test_what_failed_is_run_again_if_asked_for_and_its_new_row_counts(tmp_path, serial):
    with Recorder(tmp_path, small(), "a test") as recorder:
        for row in serial[:6]:
            recorder.add(failed(small().trial(row.index), "it broke") if row.index in (1, 4) else row)
    assert ran(tmp_path, resume=True).progress.failed == 2
    with Recorder(tmp_path, small(), "a test", resume=True, retry=True) as recorder:
        harness = Harness(small(), None, recorder)
        assert (harness.progress.before, harness.run().failed) == (14, 0)
    whole = Measures(small()).extend(serial).summary().as_dict()
    for summary in (harness.summary(), read_results(tmp_path).measures.summary()):
        assert without_times(summary.as_dict()) == without_times(whole)
        assert summary.failures == ()


def without_times(said):
    """What a summary says, but for the times of its trials."""
    return said | {
        "cells": [{k: v for k, v in cell.items() if k not in ("runtime", "seconds")} for cell in said["cells"]]
    }


class OneByOne(ThreadPoolExecutor):
    """An executor that does its first task at once, and the others only after an event."""

    def __init__(self, event):
        super().__init__(1)
        self._event, self._given = event, 0

    def submit(self, call, /, *given, **named):
        self._given += 1
        return super().submit(self._do, self._given == 1, call, *given, **named)

    def _do(self, first, call, *given, **named):
        assert first or self._event.wait(60)
        return call(*given, **named)


def test_rows_that_came_before_the_executor_was_lost_are_kept(tmp_path, serial):
    shut = threading.Event()

    def lose(row):
        pool.shutdown(wait=False, cancel_futures=True)
        shut.set()

    with OneByOne(shut) as pool, pytest.raises(Lost):
        ran(tmp_path, pool, told=lose)
    kept = rows_of(tmp_path)
    assert 1 <= len(kept) < 16
    ran(tmp_path, resume=True)
    assert rows_of(tmp_path) == serial


def test_a_full_disk_ends_it_with_a_sentence_and_keeps_what_was_written(tmp_path, monkeypatch):
    def full(self, row):
        if row.index == 5:
            raise InputError("Cannot write rows.jsonl: no space left on device.")
        add(self, row)

    add = Recorder.add
    monkeypatch.setattr(Recorder, "add", full)
    with pytest.raises(InputError, match="no space left"):
        ran(tmp_path)
    assert [row.index for row in rows_of(tmp_path)] == [0, 1, 2, 3, 4]


def test_a_specification_can_be_run_without_a_folder(serial):
    harness = Harness(small())
    harness.run()
    assert isinstance(harness.specification, Specification)
    assert harness.summary().done == 16
    assert sum(cell.success.count for cell in harness.summary().cells) == sum(bool(row.correct) for row in serial)
