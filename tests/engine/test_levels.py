"""The probability with which theorems hold: sums over rounds and calls, and the tails that they rest on."""

import math

import pytest
from scipy.stats import norm

from gems_engine import guarantees
from gems_engine.complexity.levels import ONE_CALL, STRATEGY, VALIDATED, Level
from gems_engine.complexity.run_theory import run_theory
from gems_engine.gallery import make
from gems_engine.rewards import Noise

LAST = 3000


def sum_of_squares():
    """Σ 1/k² enclosed: the terms behind the last one are between 1/(n+1) and 1/n."""
    first = math.fsum(1 / k**2 for k in range(1, LAST + 1))
    return first + 1 / (LAST + 1), first + 1 / LAST


def failures(calls):
    """Σ over loops of δ_ℓ/δ·(failures of a loop), enclosed; ``calls`` gives δ_ℓ/δ and what a loop can fail by."""
    return math.fsum(share * failing for share, failing in map(calls, range(1, LAST + 1)))


def test_one_call_fails_as_often_as_the_sum_of_its_rounds():
    low, high = sum_of_squares()
    assert low - 1e-12 <= ONE_CALL <= high + 1e-12


def test_the_strategy_has_as_many_calls_in_a_loop_as_its_number():
    found = failures(lambda ell: (1 / (2 * ell**3), ell * ONE_CALL))
    rest = ONE_CALL / 2 / LAST  # Σ 1/(2ℓ²) behind the last loop
    assert found < STRATEGY < found + rest + 1e-9
    assert round(STRATEGY, 3) == 1.353


def test_a_validation_adds_one_delta_for_each_candidate():
    found = failures(lambda ell: (1 / (4 * ell**3), ell * (ONE_CALL + 1)))
    assert found < VALIDATED < found + (ONE_CALL + 1) / 4 / LAST + 1e-9
    assert round(VALIDATED, 3) == 1.088
    delta_l, epsilon = 0.01, 0.3  # what the pulls of a candidate leave, by Hoeffding on both sides
    pulls = math.ceil(8 * math.log(2 / delta_l) / epsilon**2)
    assert 2 * math.exp(-pulls * (epsilon / 2) ** 2 / 2) <= delta_l


@pytest.mark.parametrize("survivors", [2, 3, 10, 1000])
@pytest.mark.parametrize("delta_k", [0.9, 0.05, 1e-6])
def test_a_round_fails_with_its_share_and_gaussian_noise_with_half_of_it(survivors, delta_k):
    width = math.sqrt(2 * math.log(survivors**2 / delta_k))
    pairs = survivors * (survivors - 1) / 2
    assert pairs * 2 * math.exp(-(width**2) / 2) <= delta_k
    assert pairs * 2 * norm.sf(width) <= delta_k / 2
    # What correctness needs is less: the best target against each other one, on one side.
    assert (survivors - 1) * math.exp(-(width**2) / 2) <= delta_k / 4 * (1 + 1e-12)


@pytest.mark.parametrize("delta", [0.5, 0.05, 0.001])
def test_the_product_of_the_paper_is_below_one_minus_delta(delta):
    logs = math.fsum(math.log1p(-delta / k**2) for k in range(1, 20_000))
    product = math.exp(logs)
    root = math.sqrt(delta)
    assert product == pytest.approx(math.sin(math.pi * root) / (math.pi * root), rel=1e-4)
    assert 1 - ONE_CALL * delta <= product < 1 - delta
    if delta == 0.05:
        assert round(product, 4) == 0.9198


def test_levels_in_words_and_numbers():
    gaussian, other = Noise("gaussian", 0.5), Noise("rademacher")
    for factor, words in ((ONE_CALL, "1 − 1.645·δ"), (STRATEGY, "1 − 1.353·δ"), (VALIDATED, "1 − 1.088·δ")):
        general, half = Level.of(factor, 0.05, other), Level.of(factor, 0.05, gaussian)
        assert (str(general), str(half)) == (words, "1 − δ")
        assert float(words.split("·")[0][4:]) >= factor  # rounded to the safe side
        assert general.value == pytest.approx(1 - factor * 0.05)
        assert half.value == 0.95 <= 1 - half.factor * 0.05
        assert Level.of(factor, 0.05, None) == general
        assert Level.of(factor, 0.05, Noise("deterministic")) == half


@pytest.mark.parametrize(("noise", "strategy", "validated"), [
    ("gaussian:1", "1 − δ", "1 − δ"),
    ("rademacher", "1 − 1.353·δ", "1 − 1.088·δ"),
])  # fmt: skip
def test_theorems_state_the_level_that_is_proven(noise, strategy, validated):
    instance = make("paper-hard", d_star=3, epsilon=0.5).with_noise(noise)
    found = guarantees(instance, delta=0.1, epsilon=0.4)
    for name, level, factor in (
        ("fixed-confidence", strategy, STRATEGY),
        ("misspecified-best-arm", strategy, STRATEGY),
        ("misspecified-fixed-confidence", validated, VALIDATED),
    ):
        bound = found.bound(name)
        assert f"With probability at least {level} the" in bound.statement
        assert bound.as_dict()["level"] == pytest.approx(0.9 if noise != "rademacher" else 1 - 0.1 * factor)
    assert found.bound("pac-lower").as_dict()["level"] is None


def test_a_level_of_nothing_says_nothing():
    instance = make("paper-hard", d_star=3, epsilon=0.5).with_noise("rademacher")
    bound = run_theory(instance, "fixed-confidence", {"delta": 0.8}).bounds[-1][1]
    assert bound.says_nothing
    assert bound.level.value < 0
    assert not run_theory(instance, "fixed-confidence", {"delta": 0.8}).promises
    assert run_theory(instance, "fixed-confidence", {"delta": 0.05}).promises
