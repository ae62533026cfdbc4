"""The transport without a window, whatever is pressed in whatever order."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gems_engine.conditions import (
    DimensionChanges,
    EventOfKind,
    PlaceReached,
    RecommendationChanges,
    SamplesPass,
    TargetEliminated,
)
from gems_engine.errors import InputError
from gems_gui.workbench import playback as playbacks
from gems_gui.workbench.playback import SPEEDS, UNITS, Credit
from tests.engine.finding import find_next, find_previous
from tests.gui.recorded_playback import EXAMPLES, recorded, recording

CONDITIONS = (
    TargetEliminated(),
    DimensionChanges(),
    RecommendationChanges(),
    SamplesPass(200),
    PlaceReached(2),
    PlaceReached(99),
    EventOfKind("run finished"),
)

# -- whatever is pressed ------------------------------------------------------------------------------------------


class Transport(RuleBasedStateMachine):
    """Any buttons in any order, while an engine works as it is allowed to."""

    def __init__(self):
        super().__init__()
        self.patch = pytest.MonkeyPatch()

    def teardown(self):
        self.patch.undo()

    @initialize(example=st.sampled_from(EXAMPLES), look_ahead=st.sampled_from([0, 1, 10, 20_000]))
    def begin(self, example, look_ahead):
        # What a search finds before its time is over decides what can be pressed next: a slow machine must not.
        self.patch.setattr(playbacks, "_SEARCH", 1e9)
        self.engine, self.playback = recording(recorded(*example), look_ahead=look_ahead)

    @rule(most=st.integers(1, 80))
    def engine_works(self, most):
        self.engine.work(self.playback.credit(), most)
        before = self.playback.cursor
        assert self.playback.catch_up() == (self.playback.cursor != before)
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
        self.playback.catch_up()
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
        moving = self.playback.moving
        self.playback.toggle()
        assert self.playback.moving != moving

    @rule(condition=st.sampled_from(CONDITIONS), forward=st.booleans())
    def run_until(self, condition, forward):
        playback = self.playback
        playback.catch_up()
        before = playback.cursor
        find = find_next if forward else find_previous
        expected = find(self.engine.trace, condition, before)
        playback.run_until(condition, forward)
        while playback.search is not None and not playback.search.exhausted:  # a loaded machine takes several looks
            playback.tick(0.0)
        assert not playback.playing
        if expected is not None:
            assert (playback.cursor, playback.search, playback.missed) == (expected, None, "")
        elif forward and not playback.ended:
            assert playback.cursor == playback.length
        else:
            assert playback.search is None
            assert playback.missed.endswith(".")
            assert playback.cursor == before

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
            assert playback.search is None
            assert playback.waits == ""

    @invariant()
    def it_stands_where_what_it_was_run_until_is_met_first(self):
        search = self.playback.search
        if search is not None:
            assert search.forward
            assert self.playback.at_end, "it goes with the engine"
            assert not self.playback.playing

    @invariant()
    def credit_is_what_the_look_ahead_allows(self):
        playback = self.playback
        credit = playback.credit()
        if playback.to_the_end and not playback.held:
            assert credit == Credit(None)
        elif credit.unit != "event":
            assert credit == playback.pending
        elif credit.until is not None:  # the engine looks for it, and halts there
            assert playback.held or playback.look_ahead < 20_000
            assert credit.until[0] == playback.search.condition
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
