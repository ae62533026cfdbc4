"""The speed of this machine: a few numbers in half a minute, each a median.

They show whether a machine is slow, not whether the program is fast: its claims are measured in `tests/bench/`, against
references.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gems_engine.blas import one_blas_thread

if TYPE_CHECKING:
    from gems_engine.instance import Instance
    from gems_engine.memo import Memo
    from gems_engine.trace import Trace


@dataclass(frozen=True)
class Measured:
    """One line of the table.

    Attributes
    ----------
    what
        What was measured.
    milliseconds
        The median over `times` repetitions.
    times
        The number of repetitions.
    compared
        A comparison or the size of the work; may be empty.
    """

    what: str
    milliseconds: float
    times: int
    compared: str = ""


def measured(work: Callable[[], object], seconds: float) -> tuple[float, int]:
    """The median in milliseconds, and the number of repetitions: at least three, more while there is time."""
    work()  # loads what is loaded once
    took: list[float] = []
    until = time.perf_counter() + seconds
    while len(took) < 3 or time.perf_counter() < until:
        since = time.perf_counter()
        work()
        took.append((time.perf_counter() - since) * 1e3)
    return statistics.median(took), len(took)


def benchmarks(seconds: float = 1.0) -> Iterator[Measured]:
    """The lines one by one, each after about the given number of seconds."""
    with one_blas_thread():
        yield from _designs(seconds)
        yield from _choices(seconds)
        yield from _runs(seconds)
        yield from _traces(seconds)


def _designs(seconds: float) -> Iterator[Measured]:
    from gems_engine.design import DesignProblem, solve_design
    from gems_engine.gallery import make

    for title, spec in (("paper-hard, R¹⁰", {}), ("100 arms in R²⁵", {"D": 25}), ("100 arms in R⁵⁰", {"D": 50})):
        arms = (make("sphere", n=100, seed=1, **spec) if spec else make("paper-hard")).arms
        problem = DesignProblem(arms, targets=arms)
        ours, times = measured(partial(solve_design, problem), seconds)
        theirs, _ = measured(partial(solve_design, problem, "frank-wolfe"), seconds)
        value = solve_design(problem, "frank-wolfe").value / solve_design(problem).value
        note = f"Frank–Wolfe as published takes {theirs / ours:.1f} times as long, for {value:.3g} times the optimum"
        yield Measured(f"design, {title}, proven to 1e-6", ours, times, note)


def _choices(seconds: float) -> Iterator[Measured]:
    from gems_engine.dimension import Selection, choose_dimension
    from gems_engine.gallery import make
    from gems_engine.rounding import rounding_samples

    instance = make("sphere", D=50, n=100, seed=1)

    def choose() -> object:
        all_targets = tuple(range(len(instance.targets)))
        return choose_dimension(
            Selection(
                instance.arms,
                instance.targets,
                all_targets,
                k=1,
                budget=512.0,
                rounding=lambda d: rounding_samples(d, zeta=1.0),
                top=instance.D,
            )
        )

    ours, times = measured(choose, seconds)
    yield Measured("choice of dₖ among 50, with its design", ours, times)


def _whole_run(instance: Instance, cap: int, memo: Memo | None = None) -> Trace:
    from gems_engine.memo import Memo
    from gems_engine.running import run

    memo = Memo() if memo is None else memo
    return run(instance, "fixed-confidence", seed=1, base=4, max_samples=cap, memo=memo).finish()


def _runs(seconds: float) -> Iterator[Measured]:
    from gems_engine.gallery import make
    from gems_engine.memo import Memo

    for title, family, spec, cap in (
        ("paper-hard, 20 million samples", "paper-hard", {"epsilon": 0.01}, 20_000_000),
        ("sphere in R⁵⁰, 50,000 samples", "sphere", {"D": 50, "n": 100, "seed": 1}, 50_000),
    ):
        whole = partial(_whole_run, make(family, **spec), cap)
        ours, times = measured(whole, seconds)
        trace = whole()
        yield Measured(f"whole run, {title}", ours, times, f"{len(trace.round_starts)} rounds, {len(trace)} events")
        again, times = measured(partial(whole, Memo()), seconds)
        yield Measured(f"the same again, {title}", again, times, "with known designs, as in a second trial")


def _traces(seconds: float) -> Iterator[Measured]:
    from gems_engine.gallery import make
    from gems_engine.running import run

    trace = run(make("paper-hard"), "fixed-confidence", seed=1, max_samples=10**9).finish()
    places = [(7919 * i) % (len(trace) + 1) for i in range(100)]
    ours, times = measured(lambda: [trace.state_at(place) for place in places], seconds)
    yield Measured(
        "seek to a random event", ours / len(places), times * len(places), f"in a run of {len(trace)} events"
    )
