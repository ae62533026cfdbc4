"""How fast a run is: compared with the straightforward way, per round at 1,000 arms, and where the time goes.

python -m tests.bench.bench_run            all tables, about three minutes
python -m tests.bench.bench_run --quick    the reference with the published stop only, half a minute
python -m tests.bench.bench_run --release ../release    trials against those of release 0.1.0 in a checkout, a minute

Every trial has a process of its own, so that nothing is warm. Its time is the processor time from the making of the run
to its last event, on one BLAS thread: importing Python's, numpy's and scipy's modules is left out and shown separately,
as is making the instance. Ratios compare times of one call of this program.
"""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import importlib
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.release import in_turns, script

LIMIT = 300.0
"""Seconds after which the reference gives up."""

SETTINGS: dict[str, dict[str, Any]] = {
    "hard": {"spec": "paper-hard:d_star=9,epsilon=0.01", "cap": 10_000_000},
    "harder": {"spec": "paper-hard:d_star=9,epsilon=0.00001", "cap": 10_000_000},
    "sphere": {"spec": "sphere:D=100,d_star=5,n=100,min_gap=0.08,seed=0", "cap": 50_000},
}
"""What is run, and to how many samples."""

WAYS: dict[str, list[tuple[int, float, bool, str]]] = {
    "hard": [
        (1000, 0.01, True, "published: at 1 % change"),
        (1000, 0.0, True, "after 1,000 iterations"),
        (1000, 0.0, False, "after 1,000, one sign of each difference"),
    ],
    "sphere": [
        (500, 0.01, True, "published: at 1 % change"),
        (500, 0.0, True, "after 500 iterations"),
        (1000, 0.0, True, "after 1,000 iterations"),
        (1000, 0.0, False, "after 1,000, one sign of each difference"),
    ],
}
"""How the reference's Frank–Wolfe stops: iterations, relative change of the value, both signs of a difference, a word.

The published stop ends far from the optimum (35.7 instead of 20 on the hard instance, 62,528 instead of 123.6 on a
sphere in R^50); 1,000 iterations end 1 to 11 % above it, ours at 10⁻⁶ with proof."""

NAMES = {"hard": "paper-hard ε = 10⁻², 10 million samples", "sphere": "sphere D = 100, 50,000 samples"}


TRIALS = {
    "paper-hard ε = 10⁻², 20 million samples": ("paper-hard:d_star=9,epsilon=0.01", 20_000_000),
    "sphere D = 25, 50,000 samples": ("sphere:D=25,d_star=5,n=100,min_gap=0.08,seed=0", 50_000),
    "sphere D = 100, 50,000 samples": ("sphere:D=100,d_star=5,n=100,min_gap=0.08,seed=0", 50_000),
}
"""What is run against the release."""

SEVERAL = """
import importlib, importlib.util, json, statistics, sys, time
for each in ("numpy", "scipy.linalg", "scipy.optimize", "threadpoolctl", "gems_engine.gallery", "gems_engine.running"):
    importlib.import_module(each)
if importlib.util.find_spec("gems_engine.lapack"):  # which the release does not have
    importlib.import_module("gems_engine.lapack")
from gems_engine.blas import one_blas_thread
from gems_engine.gallery import make_from_spec
from gems_engine.running import Run
instance = make_from_spec(sys.argv[1])
def trial(seed):
    started = time.process_time()
    with one_blas_thread():
        for _ in Run(instance, "fixed-confidence", seed, base=4, delta=0.05, max_samples=int(sys.argv[2])):
            pass
    return time.process_time() - started
seconds = [trial(seed) for seed in range(12)]
print(json.dumps({"first": seconds[0], "later": statistics.median(seconds[2:])}))
"""
"""Twelve trials in one process, with everything imported before the first; seeds 2 and on are later ones."""


def against_the_release(release: Path) -> None:
    """The first trial of a process, and the later ones, whose designs are known."""
    print("A fixed-confidence trial against release 0.1.0: processor time, imports done (medians of five processes)\n")
    print("| trial | first: 0.1.0 | ours | ratio | later: 0.1.0 | ours | ratio |\n|---|---|---|---|---|---|---|")
    for title, (spec, cap) in TRIALS.items():
        old, new, ratio = in_turns(release, script(SEVERAL, spec, cap), 5)
        cells = [
            f"{1e3 * old[name]:.1f} ms | {1e3 * new[name]:.1f} ms | **{ratio[name]:.1f}×**"
            for name in ("first", "later")
        ]
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


# -- one trial, in a process of its own ------------------------------------------------------------------------------


def ours(name: str, seed: int, cap: int) -> dict[str, Any]:
    """One cold trial of ours."""
    started = time.process_time()
    for module in ("numpy", "scipy.linalg", "scipy.optimize", "gems_engine.gallery", "gems_engine.running"):
        importlib.import_module(module)
    imports = time.process_time() - started
    from gems_engine.gallery import make_from_spec
    from gems_engine.running import Run

    instance = make_from_spec(SETTINGS[name]["spec"])
    started = time.process_time()
    count = rounds = 0
    for event in Run(instance, "fixed-confidence", seed, base=4, delta=0.05, max_samples=cap):
        count += 1
        rounds += event.kind == "estimated"
    return {
        "seconds": time.process_time() - started,
        "imports": imports,
        "events": count,
        "rounds": rounds,
        "samples": event.samples,
        "right": event.recommendation == instance.best,
        "memory": peak(),
    }


def reference(name: str, seed: int, way: int) -> dict[str, Any]:
    """One cold trial of the reference, in one of its ways."""
    from gems_engine.gallery import make_from_spec
    from tests.bench.reference_run import Reference

    instance = make_from_spec(SETTINGS[name]["spec"])
    iterations, change, both_signs, _ = WAYS[name][way]
    run = Reference(
        instance.arms,
        instance.rewards,
        seed,
        iterations,
        change,
        cap=SETTINGS[name]["cap"],
        both_signs=both_signs,
        limit=LIMIT,
    )
    started = time.process_time()
    run.run()
    return {
        "seconds": time.process_time() - started,
        "finished": run.finished,
        "samples": run.samples,
        "right": run.recommended == instance.best,
        "probes": run.probes,
        "steps": run.steps,
        "spent": run.spent,
        "memory": peak(),
    }


def peak() -> float:
    """Peak resident memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(*words: object) -> dict[str, Any]:
    """What one trial says, from a process of its own."""
    command = [sys.executable, "-m", "tests.bench.bench_run", "--one", *map(str, words)]
    said: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return said


# -- tables ----------------------------------------------------------------------------------------------------------


def against_the_reference(quick: bool) -> None:
    """Cold trials of ours, median of five, and one of the reference with each way to stop Frank–Wolfe."""
    print("A cold fixed-confidence trial compared with the straightforward way (base 4, δ = 0.05)\n")
    print("| trial | ours | Frank–Wolfe stops | reference | of which designs, pulls | right | samples | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    details = []
    for name, title in NAMES.items():
        cold = [apart("ours", name, seed, SETTINGS[name]["cap"]) for seed in range(5)]
        seconds = statistics.median(each["seconds"] for each in cold)
        for way, (_, _, _, words) in enumerate(WAYS[name][: 1 if quick else None]):
            other = apart("reference", name, 0, way)
            sign = "" if other["finished"] else "> "
            spent = other["spent"]
            print(
                f"| {title} | {seconds * 1e3:.0f} ms | {words} | {sign}{other['seconds']:.1f} s | "
                f"{spent['designs']:.1f} s, {spent['pulls']:.2f} s | {'yes' if other['right'] else 'no'} | "
                f"{other['samples']:,} | **{sign}{other['seconds'] / seconds:.0f}×** |",
                flush=True,
            )
        details.append((title, cold))
    print("\n| trial | ours, five cold trials | rounds | events | right | importing before it | peak memory |")
    print("|---|---|---|---|---|---|---|")
    for title, cold in details:
        times = ", ".join(f"{each['seconds'] * 1e3:.0f}" for each in cold)
        print(
            f"| {title} | {times} ms | {middle(cold, 'rounds'):.0f} | {middle(cold, 'events'):.0f} | "
            f"{sum(each['right'] for each in cold)} of 5 | {middle(cold, 'imports'):.2f} s | "
            f"{max(each['memory'] for each in cold):.0f} MB |"
        )


def middle(rows: list[dict[str, Any]], name: str) -> float:
    """Median of one number."""
    return statistics.median(each[name] for each in rows)


def memory() -> None:
    """Peak memory does not grow with the samples."""
    print("\nPeak resident memory of a whole process, paper-hard ε = 10⁻⁵\n")
    print("| max_samples | samples | time | peak memory |\n|---|---|---|---|")
    for cap in (10**5, 10**7, 10**9, 10**12):
        said = apart("ours", "harder", 0, cap)
        print(f"| 10^{len(str(cap)) - 1} | {said['samples']:,} | {said['seconds']:.2f} s | {said['memory']:.0f} MB |")


class Stopwatch:
    """Adds up the processor time of calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def around(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, with its time counted for this part."""

        def timed(*arguments: Any, **named: Any) -> Any:
            started = time.process_time()
            try:
                return work(*arguments, **named)
            finally:
                self.seconds[part] = self.seconds.get(part, 0.0) + time.process_time() - started

        return timed


def where_the_time_goes(spec: str, cap: int) -> dict[str, Any]:
    """One trial with its parts timed; what is left is starting, generators and bookkeeping."""
    from gems_engine.algorithms import run_context
    from gems_engine.blas import one_blas_thread
    from gems_engine.elimination import Norm
    from gems_engine.events import EVENTS
    from gems_engine.gallery import make_from_spec
    from gems_engine.rounding import Rounding
    from gems_engine.running import Run
    from gems_engine.trace import Trace

    instance = make_from_spec(spec)
    assert instance.digest  # a trace needs it once; it is not the run's
    watch = Stopwatch()
    parts: list[tuple[Any, str, str]] = [
        (run_context, "choose_dimension", "designs"),
        (Rounding, "to", "rounding"),
        (Norm, "fit", "estimation"),
        (run_context, "separations", "elimination"),
    ]
    for owner, name, part in parts:
        setattr(owner, name, watch.around(part, getattr(owner, name)))
    for kind in EVENTS.values():
        kind.__init__ = watch.around("events", kind.__init__)  # type: ignore[method-assign]
    with one_blas_thread():
        started = time.process_time()
        run = Run(instance, "fixed-confidence", 0, base=4, max_samples=cap)
        run._rewards = watch.around("rewards", run._rewards)
        events = list(run)
        total = time.process_time() - started
        trace = Trace(run.instance)
        started = time.process_time()
        trace.extend(events)
        recorded = time.process_time() - started
    rounds = sum(event.kind == "estimated" for event in events)
    rest = total - sum(watch.seconds.values())
    return {
        "total": total,
        "rounds": rounds,
        "events": len(events),
        "parts": {**watch.seconds, "the rest": rest},
        "recorded": recorded,
        "samples": events[-1].samples,  # type: ignore[attr-defined]
        "memory": peak(),
    }


def per_round() -> None:
    """Time per round, and its parts."""
    print("\nTime per round and where it goes (one cold trial each)\n")
    names = ["designs", "rounding", "rewards", "estimation", "elimination", "events", "the rest"]
    print(f"| trial | a round | rounds | {' | '.join(names)} | recording a trace, besides | peak memory |")
    print("|" + "---|" * (len(names) + 5))
    trials = {
        "sphere, 1,000 arms, D = 100, 200,000 samples": ("sphere:D=100,n=1000,min_gap=0", 200_000),
        "sphere, 100 arms, D = 100, 50,000 samples": (SETTINGS["sphere"]["spec"], 50_000),
        "paper-hard, 10 arms, D = 10, 10 million": (SETTINGS["hard"]["spec"], 10_000_000),
    }
    for title, (spec, cap) in trials.items():
        said = apart("parts", spec, cap)
        shares = " | ".join(f"{said['parts'][name] / said['total']:.1%}" for name in names)
        print(
            f"| {title} | {said['total'] / said['rounds'] * 1e3:.1f} ms | {said['rounds']} | {shares} | "
            f"{said['recorded'] / said['total']:.1%} | {said['memory']:.0f} MB |",
            flush=True,
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--release", type=Path, help="a checkout of release 0.1.0: print only the table against it")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.release:
        against_the_release(arguments.release.resolve())
        return
    if arguments.one:
        what, name, *rest = arguments.one
        if what == "ours":
            said = ours(name, int(rest[0]), int(rest[1]))
        elif what == "reference":
            said = reference(name, int(rest[0]), int(rest[1]))
        else:
            said = where_the_time_goes(name, int(rest[0]))
        print(json.dumps(said))
        return
    against_the_reference(arguments.quick)
    memory()
    per_round()


if __name__ == "__main__":
    main()
