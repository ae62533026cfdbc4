"""Worker processes on this machine, each with one BLAS thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any
from weakref import WeakKeyDictionary

from gems_engine.experiment.control import Lost
from gems_engine.processes import begin_worker, die_with_parent, main_hidden, step_back

_DEEP = 2
"""Trials submitted to one worker: the current one and the next, so that it never waits."""


class _Spawning(SpawnContext):
    """Spawns, never forks: a fork would copy locks, including Qt's. Stores its process so that it can be ended."""

    process: SpawnProcess | None = None

    def Process(self, *arguments: Any, **named: Any) -> SpawnProcess:  # type: ignore[override]
        self.process = SpawnProcess(*arguments, **named)
        return self.process


class _Worker:
    """One process, started with its first work, and the work submitted to it in order."""

    def __init__(self, back: bool) -> None:
        self._context = _Spawning()
        self._up, self._says = self._context.Pipe(duplex=False)
        self._came_up = False
        self.pool = ProcessPoolExecutor(1, self._context, initializer=_begin, initargs=(back, self._says))
        self.handed: list[Future[Any]] = []

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.handed = [each for each in self.handed if not each.done() or _broken(each)]
        if self._says.closed:
            future = self.pool.submit(work, *arguments, **named)
        else:
            with main_hidden():
                future = self.pool.submit(work, *arguments, **named)  # which starts it
            self._says.close()  # the process has its own end of the pipe, which closes with it
        self.handed.append(future)
        return future

    @property
    def waiting(self) -> int:
        return sum(not each.done() for each in self.handed)

    def came_up(self, patience: float | None = 0.0) -> bool:
        """Whether its process has started; waits at most ``patience`` seconds, None for no limit."""
        if not self._came_up and not self._up.closed and self._up.poll(patience):
            with contextlib.suppress(EOFError):
                self._up.recv()
                self._came_up = True
        return self._came_up

    @property
    def pid(self) -> int | None:
        """The id of its process, which may still be starting; None if there is none yet."""
        return None if self._context.process is None else self._context.process.pid

    def kill(self) -> None:
        """End the process immediately, even if it is still starting."""
        if self._context.process is not None:
            self._context.process.kill()
        self._up.close()
        self._says.close()


class LocalWorkers(Executor):
    """Worker processes, each in its own pool: one that dies does not affect the others and is replaced.

    They do not import the program's main module, so work must be defined in another module.

    Parameters
    ----------
    jobs : int
        The number of processes.
    step_back : bool
        Whether they run at a lower priority.
    """

    def __init__(self, jobs: int, step_back: bool = False) -> None:
        self.ahead = _DEEP * jobs
        self._step_back = step_back
        self._workers = [_Worker(step_back) for _ in range(jobs)]
        self._of: WeakKeyDictionary[Future[Any], _Worker] = WeakKeyDictionary()

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit work to the worker with the least of it."""
        place = min(range(len(self._workers)), key=lambda each: self._workers[each].waiting)
        try:
            future = self._workers[place].submit(work, *arguments, **named)
        except BrokenProcessPool:
            _require_started(self._workers[place])
            self._workers[place] = _Worker(self._step_back)
            future = self._workers[place].submit(work, *arguments, **named)
        self._of[future] = self._workers[place]
        return future

    def to_blame(self, future: Future[Any]) -> bool:
        """Whether its worker died while running this work, not while it was waiting."""
        worker = self._of[future]
        _require_started(worker)
        return future is next(each for each in worker.handed if _broken(each))

    def pids(self) -> list[int]:
        """The ids of the started processes."""
        return [worker.pid for worker in self._workers if worker.pid is not None and worker.came_up(None)]

    def kill(self) -> None:
        """End all processes immediately."""
        for worker in self._workers:
            worker.kill()
        self.shutdown()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes when they are done."""
        for worker in self._workers:
            worker.pool.shutdown(wait, cancel_futures=cancel_futures)


def _broken(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and isinstance(future.exception(), BrokenProcessPool)


def _require_started(worker: _Worker) -> None:
    """Raise Lost if a worker never started, which would use up the tries of every trial."""
    if not worker.came_up():
        raise Lost("The worker processes do not start.")


_for_good = ExitStack()


def _begin(back: bool, says: Connection) -> None:
    """Start a worker, and report that it has started."""
    begin_worker()
    if back:
        step_back()
    die_with_parent()
    from gems_engine.blas import one_blas_thread  # imports numpy, so it must come after begin_worker

    _for_good.enter_context(one_blas_thread())
    says.send(None)
    says.close()


def local_executor(jobs: int, step_back: bool = False) -> LocalWorkers:
    """Worker processes on this machine, at a lower priority if ``step_back`` is set.

    Parameters
    ----------
    jobs : int
        The number of processes.
    step_back : bool
        Whether they have a lower priority.

    Returns
    -------
    LocalWorkers
        An executor for :func:`run_trials` and :func:`run_experiment`; use it as a context manager.
    """
    return LocalWorkers(jobs, step_back)
