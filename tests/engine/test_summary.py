"""What a run found, against plain definitions."""

import json

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine.algorithms import algorithms
from gems_engine.events import Place
from gems_engine.instance import Instance
from gems_engine.summary import Tally, summarise
from gems_engine.trace import Trace
from tests.engine.synthetic_runs import small_instance, synthetic_trace
from tests.engine.test_trace import short_run

KEYS = [
    *(
        "algorithm",
        "seed",
        "goal",
        "recommendation",
        "origin",
        "correct",
        "survivors",
        "samples",
        "tau",
        "first_right",
        "changes",
    ),
    *("rounds", "subroutines", "finish", "seconds", "trajectory"),
]
# gaps 0, 0.1, 0.3, 1: with ε = 0.1 the first two are right
INSTANCE = Instance.linear(np.eye(4), [1.0, 0.9, 0.7, 0.0])


def recommending(*steps, goal="best arm", end=None, epsilon=0.1):
    """A run that recommends (samples, target) in turn."""
    trace = Trace(INSTANCE)
    trace.append(ev.RunStarted(Place(), INSTANCE.digest, "a", {"epsilon": epsilon}, 7, goal, {}))
    for samples, target in steps:
        trace.append(ev.Recommended(Place(), target, samples, ""))
    if end is not None:
        trace.append(ev.RunFinished(Place(), ev.CAP, end[1], np.array([end[1]]), end[0], 2.5))
    return summarise(trace)


def test_answers_are_not_graded_against_rewards_that_were_not_drawn():
    trace = Trace(INSTANCE)
    trace.append(ev.RunStarted(Place(), INSTANCE.digest, "a", {}, 7, "best arm", {}, ev.OUTSIDE))
    assert summarise(trace).correct is None
    for samples, target in ((0, 3), (10, 0)):
        trace.append(ev.Recommended(Place(), target, samples, ""))
    found = summarise(trace)
    assert (found.correct, found.tau, found.first_right) == (None, None, None)
    assert (found.recommendation, found.changes) == (0, 1)
    assert json.loads(json.dumps(found.as_dict()))["correct"] is None


@pytest.mark.parametrize(
    ("steps", "tau", "first_right", "changes"),
    [
        ([(0, 0)], 0, 0, 0),  # a right first guess
        ([(0, 3)], None, None, 0),
        ([(0, 3), (10, 0)], 10, 10, 1),
        ([(0, 3), (10, 0), (20, 0), (30, 0)], 10, 10, 1),  # said again is not changed
        ([(0, 0), (10, 3), (20, 0)], 20, 0, 2),
        ([(0, 3), (10, 0), (20, 1)], None, 10, 2),
        ([], None, None, 0),
    ],
)
def test_tau_for_the_best_arm(steps, tau, first_right, changes):
    found = recommending(*steps)
    assert (found.tau, found.first_right, found.changes) == (tau, first_right, changes)
    assert found.correct == (tau is not None)
    assert found.recommendation == (steps[-1][1] if steps else None)


@pytest.mark.parametrize(
    ("steps", "tau", "first_right"),
    [
        ([(0, 1)], 0, 0),
        ([(0, 3), (10, 1), (20, 0), (30, 1)], 10, 10),  # from one right arm to another: it stays right
        ([(0, 1), (10, 2), (20, 1)], 20, 0),
        ([(0, 1), (10, 2)], None, 0),
    ],
)
def test_tau_for_an_epsilon_goal(steps, tau, first_right):
    found = recommending(*steps, goal="epsilon")
    assert (found.tau, found.first_right) == (tau, first_right)


def test_right_means_2_epsilon_optimal():
    for epsilon, right in [(0.04, [0]), (0.1, [0, 1]), (0.16, [0, 1, 2]), (0.6, [0, 1, 2, 3])]:
        found = [z for z in range(4) if recommending((0, z), goal="epsilon", epsilon=epsilon).correct]
        assert found == right


def test_the_trajectory_has_the_changes():
    found = recommending((0, 3), (10, 3), (20, 1), (30, 1), (40, 0), end=(55, 0))
    assert found.as_dict()["trajectory"] == [[0, 3], [20, 1], [40, 0]]
    assert (found.samples, found.finish, found.seconds, found.survivors) == (55, ev.CAP, 2.5, (0,))


def test_an_end_that_recommends_otherwise_is_a_change():
    assert recommending((0, 3), end=(55, 0)).trajectory == ((0, 3), (55, 0))


def test_without_an_end_there_is_no_finish():
    found = summarise(synthetic_trace(finish=False))
    assert found.finish is None
    assert found.seconds > 0
    empty = summarise(Trace(INSTANCE))
    assert (empty.seed, empty.recommendation, empty.correct, empty.loops) == (None, None, False, ())
    assert empty.survivors == (0, 1, 2, 3)


def test_json_has_the_keys_that_were_promised():
    said = summarise(synthetic_trace()).as_dict()
    assert list(said) == KEYS
    assert json.loads(json.dumps(said)) == said


def test_counts_and_loops():
    trace = synthetic_trace(loops=3, subroutines=2, rounds=5)
    found = summarise(trace)
    assert found.subroutines == 6
    assert found.rounds == 3 * (2 * 5 + 3)  # the last subroutine of each loop has three idle ones
    assert found.survivors == tuple(trace.finished.survivors.tolist())
    assert [loop.ell for loop in found.loops] == [1, 2, 3]
    assert [(loop.subroutines, loop.rounds) for loop in found.loops] == [(2, 13)] * 3
    assert sum(loop.drawn for loop in found.loops) == found.samples == found.loops[-1].samples
    ends = [event.target for event in trace if isinstance(event, ev.Recommended)][1:]
    assert [loop.recommendation for loop in found.loops] == ends


def test_survivors_of_a_run_that_was_cut_off():
    trace = synthetic_trace(finish=False, loops=1, subroutines=1, rounds=9)
    cut = Trace(trace.instance)
    cut.extend(trace[: trace.find(k=6)])
    assert summarise(cut).survivors == tuple(cut.state_at(len(cut)).survivors.tolist())


def test_a_tally_can_be_read_at_any_time():
    tally, trace = Tally(small_instance()), synthetic_trace()
    for position, event in enumerate(trace, start=1):
        tally.add(event)
        state = trace.state_at(position)
        found = tally.summary()
        assert found.samples == state.samples
        assert found.recommendation == state.recommendation
        assert found.survivors == tuple(state.survivors.tolist())
    assert tally.summary() == summarise(trace)


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_of_what_algorithms_really_do(name):
    trace = short_run(name)
    found = summarise(trace)
    best = trace.instance.best
    assert found.recommendation == trace.finished.recommendation
    assert found.samples == trace.finished.samples
    assert found.rounds == trace.rounds["rounds"][trace.rounds["pulls"] > 0].sum()
    if found.goal == "best arm":
        assert found.correct == (found.recommendation == best)
