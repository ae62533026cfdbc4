"""A window's recovery: tells the recorder what there is to keep, and offers what other windows have left."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths

from gems_engine.terminal import number
from gems_gui.drafts.sources import FromGallery
from gems_gui.recovery.folder import LeftBehind, Recovered
from gems_gui.recovery.recorder import KeptRun, Recorder
from gems_gui.services import Services
from gems_gui.widgets.notice import Notice
from gems_gui.workbench.changes import Field
from gems_gui.workbench.messages import ERROR
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.unsaved import unsaved_run

if TYPE_CHECKING:
    from gems_gui.drafts.draft import Draft

_PASSING = 1.0  # seconds for which a run of auto-run must be shown, to be worth a file
_NOTHING_KEPT = "Nothing is kept for a crash for now, so save what matters."


def recovery_root() -> Path:
    """Where the windows of this user keep what a crash would take."""
    return Path(QStandardPaths.writableLocation(_PLACE)) / "gems-lab" / "recovery"


_PLACE = QStandardPaths.StandardLocation.GenericStateLocation


class RecoveryController(QObject):
    """The recovery of a window, and the bar that offers that of others.

    Attributes
    ----------
    offers
        Whether anybody is there to answer: for a picture of the window nobody is.
    notice
        The bar.
    """

    def __init__(self, services: Services) -> None:
        super().__init__(services.host)
        self._workbench = services.workbench
        self.offers = True
        self.recorder = Recorder(recovery_root(), self)
        self._first: Draft | None = None
        self._error = ""
        self._offered: list[LeftBehind] = []
        self._awaited: list[LeftBehind] = []
        self._restored: list[Recovered] = []
        self.notice = Notice(
            "Recovery",
            {"Restore": self.restore, "Discard": self.discard, "Later": self.postpone},
            tips={
                "Restore": "Put the runs into the list of runs and the draft into the form; Undo brings the form back.",
                "Discard": "Delete these runs and this draft for good.",
                "Later": "Leave everything where it is; the next start offers it again.",
            },
        )
        self.recorder.found.connect(self._on_found)
        self.recorder.recovered.connect(self._on_recovered)
        self.recorder.write_failed.connect(self._on_write_failed)
        self.recorder.write_resumed.connect(self._on_write_resumed)

    # -- what there is to keep ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """Keep from now on what differs from how the window began, and look for what others have left."""
        work = self._workbench
        self._first = work.drafts.draft
        work.subscribe(self.keep, Field.RUNS, Field.ACTIVE, Field.DRAFT)
        work.subscribe(self.recorder.moved, Field.SNAPSHOT)
        self.keep()
        if self.offers:
            self.recorder.look()

    def keep(self, *_: object) -> None:
        """Tell the recorder what there is now."""
        work, draft = self._workbench, self._workbench.drafts.draft
        runs = [self._kept(run) for run in work.runs if unsaved_run(run) or (run.run_id >= 0 and not run.saved)]
        as_begun = draft == self._first and isinstance(
            draft.source, FromGallery
        )  # else the next start has no such form
        self.recorder.keep(None if as_begun else draft, runs)

    def _kept(self, run: RunSession) -> KeptRun:
        live = run.run_id >= 0 and run.ending is None
        since = run.began + _PASSING if self._workbench.is_passing(run) else 0.0
        shown = run is self._workbench.active
        return KeptRun(run.trace, run.name, run.pinned, live, since, run.playback, shown)

    def close(self) -> None:
        """Delete what was kept: what it was kept for is saved, or was not wanted."""
        self._end(leave=False)

    def leave(self) -> None:
        """End without having asked: what closing would have asked about is there at the next start."""
        self._end(leave=True)

    def _end(self, leave: bool) -> None:
        self.recorder.close(leave)
        for left in (*self._offered, *self._awaited):
            left.postpone()
        self._offered, self._awaited = [], []

    def _on_write_failed(self, sentence: str) -> None:
        self._error = f"{_NOTHING_KEPT} {sentence}"
        self._workbench.messages.add_persistent(self._error)
        self._workbench.messages.log(self._error, ERROR)

    def _on_write_resumed(self) -> None:
        self._workbench.messages.remove_persistent(self._error)
        self._workbench.messages.log("Runs and the draft are kept for a crash again.")

    # -- what others have left ----------------------------------------------------------------------------------

    def _on_found(self, left: Sequence[LeftBehind], sentences: Sequence[str]) -> None:
        for sentence in sentences:
            self._workbench.messages.log(sentence)
        self._offered = list(left)
        if left:
            self.notice.show_message(offer_text(left, datetime.now()))

    def restore(self) -> None:
        """Bring everything back that is offered."""
        self._awaited, self._offered = self._offered, []
        self.notice.show_message("")
        for left in self._awaited:
            self.recorder.restore(left)

    def discard(self) -> None:
        """Delete it."""
        for left in self._offered:
            self.recorder.discard(left)
        self._on_button_clicked("What was left from before is deleted.")

    def postpone(self) -> None:
        """Leave it to the next start."""
        for left in self._offered:
            self.recorder.postpone(left)
        self._on_button_clicked("What was left from before stays; the next start offers it again.")

    def _on_button_clicked(self, sentence: str) -> None:
        self._offered = []
        self.notice.show_message("")
        self._workbench.messages.log(sentence)

    def _on_recovered(self, left: LeftBehind, read: Sequence[Recovered]) -> None:
        if left not in self._awaited:
            return  # the window has closed meanwhile, and given it back
        self._awaited.remove(left)
        shown: RunSession | None = None
        for each in read:
            if each.trace is not None:
                run = self._workbench.recover(each.trace, each.name, each.pinned, each.cursor)
                shown = run if each.shown else shown
            if each.draft is not None:
                self._workbench.drafts.set_draft(each.draft)  # those of several windows lie behind each other, for Undo
        if shown is not None:
            self._workbench.activate(shown)
        self._restored += read
        self.keep()
        self.recorder.settle(left, unreadable=any(each.trace is None and each.draft is None for each in read))
        if not self._awaited:
            self._show_result()

    def _show_result(self) -> None:
        """Say what came back, and what did not."""
        read, self._restored = self._restored, []
        for sentence in (restored_text(read), *(each.sentence for each in read)):
            if sentence:
                self._workbench.messages.add(sentence)
                self._workbench.messages.log(sentence)


def offer_text(left: Sequence[LeftBehind], now: datetime) -> str:
    """What is offered, in one sentence; the folders stand in the order in which their windows ended."""
    ended = left[-1].ended
    when = f"at {ended:%H:%M}" if ended.date() == now.date() else f"on {ended:%Y-%m-%d} at {ended:%H:%M}"
    often = "" if len(left) == 1 else f" {len(left)} times, the last time"
    return f"GEMS Lab ended unexpectedly{often} {when}: {_counted(*_counts(left))}."


def restored_text(read: Sequence[Recovered]) -> str:
    """What was restored, in one sentence; empty if nothing was."""
    words = _counted(sum(each.trace is not None for each in read), sum(each.draft is not None for each in read))
    return f"Restored: {words}." if words else ""


def _counts(left: Sequence[LeftBehind]) -> tuple[int, int]:
    return sum(len(each.runs) for each in left), sum(each.has_draft for each in left)


def _counted(runs: int, drafts: int) -> str:
    parts = ["a run" if runs == 1 else f"{number(runs)} runs"] if runs else []
    parts += ["a draft" if drafts == 1 else f"{number(drafts)} drafts"] if drafts else []
    return ", ".join(parts)
