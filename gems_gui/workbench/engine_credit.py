"""What an engine was granted last; knows no Qt."""

from __future__ import annotations

from gems_gui.workbench.playback import Credit
from gems_gui.workbench.ports import EnginePort


class EngineCredit:
    """Grants an engine what it may compute, each credit once.

    Attributes
    ----------
    used_up
        Whether it has computed all that it was granted, and waits.
    """

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine
        self._granted: Credit | None = None
        self.used_up = False

    def begin(self, credit: Credit) -> Credit:
        """A run is started with this; the same credit."""
        self._granted, self.used_up = credit, False
        return credit

    def grant(self, credit: Credit) -> None:
        """Replace what the current run may compute."""
        if credit != self._granted:
            self._engine.grant(self.begin(credit))
