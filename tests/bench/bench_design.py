"""How fast the certified design is, how it grows, and what a dimension choice costs; all ratios from this one run.

python -m tests.bench.bench_design                  the three tables, a few minutes
python -m tests.bench.bench_design --quick          the first and the last
python -m tests.bench.bench_design --against PATH   and in another checkout, such as that of a release, and Frank–Wolfe
"""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gems_engine.design import DesignProblem, solve_design
from gems_engine.dimension import Selection, choose_dimension
from gems_engine.gallery import make
from gems_engine.rounding import rounding_samples
from tests.bench.references import frank_wolfe_gram, frank_wolfe_listed


def timed(work: Callable[[], object], repeat: int = 5) -> tuple[float, object]:
    """Median seconds of some runs after a first one, and the last result."""
    result = work()
    seconds = []
    for _ in range(repeat):
        started = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds), result


def against_frank_wolfe() -> None:
    """Certified to 1e-6, and 1,000 iterations of both references."""
    print("Certified to 1e-6 against 1,000 iterations of Frank–Wolfe\n")
    print("| problem | certified | iterations | gap | FW, Gram form | ratio | FW, listed | ratio | FW above optimum |")
    print("|---|---|---|---|---|---|---|---|---|")
    hard = make("paper-hard", d_star=9, epsilon=0.01).arms
    problems = {"paper-hard, d = 10": hard, "paper-hard, d = 9": hard[:, :9]}
    for dimension in (25, 50, 75, 100):
        problems[f"sphere, 100 arms, D = {dimension}"] = make("sphere", D=dimension, n=100, seed=0).arms
    for name, arms in problems.items():
        problem = DesignProblem(arms, targets=arms)
        ours, design = timed(lambda arms=arms: solve_design(DesignProblem(arms, targets=arms)))
        fast, value = timed(lambda arms=arms: frank_wolfe_gram(arms, 1000), repeat=3)
        started = time.perf_counter()
        listed_value = frank_wolfe_listed(arms, 1000)
        slow = time.perf_counter() - started
        assert abs(listed_value / value - 1) < 0.05
        optimum = solve_design(problem, tolerance=1e-9).value
        print(
            f"| {name} | {ours * 1e3:.1f} ms | {design.iterations} | {design.gap:.1e} | {fast * 1e3:.0f} ms | "
            f"**{fast / ours:.1f}×** | {slow * 1e3:.0f} ms | {slow / ours:.0f}× | {value / optimum - 1:.1%} |",
            flush=True,
        )


def sphere(arms: int, dimension: int) -> np.ndarray:
    """Arms anywhere on the unit sphere."""
    rows = np.random.default_rng(0).standard_normal((arms, dimension))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def one_large(arms: int, dimension: int, tolerance: float) -> None:
    """One design in a process of its own; prints its time and its peak memory."""
    import resource

    rows = sphere(arms, dimension)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    design = solve_design(DesignProblem(rows, targets=rows), tolerance=tolerance)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"| {arms} | {dimension} | {seconds:.3g} s | {design.iterations} | {design.gap:.1e} | {len(design.support)} | "
        f"{peak / 1024:.0f} MB | {(peak - before) / 1024:.0f} MB |",
        flush=True,
    )


ALONE = """
import statistics, sys, time
import numpy as np
from gems_engine.design import DesignProblem, solve_design
arms = np.load(sys.argv[1])
work = lambda: solve_design(DesignProblem(arms, targets=arms))
solve_design(DesignProblem(arms[:3, :2], targets=arms[:3, :2]))
seconds = []
while sum(seconds) < 0.5 and len(seconds) < 300:
    started = time.process_time()
    design = work()
    seconds.append(time.process_time() - started)
assert design.gap <= 1e-6, design.gap
print(min(seconds), design.iterations, design.value)
"""
"""What is timed in a process of its own, with the code of a checkout: processor time, since others may be at work."""


def against(checkout: Path) -> None:
    """Certified to 1e-6 by this code and by another checkout, in turn; and the fast Frank–Wolfe, 1,000 iterations."""
    print(f"Certified to 1e-6, seconds of processor time, compared with {checkout.name}\n")
    print("| problem | here | iterations | there | iterations | ratio | FW, 1,000 iterations | ratio |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    hard = make("paper-hard", d_star=9, epsilon=0.01).arms
    problems = {f"paper-hard, d = {d}": hard[:, :d] for d in (8, 9, 10)}
    for n, d in (*((n, 25) for n in (100, 200, 300, 1000, 2000, 5000)), (1000, 5), (20000, 5), (2000, 50)):
        problems[f"sphere, {n:,} arms, D = {d}"] = sphere(n, d)
    with tempfile.TemporaryDirectory() as folder:
        for name, arms in problems.items():
            np.save(file := Path(folder) / "arms.npy", arms)
            turns = 3 if len(arms) <= 300 else 1  # a small problem is over before the machine has settled
            pairs = [(alone(Path.cwd(), file), alone(checkout, file)) for _ in range(turns)]
            (here, mine, value), (there, theirs, other) = (min(each) for each in zip(*pairs, strict=True))
            assert abs(value / other - 1.0) < 2e-6
            started = time.process_time()
            few = 1000 if len(arms) <= 300 else max(3, 20_000_000 // len(arms) ** 2)
            frank_wolfe_gram(arms, few)
            slow = (time.process_time() - started) * 1000 / few
            print(
                f"| {name} | {here:.4f} | {mine} | {there:.4f} | {theirs} | **{there / here:.1f}×** | "
                f"{slow:.2f}{'' if few == 1000 else f' (from {few})'} | {slow / here:.0f}× |",
                flush=True,
            )


def alone(checkout: Path, file: Path) -> tuple[float, int, float]:
    """Seconds, iterations and value of one problem with the code of a checkout."""
    given = [sys.executable, "-c", ALONE, str(file)]
    answer = subprocess.run(
        given, check=True, capture_output=True, text=True, cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)}
    )
    seconds, iterations, value = answer.stdout.split()
    return float(seconds), int(iterations), float(value)


def growth(tolerance: float = 1e-3) -> None:
    """Time and memory from 100 to 20,000 arms and from D = 5 to 200."""
    print(f"\nGrowth, certified to {tolerance:g} (each in a process of its own)\n")
    print("| arms | D | time | iterations | proven gap | support | peak memory | of which the solve |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    sizes = [(n, 50) for n in (100, 200, 500, 1000, 2000)] + [(400, d) for d in (10, 25, 50, 100, 200)]
    sizes += [(2000, 100), (5000, 50), (20000, 5)]
    for arms, dimension in sizes:
        subprocess.run(
            [sys.executable, "-m", "tests.bench.bench_design", "--one", str(arms), str(dimension), str(tolerance)],
            check=True,
        )


def dimension_choice() -> None:
    """OPT over D = 100 for B = 2^4 … 2^14, compared with one certified design.

    With 100 arms the design in R^100 itself is no yardstick: as many arms as dimensions are solved without an
    iteration. So there are two: that one, and the median of the designs that were chosen, solved alone.
    """
    print("\nA dimension choice over D = 100 (with the design of the chosen d), median over B = 2^4 … 2^14\n")
    print(
        "| arms | k | choice, median | slowest | one certified design, D = 100 | ratio "
        "| the chosen designs alone | ratio | chosen d |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for count in (100, 200):
        arms = make("sphere", D=100, n=count, seed=0, min_gap=0.01).arms
        for k in (1, 2, 3):
            costs, chosen, alone = [], [], []
            for exponent in range(4, 15):
                question = Selection(
                    arms, arms, tuple(range(count)), k, 2.0**exponent, lambda d: rounding_samples(d, 1.0), 100
                )
                seconds, choice = timed(lambda question=question: choose_dimension(question), repeat=3)
                costs.append(seconds)
                chosen.append(choice.d or 0)
                if choice.d:
                    rows = arms[:, : choice.d]
                    alone.append(timed(lambda rows=rows: solve_design(DesignProblem(rows, targets=rows)), repeat=3)[0])
            one, _ = timed(lambda arms=arms: solve_design(DesignProblem(arms, targets=arms)), repeat=3)
            middle, usual = statistics.median(costs), statistics.median(alone)
            print(
                f"| {count} | {k} | {middle * 1e3:.1f} ms | {max(costs) * 1e3:.0f} ms | {one * 1e3:.1f} ms | "
                f"**{middle / one:.2f}** | {usual * 1e3:.1f} ms | **{middle / usual:.2f}** | "
                f"{', '.join(map(str, chosen))} |",
                flush=True,
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", nargs=3, metavar=("ARMS", "D", "TOLERANCE"), help=argparse.SUPPRESS)
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout of this program")
    arguments = parser.parse_args()
    if arguments.against:
        against(arguments.against.resolve())
        return
    if arguments.one:
        one_large(int(arguments.one[0]), int(arguments.one[1]), float(arguments.one[2]))
        return
    against_frank_wolfe()
    if not arguments.quick:
        growth()
    dimension_choice()


if __name__ == "__main__":
    main()
