"""The grid of subroutines: its numbers are those of the events, and its cells, marks and texts are its numbers."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gems_engine import events as ev
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.wording import recorded_text
from gems_gui.appearance import Appearance
from gems_gui.drafts.presets import PRESETS
from gems_gui.series.subroutine_grid import LAST_D, SAMPLES, SCHEDULE, SURVIVORS, grid_series, grid_text
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views.subroutine_grid import SubroutineGrid
from tests.gui.sample_runs import RUNS, color_at, cut, point, run, same, snapshot_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle
from tests.gui.window_driver import finished_run

ALL = (*RUNS, "made up", "misspecified", "rage")
SHOWS = (SURVIVORS, SAMPLES, SCHEDULE, LAST_D)


@cache
def trace_of(name):
    if name == "misspecified":
        return Run(make("paper-hard"), name, 1, epsilon=0.3, max_samples=1_000_000).finish()
    if name == "rage":
        return Run(make("paper-hard"), name, 1, max_samples=100_000).finish()
    return run(name)


@cache
def history_of(name):
    return History(trace_of(name))


def snapshot_at(name, at=None, truth=True, target=None):
    trace = trace_of(name)
    picked = None if target is None else target % len(trace.instance.targets)
    state = trace.state_at(len(trace) if at is None else at % (len(trace) + 1))
    return Snapshot(trace, history_of(name), state, Selection.of_target(trace.instance, picked), truth)


def of_events(snapshot):
    """What every subroutine has come to, read event by event."""
    found, samples, before = [], 0, None
    pool = []
    for event in snapshot.trace[: snapshot.cursor]:
        here = found[-1] if found else None
        drawn = getattr(event, "samples", samples) - samples
        samples += drawn
        if isinstance(event, ev.SubroutineStarted):
            found.append(
                {
                    "place": (event.place.ell, event.place.i),
                    "n": event.rounds,
                    "B": event.selection_budget,
                    "survivors": len(snapshot.instance.targets),
                    "samples": 0,
                    "d": 0,
                    "why": None,
                    "recommends": False,
                    "candidate": -1,
                    "new": False,
                    "left": 0,
                }
            )
        elif here is not None:
            if event.place.k and isinstance(event, ev.Pulled | ev.IdleRounds):
                here["samples"] += drawn
            if event.place.k and isinstance(event, ev.DesignSolved | ev.Allocated | ev.IdleRounds):
                here["d"] = event.d
            if isinstance(event, ev.Eliminated):
                here["survivors"] = event.left
                if snapshot.selection.target in event.targets.tolist():
                    here["left"] = event.place.k
            elif isinstance(event, ev.SubroutineFinished):
                here["why"] = event.why
            elif isinstance(event, ev.CandidateKept):
                here["candidate"], here["new"] = event.target, event.new
                pool.append(here)
            elif isinstance(event, ev.Recommended) and isinstance(before, ev.Validated):
                for each in pool:
                    each["recommends"] |= each["candidate"] == event.target
                pool = []
            elif isinstance(event, ev.Recommended):
                here["recommends"] = True
        before = event
    return found


@pytest.fixture
def shown(qtbot):
    """A view in its card, 700×320."""
    view = SubroutineGrid(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    return view, card


# -- the numbers --------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.sampled_from(ALL), st.integers(0, 10**6), st.sampled_from(SHOWS), st.integers(0, 9))
def test_numbers_are_those_of_the_events(name, at, shows, target):
    snapshot = snapshot_at(name, at, target=target)
    series, expected = grid_series(snapshot, shows), of_events(snapshot)
    places = list(zip(series.loops[series.row].tolist(), series.calls[series.column].tolist(), strict=True))
    assert places == [each["place"] for each in expected]
    columns = {
        "n": series.n,
        "B": series.B,
        "survivors": series.survivors,
        "samples": series.samples,
        "d": series.d,
        "recommends": series.recommends,
        "candidate": series.candidate,
        "new": series.new,
        "left": series.left_in,
    }
    for column, values in columns.items():
        assert values.tolist() == [each[column] for each in expected], column
    ended = [each["why"] for each in expected]
    assert series.finished.tolist() == [why is not None for why in ended]
    assert series.unfit.tolist() == [why == ev.NO_DIMENSION_FITS for why in ended]
    assert series.singleton.tolist() == [each["survivors"] == 1 for each in expected]
    assert series.current == len(expected) - 1
    assert ((series.shade >= 0) & (series.shade <= 1)).all()


@settings(max_examples=60)
@given(st.sampled_from(ALL), st.integers(0, 10**6), st.sampled_from(SHOWS), st.booleans())
def test_nothing_after_the_cursor_enters(name, at, shows, truth):
    snapshot = snapshot_at(name, at, truth, target=1)
    assert same(grid_series(snapshot, shows), grid_series(cut(snapshot), shows))


def test_an_earlier_cursor_forgets_later_candidates():
    late, early = snapshot_at("misspecified"), snapshot_at("misspecified", 60)
    assert (grid_series(late, SURVIVORS).candidate >= 0).sum() > 10
    assert same(grid_series(early, SURVIVORS), grid_series(cut(early), SURVIVORS))


def test_shades_follow_what_is_shown():
    snapshot = snapshot_at("sphere")
    survivors = grid_series(snapshot, SURVIVORS)
    assert survivors.shade[survivors.singleton].tolist() == [0.0] * int(survivors.singleton.sum())
    assert survivors.shade[survivors.survivors == len(snapshot.instance.targets)].min() == 1.0
    samples = grid_series(snapshot, SAMPLES)
    assert np.allclose(samples.shade, samples.samples / samples.samples.max())
    schedule = grid_series(snapshot, SCHEDULE)
    assert np.array_equal(np.argsort(schedule.shade, kind="stable"), np.argsort(schedule.B, kind="stable"))
    assert np.allclose(grid_series(snapshot, LAST_D).shade * snapshot.instance.D, schedule.d)


def test_a_budget_run_has_its_own_letters():
    assert grid_series(snapshot_at("fixed-budget"), SURVIVORS).axes == ("j", "i")
    assert grid_series(snapshot_at("sphere"), SURVIVORS).axes == ("i", "ℓ")


def test_words_tell_all_numbers():
    snapshot = snapshot_at("fixed-budget")
    series, expected = grid_series(snapshot, SURVIVORS), of_events(snapshot)
    at = int(np.flatnonzero(series.recommends)[-1])
    words = grid_text(snapshot, series, series.column[at] + 0.5, series.row[at] + 0.5)
    each = expected[at]
    ell, i = each["place"]
    assert words.startswith(f"i{ell} j{i}: n = {each['n']}, B = {each['B']:.0f}\n")
    assert f"{each['survivors']} of 10 arms remain" in words
    assert f"last d = {each['d']}" in words
    assert f"ended: {recorded_text(each['why'])} · candidate " in words
    assert words.endswith("recommended")
    assert grid_text(snapshot, series, 99.5, 0.5) == ""
    running = snapshot_at("sphere", 4)
    assert grid_text(running, grid_series(running, SURVIVORS), 0.5, 0.5).endswith("still running")


def test_words_name_the_round_in_which_the_picked_one_left():
    trace = trace_of("paper-hard")
    at = next(at for at in trace.positions(ev.Eliminated).tolist() if len(trace[at].targets))
    event = trace[at]
    snapshot = snapshot_at("paper-hard", at + 1, target=int(event.targets[0]))
    series = grid_series(snapshot, SURVIVORS)
    words = grid_text(snapshot, series, series.column[-1] + 0.5, series.row[-1] + 0.5)
    assert f"eliminated in k{event.place.k}" in words


# -- what is painted ----------------------------------------------------------------------------------------------


def mixed(theme, role, strength):
    ground, color = QColor(theme.card), QColor(getattr(theme, role))
    parts = zip(ground.getRgb()[:3], color.getRgb()[:3], strict=True)
    return [a + (b - a) * strength for a, b in parts]


def test_cells_have_the_colours_of_their_numbers(shown):
    view, card = shown
    view.show(snapshot_at("paper-hard"))
    image = settle(card, 700, 320)
    series = view.series
    pixel = view.image.image
    for at in range(len(series.event)):
        role = "chosen" if series.recommends[at] else "surviving"
        strength = 0.08 + 0.47 * series.shade[at]
        expected = mixed(LIGHT, role, max(strength, 0.45) if series.recommends[at] else strength)
        assert np.allclose(pixel[series.row[at], series.column[at], :3], expected, atol=1)
    x, y = series.column[0] + 0.2, series.row[0] + 0.5
    painted = QColor(color_at(card, image, view.plot, x, y)).getRgb()[:3]
    assert np.allclose(painted, pixel[0, 0, :3], atol=1)
    assert color_at(card, image, view.plot, 3.5, 5.5) == LIGHT.card  # ℓ 6, i 4 has not started
    outline = view.current.rect()
    assert (outline.x(), outline.y()) == (series.column[-1], series.row[-1])


def test_marks_are_in_their_cells(shown):
    view, _ = shown
    view.show(snapshot_at("misspecified", target=1))
    series = view.series
    for item, which in (
        (view.unfit, series.unfit),
        (view.singleton, series.singleton),
        (view.candidate, series.new),
        (view.left, series.left_in > 0),
    ):
        x, y = item.getData()
        cells = list(zip(np.floor(x).tolist(), np.floor(y).tolist(), strict=True))
        assert cells == list(zip(series.column[which].tolist(), series.row[which].tolist(), strict=True))
    words = view.legend.text().replace("&nbsp;", " ")
    assert "no dimension fits" in words
    assert "selected arm eliminated" in words


@pytest.mark.parametrize("size", [(360, 194), (700, 320), (1300, 420)])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_texts_stay_in_their_cells(qtbot, size, scale):
    theme = DARK.scaled(scale)
    view = SubroutineGrid(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    written = 0
    for name in ("paper-hard", "misspecified", "fixed-budget"):
        for shows in SHOWS:
            view.set_option("shows", shows)
            view.show(snapshot_at(name, target=0))
            settle(card, *size)
            assert_texts_fit(card)
            series, texts = view.series, view.texts.shown()
            cells = [
                QRectF(point(view.plot, x, y), point(view.plot, x + 1, y + 1)).adjusted(-1, -1, 1, 1)
                for x, y in zip(series.column, series.row, strict=True)
            ]
            for number, (text, box) in enumerate(texts):
                assert any(cell.contains(box) for cell in cells), f"{text} leaves its cell"
                assert not any(box.intersects(other) for _, other in texts[:number]), f"{text} lies on another"
            marks = [
                QPointF(point(view.plot, x, y))
                for item in (view.unfit, view.singleton, view.candidate, view.left)
                for x, y in zip(*item.getData(), strict=True)
            ]
            assert not any(box.contains(mark) for _, box in texts for mark in marks)
            written += len(texts)
    assert written or size[1] < 300


def test_a_mark_in_the_corner_of_a_high_cell_takes_no_space_from_its_text(qtbot):
    view = SubroutineGrid(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    trace = finished_run(PRESETS["gems-c-steps"].draft)
    view.show(Snapshot.of(trace))
    settle(card, 420, 320)
    assert view.series.singleton.any()
    boxes = [box for _, box in view.texts.shown()]
    cells = [point(view.plot, x + 0.5, 0.5).x() for x in view.series.column]
    middles = sorted({round(box.center().x()) for box in boxes})
    assert len(middles) == len(cells)
    assert middles == pytest.approx(cells, abs=2), "in the middle of the cells"
    assert_texts_fit(card)


def test_texts_say_what_is_shown_first(shown):
    view, card = shown
    view.show(snapshot_at("paper-hard"))
    settle(card, 700, 320)
    left = view.series.survivors.tolist()
    first = [text for text, _ in view.texts.shown() if text.split()[0].isdigit()]
    assert [int(text.split()[0]) for text in first if "remain" in text] == left
    view.set_option("shows", SCHEDULE)
    settle(card, 700, 320)
    assert view.texts.shown()[0][0].startswith("n 4 · B 1")


def test_a_click_asks_to_go_there(shown, qtbot):
    view, card = shown
    view.show(snapshot_at("paper-hard"))
    settle(card, 700, 320)
    at = 4
    place = point(view.plot, view.series.column[at] + 0.5, view.series.row[at] + 0.5)
    with qtbot.waitSignal(view.place_picked) as signal:
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    event = trace_of("paper-hard")[signal.args[0]]
    assert isinstance(event, ev.SubroutineStarted)
    assert signal.args[0] == trace_of("paper-hard").subroutine_starts[at]
    with qtbot.assertNotEmitted(view.place_picked):
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=point(view.plot, 3.5, 5.5))


def test_the_mouse_is_told_the_subroutine(shown):
    view, card = shown
    view.show(snapshot_at("paper-hard"))
    settle(card, 700, 320)
    words = view.plot.point_at(QPointF(point(view.plot, 0.5, 1.5)))
    assert words == grid_text(view.snapshot, view.series, 0.5, 1.5)
    assert words.startswith("ℓ2 i1: n = 4, B = 4")


def test_no_run_and_no_subroutine_are_empty_plots(shown):
    view, _ = shown
    view.show(snapshot_of("sphere", 2))
    assert not view.image.isVisible()
    assert view.plot.nothing_shown()[0] == "before the first call"
    view.show(snapshot_at("sphere"))
    assert view.image.isVisible()
    view.show(None)
    assert not view.image.isVisible()
    assert not view.texts.shown()
    assert not len(view.unfit.getData()[0])
    assert view.plot.point_at(QPointF(200, 100)) == ""
