"""The XY-design: right values with valid proofs, on ordinary problems and on every kind of difficult one."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from gems_engine.design import DesignProblem, DesignSolve, interior_point, solve_design
from gems_engine.design.frank_wolfe import FrankWolfe
from gems_engine.errors import InputError
from tests.engine.problems import hard_arms, listed_pairs, plain_value, slow_optimum, sphere_arms

VECTORS = json.loads((Path(__file__).parent.parent / "data" / "designs.json").read_text())


def pairwise(arms, targets=None, **rest):
    return solve_design(DesignProblem(arms, targets=arms if targets is None else targets), **rest)


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_reference_values(case):
    arms, targets = (np.array(case[key])[:, : case["d"]] for key in ("arms", "targets"))
    design = pairwise(arms, targets)
    assert design.value == pytest.approx(case["value"], rel=1e-6)
    assert design.is_certified
    assert design.lower_bound <= case["value"] * (1 + 1e-7)
    assert design.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert (design.weights >= 0).all()


@pytest.mark.parametrize(("d", "value"), [(8, 16.0), (9, 18.0), (10, 20.0)])
def test_hard_instance(d, value):
    for epsilon in (0.5, 0.1, 1e-5):
        design = pairwise(hard_arms(9, epsilon)[:, :d])
        assert design.value == pytest.approx(value, rel=1e-6)
        assert design.gap <= 1e-6


@pytest.mark.parametrize("epsilon", [0.5, 1e-2, 1e-5])
def test_last_two_survivors_of_the_hard_instance(epsilon):
    arms = hard_arms(9, epsilon)
    for d, value in ((10, 4.0), (9, epsilon**2), (8, 0.0)):
        design = pairwise(arms[:, :d], arms[8:, :d])
        assert design.value == pytest.approx(value, rel=1e-9, abs=1e-300)
        # In R^10 a proof has to know 1 − ε, which is a double for ε = ½ only.
        certified = d == 10 and epsilon != 0.5
        assert design.status == ("trivial" if not value else "certified" if certified else "exact")
        assert design.gap < 1e-15


@st.composite
def small_problems(draw, most_arms=8):
    d = draw(st.integers(1, 4))
    count = draw(st.integers(max(2, d), most_arms))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    arms = rng.standard_normal((count, d)) if draw(st.booleans()) else rng.integers(-2, 3, (count, d)).astype(float)
    assume(np.linalg.matrix_rank(arms) == d)
    targets = arms[: draw(st.integers(2, count))] if draw(st.booleans()) else rng.standard_normal((4, d))
    assume((np.ptp(targets, axis=0) > 0).any())
    return arms, targets, rng


@given(small_problems())
@with_settings(max_examples=60)
def test_certificate_encloses_an_independent_optimum(problem):
    arms, targets, _ = problem
    design = pairwise(arms, targets)
    assert design.gap <= 1e-6
    optimum = slow_optimum(arms, listed_pairs(targets))
    # SLSQP stops a little above the optimum, and where the optimum is singular more than a little.
    assert design.lower_bound <= optimum * (1 + 1e-7)
    assert optimum == pytest.approx(design.value, rel=1e-3)


@given(small_problems(), st.integers(0, 2**32 - 1))
@with_settings(max_examples=60)
def test_no_weights_beat_the_lower_bound_and_the_value_is_the_weights_own(problem, seed):
    arms, targets, _ = problem
    design = pairwise(arms, targets)
    directions = listed_pairs(targets)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        others = rng.dirichlet(np.full(len(arms), 0.7)) * 0.999 + 0.001 / len(arms)
        assert plain_value(arms, directions, others) >= design.lower_bound * (1 - 1e-9)
    if np.linalg.cond(arms.T @ (design.weights[:, None] * arms)) < 1e8:
        assert plain_value(arms, directions, design.weights) == pytest.approx(design.value, rel=1e-7)


@given(small_problems())
@with_settings(max_examples=40)
def test_value_does_not_depend_on_order_scale_or_rotation(problem):
    arms, targets, rng = problem
    value = pairwise(arms, targets).value
    order = rng.permutation(len(arms))
    rotation, _ = np.linalg.qr(rng.standard_normal((arms.shape[1],) * 2))
    scale = 10.0 ** rng.uniform(-8, 8, arms.shape[1])
    for other_arms, other_targets in (
        (arms[order], targets),
        (arms, targets[::-1]),
        (arms @ rotation, targets @ rotation),
        (arms * scale, targets * scale),
    ):
        assert pairwise(other_arms, other_targets).value == pytest.approx(value, rel=2e-6)
    assert pairwise(arms, 3.0 * targets).value == pytest.approx(9.0 * value, rel=2e-6)


def test_weights_follow_their_arms():
    arms = sphere_arms(30, 6)
    design = pairwise(arms, tolerance=1e-10)
    order = np.random.default_rng(1).permutation(30)
    assert pairwise(arms[order], tolerance=1e-10).weights == pytest.approx(design.weights[order], abs=1e-4)


@pytest.mark.parametrize("dimension", [1, 2, 5, 17, 40])
def test_as_many_arms_as_dimensions_need_all_equally(dimension):
    # In the basis of the arms A = diag(λ): the pairs cost 1/λ_i + 1/λ_j, so λ is uniform and the value 2d.
    arms = np.random.default_rng(dimension).standard_normal((dimension, dimension))
    if dimension == 1:
        arms = np.array([[1.0], [-1.0]])
        assert pairwise(arms).value == pytest.approx(4.0)
        return
    design = pairwise(arms)
    assert design.value == pytest.approx(2.0 * dimension if dimension > 2 else 4.0, rel=1e-6)


@pytest.mark.parametrize(("dimension", "survivors"), [(4, 3), (10, 7), (60, 31), (60, 60)])
def test_targets_that_are_independent_arms_share_the_weight_evenly(dimension, survivors):
    """Proven without an iteration: what a general method needs 14 of, where all pairs tie."""
    arms = sphere_arms(dimension, dimension)
    design = pairwise(arms, arms[-survivors:])
    assert (design.iterations, design.status, design.value) == (0, "certified", 2.0 * survivors)
    assert design.gap < 1e-10
    assert (design.weights[-survivors:] == 1.0 / survivors).all()
    assert not design.weights[:-survivors].any()
    merged = pairwise(arms, np.vstack([arms[:3], arms[:3]]))
    assert (merged.iterations, merged.value) == (0, 6.0), "equal targets are one"
    other = pairwise(arms, np.vstack([arms[:2], 2.0 * arms[2]]))
    assert other.iterations > 0, "a multiple of an arm costs more"
    assert other.value == pytest.approx(6.0 + 4.0 * 2.0**0.5, rel=1e-6)


@pytest.mark.parametrize(("dimension", "survivors"), [(15, 3), (50, 20), (75, 40)])
def test_few_targets_among_many_arms_share_the_weight_evenly(dimension, survivors):
    """Where no other arm is worth more, which takes some search for u in what the targets do not span."""
    arms = sphere_arms(100, dimension)
    design = pairwise(arms, arms[:survivors])
    assert (design.iterations, design.status, design.value) == (0, "certified", 2.0 * survivors)
    assert design.gap < 1e-6
    assert (design.weights[:survivors] == 1.0 / survivors).all()
    longer = np.vstack([arms[:-1], 1.1 * (arms[0] - arms[1])])  # tells two targets apart by itself
    better = pairwise(longer, longer[:survivors])
    assert better.iterations > 0
    assert better.is_certified
    assert better.upper_bound < 2.0 * survivors


def test_one_arm_more_than_dimensions():
    arms = np.vstack([np.eye(5), np.ones(5) / np.sqrt(5)])
    assert pairwise(arms).value == pytest.approx(slow_optimum(arms, listed_pairs(arms)), rel=1e-6)


def test_one_dimension_is_a_ratio():
    design = pairwise(np.array([[0.5], [-2.0], [1.0]]), np.array([[3.0], [0.0], [1.0]]))
    assert design.value == pytest.approx(9.0 / 4.0)
    assert design.weights == pytest.approx([0.0, 1.0, 0.0])


def test_one_dimension_needs_no_linear_program(monkeypatch):
    def refuse(*given, **named):
        raise AssertionError

    monkeypatch.setattr("scipy.optimize.linprog", refuse)
    design = pairwise([[0.5], [-2.0], [2.0], [0.0]])
    assert design.weights.tolist() == [0.0, 1.0, 0.0, 0.0]  # the first of the longest
    assert (design.value, design.status) == (4.0, "exact")


def test_equal_targets_are_no_direction():
    arms = sphere_arms(12, 4)
    twice = np.vstack([arms, arms + 1e-14])
    assert pairwise(arms, twice).value == pytest.approx(pairwise(arms).value, rel=1e-6)
    same = pairwise(arms, np.vstack([arms[0], arms[0], arms[0] * (1 + 1e-13)]))
    assert (same.value, same.bounds, same.status) == (0.0, (0.0, 0.0), "trivial")
    assert same.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9])
def test_near_duplicates_keep_their_digits(apart):
    # Telling x from x + apart·e with exactly these two arms costs (‖c‖₁)² for c = (1, −1).
    pair = np.array([[1.0, 0.5], [1.0, 0.5 + apart]])
    assert pairwise(pair).value == pytest.approx(4.0, rel=1e-6)
    # Three in a tight cluster, with arms that see each coordinate well: scale out `apart` and compare.
    arms = np.vstack([np.eye(2), [[0.6, 0.8]]])
    corner = np.array([0.25, 0.5])
    step = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    small = pairwise(arms, corner + apart * step)
    exact = pairwise(arms, ((corner + apart * step) - corner) / apart)
    assert small.value == pytest.approx(exact.value * apart**2, rel=1e-6)
    # A near-duplicate among ordinary arms changes nothing that can be seen.
    ordinary = sphere_arms(10, 3)
    assert pairwise(np.vstack([ordinary, ordinary[:1] + apart * 1e-3])).value == pytest.approx(
        pairwise(ordinary).value, rel=max(1e-5, 10 * apart)
    )


@pytest.mark.parametrize("spread", [1e-8, 1e-4, 1e4, 1e8])
def test_badly_scaled_features_and_arms(spread):
    arms = sphere_arms(20, 5)
    columns = spread ** np.linspace(0, 1, 5)
    assert pairwise(arms * columns).value == pytest.approx(pairwise(arms).value, rel=2e-6)
    rows = sphere_arms(9, 3)
    rows[4:] *= spread
    design = pairwise(rows)
    assert design.gap <= 1e-6
    assert design.lower_bound <= plain_value(rows, listed_pairs(rows), np.full(9, 1 / 9))


@pytest.mark.parametrize("seed", range(12))
def test_singular_optima(seed):
    """Few targets among many arms: the best A(λ) does not have full rank, and the proof must not need it."""
    rng = np.random.default_rng(seed)
    arms = sphere_arms(40, 12, seed)
    survivors = np.sort(rng.choice(40, 3 + seed % 4, replace=False))
    for tolerance in (1e-6, 1e-9):
        design = pairwise(arms, arms[survivors], tolerance=tolerance)
        assert design.status == "certified"
        assert design.gap <= tolerance
    # Pulling the survivors themselves is one design; it can only be worse.
    weights = np.zeros(40)
    weights[survivors] = 1.0 / len(survivors)
    assert design.lower_bound <= 2.0 * len(survivors) * (1 + 1e-12)


def test_arms_that_span_less_than_the_space():
    arms = np.hstack([np.round(64 * sphere_arms(8, 3)), np.zeros((8, 2))])
    mixed = arms @ np.random.default_rng(0).integers(-9, 10, (5, 5))  # in whole numbers, so that the span is exact
    assert pairwise(mixed).value == pytest.approx(pairwise(arms[:, :3]).value, rel=1e-6)
    for first, last in ((np.eye(5)[:1], mixed[:2]), (mixed[:2], np.eye(5)[:1]), (np.eye(5)[:1], np.eye(5)[1:])):
        with pytest.raises(InputError, match="outside the span of the arms"):
            pairwise(mixed, np.vstack([first, last]))
    with pytest.raises(InputError, match="outside the span"):
        solve_design(DesignProblem(arms, directions=[[1.0, 0.0, 0.0, 0.0, 1e-3]]))


def test_the_units_of_the_features_do_not_matter_in_a_basis_of_arms_either():
    """Powers of two, which change no digit: weights, proof and basis are the same to the last bit."""
    arms = np.random.default_rng(5).standard_normal((7, 3)) @ np.random.default_rng(6).standard_normal((3, 5))
    units = np.ldexp(1.0, np.array([0, 40, -40, 25, -3]))
    one, other = (pairwise(arms * each) for each in (np.ones(5), units))
    assert one.dual.basis is not None
    assert one.dual.basis.tolist() == other.dual.basis.tolist()
    assert one.proof == other.proof
    assert one.weights.tobytes() == other.weights.tobytes()
    assert one.bounds == other.bounds


def test_doubles_prove_what_they_can():
    """In the features where there are as many arms as features or more; else in the arms themselves."""
    rng = np.random.default_rng(1)
    for count in (4, 5):
        design = pairwise(rng.standard_normal((count, 4)))
        assert design.proof == "double precision with error bounds"
        assert design.dual.basis is None
    for lengths in (np.ones(3), np.array([1.0, 1e-9, 1e9])):
        fewer = pairwise(rng.standard_normal((3, 4)) * lengths[:, None])
        assert fewer.proof == "double precision with error bounds"
        assert fewer.dual.basis.tolist() == [0, 1, 2]
        assert fewer.is_certified
    alike = rng.standard_normal((6, 3))
    alike[:, 2] = alike[:, 0] + 1e-8 * alike[:, 2]  # too near for doubles
    assert DesignProblem(alike, targets=alike).geometry.frame.basis is not None


def test_a_warning_names_an_arm_that_depends_on_others_but_for_its_last_digits():
    arms = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.7, 0.0], [1.0, 1.0, 0.0, 2.0 + 2.0**-51]])
    warning = DesignProblem(arms, targets=arms).warning
    assert "nearly dependent" in warning
    assert int(warning.split("arm ")[1].split()[0]) in (0, 1, 3)


def test_where_the_features_do_not_reach_a_tolerance_a_basis_of_arms_does():
    rng = np.random.default_rng(0)
    arms = rng.standard_normal((7, 4))
    arms[:, -1] = arms[:, 0] + 1e-5 * arms[:, -1]
    problem = DesignProblem(arms, targets=arms)
    assert problem.geometry.frame.basis is None
    rough, sharp = (solve_design(problem, tolerance=tolerance) for tolerance in (1e-6, 1e-10))
    assert (rough.status, rough.proof) == ("certified", "double precision with error bounds")
    assert (sharp.status, sharp.proof) == ("certified", "128-bit balls")
    assert sharp.lower_bound <= rough.upper_bound
    assert rough.lower_bound <= sharp.upper_bound


def test_zero_arms_get_no_weight_and_all_zero_arms_are_an_error():
    arms = np.vstack([np.zeros((2, 3)), sphere_arms(7, 3)])
    design = pairwise(arms)
    assert design.gap <= 1e-6
    assert design.weights[:2] == pytest.approx([0.0, 0.0])
    with pytest.raises(InputError, match="zero"):
        pairwise(np.zeros((3, 2)), np.eye(2))


def test_listed_directions_equal_pairs():
    arms = sphere_arms(15, 4)
    listed = solve_design(DesignProblem(arms, directions=listed_pairs(arms)))
    assert listed.value == pytest.approx(pairwise(arms).value, rel=1e-6)
    assert all(isinstance(key, int) for key in listed.dual_keys)


def test_weighted_directions_are_their_quotients():
    plus, minus, divisors = np.eye(3), np.ones((3, 3)), np.array([[1.0, 1.0], [0.5, 0.0], [3.0, 1.0]])
    problem = DesignProblem.weighted(np.eye(3), plus, minus, divisors)
    directions = np.array([[0.0, -0.5, -0.5], [-2.0, 0.0, -2.0], [-0.25, -0.25, 0.0]])
    assert problem.directions.tolist() == directions.tolist()
    assert solve_design(problem).value == pytest.approx(
        solve_design(DesignProblem(np.eye(3), directions=directions)).value
    )


def test_many_listed_directions_use_a_working_set():
    arms = sphere_arms(20, 4)
    directions = np.random.default_rng(5).standard_normal((2000, 4))
    design = solve_design(DesignProblem(arms, directions=directions))
    assert design.gap <= 1e-6
    assert plain_value(arms, directions, design.weights) == pytest.approx(design.value, rel=1e-9)


@pytest.mark.parametrize("size", [1e-150, 1e-90, 1e-30, 1e30, 1e78, 1e150])
def test_any_scale_is_solved_as_scale_one(size):
    """Squares of squares of lengths must not leave the range of numbers, and least of all certify what is wrong."""
    directions = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, -0.5], [0.0, 1.0, 1.0]])
    plain = solve_design(DesignProblem(np.eye(3), directions=directions))
    design = solve_design(DesignProblem(np.eye(3), directions=directions * size))
    assert design.status == "certified"
    assert design.value / size / size == pytest.approx(plain.value, rel=2e-6)
    pair = solve_design(DesignProblem(np.eye(3) * size, targets=np.eye(3)[:2] * size))
    assert pair.value == pytest.approx(4.0)


def test_beyond_the_range_of_numbers_is_a_sentence():
    with pytest.raises(InputError, match="the value of their design overflows"):
        solve_design(DesignProblem(np.eye(2) * 1e100, directions=np.eye(2) * 1e-100))


def test_targets_much_smaller_than_arms_are_still_distinct():
    design = pairwise(1e8 * np.eye(2), 1e-5 * np.eye(2))
    assert design.value == pytest.approx(4e-26)
    arms = np.vstack([np.eye(3), np.full((1, 3), 1e13)])
    assert pairwise(arms, np.eye(3)).value > 1.0


@pytest.mark.parametrize("reach", [3, 6, 8])
def test_two_targets_with_arms_of_all_scales(reach):
    """The linear program loses sight of arms 1e-16 apart in scale; then the general method answers."""
    rng = np.random.default_rng(reach)
    for _ in range(60):
        d = int(rng.integers(1, 6))
        arms = rng.standard_normal((int(rng.integers(d, d + 8)), d)) * 10.0 ** rng.uniform(-reach, reach, (1, 1))
        arms = arms * 10.0 ** rng.uniform(-reach / 2, reach / 2, (len(arms), 1))
        design = pairwise(arms, rng.standard_normal((2, d)))
        assert np.isfinite(design.value)
        assert design.gap <= 1e-6


@pytest.mark.parametrize("d", [5, 8, 9, 12, 30])
def test_basis_directions_of_unequal_length(d):
    """min Σ μ with y_i²/μ_i ≤ 1: the value is Σ y_i². A too bold corrector used to stall here."""
    lengths = np.full(d, 0.5)
    lengths[0] = 1.0
    for arms in (np.eye(d), np.vstack([np.eye(d), np.zeros((1, d))])):
        design = solve_design(DesignProblem(arms, directions=np.diag(lengths)))
        assert design.status == "certified"
        assert design.value == pytest.approx((lengths**2).sum(), rel=1e-6)


def test_directions_of_very_different_lengths():
    """As ρ⋆ asks with gaps from 1 down to 1e-4: each of 120 problems certified, none on trust."""
    rng = np.random.default_rng(0)
    for _ in range(120):
        d = int(rng.integers(2, 15))
        arms = np.vstack([np.eye(d), rng.standard_normal((int(rng.integers(0, 10)), d))])
        directions = arms[rng.integers(len(arms), size=12)] * 10.0 ** rng.uniform(-3, 3, (12, 1))
        design = solve_design(DesignProblem(arms, directions=directions))
        assert design.gap <= 1e-6
        if len(arms) == d:
            assert design.value == pytest.approx((np.abs(directions).max(axis=0) ** 2).sum(), rel=1e-6)


@pytest.mark.parametrize("how", ["no progress", "no factor"])
def test_a_solver_that_is_stuck_starts_again_with_care(monkeypatch, how):
    """Without progress after 25 iterations, at the end of its digits at once; and then it is as good as ever."""
    arms = sphere_arms(20, 4)
    usual = pairwise(arms)
    plain = interior_point._NewtonStep.direction

    def stuck(system):
        *change, length = plain(system)
        if not system.at.careful and how == "no factor":
            raise np.linalg.LinAlgError
        return (*change, length if system.at.careful else 0.0)

    monkeypatch.setattr(interior_point._NewtonStep, "direction", stuck)
    solve = DesignSolve(DesignProblem(arms, targets=arms))
    lost = 0
    while not solve._solver.careful:
        assert not solve.done
        solve.step()
        lost += 1
    assert lost == (interior_point.PATIENCE if how == "no progress" else 1)
    while not solve.done:
        solve.step()
    assert solve.design().status == "certified"
    assert solve.design().value == pytest.approx(usual.value, rel=1e-6)
    assert solve.iterations - lost < 4 * usual.iterations


def test_a_solver_that_stays_stuck_says_so(monkeypatch):
    def stuck(system):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(interior_point._NewtonStep, "direction", stuck)
    arms = sphere_arms(20, 4)
    design = pairwise(arms)
    assert design.status == "uncertified"
    assert design.iterations < 10
    monkeypatch.undo()
    assert design.lower_bound <= pairwise(arms).value <= design.upper_bound


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8, 1e-10])
def test_any_tolerance_on_request(tolerance):
    design = pairwise(sphere_arms(60, 15), tolerance=tolerance)
    assert design.status == "certified"
    assert design.gap <= tolerance


def test_an_impossible_tolerance_is_said_not_pretended():
    design = pairwise(sphere_arms(30, 8), tolerance=1e-17)
    assert design.status == "uncertified"
    assert design.gap < 1e-9
    assert not design.is_certified


def test_a_design_is_a_pure_function_of_its_problem():
    arms = sphere_arms(25, 6)
    first = pairwise(arms)
    pairwise(sphere_arms(25, 6, seed=3))
    solve = DesignSolve(DesignProblem(arms, targets=arms))
    while not solve.exhausted:  # far beyond the tolerance
        solve.step()
    for again in (pairwise(arms), solve.design()):
        assert np.array_equal(again.weights, first.weights)
        assert (again.value, again.lower_bound, again.iterations) == (first.value, first.lower_bound, first.iterations)


def test_bounds_only_improve_and_stepping_can_be_cancelled():
    arms = sphere_arms(50, 10)
    design = pairwise(arms)
    upper, lower = design.history.T
    assert (np.diff(upper) <= 0).all()
    assert (np.diff(lower) >= 0).all()
    assert len(design.history) == design.iterations + 1
    cancelled = pairwise(arms, stop=lambda solve: solve.iterations >= 3)
    assert (cancelled.status, cancelled.iterations) == ("cancelled", 3)
    assert cancelled.lower_bound <= design.value
    assert cancelled.value >= design.lower_bound
    assert plain_value(arms, listed_pairs(arms), cancelled.weights) == pytest.approx(cancelled.value, rel=1e-9)


def test_what_is_proven_is_called_certified_wherever_one_stops():
    arms = np.random.default_rng(0).standard_normal((10, 3))
    solve = DesignSolve(DesignProblem(arms, targets=arms), tolerance=2.7585e-10)
    said = []
    while not solve.done:
        so_far = solve.design()
        said.append(so_far.status)
        assert (so_far.status == "certified") == so_far.is_certified
        solve.step()
    assert set(said) == {"cancelled", "certified"}  # one step before the solver itself sees it
    assert solve.design().status == "certified"


def test_arms_that_come_back_have_their_own_weights():
    """All hundred take part, then 99, then all again: each weight is still that of its arm."""
    arms = np.random.default_rng(125).standard_normal((100, 25))
    arms /= np.linalg.norm(arms, axis=1)[:, None]
    design = pairwise(arms)
    assert design.status == "certified"
    assert plain_value(arms, listed_pairs(arms), design.weights) == pytest.approx(design.value, rel=1e-9)


def test_dual_weights_prove_the_lower_bound_by_hand():
    """(Σ λ_x G_x)²/max G_x from the reported w alone, at the reported λ."""
    arms = sphere_arms(30, 5)
    design = pairwise(arms, tolerance=1e-9)
    inverse = np.linalg.inv(arms.T @ (design.weights[:, None] * arms))
    directions = np.array([arms[i] - arms[j] for i, j in design.dual_keys])
    g = (((arms @ inverse) @ directions.T) ** 2) @ design.dual_weights
    assert design.dual_weights.sum() == pytest.approx(1.0)
    for part in (design.weights, design.support, design.history, design.dual.weights, design.dual.vectors):
        assert not part.flags.writeable  # what is proven stays what it is
    assert (design.weights @ g) ** 2 / g.max() == pytest.approx(design.value, rel=1e-5)
    # The equivalence theorem: 1 on the support, nowhere above.
    g /= design.weights @ g
    assert g.max() == pytest.approx(1.0, abs=1e-5)
    assert g[design.weights > 1e-3] == pytest.approx(1.0, abs=1e-4)


def test_support_is_left_small():
    design = pairwise(np.random.default_rng(0).standard_normal((200, 3)))
    assert len(design.support) <= 3 * 4 // 2 + 1
    assert design.gap <= 1e-6


def plain_frank_wolfe(arms, directions, limit=1000):
    """As the paper's appendix describes it, all directions listed."""
    weights = np.full(len(arms), 1.0 / len(arms))
    before = None
    for k in range(limit + 1):
        inverse = np.linalg.inv(arms.T @ (weights[:, None] * arms))
        values = np.einsum("ij,jk,ik->i", directions, inverse, directions)
        worst = int(values.argmax())
        if before is not None and abs(values[worst] - before) < 0.01 * before:
            break
        before = values[worst]
        best = int(((arms @ inverse @ directions[worst]) ** 2).argmax())
        weights *= 1 - 2 / (k + 3)
        weights[best] += 2 / (k + 3)
    return weights, float(values[worst])


def test_what_frank_wolfe_shows_as_a_lower_bound_is_one():
    arms = sphere_arms(30, 5)
    design, optimum = pairwise(arms, solver="frank-wolfe"), pairwise(arms)
    assert (design.history[:, 1] <= optimum.value).all()
    assert design.history[-1, 1] == pytest.approx(design.lower_bound, rel=1e-9)


def test_frank_wolfe_goes_on_where_the_value_changes_by_exactly_the_part():
    geometry = DesignProblem(sphere_arms(12, 4), targets=sphere_arms(12, 4)).geometry
    once = FrankWolfe(geometry)
    before = once.upper
    once.step()
    change = abs(once.upper - before)
    near = change / before
    part = next(p for p in (near, np.nextafter(near, 0.0), np.nextafter(near, 1.0)) if p * before == change)
    for asked, finished in ((part, False), (part * (1.0 + 1e-12), True)):
        again = FrankWolfe(geometry, asked)
        again.step()
        assert again.finished == finished


def test_frank_wolfe_is_the_published_one():
    arms = sphere_arms(12, 4)
    weights, value = plain_frank_wolfe(arms, listed_pairs(arms))
    design = pairwise(arms, solver="frank-wolfe")
    assert design.status == "as published"
    assert design.weights == pytest.approx(weights, rel=1e-9)
    assert design.value == pytest.approx(value)
    assert design.lower_bound < pairwise(arms).value < design.value


@pytest.mark.parametrize(("d", "seen"), [(10, 35.7), (9, 31.7)])
def test_how_wrong_frank_wolfe_is_on_the_hard_instance(d, seen):
    assert pairwise(hard_arms()[:, :d], solver="frank-wolfe").value == pytest.approx(seen, abs=0.06)


@pytest.mark.parametrize(
    ("words", "make"),
    [
        ("no solver", lambda: pairwise(np.eye(2), solver="magic")),
        ("relative gap", lambda: pairwise(np.eye(2), tolerance=0.0)),
        ("row 1, coordinate 2", lambda: pairwise(np.array([[1.0, 2.0], [3.0, np.nan]]))),
        ("3 coordinates but the targets have 2", lambda: pairwise(np.eye(3), np.eye(2))),
        ("no arms", lambda: pairwise(np.empty((0, 2)), np.eye(2))),
        ("rows of equal length", lambda: pairwise([[1.0, 2.0], [3.0]])),
        ("table of numbers", lambda: pairwise([["a", "b"]])),
    ],
)
def test_bad_input_is_one_sentence(words, make):
    with pytest.raises(InputError, match=words):
        make()
