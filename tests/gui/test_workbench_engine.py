"""A workbench with a real engine and the clock that moves its cursors, without a window."""

import time

import pytest

from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.trace import Trace
from gems_gui.background.engine_bridge import EngineBridge, timers
from gems_gui.background.engine_client import EngineClient
from gems_gui.background.queries import Queries
from gems_gui.drafts.run_request import RunRequest
from gems_gui.workbench.changes import Field
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.workbench import Workbench
from tests.gui.window_driver import PATIENCE, SMALL, finished_run

LONG = {"base": 2, "max_samples": 10**15, "max_loops": 200}


@pytest.fixture(scope="module")
def instance():
    return make("paper-hard", d_star=4, epsilon=0.3)


@pytest.fixture(scope="module")
def recorded():
    return finished_run(SMALL)


@pytest.fixture
def workbench(qapp):
    engine, queries = EngineClient(in_thread=True), Queries(in_thread=True)
    made = Workbench(SMALL, engine, queries, timers(engine))
    made.bridge = EngineBridge(made, engine, queries, engine)
    yield made
    engine.close()
    queries.close()
    made.bridge.close()


@pytest.fixture
def request_for(instance):
    def make_request(seed=1, **parameters):
        return RunRequest(instance, "fixed-confidence", seed, {"max_samples": 3000, **parameters})

    return make_request


def unfinished(trace, events):
    cut = Trace(trace.instance)
    cut.extend(trace[:events])
    return cut


def test_an_empty_one_shows_nothing_and_takes_every_command(workbench):
    snapshots = []
    workbench.subscribe(lambda change: snapshots.append(workbench.snapshot), Field.SNAPSHOT)
    assert workbench.snapshot is None
    assert workbench.playback is None
    assert workbench.engine_text == ""
    workbench.select_arm(3)
    workbench.select_target(None)
    workbench.set_look_ahead(7)
    workbench.stop()
    workbench.seek(3)
    workbench.control(Playback.play)
    assert set(snapshots) == {None}


def test_a_run_is_added_shown_and_computed(workbench, request_for, recorded, qtbot):
    added = []
    workbench.subscribe(lambda change: added.append(workbench.active), Field.ACTIVE)
    run = workbench.start(request_for(), SMALL)
    assert added == [run] == workbench.runs
    assert run.playback.playing
    assert not run.saved
    qtbot.waitUntil(lambda: run.ending is not None, timeout=PATIENCE)
    assert list(run.trace) == list(recorded)
    assert run.ending.how == "finished"
    assert workbench.engine_text == "done"
    assert workbench.snapshot.trace is run.trace


def test_playing_moves_the_cursor_and_a_stall_does_not_make_it_leap(workbench, recorded, qtbot):
    run = workbench.open(recorded, "/somewhere/kept.gems")
    assert (run.name, run.saved, run.playback.cursor) == ("kept.gems", True, 0)
    assert not workbench.bridge._timer.isActive()
    workbench.control(Playback.play)
    assert workbench.bridge._timer.isActive()
    qtbot.waitUntil(lambda: run.playback.cursor > 1, timeout=PATIENCE)
    run.playback.set_speed(1.0)
    before = run.playback.cursor
    time.sleep(0.9)  # the desktop stalls; nothing is waited for
    workbench.bridge._tick()
    assert run.playback.cursor <= before + 4, "a quarter of a second's worth, and not a round"
    workbench.control(Playback.pause)
    assert not workbench.bridge._timer.isActive()


def test_a_moment_is_told_only_when_something_on_screen_is_new(workbench, recorded):
    workbench.open(recorded, "kept.gems")
    snapshots = []
    workbench.subscribe(lambda change: snapshots.append(workbench.snapshot), Field.SNAPSHOT)
    for _ in range(3):
        workbench.control(Playback.hold)
    assert snapshots == []
    workbench.seek(20)
    workbench.select_arm(2)
    workbench.set_truth(False)
    workbench.control(Playback.hold)
    assert [(each.cursor, each.selection.arm, each.truth) for each in snapshots] == [
        (20, None, True),
        (20, 2, True),
        (20, 2, False),
    ]


def test_every_run_keeps_its_cursor_and_its_selection(workbench, recorded):
    first = workbench.open(recorded, "first.gems")
    first.playback.seek(30)
    workbench.select_arm(1)
    second = workbench.open(unfinished(recorded, 50), "second.gems")
    assert workbench.snapshot.cursor == 0
    assert workbench.snapshot.selection.arm is None
    assert workbench.engine_text == "recorded, not finished"
    workbench.activate(first)
    assert (workbench.snapshot.cursor, workbench.snapshot.selection.arm) == (30, 1)
    workbench.remove(first)
    assert workbench.active is second
    workbench.remove(second)
    assert workbench.active is None
    assert workbench.snapshot is None
    assert workbench.runs == []


def test_names_tell_equal_runs_apart(workbench, request_for, recorded, qtbot):
    names = [workbench.start(request_for(seed)).name for seed in (1, 1, 2, 1)]
    base = "GEMS (fixed confidence) · paper-hard · seed"
    assert names == [f"{base} 1", f"{base} 1 (2)", f"{base} 2", f"{base} 1 (3)"]


def test_removing_the_run_that_is_computed_stops_the_engine(workbench, request_for, qtbot):
    run = workbench.start(request_for(**LONG))
    qtbot.waitUntil(lambda: len(run.trace) > 20, timeout=PATIENCE)
    workbench.remove(run)
    qtbot.waitUntil(lambda: not workbench.engine_running, timeout=PATIENCE)
    assert workbench.runs == []
    assert workbench.snapshot is None


def test_a_run_in_the_background_goes_on_as_far_as_it_may_and_needs_no_clock(workbench, request_for, recorded, qtbot):
    workbench.set_look_ahead(300)
    run = workbench.start(request_for(**LONG))
    other = workbench.open(recorded, "other.gems")
    assert run.playback.playing
    assert not workbench.bridge._timer.isActive(), "only the cursor that is shown moves"
    qtbot.waitUntil(lambda: len(run.trace) - run.playback.cursor == 300, timeout=PATIENCE)
    assert workbench.active is other
    workbench.activate(run)
    assert workbench.bridge._timer.isActive()
    workbench.stop()
    qtbot.waitUntil(lambda: run.ending is not None, timeout=PATIENCE)
    assert workbench.engine_text == "stopped"


def test_the_look_ahead_holds_for_this_run_and_the_next_ones(workbench, request_for, qtbot):
    workbench.set_look_ahead(40)
    first = workbench.start(request_for(), play=False)
    qtbot.waitUntil(lambda: workbench.engine_text == "waiting: 40 ahead", timeout=PATIENCE)
    workbench.set_look_ahead(60)
    qtbot.waitUntil(lambda: len(first.trace) == 60, timeout=PATIENCE)
    second = workbench.start(request_for(2), play=False)
    qtbot.waitUntil(lambda: workbench.engine_text == "waiting: 60 ahead", timeout=PATIENCE)
    assert len(second.trace) == 60
    with pytest.raises(InputError, match="look-ahead"):
        workbench.set_look_ahead(-1)


def test_words_about_the_engine(workbench, request_for, qtbot):
    workbench.set_look_ahead(0)
    run = workbench.start(request_for(), play=False)
    qtbot.waitUntil(lambda: workbench.engine_text == "waiting for a step", timeout=PATIENCE)
    assert len(run.trace) == 0
    workbench.control(Playback.hold)
    assert workbench.engine_text == "engine paused"
    workbench.control(lambda playback: playback.step("round"))
    qtbot.waitUntil(lambda: run.playback.pending is None, timeout=PATIENCE)
    assert len(run.trace) == run.playback.cursor == run.playback.history.stop_after("round", 0)
    workbench.control(Playback.run_to_end)
    assert workbench.engine_text.startswith("running")
    qtbot.waitUntil(lambda: run.ending is not None, timeout=PATIENCE)
    assert workbench.engine_text == "done"
    assert run.playback.cursor == len(run.trace)


def test_a_failure_is_told_and_the_run_stays(workbench, request_for, qtbot):
    told = []
    workbench.subscribe(lambda change: told.extend(change.failed))
    run = workbench.start(request_for(delta=3.0))
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    assert [each.run_id for each in told] == [run.run_id]
    assert "delta = 3.0" in told[0].sentence
    assert workbench.runs == [run]
    assert workbench.engine_text == "failed"
    assert not run.playback.playing
