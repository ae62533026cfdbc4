"""What the window does about a long run in one turn of the event loop, counted: it does not grow with the run."""

import itertools
import time

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from gems_engine.diff import Comparison
from gems_engine.events import Allocated
from gems_engine.explanation.ledger import Ledger
from gems_engine.history import UNITS, History
from gems_engine.problems import Problems
from gems_engine.summary import summarise
from gems_engine.trace import CHUNK, Trace
from gems_gui.background.engine_bridge import EngineBridge, timers
from gems_gui.background.engine_client import EngineClient
from gems_gui.background.queries import Queries
from gems_gui.drafts.run_request import STOPPED, Ending
from gems_gui.series.axis import MOST_NAMES, rounds_shown, subroutine_places
from gems_gui.series.chosen_dimension import dimension_series
from gems_gui.series.event_list import EventList
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import items
from gems_gui.views.band import Band
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.plot import Plot
from gems_gui.views.thinning import MOST_POINTS, thinned
from gems_gui.workbench.playback import MOST_READ, Playback
from gems_gui.workbench.run_facts import RunFacts
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench
from tests.engine.synthetic_runs import synthetic_trace
from tests.gui.window_driver import SMALL

COLUMNS = ("rounds", "subroutines", "eliminations", "candidates", "recommendations", "clock")
RED = QColor("#ff0000")


@pytest.fixture(scope="module")
def trace():
    """2,200 calls of one round."""
    return synthetic_trace(loops=220, subroutines=10, rounds=1, probes=1)


@pytest.fixture
def clock(monkeypatch):
    """A clock that advances by a millisecond whenever it is read."""
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: 1e-3 * next(ticks))


def grown(trace):
    """A playback that has seen nothing of a trace that is recorded meanwhile."""
    recorded = Trace(trace.instance)
    playback = Playback(recorded)
    recorded.extend(trace)
    return playback


def same(one, other):
    assert one.events == other.events
    for name in COLUMNS:
        left, right = getattr(one, name), getattr(other, name)
        for column in type(left).__annotations__:
            np.testing.assert_array_equal(getattr(left, column), getattr(right, column), f"{name}.{column}")
    for unit in UNITS[1:]:
        np.testing.assert_array_equal(one.stops(unit), other.stops(unit))


# -- what is recorded ---------------------------------------------------------------------------------------------


def test_a_run_that_has_grown_is_read_in_parts_with_the_same_result(trace):
    playback = grown(trace)
    assert len(trace) > 8 * MOST_READ
    playback.live = playback.playing = True
    parts = []
    while not parts or playback.behind:
        before = playback.length
        playback.catch_up()
        parts.append(playback.length - before)
        assert playback.cursor == playback.length
    assert max(parts) == MOST_READ
    assert sum(parts) == len(trace)
    same(playback.history, History(trace))
    assert playback.complete
    assert not playback.live


def test_a_stopped_run_ends_when_all_of_it_is_read(trace):
    playback = grown(trace)
    playback.live = playback.playing = True
    playback.ended = True
    assert not playback.ended
    assert playback.live
    while playback.behind:
        playback.catch_up()
    assert playback.ended
    assert playback.cursor == len(trace)


@pytest.fixture
def workbench(qapp):
    engine, queries = EngineClient(in_thread=True), Queries(in_thread=True)
    made = Workbench(SMALL, engine, queries, timers(engine))
    made.bridge = EngineBridge(made, engine, queries, engine)
    yield made
    engine.close()
    queries.close()
    made.bridge.close()


def test_the_window_reads_one_part_in_a_turn_and_hears_of_the_end_after_the_last(workbench, trace, qtbot):
    run = RunSession("long", grown(trace), None, run_id=7)
    workbench.add_compared(run)
    parts = []
    read = run.playback.history.update
    run.playback.history.update = lambda *args, **limits: parts.append(limits["most"]) or read(*args, **limits)
    bridge = workbench.bridge
    bridge._on_run_grew(7)
    bridge._on_run_ended(Ending(7, STOPPED, "It was stopped."))
    assert run.ending is None
    assert parts == [MOST_READ]
    qtbot.waitUntil(lambda: run.ending is not None)
    assert run.playback.length == len(trace)
    assert len(parts) <= -(-len(trace) // MOST_READ) + 2  # commands look once more
    assert set(parts) == {MOST_READ}


# -- what is read about it ----------------------------------------------------------------------------------------


def slices(update, position):
    """How far each call of a function goes until it has nothing more to do."""
    found = []
    for _ in range(100_000):
        before = position()
        done = update()
        found.append(position() - before)
        if done:
            return found
    raise AssertionError("it does not end")


def test_problems_are_found_in_slices_with_the_same_result(trace, clock):
    sliced, whole = Problems(trace), Problems(trace)
    whole.update()
    assert max(slices(lambda: sliced.update(0.002), lambda: sliced.events)) <= 3 * CHUNK  # a step is at most a batch
    assert sliced.before(len(trace), truth=True) == whole.before(len(trace), truth=True)
    for severity, truth in itertools.product(("error", "warning", "note"), (False, True)):
        listed = {each.event for each in whole.before(len(trace), truth) if each.severity == severity}
        assert whole.positions(severity, truth).tolist() == sorted(listed)


def test_events_are_searched_in_slices_with_the_same_result(trace, clock):
    sliced, whole = EventList(trace), EventList(trace)
    for each in (sliced, whole):
        each.search("x_2 eliminated")
    whole.update()
    assert max(slices(lambda: sliced.update(0.002), lambda: sliced.progress * len(trace))) <= 50
    assert len(whole.rows(len(trace))) > 10
    np.testing.assert_array_equal(sliced.rows(len(trace)), whole.rows(len(trace)))


def test_pulls_and_facts_are_counted_in_slices_with_the_same_result(trace, clock):
    ledger, whole = Ledger(trace), Ledger(trace)
    whole.update()
    assert max(slices(lambda: ledger.update(0.002), lambda: ledger.read)) <= 3 * CHUNK
    assert ledger.read == len(trace.positions(Allocated))
    assert ledger._sums == whole._sums
    facts = RunFacts(trace)
    assert max(slices(lambda: not facts.follow(0.002), lambda: facts._read)) <= 3
    assert facts.summary == summarise(trace)


def test_runs_are_compared_in_slices(trace, clock):
    again = Trace(trace.instance)
    again.extend(trace)
    comparison = Comparison(trace, again)
    assert max(slices(lambda: comparison.update(0.002), lambda: comparison.events)) <= 3 * CHUNK
    assert comparison.events == len(trace)


# -- what is drawn of it ------------------------------------------------------------------------------------------


@pytest.fixture
def plot(qtbot):
    made = Plot()
    qtbot.addWidget(made)
    made.apply_theme(LIGHT)
    made.resize(400, 300)
    made.show()
    made.settle()
    return made


def picture(plot):
    plot.settle()
    QApplication.sendPostedEvents()
    return plot.grab().toImage()


def staircase(rounds):
    levels = np.random.default_rng(0).integers(1, 9, rounds).astype(float)
    return np.repeat(np.arange(rounds + 1.0), 2)[1:-1], np.repeat(levels, 2)


def test_a_long_line_has_few_points_in_each_column_and_looks_the_same(plot, monkeypatch):
    x, y = staircase(30_000)
    plot.frame((0.0, 30_000.0), (0.0, 10.0))
    curve = CurveItem(plot.box, connect="finite")
    curve.setPen(pg.mkPen(RED, width=2))
    curve.setData(x, y)
    drawn = picture(plot)
    assert len(curve._shape[1][0]) <= 6 * (plot.width() + 2)
    np.testing.assert_array_equal(curve.getData()[0], x)
    monkeypatch.setattr(items, "MOST_POINTS", 10**9)
    curve.path, curve._lineSegmentsRendered = None, False
    curve.update()
    assert picture(plot) == drawn


def test_a_short_line_is_drawn_as_it_is(plot):
    curve = CurveItem(plot.box)
    x = np.arange(float(MOST_POINTS))
    curve.setData(x, x)
    picture(plot)
    assert curve._shape is None


def test_thinning_keeps_ends_extremes_and_gaps():
    x = np.arange(1000.0)
    y = np.zeros(1000)
    y[123], y[457] = 5.0, -5.0
    y[600:800] = np.nan
    y[850] = np.nan  # narrower than a column
    across, down = thinned(x, y, 0.0, 1000.0, 10.0)
    assert len(across) <= 6 * 100
    assert (np.nanmin(down), np.nanmax(down)) == (-5.0, 5.0)
    assert (across[0], across[-1]) == (0.0, 999.0)
    assert set(across[np.isnan(down)] // 10) == set(range(60, 80))
    near, _ = thinned(x, y, 200.0, 300.0, 10.0)  # zoomed: the neighbours outside are kept
    assert (near.min(), near.max()) == (199.0, 301.0)
    back = x[::-1]
    assert thinned(back, y, 0.0, 1000.0, 10.0)[0] is back


def test_a_long_band_and_many_marks_are_drawn_by_pixels(plot):
    plot.frame((0.0, 30_000.0), (0.0, 10.0))
    x, y = staircase(30_000)
    band = Band(plot.box)
    band.set_color(RED)
    band.set_steps(np.arange(30_001.0), y[::2], np.full(30_000, 9.0))
    picture(plot)
    assert 0 < band._path[1].elementCount() <= 2 * plot.width() + 10
    marks = MarkItem(plot.box, "o", 4.0)
    marks.setBrush(RED)
    marks.setData(x, y)
    picture(plot)
    one = MarkItem(plot.box, "o", 4.0)
    one.setData([1.0], [1.0])
    picture(plot)
    assert marks._path.elementCount() <= one._path.elementCount() * (plot.width() + 2) * 8


def test_an_axis_names_few_of_many_calls(trace):
    snapshot = Snapshot.of(trace)
    rounds = rounds_shown(snapshot, "run")
    named = subroutine_places(snapshot, rounds, np.arange(len(rounds) + 1.0))
    assert len(rounds.subroutines) > 2 * MOST_NAMES
    assert MOST_NAMES <= len(named) <= 2 * MOST_NAMES
    assert len(dimension_series(snapshot, "run").places) == len(named)
