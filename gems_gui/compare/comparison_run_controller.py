"""What the action "Compare algorithms" does, and the runs that it starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from gems_engine.errors import InputError
from gems_gui.actions.refusals import needs_settings, needs_simulation
from gems_gui.board.board import Board
from gems_gui.compare.comparison_run_dialog import ComparisonRunDialog
from gems_gui.compare.comparison_runs import ComparisonRuns, comparison_request, own_settings_text
from gems_gui.drafts.run_request import RunRequest
from gems_gui.painting.frames import SEVERAL
from gems_gui.services import Services
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.workbench.changes import Field
from gems_gui.workbench.run_session import RunSession


class ComparisonRunController(QObject):
    """The dialog, and the engines behind it."""

    comparing = Signal()
    """Runs are about to be compared with the shown one."""

    def __init__(self, services: Services, board: Board, show_layout: Callable[[str], object]) -> None:
        super().__init__(services.host)
        self._workbench, self._appearance, self._host = services.workbench, services.appearance, services.host
        self._board, self._show_layout = board, show_layout
        self._dialog = LazyDialog(self._make_dialog)
        self.runs = ComparisonRuns(self._workbench, self, in_thread=services.in_thread)
        self.runs.grew.connect(self._on_run_grew)
        self.runs.failed.connect(self._workbench.fail)
        self._workbench.subscribe(self._show_dialog, Field.ENGINE)

    @property
    def dialog(self) -> ComparisonRunDialog | None:
        """The dialog, if it is open."""
        return self._dialog.open

    def run_beside_refusal(self) -> str:
        """Why no other algorithm can run on the same instance."""
        consequence = "no other algorithm can get the same ones"
        return needs_simulation(self._workbench, consequence) or needs_settings(self._workbench)

    def run_beside(self) -> None:
        """Ask which algorithms to run."""
        if (run := self._workbench.active) is not None:
            self._dialog.show(run)

    def _make_dialog(self, run: RunSession) -> ComparisonRunDialog:
        dialog = ComparisonRunDialog(self._host, run, self._workbench.truth, self._appearance.theme.font_scale)
        dialog.asked.connect(self.start)
        return dialog

    def start(self, names: Sequence[str]) -> None:
        """Run these algorithms, pinned like the current run from now on, or show why that is not possible."""
        run = self._workbench.active
        if run is None:
            return
        try:
            requests = [comparison_request(run, name) for name in names]
        except InputError as error:
            self._dialog.show_message(str(error), self._workbench.messages.show)
            return
        self._dialog.close()
        self.run_with(run, requests)

    def run_with(self, run: RunSession, requests: Sequence[RunRequest]) -> None:
        """Compute these runs, and show them with this one, which is pinned like them."""
        self.comparing.emit()
        self._workbench.pin(run, True)
        self.runs.start(requests)
        if said := own_settings_text(run, requests):
            self._workbench.messages.show(said, lambda: self._workbench.active is run, transient=True)
        if not self._board.docks[SEVERAL[0]].exposed:
            self._show_layout("compare")

    def _on_run_grew(self) -> None:
        for name in SEVERAL:
            self._board.show_again(name)

    def _show_dialog(self, *_: object) -> None:
        """Update the dialog."""
        run, dialog = self._workbench.active, self.dialog
        if dialog is not None and run is not None:
            dialog.show_run(run, self._workbench.truth)

    def close(self) -> None:
        """Stop computing."""
        self.runs.close()
