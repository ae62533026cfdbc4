"""The view of gaps and widths: its pairs are those that algorithms decide by, and what is painted is its numbers."""

import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt

from gems_engine import events as ev
from gems_engine.algorithms import BUILT_IN
from gems_engine.algorithms.run_context import constant, scaled
from gems_engine.design import DesignProblem
from gems_engine.elimination import least_squares, separations
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.state import fold
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_gui.appearance import Appearance
from gems_gui.series.gaps import (
    GAP,
    INDEX,
    MARGIN,
    MOST_ROWS,
    before_elimination,
    fit_of,
    gap_series,
    gap_text,
    last_estimated,
    nearest_rivals,
    width_rule,
)
from gems_gui.series.last_round import validates
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views.gaps import Gaps
from tests.gui.sample_runs import RUNS, color_at, cursor_after, cut, point, run, same, snapshot_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle

ALL_RUNS = (*RUNS, "made up")
HALF = ("gems-b", "gems-m", "fixed-budget", "misspecified", "misspecified-best-arm")  # eliminate by 2^−k
GIVEN = {"max_samples": 100_000, "selection_budget": 512.0, "rounds": 5, "epsilon": 0.2}
NONE = np.zeros(0, dtype=np.int64)


@cache
def run_of(algorithm, family):
    """A short run of any algorithm, with few enough arms for every pair to be compared and shown."""
    instance = make("paper-hard", d_star=3) if family == "paper-hard" else make("sphere", n=24, D=12, min_gap=0.1)
    known = {each.name for each in BUILT_IN[algorithm].parameters}
    return Run(instance, algorithm, 1, **{name: value for name, value in GIVEN.items() if name in known}).finish()


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×320."""
    view = Gaps(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    return view, card


def busy(name):
    """The cursor behind an elimination of some but not of all but one."""
    for at in run(name).positions(ev.Eliminated).tolist():
        event = run(name)[at]
        if len(event.targets) >= 2 and event.left >= 2:
            return at + 1
    raise AssertionError(name)


# -- the numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["paper-hard", "sphere"])
@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_who_leaves_is_what_the_algorithm_says(algorithm, family):
    trace = run_of(algorithm, family)
    positions = trace.positions(ev.Eliminated).tolist()
    assert bool(positions) == bool(len(trace.positions(ev.SubroutineStarted))), "only subroutines eliminate"
    for at in positions[:: 1 + len(positions) // 20]:
        event = trace[at]
        before, after = gap_series(Snapshot.of(trace, at), INDEX), gap_series(Snapshot.of(trace, at + 1), INDEX)
        assert (before.decided, after.decided) == (False, True)
        assert after.survivors == len(event.targets) + event.left == len(after.targets)
        for series in (before, after):
            gone = series.leaves
            assert series.targets[gone].tolist() == event.targets.tolist()
            assert series.rivals[gone].tolist() == event.by.tolist()
            assert np.allclose(series.gaps[gone], event.gaps, rtol=1e-9, atol=0)
            assert np.allclose(series.widths[gone], event.widths, rtol=1e-9, atol=0)
            assert (series.gaps[~gone] < series.widths[~gone]).all()
        assert np.array_equal(after.gaps[after.leaves], event.gaps)
        assert np.array_equal(after.widths[after.leaves], event.widths)
        assert before.rule.startswith("2⁻" if algorithm in HALF else "ω"), (
            "an algorithm that eliminates by 2^−k is named in HALF of tests/gui/test_gaps.py"
        )
        if algorithm in HALF:
            assert (before.widths == 2.0**-event.place.k).all()


@pytest.mark.parametrize("name", ["sphere", "transductive"])
def test_those_who_stay_have_the_rival_that_comes_nearest(name):
    """Against every pair, from the definition: A = Σ n_x ψ(x)ψ(x)ᵀ."""
    snapshot = snapshot_of(name, busy(name))
    state, instance = snapshot.state, snapshot.instance
    series = gap_series(snapshot)
    d = len(state.theta)
    rows = instance.arms[state.allocation.arms, :d]
    inverse = np.linalg.inv((rows.T * state.allocation.counts) @ rows)
    survivors = before_elimination(state)
    log_k = np.log(len(survivors) ** 2 * state.place.k**2 / state.subroutine.delta)
    assert not series.leaves.all()
    for target, rival, gap, width in zip(series.targets, series.rivals, series.gaps, series.widths, strict=True):
        differences = instance.targets[survivors, :d] - instance.targets[target, :d]
        gaps = differences @ state.theta
        widths = np.sqrt(2 * log_k * np.einsum("ij,jk,ik->i", differences, inverse, differences))
        margins = np.where(survivors == target, -np.inf, gaps - widths)
        nearest = int(margins.argmax())
        assert survivors[nearest] == rival
        assert gap == pytest.approx(gaps[nearest], rel=1e-6)
        assert width == pytest.approx(widths[nearest], rel=1e-6)


@st.composite
def fits(draw):
    """A least-squares fit of random features, some of them equal, with a rule."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    count, d = draw(st.integers(4, 30)), draw(st.integers(1, 4))
    off_the_grid = draw(st.sampled_from([0.0, 0.3]))
    features = rng.integers(-2, 3, (count, d)) + off_the_grid * rng.random((count, d))
    features[:d] = np.eye(d)
    counts = rng.integers(1, 50, count)
    problem = DesignProblem(features, targets=features)
    fit = least_squares(problem, np.arange(count), counts, counts * rng.standard_normal(count))
    size = draw(st.floats(0.01, 3.0))
    return fit, draw(st.sampled_from([scaled, constant]))(size)


@settings(max_examples=60)
@given(fits())
def test_rivals_agree_with_the_elimination_bit_by_bit(case):
    fit, width = case
    found = nearest_rivals(fit, width, NONE)
    leave, by, gaps, widths = separations(fit, width)
    gone = np.flatnonzero(found.gap >= found.width)
    assert gone.tolist() == leave.tolist()
    assert found.rival[gone].tolist() == by.tolist()
    assert np.array_equal(found.gap[gone], gaps)
    assert np.array_equal(found.width[gone], widths)


@settings(max_examples=60)
@given(fits(), st.integers(0, 2))
def test_of_many_the_nearest_are_compared_and_nobody_leaves_wrongly(case, kept):
    fit, width = case
    all_pairs = nearest_rivals(fit, width, NONE)
    some = nearest_rivals(fit, width, np.array([kept]), most=4)
    assert np.array_equal(some.rival >= 0, all_pairs.rival >= 0)
    margin, best = some.gap - some.width, all_pairs.gap - all_pairs.width
    assert (margin <= best + 1e-9 * np.abs(best)).all()  # the pair shown is a pair
    assert not ((margin >= 1e-9) & (best < 0)).any()
    estimates = fit.estimates
    assert np.allclose(some.gap, estimates[some.rival] - estimates)


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6), st.sampled_from([GAP, MARGIN, INDEX]), st.booleans())
def test_nothing_after_the_cursor_enters(name, at, order, truth):
    snapshot = snapshot_of(name, at % (len(run(name)) + 1), arm=1, truth=truth)
    assert same(gap_series(snapshot, order), gap_series(cut(snapshot), order))


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6))
def test_there_are_rows_as_soon_as_there_is_an_estimate(name, at):
    given = snapshot_of(name, at % (len(run(name)) + 1))
    snapshot, series = last_estimated(given), gap_series(given)
    assert bool(len(series.targets)) == (snapshot.state.estimated is not None)
    if snapshot is not given:  # while a round has no estimate, the one before it in the same subroutine is shown
        # and at the end, and in a validation, the last one of the run that drew samples
        ended = given.state.finished is not None or validates(given)
        kinds = ev.Eliminated if ended else ev.Eliminated | ev.IdleRounds
        before = [at for at in range(given.cursor) if isinstance(given.trace[at], kinds)][-1]
        assert snapshot.cursor == before + 1
        places = [(each.state.place.ell, each.state.place.i) for each in (snapshot, given)]
        assert ended or places[0] == places[1]
        assert not len(series.targets) or ", the last estimate" in series.subtitle[0]
    survivors = set(snapshot.state.survivors.tolist()) | set(snapshot.state.eliminated_now.tolist())
    assert set(series.targets.tolist()) <= survivors
    assert len(series.targets) in (0, min(len(survivors), MOST_ROWS))


def test_orders():
    snapshot = snapshot_of("sphere", busy("sphere"))
    by_gap, by_margin, by_index = (gap_series(snapshot, order) for order in (GAP, MARGIN, INDEX))
    assert (np.diff(by_gap.gaps) >= 0).all()
    assert (np.diff(by_margin.gaps - by_margin.widths) >= 0).all()
    assert (np.diff(by_index.targets) > 0).all()
    assert {len(each.targets) for each in (by_gap, by_margin, by_index)} == {len(by_gap.targets)}


def test_the_best_is_part_of_the_truth():
    cursor = busy("paper-hard")
    series = gap_series(snapshot_of("paper-hard", cursor))
    assert series.targets[series.best] == run("paper-hard").instance.best
    assert gap_series(snapshot_of("paper-hard", cursor, truth=False)).best is None


def test_an_oracle_that_eliminates_nobody_has_gaps_without_widths():
    trace = run_of("static-oracle", "sphere")
    snapshot = Snapshot.of(trace)
    series = gap_series(snapshot)
    estimates = trace.instance.targets[:, : len(snapshot.state.theta)] @ snapshot.state.theta
    assert len(series.targets) == len(estimates)  # although the run ends with one survivor
    assert series.rule == ""
    assert not series.leaves.any()
    leader = int(estimates.argmax())
    others = series.targets != leader
    assert (series.rivals[others] == leader).all()
    assert np.allclose(series.gaps[others], estimates[leader] - estimates[series.targets[others]])
    assert series.subtitle == ("k1 · none eliminated", "k1")
    assert gap_text(snapshot, series, 3.5).endswith(f"against arm {leader}")


def test_of_many_the_nearest_forty_are_shown():
    trace = Run(make("sphere", n=300, D=12), "fixed-confidence", 1, max_samples=30_000).finish()
    sizes = [trace.state_at(at).survivors.size for at in trace.positions(ev.Eliminated).tolist()]
    at = int(trace.positions(ev.Eliminated)[max(index for index, size in enumerate(sizes) if size == 300)])
    event, snapshot = trace[at], Snapshot.of(trace, at)
    survivors = before_elimination(snapshot.state)
    rivals = nearest_rivals(fit_of(snapshot, survivors), width_rule(snapshot.state, survivors)[1], NONE)
    assert survivors[rivals.gap >= rivals.width].tolist() == event.targets.tolist()
    before, after = gap_series(snapshot), gap_series(Snapshot.of(trace, at + 1))
    assert before.subtitle[0].endswith(" · 40 arms closest to the decision, and 260 more")
    assert before.subtitle[1].endswith(" · 40 of 300 arms")
    assert f" · at least {len(event.targets)} would be eliminated · " in before.subtitle[0]
    assert f" · {len(event.targets)} of 300 eliminated · " in after.subtitle[0]
    hidden = [each for each in range(300) if each not in before.targets]
    margin = np.abs(rivals.gap - rivals.width)
    marked = {snapshot.instance.best, snapshot.state.recommendation}
    shown = [int(each) for each in before.targets if each not in marked]
    assert margin[shown].max() <= margin[hidden].min()
    far = hidden[int(margin[hidden].argmax())]
    picked = gap_series(replace(snapshot, selection=Selection.of_target(snapshot.instance, far)))
    assert picked.targets[picked.selected] == far
    assert len(picked.targets) == MOST_ROWS


def test_a_thousand_in_fifty_dimensions_take_a_moment():
    rng = np.random.default_rng(0)
    instance = Instance.linear(rng.standard_normal((1000, 50)) / 7.0, rng.standard_normal(50))
    arms, counts = np.sort(rng.choice(1000, 150, replace=False)), rng.integers(50, 200, 150)
    place, snapshot = ev.Place(1, 1, 1), Snapshot.of(Trace(instance))
    state = snapshot.state
    for event in (
        ev.SubroutineStarted(ev.Place(1, 1), "gems-c", 1, 1000.0, 0.05, 0.0),
        ev.Allocated(place, 50, arms, counts, 1.0, True),
        ev.Pulled(place, counts * instance.rewards[arms], int(counts.sum())),
        ev.Estimated(place, instance.theta),
    ):
        state = fold(state, event)
    taken = []
    for _ in range(6):
        started = time.thread_time()
        series = gap_series(replace(snapshot, state=state))
        taken.append(time.thread_time() - started)
    assert len(series.targets) == MOST_ROWS
    assert min(taken) < 0.05  # measured: 0.009


def test_words_tell_the_pair_and_how_far_it_is():
    cursor = busy("sphere")
    event, snapshot = run("sphere")[cursor - 1], snapshot_of("sphere", cursor)
    series = gap_series(snapshot, INDEX)
    row = int(np.flatnonzero(series.leaves)[0])
    numbers = f"gap {number(float(event.gaps[0]), 3)} ≥ ω = {number(float(event.widths[0]), 3)}"
    pair = f"arm {event.targets[0]}: {numbers} against arm {event.by[0]}"
    assert gap_text(snapshot, series, row + 0.5) == f"{pair}: eliminated"
    stays = int(np.flatnonzero(~series.leaves)[0])
    short = number(float(series.widths[stays] - series.gaps[stays]), 3)
    assert gap_text(snapshot, series, stays + 0.5).endswith(f": remains, {short} short")
    open_moment = snapshot_of("sphere", cursor - 1)
    open_series = gap_series(open_moment, INDEX)
    assert gap_text(open_moment, open_series, row + 0.5) == f"{pair}: would be eliminated"
    assert gap_text(open_moment, open_series, stays + 0.5).endswith(f": would remain, {short} short")
    assert gap_text(snapshot, series, -0.1) == ""
    assert gap_text(snapshot, series, len(series.targets) + 0.1) == ""
    snapshot = snapshot_of("fixed-budget", cursor_after("fixed-budget", ev.Eliminated))
    assert " 2⁻¹ = 0.5 against x_" in gap_text(snapshot, gap_series(snapshot), 0.5)


def test_words_tell_why_there_is_nothing():
    def nothing(name, cursor):
        series = gap_series(snapshot_of(name, cursor))
        assert series.subtitle == ()
        return series.placeholder

    assert nothing("sphere", 0) == "no estimate yet: round 1 has not started"
    at = cursor_after("sphere", ev.Allocated)
    pulls = number(int(run("sphere")[at - 1].counts.sum()))
    assert nothing("sphere", at) == f"no estimate yet: round 1 is about to pull {pulls} samples"
    assert nothing("made up", cursor_after("made up", ev.IdleRounds)) == "idle: every direction is 0"
    validated = gap_series(snapshot_of("fixed-budget", cursor_after("fixed-budget", ev.Validated)))
    assert len(validated.targets)
    assert validated.subtitle[0].startswith("validation compares means · ")
    assert ", the last estimate" in validated.subtitle[0]
    place, series = run("sphere")[busy("sphere") - 1].place, gap_series(snapshot_of("sphere", busy("sphere")))
    assert series.subtitle[0].startswith(f"ℓ{place.ell} i{place.i} k{place.k} · ")
    assert series.placeholder == ""


# -- what is painted ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_bars_and_lines_are_painted_where_the_numbers_say(qtbot, theme):
    view = Gaps(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    view.show(snapshot_of("sphere", busy("sphere")))
    image = settle(card, 700, 500)
    series = view.series
    reach = max(series.gaps.max(), series.widths.max())
    tested = 0
    for row in range(len(series.targets)):
        gap, width = series.gaps[row], series.widths[row]
        middle = row + 0.5
        assert color_at(card, image, view.plot, width, middle) == theme.text.upper()
        role = theme.now if series.leaves[row] else theme.surviving
        if abs(gap) > 0.1 * reach and abs(0.5 * gap - width) > 0.02 * reach:
            assert color_at(card, image, view.plot, 0.5 * gap, middle) == role.upper()
            tested += 1
        beyond = max(gap, width) + 0.02 * reach
        assert color_at(card, image, view.plot, beyond, middle) == theme.card.upper()
    assert tested >= 2
    x, y = view.widths.getData()
    assert np.array_equal(x[::2], series.widths)
    assert np.allclose(y.reshape(-1, 2).mean(axis=1), np.arange(len(series.targets)) + 0.5)


def test_before_the_decision_bars_are_light(shown):
    view, card = shown
    cursor = busy("sphere")
    view.show(snapshot_of("sphere", cursor - 1))
    image = settle(card, 700, 500)
    row = int(np.flatnonzero(view.series.leaves)[-1])
    place = 0.3 * float(view.series.gaps[row]), row + 0.5
    light = color_at(card, image, view.plot, *place)
    assert light not in (LIGHT.now, LIGHT.card)
    assert "would be eliminated" in view.legend.text()
    view.show(snapshot_of("sphere", cursor))
    assert color_at(card, settle(card, 700, 500), view.plot, *place) == LIGHT.now
    assert "would" not in view.legend.text()


def test_the_axis_names_the_rule(shown):
    view, _ = shown
    view.show(snapshot_of("sphere", busy("sphere")))
    assert view.plot.x_axis.labelText == "estimated gap · line: width ω"
    view.show(snapshot_of("fixed-budget", cursor_after("fixed-budget", ev.Eliminated)))
    assert view.plot.x_axis.labelText == "estimated gap · line: width 2⁻¹"
    assert set(view.widths.getData()[0]) == {0.5}
    view.show(Snapshot.of(run_of("static-oracle", "sphere")))
    assert view.plot.x_axis.labelText == "estimated gap"
    assert not len(view.widths.getData()[0])


def test_marks_of_the_best_the_recommended_and_the_picked(shown):
    view, card = shown
    snapshot = snapshot_of("sphere", busy("sphere"))
    target = int(gap_series(snapshot).targets[2])
    view.show(replace(snapshot, selection=Selection.of_target(snapshot.instance, target)))
    settle(card, 700, 320)
    assert view.row.isVisible()
    assert view.row.rect().top() == 2.0
    assert view.best.getData()[1].tolist() == [view.series.best + 0.5]
    left = view.plot.box.viewRange()[0][0]
    assert left < view.best.getData()[0][0] < min(0.0, view.series.gaps.min())
    assert_texts_fit(card)
    view.show(replace(snapshot, truth=False))
    assert not view.row.isVisible()
    assert not len(view.best.getData()[0])
    assert "true best" not in view.legend.text()


def test_marked_rows_have_their_names_where_not_all_fit(shown):
    view, card = shown
    for height in range(160, 260, 20):
        settle(card, 360, height)
        view.show(snapshot_of("paper-hard", busy("paper-hard")))
        series, names = view.series, dict(view.series.names)
        texts = [text for *_, text in view.plot.y_axis.generateDrawSpecs(None)[2]]
        marked = {row for row in (series.best, series.recommended) if row is not None}
        assert {names[row + 0.5] for row in marked} <= set(texts), height
        assert len(texts) == len(set(texts)) <= len(names)


def test_a_click_picks_a_target_and_a_second_lets_it_go(shown, qtbot):
    view, card = shown
    snapshot = snapshot_of("transductive", busy("transductive"))
    view.show(snapshot)
    settle(card, 700, 320)
    picked = []
    view.target_picked.connect(picked.append)

    def click(row):
        middle = sum(view.plot.box.viewRange()[0]) / 2
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=point(view.plot, middle, row + 0.5))

    click(1)
    target = int(view.series.targets[1])
    view.show(replace(snapshot, selection=Selection.of_target(snapshot.instance, target)))
    click(1)
    click(0)
    assert picked == [target, None, int(view.series.targets[0])]


def test_the_mouse_is_told_the_pair(shown):
    view, card = shown
    view.show(snapshot_of("paper-hard", busy("paper-hard")))
    settle(card, 700, 320)
    words = view.plot.point_at(QPointF(point(view.plot, 0.01, 1.5)))
    assert words == gap_text(view.snapshot, view.series, 1.5)
    assert words.startswith("x_")
    readout = view.plot.readout
    one_line = readout.width()
    assert one_line <= view.plot.width()
    settle(card, 300, 320)
    view.plot.point_at(QPointF(point(view.plot, 0.01, 1.5)))
    assert one_line > view.plot.width(), "else this shows nothing"
    assert view.plot.rect().contains(readout.geometry())
    assert readout.height() >= readout.heightForWidth(readout.width()) > readout.fontMetrics().height() * 2


def test_orders_are_an_option(shown):
    view, _ = shown
    view.show(snapshot_of("sphere", busy("sphere")))
    by_gap = view.series.targets.tolist()
    view.set_option("order", INDEX)
    assert view.series.targets.tolist() == sorted(by_gap)


def test_no_estimate_and_no_run_are_empty_plots(shown):
    view, card = shown
    view.show(snapshot_of("sphere", busy("sphere")))
    view.show(snapshot_of("sphere", cursor_after("sphere", ev.Allocated)))
    assert not any(len(item.opts["y"]) for item in view.bars.values())
    assert not len(view.widths.getData()[0])
    settle(card, 700, 320)
    assert view.plot.point_at(QPointF(300, 100)) == ""
    view.show(None)
    assert view.head.subtitle.text() == ""
    assert view.plot.y_axis.tick_labels == []


def test_long_names_fit(qtbot):
    names = [f"an arm with quite a long name that is number {i}" for i in range(8)]
    instance = Instance.linear(np.eye(8), [1.0, *[0.5] * 7], arm_names=names, target_names=names)
    trace = Run(instance, "rage", 1, max_samples=5000).finish()
    view = Gaps(Appearance(LIGHT.scaled(1.5)))
    card = card_of(view, view.theme)
    qtbot.addWidget(card)
    view.show(Snapshot.of(trace, int(trace.positions(ev.Estimated)[0]) + 1))
    settle(card, 351, 194)
    assert any(box.text.startswith("an arm…ber ") for box in assert_texts_fit(card)), "both ends"
