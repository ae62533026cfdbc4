"""How long it takes to open a run of 100 000 rounds, against release 0.1.0 in the same run.

    git worktree add ../release 451389e
    python -m tests.bench.bench_open --release ../release [--times 3]

Opening is reading the file and building the History of the run; the window shows a run after both. Each checkout
writes the same made-up run in its own format, since 0.1.0 cannot read format 2, and opens it in new processes; the two
take turns. A row has seconds of the processor and on the wall, or the largest memory of the process.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.bench.release import in_turns, script

WHERE = """
import sys, zlib
from pathlib import Path
path = Path(sys.argv[1]) / f"{zlib.crc32(str(Path.cwd()).encode())}.gems"
"""
MAKE = (
    WHERE
    + """
from gems_engine.files import write_run
from tests.engine.synthetic_runs import synthetic_trace
trace = synthetic_trace(loops=10, subroutines=100, rounds=100, probes=3)
write_run(path, trace)
print("{}")
"""
)
OPEN = (
    WHERE
    + """
import json, resource, time
from gems_engine.files import read_run
from gems_engine.history import History
clocks = [(time.process_time(), time.perf_counter())]
trace = read_run(path)
clocks.append((time.process_time(), time.perf_counter()))
history = History(trace)
clocks.append((time.process_time(), time.perf_counter()))
found = {}
for step, (begin, end) in {"read": (0, 1), "History": (1, 2), "both": (0, 2)}.items():
    for which, clock in enumerate(("processor", "wall")):
        found[f"{step}, {clock} (s)"] = clocks[end][which] - clocks[begin][which]
found["memory (MB)"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
found["events"] = len(trace)
found["rounds"] = len(history.rounds)
found["file (MB)"] = path.stat().st_size / 1e6
print(json.dumps(found))
"""
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--release", type=Path, required=True, help="a checkout of release 0.1.0")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make, work = script(MAKE, folder), script(OPEN, folder)
        old, new, ratio = in_turns(arguments.release.resolve(), work, arguments.times, make)
    print(f"Opening a run against release 0.1.0, medians of {arguments.times}\n")
    print("| | 0.1.0 | ours | ratio |\n|---|---|---|---|")
    for name in old:
        digits = 2 if "(s)" in name else 1 if "(MB)" in name else 0
        print(f"| {name} | {old[name]:.{digits}f} | {new[name]:.{digits}f} | {ratio[name]:.2f} |")


if __name__ == "__main__":
    main()
