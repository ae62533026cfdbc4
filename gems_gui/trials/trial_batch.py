"""Many trials in the background of a window: their rows come in batches, in the window's own thread."""

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
    from gems_engine.experiment.harness import Standing
    from gems_engine.experiment.local import LocalWorkers

_BETWEEN = 100  # milliseconds from one batch of rows to the next: an eye wants no more
_PATIENCE = 30.0  # seconds that closing waits, at most: for what is read or written, never for a process

Told = Callable[[Any], None]


class TrialJob(Protocol):
    """What a :class:`TrialBatch` runs; a :class:`~gems_engine.experiment.harness.Harness` is one."""

    def run(self) -> object:
        """Do all of it, or as much as there is time for until :meth:`cancel`."""

    def pause(self) -> None:
        """Begin nothing new until :meth:`go_on`."""

    def go_on(self) -> None:
        """Begin again."""

    def cancel(self) -> None:
        """Let :meth:`run` return soon."""


Begin = Callable[["LocalWorkers | None", Told], AbstractContextManager[TrialJob]]
"""Makes the job, in the thread that will run it: from who runs the trials and who is told of every row."""


@dataclass(frozen=True, eq=False)
class TrialTask:
    """Trials to be run.

    Attributes
    ----------
    begin
        Makes the job; an :class:`~gems_engine.errors.InputError` of it becomes the sentence of its end.
    title
        As the list of jobs shows it.
    total
        How many trials, where the job itself does not say.
    workers
        Worker processes, by default as many as leave the window a core; 0 runs the trials in the thread itself.
    begun
        Is called when it begins: one that takes another's place begins later than it was asked for.
    at_close
        What becomes of it when the window closes, where that is to be said.
    """

    begin: Begin
    title: str
    total: int = 0
    workers: int | None = None
    begun: Callable[[], object] | None = None
    at_close: str = ""


@dataclass(frozen=True)
class JobEnd:
    """How a job ended: all of it ran, somebody cancelled it, or a sentence on why it could not go on."""

    how: Literal["done", "cancelled", "failed"]
    sentence: str = ""


def default_jobs() -> int:
    """Worker processes that leave the window, and the run that it shows, a core."""
    return max(1, cores() - 1)


class TrialBatch(QObject):
    """Runs one task at a time in a thread of its own, over worker processes that step back for everybody else.

    Replicates, sensitivity and experiments are such tasks; while one runs, it is among the jobs of the workbench. To
    use it, say how the job is made, and listen::

        def begin(executor, told):
            return nullcontext(Harness(specification, executor, told=told))

        @contextmanager
        def begin_recorded(executor, told):           # whatever must be opened and closed around it
            with Recorder(folder, specification, "two processes", resume=True) as recorder:
                yield Harness(specification, executor, recorder, told)

        trials = TrialBatch(workbench.jobs, "replicates", parent)
        trials.rows.connect(self.take)                # tuples of rows: connect bound methods of QObjects
        trials.ended.connect(self.say)                # a JobEnd, after the last row
        trials.start(TrialTask(begin, "More seeds"))  # …, pause(), go_on(), cancel()
        trials.close()                                # with the window

    The job is made, run and left in the thread, so that files and processes keep nobody waiting; its worker processes
    are there for the length of it. Cancelling kills them, whatever they are at. A worker that dies costs its trial
    another try (:func:`~gems_engine.experiment.run_trials`). Another task may start when `ended` has been heard, or
    :meth:`replace` the one that runs.

    Parameters
    ----------
    jobs, key
        Where a task is registered while it runs, and under which key.
    parent
        Its Qt parent.
    in_thread
        Run all trials in the thread itself, for tests and debugging.

    Attributes
    ----------
    rows : Signal of tuple
        What the job has told since the last time, at most ten times a second.
    changed : Signal
        It was paused, or goes on.
    ended : Signal of JobEnd
        The job is over; all its rows were said before.
    job : Job or None
        The one that runs or ran last, as soon as it is made.
    running : bool
        Whether a task has begun whose end was not said yet.
    told : int
        How many of its rows were said.
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
    def progress(self) -> Standing | None:
        """How far an experiment is; None before it is known, and for jobs that do not say it."""
        return getattr(self.job, "standing", None)

    def start(self, task: TrialTask) -> None:
        """Begin a task, where none runs."""
        if self.running:
            raise RuntimeError("a job is running: cancel it, and wait for its end")
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
        """Begin a task as soon as the one that runs is cancelled; of several that wait, the last; when closed, none."""
        if self._closed:
            return
        if self.running:
            self.cancel()
            self._next = task
        else:
            self.start(task)

    def pause(self) -> None:
        """Begin no further trial; those under way are finished, and their rows come."""
        self._set_paused(True)

    def go_on(self) -> None:
        """Begin trials again."""
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
        """End the job and kill its workers; the rows that have come are said, and then its end."""
        self._next = None
        with self._lock:
            self._cancelled = True
            if self.job is not None and self.running:
                self.job.cancel()

    def close(self) -> None:
        """Cancel, wait until no thread and no process is left, and say what is still to be said."""
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
        except Exception as error:  # whatever happens to trials, the window says so and lives on
            return JobEnd("failed", f"The trials ended: {type(error).__name__}: {error}")

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
                executor.kill()  # done or not: nobody waits for them
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
            standing = self.progress
            how_far = (self.told, self._total) if standing is None else (standing.done, standing.total)
            self._jobs.progress(self._key, *how_far)
            self.rows.emit(told)

    def _over(self, end: JobEnd) -> None:
        self._deliver()
        self.running = self.paused = False
        self._jobs.end(self._key)
        self.ended.emit(end)
        if self._next is not None:
            self.start(self._next)
