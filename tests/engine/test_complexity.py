"""The complexities: reference values, a slow solver, and the inequalities of the paper between them."""

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine.complexity import certified, complexities, iota, iota_star, rho_star, rho_tilde_star
from gems_engine.design import solve_design
from gems_engine.errors import Cancelled, InputError
from gems_engine.gallery import make
from gems_engine.instance import Instance
from tests.engine.problems import slow_optimum
from tests.engine.strategies import instances

EXACT = 1e-9  # for inequalities between true values, tested on the sides of their enclosures that must obey them


# -- reference values ------------------------------------------------------------------------------------------


def hard_optimum(epsilon: float) -> float:
    """ρ⋆_10 of the hard instance in one unknown: weights a, b on x_9, x_10 and c on each of the others.

    e_9 − x_10 over ε is (x_9 − x_10)/ε, so the two kinds of directions cost (1/a + 1/b)/ε² and 1/a + 1/c.
    """
    from scipy.optimize import brentq, minimize_scalar

    c = 1 / epsilon**2

    def weight(t):  # the least total weight with which both costs are at most t
        def total(a):
            return a + c / (t - c / a) + 8 / (t - 1 / a)

        return minimize_scalar(total, bounds=(1.001 * c / t, 1), method="bounded", options={"xatol": 1e-13}).fun

    return float(brentq(lambda t: weight(t) - 1, 4 * c + 1, 5 * c + 60, xtol=1e-10))


@pytest.mark.parametrize(("epsilon", "reference"), [(0.5, 25.116549), (0.1, 408.040149), (0.01, None)])
def test_hard_instance(epsilon, reference):
    table = complexities(make("paper-hard", epsilon=epsilon))
    assert hard_optimum(epsilon) == pytest.approx(reference or 40008.0004, rel=2e-7)
    root = (1 + math.sqrt(8)) ** 2
    expected = {
        8: (8, 8, 16),
        9: (root, root, 18),
        10: (hard_optimum(epsilon), 16, 20),
    }
    for d, (rho, star, everything) in expected.items():
        row = table[d]
        for number, value in ((row.rho_star, rho), (row.iota_star, star), (row.iota, everything)):
            assert number.value == pytest.approx(value, rel=1e-6)
            assert number.lower_bound <= value * (1 + EXACT)
            assert number.value >= value * (1 - EXACT)
            assert number.gap <= 1e-6
        assert row.rounding_samples == d * d + d + 2
        assert row.gamma_tilde == (1.0 if d < 9 else 0.0)


@pytest.mark.parametrize("epsilon", [0.5, 0.1, 1e-3])
def test_last_two_survivors_of_the_hard_instance(epsilon):
    instance = make("paper-hard", epsilon=epsilon)
    values = [iota(instance, d, [8, 9]).value for d in (10, 9, 8, 1)]
    assert values == pytest.approx([4, epsilon**2, 0, 0], rel=1e-9)
    assert iota(instance, 8, [8, 9]).design.status == "trivial"
    assert iota(instance, 10, [3]).value == 0


def test_against_a_slow_solver():
    instance = make("gaussian", D=4, d_star=2, n=9, seed=3)
    for d in (2, 3, 4):
        z, best = instance.targets[:, :d], instance.best
        gaps = np.delete(instance.gaps, best)[:, None]
        star = np.delete(z[best] - z, best, axis=0)
        for number, directions in (
            (rho_star(instance, d), star / gaps),
            (rho_star(instance, d, 0.5), star / np.maximum(gaps, 0.5)),
            (iota_star(instance, d), star),
        ):
            assert number.value == pytest.approx(slow_optimum(instance.arms[:, :d], directions), rel=1e-5)


def test_unequal_gaps_on_a_basis():
    # z⋆ = e_10 is 0 in R^d for d < 10, so ρ⋆_d is Σ 1/Δ_i² over i ≤ d: 1 for e_1 and 1/4 for every other.
    table = complexities(make("verifiability", D=10, case=2))
    for d in range(1, 10):
        expected = 1 + (d - 1) / 4
        number = table[d].rho_star
        assert number.lower_bound * (1 - EXACT) <= expected <= number.value * (1 + EXACT)
        assert number.value == pytest.approx(expected, rel=1e-6)


# -- zero directions, infinite values, bad input ---------------------------------------------------------------


def test_targets_that_truncation_makes_equal_count_for_nothing():
    # z⋆ differs from target 1 only in the last coordinate, by its features up to 1e-13.
    arms = [[1.0, 0.0], [1.0 + 1e-13, 0.5], [0.0, 1.0]]
    instance = Instance.linear(arms, [1.0, -1.0])
    assert instance.best == 0
    assert rho_star(instance, 1).value == pytest.approx(1 / 4, rel=1e-6)  # of target 2: (1/Δ)², Δ = 2
    assert rho_star(instance, 2).value > 1
    constant = make("multivariate")  # its first feature is the constant 1
    row = complexities(constant.truncated(1))[1]
    assert (row.rho_star.value, row.iota_star.value, row.iota.value) == (0, 0, 0)
    assert row.rho_star.lower_bound == 0
    assert row.rho_star.gap == 0


def test_a_direction_outside_the_span_is_infinite_and_says_so():
    # In the span within 1e-9 as targets, outside as the tiny difference that is asked for.
    arms = [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    targets = [[1.0, 0.0, 0.0], [1.0, 1e-10, 3e-10]]
    instance = Instance.from_rewards(arms, [1.0, 0.0], targets, [1.0, 0.5])
    table = complexities(instance)
    assert table[2].rho_star.is_finite
    for number in (table[3].rho_star, table[3].iota_star, table[3].iota):
        assert number.value == number.lower_bound == math.inf
        assert number.gap == 0
        assert "span" in number.note
    entry = json.loads(json.dumps(table.as_dict(), allow_nan=False))["dimensions"][2]
    assert entry["rho_star"] is None
    assert "infinite" in entry["notes"][0]


def test_a_design_that_misses_its_tolerance_says_so(monkeypatch):
    def stalled(problem, **rest):
        design = solve_design(problem, **rest)
        return replace(design, lower_bound=design.lower_bound / 2, status="uncertified")

    monkeypatch.setattr(certified, "solve_design", stalled)
    row = complexities(make("paper-hard", d_star=2))[2]
    assert "uncertified" in row.rho_star.note
    assert row.rho_star.gap == pytest.approx(1, rel=1e-5)
    assert row.as_dict()["notes"][0] == "rho_star: The design is uncertified: it is only proven to 100.00%."


def test_rho_needs_a_unique_best_target_unless_relaxed():
    tied = Instance.linear(np.eye(3), [1.0, 1.0, 0.0])
    for refused in (lambda: rho_star(tied, 2), lambda: complexities(tied)):
        with pytest.raises(InputError, match="tied"):
            refused()
    assert rho_star(tied, 2, 0.5).value == pytest.approx(16, rel=1e-6)  # (e_1 − e_2)/0.5 with half the pulls on each


def test_bad_arguments_get_a_sentence():
    instance = make("paper-hard")
    for call in (
        lambda: rho_star(instance, 0),
        lambda: iota(instance, 11),
        lambda: iota_star(instance, True),
        lambda: iota(instance, 3, []),
        lambda: iota(instance, 3, [0, 10]),
        lambda: iota(instance, 3, [0.5]),
        lambda: rho_star(instance, 3, -0.1),
        lambda: rho_tilde_star(instance, 3, math.nan),
        lambda: complexities(instance, zeta=0),
        lambda: complexities(instance, rounding="cubic"),
    ):
        with pytest.raises(InputError):
            call()


def test_progress_counts_to_the_end_and_can_stop():
    instance = make("paper-hard", d_star=3)
    seen = []
    complexities(instance, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 12)
    assert seen[-1] == (12, 12)
    assert seen == sorted(seen)
    with pytest.raises(Cancelled):
        complexities(instance, progress=lambda done, total: done < 4)
    with pytest.raises(KeyboardInterrupt):
        complexities(instance, progress=_interrupt)


def _interrupt(done, total):
    raise KeyboardInterrupt


def test_as_dict_is_json_with_the_promised_fields():
    table = complexities(make("paper-hard", d_star=2), zeta=0.5, rounding="linear")
    data = json.loads(json.dumps(table.as_dict(), allow_nan=False))
    assert [row["d"] for row in data["dimensions"]] == [1, 2, 3]
    assert data["d_star"] == 2
    row = data["dimensions"][2]
    assert set(row) >= {"d", "rho_star", "iota_star", "iota", "gamma_tilde", "rounding_samples"}
    assert row["rounding_samples"] == 180 * 3 / 0.25
    for name in ("rho_star", "iota_star", "iota"):
        assert 0 < row[f"{name}_lower"] <= row[name] <= row[f"{name}_upper"] <= row[f"{name}_lower"] * (1 + 1e-6)
    with pytest.raises(IndexError):
        table[0]


# -- the paper's inequalities ----------------------------------------------------------------------------------


@settings(max_examples=20)
@given(instances())
def test_inequalities_between_the_complexities(instance):
    table = complexities(instance)
    levels = [row.gamma_tilde for row in table.dimensions]
    assert all(a >= b for a, b in pairwise(levels))
    for row in table.dimensions:
        assert row.iota_star.lower_bound <= row.iota.value * (1 + EXACT)
        assert row.iota.lower_bound <= 4 * row.iota_star.value * (1 + EXACT)
        assert row.iota.lower_bound <= 4 * row.d * (1 + EXACT)  # Kiefer–Wolfowitz, targets ⊆ arms
    # ρ⋆_d never falls, and that above d⋆ as below: for the same λ a supremum over R^d grows with d.
    for name in ("rho_star", "iota_star", "iota"):
        numbers = [getattr(row, name) for row in table.dimensions]
        for a, b in pairwise(numbers):
            assert a.lower_bound <= b.value * (1 + EXACT)
    # Lemma on norms: c_2/(c_1·Δ_min²) ≤ ρ⋆, in every R^d.
    for d in (1, instance.D):
        z = instance.targets[:, :d]
        apart = np.delete(((z[instance.best] - z) ** 2).sum(axis=1), instance.best).min()
        longest = (instance.arms[:, :d] ** 2).sum(axis=1).max()
        assert apart / (longest * instance.min_gap**2) <= table[d].rho_star.value * (1 + EXACT)


@settings(max_examples=15)
@given(instances(), st.integers(1, 5))
def test_stratified_lemma(instance, d):
    d = min(d, instance.D)
    rho = rho_star(instance, d).value
    for k in range(1, math.ceil(math.log2(4 / instance.min_gap)) + 2):
        assert 4.0**k * iota(instance, d, instance.S(k)).lower_bound <= 64 * rho * (1 + EXACT)
    epsilon = 3 * instance.min_gap
    relaxed = rho_star(instance, d, epsilon).value
    for k in range(1, math.floor(math.log2(4 / epsilon)) + 1):
        assert 4.0**k * iota(instance, d, instance.S(k)).lower_bound <= 64 * relaxed * (1 + EXACT)


@settings(max_examples=15)
@given(instances(), st.integers(1, 5))
def test_relaxation_falls_with_epsilon_and_starts_at_rho(instance, d):
    d = min(d, instance.D)
    gap = instance.min_gap  # at most 2
    numbers = [rho_star(instance, d, epsilon) for epsilon in (0.0, gap, (2 * gap + 2) / 3, 2.0)]
    assert numbers[1].value == numbers[0].value  # no gap is below Δ_min: the very same problem
    for a, b in pairwise(numbers):
        assert b.lower_bound <= a.value * (1 + EXACT)
    # From ε = 2 on no gap counts any more.
    assert numbers[-1].value == pytest.approx(iota_star(instance, d).value / 4, rel=3e-6)


@settings(max_examples=15)
@given(instances(misspecified=True), st.integers(1, 5), st.floats(1, 5))
def test_rho_is_at_most_nine_times_that_of_the_linear_component(instance, d, factor):
    d = min(d, instance.D)
    epsilon = max(factor * instance.misspecification()[d - 1].gamma_tilde, 1e-3)
    assert rho_star(instance, d, epsilon).lower_bound <= 9 * rho_tilde_star(instance, d, epsilon).value * (1 + EXACT)


def test_rho_of_the_linear_component():
    linear = make("paper-hard", epsilon=0.1)
    assert rho_tilde_star(linear, 9, 0.0).value == pytest.approx(rho_star(linear, 9).value, rel=2e-6)
    below = rho_tilde_star(linear, 8, 0.0)  # every linear component in R^8 has θ = 0 or nearly so
    assert below.value == math.inf
    assert "at least as good" in below.note
    assert rho_tilde_star(linear, 8, 0.5).value == pytest.approx(4 * iota_star(linear, 8).value, rel=2e-6)
    # γ̃(d) < Δ_min/2 makes z⋆ the best of the linear component, so ε = 0 is finite.
    mild = make("misspecified", size=0.01)
    level = mild.misspecification()[mild.D - 1]
    assert level.gamma_tilde < mild.min_gap / 2
    assert rho_tilde_star(mild, mild.D, 0.0).is_finite
