"""The longest turn of the event loop with a run of 100,000 rounds: processor time of the window's thread.

    python -m tests.bench.bench_turns [--rounds 100000]
    python -m tests.bench.bench_turns --release ../release    next to release 0.1.0, with ratios

A synthetic run of eight events per round is written and opened in a window of 1920 × 1080; :mod:`turn_cases` says what
is done in it. Each checkout writes its own file, because their formats differ. A turn lasts from one wake-up of the
event dispatcher to the next. Other programs on the machine hardly change its processor time.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

from gems_engine.terminal import mark, number, table
from tests.bench.release import HERE, script

LIMIT = 0.1
"""Seconds of processor time that a turn may take."""
CALLS = 5  # subroutines in a loop
ROUNDS = 50  # rounds of a subroutine

WRITE = """
import json, sys
from gems_engine.files import write_run
from tests.engine.synthetic_runs import synthetic_trace
trace = synthetic_trace(loops=int(sys.argv[2]), subroutines=int(sys.argv[3]), rounds=int(sys.argv[4]), probes=3)
write_run(sys.argv[1], trace)
print(json.dumps({"events": len(trace)}))
"""
CASES = Path(__file__).with_name("turn_cases.py").read_text()


def measured(checkout: Path, rounds: int) -> dict[str, Any]:
    """The longest turn of each case in seconds, and the number of events."""
    with tempfile.TemporaryDirectory() as folder:
        file, second = (f"{folder}/{name}.gems" for name in ("run", "second"))
        loops = max(1, rounds // (CALLS * ROUNDS))
        found = script(WRITE, file, loops, CALLS, ROUNDS)(checkout, folder)
        shutil.copy(file, second)
        return found | script(CASES, file, second)(checkout, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--release", type=Path, help="a checkout of release 0.1.0, to compare with")
    arguments = parser.parse_args()
    ours = measured(HERE, arguments.rounds)
    theirs = measured(arguments.release.resolve(), arguments.rounds) if arguments.release else {}
    print(f"A run of {number(arguments.rounds)} rounds, {number(ours.pop('events'))} events\n")
    rows = []
    for case, spent in ours.items():
        before = theirs.get(case)
        ratio = ["", ""] if before is None else [number(1e3 * before, 3), f"{before / max(spent, 1e-4):.1f}"]
        rows.append([case, number(1e3 * spent, 3), *ratio, mark(spent <= LIMIT)])
    print(table(["longest turn, ms of processor time", "here", "0.1.0", "ratio", "≤ 100 ms"], rows, left=1))


if __name__ == "__main__":
    main()
