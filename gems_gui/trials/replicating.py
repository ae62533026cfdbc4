"""Replicates of runs, computed in the background: started, continued, searched for a failing seed, cancelled."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from gems_engine.errors import InputError
from gems_engine.experiment.following import most_samples
from gems_engine.experiment.replicates import WRONG, Replicates, Replication, Source, fails
from gems_engine.terminal import plural
from gems_gui.drafts.run_request import RunRequest
from gems_gui.series.replicate_text import stopped_text
from gems_gui.trials.trial_batch import Begin, JobEnd, Told, TrialBatch, TrialTask
from gems_gui.workbench.changes import Field
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench

if TYPE_CHECKING:
    from gems_engine.experiment.local import LocalWorkers
    from gems_engine.experiment.trials import Row

SEEDS = 100
"""The default number of replicates."""
TRIES = 10_000
"""The default for the most seeds that a search tries."""

_NO_RUN = "No run yet. Run an algorithm first; replicates are more seeds of the current run."
_OUTSIDE = "The rewards of this run are external, so it has no other seeds."
_BRANCH = "This run is a branch, which starts with the seed of another run. Replicate that run instead."
_ENOUGH = "All these seeds have been run. Enter a larger number."


@dataclass(frozen=True, eq=False)
class Task:
    """A task in the background: replicates of a run, or a search among them."""

    run: RunSession
    search: str = ""
    """What to search for; empty if the task is not a search."""
    last: int = 0
    """The number of the last replicate that a search tries."""


class Replicating(QObject):
    """One task at a time; a new task replaces the old one, whose rows are kept.

    The current run with its trace, cursor and engine is not affected: trials run in their own processes.

    Attributes
    ----------
    task : Task or None
        The current task.
    message : str
        How the last task ended, in a sentence, or empty.
    message_run : RunSession or None
        Whose task that was.
    """

    changed = Signal()
    """There are new results, or a task has started or ended."""
    trials_added = Signal(object)
    """The run whose replicates have grown."""
    found = Signal(object, object)
    """A search was successful: the run, and the row of the failing trial with the smallest number."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._batch = TrialBatch(workbench.jobs, "replicates", self, in_thread=in_thread)
        self._batch.rows.connect(self._take)
        self._batch.ended.connect(self._on_ended)
        self._failing: list[Row] = []
        self._searched: WeakKeyDictionary[RunSession, dict[str, int]] = WeakKeyDictionary()
        self.task: Task | None = None
        self.message = ""
        self.message_run: RunSession | None = None
        workbench.subscribe(self._on_runs_changed, Field.RUNS)

    # -- requests -------------------------------------------------------------------------------------------------

    @staticmethod
    def refusal(run: RunSession | None) -> str:
        """Why a run cannot be replicated, in one sentence, or empty."""
        if run is None or run.request is None:
            return _NO_RUN
        if run.trace.started is not None and run.trace.started.rewards:
            return _OUTSIDE
        forced = run.trace.started is not None and run.trace.started.forced
        return _BRANCH if forced or run.request.branch is not None else run.request.refusal

    def further(self, run: RunSession | None) -> str:
        """One sentence if the trials take more samples than the run did; empty if not, or not known yet."""
        asked = None if run is None else run.settled_request
        if run is None or asked is None or self.refusal(run) or asked.refusal:
            return ""
        cap = most_samples(asked.algorithm, asked.parameters)
        drawn = int(run.playback.history.clock.samples.max(initial=0))
        return stopped_text(self._workbench.state_of(run), drawn, cap)

    def replicate(self, run: RunSession | None, count: int) -> None:
        """Run the missing ones of this many replicates; raises an InputError if the run cannot be replicated."""
        replicates = self._replicates_of(run)
        assert run is not None
        missing = sorted(set(range(1, count + 1)) - set(replicates.numbers.tolist()))
        if not missing:
            raise InputError(_ENOUGH)
        replicates.wanted = max(count, len(replicates))
        self._begin(Task(run), _job(replicates.source, missing), len(missing))

    def find(self, run: RunSession | None, how: str, tries: int = TRIES) -> None:
        """Search for the first failing seed, first among the known replicates."""
        replicates = self._replicates_of(run)
        assert run is not None
        if how == WRONG and replicates.failing:
            self.found.emit(run, replicates.failing[0])
            return
        searched = self._searched.setdefault(run, {}).get(how, 0)
        known = set(replicates.numbers.tolist()) if how == WRONG else set()
        first = searched + 1
        while first in known:
            first += 1
        numbers = range(first, first + tries)
        self._begin(Task(run, how, numbers[-1]), _job(replicates.source, numbers, lambda row: fails(row, how)), tries)

    def _replicates_of(self, run: RunSession | None) -> Replicates:
        if sentence := self.refusal(run):
            raise InputError(sentence)
        assert run is not None
        asked = run.settled_request
        assert asked is not None
        if run.replicates is None:
            source = Source(asked.instance, asked.algorithm, asked.seed, asked.parameters)
            self._workbench.set_replicates(run, Replicates(source))
        assert run.replicates is not None
        return run.replicates

    @staticmethod
    def request_of(run: RunSession, seed: int) -> RunRequest:
        """The request that makes the run of a replicate."""
        asked = run.settled_request
        assert asked is not None
        return RunRequest(asked.instance, asked.algorithm, seed, asked.parameters)

    # -- the background -------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether a task is running."""
        return self.task is not None

    @property
    def tried(self) -> int:
        """The number of seeds that the search has tried."""
        return self._batch.told

    def _begin(self, task: Task, begin: Begin, count: int) -> None:
        title = f"Failing seeds of {task.run.name}" if task.search else f"More seeds of {task.run.name}"
        self._batch.replace(TrialTask(begin, title, count, begun=partial(self._on_started, task)))

    def _on_started(self, task: Task) -> None:
        self.task, self.message, self._failing = task, "", []
        self.changed.emit()

    def cancel(self) -> None:
        """Cancel immediately; keep the finished trials."""
        self._batch.cancel()

    def close(self) -> None:
        """Cancel the task, and wait for it to end."""
        self._batch.close()

    def _take(self, rows: tuple[Row, ...]) -> None:
        task = self.task
        if task is None:
            return
        if task.search:
            self._failing += [row for row in rows if fails(row, task.search)]
            self.changed.emit()
            return
        assert task.run.replicates is not None
        for row in rows:
            task.run.replicates.add(row)
        self.trials_added.emit(task.run)
        self.changed.emit()

    def _on_ended(self, end: JobEnd) -> None:
        task, self.task = self.task, None
        assert task is not None
        self.message, self.message_run = end.sentence, task.run
        if task.search:
            self._search_ended(task, end)
        elif task.run.replicates is not None:
            task.run.replicates.wanted = len(task.run.replicates)
            self.trials_added.emit(task.run)
        self.changed.emit()

    def _search_ended(self, task: Task, end: JobEnd) -> None:
        if self._failing:
            self.found.emit(task.run, min(self._failing, key=lambda row: row.index))
        elif end.how == "done":
            self._searched.setdefault(task.run, {})[task.search] = task.last
            self.message = f"None of {plural(self.tried, 'more seed')} fails."

    def _on_runs_changed(self, *_: object) -> None:
        """Cancel the replicates of a run that was removed."""
        if self.task is not None and self.task.run not in self._workbench.runs:
            self.cancel()


def _job(source: Source, numbers: Iterable[int], until: object = None) -> Begin:
    """The function that makes the job, in the thread that runs it."""

    def begin(executor: LocalWorkers | None, told: Told) -> nullcontext[Replication]:
        return nullcontext(Replication(source, numbers, executor, told, until))  # type: ignore[arg-type]

    return begin
