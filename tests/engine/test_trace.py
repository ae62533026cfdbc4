"""A trace is a list of events that is small, indexed, and knows the state at any cursor."""

import random
import subprocess
import sys
import threading

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine import trace as trace_module
from gems_engine.algorithms import algorithms
from gems_engine.errors import InputError
from gems_engine.events import Place
from gems_engine.running import run
from gems_engine.state import fold, initial_state
from gems_engine.trace import CHUNK, Trace
from tests.engine.synthetic_runs import same_states, small_instance, synthetic, wide_instance

LONG = {"loops": 4, "subroutines": 4, "rounds": 30}  # some four thousand events


@pytest.fixture(scope="module")
def recorded():
    events = list(synthetic(small_instance(), **LONG))
    trace = Trace(small_instance())
    trace.extend(events)
    return events, trace


@pytest.fixture
def count_folds(monkeypatch):
    """How many events were folded since the last time it was asked."""
    done = []

    def counting(state, event):
        done.append(event)
        return fold(state, event)

    monkeypatch.setattr(trace_module, "fold", counting)

    def since():
        count = len(done)
        done.clear()
        return count

    return since


# -- a list ------------------------------------------------------------------------------------------------------


def test_it_is_a_list_of_its_events(recorded):
    events, trace = recorded
    assert len(trace) == len(events) > 7 * CHUNK
    assert list(trace) == events
    for i in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, len(events) - 1, -1, -CHUNK, -len(events)):
        assert trace[i] == events[i]
    for outside in (len(events), -len(events) - 1):
        with pytest.raises(IndexError, match=f"event {outside} of {len(events)}"):
            trace[outside]
    for cut in (slice(3, 9), slice(-4, None), slice(CHUNK - 2, CHUNK + 2), slice(None, None, -700), slice(9, 3)):
        assert trace[cut] == events[cut]
    for i in (len(events), -len(events) - 1):
        with pytest.raises(IndexError):
            trace[i]


def test_timings_are_kept_although_they_do_not_count(recorded):
    events, trace = recorded
    for old, new in zip(events, trace, strict=True):
        assert getattr(old, "seconds", None) == getattr(new, "seconds", None)


def test_events_come_back_read_only(recorded):
    for event in recorded[1][: CHUNK + 3]:
        for value in event.__dict__.values():
            assert not isinstance(value, np.ndarray) or not value.flags.writeable


def test_it_can_grow_while_it_is_read():
    events = list(synthetic(small_instance(), **LONG))
    trace = Trace(small_instance())
    trace.extend(events[:700])
    seen = []
    for event in trace:
        seen.append(event)
        if len(trace) < 1700:
            trace.append(events[len(trace)])
    assert seen == events[:1700]


def test_one_thread_appends_while_another_reads():
    events = list(synthetic(small_instance(), **LONG))
    trace = Trace(small_instance())
    writer = threading.Thread(target=trace.extend, args=(events,))
    writer.start()
    rng = random.Random(0)
    while writer.is_alive():
        length = len(trace)
        cursor = rng.randint(0, length)
        assert trace.state_at(cursor).cursor == cursor
        if cursor:
            assert trace[cursor - 1] == events[cursor - 1]
    writer.join()
    assert list(trace) == events


def test_few_numbers_make_few_bytes_and_large_arrays_end_a_chunk_early():
    wide = wide_instance(20_000, D=2)
    trace = Trace(wide)
    trace.extend(synthetic(wide, loops=1, subroutines=1, rounds=12, support=20_000))
    assert len(trace._chunks) > 1
    assert len(trace) < CHUNK
    chunks = len(trace._chunks)
    # The next chunk is as long as any.
    trace = Trace(wide)
    trace.extend(synthetic(wide, loops=1, subroutines=1, rounds=24, support=20_000))
    assert len(trace._chunks) == pytest.approx(2 * chunks, abs=1)
    trace = Trace(wide)
    trace.extend(synthetic(wide, loops=1, subroutines=1, rounds=12, support=20_000))
    assert [type(event) for event in trace] == [
        type(event) for event in synthetic(wide, loops=1, subroutines=1, rounds=12, support=20_000)
    ]


def test_what_cannot_follow_is_refused():
    instance = small_instance()
    start, guess, *_, end = synthetic(instance)
    trace = Trace(instance)
    with pytest.raises(InputError, match='must be "run started"'):
        trace.append(guess)
    trace.extend([start, guess])
    with pytest.raises(InputError, match="starts the run again"):
        trace.append(start)
    trace.append(end)
    with pytest.raises(InputError, match="after the end of the run"):
        trace.append(guess)
    with pytest.raises(InputError, match="another instance"):
        Trace(wide_instance(5)).append(start)
    with pytest.raises(TypeError, match="not an event"):
        Trace(instance).append("run started")
    assert len(trace) == 3
    assert (trace.started, trace.finished) == (start, end)


# -- its index ---------------------------------------------------------------------------------------------------


def test_index_by_round_subroutine_and_loop(recorded):
    events, trace = recorded
    assert trace.subroutine_starts.tolist() == [i for i, e in enumerate(events) if isinstance(e, ev.SubroutineStarted)]
    assert trace.loop_starts.tolist() == trace.subroutine_starts.tolist()[::4]
    rounds = {}
    for i, event in enumerate(events):
        if event.place.k:
            rounds.setdefault(event.place, i)
    assert trace.round_starts.tolist() == list(rounds.values())
    assert trace.find(ell=3) == trace.loop_starts[2]
    assert trace.find(ell=3, i=2) == trace.subroutine_starts[9]
    assert trace.find(i=2) == trace.subroutine_starts[1]
    for place in (Place(1, 1, 1), Place(2, 3, 7), Place(4, 4, 31)):
        assert trace.find(place.ell, place.i, place.k) == rounds[place]
    assert trace.find(ell=4, i=4, k=33) == rounds[Place(4, 4, 31)]  # among the idle ones
    assert trace.find(ell=4, i=4, k=34) is None
    assert trace.find(ell=9) is None
    for kind in ev.EVENTS.values():
        expected = [i for i, event in enumerate(events) if type(event) is kind]
        assert trace.positions(kind).tolist() == trace.positions(kind.kind).tolist() == expected


def test_an_empty_trace_has_no_index():
    trace = Trace(small_instance())
    assert not len(trace)
    assert list(trace) == []
    assert not len(trace.round_starts)
    assert trace.find(ell=1) is trace.find(k=1) is None
    assert trace.state_at(0).cursor == 0
    assert len(trace.rounds) == 0


def test_rounds_have_a_row_for_every_round(recorded):
    events, trace = recorded
    table = trace.rounds.columns
    assert {len(column) for column in table.values()} == {len(trace.round_starts)}
    assert table["event"].tolist() == trace.round_starts.tolist()
    assert table["k"].tolist()[:31] == [*range(1, 31), 1]
    ends = [*trace.round_starts.tolist()[1:], len(events)]
    for row, end in list(enumerate(ends))[::17]:
        assert not table["idle"][row]
        within = [event for event in events[trace.round_starts[row] : end] if event.place.k]
        by_kind = {type(event): event for event in within}
        state = trace.state_at(int(trace.round_starts[row]) + len(within))
        assert table["d"][row] == state.d == by_kind[ev.DesignSolved].d
        assert table["survivors_after"][row] == len(state.survivors)
        assert table["survivors_before"][row] - len(state.eliminated_now) == len(state.survivors)
        assert table["pulls"][row] == state.round_counts.sum()
        assert table["samples"][row] == state.samples
        assert table["value"][row] == by_kind[ev.DesignSolved].value
        assert table["factor"][row] == 1.01
        assert table["probes"][row] == 3
        assert table["recommendation"][row] == state.recommendation
    idle = table["idle"]
    assert idle.sum() == 4
    assert table["rounds"][idle].tolist() == [3.0] * 4
    assert table["pulls"][idle].tolist() == [30] * 4
    assert np.isnan(table["value"][idle]).all()


# -- its states --------------------------------------------------------------------------------------------------


def test_the_state_at_any_cursor_is_that_of_a_fold_from_the_start(recorded):
    events, trace = recorded
    states = [initial_state(small_instance())]
    for event in events:
        states.append(fold(states[-1], event))
    cursors = list(range(len(states)))
    random.Random(1).shuffle(cursors)
    for cursor in [*cursors[:800], *range(1000, 1100), *range(1600, 1500, -1), 0, len(events)]:
        assert same_states(trace.state_at(cursor), states[cursor])
    for cursor in (-1, len(states)):
        with pytest.raises(IndexError):
            trace.state_at(cursor)


@pytest.mark.parametrize("length", [100, 20_000])
def test_a_seek_folds_no_more_than_a_chunk_however_long_the_run(length, count_folds):
    instance = small_instance()
    start = next(synthetic(instance))
    trace = Trace(instance)
    trace.append(start)
    trace.extend(ev.Recommended(Place(), i % 4, i, "again") for i in range(length - 1))
    assert count_folds() == length  # while it was recorded: each event once
    rng = random.Random(0)
    for cursor in [0, length, length // 2, *(rng.randint(0, length) for _ in range(200))]:
        assert trace.state_at(cursor).cursor == cursor
        assert count_folds() <= CHUNK


def test_a_chunk_that_is_looked_at_is_unpacked_once(recorded, monkeypatch):
    events, _ = recorded
    monkeypatch.setattr(trace_module, "_DECODED", 2)
    trace = Trace(small_instance())
    trace.extend(events)
    unpacked = []
    plain = trace_module.journal.batch_of
    monkeypatch.setattr(trace_module.journal, "batch_of", lambda *given: unpacked.append(1) or plain(*given))
    for at in range(CHUNK):
        assert trace[at] == events[at]
    assert len(unpacked) == 1


def test_a_step_back_folds_hardly_more_than_a_step_forward(recorded, count_folds):
    _, trace = recorded
    cursors = range(3 * CHUNK + 10, 4 * CHUNK - 10)
    trace.state_at(cursors[0] - 1)
    count_folds()
    for cursor in cursors:
        trace.state_at(cursor)
        assert count_folds() == 1
    for cursor in reversed(cursors):
        trace.state_at(cursor)
        assert count_folds() < 16


def test_the_newest_state_costs_one_fold_while_a_run_grows(count_folds):
    trace = Trace(small_instance())
    for event in synthetic(small_instance(), **LONG):
        sealed = len(trace._chunks)
        trace.append(event)
        if len(trace._chunks) == sealed:
            count_folds()
            trace.state_at(len(trace))
            assert count_folds() <= 1


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_the_index_fits_what_algorithms_really_do(name):
    trace = run(small_instance(), name, 3).finish() if name == "static-oracle" else short_run(name)
    places = [event.place for event in trace if isinstance(event, ev.Pulled) and event.place.k]
    rounds = [trace[int(at)].place for at in trace.round_starts]
    assert [place for place in rounds if place in set(places)] == places
    assert trace.rounds["event"].tolist() == trace.round_starts.tolist()
    for place in rounds:
        assert trace[trace.find(place.ell, place.i, place.k)].place == place
    end = trace.state_at(len(trace))
    assert end.samples == trace.finished.samples
    assert end.counts.sum() + sum(trace[int(at)].drawn for at in trace.positions("idle rounds")) == end.samples


def short_run(name):
    known = {parameter.name for parameter in algorithms()[name].parameters}
    return run(small_instance(), name, 3, **({"max_samples": 30_000} if "max_samples" in known else {})).finish()


# -- its memory --------------------------------------------------------------------------------------------------

MEMORY = """
import pathlib, re, sys
from tests.engine.synthetic_runs import synthetic, wide_instance
from gems_engine.trace import Trace

rounds = int(sys.argv[1])
instance = wide_instance(1000, D=50)
trace = Trace(instance)
trace.extend(synthetic(instance, loops=rounds // 1000, subroutines=10, rounds=100, support=50))
for cursor in range(0, len(trace), len(trace) // 200):
    trace.state_at(cursor)
assert len(trace.round_starts) >= rounds
status = pathlib.Path("/proc/self/status")
if status.exists():  # not ru_maxrss here, which begins with the size of the process that forked this one
    print(1024 * int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1]))
else:
    import resource

    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def resident(rounds):
    """The largest resident memory of a process that records this number of rounds, in bytes."""
    done = subprocess.run([sys.executable, "-c", MEMORY, str(rounds)], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.long
def test_a_round_at_a_thousand_arms_takes_its_share_of_the_memory_allowed():
    """500 MB for 100,000 rounds are 5 kB for each."""
    assert resident(4_000) - resident(1_000) < 3_000 * 5e3


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_hundred_thousand_rounds_at_a_thousand_arms_stay_under_500_megabytes():
    assert resident(100_000) < 500e6
