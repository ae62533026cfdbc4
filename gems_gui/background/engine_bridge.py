"""Connects the engine, the queries and a clock to a workbench, in the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer

from gems_gui.background.engine_client import EngineClient
from gems_gui.background.queries import Queries
from gems_gui.drafts.run_request import Ending
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.ports import Answer, TimerFactory
from gems_gui.workbench.workbench import Workbench

FRAME = 30  # milliseconds between frames while the cursor moves; short enough to look smooth


def timers(parent: QObject) -> TimerFactory:
    """A factory of Qt timers that live as long as their parent."""
    return partial(single_shot, parent)


class EngineBridge(QObject):
    """Calls a workbench on news of its engine, queries or clock.

    If a run has grown by more events than are read at a time, the rest follows in the next turns of the event loop,
    and the news that it has ended or waits after that.
    """

    def __init__(self, workbench: Workbench, engine: EngineClient, queries: Queries, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._news: list[tuple[int, Callable[[], None]]] = []  # by run, until its events are read
        self._reading = single_shot(self, self._read_on)
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME)
        self._timer.timeout.connect(self._tick)
        engine.grew.connect(self._on_run_grew)
        engine.ended.connect(self._on_run_ended)
        engine.waits.connect(self._on_run_waiting)
        queries.answered.connect(self._on_answer)
        workbench.subscribe(self._keep_time, Field.ENGINE)

    def _on_run_grew(self, run_id: int) -> None:
        self._workbench.run_grew(run_id)
        self._tell()

    def _on_run_ended(self, ending: Ending) -> None:
        self._news.append((ending.run_id, partial(self._workbench.engine_ended, ending)))
        self._tell()

    def _on_run_waiting(self, run_id: int) -> None:
        self._news.append((run_id, partial(self._workbench.engine_waits, run_id)))
        self._tell()

    def _unread(self) -> set[int]:
        """The runs that are behind."""
        work = self._workbench
        runs = work.runs if work.pending is None else [*work.runs, work.pending.run]
        return {run.run_id for run in runs if run.playback.behind}

    def _read_on(self) -> None:
        """Read more events of the runs that are behind."""
        for run_id in self._unread():
            self._workbench.run_grew(run_id)
        self._tell()

    def _tell(self) -> None:
        """Tell the news of runs that are not behind, and continue with the others in the next turn."""
        unread = self._unread()
        told = [tell for run_id, tell in self._news if run_id not in unread]
        self._news = [news for news in self._news if news[0] in unread]
        for tell in told:
            tell()
        if unread and not self._reading.isActive():
            self._reading.start()

    def _on_answer(self, answer: Answer) -> None:
        self._workbench.drafts.answered(answer)

    def _keep_time(self, change: Change) -> None:
        moving = self._workbench.moving
        if moving and not self._timer.isActive():
            self._clock.start()
            self._timer.start()
        elif not moving:
            self._timer.stop()

    def _tick(self) -> None:
        self._workbench.tick(self._clock.restart() / 1e3)

    def close(self) -> None:
        """Disconnect, and pause every cursor."""
        self._timer.stop()
        self._reading.stop()
        self._workbench.rest()
