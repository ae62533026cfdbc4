"""What rigorous bounds cost: their share of the processor time of designs and whole runs, measured in one process.

python -m tests.bench.bench_proof
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
from statistics import median

import numpy as np

from gems_engine import elimination, solutions
from gems_engine.design import DesignProblem, problem, solve, solve_design
from gems_engine.gallery import make
from gems_engine.memo import Memo
from gems_engine.running import run

ROUNDS = 7
KNOWN = Memo()


class Watch:
    """Adds up the time that is spent in some functions, those that call each other counted once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inside = False

    def over(self, function):
        def timed(*arguments):
            if self._inside:
                return function(*arguments)
            self._inside = True
            since = time.process_time()
            try:
                return function(*arguments)
            finally:
                self.seconds += time.process_time() - since
                self._inside = False

        return timed


WATCH = Watch()
for module, name in (
    (solve, "upper_bound"),
    (solve, "lower_bound"),
    (solve, "exact_value"),
    (solve, "exact_bound"),
    (problem, "basis_frame"),
    (elimination.Doubt, "bound"),
    (elimination.IndependentDoubt, "bound"),
    (elimination, "exact_margins"),
    (solutions, "upper_bound"),
):
    setattr(module, name, WATCH.over(getattr(module, name)))
for each in (elimination.Doubt, elimination.IndependentDoubt):
    each.of = staticmethod(WATCH.over(each.of))


def measured(work) -> tuple[float, float]:
    """Median seconds of all, and of the proofs in it."""
    work()
    found = []
    for _ in range(ROUNDS):
        WATCH.seconds = 0.0
        since = time.process_time()
        work()
        found.append((time.process_time() - since, WATCH.seconds))
    return median(total for total, _ in found), median(proof for _, proof in found)


def line(what: str, work) -> None:
    total, proof = measured(work)
    added = proof / (total - proof)
    print(f"{what:44}  {1e3 * total:9.2f} ms   proofs {1e3 * proof:7.3f} ms   + {100 * added:5.1f} %")


def sphere(n: int, d: int) -> np.ndarray:
    rows = np.random.default_rng(0).standard_normal((n, d))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def design(arms: np.ndarray):
    return lambda: solve_design(DesignProblem(arms, targets=arms))


def main() -> None:
    hard = make("paper-hard", epsilon=0.01).arms
    print("Designs, certified to 1e-6")
    for d in (10, 9, 8):
        line(f"paper-hard, d = {d}", design(hard[:, :d]))
    for n, d in ((100, 10), (100, 25), (100, 50), (100, 100), (300, 25), (1000, 5), (1000, 25)):
        line(f"sphere, {n} arms in R^{d}", design(sphere(n, d)))
    for words, memory in (("that solve every design", Memo), ("whose designs are known", lambda: KNOWN)):
        print(f"Whole runs {words}, fixed-confidence, base 4")
        for epsilon in (1e-2, 1e-4):
            instance = make("paper-hard", epsilon=epsilon)
            line(f"paper-hard, ε = {epsilon:g}, 10 million samples", lambda i=instance, m=memory: _run(i, 10**7, m()))
        for d in (25, 100):
            instance = make("sphere", D=d)
            line(f"sphere, D = {d}, 50,000 samples", lambda i=instance, m=memory: _run(i, 50_000, m()))


def _run(instance, cap: int, memo: Memo) -> None:
    run(instance, "fixed-confidence", seed=1, max_samples=cap, base=4, memo=memo).finish()


if __name__ == "__main__":
    main()
