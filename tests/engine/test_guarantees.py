"""The bounds of the theorems: against their formulas, and with every condition that fails named."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine.complexity import BudgetGrid, confidence_samples, good_subroutine, guarantees, rho_star
from gems_engine.complexity import good_subroutines as module
from gems_engine.errors import Cancelled, InputError
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.rewards import Noise
from tests.engine.strategies import instances

HARD = make("paper-hard", epsilon=0.1)
RHO = (1 + math.sqrt(8)) ** 2


# -- the subroutine that must succeed --------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "i", "j"), [(2, 10, 3), (4, 5, 2), (10, 3, 1)])
def test_good_subroutine_of_the_hard_instance(base, i, j):
    good = guarantees(HARD, base=base).best_arm
    assert good.d == 9
    assert good.B_star == pytest.approx(64 * RHO, rel=1e-6)  # 938.04, more than r_9 = 92
    assert good.n_star == 5  # ⌈log₂ 20⌉
    assert (good.i_star, good.j_star, good.ell_star) == (i, j, i + j)
    assert (good.n, good.B) == (base**j, base**i)
    assert good.tau_star == pytest.approx(math.log2(40) * 92, rel=1e-6)
    assert f"ℓ = {i + j}" in good.sentence


def test_rounding_may_ask_for_more_than_the_complexity():
    good = good_subroutine(HARD, 9, zeta=0.05)
    assert good.B_star == good.rounding_samples == pytest.approx(92 / 0.05)
    assert good_subroutine(HARD, 9, rounding="linear").B_star == 180 * 9


def test_powers_of_the_base_are_met_exactly():
    case = make("verifiability", D=4, case=1)  # ρ⋆_1 = 1, gap 1: 64 is 2^6 and 4^3
    good = good_subroutine(case, 1)
    assert (good.i_star, good.n_star, good.j_star) == (6, 1, 1)  # n⋆ = 1, but the smallest n_i is 2
    assert good.n == 2
    assert (good_subroutine(case, 1, base=4).i_star, good_subroutine(case, 1, base=8).i_star) == (3, 2)


def test_an_exponent_between_loose_bounds_is_settled_by_a_finer_solve(monkeypatch):
    asked = []

    def loose(instance, d, epsilon=0.0, tolerance=1e-6, ticker=None):
        asked.append(tolerance)
        number = rho_star(instance, d, epsilon, tolerance, ticker)
        # Nearly 1 % above the optimum 8, as a tolerance of 1e-2 allows: 64·8 = 512 lies between the bounds.
        return replace(number, upper_bound=number.value * 1.009) if tolerance > 1e-9 else number

    monkeypatch.setattr(module, "rho_star", loose)
    assert good_subroutine(HARD, 8, tolerance=1e-2).i_star == 9
    assert asked == [1e-2, 1e-10]


@settings(max_examples=15)
@given(instances(misspecified=False), st.sampled_from([2, 3, 4]))
def test_good_subroutine_is_large_enough_and_the_first(instance, base):
    good = guarantees(instance, base=base).best_arm
    assert good.d == instance.d_star
    assert base**good.i_star >= good.B_star * (1 - 1e-8)
    assert good.i_star == 0 or base ** (good.i_star - 1) < good.B_star
    assert good.n >= good.n_star
    assert good.j_star == 1 or base ** (good.j_star - 1) < good.n_star
    assert 2.0 ** (1 - good.n_star) <= instance.min_gap  # what is left after n⋆ rounds is the best alone


# -- bounds on samples -----------------------------------------------------------------------------------------


def test_lower_bounds_and_the_range_of_delta():
    for delta, pac, fixed in ((0.01, True, True), (0.015, True, True), (0.1, True, False), (0.2, False, False)):
        found = guarantees(HARD, delta)
        lower = found.bound("pac-lower")
        assert lower.value == pytest.approx(RHO * math.log(1 / (2.4 * delta)), rel=1e-6)
        assert lower.value <= RHO * math.log(1 / (2.4 * delta)) * (1 + 1e-12)  # the proven side
        assert lower.holds is pac
        other = found.bound("non-interactive-lower")
        assert other.value == pytest.approx(0.5 * RHO * math.log(1 / delta), rel=1e-6)
        assert other.holds is fixed
        assert all("δ" in sentence for sentence in (*lower.failing, *other.failing))
    assert guarantees(HARD, 0.9).bound("pac-lower").value == 0


@pytest.mark.parametrize("noise", ["rademacher", "gaussian:0.5", "gaussian:2", "deterministic"])
def test_lower_bounds_are_for_standard_gaussian_noise(noise):
    found = guarantees(HARD.with_noise(noise), 0.01)
    for name in ("pac-lower", "non-interactive-lower"):
        assert not found.bound(name).holds
        assert "Gaussian with σ = 1" in found.bound(name).failing[0]
    assert found.bound("fixed-confidence").holds is (noise != "gaussian:2")


def test_upper_bound_is_the_explicit_sum():
    found = guarantees(HARD, 0.05, zeta=0.25, base=4)
    bound = found.bound("fixed-confidence")
    assert bound.value == confidence_samples(found.best_arm.ell_star, 10, 0.05, 0.25, 4)
    assert bound.holds
    assert str(found.best_arm.ell_star) in bound.statement
    # With base 2 and ζ = 1/4 the paper's 1792·τ⋆·(log₂τ⋆ + 8)·log(…) covers it.
    two = guarantees(HARD, 0.05, zeta=0.25)
    tau, n = two.best_arm.tau_star, 10
    paper = 1792 * tau * (math.log2(tau) + 8) * math.log(2 * n**2 * (math.log2(tau) + 8) ** 3 / 0.05)
    assert two.bound("fixed-confidence").value <= paper


def test_upper_bounds_name_what_fails():
    wide = Instance.linear(3 * np.eye(2), [1.0, 0.0])
    bound = guarantees(wide).bound("fixed-confidence")
    assert not bound.holds
    assert bound.value > 0
    assert "gap" in bound.failing[0]
    tied = Instance.linear(np.eye(3), [1.0, 1.0, 0.0])
    found = guarantees(tied, epsilon=0.5, budget=1000)
    assert found.best_arm is None
    for name in ("pac-lower", "non-interactive-lower", "fixed-confidence", "misspecified-best-arm", "fixed-budget"):
        assert found.bound(name).value is None
        assert not found.bound(name).holds
        assert "not unique" in found.bound(name).failing[0]
    assert found.bound("misspecified-fixed-confidence").holds
    far = make("sphere", D=200, n=20, d_star=2, min_gap=0.0)
    assert guarantees(far, rounding="linear").bound("fixed-confidence").failing
    assert guarantees(far.truncated(100), rounding="linear").bound("fixed-confidence").holds


def test_misspecified_versions():
    instance = make("misspecified")
    found = guarantees(instance, 0.05, epsilon=0.5, budget=10**9)
    good = found.epsilon_optimal
    assert instance.d_star is None
    assert found.best_arm is None
    assert (good.d, good.accuracy, good.n_star) == (found.epsilon_dimension.d, 0.5, 2)
    assert good.rho.value == rho_star(instance, good.d, 0.5).value
    assert good.B_star == max(64 * good.rho.upper_bound, good.rounding_samples)
    bound = found.bound("misspecified-fixed-confidence")
    assert bound.holds
    rounds = confidence_samples(good.ell_star, len(instance.targets), 0.05, 1.0, 2, 8, 4)
    delta = [0.05 / (4 * l**3) for l in range(1, good.ell_star + 1)]
    validation = sum(l * math.ceil(8 * math.log(2 / each) / 0.5**2) for l, each in enumerate(delta, 1))
    assert bound.value == rounds + validation
    best = found.misspecified_best_arm
    assert best.d == found.best_arm_dimension.d
    assert best.accuracy == instance.min_gap
    assert found.bound("misspecified-best-arm").value == confidence_samples(
        best.ell_star, len(instance.targets), 0.05, 1.0, 2, 8, 2
    )
    # Where γ(D) is above ε, d⋆(ε) does not exist, and that is the reason given.
    none = guarantees(instance, epsilon=0.01, budget=1000)
    assert none.epsilon_optimal is None
    for name in ("misspecified-fixed-confidence", "misspecified-fixed-budget"):
        assert not none.bound(name).holds
        assert "does not exist" in none.bound(name).failing[0]


def test_transductive_targets_cannot_be_validated_but_can_be_identified():
    found = guarantees(make("transductive"), epsilon=0.5, budget=10**6)
    assert found.bound("fixed-confidence").holds
    assert found.bound("misspecified-best-arm").holds
    for name in ("fixed-budget", "misspecified-fixed-confidence", "misspecified-fixed-budget"):
        assert "Some target is not an arm and cannot be pulled." in found.bound(name).failing


# -- fixed budget ----------------------------------------------------------------------------------------------


def test_fixed_budget_error():
    T = 10**10
    grid = BudgetGrid.of(2 * T)
    i, n = 10, 8  # 64ρ⋆ = 938, n⋆ = 5
    each = T / (grid.p * grid.q[i - 1])
    log2 = math.log2(T) ** 2
    found = guarantees(HARD, budget=2 * T, epsilon=0.2)
    bound = found.bound("fixed-budget")
    first = n * 10**2 * math.exp(-each / (1024 * n * RHO))
    assert bound.value == pytest.approx(first + 2 * log2 * math.exp(-T * 0.1**2 / (8 * log2)), rel=1e-4)
    assert bound.value < 0.05
    assert bound.holds
    assert not bound.says_nothing
    relaxed = found.bound("misspecified-fixed-budget")
    rho = rho_star(HARD, 9, 0.2).value
    assert found.epsilon_optimal.n_star == 4
    expected = 4 * 10**2 * math.exp(-each / (4096 * 4 * rho)) + 2 * log2 * math.exp(-T * 0.2**2 / (8 * log2))
    assert relaxed.value == pytest.approx(expected, rel=1e-4)


def test_conditions_of_the_fixed_budget_flip_where_they_should():
    found = {}
    for T in [2**k for k in range(2, 36)]:
        found[T] = bound = guarantees(HARD, budget=2 * T).bound("fixed-budget")
        grid = BudgetGrid.of(2 * T)
        holds = {c.sentence.split()[0]: c.holds for c in bound.conditions}
        assert holds["p"] is (grid.p >= 10)
        assert holds["T"] is (2 * math.log2(T) ** 2 <= T)
        if grid.p < 10 or grid.q[9] == 0:
            assert bound.value is None
            assert any("There is no call" in sentence for sentence in bound.failing)
        else:
            each = T / grid.p / grid.q[9]
            assert holds["q_i⋆"] is (grid.q[9] >= 3)
            assert holds["T″/n_j⋆"] is (each / 8 >= 93)
            assert bound.says_nothing is (bound.value >= 1)
            assert ("is vacuous" in bound.statement) is (bound.value >= 1)
    values = [bound.holds for bound in found.values()]
    assert values == sorted(values)  # once they hold, they go on to
    assert not values[0]
    assert values[-1]
    assert found[2**35].value < 1e-3


def test_validation_pulls_suffice_for_the_exponent_of_the_theorem():
    """Its proof grants half as many pulls as its Hoeffding step uses; the grid has few enough candidates."""
    for k in range(4, 60):
        T = 2**k
        grid = BudgetGrid.of(2 * T)
        assert T // grid.subroutines >= T / math.log2(T) ** 2


# -- all of it -------------------------------------------------------------------------------------------------


def test_as_dict_is_json():
    for instance in (HARD, make("misspecified"), Instance.linear(np.eye(2), [1.0, 1.0])):
        data = json.loads(json.dumps(guarantees(instance, epsilon=0.5, budget=10**5).as_dict(), allow_nan=False))
        assert {each["name"] for each in data["bounds"]} == {
            "pac-lower",
            "non-interactive-lower",
            "fixed-confidence",
            "misspecified-best-arm",
            "fixed-budget",
            "misspecified-fixed-confidence",
            "misspecified-fixed-budget",
        }
        assert all(each["conditions"] and each["statement"] for each in data["bounds"])
    assert len(guarantees(HARD).bounds) == 4
    with pytest.raises(KeyError):
        guarantees(HARD).bound("fixed-budget")


def test_what_is_refused_and_cancelled():
    for wrong in (
        {"delta": 0.0},
        {"delta": 1.0},
        {"delta": math.nan},
        {"zeta": 1.5},
        {"base": 1},
        {"epsilon": 0.0},
        {"epsilon": -1.0},
        {"budget": 7},
        {"rounding": "cubic"},
    ):
        with pytest.raises(InputError):
            guarantees(HARD, **wrong)
    with pytest.raises(Cancelled):
        guarantees(HARD, progress=lambda done, total: done < 2)
    seen = []
    guarantees(HARD, epsilon=0.5, progress=lambda *now: seen.append(now))
    assert seen == sorted(seen)
    assert seen[-1] == (13, 13)


def test_huge_schedules_are_fast_and_finite():
    bound = guarantees(make("paper-hard", epsilon=1e-9).with_noise(Noise("gaussian")), base=4).bound("fixed-confidence")
    assert bound.holds
    assert math.isfinite(bound.value)
    assert math.isfinite(confidence_samples(73, 10, 0.05, 1.0))
