"""What the act «Branch from here» does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_gui.widgets.dialogs import open_dialog

if TYPE_CHECKING:
    from gems_engine.forcing import Forced
    from gems_gui.runs.branch_dialog import BranchDialog
    from gems_gui.window import MainWindow


class BranchController(QObject):
    """The dialog, and the branch that it asks for."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._kind: type[BranchDialog] | None = None  # loaded when somebody asks for it

    @property
    def dialog(self) -> BranchDialog | None:
        """The dialog, if it is open."""
        return open_dialog(self._window, self._kind)

    def branch(self) -> None:
        """Ask what is forced."""
        from gems_gui.runs.branch_dialog import BranchDialog

        window, snapshot = self._window, self._window.workspace.snapshot
        if snapshot is not None:
            self._kind = BranchDialog
            dialog = BranchDialog(window, snapshot, window.engine.running, window.theme.font_scale)
            dialog.asked.connect(self.make)
            dialog.show()

    def make(self, forced: Forced) -> None:
        """Branch the shown run at its cursor, or say why not."""
        run, dialog = self._window.workspace.active, self.dialog
        if run is None:
            return
        try:
            self._window.workspace.branch(run, run.playback.cursor, forced)
        except InputError as error:
            if dialog is None:
                self._window.say(str(error))
            else:
                dialog.say(str(error))
            return
        if dialog is not None:
            dialog.close()

    def show_state(self) -> None:
        """Let the menu and the dialog say how things are."""
        window = self._window
        window.acts.enable(("branch",), window.workspace.active is not None)
        dialog = self.dialog
        if dialog is None:
            return
        snapshot = window.workspace.snapshot
        if snapshot is None:
            dialog.close()
        else:
            dialog.show_snapshot(snapshot, window.engine.running)
