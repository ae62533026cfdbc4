"""The transport without a window while time passes: playing, the loop, live."""

import math
from itertools import pairwise

import pytest

from gems_engine.errors import InputError
from gems_engine.history import History
from gems_gui.workbench.playback import SPEEDS, Credit
from tests.engine.synthetic_runs import small_instance, synthetic_trace
from tests.gui.recorded_playback import recorded, recording, replaying

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
    playback.catch_up()
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
    assert not playback.catch_up()
    assert playback.cursor == first
    playback.tick(0.5)
    assert first < playback.cursor < second
    playback.tick(0.5)
    assert playback.cursor == second


def test_a_round_that_is_being_computed_is_played_at_the_pace_of_the_one_before():
    whole = synthetic_trace(small_instance(), loops=1, subroutines=1, rounds=6)  # eight events in each round
    _, playback = recording(whole, events=5 + 8 + 4)
    playback.seek(5 + 8)
    playback.play()
    assert [playback.tick(1 / 13 / 2) for _ in range(9)] == [False, True] * 4 + [False]


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
    playback.catch_up()
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
        assert playback.catch_up()
        assert playback.at_end
        assert not playback.tick(1.0)
    assert playback.cursor == 31
    while engine.work(playback.credit()):
        playback.catch_up()
    assert playback.complete
    assert playback.at_end
    assert (playback.live, playback.playing) == (False, False)


@pytest.mark.parametrize(
    ("move", "playing"),
    [
        (lambda playback: playback.seek(4), True),
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
    playback.catch_up()
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
    assert playback.catch_up()
    assert playback.complete
