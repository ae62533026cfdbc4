"""An engine, and what it was granted last; knows no Qt."""

from __future__ import annotations

from gems_engine.trace import Trace
from gems_gui.drafts.run_request import LiveRun, RunRequest
from gems_gui.workbench.playback import Credit
from gems_gui.workbench.ports import EnginePort


class GrantedEngine:
    """Grants an engine what it may compute, each credit once.

    Attributes
    ----------
    waits
        Whether it has computed all that it was granted.
    """

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine
        self._granted: Credit | None = None
        self.waits = False

    def start(self, request: RunRequest, credit: Credit, unseen: bool = False, trace: Trace | None = None) -> LiveRun:
        """Begin a run, recorded in this trace or in a new one, and end the one before it."""
        self._granted, self.waits = credit, False
        return self._engine.start(request, credit, unseen, trace)

    def grant(self, credit: Credit) -> None:
        """Replace what the current run may compute."""
        if credit != self._granted:
            self._granted, self.waits = credit, False
            self._engine.grant(credit)

    def stop(self) -> None:
        """End the current run; what is recorded stays."""
        self._engine.stop()

    @property
    def running(self) -> bool:
        """Whether it is at a run."""
        return self._engine.running

    @property
    def run_id(self) -> int | None:
        """That of the run that it is at."""
        current = self._engine.current
        return None if current is None or not self._engine.running else current.run_id

    @property
    def rounds_per_second(self) -> float:
        """How fast it is."""
        return self._engine.rounds_per_second
