"""Runs for comparison, computed by a second engine, one after the other and each to its end."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from gems_engine.algorithms import algorithm_named
from gems_engine.errors import InputError
from gems_gui.background.engine_client import EngineClient
from gems_gui.drafts.run_request import FAILED, Ending, RunRequest
from gems_gui.workbench.changes import Field
from gems_gui.workbench.playback import Credit, Playback
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench


def comparison_request(run: RunSession, algorithm: str) -> RunRequest:
    """A request for another algorithm with the instance and seed of a run, and the parameters that both have.

    Raises
    ------
    InputError
        If that algorithm cannot run on this instance, or the settings of the run are unknown.
    """
    shown = run.request
    if shown is None:
        raise InputError("The settings of this run were not recorded, so other algorithms cannot run with them.")
    known = algorithm_named(algorithm).parameters
    shared = {}
    for parameter in known:
        if parameter.name in shown.parameters:
            try:
                shared[parameter.name] = parameter.check(shown.parameters[parameter.name])
            except InputError:  # another range here: use the default
                continue
    request = RunRequest(shown.instance, algorithm, shown.seed, shared)
    request.run()  # raises an error before anything is started
    return request


class ComparisonRuns(QObject):
    """A queue of runs, and the engine for them.

    Attributes
    ----------
    grew : Signal
        A run for comparison has more events.
    failed : Signal of Ending
        A run has failed.
    """

    grew = Signal()
    failed = Signal(object)

    def __init__(self, workbench: Workbench, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._in_thread = in_thread
        self._engine: EngineClient | None = None
        self._queue: deque[RunRequest] = deque()
        self._run: RunSession | None = None
        self._closed = False
        workbench.subscribe(self._look, Field.RUNS)

    @property
    def busy(self) -> bool:
        """Whether a run is being computed or waits."""
        return self._run is not None or bool(self._queue)

    def start(self, requests: Sequence[RunRequest]) -> None:
        """Compute these runs, after those already in the queue."""
        self._queue.extend(requests)
        if self._run is None:
            self._next()

    def close(self) -> None:
        """Stop the engine immediately."""
        self._closed = True
        self._queue.clear()
        if self._engine is not None:
            self._engine.close()

    def _next(self) -> None:
        if self._closed or not self._queue:
            return
        if self._engine is None:
            self._engine = EngineClient(self, in_thread=self._in_thread)
            self._engine.grew.connect(self._on_run_grew)
            self._engine.ended.connect(self._on_run_ended)
        request = self._queue.popleft()
        live = self._engine.start(request, Credit(None))
        playback = Playback(live.trace, self._workbench.look_ahead)
        run = RunSession(request.name, playback, request, run_id=live.run_id, pinned=True, is_comparison=True)
        self._run = run
        self._workbench.add_compared(run)

    def _look(self, *_: object) -> None:
        """Stop runs that were removed from the list."""
        if self._run is not None and self._run not in self._workbench.runs and self._engine is not None:
            self._engine.stop()

    def _on_run_grew(self, run_id: object) -> None:
        run = self._run
        if run is None or run.run_id != run_id:
            return
        self._workbench.run_grew(run.run_id)
        self.grew.emit()

    def _on_run_ended(self, ending: Ending) -> None:
        run = self._run
        if run is None or run.run_id != ending.run_id:
            return
        self._run = None
        if not self._closed:
            self._workbench.run_ended(run, ending)
        self.grew.emit()
        if ending.how == FAILED:
            self.failed.emit(ending)
        self._next()
