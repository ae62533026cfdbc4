"""γ(d) and d⋆(ε), against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine.complexity import GammaCurve, Ticker, d_star_epsilon, gamma
from gems_engine.complexity import suboptimality as module
from gems_engine.design import DesignProblem, solve_design
from gems_engine.errors import Cancelled, InputError
from gems_engine.gallery import make
from gems_engine.instance import Instance
from tests.engine.strategies import instances


def literal_gamma(instance, d, zeta):
    """γ(d) word by word: every n from 0 on, and for each one every k ≤ n, with a fresh design."""
    level = instance.misspecification()[d - 1].gamma_tilde
    if level == 0:
        return 0.0

    def good(k):
        z = instance.targets[instance.S(k), :d]
        value = solve_design(DesignProblem(instance.arms[:, :d], targets=z), tolerance=1e-9).value
        return (2 + math.sqrt((1 + zeta) * value)) * level <= 2.0**-k / 2

    n = 0
    while all(good(k) for k in range(1, n + 2)):
        n += 1
    return 2 * 2.0**-n


@settings(max_examples=15)
@given(instances(misspecified=True), st.sampled_from([1.0, 0.25]))
def test_gamma_as_defined(instance, zeta):
    curve = GammaCurve(instance, zeta)
    for d in range(1, instance.D + 1):
        found = curve.gamma(d)
        assert found.value == literal_gamma(instance, d, zeta)
        assert found.certain
        level = instance.misspecification()[d - 1].gamma_tilde
        if found.rounds is None:
            assert found.value == level == 0
        else:
            assert found.value == 2 * 2.0**-found.rounds


@settings(max_examples=25)
@given(instances(misspecified=True))
def test_gamma_is_at_most_its_bound(instance):
    """γ(d) ≤ (16 + 16√((1+ζ)d))·γ̃(d) for targets among the arms; trivially γ(d) ≤ 2."""
    curve = GammaCurve(instance)
    for d in range(1, instance.D + 1):
        level = instance.misspecification()[d - 1].gamma_tilde
        assert curve.gamma(d).value <= (16 + 16 * math.sqrt(2 * d)) * level
        assert curve.gamma(d).value <= 2


@settings(max_examples=15)
@given(instances(misspecified=True), st.floats(0.01, 3))
def test_d_star_of_epsilon_as_defined(instance, epsilon):
    values = [gamma(instance, d).value for d in range(1, instance.D + 1)]
    fitting = [d for d in range(1, instance.D + 1) if all(value <= epsilon for value in values[d - 1 :])]
    found = d_star_epsilon(instance, epsilon)
    assert found.d == (fitting[0] if fitting else None)
    assert found.epsilon == epsilon


def test_well_specified_and_hopeless():
    hard = make("paper-hard", epsilon=0.1)
    assert [gamma(hard, d).value for d in (8, 9, 10)] == [2, 0, 0]
    assert d_star_epsilon(hard, 0.0).d == 9
    assert d_star_epsilon(hard, 1.9).d == 9
    assert d_star_epsilon(hard, 2.0).d == 1  # every arm is 2-optimal
    rng = np.random.default_rng(0)
    noise = Instance.from_rewards(rng.standard_normal((12, 3)), rng.uniform(-1, 1, 12))
    nowhere = d_star_epsilon(noise, 0.1)
    assert nowhere.d is None
    assert "does not exist" in nowhere.sentence
    assert "γ(3) = 2" in nowhere.sentence


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(("factor", "rounds"), [(1 - 1e-7, 3), (1.0, 3), (1 + 1e-7, 2)])
def test_a_tie_counts_as_good(d, factor, rounds):
    # The basis, e_1 twice with rewards ± γ̃: ι is 4 in R^2 and 6 in R^3, and ζ makes √((1+ζ)ι) = 2.5. Round 3 is met
    # exactly by γ̃ = 2^−4/4.5, and a design certified to 1e-6 must not decide it.
    zeta = 6.25 / {2: 4, 3: 6}[d] - 1
    level = factor * 2.0**-4 / 4.5
    arms = np.vstack([np.eye(d)[:1], np.eye(d)])
    instance = Instance.from_rewards(arms, [level, -level, *[-0.1] * (d - 1)])
    assert len(instance.S(4)) == d + 1
    assert instance.misspecification()[d - 1].gamma_tilde == pytest.approx(level, rel=1e-12)
    found = gamma(instance, d, zeta, tolerance=1e-3)
    assert (found.rounds, found.value) == (rounds, 2 * 2.0**-rounds)
    assert found.certain or factor == 1


def test_every_distinct_set_is_solved_once(monkeypatch):
    solved = []
    original = module.iota

    def counting(instance, d, survivors, *rest):
        solved.append(tuple(survivors))
        return original(instance, d, survivors, *rest)

    monkeypatch.setattr(module, "iota", counting)
    instance = make("misspecified", size=1e-4)
    found = gamma(instance, instance.D)
    assert found.rounds > 5
    assert len(set(solved)) == len(solved)
    before = len(solved)
    curve = GammaCurve(instance)
    curve.gamma(instance.D)
    curve.gamma(instance.D)
    assert len(solved) == 2 * before


def test_errors_and_cancelling():
    instance = make("misspecified")
    with pytest.raises(InputError):
        gamma(instance, 0)
    with pytest.raises(InputError):
        d_star_epsilon(instance, -1.0)
    with pytest.raises(InputError):
        GammaCurve(instance, zeta=2.0)
    with pytest.raises(Cancelled):
        GammaCurve(instance, ticker=Ticker(lambda done, total: False, 1)).gamma(3)
