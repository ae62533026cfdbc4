"""Many events at once against one by one: the same state, index and refusals, with few events made."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine import advance
from gems_engine import events as ev
from gems_engine.advance import advanced
from gems_engine.errors import InputError
from gems_engine.events import EVENTS, Place
from gems_engine.formats import chunk, journal
from gems_engine.formats.event_rules import Sizes
from gems_engine.formats.tables import Batch
from gems_engine.history import History
from gems_engine.state import fold, initial_state
from gems_engine.trace import CHUNK, Trace
from tests.engine.synthetic_runs import same_states, small_instance, synthetic
from tests.engine.test_history import assert_same, everything

INSTANCE = small_instance()
SIZES = Sizes.of(INSTANCE)
EVENTS_OF_A_RUN = list(synthetic(INSTANCE, loops=2, subroutines=2, rounds=5))
LONG = list(synthetic(INSTANCE, loops=3, subroutines=3, rounds=25))


def folded(state, events):
    for event in events:
        state = fold(state, event)
    return state


# -- tables -------------------------------------------------------------------------------------------------------


def test_a_batch_has_every_event_exactly():
    data, length = chunk.encode(EVENTS_OF_A_RUN, SIZES)
    for batch in (Batch.of(EVENTS_OF_A_RUN), chunk.decode(data, length, len(EVENTS_OF_A_RUN), SIZES)):
        assert batch.events() == EVENTS_OF_A_RUN
        assert [batch.event(at) for at in range(len(batch))] == EVENTS_OF_A_RUN
        for at in range(len(batch)):
            for value in vars(batch.event(at)).values():
                assert not isinstance(value, np.ndarray) or (value.flags.owndata and not value.flags.writeable)
        places = [Place(*place) for place in batch.places.T.tolist()]
        assert places == [event.place for event in EVENTS_OF_A_RUN]
        assert batch.samples.tolist() == [getattr(event, "samples", -1) for event in EVENTS_OF_A_RUN]
        for kind in EVENTS.values():
            at = [at for at, event in enumerate(EVENTS_OF_A_RUN) if isinstance(event, kind)]
            assert batch.table(kind).at.tolist() == at
            assert batch.count(kind) == len(at) > 0
        counts = [int(event.counts.sum()) for event in EVENTS_OF_A_RUN if isinstance(event, ev.Allocated)]
        assert batch.table(ev.Allocated).sums("counts").tolist() == counts


def test_the_table_of_a_kind_that_does_not_occur_is_empty():
    batch = Batch.of(EVENTS_OF_A_RUN[:1])
    for kind in set(EVENTS.values()) - {ev.RunStarted}:
        assert batch.table(kind).events() == []
    assert batch.table(ev.Allocated).sums("counts").tolist() == []


# -- the state ----------------------------------------------------------------------------------------------------

POSITION = st.integers(1, len(EVENTS_OF_A_RUN) - 1)
EDITS = st.tuples(
    st.sampled_from(["drop", "repeat", "swap", "move", "name", "samples", "left", "gone", "sums"]), POSITION, POSITION
)


def edited(events, edits):
    """The events after changes of which some are allowed and some are not."""
    events = list(events)
    for how, at, other in edits:
        at, other = at % len(events), other % len(events)
        event = events[at]
        if how == "drop":
            del events[at]
        elif how == "repeat":
            events.insert(at, event)
        elif how == "swap":
            events[at], events[other] = events[other], event
        elif how == "move":
            events[at] = replace(event, place=events[other].place)
        elif how == "name" and isinstance(event, ev.SubroutineStarted):
            events[at] = replace(event, name="of a plug-in")
        elif how == "samples" and hasattr(event, "samples"):
            events[at] = replace(event, samples=max(0, event.samples + other % 5 - 2))
        elif how == "left" and isinstance(event, ev.Eliminated):
            events[at] = replace(event, left=1 + other % 4)
        elif how == "gone" and isinstance(event, ev.Eliminated):
            which, one = np.array([other % 4]), np.ones(1)
            events[at] = replace(event, targets=which, by=(which + 1) % 4, gaps=one, widths=one)
        elif how == "sums" and isinstance(event, ev.Pulled):
            events[at] = replace(event, sums=event.sums[:1])
    return events


@settings(max_examples=300)
@given(st.lists(EDITS, max_size=4), st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 60))
def test_many_events_at_once_are_as_one_by_one(edits, sizes, first):
    events = edited(EVENTS_OF_A_RUN, edits)
    at = min(first, len(events))
    try:
        state = folded(initial_state(INSTANCE), events[:at])
    except InputError:
        return
    for size in sizes:
        part = events[at : at + size]
        at += size
        found = advanced(state, Batch.of(part)) if part else state
        try:
            state = folded(state, part)
        except InputError:
            assert found is None
            return
        assert found is None or same_states(found, state)


@pytest.mark.parametrize("size", [1, 2, 7, 30, 200])
def test_an_ordinary_run_never_has_to_be_folded_one_by_one(size, monkeypatch):
    made = []
    monkeypatch.setattr(advance, "fold", lambda *given: made.append(1) or fold(*given))
    state = folded(initial_state(INSTANCE), LONG[:3])
    for at in range(3, len(LONG) - 1, size):
        part = LONG[at : min(at + size, len(LONG) - 1)]
        found, state = advanced(state, Batch.of(part)), folded(state, part)
        assert same_states(found, state)
    if size == 200:
        assert len(made) < len(LONG) // 5


def test_the_same_position_twice_with_another_round_between():
    """The second time, nothing of the first must remain."""
    state = folded(initial_state(INSTANCE), EVENTS_OF_A_RUN[:3])
    probes = [event for event in EVENTS_OF_A_RUN if isinstance(event, ev.DimensionProbed)]
    design = next(event for event in EVENTS_OF_A_RUN if isinstance(event, ev.DesignSolved))
    steps = [replace(each, place=Place(1, 1, k)) for each, k in ((design, 1), (probes[0], 2), (probes[1], 1))]
    found = advanced(state, Batch.of(steps))
    assert same_states(found, folded(state, steps))
    assert found.design is None


def test_pulls_that_answer_an_allocation_of_the_batch_before():
    at = next(at for at, event in enumerate(EVENTS_OF_A_RUN) if isinstance(event, ev.Pulled))
    state = folded(initial_state(INSTANCE), EVENTS_OF_A_RUN[:at])
    for length in (1, 3, 12):
        part = EVENTS_OF_A_RUN[at : at + length]
        assert same_states(advanced(state, Batch.of(part)), folded(state, part))
    shorter = [replace(EVENTS_OF_A_RUN[at], sums=np.ones(2)), *EVENTS_OF_A_RUN[at + 1 : at + 9]]
    assert advanced(state, Batch.of(shorter)) is None


# -- the trace ----------------------------------------------------------------------------------------------------


def in_records(trace, events):
    """The trace, which gets the events in whole chunks, as from a file."""
    for at in range(0, len(events), CHUNK):
        record = journal.record(events[at : at + CHUNK], SIZES, first=at)
        trace.extend_with_record(record, journal.batch_of(record, SIZES))
    return trace


def test_a_trace_of_chunks_is_as_one_of_events():
    found, plain = in_records(Trace(INSTANCE), LONG), Trace(INSTANCE)
    plain.extend(LONG)
    assert len(found._chunks) > 3
    assert list(found) == LONG
    assert found.finished == plain.finished
    for name in ("round_starts", "subroutine_starts", "loop_starts"):
        assert getattr(found, name).tolist() == getattr(plain, name).tolist()
    for kind in EVENTS.values():
        assert found.positions(kind).tolist() == plain.positions(kind).tolist()
    for place in ({"k": 3}, {"ell": 2}, {"ell": 3, "i": 2}, {"ell": 2, "i": 3, "k": 26}, {"k": 99}):
        assert found.find(**place) == plain.find(**place)
    for cursor in (*range(0, len(LONG), 37), CHUNK, 2 * CHUNK, len(LONG)):
        assert same_states(found.state_at(cursor), plain.state_at(cursor))
    assert_same(everything(History(found)), everything(History(plain)))


@pytest.mark.parametrize("at", [CHUNK + 1, CHUNK + 200, 2 * CHUNK - 1])
def test_an_event_that_cannot_follow_in_a_chunk_is_refused_with_what_came_before(at):
    events = list(LONG)
    at = next(at for at in range(at, 0, -1) if isinstance(events[at], ev.Pulled))
    assert at >= CHUNK
    events[at] = replace(events[at], samples=0)
    plain, found = Trace(INSTANCE), Trace(INSTANCE)
    with pytest.raises(InputError) as expected:
        plain.extend(events)
    with pytest.raises(InputError) as caught:
        in_records(found, events)
    assert str(caught.value) == str(expected.value)
    assert len(found) == len(plain) == at
    assert list(found) == events[:at]
    assert same_states(found.state_at(at), plain.state_at(at))


@settings(max_examples=60)
@given(st.lists(EDITS, max_size=3), st.integers(1, 30))
def test_columns_do_not_depend_on_the_batches(edits, size):
    """Also for runs in an odd order."""
    trace = Trace(INSTANCE)
    history = History(trace)
    try:
        for at, event in enumerate(edited(EVENTS_OF_A_RUN, edits), 1):
            trace.append(event)
            if at % size == 0:
                history.update()
    except InputError:
        pass
    history.update()
    assert_same(everything(history), everything(History(trace)))
    assert history.rounds.event.tolist() == trace.round_starts.tolist()
    assert history.subroutines.event.tolist() == trace.subroutine_starts.tolist()
