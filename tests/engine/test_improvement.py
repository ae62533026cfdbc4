"""*Improve*: each step makes the value smaller, by as much as the slope says."""

import numpy as np
import pytest

from gems_engine.design import DesignProblem, improve, solve_design
from gems_engine.design.improvement import _paid_for
from gems_engine.design.minimax import Minimax
from tests.engine.problems import hard_arms, listed_pairs, plain_value, sphere_arms


def pairs(arms, targets=None):
    return DesignProblem(arms, targets=arms if targets is None else targets)


def test_fifteen_steps_from_even_weights_on_the_sphere():
    arms = sphere_arms(40, 12)
    problem, directions = pairs(arms), listed_pairs(arms)
    optimum = solve_design(problem).value
    weights, value = np.full(40, 1 / 40), plain_value(arms, directions, np.full(40, 1 / 40))
    assert value > 1.35 * optimum
    for _ in range(15):
        step = improve(problem, weights)
        assert step.before == pytest.approx(value, rel=1e-9)
        assert step.value == pytest.approx(plain_value(arms, directions, step.weights), rel=1e-9)
        assert step.value < step.before
        target = step.target
        assert (target.min() >= 0.0, target.sum()) == (True, pytest.approx(1.0))
        assert step.weights == pytest.approx((1.0 - step.t) * weights + step.t * target, abs=1e-12)
        assert step.gains == pytest.approx(np.maximum(step.weights - weights, 0.0), abs=1e-12)
        nearby = plain_value(arms, directions, weights + 1e-8 * (target - weights))
        assert step.predicted == pytest.approx((nearby - value) / 1e-8, rel=1e-3, abs=1e-3 * value)
        # The value is convex along the step: no secant is steeper than the slope.
        assert step.predicted <= step.measured + 1e-6 * value <= 2e-6 * value
        assert step.predicted <= (step.value - step.before) / step.t + 1e-6 * value
        weights, value = step.weights, step.value
    assert value <= 1.015 * optimum


def test_the_first_step_predicts_what_is_measured():
    problem = pairs(sphere_arms(40, 12))
    step = improve(problem, np.ones(40))
    assert step.predicted == pytest.approx(step.measured, rel=1e-4)


def test_no_step_leads_away_from_the_optimum():
    assert improve(pairs(np.eye(5)), np.ones(5)) is None
    assert improve(pairs(np.eye(2), np.ones((3, 2))), [1.0, 3.0]) is None
    arms = hard_arms()
    problem = pairs(arms, arms[8:])  # a singular optimum
    assert improve(problem, solve_design(problem).weights) is None


def test_an_arm_without_weight_does_not_limit_what_others_give():
    """Arms 0 and 1 see nothing of the longest direction; only arm 0 has weight, and it gives all of it."""
    best = Minimax(np.array([0]), np.ones(1), np.array([2.0, 0.0, 8.0]), np.array([0.0, 0.0, 1.0]))
    (target,) = _paid_for(np.array([0.5, 0.0, 0.5]), best)  # the average is 5, arm 0 has g = 0.4
    assert target.tolist() == pytest.approx([0.0, 0.0, 1.0])


def test_from_an_infinite_value_to_a_finite_one():
    problem = pairs(np.eye(3))
    step = improve(problem, [0.5, 0.5, 0.0])
    assert (step.before, step.predicted) == (np.inf, -np.inf)
    assert np.isnan(step.measured)
    assert step.target.tolist() == [0.0, 0.0, 1.0]
    # λ = ((1 − t)/2, (1 − t)/2, t): the best t makes 4/(1 − t) and 2/(1 − t) + 1/t as small as possible.
    t = np.linspace(0.01, 0.99, 9801)
    best = np.maximum(4.0 / (1.0 - t), 2.0 / (1.0 - t) + 1.0 / t).min()
    assert step.value == pytest.approx(best, rel=1e-4)
    listed = DesignProblem(np.eye(3), directions=[[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    assert improve(listed, [1.0, 0.0, 0.0]).value < np.inf


@pytest.mark.parametrize("seed", range(3))
def test_listed_directions_of_unequal_weight_are_improved(seed):
    rng = np.random.default_rng(seed)
    arms, rows = rng.standard_normal((12, 4)), rng.standard_normal((9, 4)) / rng.uniform(0.2, 2.0, 9)[:, None]
    problem = DesignProblem(arms, directions=rows)
    optimum = solve_design(problem).value
    weights = np.full(12, 1 / 12)
    for _ in range(15):
        step = improve(problem, weights)
        assert step.value < step.before
        weights = step.weights
    assert plain_value(arms, rows, weights) <= 1.05 * optimum
