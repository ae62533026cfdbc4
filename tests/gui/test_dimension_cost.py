"""The view of costs against the budget: its bounds are those of the probes, and what is painted is its numbers."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from gems_engine import events as ev
from gems_engine.dimension import REASONS, Selection
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.terminal import number, superscript
from gems_engine.wording import recorded_text
from gems_gui.appearance import Appearance
from gems_gui.series.dimension_book import _shelf, book_of
from gems_gui.series.dimension_cost import cost_series, cost_text, scaled_cost, why_unseen
from gems_gui.snapshot import Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views.dimension_cost import DimensionCost, scale_of
from tests.gui.sample_runs import RUNS, color_at, cursor_after, cut, point, run, same, snapshot_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle

ALL_RUNS = (*RUNS, "made up")
BEGIN = (ev.SubroutineStarted, ev.IdleRounds, ev.Allocated, ev.DimensionProbed, ev.DesignSolved)


def of_events(trace, cursor):
    """Probes by dimension and the design of the round at a cursor: backwards to where the round begins."""
    probes, design, place = {}, None, None
    for event in reversed(trace[:cursor]):
        if isinstance(event, ev.SubroutineStarted):
            break
        if isinstance(event, BEGIN):
            place = event.place if place is None else place
            if event.place != place:
                break
        if isinstance(event, ev.DimensionProbed):
            probes.setdefault(event.d, event)
        elif isinstance(event, ev.DesignSolved):
            design = event
    return probes, design


@pytest.fixture(autouse=True)
def empty_books():
    """No curve of a first round is known, whatever other tests have computed."""
    book_of.cache_clear()
    _shelf.cache_clear()


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×320."""
    view = DimensionCost(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    return view, card


@cache
def rich_run():
    """D = 120, so that most dimensions are skipped."""
    rng = np.random.default_rng(0)
    instance = Instance.linear(rng.standard_normal((150, 120)), rng.standard_normal(120))
    return Run(instance, "gems-c", 1, rounds=1, selection_budget=3000.0, max_samples=200_000).finish()


def full_round(name):
    """The cursor behind a design whose round has probes that fit, and some that are over budget."""
    for at in run(name).positions(ev.DesignSolved).tolist():
        probes = of_events(run(name), at + 1)[0].values()
        others = [each for each in probes if each.d != run(name)[at].d]
        if {each.verdict for each in others} >= {"fits", "too dear"}:
            return at + 1
    raise AssertionError(name)


# -- the numbers --------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6))
def test_numbers_are_those_of_the_events(name, at):
    cursor = at % (len(run(name)) + 1)
    snapshot = snapshot_of(name, cursor)
    series = cost_series(snapshot)
    if series.tops:
        top = next(event for event in reversed(run(name)[:cursor]) if isinstance(event, ev.TopDimensionChosen))
        assert not of_events(run(name), cursor)[0]
        assert series.upper.tolist() == series.lower.tolist() == top.rounding_samples.tolist()
        assert (series.chosen, series.budget, series.pulls) == (top.top, top.pulls, top.pulls)
        return
    allocated = snapshot.state.allocation
    if allocated is not None and allocated.d == 0:  # a validation shows the last choice before it
        cursor = max(at for at in run(name).positions(ev.Eliminated).tolist() if at < cursor) + 1
    probes, design = of_events(run(name), cursor)
    assert series.d.tolist() == sorted({*probes, *([design.d] if design else [])})
    assert series.chosen == (design.d if design else 0)
    assert sorted([*series.d, *series.unseen]) == list(range(1, snapshot.instance.D + 1))
    for d, lower, upper, rounding, fits in zip(
        series.d, series.lower, series.upper, series.rounding, series.fits, strict=True
    ):
        probe = probes.get(d)
        if probe is not None:
            assert rounding == probe.rounding_samples
            assert fits == (probe.verdict != "too dear")
        if design is not None and d == design.d:
            assert upper == design.cost
            assert lower <= upper
        else:
            factor = 4.0**probe.place.k
            assert (lower, upper) == (max(factor * probe.lower, rounding), max(factor * probe.upper, rounding))


@pytest.mark.parametrize(
    ("budget", "top", "subtitle", "words"),
    [
        (120, 4, "D̃ = 4", "d = 5: r_d(ζ) = 32 > T′ = 30: does not fit"),
        (10_000, 6, "D̃ = 6", "d = 6: r_d(ζ) = 44 fits T′ = 2\u202f500; the largest such d is D̃"),
        (12, 0, "no dimension fits", "d = 1: r_d(ζ) = 4 > T′ = 3: does not fit"),
        (3, 0, "no dimension fits", "d = 1: r_d(ζ) = 4 > T′ = 0: does not fit"),
    ],
)
def test_before_the_first_round_of_gems_b_it_is_r_d_against_t_prime(shown, budget, top, subtitle, words):
    instance = Instance.linear(np.vstack([np.eye(6), 0.9 * np.eye(6)[:2]]), np.eye(6)[0])
    trace = Run(instance, "gems-b", 0, budget=budget, rounds=4, selection_budget=1e4, zeta=1.0).finish()
    cursor = int(trace.positions(ev.TopDimensionChosen)[0]) + 1
    view, _ = shown
    assert not cost_series(Snapshot.of(trace, cursor - 1)).tops
    view.show(Snapshot.of(trace, cursor))
    series = view.series
    assert series.upper.tolist() == [d * d + d + 2 for d in range(1, 7)]  # by hand, with ζ = 1
    assert series.fits.tolist() == [d <= top for d in range(1, 7)]
    assert any(subtitle in way for way in series.subtitle)
    assert words in [cost_text(series, d) for d in range(1, 7)]
    drawn = {role: np.asarray(view.solid[role].opts["x"]).tolist() for role in ("surviving", "now", "chosen")}
    assert drawn["chosen"] == ([top] if top else [])
    assert drawn["now"] == list(range(top + 1, 7))
    assert drawn["surviving"] == list(range(1, top))
    table = series.table(Snapshot.of(trace, cursor))
    assert table.columns == ("d", "rounding_samples", "fits", "top", "pulls")
    assert [row[3] for row in table.rows] == [d == top for d in range(1, 7)]
    probed = trace.positions(ev.DimensionProbed)
    if len(probed):
        assert not cost_series(Snapshot.of(trace, int(probed[0]) + 1)).tops
    else:
        assert cost_series(Snapshot.of(trace)).tops  # the call has ended: why is still to be seen


@pytest.mark.parametrize("name", RUNS)
def test_bounds_of_real_runs_enclose_a_cost_and_prove_the_verdict(name):
    trace = run(name)
    for at in trace.positions(ev.DesignSolved).tolist():
        series = cost_series(Snapshot.of(trace, at + 1))
        assert (series.lower <= series.upper).all()
        slack = 1 + 1e-9
        assert (series.upper[series.fits] <= series.budget * slack).all()
        assert (series.lower[~series.fits] > series.budget).all()
        assert series.chosen == series.d[series.fits].max()
        assert (series.d[~series.fits] > series.chosen).all()
        assert all(why_unseen(series, d) for d in series.unseen)  # the search is over: nothing is left open


@given(st.floats(0.0, 1e300), st.integers(1, 600), st.floats(0.0, 1e9))
def test_costs_are_those_of_the_search(iota, k, rounding):
    selection = Selection(np.eye(2), np.eye(2), (0, 1), k, 1.0, lambda d: rounding, 2)
    assert scaled_cost(iota, k, rounding) == selection.cost(1, iota)
    assert scaled_cost(math.inf, k, rounding) == math.inf


@settings(max_examples=40)
@given(st.sampled_from(ALL_RUNS), st.integers(0, 10**6), st.booleans())
def test_nothing_after_the_cursor_enters(name, at, truth):
    snapshot = snapshot_of(name, at % (len(run(name)) + 1), truth=truth)
    assert same(cost_series(snapshot), cost_series(cut(snapshot)))


def test_probes_come_one_by_one():
    trace = run("sphere")
    cursor = full_round("sphere")
    probes = len(cost_series(Snapshot.of(trace, cursor)).d)
    counts = [len(cost_series(Snapshot.of(trace, cursor - 1 - back)).d) for back in range(probes)]
    assert counts == list(range(probes, 0, -1))
    assert cost_series(Snapshot.of(trace, cursor - 1)).chosen == 0


def test_the_intrinsic_dimension_is_part_of_the_truth():
    assert cost_series(snapshot_of("paper-hard")).d_star == 9
    assert cost_series(snapshot_of("paper-hard", truth=False)).d_star is None


def test_words_tell_bounds_cost_verdict_and_reason():
    cursor = full_round("sphere")
    snapshot = snapshot_of("sphere", cursor)
    series = cost_series(snapshot)
    probes, design = of_events(run("sphere"), cursor)
    budget = f"B = {number(series.budget)}"
    words = cost_text(series, design.d + 0.3).split("\n")
    assert words[0].startswith(f"d = {design.d}: {number(design.lower_bound)} ≤ ι ≤ {number(design.value)}, r_d = ")
    assert words[1] == f"cost {number(design.cost)} ≤ {budget}: fits, chosen"
    assert words[2] == f"({REASONS[probes[design.d].reason]})"
    for d, probe in probes.items():
        if d != design.d:
            line = cost_text(series, float(d)).split("\n")[1]
            assert line.endswith(f"{'≤' if probe.verdict == 'fits' else '>'} {budget}: {recorded_text(probe.verdict)}")
    assert cost_text(series, 0.4) == ""
    assert cost_text(series, series.D + 0.6) == ""


def test_words_are_honest_about_what_is_not_known():
    at = next(
        at
        for at in run("sphere").positions(ev.DimensionProbed).tolist()
        if run("sphere")[at].reason == "rounding alone"
    )
    probe = run("sphere")[at]
    words = cost_text(cost_series(snapshot_of("sphere", at + 1)), float(probe.d))
    assert words.startswith(f"d = {probe.d}: ι not bounded, r_d = {number(probe.rounding_samples)}\ncost at least ")
    assert "r_d(ζ) alone exceeds B" in words


def test_what_was_skipped_has_a_reason():
    series = cost_series(snapshot_of("sphere", full_round("sphere")))
    fit, over = series.d[series.fits].min(), series.d[~series.fits]
    below = [int(d) for d in series.unseen if d < fit]
    assert all(f"since d = {fit} fits" in cost_text(series, d) for d in below)
    beyond = [int(d) for d in series.unseen if d > over.max()]
    assert below or beyond
    assert all(f"since d = {over.max()} is over budget" in cost_text(series, d) for d in beyond)
    at = next(
        at
        for at in run("fixed-budget").positions(ev.DesignSolved).tolist()
        if run("fixed-budget")[at].d == of_first_probe(at) < 10
    )
    limited = cost_series(snapshot_of("fixed-budget", at + 1))
    assert "since r_d exceeds the T′ = " in cost_text(limited, 10.0)
    probing = cost_series(snapshot_of("sphere", full_round("sphere") - len(series.d)))
    left = [d for d in range(1, 4) if d not in probing.d]
    assert left
    assert all(cost_text(probing, d) == f"d = {d}: not examined so far" for d in left)


def of_first_probe(at):
    """D̃ of the round of a design of the fixed-budget run: the search begins there, and comes down."""
    return max(of_events(run("fixed-budget"), at + 1)[0])


def test_subtitles():
    def subtitle(name, cursor):
        return cost_series(snapshot_of(name, cursor)).subtitle[0]

    def nothing(name, cursor):
        series = cost_series(snapshot_of(name, cursor))
        assert series.subtitle == ()
        return series.placeholder

    cursor = full_round("sphere")
    place, probes = run("sphere")[cursor - 1].place, len(of_events(run("sphere"), cursor)[0])
    where = f"ℓ{place.ell} i{place.i} k{place.k}"
    assert subtitle("sphere", cursor) == f"{where} · {probes} probes · g_{place.k}(d) against B"
    assert cost_series(snapshot_of("sphere", cursor)).subtitle[-1] == where
    assert nothing("sphere", 0) == "round 1 has not started"
    place = run("sphere")[cursor_after("sphere", ev.SubroutineStarted) - 1].place
    begins = subtitle("sphere", cursor_after("sphere", ev.SubroutineStarted))
    assert begins == f"ℓ{place.ell} i{place.i} · no probe yet · g_1(d) against B"
    validated = cursor_after("fixed-budget", ev.Validated)
    eliminated = run("fixed-budget").positions(ev.Eliminated)
    last = run("fixed-budget")[int(eliminated[eliminated < validated][-1])].place
    where = f"i{last.ell} j{last.i} k{last.k}"
    assert subtitle("fixed-budget", validated).startswith(f"validation chooses none · {where}, the last choice · ")
    assert subtitle("fixed-budget", len(run("fixed-budget"))).startswith("validation chooses none · ")
    ended = next(
        at + 1
        for at in run("paper-hard").positions(ev.SubroutineFinished).tolist()
        if run("paper-hard")[at].why == ev.NO_DIMENSION_FITS and run("paper-hard").state_at(at).probes
    )
    assert " · no dimension fits · " in subtitle("paper-hard", ended)
    assert "fits" not in subtitle("paper-hard", ended - 1)


def test_what_is_chosen_is_on_the_scale_however_large_the_budget():
    series = cost_series(snapshot_of("sphere", full_round("sphere")))
    base, top = scale_of(replace(series, budget=1e30))
    cost = float(np.log10(series.upper[series.d == series.chosen][0]))
    assert base < cost < top
    assert top < cost + 6, "a budget far above all costs does not flatten them"


@pytest.mark.parametrize(("algorithm", "d"), [("rage", 10), ("static-oracle", 9)])
def test_without_selection_the_design_alone_is_shown(shown, algorithm, d):
    trace = Run(make("paper-hard"), algorithm, 1).finish()
    at = int(trace.positions(ev.DesignSolved)[-1])
    view, card = shown
    view.show(Snapshot.of(trace, at + 1))
    settle(card, 700, 320)
    series = view.series
    assert (series.d.tolist(), series.chosen, series.budget) == ([d], d, math.inf)
    assert series.upper[0] == trace[at].cost
    assert series.lower[0] == pytest.approx(trace[at].cost, rel=1e-4)
    assert series.subtitle[0].startswith(f"no selection: R{superscript(d)} is given · value {number(trace[at].value)}")
    assert cost_text(series, float(d)).endswith(": given, not chosen")
    assert cost_text(series, 3.0).endswith("this algorithm does not choose a dimension")
    assert not view.budget.line.isVisible()
    assert "given" in view.legend.text()


# -- what is painted ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("name", ["sphere", "transductive"])
def test_bars_are_painted_where_the_numbers_say(qtbot, theme, name):
    view = DimensionCost(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    view.show(snapshot_of(name, full_round(name)))
    image = settle(card, 900, 500)
    series = view.series
    base, top = scale_of(series)
    tested = set()
    for d, lower, upper, fits in zip(series.d, series.lower, series.upper, series.fits, strict=True):
        role = "chosen" if d == series.chosen else "surviving" if fits else "now"
        color = getattr(theme, role).upper()
        low, high = (min(max(math.log10(each), base), top) if each > 0 else base for each in (lower, upper))
        x = float(d) + 0.2  # next to the marks
        if low - base > 0.2:
            assert color_at(card, image, view.plot, x, base + 0.06 * (low - base)) == color
            tested.add(role)
        if high - low > 0.2:
            light = color_at(card, image, view.plot, x, low + 0.7 * (high - low))
            assert light not in (color, theme.card.upper())
        if high < top - 0.2 and high < math.log10(series.budget) - 0.2:
            assert color_at(card, image, view.plot, x, high + 0.1) == theme.card.upper()
    assert tested == {"surviving", "now", "chosen"}


def test_the_budget_is_a_line_with_its_number(shown):
    view, card = shown
    view.show(snapshot_of("sphere", full_round("sphere")))
    settle(card, 700, 320)
    assert 10 ** view.budget.line.value() == pytest.approx(view.series.budget)
    assert f"B = {number(view.series.budget)}" in [box.text for box in assert_texts_fit(card)]
    assert view.plot.y_axis.logMode


def test_marks_of_rounding_and_of_what_was_skipped(shown):
    view, _ = shown
    view.show(snapshot_of("sphere", full_round("sphere")))
    series = view.series
    base, _ = scale_of(series)
    x, y = view.unseen.getData()
    assert np.allclose(x.reshape(-1, 2).mean(axis=1), series.unseen)
    assert set(y) == {base}
    x, y = view.rounding.getData()
    seen = series.rounding >= 10**base
    assert np.allclose(x.reshape(-1, 2).mean(axis=1), series.d[seen])
    assert np.allclose(10 ** y[::2], series.rounding[seen])
    assert view.star.getData()[0].tolist() == [series.d_star]
    view.show(replace(view.snapshot, truth=False))
    assert not len(view.star.getData()[0])
    assert "d⋆" not in view.legend.text()


def test_open_ends_are_marked(shown):
    view, _ = shown
    view.show(snapshot_of("sphere", full_round("sphere")))
    assert np.isinf(view.series.upper).sum() == len(view.beyond.getData()[0])
    at = next(
        at
        for at in run("sphere").positions(ev.DimensionProbed).tolist()
        if run("sphere")[at].reason == "rounding alone"
    )
    view.show(snapshot_of("sphere", at + 1))
    assert view.beyond.getData()[0].tolist() == [run("sphere")[at].d]
    assert "▲" in view.legend.text()


def test_the_light_part_of_bars_is_in_the_legend_where_it_is_seen(shown):
    view, _ = shown
    arms = make("sphere", D=5, d_star=2, n=8, min_gap=0.05, theta="flat", seed=6)
    trace, found = Run(arms, "gems-c", 1, rounds=8, selection_budget=80.0).finish(), set()
    for at in (*trace.positions(ev.DimensionProbed), *trace.positions(ev.DesignSolved)):
        view.show(Snapshot.of(trace, int(at) + 1))
        seen = bool((view.series.upper > 1.03 * view.series.lower).any())
        assert ("between its bounds" in view.legend.text()) == seen
        found.add((seen, bool((view.series.upper > view.series.lower).any())))
    assert found >= {(True, True), (False, True)}


def test_a_cost_of_zero_is_marked_at_the_foot(shown):
    """GEMS-b counts no rounding: where all survivors are equal, nothing is to be paid."""
    arms = np.array([[1.0, 0.0], [1.0, 0.5], [1.0, 1.0]])
    trace = Run(Instance.linear(arms, [1.0, 0.1]), "gems-b", 1, budget=100, rounds=1, selection_budget=0.5).finish()
    at = next(at for at in trace.positions(ev.DimensionProbed).tolist() if trace[at].reason == "all zero")
    view, card = shown
    view.show(Snapshot.of(trace, at + 1))
    settle(card, 700, 320)
    place = int(np.flatnonzero(view.series.upper == 0)[0])
    assert view.series.d[place] == trace[at].d
    assert view.below.getData()[0].tolist() == [trace[at].d]
    assert "▼" in view.legend.text()
    assert "ι = 0\ncost 0 ≤ B = 0.5: fits\n(all survivors are equal here" in cost_text(view.series, trace[at].d)


def test_costs_far_from_the_budget_do_not_stretch_the_scale():
    series = cost_series(snapshot_of("sphere", full_round("sphere")))
    far = replace(series, lower=np.full_like(series.lower, 1e-30), upper=np.full_like(series.upper, 1e200))
    base, top = scale_of(far)
    middle = math.log10(series.budget)
    assert middle - 5.1 < base < middle < top <= middle + 6
    nothing, anything = np.zeros(len(series.d)), np.full(len(series.d), np.inf)
    assert scale_of(replace(series, budget=math.inf, lower=nothing, upper=anything, rounding=nothing)) == (0.0, 1.0)


def test_of_many_dimensions_no_bar_vanishes(shown):
    view, card = shown
    trace = rich_run()
    view.show(Snapshot.of(trace, int(trace.positions(ev.DesignSolved)[0]) + 1))
    image = settle(card, 300, 230)
    series = view.series
    base, top = scale_of(series)
    assert series.D == 120
    assert len(series.d) <= 9  # bisection
    for d, lower, fits in zip(series.d, series.lower, series.fits, strict=True):
        if lower <= 10**base * 2:
            continue
        middle = point(view.plot, float(d), base + 0.3 * (min(math.log10(lower), top) - base))
        at = view.plot.viewport().mapTo(card, middle)
        near = {image.pixelColor(at.x() + step, at.y()).name().upper() for step in (-1, 0, 1)}
        assert (LIGHT.chosen if d == series.chosen else LIGHT.surviving if fits else LIGHT.now) in near
    assert_texts_fit(card)


def test_the_mouse_is_told_the_dimension(shown):
    view, card = shown
    view.show(snapshot_of("sphere", full_round("sphere")))
    settle(card, 700, 320)
    d = float(view.series.chosen)
    words = view.plot.point_at(QPointF(point(view.plot, d, math.log10(view.series.budget))))
    assert words == cost_text(view.series, d)
    assert view.plot.readout.text() == words


def test_no_probe_and_no_run_are_empty_plots(shown):
    view, card = shown
    view.show(snapshot_of("sphere", full_round("sphere")))
    view.show(snapshot_of("sphere", cursor_after("sphere", ev.SubroutineStarted, -1)))
    items = [*view.solid.values(), *view.light.values()]
    assert not any(len(item.opts["x"]) for item in items)
    assert view.budget.line.isVisible()  # B is known
    view.show(snapshot_of("sphere", 0))
    assert not view.budget.line.isVisible()
    assert view.plot.nothing_shown()[0] == "round 1 has not started"
    view.show(None)
    settle(card, 700, 320)
    assert not view.budget.line.isVisible()
    assert view.head.subtitle.text() == ""
    assert view.plot.point_at(QPointF(300, 100)) == ""
