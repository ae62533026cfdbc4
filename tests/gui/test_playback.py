"""The transport without a window: where the cursor goes, and what the engine may compute."""

import math
import subprocess
import sys
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gems_engine.errors import InputError
from gems_engine.history import History
from gems_engine.running import run
from gems_engine.terminal import THIN
from gems_engine.trace import Trace
from gems_gui.playback import SPEEDS, UNITS, Credit, Playback
from tests.engine.synthetic_runs import same_states, small_instance, synthetic_trace
from tests.engine.test_algorithms import INSTANCES, SETTINGS

EXAMPLES = (("fixed-confidence", "hard"), ("fixed-budget", "sphere"), ("rage", "hard"), ("static-oracle", "hard"))


@cache
def recorded(name="fixed-budget", place="hard"):
    return run(INSTANCES[place](), name, 3, **SETTINGS[name]).finish()


class Engine:
    """Does with the events of a recorded run what an engine does with those that it computes: no more than granted."""

    def __init__(self, whole):
        self.whole = whole
        self.trace = Trace(whole.instance)
        history = History(whole)
        self.ends = {unit: set(history.stops(unit).tolist()) for unit in UNITS[1:]}

    def could(self, credit, most=10**9):
        """How many events it would add."""
        at = begin = len(self.trace)
        end = len(self.whole) if credit.limit is None else min(credit.limit, len(self.whole))
        while at < min(end, begin + most):
            if credit.unit != "event" and at in self.ends[credit.unit] and at > credit.after:
                break
            at += 1
        return at - begin

    def work(self, credit, most=10**9):
        count = self.could(credit, most)
        self.trace.extend(self.whole[len(self.trace) : len(self.trace) + count])
        return count


def replaying(whole=None, **settings):
    return Playback(whole or recorded(), **settings)


def recording(whole=None, events=0, **settings):
    """A run of which so many events are there."""
    engine = Engine(whole or recorded())
    engine.work(Credit(events))
    return engine, Playback(engine.trace, **settings)


# -- moving -------------------------------------------------------------------------------------------------------


def test_a_new_one_stands_before_the_first_event():
    playback = replaying()
    assert (playback.cursor, playback.playing, playback.live, playback.speed) == (0, False, False, 1.0)
    assert playback.length == len(recorded())
    assert playback.complete
    assert playback.ended
    assert not playback.at_end
    assert playback.state.cursor == 0


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("example", EXAMPLES, ids="-".join)
def test_steps_visit_every_stop_in_both_directions(example, unit):
    whole = recorded(*example)
    stops = list(range(len(whole) + 1)) if unit == "event" else History(whole).stops(unit).tolist()
    playback = replaying(whole)
    visited = [0]
    while not playback.at_end:
        playback.step(unit)
        visited.append(playback.cursor)
        assert same_states(playback.state, whole.state_at(playback.cursor))
    assert visited == stops
    playback.step(unit)
    assert playback.cursor == len(whole)
    back = [playback.cursor]
    while playback.cursor:
        playback.step(unit, -1)
        back.append(playback.cursor)
    assert back == stops[::-1]
    playback.step(unit, -1)
    assert playback.cursor == 0


def test_a_step_back_from_within_a_round_goes_to_its_start():
    playback = replaying()
    first, second = playback.history.stops("round")[1:3].tolist()
    playback.seek(second - 1)
    playback.step("round", -1)
    assert playback.cursor == first


def test_seek_first_and_last_stay_within_the_trace():
    playback = replaying()
    playback.seek(10**9)
    assert playback.at_end
    playback.seek(-4)
    assert playback.cursor == 0
    playback.last()
    assert playback.cursor == len(recorded())
    playback.first()
    assert playback.cursor == 0


def test_an_unknown_unit_is_refused():
    with pytest.raises(ValueError, match="no steps by 'minute'"):
        replaying().step("minute")


def test_go_to_a_loop_a_subroutine_and_a_round():
    whole = recorded("fixed-confidence")
    playback = replaying(whole)
    for row in range(0, len(playback.history.rounds), 5):
        rounds = playback.history.rounds
        place = (int(rounds.ell[row]), int(rounds.i[row]), int(rounds.k[row]))
        playback.go_to(*place)
        assert (playback.state.place.ell, playback.state.place.i, playback.state.place.k) == place
        assert playback.cursor == rounds.event[row] + 1
    playback.go_to(3, 2)
    assert playback.state.subroutine.place == playback.state.place
    assert (playback.state.place.ell, playback.state.place.i) == (3, 2)
    playback.go_to(5)
    assert (playback.state.place.ell, playback.state.place.i, playback.state.place.k) == (5, 1, 0)


def test_go_to_says_why_it_cannot():
    whole = synthetic_trace(small_instance(), loops=3, subroutines=2, rounds=4)
    _, playback = recording(whole, events=int(whole.loops[2]) - 1)
    playback.seek(7)
    refusals = {
        (3,): "The run has not got to ℓ 3 yet: it is at ℓ 2 · i 2 · k 7.",
        (2, 2, 1000): f"The run has not got to ℓ 2 · i 2 · k 1{THIN}000 yet: it is at ℓ 2 · i 2 · k 7.",
        (1, 1, 9): "This run has no ℓ 1 · i 1 · k 9: it went on to ℓ 2 · i 2 · k 7 without it.",
        (1, 10**30, 1): None,
        (0,): "ℓ must be a whole number of at least 1.",
        (1, 1.5): "i must be a whole number of at least 1.",
        (1, 1, True): "k must be a whole number of at least 1.",
        (1, None, 2): "To go to a round k say in which subroutine it is.",
    }
    for place, sentence in refusals.items():
        with pytest.raises(InputError) as refusal:
            playback.go_to(*place)
        assert sentence is None or str(refusal.value) == sentence
        assert playback.cursor == 7
    playback.go_to(2, 2, 6)  # among the idle ones
    assert playback.state.idle.first == 5
    with pytest.raises(InputError, match=r"This run has no ℓ 9: it ended at ℓ 3 · i 2 · k 7\.$"):
        replaying(whole).go_to(9)
    _, playback = recording(whole, events=1)
    with pytest.raises(InputError, match=r"There is no ℓ 1 · i 1: the run has not got to a round yet\.$"):
        playback.go_to(1, 1)
    playback.ended = True
    with pytest.raises(InputError, match=r"There is no ℓ 1: the run has no rounds\.$"):
        playback.go_to(1)


# -- playing ------------------------------------------------------------------------------------------------------


def test_the_events_of_a_round_are_shown_one_after_another_for_equal_times():
    playback = replaying()
    stops = playback.history.stops("round").tolist()
    playback.play()
    shown = []
    for _ in range(3_000):
        playback.tick(0.001)
        shown.append(playback.cursor)
    assert shown[-1] == stops[3]
    for begin, end in pairwise(stops[:4]):
        times = [shown.index(cursor) for cursor in range(begin + 1, end + 1)]  # each of them is there
        gaps = [after - before for before, after in pairwise(times)]
        assert max(gaps) - min(gaps) <= 1
    assert [shown.index(stop) + 1 for stop in stops[1:4]] == pytest.approx([1_000, 2_000, 3_000], abs=1)


@pytest.mark.parametrize("speed", [0.5, 1, 20, 1000])
@pytest.mark.parametrize("tick", [0.004, 0.016, 0.3])
def test_so_many_rounds_per_second(speed, tick):
    playback = replaying(recorded("fixed-confidence"))
    stops = playback.history.stops("round")
    playback.set_speed(speed)
    playback.play()
    ticks = round(10 / speed / tick)
    for _ in range(ticks):
        playback.tick(tick)
    expected = min(int(ticks * tick * speed + 1e-6), len(stops) - 1)
    assert stops[expected] <= playback.cursor <= stops[min(expected + 1, len(stops) - 1)]


def test_how_time_is_cut_into_ticks_makes_no_difference():
    fine, coarse = replaying(), replaying()
    for playback in (fine, coarse):
        playback.set_speed(2)
        playback.play()
    for _ in range(20):
        coarse.tick(0.32)
        for _ in range(32):
            fine.tick(0.01)
        assert fine.cursor == coarse.cursor


def test_as_fast_as_it_goes_jumps_to_the_newest_event():
    engine, playback = recording(events=20)
    playback.set_speed(math.inf)
    playback.play()
    assert playback.tick(0.01)
    assert playback.cursor == 20
    assert not playback.tick(0.01)
    assert playback.playing
    engine.work(Credit(33))
    playback.grown()
    assert playback.cursor == 20
    assert playback.tick(0.01)
    assert playback.cursor == 33


def test_waiting_makes_no_debt_of_time():
    whole = recorded()
    first, second = History(whole).stops("round")[1:3].tolist()
    engine, playback = recording(whole, events=first)
    playback.play()
    for _ in range(500):
        playback.tick(0.1)
    assert playback.cursor == first
    assert playback.playing
    engine.work(Credit(second))
    assert not playback.grown()
    assert playback.cursor == first
    playback.tick(0.5)
    assert first < playback.cursor < second
    playback.tick(0.5)
    assert playback.cursor == second


def test_a_round_that_is_being_computed_is_played_at_the_pace_of_the_one_before():
    whole = synthetic_trace(small_instance(), loops=1, subroutines=1, rounds=6)  # eight events in each round
    _, playback = recording(whole, events=3 + 8 + 4)
    playback.seek(3 + 8)
    playback.play()
    assert [playback.tick(1 / 11 / 2) for _ in range(9)] == [False, True] * 4 + [False]


def test_playing_stops_at_the_end_and_begins_again_from_the_start():
    playback = replaying()
    playback.seek(len(recorded()) - 3)
    playback.play()
    while playback.tick(0.05) or playback.playing:
        pass
    assert playback.at_end
    assert not playback.playing
    playback.toggle()
    assert playback.playing
    assert playback.cursor == 0


def test_space_starts_and_stops_the_cursor_only():
    _, playback = recording(events=50, look_ahead=30)
    playback.seek(10)
    credit = playback.credit()
    playback.toggle()
    assert playback.playing
    assert playback.credit() == credit
    playback.toggle()
    assert not playback.playing
    assert not playback.tick(100)
    assert playback.credit() == credit == Credit(40)


def test_a_step_pauses_and_a_seek_does_not():
    _, playback = recording(events=50)
    playback.play()
    playback.seek(30)
    assert playback.playing
    playback.step("event", -1)
    assert (playback.cursor, playback.playing) == (29, False)


def test_speeds_go_up_and_down_the_list():
    playback = replaying()
    assert list(SPEEDS) == sorted(SPEEDS)
    assert 1.0 in SPEEDS
    for _ in SPEEDS:
        playback.faster()
    assert playback.speed == math.inf
    down = [playback.speed]
    for _ in SPEEDS:
        playback.slower()
        down.append(playback.speed)
    assert down == [*SPEEDS[::-1], SPEEDS[0]]
    playback.set_speed(3)
    playback.faster()
    assert playback.speed == 5
    for wrong in (0, -1, math.nan):
        with pytest.raises(InputError, match="above 0"):
            playback.set_speed(wrong)
    assert playback.speed == 5


# -- loop ---------------------------------------------------------------------------------------------------------


def shown_while(playback, ticks, seconds=0.01):
    shown = []
    for _ in range(ticks):
        playback.tick(seconds)
        if not shown or shown[-1] != playback.cursor:
            shown.append(playback.cursor)
    return shown


def test_a_loop_shows_its_events_again_and_again():
    playback = replaying()
    playback.loop = (5, 9)
    playback.seek(5)
    playback.play()
    assert shown_while(playback, 1_000)[:15] == [5, 6, 7, 8, 9] * 3
    playback.set_speed(math.inf)
    assert set(shown_while(playback, 20)) == {5, 9}
    playback.seek(15)
    assert shown_while(playback, 2) == [len(recorded()), 5]  # one beyond its end goes on to that of the run
    playback.loop = None
    shown_while(playback, 2)
    assert not playback.playing


def test_the_whole_run_loops_once_it_is_over():
    whole = recorded("static-oracle")
    engine, playback = recording(whole, events=4)
    playback.loop = (0, None)
    playback.play()
    assert shown_while(playback, 500) == [0, 1, 2, 3, 4]
    engine.work(Credit(None))
    playback.grown()
    rest = list(range(len(whole) + 1))
    assert shown_while(playback, 400)[: len(rest) + 3] == [*rest[4:], *rest, *rest][: len(rest) + 3]
    assert playback.playing


def test_a_loop_that_the_run_never_got_to_does_not_hold_it():
    playback = replaying(recorded("static-oracle"))
    playback.loop = (1_000, 2_000)
    playback.play()
    shown_while(playback, 1_000)
    assert playback.at_end
    assert not playback.playing
    playback.play()
    assert playback.cursor == 0


def test_a_loop_needs_an_end_after_its_start():
    playback = replaying()
    for wrong in ((4, 4), (5, 3), (-1, 3)):
        with pytest.raises(InputError, match="must end after it starts"):
            playback.loop = wrong
    assert playback.loop is None


# -- live ---------------------------------------------------------------------------------------------------------


def test_live_follows_the_newest_event_and_renews_its_credit():
    engine, playback = recording(events=10, look_ahead=7)
    playback.follow()
    assert (playback.cursor, playback.live, playback.playing) == (10, True, True)
    for _ in range(3):
        assert engine.work(playback.credit()) == 7
        assert playback.grown()
        assert playback.at_end
        assert not playback.tick(1.0)
    assert playback.cursor == 31
    while engine.work(playback.credit()):
        playback.grown()
    assert playback.complete
    assert playback.at_end
    assert (playback.live, playback.playing) == (False, False)


@pytest.mark.parametrize(
    ("move", "playing"),
    [
        (lambda playback: playback.seek(4), True),
        (lambda playback: playback.first(), True),
        (lambda playback: playback.go_to(1), True),
        (lambda playback: playback.follow(False), True),
        (lambda playback: playback.step("event", -1), False),
        (lambda playback: playback.toggle(), False),
        (lambda playback: playback.pause(), False),
    ],
)
def test_what_ends_live(move, playing):
    engine, playback = recording(events=30)
    playback.follow()
    move(playback)
    assert (playback.live, playback.playing) == (False, playing)
    where = playback.cursor
    engine.work(Credit(40))
    playback.grown()
    assert playback.cursor == where
    playback.follow()
    assert (playback.live, playback.cursor) == (True, 40)


def test_run_to_the_end_does_not_wait_for_the_cursor():
    engine, playback = recording(events=5, look_ahead=3)
    playback.hold()
    playback.run_to_end()
    assert (playback.held, playback.live, playback.credit()) == (False, True, Credit(None))
    playback.seek(2)
    assert playback.credit() == Credit(None)
    playback.hold()
    assert engine.work(playback.credit()) == 0
    playback.hold(False)
    playback.run_to_end(False)
    assert playback.credit() == Credit(5)
    playback.run_to_end()
    engine.work(playback.credit())
    assert playback.grown()
    assert playback.complete


# -- stepping into what is not computed yet -----------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"held": True}, {"look_ahead": 0}], ids=["held", "no look-ahead"])
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("example", EXAMPLES, ids="-".join)
def test_a_step_at_the_end_grants_exactly_one_unit(example, unit, settings):
    whole = recorded(*example)
    stops = list(range(len(whole) + 1)) if unit == "event" else History(whole).stops(unit).tolist()
    engine, playback = recording(whole, look_ahead=settings.get("look_ahead", 20_000))
    playback.hold(settings.get("held", False))
    assert engine.work(playback.credit()) == 0
    for stop in stops[1:]:
        playback.step(unit)
        assert playback.waits == ""
        while engine.work(playback.credit(), most=3):  # in pieces, as they come
            playback.grown()
            assert playback.at_end
        playback.halted()
        assert len(engine.trace) == playback.cursor == stop
        assert playback.pending is None
        assert engine.could(playback.credit()) == 0
    assert playback.complete
    playback.step(unit)
    assert playback.pending is None


def test_with_look_ahead_a_step_stops_where_it_should_although_more_comes():
    whole = recorded("fixed-confidence")
    stops = History(whole).stops("subroutine").tolist()
    engine, playback = recording(whole, events=3)
    playback.step("subroutine")
    assert playback.cursor == 3
    assert engine.work(playback.credit()) == len(whole) - 3
    assert playback.grown()
    assert playback.cursor == stops[1]
    assert playback.pending is None
    assert not playback.grown()


def test_a_halt_does_not_end_a_step_that_has_not_arrived():
    whole = synthetic_trace(small_instance(), loops=1, subroutines=2, rounds=1, probes=1)
    engine, playback = recording(whole, events=9)  # the first round is over
    playback.hold()
    playback.last()
    playback.step("round")
    engine.work(playback.credit(), most=2)  # its subroutine is, too
    playback.halted()
    assert playback.history.subroutines.finished.tolist() == [9]
    assert playback.pending == Credit(None, "round", 9)
    engine.work(playback.credit())
    playback.halted()
    assert (playback.cursor, playback.pending) == (18, None)
    playback.step("subroutine")
    playback.halted()  # a late word of the halt before
    assert playback.pending == Credit(None, "subroutine", 18)


def test_impatient_steps_do_not_pile_up():
    engine, playback = recording(events=4)
    playback.hold()
    for _ in range(5):
        playback.step("event")
    assert engine.work(playback.credit()) == 1
    playback.grown()
    assert playback.cursor == 5
    assert engine.could(playback.credit()) == 0


def test_a_step_back_takes_back_one_that_has_not_arrived():
    engine, playback = recording(events=30)
    playback.hold()
    playback.last()
    playback.step("event")
    playback.step("event", -1)
    assert (playback.cursor, playback.pending) == (30, None)
    assert engine.could(playback.credit()) == 0
    playback.step("event", -1)
    assert playback.cursor == 29


@pytest.mark.parametrize("move", [Playback.first, Playback.play, lambda playback: playback.step("event", -1)])
def test_a_move_drops_the_step_on_its_way(move):
    whole = recorded()
    _, playback = recording(whole, events=int(History(whole).stops("round")[2]) - 2)
    playback.hold()
    playback.last()
    playback.step("round")
    move(playback)
    assert playback.pending is None
    assert playback.credit() == Credit(0)


def test_a_run_that_was_stopped_keeps_nothing_waiting():
    whole = recorded()
    begin, end = History(whole).stops("round")[2:4].tolist()
    engine, playback = recording(whole, events=begin)
    playback.last()
    playback.step("round")
    engine.work(Credit(end - 1))
    playback.ended = True
    assert (playback.cursor, playback.pending) == (end - 1, None)
    assert not playback.complete
    playback.step("round")
    assert (playback.cursor, playback.pending) == (end - 1, None)
    playback.step("round", -1)
    assert playback.cursor == begin
    playback.play()
    while playback.playing:
        playback.tick(0.1)
    assert playback.cursor == end - 1
    playback.follow()
    assert not playback.live


# -- look-ahead ---------------------------------------------------------------------------------------------------


def test_the_engine_waits_for_the_cursor_and_says_so():
    engine, playback = recording(look_ahead=40)
    assert playback.waits == ""
    assert engine.work(playback.credit()) == 40
    playback.grown()
    assert playback.waits == "The engine is 40 events ahead of the cursor and waits for it."
    playback.seek(3)
    assert playback.waits == ""
    assert engine.work(playback.credit()) == 3
    playback.hold()
    assert playback.waits == "The engine is held: release it or step to go on."
    playback.ended = True
    assert playback.waits == ""


def test_without_look_ahead_playing_asks_for_one_event_at_a_time():
    whole = recorded("static-oracle")
    engine, playback = recording(whole, look_ahead=0)
    assert engine.work(playback.credit()) == 0
    assert playback.waits == "The engine computes only what the cursor asks for: play or step to go on."
    playback.play()
    shown = [0]
    while playback.playing:
        assert playback.waits == ""
        assert engine.work(playback.credit()) == 1
        playback.grown()
        while not playback.tick(0.05):
            pass
        shown.append(playback.cursor)
    assert shown == list(range(len(whole) + 1))


def test_a_wrong_look_ahead_is_refused():
    playback = replaying()
    for wrong in (-1, 1.5, True):
        with pytest.raises(InputError, match="at least 0"):
            playback.look_ahead = wrong
    assert playback.look_ahead == 20_000


def test_what_was_recorded_counts_when_it_was_taken_in():
    engine, playback = recording(events=20)
    playback.play()
    engine.work(Credit(None))
    playback.tick(10**6)
    assert (playback.cursor, playback.length, playback.complete, playback.playing) == (20, 20, False, True)
    playback.grown()
    assert (playback.length, playback.complete) == (len(engine.whole), True)


def test_it_works_without_qt():
    code = (
        "import sys, gems_gui.playback; print(sorted(m for m in sys.modules if m.startswith(('PySide6', 'pyqtgraph'))))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# -- whatever is pressed ------------------------------------------------------------------------------------------


class Transport(RuleBasedStateMachine):
    """Any buttons in any order, while an engine works as it is allowed to."""

    @initialize(example=st.sampled_from(EXAMPLES), look_ahead=st.sampled_from([0, 1, 10, 20_000]))
    def begin(self, example, look_ahead):
        self.engine, self.playback = recording(recorded(*example), look_ahead=look_ahead)

    @rule(most=st.integers(1, 80))
    def engine_works(self, most):
        self.engine.work(self.playback.credit(), most)
        before = self.playback.cursor
        assert self.playback.grown() == (self.playback.cursor != before)
        if not self.engine.could(self.playback.credit()):
            self.playback.halted()

    @rule(most=st.integers(1, 80))
    def engine_works_unseen(self, most):
        self.engine.work(self.playback.credit(), most)

    @rule(unit=st.sampled_from(UNITS), direction=st.sampled_from([1, -1]))
    def step(self, unit, direction):
        self.playback.step(unit, direction)
        assert not self.playback.playing

    @rule(unit=st.sampled_from(UNITS), part=st.floats(0, 1), first=st.sampled_from([1, -1]))
    def step_and_back(self, unit, part, first):
        playback = self.playback
        playback.seek(round(part * playback.length))
        playback.step(unit, -1)  # to a stop
        begin = playback.cursor
        if playback.at_end or (first < 0 and begin == 0):
            return
        playback.step(unit, first)
        playback.step(unit, -first)
        assert playback.cursor == begin

    @rule(part=st.floats(-0.2, 1.2))
    def seek(self, part):
        playing = self.playback.playing
        self.playback.seek(round(part * self.playback.length))
        assert self.playback.playing == playing or self.playback.ended
        assert not self.playback.live

    @rule()
    def last(self):
        self.playback.last()
        assert self.playback.cursor == len(self.engine.trace)

    @rule(ell=st.integers(1, 8), i=st.integers(1, 4), k=st.integers(1, 6))
    def go_to(self, ell, i, k):
        self.playback.grown()
        before = self.playback.cursor
        try:
            self.playback.go_to(ell, i, k)
        except InputError:
            assert self.playback.cursor == before
        else:
            place = self.playback.state.place
            assert (place.ell, place.i) == (ell, i)
            assert place.k <= k

    @rule()
    def toggle(self):
        playing = self.playback.playing
        self.playback.toggle()
        assert self.playback.playing != playing

    @rule(seconds=st.floats(0, 3))
    def tick(self, seconds):
        before = self.playback.cursor
        moved = self.playback.tick(seconds)
        assert moved == (self.playback.cursor != before)
        assert self.playback.cursor >= before or self.playback.loop is not None

    @rule(on=st.booleans())
    def follow(self, on):
        self.playback.follow(on)

    @rule(on=st.booleans())
    def hold(self, on):
        self.playback.hold(on)

    @rule(on=st.booleans())
    def run_to_end(self, on):
        self.playback.run_to_end(on)

    @rule(speed=st.sampled_from(SPEEDS))
    def speed(self, speed):
        self.playback.set_speed(speed)

    @rule(start=st.integers(0, 60), more=st.none() | st.integers(1, 60), on=st.booleans())
    def repeat(self, start, more, on):
        self.playback.loop = (start, None if more is None else start + more) if on else None

    @precondition(lambda self: len(self.engine.trace) > 150)
    @rule()
    def engine_fails(self):
        self.playback.ended = True

    @invariant()
    def the_cursor_is_in_the_trace(self):
        playback = self.playback
        assert 0 <= playback.cursor <= playback.length <= len(self.engine.trace)
        assert playback.state.cursor == playback.cursor

    @invariant()
    def live_is_at_the_newest_event(self):
        playback = self.playback
        assert not playback.live or (playback.at_end and playback.playing)
        assert not (playback.pending and playback.playing)

    @invariant()
    def nothing_waits_for_a_run_that_is_over(self):
        playback = self.playback
        if playback.ended:
            assert not playback.live
            assert playback.pending is None
            assert playback.waits == ""

    @invariant()
    def credit_is_what_the_look_ahead_allows(self):
        playback = self.playback
        credit = playback.credit()
        if playback.to_the_end and not playback.held:
            assert credit == Credit(None)
        elif credit.unit != "event":
            assert credit == playback.pending
        elif playback.held and playback.pending is None:
            assert self.engine.could(credit) == 0
        else:
            assert credit.limit <= playback.cursor + max(1, playback.look_ahead)

    @invariant()
    def it_says_that_the_engine_waits_only_if_it_does(self):
        if self.playback.waits:
            assert self.playback.waits.endswith(".")
            assert self.engine.could(self.playback.credit()) == 0
        elif (
            not self.playback.ended and self.playback.pending is None and self.playback.length == len(self.engine.trace)
        ):
            assert self.engine.could(self.playback.credit()) > 0


Transport.TestCase.settings = settings(max_examples=120, stateful_step_count=40)
test_whatever_is_pressed = Transport.TestCase
