"""The current experiment without widgets: its trials, its rows, and a summary of the results so far."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gems_engine.experiment.theory import bounds_of_cell
from gems_gui.background.queries import Queries
from gems_gui.background.worker_thread import WorkerThread
from gems_gui.experiments.job import reading, running
from gems_gui.experiments.trial_store import TrialStore
from gems_gui.trials.trial_batch import JobEnd, TrialBatch, TrialTask, default_jobs
from gems_gui.workbench.jobs import Jobs
from gems_gui.workbench.ports import Answer

if TYPE_CHECKING:
    from gems_engine.experiment.harness import Progress
    from gems_engine.experiment.measures import Measures, Summary
    from gems_engine.experiment.specification import Specification
    from gems_engine.experiment.theory import CellBound
    from gems_engine.experiment.trials import Row

_PACE = 0.4  # minimum seconds between two summaries
_SHARE = 5.0  # and at least this many times what the last took: sorting 100 000 rows takes a third of a second
_BOUNDS = "experiment bounds"
_ENDS = "A running experiment also stops. Its finished trials are kept, and it can be continued."


class Summariser(QObject):
    """Summarises rows in its own thread, because summarising many rows would block the window."""

    made = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._measures: Measures | None = None
        self._worker = WorkerThread("gems summary", self)

    def ask(self, measures: Measures) -> None:
        """Request a summary of the measures, as they are now or a little later."""
        self._measures = measures
        self._worker.do(partial(self._summary, measures), partial(self._publish, measures), key="summary")

    @property
    def idle(self) -> bool:
        """Whether no summary is requested."""
        return not self._worker.busy

    def close(self) -> None:
        """Emit nothing more, and end the thread."""
        self._measures = None
        self._worker.close(drop=True)

    def _summary(self, measures: Measures) -> Summary:
        began = time.monotonic()
        summary = measures.summary()
        self._worker.rest(max(_PACE, _SHARE * (time.monotonic() - began)))
        return summary

    def _publish(self, measures: Measures, summary: Summary) -> None:
        if measures is self._measures:
            self.made.emit(summary)


class LiveSummary(QObject):
    """One experiment at a time, which continues even if the window shows something else.

    Parameters
    ----------
    queries
        A worker for the bounds of the theory.
    jobs
        The list in which the experiment is registered while it runs.
    in_thread
        Run trials in the thread itself, for tests and debugging.

    Attributes
    ----------
    specification, folder
        Those of the experiment; None and empty before the first one.
    store
        The rows of the experiment.
    summary, bounds
        The results so far, and the bounds of the theorems, as far as they are computed.
    """

    changed = Signal()
    """The experiment has started, was paused or resumed, or has ended."""
    started = Signal()
    """Another experiment is current: rows and summary are new."""
    rows_added = Signal()
    """There are more rows."""
    summary_changed = Signal()
    """There is a new summary, or there are new bounds."""
    ended = Signal(object)
    """A `JobEnd`."""

    def __init__(self, queries: Queries, jobs: Jobs, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self._queries = queries
        self._in_thread = in_thread
        self.trials = TrialBatch(jobs, "experiment", self, in_thread=in_thread)
        self.summariser = Summariser(self)
        self.specification: Specification | None = None
        self.folder = ""
        self.reading = False
        self.store: TrialStore | None = None
        self.summary: Summary | None = None
        self.bounds: dict[int, tuple[CellBound, ...]] = {}
        self.trials.rows.connect(self._take)
        self.trials.changed.connect(self.changed)
        self.trials.ended.connect(self._on_ended)
        self.summariser.made.connect(self._on_summarised)
        queries.answered.connect(self._on_answer)

    # -- requests -----------------------------------------------------------------------------------------------

    def start(self, specification: Specification, folder: str, jobs: int | None = None) -> None:
        """Run the missing trials of an experiment in a folder."""
        count = 0 if self._in_thread else min(jobs or default_jobs(), len(specification))
        words = "this process" if not count else "one process" if count == 1 else f"{count} processes"
        self._start(specification, folder, reads=False)
        begin, title = running(specification, Path(folder), words), f"The experiment {specification.name}"
        self.trials.start(TrialTask(begin, title, workers=count, begun=self.changed.emit, at_close=_ENDS))

    def read(self, specification: Specification, folder: str) -> None:
        """Show the results in a folder, and run nothing."""
        self._start(specification, folder, reads=True)
        title = f"Results of {specification.name}"
        self.trials.start(TrialTask(reading(Path(folder)), title, workers=0, begun=self.changed.emit))

    def _start(self, specification: Specification, folder: str, reads: bool) -> None:
        before = self.specification  # another seed makes other instances if each trial has its own
        same = before is not None and (before.digest, before.seed) == (specification.digest, specification.seed)
        self.specification, self.folder, self.reading = specification, folder, reads
        self.store = TrialStore(specification)
        self.summary = None
        if not same:
            self.bounds = {}
        self.started.emit()
        self._ask_bounds()

    def pause(self, on: bool) -> None:
        """Pause or resume starting trials."""
        (self.trials.pause if on else self.trials.go_on)()

    def cancel(self) -> None:
        """Cancel; keep the finished trials."""
        self.trials.cancel()

    def close(self) -> None:
        """Cancel, keep the finished trials, and end all threads and processes, as the window closes."""
        self._queries.cancel(_BOUNDS)
        self.trials.close()
        self.summariser.close()

    # -- state --------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether trials are running, or a folder is being read."""
        return self.trials.running

    @property
    def paused(self) -> bool:
        """Whether the experiment is paused."""
        return self.trials.paused

    @property
    def progress(self) -> Progress | None:
        """The progress; None before it is known."""
        return self.trials.progress

    # -- results ------------------------------------------------------------------------------------------------

    def _take(self, rows: tuple[Row, ...]) -> None:
        assert self.store is not None
        self.store.extend(rows)
        self._summarise()
        self.rows_added.emit()

    def _summarise(self) -> None:
        measures = getattr(self.trials.job, "measures", None)
        if measures is not None:
            self.summariser.ask(measures)

    def _on_summarised(self, summary: Summary) -> None:
        self.summary = summary
        self.summary_changed.emit()

    def _on_ended(self, end: JobEnd) -> None:
        self._summarise()
        self.changed.emit()
        self.ended.emit(end)

    # -- bounds -------------------------------------------------------------------------------------------------

    def _ask_bounds(self) -> None:
        """Ask for the bounds of the next cell: one at a time, so that a plot does not wait for all of them."""
        said = self.specification
        missing = () if said is None else (each.index for each in said.cells if each.index not in self.bounds)
        index = next(iter(missing), None)
        if index is not None and said is not None:
            key = ("cell bounds", said.digest, said.seed, index)
            self._queries.ask(_BOUNDS, bounds_of_cell, said, index, cache_key=key)

    def _on_answer(self, answer: Answer) -> None:
        if answer.key != _BOUNDS or self.specification is None:
            return
        index = next(each.index for each in self.specification.cells if each.index not in self.bounds)
        self.bounds[index] = () if answer.error else answer.value
        if len(self.bounds) == len(self.specification.cells):
            if self.summary is not None:
                self.summary_changed.emit()
        else:
            self._ask_bounds()
