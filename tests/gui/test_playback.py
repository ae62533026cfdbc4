"""The transport without a window: where the cursor goes, and what the engine may compute."""

import subprocess
import sys

import pytest

from gems_engine.errors import InputError
from gems_engine.history import History
from gems_engine.terminal import THIN
from gems_gui.workbench.playback import UNITS, Credit, Playback
from tests.engine.synthetic_runs import same_states, small_instance, synthetic_trace
from tests.gui.recorded_playback import EXAMPLES, recorded, recording, replaying

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
    playback.seek(0)
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
    _, playback = recording(whole, events=int(whole.loop_starts[2]) - 1)
    playback.seek(7)
    refusals = {
        (3,): "The run has not reached ℓ 3 yet: it is at ℓ 2 · i 2 · k 7.",
        (2, 2, 1000): f"The run has not reached ℓ 2 · i 2 · k 1{THIN}000 yet: it is at ℓ 2 · i 2 · k 7.",
        (1, 1, 9): "This run has no ℓ 1 · i 1 · k 9: it has already reached ℓ 2 · i 2 · k 7.",
        (1, 10**30, 1): None,
        (0,): "ℓ must be a whole number of at least 1.",
        (1, 1.5): "i must be a whole number of at least 1.",
        (1, 1, True): "k must be a whole number of at least 1.",
        (1, None, 2): "To go to a round k, enter its call too.",
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
    with pytest.raises(InputError, match=r"Cannot go to ℓ 1 · i 1: the run has not reached a round yet\.$"):
        playback.go_to(1, 1)
    playback.ended = True
    with pytest.raises(InputError, match=r"Cannot go to ℓ 1: the run has no rounds\.$"):
        playback.go_to(1)


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
            playback.catch_up()
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
    assert playback.catch_up()
    assert playback.cursor == stops[1]
    assert playback.pending is None
    assert not playback.catch_up()


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
    assert (playback.cursor, playback.pending) == (20, None)
    playback.step("subroutine")
    playback.halted()  # a late word of the halt before
    assert playback.pending == Credit(None, "subroutine", 20)


def test_impatient_steps_do_not_pile_up():
    engine, playback = recording(events=4)
    playback.hold()
    for _ in range(5):
        playback.step("event")
    assert engine.work(playback.credit()) == 1
    playback.catch_up()
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


@pytest.mark.parametrize(
    "move", [lambda playback: playback.seek(0), Playback.play, lambda playback: playback.step("event", -1)]
)
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
    playback.catch_up()
    assert playback.waits == "The engine is waiting, 40 events ahead of the cursor."
    playback.seek(3)
    assert playback.waits == ""
    assert engine.work(playback.credit()) == 3
    playback.hold()
    assert playback.waits == "The engine is paused. Resume it or step to continue."
    playback.ended = True
    assert playback.waits == ""


def test_without_look_ahead_playing_asks_for_one_event_at_a_time():
    whole = recorded("static-oracle")
    engine, playback = recording(whole, look_ahead=0)
    assert engine.work(playback.credit()) == 0
    assert playback.waits == "The engine computes only what the cursor needs. Play or step to continue."
    playback.play()
    shown = [0]
    while playback.playing:
        assert playback.waits == ""
        assert engine.work(playback.credit()) == 1
        playback.catch_up()
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
    playback.catch_up()
    assert (playback.length, playback.complete) == (len(engine.whole), True)


def test_it_works_without_qt():
    code = (
        "import sys, gems_gui.workbench.playback\n"
        "print(sorted(m for m in sys.modules if m.startswith(('PySide6', 'pyqtgraph'))))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
