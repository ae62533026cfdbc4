"""Exports for the window, painted in a separate process so that neither a run nor the window waits."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from gems_engine.files import remove_parts
from gems_engine.trace import Trace
from gems_gui.background.worker import Outcome, report
from gems_gui.background.worker_process import ProcessSupervisor
from gems_gui.drafts.run_request import FAILED
from gems_gui.exports.export_request import ExportRequest
from gems_gui.painting.frames import Frame, Look
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.jobs import Jobs

_IDLE = 60_000  # milliseconds for which an unused process is kept
_PATIENCE = 2.0  # seconds for a cancelled export to delete its files
_KEY = "export"


@dataclass(frozen=True)
class Painted:
    """A requested picture: the bytes of a PNG, or one sentence on why there is none."""

    ticket: int
    data: bytes
    outcome: Outcome


@dataclass(frozen=True)
class Exported:
    """The result of an export."""

    order: ExportRequest
    outcome: Outcome


class Exports(QObject):
    """One painting process, started on demand; one export at a time, with single pictures between its frames.

    Parameters
    ----------
    jobs
        The list in which a running export is registered with its progress.
    parent
        Its Qt parent.

    Attributes
    ----------
    painted : Signal of Painted
    ended : Signal of Exported
    order : ExportRequest or None
        The current export.
    """

    painted = Signal(object)
    ended = Signal(object)
    _heard = Signal(object)
    _gone = Signal(str)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.order: ExportRequest | None = None
        self._tickets = count(1)
        self._export = 0
        self._pictures: set[int] = set()
        self._over = threading.Event()
        self._supervisor = ProcessSupervisor("gems-studio", self._hear, self._lose, "gems_gui.exports.export_worker")
        self._sent: dict[int, tuple[Trace, int]] = {}  # for the current process; used only in the supervisor's thread
        self._pid: int | None = None
        self._idle = single_shot(self, self._let_go, _IDLE)
        queued = Qt.ConnectionType.QueuedConnection
        self._heard.connect(self._take, queued)
        self._gone.connect(self._on_process_lost, queued)

    @property
    def pid(self) -> int | None:
        """The id of the process, if there is one."""
        return self._supervisor.pid

    @property
    def busy(self) -> bool:
        """Whether an export is in progress."""
        return self.order is not None

    @property
    def progress(self) -> tuple[int, int]:
        """The number of finished frames and of all frames of the export; 0 of 0 before they are known."""
        job = self._jobs.get(_KEY)
        return (0, 0) if job is None else (job.done, job.total)

    def warm(self) -> None:
        """Start the process now, so that the first picture does not wait for it."""
        self._supervisor.call(self._supervisor.ensure)
        self._idle.start()

    def paint(self, traces: Sequence[Trace], frame: Frame, look: Look, replicates: bytes = b"") -> int:
        """Ask for a picture; returns the ticket of the answer. Replicates of the first run are passed as a pickle."""
        ticket = next(self._tickets)
        self._pictures.add(ticket)
        self._idle.start()
        self._supervisor.call(self._send, traces, replicates, "picture", ticket, frame, look)
        return ticket

    def export(self, traces: Sequence[Trace], order: ExportRequest, replicates: bytes = b"") -> None:
        """Start an export of a run, perhaps with compared runs and with replicates."""
        assert self.order is None, "one export at a time"
        self.order = order
        self._export = next(self._tickets)
        self._over.clear()
        self._idle.stop()
        self._supervisor.call(self._send, traces, replicates, "export", self._export, order)
        self._jobs.begin(_KEY, f"Export to {order.file}", self.cancel)

    def cancel(self) -> None:
        """Cancel the export; no file is written."""
        if self.order is not None:
            self._supervisor.call(self._supervisor.send, "cancel", self._export)

    def close(self) -> None:
        """End the process and its export; pending answers are dropped."""
        self._idle.stop()
        self._pictures.clear()
        order = self.order
        if order is not None:
            self.cancel()
            self._over.wait(_PATIENCE)
            self.order = None
            self._jobs.end(_KEY)
        self._supervisor.close()
        self._remove_parts(order)  # if it did not end in time

    # -- answers --------------------------------------------------------------------------------------------------

    @Slot(object)
    def _take(self, message: tuple[Any, ...]) -> None:
        kind, ticket, *rest = message
        if kind == "picture" and ticket in self._pictures:
            self._pictures.discard(ticket)
            self.painted.emit(Painted(ticket, *rest))
        elif kind == "progress" and ticket == self._export and self.order is not None:
            self._jobs.progress(_KEY, rest[0], rest[1])
        elif kind == "ended" and ticket == self._export:
            self._end(rest[0])

    def _end(self, outcome: Outcome) -> None:
        order, self.order = self.order, None
        if order is not None:
            self._idle.start()
            self._jobs.end(_KEY)
            self.ended.emit(Exported(order, outcome))

    @Slot(str)
    def _on_process_lost(self, how: str) -> None:
        sentence = f"The export process ended unexpectedly: {how}. Try again."
        outcome = Outcome(FAILED, sentence, report("an export", sentence))
        pictures, self._pictures = self._pictures, set()
        for ticket in pictures:
            self.painted.emit(Painted(ticket, b"", outcome))
        self._end(outcome)

    @Slot()
    def _let_go(self) -> None:
        if self.order is None and not self._pictures:
            self._supervisor.call(self._end_process)

    # -- in the supervisor's thread -------------------------------------------------------------------------------

    def _lose(self, how: str) -> None:
        self._remove_parts(self.order)
        self._gone.emit(how)

    def _remove_parts(self, order: ExportRequest | None) -> None:
        """Remove what the process, which has ended, has written of an export."""
        if order is not None and self._pid is not None:
            remove_parts(order.file, self._pid)

    def _hear(self, message: tuple[Any, ...]) -> None:
        if message[0] == "ended":
            self._over.set()
        self._heard.emit(message)

    def _send(self, traces: Sequence[Trace], replicates: bytes, kind: str, ticket: int, *rest: Any) -> None:
        """Send new events of the runs, then the request."""
        self._supervisor.ensure()
        if self._pid != self._supervisor.pid:
            self._pid = self._supervisor.pid
            self._sent.clear()
        for key in [key for key, (trace, _) in self._sent.items() if all(trace is not each for each in traces)]:
            del self._sent[key]
            self._supervisor.send("forget", key)
        for trace in traces:
            known = self._sent.get(id(trace))
            records = trace.records_from(known[1] if known else 0)
            if known is None or records:
                instance = None if known else trace.instance
                self._supervisor.send("run", id(trace), instance, [record for record, _ in records])
                before = known[1] if known else 0
                self._sent[id(trace)] = trace, before + sum(events for _, events in records)
        self._supervisor.send("replicates", id(traces[0]), replicates)
        self._supervisor.send(kind, ticket, tuple(id(trace) for trace in traces), *rest)

    def _end_process(self) -> None:
        self._supervisor.end_process()
        self._sent.clear()
        self._pid = None
