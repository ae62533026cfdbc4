"""A thread for jobs, one after another; results are delivered in the window's thread."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class _Job:
    """A function to call, not before a given time, and the receiver of its result."""

    work: Callable[[], Any]
    then: Callable[[Any], object] | None
    key: str
    at: float


class WorkerThread(QObject):
    """One job at a time, in order; the thread exists only while there are jobs.

    To use it, pass a function for the thread and one for the window::

        self._worker = WorkerThread("gems files", self)
        self._worker.do(partial(read_run, path), self._opened)
        self._worker.close(30.0)                                # with the window

    Parameters
    ----------
    name
        The name of the thread.
    parent
        Its Qt parent; results are delivered in the thread in which this object was created.
    """

    _news = Signal()

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._changed = threading.Condition()
        self._waiting: list[_Job] = []
        self._rested = 0.0
        self._thread: threading.Thread | None = None
        self._closed = False
        self._calls: deque[Callable[[], object]] = deque()
        self._news.connect(self._deliver_next, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether a job or a result is pending."""
        return self._thread is not None or bool(self._calls)

    # -- in any thread --------------------------------------------------------------------------------------------

    def do(
        self,
        work: Callable[[], Found],
        then: Callable[[Found], object] | None = None,
        *,
        key: str = "",
        at: float = 0.0,
    ) -> None:
        """Add a job; after :meth:`close`, none is started.

        Parameters
        ----------
        work
            Called in the thread. Its exceptions are raised in the window's thread.
        then
            Called in the window's thread with the result of `work`.
        key
            Replaces a job with this key that has not started.
        at
            The monotonic time before which it does not start; when replacing a job, the earlier of the two.
        """
        with self._changed:
            if self._closed:
                return
            before = [job for job in self._waiting if key and job.key == key]
            self._waiting = [job for job in self._waiting if job not in before]
            self._waiting.append(_Job(work, then, key, min([at, *(job.at for job in before)])))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify()

    def post(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the window's thread."""
        self._calls.append(partial(function, *arguments))
        self._news.emit()

    def rest(self, seconds: float) -> None:
        """Start no job for this long, unless the thread is closed."""
        self._rested = time.monotonic() + seconds

    # -- in the window's thread -----------------------------------------------------------------------------------

    def deliver(self) -> None:
        """Deliver pending results now."""
        while self._calls:
            self._deliver_next()

    @Slot()
    def _deliver_next(self) -> None:
        if self._calls:
            self._calls.popleft()()

    def close(self, patience: float | None = None, drop: bool = False) -> None:
        """Start only the jobs that are due, or drop them, too; wait for the thread to end.

        Parameters
        ----------
        patience
            The most seconds to wait; None for any time.
        """
        with self._changed:
            self._closed = True
            now = time.monotonic()
            self._waiting = [job for job in self._waiting if job.at <= now and not drop]
            thread = self._thread
            self._changed.notify()
        if thread is not None:
            thread.join(patience)

    # -- in the thread --------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                found = job.work()
            except Exception as error:
                self.post(_raise, error)
            else:
                if job.then is not None:
                    self.post(job.then, found)

    def _next(self) -> _Job | None:
        """The next job, when it is due; None if there is none, and the thread ends."""
        with self._changed:
            while self._waiting:
                job = min(self._waiting, key=lambda each: each.at)
                begins = job.at if self._closed else max(job.at, self._rested)
                if (wait := begins - time.monotonic()) <= 0:
                    self._waiting.remove(job)
                    return job
                self._changed.wait(wait)
            self._thread = None
            return None


def _raise(error: Exception) -> NoReturn:
    raise error
