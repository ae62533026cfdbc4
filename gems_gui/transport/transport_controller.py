"""Moves the cursor other than by an action: by the timeline, a speed, or a position by its counters."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gems_gui.actions.refusals import needs_run
from gems_gui.board.board import Board
from gems_gui.services import Services
from gems_gui.transport.go_to import GoTo
from gems_gui.transport.transport import Transport
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.workbench.changes import Field
from gems_gui.workbench.playback import SPEEDS
from gems_gui.workbench.run_session import RunSession


class TransportController(QObject):
    """Moves the cursor of the run that is shown."""

    def __init__(self, services: Services, transport: Transport, board: Board) -> None:
        super().__init__(services.host)
        self._workbench, self._host, self._transport = services.workbench, services.host, transport
        self._dialog = LazyDialog(self._make_dialog)
        transport.cursor_requested.connect(self._workbench.seek)
        transport.speed_chosen.connect(self.set_speed)
        board.place_picked.connect(self.go_to_event)
        self._workbench.subscribe(self._show, Field.ENGINE)  # published after each new snapshot too

    def _show(self, *_: object) -> None:
        work = self._workbench
        self._transport.show_snapshot(work.playback, work.snapshot, work.engine_text)

    def go_to_event(self, event: int) -> None:
        """Move the cursor so that this event is the last one shown."""
        self._workbench.seek(event + 1)

    def set_speed(self, speed: float) -> None:
        """Set the speed in rounds per second, if the slider has it."""
        if speed in SPEEDS:
            self._workbench.control(lambda playback: playback.set_speed(speed))

    def go_to_refusal(self) -> str:
        """Why there is no run to move in."""
        return needs_run(self._workbench)

    def go_to(self) -> None:
        """Ask where to go."""
        if (run := self._workbench.active) is not None:
            self._dialog.show(run)

    def _make_dialog(self, run: RunSession) -> GoTo:
        def go(ell: int, i: int | None, k: int | None) -> None:
            self._workbench.control(lambda playback: playback.go_to(ell, i, k), run)

        return GoTo(self._host, run.playback, go)
