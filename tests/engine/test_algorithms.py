"""Every algorithm against a plain replay of its events, and every decision of docs/decisions.md."""

import importlib
import math
import sys
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from gems_engine import clock, instances, plugins, running
from gems_engine.algorithms import BUILT_IN, algorithms, misspecified, run_context
from gems_engine.algorithms.algorithm import BEST_ARM, SHARED, Algorithm
from gems_engine.complexity.schedule import configuration
from gems_engine.errors import Cancelled, InputError
from gems_engine.events import (
    SINGLE_CALLS,
    Allocated,
    BecameVerifiable,
    CandidateKept,
    DesignSolved,
    DimensionProbed,
    Eliminated,
    IdleRounds,
    Place,
    Pulled,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
    Validated,
)
from gems_engine.instance import Instance
from gems_engine.running import Run
from tests.engine.replay import Replay
from tests.engine.small_settings import SETTINGS

INSTANCES = {
    "hard": lambda: instances.make("paper-hard", d_star=5, epsilon=0.1),
    "sphere": lambda: instances.make("sphere", D=8, d_star=3, n=20, min_gap=0.05, seed=2),
    "transductive": lambda: instances.make("transductive", D=6, d_star=3),
    "soare": lambda: instances.make("soare", D=4, omega=0.4),
    "misspecified": lambda: instances.make("misspecified", D=6, d_star=3, size=0.05),
}


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def test_registry_has_all_of_the_issue():
    for algorithm in BUILT_IN.values():
        names = [parameter.name for parameter in algorithm.parameters]
        assert len(names) == len(set(names))
        assert {each.name for each in SHARED} <= set(names)
    # The paper's strategies go on until they are cut off; a subroutine, RAGE and the oracles end by themselves.
    strategies = {"fixed-confidence", "fixed-budget", "misspecified", "misspecified-best-arm"}
    assert {name for name, algorithm in BUILT_IN.items() if not algorithm.stops} == strategies


@pytest.mark.parametrize("place", list(INSTANCES))
@pytest.mark.parametrize("name", list(SETTINGS))
@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, 4), marks=pytest.mark.long)])
def test_events_are_complete(name, place, seeds):
    """An independent replay from the events alone recomputes every round."""
    instance = INSTANCES[place]()
    if place == "transductive" and name in ("fixed-budget", "misspecified"):
        with pytest.raises(InputError, match="every target must be an arm"):
            Run(instance, name, **SETTINGS[name])
        return
    if place == "misspecified" and "oracle" in name:
        with pytest.raises(InputError, match="needs d⋆"):
            Run(instance, name, **SETTINGS[name])
        return
    for seed in seeds:
        replay = Replay(instance)
        events = list(Run(instance, name, seed, **SETTINGS[name]))
        for event in events:
            replay.follow(event)
        assert isinstance(events[0], RunStarted)
        assert isinstance(events[1], Recommended) == (name not in SINGLE_CALLS)
        assert len(of(events, Recommended)) == (0 if name == "gems-c" else 1) or name not in SINGLE_CALLS
        assert isinstance(events[-1], RunFinished)
        assert sum(isinstance(event, RunFinished) for event in events) == 1


@pytest.mark.parametrize("name", list(SETTINGS))
def test_same_seed_same_events(name):
    instance = INSTANCES["hard"]()
    first = list(Run(instance, name, 7, **SETTINGS[name]))
    list(Run(INSTANCES["sphere"](), name, 3, **SETTINGS[name]))
    assert first == list(Run(instance, name, 7, **SETTINGS[name]))
    assert first != list(Run(instance, name, 8, **SETTINGS[name]))


# -- decisions of docs/decisions.md -------------------------------------------------------------------------------


def test_decision_1_equal_after_truncation_never_eliminate_each_other():
    """In R^8 x_9 and x_10 of the hard instance are both 0: read literally they would delete each other."""
    instance = instances.make("paper-hard", d_star=9, epsilon=0.01)
    events = list(Run(instance, "gems-c", 1, rounds=2, selection_budget=80.0, noise="deterministic"))
    assert of(events, DesignSolved)[0].d == 8
    for event in of(events, Eliminated):
        assert not {8, 9} & set(event.targets.tolist())
        assert (event.by != event.targets).all()
    assert {8, 9} <= set(of(events, SubroutineFinished)[0].survivors.tolist())


def test_decision_1_equal_survivors_share_a_fate():
    arms = np.vstack([np.eye(3), [[0.0, 1.0, 0.5]], [[0.0, 1.0, 0.25]]])
    instance = Instance.linear(arms, [1.0, 0.0, 0.0])
    events = list(Run(instance, "gems-c", 0, rounds=3, selection_budget=64.0, delta=0.3, noise="deterministic"))
    in_plane = [event.place.k for event in of(events, DesignSolved) if event.d == 2]
    for event in of(events, Eliminated):
        if event.place.k in in_plane:
            gone = {1, 3, 4} & set(event.targets.tolist())
            assert gone in (set(), {1, 3, 4})


def test_decision_2_a_tie_decides_the_sample_count():
    """ℓ = 5, i = 1, base 4: B = 256 = 4³·4, the exact cost of the last two survivors in R^10. The tie fits."""
    instance = instances.make("paper-hard", d_star=9, epsilon=0.01)
    counts = []
    for seed in range(12):
        events = list(Run(instance, "fixed-confidence", seed, base=4, max_samples=60_000))
        last = [e for e in of(events, Recommended) if e.why != "first guess"]
        counts += [last[0].samples] if last else []
        ties = [e for e in of(events, DimensionProbed) if e.place == Place(5, 1, 3) and e.d == 10]
        assert all(probe.verdict != "too dear" for probe in ties)
    assert np.median(counts) == 41_986


def test_decision_3_bounds_of_other_solves_change_no_design():
    """Every design of a run equals the one that its problem has alone."""
    from gems_engine.design import DesignProblem, solve_design

    instance = INSTANCES["sphere"]()
    survivors = np.arange(20)
    for event in Run(instance, "fixed-confidence", 5, base=4, max_samples=200_000):
        if isinstance(event, SubroutineStarted):
            survivors = np.arange(20)
        if isinstance(event, DesignSolved):
            problem = DesignProblem(instance.arms[:, : event.d], targets=instance.targets[survivors, : event.d])
            alone = solve_design(problem)
            assert np.array_equal(alone.weights[event.support], event.weights)
            assert alone.value == event.value
        if isinstance(event, Eliminated):
            survivors = np.setdiff1d(survivors, event.targets)


def twins():
    """Two arms that only the third feature tells apart, and it is over budget."""
    return Instance.linear(np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.02], [0.0, 1.0, 0.0]]), [1.0, 0.0, 0.5])


def test_decision_4_idle_rounds_are_counted_exactly_and_drawn_from_nobody():
    instance = twins()
    events = list(Run(instance, "gems-c", 0, rounds=500, selection_budget=12.0, noise="deterministic"))
    idle = of(events, IdleRounds)
    assert len(idle) == 1
    assert idle[0].last == 500
    assert idle[0].why == "nothing to tell apart"
    drawn = sum(int(e.counts.sum()) for e in of(events, Allocated))
    assert idle[0].samples == drawn + idle[0].drawn
    r = (idle[0].d ** 2 + idle[0].d + 2) / 1.0
    literal = sum(math.ceil(4 * r * math.log(4 * k * k / 0.05)) for k in range(idle[0].first, 501))
    assert idle[0].drawn == literal
    ends = list(Run(instance, "gems-c", 0, rounds=500, selection_budget=12.0, noise="deterministic", count_idle=False))
    assert not of(ends, IdleRounds)
    assert of(ends, SubroutineFinished)[0].why == "nothing to tell apart"
    assert of(ends, SubroutineFinished)[0].survivors.tolist() == [0, 1]


def test_decision_4_idle_rounds_respect_the_cap():
    events = list(
        Run(twins(), "gems-c", 0, rounds=10**9, selection_budget=12.0, noise="deterministic", max_samples=10_000)
    )
    assert events[-1].why == "cap"
    assert events[-1].samples <= 10_000
    idle = of(events, IdleRounds)[-1]
    one_more = math.ceil(4 * 8 * math.log(4 * (idle.last + 1) ** 2 / 0.05))
    assert idle.samples + one_more > 10_000


def test_decision_5_no_dimension_fits():
    events = list(Run(INSTANCES["hard"](), "gems-c", 0, rounds=4, selection_budget=3.0))
    finished = of(events, SubroutineFinished)[0]
    assert (finished.why, finished.samples, len(finished.survivors)) == ("no dimension fits", 0, 6)
    events = list(Run(INSTANCES["hard"](), "gems-b", 0, budget=9, rounds=3, selection_budget=100.0))
    assert of(events, SubroutineFinished)[0].why == "no dimension fits"  # T′ = 3 < r_1 = 4
    assert events[-1].samples == 0


def test_decision_6_singleton_ends_and_literal_goes_on():
    given = {"rounds": 30, "selection_budget": 300.0, "noise": "deterministic"}
    ends = list(Run(INSTANCES["hard"](), "gems-c", 0, **given))
    goes_on = list(Run(INSTANCES["hard"](), "gems-c", 0, literal=True, **given))
    assert of(ends, SubroutineFinished)[0].why == "singleton"
    assert not of(ends, IdleRounds)
    idle = of(goes_on, IdleRounds)[0]
    assert (idle.last, idle.why) == (30, "singleton")
    assert goes_on[-1].recommendation == ends[-1].recommendation == 4


@pytest.mark.parametrize("base", [2, 3, 4])
def test_decision_8_schedule(base):
    events = list(Run(INSTANCES["sphere"](), "fixed-confidence", 0, base=base, max_samples=10**15, max_loops=5))
    for event in of(events, SubroutineStarted):
        assert event.rounds == base**event.place.i
        assert event.selection_budget == base ** (event.place.ell - event.place.i)
        assert event.delta == 0.05 / (2 * event.place.ell**3)
    assert max(event.place.ell for event in of(events, SubroutineStarted)) == 5
    assert events[-1].why == "last loop"
    by_loop = Counter(event.place.ell for event in of(events, SubroutineStarted))
    recommended = {event.place.ell for event in of(events, Recommended)}
    assert all(count == ell or ell in recommended for ell, count in by_loop.items())


def test_every_call_says_with_what_it_was_called():
    """Name, n, B, δ and T of each subroutine, as sections 4 to 6 give them."""
    instance = INSTANCES["hard"]()

    def calls(name, **given):
        events = list(Run(instance, name, 0, **given))
        begun = of(events, SubroutineStarted)
        return [(e.place, e.name, e.rounds, e.selection_budget, e.delta, e.budget) for e in begun]

    whole = Place(1, 1)
    rounds = {"rounds": 3, "selection_budget": 300.0}
    for name in ("gems-c", "gems-m"):
        assert calls(name, delta=0.02, **rounds) == [(whole, name, 3, 300.0, 0.02, 0.0)]
    assert calls("gems-b", budget=4_000, **rounds) == [(whole, "gems-b", 3, 300.0, 0.0, 4_000.0)]
    for name in ("rage", "rage-oracle"):
        assert calls(name, delta=0.02, max_samples=2_000) == [(whole, "rage", 0, math.inf, 0.02, 0.0)]
    within = {"delta": 0.02, "base": 2, "max_samples": 10**15, "max_loops": 3}
    for name, subroutine in (("fixed-confidence", "gems-c"), ("misspecified-best-arm", "gems-m")):
        expected = [
            (Place(ell, i), subroutine, 2**i, 2.0 ** (ell - i), 0.02 / (2 * ell**3), 0.0)
            for ell in range(1, 4)
            for i in range(1, ell + 1)
        ]
        assert calls(name, **within) == expected
    assert {(name, delta) for _, name, _, _, delta, _ in calls("fixed-budget", budget=100)} == {("gems-b", 0.0)}


_FIRST, _SINGLETON, _VALIDATED = "first guess", "the first singleton of this loop", "the highest mean in validation"
_LARGEST, _LAST = "the largest estimate among those left", "the largest last estimate among those left"
REASONS = {
    "fixed-confidence": [_FIRST, _SINGLETON],
    "fixed-budget": [_FIRST, _VALIDATED],
    "misspecified": [_FIRST, _VALIDATED],
    "misspecified-best-arm": [_FIRST, _SINGLETON],
    "rage": [_FIRST, _LARGEST],
    "rage-oracle": [_FIRST, _LARGEST],
    "gems-c": [],  # its answer is a set
    "gems-b": [_LAST],
    "gems-m": [_LAST],
    "static-oracle": [_FIRST, "the largest estimate"],
}
"""The different values of Recommended.why in a run of each algorithm, in the order in which they first occur."""


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_recommendation_says_why(name):
    run = Run(INSTANCES["hard"](), name, 0, **SETTINGS[name])
    reasons = list(dict.fromkeys(event.why for event in of(list(run), Recommended)))
    assert name in REASONS, f"add to REASONS in tests/engine/test_algorithms.py: {name!r}: {reasons!r},"
    assert reasons == REASONS[name]


def test_every_time_that_is_told_was_measured(monkeypatch):
    """Of a design, of pulls and of the whole run, by a clock that only these move."""
    now = [50.0]
    for module in (run_context, running, clock):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    solved = []

    def slow(what):
        def call(*given):
            solved.append(what)
            now[0] += 3.0
            return what(*given)

        return call

    monkeypatch.setattr(run_context.RunContext, "solve", slow(run_context.RunContext.solve))
    monkeypatch.setattr(run_context, "choose_dimension", slow(run_context.choose_dimension))
    instance = INSTANCES["hard"]()

    def measure(arms, counts):
        now[0] += 5.0
        return counts * instance.rewards[arms]

    for name in ("gems-c", "gems-b", "rage", "static-oracle"):
        solved.clear()
        events = []
        for event in Run(instance, name, 0, measure, **SETTINGS[name]):
            now[0] += 0.0 if isinstance(event, Allocated) else 0.25  # spent by the reader of the events
            events.append(event)
        pulls = of(events, Pulled)
        assert {event.seconds for event in pulls} == {5.0}
        told = [event.seconds for event in of(events, DesignSolved) if event.seconds]  # 0 where RAGE knows it already
        assert told == [3.0] * len(solved)
        others = len(events) - 1 - len(pulls)
        assert events[-1].seconds == 3.0 * len(solved) + 5.0 * len(pulls) + 0.25 * others


@pytest.mark.parametrize("name", ["fixed-confidence", "rage", "misspecified", "misspecified-best-arm", "gems-c"])
@pytest.mark.parametrize("cap", [1, 500, 20_000])
def test_decision_9_the_cap_is_never_passed(name, cap):
    events = list(Run(INSTANCES["hard"](), name, 3, max_samples=cap))
    assert events[-1].samples <= cap
    assert events[-1].why in ("cap", "singleton", "rounds done")
    samples = [event.samples for event in of(events, Pulled)]
    assert samples == sorted(samples)


def test_decision_10_fixed_budget_grid():
    for budget in (8, 9, 100, 2_000, 20_001):
        events = list(Run(INSTANCES["hard"](), "fixed-budget", 1, budget=budget))
        half = budget / 2
        p = max(q for q in range(60) if q * 2**q <= half)
        grid = [(e.place.ell, e.place.i) for e in of(events, SubroutineStarted)]
        expected = []
        for i in range(1, p + 1):
            q = max(q for q in range(60) if q * 2**q <= half / p / 2**i + 1e-12)
            expected += [(i, j) for j in range(1, q + 1)]
        assert grid == expected
        for event in of(events, SubroutineStarted):
            q = sum(place[0] == event.place.ell for place in grid)
            assert event.budget == pytest.approx(half / p / q)
            assert (event.rounds, event.selection_budget) == (2**event.place.i, 2**event.place.ell)
        assert len(of(events, CandidateKept)) == len(grid)
        candidates = {event.target for event in of(events, CandidateKept)}
        validated = of(events, Validated)[0]
        assert set(validated.targets.tolist()) == candidates
        assert validated.pulls == int(half // len(candidates))
        assert events[-1].samples <= budget
    with pytest.raises(InputError, match="budget"):
        Run(INSTANCES["hard"](), "fixed-budget", budget=7)


def test_decision_11_without_an_estimate_the_pick_is_random_and_seeded():
    instance = INSTANCES["sphere"]()
    picks = {
        list(Run(instance, "gems-b", seed, budget=9, rounds=3, selection_budget=100.0))[-1].recommendation
        for seed in range(40)
    }
    assert len(picks) > 8


def test_decision_13_ties_for_the_best_target():
    instance = Instance.linear(np.eye(3), [1.0, 1.0, 0.0])
    for name in ("fixed-confidence", "rage", "fixed-budget", "gems-c"):
        with pytest.raises(InputError, match="tied"):
            Run(instance, name)
    events = list(Run(instance, "misspecified", 0, epsilon=0.3, max_samples=50_000))
    assert events[-1].recommendation in (0, 1)


def test_decision_15_frank_wolfe_as_published():
    instance = instances.make("paper-hard", d_star=9, epsilon=0.01)
    events = list(Run(instance, "rage", 0, solver="frank-wolfe", max_samples=5_000))
    first = of(events, DesignSolved)[0]
    assert first.value == pytest.approx(35.7, abs=0.06)
    assert first.status == "as published"


@pytest.mark.parametrize("name", ["gems-c", "gems-m"])
def test_at_the_cap_a_subroutine_recommends_one_of_those_left(name):
    instance = instances.make("paper-hard", d_star=9, epsilon=0.01)
    for seed in range(6):
        given = {"rounds": 12, "selection_budget": 1e5, "max_samples": 100_000 if name == "gems-c" else 400_000}
        events = list(Run(instance, name, seed, **given))
        assert events[-1].why == "cap"
        assert len(events[-1].survivors) < 10
        assert events[-1].recommendation in events[-1].survivors


def test_a_run_ends_for_the_reason_of_its_subroutine():
    assert list(Run(INSTANCES["hard"](), "gems-c", 0, selection_budget=1.0))[-1].why == "no dimension fits"
    assert list(Run(INSTANCES["hard"](), "gems-b", 0, budget=10))[-1].why == "no dimension fits"
    assert (
        list(Run(twins(), "gems-c", 0, selection_budget=12.0, noise="deterministic"))[-1].why == "nothing to tell apart"
    )


def test_the_end_names_who_was_left():
    events = list(Run(INSTANCES["hard"](), "fixed-confidence", 1, max_loops=12, max_samples=10**9))
    last = of(events, SubroutineFinished)[-1]
    assert np.array_equal(events[-1].survivors, last.survivors)


def assert_beyond_all_floats(name, loops):
    """A run gets to where β^i and β^(ℓ−i) are cut, and ends as any other."""
    given = {"base": 64, "max_loops": loops, "max_samples": 10**12, "noise": "deterministic"}
    events = list(Run(INSTANCES["hard"](), name, 0, **given))
    assert events[-1].why == "last loop"
    started = of(events, SubroutineStarted)
    assert max(event.selection_budget for event in started) == 1e300
    return max(event.rounds for event in started)


def test_schedules_beyond_all_floats(monkeypatch):
    assert_beyond_all_floats("fixed-confidence", 200)
    # This one goes through all subroutines of every loop: a steeper schedule gets there in fewer.
    monkeypatch.setattr(misspecified, "configuration", lambda base, ell, i: configuration(base**8, ell, i))
    assert assert_beyond_all_floats("misspecified", 22) == 10**18


@pytest.mark.long
@pytest.mark.timeout(900)
def test_schedules_beyond_all_floats_at_the_steepest_that_can_be_asked_for():
    assert assert_beyond_all_floats("misspecified", 200) == 10**18


# -- verifiability ------------------------------------------------------------------------------------------------


def test_verifiable_only_after_rounds_in_the_whole_space():
    instance = instances.make("verifiability", D=6, case=2)
    events = list(Run(instance, "fixed-confidence", 1, max_samples=10**7, max_loops=12, base=2))
    for position, event in enumerate(events):
        if isinstance(event, BecameVerifiable):
            inside = [
                e
                for e in of(events[:position], DesignSolved)
                if (e.place.ell, e.place.i) == (event.place.ell, event.place.i)
            ]
            assert inside
            assert all(e.d == 6 for e in inside)
            assert event.target == 5
    assert of(events, BecameVerifiable)
    stopped = list(Run(instance, "fixed-confidence", 1, max_samples=10**7, stop_when_verifiable=True))
    assert stopped[-1].why == "verified"
    assert stopped[-1].recommendation == 5


# -- as a library ---------------------------------------------------------------------------------------------------


def test_common_random_numbers():
    """Two algorithms with one seed get the same sum where they pull the same arm as often, for the same time."""
    instance = INSTANCES["hard"]()
    first = {}
    for name in ("gems-b", "gems-m"):
        given = {"budget": 3_000, "rounds": 1} if name == "gems-b" else {"rounds": 1}
        events = list(Run(instance, name, 4, selection_budget=200.0, **given))
        allocated, pulled = of(events, Allocated)[0], of(events, Pulled)[0]
        for arm, count, total in zip(allocated.arms, allocated.counts, pulled.sums, strict=True):
            noise = (total - count * instance.rewards[arm]) / math.sqrt(count)
            first.setdefault(int(arm), []).append(noise)
    both = [values for values in first.values() if len(values) == 2]
    assert both
    for one, two in both:
        assert one == pytest.approx(two, abs=1e-9)


def test_stopping_inside_a_design():
    with pytest.raises(Cancelled):
        list(Run(INSTANCES["sphere"](), "rage", stop=lambda: True))


def test_algorithms_of_other_packages_come_by_entry_point(monkeypatch):
    def steps(context, given):
        yield Recommended(Place(), 2, 0, "because")
        return RunFinished(Place(), "done", 2, context.reset_survivors(), 0)

    class Entry:
        name = "oracle-of-two"
        value = "elsewhere:ENTRY"
        dist = None

        @staticmethod
        def load():
            return Algorithm("oracle-of-two", "Always two.", SHARED, BEST_ARM, steps)

    monkeypatch.setattr(plugins, "entry_points", lambda group: [Entry()] if group == "gems.algorithms" else [])
    assert "oracle-of-two" in algorithms()
    events = list(Run(INSTANCES["hard"](), "oracle-of-two"))
    assert [type(event) for event in events] == [RunStarted, Recommended, RunFinished]


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ('did you mean "rage"', lambda: Run(INSTANCES["hard"](), "rag")),
        ("gamma", lambda: Run(INSTANCES["hard"](), "rage", gamma=1)),
        ("delta = 2", lambda: Run(INSTANCES["hard"](), "rage", delta=2.0)),
        ("seed", lambda: Run(INSTANCES["hard"](), "rage", seed=-1)),
    ],
)
def test_bad_input(words, call):
    with pytest.raises(InputError, match=words):
        call()


# -- former names, for plug-ins -----------------------------------------------------------------------------------


def test_the_former_names_of_a_plug_in_still_work_and_say_the_new_ones():
    sys.modules.pop("gems_engine.algorithms.laboratory", None)
    with pytest.warns(DeprecationWarning, match="run_context, and Laboratory is RunContext"):
        former = importlib.import_module("gems_engine.algorithms.laboratory")
    assert former.Laboratory is run_context.RunContext
    public = {name for name in vars(run_context) if not name.startswith("_")}
    assert all(getattr(former, name) is getattr(run_context, name) for name in public - {"warnings"})
    context = former.Laboratory(instances.make("paper-hard"))
    context.survivors = context.survivors[:1]
    with pytest.warns(DeprecationWarning, match="reset_survivors"):
        survivors = context.everyone()
    assert survivors is context.survivors
    assert len(survivors) == len(context.instance.targets)
    with pytest.warns(DeprecationWarning, match=r"RunContext\.survivors"):
        assert context.left is survivors
