"""How smooth the window is: event-loop delay, repaints and the engine's speed, idle and flat out, in one run.

    python tests/bench/bench_window.py [--seconds 8]

The window is 1920 × 1080, on Qt's offscreen platform unless another is given; every visible plot really paints, and its
paint events are counted. The engine runs live on `sphere` with 200 arms in R^50, then with 1,000 arms; its speed is
compared with that of the same worker process without a window.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np
from PySide6.QtCore import QElapsedTimer, QEvent, QEventLoop, QObject, QSettings, Qt, QTimer

from gems_engine.gallery import make
from gems_engine.terminal import number, table
from gems_gui.run_request import RunRequest
from gems_gui.showing import application

FOUR = ("survivors", "dimension", "weights", "counts")
"""The plots that the program is named for."""
BEAT = 4  # milliseconds between two heartbeats

# A run that goes on: a large base makes the schedule long, and the cap is out of reach.
PARAMETERS = {"max_samples": 10**15, "max_loops": 200}


class Heartbeat(QObject):
    """Notes how late a precise timer of 4 ms fires: that is how long a click would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.delays: list[float] = []
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._clock.start()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _beat(self) -> None:
        self.delays.append(max(0.0, self._clock.nsecsElapsed() / 1e6 - BEAT))
        self._clock.restart()


class PaintCounter(QObject):
    """Counts the paint events of widgets."""

    def __init__(self, widgets: dict[str, QObject]) -> None:
        super().__init__()
        self._names = {id(widget): name for name, widget in widgets.items()}
        self.counts = dict.fromkeys(widgets, 0)
        for widget in widgets.values():
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.counts[self._names[id(watched)]] += 1
        return False


def wait(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def wait_until(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("waited too long")
        wait(0.02)


def measure(window, seconds: float) -> dict[str, object]:
    """Delays and repaints per second of each visible plot over some seconds."""
    beat = Heartbeat()
    plots = {name: view.plot.viewport() for name, view in window.board.views.items() if view.body.isVisible()}
    paints = PaintCounter(plots)
    rounds = len(window.workspace.playback.history.rounds) if window.workspace.playback else 0
    began = time.perf_counter()
    beat.start()
    wait(seconds)
    beat.stop()
    took = time.perf_counter() - began
    after = len(window.workspace.playback.history.rounds) if window.workspace.playback else 0
    for widget in plots.values():
        widget.removeEventFilter(paints)
    return {
        "delays": np.array(beat.delays),
        "paints": {name: count / took for name, count in paints.counts.items()},
        "rounds": (after - rounds) / took,
    }


ALONE = """
import sys, time
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.blas import one_blas_thread
arms, D, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
run = Run(make("sphere", n=arms, D=D, seed=0), "fixed-confidence", 1, max_samples=10**15, max_loops=200)
with one_blas_thread():
    for _ in range(20):
        next(run)
    rounds, began = 0, time.perf_counter()
    for event in run:
        rounds += event.kind in ("eliminated", "idle rounds")
        if time.perf_counter() - began > seconds:
            break
print(rounds / (time.perf_counter() - began))
"""


def alone(arms: int, D: int, seconds: float) -> float:
    """Rounds per second of the engine in a process with nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(arms), str(D), str(seconds)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    seconds = parser.parse_args().seconds
    application()
    with tempfile.TemporaryDirectory() as folder:  # nobody's own settings: sizes and layouts are part of the measure
        QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, folder)
        report(seconds)


def report(seconds: float) -> None:
    """The table."""
    from gems_gui.window import MainWindow

    window = MainWindow()
    window.resize(1920, 1080)
    window.show()
    wait_until(lambda: window.drafting.assumptions is not None)
    rows = []
    idle = measure(window, min(seconds, 4.0))
    rows.append(row("idle, no run", idle, None))
    for arms, D, names in ((200, 50, FOUR), (200, 50, None), (1000, 50, None)):
        for name, dock in window.board.docks.items():
            if names is not None and name not in names:
                dock.hide()
        if names is None:
            window.board.reset()
        wait(0.5)
        speed = alone(arms, D, seconds)
        instance = make("sphere", n=arms, D=D, seed=0)
        window.workspace.start(RunRequest(instance, "fixed-confidence", 1, PARAMETERS))
        window.workspace.playback.run_to_end()
        window.workspace.refresh()
        playback = window.workspace.playback
        wait_until(lambda playback=playback: len(playback.history.rounds) > 2)
        busy = measure(window, seconds)
        rows.append(row(f"flat out, {arms} arms, D = {D}, {len(busy['paints'])} plots", busy, busy["rounds"] / speed))
        window.workspace.stop()
        wait_until(lambda: not window.engine.running)
    header = [
        "",
        "delay 50 %",
        "95 %",
        "99 %",
        "max (ms)",
        "repaints/s, slowest plot",
        "rounds/s",
        "of its speed alone",
    ]
    print(table(header, rows, left=1))
    window.close_without_asking()


def row(name: str, found: dict[str, object], share: float | None) -> list[str]:
    delays = found["delays"]
    quantiles = [number(float(np.quantile(delays, q)), 3) for q in (0.5, 0.95, 0.99, 1.0)]
    paints = found["paints"]
    slowest = min(paints, key=paints.get)
    return [
        name,
        *quantiles,
        f"{number(paints[slowest], 3)} ({slowest})",
        number(found["rounds"], 3),
        "–" if share is None else f"{share:.0%}",
    ]


if __name__ == "__main__":
    main()
