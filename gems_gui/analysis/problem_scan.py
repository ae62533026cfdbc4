"""Finds the problems of the current run, in small parts."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Workbench

_SLICE = 0.002  # seconds per part
_PAUSE = 12  # milliseconds between parts
_PAUSE_MOVING = 30  # while the cursor moves and the views are painted


class ProblemScan(QObject):
    """Reads the trace of the active run as it grows; the results are in ``RunSession.problems``.

    Signals
    -------
    looked
        More of the trace has been read, perhaps with new problems.
    found
        New problems were found.
    """

    looked = Signal()
    found = Signal()

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._timer = single_shot(self, self._look)
        self._following = workbench.subscribe(self._look_soon, Field.ENGINE)  # emitted after every change

    def close(self) -> None:
        """Stop scanning."""
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
