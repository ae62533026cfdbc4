"""The actions on runs, undo and the log, with their docks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from gems_engine.errors import InputError
from gems_engine.wording import ORACLES
from gems_gui.actions.refusals import needs_settings, needs_simulation
from gems_gui.actions.run_actions import put_into_form
from gems_gui.board.log_dock import LogDock
from gems_gui.drafts.undo_order import Editable, Undoable, to_redo, to_undo
from gems_gui.runs.runs_dock import RunsDock
from gems_gui.services import Services
from gems_gui.truth import ORACLE
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.widgets.error_report import ErrorReport
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.command_line import repeating_line

_HIDDEN_COMMAND = "The command would reveal the hidden truth. Show it with T, then copy the command again."


class RunListController(QObject):
    """The methods of these actions.

    Parameters
    ----------
    edited
        What undo applies to besides the list of runs: the form or the design debugger, and the story of the shown run.
    """

    def __init__(self, services: Services, edited: Callable[[], Sequence[Editable]]) -> None:
        super().__init__(services.host)
        self._workbench, self._actions, self._host = services.workbench, services.actions, services.host
        self._edited = edited
        self._error_report = LazyDialog(partial(ErrorReport, self._host))
        self.runs_dock = RunsDock(self._workbench, services.appearance, self._host)
        self.log_dock = LogDock(self._workbench, services.appearance, self._host)
        self.runs_dock.take_place()
        self.log_dock.take_place()
        self._connect()

    def _connect(self) -> None:
        work = self._workbench
        work.subscribe(self._report, Field.RUNS)
        work.subscribe(self._warn_of_oracle, Field.ACTIVE, Field.TRUTH)
        self.runs_dock.removals_changed.connect(self._actions.refresh)
        self.runs_dock.into_form.connect(partial(put_into_form, self._workbench))
        self.runs_dock.visibilityChanged.connect(self._actions.refresh)
        self.log_dock.visibilityChanged.connect(self._actions.refresh)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    # -- undo ---------------------------------------------------------------------------------------------------

    @property
    def _undoables(self) -> tuple[Undoable, ...]:
        return *(each.history for each in self._edited()), self.runs_dock.removed

    def _with(self, history: Undoable | None) -> Editable | None:
        return next((each for each in self._edited() if each.history is history), None)

    def undo(self) -> None:
        """Undo the newest change: of the form, in the design debugger, of a story, or the removal of a run."""
        newest = to_undo(self._undoables)
        if newest is self.runs_dock.removed:
            self.runs_dock.undo_remove()
        elif (edited := self._with(newest)) is not None:
            edited.undo()

    def redo(self) -> None:
        """Redo what was undone last."""
        newest = to_redo(self._undoables)
        if newest is self.runs_dock.removed:
            self.runs_dock.remove_again()
        elif (edited := self._with(newest)) is not None:
            edited.redo()

    def undo_text(self) -> str:
        """A description of what undo would undo; empty if nothing."""
        newest = to_undo(self._undoables)
        return newest.undo_text if newest else ""

    def redo_text(self) -> str:
        """A description of what redo would redo; empty if nothing."""
        newest = to_redo(self._undoables)
        return newest.redo_text if newest else ""

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        self._workbench.drafts.history.seal()

    # -- the truth ----------------------------------------------------------------------------------------------

    def _warn_of_oracle(self, *_: object) -> None:
        """Warn if the truth is hidden while the shown run was told it."""
        if self._shows_oracle():
            self._workbench.messages.show(ORACLE, holds=self._shows_oracle)

    def _shows_oracle(self) -> bool:
        work = self._workbench
        request = None if work.active is None else work.active.request
        return not work.truth and request is not None and request.algorithm in ORACLES

    # -- runs ---------------------------------------------------------------------------------------------------

    def shows_runs(self) -> bool:
        """Whether the Runs dock is open, possibly behind other tabs."""
        return not self.runs_dock.isHidden()

    def list_runs(self, on: bool) -> None:
        """Bring the Runs dock to the front, or hide it if it is in front."""
        if self.runs_dock.toggle(on):
            self.runs_dock.list.setFocus()

    def copy_command_refusal(self) -> str:
        """Why no command can repeat the shown run."""
        return needs_simulation(self._workbench, "no command can repeat it") or needs_settings(self._workbench)

    def copy_command(self) -> None:
        """Copy the `gems run …` line that repeats the shown run."""
        run = self._workbench.active
        if run is None or run.request is None:
            return
        if not self._workbench.truth:
            self._workbench.messages.show(_HIDDEN_COMMAND, holds=lambda: not self._workbench.truth)
            return
        try:
            command = repeating_line(run, self._workbench.saved_instances)
        except InputError as error:
            self._workbench.messages.show(str(error))
            return
        QGuiApplication.clipboard().setText(command)
        self._workbench.messages.show("Command copied. It repeats this run.")

    def _report(self, change: Change) -> None:
        """Show the error report of a run that failed unexpectedly."""
        for ending in change.failed:
            if ending.report:
                self._error_report.show(ending.sentence, ending.report)

    # -- the log ------------------------------------------------------------------------------------------------

    def shows_log(self) -> bool:
        """Whether the log is open, possibly behind other tabs."""
        return not self.log_dock.isHidden()

    def show_log(self, on: bool) -> None:
        """Bring the log to the front, or hide it if it is in front."""
        self.log_dock.toggle(on)
