"""`python -m tests.reproduction NAME`: prints one of the tables of docs/reproduction.md as Markdown."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from gems_engine.complexity.levels import STRATEGY
from gems_engine.design import DesignProblem, solve_design
from gems_engine.experiment.statistics import wilson
from gems_engine.experiment.words import share
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.terminal import number
from tests.reproduction.variants import AUTHORS, Outcome, Trial, Variant, frank_wolfe

HARD, SPHERE = 10_000_000, 50_000
"""The caps of the two experiments."""
PAPER = Variant(finish=True)
"""The engine's reading, with the last round finished."""
EQUAL = "equal targets eliminate each other"
DIFFERENCES: dict[str, Variant] = {
    "none": PAPER,
    "last round dropped": replace(PAPER, finish=False),
    "ties refused": replace(PAPER, ties=False),
    EQUAL: replace(PAPER, duplicates=True),
    "Frank–Wolfe, stop by the value (the text)": replace(PAPER, design="value"),
    "Frank–Wolfe, stop by the weights (the code)": replace(PAPER, design="weights"),
    "r_d = 2·support": replace(PAPER, rounding="support"),
    "extra elimination in R^D": replace(PAPER, in_all=True),
    "schedule from i = 0": replace(PAPER, first=0),
    "leader recommended before the first singleton": replace(PAPER, leader=True),
    "log of 2·Ŝ² in ω": replace(PAPER, wide=2.0),
    "all of the code": AUTHORS,
}
"""The differences, each alone, and all together."""


def hard(epsilon: float = 1e-3) -> Callable[[int], Instance]:
    """The hard instance."""
    instance = make("paper-hard", d_star=9, epsilon=epsilon)
    return lambda seed: instance


def sphere(D: int) -> Callable[[int], Instance]:
    """The sphere of the appendix."""
    return lambda seed: make("sphere", D=D, d_star=5, n=100, min_gap=0.08, seed=seed)


def _cells(found: Iterable[Outcome]) -> list[str]:
    """Success with its interval, the median of τ over right trials, and the mean of all samples."""
    every = list(found)
    taus = [each.tau for each in every if each.tau is not None]
    mean = sum(each.samples for each in every) / len(every)
    return [
        share(wilson(sum(each.right for each in every), len(every))),
        number(round(median(taus))) if taus else "–",
        number(round(mean)),
    ]


def _runs(make_one: Callable[[int], Instance], name: str, trials: int, **given: Any) -> Iterator[Outcome]:
    """Runs of the engine."""
    for seed in range(1, trials + 1):
        found = summarise(Run(make_one(seed), name, seed, **given).finish()).as_dict()
        yield Outcome(bool(found["correct"]), found["tau"], found["samples"])


def _row(cells: Sequence[str]) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def _head(cells: Sequence[str]) -> None:
    _row(cells)
    _row(["---"] * len(cells))


def differences(trials: int) -> None:
    """Each difference alone, on the hard instance and on the sphere in R^25."""
    columns = ("success", "median τ", "mean samples")
    _head(["difference", *(f"hard, {each}" for each in columns), *(f"sphere, {each}" for each in columns)])
    for name, variant in DIFFERENCES.items():
        on_sphere = replace(variant, iterations=500)  # as the paper's appendix has it
        one = _cells(Trial(hard()(seed), variant, seed, HARD).gems() for seed in range(1, trials + 1))
        other = _cells(Trial(sphere(25)(seed), on_sphere, seed, SPHERE).gems() for seed in range(1, trials + 1))
        _row([name, *one, *other])


def schedule(trials: int) -> None:
    """GEMS on the sphere for the schedule of the paper, and for that of the authors' code."""
    _head(["calls of loop ℓ", *(f"D = {D}" for D in (25, 50, 75, 100))])
    for name, variant in (("i = 1, …, ℓ (the paper)", PAPER), ("i = 0, …, ℓ − 1 (the code)", replace(PAPER, first=0))):
        cells = [
            _cells(Trial(sphere(D)(seed), variant, seed, SPHERE).gems() for seed in range(1, trials + 1))[0]
            for D in (25, 50, 75, 100)
        ]
        _row([name, *cells])


def calls(trials: int) -> None:
    """Which calls of GEMS end with one arm on the sphere in R^25, and how often that is the best one."""
    _head(["calls of loop ℓ", "n", "B", "ended with one arm", "of these wrong"])
    for name, first in (("i = 1, …, ℓ", 1), ("i = 0, …, ℓ − 1", 0)):
        found: Counter[tuple[int, int, bool]] = Counter()
        for seed in range(1, trials + 1):
            run = Trial(sphere(25)(seed), replace(PAPER, first=first), seed, SPHERE)
            run.gems()
            found.update(run.singletons)
        for n, B in sorted({(n, B) for n, B, _ in found}):
            right, wrong = found[n, B, True], found[n, B, False]
            _row([name, str(n), str(B), number(right + wrong), number(wrong)])


def last_round(trials: int) -> None:
    """RAGE and GEMS in the engine with the last round dropped or finished, and with the two caps."""

    def right(make_one: Callable[[int], Instance], name: str, cap: int, way: str) -> str:
        given = {} if name == "rage" else {"base": 4}
        return _cells(_runs(make_one, name, trials, max_samples=cap, last_round=way, **given))[0]

    _head(["", *(f"sphere, D = {D}" for D in (25, 50, 75, 100))])
    for name, label in (("fixed-confidence", "GEMS"), ("rage", "RAGE")):
        for way in ("drop", "finish"):
            _row([f"{label}, {way}", *(right(sphere(D), name, SPHERE, way) for D in (25, 50, 75, 100))])
    print()
    _head(["", *(f"hard, ε = 10^−{e}" for e in (2, 3, 4, 5))])
    for cap in (HARD, 2 * HARD):
        for way in ("drop", "finish"):
            cells = (right(hard(10.0**-e), "rage", cap, way) for e in (2, 3, 4, 5))
            _row([f"RAGE, {number(cap)} samples, {way}", *cells])


def designs(_: int) -> None:
    """The value of a design by each solver."""
    _head(["directions", "optimum", "Frank–Wolfe, stop by the value", "Frank–Wolfe, stop by the weights"])
    problems = [("hard instance, R^10", hard()(0), 10, 1000), ("hard instance, R^9", hard()(0), 9, 1000)]
    problems += [(f"sphere, 100 arms in R^{D}", sphere(D)(1), D, 500) for D in (25, 50)]
    for name, instance, d, iterations in problems:
        arms = instance.arms[:, :d]
        best = solve_design(DesignProblem(arms, targets=arms)).value
        by_value, by_weights = (frank_wolfe(arms, arms, iterations, start)[0] for start in (None, 0))
        over = (f"{number(each, 4)} (+{number(100 * (each / best - 1), 3)} %)" for each in (by_value, by_weights))
        _row([name, number(best, 4), *over])


def rounding(trials: int) -> None:
    """GEMS with the two forms of r_d of the paper, in the engine."""
    _run_table("rounding", ("quadratic", "linear"), trials)


def level(trials: int) -> None:
    """GEMS with δ, and with the δ for which the paper's argument proves 1 − 0.05 for all sub-Gaussian noise."""
    _run_table("delta", (0.05, 0.05 / STRATEGY), trials)


def _run_table(parameter: str, values: Sequence[object], trials: int) -> None:
    columns = ("success", "median τ")
    _head([parameter, *(f"hard, {each}" for each in columns), *(f"sphere, {each}" for each in columns)])
    for value in values:
        cells: list[str] = []
        for make_one, cap in ((hard(), HARD), (sphere(25), SPHERE)):
            given = {"base": 4, "max_samples": cap, "last_round": "finish", parameter: value}
            cells += _cells(_runs(make_one, "fixed-confidence", trials, **given))[:2]
        _row([number(value) if isinstance(value, float) else str(value), *cells])


def duplicates(trials: int) -> None:
    """What GEMS recommends first on the hard instance, if equal targets never or always eliminate each other."""
    _head(["equal targets", "trials with a wrong recommendation after the first guess", "the first one, at sample"])
    for name, variant in (("never eliminate", PAPER), ("eliminate each other", DIFFERENCES[EQUAL])):
        runs = [Trial(hard()(seed), variant, seed, HARD) for seed in range(1, trials + 1)]
        wrong = 0
        for run in runs:
            run.gems()
            wrong += any(arm != run.best for _, arm in run.seen[1:])
        at, arm = runs[0].seen[1]
        _row([name, f"{wrong} of {trials}", f"x_{arm + 1}, {number(at)}"])


MEASUREMENTS: dict[str, tuple[Callable[[int], None], int]] = {
    "differences": (differences, 100),
    "duplicates": (duplicates, 40),
    "schedule": (schedule, 200),
    "calls": (calls, 120),
    "last_round": (last_round, 200),
    "designs": (designs, 1),
    "rounding": (rounding, 200),
    "level": (level, 200),
}
"""The tables, with their usual number of trials."""


def main(words: Sequence[str] | None = None) -> int:
    """Print a table; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.reproduction", description=__doc__)
    listed = "; ".join(f"{name}: {what.__doc__}" for name, (what, _) in MEASUREMENTS.items())
    parser.add_argument("name", choices=MEASUREMENTS, help=listed.replace("%", "%%"))
    parser.add_argument("--trials", type=int, help="trials of each cell (default: as in docs/reproduction.md)")
    arguments = parser.parse_args(words)
    what, usual = MEASUREMENTS[arguments.name]
    what(arguments.trials or usual)
    return 0


if __name__ == "__main__":
    sys.exit(main())
