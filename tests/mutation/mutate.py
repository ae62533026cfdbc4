"""Do the tests notice a fault? Random small faults in the engine, each with the tests that execute its line.

    pip install coverage
    python -m tests.mutation.mutate map                      # once: which test executes which line (minutes)
    python -m tests.mutation.mutate run --first 0 --count 100
    python -m tests.mutation.mutate run --survivors          # all tests of their lines, and not only the quick ones
    python -m tests.mutation.mutate show

The list of mutants depends on the seed and on the sources. Each is put into a copy of the tree, so that the tree itself
is not touched. The map, the copies and the results are kept in the folder that GEMS_MUTATION names (by default a
folder of that name in the temporary folder). A mutant is *killed* by a failing test, or *timed out* by a test that
hangs; it *survived* where no test fails, and was *not reached* where no test in this process executes its line.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tests.mutation.mutants import Mutant, drawn, mutants_of

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(os.environ.get("GEMS_MUTATION") or Path(tempfile.gettempdir()) / "gems-mutation")
MODULES = ("rounding", "elimination", "margins", "dimension", "trace", "state")
SEED = 16
MEMORY = 6 * 2**30
SURVIVED = ("survived", "not reached")
FILES, SLOW = 6, 4.0  # of the first look: test files, and seconds of a test


def candidates() -> list[Mutant]:
    """Every mutant of the modules where the mathematics and the record of a run are."""
    engine = ROOT / "gems_engine"
    files = [*(engine / "design").glob("*.py"), *(engine / "algorithms").glob("*.py")]
    files += [engine / f"{name}.py" for name in MODULES]
    return [m for file in sorted(files) for m in mutants_of(str(file.relative_to(ROOT)), file.read_text("utf-8"))]


def copied(name: str) -> Path:
    """A fresh copy of the tree."""
    place = KEPT / name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(".git", ".*_cache", ".hypothesis"))
    return place


def pytest(place: Path, *arguments: str, limit: float | None = None, prefix: tuple[str, ...] = ()) -> tuple[int, str]:
    """Run tests in a copy: the return code (−1 after a timeout) and what was printed."""
    path = os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *prefix, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-n", "0", *arguments]
    process = subprocess.Popen(
        command,
        cwd=place,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    try:
        printed, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return -1, ""
    return process.returncode, printed


def make_map() -> None:
    """Run tests/engine once and write down the lines and the seconds of each test that passes."""
    import coverage

    place = copied("mapped")
    data = KEPT / "coverage"
    settings = place / "coveragerc"
    settings.write_text(f"[run]\ndata_file = {data}\nsource = gems_engine\n")
    (place / "map_plugin.py").write_text(
        "import coverage, pytest\n\n\n"
        "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_protocol(item):\n"
        "    coverage.Coverage.current().switch_context(item.nodeid)\n    yield\n"
    )
    report = KEPT / "report.json"
    report.unlink(missing_ok=True)
    (place / "map_report.py").write_text(
        "import json\nseen = {}\n\n\ndef pytest_runtest_logreport(report):\n"
        "    was = seen.setdefault(report.nodeid, [True, 0.0])\n"
        "    was[0], was[1] = was[0] and report.passed, was[1] + report.duration\n\n\n"
        f"def pytest_sessionfinish():\n    json.dump(seen, open({str(report)!r}, 'w'))\n"
    )
    prefix = ("-m", "coverage", "run", f"--rcfile={settings}")
    pytest(place, "-p", "map_plugin", "-p", "map_report", "tests/engine", prefix=prefix)
    seen: dict[str, tuple[bool, float]] = json.loads(report.read_text())
    passing = {test: seconds for test, (passed, seconds) in seen.items() if passed}
    found = coverage.CoverageData(str(data))
    found.read()
    lines: dict[str, dict[int, list[str]]] = {}
    for file in found.measured_files():
        contexts = found.contexts_by_lineno(file)
        name = str(Path(file).relative_to(place))
        lines[name] = {line: sorted(set(tests) & set(passing)) for line, tests in contexts.items()}
    (KEPT / "map.json").write_text(json.dumps({"seconds": passing, "lines": lines}))
    failing = sorted(set(seen) - set(passing))
    print(f"{len(passing)} tests, {sum(passing.values()):.0f} s; {len(failing)} that do not pass are left out")
    for test in failing:
        print("   ", test)


def _file(test: str) -> str:
    return test.partition("::")[0]


class Trial:
    """Runs mutants with the tests that execute their lines, `workers` at a time."""

    def __init__(self, budget: float, workers: int) -> None:
        known: dict[str, Any] = json.loads((KEPT / "map.json").read_text())
        self.seconds: dict[str, float] = known["seconds"]
        self.lines: dict[str, dict[str, list[str]]] = known["lines"]
        self.counts = Counter(map(_file, self.seconds))
        self.budget = budget
        self.workers = workers
        self.places: SimpleQueue[Path] = SimpleQueue()
        for n in range(workers):
            self.places.put(copied(f"copy{n}"))

    def tests(self, mutant: Mutant) -> list[str]:
        """Those that execute the line, within the budget."""
        by_line = self.lines.get(mutant.file, {})
        first, last = mutant.lines
        chosen = {test for line in range(first, last + 1) for test in by_line.get(str(line), ())}
        if not chosen and any(str(line) in by_line for line in range(first, last + 1)):  # executed by the import alone
            chosen = {test for tests in by_line.values() for test in tests}
        files: dict[str, list[str]] = defaultdict(list)
        for test in sorted(chosen):
            files[_file(test)].append(test)
        # First the files that are about this line: most of their tests execute it.
        ranked = sorted(files, key=lambda file: (-len(files[file]) / self.counts[file], file))
        if self.budget == float("inf"):
            return [test for file in ranked for test in files[file]]
        quick = [test for file in ranked[:FILES] for test in files[file] if self.seconds[test] <= SLOW]
        quick.sort(key=lambda test: self.seconds[test])
        spent, some = 0.0, set()
        for test in quick:
            spent += self.seconds[test]
            if spent > self.budget and some:
                break
            some.add(test)
        return [test for file in ranked for test in files[file] if test in some] or sorted(chosen)[:1]

    def verdict(self, mutant: Mutant) -> tuple[str, str]:
        """Killed, timed out, survived or not reached; and by which test."""
        tests = self.tests(mutant)
        if not tests:
            return "not reached", ""
        place = self.places.get()
        file = place / mutant.file
        text, stamp = file.read_text("utf-8"), file.stat()
        try:
            file.write_text(mutant.applied(text), "utf-8")
            (place / "chosen.txt").write_text("\n".join(tests))
            limit = 30.0 + 6.0 * sum(self.seconds[test] for test in tests)
            code, printed = pytest(place, "-x", "--timeout=20", "--tb=no", "@chosen.txt", limit=limit)
        finally:
            file.write_text(text, "utf-8")
            os.utime(file, (stamp.st_atime, stamp.st_mtime))
            self.places.put(place)
        if code == 0:
            return "survived", f"{len(tests)} tests"
        said = [line for line in printed.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return ("timed out" if code < 0 or "Timeout" in printed else "killed"), (
            said or printed.splitlines()[-1:] or [""]
        )[0]

    def run(self, chosen: list[tuple[int, Mutant]]) -> None:
        """All of them; a line of results each as soon as it is known."""
        with ThreadPoolExecutor(self.workers) as pool, (KEPT / "results.jsonl").open("a", encoding="utf-8") as out:

            def one(item: tuple[int, Mutant]) -> None:
                number, mutant = item
                since = time.perf_counter()
                verdict, by = self.verdict(mutant)
                took = round(time.perf_counter() - since, 1)
                row = {"number": number, "mutant": str(mutant), "verdict": verdict, "by": by, "seconds": took}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                out.flush()

            list(pool.map(one, chosen))


def results() -> dict[int, dict[str, Any]]:
    """The verdict on each mutant: the last one, or the one that it did not survive."""
    known: dict[int, dict[str, Any]] = {}
    for row in map(json.loads, (KEPT / "results.jsonl").read_text("utf-8").splitlines()):
        before = known.get(row["number"])
        if before is None or before["verdict"] in SURVIVED:
            known[row["number"]] = row
    return known


def show() -> None:
    """The table by module and verdict, and what was not killed."""
    known = results()
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for row in known.values():
        module = row["mutant"].split(":")[0].removeprefix("gems_engine/").split("/")[0].removesuffix(".py")
        table[module][row["verdict"]] += 1
        table["all"][row["verdict"]] += 1
    verdicts = ("killed", "timed out", *SURVIVED)
    print(f"{'':12}" + "".join(f"{word:>13}" for word in verdicts))
    for module in sorted(table, key=lambda name: (name == "all", name)):
        print(f"{module:12}" + "".join(f"{table[module][word]:13}" for word in verdicts))
    for number, row in sorted(known.items()):
        if row["verdict"] in SURVIVED:
            print(f"{number:4} {row['verdict']}: {row['mutant']} ({row['by']})")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("action", choices=("map", "run", "show", "list"))
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of tests per mutant; 0: all of its tests")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--survivors", action="store_true", help="again those that survived, with all of their tests")
    given = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    if given.action == "map":
        make_map()
    elif given.action == "show":
        show()
    else:
        chosen = list(enumerate(islice(drawn(candidates(), given.seed), given.first + given.count)))[given.first :]
        if given.action == "list":
            for number, mutant in chosen:
                print(number, mutant)
            return
        if given.survivors:
            again = {number for number, row in results().items() if row["verdict"] in SURVIVED}
            chosen = [item for item in chosen if item[0] in again]
        budget = float("inf") if given.survivors or not given.budget else given.budget
        Trial(budget, given.workers).run(chosen)
        show()


if __name__ == "__main__":
    main()
