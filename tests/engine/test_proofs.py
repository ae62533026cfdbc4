"""What a design calls proven, against exact rational arithmetic, closed forms and an independent conic solver.

A few seeds of every kind by default; thousands behind the marker (``pytest -m long tests/engine/test_proofs.py``).
"""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.design import DesignProblem, balls, certify, directions, proof, solve_design
from gems_engine.design.collinear import rounded_down, rounded_up
from gems_engine.design.coordinates import Frame
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


def test_a_factor_that_is_not_proven_to_be_regular_asks_for_more_digits():
    """Its pivots are positive, but it cannot be inverted with the first number of bits."""
    check_weights_of(make("rotated-deficient", 151), 151)


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


@given(st.fractions(min_value=Fraction(-(2**60)), max_value=Fraction(2**60)))
def test_fractions_are_rounded_to_the_next_double_and_no_further(value):
    down, up = rounded_down(value), rounded_up(value)
    assert Fraction(down) <= value <= Fraction(up)
    assert down == up or math.nextafter(down, math.inf) == up


def test_where_nothing_is_left_over_there_is_no_further_arm_of_a_basis():
    assert balls._pivots(np.zeros((3, 2)), 2) == ([], [])
    assert balls._pivots(np.diag([1e-30, 2e-30]), 2) == ([1, 0], [1, 0])


def test_without_a_direction_both_bounds_are_zero():
    problem = DesignProblem(np.eye(2), targets=np.ones((3, 2)))
    nothing = np.empty(0)
    assert proof.upper_bound(problem, np.full(2, 0.5)) == 0.0
    assert proof.lower_bound(problem, problem.geometry, nothing.astype(int), nothing, np.empty((0, 2))) == 0.0


def test_kinds_are_reproducible_and_many():
    assert len(KINDS) >= 14
    for kind in KINDS:
        first, second = make(kind, 3), make(kind, 3)
        assert first.name == kind
        np.testing.assert_array_equal(first.arms, second.arms)
        assert not np.array_equal(first.arms, make(kind, 4).arms) or kind == "one-hot"
        assert exact_directions(problem_of(first)) or kind in ("lattice", "transductive-deficient")


# -- every part of a bound by itself: what is wrong in one of them would be hidden by the slack of the others --

CLOSE = Fraction(1, 10**10)


def frame_of(arms, rows, arm_floor=0.0, row_floor=0.0):
    """Coordinates that are off by at most these floors, as a basis of arms gives them."""
    arms, rows = np.atleast_2d(np.array(arms, dtype=float)), np.atleast_2d(np.array(rows, dtype=float))
    d = arms.shape[1]
    floors = np.full(len(arms), arm_floor), np.full(len(rows), row_floor)
    return Frame(arms, rows, *floors, 1.0, None, np.ones(d), arms, np.eye(d), "")


def exactly(values):
    return [[Fraction(each) for each in row] for row in np.atleast_2d(values).tolist()]


def dot(one, other):
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def random_dual(seed):
    rng = np.random.default_rng(seed)
    count, d, size = int(rng.integers(1, 400)), int(rng.integers(1, 4)), 10.0 ** rng.uniform(-4, 4)
    arms, rows = rng.standard_normal((5, d)), rng.standard_normal((count, d))
    return arms, rows, rng.random(count), rows * size


@pytest.mark.parametrize("seed", range(6))
def test_what_the_arms_see_is_bounded_from_above_and_closely(seed):
    arms, _, w, u = random_dual(seed)
    vectors, share = exactly(u), exactly(w)[0]
    exact = max(dot(share, [dot(x, v) ** 2 for v in vectors]) for x in exactly(arms))
    assert exact <= Fraction(proof._seen(frame_of(arms, arms), w, u)) <= exact * (1 + CLOSE)


@pytest.mark.parametrize("seed", range(6))
def test_what_the_directions_measure_is_bounded_from_below_and_closely(seed):
    _, rows, w, u = random_dual(seed)
    exact = dot(exactly(w)[0], [dot(y, v) for y, v in zip(exactly(rows), exactly(u), strict=True)])
    found = Fraction(proof._along(frame_of(rows, rows), np.arange(len(rows)), w, u, False))
    assert exact * (1 - CLOSE) <= found <= exact


def test_sums_of_ones_leave_no_slack_to_hide_in():
    """Products and sums are exact here, so that only the factors for rounding are between the bound and the sum."""
    for count in (1, 10, 3000):
        ones = np.ones((count, 1))
        line = frame_of([[1.0]], ones)
        assert proof._seen(line, np.ones(count), ones) > count
        assert proof._along(line, np.arange(count), np.ones(count), ones, False) < count
        assert proof._longest_pair(np.array([[0.0], [3.0]]), np.zeros(2), [np.arange(2)], 0.0) > 3.0


@pytest.mark.parametrize("floor", [1e-3, 1e-13])
def test_floors_count_where_every_coordinate_is_off_by_one_of_them(floor):
    off = Fraction(floor)
    for d in (1, 4, 9):
        ones = np.ones((1, d))
        frame = frame_of(ones, np.vstack([np.zeros(d), ones]), floor, floor)
        assert Fraction(proof._seen(frame, np.ones(1), ones)) >= (d * (1 + off)) ** 2
        assert Fraction(proof._along(frame, np.array([1]), np.ones(1), ones, False)) <= d * (1 - off)
        # Of a difference both ends are.
        assert Fraction(proof._along(frame, np.array([2]), np.ones(1), ones, True)) <= d * (1 - 2 * off)
        error = proof.product_error(frame.row_sizes, frame.row_floor, np.ones(d))
        assert Fraction(error[1]) >= d * off
        longest = proof._longest_pair(np.array([[0.0], [1.0]]), np.full(2, floor), [np.arange(2)], 0.0)
        assert longest >= 1.0 + 2.0 * floor


@pytest.mark.parametrize("seed", range(4))
def test_the_longest_of_many_pairs_is_bounded_from_above_and_closely(seed, monkeypatch):
    monkeypatch.setattr(directions, "BALL", 7)
    points = np.random.default_rng(seed).standard_normal((30, 2)) + 10.0**seed
    table = exactly(points)
    exact = max(dot(y, y) for a in table for b in table for y in [[p - q for p, q in zip(a, b, strict=True)]])
    balls = directions.PairDirections(points).balls
    assert len(balls) > 1
    for about in (0.0, 0.5, 1.0, 1.0 + 1e-12):  # whatever the search starts from
        found = Fraction(proof._longest_pair(points, np.zeros(len(points)), balls, about * float(exact)))
        assert exact <= found**2 <= exact * (1 + Fraction(10.0 ** (2 * seed - 12)))


@pytest.mark.parametrize("stretch", [0.0, 1e-12, 1e-3, 0.1, 0.4])
def test_a_root_that_is_not_quite_one_costs_what_it_is_off(stretch):
    """RᵀAR = 1 + stretch in one direction: the value by R alone would be too small by this part, or too large."""
    for sign in (1.0, -1.0):
        seen = np.diag([np.sqrt(1.0 + sign * stretch), 1.0])
        eta = proof.nearness(seen, np.array([seen[0, 0], 1.0]), np.zeros(2), np.ones(2))
        assert stretch * (1.0 - 1e-12) <= eta <= 1.02 * stretch + 1e-14
    # A row of `seen` that may be off by e: RᵀAR is off by up to 2e + e².
    for e in (1e-3, 1e-8):
        eta = proof.nearness(np.eye(2), np.ones(2), np.array([e, 0.0]), np.ones(2))
        assert 2 * e + e * e <= eta <= 1.03 * (2 * e + e * e)


def test_a_value_by_a_root_that_is_not_quite_one_is_still_bounded(monkeypatch):
    """With R off by 10 % the bound stays above the exact value, and is at most what 1/(1 − η) says."""
    arms = np.eye(2)
    for part in (0.95, 1.0, 1.05):
        monkeypatch.setattr(proof, "inverse_root", lambda arms, share, part=part: part * np.diag(1.0 / np.sqrt(share)))
        bound = proof._above(frame_of(arms, arms), np.full(2, 0.5), np.arange(2), [np.arange(2)], None)
        assert 4.0 <= bound <= 4.0 * part**2 / (1.0 - 1.5 * abs(1.0 - part**2)) + 1e-12
