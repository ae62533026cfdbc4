"""Connects the board with the workbench: shows its run, and passes on what is selected in views."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from gems_gui.board.board import Board
from gems_gui.services import Services
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.workbench import Page


class BoardController(QObject):
    """Follows the current snapshot and the algorithm of the form.

    Parameters
    ----------
    covered
        Whether a talk covers the board: then it is not painted, because the talk needs the time.
    """

    def __init__(self, services: Services, board: Board, covered: Callable[[], bool]) -> None:
        super().__init__(services.host)
        self._workbench, self._board, self._covered = services.workbench, board, covered
        board.arm_picked.connect(self._workbench.select_arm)
        board.target_picked.connect(self._workbench.select_target)
        board.view_failed.connect(self._workbench.messages.log_error)
        board.view_requested.connect(partial(self._workbench.show_page, Page.BOARD))
        self._workbench.subscribe(self._follow, Field.RUNS, Field.DRAFT, Field.SNAPSHOT)
        board.expect(self._workbench.drafts.draft.algorithm)

    def _follow(self, change: Change) -> None:
        if any(run.stepwise for run in change.started) and not self._board.docks["pseudocode"].isHidden():
            self._board.show_view("pseudocode")  # shows the progress of a call
        if Field.DRAFT in change:
            self._board.expect(self._workbench.drafts.draft.algorithm)
        if Field.SNAPSHOT in change:
            self.show_snapshot()

    def show_snapshot(self) -> None:
        """Show the current snapshot, unless a talk covers the board."""
        if not self._covered():
            self._board.show_snapshot(self._workbench.snapshot)
