"""γ̃ and its proof, against an independent solver, subproblems and closed forms."""

import json
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.misspecification import intrinsic_dimension

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "misspecification.json").read_text())


def misspecification_level(features, rewards):
    """γ̃ in all of the features."""
    return Instance.from_rewards(features, rewards).misspecification()[-1]


def check_level(features, rewards, level):
    """The bounds, from their definitions alone."""
    residuals = rewards - features @ level.theta
    np.testing.assert_allclose(level.residuals, residuals, atol=1e-12 * np.abs(rewards).max())
    assert level.gamma_tilde == pytest.approx(np.abs(residuals).max(), rel=1e-12)
    weights = level.certificate
    assert np.abs(weights).sum() <= 1 + 1e-12
    scale = np.abs(features).max(axis=0)
    np.testing.assert_allclose(weights @ (features / np.where(scale > 0, scale, 1)), 0, atol=1e-13)
    assert weights @ rewards == pytest.approx(level.lower_bound, rel=1e-9)
    assert level.lower_bound <= level.gamma_tilde <= level.lower_bound * (1 + 1e-6)


@pytest.mark.parametrize("vector", VECTORS, ids=["12x5", "20x6"])
def test_reference_values_of_an_independent_solver(vector):
    instance = Instance.from_rewards(vector["arms"], vector["rewards"])
    curve = instance.misspecification()
    np.testing.assert_allclose([level.gamma_tilde for level in curve], vector["gamma_tilde"], rtol=1e-6)
    for d, level in enumerate(curve, start=1):
        assert level.d == d
        check_level(instance.arms[:, :d], instance.rewards, level)
        alone = misspecification_level(instance.arms[:, :d], instance.rewards)
        assert alone.gamma_tilde == pytest.approx(level.gamma_tilde, rel=1e-9)


def by_hand(features, rewards):
    """The Chebyshev value as the largest one over subsets of d + 1 rows, each of which has a closed form."""
    m, d = features.shape
    best = 0.0
    for rows in combinations(range(m), d + 1):
        chosen = features[list(rows)]
        null = np.linalg.svd(chosen.T)[2][-1]
        best = max(best, abs(null @ rewards[list(rows)]) / np.abs(null).sum())
    return best


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4))
def test_equals_the_largest_subproblem(seed, d, extra):
    generator = np.random.default_rng(seed)
    features, rewards = generator.standard_normal((d + extra, d)), generator.standard_normal(d + extra)
    level = misspecification_level(features, rewards)
    assert level.gamma_tilde == pytest.approx(by_hand(features, rewards), rel=1e-8)
    check_level(features, rewards, level)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_scale_of_features_does_not_matter(seed, powers):
    generator = np.random.default_rng(seed)
    features, rewards = generator.standard_normal((12, 4)), generator.standard_normal(12)
    plain = misspecification_level(features, rewards)
    scaled_features = features * 10.0 ** np.array(powers)
    scaled = misspecification_level(scaled_features, rewards)
    assert scaled.gamma_tilde == pytest.approx(plain.gamma_tilde, rel=1e-9)
    check_level(scaled_features, rewards, scaled)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.floats(-5, 0))
def test_a_small_deviation_beside_large_rewards_keeps_its_digits(seed, power):
    generator = np.random.default_rng(seed)
    features, deviation = generator.standard_normal((15, 3)), generator.standard_normal(15)
    small = misspecification_level(features, deviation).gamma_tilde
    rewards = 100 * features @ [1.0, -2.0, 3.0] + 10.0**power * deviation
    level = misspecification_level(features, rewards)
    assert level.gamma_tilde == pytest.approx(10.0**power * small, rel=1e-5)
    assert level.gap < 1e-6


def test_closed_form_constant_feature():
    rewards = np.array([0.0, 1.0, 4.0])
    level = misspecification_level(np.ones((3, 1)), rewards)
    assert level.gamma_tilde == pytest.approx(2)  # the middle of the range
    assert level.theta == pytest.approx([2])


def test_exact_fits_are_exactly_zero():
    generator = np.random.default_rng(0)
    features = generator.standard_normal((30, 4)) * [1e8, 1.0, 1e-8, 1.0]
    level = misspecification_level(features, features @ [1e-8, 2.0, 1e8, 0.0])
    assert level.gamma_tilde == level.lower_bound == level.gap == 0
    assert not level.residuals.any()
    np.testing.assert_allclose(level.theta, [1e-8, 2.0, 1e8, 0.0], atol=1e-9)
    square = misspecification_level(np.eye(5), np.arange(5.0))
    assert square.gamma_tilde == 0


def test_dependent_columns_add_nothing():
    generator = np.random.default_rng(0)
    features, rewards = generator.standard_normal((20, 3)), generator.standard_normal(20)
    wide = np.column_stack([features[:, :2], features[:, 0] + 2 * features[:, 1], np.zeros(20), features[:, 2]])
    curve = Instance.from_rewards(wide, rewards).misspecification()
    assert curve[1].gamma_tilde == curve[2].gamma_tilde == curve[3].gamma_tilde
    assert curve[4].gamma_tilde == pytest.approx(misspecification_level(features, rewards).gamma_tilde, rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 0.9), st.floats(0.0, 0.9))
def test_the_family_keeps_its_promise(seed, size, decay):
    instance = make("misspecified", D=6, d_star=2, n=20, size=size, decay=decay, seed=seed)
    levels = [level.gamma_tilde for level in instance.misspecification()]
    assert all(later <= earlier for earlier, later in pairwise(levels))
    for d in range(2, 7):
        assert levels[d - 1] <= size * decay ** (d - 2) + 1e-12
    assert (levels[-1] == 0) == (instance.d_star is not None)


def test_curve_of_a_linear_instance_ends_at_d_star():
    curve = make("sphere", D=12, n=30, min_gap=0.01).misspecification()
    assert all(level.gamma_tilde > 0 for level in curve[:4])
    assert all(level.gamma_tilde == 0 and not level.residuals.any() for level in curve[4:])
    np.testing.assert_allclose(curve[6].theta[:5], 1 / np.arange(1, 6) ** 2)


def test_targets_outside_the_arms_count():
    arms, targets = np.eye(2), np.array([[1.0, 1.0], [1.0, -1.0]])
    linear = Instance.from_rewards(arms, [1.0, 0.0], targets, [1.0, 1.0])
    assert linear.d_star == 1
    bent = Instance.from_rewards(arms, [1.0, 0.0], targets, [1.0, 1.4])
    assert bent.d_star is None
    assert len(bent.misspecification()[0].residuals) == 4
    # h(e1) = a, h(e2) = b, h(e1 + e2) = a + b, h(e1 − e2) = a − b: by hand, both outer rows miss by the same
    assert bent.misspecification()[1].gamma_tilde == pytest.approx(by_hand(*bent.union), rel=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_intrinsic_dimension_is_found_from_rewards(seed, d_star):
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((20, 5)) * 10.0 ** generator.integers(-8, 9, 5)
    theta = np.zeros(5)
    theta[:d_star] = 1 / np.abs(features).max(axis=0)[:d_star]
    assert intrinsic_dimension(features, features @ theta) == d_star
    assert intrinsic_dimension(features, features @ theta + generator.uniform(-1e-3, 1e-3, 20)) is None
