"""The runs of a window and the clock that moves their cursors: without a window, with a real engine."""

import time

import pytest

from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.trace import Trace
from gems_gui.background.engine_client import EngineClient
from gems_gui.drafts.run_request import RunRequest
from gems_gui.runs.workspace import Workspace
from tests.gui.window_driver import PATIENCE, SMALL, finished_run

LONG = {"base": 2, "max_samples": 10**15, "max_loops": 200}


@pytest.fixture(scope="module")
def instance():
    return make("paper-hard", d_star=4, epsilon=0.3)


@pytest.fixture(scope="module")
def recorded():
    return finished_run(SMALL)


@pytest.fixture
def workspace(qapp):
    engine = EngineClient(in_thread=True)
    made = Workspace(engine)
    yield made
    engine.close()
    made.close()


@pytest.fixture
def request_for(instance):
    def make_request(seed=1, **parameters):
        return RunRequest(instance, "fixed-confidence", seed, {"max_samples": 3000, **parameters})

    return make_request


def unfinished(trace, events):
    cut = Trace(trace.instance)
    cut.extend(trace[:events])
    return cut


def test_an_empty_one_shows_nothing_and_takes_every_command(workspace):
    snapshots = []
    workspace.snapshot_changed.connect(snapshots.append)
    assert workspace.snapshot is None
    assert workspace.playback is None
    assert workspace.engine_words == ""
    workspace.select_arm(3)
    workspace.select_target(None)
    workspace.set_look_ahead(7)
    workspace.stop()
    workspace.refresh()
    assert set(snapshots) == {None}


def test_a_run_is_added_shown_and_computed(workspace, request_for, recorded, qtbot):
    added = []
    workspace.active_changed.connect(added.append)
    run = workspace.start(request_for(), SMALL)
    assert added == [run] == workspace.runs
    assert run.playback.playing
    assert not run.saved
    qtbot.waitUntil(lambda: run.ending is not None, timeout=PATIENCE)
    assert list(run.trace) == list(recorded)
    assert run.ending.how == "finished"
    assert workspace.engine_words == "done"
    assert workspace.snapshot.trace is run.trace


def test_playing_moves_the_cursor_and_a_stall_does_not_make_it_leap(workspace, recorded, qtbot):
    run = workspace.open(recorded, "/somewhere/kept.gems")
    assert (run.name, run.saved, run.playback.cursor) == ("kept.gems", True, 0)
    assert not workspace._timer.isActive()
    run.playback.play()
    workspace.refresh()
    assert workspace._timer.isActive()
    qtbot.waitUntil(lambda: run.playback.cursor > 1, timeout=PATIENCE)
    run.playback.set_speed(1.0)
    before = run.playback.cursor
    time.sleep(0.9)  # the desktop stalls; nothing is waited for
    workspace._frame()
    assert run.playback.cursor <= before + 4, "a quarter of a second's worth, and not a round"
    run.playback.pause()
    workspace.refresh()
    assert not workspace._timer.isActive()


def test_a_moment_is_told_only_when_something_on_screen_is_new(workspace, recorded):
    run = workspace.open(recorded, "kept.gems")
    snapshots = []
    workspace.snapshot_changed.connect(snapshots.append)
    for _ in range(3):
        workspace.refresh()
    run.playback.hold()
    workspace.refresh()
    assert snapshots == []
    run.playback.seek(20)
    workspace.refresh()
    workspace.select_arm(2)
    workspace.truth = False
    workspace.refresh()
    workspace.refresh()
    assert [(each.cursor, each.selection.arm, each.truth) for each in snapshots] == [
        (20, None, True),
        (20, 2, True),
        (20, 2, False),
    ]


def test_every_run_keeps_its_cursor_and_its_selection(workspace, recorded):
    first = workspace.open(recorded, "first.gems")
    first.playback.seek(30)
    workspace.select_arm(1)
    second = workspace.open(unfinished(recorded, 50), "second.gems")
    assert workspace.snapshot.cursor == 0
    assert workspace.snapshot.selection.arm is None
    assert workspace.engine_words == "recorded, not finished"
    workspace.activate(first)
    assert (workspace.snapshot.cursor, workspace.snapshot.selection.arm) == (30, 1)
    workspace.remove(first)
    assert workspace.active is second
    workspace.remove(second)
    assert workspace.active is None
    assert workspace.snapshot is None
    assert workspace.runs == []


def test_names_tell_equal_runs_apart(workspace, request_for, recorded, qtbot):
    names = [workspace.start(request_for(seed)).name for seed in (1, 1, 2, 1)]
    base = "fixed-confidence · paper-hard · seed"
    assert names == [f"{base} 1", f"{base} 1 (2)", f"{base} 2", f"{base} 1 (3)"]


def test_removing_the_run_that_is_computed_stops_the_engine(workspace, request_for, qtbot):
    run = workspace.start(request_for(**LONG))
    qtbot.waitUntil(lambda: len(run.trace) > 20, timeout=PATIENCE)
    workspace.remove(run)
    qtbot.waitUntil(lambda: not workspace.engine.running, timeout=PATIENCE)
    assert workspace.runs == []
    assert workspace.snapshot is None


def test_a_run_in_the_background_goes_on_as_far_as_it_may_and_needs_no_clock(workspace, request_for, recorded, qtbot):
    workspace.set_look_ahead(300)
    run = workspace.start(request_for(**LONG))
    other = workspace.open(recorded, "other.gems")
    assert run.playback.playing
    assert not workspace._timer.isActive(), "only the cursor that is shown moves"
    qtbot.waitUntil(lambda: len(run.trace) - run.playback.cursor == 300, timeout=PATIENCE)
    assert workspace.active is other
    workspace.activate(run)
    assert workspace._timer.isActive()
    workspace.stop()
    qtbot.waitUntil(lambda: run.ending is not None, timeout=PATIENCE)
    assert workspace.engine_words == "stopped"


def test_the_look_ahead_holds_for_this_run_and_the_next_ones(workspace, request_for, qtbot):
    workspace.set_look_ahead(40)
    first = workspace.start(request_for(), play=False)
    qtbot.waitUntil(lambda: workspace.engine_words == "waits: 40 ahead", timeout=PATIENCE)
    workspace.set_look_ahead(60)
    qtbot.waitUntil(lambda: len(first.trace) == 60, timeout=PATIENCE)
    second = workspace.start(request_for(2), play=False)
    qtbot.waitUntil(lambda: workspace.engine_words == "waits: 60 ahead", timeout=PATIENCE)
    assert len(second.trace) == 60
    with pytest.raises(InputError, match="look-ahead"):
        workspace.set_look_ahead(-1)


def test_words_about_the_engine(workspace, request_for, qtbot):
    workspace.set_look_ahead(0)
    run = workspace.start(request_for(), play=False)
    qtbot.waitUntil(lambda: workspace.engine_words == "waits for a step", timeout=PATIENCE)
    assert len(run.trace) == 0
    run.playback.hold()
    workspace.refresh()
    assert workspace.engine_words == "engine held"
    run.playback.step("round")
    workspace.refresh()
    qtbot.waitUntil(lambda: run.playback.pending is None, timeout=PATIENCE)
    assert len(run.trace) == run.playback.cursor == run.playback.history.stop_after("round", 0)
    run.playback.hold(False)
    run.playback.run_to_end()
    workspace.refresh()
    assert workspace.engine_words.startswith("running")
    qtbot.waitUntil(lambda: run.ending is not None, timeout=PATIENCE)
    assert workspace.engine_words == "done"
    assert run.playback.cursor == len(run.trace)


def test_a_failure_is_told_and_the_run_stays(workspace, request_for, qtbot):
    with qtbot.waitSignal(workspace.failed, timeout=PATIENCE) as told:
        run = workspace.start(request_for(delta=3.0))
    assert told.args[0].run_id == run.run_id
    assert "delta = 3.0" in told.args[0].sentence
    assert workspace.runs == [run]
    assert workspace.engine_words == "failed"
    assert not run.playback.playing
