"""Two ways to compute a run on credit in the background, without Qt: in a worker process, and in a thread.

Both have ``warm``, ``start``, ``grant``, ``stop`` and ``close``, which return at once (``close`` waits for the end).
They report from their own thread.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Protocol

from gems_engine.events import RETURNS_A_SET, Eliminated, Event, IdleRounds, RunFinished
from gems_engine.formats import journal
from gems_engine.formats.event_rules import Sizes
from gems_engine.terminal import plural
from gems_engine.trace import Trace
from gems_engine.wording import answer_text, recorded_text, survivors_text
from gems_gui.background.credited_run import AHEAD, CreditedRun
from gems_gui.background.worker import Outcome, failure, perform, report
from gems_gui.background.worker_process import ProcessSupervisor
from gems_gui.drafts.run_request import FAILED, FINISHED, STOPPED, Ending, LiveRun, seal
from gems_gui.workbench.playback import Credit

_ENDS_OF_ROUNDS = (Eliminated, IdleRounds)
_ACKNOWLEDGE = AHEAD // 8  # events between two acknowledgements
_PATIENCE = 0.2  # seconds for a run to yield to the next one; starting a new process takes longer
_PATIENCE_AT_FIRST = 2.0  # in a process that may still be importing modules


@dataclass(frozen=True)
class Reports:
    """The callbacks of an engine, called from its own thread.

    Attributes
    ----------
    grew
        A run has more events, with this number of new rounds.
    waits
        A run has used up this credit.
    ended
        A run has ended.
    """

    grew: Callable[[LiveRun, int], None]
    waits: Callable[[LiveRun, Credit], None]
    ended: Callable[[LiveRun, Ending], None]


class Engine(Protocol):
    """The interface of an engine."""

    def warm(self) -> None:
        """Prepare for the first run."""

    def start(self, live: LiveRun, credit: Credit) -> None:
        """Start a run, and stop the previous one."""

    def grant(self, live: LiveRun, credit: Credit) -> None:
        """Replace the credit of a run."""

    def stop(self, live: LiveRun) -> None:
        """Stop a run."""

    def close(self) -> None:
        """Stop everything, and wait for it."""


class ProcessEngine:
    """Runs in a worker process.

    To stop a run, the process is killed and replaced. A run that is replaced by the next one is dropped between two
    events or two iterations of a solver, so that the process is reused; it is killed only if the run does not yield.
    """

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        self._supervisor = ProcessSupervisor("gems-engine", self._hear, self._on_process_lost)
        self._live: LiveRun | None = None
        self._credit = Credit(0)
        self._waiting = False
        self._acknowledged = 0
        self._asked = b""
        self._dropped: int | None = None
        self._proven = False

    @property
    def pid(self) -> int | None:
        """The id of the worker process, if there is one."""
        return self._supervisor.pid

    def warm(self) -> None:
        """Start the process."""
        self._supervisor.call(self._supervisor.ensure)

    def start(self, live: LiveRun, credit: Credit) -> None:
        """Start a run, and stop the previous one."""
        self._supervisor.call(self._start, live, credit)

    def grant(self, live: LiveRun, credit: Credit) -> None:
        """Replace the credit of a run."""
        self._supervisor.call(self._grant, live, credit)

    def stop(self, live: LiveRun) -> None:
        """Stop a run immediately."""
        self._supervisor.call(self._stop, live)

    def close(self) -> None:
        """Stop the run, the process and the thread, and wait for them."""
        self._supervisor.call(self._end)
        self._supervisor.close()

    # -- in the supervisor's thread -------------------------------------------------------------------------------

    def _start(self, live: LiveRun, credit: Credit) -> None:
        if self._live is not None:
            self._drop(self._live)
        self._live, self._credit, self._waiting, self._acknowledged = live, credit, False, 0
        try:
            self._asked = pickle.dumps(live.request)
        except Exception as error:  # parameters of a plugin may be anything
            self._over(live, failure(error, "Cannot send the request to the engine", str(live.request)))
            return
        self._supervisor.send("run", live.run_id, self._asked, credit, live.unseen)

    def _drop(self, live: LiveRun) -> None:
        """Make a run yield to the next one."""
        if live.trace.finished is not None:  # only its last message is still pending
            self._over(live, Outcome(FINISHED))
            return
        self._supervisor.send("drop", live.run_id)
        if self._dropped is None:  # otherwise an older run has not yielded yet, and its timeout is running
            self._dropped = live.run_id
            self._supervisor.set_alarm(_PATIENCE if self._proven else _PATIENCE_AT_FIRST, self._on_timeout)
        self._over(live, Outcome(STOPPED))

    def _on_timeout(self) -> None:
        """Kill the process, as a dropped run has not yielded, and start the newest run in another one."""
        if self._dropped is None:
            return
        if not self._supervisor.listening:
            self._supervisor.set_alarm(_PATIENCE_AT_FIRST, self._on_timeout)
            return
        self._replace_process()
        if self._live is not None:
            self._supervisor.send("run", self._live.run_id, self._asked, self._credit, self._live.unseen)

    def _replace_process(self) -> None:
        self._end_process()
        self._supervisor.ensure()

    def _end_process(self) -> None:
        self._forget_dropped()
        self._proven = False
        self._supervisor.end_process()

    def _forget_dropped(self) -> None:
        self._dropped = None
        self._supervisor.clear_alarm()

    def _grant(self, live: LiveRun, credit: Credit) -> None:
        if live is self._live:
            self._credit, self._waiting = credit, False
            self._supervisor.send("grant", live.run_id, credit)

    def _stop(self, live: LiveRun) -> None:
        if live is not self._live:
            return
        if self._waiting:  # it is idle, so the process can be kept
            self._supervisor.send("drop", live.run_id)
        else:
            self._end_process()
        self._over(live, Outcome(STOPPED))
        self._supervisor.ensure()

    def _end(self) -> None:
        self._end_process()
        if self._live is not None:
            self._over(self._live, Outcome(STOPPED))

    def _over(self, live: LiveRun, outcome: Outcome) -> None:
        self._live = None
        self._reports.ended(live, ending(live, outcome))

    def _hear(self, message: tuple[object, ...]) -> None:
        _, run_id, content = message
        self._proven = True
        if run_id == self._dropped and isinstance(content, Outcome):
            self._forget_dropped()
        live = self._live
        if live is None or run_id != live.run_id:
            return  # a message of a stopped run
        if isinstance(content, bytes):
            self._take(live, content)
        elif isinstance(content, Credit):
            if content == self._credit:
                self._waiting = True
                self._reports.waits(live, content)
        elif isinstance(content, Outcome):
            self._over(live, content)
            if content.report:  # its state cannot be trusted
                self._replace_process()

    def _take(self, live: LiveRun, record: bytes) -> None:
        try:
            batch = journal.batch_of(record, Sizes.of(live.trace.instance))
            live.trace.extend_with_record(record, batch)
        except Exception as error:  # events of a plugin may be invalid
            self._end_process()
            outcome = failure(error, "Cannot record the events of the engine", str(live.request))
            told = outcome.report or report(str(live.request), outcome.sentence)
            self._over(live, Outcome(FAILED, outcome.sentence, told))
            self._supervisor.ensure()
            return
        self._reports.grew(live, batch.count(*_ENDS_OF_ROUNDS))
        if len(live.trace) - self._acknowledged >= _ACKNOWLEDGE:
            self._acknowledged = len(live.trace)
            self._supervisor.send("received", live.run_id, self._acknowledged)

    def _on_process_lost(self, how: str) -> None:
        self._forget_dropped()
        self._proven = False
        live = self._live
        if live is None:
            return  # the next run starts another
        sentence = f"The engine process ended unexpectedly: {how}."
        if "SIGKILL" in how:
            sentence = f"{sentence[:-1]}, perhaps because memory ran out."
        self._over(live, Outcome(FAILED, sentence, report(str(live.request), sentence)))
        self.warm()


class ThreadEngine:
    """Runs in a thread of this process, for tests and debugging; stopping waits for the solver's next iteration."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        self._jobs: SimpleQueue[tuple[LiveRun, CreditedRun] | None] = SimpleQueue()
        self._newest: tuple[LiveRun, CreditedRun] | None = None
        self._thread: threading.Thread | None = None

    def warm(self) -> None:
        """Start the thread."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gems-engine", daemon=True)
            self._thread.start()

    def start(self, live: LiveRun, credit: Credit) -> None:
        """Start a run, and stop the previous one."""
        self.warm()
        if self._newest is not None:
            self._newest[1].stop()
        run = CreditedRun(credit, partial(self._reports.waits, live), ahead=None)
        self._newest = live, run
        self._jobs.put(self._newest)

    def grant(self, live: LiveRun, credit: Credit) -> None:
        """Replace the credit of a run."""
        if self._newest is not None and self._newest[0] is live:
            self._newest[1].grant(credit)

    def stop(self, live: LiveRun) -> None:
        """Stop a run before its next event or solver iteration."""
        if self._newest is not None and self._newest[0] is live:
            self._newest[1].stop()

    def close(self) -> None:
        """Stop the run and the thread, and wait for them."""
        if self._newest is not None:
            self._newest[1].stop()
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join(2.0)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            live, run = job
            outcome = perform(live.request, run, partial(self._report, live))
            self._reports.ended(live, ending(live, outcome))

    def _report(self, live: LiveRun, event: Event) -> None:
        live.trace.append(event)
        self._reports.grew(live, int(isinstance(event, _ENDS_OF_ROUNDS)))


def _answer(trace: Trace, end: RunFinished) -> str:
    if trace.started is not None and trace.started.algorithm == RETURNS_A_SET:
        return survivors_text(end, trace.instance)
    if end.recommendation < 0:
        return "it recommends nothing"
    return f"it {answer_text(trace.state_at(len(trace)), trace.instance)}"


def ending(live: LiveRun, outcome: Outcome) -> Ending:
    """How a run ended, for the window; the trace of a stopped run is sealed."""
    if outcome.how == STOPPED:
        seal(live.trace)
    end = live.trace.finished
    if outcome.how == FINISHED and end is not None:
        found = _answer(live.trace, end)
        sentence = f"The run has finished ({recorded_text(end.why)}) after {plural(end.samples, 'sample')}: {found}."
    elif outcome.how == STOPPED:
        events = len(live.trace)
        kept = f"after {plural(events, 'event')}. The recorded events are kept" if events else "before it started"
        sentence = f"The run was stopped {kept}."
    else:
        sentence = outcome.sentence
    return Ending(live.run_id, outcome.how, sentence, outcome.report)
