"""The engine behind the window: real processes, credit, stops, crashes and ends."""

import gc
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QThread

from gems_engine.algorithms import BUILT_IN
from gems_engine.events import ASKED, RunFinished, SubroutineStarted
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_gui.credited_run import CreditedRun
from gems_gui.engine_thread import EngineThread
from gems_gui.playback import Credit
from gems_gui.run_request import RunRequest, stopped_event

TO_THE_END = Credit(None)
SECONDS = 20_000  # milliseconds to wait for what takes one second on a quiet machine

TOY = '''
"""An algorithm of another package that blocks, raises, dies or never ends, as asked."""
import os, signal, sys, time
from pathlib import Path
import numpy as np
from gems_engine.algorithms.algorithm import SHARED, Algorithm
from gems_engine.events import Place, Pulled, Recommended, RunFinished
from gems_engine.parameters import Parameter


def steps(lab, parameters):
    folder = Path(parameters["folder"])
    what = parameters["what"]
    (folder / "pid").write_text(str(os.getpid()))
    (folder / "modules").write_text("\\n".join(sys.modules))
    m = 0
    while parameters["events"] is None or m < parameters["events"]:
        if what == "block":
            while not (folder / f"go-{m}").exists():
                time.sleep(0.005)
        elif what == "raise" and m == 3:
            raise ZeroDivisionError("nothing to divide by")
        elif what == "die" and m == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == "nonsense" and m == 3:
            yield Pulled(Place(), np.zeros(2), 1)
            what = "quick"
        elif what == "unspeakable" and m == 3:
            yield Recommended(Place(), 10**6, m, "a target that is not there")
        yield Recommended(Place(), m % 2, m, "toy")
        m += 1
    return RunFinished(Place(), "toy", 0, lab.left, m)


TOY = Algorithm("toy", "A toy.", (
    Parameter("folder", "text", "", "Where it looks."),
    Parameter("what", "choice", "quick", "What it does.",
              choices=("quick", "block", "raise", "die", "nonsense", "unspeakable")),
    Parameter("events", "int", None, "How many.", optional=True),
    *SHARED), "epsilon", steps)
'''


class Heard(QObject):
    """Everything that an engine said, and whether in the window's thread."""

    def __init__(self, engine):
        super().__init__()
        self.grew, self.waits, self.endings, self.threads = [], [], [], set()
        engine.grew.connect(self._grew)
        engine.waits.connect(self._waits)
        engine.ended.connect(self._ended)

    def _grew(self, run_id):
        self.threads.add(QThread.currentThread())
        self.grew.append(run_id)

    def _waits(self, run_id):
        self.waits.append(run_id)

    def _ended(self, ending):
        self.endings.append(ending)

    @property
    def ending(self):
        return self.endings[-1]


@pytest.fixture(scope="module")
def small():
    return make("paper-hard", d_star=4, epsilon=0.3)


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory):
    """A package with an algorithm, as another project would install it."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "gems_toy.py").write_text(TOY)
    about = folder / "gems_toy-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gems-toy\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[gems.algorithms]\ntoy = gems_toy:TOY\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder
    sys.modules.pop("gems_toy", None)


@pytest.fixture
def toy(tmp_path):
    """A request for the toy, which looks into the folder of this test."""

    def request(what="quick", events=None, seed=0):
        instance = Instance.linear(np.eye(2), [1.0, 0.0])
        return RunRequest(instance, "toy", seed, {"folder": str(tmp_path), "what": what, "events": events})

    request.folder = tmp_path
    return request


@pytest.fixture(scope="module", params=[False, True], ids=["process", "thread"])
def _lasting(qapp, package, request):
    engine = EngineThread(in_thread=request.param)
    engine.warm()
    while not request.param and engine._engine.pid is None:
        time.sleep(0.001)
    yield engine
    engine.close()


@pytest.fixture
def lasting(_lasting, qtbot):
    """An engine of each kind, for tests that do not end its process: nothing may depend on where a run is computed."""
    yield _lasting
    _lasting.stop()
    qtbot.waitUntil(lambda: not _lasting.running, timeout=SECONDS)


@pytest.fixture
def engine(qapp):
    """An engine with a process of its own."""
    engine = EngineThread()
    yield engine
    engine.close()


@pytest.fixture(params=[False, True], ids=["process", "thread"])
def either(qapp, request):
    """An engine of each kind, for this test alone."""
    engine = EngineThread(in_thread=request.param)
    yield engine
    engine.close()


def request_for(instance, algorithm="fixed-confidence", seed=1, **parameters):
    return RunRequest(instance, algorithm, seed, parameters)


def finished_run(request):
    return Run(request.instance, request.algorithm, request.seed, **request.parameters).finish()


def gone(pid):
    """Whether a process has ended, or waits only to be buried."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


# -- running -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["fixed-confidence", "fixed-budget"])
def test_a_run_to_the_end_has_the_events_of_a_run_without_a_window(lasting, small, qtbot, algorithm):
    heard = Heard(lasting)
    request = request_for(small, algorithm, noise="rademacher")
    live = lasting.start(request, TO_THE_END)
    assert lasting.running
    assert lasting.current is live
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    expected = finished_run(request)
    assert list(live.trace) == list(expected)
    assert live.trace.instance == expected.instance  # with the noise of the parameters
    assert heard.ending.how == "finished"
    assert heard.ending.run_id == live.run_id
    assert small.target_label(expected.finished.recommendation) in heard.ending.sentence
    assert not heard.ending.report
    assert not lasting.running
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
    assert "scipy.linalg" in modules
    assert not [name for name in modules if name.split(".")[0] in ("PySide6", "shiboken6", "pyqtgraph", "pytest")]
    os.kill(pid, signal.SIGINT)  # Ctrl-C in the terminal reaches all processes there
    engine.start(request_for(small), TO_THE_END)
    qtbot.waitUntil(lambda: len(heard.endings) == 2, timeout=SECONDS)
    assert heard.ending.how == "finished"
    assert engine._engine.pid == pid


def test_thousands_of_events_travel_in_few_signals_and_a_speed_is_measured(engine, toy, qtbot):
    heard = Heard(engine)
    live = engine.start(toy(events=30_000), TO_THE_END)  # more than may be on the way at once
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert len(live.trace) == 30_002
    assert [live.trace[m + 1].samples for m in (0, 511, 25_000, 29_999)] == [0, 511, 25_000, 29_999]
    assert len(heard.grew) < 2_000
    assert engine.events_per_second > 1_000
    assert engine.rounds_per_second == 0.0


# -- credit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["event", "round", "subroutine", "loop"])
def test_each_step_computes_exactly_one_unit(lasting, small, qtbot, unit):
    request = request_for(small, max_samples=3000)
    history = History(finished_run(request))
    history.update()
    stops = list(range(12)) if unit == "event" else list(history.stops(unit)[:12])
    heard = Heard(lasting)
    live = lasting.start(request, Credit(0))
    for number, (at, following) in enumerate(pairwise(stops), 1):
        qtbot.waitUntil(lambda number=number: len(heard.waits) == number or bool(heard.endings), timeout=SECONDS)
        assert len(live.trace) == at
        credit = Credit(following) if unit == "event" else Credit(None, unit, at)
        lasting.grant(credit)
        lasting.grant(credit)  # the same again is not another step
    qtbot.waitUntil(lambda: len(heard.waits) == len(stops) or bool(heard.endings), timeout=SECONDS)
    assert len(live.trace) == stops[-1]


def test_a_limit_holds_also_where_a_unit_would_end_later(lasting, small, qtbot):
    heard = Heard(lasting)
    live = lasting.start(request_for(small), Credit(4, "loop"))
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


def test_an_event_is_in_the_trace_before_the_next_has_been_computed(lasting, toy, qtbot):
    """Stepping is real, not a replay of a finished run: the algorithm cannot go on before a file appears."""
    heard = Heard(lasting)
    live = lasting.start(toy("block", events=4), TO_THE_END)
    for m in range(4):
        qtbot.waitUntil(lambda m=m: len(live.trace) == m + 1 and bool(heard.grew), timeout=SECONDS)
        assert live.trace.state_at(m + 1).cursor == m + 1
        assert not heard.waits
        heard.grew.clear()
        (toy.folder / f"go-{m}").touch()
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=SECONDS)
    assert len(live.trace) == 6


# -- stops and restarts ------------------------------------------------------------------------------------------


def test_stop_ends_at_once_also_inside_a_large_design(engine, qtbot):
    heard = Heard(engine)
    large = make("sphere", D=100, n=1000, min_gap=0.001)
    live = engine.start(request_for(large, "rage"), TO_THE_END)
    # From here it solves a design in R^100, for some seconds.
    qtbot.waitUntil(lambda: any(isinstance(event, SubroutineStarted) for event in live.trace), timeout=SECONDS)
    pid, events = engine._engine.pid, len(live.trace)
    started = time.monotonic()
    engine.stop()
    assert time.monotonic() - started < 0.1
    qtbot.waitUntil(lambda: bool(heard.endings), timeout=1000)
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
    assert "before it began" in heard.ending.sentence


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
        if trace.state_at(len(trace)).recommended is not None and not isinstance(event, SubroutineStarted):
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
        ({"algorithm": "gems-q"}, "Unknown algorithm 'gems-q'"),
    ],
)
def test_a_refusal_is_its_own_sentence_without_a_report(lasting, small, qtbot, changes, sentence):
    heard = Heard(lasting)
    live = lasting.start(request_for(small, **changes), TO_THE_END)
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
        assert "toy on" in heard.ending.report
        assert not engine.running
        return heard.ending.sentence, live.trace

    sentence, trace = ending_of("die")
    assert "SIGKILL" in sentence
    assert len(trace) <= 4  # what was on its way is lost with it
    sentence, trace = ending_of("unspeakable")
    assert "cannot be recorded" in sentence
    sentence, trace = ending_of("nonsense")
    assert "do not fit the last allocation" in sentence

    live = engine.start(toy(), Credit(3))
    qtbot.waitUntil(lambda: bool(heard.waits), timeout=SECONDS)
    os.kill(engine._engine.pid, signal.SIGKILL)  # while it waits
    qtbot.waitUntil(lambda: len(heard.endings) == 2, timeout=SECONDS)
    assert heard.ending.how == "failed"
    assert len(live.trace) == 3

    qtbot.waitUntil(lambda: engine._engine.pid is not None, timeout=SECONDS)
    os.kill(engine._engine.pid, signal.SIGKILL)  # while it has nothing to do
    qtbot.waitUntil(lambda: engine._engine.pid is None, timeout=SECONDS)
    assert len(heard.endings) == 2  # nobody waited for it
    live = engine.start(toy(events=2), TO_THE_END)
    qtbot.waitUntil(lambda: len(heard.endings) == 3, timeout=SECONDS)
    assert heard.ending.how == "finished"
    assert len(live.trace) == 4


# -- ends --------------------------------------------------------------------------------------------------------


def test_closing_during_runs_leaves_no_threads_processes_or_pipes(qapp, toy, qtbot):
    def open_files():
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    before, counts = set(threading.enumerate()), []
    for what in ("quick", "block"):
        engine = EngineThread()
        heard = Heard(engine)
        live = engine.start(toy(what), TO_THE_END)
        qtbot.waitUntil(lambda live=live: len(live.trace) > 0, timeout=SECONDS)
        pid = engine._engine.pid
        started = time.monotonic()
        engine.close()
        engine.close()
        assert time.monotonic() - started < 2.5
        assert gone(pid)
        assert set(threading.enumerate()) <= before
        assert [each.how for each in heard.endings] == ["stopped"]
        assert live.trace.finished.why == ASKED
        assert not engine.running
        with pytest.raises(RuntimeError, match="closed"):
            engine.start(toy(), TO_THE_END)
        engine.warm()
        assert engine._engine.pid is None
        counts.append(open_files())
    assert counts[0] == counts[1]  # the first may have started what lasts for the whole program


def test_closing_what_never_started(qapp):
    for in_thread in (False, True):
        EngineThread(in_thread=in_thread).close()


SCRIPT = """
    import sys
    from PySide6.QtCore import QCoreApplication, QTimer
    import numpy as np
    from gems_engine.instance import Instance
    from gems_gui.engine_thread import EngineThread
    from gems_gui.playback import Credit
    from gems_gui.run_request import RunRequest

    # No guard: a worker that imported this module would start another, and so on.
    app = QCoreApplication([])
    engine = EngineThread()
    wishes = {"folder": sys.argv[1], "what": sys.argv[2], "events": 5 if sys.argv[2] == "quick" else None}
    live = engine.start(RunRequest(Instance.linear(np.eye(2), [1.0, 0.0]), "toy", 0, wishes), Credit(None))
    forgetful = sys.argv[3:] == ["forgetful"]
    (engine.grew if forgetful else engine.ended).connect(app.quit)
    app.exec()
    print(len(live.trace), flush=True)
    if not forgetful:
        engine.close()
"""


@pytest.mark.parametrize("how", ["script", "module"])
def test_the_process_starts_from_any_kind_of_program(package, toy, how):
    """Neither a script nor a package's main module is imported again, and so Qt is not."""
    program = toy.folder / "program"
    program.mkdir()
    (program / "__main__.py").write_text(textwrap.dedent(SCRIPT))
    start = [str(program / "__main__.py")] if how == "script" else ["-m", "program"]
    ran = _run_program(package, toy, start, "quick")
    out, err = ran.communicate(timeout=30)
    assert (out.strip(), err, ran.returncode) == ("7", "", 0)
    assert "PySide6" not in (toy.folder / "modules").read_text().split()


def test_a_program_that_ends_without_closing_ends(package, toy, qtbot):
    (toy.folder / "program.py").write_text(textwrap.dedent(SCRIPT))
    ran = _run_program(package, toy, [str(toy.folder / "program.py")], "block", "forgetful")
    out, err = ran.communicate(timeout=30)
    assert (out.strip(), err, ran.returncode) == ("1", "", 0)
    pid_file = toy.folder / "pid"
    assert not pid_file.exists() or gone(int(pid_file.read_text()))


def test_the_process_ends_when_its_parent_is_killed(package, toy, qtbot):
    (toy.folder / "program.py").write_text(textwrap.dedent(SCRIPT))
    parent = _run_program(package, toy, [str(toy.folder / "program.py")], "block")
    pid_file = toy.folder / "pid"
    qtbot.waitUntil(lambda: pid_file.exists() and pid_file.read_text() != "", timeout=SECONDS)
    pid = int(pid_file.read_text())
    assert not gone(pid)
    parent.kill()
    parent.communicate(timeout=30)
    qtbot.waitUntil(lambda: gone(pid), timeout=SECONDS)


def _run_program(package, toy, start, *wishes):
    paths = os.pathsep.join([str(package), str(Path(__file__).parents[2])])
    return subprocess.Popen(
        [sys.executable, *start, str(toy.folder), *wishes],
        env=os.environ | {"PYTHONPATH": paths},
        cwd=toy.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


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
