"""The view of d_k: its numbers are those of the events, and what is painted is its numbers."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from gems_engine import events as ev
from gems_engine.terminal import with_indices
from gems_gui.appearance import Appearance
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.chosen_dimension import dimension_series, dimension_text
from gems_gui.series.folds import VISIBLE
from gems_gui.theme import LIGHT
from gems_gui.views.chosen_dimension import ChosenDimension
from tests.gui.sample_runs import RUNS, color_at, cursor_after, cut, point, run, same, snapshot_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle

ALL_RUNS = (*RUNS, "made up")
BEGINS = (ev.DimensionProbed, ev.DesignSolved, ev.Allocated, ev.IdleRounds)


def of_events(trace, cursor, scope):
    """(place, d, B, whether none fits) of every round, read event by event."""
    rounds, budget = [], None
    for event in trace[:cursor]:
        if isinstance(event, ev.SubroutineStarted):
            budget = event.selection_budget
            rounds = [] if scope == SUBROUTINE else rounds
        elif isinstance(event, BEGINS) and event.place.k:
            if not rounds or rounds[-1]["place"] != event.place:
                rounds.append({"place": event.place, "d": 0, "budget": budget, "unfit": False})
            if not isinstance(event, ev.DimensionProbed):
                rounds[-1]["d"] = event.d
        elif isinstance(event, ev.SubroutineFinished) and rounds and not rounds[-1]["d"]:
            rounds[-1]["unfit"] = True
    return rounds


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×320."""
    view = ChosenDimension(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    return view, card


# -- the numbers --------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6), st.sampled_from([RUN, SUBROUTINE]))
def test_numbers_are_those_of_the_events(name, at, scope):
    cursor = at % (len(run(name)) + 1)
    series = dimension_series(snapshot_of(name, cursor), scope)
    rounds = of_events(run(name), cursor, scope)
    assert series.d.tolist() == [each["d"] for each in rounds]
    assert series.budget.tolist() == [each["budget"] for each in rounds]
    assert series.unfit.tolist() == [row for row, each in enumerate(rounds) if each["unfit"]]
    assert series.current == len(rounds) - 1
    assert series.D == run(name).instance.D


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6), st.sampled_from([RUN, SUBROUTINE]), st.booleans())
def test_nothing_after_the_cursor_enters(name, at, scope, truth):
    snapshot = snapshot_of(name, at % (len(run(name)) + 1), truth=truth)
    assert same(dimension_series(snapshot, scope), dimension_series(cut(snapshot), scope))


def test_the_intrinsic_dimension_is_part_of_the_truth():
    assert dimension_series(snapshot_of("paper-hard"), RUN).d_star == 9
    assert dimension_series(snapshot_of("paper-hard", truth=False), RUN).d_star is None


def test_subroutines_and_rounds_have_their_names():
    snapshot = snapshot_of("fixed-budget", 200)
    places = dimension_series(snapshot, RUN).places
    rounds = of_events(run("fixed-budget"), 200, RUN)
    calls = list(dict.fromkeys((each["place"].ell, each["place"].i) for each in rounds))
    edges = dimension_series(snapshot, RUN).edges
    wide = set()
    for call in calls:
        here = [row for row, each in enumerate(rounds) if call == (each["place"].ell, each["place"].i)]
        begin, end = edges[here[0]], edges[here[-1] + 1]
        if end - begin >= VISIBLE:
            wide.add(((begin + end) / 2, f"i{call[0]} j{call[1]}"))
    assert set(places) == wide
    assert len(wide) < len(calls), "calls without a dimension are folded"
    cursor = cursor_after("made up", ev.IdleRounds)
    names = [name for _, name in dimension_series(snapshot_of("made up", cursor), SUBROUTINE).places]
    assert names == ["1", "2", "3", "4", "5–7"]


def test_an_axis_on_which_every_call_is_folded_names_them_together():
    together = []
    for name in ALL_RUNS:
        for cursor in range(1, min(len(run(name)), 40)):
            series = dimension_series(snapshot_of(name, cursor), RUN)
            assert bool(series.places) == bool(len(series.rounds)), (name, cursor)
            together += [words for _, words in series.places if " – " in words]
    assert "ℓ1 i1 – ℓ2 i2" in together


def test_words_tell_the_choice_or_that_there_is_none():
    cursor = cursor_after("paper-hard", ev.DesignSolved, 4)
    snapshot = snapshot_of("paper-hard", cursor)
    series = dimension_series(snapshot, RUN)
    design = run("paper-hard")[cursor - 1]
    place = f"ℓ{design.place.ell} i{design.place.i} k{design.place.k}"
    assert dimension_text(snapshot, series, middle(series, series.current)).startswith(
        f"{place}: d = {design.d}, cost "
    )
    assert dimension_text(snapshot, series, -0.1) == ""
    assert dimension_text(snapshot, series, series.edges[-1] + 0.1) == ""
    row = int(series.unfit[0])
    assert "no dimension fits B = " in dimension_text(snapshot, series, middle(series, row))
    probing = snapshot_of("paper-hard", cursor_after("paper-hard", ev.DimensionProbed, 0))
    words = dimension_text(probing, dimension_series(probing, RUN), 0.5)
    assert words.endswith(f": not chosen yet\nd = {probing.state.probes[0].d} over budget")


def middle(series, row):
    """The middle of a round on the axis."""
    return float(series.edges[row] + series.edges[row + 1]) / 2


def assert_steps(curve, values, edges):
    """The curve has each round's value from its beginning to its end, and points only where the value changes."""
    x, y = curve.getData()
    for part in (1e-6, 0.5, 1 - 1e-6):
        assert np.array_equal(np.interp(edges[:-1] + part * np.diff(edges), x, y), values, equal_nan=True)
    assert (x[0], x[-1]) == (0, edges[-1])
    changes = sum(not (one == other or np.isnan([one, other]).all()) for one, other in pairwise(values))
    assert len(x) == len(y) == 2 * (changes + 1)


# -- what is painted ----------------------------------------------------------------------------------------------


def test_steps_and_dots_are_the_numbers(shown):
    view, card = shown
    view.show(snapshot_of("paper-hard"))
    image = settle(card, 700, 320)
    series = dimension_series(view.snapshot, RUN)
    d = series.d
    assert_steps(view.steps, np.where(d > 0, d, np.nan), series.edges)
    assert view.dots.getData()[0].tolist() == [middle(series, row) for row in np.flatnonzero(d)]
    row = int(np.flatnonzero(d)[0])
    assert color_at(card, image, view.plot, middle(series, row), float(d[row])) == LIGHT.surviving
    assert color_at(card, image, view.plot, middle(series, len(d) - 1), float(d[-1])) == LIGHT.chosen
    stretches = [row for row in series.unfit.tolist() if row - 1 not in series.unfit.tolist()]
    assert view.unfit.getData()[0].tolist() == [middle(series, row) for row in stretches]


def test_level_lines_say_what_they_are(shown):
    view, card = shown
    view.show(snapshot_of("transductive"))
    settle(card, 700, 320)
    texts = [box.text for box in assert_texts_fit(card)]
    assert "D = 10" in texts
    assert "d⋆ = 4" in texts
    assert (view.D_line.line.value(), view.d_star_line.line.value()) == (10, 4)
    view.show(replace(view.snapshot, truth=False))
    texts = [box.text for box in assert_texts_fit(card)]
    assert "D = 10" in texts
    assert not any("d⋆" in text for text in texts)


def test_the_budget_has_an_axis_of_its_own_where_there_is_one(shown):
    view, card = shown
    view.show(snapshot_of("paper-hard"))
    settle(card, 700, 320)
    assert view.budget.axis.isVisible()
    logs = np.log10(view.series.budget)
    assert_steps(view.budget_line, logs, view.series.edges)
    low, high = view.budget.box.viewRange()[1]
    assert low < logs.min() <= logs.max() < high
    assert "B (right)" in view.legend.text()
    assert len(axis_texts(view.budget.axis)) > 2
    view.show(snapshot_of("paper-hard", cursor_after("paper-hard", ev.DimensionProbed)))
    settle(card, 700, 320)
    assert set(view.series.budget) == {1.0}
    assert axis_texts(view.budget.axis) == ["1"], "not 0.9, 1 and 1.1"


def test_scope_shows_this_subroutine_alone(shown):
    view, _ = shown
    view.show(snapshot_of("sphere"))
    rounds = len(view.series.d)
    view.set_option("scope", SUBROUTINE)
    assert len(view.series.d) < rounds
    low, high = view.plot.box.viewRange()[0]
    aside = pytest.approx(6 * view.plot.pixel[0])
    assert (-low, high - view.series.width) == (aside, aside), "a mark at an end is whole"
    assert view.plot.x_axis.labelText == "round k"
    assert view.head.subtitle.text().startswith("ℓ")
    assert view.head.subtitle.text().endswith(" · per round of this call")


def axis_texts(axis):
    return [text for *_, text in axis.generateDrawSpecs(None)[2]]


@pytest.mark.parametrize("name", ["sphere", "paper-hard"])
def test_every_tick_of_the_calls_has_its_name(shown, name):
    view, card = shown
    for width in range(300, 500, 20):
        settle(card, width, 320)
        view.show(snapshot_of(name))
        axis = view.plot.x_axis
        ticks = [value for _, values in axis.tickValues(*axis.range, axis.width() + 2) for value in values]
        assert axis_texts(axis) == [dict(view.series.places)[tick] for tick in ticks], width
        assert axis_texts(axis)[-1] == view.series.places[-1][1]
        boxes = [box for box, *_ in axis.generateDrawSpecs(None)[2]]
        assert all(one.right() + 5 <= other.left() for one, other in pairwise(boxes)), width


def test_before_the_first_round_the_instance_is_shown(shown):
    view, _ = shown
    view.show(snapshot_of("sphere", 0))
    assert not len(view.dots.getData()[0])
    assert view.plot.nothing_shown()[0] == "round 1 has not started"
    assert view.D_line.line.value() == 25
    view.show(None)
    assert not view.D_line.line.isVisible()
    assert view.plot.nothing_shown()[0] == with_indices(view.about)
    assert not view.plot.y_axis.tickValues(0.0, 1.0, 300), "0 and 1 are not dimensions of an instance"
    assert view.plot.point_at(QPointF(200, 100)) == ""


def test_the_mouse_is_told_the_round(shown):
    view, card = shown
    view.show(snapshot_of("sphere"))
    settle(card, 700, 320)
    words = view.plot.point_at(QPointF(point(view.plot, 10.5, 3.0)))
    assert words == dimension_text(view.snapshot, view.series, 10.5)
    assert words.startswith("ℓ")
