"""The equivalence theorem as it is drawn: g with λ-average 1, the active directions, and where to move."""

import csv
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as with_settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from gems_engine.design import DesignProblem, certify, equivalence_of, solve_design
from gems_engine.design.active import LISTED
from gems_engine.design.equivalence import active_epsilon
from gems_engine.files import read_weights
from gems_engine.gallery import make
from tests.engine.problems import hard_arms, listed_pairs, plain_value, sphere_arms


def pairs(arms, targets=None):
    return DesignProblem(arms, targets=arms if targets is None else targets)


def plain_norms(arms, directions, weights):
    """yᵀA⁻¹y by the textbook, for A well conditioned."""
    inverse = np.linalg.inv(arms.T @ (weights[:, None] * arms))
    return np.array([y @ inverse @ y for y in directions])


def plain_seen(arms, directions, weights):
    """(xᵀA⁻¹y)², arms by directions."""
    return (arms @ np.linalg.inv(arms.T @ (weights[:, None] * arms)) @ np.asarray(directions).T) ** 2


def named(problem, name):
    """The direction behind a name, in the coordinates that were given."""
    if problem.targets is None:
        return problem.directions[name]
    return problem.targets[name[0]] - problem.targets[name[1]]


KINDS = ["targets are arms", "transductive", "listed with weights"]


def random_problem(rng, kind, d):
    arms = rng.standard_normal((d + 5, d))
    if kind == "targets are arms":
        return pairs(arms)
    if kind == "transductive":
        return pairs(arms, rng.standard_normal((d + 2, d)))
    rows = rng.standard_normal((7, d)) / rng.uniform(0.1, 3.0, 7)[:, None]
    return DesignProblem(arms, directions=np.vstack([rows, np.zeros((1, d))]))


def tied(arms, rows, weights):
    """The rows, scaled so that all are equally long."""
    return rows / np.sqrt(plain_norms(arms, rows, weights))[:, None]


# -- the average ------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.integers(2, 5), st.booleans(), st.floats(0.0, 0.02))
@with_settings(max_examples=60, deadline=None)
def test_the_average_over_the_weights_is_one_and_never_are_all_above(seed, kind, d, rounded, gap):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, kind, d)
    weights = rng.dirichlet(np.ones(len(problem.arms))) * 0.95 + 0.05 / len(problem.arms)
    given_weights = np.round(weights, 6) if rounded else weights
    seen = equivalence_of(problem, given_weights, gap)
    share = given_weights / given_weights.sum()
    assert seen.weights == pytest.approx(share, rel=1e-14)
    assert float(seen.g @ share) == pytest.approx(1.0, abs=1e-9)
    assert not (seen.g[share > 0.0] > 1.0 + 1e-9).all()
    # G_x/s(w) by the textbook, with the w that is told.
    directions = [named(problem, each) for each in seen.active]
    assert seen.norms == pytest.approx(plain_norms(problem.arms, directions, share), rel=1e-8)
    g = plain_seen(problem.arms, directions, share) @ seen.w
    assert seen.g == pytest.approx(g / float(seen.w @ seen.norms), rel=1e-7, abs=1e-9)
    # Active is exactly what is within ε of the longest.
    every = problem.directions if problem.targets is None else listed_pairs(problem.targets)
    norms = plain_norms(problem.arms, every, share)
    assert seen.value == pytest.approx(norms.max(), rel=1e-9)
    assert seen.epsilon == active_epsilon(gap) or not len(seen.more)
    assert seen.active_count == len(seen.active) == int((norms >= norms.max() * (1.0 - seen.epsilon)).sum())
    assert seen.w.sum() == pytest.approx(1.0)
    assert seen.shares.sum() == pytest.approx(1.0)


def test_epsilon_is_four_gaps_for_weights_near_the_optimum_only():
    assert [active_epsilon(gap) for gap in (0.0, 1e-6, 1e-4, 0.01)] == [1e-5, 1e-5, 4e-4, 0.04]
    assert [active_epsilon(gap) for gap in (0.02, 0.5, np.inf)] == [1e-5, 1e-5, 1e-5]


@pytest.mark.parametrize("seed", [79, 117, 280, 311, 322])
def test_certified_designs_that_need_a_wider_epsilon(seed):
    """Of 400 random problems these five had an arm at 1.001 … 1.007 with ε = 10⁻⁵ or four gaps."""
    rng = np.random.default_rng(seed)
    arms_count = int(rng.integers(5, 80))
    d = int(rng.integers(2, min(arms_count, 16)))
    arms = sphere_arms(arms_count, d, seed) if seed % 2 else rng.standard_normal((arms_count, d))
    problem = pairs(arms, None if seed % 3 else rng.standard_normal((arms_count // 2 + 2, d)))
    design = solve_design(problem)
    for proof in (certify(problem, design.weights), certify(problem, np.round(design.weights, 6))):
        seen = proof.equivalence
        assert seen.g.max() <= 1.0 + 1e-3
        assert float(seen.g @ seen.weights) == pytest.approx(1.0, abs=1e-9)
        assert seen.epsilon <= 100.0 * max(1e-5, 4.0 * proof.gap)
        assert (seen.norms >= seen.value * (1.0 - seen.epsilon)).all()


# -- the best w -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_w_is_the_best_of_a_grid(seed):
    """Three directions of the same length, every w in steps of 1/200."""
    rng = np.random.default_rng(seed)
    arms, weights = rng.standard_normal((6, 3)), rng.dirichlet(np.ones(6)) * 0.9 + 0.1 / 6
    rows = tied(arms, rng.standard_normal((3, 3)), weights)
    found = equivalence_of(DesignProblem(arms, directions=rows), weights)
    assert (found.active_count, found.value) == (3, pytest.approx(1.0))
    steps = np.array([(i, j, 200 - i - j) for i in range(201) for j in range(201 - i)]) / 200.0
    best = (plain_seen(arms, rows, weights) @ steps.T).max(axis=0).min()
    assert found.g.max() <= best * (1.0 + 1e-6)
    assert found.g.max() >= best * (1.0 - 0.05)
    # μ shows that no w does better: for every direction the moved weight sees at least as much.
    assert (found.target @ plain_seen(arms, rows, weights)).min() == pytest.approx(found.g.max(), rel=1e-5)


def test_without_an_answer_of_the_linear_program_g_is_that_of_one_direction(monkeypatch):
    arms = sphere_arms(12, 4)
    weights = solve_design(pairs(arms)).weights
    assert len(equivalence_of(pairs(arms), weights).w) > 3
    monkeypatch.setattr("scipy.optimize.linprog", lambda *given, **named: SimpleNamespace(x=None))
    found = equivalence_of(pairs(arms), weights)
    assert sorted(found.w)[-2:] == [0.0, 1.0]
    one = named(pairs(arms), found.active[int(found.w.argmax())])
    g = plain_seen(arms, [one], weights)[:, 0]
    assert found.g == pytest.approx(g / (weights @ g), rel=1e-6)


def test_a_basis_has_its_closed_form():
    """Arms e_0 … e_3 with λ = (0.4, 0.2, 0.2, 0.2): three pairs have length 10, e_0 sees nothing of them."""
    seen = equivalence_of(pairs(np.eye(4)), [0.4, 0.2, 0.2, 0.2])
    assert seen.value == pytest.approx(10.0)
    assert seen.active == ((1, 2), (1, 3), (2, 3))
    assert seen.w.tolist() == pytest.approx([1 / 3] * 3)
    assert seen.g.tolist() == pytest.approx([0.0, 5 / 3, 5 / 3, 5 / 3])
    assert (seen.arms.tolist(), seen.shares.tolist()) == ([1, 2, 3], pytest.approx([1 / 3] * 3))
    assert seen.slope == pytest.approx(10.0 - 50.0 / 3.0)
    assert (seen.more.tolist(), seen.less.tolist()) == ([1, 2, 3], [0])
    # An arm without weight that sees nothing either has none to give.
    more = pairs(np.vstack([np.eye(4), 0.1 * np.eye(4)[:1]]), np.eye(4))
    assert equivalence_of(more, [0.4, 0.2, 0.2, 0.2, 0.0]).less.tolist() == [0]


def test_uniform_weights_on_the_sphere_and_one_arm_cut():
    arms = sphere_arms(40, 12)
    problem = pairs(arms)
    design = solve_design(problem)
    uniform = np.full(40, 1 / 40)
    seen = equivalence_of(problem, uniform, 0.4)
    moved = uniform + 1e-7 * (seen.target - uniform)
    measured = (plain_value(arms, listed_pairs(arms), moved) - seen.value) / 1e-7
    assert seen.slope == pytest.approx(measured, rel=1e-4)
    assert 0 < len(seen.more) < 40
    for arm in np.argsort(-design.weights)[:3]:
        cut = design.weights.copy()
        cut[arm] *= 0.15
        proof = certify(problem, cut)
        assert proof.equivalence.g.argmax() == arm == proof.equivalence.more[0]
        assert proof.equivalence.g.max() > 10.0
        assert 5 <= len(proof.equivalence.more) <= 20


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_the_slope_is_that_of_the_value(kind, seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, kind, 3)
    weights = rng.dirichlet(np.ones(len(problem.arms))) * 0.9 + 0.1 / len(problem.arms)
    every = problem.directions if problem.targets is None else listed_pairs(problem.targets)
    seen = equivalence_of(problem, weights)
    moved = weights + 1e-7 * (seen.target - weights)
    measured = (plain_value(problem.arms, every, moved) - plain_value(problem.arms, every, weights)) / 1e-7
    assert seen.slope == pytest.approx(measured, rel=1e-4, abs=1e-6 * seen.value)
    assert seen.slope <= seen.value * (1.0 - seen.g.max()) * (1.0 - 1e-6) + 1e-6 * seen.value


def test_the_slope_is_that_of_the_exactly_longest():
    """A direction within ε that is not the longest takes part in w and not in the slope."""
    arms, weights = np.eye(2), np.array([0.5, 0.5])
    problem = DesignProblem(arms, directions=[[1.0, 0.0], [0.0, 1.0 - 1e-6]])
    seen = equivalence_of(problem, weights)
    assert seen.active == (0, 1)
    assert seen.shares == pytest.approx([0.5, 0.5], abs=1e-5)
    for arm, share in zip(seen.arms, seen.shares, strict=True):
        if arm == 0:
            assert seen.slope == pytest.approx(2.0 - 4.0 * share, abs=1e-9)


# -- certified designs ------------------------------------------------------------------------------------------

FAMILIES = [
    ("paper-hard", {}, 10),
    ("paper-hard", {}, 9),
    ("sphere", {"D": 12, "n": 40, "d_star": 3}, 12),
    ("sphere", {"D": 12, "n": 40, "d_star": 3}, 6),
    ("soare", {}, 5),
    ("transductive", {}, 10),
    ("multivariate", {}, 15),
    ("gaussian", {}, 10),
    ("misspecified", {}, 10),
]


@pytest.mark.parametrize(("family", "given_parameters", "d"), FAMILIES)
def test_certified_designs_are_nowhere_above_one_also_with_six_digits(tmp_path, family, given_parameters, d):
    instance = make(family, **given_parameters)
    problem = DesignProblem(instance.arms[:, :d], targets=instance.targets[:, :d])
    design = solve_design(problem)
    seen = equivalence_of(problem, design.weights, design.gap)
    assert design.status in ("certified", "exact")
    assert seen.g.max() <= 1.0 + 1e-3
    assert len(seen.more) == 0
    assert float(seen.g @ design.weights) == pytest.approx(1.0, abs=1e-9)
    for digits in (".6f", ".6g"):
        with (tmp_path / "w.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([format(each, digits)] for each in design.weights)
        read = read_weights(tmp_path / "w.csv", len(instance.arms))
        proof = certify(problem, read)
        assert proof.equivalence.g.max() <= 1.0 + 1e-3
        assert float(proof.equivalence.g @ (read / read.sum())) == pytest.approx(1.0, abs=1e-9)


def test_the_hard_instance_has_36_active_pairs_in_r9():
    problem = pairs(hard_arms()[:, :9])
    design = solve_design(problem)
    seen = equivalence_of(problem, design.weights, design.gap)
    assert seen.active_count == len(seen.active) == 36
    assert (8, 9) not in seen.active


# -- singular, undetermined, nothing, thousands of ties ------------------------------------------------------------


def test_a_singular_optimum_is_nowhere_above_one():
    """With A⁺y alone G would be (1, 4) (designs.md, 3)."""
    problem = DesignProblem([[1.0, 0.0], [2.0, 10.0]], directions=[[1.0, 0.0]])
    seen = equivalence_of(problem, [1.0, 0.0])
    assert seen.value == pytest.approx(1.0)
    assert seen.g[0] == pytest.approx(1.0, abs=1e-12)
    assert seen.g.max() <= 1.0 + 1e-9
    assert seen.slope == pytest.approx(0.0, abs=1e-9)


def plain_singular(arms, rows, weights):
    """The least largest G_x over w and n, by scipy's SLSQP on the epigraph."""
    values, vectors = np.linalg.eigh(arms.T @ (weights[:, None] * arms))
    null = vectors[:, values < 1e-10 * values.max()]
    range_part = rows @ np.linalg.pinv(arms.T @ (weights[:, None] * arms), rcond=1e-10, hermitian=True)
    m, k = len(rows), null.shape[1]

    def seen(x):
        return ((arms @ (range_part + x[m:-1].reshape(m, k) @ null.T).T) ** 2) @ x[:m]

    best = np.inf
    for start in (0.0, 0.1, 0.3):
        x = np.concatenate([np.full(m, 1 / m), start * np.cos(np.arange(m * k)), [0.0]])
        x[-1] = seen(x).max()
        answer = minimize(
            lambda x: x[-1],
            x,
            bounds=[(0, 1)] * m + [(None, None)] * (m * k) + [(0, None)],
            constraints=[
                {"type": "ineq", "fun": lambda x: x[-1] - seen(x)},
                {"type": "eq", "fun": lambda x: x[:m].sum() - 1.0},
            ],
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        found = answer.x.copy()
        found[:m] = np.maximum(found[:m], 0.0) / np.maximum(found[:m], 0.0).sum()
        best = min(best, seen(found).max())
    return best


@pytest.mark.parametrize("seed", range(6))
def test_singular_weights_against_another_solver(seed):
    rng = np.random.default_rng(seed)
    d, rank = 4, 1 + seed % 3
    arms = np.round(1024.0 * rng.standard_normal((9, d))) / 1024.0  # few digits: combinations of arms are exact
    weights = np.zeros(9)
    weights[:rank] = rng.dirichlet(np.ones(rank)) * 0.9 + 0.1 / rank
    rows = np.round(1024.0 * rng.standard_normal((2, rank))) / 1024.0 @ arms[:rank]
    inverse = np.linalg.pinv(arms.T @ (weights[:, None] * arms), rcond=1e-10, hermitian=True)
    lengths = np.sqrt(np.einsum("ij,jk,ik->i", rows, inverse, rows))[:, None]
    problem = DesignProblem.weighted(arms, rows, np.zeros_like(rows), np.hstack([lengths / 2, lengths / 2]))
    rows = rows / lengths
    seen = equivalence_of(problem, weights)
    assert seen.value == pytest.approx(1.0)
    assert float(seen.g @ weights) == pytest.approx(1.0, abs=1e-9)
    assert seen.g.max() == pytest.approx(plain_singular(arms, rows, weights), rel=1e-5)
    # The slope along μ, where A becomes regular at once.
    moved = weights + 1e-7 * (seen.target - weights)
    measured = (equivalence_of(problem, moved).value - seen.value) / 1e-7
    assert seen.slope == pytest.approx(measured, rel=1e-3, abs=1e-4)


def test_two_targets_in_many_dimensions_are_optimal_and_singular():
    arms = sphere_arms(40, 12)
    problem = pairs(arms, arms[:2])
    design = solve_design(problem)
    seen = equivalence_of(problem, design.weights, design.gap)
    assert len(design.support) < 12
    assert seen.g.max() <= 1.0 + 1e-9
    assert seen.active == ((0, 1),)


def test_where_a_direction_is_lost_there_is_no_g_and_the_arms_are_named():
    seen = equivalence_of(pairs(np.eye(4)), [0.5, 0.5, 0.0, 0.0])
    assert seen.value == np.inf
    assert np.isnan(seen.g).all()
    assert set(seen.lost) == {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert seen.lost_count == 5
    assert (seen.arms.tolist(), seen.shares.tolist(), seen.slope) == ([2, 3], [0.5, 0.5], -np.inf)
    assert (len(seen.more), len(seen.less), seen.active) == (0, 0, ())


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.integers(1, 4))
@with_settings(max_examples=30, deadline=None)
def test_the_arms_that_are_named_restore_all_and_none_is_too_many(seed, kind, kept):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, kind, 5)
    weights = np.zeros(len(problem.arms))
    weights[rng.permutation(len(weights))[:kept]] = 1.0
    seen = equivalence_of(problem, weights)
    every = problem.directions if problem.targets is None else listed_pairs(problem.targets)

    def determined(some):
        rows = problem.arms[some]
        return (np.abs(every - every @ np.linalg.pinv(rows, rcond=1e-10) @ rows) < 1e-8).all(axis=1)

    on = np.flatnonzero(weights)
    assert seen.lost_count == len(seen.lost) == int((~determined(on)).sum())
    assert determined(np.union1d(on, seen.arms)).all()
    for arm in seen.arms:
        assert not determined(np.union1d(on, np.setdiff1d(seen.arms, [arm]))).all()


def test_without_a_direction_any_weights_do():
    seen = equivalence_of(pairs(np.eye(2), np.ones((3, 2))), [1.0, 3.0])
    assert (seen.value, seen.g.tolist(), seen.active, seen.slope) == (0.0, [1.0, 1.0], (), 0.0)


@pytest.mark.parametrize("n", [200, pytest.param(1000, marks=pytest.mark.long)])
def test_thousands_of_ties_are_never_listed(n):
    """n independent arms with even weights: all n(n − 1)/2 pairs have length 2n, and that is the optimum."""
    problem = pairs(np.eye(n))
    seen = equivalence_of(problem, np.ones(n))
    assert seen.value == pytest.approx(2.0 * n)
    assert seen.active_count == n * (n - 1) // 2 > LISTED
    assert len(seen.active) <= 2 * n
    assert seen.w.min() > 0.0
    cover = np.zeros(n)
    for (i, j), w in zip(seen.active, seen.w, strict=True):
        cover[[i, j]] += w
    assert cover == pytest.approx(2.0 / n, rel=1e-6)
    assert seen.g == pytest.approx(1.0, abs=1e-6)
    # With less weight on one arm its n − 1 pairs tie.
    weights = np.ones(n)
    weights[7] = 0.5
    seen = equivalence_of(problem, weights)
    assert (seen.active_count, seen.g.argmax(), seen.arms.tolist()) == (n - 1, 7, [7])
