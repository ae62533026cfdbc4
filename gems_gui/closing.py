"""Closing: what is unsaved and worth a question, and the one dialog that asks. It blocks nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from gems_engine.terminal import number
from gems_gui.dialogs import Dialog, sentence_label
from gems_gui.drafting import Drafting
from gems_gui.file_worker import FileDone
from gems_gui.sources import FromTable
from gems_gui.workspace import WatchedRun

if TYPE_CHECKING:
    from gems_gui.window import MainWindow

WORTH = 1.0
"""Seconds of computing from which on a run is worth a question."""
_READING = 0.3  # seconds that closing may spend on reading traces, all together


@dataclass(frozen=True, eq=False)
class Unsaved:
    """Something that closing would lose.

    Attributes
    ----------
    run
        The run; None for the instance of the form.
    words
        What it is, for the dialog.
    can_save
        False where it is not valid as it is, so that no file could hold it.
    """

    run: WatchedRun | None
    words: str
    can_save: bool = True


def unsaved_instance(drafting: Drafting, saved: Mapping[str, str]) -> bool:
    """Whether the form's instance was made or changed by hand and no file has it as it is.

    Parameters
    ----------
    saved
        From digests of instances to the files that have them.
    """
    if not isinstance(drafting.draft.source, FromTable):
        return False  # a family makes it again, and what was only opened is in its file
    return drafting.instance is None or drafting.instance.digest not in saved


def unsaved_run(run: WatchedRun, seconds: float = 0.0) -> bool:
    """Whether closing should ask about a run.

    A run is repeated from its seed by «Copy as command» or by the form in the time that it took: what took less than a
    second of computing, most runs on small instances, is not worth a question unless it is pinned. One that was saved
    and has gone on since is unsaved too, and so is one whose story has changed since: that no seed brings back.

    Parameters
    ----------
    seconds
        How long its trace may be read to find out; what is not read by then is long, and counts.
    """
    if run.saved:
        return False
    if not run.story_saved:
        return True
    facts = run.facts
    if seconds:
        facts.follow(seconds)
    return run.pinned or facts.seconds >= WORTH or (bool(seconds) and not facts.complete)


def everything_unsaved(runs: Sequence[WatchedRun], drafting: Drafting, saved: Mapping[str, str]) -> list[Unsaved]:
    """What closing has to ask about: the instance first, then runs in their order."""
    found = []
    if unsaved_instance(drafting, saved):
        valid = drafting.instance is not None
        words = (
            "The instance of the form, made by hand" if valid else "The instance of the form, which is not valid yet"
        )
        found.append(Unsaved(None, words, valid))
    lost = [run for run in runs if not run.saved]
    if found or any(unsaved_run(run, _READING / len(runs)) for run in lost):  # who is asked anyway is told of all
        for run in lost:
            took = number(run.facts.seconds, 2)
            story = "" if run.story_saved else ", with a story"
            found.append(Unsaved(run, f"{run.name}: {number(len(run.trace))} events, {took} s of computing{story}"))
    return found


class ClosingDialog(Dialog):
    """Everything unsaved, each with Save and Discard; when nothing is left to decide, the window may close."""

    save_asked = Signal(object)
    """An `Unsaved` is to be saved: tell :meth:`was_saved` when it is."""
    decided = Signal()
    """Everything is saved or discarded."""

    def __init__(self, parent: QWidget, items: Sequence[Unsaved]) -> None:
        super().__init__(parent, "Close with unsaved work?")
        self.items = list(items)
        self.rows: list[_Row] = []
        intro = sentence_label()
        intro.setText("Closing would lose this. Runs go on meanwhile.")
        self.column.addWidget(intro)
        frame = QFrame()
        frame.setProperty("role", "card")
        grid = QGridLayout(frame)
        grid.setContentsMargins(12, 10, 12, 10)
        grid.setHorizontalSpacing(10)
        grid.setColumnStretch(0, 1)
        for at, item in enumerate(self.items):
            row = _Row(item, frame)
            row.save_asked.connect(self.save_asked)
            row.decided.connect(self._look)
            for place, widget in enumerate((row.words, row.fate, row.save, row.discard)):
                grid.addWidget(widget, at, place)
            self.rows.append(row)
        self.column.addWidget(frame)
        self.column.addStretch(1)
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Keep the window open")
        self.cancel.clicked.connect(self.close)
        self.discard_all = QPushButton("Discard all and close")
        self.discard_all.setToolTip("Close, and lose what is not saved")
        self.discard_all.clicked.connect(self._discard_all)
        self.cancel.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addWidget(self.discard_all)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        self.column.addLayout(buttons)
        self.ensurePolished()
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 90)

    def was_saved(self, run: WatchedRun | None) -> None:
        """The instance (None) or a run has been saved, by this dialog or otherwise."""
        for row in self.rows:
            if row.item.run is run:
                row.settle("saved")

    def _discard_all(self) -> None:
        for row in self.rows:
            row.settle("discarded")

    def _look(self) -> None:
        if all(row.settled for row in self.rows):
            self.decided.emit()


class _Row(QWidget):
    """One thing that would be lost; its parts stand in the grid of the dialog."""

    save_asked = Signal(object)
    decided = Signal()

    def __init__(self, item: Unsaved, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.item = item
        self.settled = False
        self.words = QLabel(item.words)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.fate = QLabel()
        self.fate.setProperty("role", "dim")
        self.save = QPushButton("Save…")
        self.save.setAccessibleName(f"Save {item.words}")
        self.save.setToolTip("Ask for a file" if item.can_save else "What is not valid cannot be saved")
        self.save.setEnabled(item.can_save)
        self.save.clicked.connect(self._save)
        self.discard = QPushButton("Discard")
        self.discard.setAccessibleName(f"Discard {item.words}")
        self.discard.setToolTip("Lose this when the window closes")
        self.discard.clicked.connect(self._discard)

    def settle(self, fate: str) -> None:
        """It is decided what becomes of it."""
        if not self.settled:
            self.settled = True
            self.fate.setText(fate)
            self.save.setEnabled(False)
            self.discard.setEnabled(False)
            self.decided.emit()

    def _save(self) -> None:
        self.save_asked.emit(self.item)

    def _discard(self) -> None:
        self.settle("discarded")


class Closing(QObject):
    """Decides whether a window may close, and asks until it may.

    Attributes
    ----------
    asks
        Whether anybody is there to answer.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.asks = True
        self.dialog: ClosingDialog | None = None
        window.files.done.connect(self._file_done)

    def may_close(self) -> bool:
        """Whether nothing would be lost; if something would, the dialog is there afterwards."""
        if not self.asks:
            return True
        window = self._window
        items = everything_unsaved(window.workspace.runs, window.drafting, window.run_handlers.saved_instances)
        if items:
            self._ask(items)
        return not items

    def _ask(self, items: Sequence[Unsaved]) -> None:
        self.dialog = ClosingDialog(self._window, items)
        self.dialog.save_asked.connect(self._save)
        self.dialog.decided.connect(self._window.close_without_asking)
        self.dialog.finished.connect(self._forget)
        self.dialog.show()

    def _forget(self) -> None:
        if self.sender() is self.dialog:
            self.dialog = None

    def _save(self, item: Unsaved) -> None:
        if item.run is None:
            self._window.handlers.save_instance()
        else:
            self._window.handlers.save_run(item.run)

    def _file_done(self, done: FileDone) -> None:
        if self.dialog is None or done.error:
            return
        if done.task == "save instance":
            self.dialog.was_saved(None)
        for run in self._window.workspace.runs:
            if done.task == "save run" and run.trace is done.value:
                self.dialog.was_saved(run)
