"""Intervals against scipy, an exhaustive search and a count; censored numbers against plain definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gems_engine.experiment import quantile
from gems_engine.experiment.measures import measured


def by_search(n, p, confidence):
    """The order statistics of the interval, by trying all: the largest l and the smallest u that leave enough out."""
    rest = (1 - confidence) / 2
    binomial = stats.binom(n, p)
    lower = max((l for l in range(1, n + 1) if binomial.cdf(l - 1) <= rest), default=None)
    upper = min((u for u in range(1, n + 1) if binomial.cdf(u - 1) >= 1 - rest), default=None)
    return lower, upper


@pytest.mark.parametrize("n", [1, 2, 5, 6, 20, 101])
@pytest.mark.parametrize("p", [0.1, 0.25, 0.5, 0.9])
def test_the_interval_of_a_quantile_is_between_the_right_order_statistics(n, p):
    ordered = np.arange(1, n + 1) * 10.0
    lower, upper = by_search(n, p, 0.95)
    found = quantile(ordered, p)
    assert found.low == (0.0 if lower is None else ordered[lower - 1])
    assert found.high == (math.inf if upper is None else ordered[upper - 1])
    assert found.value == np.quantile(ordered, p, method="inverted_cdf")
    assert found.low <= found.value <= found.high


def test_six_numbers_are_the_fewest_that_enclose_a_median():
    assert quantile([1, 2, 3, 4, 5], 0.5).high == math.inf  # 2·2⁻⁵ > 5 %
    six = quantile([1, 2, 3, 4, 5, 6], 0.5)
    assert (six.low, six.high) == (1, 6)  # 2·2⁻⁶ ≤ 5 %


@pytest.mark.parametrize("p", [0.25, 0.5, 0.9])
def test_the_interval_covers_the_truth_as_often_as_it_says(p):
    generator = np.random.default_rng(0)
    samples = np.sort(generator.exponential(size=(2000, 40)), axis=1)
    truth = stats.expon.ppf(p)
    covered = sum(found.low <= truth <= found.high for found in (quantile(each, p) for each in samples))
    assert covered >= 0.95 * 2000 - 3 * math.sqrt(2000 * 0.05 * 0.95)


def test_what_is_not_known_to_be_finite_counts_and_is_above_all_others():
    finite = quantile([1, 2, 3], 0.5)
    assert finite.value == 2
    assert quantile([1, 2, 3, math.inf, math.inf], 0.5).value == 3  # not 2, as without them
    assert quantile([1, 2, math.inf, math.inf], 0.5).value == 2  # half of them are 2 at most
    assert quantile([1, math.inf, math.inf], 0.5).value == math.inf
    assert quantile([math.inf] * 8, 0.5) == quantile([math.inf] * 8, 0.5)
    assert math.isnan(quantile([], 0.5).value)


numbers = st.lists(st.one_of(st.integers(0, 50).map(float), st.just(math.inf)), min_size=1, max_size=30)


@given(numbers, st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]))
def test_censoring_more_never_makes_a_quantile_smaller(values, p):
    ordered = sorted(values)
    before = quantile(ordered, p)
    after = quantile([*ordered[1:], math.inf], p)  # the smallest was censored after all
    assert after.value >= before.value
    assert after.low >= before.low
    assert after.high >= before.high


@given(numbers)
def test_what_is_measured_of_a_cell(values):
    found = measured(np.array(values), np.array(values))
    finite = [value for value in values if value < math.inf]
    assert (found.total, found.known, found.censored) == (len(values), len(finite), len(values) - len(finite))
    assert found.zeros == values.count(0.0)
    assert math.isnan(found.mean) if not finite else found.mean == pytest.approx(sum(finite) / len(finite))
    shown = [each.value for each in found.quantiles.values()]
    assert shown == sorted(shown)
