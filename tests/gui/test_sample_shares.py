"""The view of where samples went: every sample is in exactly one bar, at every snapshot of every algorithm."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from gems_engine import events as ev
from gems_engine.algorithms import BUILT_IN
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_gui.appearance import Appearance
from gems_gui.series.sample_shares import (
    ABOVE,
    ANY,
    AT,
    BELOW,
    DIMENSION,
    HALF,
    LOOP,
    SUBROUTINE,
    TAU,
    VALIDATION,
    percent,
    share_series,
    share_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views.sample_shares import SampleShares
from tests.engine.small_settings import known_to
from tests.gui.sample_runs import color_at, cut, point, run, same
from tests.gui.text_boxes import assert_texts_fit, card_of, settle

BYS = (DIMENSION, LOOP, SUBROUTINE, TAU, HALF)
OTHERS = ("made up", "transductive", "literal")
CAPS = {"max_samples": 150_000}
MORE = {
    "misspecified": {"max_samples": 1_000_000, "epsilon": 0.3},
}


@cache
def trace_of(name):
    if name in BUILT_IN:
        return Run(make("paper-hard"), name, 1, **known_to(name, MORE.get(name, CAPS))).finish()
    if name == "literal":  # which counts idle rounds
        return Run(make("paper-hard"), "gems-c", 1, literal=True, rounds=20).finish()
    return run(name)


@cache
def history_of(name):
    return History(trace_of(name))


def snapshot_at(name, at=None, truth=True):
    trace = trace_of(name)
    cursor = len(trace) if at is None else at % (len(trace) + 1)
    return replace(Snapshot(trace, history_of(name), trace.state_at(cursor)), truth=truth)


def of_events(snapshot):
    """(d, ℓ, (ℓ, i), samples before, samples, idle, in a round) of everything drawn, event by event."""
    parts, samples, d = [], 0, 0
    for event in snapshot.trace[: snapshot.cursor]:
        before, samples = samples, getattr(event, "samples", samples)
        if isinstance(event, ev.Allocated):
            d = event.d
        if isinstance(event, ev.IdleRounds):
            d = event.d
        if samples > before:
            place = event.place
            idle = isinstance(event, ev.IdleRounds)
            parts.append((d, place.ell, (place.ell, place.i), before, samples - before, idle, place.k > 0))
    return parts


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×320."""
    view = SampleShares(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    return view, card


# -- the numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*BUILT_IN, *OTHERS])
def test_every_sample_is_in_one_bar_at_every_moment(name):
    for cursor in range(len(trace_of(name)) + 1):
        snapshot = snapshot_at(name, cursor, truth=cursor % 3 > 0)
        for by in BYS:
            series = share_series(snapshot, by)
            assert int(series.drawn.sum()) + int(series.idle.sum()) == snapshot.state.samples
            assert (series.drawn >= 0).all()
            assert (series.idle >= 0).all()
            assert series.sums.shape == series.x.shape == (len(series.words),)
            assert int(series.drawn.sum()) == int(snapshot.state.counts.sum())


@settings(max_examples=80)
@given(st.sampled_from([*BUILT_IN, *OTHERS]), st.integers(0, 10**6))
def test_bars_are_those_of_the_events(name, at):
    snapshot = snapshot_at(name, at)
    parts, d_star = of_events(snapshot), snapshot.instance.d_star
    inside = [each for each in parts if each[-1]]
    validation = sum(each[4] for each in parts if not each[-1])
    tau = summarise(cut(snapshot).trace).tau
    for by in BYS:
        series = share_series(snapshot, by)
        sums = dict(zip(series.words, series.sums.tolist(), strict=True))
        assert series.drawn[VALIDATION].sum() == validation
        assert series.idle.sum() == sum(each[4] for each in parts if each[5])
        for kind, sign in ((BELOW, -1), (AT, 0), (ABOVE, 1)):
            amount = sum(each[4] for each in inside if np.sign(each[0] - d_star) == sign)
            assert (series.drawn + series.idle)[kind].sum() == amount
        if by == DIMENSION:
            for d in range(1, snapshot.instance.D + 1):
                assert sums[f"d = {d}"] == sum(each[4] for each in inside if each[0] == d)
        elif by in (LOOP, SUBROUTINE) and snapshot.one_call:
            assert [word.removeprefix("k = ") for word in series.words] == [name for _, name in series.names]
            assert sum(sums.values()) == sum(each[4] for each in inside)
        elif by == LOOP:
            letter = "i" if name == "fixed-budget" else "ℓ"
            for ell in {each[1] for each in inside}:
                assert sums[f"{letter} = {ell}"] == sum(each[4] for each in inside if each[1] == ell)
        elif by == SUBROUTINE:
            outer, inner = ("i", "j") if name == "fixed-budget" else ("ℓ", "i")
            for ell, i in {each[2] for each in inside}:
                amount = sum(each[4] for each in inside if each[2] == (ell, i))
                assert sums[f"{outer}{ell} {inner}{i}"] == amount
        elif by == TAU and tau is not None:
            before = sum(each[4] for each in parts if each[3] + each[4] <= tau)
            assert series.sums.tolist() == [before, snapshot.state.samples - before]


@settings(max_examples=80)
@given(st.sampled_from([*BUILT_IN, *OTHERS]), st.integers(0, 10**6), st.sampled_from(BYS), st.booleans())
def test_nothing_after_the_cursor_enters(name, at, by, truth):
    snapshot = snapshot_at(name, 1 + at % len(trace_of(name)), truth)  # what is run is known from the start
    assert same(share_series(snapshot, by), share_series(cut(snapshot), by))


def test_the_intrinsic_dimension_and_tau_are_parts_of_the_truth():
    snapshot = snapshot_at("misspecified", truth=False)
    series = share_series(snapshot, TAU)
    assert series.by == DIMENSION
    assert series.d_star is None
    assert not series.drawn[[BELOW, AT, ABOVE]].any()
    assert series.drawn[ANY].any()
    assert "τ" not in " ".join(series.subtitle)
    assert "⋆" not in share_text(series, 10.0)
    assert share_series(snapshot_at("misspecified"), TAU).by == TAU


def test_an_algorithm_without_subroutines_is_one_bar():
    series = share_series(snapshot_at("static-oracle"), SUBROUTINE)
    assert series.words == ["k = 1"]
    assert series.sums.tolist() == [snapshot_at("static-oracle").state.samples]


def test_shares_in_words():
    assert [percent(each) for each in (0.0, 0.01, 0.26, 7.0, 9.96, 42.4, 100.0)] == [
        "0\u202f%",
        "<\u202f0.1\u202f%",
        "0.3\u202f%",
        "7\u202f%",
        "10\u202f%",
        "42\u202f%",
        "100\u202f%",
    ]


def test_words_tell_the_bar_and_its_parts():
    snapshot = snapshot_at("literal")
    series = share_series(snapshot, DIMENSION)
    words = share_text(series, 10.0)
    assert words.startswith("d = 10: ")
    assert "more than needed" in words
    assert "idle, not drawn: " in words
    assert share_text(series, 0.2) == ""
    assert share_text(series, 99.0) == ""
    budget = share_series(snapshot_at("fixed-budget"), DIMENSION)
    assert share_text(budget, float(budget.x[-1])).startswith("validation: ")


# -- what is painted ----------------------------------------------------------------------------------------------


def test_bars_have_the_heights_and_colours_of_their_numbers(shown):
    view, card = shown
    view.show(snapshot_at("misspecified"))
    image = settle(card, 700, 320)
    series = view.series
    shares = series.share(series.sums)
    assert np.isclose(shares.sum(), 100.0)
    for kind, role in ((BELOW, LIGHT.now), (AT, LIGHT.chosen), (ABOVE, LIGHT.surviving), (VALIDATION, LIGHT.dim)):
        some = np.flatnonzero(series.drawn[kind])
        item = view.drawn[kind]
        assert np.allclose(item.opts["height"], shares[some])
        assert np.array_equal(item.opts["x"], series.x[some])
        tall = some[shares[some].argmax()]
        assert color_at(card, image, view.plot, series.x[tall] - 0.2, shares[tall] / 2) == role


def test_stacked_bars_stand_on_each_other(shown):
    view, card = shown
    view.set_option("by", TAU)
    view.show(snapshot_at("made up"))
    settle(card, 700, 320)
    series = view.series
    tops = np.zeros(len(series.x))
    for kind in (BELOW, AT, ABOVE, ANY, VALIDATION):
        for item, counts in ((view.drawn[kind], series.drawn[kind]), (view.idle[kind], series.idle[kind])):
            some = np.flatnonzero(counts)
            assert np.allclose(item.opts["y0"], tops[some])
            tops[some] += item.opts["height"]
    assert np.allclose(tops, series.share(series.sums))


def test_idle_samples_are_hatched(shown):
    view, card = shown
    view.show(snapshot_at("literal"))
    image = settle(card, 700, 320)
    drawn, idle = (float(series[ABOVE, 9]) for series in (view.series.drawn, view.series.idle))
    height = 100.0 * (drawn + 0.5 * idle) / view.series.total
    place = point(view.plot, 10.0, height)
    origin = view.plot.viewport().mapTo(card, view.plot.viewport().rect().topLeft())
    colors = {QColor(image.pixel(origin + place + QPointF(x, 0).toPoint())).name().upper() for x in range(-12, 13)}
    assert {LIGHT.card, LIGHT.surviving} <= colors
    assert "idle" in view.legend.text()
    assert "idle" in view.head.subtitle.text()


@pytest.mark.parametrize("by", BYS)
@pytest.mark.parametrize("size", [(360, 194), (1300, 420)])
def test_texts_stand_over_their_bars(qtbot, by, size):
    theme = LIGHT.scaled(1.5)
    view = SampleShares(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    view.set_option("by", by)
    for name in ("misspecified", "fixed-budget", "literal", "static-oracle"):
        view.show(snapshot_at(name))
        settle(card, *size)
        assert_texts_fit(card)
        texts = view.texts.shown()
        inside = view.plot.mapFromScene(view.plot.box.sceneBoundingRect()).boundingRect()
        for number, (text, box) in enumerate(texts):
            assert QRectF(inside).adjusted(-1, -2, 1, 1).contains(box), f"{text} leaves the plot"
            assert not any(box.intersects(other) for _, other in texts[:number]), f"{text} lies on another"
    if size[0] > 1000:
        assert [text for text, _ in view.texts.shown()] == ["100\u202f%"]


def test_the_mouse_is_told_the_bar(shown):
    view, card = shown
    view.show(snapshot_at("misspecified"))
    settle(card, 700, 320)
    words = view.plot.point_at(QPointF(point(view.plot, 9.0, 5.0)))
    assert words == share_text(view.series, 9.0)
    assert words.startswith("d = 9: ")


def test_no_run_and_no_sample_are_empty_plots(shown):
    view, _ = shown
    view.show(snapshot_at("misspecified", 2))
    assert view.plot.nothing_shown()[0] == "no samples yet"
    assert not any(len(item.opts["x"]) for item in view.drawn.values())
    view.show(snapshot_at("misspecified"))
    view.show(None)
    assert not any(len(item.opts["x"]) for item in (*view.drawn.values(), *view.idle.values()))
    assert not view.texts.shown()
    assert view.plot.point_at(QPointF(200, 100)) == ""


def test_halves_are_those_of_a_fixed_budget():
    """Shares of the whole budget, in which each half may have 50 %; of other runs, shares of what was drawn."""
    snapshot = snapshot_at("fixed-budget")
    series = share_series(snapshot, HALF)
    assert series.words == ["selection", "validation"]
    assert series.total == snapshot.started.parameters["budget"]
    validated = snapshot.state.validated
    assert series.sums[1] == validated.pulls * len(validated.targets)
    assert (series.share(series.sums) <= 50.0).all()
    other = share_series(snapshot_at("rage"), HALF)
    assert (other.total, other.budget) == (snapshot_at("rage").state.samples, False)
    assert other.share(other.sums).tolist() == [100.0]
