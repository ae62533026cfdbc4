"""What the action "Compare runs" does, and its button in the Runs dock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_gui.actions.refusals import needs_run
from gems_gui.compare.comparing import Comparing
from gems_gui.services import Services
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.workbench.changes import Field
from gems_gui.workbench.run_session import RunSession

if TYPE_CHECKING:
    from gems_gui.compare.compare_dialog import CompareDialog

_ONE_RUN = "There is no other run to compare with. Change the form and press Ctrl+R, or open a run (Ctrl+O)."


class CompareController(QObject):
    """The dialog, and the comparison behind it.

    Parameters
    ----------
    chosen
        The run that is selected in the list of runs, if the list is visible.
    """

    def __init__(self, services: Services, chosen: Callable[[], RunSession | None]) -> None:
        super().__init__(services.host)
        self._chosen = chosen
        self._workbench, self._appearance, self._host = services.workbench, services.appearance, services.host
        self._dialog = LazyDialog(self._make_dialog)
        self.comparing = Comparing(self._workbench, self)
        self._workbench.subscribe(self._truth_changed, Field.TRUTH)

    @property
    def dialog(self) -> CompareDialog | None:
        """The dialog, if it is open."""
        return self._dialog.open

    def compare_refusal(self) -> str:
        """Why there is no other run."""
        return needs_run(self._workbench) or ("" if len(self._workbench.runs) > 1 else _ONE_RUN)

    def compare(self) -> None:
        """Compare the current run with the one selected in the list of runs, else with the most likely one."""
        self.compare_with(self._chosen())

    def compare_with(self, run: RunSession | None) -> None:
        """Compare the current run with another one."""
        self._dialog.shown().raise_()
        self.comparing.open(run)

    def _make_dialog(self) -> CompareDialog:
        from gems_gui.compare.compare_dialog import CompareDialog  # brings the plots: not needed to start

        dialog = CompareDialog(self._host, self.comparing, self._appearance)
        dialog.set_truth(self._workbench.truth)
        dialog.show_asked.connect(self._workbench.activate)
        dialog.finished.connect(self.comparing.close)
        self.comparing.changed.connect(dialog.show_difference)
        return dialog

    def _truth_changed(self, *_: object) -> None:
        dialog = self.dialog
        if dialog is not None:
            dialog.set_truth(self._workbench.truth)

    def close(self) -> None:
        """Stop comparing."""
        self.comparing.close()
