"""What the act «Run beside it» does, and the runs that it starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_gui.compare.comparison_runs import ComparisonRuns, comparison_request
from gems_gui.painting.frames import SEVERAL
from gems_gui.widgets.dialogs import open_dialog

if TYPE_CHECKING:
    from gems_gui.compare.comparison_run_dialog import ComparisonRunDialog
    from gems_gui.window import MainWindow


class ComparisonRunController(QObject):
    """The dialog, and the engine behind it."""

    def __init__(self, window: MainWindow, in_thread: bool) -> None:
        super().__init__(window)
        self._window = window
        self._kind: type[ComparisonRunDialog] | None = None  # loaded when somebody asks for it
        self.runs = ComparisonRuns(window.workspace, self, in_thread=in_thread)
        self.runs.grew.connect(self._grew)
        self.runs.failed.connect(window.workspace.failed)

    @property
    def dialog(self) -> ComparisonRunDialog | None:
        """The dialog, if it is open."""
        return open_dialog(self._window, self._kind)

    def run_beside(self) -> None:
        """Ask which algorithms shall run."""
        from gems_gui.compare.comparison_run_dialog import ComparisonRunDialog

        run = self._window.workspace.active
        if run is not None:
            self._kind = ComparisonRunDialog
            dialog = ComparisonRunDialog(self._window, run, self._window.theme.font_scale)
            dialog.asked.connect(self.start)
            dialog.show()

    def start(self, names: Sequence[str]) -> None:
        """Run these algorithms beside the shown run, pinned as that is from now on, or say why not."""
        run, dialog = self._window.workspace.active, self.dialog
        if run is None:
            return
        try:
            requests = [comparison_request(run, name) for name in names]
        except InputError as error:
            if dialog is None:
                self._window.say(str(error))
            else:
                dialog.say(str(error))
            return
        if dialog is not None:
            dialog.close()
        self._window.workspace.pin(run, True)
        self.runs.start(requests)
        if not self._window.board.docks[SEVERAL[0]].in_sight:
            self._window.layouts.layout_compare()

    def _grew(self) -> None:
        for name in SEVERAL:
            self._window.board.show_again(name)

    def show_state(self) -> None:
        """Let the menu and the dialog say how things are."""
        run = self._window.workspace.active
        self._window.acts.enable(("run_beside",), run is not None and run.request is not None)
        dialog = self.dialog
        if dialog is not None and run is not None:
            dialog.show_run(run)

    def close(self) -> None:
        """Compute no more."""
        self.runs.close()
