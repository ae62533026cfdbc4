"""Bars of a run that is one call of a subroutine: designs of all rounds, pulls by round, and many arms."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from gems_engine import events as ev
from gems_gui.series.design_weights import ALL, HISTORY, SUPPORT, weight_series
from gems_gui.series.sample_counts import BY_ROUND, EVERY, PULLED, count_series, count_text
from gems_gui.series.surviving_arms import INDEX
from gems_gui.snapshot import Snapshot
from gems_gui.theme import DARK, LIGHT
from tests.gui.one_call_runs import after, shown_by, snapshot_of, trace_of
from tests.gui.sample_runs import color_at, cut, point, same
from tests.gui.sample_runs import snapshot_of as strategy
from tests.gui.survival_runs import long_trace
from tests.gui.text_boxes import assert_texts_fit, settle


@pytest.fixture
def shown(qtbot):
    return shown_by(qtbot)


# -- designs of all rounds ----------------------------------------------------------------------------------------


def designs(trace, cursor):
    return [each for each in trace[:cursor] if isinstance(each, ev.DesignSolved)]


@pytest.mark.parametrize("name", ["gems-c", "gems-b", "rage", "static-oracle", "many"])
def test_all_rounds_are_those_of_the_events(name):
    trace = trace_of(name)
    for cursor in range(len(trace) + 1):
        snapshot = snapshot_of(name, cursor)
        series = weight_series(snapshot, INDEX, ALL)
        expected = designs(trace, cursor)
        assert series.rounds.k.tolist() == [each.place.k for each in expected]
        assert series.rounds.d.tolist() == [each.d for each in expected]
        for row, design in zip(series.rounds.weights, expected, strict=True):
            assert np.array_equal(np.flatnonzero(row), np.sort(design.support[design.weights > 0]))
            assert np.array_equal(row[design.support], design.weights)
        assert bool(series.placeholder) == (not expected)
        assert same(series, weight_series(cut(snapshot), INDEX, ALL))


def test_within_a_strategy_they_are_those_of_the_current_subroutine():
    snapshot = strategy("sphere")
    start = int(snapshot.history.subroutines.event[-1])
    rounds = weight_series(snapshot, INDEX, HISTORY).rounds
    assert rounds.k.tolist() == [each.place.k for each in designs(snapshot.trace, snapshot.cursor)[-len(rounds) :]]
    assert len(rounds) == sum(at >= start for at in snapshot.trace.positions(ev.DesignSolved).tolist())


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_cells_are_the_weights_of_every_round(shown, theme):
    view, card = shown("weights", theme, rounds=ALL)
    view.show(snapshot_of("gems-c"))
    image = settle(card, 700, 320)
    codes = view.plot.cells.image[::-1]
    weights = view.series.rounds.weights
    assert np.array_equal(codes > 0, weights > 0)
    order = np.argsort(weights, axis=None, kind="stable")
    assert (np.diff(codes.ravel()[order].astype(int)) >= 0).all()  # more weight is never a weaker colour
    top, height = view.plot._top()
    row = top - height * 2.5 / 3
    assert color_at(card, image, view.plot, 83.0, row) == theme.surviving.upper()  # λ_3 has all weight there
    empty = color_at(card, image, view.plot, 50.0, row)
    assert empty not in (theme.surviving.upper(), theme.card.upper())
    texts = {box.text for box in assert_texts_fit(card)}
    assert {"1", "2", "3"} <= texts
    assert view.plot.y_axis.labelText == "round k"
    words = view.plot.point_at(QPointF(point(view.plot, 83.0, row)))
    assert words == "arm 83: λ₃ = 1 in R¹"
    assert view.plot.point_at(QPointF(point(view.plot, 50.0, row))) == "arm 50: no weight in λ₃ in R¹"
    table = view.as_table()
    assert len(table.rows) == int((weights > 0).sum())


def test_the_history_lies_under_the_bars(shown):
    view, card = shown("weights")
    view.show(snapshot_of("gems-c", after("gems-c", ev.Allocated, 1)))
    settle(card, 700, 320)
    assert view.plot.cells.isVisible()
    top, height = view.plot._top()
    assert top < view.plot.base  # no cell lies on a bar
    assert view.plot.row_at(top - 0.25 * height) == 0
    assert view.plot.row_at(top - 0.75 * height) == 1
    assert view.plot.row_at(view.plot.base) is None
    first = designs(trace_of("gems-c"), 10)[0]
    heaviest = int(first.support[first.weights.argmax()])
    words = view.plot.point_at(QPointF(point(view.plot, heaviest, top - 0.25 * height)))
    assert words.startswith(f"arm {heaviest}: λ₁ = ")
    view.set_option("rounds", "this")
    assert not view.plot.cells.isVisible()
    settle(card, 700, 110)
    view.set_option("rounds", HISTORY)
    assert view.plot.strip == 0.0  # a low card has bars alone


# -- pulls by round -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gems-c", "gems-b", "many"])
def test_layers_are_the_pulls_of_each_round(name):
    trace = trace_of(name)
    for cursor in range(len(trace) + 1):
        snapshot = snapshot_of(name, cursor)
        series = count_series(snapshot, BY_ROUND, INDEX)
        pulled = [each.place.k for each in trace[:cursor] if isinstance(each, ev.Pulled)]
        assert [name for name, _ in series.layers] == [str(k) for k in pulled]
        total = sum((counts for _, counts in series.layers), np.zeros(len(trace.instance.arms), int))
        assert np.array_equal(total, snapshot.state.subroutine_counts)


def test_the_earliest_of_many_rounds_are_one_layer():
    snapshot = strategy("made up")
    k = len({each.place.k for each in snapshot.trace if isinstance(each, ev.Pulled) and each.place.k})
    assert k <= 8  # so that each has its own
    here = Snapshot.of(long_trace(25))
    series = count_series(here, BY_ROUND, INDEX)
    assert [name for name, _ in series.layers] == ["1–18", *map(str, range(19, 26))]
    total = sum(counts for _, counts in series.layers)
    assert np.array_equal(total, here.state.subroutine_counts)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_bars_by_round_end_at_the_pulls_up_to_it(shown, scale):
    view, card = shown("counts", shows=BY_ROUND, scale=scale)
    view.show(snapshot_of("gems-c"))
    settle(card, 700, 320)
    sums = np.cumsum([counts for _, counts in view.series.layers], axis=0)
    for at, counts in enumerate(sums):
        item = view.layers[len(sums) - 1 - at]  # what is later lies behind
        heights = view.plot.base + item.opts["height"]
        assert np.allclose(heights, counts[counts > 0] if scale == "linear" else np.log10(counts[counts > 0]))
        assert item.zValue() == 0
    assert view.legend.text().startswith("■ k 1   ■ k 2   ■ k 3")
    assert not len(view.run.opts["x"])
    assert count_text(view.snapshot, view.series, 83.0).startswith("arm 83: 813 pulls · k1: ")


# -- many arms ----------------------------------------------------------------------------------------------------


def test_support_only_leaves_out_the_other_arms(shown):
    view, card = shown("weights", arms=SUPPORT)
    view.show(snapshot_of("many", after("many", ev.Allocated, 1)))
    settle(card, 700, 320)
    design = view.snapshot.state.design
    support = np.sort(design.support)
    assert view.series.order.arms.tolist() == support.tolist(), "that of this round, not of all rounds"
    assert len(support) < view.series.rounds.support.sum() < 400
    assert view.weights.opts["x"].tolist() == list(range(len(support)))
    assert len(view.series.rounds) == 2
    assert view.plot.cells.image.shape[1] == len(support), "the history below shares the axis"
    view.set_option("rounds", ALL)
    assert view.series.order.arms.tolist() == np.flatnonzero(view.series.rounds.support).tolist()
    view.set_option("rounds", HISTORY)
    settle(card, 700, 320)
    assert view.plot.box.viewRange()[0][1] < len(support) + 1
    view.show(snapshot_of("many", 0))
    assert len(view.series.order) == 400  # nothing has weight yet
    counts, _ = shown("counts", arms=PULLED)
    counts.show(snapshot_of("many"))
    assert counts.series.order.arms.tolist() == np.flatnonzero(counts.snapshot.state.counts).tolist()
    assert count_series(counts.snapshot, "all", INDEX, EVERY).order.arms.tolist() == list(range(400))


def named(view):
    transform = view.plot.labels.sceneTransform() * view.plot.viewportTransform()
    return view.plot.labels.placed(transform)


def test_bars_of_many_arms_have_names_which_a_zoom_keeps(shown):
    view, card = shown("weights", size=(500, 260))
    view.show(snapshot_of("many", after("many", ev.Allocated)))
    settle(card, 500, 260)
    support = set(np.flatnonzero(view.series.weights).tolist())
    best = view.plot.order.best
    words, boxes = zip(*named(view), strict=True)
    assert {int(word) for word in words} <= support | {best, view.plot.order.recommended}
    assert str(int(view.series.weights.argmax())) in words
    for one in range(len(boxes)):
        assert not any(boxes[one].intersects(boxes[other]) for other in range(one))
    arm = sorted(support)[3]
    view.plot.box.setXRange(arm - 6, arm + 6)
    view.plot.settle()
    assert str(arm) in {word for word, _ in named(view)}
    assert view.plot.x_axis.tickValues(arm - 6, arm + 6, view.plot.box.width())[0][1]


def notch(plot, at, notches):
    """Turn the wheel over a place of the plot."""
    position = plot.mapFromScene(plot.box.mapViewToScene(QPointF(*at)))
    for _ in range(abs(notches)):
        angle = QPoint(0, 120 if notches > 0 else -120)
        turned = QWheelEvent(
            QPointF(position),
            QPointF(plot.viewport().mapToGlobal(position)),
            QPoint(),
            angle,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(plot.viewport(), turned)


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("name", ["weights", "counts"])
def test_the_wheel_zooms_along_the_arms_and_keeps_bars_whole(shown, name, scale):
    view, card = shown(name, size=(500, 320), scale=scale)
    view.show(snapshot_of("many", after("many", ev.Pulled)))
    settle(card, 500, 320)
    plot, whole = view.plot, view.plot.box.viewRange()
    values = view.series.weights if name == "weights" else view.series.run
    arm = int(np.flatnonzero(values)[np.argsort(values[values > 0])[0]])  # the smallest bar
    notch(plot, (arm, np.mean(whole[1])), 14)
    (left, right), (low, high) = plot.box.viewRange()
    assert left < arm < right
    assert right - left < 60
    foot = plot.base
    assert low < foot < high, "bars are seen from their foot on"
    seen = np.arange(400)[max(0, int(np.ceil(left))) : int(right) + 1]
    shares = view.series.shares if name == "weights" else values
    most = float(np.maximum(values, shares)[seen].max())
    tallest = max(np.log10(most), foot + 1.0) if scale == "log" else most
    assert tallest < high <= foot + 1.6 * (tallest - foot), "they fill the height that there is"
    plot.settle()
    words = {word for word, _ in named(view)}
    assert str(arm) in words or not plot._crowded()
    notch(plot, (arm, np.mean([low, high])), 8)
    plot.settle()
    (left, right), _ = plot.box.viewRange()
    inside = [float(each) for each in range(int(np.ceil(left)), int(right) + 1)]
    ticks = [at for _, level in plot.x_axis.tickValues(left, right, plot.box.width()) for at in level]
    assert set(inside) <= set(ticks), "every arm that is seen has its number at the axis"
    plot.show_all()
    assert plot.box.viewRange() == whole
    notch(plot, (arm, np.mean(whole[1])), 6)
    zoomed = plot.box.viewRange()
    view.show(snapshot_of("many"))
    assert plot.box.viewRange()[0] == zoomed[0], "a step keeps the zoom"
    assert plot.box.viewRange()[1][0] < plot.base


@pytest.mark.parametrize("name", ["weights", "counts"])
def test_the_wheel_goes_no_further_out_than_all_arms(shown, name):
    view, card = shown(name, size=(500, 320))
    view.show(snapshot_of("many", after("many", ev.Pulled)))
    settle(card, 500, 320)
    plot, whole = view.plot, view.plot.box.viewRange()
    notch(plot, (300.0, np.mean(whole[1])), -40)
    assert plot.box.viewRange() == whole
    assert not plot.zoomed, "it is as after a double click"
    notch(plot, (390.0, np.mean(whole[1])), 6)
    (first, last), (left, right) = whole[0], plot.box.viewRange()[0]
    assert first < left < right <= last
    middle = np.mean(plot.box.viewRange()[1])
    notch(plot, (left + 0.1 * (right - left), middle), -3)  # alone, this would end far to the right of the last arm
    (left, right), width = plot.box.viewRange()[0], right - left
    assert right - left > 1.2 * width
    assert right == pytest.approx(last)
    notch(plot, (np.mean([left, right]), middle), -40)
    assert plot.box.viewRange() == whole


def test_few_arms_are_named_by_the_axis_alone(shown):
    view, card = shown("weights")
    view.show(strategy("paper-hard"))
    settle(card, 700, 320)
    assert not view.plot.labels.labels


def test_what_is_recommended_is_marked_and_remains(shown):
    view, card = shown("counts")
    view.show(snapshot_of("gems-b"))
    settle(card, 700, 320)
    places = view.snapshot.instance.target_arms
    assert view.plot.order.recommended == places[view.snapshot.state.finished.recommendation]
    assert "◆ recommended" in view.legend.text()
    assert len(view.plot.recommended.getData()[0]) == 1
    for cursor in range(len(trace_of("gems-b")) + 1):
        snapshot = snapshot_of("gems-b", cursor)
        order = weight_series(snapshot, INDEX).order
        assert order.recommended is None or snapshot.state.fate_event[order.recommended] < 0
