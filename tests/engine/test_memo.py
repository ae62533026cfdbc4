"""Solved designs are kept and change nothing: traces are the same bits with a memo that is off, cold, warm or full."""

import threading

import numpy as np
import pytest

from gems_engine import blas, solutions
from gems_engine.design import DesignProblem, DesignSolve
from gems_engine.errors import Cancelled
from gems_engine.gallery import make_from_spec
from gems_engine.memo import MEMO, Memo
from gems_engine.running import Run
from gems_engine.solutions import Solution, Solutions

RUNS = [
    ("paper-hard:epsilon=0.1", "fixed-confidence", {"max_samples": 200_000}),
    ("paper-hard:epsilon=0.1", "rage", {"max_samples": 200_000}),
    ("sphere:D=8,n=20", "fixed-confidence", {"max_samples": 30_000, "base": 4}),
    ("sphere:D=8,n=20", "fixed-confidence", {"max_samples": 10_000, "solver": "frank-wolfe"}),
    ("sphere:D=10,n=12", "fixed-budget", {"budget": 3_000}),
    ("sphere:D=6,n=15", "gems-m", {"rounds": 4, "selection_budget": 2_000.0}),
    ("paper-hard:epsilon=0.1", "static-oracle", {}),
    ("transductive", "gems-c", {"rounds": 4, "selection_budget": 5_000.0}),
]
NAMES = [f"{algorithm} on {spec}" for spec, algorithm, _ in RUNS]
LITTLE = 30_000  # bytes: a few solutions


def events(run, memo, seed):
    spec, algorithm, given = run
    return list(Run(make_from_spec(spec), algorithm, seed, memo=memo, **given))


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_traces_are_bit_identical_with_the_memo_off_cold_warm_and_evicting(run):
    warm, little = Memo(), Memo(LITTLE)
    for seed in (1, 2):
        expected = events(run, Memo(0), seed)
        assert len(expected) > 5
        assert events(run, Memo(), seed) == expected
        assert events(run, warm, seed) == expected, "what another seed has left there is of use or not seen"
        assert events(run, warm, seed) == expected
        assert events(run, little, seed) == expected
    assert len(warm) > 0


def test_runs_of_all_kinds_share_a_memo_and_change_nothing():
    """Other budgets stop the same solves at other iterations, before and after what is recorded."""
    shared = Memo()
    for run in RUNS[:4]:
        for more in ({"max_samples": 2_000}, {"max_samples": 100_000}, {"max_samples": 20_000, "delta": 0.3}):
            other = (*run[:2], {**run[2], **more})
            assert events(other, shared, 3) == events(other, Memo(0), 3)


def test_threads_share_a_memo():
    shared, found = Memo(), {}
    runs = [RUNS[2], RUNS[2], RUNS[0]]
    workers = [
        threading.Thread(target=lambda at=at, run=run: found.update({at: events(run, shared, 1)}))
        for at, run in enumerate(runs)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [found[at] for at in range(len(runs))] == [events(run, Memo(0), 1) for run in runs]


def test_the_process_has_one_memo_that_is_bounded():
    MEMO.clear()
    expected = events(RUNS[0], Memo(0), 1)
    assert len(MEMO) == 0
    assert events(RUNS[0], None, 1) == expected
    assert len(MEMO) > 0
    assert events(RUNS[0], None, 1) == expected


# -- once ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def solved(monkeypatch):
    """The problems for which a solve is begun."""
    begun = []

    class Counted(DesignSolve):
        def __init__(self, problem, *rest):
            begun.append((problem.arms.tobytes(), problem.targets.tobytes()))
            super().__init__(problem, *rest)

    monkeypatch.setattr(solutions, "DesignSolve", Counted)
    return begun


def test_a_problem_is_solved_once_in_a_run_and_never_in_the_next(solved):
    memo = Memo()
    run = ("sphere:D=8,n=20", "fixed-confidence", {"max_samples": 30_000})
    events(run, memo, 1)
    assert len(solved) == len(set(solved)) > 3
    first = len(solved)
    events(run, memo, 1)
    assert len(solved) == first
    events(run, Memo(0), 1)
    assert len(solved) > 2 * first, "without a memo some are solved again"


def test_the_limit_of_blas_is_taken_once_for_a_whole_run(monkeypatch):
    taken = []
    take = blas._OneThread._taken
    monkeypatch.setattr(blas._OneThread, "_taken", lambda self: taken.append(1) or take(self))
    Run(make_from_spec("paper-hard:epsilon=0.1"), "fixed-confidence", 1, max_samples=50_000).finish()
    assert len(taken) == 1


# -- a solution ---------------------------------------------------------------------------------------------------


@pytest.fixture
def problem():
    arms = np.random.default_rng(4).standard_normal((30, 5))
    return DesignProblem(arms, targets=arms)


def test_following_a_solution_is_the_solve_itself(problem):
    solution = Solution(problem, "certified", 1e-6)
    design = solution.design()
    beyond, fresh = solution.start(), DesignSolve(problem, "certified", 1e-6)
    for _ in range(fresh._limit):
        if fresh.exhausted:
            break
        assert (beyond.iterations, beyond.upper, beyond.lower) == (fresh.iterations, fresh.upper, fresh.lower)
        assert beyond.proven() == fresh.proven()
        assert beyond.weights().tobytes() == fresh.weights().tobytes()
        fresh.step()
        beyond.step()
    assert beyond.exhausted
    beyond.step()
    assert beyond.iterations == fresh.iterations > design.iterations > 3
    assert solution.design() is design
    assert design.weights.tobytes() == fresh.design().weights.tobytes()
    assert design.bounds == fresh.design().bounds


def test_bounds_of_an_iteration_that_was_passed_are_those_of_a_new_solve(problem):
    solution = Solution(problem, "certified", 1e-6)
    solution.design()
    fresh = DesignSolve(problem, "certified", 1e-6)
    fresh.step()
    fresh.step()
    assert solution.proven(2) == fresh.proven()
    assert solution.weights(2).tobytes() == fresh.weights().tobytes()


def test_a_solve_that_was_cancelled_goes_on_where_it_was(problem, solved):
    solution = Solution(problem, "certified", 1e-6)
    asked = []
    with pytest.raises(Cancelled):
        solution.design(lambda: asked.append(1) or len(asked) > 3)
    assert solution.design().is_certified
    assert len(solved) == 1


def test_a_solve_that_fails_fails_again_at_the_same_iteration(problem, monkeypatch):
    class Failing(DesignSolve):
        def step(self):
            if self.iterations == 2:
                raise np.linalg.LinAlgError("here")
            super().step()

    monkeypatch.setattr(solutions, "DesignSolve", Failing)
    solution = Solution(problem, "certified", 1e-6)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError):
            solution.design()
        assert solution.bounds(2)[0] > solution.bounds(2)[1] > 0.0


def test_other_arms_survivors_dimensions_solvers_and_tolerances_are_other_problems():
    arms = np.random.default_rng(0).standard_normal((6, 3))
    memo = Memo()
    here = Solutions(arms, arms, memo)
    asked = [((0, 1, 2), 3, "certified", 1e-6), ((0, 1), 3, "certified", 1e-6), ((0, 1, 2), 2, "certified", 1e-6)]
    asked += [((0, 1, 2), 3, "frank-wolfe", 1e-6), ((0, 1, 2), 3, "certified", 1e-3)]
    found = [here.of(*each) for each in asked]
    assert len({id(each) for each in found}) == len(asked)
    assert [here.of(*each) for each in asked] == found
    assert Solutions(arms.copy(), arms.copy(), memo).of(*asked[0]) is found[0], "an equal instance, made again"
    assert Solutions(2.0 * arms, arms, memo).of(*asked[0]) is not found[0]
    assert Solutions(arms.reshape(9, 2), arms, memo).of((0, 1), 2, "certified", 1e-6) is not here.of(
        (0, 1), 2, "certified", 1e-6
    )


# -- room ---------------------------------------------------------------------------------------------------------


class Thing:
    def __init__(self, nbytes):
        self.nbytes = nbytes


def test_the_least_recently_used_leaves_when_there_is_no_room():
    memo = Memo(100)
    made = {name: Thing(40) for name in "abcd"}
    for name in "ab":
        assert memo.get(name, lambda name=name: made[name]) is made[name]
    assert memo.get("a", lambda: None) is made["a"]
    memo.get("c", lambda: made["c"])
    memo.get("d", lambda: made["d"])  # now three are weighed, and b is the oldest
    assert memo.nbytes <= 100
    again = Thing(1)
    assert memo.get("a", lambda: again) is made["a"]
    assert memo.get("b", lambda: again) is again


def test_a_memo_without_room_keeps_nothing():
    memo = Memo(0)
    assert memo.get("a", lambda: Thing(1)) is not memo.get("a", lambda: Thing(1))
    assert len(memo) == 0


def test_memory_of_a_long_run_is_bounded():
    memo = Memo(200_000)
    events(("sphere:D=20,n=60", "fixed-confidence", {"max_samples": 100_000}), memo, 1)
    largest = max(each.nbytes for each in memo._kept.values())
    assert sum(each.nbytes for each in memo._kept.values()) <= 200_000 + 2 * largest


def arrays_in(thing):
    """The arrays that something holds on to, by id, wherever they are."""
    found, seen, todo = {}, set(), [thing]
    while todo:
        each = todo.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            if each.base is None:
                found[id(each)] = each
            todo.append(each.base)
        elif isinstance(each, dict):
            todo += each.values()
        elif isinstance(each, (list, tuple)):
            todo += each
        elif hasattr(each, "__dict__") and not isinstance(each, type):
            todo += vars(each).values()
    return found.values()


@pytest.mark.parametrize(("arms", "d", "targets"), [(100, 25, 100), (300, 5, 300), (100, 75, 60), (40, 3, 3)])
@pytest.mark.parametrize("iterations", [0, 3, None])
def test_a_solution_is_weighed_about_as_heavy_as_its_arrays(arms, d, targets, iterations):
    table = np.random.default_rng(5).normal(size=(arms, d))
    solution = Solution(DesignProblem(table, targets=table[:targets]), "certified", 1e-6)
    if iterations is None:
        solution.design()
    else:
        solution.bounds(iterations)
        solution.proven(iterations)
    really = sum(each.nbytes for each in arrays_in(solution))
    assert 0.5 * really < solution.nbytes < 2.0 * really + 8192
