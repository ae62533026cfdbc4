"""Recovery in a window: tells the recorder what to write, and offers the work of windows that ended unexpectedly."""

from __future__ import annotations

import os
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
from gems_gui.workbench.unsaved import SavedInstance, unsaved_run

if TYPE_CHECKING:
    from gems_gui.drafts.draft import Draft

_PASSING = 1.0  # seconds that a run of auto-run must be shown before it gets a file
_NOTHING_KEPT = "Crash recovery is not working at the moment. Save your work."


def recovery_root() -> Path:
    """The folder with the recovery files of this user's windows."""
    return Path(QStandardPaths.writableLocation(_PLACE)) / "gems-lab" / "recovery"


_PLACE = QStandardPaths.StandardLocation.GenericStateLocation


class RecoveryController(QObject):
    """The recovery of a window, and the bar that offers the work of ended windows.

    Attributes
    ----------
    offers
        Whether a user can answer; False when a screenshot is taken.
    notice
        The bar.
    """

    def __init__(self, services: Services) -> None:
        super().__init__(services.host)
        self._workbench, self._files = services.workbench, services.files
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
                "Restore": "Add the runs to the list and put the draft into the form; Undo restores the form.",
                "Discard": "Delete these runs and this draft permanently.",
                "Later": "Keep everything and ask again at the next start.",
            },
        )
        self.recorder.found.connect(self._on_found)
        self.recorder.recovered.connect(self._on_recovered)
        self.recorder.write_failed.connect(self._on_write_failed)
        self.recorder.write_resumed.connect(self._on_write_resumed)

    # -- what there is to keep ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start to record what differs from the initial state, and look for folders of ended windows."""
        work = self._workbench
        self._first = work.drafts.draft
        work.subscribe(self.keep, Field.RUNS, Field.ACTIVE, Field.DRAFT)
        work.subscribe(self.recorder.moved, Field.SNAPSHOT)
        self.keep()
        if self.offers:
            self.recorder.look()

    def keep(self, *_: object) -> None:
        """Tell the recorder what to write now."""
        work, draft = self._workbench, self._workbench.drafts.draft
        runs = [self._kept(run) for run in work.runs if unsaved_run(run) or (run.run_id >= 0 and not run.saved)]
        # An instance of another source is kept: the next start would show another form.
        as_begun = draft == self._first and isinstance(draft.source, FromGallery)
        self.recorder.keep(None if as_begun else draft, runs, self._saved())

    def _saved(self) -> list[SavedInstance]:
        """Where instances are saved; the next start may be in another folder."""
        stamps, saved = self._files.stamps, self._workbench.saved_instances
        return [
            SavedInstance(digest, os.path.abspath(path), stamp)
            for digest, path in saved.items()
            if (stamp := stamps.get(path)) is not None
        ]

    def _kept(self, run: RunSession) -> KeptRun:
        live = run.run_id >= 0 and run.ending is None
        since = run.began + _PASSING if self._workbench.is_passing(run) else 0.0
        shown = run is self._workbench.active
        path = os.path.abspath(run.path or run.proposed) if run.path or run.proposed else ""
        return KeptRun(run.trace, run.name, run.pinned, live, since, run.playback, shown, path)

    @property
    def works(self) -> bool:
        """Whether runs and the draft are being written to the recovery files."""
        return not self._error

    def close(self) -> None:
        """Delete the recovery files: the work is saved, or was discarded."""
        self._end(leave=False)

    def leave(self) -> None:
        """Stop without asking about unsaved work: the next start offers it."""
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
        self._error = ""
        self._workbench.messages.log("Crash recovery is working again.")

    # -- files of other windows ---------------------------------------------------------------------------------

    def _on_found(self, left: Sequence[LeftBehind], sentences: Sequence[str]) -> None:
        for sentence in sentences:
            self._workbench.messages.log(sentence)
        self._offered = list(left)
        if left:
            self.notice.show_message(offer_text(left, datetime.now()))

    def restore(self) -> None:
        """Restore everything that is offered."""
        self._awaited, self._offered = self._offered, []
        self.notice.show_message("")
        for left in self._awaited:
            self.recorder.restore(left)

    def discard(self) -> None:
        """Delete everything that is offered."""
        for left in self._offered:
            self.recorder.discard(left)
        self._on_button_clicked("Earlier unsaved work deleted.")

    def postpone(self) -> None:
        """Leave it for the next start."""
        for left in self._offered:
            self.recorder.postpone(left)
        self._on_button_clicked("Earlier unsaved work is kept. It is offered again at the next start.")

    def _on_button_clicked(self, sentence: str) -> None:
        self._offered = []
        self.notice.show_message("")
        self._workbench.messages.log(sentence)

    def _on_recovered(self, left: LeftBehind, read: Sequence[Recovered]) -> None:
        if left not in self._awaited:
            return  # the window was closed in the meantime
        self._awaited.remove(left)
        shown: RunSession | None = None
        for each in read:
            if each.histories:
                run = self._workbench.recover(each.histories, each.name, each.pinned, each.cursor)
                run.proposed = each.path
                shown = run if each.shown else shown
            if each.draft is not None:
                self._workbench.drafts.set_draft(each.draft)  # those of several windows are steps of undo
        if shown is not None:
            self._workbench.activate(shown)
        if left.saved:
            self._files.look_again(left.saved)
        self._restored += read
        self.keep()
        self.recorder.settle(left, unreadable=any(each.trace is None and each.draft is None for each in read))
        if not self._awaited:
            self._show_result()

    def _show_result(self) -> None:
        """Show what was restored, and what was not."""
        read, self._restored = self._restored, []
        losses = [each.sentence for each in read if each.sentence]
        for sentence in filter(None, (restored_text(read), *losses)):
            self._workbench.messages.add(sentence, (lambda: True) if losses else None)  # a loss: until it is dismissed
            self._workbench.messages.log(sentence)


def offer_text(left: Sequence[LeftBehind], now: datetime) -> str:
    """The offer in one sentence; the folders are in the order in which their windows ended."""
    ended = left[-1].ended
    when = f"at {ended:%H:%M}" if ended.date() == now.date() else f"on {ended:%Y-%m-%d} at {ended:%H:%M}"
    often = "" if len(left) == 1 else f" {len(left)} times"
    return (
        f"GEMS Lab ended unexpectedly{often}; the last change was recorded {when}. Restore {_counted(*_counts(left))}?"
    )


def restored_text(read: Sequence[Recovered]) -> str:
    """What was restored, in one sentence; empty if nothing was."""
    words = _counted(sum(each.trace is not None for each in read), sum(each.draft is not None for each in read))
    return f"Restored: {words}." if words else ""


def _counts(left: Sequence[LeftBehind]) -> tuple[int, int]:
    return sum(len(each.runs) for each in left), sum(each.has_draft for each in left)


def _counted(runs: int, drafts: int) -> str:
    parts = ["a run" if runs == 1 else f"{number(runs)} runs"] if runs else []
    parts += ["a draft" if drafts == 1 else f"{number(drafts)} drafts"] if drafts else []
    return " and ".join(parts)
