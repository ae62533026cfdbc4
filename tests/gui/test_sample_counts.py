"""The view of the pulls: its numbers are those of the events, and what is painted is its numbers."""

from dataclasses import replace
from itertools import cycle, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt

from gems_engine import events as ev
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_gui.appearance import Appearance
from gems_gui.series.arm_order import INDEX, REWARD, SIZE
from gems_gui.series.names import short_arm_name, typeset_name
from gems_gui.series.sample_counts import ALL, ROUND, RUN, SUBROUTINE, count_series, count_text
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views.sample_counts import SampleCounts
from tests.gui.sample_runs import RUNS, color_at, cursor_after, cut, point, run, same, snapshot_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle

ALL_RUNS = (*RUNS, "made up", "wide")
BEGINS = (ev.DimensionProbed, ev.DesignSolved, ev.Allocated, ev.IdleRounds)


def of_events(trace, cursor):
    """Pulls in the round, the subroutine and the run, and idle samples, added up event by event."""
    here, subroutine, whole = (np.zeros(len(trace.instance.arms), dtype=int) for _ in range(3))
    idle, place, asked = 0, None, None
    for event in trace[:cursor]:
        if isinstance(event, ev.SubroutineStarted):
            here[:], subroutine[:], place = 0, 0, None
        elif isinstance(event, BEGINS) and event.place != place:
            here[:], place = 0, event.place
        if isinstance(event, ev.Allocated):
            asked = event
        elif isinstance(event, ev.IdleRounds):
            idle += event.drawn
        elif isinstance(event, ev.Pulled):
            for arm, count in zip(asked.arms, asked.counts, strict=True):
                for counts in (here, whole, subroutine) if event.place.k else (here, whole):
                    counts[arm] += count
    return here, subroutine, whole, idle


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×320."""
    view = SampleCounts(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    return view, card


def middle_of_a_subroutine(name):
    """A cursor at which round, subroutine and run all differ: behind the pulls of a later round of a later call."""
    at = [index for index in run(name).positions(ev.Pulled) if run(name)[int(index)].place.k > 1]
    return int(at[-1]) + 1


# -- the numbers --------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6), st.sampled_from([ALL, ROUND, SUBROUTINE, RUN]))
def test_numbers_are_those_of_the_events(name, at, shows):
    cursor = at % (len(run(name)) + 1)
    series = count_series(snapshot_of(name, cursor), shows, SIZE)
    here, subroutine, whole, idle = of_events(run(name), cursor)
    assert np.array_equal(series.this_round, here)
    assert np.array_equal(series.this_subroutine, subroutine)
    assert np.array_equal(series.run, whole)
    assert series.idle == idle
    assert np.array_equal(series.this_round + series.subroutine_before + series.run_before, whole)
    assert min(part.min() for part in (series.subroutine_before, series.run_before)) >= 0
    ordered = {ROUND: here, SUBROUTINE: subroutine}.get(shows, whole)[series.order.arms]
    assert (np.diff(ordered) <= 0).all()


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6), st.booleans())
def test_nothing_after_the_cursor_enters(name, at, truth):
    snapshot = snapshot_of(name, at % (len(run(name)) + 1), arm=2, truth=truth)
    assert same(count_series(snapshot, ALL, REWARD), count_series(cut(snapshot), ALL, REWARD))


def test_subtitle_adds_up():
    thin = "\N{NARROW NO-BREAK SPACE}"
    assert count_series(snapshot_of("sphere", 1), ALL, INDEX).subtitle == ()
    cursor = middle_of_a_subroutine("sphere")
    here, subroutine, whole, _ = of_events(run("sphere"), cursor)
    words = [f"{counts.sum():,}".replace(",", thin) for counts in (whole, subroutine, here)]
    expected = "samples {} · this call {} · this round {}".format(*words)
    assert count_series(snapshot_of("sphere", cursor), ALL, INDEX).subtitle[0] == expected
    cursor = cursor_after("made up", ev.IdleRounds)
    said = count_series(snapshot_of("made up", cursor), ALL, INDEX).subtitle
    assert " · 30 idle, not drawn · " in said[0]
    assert said[-1].startswith("samples ")
    assert "·" not in said[-1]


def test_a_validation_belongs_to_no_subroutine():
    series = count_series(snapshot_of("fixed-budget", cursor_after("fixed-budget", ev.Validated)), ALL, INDEX)
    assert series.validation
    assert np.array_equal(series.subroutine_before, series.this_subroutine)
    assert "this validation " in series.subtitle[0]
    assert not count_series(snapshot_of("fixed-budget", 30), ALL, INDEX).validation


def test_words_name_the_arm_and_three_numbers():
    snapshot = snapshot_of("paper-hard", middle_of_a_subroutine("paper-hard"))
    series = count_series(snapshot, ALL, INDEX)
    here, subroutine, whole, _ = of_events(run("paper-hard"), snapshot.cursor)
    thin = "\N{NARROW NO-BREAK SPACE}"
    numbers = [f"{counts[8]:,}".replace(",", thin) for counts in (whole, subroutine, here)]
    expected = "x_9: {} pulls, {} in this call, {} in this round".format(*numbers)
    assert count_text(snapshot, series, 8.4) == expected
    assert count_text(snapshot, series, 9.6) == ""


# -- what is painted ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_stack_is_painted_in_the_colours_of_its_parts(qtbot, theme):
    view = SampleCounts(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    snapshot = snapshot_of("transductive", middle_of_a_subroutine("transductive"))
    view.show(snapshot)
    image = settle(card, 900, 500)
    here, subroutine, whole, _ = of_events(run("transductive"), snapshot.cursor)
    pixel = np.diff(view.plot.box.viewRange()[1])[0] / view.plot.box.height()
    seen = set()
    for arm in range(len(whole)):
        parts = ((0, here[arm], "chosen"), (here[arm], subroutine[arm], "surviving"))
        for low, high, role in (*parts, (subroutine[arm], whole[arm], "before")):
            if high - low > 4 * pixel:
                assert color_at(card, image, view.plot, arm, (low + high) / 2) == getattr(theme, role).upper()
                seen.add(role)
    assert seen == {"chosen", "surviving", "before"}


@pytest.mark.parametrize(("shows", "which"), [(ROUND, 0), (SUBROUTINE, 1), (RUN, 2)])
def test_one_scope_alone_fills_the_plot(shown, shows, which):
    view, card = shown
    snapshot = snapshot_of("transductive", middle_of_a_subroutine("transductive"))
    view.show(snapshot)
    view.set_option("shows", shows)
    settle(card, 700, 320)
    counts = of_events(run("transductive"), snapshot.cursor)[which]
    items = (view.round, view.subroutine, view.run)
    assert np.array_equal(items[which].opts["height"], counts[counts > 0])
    assert np.array_equal(items[which].opts["x"], np.flatnonzero(counts))
    assert not any(len(item.opts["x"]) for item in items if item is not items[which])
    assert counts.max() <= view.plot.box.viewRange()[1][1] <= 1.5 * counts.max()
    assert view.legend.text().count("■") == 1


def test_a_logarithmic_scale_has_bars_from_the_axis_the_largest_behind(shown):
    view, card = shown
    snapshot = snapshot_of("sphere", middle_of_a_subroutine("sphere"))
    view.show(snapshot)
    view.set_option("scale", "log")
    settle(card, 700, 320)
    for item, counts in zip(
        (view.round, view.subroutine, view.run), of_events(run("sphere"), snapshot.cursor), strict=False
    ):
        assert 10 ** item.opts["y0"] < 1
        assert np.allclose(10 ** (item.opts["y0"] + item.opts["height"]), counts[counts > 0])
        assert np.array_equal(item.opts["x"], np.flatnonzero(counts))
    drawn = [item for item in view.plot.scene().items() if item in (view.round, view.subroutine, view.run)]
    assert drawn == [view.round, view.subroutine, view.run]  # from the front


def test_before_the_first_pull_the_plot_is_empty(shown):
    view, card = shown
    for scale in ("linear", "log"):
        view.show(snapshot_of("sphere", 1))
        view.set_option("scale", scale)
        settle(card, 700, 320)
        assert not any(len(item.opts["x"]) for item in (view.round, view.subroutine, view.run))
        assert view.plot.nothing_shown()[0] == "no samples yet: round 1 has not started"
        assert not view.plot.y_axis.tickValues(0.0, 1.0, 300)
        assert view.plot.order is not None, "the arms are there"
    view.show(None)
    assert view.plot.point_at(QPointF(300, 100)) == ""


def test_orders_and_hidden_truth(shown):
    view, card = shown
    snapshot = snapshot_of("sphere")
    view.show(snapshot)
    view.set_option("order", REWARD)
    settle(card, 700, 320)
    names = [name for _, name in view.plot.x_axis.tick_labels]
    assert names == [str(arm) for arm in np.argsort(-run("sphere").instance.rewards, kind="stable")]
    (star,), (diamond,) = (item.getData()[0].tolist() for item in (view.plot.star, view.plot.recommended))
    assert star == diamond == 0.0, "the best arm is recommended, and thin: both marks, one below the other"
    view.show(replace(snapshot, truth=False))
    assert view.plot.x_axis.tick_labels is None
    assert view.plot.x_axis.labelText == "arm"
    assert not len(view.plot.star.getData()[0])


def test_a_narrower_card_makes_space_for_the_name_of_the_highest_bar(shown):
    view, card = shown
    view.show(snapshot_of("paper-hard"))
    settle(card, 700, 320)
    plot = view.plot
    assert not plot.labels.labels, "the axis names all arms"
    settle(card, 260, 320)
    highest = typeset_name(run("paper-hard").instance.arm_label(int(np.argmax(view.series.run))))
    assert highest in (*named_above(plot), *named_below(plot))


def named_above(plot):
    return [name for name, _ in plot.labels.placed(plot.labels.sceneTransform())]


def named_below(plot):
    return [text for _, _, text in plot.x_axis.generateDrawSpecs(None)[2] if text]


@pytest.mark.parametrize("selected", [None, 3, 8])
@pytest.mark.parametrize("width", [230, 260, 280, 300, 320])
def test_no_arm_is_named_twice_and_bars_that_are_not_seen_have_no_names(shown, width, selected):
    view, card = shown
    view.show(replace(snapshot_of("paper-hard"), selection=Selection(arm=selected)))
    settle(card, width, 320)
    plot, instance = view.plot, run("paper-hard").instance
    above, below = named_above(plot), named_below(plot)
    assert not set(above) & set(below)
    values, pixel = view.series.run, plot.pixel[1]

    def label(arm):
        return typeset_name(instance.arm_label(arm))

    for arm in (plot.order.best, plot.order.recommended):
        assert label(arm) in above or label(arm) in below or selected is not None, "the marked arms are named first"
    unseen = {label(arm) for arm in np.flatnonzero(values < pixel)} - {label(plot.order.best)}
    assert not unseen & set(above)


def test_a_label_above_a_mark_is_that_of_the_marked_arm(shown):
    """A higher bar next to it once took the place of its name."""
    view, card = shown
    snapshot = snapshot_of("800 arms")
    view.show(snapshot)
    best = view.plot.order.best
    for width in range(230, 700, 40):
        settle(card, width, 320)
        plot = view.plot
        placed = dict(plot.labels.placed(plot.labels.sceneTransform()))
        assert str(best) in placed, width
        x = plot.labels.sceneTransform().map(QPointF(float(plot.order.positions[best]), 0.0)).x()
        near = {box.top(): name for name, box in placed.items() if box.left() <= x <= box.right()}
        assert near[max(near)] == str(best), width


@pytest.mark.parametrize("width", [260, 400, 700])
def test_a_label_above_another_bar_is_tied_to_its_own(shown, width):
    """A long name stood on the higher bar next to the one that it names."""
    view, card = shown
    names = [f"Apartment in Kreuzberg no. {at}" for at in range(40)]
    angles = np.linspace(0.0, np.pi, 40, endpoint=False).reshape(2, 20).T.ravel()  # orthogonal arms next to each other
    features = np.column_stack([np.cos(angles), np.sin(angles)])
    instance = Instance.linear(features, [0.6, 0.8], arm_names=names)
    trace = Run(instance, "rage", 1, max_samples=20_000).finish()
    view.show(Snapshot.of(trace, len(trace)))
    settle(card, width, 320)
    plot, transform = view.plot, view.plot.labels.sceneTransform()
    placed = dict(plot.labels.placed(transform))
    name = short_arm_name(instance, view.series.order.best)
    own = transform.map(QPointF(float(instance.best), float(view.series.run[instance.best])))
    box = placed[name]
    assert box.left() < own.x() < box.right()
    assert own.y() - box.bottom() > 20, "the bars next to it are higher"
    (line,) = (line for line in plot.labels.leaders if abs(line.x1() - own.x()) < 1)
    assert (line.y1(), line.y2()) == pytest.approx((box.bottom(), own.y()))
    on_axis = [text for text in named_below(plot) if text]
    assert all(len(text) <= 12 for text in on_axis)
    assert len(on_axis) >= 2


def test_the_name_of_the_selected_arm_covers_no_other_name(shown):
    view, card = shown
    settle(card, 260, 320)
    for arm in range(10):
        view.show(replace(snapshot_of("paper-hard"), selection=Selection(arm=arm)))
        plot = view.plot
        (name,) = plot.name.covered(plot.labels.sceneTransform())
        assert plot.name.mapRectToScene(plot.name.boundingRect()).center().x() == pytest.approx(
            name.center().x(), abs=2
        )
        placed = plot.labels.placed(plot.labels.sceneTransform())
        assert not any(box.intersects(name) for _, box in placed), arm


def test_a_click_picks_an_arm_and_a_second_lets_it_go(shown, qtbot):
    view, card = shown
    view.show(snapshot_of("sphere"))
    view.set_option("order", SIZE)
    settle(card, 700, 320)
    picked = []
    view.arm_picked.connect(picked.append)

    def click(x):
        middle = sum(view.plot.box.viewRange()[1]) / 2
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=point(view.plot, x, middle))

    most = int(np.argmax(run("sphere").state_at(len(run("sphere"))).counts))
    click(0.0)
    view.show(snapshot_of("sphere", arm=most))
    assert view.plot.name.toPlainText() == f"arm {most}"
    click(0.0)
    click(101.0)
    assert picked == [most, None, None]


def test_texts_fit_with_every_option_and_a_picked_arm(shown):
    view, card = shown
    cases = zip(
        product((ALL, ROUND, SUBROUTINE, RUN), ("linear", "log"), (INDEX, REWARD, SIZE)),
        cycle((("paper-hard", 0), ("sphere", 99), ("wide", 500), ("transductive", 9))),
        strict=False,
    )
    for (shows, scale, order), (name, arm) in cases:
        for option, value in (("shows", shows), ("scale", scale), ("order", order)):
            view.set_option(option, value)
        view.show(snapshot_of(name, middle_of_a_subroutine(name), arm=arm))
        settle(card, 351, 194)
        assert typeset_name(run(name).instance.arm_label(arm)) in [box.text for box in assert_texts_fit(card)]
