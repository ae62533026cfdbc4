"""Hundreds of runs in one window, whose kept runs are closed again and again: its memory must not grow.

    python -m tests.reliability soak [--runs 500] [--every 25]
    python -m tests.reliability soak --kept                what one kept run costs

Runs have different seeds, algorithms and lengths, and the layout of the views changes. Before each reading all runs
of the list are removed, each layout is shown without a run, garbage is collected, and free memory is returned to the
system; reading is the resident memory that Linux reports. The log is full from the beginning. Other lists grow at
first and have a limit: 200 steps of undo, 64 answers of queries. The growth is therefore that of the second half.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations

import numpy as np
import psutil

from tests.reliability.program import Home, Window, home, table, window

MB = 1e6
FLAT = 10.0
"""Growth in kB per run that counts as flat: less than a tenth of a small kept run."""
FLAT_OBJECTS = 5.0
"""Growth in Python objects per run that counts as flat."""
LINES = 2000
"""What the log keeps."""
LAYOUTS = ("explore", "talk", "debug")
MANY = ("small", "rage", "budget", "small", "middle")
"""Forms in turn; every 50th run is a large one."""


def _reading(shown: Window) -> list[float]:
    """Megabytes of the window, the engine and the analysis process, and thousands of Python objects in the window."""
    found = shown("collect")
    pids = shown("pids")
    others = [psutil.Process(pids[name]).memory_info().rss / MB for name in ("engine", "query")]
    return [found["bytes"] / MB, *others, found["objects"] / 1000]


def soak(user: Home, runs: int, every: int) -> list[list[float]]:
    """The readings after each batch of runs."""
    readings = []
    with window(user) as shown:
        shown("fill_log", LINES)
        for number in range(1, runs + 1):
            shown.finished("large" if number % 50 == 5 else MANY[number % len(MANY)], number)
            if number % 10 == 0:
                shown("layout", LAYOUTS[number // 10 % len(LAYOUTS)])
            if number % every == 0:
                _empty(shown)
                readings.append([number, *_reading(shown)])
        shown.close()
    return readings


def _empty(shown: Window) -> None:
    """Remove all runs, and show each view without one: a hidden view keeps the run that it showed last."""
    shown("remove")
    for layout in (*LAYOUTS[1:], LAYOUTS[0]):
        shown("layout", layout)
        shown.until(lambda state: state["settled"] and not state["runs"], "empty views")
    time.sleep(1.0)  # the recorder looks every 0.6 seconds


def growth(readings: list[list[float]]) -> tuple[float, float]:
    """The growth of the window per run, in the second half: kB, and Python objects.

    The first is the slope of a line. The second is the median slope between two readings, since the collector frees
    thousands of objects at once now and then.
    """
    late = np.array(readings[len(readings) // 2 :])
    slopes = [(after[-1] - before[-1]) / (after[0] - before[0]) for before, after in combinations(late, 2)]
    return float(np.polyfit(late[:, 0], late[:, 1], 1)[0]) * 1000, float(np.median(slopes)) * 1000


def cost(user: Home, form: str, count: int) -> tuple[int, float]:
    """The events of a run, and the megabytes that each kept run of this form takes."""
    with window(user) as shown:
        shown.finished(form, 1)  # what the first run loads is no cost of a kept run
        memory = [_reading(shown)[0]]
        for number in range(2, count + 2):
            state = shown.finished(form, number)
            memory.append(_reading(shown)[0])
        shown.close()
    return state["runs"][-1]["events"], float(np.polyfit(np.arange(len(memory)), memory, 1)[0])


def main(words: list[str]) -> int:
    """Print the table; the exit code says whether the memory grows."""
    parser = argparse.ArgumentParser("python -m tests.reliability soak", description=__doc__)
    parser.add_argument("--runs", type=int, default=500, help="number of runs")
    parser.add_argument("--every", type=int, default=25, help="runs between two readings")
    parser.add_argument("--kept", action="store_true", help="measure what a kept run costs")
    given = parser.parse_args(words)
    if given.kept:
        rows = []
        for form, count in (("small", 40), ("middle", 40), ("large", 8)):
            with home() as user:
                events, megabytes = cost(user, form, count)
            rows.append((form, events, f"{megabytes:.2f} MB", f"{1e6 * megabytes / events:.0f} bytes"))
        print(table(("run", "events", "one kept run", "per event"), rows))
        return 0
    with home() as user:
        readings = soak(user, given.runs, given.every)
        left = user.orphans(), user.left()
    rows = [(int(at), *(f"{value:.1f}" for value in rest)) for at, *rest in readings]
    print(table(("runs", "window, MB", "engine, MB", "analysis, MB", "objects, thousands"), rows))
    kilobytes, objects = growth(readings)
    print(f"\nGrowth per run in the second half: {kilobytes:+.1f} kB, {objects:+.1f} objects.")
    print(f"Remaining processes: {left[0]}. Remaining recovery folders: {len(left[1])}.")
    return int(kilobytes > FLAT or objects > FLAT_OBJECTS or left != (0, []))
