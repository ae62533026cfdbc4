"""`certify`: what is proven about weights from anywhere."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from gems_engine.design import DesignProblem, certify, solve_design
from gems_engine.design.examination import examine
from gems_engine.design.information import Spectrum
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
        ([0.0, 0.0, 0.0], "at least one must be above 0"),
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


@pytest.mark.parametrize(
    ("arms", "weights"),
    [
        ([[1e100], [1e-60]], [0, 1]),
        ([[1e60], [1e-30]], [0, 1]),
        ([[1e100], [3e-10], [1.0]], [0, 1, 1]),
        ([[1.17], [-2e-316]], [0, 1]),
        ([[1e70], [3.8e-275]], [0, 1]),
        ([[1e9], [0.0], [-4.94e-318]], [0, 3e-15, 1e-33]),
        ([[1e70, 0.0], [3.8e-275, 0.0], [0.0, 1.0]], [0, 1, 1]),
    ],
)
def test_a_value_beyond_what_can_be_computed_is_one_sentence(arms, weights):
    with pytest.raises(InputError, match=r"too large to compute\. Bring them to a similar scale"):
        certify(DesignProblem(arms, targets=arms), weights)
    with pytest.raises(InputError, match=r"too large to compute\. Bring them to a similar scale"):
        examine(DesignProblem(arms, targets=arms), weights)


BLURRED = [
    ([1.0, 1e-13], [1.0, 0.0]),
    ([1.0, 1e-13], [1.0, 1e-32]),
    ([1.0, 1e-20], [1.0, 1e-60]),
    ([1.0, 1e-300], [1.0, 0.0]),
]


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize(("direction", "weights"), BLURRED)
def test_a_short_part_of_a_direction_is_not_blurred_away(direction, weights, pairs):
    """Orthogonal arms: the value is Σ y²/λ, and g_x = y_x²/(λ_x² · value)."""
    problem = DesignProblem(
        np.eye(2), **({"targets": [[0.0, 0.0], direction]} if pairs else {"directions": [direction]})
    )
    y, share = np.array(direction), np.array(weights) / np.sum(weights)
    proof = certify(problem, weights)
    if not share.all():
        assert proof.value == proof.upper_bound == np.inf
        assert np.isnan(proof.equivalence.g).all()
        assert proof.equivalence.lost == (((0, 1),) if pairs else (0,))
        assert proof.equivalence.arms.tolist() == [1]
        return
    value = float(y @ (y / share))
    assert proof.value == pytest.approx(value, rel=1e-12)
    assert proof.value <= proof.upper_bound <= value * (1.0 + 1e-9)
    assert proof.equivalence.g == pytest.approx((y / share) ** 2 / value, rel=1e-9)
    assert float(proof.equivalence.g @ share) == pytest.approx(1.0, abs=1e-9)


def test_a_direction_that_the_longest_hides_is_active():
    """Both have the norm 1, though doubles would lose the second part of the other: its arm can be given less."""
    second = 1e-26 / 0.75
    problem = DesignProblem(np.eye(2), directions=[[1.0, 0.0], [0.5, 1e-13]])
    assert set(certify(problem, [1.0, second]).equivalence.active) == {0, 1}


@pytest.mark.parametrize("seed", range(40))
def test_values_of_badly_scaled_arms_against_rationals(seed):
    """Arms and weights of very different sizes, some left out: the value is the exact one, or one sentence says why."""
    rng = np.random.default_rng(seed)
    count, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    arms = rng.standard_normal((count, d)) * 10.0 ** rng.uniform(-40, 10, (count, d))
    weights = rng.dirichlet(np.ones(count)) * 10.0 ** rng.uniform(-40, 0, count) * (rng.random(count) < 0.8)
    weights[0] += 1.0
    problem = DesignProblem(arms, targets=arms)
    exact = rational_value(arms, weights / weights.sum())
    if exact is not None and exact > 10**130:
        with pytest.raises(InputError, match="too large to compute"):
            certify(problem, weights, against_optimum=False)
        return
    proof = certify(problem, weights, against_optimum=False)
    if exact is None:
        assert proof.value == np.inf
        assert proof.equivalence.lost_count > 0
    else:
        assert proof.value == pytest.approx(float(exact), rel=1e-6)
        assert Fraction(proof.upper_bound) >= exact if np.isfinite(proof.upper_bound) else True
        assert float(proof.equivalence.g @ proof.weights) == pytest.approx(1.0, abs=1e-9)


def rational_value(arms, weights):
    """max_y yᵀA⁻¹y over all differences of arms by elimination in rational numbers; None where it is infinite."""
    table = [[Fraction(each) for each in row] for row in arms.tolist()]
    share = [Fraction(each) for each in weights.tolist()]
    d, n = len(table[0]), len(table)
    matrix = [
        [sum(w * x[i] * x[j] for w, x in zip(share, table, strict=True)) for j in range(d)]
        + [table[k][i] for k in range(n)]
        for i in range(d)
    ]
    pivots = []
    for column in range(d):
        at = next((i for i in range(len(pivots), d) if matrix[i][column] != 0), None)
        if at is None:
            continue
        row = len(pivots)
        matrix[row], matrix[at] = matrix[at], matrix[row]
        matrix[row] = [each / matrix[row][column] for each in matrix[row]]
        for i in range(d):
            if i != row and matrix[i][column] != 0:
                factor = matrix[i][column]
                matrix[i] = [a - factor * b for a, b in zip(matrix[i], matrix[row], strict=True)]
        pivots.append(column)
    best = Fraction(0)
    for one, other in itertools.combinations(range(n), 2):
        solved = [row[d + one] - row[d + other] for row in matrix]
        if any(solved[len(pivots) :]):
            return None
        y = [a - b for a, b in zip(table[one], table[other], strict=True)]
        best = max(best, sum(y[column] * solved[row] for row, column in enumerate(pivots)))
    return best * sum(share)


@pytest.mark.parametrize(
    ("arms", "weights", "rank", "condition"),
    [
        ([[1e30, 1.0], [1e-290, 0.0]], [1.0, 2.0], 2, np.inf),
        ([[1e100, 0.0], [0.0, 1e-20]], [1.0, 1.0], 2, 1e240),
        ([[1e-200, 0.0], [0.0, 1e-210]], [1.0, 1.0], 2, 1e20),
        ([[1e200, 0.0], [0.0, 1e190]], [1.0, 1.0], 2, 1e20),
        ([[1.0, 1.0], [1.0, 1.0 + 2**-50]], [1.0, 1.0], 2, 16 * 2.0**100),
        ([[1.0, 1e-30], [2.0, 2e-30]], [1.0, 1.0], 1, 1.0),
    ],
)
def test_rank_and_condition_are_exact_for_arms_of_any_size(arms, weights, rank, condition):
    """The condition of a 2 × 2 matrix from its trace and determinant; beyond 1e308 it is ∞."""
    seen = Spectrum.of(np.array(arms), np.array(weights))
    assert (seen.rank, seen.condition) == (rank, pytest.approx(condition, rel=1e-6))


def test_each_bound_says_how_it_is_proven():
    """The optimum of two multiples is found in fractions; the value of other weights is not."""
    proof = certify(DesignProblem([[1.0], [2.0]], targets=[[1.0], [7.0]]), [0.5, 0.5])
    assert proof.optimum.proof == proof.lower_proof == "exact fractions"
    assert proof.upper_proof == "double precision with error bounds"


def test_directions_beyond_the_range_of_numbers_are_one_sentence():
    with pytest.raises(InputError, match=r"the value of their design overflows\. Bring both to a similar scale"):
        solve_design(DesignProblem(np.eye(2) * 1e200, targets=[[1e-200, 0], [0, 2e-200]]))


@pytest.mark.parametrize("small", [1e-26, 1e-29, 1e-40, 1e-100])
def test_a_value_is_infinite_only_where_it_is(small):
    """Two orthogonal arms, one with next to no weight: max(1/λ) for one arm against the other, and for their sum."""
    proof = certify(DesignProblem(np.eye(2), targets=np.eye(2)), [1.0, small])
    assert proof.value == pytest.approx(1.0 / small, rel=1e-9)
    assert proof.value <= proof.upper_bound <= proof.value * (1 + 1e-9)
    assert (proof.rank, proof.equivalence.lost_count) == (2, 0)
    assert proof.condition == pytest.approx(1.0 / small, rel=1e-6)
    assert float(proof.weights @ proof.equivalence.g) == pytest.approx(1.0)


def test_only_what_is_lost_is_named():
    proof = certify(DesignProblem(np.eye(3), targets=np.eye(3)), [1.0, 1e-29, 0.0])
    assert proof.value == np.inf
    assert set(map(frozenset, proof.equivalence.lost)) == {frozenset({0, 2}), frozenset({1, 2})}
    assert proof.equivalence.arms.tolist() == [2]


@pytest.mark.parametrize("seed", range(4))
def test_the_value_is_within_its_bounds_with_a_common_offset(seed):
    rng = np.random.default_rng(seed)
    arms = rng.standard_normal((8, 3)) + 10.0 ** rng.uniform(4, 6.5)
    problem, weights = DesignProblem(arms, targets=arms), rng.dirichlet(np.ones(8))
    for proof in (certify(problem, weights), examine(problem, weights)):
        assert proof.lower_bound <= proof.value <= proof.upper_bound


def test_a_short_arm_is_named_however_short_it_is():
    problem = DesignProblem([[1e150, 1e150], [1e-150, 2e-150]], targets=[[1e150, 1e150], [1e-150, 2e-150]])
    assert problem.warning.startswith("Arm 1 is more than a million times shorter than most")
    other = DesignProblem([[1e100, 1.0], [1e-300, 0.0], [1e99, 1.0]], targets=[[1e100, 1.0], [1e99, 1.0]])
    assert other.warning.startswith("Arm 1 is more than a million times shorter than most")


def test_equal_targets_count_as_pairs_of_their_own():
    """Five targets at two places: six pairs are as long, one direction."""
    targets = [[1.0], [1.0], [0.0], [0.0], [0.0]]
    seen = certify(DesignProblem([[1.0], [2.0]], targets=targets), [0.5, 0.5]).equivalence
    assert seen.active_count == len(seen.active) == 6
    assert {frozenset(pair) for pair in seen.active} == {frozenset({i, j}) for i in (0, 1) for j in (2, 3, 4)}
    assert seen.w == pytest.approx(np.full(6, 1 / 6))


def test_an_exact_design_says_that_it_is_proven_in_fractions():
    design = solve_design(DesignProblem([[1.0], [2.0]], targets=[[1.0], [7.0]]))
    assert (design.status, design.proof) == ("exact", "exact fractions")


def test_a_value_beyond_all_numbers_is_not_called_infinite():
    """Used arms that differ from each other only far below their size: the exact value is finite, about 1e400."""
    arms = [[1.0, 1.0], [1.0, 1.0 + 2**-52], [1e200, 0.0]]
    with pytest.raises(InputError, match="too large to compute"):
        certify(DesignProblem(arms, targets=arms), [1.0, 1.0, 0.0], against_optimum=False)
