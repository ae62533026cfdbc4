"""What the actions on more seeds of a run do; what they need is loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_gui.actions.refusals import needs_settings, needs_simulation
from gems_gui.board.board import Board
from gems_gui.drafts.draft import SEED_FIELD, Draft
from gems_gui.drafts.run_request import RunRequest
from gems_gui.services import Services
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench

if TYPE_CHECKING:
    from gems_engine.experiment.trials import Row
    from gems_gui.trials.replicates_dock import ReplicatesDock
    from gems_gui.trials.replicating import Replicating

_MORE = 100  # seeds
_VIEWS = ("replicates", "tau")
_HIDDEN = "The failing seeds would reveal the hidden truth. Show the truth first (T)."


class ReplicateController(QObject):
    """The methods behind these actions."""

    def __init__(self, services: Services, board: Board) -> None:
        super().__init__(services.host)
        self._workbench, self._appearance, self._host = services.workbench, services.appearance, services.host
        self._in_thread = services.in_thread
        self._board = board
        self._replicating: Replicating | None = None
        self._dock: ReplicatesDock | None = None
        self._message_run: set[RunSession | None] = set()  # the runs that the message is about
        board.seed_picked.connect(self._on_seed_picked)
        self._workbench.subscribe(self._on_active_changed, Field.ACTIVE)
        self._workbench.subscribe(self._truth_changed, Field.TRUTH)
        self._workbench.subscribe(self._on_run_ended, Field.RUNS)

    @property
    def replicating(self) -> Replicating:
        """The replicates in the background."""
        if self._replicating is None:
            from gems_gui.trials.replicating import Replicating  # brings executors of trials

            self._replicating = Replicating(self._workbench, self, in_thread=self._in_thread)
            self._replicating.changed.connect(self._show)
            self._replicating.trials_added.connect(self._on_trials_added)
            self._replicating.found.connect(self._on_failing_seed_found)
        return self._replicating

    @property
    def dock(self) -> ReplicatesDock:
        """The dock for replicates."""
        if self._dock is None:
            from gems_gui.trials.replicates_dock import ReplicatesDock  # brings executors of trials

            dock = self._dock = ReplicatesDock(self._appearance, self._host)
            dock.replicate_asked.connect(self.start)
            dock.find_asked.connect(self.search)
            dock.cancel_asked.connect(self.replicating.cancel)
            dock.open_asked.connect(self.open_seed)
            dock.take_place_hidden()
            self._show()
        return self._dock

    # -- actions ----------------------------------------------------------------------------------------------------

    def replicate_refusal(self) -> str:
        """Why the current run cannot be repeated with other seeds."""
        return needs_simulation(self._workbench, "it has no other seeds") or needs_settings(self._workbench)

    def find_failing_refusal(self) -> str:
        """Why no failing seed may be searched for, for example because the truth is hidden."""
        return self.replicate_refusal() or ("" if self._workbench.truth else _HIDDEN)

    def replicate(self) -> None:
        """Open the dock, with the number of seeds focused."""
        self.dock.open()
        self._show()
        self.dock.count.setFocus()
        self.dock.count.selectAll()

    def add_hundred(self) -> None:
        """Run 100 more seeds than there are, and show their view."""
        run = self._workbench.active
        found = None if run is None else run.replicates
        self.start((0 if found is None else len(found)) + _MORE)

    def find_failing(self) -> None:
        """Search for a failing seed, with the options of the dock."""
        self.dock.open()
        if not self._workbench.truth:
            self._show_message(_HIDDEN)
            return
        self.dock.look.click()

    # -- requests ---------------------------------------------------------------------------------------------------

    def start(self, count: int) -> None:
        """Run this many replicates of the current run, and show their view."""
        self._show_message("")
        self._ask(partial(self.replicating.replicate, self._workbench.active, count))
        board = self._board
        if not any(board.docks[name].exposed for name in _VIEWS):
            board.add_view("replicates")

    def search(self, how: str, tries: int) -> None:
        """Search for a failing seed."""
        self._show_message("")
        self._ask(partial(self.replicating.find, self._workbench.active, how, tries))

    def _ask(self, ask: Callable[[], None]) -> None:
        try:
            ask()
        except InputError as error:
            self._show_message(str(error))

    def _show_message(self, sentence: str, *about: RunSession | None) -> None:
        """Show a message about these runs and the current one, until another run is shown."""
        self._message_run = {self._workbench.active, *about}
        self.dock.show_message(sentence)

    def open_seed(self, seed: int) -> None:
        """Run a replicate as a run of this window; if it exists already, show it."""
        run = self._workbench.active
        if run is not None and not self.replicating.refusal(run):
            self._open(run, seed)

    def _open(self, run: RunSession, seed: int) -> None:
        draft = None if run.draft is None else run.draft.with_text(SEED_FIELD, str(seed))
        open_run(self._workbench, self.replicating.request_of(run, seed), draft)

    # -- results ----------------------------------------------------------------------------------------------------

    def _on_failing_seed_found(self, run: RunSession, row: Row) -> None:
        """Open a failing seed, unless that would stop a run that is being computed."""
        work = self._workbench
        if not work.truth:  # hidden meanwhile
            return
        self.dock.put_seed(row.seed)
        if work.computes:
            self._show_message(f'Seed {row.seed} fails. Another run is being computed; "Open as a run" stops it.', run)
        else:
            self._open(run, row.seed)
            self._show_message(f"Seed {row.seed} fails and is opened as a run.", run)

    def _on_trials_added(self, run: RunSession) -> None:
        if run is self._workbench.active:
            for name in _VIEWS:
                self._board.show_again(name)

    def _on_seed_picked(self, seed: int) -> None:
        self.dock.open()
        self.dock.put_seed(seed)

    def _on_run_ended(self, change: Change) -> None:
        if change.ended:
            self._show()

    def _on_active_changed(self, *_: object) -> None:
        """Clear messages about another run."""
        if self._dock is not None and self._workbench.active not in self._message_run:
            self._dock.show_message("")
        self._show()

    def _show(self, *_: object) -> None:
        if self._dock is not None:
            work = self._workbench
            self._dock.show_run(work.active, self.replicating, work.truth)

    def _truth_changed(self, *_: object) -> None:
        """Clear messages about failing seeds when the truth is hidden."""
        if self._dock is not None and not self._workbench.truth:
            self._dock.show_message("")
            self._dock.seed.clear()  # it may be a failing seed
            self.replicating.message = ""
        self._show()

    # -- closing ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Cancel the trials, and wait for them."""
        if self._replicating is not None:
            self._replicating.close()


def open_run(work: Workbench, request: RunRequest, draft: Draft | None) -> None:
    """Run a trial to its end as a run of the window; if it exists already, show it."""
    for each in work.runs:
        if each.request is not None and each.request.branch is None and _same(each, request):
            work.activate(each)
            return
    work.start(request, draft, play=False, to_the_end=True)


def _same(run: RunSession, request: RunRequest) -> bool:
    """Whether a run was made by an equal request."""
    other = run.settled_request
    assert other is not None
    asked = (other.algorithm, other.seed, dict(other.parameters), other.instance.digest)
    return asked == (request.algorithm, request.seed, dict(request.parameters), request.instance.digest)
