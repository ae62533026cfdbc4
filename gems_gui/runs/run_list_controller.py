"""What the acts about runs, undo, the truth and the log do, and the docks and the title that belong to them."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from gems_engine.errors import InputError
from gems_engine.forcing import Forced
from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_engine.wording import ORACLES
from gems_gui.background.file_worker import FileDone
from gems_gui.board.log_dock import ERROR, NOTE, LogDock
from gems_gui.closing.closing import unsaved_instance, unsaved_own, unsaved_run
from gems_gui.drafts.run_request import Ending
from gems_gui.drafts.sources import FromGallery
from gems_gui.drafts.undo_order import Undoable, to_redo, to_undo
from gems_gui.runs.runs_dock import RunsDock
from gems_gui.runs.workspace import RunSession
from gems_gui.theme import Theme
from gems_gui.truth import ORACLE, discreet_sentence
from gems_gui.workbench.command_line import branch_line, command_line

if TYPE_CHECKING:
    from gems_gui.analysis.design_debugger import DesignDebugger
    from gems_gui.editing.draft_controller import DraftController
    from gems_gui.window import MainWindow

_UNSAVED_BRANCH = "This run is a branch: save the run it comes from, or this one, and the command can name the file."
_HIDDEN_COMMAND = "The command names the instance and so its truth, which is hidden: show it first."
_OUTSIDE = "The rewards of this run came from outside: no command can repeat it."


class RunListController(QObject):
    """The methods behind these acts.

    Attributes
    ----------
    saved_instances
        From digests of instances to the files that have them, as far as this window has opened or saved them.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.saved_instances: dict[str, str] = {}
        self.runs_dock = RunsDock(window.workspace, window.theme, window)
        self.log_dock = LogDock(window.theme, window)
        self.runs_dock.take_place(window)
        self.log_dock.take_place(window)
        self._connect()

    def _connect(self) -> None:
        window, work = self._window, self._window.workspace
        window.drafting.changed.connect(self.show_undo)
        window.drafting.changed.connect(self.show_title)
        work.runs_changed.connect(self._runs_changed)
        work.active_changed.connect(self.show_title)
        work.added.connect(self._log_added)
        work.ended.connect(self._log_ended)
        work.failed.connect(self._log_failed)
        work.truth_changed.connect(self._truth_changed)
        work.active_changed.connect(self._warn_of_oracle)
        window.files.done.connect(self._file_done)
        self.runs_dock.removals_changed.connect(self.show_undo)
        self.runs_dock.into_form.connect(window.handlers.put_into_form)
        self.runs_dock.save_asked.connect(window.handlers.save_run)
        self.runs_dock.visibilityChanged.connect(self._show_docks)
        self.log_dock.visibilityChanged.connect(self._show_docks)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_changed)

    def set_theme(self, theme: Theme) -> None:
        """Change the look of the docks."""
        self.runs_dock.set_theme(theme)
        self.log_dock.set_theme(theme)

    # -- undo ---------------------------------------------------------------------------------------------------

    @property
    def _edited(self) -> DraftController | DesignDebugger:
        """What is edited in the middle of the window: the form or, while it has its place, the design debugger."""
        designs = self._window.designs
        return designs.debugger if designs.is_open and designs.debugger is not None else self._window.drafting

    @property
    def _undoables(self) -> tuple[Undoable, ...]:
        return self._edited.history, self.runs_dock.removed

    def undo(self) -> None:
        """Take the newest act back: a change of the form or in the design debugger, or the removal of a run."""
        if to_undo(self._undoables) is self.runs_dock.removed:
            self.runs_dock.take_back()
        else:
            self._edited.undo()

    def redo(self) -> None:
        """Make what was taken back last again."""
        newest = to_redo(self._undoables)
        if newest is self.runs_dock.removed:
            self.runs_dock.remove_again()
        elif newest is not None:
            self._edited.redo()

    def show_undo(self) -> None:
        """Let the menu say what undo and redo would do."""
        acts, undone, done = self._window.acts, to_undo(self._undoables), to_redo(self._undoables)
        words = {"undo": undone.undo_words if undone else "", "redo": done.redo_words if done else ""}
        for name, what in words.items():
            text = f"{name.capitalize()} {what}".strip()
            acts.enable((name,), bool(what))
            if acts[name].text() != text:
                acts[name].setText(text)

    def _focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        self._window.drafting.history.seal()

    # -- the truth ----------------------------------------------------------------------------------------------

    def hide_truth(self) -> None:
        """Take d⋆, the best arm and what follows from them out of every view and text."""
        self._window.workspace.set_truth(False)

    def show_truth(self) -> None:
        """Bring them back."""
        self._window.workspace.set_truth(True)

    def _truth_changed(self, shown: bool) -> None:
        self._window.form.set_truth(shown)
        self.show_state()
        self.log("The truth is shown." if shown else "The truth is hidden.")
        self._warn_of_oracle()

    def _warn_of_oracle(self, *_: object) -> None:
        """Where the truth is hidden beside a run that was told it."""
        if self._shows_oracle():
            self._window.say(ORACLE, holds=self._shows_oracle)

    def _shows_oracle(self) -> bool:
        work = self._window.workspace
        request = None if work.active is None else work.active.request
        return not work.truth and request is not None and request.algorithm in ORACLES

    def refuse(self, sentence: str) -> None:
        """Say why a run cannot start, without what is hidden."""
        self._window.say(sentence if self._window.workspace.truth else discreet_sentence(sentence), error=True)

    # -- runs ---------------------------------------------------------------------------------------------------

    def list_runs(self, on: bool) -> None:
        """Bring the Runs dock to the front, or hide it if it is there."""
        if self.runs_dock.toggle(on):
            self.runs_dock.list.setFocus()
        self._show_docks()

    def _runs_changed(self) -> None:
        self._window.handlers.fill_runs()
        self.show_title()

    def copy_command(self) -> None:
        """Put the `gems run …` line that repeats the shown run into the clipboard."""
        run = self._window.workspace.active
        request = None if run is None else run.settled_request
        if run is None or request is None:
            return
        if not self._window.workspace.truth:
            self._window.say(_HIDDEN_COMMAND, holds=lambda: not self._window.workspace.truth)
            return
        if run.trace.started is not None and run.trace.started.rewards:
            self._window.say(_OUTSIDE)
            return
        source = None if run.draft is None else run.draft.source
        try:
            forced = run.trace.started is not None and run.trace.started.forced
            command = self._branch(run) if forced else command_line(request, source, self.saved_instances)
        except InputError as error:
            self._window.say(str(error))
            return
        QGuiApplication.clipboard().setText(command)
        self._window.say("The command that repeats this run is copied.", passing=True)

    def _branch(self, run: RunSession) -> str:
        """The command for a run on which something was forced: it needs a file, of its parent or of itself."""
        origin = run.origin
        if origin is not None and origin.parent.path and origin.parent.saved_events >= origin.cursor:
            return branch_line(origin.parent.path, origin.cursor, origin.forced)
        if run.path:
            return branch_line(run.path, 0, Forced())  # with nothing more forced it is this run once more
        raise InputError(_UNSAVED_BRANCH)

    # -- files and the title ------------------------------------------------------------------------------------

    def _file_done(self, done: FileDone) -> None:
        if done.error:
            self.log(done.error, ERROR)
            return
        if isinstance(done.value, Instance):
            self.saved_instances[done.value.digest] = done.path
            own, instance = self._window.handlers.saving_own.get(done.path, (None, None))
            if own is not None and instance is done.value:
                self.saved_instances[own.table.digest] = done.path
        saved = "Saved the run as" if isinstance(done.value, Trace) else "Saved"
        words = "Opened" if done.task.startswith("open") else saved
        self.log(f"{words} {done.path}.")
        self.show_title()

    def show_title(self) -> None:
        """Name the run that is shown and the file of the form's instance, with a star where closing would ask."""
        window = self._window
        run, source = window.workspace.active, window.drafting.draft.source
        parts, own = [], len(unsaved_own(window.drafting, self.saved_instances))
        if run is not None:
            parts.append(run.name + ("*" if unsaved_run(run) else ""))
        if not isinstance(source, FromGallery):
            star = "*" if unsaved_instance(window.drafting, self.saved_instances) else ""
            if source.path:
                parts.append(PurePath(source.path).name + star)
            else:
                own += bool(star)
        if own:
            parts.append("own instance*" if own == 1 else f"{own} own instances*")
        window.setWindowTitle(" – ".join((*parts, "GEMS Lab")))

    # -- the log ------------------------------------------------------------------------------------------------

    def show_log(self, on: bool) -> None:
        """Bring the log to the front, or hide it if it is there."""
        self.log_dock.toggle(on)
        self._show_docks()

    def log(self, sentence: str, kind: str = NOTE, details: str = "") -> None:
        """Write down what happened."""
        self.log_dock.add(sentence, kind, details)

    def _log_added(self, run: RunSession) -> None:
        if run.run_id >= 0:
            self.log(f"Started {run.name}.")

    def _log_ended(self, run: RunSession) -> None:
        self.show_title()
        if run.ending is not None and not run.ending.report:
            self.log(f"{run.name}: {run.ending.sentence}")

    def _log_failed(self, ending: Ending) -> None:
        self.log(ending.sentence, ERROR, ending.report)

    # -- what the menus show ------------------------------------------------------------------------------------

    def _show_docks(self) -> None:
        self._window.acts.mark("list_runs", not self.runs_dock.isHidden())
        self._window.acts.mark("show_log", not self.log_dock.isHidden())

    def show_state(self) -> None:
        """Let menus say how things are."""
        acts, work = self._window.acts, self._window.workspace
        acts.enable(("hide_truth",), work.truth)
        acts.enable(("show_truth",), not work.truth)
        acts.enable(("copy_command",), work.active is not None and work.active.request is not None)
        self.show_undo()
