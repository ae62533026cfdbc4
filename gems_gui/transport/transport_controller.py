"""What is asked of the cursor other than by an action: a place of the line over the run, a speed, a place by name."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gems_gui.actions.run_actions import seek, set_speed
from gems_gui.transport.go_to import GoTo
from gems_gui.workbench.workbench import Workbench


class TransportController(QObject):
    """Moves the cursor of the run that is shown.

    Parameters
    ----------
    window
        Over which the dialog opens.
    """

    def __init__(self, window: QWidget, workbench: Workbench) -> None:
        super().__init__(window)
        self._dialogs_over = window
        self._workbench = workbench

    def seek(self, cursor: int) -> None:
        """Go to a cursor."""
        seek(self._workbench, cursor)

    def go_to_event(self, event: int) -> None:
        """Move the cursor so that this event is the last one shown."""
        seek(self._workbench, event + 1)

    def set_speed(self, speed: float) -> None:
        """Play so many rounds per second."""
        set_speed(self._workbench, speed)

    def can_go(self) -> bool:
        """Whether there is a run to go to a place of."""
        return self._workbench.playback is not None

    def go_to(self) -> None:
        """Ask where to go."""
        dialog = GoTo(self._dialogs_over, self._workbench.playback)
        dialog.went.connect(self._refresh)
        dialog.show()

    def _refresh(self) -> None:
        self._workbench.refresh()
