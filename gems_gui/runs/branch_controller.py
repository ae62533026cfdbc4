"""The action "Branch from here"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_gui.actions.refusals import needs_simulation
from gems_gui.services import Services
from gems_gui.snapshot import Snapshot
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.workbench.changes import Field

if TYPE_CHECKING:
    from gems_engine.forcing import Forced
    from gems_gui.runs.branch_dialog import BranchDialog


class BranchController(QObject):
    """The dialog, and the branch that it requests."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.host)
        self._workbench, self._appearance, self._host = services.workbench, services.appearance, services.host
        self._dialog = LazyDialog(self._make_dialog)
        self._workbench.subscribe(self._show_dialog, Field.ENGINE)

    @property
    def dialog(self) -> BranchDialog | None:
        """The dialog, if it is open."""
        return self._dialog.open

    def branch_refusal(self) -> str:
        """Why there is no run to branch, or why it cannot be branched."""
        return needs_simulation(self._workbench, "a branch cannot draw new ones")

    def branch(self) -> None:
        """Open the dialog."""
        if (snapshot := self._workbench.snapshot) is not None:
            self._dialog.show(snapshot)

    def _make_dialog(self, snapshot: Snapshot) -> BranchDialog:
        from gems_gui.runs.branch_dialog import BranchDialog  # loaded with the first branch

        dialog = BranchDialog(self._host, snapshot, self._workbench.engine_running, self._appearance.theme.font_scale)
        dialog.asked.connect(self.make)
        return dialog

    def make(self, forced: Forced) -> None:
        """Branch the shown run at its cursor, or say why this is not possible."""
        run = self._workbench.active
        if run is None:
            return
        try:
            self._workbench.branch(run, run.playback.cursor, forced)
        except InputError as error:
            self._dialog.show_message(str(error), self._workbench.messages.show)
        else:
            self._dialog.close()

    def _show_dialog(self, *_: object) -> None:
        """Update the dialog."""
        dialog = self.dialog
        if dialog is None:
            return
        snapshot = self._workbench.snapshot
        if snapshot is None:
            dialog.close()
        else:
            dialog.show_snapshot(snapshot, self._workbench.engine_running)
