"""Arms in the plane: projections and back, what the picture draws, and arms and θ⋆ that are dragged in a window."""

from dataclasses import replace
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolTip, QWidget

from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.rewards import Noise
from gems_engine.terminal import number, subscript
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import FromTable
from gems_gui.editing.auto_run_controller import _PLANE
from gems_gui.panels.plane import COMPONENTS, FEATURES, PlanePanel
from gems_gui.panels.plane_labels import _meets
from gems_gui.series.plane import (
    THETA,
    coordinates,
    grid_step,
    is_edited,
    on_grid,
    plane_series,
    principal_components,
    share_shown,
    to_a_pixel,
    words_for_point,
)
from gems_gui.theme import DARK, LIGHT
from tests.gui.window_driver import LEFT, NONE, SMALL, choose_by_keys, driven

numbers = st.floats(-1e3, 1e3, allow_nan=False, width=64)
shapes = st.tuples(st.integers(1, 8), st.integers(2, 6))
tables = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=numbers))
places = st.tuples(numbers, numbers)


# -- projections ----------------------------------------------------------------------------------------------------


@given(arms=tables, to=places, data=st.data())
def test_a_vector_that_is_moved_is_seen_there_and_keeps_everything_else(arms, to, data):
    D = arms.shape[1]
    pair = data.draw(st.permutations(range(D)))[:2]
    for projection in (coordinates(D, *pair), principal_components(arms)):
        vector = arms[0]
        moved = projection.moved(vector, to)
        scale = 1 + np.abs(arms).max() + max(map(abs, to))
        axes = projection.basis[projection.basis.any(axis=1)]
        seen = projection.seen(moved[None, :])[0]
        assert np.allclose(seen[: len(axes)], to[: len(axes)], atol=1e-9 * scale)
        off = np.eye(D) - axes.T @ axes
        assert np.allclose(off @ moved, off @ vector, atol=1e-9 * scale), "what is not seen stays"


@given(arms=tables, to=places)
def test_in_two_features_all_others_stay_bit_for_bit(arms, to):
    moved = coordinates(arms.shape[1], 1, 0).moved(arms[0], to)
    assert (moved[1], moved[0]) == pytest.approx(to)
    assert np.array_equal(moved[2:], arms[0][2:])


@given(arms=tables)
def test_components_are_those_of_largest_variance(arms):
    projection = principal_components(arms)
    centred = arms - arms.mean(axis=0)
    values = np.sort(np.linalg.eigvalsh(centred.T @ centred))[::-1]
    seen = projection.seen(arms)
    scale = max(values[0], 1.0)
    assert np.allclose(np.sort((seen**2).sum(axis=0))[::-1], values[:2][: seen.shape[1]], atol=1e-8 * scale)
    assert abs(seen.mean(axis=0)).max() <= 1e-9 * (1 + abs(arms).max())
    if values.sum() > 1e-6:
        assert projection.share == pytest.approx(values[:2].sum() / values.sum(), abs=1e-9)


def test_a_picture_that_was_seen_before_does_not_flip():
    arms = make("sphere", n=30, D=6, d_star=3, seed=1, min_gap=0.0).arms
    before = principal_components(arms)
    turned = principal_components(arms, like=type(before)(-before.basis, before.centre, before.names))
    assert np.allclose(turned.basis, -before.basis)
    nudged = arms.copy()
    nudged[0] *= 1.01
    after = principal_components(nudged, like=before)
    assert (np.sum(after.basis * before.basis, axis=1) > 0.5).all()


def test_one_feature_has_nothing_upwards_and_two_axes_have_two_features():
    line = coordinates(1, 0, 0)
    assert line.names == ("feature 1", "")
    assert np.array_equal(line.moved(np.array([1.0]), (3.0, 7.0)), [3.0])
    with pytest.raises(InputError, match="cannot be on both axes"):
        coordinates(3, 1, 1)
    with pytest.raises(InputError, match="no feature 4: this instance has D = 3"):
        coordinates(3, 0, 3)


# -- what is drawn --------------------------------------------------------------------------------------------------


def test_the_series_of_a_transductive_instance_has_its_targets_apart():
    instance = make("transductive", D=4, d_star=2, n=5, seed=3)
    series = plane_series(instance, coordinates(4, 0, 1))
    assert np.array_equal(series.arms, instance.arms[:, :2])
    assert np.array_equal(series.others, instance.targets[:, :2])
    assert np.array_equal(series.best[0], instance.targets[instance.best][:2])
    assert np.array_equal(series.arrow, [[0, 0], instance.theta[:2]])
    hidden = plane_series(instance, coordinates(4, 0, 1), truth=False)
    assert len(hidden.best) == len(hidden.arrow) == 0


def test_words_for_a_point_name_it_its_place_on_the_axes_and_its_reward():
    instance = make("paper-hard", d_star=4, epsilon=0.25)
    axes = coordinates(5, 3, 4)
    assert words_for_point(instance, axes, 0) == ["x_1", "feature 4, 5: 0, 0", "mean reward 0, gap 1"]
    assert words_for_point(instance, axes, 4)[1:] == ["feature 4, 5: 0.75, 1", "mean reward 0.75, gap 0.25"]
    assert words_for_point(instance, axes, 3)[2] == "mean reward 1, best"
    assert words_for_point(instance, axes, THETA) == ["θ⋆", "feature 4, 5: 1, 0", "best x_4, by 0.25"]
    assert len(words_for_point(instance, axes, 4, truth=False)) == 2, "nothing about rewards"
    tied = Instance.linear(np.eye(2), [1.0, 1.0])
    assert words_for_point(tied, coordinates(2, 0, 1), 1)[2] == "mean reward 1, tied for best"
    assert words_for_point(tied, coordinates(2, 0, 1), THETA)[2] == "best arm 0, tied"
    line = words_for_point(Instance.linear([[1.0], [2.0]], [1.0]), coordinates(1, 0, 0), 1)
    assert line[1] == "feature 1 2", "there is no second axis"


@given(pixel=st.floats(1e-6, 1e6), value=st.floats(-1e6, 1e6))
def test_the_grid_has_round_steps_that_can_be_hit(pixel, value):
    step = grid_step(pixel)
    assert 8 * (1 - 1e-6) <= step / pixel <= 8 * 2.5 * (1 + 1e-6)
    assert float(f"{step:.0e}") == step, "1, 2 or 5 times a power of ten"
    assert abs(on_grid(value, step) - value) <= step * (0.5 + 1e-6) + 1e-9 * abs(value)
    assert on_grid(0.1 * 3, 0.1) == 0.3
    assert abs(to_a_pixel(value, pixel) - value) <= pixel + 1e-9 * abs(value)


def test_an_edit_keeps_the_picture_and_another_instance_does_not():
    instance = make("sphere", n=12, D=5, d_star=2, seed=2, min_gap=0.0)
    arms = np.array(instance.arms)
    arms[3] += 1.0
    assert is_edited(instance, Instance.linear(arms, instance.theta))
    assert is_edited(instance, Instance.linear(arms[:-1], instance.theta)), "an arm less"
    assert is_edited(instance, Instance.linear(instance.arms, instance.theta * 2))
    assert not is_edited(instance, make("sphere", n=12, D=5, d_star=2, seed=3, min_gap=0.0))
    assert not is_edited(instance, make("sphere", n=12, D=6, d_star=2, seed=2, min_gap=0.0))
    hard, other = make("paper-hard", d_star=9), make("verifiability", D=10, case=1)
    assert (hard.arms == other.arms).all(axis=1).sum() > 5, "most arms are the same"
    assert not is_edited(other, hard), "another family"


@pytest.fixture
def panel(qtbot):
    appearance = Appearance(LIGHT)
    made = PlanePanel(appearance)
    made.look = appearance.set_theme
    qtbot.addWidget(made)
    made.resize(260, 240)
    made.show()
    return made


def type_number(box, value):
    """Type a number into a spin box."""
    box.selectAll()
    QTest.keyClicks(box, str(value))
    QTest.keyClick(box, Qt.Key.Key_Return)


def drawn(item):
    return np.column_stack(item.getData())


def test_the_panel_draws_the_series_and_marks_the_arm(panel):
    instance = make("sphere", n=12, D=5, d_star=2, seed=2, min_gap=0.0)
    panel.show_instance(instance, 7)
    series = panel.series
    assert np.allclose(drawn(panel.plot.arms), principal_components(instance.arms).seen(instance.arms))
    assert np.allclose(drawn(panel.plot.best)[0], series.arms[instance.best])
    assert np.allclose(drawn(panel.plot.ring)[0], series.arms[7])
    assert np.allclose(drawn(panel.plot.arrow), series.arrow)
    (left, right), (low, high) = panel.plot.box.viewRange()
    for x, y in series.points:
        assert left < x < right
        assert low < y < high
    panel.plot.clearFocus()
    assert panel.caption.dim.endswith("% of the variance; drag a point")
    panel.show_instance(instance, THETA)
    assert np.allclose(drawn(panel.plot.ring)[0], series.arrow[1])
    panel.show_instance(instance, THETA, truth=False)
    assert len(drawn(panel.plot.best)) == len(drawn(panel.plot.tip)) == len(drawn(panel.plot.ring)) == 0
    panel.look(DARK)
    assert len(drawn(panel.plot.arms)) == 12
    panel.show_instance(None)
    assert len(drawn(panel.plot.arms)) == 0
    assert "shown here when" in panel.caption.dim


def test_a_few_features_are_axes_by_default_and_two_are_never_the_same(panel):
    instance = make("sphere", n=12, D=5, d_star=2, seed=2, min_gap=0.0)
    panel.show_instance(instance)
    assert panel.axes.currentData() == COMPONENTS
    assert not panel.across.isVisible()
    height = panel.sizeHint().height()
    choose_by_keys(panel.axes, Qt.Key.Key_Down)
    assert panel.axes.currentData() == FEATURES
    assert panel.across.isVisible()
    assert panel.sizeHint().height() == height, "nothing below it moves"
    assert np.array_equal(drawn(panel.plot.arms), instance.arms[:, :2])
    type_number(panel.across, 5)
    assert np.array_equal(drawn(panel.plot.arms), instance.arms[:, [4, 1]])
    type_number(panel.up, 5)
    assert panel.across.value() == 4
    panel.show_instance(make("sphere", n=12, D=5, d_star=2, seed=3, min_gap=0.0))
    assert panel.axes.currentData() == FEATURES, "a choice stays while D does"
    panel.show_instance(make("sphere", n=12, D=6, d_star=2, seed=2, min_gap=0.0))
    assert panel.axes.currentData() == COMPONENTS
    for D in (2, 3):
        panel.show_instance(make("sphere", n=12, D=D, d_star=2, seed=2, min_gap=0.0))
        assert panel.axes.currentData() == FEATURES
    panel.show_instance(make("sphere", n=12, D=2, d_star=2, seed=2, min_gap=0.0))
    assert (panel.across.value(), panel.up.value()) in ((1, 2), (2, 1)), "there are only two now"
    choose_by_keys(panel.axes, Qt.Key.Key_Up)
    assert panel.axes.currentData() == COMPONENTS
    assert share_shown(panel._instance.arms, panel.projection) == pytest.approx(1.0)


def test_features_are_called_by_their_names(panel):
    instance = make("sphere", n=12, D=3, d_star=2, seed=2, min_gap=0.0)
    panel.show_instance(replace(instance, feature_names=("age", "income", "distance to the station")))
    assert (panel.across.text(), panel.up.text()) == ("→ 1 age", "↑ 2 income")
    hover(panel.plot, panel.series.arms[4])
    assert "age " in panel.plot.readout.text()
    assert ", income " in panel.plot.readout.text()
    type_number(panel.up, 3)
    shown = panel.up.text()
    assert (shown[:8], shown[-6:], "…" in shown) == ("↑ 3 dist", "tation", True), "both ends of a long name"
    panel.show_instance(instance)
    assert (panel.across.text(), panel.up.text()) == ("→ 1", "↑ 3")


@pytest.mark.parametrize("width", [200, 300])
def test_long_names_of_features_take_no_more_room(panel, width):
    instance = make("sphere", n=12, D=3, d_star=2, seed=2, min_gap=0.0)
    panel.show_instance(instance)
    least = panel.minimumSizeHint().width()
    named = replace(instance, feature_names=tuple(f"feature with a long name {at}" for at in range(3)))
    panel.show_instance(named)
    assert panel.minimumSizeHint().width() == least
    panel.resize(width, 400)
    panel.grab()
    for box in (panel.across, panel.up):
        line = box.lineEdit()
        assert box.fontMetrics().horizontalAdvance(line.text()) <= line.width(), "the name is shortened, not cut"
        assert "…" in line.text()


# -- names of points ------------------------------------------------------------------------------------------------


def names_shown(plot):
    """The names on the plot and their boxes, as they are painted."""
    return plot.labels.placed(plot.labels.deviceTransform(plot.viewportTransform()))


@pytest.mark.parametrize("scale", [1.0, 1.8])
def test_names_cover_no_point_and_no_other_name(panel, scale):
    panel.look(LIGHT.scaled(scale))
    for instance in (
        make("paper-hard"),
        make("soare"),
        make("sphere", n=40, D=3, d_star=2, seed=1, min_gap=0.0),
        make("sphere", n=500, D=25, d_star=5, seed=1, min_gap=0.0),
    ):
        panel.show_instance(instance)
        panel.grab()
        placed = names_shown(panel.plot)
        assert placed
        places = [panel.plot.position_of(point) for point in panel.series.grips]
        for at, (name, box) in enumerate(placed):
            wide = box.adjusted(-5.0 * scale, 0.0, 5.0 * scale, 0.0)  # two names next to each other are not one
            assert not any(wide.intersects(other) for _, other in placed[:at]), name
            assert not any(box.contains(place) for place in places), name
            assert panel.plot.viewport().rect().contains(box.toRect()), name


@pytest.mark.parametrize("scale", [1.0, 1.8])
@pytest.mark.parametrize("arms", [100, 800])
def test_the_best_arm_and_the_truth_are_named_in_a_crowd(panel, arms, scale):
    panel.look(LIGHT.scaled(scale))
    for seed in range(4):
        instance = make("sphere", n=arms, D=25, d_star=5, seed=seed, min_gap=0.0)
        panel.show_instance(instance)
        panel.grab()
        words = " ".join(name for name, _ in names_shown(panel.plot)).replace(",", "").split()
        assert {str(instance.best), "θ⋆"} <= set(words), "whatever covers them"


@pytest.mark.parametrize(
    ("family", "parameters", "scale"),
    [
        ("sphere", {"D": 25, "d_star": 2, "seed": 35, "min_gap": 0.0}, 1.25),
        ("sphere", {"D": 25, "d_star": 2, "seed": 36, "min_gap": 0.0}, 2.0),
        ("gaussian", {"D": 10, "d_star": 3, "seed": 23}, 2.0),
    ],
)
def test_lines_that_lead_to_names_do_not_cross(panel, family, parameters, scale):
    panel.look(LIGHT.scaled(scale))
    instance = make(family, n=400, **parameters)
    panel.show_instance(instance)
    panel.grab()
    lines = panel.plot.labels.leaders
    assert len(lines) > 1
    met = {one.intersects(other)[0] for one, other in combinations(lines, 2)}
    assert QLineF.IntersectionType.BoundedIntersection not in met
    words = " ".join(name for name, _ in names_shown(panel.plot)).replace(",", "").split()
    assert {str(instance.best), "θ⋆"} <= set(words)


@pytest.mark.parametrize("length", [20.0, 100.0, 500.0])
def test_a_line_that_touches_a_name_meets_it_however_long_the_line_is(length):
    line, own = QLineF(0.0, 0.0, length, 0.0), QRectF(length + 2, -7.0, 30.0, 14.0)
    for at in np.linspace(5.0, length - 5.0, 40):
        assert _meets(QRectF(at - 4.0, -2.0, 8.0, 14.0), own, line)
        assert not _meets(QRectF(at - 4.0, 3.0, 8.0, 14.0), own, line)


def test_names_cover_no_target_and_the_best_target_is_named(panel):
    instance = make("transductive")
    panel.show_instance(instance)
    panel.grab()
    placed = names_shown(panel.plot)
    transform = panel.plot.labels.deviceTransform(panel.plot.viewportTransform())
    others = [transform.map(QPointF(*each)) for each in panel.series.others.tolist()]
    assert len(others) > 10
    assert not [name for name, box in placed if any(box.contains(each) for each in others)]
    assert instance.target_label(instance.best) in {name for name, _ in placed}


def test_an_instance_looks_the_same_whatever_was_shown_before(panel):
    instances = [make("transductive"), make("verifiability", case=1), make("verifiability", case=2), make("paper-hard")]

    def picture(instance):
        panel.show_instance(instance)
        panel.grab()
        return panel.series.arms, np.array(panel.plot.box.viewRange())

    first = [picture(instance) for instance in instances]
    for before, after in permutations(range(len(instances)), 2):
        picture(instances[before])
        for seen, known in zip(picture(instances[after]), first[after], strict=True):
            assert seen == pytest.approx(known), (before, after)
        (low, high), (bottom, top) = panel.plot.box.viewRange()
        x, y = panel.series.points.T
        assert low < x.min() < x.max() < high
        assert bottom < y.min() < y.max() < top


def test_of_points_at_one_place_the_best_arm_is_named_first(panel):
    instance = make("verifiability", case=2)
    panel.show_instance(instance)
    panel.grab()
    assert any(name.startswith(f"e{subscript(instance.best + 1)}, ") for name, _ in names_shown(panel.plot))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_no_line_crosses_a_name(panel, theme):
    panel.look(theme)
    panel.show_instance(make("paper-hard"))
    image = panel.plot.grab().toImage()
    zero = panel.plot.mapFromScene(panel.plot.box.mapViewToScene(QPointF(0.0, 0.0)))
    crossed = [box for _, box in names_shown(panel.plot) if box.top() + 2 < zero.y() < box.bottom() - 2]
    assert crossed, "x_9, θ⋆ and x_10 are at the height of 0"
    line = theme.color("line").name()
    for box in crossed:
        row = [
            image.pixelColor(x, y).name()
            for x in range(round(box.left()) + 1, round(box.right()))
            for y in (zero.y() - 1, zero.y(), zero.y() + 1)
        ]
        assert row.count(line) < 3


def test_points_at_one_place_share_a_name_and_zooming_shows_more(panel):
    panel.show_instance(make("paper-hard"))
    panel.grab()
    names = [name for name, _ in names_shown(panel.plot)]
    assert "x₉, θ⋆" in names
    assert any(name.endswith("+5") for name in names), "seven arms are at one place in this plane"
    crowd = Instance.linear(np.column_stack([np.linspace(1, 2, 60), np.ones(60)]), [1.0, 0.0])
    panel.show_instance(crowd)
    panel.grab()
    middle, few = panel.series.arms[30], [name for name, _ in names_shown(panel.plot)]
    assert not any("30" in name.split(", ") for name in few)
    for _ in range(8):
        wheel(panel.plot, middle, Qt.KeyboardModifier.ControlModifier)
    panel.grab()
    assert any("30" in name.split(", ") for name, _ in names_shown(panel.plot)), "it has come back"
    hover(panel.plot, middle)
    assert panel.plot.readout.text().startswith("arm 30\n")


@pytest.mark.parametrize("back", [False, True])
def test_the_axes_have_numbers_from_end_to_end(panel, back):
    panel.show_instance(Instance.linear([[9.5, 1.2], [43.9, 1.7], [139.7, 2.3], [95.6, 3.1]], [1.0, 2.0]))
    panel.grab()
    plot = panel.plot
    if back:  # to an instance that was shown before, and with the picture moved up
        shown = panel._instance
        panel.show_instance(make("paper-hard"))
        panel.show_instance(shown)
        panel.grab()
        (left, right), (low, high) = plot.box.viewRange()
        drag(plot, ((left + right) / 2, low + 0.05 * (high - low)), (0.0, (high - low) / 3))
        panel.grab()
        assert plot.box.viewRange()[1][0] < low - 0.3 * (high - low)
    sizes = plot.box.width(), plot.box.height()
    for axis, (low, high), size in zip((plot.x_axis, plot.y_axis), plot.box.viewRange(), sizes, strict=True):
        ticks = sorted(place for _, places in axis.tickValues(low, high, size) for place in places)
        step = max(after - before for before, after in pairwise(ticks))
        assert ticks[0] - low < 1.01 * step
        assert high - ticks[-1] < 1.01 * step


# -- in the window --------------------------------------------------------------------------------------------------

CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


def at(plot, place):
    """Where in a plot's widget a place is."""
    scene = plot.box.mapViewToScene(QPointF(*place))
    return plot.mapFromScene(scene)


def move(plot, place, modifiers=NONE, held=LEFT):
    """Move the mouse with the button held, which QTest's own does not say."""
    widget, point = plot.viewport(), at(plot, place)
    there = QPointF(widget.mapToGlobal(point))
    none = Qt.MouseButton.NoButton
    QApplication.sendEvent(widget, QMouseEvent(QEvent.Type.MouseMove, QPointF(point), there, none, held, modifiers))


def hover(plot, place):
    move(plot, place, held=Qt.MouseButton.NoButton)


def grab(plot, start, *steps, modifiers=NONE):
    """Press at a place and move by some steps; the button stays down."""
    QTest.mousePress(plot.viewport(), LEFT, modifiers, at(plot, start))
    for step in steps:
        move(plot, np.add(start, step), modifiers)


def drop(plot, place):
    QTest.mouseRelease(plot.viewport(), LEFT, NONE, at(plot, place))


def drag(plot, start, *steps, modifiers=NONE):
    """Drag with the left button from a place by some steps; the place where the point must be now."""
    start = np.array(start)
    grab(plot, start, *steps, modifiers=modifiers)
    drop(plot, start + steps[-1])
    return start + steps[-1]


def wheel(plot, place, modifiers=NONE):
    widget, point = plot.viewport(), QPointF(at(plot, place))
    there = QPointF(widget.mapToGlobal(point.toPoint()))
    turned, none = QPoint(0, 120), Qt.MouseButton.NoButton
    phase = Qt.ScrollPhase.NoScrollPhase
    QApplication.sendEvent(widget, QWheelEvent(point, there, QPoint(), turned, none, modifiers, phase, False))


def near(plot, seen, place):
    """Whether a point is at a place, to a pixel or two."""
    return (np.abs(np.subtract(seen, place)) <= 2 * np.array(plot.pixel)).all()


def choose_in_menu(text):
    """Click an entry of the open menu."""
    menu = QApplication.activePopupWidget()
    entry = next(each for each in menu.actions() if each.text() == text)
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(entry).center())


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        made.wait(lambda: made.drafts.assumptions is not None)
        yield made


@pytest.fixture
def plane(driver):
    panel = driver.window.auto_run.plane
    driver.wait(lambda: panel.series is not None)
    bar = driver.form._scroll.verticalScrollBar()
    bar.setValue(bar.maximum())
    return panel


def layout_of(driver):
    """Where every field of the form is, what it says, and how far the form is scrolled."""
    bar = driver.form._scroll.verticalScrollBar()
    form = driver.form
    seen = [each for each in form.findChildren(QWidget) if each.isVisibleTo(form) and each is not plane_readout(driver)]
    texts = [each.text() for each in form.findChildren(QLineEdit)] + [form.instance_form.family.currentText()]
    return [each.geometry() for each in seen], texts, bar.value(), bar.maximum()


def plane_readout(driver):
    return driver.window.auto_run.plane.plot.readout


def test_dragging_an_arm_moves_nothing_else_and_is_one_step_of_undo(driver, plane):
    card = plane.parentWidget()
    assert card.body.itemAt(0).widget().text() == "ARMS"
    assert card.body.itemAt(1).widget() is plane
    driver.set_look("light")
    assert plane.sizeHint().height() == pytest.approx(driver.theme.pixels(_PLANE), abs=2), "nothing has moved"
    driver.wait(lambda: layout_of(driver) == (QTest.qWait(30), layout_of(driver))[1])  # the new look is laid out
    drafts, plot = driver.drafts, plane.plot
    gallery, instance = drafts.draft, drafts.instance
    before, axes, seen = layout_of(driver), plane.projection, plot.box.viewRange()
    where, start = plot.mapToGlobal(QPoint()), np.array(plane.series.arms[4])
    grab(plot, start, (0.1, 0.05), (0.2, 0.1))
    assert plot.cursor().shape() == Qt.CursorShape.ClosedHandCursor
    name, place, reward = plot.readout.text().split("\n")
    assert plot.readout.isVisible()
    assert name == "x_5"
    x, y = plane.series.arms[4]
    assert place == f"component 1, 2: {number(float(f'{x:.4g}'))}, {number(float(f'{y:.4g}'))}"
    now = drafts.draft.source.table.arms[4] @ instance.theta
    assert reward == f"mean reward {number(float(f'{now:.4g}'))}, gap {number(float(f'{1 - now:.4g}'))}"
    assert plane.caption.dim == f"Ctrl snaps to {number(plot.step)} · Esc cancels"
    driver.wait(lambda: drafts.assumptions is not None)
    assert layout_of(driver) == before, "while dragging"
    move(plot, np.add(start, (0.3, -0.1)))
    drop(plot, np.add(start, (0.3, -0.1)))
    source = drafts.draft.source
    assert isinstance(source, FromTable)
    assert near(plot, axes.seen(source.table.arms[[4]])[0], np.add(start, (0.3, -0.1)))
    off = np.eye(5) - axes.basis.T @ axes.basis
    assert np.allclose(off @ source.table.arms[4], off @ instance.arms[4])
    assert np.array_equal(np.delete(source.table.arms, 4, axis=0), np.delete(instance.arms, 4, axis=0))
    driver.wait(lambda: drafts.assumptions is not None)
    assert np.allclose(drafts.instance.rewards, source.table.arms @ instance.theta), "rewards follow θ⋆"
    assert plane.projection is axes
    assert plot.box.viewRange() == seen, "the axes stay after the drag"
    assert plot.mapToGlobal(QPoint()) == where, "the form is new, but the picture is where it was"
    assert driver.form.instance_form.family.currentText() != "paper-hard"
    drag(plot, plane.series.arms[0], (0.2, 0.2))
    moved_twice = drafts.draft
    driver.press("Ctrl+Z")
    assert drafts.draft.source == source
    driver.press("Ctrl+Z")
    assert drafts.draft == gallery
    driver.wait(lambda: drafts.instance is not None)
    assert plot.box.viewRange() == seen
    assert plane.projection is axes
    driver.press("Ctrl+Y", times=2)
    assert drafts.draft == moved_twice
    assert plot.mapToGlobal(QPoint()) == where


def test_the_readout_stays_in_the_picture_wherever_the_point_is(driver, plane):
    plot, start = plane.plot, np.array(plane.series.arms[4])
    (left, right), (low, high) = plot.box.viewRange()
    wide, tall = right - left, high - low
    for way in ((0.0, 1.5), (0.0, -1.5), (1.5, 1.5), (-1.5, -1.5)):
        step = np.multiply(way, (wide, tall))
        grab(plot, start, step)
        assert plot.readout.isVisible()
        assert plot.rect().contains(plot.readout.geometry()), way
        QTest.keyClick(plot, Qt.Key.Key_Escape)
        drop(plot, start + step)
        driver.wait(lambda: near(plot, plane.series.arms[4], start))


def test_ctrl_snaps_to_the_grid_and_esc_restores_the_point(driver, plane):
    drafts, plot = driver.drafts, plane.plot
    drag(plot, plane.series.arms[0], (0.1, 0.1))
    driver.press("Ctrl+Z")
    driver.wait(lambda: drafts.instance is not None)
    gallery, start = drafts.draft, np.array(plane.series.arms[4])
    undo, redo = drafts.history.undo_text, drafts.history.redo_text
    assert redo
    grab(plot, start, (0.13, 0.07))
    free = np.array(plane.series.arms[4])
    assert not np.allclose(free / plot.step, np.round(free / plot.step), atol=1e-6)
    assert not len(drawn(plot.grid_lines))
    QTest.keyPress(plot, Qt.Key.Key_Control, CTRL)
    snapped = np.array(plane.series.arms[4])
    assert np.allclose(snapped / plot.step, np.round(snapped / plot.step), atol=1e-6), "at once, without a move"
    assert len(drawn(plot.grid_lines))
    assert plane.caption.dim == f"Snaps to {number(plot.step)} · Esc cancels"
    move(plot, np.add(start, (0.2, 0.11)), CTRL)
    assert np.allclose(plane.series.arms[4] / plot.step, np.round(plane.series.arms[4] / plot.step), atol=1e-6)
    QTest.keyRelease(plot, Qt.Key.Key_Control)
    assert near(plot, plane.series.arms[4], np.add(start, (0.2, 0.11)))
    assert not len(drawn(plot.grid_lines))
    driver.press("Ctrl+R")
    assert driver.run is None, "no other key has a meaning during a drag"
    driver.press("Esc")
    assert drafts.draft == gallery
    assert (drafts.history.undo_text, drafts.history.redo_text) == (undo, redo), "as if nothing had happened"
    driver.wait(lambda: drafts.instance is not None)
    assert np.allclose(plane.series.arms[4], start)
    assert not plot.readout.isVisible()
    move(plot, np.add(start, (0.4, 0.4)))
    drop(plot, np.add(start, (0.4, 0.4)))
    assert drafts.draft == gallery, "the rest of the drag does nothing"
    assert driver.form.draft == gallery


def test_points_at_one_place_can_each_be_grabbed(driver, plane):
    drafts, plot = driver.drafts, plane.plot
    arms, theta = drafts.instance.arms, drafts.instance.theta
    tip = np.array(plane.series.arrow[1])
    assert np.allclose(plane.series.arms[3], tip), "the best arm is at θ⋆"
    hover(plot, tip)
    assert plot.cursor().shape() == Qt.CursorShape.OpenHandCursor
    assert plot.readout.text().startswith("x_4\n")
    assert "Also here: θ⋆ (click, or press Tab)" in plot.readout.text()
    assert not asks_for_tip(plot, tip), "it would cover the text about the point"
    QTest.mouseClick(plot.viewport(), LEFT, pos=at(plot, tip))
    assert [each.text() for each in QApplication.activePopupWidget().actions()] == ["x_4", "θ⋆"]
    choose_in_menu("θ⋆")
    hover(plot, tip)
    assert plot.readout.text().startswith("θ⋆\n"), "the selected one moves"
    grab(plot, tip, (-0.1, 0.2))
    assert plot.readout.text().split("\n")[0::2] == ["θ⋆", f"best x_4, by {words_of_gap(drafts)}"]
    drop(plot, np.add(tip, (-0.1, 0.2)))
    table = drafts.draft.source.table
    assert np.array_equal(table.arms, arms)
    assert not np.array_equal(table.theta, theta)
    assert near(plot, plane.projection.seen(table.theta[None, :])[0], np.add(tip, (-0.1, 0.2)))
    driver.press("Ctrl+Z")
    driver.wait(lambda: drafts.instance is not None)
    for turn, expected in (("Tab", 3), ("Tab", THETA), ("Shift+Tab", 3)):
        hover(plot, tip)
        driver.press(turn)
        assert plot.selected == expected
        assert plot.hasFocus()
    QTest.mouseClick(plot.viewport(), LEFT, ALT, at(plot, tip))
    assert plot.selected == THETA
    assert QApplication.activePopupWidget() is None
    QTest.mouseClick(plot.viewport(), LEFT, ALT, at(plot, tip))
    assert plot.selected == 3
    drag(plot, tip, (0.1, 0.2))
    assert np.array_equal(drafts.draft.source.table.theta, theta)
    assert not np.array_equal(drafts.draft.source.table.arms[3], arms[3])
    hover(plot, plane.series.arms[0] + 0.3)
    assert not plot.readout.isVisible()
    assert "Ctrl snaps to the grid" in asks_for_tip(plot, plane.series.arms[0] + 0.3)
    assert plot.cursor().shape() == Qt.CursorShape.ArrowCursor
    driver.press("Tab")
    assert not plot.hasFocus(), "nothing is under the mouse, so Tab leaves"


def asks_for_tip(plot, place):
    """The tooltip after the mouse has rested at a place."""
    point = at(plot, place)
    QApplication.sendEvent(plot.viewport(), QHelpEvent(QEvent.Type.ToolTip, point, plot.viewport().mapToGlobal(point)))
    said = QToolTip.text()
    QToolTip.hideText()
    return said


def words_of_gap(drafts):
    table = drafts.draft.source.table
    rewards = np.sort(table.arms @ table.theta)
    return number(float(f"{rewards[-1] - rewards[-2]:.4g}"))


def test_marks_are_shared_only_with_a_run_of_the_same_arms(driver, plane):
    driver.finished()
    driver.press("Ctrl+N")
    driver.wait(lambda: len(plane.series.arms) != len(driver.trace.instance.arms))
    QTest.mouseClick(plane.plot.viewport(), LEFT, pos=at(plane.plot, plane.series.arms[1]))
    assert np.allclose(drawn(plane.plot.ring)[0], plane.series.arms[1])
    assert driver.run.selection.arm is None, "the run has other arms"
    driver.workbench.select_arm(0)
    assert np.allclose(drawn(plane.plot.ring)[0], plane.series.arms[1]), "and its arm 0 is not the one in the plane"


def test_keys_select_and_nudge_a_point_and_esc_gives_them_back_to_the_run(driver, plane):
    drafts, plot = driver.drafts, plane.plot
    driver.finished()
    gallery, before = drafts.draft, plane.projection
    QTest.mouseClick(plot.viewport(), LEFT, pos=at(plot, plane.series.arms[4]))
    assert driver.run.selection.arm == 4
    start, step = np.array(plane.series.arms[4]), plot.step
    assert plane.caption.dim == "Arrow keys move x_5, Esc gives them back to the run"
    assert plane.caption.shown()[1] in (plane.caption.dim, "Arrow keys move x_5; Esc ends this")
    driver.press("Right")
    assert np.allclose(plane.series.arms[4], np.add(start, (step, 0)))
    assert driver.cursor == 0, "the run does not move"
    assert plot.readout.text().startswith("x_5\n")
    assert plot.readout.text().endswith("\nEsc: arrows to the run")
    driver.wait(lambda: driver.drafts.instance is not None)
    assert plot.readout.isVisible(), "also when the changed instance is there: the caption may be out of sight"
    driver.press("Up")
    driver.press("Shift+Left", times=2)
    driver.press("Shift+Down")
    assert np.allclose(plane.series.arms[4], np.add(start, (0.8 * step, 0.9 * step)))
    assert plane.projection is before
    for _ in range(5):
        assert drafts.draft != gallery
        driver.press("Ctrl+Z")
        assert not plot.readout.isVisible(), "it would show what is no longer true"
    assert drafts.draft == gallery, "each press is one step"
    driver.wait(lambda: drafts.instance is not None)
    driver.press("PgDown")
    assert plot.selected == THETA, "after the last arm"
    driver.press("PgDown")
    assert plot.selected == 0
    driver.press("PgUp", times=2)
    assert plot.selected == 4
    driver.press("Right")
    QTest.keyPress(plot, Qt.Key.Key_Up)
    QApplication.sendEvent(plot, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Up, NONE, "", True))
    driver.press("Ctrl+Z")
    assert np.allclose(plane.series.arms[4], np.add(start, (step, 0))), "a key that is held down is one step"
    driver.press("Esc")
    assert plot.selected is None
    assert driver.run.selection.arm is None
    assert "Arrow keys" not in plane.caption.dim
    driver.press("Right")
    assert driver.cursor == 1
    driver.workbench.select_arm(1)
    assert np.allclose(drawn(plot.ring)[0], plane.series.arms[1]), "the views mark it here"
    driver.wait(lambda: driver.board.settled)
    QTest.mouseClick(plot.viewport(), LEFT, pos=at(plot, plane.series.arms[4]))
    driver.wait(lambda: driver.views["survivors"].snapshot.selection.arm == 4)
    driver.press("T")
    assert len(drawn(plot.best)) == len(drawn(plot.arrow)) == 0


def test_auto_run_follows_a_drag_and_leaves_it_the_focus(driver, plane):
    driver.finished()
    driver.press("Ctrl+Shift+R")
    plot, start = plane.plot, np.array(plane.series.arms[4])
    QTest.mousePress(plot.viewport(), LEFT, NONE, at(plot, start))
    for step in ((0.1, 0.1), (0.2, 0.1)):
        move(plot, start + np.array(step))
        arm = driver.draft.source.table.arms[4]
        driver.wait(lambda arm=arm: np.array_equal(driver.trace.instance.arms[4], arm))
        assert plot.hasFocus(), "Esc still cancels"
    assert len(driver.workbench.runs) == 2, "the next run of auto-run replaces the previous one"
    driver.press("Esc")
    driver.wait(lambda: np.allclose(plane.series.arms[4], start))
    drop(plot, start)


def test_the_axes_change_only_on_request(driver, plane):
    driver.drafts.set_draft(SMALL.with_instance(make("sphere", n=30, D=8, d_star=3, seed=1, min_gap=0.0)))
    driver.wait(lambda: len(plane.series.arms) == 30)
    plot, axes, seen = plane.plot, plane.projection, plane.plot.box.viewRange()
    assert not plane.recompute.isEnabled()
    far = int(np.argmax(plane.series.arms[:, 0]))
    drag(plot, plane.series.arms[far], (-0.1, 0.1), (1.2, 0.1))
    assert plane.projection is axes
    assert plot.box.viewRange() == seen
    assert plane.caption.dim == "1 point out of view: press Fit"
    driver.click(plane.fit)
    assert plot.outside() == 0
    assert plane.projection is axes
    arms = driver.drafts.draft.source.table.arms
    share = f"{100 * share_shown(arms, axes):.0f} % of the variance"
    assert plane.caption.dim == f"{share}, axes of earlier arms"
    driver.click(plane.recompute)
    assert np.allclose(np.abs(plane.projection.basis), np.abs(principal_components(arms).basis))
    assert not plane.recompute.isEnabled()
    assert plane.caption.dim == f"{100 * plane.projection.share:.0f} % of the variance; drag a point"
    wide, middle = plot.box.viewRange(), plane.series.arms.mean(axis=0)
    wheel(plot, middle)
    assert plot.box.viewRange() == wide, "the form scrolls instead"
    wheel(plot, middle, CTRL)
    assert np.ptp(plot.box.viewRange()[0]) == pytest.approx(np.ptp(wide[0]) / 1.25)
    empty = (plot.box.viewRange()[0][0] + 3 * plot.pixel[0], plot.box.viewRange()[1][0] + 3 * plot.pixel[1])
    zoomed, draft = plot.box.viewRange(), driver.draft
    drag(plot, empty, (0.2, 0.1))
    assert plot.box.viewRange()[0][0] == pytest.approx(zoomed[0][0] - 0.2, abs=2 * plot.pixel[0]), "it moves along"
    assert driver.draft == draft
    edge = (plot.box.viewRange()[0][0] + 3 * plot.pixel[0], plot.box.viewRange()[1][0] + 3 * plot.pixel[1])
    QTest.mouseDClick(plot.viewport(), LEFT, pos=at(plot, edge))
    assert np.allclose(plot.box.viewRange(), wide)
    driver.press("F1")
    driver.wait(lambda: driver.window.help_controller._help.open)
    assert driver.window.help_controller._help.shown().browser.source().path() == "topics/plane"


def test_undo_brings_an_instance_back_with_its_axes(driver, plane):
    drafts = driver.drafts
    drafts.set_draft(SMALL.with_instance(make("sphere", n=30, D=8, d_star=3, seed=1, min_gap=0.0)))
    driver.wait(lambda: len(plane.series.arms) == 30)
    far = int(np.argmax(plane.series.arms[:, 0]))
    drag(plane.plot, plane.series.arms[far], (-0.3, 0.2))
    axes, seen, arms = plane.projection, plane.plot.box.viewRange(), plane.series.arms
    QTest.mouseClick(plane.plot.viewport(), LEFT, pos=at(plane.plot, arms[1]))
    assert np.allclose(drawn(plane.plot.ring)[0], arms[1])
    presets = driver.form.presets
    choose_by_keys(presets, Qt.Key.Key_Home, *[Qt.Key.Key_Down] * presets.findData("budget"))
    driver.wait(lambda: len(plane.series.arms) != 30)
    assert not len(drawn(plane.plot.ring)), "what was selected is not an arm of this instance"
    driver.press("Ctrl+Z")
    driver.wait(lambda: len(plane.series.arms) == 30)
    assert plane.projection is axes
    assert np.array_equal(plane.series.arms, arms)
    assert np.allclose(plane.plot.box.viewRange(), seen)
    plane.show_instance(None)
    plane.show_instance(drafts.instance)
    assert np.allclose(plane.plot.box.viewRange(), seen), "a value that is not valid changes nothing"


def test_a_drag_keeps_given_rewards_and_can_pass_through_what_cannot_run(driver, plane):
    rewards = [0.1, 0.9, 0.4]
    instance = Instance.from_rewards(np.eye(3), rewards)
    driver.drafts.set_draft(SMALL.with_instance(instance))
    driver.wait(lambda: driver.drafts.instance is not None and len(plane.series.arms) == 3)
    assert len(plane.series.arrow) == 0, "there is no θ⋆"
    drag(plane.plot, plane.series.arms[1], (0.1, 0.1))
    driver.wait(lambda: driver.drafts.instance is not None)
    changed = driver.drafts.instance
    assert not np.array_equal(changed.arms[1], instance.arms[1])
    assert np.array_equal(changed.arms[:, 2], instance.arms[:, 2]), "two features are shown, and only they change"
    assert list(changed.rewards) == rewards
    coins = Instance.linear(np.eye(2), [0.5, 0.2], noise=Noise.parse("bernoulli"))
    driver.drafts.set_draft(SMALL.with_instance(coins))
    driver.wait(lambda: driver.drafts.instance is not None and len(plane.series.arms) == 2)
    start = np.array(plane.series.arms[0])
    end = drag(plane.plot, start, (1.4, 0.0))
    driver.wait(lambda: driver.drafts.refusal)
    assert near(plane.plot, plane.series.arms[0], end), "a mean of 1.2 cannot run, but can be dragged back"
    driver.click(plane.fit)
    drag(plane.plot, plane.series.arms[0], start - end)
    driver.wait(lambda: driver.drafts.instance is not None)


def test_a_thousand_arms_are_drawn_and_dragged(driver, plane):
    instance = make("gaussian", n=1000, D=20, d_star=5, seed=1)
    driver.drafts.set_draft(SMALL.with_instance(instance))
    driver.wait(lambda: plane.series is not None and len(plane.series.arms) == 1000)
    far = int(np.argmax(plane.series.arms[:, 0]))
    start = plane.series.arms[far]
    drag(plane.plot, start, *(-start * part / 20 for part in range(1, 11)))
    driver.wait(lambda: driver.drafts.instance is not None)
    changed = np.flatnonzero((driver.drafts.instance.arms != instance.arms).any(axis=1))
    assert list(changed) == [far]
    grab(plane.plot, plane.series.arms[far], (0.2, 0.2))
    assert driver.form.draft != driver.draft, "the form waits for the end of the drag"
    plane.plot.hide()
    assert driver.form.draft == driver.draft, "no release would ever arrive"
