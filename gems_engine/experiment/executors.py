"""Trials over any ``concurrent.futures.Executor``: with `local` and `cluster`, the only modules that know executors."""

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
"""Trials handed to an executor and not yet back, unless it says how many it wants (`ahead`)."""
TRIES = 2
"""How often a trial is begun whose worker dies of it."""
TICK = 0.2
"""Seconds after which somebody who waits for rows looks whether he is to go on."""

Progress = Callable[[int], None]
"""Told the number of rows so far."""


class Work(Protocol):
    """What is done with a trial, here or in a worker: it must be possible to send it there."""

    def __call__(self, trial: Trial, stop: Stop | None = None) -> Row:
        """The row of a trial, which may know more than others."""


def run_trials(
    trials: Iterable[Trial],
    executor: Executor | None = None,
    progress: Progress | None = None,
    control: Control | None = None,
    work: Work = run_trial,
) -> Iterator[Row]:
    """One row per trial: in the order of the trials without an executor, else as they are done (`index` says which).

    Trials are taken from the iterable as they are needed. Closing the iterator cancels those that have not begun. A
    trial whose worker dies is begun once more; if its worker dies again, its row says so.

    Parameters
    ----------
    trials
        What to run.
    executor
        Where, or None for this process.
    progress
        Called after every row with the number of rows so far.
    control
        By which another thread may pause or cancel it.
    work
        What is done with each: by default it is run, and its row is kept.

    Raises
    ------
    Lost
        The executor is broken as a whole: nothing is known of the trials that have no row yet.
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
    tries: dict[int, int] = {}  # of those that were begun more than once
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
            # Asked one by one: some that an executor cancels are never reported as done.
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
    except (BrokenExecutor, RuntimeError) as error:  # it is broken, or somebody has shut it down
        raise Lost(f"The executor takes no more trials: {sentence(error)}.") from error


def _row_of(executor: Executor, future: Future[Row], trial: Trial, tries: dict[int, int]) -> Row | None:
    """The row of a trial that is over; None if it has to be begun again."""
    if future.cancelled():
        raise Lost("The executor dropped a trial that nobody had cancelled: its scheduler is gone.")
    error = future.exception()
    begun = tries.get(trial.index, 1)
    if error is None:
        return tried(future.result(), begun)
    if isinstance(error, Lost):
        raise error
    if isinstance(error, OSError | CancelledError):
        # Whatever a trial itself raises is in its row: this comes from those who carry it there and back.
        raise Lost(f"The executor is broken: {sentence(error)}.") from error
    if not isinstance(error, BrokenExecutor):
        return failed(trial, sentence(error), begun)  # it could not be sent, or the cluster gave it up
    to_blame: Callable[[Future[Row]], bool] | None = getattr(executor, "to_blame", None)
    if to_blame is None:
        raise Lost(f"The executor is broken: {sentence(error)}.") from error
    if not to_blame(future):
        return None
    if begun == TRIES:
        return failed(trial, f"The worker process died of it, {TRIES} times.", begun)
    tries[trial.index] = begun + 1
    return None
