"""How long until the window is painted, against a bare PySide6 + pyqtgraph window in the same run.

    python tests/bench/bench_start.py [--times 7]

Each start is a new process, measured from its creation to the first paint event of the window that has been handled;
the two kinds take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

from gems_engine.terminal import number, table

WATCH = """
import sys
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
        print("painted", flush=True)
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
from gems_gui.showing import application
app = application()
from gems_gui.window import open_window
window = open_window()
watch = FirstPaint(window)
window.resize(1440, 900)
window.show()
app.exec()
"""
)


def start(code: str) -> float:
    """Seconds from the creation of a process to its first painted window."""
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip() != "painted":
            if process.poll() is not None:
                raise SystemExit("the window did not open")
        return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=7)
    times = parser.parse_args().times
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    start(BARE), start(OURS)  # files into the cache
    pairs = [(start(BARE), start(OURS)) for _ in range(times)]
    bare, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratios = statistics.median(b / a for a, b in pairs)
    rows = [
        ["bare PySide6 + pyqtgraph", number(bare * 1e3, 3), "1"],
        ["GEMS Lab", number(ours * 1e3, 3), number(ratios, 3)],
    ]
    print(table(["first painted window", "ms", "ratio"], rows, left=1))


if __name__ == "__main__":
    main()
