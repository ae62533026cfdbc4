"""Measurements in another checkout of the program, such as that of a release, next to the same ones in this one.

    git worktree add ../release 451389e    release 0.1.0

Each is a script in a process of its own, with the checkout first on the path. The two take turns, so that what else the
machine does hits both.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[2]


def environment(checkout: Path, compiled: str) -> dict[str, str]:
    """Of a process that finds this checkout first, and its modules compiled, as an installed program does."""
    found = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": compiled}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def script(code: str, *words: object) -> Callable[[Path, str], dict[str, Any]]:
    """Runs code in a checkout, which prints JSON."""

    def run(checkout: Path, compiled: str) -> dict[str, Any]:
        command = [sys.executable, "-c", code, *map(str, words)]
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, cwd=checkout, env=environment(checkout, compiled)
        )
        said: dict[str, Any] = json.loads(done.stdout)
        return said

    return run


def command(*words: str) -> Callable[[Path, str], dict[str, Any]]:
    """Runs `gems` in a checkout: seconds on the wall and of the processor, all its processes together."""

    def run(checkout: Path, compiled: str) -> dict[str, Any]:
        before, began = _processor(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "gems_engine", *words],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=checkout,
            env=environment(checkout, compiled),
        )
        return {"wall": time.perf_counter() - began, "processor": _processor() - before}

    return run


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


Work = Callable[[Path, str], dict[str, Any]]
"""From a checkout and the folder of its compiled modules to numbers."""


def in_turns(release: Path, work: Work, times: int, before: Work | None = None) -> list[dict[str, float]]:
    """Medians of what the work says: in the release, here, and their ratio (of pairs that followed each other).

    Before it is measured the modules are compiled: by less work of the same kind, if some is given.
    """
    with tempfile.TemporaryDirectory() as compiled:
        for checkout in (release, HERE):
            (before or work)(checkout, compiled)  # compiles
        pairs = [(work(release, compiled), work(HERE, compiled)) for _ in range(times)]
    names = pairs[0][0].keys()
    columns = [{name: statistics.median(pair[which][name] for pair in pairs) for name in names} for which in (0, 1)]
    return [*columns, {name: statistics.median(old[name] / new[name] for old, new in pairs) for name in names}]
