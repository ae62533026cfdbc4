"""The soak: run after run in one window, and a very long one scrubbed from end to end; nothing piles up.

What is counted: memory, open handles, threads, processes and running timers, after the first runs and at the end.
"""

import gc
import os
import random
import threading
import time
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from shiboken6 import isValid

from gems_gui.workbench.workbench import Workbench
from tests.engine.synthetic_runs import small_instance, synthetic_trace
from tests.gui.window_driver import LONG, MIDDLE, driven

KEPT = 3  # runs that stay in the list
MEGABYTE = 2**20


def counted():
    """What there is now, apart from memory."""
    gc.collect()
    return {
        "handles": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "processes": len(psutil.Process().children(recursive=True)),
        "timers": sum(isinstance(each, QTimer) and isValid(each) and each.isActive() for each in gc.get_objects()),
    }


def memory():
    """Bytes of this process and of those that it started."""
    us = psutil.Process()
    return sum(each.memory_info().rss for each in (us, *us.children(recursive=True)))


def settle(driver):
    """Let what is on its way come to rest: at the end, paused, everything deleted that is to be."""
    driver.wait(lambda: driver.run.ending is not None)
    if driver.playback.playing:
        driver.press("Space")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    driver.wait(lambda: True)


def one_run(driver, number, rng):
    """Start, pause, step, scrub, and stop it or let it end."""
    driver.drafts.set_draft((LONG if number % 3 == 0 else MIDDLE).with_text("run.seed", str(number)))
    driver.start()
    driver.wait(lambda: len(driver.trace) > 40)
    for _ in range(6):
        driver.press(rng.choice(["Space", "Right", "Shift+Right", "Ctrl+Right", "Left", "Shift+Left", "L", "]", "["]))
        driver.seek(rng.randrange(len(driver.trace) + 1))
        QCoreApplication.processEvents()
    if number % 3 == 0:
        driver.press("Ctrl+.")
    settle(driver)
    gc.collect()  # as the program does when it is idle; tests collect only at their end
    while len(driver.workbench.runs) > KEPT:
        workbench: Workbench = driver.workbench
        workbench.remove(workbench.runs[0])


def at_rest(driver):
    """What there is when everything is painted and looked through: no timer runs then."""
    driver.wait(lambda: driver.board.settled and counted()["timers"] == 0)
    return counted()


def grown(before, after):
    """What there is more of; a journal that is just being written may have its handle open or not."""
    return {name: (before[name], after[name]) for name in before if after[name] > before[name] + (name == "handles")}


def soak(driver, runs, warm):
    """A number of runs; what was there after the first ones, and at the end."""
    rng = random.Random(5)
    for number in range(warm):
        one_run(driver, number, rng)
    before, bytes_before = at_rest(driver), memory()
    for number in range(warm, runs):
        one_run(driver, number, rng)
    return before, at_rest(driver), memory() - bytes_before


def test_run_after_run_leaves_nothing_behind(qtbot):
    with driven(qtbot, MIDDLE, in_thread=False) as driver:
        before, after, _ = soak(driver, runs=6, warm=3)
    assert grown(before, after) == {}


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_hundred_runs_leave_nothing_behind(qtbot, capsys):
    with driven(qtbot, MIDDLE, in_thread=False) as driver:
        before, after, more = soak(driver, runs=200, warm=30)
    with capsys.disabled():
        print(f"\n200 runs: {before} after the 30th, {after} at the end, {more / MEGABYTE:+.1f} MB")
    assert grown(before, after) == {}
    assert more < 20 * MEGABYTE  # 5 when it was measured


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_ten_minutes_flat_out(qtbot, capsys):
    until = time.monotonic() + 600
    rng = random.Random(6)
    runs = 0
    with driven(qtbot, LONG, in_thread=False) as driver:
        driver.press("]", times=12)
        for number in range(20):
            one_run(driver, number, rng)
        before, bytes_before = at_rest(driver), memory()
        while time.monotonic() < until:
            one_run(driver, 20 + runs, rng)
            runs += 1
        after, more = at_rest(driver), memory() - bytes_before
    with capsys.disabled():
        print(f"\n{runs} runs in ten minutes: {before} at first, {after} at the end, {more / MEGABYTE:+.1f} MB")
    assert grown(before, after) == {}
    assert more < 20 * MEGABYTE  # 5 for 780 runs


def scrubbed(qtbot, trace, stops):
    """Scrub a recorded run from end to end and back; the memory that it took, and the seconds of the slowest place."""
    with driven(qtbot) as driver:
        driver.workbench.open(trace, "", "synthetic")
        driver.wait(lambda: driver.run is not None and driver.trace is trace)
        first, slowest = memory(), 0.0
        for at in [*range(stops + 1), *range(stops, -1, -1)]:
            began = time.thread_time()
            driver.seek(at * len(trace) // stops)
            QCoreApplication.processEvents()
            slowest = max(slowest, time.thread_time() - began)
            assert driver.cursor == at * len(trace) // stops
            assert driver.board.snapshot.cursor == driver.cursor
        return memory() - first, slowest


def test_a_long_trace_is_scrubbed_from_end_to_end(qtbot):
    trace = synthetic_trace(small_instance(), loops=10, subroutines=10, rounds=10)
    assert len(trace.round_starts) >= 1000
    scrubbed(qtbot, trace, stops=8)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_rounds_are_scrubbed_from_end_to_end(qtbot, capsys):
    trace = synthetic_trace(small_instance(), loops=100, subroutines=20, rounds=50)
    assert len(trace.round_starts) >= 100_000
    more, slowest = scrubbed(qtbot, trace, stops=60)
    with capsys.disabled():
        said = f"{more / MEGABYTE:+.1f} MB, slowest place {slowest * 1e3:.0f} ms of the window's own"
        print(f"\n{len(trace.round_starts)} rounds, {len(trace)} events, scrubbed: {said}")
    assert more < 60 * MEGABYTE  # 7 when it was measured
    assert slowest < 0.5


def test_the_counts_see_what_is_left():
    before = counted()
    with Path(os.devnull).open() as left:
        assert counted()["handles"] == before["handles"] + 1
        assert left.readable()
    assert counted() == before
