"""The columns of a run against a plain account of its events, however the trace grew and wherever it is cut."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine import events as ev
from gems_engine.events import Place
from gems_engine.history import UNITS, History
from gems_engine.running import run
from gems_engine.trace import CHUNK, Trace
from tests.engine.small_settings import SETTINGS
from tests.engine.synthetic_runs import small_instance, synthetic, synthetic_trace
from tests.engine.test_algorithms import INSTANCES

RUNS = [(name, "hard") for name in SETTINGS] + [
    ("fixed-confidence", "sphere"),
    ("fixed-budget", "sphere"),
    ("misspecified", "misspecified"),
    ("rage", "transductive"),
]
runs = pytest.mark.parametrize(("name", "place"), RUNS, ids=[" ".join(each) for each in RUNS])
TABLES = ("rounds", "subroutines", "eliminations", "recommendations", "candidates")


@cache
def recorded(name, place):
    literal = {"literal": True} if place == "sphere" else {}  # goes on with idle rounds
    return run(INSTANCES[place](), name, 3, **SETTINGS[name], **literal).finish()


def columns(history, table):
    found = getattr(history, table)
    return {name: getattr(found, name) for name in type(found).__annotations__}


def everything(history):
    """All that a history says, as plain values."""
    said = {(table, name): column for table in TABLES for name, column in columns(history, table).items()}
    said.update({("stops", unit): history.stops(unit) for unit in UNITS[1:]})
    return said


def assert_same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=str(name))
        assert a[name].dtype == b[name].dtype


def cut(trace, length):
    short = Trace(trace.instance)
    short.extend(trace[:length])
    return short


# -- against a plain account --------------------------------------------------------------------------------------


class Account:
    """The same, looked up in a list of events by definition, each answer by itself."""

    def __init__(self, trace):
        self.events = list(trace)
        self.targets = len(trace.instance.targets)
        self.starts = self.at(ev.SubroutineStarted)
        segments = [0, *self.starts, len(self.events)]
        self.rounds = []  # (subroutine, positions of its events)
        for subroutine, (begin, end) in enumerate(pairwise(segments), -1):
            groups = {}
            for at in range(begin, end):
                event = self.events[at]
                if event.place.k and not isinstance(event, ev.Recommended):
                    groups.setdefault(event.place, []).append(at)
            self.rounds += [(subroutine, group) for group in groups.values()]

    def at(self, *kinds, within=None):
        within = range(len(self.events)) if within is None else within
        return [at for at in within if isinstance(self.events[at], kinds)]

    def first(self, within, *kinds):
        return next(iter(self.at(*kinds, within=within)), -1)

    def end(self, group):
        decided = self.first(group, ev.Eliminated, ev.IdleRounds)
        if decided >= 0:
            return decided + 1
        return self.first(range(group[-1], len(self.events)), ev.SubroutineFinished, ev.RunFinished) + 1 or -1

    def row(self, subroutine, group):
        of = {type(self.events[at]): self.events[at] for at in group}
        place = self.events[group[0]].place
        idle, design = of.get(ev.IdleRounds), of.get(ev.DesignSolved)
        gone = [len(self.events[at].targets) for at in self.at(ev.Eliminated, within=range(group[0]))]
        since = [at >= self.starts[subroutine] for at in self.at(ev.Eliminated, within=range(group[0]))]
        before = self.targets - sum(n for n, here in zip(gone, since, strict=True) if here)
        leaving = len(of[ev.Eliminated].targets) if ev.Eliminated in of else 0
        chosen = design or of.get(ev.Allocated) or idle
        allocated = of.get(ev.Allocated)
        return {
            "event": group[0],
            "chosen": self.first(group, ev.DesignSolved, ev.Allocated, ev.IdleRounds),
            "pulled": self.first(group, ev.Pulled),
            "decided": self.first(group, ev.Eliminated, ev.IdleRounds),
            "end": self.end(group),
            "ell": place.ell,
            "i": place.i,
            "k": place.k,
            "last_k": min(idle.last, 2**63 - 1) if idle else place.k,
            "subroutine": subroutine,
            "d": chosen.d if chosen else 0,
            "survivors_before": before,
            "survivors_after": before - leaving,
            "pulls": int(allocated.counts.sum()) if allocated else min(idle.drawn, 2**63 - 1) if idle else 0,
            "samples": max(getattr(event, "samples", 0) for event in self.events[: group[-1] + 1]),
            "cost": design.cost if design else np.nan,
            "value": design.value if design else np.nan,
            "idle": idle is not None,
        }

    def stops(self, unit):
        ends = {0}
        if self.events and isinstance(self.events[-1], ev.RunFinished):
            ends.add(len(self.events))
        if unit == "round":
            ends |= {self.end(group) for _, group in self.rounds} - {-1}
            ends |= {at + 1 for at in self.at(ev.Validated)}
        else:
            for before, start in pairwise(self.starts):
                if unit == "subroutine" or self.events[before].place.ell != self.events[start].place.ell:
                    ends.add(start)
        return sorted(ends)


@runs
def test_agrees_with_a_plain_account(name, place):
    trace = recorded(name, place)
    history, account = History(trace), Account(trace)
    assert history.events == len(trace)
    rows = [account.row(*each) for each in account.rounds]
    for column, values in columns(history, "rounds").items():
        np.testing.assert_array_equal(values, [row[column] for row in rows], err_msg=column)
    assert history.rounds.event.tolist() == trace.round_starts.tolist()
    for unit in UNITS[1:]:
        assert history.stops(unit).tolist() == account.stops(unit)
    assert (history.rounds.end > 0).all()  # the run is over
    started = [account.events[at] for at in account.starts]
    subroutines = history.subroutines
    assert subroutines.event.tolist() == account.starts == trace.subroutine_starts.tolist()
    assert subroutines.ell.tolist() == [event.place.ell for event in started]
    assert subroutines.i.tolist() == [event.place.i for event in started]
    assert subroutines.rounds.tolist() == [event.rounds for event in started]
    assert subroutines.selection_budget.tolist() == [event.selection_budget for event in started]
    assert subroutines.finished.tolist() == account.at(ev.SubroutineFinished)
    of = [subroutine for subroutine, _ in account.rounds]
    assert subroutines.first_round.tolist() == [sum(each < row for each in of) for row in range(len(started))]
    gone = [(at, *each) for at in account.at(ev.Eliminated) for each in zip(*eliminated(trace[at]), strict=True)]
    where = {at: row for row, (_, group) in enumerate(account.rounds) for at in group}
    found = history.eliminations
    assert list(zip(found.event, found.target, found.by, found.gap, found.width, strict=True)) == gone
    assert found.round.tolist() == [where[at] for at, *_ in gone]
    said = [(at, trace[at].samples, trace[at].target) for at in account.at(ev.Recommended)]
    kept = history.recommendations
    assert list(zip(kept.event, kept.samples, kept.target, strict=True)) == said
    named = [(at, trace[at].target, trace[at].new) for at in account.at(ev.CandidateKept)]
    found = history.candidates
    assert list(zip(found.event, found.target, found.new, strict=True)) == named


def eliminated(event):
    return event.targets, event.by, event.gaps, event.widths


def test_the_runs_have_all_that_is_to_be_told_apart():
    """Without these the tests above would agree on nothing."""
    histories = {key: History(recorded(*key)) for key in RUNS}
    assert any(history.rounds.idle.any() for history in histories.values())
    assert any((history.rounds.decided < 0).any() for history in histories.values())
    assert any(len(history.stops("loop")) > 3 for history in histories.values())
    assert any(np.isinf(history.subroutines.selection_budget).any() for history in histories.values())
    assert sum(len(history.eliminations) > 3 for history in histories.values()) > 8
    assert histories["static-oracle", "hard"].rounds.subroutine.tolist() == [-1]


@runs
def test_agrees_with_the_columns_of_the_trace(name, place):
    trace = recorded(name, place)
    history = History(trace)
    for column, values in trace.rounds.columns.items():
        if column in type(history.rounds).__annotations__:
            if column in ("d", "pulls"):  # missing ones are 0 in the history
                values = np.nan_to_num(values.astype(float))
            np.testing.assert_array_equal(getattr(history.rounds, column), values, err_msg=column)


@pytest.mark.parametrize("name", ["fixed-confidence", "fixed-budget", "misspecified", "rage", "static-oracle"])
def test_agrees_with_the_state_at_every_cursor(name):
    trace = recorded(name, "hard")
    history = History(trace)
    for cursor in range(0, len(trace) + 1, 1 + len(trace) // 700):
        state = trace.state_at(cursor)
        row = history.subroutine_at(cursor)
        assert (row >= 0) == (state.subroutine is not None)
        if state.subroutine is not None:
            assert trace[int(history.subroutines.event[row])] == state.subroutine
        fates = history.fates(row, cursor)
        assert np.where(fates < 0, -1, history.rounds.k[fates] if len(history.rounds) else -1).tolist() == (
            state.fate_round.tolist()
        )
        rounds = history.rounds_before(cursor)
        assert rounds == sum(int(at) < cursor for at in trace.round_starts)
        if state.d:
            assert history.rounds.d[rounds - 1] == state.d
            assert history.rounds.chosen[rounds - 1] < cursor


# -- however it grew ----------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(st.sampled_from(RUNS), st.lists(st.integers(0, 60), max_size=30))
def test_batches_make_no_difference(key, batches):
    whole = recorded(*key)
    events = list(whole)
    trace = Trace(whole.instance)
    history = History(trace)
    for size in batches:
        trace.extend(events[len(trace) : len(trace) + size])
        history.update()
        assert history.events == len(trace)
        assert_same(everything(history), everything(History(cut(whole, len(trace)))))
    trace.extend(events[len(trace) :])
    history.update()
    assert_same(everything(history), everything(History(whole)))


@settings(max_examples=60)
@given(st.data())
def test_what_it_says_of_the_past_does_not_depend_on_the_future(data):
    trace = recorded(*data.draw(st.sampled_from(RUNS)))
    length = data.draw(st.integers(0, len(trace)))
    full, short = History(trace), History(cut(trace, length))
    begun = full.rounds_before(length)
    assert len(short.rounds) == begun == short.rounds_before(length)
    for mark in ("chosen", "pulled", "decided"):
        then = getattr(full.rounds, mark)[:begun]
        assert getattr(short.rounds, mark).tolist() == np.where(then < length, then, -1).tolist()
    ends = full.rounds.end[:begun]
    assert short.rounds.end.tolist() == np.where(ends <= length, ends, -1).tolist()
    for name, column in columns(short, "rounds").items():
        over = short.rounds.end >= 0
        np.testing.assert_array_equal(column[over], getattr(full.rounds, name)[:begun][over], err_msg=name)
    finished = full.subroutines.finished[: len(short.subroutines)]
    assert short.subroutines.finished.tolist() == np.where(finished < length, finished, -1).tolist()
    for table in ("subroutines", "eliminations", "recommendations", "candidates"):
        for name, column in columns(short, table).items():
            if name == "finished":
                continue
            past = getattr(full, table).event < length
            assert column.tolist() == getattr(getattr(full, table), name)[past].tolist()
    for unit in UNITS[1:]:
        # That a subroutine is over is known with the event after it; that a round is, with its last.
        known = full.stops(unit) <= length if unit == "round" else full.stops(unit) < max(length, 1)
        expected = full.stops(unit) if length == len(trace) else full.stops(unit)[known]
        assert short.stops(unit).tolist() == expected.tolist()
    cursor = data.draw(st.integers(0, length))
    row = short.subroutine_at(cursor)
    assert row == full.subroutine_at(cursor)
    assert short.fates(row, cursor).tolist() == full.fates(row, cursor).tolist()


def test_every_event_is_read_once():
    read = []

    class Counted(Trace):
        def batches(self, start, stop):
            for batch in super().batches(start, stop):
                read.extend(range(start, start + len(batch)))
                start += len(batch)
                yield batch

    trace = Counted(small_instance())
    history = History(trace)
    events = list(synthetic(small_instance(), loops=3, subroutines=3, rounds=20))
    assert len(events) > 2 * CHUNK
    for at, event in enumerate(events):
        trace.append(event)
        if at % 3 == 0 or at > 2 * CHUNK:
            history.update()
    assert read == list(range(len(events)))


# -- its arrays ---------------------------------------------------------------------------------------------------


def test_arrays_are_read_only_and_keep_what_they_had():
    trace = Trace(small_instance())
    history = History(trace)
    events = list(synthetic(small_instance(), loops=1, subroutines=2, rounds=30))
    trace.extend(events[:100])
    history.update()
    view, stops = history.rounds.event, history.stops("round")
    held = view.tolist(), stops.tolist()
    for array in everything(history).values():
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    trace.extend(events[100:])
    history.update()
    assert (view.tolist(), stops.tolist()) == held
    assert history.rounds.event[: len(view)].tolist() == held[0]
    assert len(history.rounds) > 2 * len(view)


def test_unknown_columns_and_units_are_refused():
    history = History(synthetic_trace())
    with pytest.raises(AttributeError, match="no column 'colour'"):
        _ = history.rounds.colour
    for unit in ("event", "minute"):
        with pytest.raises(ValueError, match="no list of stops"):
            history.stops(unit)


def test_numbers_beyond_64_bits_are_clipped():
    instance = small_instance()
    trace = Trace(instance)
    trace.append(next(synthetic(instance)))
    trace.append(ev.SubroutineStarted(Place(1, 1), "gems-c", 10**400, 4.0, 0.05, 0.0))
    trace.append(ev.IdleRounds(Place(1, 1, 1), 1, 2**80, 1, 2**90, 2**90, "every direction is 0"))
    history = History(trace)
    assert history.subroutines.rounds.tolist() == [np.inf]
    largest = 2**63 - 1
    assert history.rounds.last_k.tolist() == history.rounds.pulls.tolist() == [largest]
    assert history.rounds.samples.tolist() == [largest]


# -- its stops ----------------------------------------------------------------------------------------------------


def test_stops_of_a_run_that_can_be_counted_by_hand():
    """Two loops of two subroutines with one round of six events, the second with idle rounds."""
    events = list(synthetic(small_instance(), loops=2, subroutines=2, rounds=1, probes=1))
    trace = Trace(small_instance())
    trace.extend(events)
    history = History(trace)
    # 0 run started, recommended, 2 subroutine, 3…8 round, 9 finished, 10 kept, 11 subroutine, 12 T′, 13 D̃, 14…19 round,
    # 20 idle, 21 finished, 22 kept, 23 allocated, pulled, validated, recommended, 27 the second loop.
    assert history.stops("round").tolist() == [0, 9, 20, 21, 26, 34, 45, 46, 51, 54]
    assert history.stops("subroutine").tolist() == [0, 11, 27, 36, 54]
    assert history.stops("loop").tolist() == [0, 27, 54]
    assert [history.stop_after("round", cursor) for cursor in (0, 8, 9, 53, 54)] == [9, 9, 20, 54, None]
    assert [history.stop_before("round", cursor) for cursor in (54, 52, 9, 1, 0)] == [51, 51, 0, 0, None]
    assert [history.stop_after("event", cursor) for cursor in (0, 53, 54)] == [1, 54, None]
    assert [history.stop_before("event", cursor) for cursor in (54, 1, 0)] == [53, 0, None]


def test_a_round_that_its_successor_cuts_short_ends_there():
    """No algorithm does this; a file may hold it."""
    instance = small_instance()
    start, _, subroutine, probe, *_ = synthetic(instance)
    trace = Trace(instance)
    trace.extend([start, subroutine, probe, ev.DimensionProbed(Place(1, 1, 2), 1, 0.0, 1.0, 4.0, "fits", "", 1)])
    history = History(trace)
    assert history.rounds.end.tolist() == [3, -1]
    trace.append(ev.SubroutineStarted(Place(2, 1), "gems-c", 4, 16.0, 0.05, 0.0))
    history.update()
    assert history.rounds.end.tolist() == [3, 4]
    assert history.stops("round").tolist() == [0, 3, 4]
    assert history.subroutines.finished.tolist() == [-1, -1]


def test_a_subroutine_that_is_started_again_has_rounds_of_its_own():
    """No algorithm does this either."""
    instance = small_instance()
    start, _, subroutine, probe, *_ = synthetic(instance)
    trace = Trace(instance)
    trace.extend([start, subroutine, probe, subroutine, probe])
    history = History(trace)
    assert history.rounds.event.tolist() == trace.round_starts.tolist() == [2, 4]
    assert history.rounds.subroutine.tolist() == [0, 1]
    assert history.rounds.end.tolist() == [3, -1]
