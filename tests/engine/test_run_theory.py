"""What the theorems promise a run, against closed forms and a search through the grid."""

import math

import numpy as np
import pytest

from gems_engine.algorithms import BUILT_IN, subroutine_title
from gems_engine.complexity import BudgetGrid
from gems_engine.complexity.run_theory import THEORY, guaranteed, run_theory
from gems_engine.gallery import make
from gems_engine.instance import Instance

RHO = (1 + math.sqrt(8)) ** 2  # of the hard instance with d⋆ = 9, in R^9
GIVEN = {"delta": 0.01, "zeta": 1.0, "base": 2, "rounding": "quadratic", "epsilon": 0.2, "budget": 10**9}


@pytest.fixture(scope="module")
def hard():
    return make("paper-hard", d_star=9, epsilon=0.01)


def test_lower_bounds_in_closed_form(hard):
    found = run_theory(hard, "fixed-confidence", GIVEN)
    sides = {bound.name: (side, bound) for side, bound in found.bounds}
    side, stops = sides["pac-lower"]
    assert side == "lower"
    assert stops.value == pytest.approx(RHO * math.log(1 / 0.024), rel=1e-5)
    assert stops.holds
    side, fixed = sides["non-interactive-lower"]
    assert fixed.value == pytest.approx(0.5 * RHO * math.log(100), rel=1e-5)
    assert fixed.holds
    oracle = run_theory(hard, "static-oracle", GIVEN).bounds
    assert [(bound.name, bound.value) for _, bound in oracle] == [("non-interactive-lower", fixed.value)]
    everywhere = run_theory(hard, "rage", GIVEN).bounds[0][1]
    assert everywhere.value == pytest.approx(40008.0004 * math.log(1 / 0.024), rel=1e-6)
    assert "R¹⁰" in everywhere.statement


@pytest.mark.parametrize("algorithm", THEORY)
def test_missing_parameters_have_their_defaults(algorithm):
    instance = make("paper-hard", d_star=2, epsilon=0.5)
    whole = {each.name: each.default for each in BUILT_IN[algorithm].parameters}
    few, all_given = run_theory(instance, algorithm, {}), run_theory(instance, algorithm, whole)
    assert [(side, bound.name, bound.value) for side, bound in few.bounds] == [
        (side, bound.name, bound.value) for side, bound in all_given.bounds
    ]
    assert few.says == all_given.says


@pytest.mark.parametrize("base", [2, 4])
def test_the_guaranteed_calls_are_those_with_enough_rounds_and_budget(hard, base):
    found = run_theory(hard, "fixed-confidence", {**GIVEN, "base": base})
    calls = [(ell, i) for ell in range(1, 16) for i in range(1, ell + 1)]
    rows, columns = np.array(calls).T
    n, B = float(base) ** columns, float(base) ** (rows - columns)
    sure = guaranteed(found, n, B, rows, columns)
    assert np.array_equal(sure, (n >= math.ceil(math.log2(2 / 0.01))) & (B >= 64 * RHO * (1 + 1e-9)))
    assert min(ell for (ell, _), yes in zip(calls, sure, strict=True) if yes) == found.good.ell_star
    assert sure[calls.index((found.good.ell_star, found.good.j_star))]


def test_a_fixed_budget_has_its_own_grid(hard):
    found = run_theory(make("paper-hard", d_star=3, epsilon=0.5), "fixed-budget", {**GIVEN, "budget": 10**9})
    rho = found.good.rho.value
    i = next(i for i in range(1, 40) if 2**i >= 64 * rho)
    j = next(j for j in range(1, 40) if 2**j >= found.good.n_star)
    assert found.place == (i, j)
    assert found.promises
    grid = BudgetGrid.of(10**9)
    calls = [(a, b) for a in range(1, grid.p + 1) for b in range(1, grid.q[a - 1] + 1)]
    ones = np.ones(len(calls))
    sure = guaranteed(found, ones, ones, *np.array(calls).T)
    assert [call for call, yes in zip(calls, sure, strict=True) if yes] == [(i, j)]
    small = run_theory(hard, "fixed-budget", {**GIVEN, "budget": 200})
    assert (small.good, small.place, small.promises) == (None, None, False)
    assert not small.bounds[0][1].holds


@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_every_algorithm_has_bounds_or_says_that_there_are_none(hard, algorithm):
    found = run_theory(hard, algorithm, GIVEN)
    assert bool(found.bounds) != bool(found.says)
    assert (subroutine_title(algorithm) in found.says) == (algorithm not in THEORY)


def test_where_nothing_can_be_promised_it_says_why():
    tied = Instance.linear([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 0.5])
    assert "tied" in run_theory(tied, "fixed-confidence", GIVEN).says
    assert run_theory(tied, "misspecified", GIVEN).bounds
    curved = Instance([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [0.1, 0.2, 0.9], [0.1, 0.2])
    nowhere = run_theory(curved, "fixed-confidence", GIVEN)
    assert [bound.value for _, bound in nowhere.bounds] == [None, None, None]
    assert not nowhere.promises
    wide = Instance.linear([[3.0, 0.0], [0.0, 1.0]], [1.0, 0.0])  # a gap above 2: the theorem does not hold
    broken = run_theory(wide, "fixed-confidence", GIVEN)
    assert broken.good is not None
    assert not broken.promises
    assert not broken.is_guaranteed(1e9, 1e9, (1, 1))


@pytest.mark.parametrize(
    ("given", "forced", "rewards", "failing"),
    [
        ({"solver": "certified", "tolerance": 1e-6}, {}, "", ""),
        ({}, {"5.seed": 3}, "", ""),
        ({}, {"5.tolerance": 1e-9}, "", ""),
        ({}, {"5.dimension": 1, "5.dimension_for": "from here on"}, "", "after event 5: d = 1"),
        ({}, {"5.selection_budget": 9.0, "5.budget_for": "this subroutine"}, "", "B = 9 in this call"),
        ({}, {"5.solver": "frank-wolfe"}, "", "frank-wolfe proves nothing"),
        ({"solver": "frank-wolfe", "tolerance": 0.5}, {}, "", "frank-wolfe proves nothing"),
        ({"tolerance": 0.5}, {}, "", "only proven within 0.5 of the optimum"),
        ({"tolerance": 1e-6}, {"5.tolerance": 0.01}, "", "only proven within 0.01 of the optimum"),
        ({}, {}, "outside", "came from outside"),
    ],
)
def test_a_run_that_is_not_the_theorems_algorithm_is_promised_nothing(hard, given, forced, rewards, failing):
    found = run_theory(hard, "fixed-confidence", {**GIVEN, **given}, forced, rewards)
    (_, stops), (_, fixed), (_, upper) = found.bounds
    assert stops.holds, "a lower bound is about every algorithm"
    assert fixed.holds
    assert (upper.holds, found.promises, found.is_guaranteed(2.0**20, 2.0**20, (40, 20))) == (not failing,) * 3
    assert len(upper.failing) == bool(failing)
    assert failing in "".join(upper.failing)
    assert any("branch" in each.sentence for each in upper.conditions) == bool(forced)
