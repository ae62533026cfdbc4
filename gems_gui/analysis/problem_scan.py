"""Looks for the problems of the run that is shown, a little at a time, for everybody who shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Workbench

_SLICE = 0.002  # seconds of looking in one go
_PAUSE = 12  # milliseconds between two
_PAUSE_MOVING = 30  # while the cursor moves and everything else is painted


class ProblemScan(QObject):
    """Reads the trace of the active run as it grows; what it finds is in ``WatchedRun.problems``.

    Signals
    -------
    looked
        It has looked further: how far is known, and perhaps more problems.
    found
        There are more problems.
    """

    looked = Signal()
    found = Signal()

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._timer = single_shot(self, self._look)
        self._following = workbench.subscribe(self._look_soon, Field.ENGINE)  # whatever changes, this is said

    def close(self) -> None:
        """Look no more."""
        self._following.cancel()
        self._timer.stop()

    def _look_soon(self, *_: object) -> None:
        run = self._workbench.active
        if run is not None and not self._timer.isActive() and not run.problems.complete:
            self._timer.start(_PAUSE_MOVING if run.playback.playing else _PAUSE)

    def _look(self) -> None:
        run = self._workbench.active
        if run is None:
            return
        before = len(run.problems)
        run.problems.update(_SLICE)
        self.looked.emit()
        if len(run.problems) > before:
            self.found.emit()
        self._look_soon()
