"""The engine behind the window: what it computes, and that it computes no more than it was granted."""

import math
import os
import signal
import threading
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QThread

from gems_engine.conditions import DimensionChanges, PlaceReached, SamplesPass, TargetEliminated
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.until import Watcher
from gems_gui.background.credited_run import CreditedRun
from gems_gui.drafts.run_request import RunRequest
from gems_gui.workbench.playback import Credit
from tests.engine.finding import find_next
from tests.gui.engine_thread.engine_driver import SECONDS, TO_THE_END, Heard, finished_run, request_for

# -- running -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["fixed-confidence", "fixed-budget"])
def test_a_run_to_the_end_has_the_events_of_a_run_without_a_window(shared, small, qtbot, algorithm):
    heard = Heard(shared)
    request = request_for(small, algorithm, noise="rademacher")
    live = shared.start(request, TO_THE_END)
    assert shared.running
    assert shared.current is live
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    expected = finished_run(request)
    assert list(live.trace) == list(expected)
    assert live.trace.instance == expected.instance  # with the noise of the parameters
    assert heard.ending.how == "finished"
    assert heard.ending.run_id == live.run_id
    assert small.target_label(expected.finished.recommendation) in heard.ending.sentence
    assert shared.rounds_per_second > 0
    assert not heard.ending.report
    assert not shared.running
    assert heard.threads == {QThread.currentThread()}
    assert set(heard.grew) == {live.run_id}


def test_the_process_is_kept_for_the_next_run_and_brings_no_qt(engine, toy, small, qtbot):
    heard = Heard(engine)
    engine.warm()
    engine.start(toy(events=5), TO_THE_END)
    qtbot.waitUntil(lambda: len(heard.endings) == 1, timeout=SECONDS)
    pid = int((toy.folder / "pid").read_text())
    assert pid == engine._engine.pid != os.getpid()
    modules = (toy.folder / "modules").read_text().split()
    assert "gems_engine.running" in modules
    assert not [name for name in modules if name.split(".")[0] in ("PySide6", "shiboken6", "pyqtgraph", "pytest")]
    os.kill(pid, signal.SIGINT)  # Ctrl-C in the terminal reaches all processes there
    engine.start(request_for(small), TO_THE_END)
    qtbot.waitUntil(lambda: len(heard.endings) == 2, timeout=SECONDS)
    assert heard.ending.how == "finished"
    assert engine._engine.pid == pid


def test_thousands_of_events_travel_in_few_signals(engine, toy, qtbot):
    heard = Heard(engine)
    live = engine.start(toy(events=30_000), TO_THE_END)  # more than may be on the way at once
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert len(live.trace) == 30_002
    assert [live.trace[m + 1].samples for m in (0, 511, 25_000, 29_999)] == [0, 511, 25_000, 29_999]
    assert len(heard.grew) < 2_000


# -- credit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["event", "round", "subroutine", "loop"])
def test_each_step_computes_exactly_one_unit(shared, small, qtbot, unit):
    request = request_for(small, max_samples=3000)
    history = History(finished_run(request))
    history.update()
    stops = list(range(12)) if unit == "event" else list(history.stops(unit)[:12])
    heard = Heard(shared)
    live = shared.start(request, Credit(0))
    for number, (at, following) in enumerate(pairwise(stops), 1):
        qtbot.waitUntil(lambda number=number: len(heard.waits) == number or bool(heard.endings), timeout=SECONDS)
        assert len(live.trace) == at
        credit = Credit(following) if unit == "event" else Credit(None, unit, at)
        shared.grant(credit)
        shared.grant(credit)  # the same again is not another step
    qtbot.waitUntil(lambda: len(heard.waits) == len(stops) or bool(heard.endings), timeout=SECONDS)
    assert len(live.trace) == stops[-1]


def test_a_limit_holds_also_where_a_unit_would_end_later(shared, small, qtbot):
    heard = Heard(shared)
    live = shared.start(request_for(small), Credit(4, "loop"))
    qtbot.waitUntil(lambda: heard.waits == [live.run_id], timeout=SECONDS)
    assert len(live.trace) == 4


@given(credits=st.lists(st.tuples(st.integers(1, 60), st.sampled_from(["event", "round", "subroutine", "loop"]))))
def test_no_credit_is_ever_passed(credits):
    """Whatever is granted in whatever order, each halt is where an independent search in the finished run says."""
    history = History(_RUN)
    history.update()
    told, halts = [], []

    def waits(used_up):
        halts.append((used_up, len(told)))
        if (granted := next(following, None)) is None:
            run.stop()
        else:
            run.grant(Credit(len(told) + granted[0], granted[1], len(told)))

    following = iter(credits)
    run = CreditedRun(Credit(0), waits)
    ended = run.drive(iter(_RUN), told.append)
    assert told == _RUN[: len(told)]
    before = 0
    for credit, at in halts:
        stops = [] if credit.unit == "event" else [c for c in history.stops(credit.unit) if c > credit.after]
        assert at == min([credit.limit, *stops[:1], len(_RUN)])
        assert at >= before
        before = at
    assert ended == (len(told) == len(_RUN))


_RUN = Run(make("paper-hard", d_star=3, epsilon=0.4), "fixed-confidence", 2, max_samples=600).finish()


@given(condition=st.sampled_from([TargetEliminated(), DimensionChanges(), SamplesPass(200), PlaceReached(99)]))
def test_credit_until_something_happens_halts_there_and_nowhere_else(condition):
    told, halts = [], []

    def waits(used_up):
        halts.append(len(told))
        if len(halts) == 2:  # it is further than the credit knows: it halts at once, and is granted what is right
            run.grant(Credit(None, after=len(told) - 1, until=(condition, None)))
            return
        watcher = Watcher(condition, _RUN, len(told))
        run.grant(Credit(None, after=len(told), until=(condition, watcher.before)))

    run = CreditedRun(Credit(3), waits)
    assert run.drive(iter(_RUN), told.append, _RUN.instance)
    expected, at = [3], 3
    while (at := find_next(_RUN, condition, at)) is not None:
        expected.append(at)
    assert halts == [*expected[:2], *expected[1:2], *expected[2:]]


def test_a_run_that_nobody_takes_delivery_of_waits(small):
    told = []
    run = CreditedRun(TO_THE_END, lambda credit: None, ahead=10)
    thread = threading.Thread(target=run.drive, args=(iter(_RUN), told.append))
    thread.start()
    for received in (0, 5, 17):
        run.acknowledge(received)
        deadline = time.monotonic() + 10
        while len(told) < received + 10 and time.monotonic() < deadline:
            time.sleep(0.001)
        assert len(told) == received + 10
    run.stop()
    thread.join(10)
    assert not thread.is_alive()
    assert len(told) == 27


def test_an_event_is_in_the_trace_before_the_next_has_been_computed(shared, toy, qtbot):
    """Stepping is real, not a replay of a finished run: the algorithm cannot go on before a file appears."""
    heard = Heard(shared)
    live = shared.start(toy("block", events=4), TO_THE_END)
    for m in range(4):
        qtbot.waitUntil(lambda m=m: len(live.trace) == m + 1 and bool(heard.grew), timeout=SECONDS)
        assert live.trace.state_at(m + 1).cursor == m + 1
        assert not heard.waits
        heard.grew.clear()
        (toy.folder / f"go-{m}").touch()
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert len(live.trace) == 6


def test_a_request_says_what_it_asks_for_and_is_its_own(small):
    parameters = {"delta": 0.1}
    request = RunRequest(small, "rage", 5, parameters)
    parameters["delta"] = math.inf
    assert request.parameters == {"delta": 0.1}
    assert "rage" in str(request)
    assert "seed 5" in str(request)
    assert "delta = 0.1" in str(request)
    assert request.recorded_on() is small
    assert RunRequest(small, "rage", 5, {"noise": "rademacher"}).recorded_on() == small.with_noise("rademacher")
