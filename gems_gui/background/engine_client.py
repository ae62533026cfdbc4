"""The engine for the window: runs that grow in the background, and signals in the window's thread."""

from __future__ import annotations

import threading
import time
from collections import deque
from itertools import count

from PySide6.QtCore import QObject, Qt, Signal, Slot

from gems_engine.trace import Trace
from gems_gui.background.engines import Engine, ProcessEngine, Reports, ThreadEngine
from gems_gui.drafts.run_request import Ending, LiveRun, RunRequest
from gems_gui.workbench.playback import Credit

_MEASURED = 2.0  # seconds over which the speed is averaged
_run_ids = count(1)


class EngineClient(QObject):
    """Owns the background thread and, through it, the worker process that computes.

    Parameters
    ----------
    parent
        Its Qt parent.
    in_thread
        Compute in the thread itself instead of a process, for tests and debugging.

    Attributes
    ----------
    grew : Signal of int
        The trace of this run has more events; at most one such signal per run is pending.
    ended : Signal of Ending
        A run has finished, was stopped, or has failed.
    waits : Signal of int
        This run has used up its credit.
    current : LiveRun or None
        The run that was started last.
    """

    grew = Signal(object)
    ended = Signal(object)
    waits = Signal(object)
    _news = Signal()

    def __init__(self, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self.current: LiveRun | None = None
        self._running = False
        self._closed = False
        self._credit: Credit | None = None
        self._lock = threading.Lock()
        self._grown: dict[int, None] = {}
        self._inbox: deque[tuple[LiveRun, Credit | Ending]] = deque()
        self._announced = False
        self._pace = _Pace()
        reports = Reports(self._note_growth, self._note, self._note)
        self._engine: Engine = ThreadEngine(reports) if in_thread else ProcessEngine(reports)
        # Through the event loop, so that everything connected to our signals runs in the window's thread.
        self._news.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def warm(self) -> None:
        """Start the worker process now, so that the first run does not wait for it."""
        if not self._closed:
            self._engine.warm()

    def start(self, request: RunRequest, credit: Credit, unseen: bool = False, trace: Trace | None = None) -> LiveRun:
        """Start a run, recorded in this trace or a new one, and stop the previous one, if any.

        The events of an unseen run may arrive in large batches.
        """
        if self._closed:
            raise RuntimeError("the engine is closed")
        trace = Trace(request.recorded_on()) if trace is None else trace
        live = LiveRun(next(_run_ids), request, trace, unseen)
        self.current, self._running, self._credit = live, True, credit
        with self._lock:
            self._pace = _Pace()
        self._engine.start(live, credit)
        return live

    def grant(self, credit: Credit) -> None:
        """Replace the credit of the current run; granting the same credit again changes nothing."""
        if self.current is not None and self._running and credit != self._credit:
            self._credit = credit
            self._engine.grant(self.current, credit)

    def stop(self) -> None:
        """Stop the current run and return at once; its trace is sealed, and ``ended`` follows."""
        if self.current is not None and self._running:
            self._engine.stop(self.current)

    def close(self) -> None:
        """Stop the run, the process and the thread, wait for them, and emit pending signals."""
        if not self._closed:
            self._closed = True
            self._engine.close()
            self._deliver()

    @property
    def running(self) -> bool:
        """Whether the current run has not ended."""
        return self._running

    @property
    def rounds_per_second(self) -> float:
        """The speed of the current run over the last two seconds; idle rounds count as one."""
        with self._lock:
            return self._pace.per_second()

    # -- in the engine's thread -----------------------------------------------------------------------------------

    def _note_growth(self, live: LiveRun, rounds: int) -> None:
        with self._lock:
            if live is self.current:
                self._pace.add(rounds)
            self._grown[live.run_id] = None
            self._announce()

    def _note(self, live: LiveRun, news: Credit | Ending) -> None:
        with self._lock:
            if isinstance(news, Ending):
                self._grown[live.run_id] = None  # a stopped run has one more event
            self._inbox.append((live, news))
            self._announce()

    def _announce(self) -> None:
        if not self._announced:
            self._announced = True
            self._news.emit()

    # -- in the window's thread -----------------------------------------------------------------------------------

    @Slot()
    def _deliver(self) -> None:
        with self._lock:
            self._announced = False
            grown, self._grown = list(self._grown), {}
            mail = list(self._inbox)
            self._inbox.clear()
        for run_id in grown:
            self.grew.emit(run_id)
        for live, news in mail:
            if isinstance(news, Ending):
                if live is self.current:
                    self._running = False
                self.ended.emit(news)
            elif live is self.current and self._running and news == self._credit:
                self.waits.emit(live.run_id)


class _Pace:
    """Rounds per second over the last two seconds."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._seen: deque[tuple[float, int]] = deque()

    def add(self, rounds: int) -> None:
        self._seen.append((time.monotonic(), rounds))
        self._forget()

    def _forget(self) -> float:
        now = time.monotonic()
        while self._seen and self._seen[0][0] < now - _MEASURED:
            self._seen.popleft()
        return now

    def per_second(self) -> float:
        now = self._forget()
        span = min(_MEASURED, max(now - self._began, 0.1))
        return sum(rounds for _, rounds in self._seen) / span
