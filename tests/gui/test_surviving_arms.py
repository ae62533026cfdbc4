"""The series of the survivors: its raster against the events themselves, orders, the axis, words."""

from dataclasses import dataclass, field, fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine import events as ev
from gems_engine.events import Place
from gems_engine.trace import Trace
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.fate_raster import BEFORE, NOW, SURVIVING, UNDECIDED
from gems_gui.series.folds import VISIBLE
from gems_gui.series.surviving_arms import (
    ESTIMATE,
    EVENTS,
    INDEX,
    REWARD,
    ROUNDS,
    SAMPLES,
    survival_series,
    survival_text,
)
from gems_gui.snapshot import Snapshot
from tests.gui.survival_runs import at, cursors, raster, snapshot_of, trace_of, worded_trace

# -- the same, told again from the events -----------------------------------------------------------------------


@dataclass
class Told:
    place: Place
    begin: int
    gone_before: set
    left: int
    gone: set = field(default_factory=set)
    end: int | None = None
    drawn: int = 0


def retold(events, targets):
    """Subroutines, each a list of its rounds."""
    subroutines, gone, asked = [[]], set(), 0  # the first for what is in none
    for index, event in enumerate(events):
        rounds = subroutines[-1]
        now = rounds[-1] if rounds else None
        if isinstance(event, ev.SubroutineStarted):
            rounds, now, gone = [], None, set()
            subroutines.append(rounds)
        begins = isinstance(event, ev.DimensionProbed | ev.DesignSolved | ev.Allocated | ev.IdleRounds)
        if begins and event.place.k and (now is None or now.place != event.place):
            now = Told(event.place, index, set(gone), targets - len(gone))
            rounds.append(now)
        if isinstance(event, ev.Allocated):
            asked = int(event.counts.sum())
        if event.place.k and isinstance(event, ev.Pulled):
            now.drawn = asked
        if isinstance(event, ev.IdleRounds):
            now.drawn, now.end = event.drawn, index + 1
        if isinstance(event, ev.Eliminated):
            now.gone = set(event.targets.tolist())
            gone |= now.gone
            now.left, now.end = event.left, index + 1
        if isinstance(event, ev.SubroutineFinished | ev.RunFinished) and now is not None and now.end is None:
            now.end = index + 1
    return subroutines


def column(told, targets):
    alive = UNDECIDED if told.end is None else SURVIVING
    return [BEFORE if z in told.gone_before else NOW if z in told.gone else alive for z in range(targets)]


@given(cursors, st.sampled_from([RUN, SUBROUTINE]))
@settings(max_examples=60)
def test_the_raster_is_what_the_events_say(place, scope):
    name, part = place
    snapshot = snapshot_of(name, at(name, part))
    targets = len(snapshot.instance.targets)
    told = retold(snapshot.trace[: snapshot.cursor], targets)
    rounds = [one for each in (told if scope == RUN else told[-1:]) for one in each]
    series = survival_series(snapshot, scope, INDEX, ROUNDS)
    assert len(series.rounds) == len(rounds)
    assert series.waits == (not rounds and snapshot.waits)
    assert series.survivors.tolist() == ([targets] if series.waits else [one.left for one in rounds])
    if not rounds:
        return
    assert series.undecided == (rounds[-1].end is None)
    assert all(one.end is not None for one in rounds[:-1])
    codes, shown = raster(snapshot, series)
    rows, first = np.unique(shown, return_index=True)  # folded rounds are narrower, so that others have several columns
    assert rows.tolist() == list(range(len(rounds)))
    assert codes.T[first].tolist() == [column(one, targets) for one in rounds]
    by_events = survival_series(snapshot, scope, INDEX, EVENTS)
    widths = [(snapshot.cursor if one.end is None else one.end) - one.begin for one in rounds]
    assert np.diff(by_events.edges).tolist() == widths
    by_samples = np.diff(survival_series(snapshot, scope, INDEX, SAMPLES).edges)
    drawn = [one.drawn for one in rounds]
    if any(drawn):
        known = slice(None, -1 if series.undecided and not drawn[-1] else None)
        assert by_samples[known] == pytest.approx(drawn[known], rel=1e-12, abs=1e-6)
    assert by_samples[-1] > 0 or not series.undecided


@given(cursors, st.sampled_from([RUN, SUBROUTINE]), st.sampled_from([ROUNDS, EVENTS, SAMPLES]))
@settings(max_examples=40)
def test_nothing_after_the_cursor_enters(place, scope, axis):
    name, part = place
    whole = snapshot_of(name, at(name, part))
    cut = Trace(whole.instance)
    cut.extend(whole.trace[: whole.cursor])
    alone = Snapshot.of(cut)
    for order in (REWARD, ESTIMATE, INDEX):
        one, other = (survival_series(snapshot, scope, order, axis) for snapshot in (whole, alone))
        for each in fields(one):
            a, b = getattr(one, each.name), getattr(other, each.name)
            if each.name == "rounds":
                assert (a.first, a.last, a.subroutines) == (b.first, b.last, b.subroutines)
            elif each.name != "fates":  # compared below, as a raster
                assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, each.name
    if not len(one.rounds):
        return
    assert np.array_equal(raster(whole, one, columns=300)[0], raster(alone, other, columns=300)[0])
    for x in np.linspace(0, one.edges[-1], 23):
        for y in range(0, len(one.order), 3):
            assert survival_text(whole, one, x, y + 0.5) == survival_text(alone, other, x, y + 0.5)


# -- order ------------------------------------------------------------------------------------------------------


@given(cursors)
def test_orders(place):
    name, part = place
    snapshot = snapshot_of(name, at(name, part))
    instance = snapshot.instance
    by_reward = survival_series(snapshot, RUN, REWARD, ROUNDS)
    assert (np.diff(instance.gaps[by_reward.order]) >= 0).all()
    assert by_reward.best == 0
    assert by_reward.order[0] == instance.best
    estimates = [event.theta for event in snapshot.trace[: snapshot.cursor] if isinstance(event, ev.Estimated)]
    by_estimate = survival_series(snapshot, RUN, ESTIMATE, ROUNDS)
    if not estimates:
        assert by_estimate.order.tolist() == list(range(len(instance.targets)))
        return
    values = instance.targets[:, : len(estimates[-1])] @ estimates[-1]
    expected = sorted(range(len(values)), key=lambda z: (-values[z], z))
    assert by_estimate.order.tolist() == expected
    if len(by_reward.rounds):
        in_order = raster(snapshot, by_estimate)[0]
        by_index = raster(snapshot, survival_series(snapshot, RUN, INDEX, ROUNDS))[0]
        assert np.array_equal(in_order, by_index[expected])


def test_the_truth_can_be_hidden():
    snapshot = replace(snapshot_of("sphere"), truth=False)
    series = survival_series(snapshot, RUN, REWARD, ROUNDS)
    assert series.order.tolist() == list(range(30))
    assert series.best is None
    assert all("by index" in said for said in series.subtitle[:2])
    assert not any("reward" in said for said in series.subtitle)
    assert survival_series(snapshot_of("sphere"), RUN, REWARD, ROUNDS).order.tolist() != list(range(30))


# -- the axis ---------------------------------------------------------------------------------------------------


def test_the_axis_keeps_room_for_the_rounds_that_are_planned():
    trace = trace_of("hard")
    widths = set()
    for cursor in range(int(trace.subroutine_starts[-1]) + 1, len(trace) + 1):
        series = survival_series(snapshot_of("hard", cursor), SUBROUTINE, REWARD, ROUNDS)
        widths.add(series.width)
        assert [name for _, name in series.places] == ["1", "2", "3", "4"]
        assert [x for x, _ in series.places] == [0.5, 1.5, 2.5, 3.5]
    assert widths == {4.0}


def test_subroutines_have_names_and_boundaries_in_the_whole_run():
    snapshot = snapshot_of("hard")
    series = survival_series(snapshot, RUN, REWARD, ROUNDS)
    told = [each for each in retold(snapshot.trace, 10) if each]
    rows = np.cumsum([0, *(len(each) for each in told)])
    assert series.boundaries.tolist() == series.edges[rows[1:-1]].tolist()
    wide = np.diff(series.edges[rows]) >= VISIBLE
    names = [f"ℓ{each[0].place.ell} i{each[0].place.i}" for each, shown in zip(told, wide, strict=True) if shown]
    assert [name for _, name in series.places] == names
    named = [name for _, name in survival_series(snapshot_of("budget"), RUN, REWARD, ROUNDS).places]
    assert named[0].startswith("i")
    assert " j" in named[0]


def test_idle_rounds_are_one_column():
    snapshot = snapshot_of("idle")
    series = survival_series(snapshot, SUBROUTINE, INDEX, ROUNDS)
    assert len(series.rounds) == 5
    assert series.places[:5][-1] == (5.5, "5–7")  # as wide as three rounds
    words = survival_text(snapshot, series, 5.5, float(np.flatnonzero(series.order == snapshot.state.survivors[0])[0]))
    assert "k5–7 · survives, |Ŝ_8| = " in words
    assert "idle" in words


# -- words ------------------------------------------------------------------------------------------------------


def test_hovering_tells_the_fate_and_its_numbers():
    snapshot = Snapshot.of(worded_trace())
    series = survival_series(snapshot, SUBROUTINE, REWARD, ROUNDS)

    def words(x, y):
        return survival_text(snapshot, series, x, y)

    assert words(0.5, 4.5) == "arm 4 · ℓ5 i1 k1 · eliminated by arm 0: gap 0.83 ≥ ω = 0.41"
    assert words(0.5, 0.5) == "arm 0 · ℓ5 i1 k1 · survives, |Ŝ_2| = 4"
    assert words(1.5, 0.5) == "arm 0 · ℓ5 i1 k2 · being decided, |Ŝ_2| = 4"
    assert words(1.5, 4.5) == "arm 4 · ℓ5 i1 k2 · eliminated in k1 by arm 0: gap 0.83 ≥ ω = 0.41"
    assert [words(2.5, 0.5), words(0.5, 5.5), words(-0.1, 0.5), words(0.5, -0.1)] == [""] * 4


def test_the_rule_of_halving_widths_and_names_of_arms_are_said():
    snapshot = Snapshot.of(worded_trace(0.5, ["a", "b", "c", "d", "the last of all arms"]))
    series = survival_series(snapshot, SUBROUTINE, REWARD, ROUNDS)
    words = survival_text(snapshot, series, 0.5, 4.5)
    assert words == "the last of all arms · ℓ5 i1 k1 · eliminated by a: gap 0.83 ≥ 2⁻¹ = 0.5"
    assert [name for _, name in series.names] == ["a", "b", "c", "d", "the la…arms"]


def test_an_algorithm_without_subroutines_has_its_round():
    snapshot = snapshot_of("static")
    for scope in (RUN, SUBROUTINE):
        series = survival_series(snapshot, scope, REWARD, ROUNDS)
        assert series.places == [(0.5, "1")]
        assert survival_text(snapshot, series, 0.5, 0.5).endswith("k1 · survives, |Ŝ_2| = 10: no elimination rule")
        assert series.subtitle == (
            "arms by true reward · one column per round",
            "arms by true reward",
            "by true reward",
        )


def test_targets_that_are_no_arms_are_called_targets():
    series = survival_series(snapshot_of("transductive"), SUBROUTINE, REWARD, ROUNDS)
    assert series.y_label == "target"
    assert survival_text(snapshot_of("transductive"), series, 0.0, 0.5).startswith("target ")
    assert survival_series(snapshot_of("sphere"), SUBROUTINE, REWARD, ROUNDS).y_label == "arm"
