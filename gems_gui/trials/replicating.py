"""Replicates of a window's runs, in the background: asked for, continued, searched for a seed that fails, cancelled."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from gems_engine.errors import InputError
from gems_engine.terminal import number
from gems_gui.drafts.run_request import RunRequest
from gems_gui.runs.workspace import RunSession, Workspace
from gems_gui.series.replicate_words import stopped_words
from gems_gui.trials.trials_thread import Begin, JobEnd, Told, TrialsThread

if TYPE_CHECKING:
    from gems_engine.experiment.local import LocalWorkers
    from gems_engine.experiment.replicates import Replicates, Replication, Source
    from gems_engine.experiment.trials import Row

SEEDS = 100
"""How many replicates are proposed."""
TRIES = 10_000
"""How many seeds a search looks at, at most."""

_NO_RUN = "Run something first: replicates are more seeds of the run that is shown."
_OUTSIDE = "The rewards of this run came from outside: no seed makes others."
_BRANCH = "This run is a branch, whose beginning has the seed of another run: replicate that one instead."
_ENOUGH = "These seeds are there already: ask for more of them."


@dataclass(frozen=True, eq=False)
class Task:
    """What runs in the background: replicates of a run, or a search among them."""

    run: RunSession
    begin: Begin
    search: str = ""
    """What a search looks for; empty: no search."""
    last: int = 0
    """The number of the last replicate that a search looks at."""


class Replicating(QObject):
    """One task at a time; a new one takes the place of the old, whose rows are kept.

    The run that is shown, its trace, cursor and engine, are not touched by any of it: trials have their own processes.

    Attributes
    ----------
    task : Task or None
        What runs now.
    tried : int
        Of a search, how many seeds it has looked at.
    said : str
        How the last task ended, in a sentence, if there is anything to say.
    said_of : RunSession or None
        Whose task that was.
    """

    changed = Signal()
    """More is known, or something has begun or ended."""
    grown = Signal(object)
    """The run of which another replicate has ended."""
    found = Signal(object, object)
    """A search has found something: the run, and the row of the failing trial with the smallest number."""

    def __init__(self, workspace: Workspace, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self._workspace, self._in_thread = workspace, in_thread
        self._thread: TrialsThread | None = None
        self._next: Task | None = None
        self._failing: list[Row] = []
        self._searched: WeakKeyDictionary[RunSession, dict[str, int]] = WeakKeyDictionary()
        self._closed = False
        self.task: Task | None = None
        self.tried = 0
        self.said = ""
        self.said_of: RunSession | None = None
        workspace.runs_changed.connect(self._runs_changed)

    # -- what may be asked ----------------------------------------------------------------------------------------

    @staticmethod
    def refusal(run: RunSession | None) -> str:
        """Why there are no replicates of a run, one sentence; empty: there may be."""
        if run is None or run.request is None:
            return _NO_RUN
        if run.trace.started is not None and run.trace.started.rewards:
            return _OUTSIDE
        forced = run.trace.started is not None and run.trace.started.forced
        return _BRANCH if forced or run.request.branch is not None else ""

    def further(self, run: RunSession | None) -> str:
        """That the trials go further than the run did, one sentence; empty: they do not, or nobody knows yet."""
        asked = None if run is None else run.settled_request
        if run is None or asked is None or self.refusal(run):
            return ""
        from gems_engine.experiment.following import most_samples

        cap = most_samples(asked.algorithm, asked.parameters)
        drawn = int(run.playback.history.clock.samples.max(initial=0))
        return stopped_words(self._workspace.state_of(run), drawn, cap)

    def replicate(self, run: RunSession | None, count: int) -> None:
        """Have so many replicates of a run: what is missing of them is run. An InputError where that makes no sense."""
        replicates = self._replicates_of(run)
        assert run is not None
        missing = sorted(set(range(1, count + 1)) - set(replicates.numbers.tolist()))
        if not missing:
            raise InputError(_ENOUGH)
        replicates.wanted = max(count, len(replicates))
        self._begin(Task(run, _job(replicates.source, missing)))

    def find(self, run: RunSession | None, how: str, tries: int = TRIES) -> None:
        """Look for the first seed that fails, among the replicates that are there and then further on."""
        from gems_engine.experiment.replicates import WRONG, fails

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
        self._begin(Task(run, _job(replicates.source, numbers, lambda row: fails(row, how)), how, numbers[-1]))

    def _replicates_of(self, run: RunSession | None) -> Replicates:
        from gems_engine.experiment.replicates import Replicates, Source

        if sentence := self.refusal(run):
            raise InputError(sentence)
        assert run is not None
        asked = run.settled_request
        assert asked is not None
        if run.replicates is None:
            source = Source(asked.instance, asked.algorithm, asked.seed, asked.parameters)
            self._workspace.set_replicates(run, Replicates(source))
        assert run.replicates is not None
        return run.replicates

    @staticmethod
    def request_of(run: RunSession, seed: int) -> RunRequest:
        """The request for the run that a replicate with this seed was."""
        asked = run.settled_request
        assert asked is not None
        return RunRequest(asked.instance, asked.algorithm, seed, asked.parameters)

    # -- the background -------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether anything runs."""
        return self.task is not None

    def _begin(self, task: Task) -> None:
        if self._closed:
            return
        if self._thread is None:
            self._thread = TrialsThread(self)
            self._thread.rows.connect(self._take)
            self._thread.ended.connect(self._ended)
        if self._thread.running:
            self._next = task
            self._thread.cancel()
            return
        self.task, self.tried, self.said, self._failing = task, 0, "", []
        self._thread.start(task.begin, 0 if self._in_thread else None)
        self.changed.emit()

    def cancel(self) -> None:
        """End what runs, at once; what it has found is kept."""
        self._next = None
        if self._thread is not None and self.running:
            self._thread.cancel()

    def close(self) -> None:
        """End everything, and wait until it has ended."""
        self._closed = True
        self._next = None
        if self._thread is not None:
            self._thread.close()

    def _take(self, rows: tuple[Row, ...]) -> None:
        task = self.task
        if task is None:
            return
        self.tried += len(rows)
        if task.search:
            from gems_engine.experiment.replicates import fails

            self._failing += [row for row in rows if fails(row, task.search)]
            self.changed.emit()
            return
        assert task.run.replicates is not None
        for row in rows:
            task.run.replicates.add(row)
        self.grown.emit(task.run)
        self.changed.emit()

    def _ended(self, end: JobEnd) -> None:
        task, self.task = self.task, None
        assert task is not None
        self.said, self.said_of = end.sentence, task.run
        if task.search:
            self._search_ended(task, end)
        elif task.run.replicates is not None:
            task.run.replicates.wanted = len(task.run.replicates)
            self.grown.emit(task.run)
        self.changed.emit()
        if self._next is not None:
            following, self._next = self._next, None
            self._begin(following)

    def _search_ended(self, task: Task, end: JobEnd) -> None:
        if self._failing:
            self.found.emit(task.run, min(self._failing, key=lambda row: row.index))
        elif end.how == "done":
            self._searched.setdefault(task.run, {})[task.search] = task.last
            self.said = f"None of {number(self.tried)} more seeds fails."

    def _runs_changed(self) -> None:
        """A run that is gone needs no replicates."""
        if self.task is not None and self.task.run not in self._workspace.runs:
            self.cancel()


def _job(source: Source, numbers: Iterable[int], until: object = None) -> Begin:
    """What makes the job, in the thread that runs it."""

    def begin(executor: LocalWorkers | None, told: Told) -> nullcontext[Replication]:
        from gems_engine.experiment.replicates import Replication

        return nullcontext(Replication(source, numbers, executor, told, until))  # type: ignore[arg-type]

    return begin
