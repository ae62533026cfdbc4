"""Views of a run that is one call of a subroutine: they know its rounds by k alone, and show all of them."""

import re
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from gems_engine import events as ev
from gems_engine.conditions import CONDITIONS
from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.terminal import number
from gems_engine.wording import ONE_CALL, place_text
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import Draft
from gems_gui.painting.cursor_parser import cursor_at
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.chosen_dimension import OVER, dimension_series
from gems_gui.series.design_weights import ALL, HISTORY, SUPPORT, weight_series
from gems_gui.series.event_list import EventList
from gems_gui.series.sample_counts import BY_ROUND, EVERY, PULLED, count_series, count_text
from gems_gui.series.scrubber import position_text
from gems_gui.series.status import status
from gems_gui.series.surviving_arms import INDEX, ROUNDS, survival_series
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.transport.go_to import GoTo
from gems_gui.transport.run_until import RunUntil
from gems_gui.views import VIEWS
from tests.gui.sample_runs import color_at, cut, point, same
from tests.gui.sample_runs import snapshot_of as strategy
from tests.gui.survival_runs import long_trace
from tests.gui.text_boxes import assert_texts_fit, card_of, settle, text_boxes
from tests.gui.window_driver import driven

COUNTERS = re.compile(r"ℓ ?\d|\b[ij] ?\d")
"""Counters of subroutines: «ℓ1», «i 1»."""
PARAMETERS = {
    "gems-c": {"rounds": 8, "selection_budget": 60.0},
    "gems-b": {"rounds": 6, "selection_budget": 60.0, "budget": 6000},
    "gems-m": {"rounds": 4, "selection_budget": 60.0, "max_samples": 100_000},
    "rage": {"max_samples": 100_000},
    "rage-oracle": {"max_samples": 100_000},
    "static-oracle": {},
}


@cache
def trace_of(name):
    """A run of 3 rounds in R^4, R^4 and R^1 for gems-c; ``many`` has 400 arms, ``idle`` goes on with one."""
    if name == "many":
        return Run(make("sphere", n=400, D=12), "gems-c", 1, rounds=4, selection_budget=150.0).finish()
    if name == "idle":
        return Run(make("paper-hard"), "gems-c", 1, rounds=8, selection_budget=3000.0, literal=True).finish()
    return Run(make("sphere"), name, 1, **PARAMETERS[name]).finish()


def snapshot_of(name, cursor=None, **rest):
    return Snapshot.of(trace_of(name), cursor, **rest)


def after(name, kind, which=0):
    return int(trace_of(name).positions(kind)[which]) + 1


@pytest.fixture
def shown(qtbot):
    """Makes a view in its card."""

    def made(name, theme=LIGHT, size=(700, 320), **options):
        view = VIEWS[name](Appearance(theme))
        card = card_of(view, theme)
        qtbot.addWidget(card)
        settle(card, *size)
        for option, value in options.items():
            view.set_option(option, value)
        return view, card

    return made


# -- rounds have no counter but k ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARAMETERS)
def test_no_line_names_the_only_call(name):
    trace = trace_of(name)
    snapshot, listed = snapshot_of(name), EventList(trace)
    for cursor in range(1, len(trace) + 1):
        here = Snapshot(trace, snapshot.history, trace.state_at(cursor))
        event = trace[cursor - 1]
        said = [str(status(here)), position_text(snapshot.history, cursor), place_text(event.place, name)]
        said += listed.line(event)[:1]
        assert not any(COUNTERS.search(words) for words in said), said
        assert (f"k {event.place.k}" in place_text(event.place, name)) == bool(event.place.k)
        assert status(here).place


def test_every_one_call_algorithm_is_tried():
    assert set(PARAMETERS) == set(ONE_CALL)


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_names_the_only_call(shown, view):
    trace = trace_of("gems-c")
    made, card = shown(view)
    for cursor in (1, 3, 6, 12, 20, len(trace)):
        snapshot = snapshot_of("gems-c", cursor, selection=Selection.of_arm(trace.instance, 10))
        made.show(snapshot.with_runs([snapshot, snapshot]) if view.startswith("compare") else snapshot)
        settle(card, 700, 320)
        texts = [box.text for box in text_boxes(card)]
        assert not any(COUNTERS.search(text) for text in texts), texts
        if made.has_numbers and made.series is not None:
            assert not {"ℓ", "i", "j"} & set(made.as_table().columns)


def test_a_place_is_a_round_where_there_is_one_call():
    trace = trace_of("gems-c")
    assert cursor_at(trace, "k=2") == after("gems-c", ev.Eliminated, 1)
    with pytest.raises(InputError, match=r"the run never comes there; its last round is k 3\.$"):
        cursor_at(trace, "k=7")
    with pytest.raises(InputError, match=r"as in k=3\.$"):
        cursor_at(trace, "m=7")
    snapshot = snapshot_of("gems-c", 20)
    kind = CONDITIONS["place"]
    condition = kind(**kind.suggested(trace, snapshot.state))
    assert condition.words(trace.instance, "gems-c") == "k 3 starts"


# -- the axis of rounds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gems-c", "gems-b", "gems-m", "idle"])
def test_columns_keep_their_room_until_the_end(name):
    planned = next(event.rounds for event in trace_of(name) if isinstance(event, ev.SubroutineStarted))
    for cursor in range(after(name, ev.SubroutineStarted), len(trace_of(name)) + 1):
        snapshot = snapshot_of(name, cursor)
        for series in (survival_series(snapshot, RUN, INDEX, ROUNDS), dimension_series(snapshot, RUN)):
            assert series.width == planned
            done = [text for _, text in series.places]
            assert done[-1].split("–")[-1] == str(planned)
            assert [x for x, _ in series.places] == sorted(x for x, _ in series.places)


def test_idle_rounds_are_as_wide_as_they_are_many():
    snapshot = snapshot_of("idle")
    idle = next(event for event in trace_of("idle") if isinstance(event, ev.IdleRounds))
    assert idle.last == 8
    series = survival_series(snapshot, SUBROUTINE, INDEX, ROUNDS)
    assert np.diff(series.edges).tolist() == [1.0] * (idle.first - 1) + [idle.last - idle.first + 1]
    assert not series.even
    assert series.places[-1] == ((idle.first - 1 + 8) / 2, f"{idle.first}–8")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_round_has_a_tick_and_d_begins_at_one(shown, theme):
    view, card = shown("dimension", theme)
    view.show(snapshot_of("gems-c"))
    settle(card, 700, 320)
    ticks = view.plot.x_axis.tickValues(*view.plot.box.viewRange()[0], view.plot.box.width())[0][1]
    assert ticks == [k - 0.5 for k in range(1, 9)]
    texts = [box.text for box in assert_texts_fit(card)]
    assert {"1", "D = 25", "d⋆ = 5", *map(str, range(1, 9))} <= set(texts)
    assert view.plot.x_axis.labelText == "round k"
    low = view.plot.box.viewRange()[1][0]
    pixel = (view.plot.box.viewRange()[1][1] - low) / view.plot.box.height()
    assert low < 1.0 <= low + 12 * pixel  # nothing but room for a mark lies below 1
    assert "0" not in texts
    assert not view.budget.axis.isVisible()


def test_d_begins_at_one_in_a_strategy_too(shown):
    view, card = shown("dimension")
    view.show(strategy("paper-hard"))
    settle(card, 700, 320)
    assert view.plot.y_axis.lowest == 1.0
    assert view.budget.axis.isVisible()  # B is another in each subroutine
    assert view.series.constant is None
    assert len(view.series.unfit)
    low = view.plot.box.viewRange()[1][0]
    assert all(low < y < 1.0 for y in view.unfit.getData()[1])


# -- a constant B -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gems-c", "gems-b", "gems-m"])
def test_the_line_of_b_lies_under_the_first_dimension_that_costs_more(name):
    trace = trace_of(name)
    snapshot = snapshot_of(name)
    series = dimension_series(snapshot, RUN)
    assert series.constant == 60.0
    found = 0
    for row, d in enumerate(series.d.tolist()):
        k = int(snapshot.history.rounds.k[row])
        over = {each.d for each in trace if isinstance(each, ev.DimensionProbed) and each.place.k == k}
        over = {each.d for each in trace if getattr(each, "verdict", "") == OVER and each.place.k == k} & over
        if np.isnan(series.ceiling[row]):
            assert not over
        else:
            assert series.ceiling[row] == d + 0.5
            assert min(over) == d + 1
            found += 1
    assert found


def test_within_one_subroutine_of_a_strategy_b_is_a_line_too(shown):
    view, card = shown("dimension", scope=SUBROUTINE)
    view.show(strategy("sphere", 100))
    settle(card, 700, 320)
    assert view.series.constant == 64.0
    assert not view.budget.axis.isVisible()
    assert view.ceiling.getData()[1].tolist() == [4.5, 4.5]
    assert view.head.subtitle.text() == "ℓ7 i1 · B = 64 · per round of this subroutine"


def test_the_line_of_b_is_drawn_and_named(shown):
    view, card = shown("dimension")
    view.show(snapshot_of("gems-c"))
    image = settle(card, 700, 320)
    x, y = view.ceiling.getData()
    assert (x.tolist(), y.tolist()) == ([0.0, 2.0, 2.0, 3.0], [4.5, 4.5, 1.5, 1.5])
    assert "over budget, B = 60" in view.legend.text()
    assert color_at(card, image, view.plot, 1.0, 15.0) != LIGHT.card
    assert color_at(card, image, view.plot, 5.0, 15.0) == LIGHT.card
    assert view.head.subtitle.text() == "gems-c · B = 60 · per round"


# -- the first steps ----------------------------------------------------------------------------------------------


def test_probes_are_drawn_as_they_come(shown):
    view, _ = shown("dimension")
    trace = trace_of("gems-c")
    first = after("gems-c", ev.DimensionProbed)
    for cursor in range(first, first + 5):
        view.show(snapshot_of("gems-c", cursor))
        probes = trace[first - 1 : cursor]
        over = sorted(each.d for each in probes if each.verdict == OVER)
        fits = sorted(each.d for each in probes if each.verdict != OVER)
        assert view.over.getData()[1].tolist() == over
        assert view.fitting.getData()[1].tolist() == fits
        assert set(view.over.getData()[0]) | set(view.fitting.getData()[0]) == {0.5}
    view.show(snapshot_of("gems-c", after("gems-c", ev.SubroutineStarted)))
    assert view.plot.placeholder == ("round 1 will take the largest d ≤ D with g_1(d) ≤ B = 60",)
    assert len(view.series.places) == 8


def test_a_picture_of_the_set_up_has_the_costs_of_the_first_round(qapp):
    trace = trace_of("gems-c")
    view = VIEWS["cost"](Appearance(LIGHT), exporting=True)
    view.show(snapshot_of("gems-c", after("gems-c", ev.SubroutineStarted)))
    curve = view.series.computed
    assert not np.isnan(curve).any()
    assert (np.diff(curve) > 0).all()
    for probe in (each for each in trace if isinstance(each, ev.DimensionProbed) and each.place.k == 1):
        low = max(4.0 * probe.lower, probe.rounding_samples)
        assert low * (1 - 1e-9) <= curve[probe.d - 1]
        assert curve[probe.d - 1] <= max(4.0 * probe.upper, probe.rounding_samples) * (1 + 1e-6)
    chosen = next(each for each in trace if isinstance(each, ev.DesignSolved))
    assert curve[chosen.d - 1] <= 60.0 < curve[chosen.d]
    assert np.allclose(10 ** view.computed.getData()[1], curve)
    assert view.budget.line.value() == pytest.approx(np.log10(60.0))
    assert "computed for this picture" in view.legend.text()
    view.show(snapshot_of("gems-c", after("gems-c", ev.DimensionProbed, 6)))
    assert not view.series.has_curve  # in a later round others remain
    assert not view.computed.isVisible()


def test_the_window_asks_for_the_costs_while_the_cursor_rests(qtbot):
    draft = Draft.of("sphere", "gems-c", 1, {"n": 12, "D": 5, "d_star": 3}, {"rounds": 5, "selection_budget": 40.0})
    with driven(qtbot, draft, size=(1400, 900)) as driver:
        driver.finished()
        while not isinstance(driver.trace[driver.cursor - 1], ev.SubroutineStarted):
            before = driver.cursor
            driver.press("Right")
            driver.wait(lambda before=before: driver.cursor > before)
        driver.shown()
        view = driver.views["cost"]
        assert view.series.d.tolist() == []
        driver.wait(lambda: not np.isnan(view.series.computed).any())
        assert view.computed.isVisible()
        assert len(driver.views["dimension"].series.places) == 5


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
    assert words == "arm 83: λ_3 = 1 in R¹"
    assert view.plot.point_at(QPointF(point(view.plot, 50.0, row))) == "arm 50: no weight in λ_3 in R¹"
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
    assert words.startswith(f"arm {heaviest}: λ_1 = ")
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


# -- the grid -----------------------------------------------------------------------------------------------------


def test_the_grid_has_the_rounds_of_a_call(shown):
    view, card = shown("grid")
    view.show(snapshot_of("gems-c"))
    settle(card, 700, 320)
    assert view.head.title.text() == "Rounds"
    rounds = view.snapshot.history.rounds
    assert view.series.event.tolist() == rounds.event.tolist()
    assert view.series.survivors.tolist() == [6, 5, 1]
    assert view.series.d.tolist() == [4, 4, 1]
    assert view.series.samples.tolist() == rounds.pulls.tolist()
    texts = [text for text, _ in view.texts.shown()]
    assert texts[:2] == ["6 remain", "d 4"]
    assert "1 remains" in texts
    picked = []
    view.place_picked.connect(picked.append)
    view._pick(1.5, 0.5)
    assert picked == [int(rounds.event[1])]
    words = view._describe(1.5, 0.5).split("\n")
    assert words[0].startswith("k2: d = 4, cost 43.7")
    assert words[0].endswith(" ≤ B = 60")
    assert words[1] == f"5 of 100 remain · {number(int(rounds.pulls[1]))} samples"
    view.show(strategy("paper-hard"))
    assert view.head.title.text() == "Subroutines"


# -- dialogs ------------------------------------------------------------------------------------------------------


def test_dialogs_ask_for_the_round_alone(qtbot):
    draft = Draft.of("sphere", "gems-c", 1, None, {"rounds": 8, "selection_budget": 60.0})
    with driven(qtbot, draft, layout="talk") as driver:
        driver.finished()
        dialog = driver.opened("Ctrl+G", GoTo)
        assert [field.accessibleName() for field in dialog.fields] == ["k, the round"]
        dialog.fields[0].setText("7")
        dialog.go()
        assert dialog.sentence.text() == "This run has no k 7: it ended at k 3."
        dialog.fields[0].setText("2")
        dialog.go()
        assert driver.playback.state.place.k == 2
        assert driver.playback.state.probes
        until = driver.opened("U", RunUntil)
        until.conditions.setCurrentIndex(until.conditions.findData("place"))
        until.conditions.activated.emit(until.conditions.currentIndex())
        assert list(until.form.names) == ["k"]
        assert until.words(until.value()) == "Until k 3 starts."
        until.close()
