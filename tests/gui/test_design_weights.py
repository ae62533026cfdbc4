"""The view of λ_k: its numbers are those of the events, and what is painted is its numbers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt

from gems_engine import events as ev
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.terminal import superscript, with_indices
from gems_gui.appearance import Appearance
from gems_gui.series.arm_order import INDEX, REWARD, SIZE
from gems_gui.series.design_weights import weight_series, weight_text
from gems_gui.snapshot import Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views.design_weights import DesignWeights
from tests.gui.sample_runs import RUNS, color_at, cursor_after, cut, point, run, same, snapshot_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle
from tests.gui.window_driver import shown_design

ALL_RUNS = (*RUNS, "made up", "wide")
ROUND = (ev.DimensionProbed, ev.DesignSolved, ev.Allocated, ev.IdleRounds)


def of_events(trace, cursor):
    """λ and counts of the round at a cursor, the straightforward way: backwards to where the round begins."""
    weights, counts = np.zeros(len(trace.instance.arms)), np.zeros(len(trace.instance.arms), dtype=int)
    place = None
    for event in reversed(trace[:cursor]):
        if isinstance(event, ev.SubroutineStarted):
            break
        if isinstance(event, ROUND):
            place = event.place if place is None else place
            if event.place != place:
                break
        if isinstance(event, ev.DesignSolved):
            weights[event.support] = event.weights
        elif isinstance(event, ev.Allocated):
            for arm, count in zip(event.arms, event.counts, strict=True):
                counts[arm] += count
    return weights, counts


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×320."""
    view = DesignWeights(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    return view, card


# -- the numbers --------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6), st.sampled_from([INDEX, REWARD, SIZE]))
def test_numbers_are_those_of_the_events(name, at, order):
    cursor = at % (len(run(name)) + 1)
    snapshot = snapshot_of(name, cursor)
    series = weight_series(snapshot, order)
    weights, counts = of_events(run(name), cursor)
    if series.late:  # what the driver of the window reads from the events
        assert not weights.any()
        assert not counts.any()
        design = shown_design(run(name), snapshot.state)
        weights[design.support] = design.weights
        assert series.k == design.place.k < snapshot.state.place.k
    assert np.array_equal(series.weights, weights)
    assert np.array_equal(series.counts, counts)
    assert series.pulls == counts.sum()
    assert series.solved == bool(weights.any())
    assert series.shares.sum() == pytest.approx(1.0 if series.allocated else 0.0)
    assert sorted(series.order.arms) == list(range(len(weights)))
    assert np.array_equal(series.order.positions[series.order.arms], np.arange(len(weights)))


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6), st.booleans())
def test_nothing_after_the_cursor_enters(name, at, truth):
    snapshot = snapshot_of(name, at % (len(run(name)) + 1), arm=1, truth=truth)
    assert same(weight_series(snapshot, SIZE), weight_series(cut(snapshot), SIZE))


@pytest.mark.parametrize("name", ["sphere", "transductive"])
def test_orders(name):
    snapshot = snapshot_of(name, cursor_after(name, ev.DesignSolved, 3))
    by_weight = weight_series(snapshot, SIZE)
    assert (np.diff(by_weight.weights[by_weight.order.arms]) <= 0).all()
    by_reward = weight_series(snapshot, REWARD).order
    assert (np.diff(snapshot.instance.rewards[by_reward.arms]) <= 0).all()
    hidden = weight_series(replace(snapshot, truth=False), REWARD).order
    assert hidden.by == INDEX
    assert np.array_equal(hidden.arms, np.arange(len(snapshot.instance.arms)))


def test_the_true_best_is_marked_where_it_is_an_arm_and_may_be_seen():
    assert weight_series(snapshot_of("paper-hard"), INDEX).order.best == run("paper-hard").instance.best
    assert weight_series(snapshot_of("paper-hard", truth=False), INDEX).order.best is None
    assert weight_series(snapshot_of("transductive"), INDEX).order.best is None


def test_subtitle_tells_what_is_known_so_far():
    subtitles = [
        weight_series(snapshot_of("paper-hard", cursor), INDEX).subtitle
        for cursor in (
            0,
            cursor_after("paper-hard", ev.SubroutineStarted, -1),
            cursor_after("paper-hard", ev.DesignSolved, 0),
            cursor_after("paper-hard", ev.Allocated, 0),
        )
    ]
    assert subtitles[:2] == [(), ()]
    design = next(each for each in run("paper-hard") if isinstance(each, ev.DesignSolved))
    solved, allocated = (whole for whole, *_ in subtitles[2:])
    assert solved.startswith(f"λ_1 in R{superscript(design.d)} · support {len(design.support)} of 10 arms · value ")
    assert "proven ≥ " in solved
    assert "rounding" not in solved
    assert allocated.startswith(solved)
    assert " · rounding factor 1" in allocated
    assert subtitles[3][-1] == f"λ_1 in R{superscript(design.d)}", "what is said where there is least room"


def test_until_a_round_has_its_design_that_of_the_one_before_is_shown_and_said_to_be_late():
    trace = run("sphere")
    at = next(at for at in trace.positions(ev.DimensionProbed).tolist() if trace[at].place.k == 2)
    series = weight_series(snapshot_of("sphere", at + 1), INDEX)
    assert series.late
    assert series.k == 1
    assert not series.allocated
    before = shown_design(trace, trace.state_at(at + 1))
    assert series.subtitle[0].startswith(f"λ_1 in R{superscript(before.d)}, the last design · ")
    arm = int(series.weights.argmax())
    assert f"{trace.instance.arm_label(arm)} in k1: λ = " in weight_text(snapshot_of("sphere", at + 1), series, arm)


def test_idle_rounds_and_validations_have_no_design():
    idle = weight_series(snapshot_of("made up", cursor_after("made up", ev.IdleRounds)), INDEX)
    assert (idle.subtitle, idle.placeholder) == ((), "idle: every direction is 0, so there is no design")
    assert not idle.solved
    at = run("fixed-budget").positions(ev.Validated)[0]
    validation = weight_series(snapshot_of("fixed-budget", int(at)), INDEX)
    event = run("fixed-budget")[int(at)]
    assert validation.validation
    assert not validation.solved
    candidates = run("fixed-budget").instance.target_arms[event.targets]
    assert set(validation.counts[candidates]) == {event.pulls}
    assert validation.pulls == event.pulls * len(event.targets)
    assert validation.subtitle[0].startswith("validation · ")
    assert validation.subtitle[0].endswith(f" pulls each · {len(event.targets)} candidates")


def test_words_name_the_arm_and_all_numbers():
    snapshot = snapshot_of("sphere", cursor_after("sphere", ev.DesignSolved, 2))
    series = weight_series(snapshot, SIZE)
    first = int(series.order.arms[0])
    assert weight_text(snapshot, series, 0.3).startswith(f"arm {first}: λ = 0.")
    assert "pulls" not in weight_text(snapshot, series, 0.3)
    assert weight_text(snapshot, series, -0.6) == ""
    assert weight_text(snapshot, series, 99.6) == ""
    snapshot = snapshot_of("sphere", cursor_after("sphere", ev.Allocated, 2))
    series = weight_series(snapshot, SIZE)
    pulls = f"{series.pulls:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    assert f" of {pulls} pulls (0." in weight_text(snapshot, series, 0.0)
    assert weight_text(snapshot_of("sphere", 0), weight_series(snapshot_of("sphere", 0), INDEX), 3.0) == ""


# -- what is painted ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("order", [INDEX, REWARD, SIZE])
def test_bars_are_painted_where_the_numbers_say(qtbot, theme, order):
    view = DesignWeights(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    snapshot = snapshot_of("transductive", cursor_after("transductive", ev.DesignSolved, 4))
    view.show(snapshot)
    view.set_option("order", order)
    image = settle(card, 700, 320)
    series = weight_series(snapshot, order)
    top = series.weights.max()
    assert (series.weights > 0).sum() >= 2
    for arm, weight in enumerate(series.weights):
        x = float(series.order.positions[arm])
        if weight > 0.1 * top:
            assert color_at(card, image, view.plot, x, 0.5 * weight) == theme.surviving.upper()
        if weight < 0.8 * top:
            assert color_at(card, image, view.plot, x, weight + 0.1 * top) == theme.card.upper()


@pytest.mark.parametrize("name", ["paper-hard", "wide"])
def test_caps_show_what_rounding_made(shown, name):
    view, card = shown
    view.show(snapshot_of(name, cursor_after(name, ev.DesignSolved, 1)))
    assert not len(view.caps.getData()[0])
    view.show(snapshot_of(name, cursor_after(name, ev.Allocated, 1)))
    settle(card, 420, 230)
    x, y = view.caps.getData()
    some = np.flatnonzero(view.series.counts)
    assert np.allclose(x.reshape(-1, 2).mean(axis=1), some)
    assert np.allclose(y[::2], (view.series.counts / view.series.pulls)[some])
    assert "after rounding" in view.legend.text()


def test_of_many_arms_no_bar_vanishes(shown):
    view, card = shown
    view.show(snapshot_of("wide", cursor_after("wide", ev.DesignSolved, 1)))
    image = settle(card, 420, 230)
    large = np.flatnonzero(view.series.weights > 0.3 * view.series.weights.max())
    assert len(large) > 5
    for arm in large:  # each thinner than a pixel
        middle = point(view.plot, float(arm), 0.5 * float(view.series.weights[arm]))
        at = view.plot.viewport().mapTo(card, middle)
        near = {image.pixelColor(at.x() + step, at.y()).name().upper() for step in (-1, 0, 1)}
        assert LIGHT.surviving in near


def test_a_logarithmic_scale_begins_under_the_smallest_weight(shown):
    view, card = shown
    snapshot = snapshot_of("sphere", cursor_after("sphere", ev.DesignSolved, 5))
    view.show(snapshot)
    view.set_option("scale", "log")
    settle(card, 700, 320)
    heights, base = view.weights.opts["height"], view.weights.opts["y0"]
    some = view.series.weights[view.series.weights > 0]
    seen = some >= 1e-6 * some.max()
    assert np.allclose((base + heights)[seen], np.log10(some[seen]))
    assert (heights[seen] > 0).all()
    assert view.plot.y_axis.logMode
    view.set_option("scale", "linear")
    assert np.allclose(view.weights.opts["height"], some)


def test_a_validation_is_painted_in_pulls(shown):
    view, card = shown
    view.show(snapshot_of("fixed-budget", cursor_after("fixed-budget", ev.Validated)))
    settle(card, 700, 320)
    assert view.plot.y_axis.labelText == "pulls"
    assert set(view.validated.opts["height"]) == {run("fixed-budget")[int(view.snapshot.cursor - 1)].pulls}
    assert not len(view.weights.opts["x"])
    view.set_option("scale", "log")
    assert 10 ** view.validated.opts["y0"] < 1
    view.set_option("scale", "linear")
    view.show(snapshot_of("fixed-budget", cursor_after("fixed-budget", ev.Allocated)))
    assert view.plot.y_axis.labelText == "share of pulls"
    assert not len(view.validated.opts["x"])


def test_no_design_is_an_empty_plot(shown):
    view, _ = shown
    view.show(snapshot_of("sphere", cursor_after("sphere", ev.Allocated)))
    view.show(snapshot_of("sphere", cursor_after("sphere", ev.SubroutineStarted, -1)))
    assert not any(len(item.opts["x"]) for item in (view.weights, view.validated))
    assert view.plot.nothing_shown()[0] == "no design yet: round 1 has not started"
    assert not view.plot.y_axis.tickValues(0.0, 1.0, 300)
    view.show(None)
    assert view.head.subtitle.text() == ""
    assert view.plot.nothing_shown()[0] == with_indices(view.about)
    assert view.plot.point_at(QPointF(300, 100)) == ""


def test_marks_of_the_best_and_the_picked_arm(shown):
    view, card = shown
    view.show(snapshot_of("paper-hard", cursor_after("paper-hard", ev.Allocated), arm=3))
    settle(card, 700, 320)
    assert view.plot.star.getData()[0].tolist() == [run("paper-hard").instance.best]
    assert view.plot.band.opts["x"] == [3.0]
    assert view.plot.name.toPlainText() == "x₄"
    assert "x₄" in [box.text for box in assert_texts_fit(card)]
    view.show(snapshot_of("paper-hard", cursor_after("paper-hard", ev.Allocated), truth=False))
    assert not len(view.plot.star.getData()[0])
    assert not view.plot.name.isVisible()
    assert "true best" not in view.legend.text()


@pytest.mark.parametrize(("arms", "stacked"), [(10, False), (200, True)])
def test_two_marks_of_an_arm_are_below_no_other_arm(shown, arms, stacked):
    """Next to each other where both are below the bar, otherwise one below the other."""
    view, card = shown
    angles = np.linspace(0.0, np.pi, arms, endpoint=False)
    features = np.column_stack([np.cos(angles), np.sin(angles)])
    trace = Run(Instance.linear(features, [0.6, 0.8]), "rage", 1, max_samples=20_000).finish()
    view.show(Snapshot.of(trace, len(trace)))
    best = view.series.order.best
    assert best == view.series.order.recommended
    settle(card, 700, 320)
    (star_x,), (star_y,) = view.plot.star.getData()
    (diamond_x,), (diamond_y,) = view.plot.recommended.getData()
    assert (star_x, star_y) != (diamond_x, diamond_y)
    assert (star_x == diamond_x) == stacked
    assert {round(star_x), round(diamond_x)} == {best}
    star, diamond = point(view.plot, star_x, star_y), point(view.plot, diamond_x, diamond_y)
    assert abs(star.x() - diamond.x()) + abs(star.y() - diamond.y()) >= 10, "neither covers the other"
    assert point(view.plot, 0.0, 0.0).y() < star.y() - 4, "below the bars"
    for height in range(320, 145, -6):  # also in a low card, where the cells below are lower or left out
        settle(card, 340, height)
        (star_x,), (star_y,) = view.plot.star.getData()
        (diamond_x,), (diamond_y,) = view.plot.recommended.getData()
        star, diamond = point(view.plot, star_x, star_y), point(view.plot, diamond_x, diamond_y)
        assert point(view.plot, 0.0, 0.0).y() <= min(star.y() - 5, diamond.y() - 4), f"below the bars at {height}"
        cells = view.plot.mapFromScene(view.plot.box.mapViewToScene(QPointF(0.0, view.plot._top()[0]))).y()
        assert max(star.y() + 5, diamond.y() + 4) <= cells, f"above the cells at {height}"


@pytest.mark.parametrize("scale", [1.0, 1.4, 1.8])
def test_the_name_of_the_selected_arm_is_above_its_bar(qtbot, scale):
    view = DesignWeights(Appearance(LIGHT.scaled(scale)))
    card = card_of(view, view.theme)
    qtbot.addWidget(card)
    instance = Instance.linear([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [1.0, 0.2], arm_names=["alpha", "beta", "gamma"])
    trace = Run(instance, "fixed-budget", 1, budget=2000).finish()
    snapshot = Snapshot.of(trace, int(trace.positions(ev.Allocated)[0]) + 1)
    view.show(replace(snapshot, selection=replace(snapshot.selection, arm=0)))
    settle(card, 330, 240)
    name = view.plot.name
    assert name.toPlainText() == "alpha"
    top = view.plot.box.mapViewToScene(QPointF(0.0, float(view.series.weights.max()))).y()
    assert name.mapToScene(name.boundingRect()).boundingRect().bottom() <= top - 2


def test_a_click_picks_an_arm_and_a_second_lets_it_go(shown, qtbot):
    view, card = shown
    cursor = cursor_after("paper-hard", ev.Allocated)
    view.show(snapshot_of("paper-hard", cursor))
    settle(card, 700, 320)
    picked = []
    view.arm_picked.connect(picked.append)

    def click(x):
        middle = sum(view.plot.box.viewRange()[1]) / 2
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=point(view.plot, x, middle))

    click(4.2)
    view.show(snapshot_of("paper-hard", cursor, arm=4))
    click(3.8)
    click(7.0)
    click(9.57)
    assert picked == [4, None, 7, None]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_share_is_at_most_1(shown, scale):
    view, card = shown
    view.set_option("scale", scale)
    trace = Run(Instance.linear([[1.0], [0.5]], [1.0]), "rage", 1).finish()
    view.show(Snapshot.of(trace, int(trace.positions(ev.Allocated)[0]) + 1))
    for height in range(200, 420, 20):
        settle(card, 420, height)
        axis = view.plot.y_axis
        ticks = [value for _, values in axis.tickValues(*axis.range, axis.height()) for value in values]
        assert max(ticks) <= (1.0 if scale == "linear" else 0.0), height


@pytest.mark.parametrize("name", ["sphere", "paper-hard"])
def test_selecting_an_arm_keeps_the_scale(shown, name):
    view, card = shown
    snapshot = snapshot_of(name, cursor_after(name, ev.DesignSolved))
    view.show(snapshot)
    settle(card, 420, 200)
    before = view.plot.box.viewRange()
    view.show(replace(snapshot, selection=replace(snapshot.selection, arm=2)))
    settle(card, 420, 200)
    assert view.plot.name.isVisible()
    assert view.plot.box.viewRange() == before


def test_the_recommended_arm_is_marked_where_its_call_has_eliminated_it(shown):
    view, card = shown
    trace = run("paper-hard")
    states = (trace.state_at(cursor) for cursor in range(len(trace)))
    gone = next(each for each in states if each.answer[0] is not None and each.fate_event[each.answer[0]] >= 0)
    view.show(snapshot_of("paper-hard", gone.cursor))
    settle(card, 420, 200)
    assert view.series.order.recommended == gone.answer[0], "as in Surviving arms"
    assert "recommended" in " ".join(words for _, _, words, *_ in view.entries(view.series))


def test_the_mouse_is_told_the_arm(shown):
    view, card = shown
    view.show(snapshot_of("paper-hard", cursor_after("paper-hard", ev.Allocated)))
    settle(card, 700, 320)
    words = view.plot.point_at(QPointF(point(view.plot, 2.1, 0.01)))
    assert words == weight_text(view.snapshot, view.series, 2.1)
    assert words.startswith("x_3: λ = ")
    assert view.plot.readout.text() == words


def test_only_arms_have_numbers_under_them(shown):
    view, card = shown
    view.show(snapshot_of("sphere", cursor_after("sphere", ev.DesignSolved)))
    settle(card, 1000, 320)
    low, high = view.plot.box.viewRange()[0]
    assert low < -1
    assert high > 100
    ticks = [value for _, values in view.plot.x_axis.tickValues(low, high, 900) for value in values]
    assert min(ticks) == 0.0
    assert max(ticks) <= 99.0


def test_long_names_are_left_out_or_shortened(qtbot):
    names = [f"an arm with quite a long name that is number {i}" for i in range(8)]
    instance = Instance.linear(np.eye(8), [1.0, *[0.5] * 7], arm_names=names, target_names=names)
    trace = Run(instance, "rage", 1, max_samples=5000).finish()
    view = DesignWeights(Appearance(LIGHT.scaled(1.5)))
    card = card_of(view, view.theme)
    qtbot.addWidget(card)
    at = int(trace.positions(ev.Allocated)[0]) + 1
    for arm in range(8):
        snapshot = Snapshot.of(trace, at)
        view.show(replace(snapshot, selection=replace(snapshot.selection, arm=arm)))
        settle(card, 351, 194)
        assert_texts_fit(card)
        assert view.plot.name.toPlainText()[:10] == names[arm][:10]


def test_the_name_of_a_bar_touches_no_other_bar(shown):
    view, card = shown
    trace = Run(make("sphere", D=10, n=800), "gems-c", 1, selection_budget=256).finish()
    view.show(Snapshot.of(trace, next(at for at, event in enumerate(trace, 1) if event.kind == "allocated")))
    named = 0
    for width in range(300, 700, 7):
        settle(card, width, 240)
        plot = view.plot
        transform = plot.labels.sceneTransform()
        x, tops = plot.labels._bars
        for words, box in plot.labels.placed(transform):
            for at, top in zip(x.tolist(), tops.tolist(), strict=True):
                place = transform.map(QPointF(at, top))
                if box.left() - 1.5 < place.x() < box.right() + 1.5:
                    assert place.y() >= box.bottom() - 0.01, (width, words)
            named += 1
    assert named > 100


def test_the_star_of_tied_arms_says_that_there_are_several(shown):
    view, _ = shown
    instance = Instance.linear([[1.0, 0.0], [0.0, 1.0], [0.2, 0.2]], [0.5, 0.5])
    trace = Run(instance, "misspecified", 1, max_samples=10_000).finish()
    view.show(Snapshot.of(trace, len(trace)))
    assert "one of 2 best" in view.legend.text()
    view.show(snapshot_of("paper-hard", cursor_after("paper-hard", ev.Allocated)))
    assert "true best" in view.legend.text()
