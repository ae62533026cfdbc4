"""The view with the history of one arm in the run."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gems_engine.explanation import Explanation, Paragraph, story_of_arm
from gems_engine.explanation.ledger import Ledger
from gems_engine.trace import CHUNK
from gems_gui.snapshot import Snapshot
from gems_gui.views.text_view import TextView
from gems_gui.widgets.timers import single_shot

_SLICE = 0.002  # seconds of reading at a time
_PAUSE = 12  # milliseconds in between


class ArmStory(TextView):
    """What happened to the selected arm, subroutine by subroutine; without a selection, to the recommended arm."""

    name = "story"
    title = "Arm history"
    about = (
        "What happened to the selected arm up to the cursor: which calls it survived, which arm eliminated it in "
        "the others and with which numbers, how often it was pulled, and when it was recommended. Without a selection, "
        "the view shows the recommended arm; in a single call, the leader."
    )

    def make(self) -> QWidget:
        self._ledger: Ledger | None = None
        self._timer = single_shot(self, self._read_on, _PAUSE)
        return super().make()

    def clear(self) -> None:
        self._ledger = None
        self._timer.stop()
        super().clear()

    def paint(self, snapshot: Snapshot) -> None:
        picked = snapshot.selection.target
        target = snapshot.state.answer[0] if picked is None else picked
        if target is None:
            words = "Select an arm in any view. Until then, this view shows the recommended arm or the leader."
            self.put(Explanation("no arm selected", (Paragraph("No arm yet", words),)), "")
            return
        ledger = self._ledger
        if ledger is None or ledger.trace is not snapshot.trace:
            ledger = self._ledger = Ledger(snapshot.trace)
        if self.exporting:
            ledger.update()
        elif ledger.behind <= CHUNK:
            ledger.update(_SLICE)
        told = story_of_arm(
            snapshot.trace, target, snapshot.cursor, truth=snapshot.truth, history=snapshot.history, ledger=ledger
        )
        self.put(told, f"{target}")
        if not ledger.complete_before(snapshot.cursor) and not self._timer.isActive():
            self._timer.start()

    def _read_on(self) -> None:
        """Count more pulls while the view is visible."""
        snapshot, ledger = self.snapshot, self._ledger
        if snapshot is None or ledger is None or not self.body.isVisible():
            return
        ledger.update(_SLICE)
        if ledger.complete_before(snapshot.cursor):
            self.show(snapshot)
        else:
            self._timer.start()
