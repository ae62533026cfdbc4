"""Many trials in the background of a window: their rows arrive in batches, in the window's thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

from PySide6.QtCore import QObject, Signal, Slot

from gems_engine.errors import InputError
from gems_engine.processes import cores
from gems_gui.background.worker_thread import WorkerThread
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.jobs import Jobs

if TYPE_CHECKING:
    from gems_engine.experiment.harness import Progress
    from gems_engine.experiment.local import LocalWorkers

_BETWEEN = 100  # milliseconds between batches of rows: more would not be visible
_PATIENCE = 30.0  # longest wait in seconds when closing: for files, never for a process

Told = Callable[[Any], None]


class TrialJob(Protocol):
    """What a :class:`TrialBatch` runs; a :class:`~gems_engine.experiment.harness.Harness` is one."""

    def run(self) -> object:
        """Run to the end, or until :meth:`cancel`."""

    def pause(self) -> None:
        """Start no new trial until :meth:`go_on`."""

    def go_on(self) -> None:
        """Resume."""

    def cancel(self) -> None:
        """Make :meth:`run` return soon."""


Begin = Callable[["LocalWorkers | None", Told], AbstractContextManager[TrialJob]]
"""Makes the job, in the thread that will run it, from the executor of the trials and the receiver of rows."""


@dataclass(frozen=True, eq=False)
class TrialTask:
    """Trials to run.

    Attributes
    ----------
    begin
        Makes the job; the message of an :class:`~gems_engine.errors.InputError` becomes the sentence of its end.
    title
        Its title in the list of jobs.
    total
        The number of trials, if the job does not have it.
    workers
        Worker processes, by default all cores but one; 0 runs the trials in the thread itself.
    begun
        Called when the task starts: one that replaces another starts later than it was requested.
    at_close
        A sentence for the question when the window closes, or empty.
    """

    begin: Begin
    title: str
    total: int = 0
    workers: int | None = None
    begun: Callable[[], object] | None = None
    at_close: str = ""


@dataclass(frozen=True)
class JobEnd:
    """How a job ended: finished, cancelled, or failed with a sentence."""

    how: Literal["done", "cancelled", "failed"]
    sentence: str = ""


def default_jobs() -> int:
    """The default number of worker processes: all cores but one, which the window and its run use."""
    return max(1, cores() - 1)


class TrialBatch(QObject):
    """Runs one task at a time in its own thread, with worker processes of low priority.

    Replicates, sensitivity and experiments are such tasks; while one runs, it is in the workbench's list of jobs. To
    use it, define how the job is made, and connect to the signals::

        def begin(executor, told):
            return nullcontext(Harness(specification, executor, told=told))

        @contextmanager
        def begin_recorded(executor, told):           # if something must be opened and closed around it
            with Recorder(folder, specification, "two processes", resume=True) as recorder:
                yield Harness(specification, executor, recorder, told)

        trials = TrialBatch(workbench.jobs, "replicates", parent)
        trials.rows.connect(self.take)                # tuples of rows: connect bound methods of QObjects
        trials.ended.connect(self.say)                # a JobEnd, after the last row
        trials.start(TrialTask(begin, "More seeds"))  # …, pause(), go_on(), cancel()
        trials.close()                                # with the window

    The job is made, run and closed in the thread, so that the window never waits for files and processes. Its worker
    processes live as long as the job. Cancelling kills them immediately. If a worker dies, its trial is tried again
    (:func:`~gems_engine.experiment.run_trials`). Another task may start after `ended` was emitted, or
    :meth:`replace` the one that is running.

    Parameters
    ----------
    jobs, key
        The list in which a task is registered while it runs, and its key there.
    parent
        Its Qt parent.
    in_thread
        Run all trials in the thread itself, for tests and debugging.

    Attributes
    ----------
    rows : Signal of tuple
        The new rows of the job, at most ten times a second.
    changed : Signal
        The job was paused or resumed.
    ended : Signal of JobEnd
        The job has ended; all its rows were emitted before.
    job : Job or None
        The job that is running or ran last, as soon as it is made.
    running : bool
        Whether a task has started and `ended` was not emitted yet.
    told : int
        The number of rows emitted.
    """

    rows = Signal(object)
    changed = Signal()
    ended = Signal(object)

    def __init__(self, jobs: Jobs, key: str, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self._jobs, self._key, self._in_thread = jobs, key, in_thread
        self.job: TrialJob | None = None
        self.running = self.paused = False
        self.told = 0
        self._total = 0
        self._next: TrialTask | None = None
        self._cancelled = self._closed = False
        self._worker = WorkerThread("gems trials", self)
        self._lock = threading.Lock()
        self._fresh: list[Any] = []
        self._reported_at = 0.0
        self._timer = single_shot(self, self._deliver)

    @property
    def progress(self) -> Progress | None:
        """The progress of an experiment; None before it is known, and for other jobs."""
        return getattr(self.job, "progress", None)

    def start(self, task: TrialTask) -> None:
        """Start a task; none may be running."""
        if self.running:
            raise RuntimeError("a job is running: cancel it, and wait until it has ended")
        if self._closed:
            raise RuntimeError("the trials are closed")
        self.job, self._next, self.running = None, None, True
        self.paused = self._cancelled = False
        self.told, self._total = 0, task.total
        workers = 0 if self._in_thread else default_jobs() if task.workers is None else task.workers
        self._worker.do(partial(self._run, task.begin, workers), self._over)
        self._jobs.begin(self._key, task.title, self.cancel, task.at_close)
        if task.begun is not None:
            task.begun()

    def replace(self, task: TrialTask) -> None:
        """Cancel the running task and start this one afterwards; of several that wait, only the last is started."""
        if self._closed:
            return
        if self.running:
            self.cancel()
            self._next = task
        else:
            self.start(task)

    def pause(self) -> None:
        """Start no new trial; running trials are finished and their rows emitted."""
        self._set_paused(True)

    def go_on(self) -> None:
        """Resume starting trials."""
        self._set_paused(False)

    def _set_paused(self, paused: bool) -> None:
        if self.running and paused != self.paused:
            with self._lock:
                self.paused = paused
                job = self.job
                if job is not None:
                    (job.pause if paused else job.go_on)()
            self.changed.emit()

    def cancel(self) -> None:
        """Cancel the job and kill its workers; pending rows are emitted, then `ended`."""
        self._next = None
        with self._lock:
            self._cancelled = True
            if self.job is not None and self.running:
                self.job.cancel()

    def close(self) -> None:
        """Cancel, wait for the thread and all processes to end, and emit what is pending."""
        self._closed = True
        self.cancel()
        self._worker.close(_PATIENCE)
        self._worker.deliver()
        self._timer.stop()

    # -- in the thread of the trials ------------------------------------------------------------------------------

    def _run(self, begin: Begin, jobs: int) -> JobEnd:
        try:
            return self._ran(begin, jobs)
        except InputError as error:
            return JobEnd("failed", str(error))
        except Exception as error:  # an error in trials is shown, and the window goes on
            return JobEnd("failed", f"The trials failed: {type(error).__name__}: {error}")

    def _ran(self, begin: Begin, jobs: int) -> JobEnd:
        from gems_engine.experiment import local_executor  # brings executors of trials

        executor = local_executor(jobs, step_back=True) if jobs else None
        try:
            with begin(executor, self._note) as job:
                with self._lock:
                    self.job = job
                    if self.paused:
                        job.pause()
                    if self._cancelled:
                        job.cancel()
                job.run()
        finally:
            if executor is not None:
                executor.kill()  # without waiting for them
        return JobEnd("cancelled" if self._cancelled else "done")

    def _note(self, row: Any) -> None:
        with self._lock:
            self._fresh.append(row)
            if len(self._fresh) == 1:
                self._worker.post(self._hear)

    # -- in the window's thread -----------------------------------------------------------------------------------

    def _hear(self) -> None:
        since = 1000.0 * (time.monotonic() - self._reported_at)
        if since >= _BETWEEN:
            self._deliver()
        elif not self._timer.isActive():
            self._timer.start(int(_BETWEEN - since) + 1)

    @Slot()
    def _deliver(self) -> None:
        with self._lock:
            told, self._fresh = tuple(self._fresh), []
        self._reported_at = time.monotonic()
        self._timer.stop()
        if told:
            self.told += len(told)
            progress = self.progress
            how_far = (self.told, self._total) if progress is None else (progress.done, progress.total)
            self._jobs.progress(self._key, *how_far)
            self.rows.emit(told)

    def _over(self, end: JobEnd) -> None:
        self._deliver()
        self.running = self.paused = False
        self._jobs.end(self._key)
        self.ended.emit(end)
        if self._next is not None:
            self.start(self._next)
