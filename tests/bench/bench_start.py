"""How long until the window is painted, against a bare PySide6 + pyqtgraph window in the same run; and command lines.

    python -m tests.bench.bench_start [--times 9]
    python -m tests.bench.bench_start --release ../release    command lines, against release 0.1.0 in a checkout

Each start is a new process, measured from its creation to the first paint event of the window that has been handled;
the two kinds take turns. Both find compiled modules, as an installed program does: where the environment forbids Python
to write them, a checkout would be compiled at each start, and pyqtgraph would not. Next to the elapsed time is
that of the processor, which other programs on the machine hardly change.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gems_engine.terminal import mark, number, table
from tests.bench.release import command, in_turns

WATCH = """
import sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

class FirstPaint(QObject):
    def __init__(self, window):
        super().__init__()
        self.window = window
        QApplication.instance().installEventFilter(self)
        self.seen = False
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not self.seen:
            self.seen = True
            QTimer.singleShot(0, self.done)
        return False
    def done(self):
        print("painted", time.process_time(), flush=True)
        self.window.close()
        QApplication.quit()
"""
BARE = (
    WATCH
    + """
app = QApplication([])
import pyqtgraph as pg
from PySide6.QtWidgets import QMainWindow
window = QMainWindow()
plot = pg.PlotWidget()
plot.plot([1, 2, 3])
window.setCentralWidget(plot)
watch = FirstPaint(window)
window.resize(1440, 900)
window.show()
app.exec()
"""
)
OURS = (
    WATCH
    + """
from gems_gui.application import application
from gems_gui.gc_timer import GcTimer
app = application()
collector = GcTimer(app)
from gems_gui.window import open_window
window = open_window()
watch = FirstPaint(window)
window.resize(1440, 900)
window.show()
app.exec()
"""
)


def start(code: str, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds from the creation of a process to its first painted window, on the wall and of its processor."""
    began = time.perf_counter()
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("painted"):
                return time.perf_counter() - began, float(line.split()[1])
    raise SystemExit("the window did not open")


COMMANDS = (("--help",), ("run", "paper-hard"), ("design", "paper-hard"))
"""Words of `gems`."""


def against_the_release(release: Path, times: int) -> None:
    """Command lines from the creation of a process to its end."""
    print(f"A command from start to end against release 0.1.0, medians of {times}\n")
    print("| command | wall: 0.1.0 | ours | ratio | processor: 0.1.0 | ours | ratio |\n|---|---|---|---|---|---|---|")
    for words in COMMANDS:
        old, new, ratio = in_turns(release, command(*words), times)
        cells = [
            f"{old[clock]:.2f} s | {new[clock]:.2f} s | **{ratio[clock]:.1f}×**" for clock in ("wall", "processor")
        ]
        print(f"| gems {' '.join(words)} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--release", type=Path, help="a checkout of release 0.1.0: print only the table against it")
    arguments = parser.parse_args()
    times = arguments.times
    if arguments.release:
        against_the_release(arguments.release.resolve(), times)
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "XDG_CONFIG_HOME": folder}  # default settings
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for code in (BARE, OURS):
            start(code, environment)  # files into the cache, compiled
        pairs = [(start(BARE, environment), start(OURS, environment)) for _ in range(times)]
    rows = []
    for name, which in (("bare PySide6 + pyqtgraph", 0), ("GEMS Lab", 1)):
        cells = [name]
        for clock in (0, 1):
            spent = statistics.median(pair[which][clock] for pair in pairs)
            ratio = statistics.median(pair[which][clock] / pair[0][clock] for pair in pairs)
            cells += [number(1e3 * spent, 3), number(ratio, 3)]
        rows.append([*cells, mark(statistics.median(pair[which][0] / pair[0][0] for pair in pairs) <= 2.0)])
    print(table(["first painted window", "ms", "ratio", "processor's ms", "ratio", "≤ 2"], rows, left=1))


if __name__ == "__main__":
    main()
