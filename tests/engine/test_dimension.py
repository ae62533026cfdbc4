"""OPT: the same answer as an exhaustive search with full solves, ties among the questions."""

import math

import numpy as np
import pytest

from gems_engine.design import DesignProblem, solve_design
from gems_engine.dimension import REASONS, KnownBounds, Selection, as_set, choose_dimension
from gems_engine.errors import Cancelled, InputError
from gems_engine.gallery import make_from_spec
from gems_engine.rounding import rounding_samples
from tests.engine.problems import hard_arms, sphere_arms


def ask(arms, k, budget, survivors=None, targets=None, rounding=True, top=None):
    targets = arms if targets is None else targets
    return Selection(
        arms,
        targets,
        tuple(range(len(targets)) if survivors is None else survivors),
        k,
        budget,
        (lambda d: rounding_samples(d, 1.0)) if rounding else None,
        top or arms.shape[1],
    )


def exhaustive(selection: Selection) -> int | None:
    """Every dimension solved in full, the rule of docs/decisions.md, 2, applied to each."""
    chosen = None
    for d in range(1, selection.top + 1):
        if selection.rounding_samples(d) > selection.budget * (1 + 1e-9):
            continue
        rows = selection.targets[list(selection.survivors), :d]
        design = solve_design(DesignProblem(selection.arms[:, :d], targets=rows), tolerance=1e-10)
        # Not over budget unless proven: 4^k·lower > B·(1 + 1e-9), in exact powers of two.
        if not design.lower_bound * 2.0 ** (2 * selection.k) > selection.budget * (1 + 1e-9):
            chosen = d
    return chosen


def random_question(rng: np.random.Generator) -> Selection:
    dimension = int(rng.integers(1, 6))
    kind = rng.integers(4)
    if kind == 0:  # ι = 2d exactly, and powers of two among them: ties
        arms = np.vstack([np.eye(dimension), np.eye(dimension)[: rng.integers(0, 2)]])
        if len(arms) < 2:
            arms = np.array([[1.0], [-1.0]])
    elif kind == 1:
        arms = hard_arms(max(1, dimension - 1), float(rng.choice([0.5, 0.1, 1e-3])))
    elif kind == 2:
        arms = rng.integers(-1, 2, (dimension + 4, dimension)).astype(float)
    else:
        arms = rng.standard_normal((dimension + int(rng.integers(1, 6)), dimension))
    if np.linalg.matrix_rank(arms) < arms.shape[1]:
        arms = np.vstack([arms, np.eye(arms.shape[1])])
    count = int(rng.integers(2, len(arms) + 1))
    survivors = np.sort(rng.choice(len(arms), count, replace=False))
    k = int(rng.integers(1, 4))
    rounding = bool(rng.integers(2))
    if rng.integers(2):
        budget = float(2 ** rng.integers(1, 12))
    else:  # exactly at, just below and just above the cost of some dimension
        d = int(rng.integers(1, arms.shape[1] + 1))
        value = solve_design(DesignProblem(arms[:, :d], targets=arms[survivors, :d]), tolerance=1e-10).value
        budget = max(float(value * 4**k * rng.choice([1 - 1e-6, 1.0, 1 + 1e-6])), 1.0)
    return ask(arms, k, budget, survivors, rounding=rounding)


def compare(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ties = 0
    reasons = set()
    for _ in range(count):
        question = random_question(rng)
        choice = choose_dimension(question)
        assert choice.d == exhaustive(question), question
        ties += any(probe.verdict == "tie" for probe in choice.probes)
        check_report(question, choice)
        reasons |= {probe.reason for probe in choice.probes}
    assert ties > count // 50
    assert reasons == {"rounding alone", "all zero", "larger design", "lower bound", "upper bound", "tie"}


def problem_in(question, d: int) -> DesignProblem:
    return DesignProblem(question.arms[:, :d], targets=question.targets[list(question.survivors), :d])


def check_report(question, choice):
    assert all(probe.reason in REASONS for probe in choice.probes)
    for probe in choice.probes:
        assert probe.fits == (choice.d is not None and probe.d <= choice.d)
        assert probe.lower <= probe.upper
        if probe.reason == "upper bound":
            assert probe.upper <= question.ceiling
        if probe.reason == "lower bound":
            assert probe.lower > question.threshold
        if probe.reason == "larger design":
            assert (probe.fits, probe.iterations) == (True, 0)
            assert solve_design(problem_in(question, probe.d)).lower_bound <= probe.upper <= question.ceiling
    if choice.d is None:
        assert (choice.design, choice.cost) == (None, math.inf)
        return
    alone = solve_design(problem_in(question, choice.d))
    assert np.array_equal(alone.weights, choice.design.weights)  # no trace of how it was found
    assert alone.value == choice.design.value
    assert choice.cost == max(alone.value * 4**question.k, question.rounding_samples(choice.d))


def test_same_as_exhaustive_search():
    compare(80, seed=0)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_same_as_exhaustive_search_on_thousands():
    compare(5000, seed=1)


@pytest.mark.parametrize(("survivors", "value"), [(None, 20.0), ((8, 9), 4.0)])
def test_a_tie_fits_and_a_hair_more_does_not(survivors, value):
    arms = hard_arms()
    for k in (1, 2, 3):
        budget = value * 4**k
        assert choose_dimension(ask(arms, k, budget, survivors, rounding=False)).d == 10
        assert choose_dimension(ask(arms, k, budget * (1 - 5e-10), survivors, rounding=False)).d == 10
        assert choose_dimension(ask(arms, k, budget * (1 - 1e-8), survivors, rounding=False)).d == 9


def test_independent_survivors_that_cost_the_budget_need_no_step():
    """Eight independent arms cost at most 16 = B/2^{2k} by even weights, which the solver approaches without end."""
    arms = make_from_spec("sphere:D=100,d_star=5,n=100,min_gap=0.08,seed=8401458273353309").arms
    survivors = (45, 46, 48, 55, 58, 65, 78, 97)
    choice = choose_dimension(ask(arms, 2, 256.0, survivors, rounding=False, top=15))
    assert choice.d == 15
    probe = choice.probes[0]
    assert (probe.verdict, probe.reason, probe.iterations) == ("fits", "upper bound", 0)
    assert probe.lower < 16.0 <= probe.upper < 16.0 * (1 + 1e-12)


def test_a_tie_at_a_singular_optimum_is_proven_without_the_arms_of_next_to_no_weight():
    """ι = 4 = B/2^{2k}. Weights of 10⁻¹² keep A regular, and the bound of all weights is 2·10⁻⁹ above the value."""
    arms = np.array([[-1, -1, 1], [0, 0, 0], [-1, 1, -1], [1, 0, -1], [1, 0, -1], [1, -1, 0], [-1, 1, -1]], dtype=float)
    choice = choose_dimension(ask(arms, 2, 64.0, (0, 1, 3, 4)))
    assert choice.d == 3
    probe = choice.probes[0]
    assert (probe.verdict, probe.reason) == ("tie", "tie")
    assert probe.lower <= 4.0 <= probe.upper <= 4.0 * (1 + 1e-9)
    assert probe.iterations < 10  # as soon as the computed bounds enclose 4 closely


def test_powers_of_two_on_the_hard_instance():
    """ι is 2, 4, 8, 16 at d = 1, 2, 4, 8 (d = 1: arms 1 and 0, one direction, value 1)."""
    arms = hard_arms()
    for d, value in ((2, 4.0), (4, 8.0), (8, 16.0)):
        choice = choose_dimension(ask(arms, 1, 4 * value, rounding=False))
        assert choice.d == d
        assert choice.cost == pytest.approx(4 * value, rel=1e-6)


def test_rounding_alone_needs_no_design():
    choice = choose_dimension(ask(sphere_arms(30, 20), 1, 1e9, top=20))
    assert choice.d == 20
    choice = choose_dimension(ask(sphere_arms(30, 20), 1, 112.0))
    first = choice.probes[0]
    assert (first.d, first.reason, first.iterations) == (11, "rounding alone", 0)
    assert choice.d <= 10
    nothing = choose_dimension(ask(sphere_arms(30, 20), 1, 3.0))
    assert (nothing.d, [p.reason for p in nothing.probes]) == (None, ["rounding alone"])


def test_known_bounds_save_work_and_change_nothing():
    arms = sphere_arms(40, 20)
    known = KnownBounds()
    for k in (1, 2, 2, 3):
        for survivors in (range(40), range(0, 40, 2), range(0, 40, 4)):
            question = ask(arms, k, 500.0, tuple(survivors))
            fresh, told = choose_dimension(question), choose_dimension(question, known=known)
            assert fresh.d == told.d
            if fresh.design is not None:
                assert np.array_equal(fresh.design.weights, told.design.weights)
                lower, upper = known.bounds(
                    as_set(tuple(survivors)), told.d
                )  # what the finished design proves, or more
                assert told.design.lower_bound <= lower <= upper <= told.design.upper_bound
            assert sum(p.iterations for p in told.probes) <= sum(p.iterations for p in fresh.probes)


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_the_same_question_again_takes_no_iteration(scale):
    """Also where ι is far below 1."""
    arms = sphere_arms(20, 8)
    question = ask(arms, 1, 45.0 * scale**2, targets=scale * arms, rounding=False)
    known = KnownBounds()
    first, again = (choose_dimension(question, known=known) for _ in range(2))
    assert first.d == again.d is not None
    assert sum(probe.iterations for probe in first.probes) > 0
    assert {(probe.reason, probe.iterations) for probe in again.probes} == {("known bound", 0)}


def test_rounds_beyond_all_floats():
    """2^{2k} overflows near k = 512: ι = 0 stays 0, anything else is over budget (docs/decisions.md, 7)."""
    arms = hard_arms()
    choice = choose_dimension(ask(arms, 5000, 64.0, (8, 9)))
    assert choice.d == 7  # r_7 = 58 ≤ 64 < r_8 = 74; both arms are 0 below R^9
    assert choice.cost == 58.0
    assert choice.design.status == "trivial"
    assert choose_dimension(ask(arms, 5000, 64.0)).d is None


def test_frank_wolfe_decides_by_its_published_value():
    arms = hard_arms()
    certified = choose_dimension(ask(arms, 1, 80.0, rounding=False))
    published = choose_dimension(ask(arms, 1, 80.0, rounding=False), solver="frank-wolfe")
    assert certified.d == 10
    assert published.d < 10
    assert all(probe.reason in ("value", "all zero") for probe in published.probes)
    assert {probe.verdict for probe in published.probes} == {"fits", "too dear"}


@pytest.mark.parametrize(
    ("given", "words"),
    [({"top": 9}, "largest dimension"), ({"survivors": (0, 3)}, "survivors"), ({"budget": math.nan}, "budget")],
)
def test_questions_that_make_no_sense(given, words):
    asked = {"arms": np.eye(3), "targets": np.eye(3), "survivors": (0, 1), "k": 1, "budget": 8.0, "rounding": None}
    with pytest.raises(InputError, match=words):
        Selection(**{**asked, "top": 3, **given})


def test_stopping():
    with pytest.raises(Cancelled):
        choose_dimension(ask(sphere_arms(50, 20), 2, 300.0), stop=lambda: True)
