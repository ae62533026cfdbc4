"""What the acts about more seeds of a run do; what they need is loaded when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_gui.drafts.draft import SEED_FIELD, Draft
from gems_gui.drafts.run_request import RunRequest
from gems_gui.runs.workspace import RunSession, Workspace
from gems_gui.theme import Theme

if TYPE_CHECKING:
    from gems_gui.trials.replicates_dock import ReplicatesDock
    from gems_gui.trials.replicating import Replicating
    from gems_gui.window import MainWindow

_VIEWS = ("replicates", "tau")
_HIDDEN = "Which seeds fail tells of the truth, which is hidden: Shift+T shows it."


class ReplicateController(QObject):
    """The methods behind these acts.

    Parameters
    ----------
    in_thread
        Whether trials run in this process: for tests and debugging.
    """

    def __init__(self, window: MainWindow, *, in_thread: bool = False) -> None:
        super().__init__(window)
        self._window, self._in_thread = window, in_thread
        self._replicating: Replicating | None = None
        self._dock: ReplicatesDock | None = None
        self._said_of: set[RunSession | None] = set()  # the runs that what is said there is about
        window.board.seed_picked.connect(self._picked)
        window.workspace.active_changed.connect(self._active_changed)
        window.workspace.truth_changed.connect(self._truth_changed)
        window.workspace.ended.connect(self._show)

    @property
    def replicating(self) -> Replicating:
        """What runs in the background."""
        if self._replicating is None:
            from gems_gui.trials.replicating import Replicating

            self._replicating = Replicating(self._window.workspace, self, in_thread=self._in_thread)
            self._replicating.changed.connect(self._show)
            self._replicating.grown.connect(self._grown)
            self._replicating.found.connect(self._found)
        return self._replicating

    @property
    def dock(self) -> ReplicatesDock:
        """Where it is asked for."""
        if self._dock is None:
            from gems_gui.trials.replicates_dock import ReplicatesDock
            from gems_gui.widgets.explained import complete

            dock = self._dock = ReplicatesDock(self._window.theme, self._window)
            dock.replicate_asked.connect(self.start)
            dock.find_asked.connect(self.search)
            dock.cancel_asked.connect(self.cancel)
            dock.open_asked.connect(self.open_seed)
            dock.take_place(self._window)
            dock.hide()
            complete(dock)
            self._show()
        return self._dock

    # -- acts -------------------------------------------------------------------------------------------------------

    def replicate(self) -> None:
        """Open the list of replicates, ready for a number of them."""
        self.dock.open()
        self._show()
        self.dock.count.setFocus()
        self.dock.count.selectAll()

    def find_failing(self) -> None:
        """Look for a seed that fails, with what the list of replicates says."""
        self.dock.open()
        if not self._window.workspace.truth:
            self._say(_HIDDEN)
            return
        self.dock.look.click()

    # -- what is asked ----------------------------------------------------------------------------------------------

    def start(self, count: int) -> None:
        """Run that many replicates of the shown run, and bring their view into sight."""
        self._say("")
        self._ask(self.replicating.replicate, self._window.workspace.active, count)
        board = self._window.board
        if not any(board.docks[name].in_sight for name in _VIEWS):
            board.show_view("replicates")

    def search(self, how: str, tries: int) -> None:
        """Look for a seed that fails."""
        self._say("")
        self._ask(self.replicating.find, self._window.workspace.active, how, tries)

    def _ask(self, ask: Any, *arguments: Any) -> None:
        try:
            ask(*arguments)
        except InputError as error:
            self._say(str(error))

    def _say(self, sentence: str, *about: RunSession | None) -> None:
        """Say something of these runs and of the one that is shown, until another one is."""
        self._said_of = {self._window.workspace.active, *about}
        self.dock.say(sentence)

    def cancel(self) -> None:
        """End what runs."""
        self.replicating.cancel()

    def open_seed(self, seed: int) -> None:
        """Run a replicate as a run of this window; one that is there already is shown."""
        run = self._window.workspace.active
        if run is not None and not self.replicating.refusal(run):
            self._open(run, seed)

    def _open(self, run: RunSession, seed: int) -> None:
        draft = None if run.draft is None else run.draft.with_text(SEED_FIELD, str(seed))
        open_run(self._window.workspace, self.replicating.request_of(run, seed), draft)

    # -- what comes -------------------------------------------------------------------------------------------------

    def _found(self, run: RunSession, row: Any) -> None:
        """A failing seed: open it, unless that would end a run that is being computed."""
        work = self._window.workspace
        if not work.truth:  # hidden meanwhile
            return
        self.dock.put_seed(row.seed)
        if work.computes:
            self._say(f"Seed {row.seed} fails. The engine is busy with a run: «Open as a run» ends that.", run)
        else:
            self._open(run, row.seed)
            self._say(f"Seed {row.seed} fails: it is opened as a run.", run)

    def _grown(self, run: RunSession) -> None:
        if run is self._window.workspace.active:
            for name in _VIEWS:
                self._window.board.show_again(name)

    def _picked(self, seed: int) -> None:
        self.dock.open()
        self.dock.put_seed(seed)

    def _active_changed(self, run: RunSession | None) -> None:
        """What was said of one run is not said beside another."""
        if self._dock is not None and run not in self._said_of:
            self._dock.say("")
        self._show()

    def _show(self, *_: object) -> None:
        if self._dock is not None:
            work = self._window.workspace
            self._dock.show_run(work.active, self.replicating, work.truth)

    def _truth_changed(self, shown: bool) -> None:
        """What was said of seeds that fail is gone with the truth."""
        if self._dock is not None and not shown:
            self._dock.say("")
            self._dock.seed.clear()  # it may be one that was found to fail
            self.replicating.said = ""
        self._show()

    # -- with the window ----------------------------------------------------------------------------------------------

    def show_state(self) -> None:
        """Let the menu say how things are."""
        work = self._window.workspace
        some = work.active is not None and work.active.request is not None
        self._window.acts.enable(("replicate",), some)
        self._window.acts.enable(("find_failing",), some and work.truth)

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        if self._dock is not None:
            self._dock.set_theme(theme)

    def close(self) -> None:
        """End what runs, and wait for it."""
        if self._replicating is not None:
            self._replicating.close()


def open_run(work: Workspace, request: RunRequest, draft: Draft | None) -> None:
    """Run a trial to its end as a run of the window; one that is there already is shown."""
    for each in work.runs:
        if each.request is not None and each.request.branch is None and _same(each, request):
            work.activate(each)
            return
    new = work.start(request, draft, play=False)
    new.playback.follow()
    new.playback.run_to_end(True)
    work.refresh()


def _same(run: RunSession, request: RunRequest) -> bool:
    """Whether a run of the window is what a request asks for."""
    other = run.settled_request
    assert other is not None
    asked = (other.algorithm, other.seed, dict(other.parameters), other.instance.digest)
    return asked == (request.algorithm, request.seed, dict(request.parameters), request.instance.digest)
