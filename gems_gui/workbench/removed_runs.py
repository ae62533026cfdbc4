"""Removed runs, with undo and redo."""

from __future__ import annotations

from dataclasses import dataclass

from gems_gui.drafts.undo_order import next_turn
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench

_MOST = 20


@dataclass(frozen=True, eq=False)
class _Removal:
    run: RunSession
    at: int
    shown: bool
    turn: int


class RemovedRuns:
    """Removals of runs as a list for undo and redo."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._done: list[_Removal] = []
        self._undone: list[_Removal] = []
        self.latest = 0

    @property
    def last(self) -> RunSession | None:
        """The run that was removed last and can be restored."""
        return self._done[-1].run if self._done else None

    @property
    def undo_text(self) -> str:
        """A description of what undo would undo; empty if nothing."""
        return f"removal of {self._done[-1].run.name}" if self._done else ""

    @property
    def redo_text(self) -> str:
        """A description of what redo would redo; empty if nothing."""
        self._forget_gone()
        return f"removal of {self._undone[-1].run.name}" if self._undone else ""

    @property
    def undo_turn(self) -> int:
        """When the removal that undo would undo was made."""
        return self._done[-1].turn if self._done else 0

    @property
    def redo_turn(self) -> int:
        """When the removal that redo would redo was undone."""
        return self._undone[-1].turn if self._undone else 0

    def remove(self, run: RunSession) -> None:
        """Remove a run from the list."""
        self._undone.clear()
        self._take_out(run)
        self.latest = self.undo_turn

    def undo(self) -> RunSession | None:
        """Restore the run that was removed last, show it if it was shown, and return it."""
        if not self._done:
            return None
        last = self._done.pop()
        self._undone.append(_Removal(last.run, last.at, last.shown, next_turn()))
        self._workbench.restore_run(last.run, last.at)
        if last.shown:
            self._workbench.activate(last.run)
        return last.run

    def redo(self) -> None:
        """Remove the run that was restored last."""
        self._forget_gone()
        if self._undone:
            self._take_out(self._undone.pop().run)

    def forget(self) -> None:
        """Forget all removed runs."""
        self._done.clear()

    def _take_out(self, run: RunSession) -> None:
        work = self._workbench
        self._done.append(_Removal(run, work.runs.index(run), run is work.active, next_turn()))
        del self._done[:-_MOST]
        work.remove(run)

    def _forget_gone(self) -> None:
        """Auto-run may have replaced a run meanwhile."""
        while self._undone and self._undone[-1].run not in self._workbench.runs:
            self._undone.pop()
