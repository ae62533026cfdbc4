"""Event sequences as a run would have them, made up: right in form, without meaning."""

import numpy as np

from gems_engine import events as ev
from gems_engine.events import Place
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.trace import Trace


def small_instance():
    return make("paper-hard", d_star=3)


def wide_instance(arms=1000, D=20, seed=0):
    rng = np.random.default_rng(seed)
    return Instance.linear(rng.standard_normal((arms, D)), rng.standard_normal(D))


def synthetic(
    instance,
    loops=2,
    subroutines=2,
    rounds=4,
    probes=3,
    support=None,
    seed=0,
    goal="best arm",
    finish=True,
    floats=None,
):
    """Events of loops × subroutines × rounds, the last subroutine of each loop with T′, D̃ and idle rounds at its end.

    ``floats`` is a function to spoil scalar floats with, to test what is not finite.
    """
    rng = np.random.default_rng(seed)
    K, n, D = len(instance.arms), len(instance.targets), instance.D
    size = min(K, support or 3)
    number = floats or (lambda value: value)
    samples = 0
    parameters = {"delta": 0.05, "base": 4, "solver": "auto", "cap": None, "stop": True, "epsilon": 0.25}
    yield ev.RunStarted(Place(), instance.digest, "synthetic", parameters, seed, goal, {"gems-lab": "0.1.0"})
    yield ev.Recommended(Place(), int(rng.integers(n)), 0, "a first guess")
    for ell in range(1, loops + 1):
        kept: list[int] = []
        for i in range(1, subroutines + 1):
            here = Place(ell, i)
            yield ev.SubroutineStarted(here, "gems-c", rounds + 3, 4.0**ell, 0.05, 0.0)
            if i == subroutines:
                yield ev.BudgetDivided(here, 40 * ell)
                yield ev.TopDimensionChosen(here, 40 * ell, D - 1, np.linspace(1.0, 41.0 * ell, D))
            survivors = np.arange(n)
            for k in range(1, rounds + 1):
                at = Place(ell, i, k)
                for d in range(1, probes + 1):
                    lower = float(rng.random())
                    yield ev.DimensionProbed(at, min(d, D), lower, number(lower + 1), 4.0 * d, "fits", "upper ≤ B", 7)
                d = int(rng.integers(1, D + 1))
                arms = np.sort(rng.choice(K, size, replace=False))
                value = float(rng.random())
                weights = rng.dirichlet(np.ones(size))
                yield ev.DesignSolved(
                    at,
                    d,
                    arms,
                    weights,
                    value,
                    number(value),
                    value,
                    4.0**k,
                    "optimal",
                    "by hand",
                    9,
                    "auto",
                    1e-6,
                    float(rng.random()),
                )
                counts = rng.integers(1, 100, size)
                yield ev.Allocated(at, d, arms, counts, 1.01, True)
                samples += int(counts.sum())
                yield ev.Pulled(at, rng.standard_normal(size), samples, float(rng.random()))
                yield ev.Estimated(at, rng.standard_normal(d))
                leaving = max(0, min(len(survivors) - 1, n // rounds)) if k % 2 else 0
                gone = np.sort(rng.choice(survivors, leaving, replace=False))
                survivors = np.setdiff1d(survivors, gone)
                by = np.full(leaving, survivors[0])
                yield ev.Eliminated(at, gone, by, rng.random(leaving) + 1, rng.random(leaving), len(survivors))
            if i == subroutines:
                samples += 30
                first = Place(ell, i, rounds + 1)
                yield ev.IdleRounds(first, rounds + 1, rounds + 3, 1, 30, samples, "every direction is 0")
            yield ev.SubroutineFinished(here, survivors, ev.ROUNDS_DONE, samples)
            target = int(rng.choice(survivors))
            yield ev.CandidateKept(here, target, target not in kept)
            kept = sorted({*kept, target})
        place = Place(ell)
        yield ev.Allocated(place, 0, np.array(kept), np.full(len(kept), 5), 1.0, True)
        samples += 5 * len(kept)
        yield ev.Pulled(place, rng.standard_normal(len(kept)), samples)
        yield ev.Validated(place, np.array(kept), rng.standard_normal(len(kept)), 5)
        yield ev.Recommended(place, kept[-1], samples, "the largest mean")
    if finish:
        yield ev.BecameVerifiable(Place(loops), kept[-1], samples)
        yield ev.RunFinished(Place(), ev.CAP, kept[-1], survivors, samples, 1.5)


def synthetic_trace(instance=None, **settings):
    instance = instance or small_instance()
    trace = Trace(instance)
    trace.extend(synthetic(instance, **settings))
    return trace


def same_states(a, b):
    """Whether two states agree in every field."""
    return set(a.__dict__) == set(b.__dict__) and all(
        np.array_equal(value, b.__dict__[name]) if isinstance(value, np.ndarray) else value == b.__dict__[name]
        for name, value in a.__dict__.items()
    )
