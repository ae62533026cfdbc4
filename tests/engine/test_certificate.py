"""`certify`: what is proven about weights from anywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from gems_engine.design import DesignProblem, certify, solve_design
from gems_engine.design.examination import examine
from gems_engine.errors import InputError
from gems_engine.rounding import allocate
from tests.engine.problems import hard_arms, listed_pairs, plain_value, sphere_arms


def pairs(arms, targets=None):
    return DesignProblem(arms, targets=arms if targets is None else targets)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.booleans())
@with_settings(max_examples=40)
def test_random_weights_are_enclosed(seed, d, alone):
    rng = np.random.default_rng(seed)
    arms = rng.standard_normal((d + 4, d))
    weights = rng.dirichlet(np.ones(d + 4)) * 0.99 + 0.01 / (d + 4)
    proof = certify(pairs(arms), weights, against_optimum=not alone)
    optimum = solve_design(pairs(arms), tolerance=1e-9)
    assert proof.value == pytest.approx(plain_value(arms, listed_pairs(arms), weights), rel=1e-9)
    assert proof.lower_bound <= optimum.value * (1 + 1e-12)
    assert proof.lower_bound > 0.05 * optimum.value
    i, j = proof.worst
    assert plain_value(arms, [arms[i] - arms[j]], weights) == pytest.approx(proof.value)
    assert 0 <= proof.upper_bound - proof.value <= 1e-9 * proof.value
    seen = proof.equivalence
    assert seen.weights @ seen.g == pytest.approx(1.0, abs=1e-9)
    # Poor weights violate the equivalence theorem.
    if proof.value > 1.05 * optimum.value and not alone:
        assert len(seen.more) > 0
        assert seen.slope < 0.0
    assert not (seen.g[seen.weights > 0.0] > 1.0 + 1e-9).all()


def test_optimal_weights_prove_themselves():
    arms = sphere_arms(60, 10)
    design = solve_design(pairs(arms), tolerance=1e-9)
    proof = certify(pairs(arms), design.weights, against_optimum=False)
    assert proof.optimum is None
    assert proof.gap < 1e-5
    assert len(proof.equivalence.more) == 0


def test_singular_optimum_is_recognised_as_optimal():
    arms = hard_arms()
    problem = pairs(arms, arms[8:])
    design = solve_design(problem)
    proof = certify(problem, design.weights)
    assert proof.value == pytest.approx(4.0)
    assert proof.gap < 1e-6
    assert proof.rank < 10
    assert proof.equivalence.g.tolist() == pytest.approx([0.0] * 8 + [1.0] * 2, abs=1e-9)


def test_a_direction_outside_the_range_costs_infinity():
    """A pseudo-inverse says 1.0 here, for a problem whose optimum is 20."""
    weights = np.zeros(10)
    weights[0] = 1.0
    proof = certify(pairs(hard_arms()), weights)
    assert proof.value == np.inf
    assert proof.gap == np.inf
    assert proof.lower_bound == pytest.approx(20.0, rel=1e-6)
    assert proof.rank == 1
    assert 0 in proof.worst or proof.worst[0] != proof.worst[1]
    assert np.isnan(proof.equivalence.g).all()


def test_weights_on_an_arm_of_zeros_alone_see_nothing():
    problem = pairs(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    for seen in (certify(problem, [1.0, 0.0, 0.0]), examine(problem, [1.0, 0.0, 0.0])):
        assert (seen.value, seen.rank, seen.condition) == (np.inf, 0, np.inf)
        assert 0.0 <= seen.lower_bound < np.inf
    assert np.isinf(examine(problem, [1.0, 0.0, 0.0]).norms[~np.eye(3, dtype=bool)]).all()
    assert allocate(problem, [1.0, 0.0, 0.0], 5, zeta=1.0).factor == np.inf


def test_frank_wolfe_stopped_too_early_is_caught():
    problem = pairs(hard_arms())
    proof = certify(problem, solve_design(problem, "frank-wolfe").weights)
    assert proof.gap == pytest.approx(35.7 / 20 - 1, abs=0.01)
    assert len(proof.equivalence.more) > 0


def test_certificate_of_nothing():
    proof = certify(pairs(np.eye(3), np.ones((2, 3))), np.full(3, 1 / 3))
    assert (proof.value, proof.lower_bound, proof.gap, proof.worst) == (0.0, 0.0, 0.0, None)
    assert proof.equivalence.g.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0.5, 0.5], "2 weights for 3 arms"),
        ([0.5, 0.6, -0.1], "Weight 2 is -0.1"),
        ([0.0, 0.0, 0.0], "some must be above 0"),
        ("abc", "must be numbers"),
        ([0.5, np.nan, 0.5], "Weight 1 is not a finite number"),
    ],
)
def test_weights_that_are_no_design(weights, words):
    with pytest.raises(InputError, match=words):
        certify(pairs(np.eye(3)), weights)


@pytest.mark.parametrize("against_optimum", [True, False])
def test_the_condition_is_that_of_A_in_the_coordinates_given(against_optimum):
    """The geometry's own coordinates are scaled: there the condition number of this matrix is 2."""
    arms = hard_arms(epsilon=0.1)
    weights = np.array([1.0] * 8 + [2.0] * 2) / 12.0
    proof = certify(pairs(arms), weights, against_optimum=against_optimum)
    assert proof.condition == pytest.approx(np.linalg.cond(arms.T @ (weights[:, None] * arms)), rel=1e-9)
    same = certify(pairs(np.ones((3, 2))), np.ones(3))
    assert same.worst is None
    assert (same.rank, same.condition) == (1, pytest.approx(1.0))


def test_a_certificate_and_an_examination_say_the_same_of_weights():
    problem = pairs(hard_arms(epsilon=0.1))
    weights = np.array([1.0] * 8 + [2.0] * 2)
    proof, seen = certify(problem, weights), examine(problem, weights, [solve_design(problem)], thorough=True)
    assert proof.equivalence.g.tolist() == seen.equivalence.g.tolist()
    assert proof.equivalence.active == seen.equivalence.active
    assert (proof.condition, proof.rank) == (pytest.approx(seen.condition), seen.rank)
    assert proof.lower_bound == pytest.approx(seen.lower_bound, rel=1e-9)
