"""The view of the recommendations: they are those of the events, and τ is the summary's."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt

from gems_engine import events as ev
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_gui.appearance import Appearance
from gems_gui.series.recommendation import (
    LINEAR,
    LOG,
    cap_of,
    recommendation_series,
    recommendation_text,
    trajectory,
)
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views.recommendation import Recommendation
from tests.gui.sample_runs import RUNS, color_at, cursor_after, cut, point, run, same
from tests.gui.text_boxes import assert_texts_fit, card_of, settle

ALL = (*RUNS, "made up", "misspecified", "rage")


@cache
def trace_of(name):
    if name == "misspecified":
        return Run(make("paper-hard"), name, 1, epsilon=0.3, max_samples=1_000_000).finish()
    if name == "rage":
        return Run(make("paper-hard"), name, 1).finish()
    return run(name)


@cache
def history_of(name):
    return History(trace_of(name))


def snapshot_at(name, at=None, truth=True, target=None):
    trace = trace_of(name)
    picked = None if target is None else target % len(trace.instance.targets)
    state = trace.state_at(len(trace) if at is None else at % (len(trace) + 1))
    return Snapshot(trace, history_of(name), state, Selection.of_target(trace.instance, picked), truth)


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×320."""
    view = Recommendation(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    return view, card


# -- the numbers --------------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(st.sampled_from(ALL), st.integers(0, 10**6))
def test_the_path_is_that_of_the_summary(name, at):
    snapshot = snapshot_at(name, at)
    path, facts = trajectory(snapshot), summarise(cut(snapshot).trace)
    assert list(zip(path.samples.tolist(), path.targets.tolist(), strict=True)) == list(facts.trajectory)
    assert path.tau == facts.tau
    assert path.first_right == facts.first_right
    assert bool(path.right[-1:].any()) == facts.correct


@settings(max_examples=80)
@given(st.sampled_from(ALL), st.integers(0, 10**6), st.sampled_from([LINEAR, LOG]), st.booleans())
def test_nothing_after_the_cursor_enters(name, at, scale, truth):
    snapshot = snapshot_at(name, at, truth, target=3)
    assert same(recommendation_series(snapshot, scale), recommendation_series(cut(snapshot), scale))


@settings(max_examples=40)
@given(st.sampled_from(ALL), st.integers(0, 10**6), st.sampled_from([LINEAR, LOG]), st.booleans())
def test_stretches_follow_each_other_up_to_now(name, at, scale, truth):
    snapshot = snapshot_at(name, at, truth)
    series = recommendation_series(snapshot, scale)
    assert series.ends.tolist()[:-1] == series.path.samples.tolist()[1:]
    if len(series.ends):
        assert series.ends[-1] == snapshot.state.samples
        assert series.targets[series.rows[-1]] == snapshot.state.recommendation
    assert series.targets[series.rows].tolist() == series.path.targets.tolist()
    low, high = series.x_range
    assert ((low <= series.x(series.ends)) & (series.x(series.ends) <= high)).all()
    assert all(low <= series.x(mark.samples) <= high for mark in series.marks)


def test_rows_are_in_true_order_unless_that_is_hidden():
    snapshot = snapshot_at("misspecified")
    series = recommendation_series(snapshot, LINEAR)
    gaps = snapshot.instance.gaps[series.targets]
    assert len(gaps) >= 4
    assert (np.diff(gaps) >= 0).all()
    assert series.best == 0
    hidden = recommendation_series(replace(snapshot, truth=False), LINEAR)
    assert hidden.targets.tolist() == list(dict.fromkeys(series.path.targets.tolist()))
    assert hidden.best is None
    assert hidden.path.right is None
    assert not any("τ" in mark.words or "right" in mark.words for mark in hidden.marks)
    assert not any(word in " ".join(hidden.subtitle) for word in ("τ", "right", "wrong"))


def test_a_later_mistake_takes_tau_back():
    at = trace_of("misspecified").positions(ev.Recommended)
    first, then = (int(each) + 1 for each in at[2:4])
    paths = [trajectory(snapshot_at("misspecified", cursor)) for cursor in range(first, then + 400)]
    taus = [path.tau for path in paths]
    assert taus[0] is not None
    assert None in taus
    assert all(path.first_right == paths[0].first_right for path in paths)


def test_caps_have_the_names_of_their_algorithms():
    assert cap_of(snapshot_at("paper-hard")) == (100_000, "cap = 100\u202f000")
    assert cap_of(snapshot_at("fixed-budget")) == (20_000, "2T = 20\u202f000")
    alone = Run(make("paper-hard"), "gems-b", 1, budget=20_000).finish()
    assert cap_of(Snapshot.of(alone)) == (20_000, "T = 20\u202f000")
    assert cap_of(Snapshot.of(Run(make("paper-hard"), "static-oracle", 1).finish())) is None
    assert cap_of(snapshot_at("paper-hard", 0)) is None


def test_a_far_cap_does_not_squeeze_the_run():
    early, late = snapshot_at("paper-hard", 60), snapshot_at("paper-hard")
    assert early.state.samples < 50_000 < late.state.samples
    assert recommendation_series(early, LINEAR).x_range == (0.0, 1.03 * early.state.samples)
    assert recommendation_series(late, LINEAR).x_range == (0.0, 103_000.0)
    words = [[mark.words for mark in recommendation_series(each, LINEAR).marks] for each in (early, late)]
    assert ["cap" in " ".join(each) for each in words] == [False, True]
    assert "cap = 100" in recommendation_series(early, LINEAR).subtitle[0]


def test_becoming_verifiable_is_no_part_of_the_truth():
    cursor = cursor_after("made up", ev.BecameVerifiable)
    before, after = snapshot_at("made up", cursor - 1, False), snapshot_at("made up", cursor, False)
    marks = [[mark.words for mark in recommendation_series(each, LINEAR).marks] for each in (before, after)]
    assert marks == [[], ["verifiable"]]
    assert recommendation_series(after, LINEAR).marks[0].samples == run("made up")[cursor - 1].samples


def test_words_judge_by_the_goal():
    snapshot = snapshot_at("paper-hard")
    series = recommendation_series(snapshot, LINEAR)
    first, last = (recommendation_text(snapshot, series, float(x)) for x in series.path.samples)
    gap = snapshot.instance.gaps[series.path.targets[0]]
    assert first.endswith(f"wrong, gap {gap:.3g}")
    assert f"from 0 to {series.path.samples[1]:,}".replace(",", "\u202f") in first
    assert last.endswith("right, the true best")
    assert recommendation_text(snapshot, series, -1.0) == ""
    assert recommendation_text(snapshot, series, 1.01 * snapshot.state.samples) == ""
    hidden = replace(snapshot, truth=False)
    assert "right" not in recommendation_text(hidden, recommendation_series(hidden, LINEAR), 0.0)
    loose = snapshot_at("misspecified")
    words = recommendation_text(loose, recommendation_series(loose, LINEAR), float(loose.state.samples))
    assert words.endswith("≤ 2ε = 0.6")


# -- what is painted ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [LINEAR, LOG])
def test_right_and_wrong_have_their_colours(shown, scale):
    view, card = shown
    view.set_option("scale", scale)
    view.show(snapshot_at("paper-hard"))
    image = settle(card, 700, 320)
    series = view.series
    begin, end = series.x(series.path.samples), series.x(series.ends)
    assert view.wrong.getData()[0].tolist() == [begin[0], end[0]]
    assert view.right.getData()[0].tolist() == [begin[1], end[1]]
    assert view.steps.getData()[0].tolist() == [begin[1], begin[1]]
    for at, role in ((0, LIGHT.now), (1, LIGHT.chosen)):
        x, y = (0.7 * begin[at] + 0.3 * end[at]), series.rows[at] + 0.5
        assert color_at(card, image, view.plot, x, y) == role
    assert view.current.getData()[0].tolist() == [end[-1]]
    assert color_at(card, image, view.plot, end[-1], series.rows[-1] + 0.5) == LIGHT.chosen
    assert bool(view.plot.x_axis.logMode) == (scale == LOG)


def test_one_colour_where_the_truth_is_hidden(shown):
    view, card = shown
    view.show(snapshot_at("paper-hard", truth=False))
    image = settle(card, 700, 320)
    series = view.series
    assert not len(view.right.getData()[0])
    assert not len(view.wrong.getData()[0])
    assert not len(view.best.getData()[0])
    for at in range(2):
        x = 0.7 * series.path.samples[at] + 0.3 * series.ends[at]
        assert color_at(card, image, view.plot, x, series.rows[at] + 0.5) == LIGHT.surviving
    texts = " ".join(box.text for box in assert_texts_fit(card))
    assert not any(word in texts for word in ("τ", "right", "wrong", "true"))


@pytest.mark.parametrize("scale", [LINEAR, LOG])
def test_marks_say_what_they_are(shown, scale):
    view, card = shown
    view.set_option("scale", scale)
    view.show(snapshot_at("misspecified"))
    settle(card, 700, 320)
    texts = [box.text for box in assert_texts_fit(card)]
    tau = trajectory(view.snapshot).tau
    assert f"τ = {tau:,}".replace(",", "\u202f") in texts
    assert "cap = 1\u202f000\u202f000" in texts
    assert "first right" in texts
    lines = [line.value() for line in view.uprights.lines if line.isVisible()]
    assert lines == [float(view.series.x(mark.samples)) for mark in view.series.marks]


def test_names_of_marks_never_lie_on_each_other(qtbot):
    theme = LIGHT.scaled(1.5)
    view = Recommendation(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    for name in ALL:
        for cursor in range(5, len(trace_of(name)), max(1, len(trace_of(name)) // 7)):
            view.show(snapshot_at(name, cursor))
            settle(card, 360, 220)
            assert_texts_fit(card)


def test_the_picked_target_is_marked_and_can_be_picked(shown, qtbot):
    view, card = shown
    view.show(snapshot_at("transductive"))
    settle(card, 700, 320)
    row = 1
    place = point(view.plot, 0.5 * view.snapshot.state.samples, row + 0.5)
    with qtbot.waitSignal(view.target_picked) as signal:
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    target = int(view.series.targets[row])
    assert signal.args == [target]
    assert not len(view.band.opts["height"])
    view.show(snapshot_at("transductive", target=target))
    assert list(view.band.opts["y0"]) == [float(row)]
    with qtbot.waitSignal(view.target_picked) as signal:
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert signal.args == [None]


def test_the_mouse_is_told_the_recommendation(shown):
    view, card = shown
    view.show(snapshot_at("paper-hard"))
    settle(card, 700, 320)
    words = view.plot.point_at(QPointF(point(view.plot, 20_000, 0.5)))
    assert words == recommendation_text(view.snapshot, view.series, 20_000)
    assert words.startswith("x_1 from 0 to ")


def test_no_run_and_no_recommendation_are_empty_plots(shown):
    view, _ = shown
    view.show(snapshot_at("sphere", 1))
    assert view.plot.nothing_shown()[0] == "no recommendation yet"
    assert not len(view.current.getData()[0])
    view.show(snapshot_at("sphere"))
    assert len(view.current.getData()[0]) == 1
    view.show(None)
    for item in (view.steps, view.right, view.wrong, view.unjudged, view.current, view.best):
        assert not len(item.getData()[0])
    assert not any(line.isVisible() for line in view.uprights.lines)
    assert view.plot.point_at(QPointF(200, 100)) == ""


@pytest.mark.parametrize("width", [330, 420, 700])
def test_no_line_crosses_the_name_of_another(qtbot, width):
    """The budget and τ are near each other."""
    view = Recommendation(Appearance(LIGHT))
    card = card_of(view, view.theme)
    qtbot.addWidget(card)
    trace = Run(make("paper-hard", epsilon=0.3), "fixed-budget", 1, budget=20_000).finish()
    view.show(Snapshot.of(trace, len(trace)))
    settle(card, width, 230)
    names = [name for name in view.uprights.names if name.isVisible()]
    assert len(names) == 2
    for name in names:
        assert name.fill.color() == LIGHT.color("card"), "what is behind it does not show"
        assert all(name.zValue() > line.zValue() for line in view.uprights.lines)
