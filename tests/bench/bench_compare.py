"""How smooth the window is with four runs of 100 arms side by side: delay of the event loop, and what a picture costs.

    python -m tests.bench.bench_compare [--seconds 8]

Four algorithms run on `sphere` with 100 arms in R^20, all with one seed. First the cursor of one of them plays 50
rounds in a second through what is recorded, again and again; then a fifth run is computed while the same goes on. The
layout is "Compare", the window 1920 × 1080. Processor time is shown with the delays: other programs hardly change it.
"""

from __future__ import annotations

import argparse
import os
import tempfile

from gems_engine.gallery import make
from gems_engine.terminal import number, table
from gems_gui.application import application
from gems_gui.drafts.run_request import RunRequest
from gems_gui.workbench.playback import Playback
from tests.bench.bench_window import measure, per_picture, row
from tests.bench.gauges import wait, wait_until

BOUND = 33.0
COMPARED = ("misspecified-best-arm", "fixed-budget", "rage")
CAP = 2_000_000
HEADER = ["four runs, 100 arms", "delay 50 %", "99 %", "max (ms)", "", "window's thread CPU", "its process"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    seconds = parser.parse_args().seconds
    application()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        report(seconds)


def report(seconds: float) -> None:
    """The tables."""
    from gems_gui.window import open_window

    window = open_window(preset="paper-hard")  # without the welcome page, in which nothing is painted
    window.resize(1920, 1080)
    window.show()
    wait_until(lambda: window.workbench.drafts.assumptions is not None)
    work = window.workbench
    instance = make("sphere", n=100, D=20, seed=0)
    first = work.start(RunRequest(instance, "fixed-confidence", 1, {"max_samples": CAP}), to_the_end=True)
    wait_until(lambda: first.playback.ended)
    window.comparison_runs.start(COMPARED)
    wait_until(lambda: not window.comparison_runs.runs.busy, 300.0)
    window.layouts.choose("compare")
    wait(1.0)
    first.playback.loop = (0, None)
    first.playback.seek(0)
    first.playback.set_speed(50.0)
    work.control(Playback.play)
    rows, costs = [], []
    for words, requests in (("played", []), ("played, another computed", [COMPARED[0]])):
        window.comparison_runs.start(requests)
        found = measure(window, seconds, None)
        cells = row(words, found, BOUND)
        rows.append([*cells[:5], *cells[11:13]])
        for name, seen in found.views.items():
            each = (seen.turns / found.took, *per_picture(seen))
            costs.append([f"{name}, {words}", *(number(one, 3) for one in each)])
    print(table(HEADER, rows, left=1))
    print(table(["view", "turns/s", "CPU to get ready (ms)", "CPU to paint (ms)"], costs, left=1))
    print(f"runs of {', '.join(number(len(each.trace)) for each in work.runs)} events")
    window.close_without_asking()


if __name__ == "__main__":
    main()
