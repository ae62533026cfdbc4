"""How long a preset takes until something is shown: chosen and run by keys, in the layout Explore, fastest of three.

    python -m tests.bench.bench_presets

"Plane" is the time from the choice until the plane shows the arms, "views" that from Ctrl+R until the views show the
run and nothing is left to paint. The aim is one second for each. The last column compares with the first preset.
"""

from __future__ import annotations

import os
import tempfile
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gems_engine.terminal import table
from gems_gui.application import application
from gems_gui.drafts.presets import PRESETS
from tests.bench.bench_window import wait_until
from tests.gui.window_driver import choose_by_keys


def measured(window, preset) -> tuple[float, float]:
    """Seconds until the plane shows the arms of a preset, and until the views show its run."""
    box, drafts, plane, work = window.form.presets, window.workbench.drafts, window.auto_run.plane, window.workbench
    box.setFocus()
    began = time.perf_counter()
    choose_by_keys(box, Qt.Key.Key_Home, *[Qt.Key.Key_Down] * box.findData(preset.name))
    wait_until(lambda: box.currentData() == preset.name and drafts.instance is not None)
    wait_until(lambda: len(plane.series.arms) == len(drafts.instance.arms))
    chosen = time.perf_counter() - began
    window.activateWindow()
    wait_until(window.isActiveWindow)
    before, views = work.active, window.board.views
    began = time.perf_counter()
    QTest.keyClick(box, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: work.active is not before)
    wait_until(
        lambda: views["survivors"].snapshot is not None and views["survivors"].snapshot.trace is work.active.trace
    )
    wait_until(lambda: window.board.settled)
    shown = time.perf_counter() - began
    window.action_set["stop"].trigger()
    wait_until(lambda: work.playback.ended)
    return chosen, shown


def main() -> None:
    application()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        from gems_gui.window import open_window

        window = open_window(preset="paper-hard")
        window.resize(1440, 900)
        window.show()
        wait_until(lambda: window.workbench.drafts.instance is not None and window.board.ready)
        presets = [each for each in PRESETS.values() if not each.race]  # a race has lanes instead
        tries = [[measured(window, preset) for preset in presets] for _ in range(3)]
        rows = [
            (preset.title, *(min(each) for each in zip(*times, strict=True)))
            for preset, times in zip(presets, zip(*tries, strict=True), strict=True)
        ]
        window.close_without_asking()
    print(
        table(
            ("preset", "plane", "views", "compared"),
            [
                (title, f"{1e3 * plane:.0f} ms", f"{1e3 * views:.0f} ms", f"{views / rows[0][2]:.2f}")
                for title, plane, views in rows
            ],
            left=1,
        )
    )


if __name__ == "__main__":
    main()
