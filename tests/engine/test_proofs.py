"""What a design calls proven, against exact rational arithmetic, closed forms and an independent conic solver.

A few seeds of every kind by default; thousands behind the marker (``pytest -m long tests/engine/test_proofs.py``).
"""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from gems_engine.design import certify, solve_design
from gems_engine.errors import InputError
from tests.engine.certificates import problem_of
from tests.engine.conic import conic_optimum
from tests.engine.exact import exact_directions, exact_lower, exact_value, line_optimum
from tests.engine.hard_problems import KINDS, SECTION_1, HardProblem, make

SEEDS = 4
MANY = 150
WELL_SCALED = (
    "gaussian",
    "duplicates",
    "lattice",
    "transductive",
    "transductive-deficient",
    "singular-optimum",
    "one-hot",
)
BADLY_SCALED = (
    "scaled-both",
    "scaled-rows",
    "near-duplicates",
    "duplicates",
    "rotated-deficient",
    "subnormal",
    "wide-column",
    "wide-line",
)
TOLERANCE = 1e-6


def check_proof(hard: HardProblem, seed: int = 0, must_certify: bool = False) -> None:
    """Everything that a design claims about its bounds, in exact arithmetic."""
    problem = hard.problem()
    design = solve_design(problem, tolerance=TOLERANCE)
    value, bound = exact_value(problem, design.weights), exact_lower(problem, design.dual)
    lower, upper = Fraction(design.lower_bound), Fraction(design.upper_bound)
    assert value is not None
    assert lower <= bound
    assert value <= upper
    assert lower <= upper
    assert (design.weights >= 0).all()
    within = upper <= lower * (1 + Fraction(TOLERANCE))
    if design.status == "exact":
        assert bound == value
    elif design.status == "trivial":
        assert value == 0
    else:
        assert (design.status == "certified") == within
    if must_certify:
        assert design.status in ("certified", "exact")
        assert within
    optimum = hard.closed_form(problem)
    assert optimum is None or lower <= optimum <= upper
    _below_other_designs(problem, lower, seed)


def _below_other_designs(problem, lower: Fraction, seed: int) -> None:
    """A lower bound is below the value of every design: uniform weights, random ones, some arms left out."""
    rng = np.random.default_rng(seed)
    k = len(problem.arms)
    others = [np.full(k, 1.0 / k), rng.dirichlet(np.full(k, 0.3)), rng.dirichlet(np.ones(k)) * (rng.random(k) < 0.7)]
    for weights in others:
        if weights.any():
            value = exact_value(problem, weights)
            assert value is None or lower <= value


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_proven_is_true(kind, seed):
    check_proof(make(kind, seed), seed)


@pytest.mark.parametrize("name", SECTION_1)
def test_what_was_wrong_before_is_certified_and_true(name):
    check_proof(SECTION_1[name], must_certify=True)


def check_weights_of(hard: HardProblem, seed: int) -> None:
    """What is proven about weights from anywhere: random, graded over many decades, and on some arms only."""
    rng = np.random.default_rng(seed)
    problem = hard.problem()
    k = len(problem.arms)
    for weights in (
        rng.dirichlet(np.full(k, 0.5)),
        10.0 ** rng.uniform(-40, 0, k),
        rng.dirichlet(np.ones(k)) * (rng.random(k) < 0.6),
    ):
        if not weights.any():
            continue
        try:
            proof = certify(problem, weights, against_optimum=False)
        except InputError:  # a sentence: their value is beyond what can be computed
            assert hard.name in BADLY_SCALED
            continue
        value = exact_value(problem, proof.weights)
        if value is None:
            assert proof.upper_bound == np.inf
            continue
        if not problem.is_trivial:
            assert proof.value < np.inf, weights
        assert value <= (Fraction(proof.upper_bound) if proof.upper_bound < np.inf else value)
        assert Fraction(proof.lower_bound) <= value
        assert proof.lower_bound <= proof.value <= proof.upper_bound


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_proven_of_any_weights_is_true(kind, seed):
    check_weights_of(make(kind, seed), seed)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_proven_is_true_for_many_seeds(kind):
    """Together close to three thousand problems."""
    for seed in range(SEEDS, SEEDS + MANY):
        check_proof(make(kind, seed), seed)
        check_weights_of(make(kind, seed), seed)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", WELL_SCALED)
def test_the_optimum_is_that_of_an_independent_conic_solver(kind):
    for seed in range(8):
        problem = make(kind, seed).problem()
        rows = {
            tuple(float(y[0, k].p) / float(y[0, k].q) for k in range(problem.d))
            for y in exact_directions(problem).values()
        }
        half = np.array([row for row in sorted(rows) if row > tuple(-x for x in row)])  # one of y and −y; never zero
        if not len(half):
            continue
        design = solve_design(problem, tolerance=1e-9)
        scale = np.abs(half).max()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimum = conic_optimum(problem.arms, half / scale) * scale**2
        assert design.lower_bound * (1 - 1e-6) <= optimum <= design.value * (1 + 1e-6)


# -- the reference itself ---------------------------------------------------------------------------------------


def test_the_reference_agrees_with_closed_forms():
    for kind in ("one-dimension", "two-targets"):
        for seed in range(6):
            assert make(kind, seed).optimum > 0
    soon = make("independent", 0)  # K = D independent arms: 1/λ_i + 1/λ_j, least for equal weights
    k = len(soon.arms)
    assert soon.closed_form(soon.problem()) == 2 * k
    assert exact_value(soon.problem(), np.full(k, 0.25)) == 2 * k
    assert exact_value(soon.problem(), [1.0] * (k - 1) + [0.0]) is None
    assert line_optimum([[1.0, 0.0], [2.0, 10.0]], [1.0, 0.0]) == 1
    assert line_optimum([[2.0, 0.0], [1.0, 1.0], [1.0, -1.0]], [3.0, 0.0]) == Fraction(9, 4)
    assert line_optimum([[1.0, 0.0]], [0.0, 1.0]) is None


def test_the_reference_agrees_with_plain_floats_on_plain_problems():
    from tests.engine.problems import plain_value

    for seed in range(5):
        hard = make("gaussian", seed)
        weights = np.random.default_rng(seed).dirichlet(np.ones(len(hard.arms)))
        pairs = np.array([a - b for a in hard.arms for b in hard.arms])
        assert float(exact_value(hard.problem(), weights)) == pytest.approx(
            plain_value(hard.arms, pairs, weights), rel=1e-9
        )


def test_a_dual_means_the_same_with_and_without_a_basis():
    from types import SimpleNamespace

    arms = np.array([[2.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [3.0, 2.0, 1.0]])  # whole numbers: no rounding
    problem = HardProblem("", arms, targets=arms).problem()
    u, w, keys = np.array([[1.0, -2.0, 4.0], [0.5, 0.0, 3.0]]), np.array([0.75, 0.5]), ((0, 1), (3, 2))
    plain = exact_lower(problem, SimpleNamespace(keys=keys, weights=w, vectors=u, basis=None))
    basis = [3, 0, 1]
    other = SimpleNamespace(keys=keys, weights=w, vectors=u @ arms[basis].T, basis=np.array(basis))
    assert plain == exact_lower(problem, other) > 0


def test_kinds_are_reproducible_and_many():
    assert len(KINDS) >= 14
    for kind in KINDS:
        first, second = make(kind, 3), make(kind, 3)
        assert first.name == kind
        np.testing.assert_array_equal(first.arms, second.arms)
        assert not np.array_equal(first.arms, make(kind, 4).arms) or kind == "one-hot"
        assert exact_directions(problem_of(first)) or kind in ("lattice", "transductive-deficient")
