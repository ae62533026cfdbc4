"""The view of one arm's story through the run."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gems_engine.explanation import Explanation, Paragraph, story_of_arm
from gems_engine.explanation.ledger import Ledger
from gems_engine.trace import CHUNK
from gems_gui.snapshot import Snapshot
from gems_gui.views.text_view import TextView
from gems_gui.widgets.timers import single_shot

_SLICE = 0.002  # seconds of reading in one go
_PAUSE = 12  # milliseconds between two


class ArmStory(TextView):
    """What happened to the picked arm, subroutine by subroutine; with none picked, to the recommended one."""

    name = "story"
    title = "Story of an arm"
    about = (
        "What happened to the picked arm up to the cursor: in which subroutines it survived, by whom and by which "
        "numbers it was eliminated in the others, how often it was pulled, when it was recommended. With none picked, "
        "the story is that of the recommended one, in a single call that of the leader."
    )

    def make(self) -> QWidget:
        """A page, and a clock for long runs, which are read a little at a time."""
        self._ledger: Ledger | None = None
        self._timer = single_shot(self, self._read_on, _PAUSE)
        return super().make()

    def clear(self) -> None:
        """An empty page."""
        self._ledger = None
        self._timer.stop()
        super().clear()

    def paint(self, snapshot: Snapshot) -> None:
        """The story up to the cursor."""
        picked = snapshot.selection.target
        target = snapshot.state.answer[0] if picked is None else picked
        if target is None:
            words = "Pick an arm in any view; until then, this is the story of the recommended one, or of the leader."
            self.put(Explanation("no arm is picked", (Paragraph("No arm yet", words),)), "")
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
        """Count more pulls, as long as somebody looks."""
        snapshot, ledger = self.snapshot, self._ledger
        if snapshot is None or ledger is None or not self.body.isVisible():
            return
        ledger.update(_SLICE)
        if ledger.complete_before(snapshot.cursor):
            self.show(snapshot)
        else:
            self._timer.start()
