"""An experiment under way: what is done and what is left, live; pause, go on, cancel, from any thread.

A harness starts no thread and no process. Whoever has one calls :meth:`Harness.run`, in a thread of his own if he has
other things to do, is told of every row, and looks at the standing and the summary when he likes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass

from gems_engine.experiment.control import Control
from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.folder import Recorder
from gems_engine.experiment.measures import Measures, Summary
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.trials import Row

Told = Callable[[Row], None]
"""Called with every new row, in the thread that runs."""


@dataclass(frozen=True)
class Standing:
    """How far an experiment is.

    Attributes
    ----------
    done, total
        Trials with a row, of those that are wanted.
    before
        Of these, done before this session.
    failed
        Trials that ended in an error.
    elapsed
        Seconds of this session, without its pauses.
    left
        About how many more it will take; None while nothing is known.
    """

    done: int
    total: int
    before: int
    failed: int
    elapsed: float
    left: float | None

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.done == self.total


class Harness:
    """Runs the trials of an experiment that are missing.

    Parameters
    ----------
    specification
        With the trials and the seed that are wanted.
    executor
        Where the trials run; None for this process. It stays the caller's: a cancelled harness has dropped its
        trials, and whether their workers are to be killed he decides.
    recorder
        Keeps the rows, and knows which were there before; without one they are in the summary only.
    told
        Hears of every new row.
    """

    def __init__(
        self,
        specification: Specification,
        executor: Executor | None = None,
        recorder: Recorder | None = None,
        told: Told | None = None,
    ) -> None:
        self.specification = specification
        self.control = Control()
        self.measures = recorder.measures if recorder is not None else Measures(specification)
        self.told = told
        self._executor, self._recorder = executor, recorder
        self._done = recorder.done if recorder is not None else bytearray(len(specification))
        self._before = sum(self._done)
        self._new = 0
        self._started: float | None = None
        self._ended: float | None = None

    def run(self) -> Standing:
        """Run what is missing until all is done or it is cancelled; the rows that came are kept, whatever happens."""
        self._started = time.monotonic()
        try:
            trials = self.specification.missing(self._done)
            rows = run_trials(trials, self._executor, control=self.control)
            with closing(rows):  # type: ignore[type-var]
                for row in rows:
                    self._take(row)
        finally:
            self._ended = time.monotonic()
        return self.standing

    def _take(self, row: Row) -> None:
        if self._recorder is not None:
            self._recorder.add(row)
        else:
            self._done[row.index] = 1
            self.measures.add(row)
        self._new += 1
        if self.told is not None:
            self.told(row)

    def pause(self) -> None:
        """Begin no further trial until :meth:`go_on`."""
        self.control.pause()

    def go_on(self) -> None:
        """Begin trials again."""
        self.control.go_on()

    def cancel(self) -> None:
        """End it; what is done is kept, and another harness goes on with it."""
        self.control.cancel()

    @property
    def standing(self) -> Standing:
        """How far it is."""
        total, done = len(self.specification), self._before + self._new
        elapsed = 0.0
        if self._started is not None:
            elapsed = max(0.0, (self._ended or time.monotonic()) - self._started - self.control.rested)
        left = elapsed * (total - done) / self._new if self._new else None
        return Standing(done, total, self._before, self.measures.failed, elapsed, 0.0 if done == total else left)

    def summary(self) -> Summary:
        """What is known so far."""
        return self.measures.summary()
