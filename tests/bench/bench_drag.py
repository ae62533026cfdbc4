"""How quickly a dragged slider redraws: new runs on screen per second, through the real window and its process.

    python -m tests.bench.bench_drag [--seconds 4]

The window is 1440 × 900 with auto-run on, on the preset `paper-hard`. A slider is dragged to and fro, a step for every
frame of 16 ms. What counts is a run that a plot shows and has not shown before (a picture equal to the last one is not
painted again): each run is computed as a whole in the worker process. Next to it are the milliseconds of processor
time that the window's thread and the worker took for each of them, and how late a timer of the window's event loop was.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer

from gems_engine.running import Run
from gems_engine.terminal import mark, number, table
from gems_gui.application import application
from gems_gui.drafts.draft import build_instance
from tests.bench.gauges import Heartbeat, wait, wait_until, worker_seconds

FRAME = 16  # milliseconds
WANTED = 10
"""New runs on screen per second that a drag owes."""
STEPS = {
    "instance.epsilon": range(20, 45),
    "instance.d_star": range(4, 12),
    "algorithm.delta": range(20, 70),
    "run.seed": range(60),
}
"""Places of each slider that are dragged over."""


class NewRuns:
    """Counts the runs that a view has shown."""

    def __init__(self, view) -> None:
        self.runs: list[object] = []
        self._show = type(view).show.__get__(view)
        view.show = self._note

    def _note(self, snapshot) -> None:
        self._show(snapshot)
        if snapshot is not None and (not self.runs or self.runs[-1] is not snapshot.trace):
            self.runs.append(snapshot.trace)


class Hand(QObject):
    """Drags a slider to and fro."""

    def __init__(self, slider, places: range) -> None:
        super().__init__()
        self._slider = slider
        self._way = [*places, *reversed(places)]
        self.steps = 0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME)
        self._timer.timeout.connect(self._step)

    def start(self) -> None:
        self._slider.setSliderDown(True)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        self._slider.setSliderDown(False)

    def _step(self) -> None:
        self._slider.setSliderPosition(self._way[self.steps % len(self._way)])
        self.steps += 1


def alone(draft) -> float:
    """Seconds of one run without a window, the fastest of three."""
    instance = build_instance(draft.source)
    times = []
    for _ in range(3):
        began = time.perf_counter()
        Run(instance, draft.algorithm, draft.seed_value(), **draft.algorithm_values()).finish()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0)
    seconds = parser.parse_args().seconds
    application()
    with tempfile.TemporaryDirectory() as folder:  # default settings: sizes and layouts are part of the measure
        os.environ["XDG_CONFIG_HOME"] = folder
        report(seconds)


def report(seconds: float) -> None:
    """The table."""
    from gems_gui.window import open_window

    window = open_window(preset="paper-hard")
    window.resize(1440, 900)
    window.show()
    wait_until(lambda: window.workbench.drafts.assumptions is not None)
    window.action_set["auto_run"].trigger()
    start, auto = window.workbench.drafts.draft, window.auto_run.auto
    form = window.form
    rows = []
    for key, places in STEPS.items():
        window.workbench.drafts.set_draft(start)
        wait_until(lambda: not auto.busy and window.workbench.active is not None and window.board.settled)
        fields = {**form.instance_form.list.fields, **form.algorithm_form.fields}
        hand, beat = Hand(fields[key].slider, places), Heartbeat()
        seen = NewRuns(window.board.views["survivors"])
        entries = len(window.workbench.runs)
        began, window_began, worker_began = time.perf_counter(), time.thread_time(), worker_seconds(window)
        hand.start()
        beat.start()
        wait(seconds)
        beat.stop()
        hand.stop()
        took = time.perf_counter() - began
        spent = time.thread_time() - window_began, worker_seconds(window) - worker_began
        redraws = (len(seen.runs) - 1) / took
        wait_until(lambda: not auto.busy and not window.workbench.stale)
        assert window.workbench.active.draft == window.workbench.drafts.draft, "the last run is that of the form"
        assert len(window.workbench.runs) == entries, "auto-runs do not pile up"
        middle = start.with_text(key, fields[key].text)
        rows.append(
            [
                fields[key].label_text,
                number(hand.steps / took, 3),
                number(redraws, 3),
                mark(redraws >= WANTED),
                *(number(1e3 * seconds / max(1, len(seen.runs) - 1), 3) for seconds in spent),
                number(1e3 * alone(middle), 3),
                *(number(float(np.quantile(beat.delays, q)), 3) for q in (0.5, 0.99)),
            ]
        )
        del window.board.views["survivors"].show
    header = [
        "slider",
        "steps/s",
        "new runs drawn/s",
        f"≥ {WANTED}",
        "window's thread CPU per run",
        "worker's CPU per run",
        "one run alone (ms)",
        "delay 50 %",
        "99 % (ms)",
    ]
    print(table(header, rows, left=1))
    window.close_without_asking()


if __name__ == "__main__":
    main()
