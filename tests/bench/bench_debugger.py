"""What a step of a drag costs in the design debugger: processor time until value, proof and pictures follow.

    python -m tests.bench.bench_debugger [--steps 40]

The weight of an arm is dragged to and fro through the real panel, every picture of it really painted. Three times are
told: the numbers alone (value, worst pair, certificate, norms of all pairs, spectrum, rounding), with the pictures
updated, and with all of them painted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from PySide6.QtWidgets import QApplication

from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.terminal import number, table
from gems_gui.analysis.inquiry import Inquiry, reweighted
from gems_gui.application import application
from tests.bench.bench_window import wait_until

SIZES = ((100, 25), (200, 50), (500, 50), (1000, 50))


def numbers(debugger, arm: int, share: float) -> float:
    """Seconds of processor time for all numbers of one step."""
    subject, study = debugger.subject, debugger.study
    began = time.process_time()
    weights = reweighted(study.main.examination.weights, arm, share)
    from gems_engine.design.examination import examine

    seen = examine(subject.problem, weights, (study.solved.design,))
    assert seen.norms.max() > 0.0
    from gems_engine.rounding import allocate

    allocate(subject.problem, weights, study.pulls, subject.zeta, seen.value)
    return time.process_time() - began


def step(debugger, panel, arm: int, share: float) -> tuple[float, float]:
    """Seconds of processor time of a step: up to the updated pictures, and up to the painted ones.

    As in the window: the event loop gives each picture its turn and paints it.
    """
    began = time.process_time()
    debugger.drag(arm, share)
    while not panel.grid.settled:
        QApplication.processEvents()
    updated = time.process_time() - began
    QApplication.processEvents()
    return updated, time.process_time() - began


def report(steps: int) -> None:
    """The table."""
    from gems_gui.window import MainWindow

    window = MainWindow(in_thread=True)
    window.resize(1440, 900)
    window.show()
    wait_until(lambda: window.board.ready)
    rows = []
    for arms, d in SIZES:
        instance = make("sphere", D=d, d_star=5, n=arms, seed=1)
        trace = Run(instance, "fixed-confidence", 1, max_samples=1000).finish()
        window.workbench.open(trace, "run.gems")
        window.designs.debug_design(True)
        panel, debugger = window.designs.panel, window.designs.debugger
        wait_until(lambda g=debugger, n=arms: g.snapshot is not None and len(g.snapshot.instance.arms) == n)
        debugger.ask(Inquiry(chosen=tuple(range(arms)), d=d))
        wait_until(lambda p=panel, g=debugger: g.study is not None and not g.waits and p.grid.settled)
        QApplication.processEvents()
        arm = int(debugger.study.solved.examination.support[0])
        alone, updated, painted = [], [], []
        for at in range(steps):
            share = 0.02 + 0.2 * abs((at % 20) - 10) / 10
            alone.append(numbers(debugger, arm, share))
            both = step(debugger, panel, arm, share)
            updated.append(both[0])
            painted.append(both[1])
            QApplication.processEvents()
        rows.append([number(arms), number(d), *(milliseconds(each) for each in (alone, updated, painted))])
    print(table(["arms", "d", "numbers", "pictures updated", "and painted"], rows))
    window.close_without_asking()


def milliseconds(seconds: list[float]) -> str:
    """Median and largest."""
    return f"{number(1e3 * statistics.median(seconds), 3)} ms (most {number(1e3 * max(seconds), 3)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40)
    steps = parser.parse_args().steps
    application()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        report(steps)


if __name__ == "__main__":
    main()
