"""More seeds of a race, computed in the background while the race is shown."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gems_engine.experiment.seed_trials import SeedJob, SeedTrials
from gems_gui.trials.trial_batch import Told, TrialBatch, TrialTask
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.jobs import Jobs

if TYPE_CHECKING:
    from gems_engine.experiment.local import LocalWorkers
    from gems_engine.experiment.trials import Row

_REST = 700  # milliseconds without a new race: a dragged slider starts several per second
_KEPT = 16  # results of recent races


class RaceSeeds(QObject):
    """The trials of the current race; a new race cancels those of the old one.

    Attributes
    ----------
    changed : Signal
        There are new results.
    """

    changed = Signal()

    def __init__(self, jobs: Jobs, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self._batch = TrialBatch(jobs, "race", self, in_thread=in_thread)
        self._batch.rows.connect(self._take)
        self._timer = single_shot(self, self._begin)
        self._known: dict[object, SeedTrials] = {}
        self._wanted: SeedTrials | None = None
        self._running: SeedTrials | None = None

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return self._timer.isActive() or self._batch.running

    def want(self, trials: SeedTrials) -> SeedTrials:
        """Compute these trials, unless they are known; returns the object that collects their results."""
        trials = self._known.setdefault(trials.key, trials)
        while len(self._known) > _KEPT:
            self._known.pop(next(iter(self._known)))
        if trials is not self._wanted:
            self._wanted = trials
            self._batch.cancel()
            self._timer.start(_REST)
        return trials

    def forget(self) -> None:
        """Cancel the trials; results so far are kept."""
        self._wanted = None
        self._timer.stop()
        self._batch.cancel()

    def close(self) -> None:
        """Cancel the trials, and wait for them to end."""
        self.forget()
        self._batch.close()

    def _begin(self) -> None:
        trials = self._wanted
        if trials is None or trials.complete:
            return

        def begin(executor: LocalWorkers | None, told: Told) -> nullcontext[SeedJob]:
            return nullcontext(SeedJob(trials, executor, told))

        def begun() -> None:
            self._running = trials

        self._batch.replace(TrialTask(begin, "Seeds of the race", sum(1 for _ in trials.missing()), begun=begun))

    def _take(self, rows: tuple[Row, ...]) -> None:
        if self._running is not None:
            for row in rows:
                self._running.add(row)
            if self._running is self._wanted:
                self.changed.emit()
