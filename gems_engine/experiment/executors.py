"""Run trials on any ``concurrent.futures.Executor``; only this module, `local` and `cluster` depend on executors."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import closing
from typing import Protocol

from gems_engine.errors import Cancelled
from gems_engine.experiment.control import Control, Lost
from gems_engine.experiment.trials import Row, Stop, Trial, failed, run_trial, sentence, tried

AHEAD = 256
"""The number of trials submitted at a time, unless the executor defines `ahead`."""
TRIES = 2
"""How often a trial is started if its worker dies."""
TICK = 0.2
"""Seconds between two checks for a pause or cancellation while waiting for rows."""

Progress = Callable[[int], None]
"""Called with the number of rows so far."""


class Work(Protocol):
    """The work for a trial, here or in a worker; it must be picklable."""

    def __call__(self, trial: Trial, stop: Stop | None = None) -> Row:
        """The row of a trial, possibly of a subclass."""


def run_trials(
    trials: Iterable[Trial],
    executor: Executor | None = None,
    progress: Progress | None = None,
    control: Control | None = None,
    work: Work = run_trial,
) -> Iterator[Row]:
    """One row per trial: in order without an executor, else in the order of completion (see `index`).

    Trials are taken from the iterable as they are needed. Closing the iterator cancels those that have not started. A
    trial whose worker dies is started once more; if its worker dies again, its row has an error.

    Parameters
    ----------
    trials
        The trials.
    executor
        The executor, or None for this process.
    progress
        Called after every row with the number of rows so far.
    control
        Lets another thread pause or cancel it.
    work
        The work for each trial; by default it is run, and its row is returned.

    Returns
    -------
    iterator of Row
        A row for each trial.

    Raises
    ------
    Lost
        If the executor is broken: the state of trials without a row is unknown.
    """
    control = control or Control()
    every = iter(trials)
    rows = _here(every, control, work) if executor is None else _rows_of(executor, every, control, work)
    with closing(rows):
        for done, row in enumerate(rows, start=1):
            if progress is not None:
                progress(done)
            yield row


def _here(trials: Iterator[Trial], control: Control, work: Work) -> Generator[Row, None, None]:
    """The rows of trials that are run in this process, one after the other."""
    while True:
        control.wait_while_paused()
        trial = None if control.cancelled else next(trials, None)
        if trial is None:
            return
        try:
            row = work(trial, lambda: control.cancelled)
        except Cancelled:
            return
        yield row


def _rows_of(executor: Executor, trials: Iterator[Trial], control: Control, work: Work) -> Generator[Row, None, None]:
    """The rows of trials that an executor runs."""
    pending: dict[Future[Row], Trial] = {}
    again: deque[Trial] = deque()
    tries: dict[int, int] = {}  # of trials started more than once
    try:
        while not control.cancelled:
            while not control.paused and len(pending) < getattr(executor, "ahead", AHEAD):
                trial = again.popleft() if again else next(trials, None)
                if trial is None:
                    break
                pending[_submitted(executor, work, trial)] = trial
            if not pending:
                if not control.paused:
                    return
                control.wait_while_paused()
                continue
            wait(pending, timeout=TICK, return_when=FIRST_COMPLETED)
            # Checked one by one: some futures that an executor cancels are never reported as done.
            for future in [each for each in pending if each.done()]:
                trial = pending.pop(future)
                row = _row_of(executor, future, trial, tries)
                if row is None:
                    again.append(trial)
                else:
                    yield row
    finally:
        for future in pending:
            future.cancel()


def _submitted(executor: Executor, work: Work, trial: Trial) -> Future[Row]:
    try:
        return executor.submit(work, trial)
    except (BrokenExecutor, RuntimeError) as error:  # it is broken or was shut down
        raise Lost(f"The executor accepts no more trials: {sentence(error)}.") from error


def _row_of(executor: Executor, future: Future[Row], trial: Trial, tries: dict[int, int]) -> Row | None:
    """The row of a finished trial; None if it must be started again."""
    if future.cancelled():
        raise Lost("The executor dropped a trial that was not cancelled: its scheduler is lost.")
    error = future.exception()
    begun = tries.get(trial.index, 1)
    if error is None:
        return tried(future.result(), begun)
    if isinstance(error, Lost):
        raise error
    if isinstance(error, OSError | CancelledError):
        # Exceptions of the trial itself are in its row: this one comes from the transport.
        raise Lost(f"The executor is broken: {sentence(error)}.") from error
    if not isinstance(error, BrokenExecutor):
        return failed(trial, sentence(error), begun)  # it could not be sent, or the cluster dropped it
    to_blame: Callable[[Future[Row]], bool] | None = getattr(executor, "to_blame", None)
    if to_blame is None:
        raise Lost(f"The executor is broken: {sentence(error)}.") from error
    if not to_blame(future):
        return None
    if begun == TRIES:
        return failed(trial, f"The worker process died {TRIES} times while running this trial.", begun)
    tries[trial.index] = begun + 1
    return None
