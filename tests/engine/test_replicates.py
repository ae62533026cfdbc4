"""Replicates of a run: quantiles, shares and seeds against runs that are made one by one."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from gems_engine.events import Eliminated, IdleRounds, Pulled, SubroutineFinished
from gems_engine.experiment.following import Following, most_samples, sample_counts
from gems_engine.experiment.measures import PROBABILITIES
from gems_engine.experiment.replicates import (
    MOST_FAILING,
    SEEDS,
    UNCERTIFIED,
    Replicates,
    Replication,
    Source,
    fails,
)
from gems_engine.experiment.trials import Trial, run_trial
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.summary import summarise

COUNT = 12
SOURCES = {
    "fixed-confidence": ("fixed-confidence", {"max_samples": 15_000, "base": 4}),
    "rage": ("rage", {"max_samples": 2_000}),
    "fixed-budget": ("fixed-budget", {"budget": 2_000}),
    "static-oracle": ("static-oracle", {}),
}


def source(name, seed=3):
    algorithm, parameters = SOURCES[name]
    return Source(make("paper-hard", d_star=4, epsilon=0.3), algorithm, seed, parameters)


def replicated(of, count=COUNT, executor=None, until=None, first=1):
    found = Replicates(of, count)
    Replication(of, range(first, first + count), executor, found.add, until).run()
    return found


def values_at(trace, samples):
    """Survivors and d after a number of samples, from the events alone: those of the last drawn round."""
    left, d, now = len(trace.instance.targets), 0, (len(trace.instance.targets), 0)
    for event in trace:
        if event.kind == "subroutine started":
            left = len(trace.instance.targets)
        elif event.kind == "design solved":
            d = event.d
        elif (isinstance(event, Pulled) and event.place.k) or isinstance(event, IdleRounds):
            if event.samples > samples:
                break
            d = getattr(event, "d", d)
            now = left, d
        elif isinstance(event, Eliminated):
            left -= len(event.targets)
            now = left, d
    return now


@pytest.fixture(scope="module")
def traces():
    """The runs themselves, one by one."""
    made = {}
    for name in SOURCES:
        of = source(name)
        made[name] = [
            Run(of.instance, of.algorithm, of.seed + number, **of.parameters).finish() for number in range(1, COUNT + 1)
        ]
    return made


@pytest.mark.parametrize("name", SOURCES)
def test_bands_are_the_quantiles_of_runs_made_one_by_one(traces, name):
    found = replicated(source(name))
    drawn = max(trace.finished.samples for trace in traces[name])
    counts = found.counts[found.counts <= drawn]
    assert found.survivors.x.tolist() == counts.tolist()
    for at in range(0, len(counts), 7):
        alone = np.array([values_at(trace, counts[at]) for trace in traces[name]])
        for column, bands in enumerate((found.survivors, found.dimension)):
            expected = np.quantile(alone[:, column], PROBABILITIES, method="inverted_cdf")
            assert bands.quantiles[:, at].tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["fixed-confidence", "rage"])
def test_samples_by_the_end_of_each_part_with_those_that_were_cut_off_infinite(traces, name):
    found = replicated(source(name))
    for at, (ell, i, k) in enumerate(found.samples.places):
        ends = []
        for trace in traces[name]:
            here = [
                event.samples
                for event in trace
                if (event.place.ell, event.place.i) == (ell, i)
                and (
                    isinstance(event, SubroutineFinished) if not k else isinstance(event, Pulled) and event.place.k == k
                )
            ]
            end = trace.finished
            ends.append(here[0] if here else math.inf if end.why == "cap" else end.samples)
        expected = np.quantile(ends, PROBABILITIES, method="inverted_cdf")
        assert found.samples.quantiles[:, at].tolist() == expected.tolist()
    kinds = {k == 0 for _, _, k in found.samples.places}
    assert kinds == {name == "fixed-confidence"}
    assert found.cut_off == sum(trace.finished.why == "cap" for trace in traces[name]) > 0


@pytest.mark.parametrize("numbers", [range(1, 16), range(15, 0, -1)])
def test_a_seed_that_passed_over_a_subroutine_is_infinite_only_from_where_the_cap_has_cut_it_off(numbers):
    """A loop ends early where one target remains; whichever comes first, the numbers are those of the runs alone."""
    of = Source(make("gaussian", D=6, d_star=4, n=15, seed=7), "fixed-confidence", 5, {"max_samples": 3_000})
    found = Replicates(of, 15)
    Replication(of, numbers, None, found.add).run()
    runs = [Run(of.instance, of.algorithm, of.seed + number, **of.parameters).finish() for number in numbers]
    passed_over = 0
    for at, (ell, i, _) in enumerate(found.samples.places):
        ends = []
        for trace in runs:
            began = max((each.place.ell, each.place.i) for each in trace if each.kind == "subroutine started")
            over = [each for each in trace if isinstance(each, SubroutineFinished)]
            here = [each.samples for each in over if (each.place.ell, each.place.i) <= (ell, i)]
            ended = any((each.place.ell, each.place.i) == (ell, i) for each in over)
            passed_over += not ended and (ell, i) < began
            cut = math.inf if trace.finished.why == "cap" else trace.finished.samples
            ends.append(here[-1] if ended or (ell, i) < began else cut)
        expected = np.quantile(ends, PROBABILITIES, method="inverted_cdf")
        assert found.samples.quantiles[:, at].tolist() == expected.tolist()
    assert passed_over
    assert (np.diff(found.samples.quantiles[:, np.isfinite(found.samples.quantiles[-1])], axis=1) >= 0).all()


@pytest.mark.parametrize("name", SOURCES)
def test_tau_and_success(traces, name):
    found, alone = replicated(source(name)), [summarise(trace) for trace in traces[name]]
    taus = [math.inf if each.tau is None else each.tau for each in alone]
    assert found.taus.tolist() == taus
    assert found.numbers.tolist() == list(range(1, COUNT + 1))
    right = sum(each.correct for each in alone)
    assert (found.success.count, found.success.total) == (right, COUNT)
    z, share = 1.959963984540054, right / COUNT
    middle, half = share + z**2 / (2 * COUNT), z * math.sqrt(share * (1 - share) / COUNT + z**2 / (4 * COUNT**2))
    assert found.success.low == pytest.approx(max(0.0, (middle - half) / (1 + z**2 / COUNT)), abs=1e-12)
    assert found.success.high == pytest.approx(min(1.0, (middle + half) / (1 + z**2 / COUNT)), abs=1e-12)
    assert found.tau.censored == taus.count(math.inf)
    wrong = [number for number, each in enumerate(alone, start=1) if not each.correct]
    assert [row.index for row in found.failing] == wrong


def test_a_row_is_the_trials_own_whoever_runs_it():
    of = source("fixed-confidence")
    trial = next(of.trials([5]))
    followed = Following(of.most)(trial)
    plain = run_trial(trial)
    assert {name: getattr(followed, name) for name in plain.as_dict() if "seconds" not in name} == {
        name: value for name, value in plain.as_dict().items() if "seconds" not in name
    }
    with ThreadPoolExecutor(3) as pool:
        elsewhere = replicated(of, executor=pool)
    here = replicated(of)
    assert sorted(elsewhere.numbers) == here.numbers.tolist()
    assert np.array_equal(elsewhere.survivors.quantiles, here.survivors.quantiles)
    assert np.array_equal(elsewhere.samples.quantiles, here.samples.quantiles)


def test_the_search_ends_with_the_smallest_failing_seed_and_that_run_is_wrong():
    of = replace(source("fixed-budget"), parameters={"budget": 600})  # some are right before one fails
    told = []
    with ThreadPoolExecutor(3) as pool:
        Replication(of, range(1, 500), pool, told.append, fails).run()
    first = min((row for row in told if fails(row)), key=lambda row: row.index)
    assert 1 < first.index < len(told) < 499
    for number in range(1, first.index):
        assert summarise(Run(of.instance, of.algorithm, of.seed_of(number), **of.parameters).finish()).correct
    again = summarise(Run(of.instance, of.algorithm, first.seed, **of.parameters).finish())
    assert not again.correct
    assert (again.recommendation, again.samples) == (first.recommendation, first.samples)


def test_a_trial_that_fails_is_counted_and_kept_by_its_sentence():
    of = Source(Instance.linear(np.eye(2), [1.0, 1.0]), "rage", 0, {})  # two best targets
    found = replicated(of, 3)
    assert (len(found), found.errors, found.success.count, found.tau.censored) == (3, 3, 0, 3)
    assert "tied for the best reward" in found.failing[0].error
    assert np.isnan(found.survivors.quantiles).all()
    assert not found.samples.places


def test_uncertified_designs_are_found():
    of = Source(make("paper-hard", d_star=4), "rage", 0, {"max_samples": 20_000, "solver": "frank-wolfe"})
    row = Following(of.most)(next(of.trials([1])))
    assert row.uncertified > 0
    assert fails(row, UNCERTIFIED)
    certified = Following(of.most)(Trial(1, of.instance, "rage", 1, {"max_samples": 20_000}))
    assert not fails(certified, UNCERTIFIED)


def test_what_is_kept_does_not_grow_with_what_trials_do():
    of = source("fixed-budget")
    row = Following(of.most)(next(of.trials([1])))
    found = Replicates(of)
    for number in range(2_000):
        found.add(replace(row, index=number, correct=False))
    assert len(found) == 2_000
    assert len(found.failing) == MOST_FAILING
    assert found.failing[-1].index == MOST_FAILING - 1
    assert not hasattr(found.failing[0], "path")
    assert found.survivors.quantiles.shape == (len(PROBABILITIES), len(found.survivors.x))


def test_seeds_are_consecutive_and_begin_anew():
    assert [each.seed for each in source("rage", seed=SEEDS - 2).trials([0, 1, 2])] == [SEEDS - 2, SEEDS - 1, 0]


@pytest.mark.parametrize("most", [1, 2, 10, 12_345, 10**7, 10**15])
def test_counts_of_samples_are_close_to_each_other_and_end_at_the_cap(most):
    counts = sample_counts(most)
    assert (counts[0], counts[-1]) == (1, max(most, 2))
    assert (np.diff(counts) > 0).all()
    assert (np.diff(counts) <= 1 + 0.04 * counts[:-1]).all()
    assert most_samples("fixed-confidence", {"max_samples": max(most, 1)}) == most
