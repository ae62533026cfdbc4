"""The geometry: a region that covers what it says, directions that are the longest, and a picture of these numbers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from scipy.stats import chi2

from gems_engine.algorithms import BUILT_IN
from gems_engine.errors import InputError
from gems_engine.events import Estimated
from gems_engine.explanation.round import before_elimination
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.rewards import Noise
from gems_engine.running import Run
from gems_engine.terminal import superscript
from gems_gui.appearance import Appearance
from gems_gui.series.confidence import (
    BAND,
    ELLIPSE,
    OPEN,
    POINT,
    SEGMENT,
    confidence_region,
    one_reading,
    readings,
    two_readings,
    variance_of,
)
from gems_gui.series.fate_raster import BEFORE, NOW, SURVIVING
from gems_gui.series.gaps import last_estimated
from gems_gui.series.geometry import BY_DELTA, COMPONENTS, ESTIMATE, FEATURES, Sight, geometry_series, shrunk
from gems_gui.series.plane import principal_components, spanned
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.geometry import Geometry
from gems_gui.views.option import Whole
from gems_gui.workbench.layouts import LEAST
from tests.gui.sample_runs import color_at, cut, run, same, snapshot_of
from tests.gui.test_gaps import run_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle

AXES = (COMPONENTS, FEATURES, ESTIMATE)
EYE = np.eye(2)


def random_plane(generator, d):
    """Two orthonormal rows."""
    return np.linalg.qr(generator.normal(size=(d, 2)))[0].T


# -- the region -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("d", [4, 6])
def test_the_ellipse_covers_the_truth_as_often_as_it_says(level, d):
    """Rounds with fixed counts, drawn and fitted here; d⋆ = 4."""
    generator = np.random.default_rng(d)
    arms, theta = generator.normal(size=(30, 6)), np.append(generator.normal(size=4), [0.0, 0.0])
    counts, sigma, trials = generator.integers(1, 9, size=30), 0.7, 1500
    plane = random_plane(generator, d)
    rows = np.repeat(arms, counts, axis=0)
    covered = 0
    for _ in range(trials):
        rewards = rows @ theta + sigma * generator.normal(size=len(rows))
        estimate = np.linalg.lstsq(rows[:, :d], rewards, rcond=None)[0]
        region = confidence_region(plane, estimate, arms[:, :d], counts, sigma**2, level)
        assert region.kind == ELLIPSE
        covered += region.covers(plane @ theta[:d])
    assert covered / trials == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / trials))


@pytest.mark.parametrize("draws", [400, pytest.param(5000, marks=pytest.mark.long)])
def test_in_the_plane_of_the_estimate_it_covers_at_least_as_often_as_it_says(draws):
    """The first allocation of RAGE, rewards drawn again and fitted here; the plane turns with every estimate."""
    trace = Run(make("sphere", D=25, n=100, seed=0), "rage", 1, max_samples=100_000).finish()
    snapshot = Snapshot.of(trace, int(trace.positions(Estimated)[0]) + 1)
    instance, (arms, counts) = snapshot.instance, (snapshot.state.allocation.arms, snapshot.state.allocation.counts)
    X, generator = instance.arms[arms], np.random.default_rng(3)
    inverse, level, covered, narrow = np.linalg.inv((X.T * counts) @ X), 0.95, 0, 0
    shorter = np.sqrt(chi2.ppf(level, 2) / chi2.ppf(level, 25))
    for _ in range(draws):
        sums = counts * instance.rewards[arms] + np.sqrt(counts) * generator.normal(size=len(arms))
        estimated = replace(snapshot.state.estimated, theta=inverse @ (X.T @ sums))
        again = replace(snapshot, state=replace(snapshot.state, estimated=estimated))
        series = geometry_series(again, Sight(ESTIMATE, level="95"))
        assert series.region.whatever_plane
        tip = series.truth[1]
        covered += series.region.covers(tip)
        narrow += replace(series.region, axes=series.region.axes * shorter).covers(tip)
    error = np.sqrt(level * (1 - level) / draws)
    assert covered / draws >= level - 3 * error
    assert narrow / draws < level - 3 * error, "in a plane that is chosen after the rewards χ²₂ is too little"


def test_below_d_star_it_misses_by_the_bias_that_the_page_explains():
    generator = np.random.default_rng(1)
    arms, theta, counts = generator.normal(size=(20, 5)), np.array([1.0, 0, 0, 0, 3.0]), np.full(20, 400)
    d, plane = 3, random_plane(generator, 3)
    A = (arms[:, :d].T * counts) @ arms[:, :d]
    bias = np.linalg.solve(A, arms[:, :d].T @ (counts * (arms[:, d:] @ theta[d:])))
    expected = theta[:d] + bias
    region = confidence_region(plane, expected, arms[:, :d], counts, 1.0, 0.99)
    assert not region.covers(plane @ theta[:d])
    assert region.covers(plane @ expected)


@given(st.integers(2, 6), st.integers(0, 10_000), st.sampled_from([0.5, 0.9, 0.99]))
def test_the_edge_is_where_the_textbook_has_it(d, seed, level):
    generator = np.random.default_rng(seed)
    arms, theta, counts = generator.normal(size=(d + 3, d)), generator.normal(size=d), generator.integers(1, 50, d + 3)
    plane = random_plane(generator, d)
    region = confidence_region(plane, theta, arms, counts, 2.0, level)
    sigma = plane @ (2.0 * np.linalg.inv((arms.T * counts) @ arms)) @ plane.T
    away = region.outline() - plane @ theta
    squares = np.einsum("ij,jk,ik->i", away, np.linalg.inv(sigma), away)
    assert np.allclose(squares, chi2.ppf(level, 2), rtol=1e-6)
    assert region.covers(plane @ theta + 0.99 * away[0])
    assert not region.covers(plane @ theta + 1.01 * away[0])


def test_what_the_pulls_do_not_determine_is_said_and_not_drawn():
    arms = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    theta, counts = np.array([1.0, 2.0, 0.0]), np.array([4, 9])
    both = confidence_region(np.eye(3)[:2], theta, arms, counts, 1.0, 0.95)
    assert (both.kind, both.rank, both.d) == (ELLIPSE, 2, 3)
    one = confidence_region(np.eye(3)[1:], theta, arms, counts, 1.0, 0.95)
    assert one.kind == BAND
    half = np.sqrt(chi2.ppf(0.95, 1) / 9)  # feature 2 was pulled nine times, feature 3 never
    assert one.covers([2.0 + 0.99 * half, 77.0])
    assert not one.covers([2.0 + 1.01 * half, 77.0])
    edge = one.outline(5.0)
    assert np.nanmax(np.abs(edge[:, 0] - 2.0)) == pytest.approx(half)
    assert np.nanmax(edge[:, 1]) - np.nanmin(edge[:, 1]) == pytest.approx(10.0)
    none = confidence_region(np.eye(3)[1:], theta, arms[:1], counts[:1], 1.0, 0.95)
    assert (none.kind, len(none.outline())) == (OPEN, 0)
    flat = confidence_region(np.array([[1.0, 0.0], [0.0, 0.0]]), theta[:2], arms[:, :2], counts, 1.0, 0.95)
    assert flat.kind == SEGMENT
    assert np.ptp(flat.outline()[:, 0]) == pytest.approx(2 * np.sqrt(chi2.ppf(0.95, 1) / 4))
    exact = confidence_region(EYE, theta[:2], arms[:, :2], counts, 0.0, 0.95)
    assert (exact.kind, len(exact.outline())) == (POINT, 0)
    assert exact.covers(theta[:2])


def test_features_of_other_scales_are_identified_as_well():
    arms, counts = np.array([[1.0, 0.0], [0.0, 1e-9]]), np.array([5, 5])
    region = confidence_region(EYE, np.ones(2), arms, counts, 1.0, 0.9)
    assert region.kind == ELLIPSE
    assert np.linalg.norm(region.axes, axis=1)[0] == pytest.approx(1e9 * np.sqrt(chi2.ppf(0.9, 2) / 5))


def test_quantiles_and_variances():
    for level in (0.5, 0.9, 0.95, 0.99):
        assert two_readings(level) == pytest.approx(chi2.ppf(level, 2))
        assert one_reading(level) == pytest.approx(chi2.ppf(level, 1))
        assert [readings(k, level) for k in (1, 2, 3, 25)] == pytest.approx(chi2.ppf(level, [1, 2, 3, 25]).tolist())
    kinds = {"gaussian:0.5": 0.25, "bernoulli": 0.25, "rademacher": 1.0, "deterministic": 0.0}
    assert {each: variance_of(Noise.parse(each)) for each in kinds} == kinds


# -- planes ---------------------------------------------------------------------------------------------------------


def test_components_that_tie_are_chosen_by_no_last_digit():
    arms = make("paper-hard").arms
    first = principal_components(arms)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(10, 10)))[0]
    again = principal_components((arms @ turn) @ turn.T)  # the same but for rounding
    assert np.allclose(first.basis, again.basis, atol=1e-6)
    lone = principal_components(np.ones((1, 3)))
    assert np.allclose(lone.basis @ lone.basis.T, EYE)


@given(st.integers(2, 7), st.integers(0, 1000))
def test_two_vectors_span_a_plane_in_which_they_are_as_long_as_they_are(D, seed):
    generator = np.random.default_rng(seed)
    one, other = generator.normal(size=(2, D))
    plane = spanned(one, other, ("a", "b"))
    assert np.allclose(plane.basis @ plane.basis.T, EYE, atol=1e-12)
    assert plane.seen(one[None, :])[0] == pytest.approx([np.linalg.norm(one), 0.0], abs=1e-12)
    assert np.linalg.norm(plane.seen(other[None, :])) == pytest.approx(np.linalg.norm(other))
    assert spanned(one, -3 * one, ("a", "b")) is None
    assert spanned(np.zeros(D), other, ("a", "b")) is None


@given(st.integers(1, 30), st.floats(0, 30), st.floats(0, 1e-3))
def test_truncation_is_smooth(D, t, step):
    t = min(t, float(D))
    factor = shrunk(D, t)
    assert np.array_equal(factor[: int(t)], np.ones(int(t)))
    assert factor.sum() == pytest.approx(t)
    assert np.abs(shrunk(D, t + step) - factor).max() <= step + 1e-12


# -- the series -----------------------------------------------------------------------------------------------------


def estimated(name):
    """Snapshots right behind estimates of a run, some of them."""
    places = run(name).positions(Estimated).tolist()
    return [snapshot_of(name, at + 1) for at in places[:: max(1, len(places) // 6)]]


def norms(snapshot, weights):
    """‖y‖² of every pair of survivors of the round, by brute force."""
    d, survivors = snapshot.state.d, before_elimination(snapshot.state)
    arms, targets = snapshot.instance.arms[:, :d], snapshot.instance.targets[survivors, :d]
    inverse = np.linalg.pinv((arms.T * weights) @ arms, rcond=1e-12)
    y = targets[:, None, :] - targets[None, :, :]
    return survivors, np.einsum("abi,ij,abj->ab", y, inverse, y)


@pytest.mark.parametrize("name", ["paper-hard", "sphere", "transductive"])
def test_the_widest_and_the_active_directions_are_those_of_all_pairs(name):
    for snapshot in estimated(name):
        series, state = geometry_series(snapshot, Sight()), snapshot.state
        counts = np.zeros(len(snapshot.instance.arms))
        counts[state.allocation.arms] = state.allocation.counts
        survivors, squares = norms(snapshot, counts)
        if squares.max() > 0:
            at = np.searchsorted(survivors, series.widest)
            assert squares[*at] == pytest.approx(squares.max(), rel=1e-6)
        weights = np.zeros(len(snapshot.instance.arms))
        weights[state.design.support] = state.design.weights
        survivors, squares = norms(snapshot, weights)
        assert squares.max() == pytest.approx(state.design.value, rel=1e-5)
        for pair in series.active.tolist():
            assert squares[*np.searchsorted(survivors, pair)] >= 0.998 * squares.max()
        distinct = np.unique(snapshot.instance.targets[survivors, : state.d], axis=0)
        if len(distinct) == len(survivors) and squares.max() > 0:
            assert series.active_count == pytest.approx(np.triu(squares >= (1 - 1e-3) * squares.max(), 1).sum(), abs=2)


def test_places_are_those_of_the_features_and_truncation_goes_from_D_to_d():
    snapshot = next(each for each in estimated("sphere") if 2 < each.state.d < each.instance.D - 2)
    instance, d, D = snapshot.instance, snapshot.state.d, snapshot.instance.D
    sight = Sight(FEATURES, 2, d + 1)
    series = geometry_series(snapshot, sight)
    assert np.array_equal(series.targets, instance.targets[:, [1, d]])
    assert (series.d, series.t, series.D, series.still) == (d, D, D, False)
    short = geometry_series(snapshot, replace(sight, truncation=100))
    assert (short.t, short.frame) == (d, series.frame)
    assert np.array_equal(short.targets, np.column_stack([instance.targets[:, 1], np.zeros(len(instance.targets))]))
    assert short.truth[1] == pytest.approx([instance.theta[1], 0.0])
    assert short.region.kind == SEGMENT, "nothing is estimated beyond d"
    assert np.array_equal(short.estimate, series.estimate)
    assert geometry_series(snapshot, Sight(FEATURES, 1, 2)).still
    whole = geometry_series(snapshot, Sight(COMPONENTS, truncation=100))
    factor = np.append(np.ones(d), np.zeros(D - d))
    plane = principal_components(instance.arms)
    assert np.allclose(whole.targets, plane.seen(instance.targets * factor))
    assert np.allclose(whole.region.centre, plane.seen(np.append(snapshot.state.theta, np.zeros(D - d))[None, :])[0])


def test_features_beyond_D_are_the_last_ones_and_two_axes_have_two():
    snapshot = snapshot_of("paper-hard", 3)
    assert geometry_series(snapshot, Sight(FEATURES, 99, 99)).projection.names == ("feature 10", "feature 1")
    assert geometry_series(snapshot, Sight(FEATURES, 4, 4)).projection.names == ("feature 4", "feature 5")


def test_in_the_plane_of_the_estimate_it_lies_across_and_the_widest_direction_is_as_long_as_it_is():
    snapshot = next(each for each in estimated("sphere") if each.state.d > 3)
    series, d = geometry_series(snapshot, Sight(ESTIMATE)), snapshot.state.d
    assert series.estimate[1] == pytest.approx([np.linalg.norm(snapshot.state.theta), 0.0], abs=1e-12)
    seen = series.targets[series.widest[0]] - series.targets[series.widest[1]]
    y = np.subtract(*snapshot.instance.targets[list(series.widest), :d])
    assert np.linalg.norm(seen) == pytest.approx(np.linalg.norm(y))
    assert series.still


@pytest.mark.parametrize("name", ["paper-hard", "sphere", "fixed-budget", "transductive", "made up"])
def test_nothing_after_the_cursor_is_seen_and_fates_are_those_of_the_state(name):
    for cursor in range(0, len(run(name)) + 1, max(1, len(run(name)) // 7)):
        snapshot = snapshot_of(name, cursor)
        for axes in AXES:
            series = geometry_series(snapshot, Sight(axes))
            assert same(series, geometry_series(cut(snapshot), Sight(axes)))
        if series.placeholder:
            continue
        state = snapshot.state
        assert np.flatnonzero(series.fates == NOW).tolist() == sorted(state.eliminated_now.tolist())
        assert np.array_equal(series.fates == SURVIVING, state.fate_event < 0)
        assert ((series.fates == BEFORE).sum() + (series.fates != BEFORE).sum()) == len(snapshot.instance.targets)


def test_the_level_is_said_and_is_that_of_the_run_where_it_has_one():
    snapshot = last_estimated(snapshot_of("sphere"))
    by_delta = geometry_series(snapshot, Sight(level=BY_DELTA))
    assert by_delta.region.level == 0.95
    assert "1 − δ = 95 %" in by_delta.subtitle[0]
    assert "50 % " in geometry_series(snapshot, Sight(level="50")).subtitle[0]
    turned, fixed = (geometry_series(snapshot, Sight(axes, level="90")) for axes in (ESTIMATE, COMPONENTS))
    assert "at least 90 % confidence, for any plane" in turned.subtitle[0]
    assert "at least" not in fixed.subtitle[0]
    said = [{row[3] for row in each.table(snapshot).rows if row[0] == each.region.kind} for each in (turned, fixed)]
    assert said == [{"at least 90 %, whatever the plane"}, {"90 %"}]
    assert (turned.region.whatever_plane, fixed.region.whatever_plane) == (True, False)
    without = [geometry_series(each, Sight(level=BY_DELTA)) for each in estimated("fixed-budget")]
    assert any("95 %, this run has no δ" in each.subtitle[0] for each in without)


@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_every_algorithm_has_a_picture_at_every_moment(algorithm):
    trace = run_of(algorithm, "sphere")
    drawn = set()
    for cursor in range(0, len(trace) + 1, max(1, len(trace) // 9)):
        for axes in AXES:
            snapshot = Snapshot.of(trace, cursor)
            series = geometry_series(snapshot, Sight(axes, truncation=50))
            assert bool(series.placeholder) == (series.projection is None)
            assert np.isfinite(series.targets).all()
            drawn.add(series.region.kind if series.region is not None else "")
            assert len(series.table(snapshot).rows) >= len(series.targets)
    assert drawn & {ELLIPSE, BAND, SEGMENT}


def test_degenerate_instances_say_what_there_is_not():
    line = Run(Instance.linear([[1.0], [0.5]], [1.0]), "rage", 1, max_samples=10_000).finish()
    series = geometry_series(Snapshot.of(line), Sight())
    assert "no plane" in series.placeholder
    assert series.table(Snapshot.of(line)).rows == []
    one_arm = Instance.linear([[1.0, 2.0]], [1.0, 0.0], targets=[[1.0, 2.0], [0.5, 1.0]])
    lone = Run(one_arm, "rage", 1, max_samples=10_000).finish()
    series = geometry_series(Snapshot.of(lone), Sight(FEATURES))
    assert (series.targets.tolist(), series.region.kind) == ([[1.0, 2.0], [0.5, 1.0]], BAND)
    assert "no estimate yet" in geometry_series(Snapshot.of(lone, 1), Sight(ESTIMATE)).placeholder
    flat = Run(Instance.linear([[1.0, 0.0], [0.5, 0.0]], [1.0, 0.0]), "rage", 1, max_samples=10_000).finish()
    assert "are parallel" in geometry_series(Snapshot.of(flat), Sight(ESTIMATE)).placeholder
    equal = Instance.linear([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 0.5])
    trace = Run(equal, "misspecified", 1, epsilon=0.2, max_samples=20_000).finish()
    for cursor in range(0, len(trace) + 1, 5):
        for axes in AXES:
            series = geometry_series(Snapshot.of(trace, cursor), Sight(axes))
            assert series.placeholder or len(series.targets) == 3


# -- the view -------------------------------------------------------------------------------------------------------


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×420."""
    view = Geometry(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 420)
    return view, card


def drawn(item):
    return np.column_stack(item.getData())


def test_what_is_drawn_is_the_series(shown):
    view, card = shown
    snapshot = next(each for each in estimated("sphere") if each.state.d > 3)
    view.show(snapshot)
    image = settle(card, 700, 420)
    series = view.series
    for fate in (SURVIVING, NOW, BEFORE):
        assert np.array_equal(drawn(view.dots[fate]), series.targets[series.fates == fate])
    assert np.array_equal(drawn(view.estimate), series.estimate)
    assert np.array_equal(drawn(view.truth_tip), series.truth[1:])
    assert np.array_equal(drawn(view.region), series.outline())
    assert np.array_equal(drawn(view.active), series.segments)
    assert np.array_equal(drawn(view.best)[0], series.targets[snapshot.instance.best])
    pixel = view.plot.box.viewPixelSize()
    assert pixel[0] == pytest.approx(pixel[1]), "a circle is a circle"
    alone = max(np.flatnonzero(series.fates == SURVIVING), key=lambda at: np.abs(series.targets[at]).sum())
    assert color_at(card, image, view.plot, *series.targets[alone]) == LIGHT.surviving
    assert_texts_fit(card)
    view.show(replace(snapshot, truth=False))
    assert len(drawn(view.truth)) == len(drawn(view.best)) == len(drawn(view.truth_tip)) == 0
    view.appearance.set_theme(DARK)
    view.show(snapshot_of("sphere", 0))
    assert len(drawn(view.estimate)) == 0


def test_a_click_picks_a_target_or_an_arm_that_is_none(shown):
    view, card = shown
    snapshot = estimated("transductive")[-1]
    view.set_option("axes", FEATURES)
    view.show(snapshot)
    settle(card, 700, 420)
    targets, arms = [], []
    view.target_picked.connect(targets.append)
    view.arm_picked.connect(arms.append)
    alone = int(np.abs(view.series.targets).sum(axis=1).argmax())
    view.plot.pick(*view.series.targets[alone])
    view.plot.pick(*view.series.arm_places[0])
    assert (targets, arms) == ([alone], [int(view.series.arms[0])])
    assert snapshot.instance.target_label(alone) in view.plot.describe(*view.series.targets[alone])
    assert "not a target" in view.plot.describe(*view.series.arm_places[0])
    view.show(replace(snapshot, selection=Selection(arm=arms[0])))
    assert np.array_equal(drawn(view.ring), view.series.arm_places[:1])
    view.plot.pick(*view.series.arm_places[0])
    assert arms[-1] is None
    (left, _), (low, _) = view.plot.box.viewRange()
    assert view.plot.point_at(QPointF(1, 1)) == "" == view.plot.describe(left, low)


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_the_controls_fit_into_the_narrowest_card(qtbot, scale):
    theme = LIGHT.scaled(scale)
    view = Geometry(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    whole = next(each for each in estimated("transductive") if each.state.d == each.instance.D)
    part = next(each for each in estimated("transductive") if 2 < each.state.d < each.instance.D)
    for axes in (FEATURES, ESTIMATE, COMPONENTS):
        view.set_option("axes", axes)
        for snapshot in (whole, part):
            view.show(snapshot)
            settle(card, round(scale * LEAST[0]), round(scale * 260))
            assert view.controls.isVisible()
            assert_texts_fit(card)


def test_the_slider_and_the_boxes_set_options(shown, qtbot):
    view, card = shown
    snapshot = next(each for each in estimated("sphere") if 2 < each.state.d < each.instance.D)
    view.show(snapshot)
    settle(card, 700, 420)
    view.show(snapshot)
    controls = view.controls
    assert controls.isVisible()
    assert not controls.across.isVisible()
    before = drawn(view.dots[SURVIVING])
    controls.slider.setFocus()
    qtbot.keyClick(controls.slider, Qt.Key.Key_End)
    assert (view.settings["truncation"], view.series.t) == ("100", snapshot.state.d)
    assert not np.array_equal(drawn(view.dots[SURVIVING]), before)
    assert (controls.whole.text(), controls.short.text()) == (
        f"R{superscript(snapshot.instance.D)}",
        f"R{superscript(snapshot.state.d)}",
    )
    view.set_option("axes", FEATURES)
    assert controls.across.isVisible()
    controls.up.setValue(4)
    assert (view.settings["up"], view.series.projection.names[1]) == ("4", "feature 4")
    view.set_option("axes", ESTIMATE)
    assert not controls.slider.isEnabled(), "the plane is inside R^d"
    assert controls.short.text() == f"all in R{superscript(snapshot.state.d)}"
    assert controls.slider.toolTip().startswith("Nothing to truncate: this plane lies in Rᵈ")
    controls.show_plane(9, 9, 0, True, None)
    assert controls.short.text() == "d = D"
    assert "all D features" in controls.slider.toolTip()
    controls.show_plane(4, 9, 0, False, None)
    assert controls.slider.toolTip().startswith("Truncate")
    settle(card, 400, 170)
    view.show(snapshot)
    assert not controls.isVisible(), "the picture needs the room"


def test_numbers_as_options_are_checked():
    option = next(each for each in Geometry.options if each.name == "truncation")
    assert isinstance(option, Whole)
    assert (option.default, option.check("07"), option.allows("100"), option.allows("101")) == ("0", "7", True, False)
    for wrong in ("-1", "1.5", "", "ten", "²"):
        with pytest.raises(InputError, match="whole number from 0 to 100"):
            option.check(wrong)


def test_a_thousand_arms_are_drawn_with_few_calls(shown):
    view, card = shown
    view.show(snapshot_of("wide"))
    settle(card, 700, 420)
    assert sum(len(drawn(dots)) for dots in view.dots.values()) == 1000
    assert len(view.plot.box.addedItems) < 20
    assert VIEWS["geometry"] is Geometry
