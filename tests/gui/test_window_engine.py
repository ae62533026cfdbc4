"""The window and its engine: steps that are computed one by one, restarts, refusals, crashes, and the end."""

import os
import statistics
import threading
import time

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from gems_engine.events import ASKED, SubroutineStarted
from gems_engine.history import History
from gems_gui.drafts.draft import Draft
from gems_gui.widgets.error_report import ErrorReport
from tests.gui.window_driver import LONG, SMALL, Paints, driven, finished_run, gone, toy_draft, toy_package

STEPS = {"event": "Right", "round": "Shift+Right", "subroutine": "Ctrl+Right", "loop": "Alt+Right"}
LARGE = Draft.of("sphere", "rage", instance={"D": 100, "n": 1000, "min_gap": 0.001})


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory):
    with toy_package(tmp_path_factory.mktemp("package")):
        yield


@pytest.fixture
def driver(qtbot):
    """A window whose engine computes in a thread."""
    with driven(qtbot) as made:
        yield made


def waits(driver):
    return driver.transport.engine.text.startswith(("waiting", "engine paused"))


# -- credit ---------------------------------------------------------------------------------------------------------


def test_a_held_engine_computes_exactly_one_unit_for_each_step(qtbot):
    """With the real process, and with nothing computed before the first step."""
    history = History(finished_run(SMALL))
    history.update()
    with driven(qtbot, in_thread=False) as driver:
        driver.choose("Run/Look-ahead", "None: compute only what is shown")
        driver.start("Ctrl+R", "Space", "H")
        assert driver.actions["hold"].isChecked()
        driver.wait(lambda: driver.transport.engine.text == "engine paused")
        driver.press("Right")  # while it played for a moment, the engine was at most one event ahead
        driver.wait(lambda: driver.cursor == len(driver.trace) and driver.playback.pending is None)
        at = driver.shown()
        assert 1 <= at <= 3, "it had only a moment"
        for unit in (*STEPS, *STEPS):
            expected = history.stop_after(unit, at)
            driver.press(STEPS[unit])
            driver.wait(lambda expected=expected: driver.cursor == expected and driver.playback.pending is None)
            assert driver.shown() == len(driver.trace) == expected
            at = expected
        driver.press("Left")
        assert driver.shown() == at - 1
        assert len(driver.trace) == at, "a step back needs no engine"
        driver.press("Right")
        assert len(driver.trace) == at, "nor does a step to what is there"
        hold = driver.actions["hold"]
        assert (hold.text(), hold.toolTip()) == (
            "Resume engine",
            "Pause the engine after the current event, or resume it (H)",
        )
        paused = hold.icon().pixmap(24).toImage()
        driver.press("H")
        assert not driver.playback.held
        assert hold.text() == "Pause engine"
        assert hold.icon().pixmap(24).toImage() != paused
        driver.press("Ctrl+Return")
        driver.finish()
        assert driver.shown() == len(driver.trace) == len(history.trace)
        assert list(driver.trace) == list(history.trace)


def test_the_mouse_pauses_the_engine_while_the_cursor_plays_and_the_other_way_round(qtbot):
    with driven(qtbot, LONG) as driver:
        buttons = driver.transport.buttons
        driver.start("Ctrl+R", "]", "]", "]", "]")
        driver.wait(lambda: len(driver.trace) > 500)
        driver.click(buttons["hold"])
        driver.wait(lambda: driver.transport.engine.text == "engine paused")
        at = driver.cursor
        driver.wait(lambda: driver.cursor > at + 3)
        computed = len(driver.trace)  # with the event that it was at
        driver.wait(lambda: driver.cursor > at + 6)
        assert driver.playback.playing
        assert len(driver.trace) == computed, "the engine has stood still"
        driver.click(buttons["play"])
        at = driver.cursor
        driver.click(buttons["hold"])
        driver.wait(lambda: len(driver.trace) > computed + 500)
        assert driver.cursor == at, "the cursor has stood still"
        assert not driver.playback.playing
        driver.click(buttons["stop"])
        driver.wait(lambda: driver.run.ending is not None)


def test_without_look_ahead_only_what_is_shown_is_computed(driver):
    driver.choose("Run/Look-ahead", "None: compute only what is shown")
    driver.start("Ctrl+R", "]", "]", "]", "]")  # 20 rounds a second: also after a stall the run is far from its end
    driver.wait(lambda: driver.cursor >= 12)
    driver.press("Space")
    driver.qtbot.wait(100)  # more than enough for the whole run, if it were allowed
    assert len(driver.trace) - driver.cursor <= 1
    driver.press("End")
    assert driver.shown() == len(driver.trace) < 60
    before = driver.cursor
    driver.press("Right")
    driver.wait(lambda: driver.cursor == before + 1)
    driver.qtbot.wait(50)
    assert driver.shown() == len(driver.trace) == before + 1


def test_the_engine_waits_where_its_look_ahead_ends_and_goes_on_with_the_cursor(qtbot):
    with driven(qtbot, LONG) as driver:
        driver.choose("Run/Look-ahead", "100 events")
        driver.start("Ctrl+R", "Space")
        driver.press("Home")
        driver.wait(lambda: driver.transport.engine.text == "waiting: 100 ahead")
        assert len(driver.trace) == 100
        driver.press("End")
        driver.wait(lambda: len(driver.trace) == 200 and waits(driver))
        assert driver.cursor == 100


def test_the_button_of_the_engine_pauses_the_engine_and_that_of_the_cursor_the_cursor(qtbot):
    with driven(qtbot, LONG) as driver:
        engine, cursor = (driver.transport.buttons[name] for name in ("hold", "play"))
        driver.choose("Run/Look-ahead", "100 events")
        driver.start("Ctrl+R", "Space")
        driver.press("Home")
        driver.wait(lambda: driver.transport.engine.text == "waiting: 100 ahead")
        driver.click(engine)
        driver.wait(lambda: driver.transport.engine.text == "engine paused")
        driver.press("]", 12)
        driver.click(cursor)
        driver.wait(lambda: driver.cursor >= 20)
        assert len(driver.trace) == 100, "the cursor plays on, and the engine computes nothing"
        driver.click(cursor)
        driver.wait(lambda: not driver.playback.playing)
        at = driver.cursor
        driver.click(engine)
        driver.wait(lambda: len(driver.trace) > 100 and waits(driver))
        assert driver.cursor == at, "the engine computes, and the cursor stays"


def test_live_follows_run_to_the_end_goes_to_the_cap(driver, qtbot):
    driver.choose("Run/Look-ahead", "100 events")
    driver.start("Ctrl+R", "L")
    assert driver.actions["live"].isChecked()
    driver.finish()
    assert driver.shown() == len(driver.trace) == 116
    assert not driver.actions["live"].isChecked(), "there is nothing to follow any more"
    assert not driver.actions["live"].isEnabled()
    driver.start("Ctrl+R", "Ctrl+Return")
    driver.finish()
    assert driver.shown() == 116
    assert driver.trace.finished.why == "cap"


def test_a_step_back_leaves_live_and_the_engine_goes_on(qtbot):
    with driven(qtbot, LONG) as driver:
        driver.start("Ctrl+R", "L")
        driver.wait(lambda: driver.cursor > 300)
        driver.press("Left")
        at, events = driver.cursor, len(driver.trace)
        assert not driver.playback.playing
        assert not driver.actions["live"].isChecked()
        driver.wait(lambda: len(driver.trace) > events + 300)
        assert driver.shown() == at
        driver.press("Ctrl+.")
        driver.finish()


def test_event_m_is_on_screen_before_the_next_is_computed(qtbot, tmp_path):
    """Stepping is real, not a replay of a finished run: the algorithm cannot go on before a file appears."""
    with driven(qtbot, toy_draft(tmp_path, "block"), in_thread=False) as driver:
        paints = Paints(driver.board)
        driver.start("Ctrl+R", "L")
        for m in range(1, 6):
            driver.wait(lambda m=m: driver.cursor == m)
            assert driver.shown() == m
            driver.wait(lambda: paints.counts["survivors"] > 0)  # the others show nothing else than before
            assert driver.transport.counter.text == f"{m} / {m}"
            assert not (tmp_path / f"go-{m - 1}").exists(), "all of this before event m + 1 could be computed"
            assert len(driver.trace) == m
            paints.counts = dict.fromkeys(paints.counts, 0)
            (tmp_path / f"go-{m - 1}").touch()


# -- restarts and endings -------------------------------------------------------------------------------------------


def test_a_restart_while_running_leaves_nothing_behind(qtbot):
    with driven(qtbot, LONG) as driver:
        driver.start("Ctrl+R", "L")
        driver.wait(lambda: len(driver.trace) > 300)
        old = driver.run
        driver.drafts.set_draft(SMALL)
        driver.start()
        new = driver.run
        assert driver.cursor < 10
        driver.finish()
        driver.wait(lambda: old.playback.ended)
        assert list(new.trace) == list(finished_run(SMALL))
        assert new.trace.instance is not old.trace.instance
        assert old.trace.finished.why == ASKED
        assert old.ending.how == "stopped"
        assert driver.run is new
        events = len(old.trace)
        driver.press("End")
        assert driver.shown() == len(new.trace)
        assert len(old.trace) == events
        assert len([each for each in threading.enumerate() if each.name == "gems-engine"]) == 1


def test_news_of_runs_that_the_window_does_not_know_are_ignored(driver):
    driver.finished()
    workbench, before = driver.workbench, driver.cursor
    workbench.run_grew(-77)
    workbench.engine_waits(-77)
    workbench.engine_ended(driver.run.ending.__class__(-77, "failed", "of an old run"))
    assert driver.shown() == before
    assert not driver.message


def test_stop_keeps_what_there_is(qtbot):
    with driven(qtbot, LONG) as driver:
        driver.start("Ctrl+R", "L")
        driver.wait(lambda: driver.cursor > 100)
        assert driver.actions["stop"].isEnabled()
        driver.press("Ctrl+.")
        driver.finish()
        assert driver.transport.engine.text == "stopped"
        assert not driver.actions["stop"].isEnabled()
        driver.press("End")
        assert driver.shown() == len(driver.trace) > 100
        assert driver.trace.finished.why == ASKED


def test_a_refusal_of_the_engine_is_one_sentence(driver):
    driver.wait(lambda: driver.drafts.instance is not None)
    request = SMALL.request(driver.drafts.instance)
    request.parameters["delta"] = 2.0
    driver.workbench.start(request)
    assert "delta = 2.0 is not allowed" in driver.said()
    assert "\n" not in driver.said()
    assert driver.window.findChild(ErrorReport) is None
    assert driver.transport.engine.text == "failed"
    driver.start()
    driver.finish()
    assert not driver.message
    assert len(driver.trace) == 116


def test_an_exception_becomes_a_report_and_the_window_lives_on(qtbot, tmp_path):
    with driven(qtbot, toy_draft(tmp_path, "raise")) as driver:
        driver.start()
        driver.wait(lambda: driver.window.findChild(ErrorReport) is not None)
        report = driver.window.findChild(ErrorReport)
        assert report.isVisible()
        assert "ZeroDivisionError: nothing to divide by" in driver.said()
        driver.click(report.copy)
        copied = QGuiApplication.clipboard().text()
        for words in ("ZeroDivisionError", "Traceback", "gems_window_toy.py", "window-toy on", "seed 1"):
            assert words in copied
        QTest.keyClick(report, Qt.Key.Key_Escape)
        driver.come_back()
        driver.press("End")
        assert driver.shown() == len(driver.trace) == 4, "the trace so far is there"
        driver.press("Left", 2)
        assert driver.shown() == 2
        assert driver.transport.engine.text == "failed"
        driver.drafts.set_draft(SMALL)
        driver.start()
        driver.finish()
        assert len(driver.trace) == 116


def test_a_killed_worker_is_told_and_replaced(qtbot, tmp_path):
    with driven(qtbot, toy_draft(tmp_path, "block"), in_thread=False) as driver:
        for m in range(3):
            (tmp_path / f"go-{m}").touch()
        driver.start("Ctrl+R", "L")
        driver.wait(lambda: driver.cursor == 4)
        driver.kill_worker()
        driver.wait(lambda: driver.window.findChild(ErrorReport) is not None)
        assert "SIGKILL" in driver.said()
        assert driver.shown() == len(driver.trace) == 4
        QTest.keyClick(driver.window.findChild(ErrorReport), Qt.Key.Key_Escape)
        driver.come_back()
        driver.drafts.set_draft(SMALL)
        driver.start()
        driver.finish()
        assert driver.trace.finished.why == "cap"
        assert not driver.message


# -- the end --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_thread", [False, pytest.param(True, marks=pytest.mark.long)], ids=["process", "thread"])
def test_closing_while_running_leaves_no_process_thread_or_timer(qtbot, in_thread):
    before = set(threading.enumerate())
    with driven(qtbot, LONG, in_thread) as driver:
        driver.start("Ctrl+R", "]", "]")
        driver.wait(lambda: len(driver.trace) > 50 and driver.cursor > 0)
        window, trace = driver.window, driver.trace
        pids = [] if in_thread else [window.engine._engine.pid, window.queries.pid]
        assert window.engine.running
        began = time.monotonic()
        driver.press("Ctrl+Q")
        assert window.isVisible(), "the run is not saved"
        driver.click(window.closing.dialog.discard_all)
        assert time.monotonic() - began < 5
        assert not window.isVisible()
        assert all(pid is not None and gone(pid) for pid in pids)
        assert {each for each in threading.enumerate() if each.name.startswith("gems")} <= before
        assert trace.finished.why == ASKED
        cursor = driver.cursor
        driver.wait(lambda: not any(timer.isActive() for timer in window.findChildren(QTimer)))
        qtbot.wait(60)
        assert driver.cursor == cursor, "nothing plays in a window that is closed"


def test_a_window_that_is_closed_at_once(qtbot):
    with driven(qtbot) as driver:
        other = type(driver.window)(in_thread=True)
        other.show()
        other.close()
        qtbot.wait(30)
        assert other.workbench.drafts.instance is None
        other.deleteLater()


# -- hands that do not wait -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_keys_take_effect_at_once_while_a_large_design_is_solved(qtbot):
    with driven(qtbot, LARGE, in_thread=False) as driver:
        driver.start("Ctrl+R", "L")
        driver.wait(lambda: any(isinstance(event, SubroutineStarted) for event in driver.trace))
        # From here the worker solves a design for a thousand arms in R^100, for some seconds.
        pid, delays = driver.engine._engine.pid, []
        driver.press("Left")  # a step pauses: one that plays would go on to an event that comes just now
        driver.press("End")

        def timed(keys, effect):
            began = time.monotonic()
            driver.press(keys)
            driver.wait(lambda: effect() and driver.board.settled)
            delays.append(time.monotonic() - began)

        for _ in range(3):
            at = driver.cursor  # where there is an event more, playing has gone to it
            timed("Left", lambda at=at: driver.cursor == at - 1)
            timed("Right", lambda at=at: driver.cursor == at)
            timed("Space", lambda: driver.playback.playing)
            timed("Space", lambda: not driver.playback.playing)
        assert statistics.median(delays) < 1, delays  # a tenth of that on a quiet machine; the design takes seconds
        assert driver.engine.running
        began = time.monotonic()
        driver.press("Ctrl+.")
        driver.finish()
        assert time.monotonic() - began < 10
        assert gone(pid)
        assert pid != os.getpid()
        assert driver.trace.finished.why == ASKED
