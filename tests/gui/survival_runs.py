"""Runs that the tests of the survivors look at, and their rasters."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from hypothesis import strategies as st

from gems_engine import events as ev
from gems_engine.events import Place
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_gui.series.fate_raster import FateColumns
from gems_gui.series.surviving_arms import LEAST_SEEN, survival_raster
from gems_gui.snapshot import Snapshot
from tests.engine.synthetic_runs import synthetic_trace

RUNS = {
    "hard": lambda: Run(make("paper-hard"), "fixed-confidence", 1, base=4, max_samples=100_000),
    "sphere": lambda: Run(make("sphere", n=30, D=6), "fixed-confidence", 2, base=4, max_samples=50_000),
    "budget": lambda: Run(make("paper-hard"), "fixed-budget", 3),
    "transductive": lambda: Run(make("transductive"), "fixed-confidence", 1, max_samples=20_000),
    "rage": lambda: Run(make("paper-hard"), "rage", 1),
    "static": lambda: Run(make("paper-hard"), "static-oracle", 1),
    "idle": None,
}


@lru_cache
def trace_of(name):
    return synthetic_trace(loops=2, subroutines=2) if name == "idle" else RUNS[name]().finish()


@lru_cache
def history_of(name):
    return History(trace_of(name))


def snapshot_of(name, cursor=None, **rest):
    trace = trace_of(name)
    return Snapshot(trace, history_of(name), trace.state_at(len(trace) if cursor is None else cursor), **rest)


cursors = st.tuples(st.sampled_from(sorted(RUNS)), st.floats(0, 1))


def at(name, part):
    return round(part * len(trace_of(name)))


def raster(snapshot, series, kept=None, columns=2000, rows=10_000):
    fresh = replace(series, fates=kept or FateColumns(snapshot.history))
    return survival_raster(snapshot, fresh, columns, LEAST_SEEN * rows)


def long_trace(rounds, targets=40, per_subroutine=25):
    instance = Instance.linear(np.random.default_rng(1).standard_normal((targets, 3)), [1.0, 0.5, 0.2])
    trace, samples = Trace(instance), 0
    trace.append(ev.RunStarted(Place(), instance.digest, "synthetic", {}, 0, "best arm", {}))
    rng = np.random.default_rng(0)
    for number in range(rounds):
        ell, k = divmod(number, per_subroutine)
        if k == 0:
            trace.append(ev.SubroutineStarted(Place(ell + 1, 1), "gems-c", per_subroutine, 4.0, 0.05, 0.0))
            left = rng.permutation(targets)
        here = Place(ell + 1, 1, k + 1)
        counts = rng.integers(1, 1000, 1)
        samples += int(counts.sum())
        trace.append(ev.Allocated(here, 1, np.array([0]), counts, 1.0, True))
        trace.append(ev.Pulled(here, np.array([1.0]), samples))
        gone, left = left[:1], left[1:]
        trace.append(ev.Eliminated(here, gone, left[:1], np.ones(1), np.ones(1), len(left)))
    return trace


def worded_trace(width=0.41, names=None):
    """Five arms; the first round eliminates arm 4 by arm 0, the second has only begun."""
    instance = Instance.linear(np.eye(5), [0.5, 0.4, 0.3, 0.2, 0.1], arm_names=names)
    trace = Trace(instance)
    first, second = Place(5, 1, 1), Place(5, 1, 2)
    trace.extend(
        [
            ev.RunStarted(Place(), instance.digest, "fixed-confidence", {}, 0, "best arm", {}),
            ev.Recommended(Place(), 2, 0, "first guess"),
            ev.SubroutineStarted(Place(5, 1), "gems-c", 4, 64.0, 0.05, 0.0),
            ev.Allocated(first, 5, np.arange(5), np.full(5, 20), 1.0, True),
            ev.Pulled(first, np.ones(5), 100),
            ev.Estimated(first, np.array([0.9, 0.1, 0.2, 0.3, 0.05])),
            ev.Eliminated(first, np.array([4]), np.array([0]), np.array([0.83]), np.array([width]), 4),
            ev.Allocated(second, 5, np.arange(5), np.full(5, 20), 1.0, True),
        ]
    )
    return trace
