"""Arms in the plane: projections and back, what the picture draws, and arms and θ⋆ that are dragged in a window."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import FromTable
from gems_gui.editing.auto_run_controller import _PLANE
from gems_gui.panels.plane import COMPONENTS, FEATURES, PlanePanel
from gems_gui.panels.plane_plot import THETA
from gems_gui.series.plane import coordinates, plane_series, principal_components, words_for_arm
from gems_gui.theme import DARK, LIGHT
from tests.gui.window_driver import LEFT, SMALL, driven

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


def test_words_name_the_arm_its_coordinates_and_who_else_is_there():
    instance = make("paper-hard", d_star=4, epsilon=0.25)
    series = plane_series(instance, coordinates(5, 3, 4))
    assert words_for_arm(instance, series, 0) == "x_1 and 2 more\n(1, 0, 0, 0, 0)\nreward 0"
    assert words_for_arm(instance, series, 4) == "x_5\n(0, 0, 0, 0.75, 1)\nreward 0.75"
    assert "reward" not in words_for_arm(instance, series, 4, truth=False)


@pytest.fixture
def panel(qtbot):
    appearance = Appearance(LIGHT)
    made = PlanePanel(appearance)
    made.look = appearance.set_theme
    qtbot.addWidget(made)
    made.resize(260, 240)
    made.show()
    return made


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
    assert panel.caption.text_shown.endswith("drag an arm or θ⋆")
    panel.show_instance(instance, None, truth=False)
    assert panel.caption.text_shown.endswith("drag an arm"), "what is not seen cannot be dragged"
    assert len(drawn(panel.plot.best)) == len(drawn(panel.plot.tip)) == len(drawn(panel.plot.ring)) == 0
    panel.look(DARK)
    assert len(drawn(panel.plot.arms)) == 12
    panel.show_instance(None)
    assert len(drawn(panel.plot.arms)) == 0
    assert "shown here when" in panel.caption.text_shown


def test_two_features_can_be_chosen_and_are_never_the_same(panel):
    instance = make("sphere", n=12, D=5, d_star=2, seed=2, min_gap=0.0)
    panel.show_instance(instance)
    assert not panel.across.isVisible()
    panel.axes.choose(FEATURES)
    panel.axes.activated.emit(1)
    assert panel.across.isVisible()
    assert np.array_equal(drawn(panel.plot.arms), instance.arms[:, :2])
    panel.across.setValue(5)
    assert np.array_equal(drawn(panel.plot.arms), instance.arms[:, [4, 1]])
    panel.up.setValue(5)
    assert panel.across.value() == 4
    panel.show_instance(make("sphere", n=12, D=2, d_star=2, seed=2, min_gap=0.0))
    assert (panel.across.value(), panel.up.value()) in ((1, 2), (2, 1)), "there are only two now"
    panel.axes.choose(COMPONENTS)
    panel.axes.activated.emit(0)
    assert panel.projection.share == pytest.approx(1.0)


def test_features_are_called_by_their_names(panel):
    instance = make("sphere", n=12, D=3, d_star=2, seed=2, min_gap=0.0)
    panel.show_instance(replace(instance, feature_names=("age", "income", "distance to the station")))
    panel.axes.choose(FEATURES)
    panel.axes.activated.emit(1)
    assert (panel.across.text(), panel.up.text()) == ("→ 1 age", "↑ 2 income")
    assert panel.caption.text_shown.startswith("Axes: age and income;")
    panel.up.setValue(3)
    assert panel.up.text() == "↑ 3 distance to t…"
    panel.show_instance(instance)
    assert (panel.across.text(), panel.up.text()) == ("→ 1", "↑ 3")


def test_an_arm_at_the_tip_is_taken_first_and_theta_with_shift(panel):
    panel.show_instance(make("paper-hard", d_star=4, epsilon=0.25))
    x, y = panel.series.arrow[1]
    assert panel.plot.near(x, y) == 3
    assert panel.plot.near(x, y, theta_first=True) == THETA
    (left, right), _ = panel.plot.box.viewRange()
    assert panel.plot.near(left, y + (right - left)) is None


# -- in the window --------------------------------------------------------------------------------------------------


def at(plot, place):
    """Where in a plot's widget a place is."""
    scene = plot.box.mapViewToScene(QPointF(*place))
    return plot.mapFromScene(scene)


def drag(plot, start, steps, modifier=Qt.KeyboardModifier.NoModifier):
    """Drag with the left button from a place over others; the places where the mouse really was."""
    viewport = plot.viewport()
    QTest.mousePress(viewport, LEFT, modifier, at(plot, start))
    reached = []
    for step in steps:
        point = at(plot, step)
        _move(viewport, point)
        there = plot.box.mapSceneToView(plot.mapToScene(point))
        reached.append((there.x(), there.y()))
    QTest.mouseRelease(viewport, LEFT, modifier, at(plot, steps[-1]))
    return reached


def _move(widget, point):
    """A move with the button held, which QTest's own does not say."""
    there = QPointF(widget.mapToGlobal(point))
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(widget, QMouseEvent(QEvent.Type.MouseMove, QPointF(point), there, LEFT, LEFT, none))


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


def test_the_picture_takes_the_room_that_was_kept_for_it(driver, plane):
    card = plane.parentWidget()
    assert card.body.itemAt(0).widget().text() == "ARMS"
    assert card.body.itemAt(1).widget() is plane
    assert card.body.count() == 2
    assert plane.isVisible()
    assert plane.height() == pytest.approx(driver.theme.pixels(_PLANE), abs=12), "nothing has moved"


def test_dragging_an_arm_makes_an_own_instance_in_one_step_of_undo(driver, plane):
    drafts = driver.drafts
    gallery, instance = drafts.draft, drafts.instance
    projection, start = plane.projection, plane.series.arms[4]
    reached = drag(plane.plot, start, [start + np.array(step) for step in ((0.1, 0.05), (0.2, 0.1), (0.3, -0.1))])
    source = drafts.draft.source
    assert isinstance(source, FromTable)
    assert np.allclose(projection.seen(source.table.arms[[4]])[0], reached[-1])
    off = np.eye(5) - projection.basis.T @ projection.basis
    assert np.allclose(off @ source.table.arms[4], off @ instance.arms[4])
    assert np.array_equal(np.delete(source.table.arms, 4, axis=0), np.delete(instance.arms, 4, axis=0))
    driver.wait(lambda: drafts.instance is not None)
    assert np.allclose(drafts.instance.rewards, source.table.arms @ instance.theta), "rewards follow θ⋆"
    assert np.allclose(plane.series.arms, plane.projection.seen(source.table.arms))
    drag(plane.plot, plane.series.arms[0], [plane.series.arms[0] + np.array([0.2, 0.2])])
    moved_twice = drafts.draft
    driver.press("Ctrl+Z")
    assert drafts.draft.source == source
    driver.press("Ctrl+Z")
    assert drafts.draft == gallery
    driver.press("Ctrl+Y", times=2)
    assert drafts.draft == moved_twice


def test_dragging_theta_changes_theta_alone(driver, plane):
    drafts = driver.drafts
    arms, theta = drafts.instance.arms, drafts.instance.theta
    start = plane.series.arrow[1]
    reached = drag(
        plane.plot,
        start,
        [start + np.array([0.2, 0.1]), start + np.array([0.4, 0.2])],
        Qt.KeyboardModifier.ShiftModifier,
    )
    table = drafts.draft.source.table
    assert np.array_equal(table.arms, arms)
    assert not np.array_equal(table.theta, theta)
    driver.wait(lambda: drafts.instance is not None)
    assert np.allclose(plane.projection.seen(drafts.instance.theta[None, :])[0], reached[-1])


def test_given_rewards_stay_when_an_arm_is_dragged(driver, plane):
    rewards = [0.1, 0.9, 0.4]
    instance = Instance.from_rewards(np.eye(3), rewards)
    driver.drafts.set_draft(SMALL.with_instance(instance))
    driver.wait(lambda: driver.drafts.instance is not None and len(plane.series.arms) == 3)
    assert len(plane.series.arrow) == 0, "there is no θ⋆"
    start = plane.series.arms[2]
    drag(plane.plot, start, [start + np.array([0.1, 0.1])])
    driver.wait(lambda: driver.drafts.instance is not None)
    changed = driver.drafts.instance
    assert not np.array_equal(changed.arms[2], instance.arms[2])
    assert list(changed.rewards) == rewards


def test_a_click_marks_the_arm_in_every_view_and_the_views_mark_it_here(driver, plane):
    driver.finished()
    QTest.mouseClick(plane.plot.viewport(), LEFT, pos=at(plane.plot, plane.series.arms[4]))
    assert driver.run.selection.arm == 4
    assert np.allclose(drawn(plane.plot.ring)[0], plane.series.arms[4])
    driver.wait(lambda: driver.board.settled)
    assert driver.views["survivors"].snapshot.selection.arm == 4
    driver.workbench.select_arm(1)
    assert np.allclose(drawn(plane.plot.ring)[0], plane.series.arms[1])
    assert isinstance(driver.draft.source, type(SMALL.source)), "a click moves nothing"
    driver.workbench.set_truth(False)
    assert len(drawn(plane.plot.best)) == len(drawn(plane.plot.arrow)) == 0


def test_a_thousand_arms_are_drawn_and_dragged(driver, plane):
    instance = make("gaussian", n=1000, D=20, d_star=5, seed=1)
    driver.drafts.set_draft(SMALL.with_instance(instance))
    driver.wait(lambda: plane.series is not None and len(plane.series.arms) == 1000)
    far = int(np.argmax(plane.series.arms[:, 0]))
    start = plane.series.arms[far]
    drag(plane.plot, start, [start * (1 - part / 20) for part in range(1, 11)])
    driver.wait(lambda: driver.drafts.instance is not None)
    changed = np.flatnonzero((driver.drafts.instance.arms != instance.arms).any(axis=1))
    assert list(changed) == [far]
