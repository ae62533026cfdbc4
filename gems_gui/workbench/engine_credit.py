"""The credit last granted to an engine; independent of Qt."""

from __future__ import annotations

from gems_gui.workbench.playback import Credit
from gems_gui.workbench.ports import EnginePort


class EngineCredit:
    """Grants credit to an engine, each credit once.

    Attributes
    ----------
    used_up
        Whether it has computed everything granted, and is waiting.
    """

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine
        self._granted: Credit | None = None
        self.used_up = False

    def begin(self, credit: Credit) -> Credit:
        """Record the credit with which a run is started, and return it."""
        self._granted, self.used_up = credit, False
        return credit

    def grant(self, credit: Credit) -> None:
        """Replace what the current run may compute."""
        if credit != self._granted:
            self._engine.grant(self.begin(credit))
