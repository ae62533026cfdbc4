"""What the act «Compare runs» does, and the button of the Runs dock for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_gui.compare.comparing import Comparing
from gems_gui.runs.workspace import RunSession
from gems_gui.theme import Theme
from gems_gui.widgets.dialogs import open_dialog

if TYPE_CHECKING:
    from gems_gui.compare.compare_dialog import CompareDialog
    from gems_gui.window import MainWindow


class CompareController(QObject):
    """The dialog, and the comparison behind it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._kind: type[CompareDialog] | None = None  # loaded when somebody asks for it
        self.comparing = Comparing(window.workspace, self)
        window.workspace.truth_changed.connect(self._truth_changed)
        window.run_handlers.runs_dock.compare_asked.connect(self.compare_with)

    @property
    def dialog(self) -> CompareDialog | None:
        """The dialog, if it is open."""
        return open_dialog(self._window, self._kind)

    def compare(self) -> None:
        """Compare the shown run with the one that is most likely meant."""
        self.compare_with(None)

    def compare_with(self, run: RunSession | None) -> None:
        """Compare the shown run with another one."""
        from gems_gui.compare.compare_dialog import CompareDialog

        dialog = self.dialog
        if dialog is None:
            self._kind = CompareDialog
            dialog = CompareDialog(self._window, self.comparing, self._window.theme)
            dialog.set_truth(self._window.workspace.truth)
            dialog.show_asked.connect(self._window.workspace.activate)
            dialog.finished.connect(self.comparing.close)
            self.comparing.changed.connect(dialog.show_difference)
            dialog.show()
        dialog.raise_()
        self.comparing.open(run)

    def _truth_changed(self, shown: bool) -> None:
        dialog = self.dialog
        if dialog is not None:
            dialog.set_truth(shown)

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        dialog = self.dialog
        if dialog is not None:
            dialog.set_theme(theme)

    def show_state(self) -> None:
        """Let the menu say how things are."""
        self._window.acts.enable(("compare",), len(self._window.workspace.runs) > 1)

    def close(self) -> None:
        """Compare no more."""
        self.comparing.close()
