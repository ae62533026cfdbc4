"""Run until: what the index finds is what reading every event finds, both ways and while the record grows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine import events as ev
from gems_engine.algorithms import algorithms
from gems_engine.conditions import (
    ANY,
    CONDITIONS,
    FALLS,
    RISES,
    THIS,
    TRUE_BEST,
    Condition,
    ConditionNumberPasses,
    DesignGapPasses,
    DimensionChanges,
    EventOfKind,
    GapPasses,
    PlaceReached,
    RecommendationChanges,
    SamplesPass,
    TargetEliminated,
    make_condition,
)
from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_engine.until import Search, Watcher
from tests.engine.finding import find_next, find_previous
from tests.engine.synthetic_runs import small_instance, synthetic_trace
from tests.engine.test_algorithms import twins
from tests.engine.test_trace import short_run

RUNS = {}


def recorded(name):
    if name not in RUNS:
        if name == "synthetic":
            RUNS[name] = synthetic_trace(loops=2, subroutines=2, rounds=5)
        elif name == "idle":
            given = {"rounds": 500, "selection_budget": 12.0, "noise": "deterministic"}
            RUNS[name] = Run(twins(), "gems-c", 0, **given).finish()
        elif name == "frank-wolfe":
            given = {"max_samples": 20_000, "solver": "frank-wolfe"}
            RUNS[name] = Run(make("paper-hard", d_star=3), "fixed-confidence", 2, **given).finish()
        else:
            RUNS[name] = short_run(name)
    return RUNS[name]


NAMES = ["synthetic", "idle", "frank-wolfe", *sorted(algorithms())]


def conditions(trace):
    """Some of every sort, with values that this run passes, and values that it does not."""
    made = [TargetEliminated(ANY), TargetEliminated(TRUE_BEST), TargetEliminated(THIS, 1)]
    made += [DimensionChanges(), DimensionChanges(across=True), RecommendationChanges()]
    samples = sorted({event.samples for event in trace if isinstance(event, ev.Pulled)})
    made += [SamplesPass(each) for each in {1, *samples[:2], *(n + 1 for n in samples[-2:]), 10**15}]
    gaps = [float(g) for event in trace if isinstance(event, ev.Eliminated) for g in event.gaps]
    made += [GapPasses(v, way) for v in {0.5, *gaps[:3]} for way in (RISES, FALLS)]
    values = [ConditionNumberPasses().read(e, trace.instance) for e in trace if isinstance(e, ev.DesignSolved)]
    middle = float(np.median(values)) if values else 2.0
    made += [ConditionNumberPasses(v, way) for v in (middle, 1e30) for way in (RISES, FALLS)]
    made += [DesignGapPasses(v, way) for v in (1e-9, 1e-3) for way in (RISES, FALLS)]
    made += [PlaceReached(1), PlaceReached(2), PlaceReached(2, 1), PlaceReached(1, 1, 2), PlaceReached(0, 1, 0)]
    made += [PlaceReached(0, 0, 1), PlaceReached(0, 0, 7), PlaceReached(1, 1, 400), PlaceReached(9, 9, 9)]
    return made + [EventOfKind(kind) for kind in ev.EVENTS]


def plainly(trace, condition):
    """Every cursor at which it is met, by reading all events with nothing in between."""
    found, before = [], None
    for at, event in enumerate(trace):
        if condition.kinds and not isinstance(event, condition.kinds):
            continue
        now = condition.read(event, trace.instance)
        if now is not None:
            if condition.met(before, now):
                found.append(at + 1)
            before = now
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_index_agrees_with_reading_every_event(name):
    trace = recorded(name)
    history = History(trace)
    for condition in conditions(trace):
        found = condition.positions(history)
        if found is not None:
            assert [at + 1 for at in found.tolist()] == plainly(trace, condition), condition


@pytest.mark.parametrize("name", ["synthetic", "idle", "frank-wolfe", "fixed-confidence", "fixed-budget", "rage"])
def test_the_next_and_the_previous_from_everywhere(name):
    trace = recorded(name)
    history = History(trace)
    for condition in conditions(trace):
        all_of_them = plainly(trace, condition)
        for start in {0, 1, 2, len(trace) // 2, len(trace) - 1, len(trace), *all_of_them[:4], *all_of_them[-2:]}:
            after = next((each for each in all_of_them if each > start), None)
            before = next((each for each in reversed(all_of_them) if each < start), None)
            assert find_next(trace, condition, start, history) == after, (condition, start)
            assert find_previous(trace, condition, start, history) == before, (condition, start)


@pytest.mark.parametrize("name", ["synthetic", "idle", "fixed-confidence", "misspecified"])
def test_a_watcher_meets_the_same_while_the_record_grows(name):
    whole = recorded(name)
    for condition in conditions(whole):
        all_of_them = plainly(whole, condition)
        growing = Trace(whole.instance)
        watcher = Watcher(condition, growing, 0)
        met = []
        for event in whole:
            growing.append(event)
            if (cursor := watcher.update()) is not None:
                assert cursor == len(growing)
                met.append(cursor)
        assert met == all_of_them, condition


@given(st.data())
def test_a_watcher_from_any_cursor_in_any_batches(data):
    trace = recorded(data.draw(st.sampled_from(["synthetic", "idle", "fixed-confidence"])))
    condition = data.draw(st.sampled_from(conditions(trace)))
    start = data.draw(st.integers(0, len(trace)))
    most = data.draw(st.none() | st.integers(1, 50))
    watcher = Watcher(condition, trace, start)
    met = []
    while watcher.position < len(trace):
        before = watcher.position
        cursor = watcher.update(most)
        assert most is None or watcher.position <= before + most
        if cursor is not None:
            met.append(cursor)
    assert met == [each for each in plainly(trace, condition) if each > start]
    assert watcher.update() is None


@given(st.data())
def test_a_search_finds_the_same_a_little_at_a_time_and_while_the_record_grows(data):
    whole = recorded(data.draw(st.sampled_from(["synthetic", "idle", "fixed-confidence"])))
    condition = data.draw(st.sampled_from(conditions(whole)))
    forward = data.draw(st.booleans())
    begin = data.draw(st.integers(0, len(whole)))
    start = data.draw(st.integers(0, begin))
    growing = Trace(whole.instance)
    growing.extend(whole[:begin])
    history = History(growing) if data.draw(st.booleans()) else None
    if history is not None:
        history.update()
    known = plainly(whole, condition)
    expected = next((each for each in known if each > start), None)
    if not forward:
        expected = next((each for each in reversed(known) if each < start), None)
    search = Search(growing, condition, start, forward, history)
    for _ in range(len(whole) + 1):
        found = search.update(0.0)
        while found is None and not search.exhausted:
            found = search.update(0.0)
        if found is not None or len(growing) == len(whole):
            break
        growing.extend(whole[len(growing) : len(growing) + data.draw(st.integers(1, 40))])
    assert found == expected
    assert search.exhausted == (expected is None)
    assert search.update() == expected, "asked again, it says the same"


def test_what_asks_about_the_truth_is_known():
    told = {name for name, kind in CONDITIONS.items() if kind().truth or kind.of_truth}
    assert told == {"eliminated"}
    assert [TargetEliminated(who).truth for who in (ANY, TRUE_BEST, THIS)] == [False, True, False]


@pytest.mark.parametrize("name", ["synthetic", "fixed-confidence"])
def test_without_a_history_events_are_read(name):
    trace = recorded(name)
    for condition in conditions(trace):
        met = plainly(trace, condition)
        assert find_next(trace, condition, 0) == (met[0] if met else None)
        assert find_previous(trace, condition, len(trace) + 1) == (met[-1] if met else None)


def test_a_history_that_is_behind_tells_of_what_it_knows():
    whole = list(recorded("fixed-confidence"))
    trace = Trace(recorded("fixed-confidence").instance)
    trace.extend(whole[:100])
    history = History(trace)
    trace.extend(whole[100:])
    for condition in (TargetEliminated(), DimensionChanges(), RecommendationChanges(), SamplesPass(10**9)):
        known = [each for each in plainly(trace, condition) if each <= 100]
        assert find_previous(trace, condition, 101, history) == (known[-1] if known else None)
        later = [each for each in plainly(trace, condition) if each > 100]
        assert find_next(trace, condition, 100, history) == (later[0] if later else None), "what is behind it is read"


# -- what they mean ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fixed-confidence", "rage", "fixed-budget", "misspecified"])
def test_what_is_found_shows_in_the_state(name):
    """The state before and after, at each cursor that is found: as a person would see it."""
    trace = recorded(name)
    best = int(trace.instance.target_rewards.argmax())
    history = History(trace)

    def each(condition):
        cursor = 0
        while (cursor := find_next(trace, condition, cursor, history)) is not None:
            yield trace.state_at(cursor - 1), trace.state_at(cursor)

    for before, after in each(TargetEliminated(TRUE_BEST)):
        assert best in before.survivors
        assert best not in after.survivors
    for before, after in each(TargetEliminated()):
        assert len(after.survivors) < len(before.survivors)
    for before, after in each(RecommendationChanges()):
        assert before.recommendation != after.recommendation
    for before, after in each(SamplesPass(2000)):
        assert before.samples < 2000 <= after.samples
    for _, after in each(PlaceReached(2, 1, 1)):
        assert (after.place.ell, after.place.i, after.place.k) == (2, 1, 1)
        assert after.cursor - 1 in trace.round_starts
    for before, after in each(DimensionChanges()):
        assert after.d
        begun = history.rounds_before(after.cursor) - 1
        assert history.rounds.d[begun - 1] != after.d
        assert before.subroutine is after.subroutine


def test_the_condition_number_is_that_of_the_information_matrix():
    trace = recorded("fixed-confidence")
    seen = 0
    for event in trace:
        if isinstance(event, ev.DesignSolved):
            rows = trace.instance.arms[event.support, : event.d]
            A = rows.T @ (event.weights[:, None] * rows)
            values = np.linalg.eigvalsh(A)
            values = values[values > 1e-12 * values[-1]]
            read = ConditionNumberPasses().read(event, trace.instance)
            assert read == pytest.approx(values[-1] / values[0], rel=1e-6)
            seen += 1
    assert seen > 5


def test_the_gap_of_a_design():
    trace = recorded("frank-wolfe")
    event = next(event for event in trace if isinstance(event, ev.DesignSolved) and event.value > 0)
    assert DesignGapPasses().read(replace(event, upper_bound=3.0, lower_bound=2.0), trace.instance) == 0.5
    assert find_next(trace, DesignGapPasses(1e-3), 0) is not None


def test_a_round_among_idle_ones_is_found_at_their_event():
    trace = recorded("idle")
    idle = int(trace.positions(ev.IdleRounds)[0])
    first, last = trace[idle].first, trace[idle].last
    assert last > first
    for k in (first + 1, last):
        assert find_next(trace, PlaceReached(1, 1, k), 0) == idle + 1
    assert find_next(trace, PlaceReached(1, 1, first), 0) <= idle
    assert find_next(trace, PlaceReached(1, 1, last + 1), 0) is None


# -- registry ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition_can_be_made_and_said(name):
    kind = CONDITIONS[name]
    instance = small_instance()
    made = make_condition(name, {}, instance)
    assert isinstance(made, Condition)
    assert made == kind()
    assert hash(made) == hash(kind())
    assert kind.summary.endswith(".")
    words = made.words(instance)
    assert words.replace("\u202f", " ").isprintable()
    assert words[-1] != "."
    for parameter in kind.parameters:
        assert getattr(made, parameter.name) == parameter.default


def test_words():
    instance = small_instance()
    told = [
        (TargetEliminated(THIS, 2), "x_3 is eliminated"),
        (TargetEliminated(TRUE_BEST), "the true best arm is eliminated"),
        (SamplesPass(20_000), "20\u202f000 samples are drawn"),
        (ConditionNumberPasses(1e6), "the condition number of A(λ) rises to 1\u202f000\u202f000"),
        (GapPasses(0.25, FALLS), "the largest gap of an elimination falls below 0.25"),
        (PlaceReached(3, 1, 2), "ℓ 3 · i 1 · k 2 starts"),
        (EventOfKind("pulled"), 'an event "pulled" occurs'),
    ]
    for condition, words in told:
        assert condition.words(instance) == words
    assert PlaceReached(3, 1, 2).words(instance, "fixed-budget") == "i 3 · j 1 · k 2 starts"


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("eliminated", {"who": "this one", "target": 4}, "There is no arm 4: write a name such as x_4, or an index"),
        ("eliminated", {"who": "him"}, "who = him is not allowed"),
        ("place", {"ell": 0}, "Set at least one of ℓ, i and k"),
        ("samples", {"samples": 0}, "samples = 0 is not allowed"),
        ("gap", {"value": float("nan")}, "value = nan is not allowed"),
        ("event", {"kind": "pullled"}, "kind = pullled is not allowed"),
        ("elimination", {}, 'did you mean "eliminated"'),
        ("gap", {"colour": 1}, 'Unknown parameter "colour"'),
    ],
)
def test_bad_conditions_are_refused(name, values, words):
    with pytest.raises(InputError, match=words):
        make_condition(name, values, small_instance())


def test_what_a_form_suggests_is_within_reach_of_the_run():
    trace = recorded("frank-wolfe")
    designs = trace.positions(ev.DesignSolved).tolist()
    conditions = [ConditionNumberPasses().read(trace[at], trace.instance) for at in designs]
    for cursor in range(0, len(trace) + 1, 7):
        state = trace.state_at(cursor)
        made = {name: kind(**kind.suggested(trace, state)) for name, kind in CONDITIONS.items()}
        samples = made["samples"].samples
        assert state.samples < samples <= max(1000, 2.5 * state.samples)
        assert made["place"].ell == state.place.ell + 1
        before = [value for at, value in zip(designs, conditions, strict=True) if at < cursor]
        if before:
            assert before[-1] <= made["condition number"].value <= 10 * before[-1] * (1 + 1e-12)
            assert made["design gap"].value == trace[designs[0]].tolerance
        gone = [event.gaps.max() for event in trace[:cursor] if isinstance(event, ev.Eliminated) and len(event.gaps)]
        if gone:
            assert 0.4 * gone[-1] <= made["gap"].value <= 0.8 * gone[-1]
