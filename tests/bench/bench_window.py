"""How smooth the window is: event-loop delay, new pictures and the engine's speed, idle and flat out, in one run.

    python -m tests.bench.bench_window [--seconds 8]
    python -m tests.bench.bench_window --release ../release    from Run to the first round, against release 0.1.0

The window is 1920 × 1080, on Qt's offscreen platform unless another is given; every visible plot really paints. The
engine computes live on `sphere` with 200 arms in R^50, then with 1,000 arms: one run after the other, each with another
seed, since a run with 200 arms is over after two seconds. At last the race is played while its seeds are computed.

A picture counts when a view has painted a snapshot that it had not painted before. A view that is given a snapshot
which looks to it like the last one paints nothing: both are counted, and a plot has to get as many turns as there are
new snapshots, or 15 in a second. The engine's speed is the time that the same worker needs without a window for
exactly the rounds that it computed with it. Next to it is the processor time of both, and of each plot: other
programs on the machine hardly change that.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np
from PySide6.QtCore import QObject

from gems_engine.gallery import make
from gems_engine.terminal import mark, number, table
from gems_gui.application import application
from gems_gui.drafts.run_request import RunRequest
from gems_gui.workbench.changes import Change, Field
from tests.bench.gauges import Heartbeat, Pictures, Watch, wait, wait_until, worker_seconds
from tests.bench.release import in_turns, script

FOUR = ("survivors", "dimension", "weights", "counts")
"""The plots that the program is named for."""
FLUENT = 15.0
"""Pictures per second that a changing plot owes."""
CASES = ((200, "explore", FOUR, 33.0), (200, "explore", None, 33.0), (200, "debug", None, 33.0))
MANY = (1000, "explore", None, 100.0)
"""Arms, layout, which of its views are in sight, and the delay that 99 of 100 clicks may have, in milliseconds."""
D = 50
FEW = 50  # rounds that say nothing about a speed
PARAMETERS = {"max_samples": 10**15, "max_loops": 200}

ALONE = """
import sys, time
from gems_engine.blas import one_blas_thread
from gems_engine.gallery import make
from gems_engine.running import Run
arms, D, rounds = map(int, sys.argv[1:])
instance, seed, began, worked = make("sphere", n=arms, D=D, seed=0), 0, time.perf_counter(), time.process_time()
with one_blas_thread():
    while rounds > 0:
        seed += 1
        for event in Run(instance, "fixed-confidence", seed, max_samples=10**15, max_loops=200):
            if event.kind in ("eliminated", "idle rounds"):
                print(time.perf_counter() - began, time.process_time() - worked)
                rounds -= 1
                if not rounds:
                    break
"""

FIRST_ROUND = """
import json, os, sys, tempfile, time
with tempfile.TemporaryDirectory() as folder:
    os.environ["XDG_CONFIG_HOME"] = folder
    from gems_engine.gallery import make
    try:
        from gems_gui.application import application
        from gems_gui.drafts.run_request import RunRequest
    except ImportError:  # their names in the release
        from gems_gui.showing import application
        from gems_gui.background.run_request import RunRequest
    application()
    from gems_gui.window import open_window
    from tests.bench.gauges import wait, wait_until, worker_seconds
    arms, D = map(int, sys.argv[1:])
    request = RunRequest(make("sphere", n=arms, D=D, seed=0), "rage", 1, {"max_samples": 10**15})
    window = open_window(preset="paper-hard")
    window.resize(1920, 1080)
    window.show()
    work = window.workbench if hasattr(window, "workbench") else window.workspace
    drafts = work.drafts if hasattr(work, "drafts") else window.drafting  # its name in the release
    wait_until(lambda: drafts.assumptions is not None)
    wait(1.0)
    worked, began = worker_seconds(window), time.perf_counter()
    work.start(request)
    if hasattr(work, "control"):
        work.control(lambda playback: playback.run_to_end())
    else:
        work.playback.run_to_end()
        work.refresh()
    wait_until(lambda: (work.playback.history.rounds.decided >= 0).any(), 900.0)
    print(json.dumps({"wall": time.perf_counter() - began, "worker": worker_seconds(window) - worked}), flush=True)
    work.stop()
    wait_until(lambda: not window.engine.running)
    window.close_without_asking()
"""
"""From Run to the first elimination that the window knows of: on the wall, and of the engine's processor."""


def against_the_release(release: Path) -> None:
    """RAGE on many arms, as a person starts it."""
    print("From Run to the first round in the window, RAGE on sphere, against release 0.1.0\n")
    print("| arms × D | wall: 0.1.0 | ours | ratio | engine's processor: 0.1.0 | ours | ratio |")
    print("|---|---|---|---|---|---|---|")
    for arms, dimension in ((500, 50), (2000, 50)):
        old, new, ratio = in_turns(release, script(FIRST_ROUND, arms, dimension), 1, script(FIRST_ROUND, 50, 5))
        cells = [f"{old[clock]:.2f} s | {new[clock]:.2f} s | **{ratio[clock]:.1f}×**" for clock in ("wall", "worker")]
        print(f"| {arms:,} × {dimension} | {' | '.join(cells)} |", flush=True)


class Runs(QObject):
    """Runs that follow each other without a pause, and how many rounds there were in all of them."""

    def __init__(self, window, arms: int) -> None:
        super().__init__()
        self._work = window.workbench
        self._instance = make("sphere", n=arms, D=D, seed=0)
        self._seed = 0
        self._before = 0
        self._going = True
        self._following = self._work.subscribe(self._ended, Field.RUNS)
        self._next()

    def _ended(self, change: Change) -> None:
        if change.ended:
            self._next()

    def _next(self) -> None:
        if not self._going:
            return
        if self._seed:
            self._before += self._rounds()
        self._seed += 1
        self._work.start(RunRequest(self._instance, "fixed-confidence", self._seed, PARAMETERS), to_the_end=True)

    def _rounds(self) -> int:
        decided = self._work.playback.history.rounds.decided  # as those are counted which compute alone
        return int(np.count_nonzero(decided >= 0))

    @property
    def rounds(self) -> int:
        return self._before + self._rounds()

    def stop(self) -> None:
        self._going = False
        self._following.cancel()
        self._work.stop()


@dataclass
class Measured:
    """What was found in some seconds; times of processors are in seconds."""

    took: float
    delays: np.ndarray
    views: dict[str, Pictures]
    moments: int
    rounds: tuple[int, int]
    window: float
    process: float
    worker: float

    def owed(self) -> float:
        """Turns per second that each plot owes."""
        return min(FLUENT, self.moments / self.took)

    def slowest(self) -> str:
        return min(self.views, key=lambda name: self.views[name].turns)


class Moments(QObject):
    """Counts what there is to show."""

    def __init__(self, workbench) -> None:
        super().__init__()
        self.count = 0
        self.following = workbench.subscribe(self._changed, Field.SNAPSHOT)

    def _changed(self, change) -> None:
        self.count += 1


def measure(window, seconds: float, runs: Runs | None) -> Measured:
    """Watch a window for some seconds."""
    beat, moments = Heartbeat(), Moments(window.workbench)
    watch = Watch({name: view for name, view in window.board.views.items() if view.body.isVisible()})
    rounds = runs.rounds if runs else 0
    worker, process, window_thread, began = (
        worker_seconds(window),
        time.process_time(),
        time.thread_time(),
        time.perf_counter(),
    )
    beat.start()
    wait(seconds)
    beat.stop()
    took = time.perf_counter() - began
    watch.release()
    moments.following.cancel()
    return Measured(
        took,
        np.array(beat.delays),
        watch.seen,
        moments.count,
        (rounds, runs.rounds if runs else 0),
        time.thread_time() - window_thread,
        time.process_time() - process,
        worker_seconds(window) - worker,
    )


def alone(arms: int, rounds: tuple[int, int]) -> tuple[float, float]:
    """What the same rounds of the same runs take in a process with nothing else, on the wall and of its processor."""
    first, last = rounds
    command = [sys.executable, "-c", ALONE, str(arms), str(D), str(last)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    times = np.array([line.split() for line in done.stdout.splitlines()], dtype=float)
    wall, processor = times[last - 1] - times[first - 1]
    return float(wall), float(processor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--release", type=Path, help="a checkout of release 0.1.0: print only the table against it")
    arguments = parser.parse_args()
    if arguments.release:
        against_the_release(arguments.release.resolve())
        return
    seconds = arguments.seconds
    application()
    with tempfile.TemporaryDirectory() as folder:  # default settings: sizes and layouts are part of the measure
        os.environ["XDG_CONFIG_HOME"] = folder
        report(seconds)


def report(seconds: float) -> None:
    """The tables."""
    from gems_gui.window import open_window

    window = open_window(preset="paper-hard")  # without the welcome page, in which nothing is painted
    window.resize(1920, 1080)
    window.show()
    wait_until(lambda: window.workbench.drafts.assumptions is not None)
    wait(1.0)
    rows = [row("idle, no run", measure(window, min(seconds, 4.0), None), 33.0)]
    plots: dict[str, list[str]] = {}
    for arms, layout, names, bound in (*CASES, MANY):
        window.layouts.choose(layout)
        for name, dock in window.board.docks.items():
            if names is not None and name not in names:
                dock.hide()
        wait(1.0)
        runs = Runs(window, arms)
        wait_until(lambda runs=runs: runs.rounds > 0)
        found = measure(window, seconds, runs)
        runs.stop()
        wait_until(lambda: not window.engine.running)
        title = f"{arms} arms, {layout}, {len(found.views)} views"
        rows.append(row(title, found, bound, *alone(arms, found.rounds)))
        for name, seen in found.views.items():
            cells = (seen.turns / found.took, seen.new / found.took, *per_picture(seen))
            plots.setdefault(name, [name, "", "", "", ""])
            if arms == 200:
                plots[name] = [name, *(number(each, 3) for each in cells)]
    window.start_preset("race")
    wait_until(lambda: window.race.racing is not None and window.race.racing.playback.over is False)
    window.workbench.control(lambda playback: playback.repeat(True))
    wait_until(lambda: window.race.seeds.busy)
    found = measure(window, seconds, None)
    rows.append(row(f"race, {len(found.views)} views, seeds computed", found, 33.0))
    print(table(HEADER, rows, left=1))
    print(RULE)
    print(table(PLOTS, [*plots.values()], left=1))
    window.close_without_asking()


RULE = """✓ ✗: 99 of 100 clicks wait less than 33 ms (100 ms with 1,000 arms); the slowest view gets a turn for each
moment, or 15 in a second; the engine keeps at least 70 % of its speed.
"""
PLOTS = ["200 arms", "turns/s", "pictures/s", "CPU to get ready (ms)", "CPU to paint (ms)"]
HEADER = [
    "flat out on sphere, D = 50",
    "delay 50 %",
    "99 %",
    "max (ms)",
    "",
    "moments/s",
    "turns/s of the slowest",
    "",
    "rounds/s",
    "of its speed alone",
    "",
    "window's thread CPU",
    "its process",
    "worker's CPU per round, of that alone",
]


def per_picture(seen: Pictures) -> tuple[float, float]:
    """Milliseconds of processor time for each turn, and for each paint event."""
    return 1e3 * seen.show / max(1, seen.turns), 1e3 * seen.paint / max(1, seen.paints)


def row(name: str, found: Measured, bound: float, spent: float | None = None, worked: float | None = None) -> list[str]:
    half, late, most = (float(np.quantile(found.delays, q)) for q in (0.5, 0.99, 1.0))
    cells = [name, *(number(each, 3) for each in (half, late, most)), mark(late < bound)]
    if spent is not None and worked is not None:
        slowest = found.slowest()
        turns, owed, share = found.views[slowest].turns / found.took, found.owed(), spent / found.took
        many = found.rounds[1] - found.rounds[0] >= FEW  # of fewer, the one that is cut off decides
        cells += [
            number(found.moments / found.took, 3),
            f"{number(turns, 3)} ({slowest})",
            mark(turns >= 0.95 * owed if owed < FLUENT else turns >= owed),
            number((found.rounds[1] - found.rounds[0]) / found.took, 3),
            *([f"{share:.0%}", mark(share >= 0.7)] if many else ["–", ""]),
        ]
        return [*cells, *shares(found), f"{found.worker / worked:.0%}" if many and worked else "–"]
    return [*cells, *[""] * 6, *shares(found), ""]


def shares(found: Measured) -> list[str]:
    """Of one processor: what the window's thread takes, and all threads of its process."""
    return [f"{found.window / found.took:.0%}", f"{found.process / found.took:.0%}"]


if __name__ == "__main__":
    main()
