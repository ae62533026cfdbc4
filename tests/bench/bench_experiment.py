"""How fast experiments are: the paper's two, two processes against one, what the harness costs, and its memory.

python -m tests.bench.bench_experiment            all tables, about eight minutes on two quiet cores
python -m tests.bench.bench_experiment --quick    a tenth of the trials
python -m tests.bench.bench_experiment --release ../release    the paper's two against release 0.1.0 in a checkout

Every measurement has a process of its own. Wall time says what a user waits; processor time, of all processes together,
does not depend on who else uses the machine. Ratios compare numbers of one call of this program.
"""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.bench.release import Work, command, in_turns

AUTHORS = {"paper-table-1": "20 min on 36 cores", "paper-appendix": "4.5 h on 36 cores"}
"""What the authors report for their own."""
LIMITS = {"paper-table-1": "1 min", "paper-appendix": "5 min"}
"""What ours may take with 100 trials on two cores."""

TINY = """
[instance]
family = "verifiability"
D = 3
[stop]
samples = 10_000
[[algorithm]]
name = "rage"
"""


# -- one measurement, in a process of its own --------------------------------------------------------------------------


def processor() -> float:
    """Seconds of processor time of this process and of those it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def whole(name: str, trials: int, jobs: int) -> dict[str, Any]:
    """A built-in experiment as a person runs it, with its report."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "gems_engine", "experiment", name, "--trials", str(trials)]
        started = time.perf_counter()
        subprocess.run([*command, "--jobs", str(jobs), "-o", folder], check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - started
        rows = [json.loads(line) for line in Path(folder, "rows.jsonl").read_text().splitlines()]
    return {
        "wall": wall,
        "processor": processor(),
        "trials": len(rows),
        "failed": sum(bool(row["error"]) for row in rows),
        "in_trials": sum(row["seconds"] for row in rows),
    }


def scaling(trials: int, jobs: int) -> dict[str, Any]:
    """Trials of the first experiment without its report: from the first row to the last, workers warm."""
    from gems_engine.experiment import local_executor, run_trial
    from gems_engine.experiment.harness import Harness
    from gems_engine.experiment.library import built_in_specification

    said = built_in_specification("paper-table-1").with_(trials)
    with local_executor(jobs) as executor:
        list(executor.map(run_trial, [said.trial(index) for index in range(8 * jobs)]))
        started = time.perf_counter()
        Harness(said, executor).run()
        return {"wall": time.perf_counter() - started, "trials": len(said)}


def overhead(trials: int, jobs: int) -> dict[str, Any]:
    """Processor time for each trial, alone and through the harness with rows kept: in turn, in the same process.

    With a worker, what it takes and what we take are counted together.
    """
    from gems_engine.experiment import local_executor
    from gems_engine.experiment.folder import Recorder
    from gems_engine.experiment.harness import Harness
    from gems_engine.experiment.library import built_in_specification
    from tests.bench import bench_experiment  # by a name that the worker can import too

    said = built_in_specification("paper-table-1").with_(trials)
    alone, whole, ours = [], [], []
    with ExitStack() as stack:
        executor = stack.enter_context(local_executor(1)) if jobs else None
        for _ in range(6):
            measured = bench_experiment.alone
            alone.append(measured(trials) if executor is None else executor.submit(measured, trials).result())
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            there = executor.submit(time.process_time).result() if executor is not None else 0.0
            started = time.process_time()
            with Recorder(folder, said, "a bench") as recorder:
                Harness(said, executor, recorder).run()
            ours.append(time.process_time() - started)
            there = executor.submit(time.process_time).result() - there if executor is not None else 0.0
            whole.append(ours[-1] + there)
    turns = list(zip(alone, whole, ours, strict=True))[1:]  # the first one warms up
    each = [statistics.median(numbers) / len(said) for numbers in zip(*turns, strict=True)]
    more = statistics.median(b / a for a, b, _ in turns) - 1
    return {"alone": each[0], "whole": each[1], "ours": each[2], "more": more}


def alone(trials: int) -> float:
    """Processor time of trials without anything around them."""
    from gems_engine.experiment import run_trial
    from gems_engine.experiment.library import built_in_specification

    said = built_in_specification("paper-table-1", rehearse=False).with_(trials)
    started = time.process_time()
    for index in range(len(said)):
        run_trial(said.trial(index))
    return time.process_time() - started


def memory(trials: int) -> dict[str, Any]:
    """Peak memory of the process that collects this number of rows, and of making the report of them."""
    from gems_engine.experiment import local_executor
    from gems_engine.experiment.folder import Recorder
    from gems_engine.experiment.harness import Harness
    from gems_engine.experiment.report import write_report
    from gems_engine.experiment.toml_format import parse_specification

    said = parse_specification(TINY, "tiny").with_(trials)
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        with local_executor(2) as executor, Recorder(folder, said, "two processes") as recorder:
            harness = Harness(said, executor, recorder)
            harness.run()
        each = (time.process_time() - started) / trials
        collected = peak()
        size = Path(folder, "rows.jsonl").stat().st_size
        write_report(folder)
        return {"collected": collected, "reported": peak(), "each": each, "size": size / 2**20}


def peak() -> float:
    """Peak resident memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(*words: object) -> dict[str, Any]:
    """What one measurement says, from a process of its own."""
    command = [sys.executable, "-m", "tests.bench.bench_experiment", "--one", *map(str, words)]
    said: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return said


def against_the_release(release: Path, trials: int) -> None:
    """The paper's experiments with two processes, here and in the release."""
    print(f"The paper's experiments, {trials} trials, two processes, with their reports, against release 0.1.0\n")
    print(
        "| experiment | wall: 0.1.0 | ours | ratio | processor: 0.1.0 | ours | ratio |\n|---|---|---|---|---|---|---|"
    )
    for name in LIMITS:
        with tempfile.TemporaryDirectory() as folder:

            def some(count: int, folder: str = folder, name: str = name) -> Work:
                def whole(checkout: Path, compiled: str) -> dict[str, Any]:
                    place = tempfile.mkdtemp(dir=folder)
                    words = ("experiment", name, "--trials", str(count), "--jobs", "2", "-o", place)
                    return command(*words)(checkout, compiled)

                return whole

            old, new, ratio = in_turns(release, some(trials), 1, some(1))
        cells = [
            f"{old[clock]:.1f} s | {new[clock]:.1f} s | **{ratio[clock]:.1f}×**" for clock in ("wall", "processor")
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


# -- tables ------------------------------------------------------------------------------------------------------------


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--release", type=Path, help="a checkout of release 0.1.0: print only the table against it")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.release:
        against_the_release(arguments.release.resolve(), 10 if arguments.quick else 100)
        return
    if arguments.one:
        what, *rest = arguments.one
        measure = {"whole": whole, "scaling": scaling, "overhead": overhead, "memory": memory}[what]
        print(json.dumps(measure(*(int(each) if each.isdigit() else each for each in rest))))  # type: ignore[operator]
        return
    part = 10 if arguments.quick else 1
    print("The paper's experiments, two processes, with their reports\n")
    print("| experiment | trials | wall | limit for 100 | processor time | a trial | failed | the authors |")
    print("|---|---|---|---|---|---|---|---|")
    for name, limit in LIMITS.items():
        said = apart("whole", name, 100 // part, 2)
        print(
            f"| {name} | {said['trials']} | **{said['wall']:.1f} s** | {limit} | {said['processor']:.1f} s | "
            f"{said['processor'] / said['trials'] * 1e3:.0f} ms | {said['failed']} | {AUTHORS[name]} |",
            flush=True,
        )
    print("\nTrials of paper-table-1 a second, workers warm\n")
    print("| processes | trials | wall | trials a second | ratio |\n|---|---|---|---|---|")
    first = None
    for jobs in (1, 2):
        said = apart("scaling", 40 // part, jobs)
        speed = said["trials"] / said["wall"]
        first = first or speed
        print(
            f"| {jobs} | {said['trials']} | {said['wall']:.1f} s | {speed:.1f} | **{speed / first:.2f}** |", flush=True
        )
    print("\nWhat the harness costs: processor time for each trial of paper-table-1, medians of five turns\n")
    print("| trials run | alone | through the harness | of which not in the worker | more |\n|---|---|---|---|---|")
    for jobs, name in ((0, "in this process"), (1, "in a worker")):
        said = apart("overhead", max(1, 10 // part), jobs)
        outside = f"{said['ours'] * 1e3:.2f} ms" if jobs else "–"
        print(
            f"| {name} | {said['alone'] * 1e3:.2f} ms | {said['whole'] * 1e3:.2f} ms | {outside} | "
            f"**{said['more']:+.1%}** |",
            flush=True,
        )
    print("\nMemory of the process that collects the rows\n")
    print("| trials | peak, running | peak, with the report | rows on disk | processor time of ours for each |")
    print("|---|---|---|---|---|")
    for trials in (1_000, 10_000, 100_000):
        said = apart("memory", trials // part)
        print(
            f"| {trials // part} | {said['collected']:.0f} MB | {said['reported']:.0f} MB | {said['size']:.1f} MB | "
            f"{said['each'] * 1e3:.2f} ms |",
            flush=True,
        )


if __name__ == "__main__":
    main()
