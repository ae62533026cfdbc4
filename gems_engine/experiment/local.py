"""Worker processes of this machine, each with one BLAS thread."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary

from gems_engine.experiment.control import Lost
from gems_engine.processes import begin_worker, die_with_parent, main_hidden, step_back

_DEEP = 2
"""Trials that one worker has: the one it runs, and the next, so that it never waits for us."""


class _Worker:
    """One process, and what it was handed in the order in which it will run it."""

    def __init__(self, back: bool) -> None:
        # Spawned, never forked: a fork would copy locks, and Qt's among them.
        self.pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(back,))
        with main_hidden():
            self.pid = self.pool.submit(os.getpid)  # which also starts it
        self.handed: list[Future[Any]] = []

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.handed = [each for each in self.handed if not each.done() or _broken(each)]
        future = self.pool.submit(work, *arguments, **named)
        self.handed.append(future)
        return future

    @property
    def waiting(self) -> int:
        return sum(not each.done() for each in self.handed)

    def kill(self) -> None:
        """End the process, whatever it runs."""
        with contextlib.suppress(BrokenProcessPool, OSError):  # it is dead already
            os.kill(self.pid.result(), getattr(signal, "SIGKILL", signal.SIGTERM))


class LocalWorkers(Executor):
    """So many processes, each a pool of its own: one that dies takes nobody with it, and another takes its place.

    They do not import the program's main module, so that work has to come from another one.

    Parameters
    ----------
    jobs : int
        How many.
    step_back : bool
        Whether they let everybody else on this machine go first.
    """

    def __init__(self, jobs: int, step_back: bool = False) -> None:
        self.ahead = _DEEP * jobs
        self._step_back = step_back
        self._workers = [_Worker(step_back) for _ in range(jobs)]
        self._of: WeakKeyDictionary[Future[Any], _Worker] = WeakKeyDictionary()

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Hand work to the worker that has the least."""
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
        """Whether this work is what its worker died of, and not what waited behind it."""
        worker = self._of[future]
        _require_started(worker)
        return future is next(each for each in worker.handed if _broken(each))

    def pids(self) -> list[int]:
        """Of the processes."""
        return [worker.pid.result() for worker in self._workers]

    def kill(self) -> None:
        """End all processes, whatever they run."""
        for worker in self._workers:
            worker.kill()
        self.shutdown()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End them when they are done."""
        for worker in self._workers:
            worker.pool.shutdown(wait, cancel_futures=cancel_futures)


def _broken(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and isinstance(future.exception(), BrokenProcessPool)


def _require_started(worker: _Worker) -> None:
    """A worker that never came up would cost every trial its tries."""
    if _broken(worker.pid):
        raise Lost("The worker processes do not start.")


_for_good = ExitStack()


def _begin(back: bool) -> None:
    """Where a worker begins."""
    begin_worker()
    if back:
        step_back()
    die_with_parent()
    from gems_engine.blas import one_blas_thread  # brings numpy, which must find what begin_worker says

    _for_good.enter_context(one_blas_thread())


def local_executor(jobs: int, step_back: bool = False) -> LocalWorkers:
    """So many worker processes of this machine, at a lower priority if they are to step back."""
    return LocalWorkers(jobs, step_back)
