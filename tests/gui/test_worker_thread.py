"""The thread for jobs of a window: what it does in which order, who is told where, and that nothing is left of it."""

import threading
import time

import pytest

from gems_gui.background.worker_thread import WorkerThread


@pytest.fixture
def worker(qapp):
    made = WorkerThread("a test")
    yield made
    made.close()


def here():
    return threading.current_thread().name


def test_jobs_run_one_after_another_and_are_told_in_the_thread_of_the_window(worker, qtbot):
    said = []
    for number in range(3):
        worker.do(lambda number=number: (number, here()), lambda found: said.append((*found, here())))
    qtbot.waitUntil(lambda: not worker.busy)
    assert said == [(number, "a test", "MainThread") for number in range(3)]
    assert "a test" not in [each.name for each in threading.enumerate()]
    worker.do(lambda: 3, said.append)
    qtbot.waitUntil(lambda: said[-1] == 3)


def test_a_job_begins_at_its_time_and_another_with_its_key_takes_its_place(worker, qtbot):
    done, began = [], time.monotonic()
    worker.do(lambda: done.append("late"), key="record", at=began + 100)
    worker.do(lambda: done.append("soon"), key="record", at=began + 0.1)
    worker.do(lambda: done.append("now"))
    qtbot.waitUntil(lambda: not worker.busy)
    assert done == ["now", "soon"]
    assert time.monotonic() - began >= 0.1


def test_the_time_of_a_job_that_is_replaced_holds_if_it_is_earlier(worker, qtbot):
    done, began = [], time.monotonic()
    worker.do(lambda: done.append("first"), key="record", at=began + 0.1)
    worker.do(lambda: done.append("second"), key="record", at=began + 100)
    qtbot.waitUntil(lambda: not worker.busy)
    assert done == ["second"]


def test_after_a_job_it_rests_as_long_as_the_job_says(worker, qtbot):
    times = []
    worker.do(lambda: (times.append(time.monotonic()), worker.rest(0.1)))
    worker.do(lambda: times.append(time.monotonic()))
    qtbot.waitUntil(lambda: not worker.busy)
    assert times[1] - times[0] >= 0.1


@pytest.mark.parametrize("drop", [False, True])
def test_closing_finishes_what_waits_or_drops_it_and_never_waits_for_what_is_to_come(qapp, drop):
    done, begun, go = [], threading.Event(), threading.Event()
    worker = WorkerThread("a test")
    worker.do(lambda: (begun.set(), go.wait(10), worker.rest(100), done.append("under way")))
    worker.do(lambda: done.append("waits"), done.append)
    worker.do(lambda: done.append("to come"), at=time.monotonic() + 100)
    assert begun.wait(10)  # otherwise there is nothing under way
    threading.Timer(0.05, go.set).start()
    worker.close(drop=drop)
    worker.do(lambda: done.append("too late"))
    assert done == (["under way"] if drop else ["under way", "waits"])
    assert "a test" not in [each.name for each in threading.enumerate()]
    worker.deliver()  # who closes may want to hear it now
    assert done[-1] is None or drop
    assert not worker.busy


def test_what_a_job_raises_is_raised_in_the_thread_of_the_window_and_the_next_is_done(worker, qtbot):
    said = []
    with qtbot.captureExceptions() as raised:
        worker.do(lambda: 1 / 0, said.append)
        worker.do(lambda: "done", said.append)
        qtbot.waitUntil(lambda: not worker.busy)
    assert [each[0] for each in raised] == [ZeroDivisionError]
    assert said == ["done"]
