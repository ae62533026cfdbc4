"""A running experiment: its progress, and methods to pause, resume and cancel it from any thread.

A harness starts no threads or processes. The caller runs :meth:`Harness.run`, in a thread if needed, is called back
with every row, and can read the progress and the summary at any time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass

from gems_engine.experiment.control import Controlled
from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.folder import Recorder
from gems_engine.experiment.measures import Measures, Summary
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.trials import Row

Told = Callable[[Row], None]
"""Called with every new row, in the thread that runs."""


@dataclass(frozen=True)
class Progress:
    """The progress of an experiment.

    Attributes
    ----------
    done, total
        The number of trials with a row, and of all trials.
    before
        The number of those done before this session.
    failed
        Trials that ended in an error.
    elapsed
        Seconds of this session, without its pauses.
    remaining
        Estimated seconds to the end; None if nothing is known yet.
    """

    done: int
    total: int
    before: int
    failed: int
    elapsed: float
    remaining: float | None

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.done == self.total


class Harness(Controlled):
    """Runs the missing trials of an experiment.

    Parameters
    ----------
    specification
        The specification, with the requested trials and seed.
    executor
        Runs the trials; None for this process. The caller owns it: a cancelled harness drops its trials, but does not
        kill their workers.
    recorder
        Saves the rows, and knows the earlier ones; without it, rows are only in the summary.
    told
        Called with every new row.
    """

    def __init__(
        self,
        specification: Specification,
        executor: Executor | None = None,
        recorder: Recorder | None = None,
        told: Told | None = None,
    ) -> None:
        super().__init__()
        self.specification = specification
        self.measures = recorder.measures if recorder is not None else Measures(specification)
        self.told = told
        self._executor, self._recorder = executor, recorder
        self._done = recorder.done if recorder is not None else bytearray(len(specification))
        self._before = sum(self._done)
        self._new = 0
        self._started: float | None = None
        self._ended: float | None = None

    def run(self) -> Progress:
        """Run the missing trials until all are done or it is cancelled; finished rows are always saved."""
        self._started = time.monotonic()
        try:
            trials = self.specification.missing(self._done)
            rows = run_trials(trials, self._executor, control=self.control)
            with closing(rows):  # type: ignore[type-var]
                for row in rows:
                    self._take(row)
        finally:
            self._ended = time.monotonic()
        return self.progress

    def _take(self, row: Row) -> None:
        if self._recorder is not None:
            self._recorder.add(row)
        else:
            self._done[row.index] = 1
            self.measures.add(row)
        self._new += 1
        if self.told is not None:
            self.told(row)

    @property
    def progress(self) -> Progress:
        """Its progress."""
        total, done = len(self.specification), self._before + self._new
        elapsed = 0.0
        if self._started is not None:
            elapsed = max(0.0, (self._ended or time.monotonic()) - self._started - self.control.rested)
        left = elapsed * (total - done) / self._new if self._new else None
        return Progress(done, total, self._before, self.measures.failed, elapsed, 0.0 if done == total else left)

    def summary(self) -> Summary:
        """The results so far."""
        return self.measures.summary()
