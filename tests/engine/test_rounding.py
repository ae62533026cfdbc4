"""Whole pulls: exactly N, at a factor that is measured and bounded."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from gems_engine.design import DesignProblem, solve_design
from gems_engine.errors import InputError
from gems_engine.rounding import allocate, apportion, reduce_support, rounding_samples
from tests.engine.problems import listed_pairs, plain_value, sphere_arms


@pytest.mark.parametrize(
    ("d", "zeta", "form", "value"),
    [
        (9, 1.0, "quadratic", 92.0),
        (10, 0.5, "quadratic", 224.0),
        (9, 1.0, "linear", 1620.0),
        (2, 0.5, "linear", 1440.0),
    ],
)
def test_both_published_forms(d, zeta, form, value):
    assert rounding_samples(d, zeta, form) == pytest.approx(value)


@given(
    st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=40),
    st.integers(0, 3),
    st.integers(0, 10**6),
)
def test_apportionment_is_pukelsheims(raw, zeros, extra):
    weights = np.array(raw + [0.0] * zeros)
    weights /= weights.sum()
    support = len(raw)
    pulls = support + extra
    counts = apportion(weights, pulls)
    assert counts.sum() == pulls
    assert (counts[support:] == 0).all()
    on = weights[:support]
    # Efficient: no pull can be moved so that the smallest ratio n/λ grows (Pukelsheim, section 12.5) …
    assert (counts[:support] / on).min() >= ((counts[:support] - 1) / on).max() * (1 - 1e-12)
    # … and therefore n_x ≥ (1 − p/N)·N·λ_x.
    assert (counts[:support] >= (1 - support / pulls) * pulls * on * (1 - 1e-12)).all()


def test_apportionment_of_more_pulls_than_anybody_can_draw():
    counts = apportion(np.array([0.3, 0.7 - 1e-9, 1e-9]), 10**15)
    assert counts.sum() == 10**15
    assert counts[2] == pytest.approx(10**6, abs=2)


def test_a_pull_too_many_is_taken_from_where_it_is_missed_least():
    """The rounding up gives one pull too many here; n/λ stays largest without this one."""
    assert apportion(np.array([0.025, 0.793, 0.182]), 18).tolist() == [1, 14, 3]
    assert apportion(np.array([0.288, 0.105, 0.583, 0.024]), 6).tolist() == [1, 1, 3, 1]


def test_fewer_pulls_than_arms_are_still_exactly_that_many():
    assert apportion(np.full(10, 0.1), 3).sum() == 3


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([1.0, 0.5, 0.1]), st.booleans())
@with_settings(max_examples=80)
def test_factor_within_one_plus_zeta_at_r_d(seed, d, zeta, optimal):
    rng = np.random.default_rng(seed)
    arms = rng.standard_normal((int(rng.integers(d + 1, 40)), d))
    problem = DesignProblem(arms, targets=arms)
    weights = solve_design(problem).weights if optimal else rng.dirichlet(np.full(len(arms), 0.5))
    pulls = int(np.ceil(rounding_samples(d, zeta))) + int(rng.integers(0, 50))
    result = allocate(problem, weights, pulls, zeta)
    assert result.total == pulls
    assert result.guaranteed
    assert result.factor <= (1 + zeta) * (1 + 1e-9)
    # The factor that is reported, by hand.
    before, after = (plain_value(arms, listed_pairs(arms), share) for share in (weights, result.counts / pulls))
    assert result.factor == pytest.approx(after / before, rel=1e-6)


def test_linear_form_is_checked_against_the_support():
    """180 d/ζ² says nothing about supports: where they are too large for N, the allocation does not claim more."""
    arms = sphere_arms(200, 1 + 6)
    problem = DesignProblem(arms, targets=arms)
    result = allocate(problem, np.full(200, 1 / 200), 60, 1.0)
    assert result.support == 7 * 8 // 2
    assert result.guaranteed  # 28 · 2 ≤ 60: reduced far enough
    result = allocate(problem, np.full(200, 1 / 200), 50, 1.0)
    assert not result.guaranteed
    assert result.total == 50
    assert np.isfinite(result.factor)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@with_settings(max_examples=40)
def test_reduced_support_keeps_the_information(seed, d):
    rng = np.random.default_rng(seed)
    arms = rng.standard_normal((30, d))
    weights = rng.dirichlet(np.ones(30))
    reduced = reduce_support(arms, weights)
    assert np.count_nonzero(reduced) <= d * (d + 1) // 2
    assert reduced.sum() == pytest.approx(1.0)
    assert (reduced >= 0).all()
    more = arms.T @ (reduced[:, None] * arms) - arms.T @ (weights[:, None] * arms)
    assert np.linalg.eigvalsh(more).min() >= -1e-10  # no direction lost


@pytest.mark.parametrize(
    ("count", "d", "concentration", "seeds"), [(2000, 3, 0.1, 2), (50, 2, 0.03, 10), (60, 4, 0.01, 10)]
)
def test_reducing_weights_of_all_sizes(count, d, concentration, seeds):
    """Weights down to 1e-300, several of which run out in one step."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        arms = rng.standard_normal((count, d))
        weights = rng.dirichlet(np.full(count, concentration))
        reduced = reduce_support(arms, weights)
        assert np.isfinite(reduced).all()
        assert np.count_nonzero(reduced) <= max(d * (d + 1) // 2, 1)
        before, after = (arms.T @ (each[:, None] * arms) for each in (weights, reduced))
        assert np.linalg.eigvalsh(after - before).min() >= -1e-9 * np.trace(before)
        problem = DesignProblem(arms, targets=arms[:20])
        result = allocate(problem, weights, d * d + d + 2, 1.0)
        assert result.total == d * d + d + 2
        assert (result.counts >= 0).all()


def test_no_last_digit_decides_who_gets_a_pull():
    for weights, pulls in (([0.5, 0.5], 101), ([1 / 3, 1 / 3, 1 / 3], 100), ([0.25] * 4, 107), ([0.2, 0.3, 0.5], 11)):
        counts = apportion(np.array(weights), pulls)
        for seed in range(20):
            noise = 1.0 + np.random.default_rng(seed).uniform(-4e-16, 4e-16, len(weights))
            assert np.array_equal(apportion(np.array(weights) * noise, pulls), counts)


def test_weights_are_checked_and_scaled():
    problem = DesignProblem(np.eye(2), targets=np.eye(2))
    assert allocate(problem, np.array([7.0, 7.0]), 10, 1.0).factor == pytest.approx(1.0)
    for weights, words in (([-1.0, 2.0], "at least 0"), ([np.nan, 1.0], "finite"), ([0.0, 0.0], "above 0")):
        with pytest.raises(InputError, match=words):
            allocate(problem, np.array(weights), 10, 1.0)
    with pytest.raises(InputError, match="from 1 to"):
        allocate(problem, np.array([0.5, 0.5]), 10**20, 1.0)


def test_one_pull_is_one():
    result = allocate(DesignProblem([[2.0], [1.0]], targets=[[0.0], [1.0]]), np.array([1.0, 0.0]), 1, 1.0)
    assert result.counts.tolist() == [1, 0]
    assert result.factor == 1.0
    assert not result.guaranteed  # that takes 2 pulls of one arm at ζ = 1


def test_no_directions_no_factor():
    problem = DesignProblem(np.eye(2), targets=np.ones((2, 2)))
    assert allocate(problem, np.array([0.5, 0.5]), 8, 1.0).factor == 1.0


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("ζ", lambda: rounding_samples(3, 1.5)),
        ("ζ", lambda: rounding_samples(3, 0.0)),
        ("ζ", lambda: allocate(DesignProblem(np.eye(2), targets=np.eye(2)), np.array([0.5, 0.5]), 4, 1.5)),
        ("form", lambda: rounding_samples(3, 1.0, "cubic")),
        (
            "a number of pulls from 1 to",
            lambda: allocate(DesignProblem(np.eye(2), targets=np.eye(2)), np.array([0.5, 0.5]), 0, 1.0),
        ),
    ],
)
def test_bad_input(words, call):
    with pytest.raises(InputError, match=words):
        call()


@pytest.mark.parametrize(
    ("weights", "pulls", "factor"),
    [
        ([1.0, 0.0], 10, math.inf),
        ([1.0, 1e-32], 10, (10 / 9 + 10 * 1e-26) / (1.0 + 1e-26 / 1e-32)),
        ([1.0, 1e-32], 1, math.inf),
    ],
)
def test_the_factor_counts_what_rounding_would_blur(weights, pulls, factor):
    """Orthogonal arms and y = (1, 1e-13): Σ y²/n over Σ y²/λ."""
    problem = DesignProblem(np.eye(2), targets=[[0.0, 0.0], [1.0, 1e-13]])
    assert allocate(problem, np.array(weights), pulls, 1.0).factor == pytest.approx(factor, rel=1e-9)
