"""The engine behind the window: stops, restarts and failures."""

import os
import signal

import pytest

from gems_engine.algorithms import BUILT_IN
from gems_engine.events import ASKED, RunFinished, RunStarted, SubroutineStarted
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_gui.drafts.run_request import stopped_event
from gems_gui.workbench.playback import Credit
from tests.gui.engine_thread.engine_driver import SECONDS, TO_THE_END, Heard, finished_run, gone, request_for

# -- stops and restarts ------------------------------------------------------------------------------------------


def test_stop_ends_at_once_also_inside_a_large_design(engine, qtbot):
    heard = Heard(engine)
    large = make("sphere", D=100, n=1000, min_gap=0.001)
    live = engine.start(request_for(large, "rage"), TO_THE_END)
    # From here it solves a design in R^100, for some seconds.
    qtbot.waitUntil(lambda: any(isinstance(event, SubroutineStarted) for event in live.trace), timeout=SECONDS)
    pid, events = engine._engine.pid, len(live.trace)
    engine.stop()
    assert len(live.trace) <= events + 1, "it does not wait for the design"
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert gone(pid)
    assert heard.ending.how == "stopped"
    assert f"{events + 1} events" in heard.ending.sentence
    assert len(live.trace) == events + 1
    last = live.trace.finished
    assert last.why == ASKED
    assert list(last.survivors) == list(range(1000))
    assert last.recommendation == live.trace.state_at(events).recommendation
    qtbot.waitUntil(lambda: engine._engine.pid not in (None, pid), timeout=SECONDS)  # the next one is warming up


def test_stop_ends_a_run_in_both_modes_and_can_be_repeated(either, toy, qtbot):
    heard = Heard(either)
    live = either.start(toy(), TO_THE_END)
    qtbot.waitUntil(lambda: len(live.trace) > 2000, timeout=SECONDS)
    either.stop()
    either.stop()
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    either.stop()
    assert [each.how for each in heard.endings] == ["stopped"]
    assert isinstance(live.trace[-1], RunFinished)
    assert live.trace.finished.recommendation == live.trace[-2].target
    assert live.trace.finished.samples == live.trace[-2].samples


def test_a_waiting_run_is_stopped_without_losing_the_warm_process(engine, toy, qtbot):
    heard = Heard(engine)
    live = engine.start(toy(), Credit(3))
    qtbot.waitUntil(lambda: bool(heard.waits), timeout=SECONDS)
    pid = engine._engine.pid
    engine.stop()
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert live.trace.finished.why == ASKED
    after = engine.start(toy(events=2), TO_THE_END)
    qtbot.waitUntil(lambda: len(heard.endings) == 2, timeout=SECONDS)
    assert len(after.trace) == 4
    assert engine._engine.pid == pid


def test_a_stop_before_the_beginning_leaves_an_empty_trace(engine, small, qtbot):
    heard = Heard(engine)
    live = engine.start(request_for(small), TO_THE_END)
    engine.stop()
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert len(live.trace) == 0
    assert heard.ending.how == "stopped"
    assert "before it started" in heard.ending.sentence


def test_a_restart_ignores_the_events_of_the_run_before(either, toy, small, qtbot):
    heard = Heard(either)
    first = either.start(toy(), TO_THE_END)
    qtbot.waitUntil(lambda: len(first.trace) > 1000, timeout=SECONDS)
    second = either.start(request_for(small), TO_THE_END)
    assert either.current is second
    qtbot.waitUntil(lambda: len(heard.endings) == 2, timeout=SECONDS)
    assert [(each.run_id, each.how) for each in heard.endings] == [
        (first.run_id, "stopped"),
        (second.run_id, "finished"),
    ]
    assert list(second.trace) == list(finished_run(second.request))
    assert first.trace.finished.why == ASKED
    sealed = len(first.trace)
    assert all(event.kind in ("recommended", "run started") for event in first.trace[: sealed - 1])


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_stopped_run_ends_as_the_run_itself_would_say(small, name):
    """Wherever it is stopped: the same recommendation, survivors and samples as ``Run.stopped``."""
    run = Run(small, name, 3)
    trace = Trace(run.instance)
    compared = 0
    for event in run:
        if isinstance(event, RunFinished) or len(trace) >= 400:
            break
        trace.append(event)
        # Where a subroutine has just started, the run itself still says who survived the one before.
        if not isinstance(event, RunStarted | SubroutineStarted):
            assert stopped_event(trace) == run.stopped()
            compared += 1
    assert compared >= 5


def test_a_run_stopped_before_its_first_guess_recommends_nothing(small):
    run = Run(small)
    trace = Trace(small)
    trace.append(next(run))
    assert stopped_event(trace).recommendation == -1
    trace.append(stopped_event(trace))
    assert trace.state_at(2).recommendation is None


# -- failures ----------------------------------------------------------------------------------------------------


def test_an_exception_becomes_a_sentence_and_a_report_and_the_next_run_works(either, toy, qtbot):
    heard = Heard(either)
    live = either.start(toy("raise", seed=77), TO_THE_END)
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert heard.ending.how == "failed"
    assert "ZeroDivisionError: nothing to divide by" in heard.ending.sentence
    assert "\n" not in heard.ending.sentence
    for word in ("Traceback", "gems_toy.py", "numpy", "seed 77", "what = 'raise'"):
        assert word in heard.ending.report
    assert len(live.trace) == 4
    assert live.trace.finished is None
    assert not either.running
    either.start(toy(events=2), TO_THE_END)
    qtbot.waitUntil(lambda: len(heard.endings) == 2, timeout=SECONDS)
    assert heard.ending.how == "finished"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"delta": 2.0}, "delta = 2.0 is not allowed"),
        ({"noise": "sometimes"}, "noise"),
        ({"algorithm": "gems-q"}, 'Unknown algorithm "gems-q"'),
    ],
)
def test_a_refusal_is_its_own_sentence_without_a_report(shared, small, qtbot, changes, sentence):
    heard = Heard(shared)
    live = shared.start(request_for(small, **changes), TO_THE_END)
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert heard.ending.how == "failed"
    assert sentence in heard.ending.sentence
    assert heard.ending.report == ""
    assert len(live.trace) == 0


def test_whatever_happens_to_the_process_is_said_and_the_next_run_works(engine, toy, qtbot):
    heard = Heard(engine)

    def ending_of(what):
        heard.endings.clear()
        live = engine.start(toy(what), TO_THE_END)
        qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
        assert heard.ending.how == "failed"
        assert ("toy on" in heard.ending.report) == (what != "nonsense")  # an error that one sentence explains
        assert not engine.running
        return heard.ending.sentence, live.trace

    sentence, trace = ending_of("die")
    assert "SIGKILL" in sentence
    assert len(trace) <= 4  # what was on its way is lost with it
    sentence, trace = ending_of("unspeakable")
    assert "Cannot record an event" in sentence
    sentence, trace = ending_of("nonsense")
    assert sentence.startswith('The algorithm "toy" has an error: it yields Pulled without Allocated before it.')

    live = engine.start(toy(), Credit(3))
    qtbot.waitUntil(lambda: bool(heard.waits), timeout=SECONDS)
    os.kill(engine._engine.pid, signal.SIGKILL)  # while it waits
    qtbot.waitUntil(lambda: len(heard.endings) == 2, timeout=SECONDS)
    assert heard.ending.how == "failed"
    assert len(live.trace) == 3

    qtbot.waitUntil(lambda: engine._engine.pid is not None, timeout=SECONDS)
    os.kill(engine._engine.pid, signal.SIGKILL)  # while it has nothing to do
    qtbot.waitUntil(lambda: engine._engine.pid is None, timeout=SECONDS)
    assert len(heard.endings) == 2  # nothing waited for it
    live = engine.start(toy(events=2), TO_THE_END)
    qtbot.waitUntil(lambda: len(heard.endings) == 3, timeout=SECONDS)
    assert heard.ending.how == "finished"
    assert len(live.trace) == 4
