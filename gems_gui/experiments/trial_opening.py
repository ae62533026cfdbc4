"""Run trials of an experiment again in the window, with their instance and seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.gallery import make_from_spec
from gems_engine.instance import Instance
from gems_engine.terminal import number
from gems_gui.background.queries import Queries
from gems_gui.drafts.run_request import RunRequest
from gems_gui.workbench.ports import Answer
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Page, Workbench

if TYPE_CHECKING:
    from gems_engine.experiment.specification import Specification
    from gems_engine.experiment.trials import Trial

_TRIAL = "experiment trial"

RunWith = Callable[[RunSession, Sequence[RunRequest]], None]
"""A function that computes further runs and shows them with the first one."""


class TrialOpener(QObject):
    """Makes the instance of a trial in a worker, then starts its run.

    Parameters
    ----------
    workbench
        Where the runs are started.
    queries
        The worker that makes instances.
    run_with
        Computes the other runs, if several trials are opened.
    discreet
        Removes the hidden truth from an error message.
    """

    def __init__(
        self,
        workbench: Workbench,
        queries: Queries,
        run_with: RunWith,
        discreet: Callable[[str], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workbench, self._queries, self._run_with, self._discreet = workbench, queries, run_with, discreet
        self._asked: tuple[str, Sequence[Trial]] | None = None
        self._compared = ""  # the digest of the instance of the runs that were last opened together
        queries.answered.connect(self._on_answer)

    def open(self, said: Specification, *indices: int) -> None:
        """Run these trials of one instance: the first is shown, and the others are compared with it."""
        trials = [said.trial(index) for index in indices]
        name, instance = f"{said.name}, trial {number(indices[0])}", trials[0].instance
        if isinstance(instance, str):
            self._asked = name, trials
            self._queries.ask(_TRIAL, make_from_spec, instance)
        else:
            self._start(name, instance, trials)

    def _on_answer(self, answer: Answer) -> None:
        if answer.key != _TRIAL or self._asked is None:
            return
        (name, trials), self._asked = self._asked, None
        if answer.error:
            self._workbench.messages.show(self._discreet(answer.error), error=True)
        else:
            self._start(name, answer.value, trials)

    def _start(self, name: str, instance: Instance, trials: Sequence[Trial]) -> None:
        workbench = self._workbench
        requests = [RunRequest(instance, each.algorithm, each.seed, each.parameters) for each in trials]
        workbench.show_page(Page.BOARD)
        if len(requests) > 1:
            self._unpin_former(instance)
        run = workbench.start(requests[0], play=False, to_the_end=True)  # the row says how it ended
        workbench.rename(run, f"{name}: {run.name}")
        run.by_hand = False  # the experiment has its row and can make it again
        if len(requests) > 1:
            self._run_with(run, requests[1:])

    def _unpin_former(self, instance: Instance) -> None:
        """Unpin the runs that were opened together before, so that only the new ones are compared."""
        for run in self._workbench.runs:
            if run.pinned and run.trace.instance.digest == self._compared:
                self._workbench.pin(run, False)
        self._compared = instance.digest
