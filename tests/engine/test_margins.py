"""The elimination test against exact rational arithmetic: computed margins are within their bound, signs are right."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine import elimination
from gems_engine.algorithms.run_context import constant
from gems_engine.design import DesignProblem
from gems_engine.elimination import least_squares, nearest_rivals, separations
from gems_engine.margins import LEAST, Doubt, Width, exact_margins, signed
from tests.engine.exact import fraction, matrix


def exact_gap_and_square(arms, counts, sums, y):
    """⟨θ̂, y⟩ and yᵀA⁻¹y in fractions, for arms that span."""
    rows = [[Fraction(x) for x in row] for row in arms.tolist()]
    d = len(rows[0])
    A = [[sum(int(n) * r[a] * r[b] for n, r in zip(counts, rows, strict=True)) for b in range(d)] for a in range(d)]
    b = [sum(Fraction(float(s)) * r[a] for s, r in zip(sums, rows, strict=True)) for a in range(d)]
    solved = matrix(A).solve(matrix([[each] for each in y]))
    u = [fraction(solved[i, 0]) for i in range(d)]
    return sum(p * q for p, q in zip(u, b, strict=True)), sum(p * q for p, q in zip(u, y, strict=True))


KINDS = {
    "gaussian": lambda rng: rng.standard_normal((7, 3)),
    "of all scales": lambda rng: rng.standard_normal((7, 3)) * 10.0 ** rng.uniform(-6, 6, 3),
    "near a point": lambda rng: 1.0 + 1e-11 * rng.standard_normal((6, 3)),
    "far away": lambda rng: rng.standard_normal((6, 3)) + 1e9,
    "whole numbers": lambda rng: np.vstack([np.eye(3), rng.integers(-3, 4, (4, 3))]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("slope", [0.0, 2.5])
def test_margins_are_within_their_bound_of_the_exact_ones(kind, slope):
    rng = np.random.default_rng([5, *kind.encode()])
    for _ in range(4):
        arms = np.asarray(KINDS[kind](rng), dtype=float)
        problem = DesignProblem(arms, targets=arms)
        counts = rng.integers(1, 10_000, len(arms))
        sums = counts * rng.standard_normal(len(arms))
        fit = least_squares(problem, np.arange(len(arms)), counts, sums)
        kept = problem.geometry.kept
        values = fit.estimates[kept]
        doubt = fit.norm.doubt(sums, values, slope)
        assert doubt < 1e-5 * (1.0 + np.ptp(values))
        points = problem.geometry.directions.points @ fit.norm.inverse_root * problem.geometry.unit

        width = Width(0.1, slope)

        for i, j in ((0, 1), (2, 0), (1, 3)):
            y = [Fraction(a) - Fraction(b) for a, b in zip(arms[kept[i]].tolist(), arms[kept[j]].tolist(), strict=True)]
            gap, square = exact_gap_and_square(arms, counts, sums, y)
            exact = float(gap) - 0.1 - slope * math.sqrt(square)
            computed = values[i] - values[j] - 0.1 - slope * np.linalg.norm(points[i] - points[j])
            assert abs(computed - exact) <= doubt + 1e-15 * (abs(exact) + 0.1)
            settled = exact_margins(problem, np.arange(len(arms)), counts, sums, np.array([[i, j]]), width)
            assert settled[0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("kind", ["gaussian", "of all scales", "nearly dependent"])
@pytest.mark.parametrize(("d", "pulled"), [(1, 1), (3, 3), (5, 5), (5, 2)])
def test_independent_arms_are_what_least_squares_and_fractions_say(kind, d, pulled):
    """As many pulled arms as dimensions, or fewer where the targets ask for no more."""
    rng = np.random.default_rng([d, pulled, *kind.encode()])
    for most in (2, 10, 10**4, 10**12):
        arms = rng.standard_normal((d + 4, d))
        if kind == "of all scales":
            arms *= 10.0 ** rng.uniform(-6, 6, d)
        elif kind == "nearly dependent" and d > 1:
            arms[1] = arms[0] + 1e-5 * arms[1]
        some = np.arange(pulled)
        targets = rng.integers(-3, 4, (6, pulled)) @ arms[:pulled] if pulled == d else arms[:pulled]
        problem = DesignProblem(arms, targets=targets)
        counts = rng.integers(1, most, pulled)
        sums = counts * rng.standard_normal(pulled)
        fit = least_squares(problem, some, counts, sums)
        assert fit.norm.independent is not None
        kept = problem.geometry.kept
        values, norms = fit.estimates[kept], fit.norm.of_pairs
        doubt = fit.norm.doubt(sums, values, 2.0)
        other = Doubt.of(problem, some, counts, fit.norm.inverse_root)
        if most <= 10**4:
            assert doubt < 1e-4 * (np.ptp(values) + norms.max())
            assert other is None or doubt < 1000.0 * other.bound(sums, values, 2.0)
        inverse = matrix([[Fraction(x) for x in row] for row in arms[:pulled, :pulled].T.tolist()])
        for i, j in ((0, 1), (len(kept) - 1, 0)):
            y = [
                Fraction(a) - Fraction(b)
                for a, b in zip(targets[kept[i]].tolist(), targets[kept[j]].tolist(), strict=True)
            ]
            c = inverse.solve(matrix([[each] for each in y[:pulled]]))
            c = [fraction(c[at, 0]) for at in range(pulled)]
            gap = sum(a * Fraction(float(s)) / int(n) for a, s, n in zip(c, sums, counts, strict=True))
            norm = math.sqrt(sum(a * a / int(n) for a, n in zip(c, counts, strict=True)))
            assert abs(values[i] - values[j] - 2.0 * norms[i, j] - float(gap - 2 * Fraction(norm))) <= doubt
            assert norms[i, j] == pytest.approx(norm, rel=1e-7)


def test_dependent_arms_and_arms_that_miss_a_direction_are_not_taken_for_independent_ones():
    arms = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    problem = DesignProblem(arms, targets=arms)
    for some in ([0, 1, 2], [0, 1], [0, 1, 2, 3]):
        norm = least_squares(problem, np.array(some), np.ones(len(some), dtype=int), np.zeros(len(some))).norm
        assert norm.independent is None
        assert math.isinf(norm.longest) == (3 not in some)


def two_arms(lead: float):
    """Two arms in R², pulled once each: ⟨θ̂, e_1 − e_2⟩ is exactly the difference of the rewards."""
    problem = DesignProblem(np.eye(2), targets=np.eye(2))
    return least_squares(problem, np.arange(2), np.ones(2, dtype=np.int64), np.array([0.25 + lead, 0.25]))


def test_a_gap_that_equals_the_width_eliminates_and_the_next_double_does_not():
    assert separations(two_arms(0.5), constant(0.5))[0].tolist() == [1]
    assert separations(two_arms(0.5), constant(math.nextafter(0.5, 1.0)))[0].tolist() == []
    assert separations(two_arms(0.5), constant(math.nextafter(0.5, 0.0)))[0].tolist() == [1]


def test_rounding_does_not_decide(monkeypatch):
    """θ̂ = 1/3 exactly: its double is below it, and the computed gap misses the width by rounding."""
    arms = np.array([[1.0, 0.0], [0.0, 1.0]])
    problem = DesignProblem(arms, targets=arms)
    fit = least_squares(problem, np.arange(2), np.array([3, 1]), np.array([1.0, 0.0]))
    third = 1 / 3
    assert Fraction(third) < Fraction(1, 3) < Fraction(math.nextafter(third, 1.0))
    leave = lambda width: separations(fit, constant(width))[0].tolist()  # noqa: E731
    assert leave(third) == [1]
    assert leave(math.nextafter(third, 1.0)) == []
    asked = []
    monkeypatch.setattr(elimination, "exact_margins", lambda *a: asked.append(a) or exact_margins(*a))
    leave(0.1)
    leave(0.9)
    assert asked == []  # far from a tie, doubles suffice


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_pulls_that_do_not_span_are_settled_in_their_span(seed):
    rng = np.random.default_rng(seed)
    arms = rng.integers(-4, 5, (5, 4)).astype(float)
    arms[:2] = [[1.0, 2.0, 0.0, 0.0], [0.0, 1.0, 3.0, 0.0]]
    problem = DesignProblem(arms, targets=arms[:2])
    counts, sums = rng.integers(1, 100, 2), rng.standard_normal(2)
    fit = least_squares(problem, np.arange(2), counts, sums)
    values = fit.estimates[problem.geometry.kept]
    doubt = fit.norm.doubt(sums, values, 1.0)
    # Independent arms: each is estimated by its own mean, and the variances add up.
    gap = Fraction(float(sums[0])) / int(counts[0]) - Fraction(float(sums[1])) / int(counts[1])
    norm = math.sqrt(Fraction(1, int(counts[0])) + Fraction(1, int(counts[1])))
    points = problem.geometry.directions.points @ fit.norm.inverse_root * problem.geometry.unit
    computed = values[0] - values[1] - np.linalg.norm(points[0] - points[1])
    assert abs(computed - (float(gap) - norm)) <= doubt
    assert doubt < 1e-9
    settled = exact_margins(problem, np.arange(2), counts, sums, np.array([[0, 1]]), Width(slope=1.0))
    assert settled[0] == pytest.approx(float(gap) - norm, rel=1e-12)


def test_estimates_in_a_basis_of_arms_are_those_of_the_targets():
    """Three arms in R^5, each pulled: least squares fits their means exactly."""
    arms = np.random.default_rng(2).standard_normal((3, 5))
    counts, means = np.array([10, 20, 30]), np.array([0.3, -1.0, 2.0])
    fit = least_squares(DesignProblem(arms, targets=arms), np.arange(3), counts, counts * means)
    assert fit.problem.geometry.frame.basis is not None
    assert fit.estimates == pytest.approx(means, rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 5, 9])
def test_widths_alone_are_in_doubt_by_little_and_never_by_less_than_nothing(d):
    arms = np.random.default_rng(d).standard_normal((d + 3, d))
    problem = DesignProblem(arms, targets=arms)
    pulls = np.arange(d + 3), np.ones(d + 3, dtype=int), np.zeros(d + 3)  # every reward is 0: no gap can be off
    fit = least_squares(problem, *pulls)
    doubt = fit.norm.doubt(pulls[2], fit.estimates[problem.geometry.kept], 1.0)
    assert 0.0 < doubt < 1e-9


def test_where_the_pulls_say_nothing_nothing_is_eliminated():
    problem = DesignProblem(np.eye(3), targets=np.eye(3))
    fit = least_squares(problem, np.array([0]), np.array([100]), np.array([1e6]))
    pulled = np.array([0]), np.array([100]), np.array([1e6])
    assert exact_margins(problem, *pulled, np.array([[0, 1], [1, 2]]), Width()).tolist() == [-math.inf] * 2
    assert [len(part) for part in separations(fit, Width())] == [0] * 4


def test_equal_survivors_have_no_rivals():
    problem = DesignProblem(np.eye(2), targets=np.ones((3, 2)))
    fit = least_squares(problem, np.arange(2), np.ones(2, dtype=int), np.array([1.0, 2.0]))
    rivals = nearest_rivals(fit, Width(), np.empty(0, dtype=int))
    assert rivals.rival.tolist() == [-1] * 3
    assert np.isnan([rivals.gap, rivals.width]).all()
    assert [len(part) for part in separations(fit, Width())] == [0] * 4


def test_a_margin_smaller_than_every_double_keeps_its_sign():
    """⟨θ̂, z′ − z⟩ = ∓1e-350 against a width of 0: only one of the two is eliminated."""
    problem = DesignProblem([[1.0]], targets=[[0.0], [1e-150]])
    pulls = np.array([0]), np.array([1]), np.array([-1e-200])
    found = exact_margins(problem, *pulls, np.array([[1, 0], [0, 1]]), Width())
    assert found.tolist() == [-LEAST, LEAST]
    leave, by, _, _ = separations(least_squares(problem, *pulls), Width())
    assert (leave.tolist(), by.tolist()) == ([1], [0])


def test_a_margin_of_which_nothing_is_known_does_not_eliminate():
    from flint import arb

    assert signed(arb(0, 1).sqrt() - arb(1)) == -math.inf  # a ball with numbers below 0 has no root
    assert signed(arb(0, 1)) == 0.0
    assert signed(arb(3, 1)) == 3.0


def test_a_point_that_is_off_reaches_further():
    """|exact − computed| of ⟨q, p⟩ is up to 2η·‖q‖ of the exact point's length, which is reach + point_error."""
    doubt = Doubt(
        np.eye(1), np.zeros((1, 1)), np.zeros(1), eta=0.25, reach=0.0, point_error=1.0, norm_error=0.0, unit=1.0
    )
    assert doubt.bound(np.ones(1), np.zeros(1), 0.0) >= 2.0 * (2.0 * 0.25 * 1.0 + 1.0)


@pytest.mark.parametrize("kind", ["gaussian", "with ties", "equal rows"])
def test_targets_in_blocks_are_eliminated_as_in_one_table(kind, monkeypatch):
    """Many targets are compared block by block; who leaves, by whom and the numbers are the same."""
    rng = np.random.default_rng([7, *kind.encode()])
    arms = rng.standard_normal((60, 4))
    if kind == "with ties":
        arms = rng.integers(-2, 3, (60, 4)).astype(float)
    elif kind == "equal rows":
        arms[30:] = arms[:30]
    problem = DesignProblem(arms, targets=arms)
    counts = rng.integers(1, 4, 60)
    sums = counts * np.round(arms @ np.ones(4), 1)
    for width in (Width(1.5), Width(0.0, 1.0), Width(4.0), Width(1e3)):
        one = separations(least_squares(problem, np.arange(60), counts, sums), width)
        with monkeypatch.context() as patch:
            patch.setattr(elimination, "FEW_TARGETS", 10)
            patch.setattr(elimination, "BLOCK", 7)
            other = separations(least_squares(problem, np.arange(60), counts, sums), width)
        for mine, yours in zip(one[:2], other[:2], strict=True):
            assert mine.tolist() == yours.tolist()
        for mine, yours in zip(one[2:], other[2:], strict=True):
            assert mine == pytest.approx(yours, rel=1e-12)
    assert len(separations(least_squares(problem, np.arange(60), counts, sums), Width(1.5))[0]) > 10
