"""Writes the work of a window to its recovery folder in a separate thread, and reads the folders of ended windows."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gems_engine.errors import InputError
from gems_engine.files import RecoveryFile, make_folder, write_run
from gems_engine.trace import Trace
from gems_gui.background.worker_thread import WorkerThread
from gems_gui.drafts.draft import Draft
from gems_gui.recovery.folder import LeftBehind, OwnFolder, RecoveryPaths, left_behind
from gems_gui.workbench.unsaved import SavedInstance

if TYPE_CHECKING:
    from gems_engine.talk.story import Story
    from gems_gui.workbench.playback import Playback

LIMIT = 2**30
"""Most bytes that a window writes for recovery."""
PACE = 0.3
"""Seconds between two checks for changes."""
_AGAIN = 1.0  # seconds until the next attempt after a failed write
_STORY_PATIENCE = 10.0  # multiples of the time that writing a story took, until it is written again
_PATIENCE = 10.0  # seconds for the thread to end
_RECORD = "record"
_NOTHING: tuple[Draft | None, tuple[KeptRun, ...], tuple[SavedInstance, ...]] = (None, (), ())


@dataclass(frozen=True, eq=False)
class KeptRun:
    """A run to write for recovery.

    Attributes
    ----------
    live
        Whether it may still grow.
    since
        The monotonic time from which it is written: a run replaced before that needs no file.
    playback
        Provides its cursor; None: the cursor is not written.
    shown
        Whether the window shows this run.
    path
        Its file; empty if it has none.
    """

    trace: Trace
    name: str
    pinned: bool = False
    live: bool = False
    since: float = 0.0
    playback: Playback | None = None
    shown: bool = False
    path: str = ""


class Recorder(QObject):
    """The recovery thread of a window.

    Signals
    -------
    found
        A list of `LeftBehind`, and sentences about what cannot be offered.
    recovered
        A `LeftBehind` and the list of everything read from it.
    write_failed, write_resumed
        Why recovery files cannot be written, in one sentence, emitted once; and that they can be written again.
    """

    found = Signal(object, object)
    recovered = Signal(object, object)
    write_failed = Signal(str)
    write_resumed = Signal()

    def __init__(self, root: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.root = root
        self._wanted = _NOTHING
        self._ending = self._leaves = False
        self._worker = WorkerThread("gems recovery", self)
        # Everything below belongs to the thread.
        self._folder: OwnFolder | None = None
        self._draft: Draft | None = None
        self._draft_size = 0
        self._places = RecoveryPaths()
        self._saved: tuple[SavedInstance, ...] = ()
        self._journals: dict[Trace, _Journal] = {}
        self._numbers = count(1)
        self._error = ""
        self._again = 0.0

    # -- in the window's thread ---------------------------------------------------------------------------------

    def keep(self, draft: Draft | None, runs: Sequence[KeptRun], saved: Sequence[SavedInstance] = ()) -> None:
        """Set the runs and the draft to write, and where instances are saved; files of others are deleted."""
        before, self._wanted = self._wanted, (draft, tuple(runs), tuple(saved))
        if self._wanted != _NOTHING or before != _NOTHING:
            self._go()

    def moved(self, *_: object) -> None:
        """A cursor has moved: write it, if anything is written."""
        if self._wanted != _NOTHING:
            self._go()

    def look(self) -> None:
        """Look for folders of ended windows; emits `found` if there are any."""
        if self.root.is_dir():
            self._do(self._look)

    def restore(self, left: LeftBehind) -> None:
        """Read the folder of an ended window; emits `recovered`."""
        self._do(partial(self._restore, left))

    def settle(self, left: LeftBehind, unreadable: bool = False) -> None:
        """Remove the folder of restored work as soon as the work is written to our folder."""
        self._do(partial(self._settle, left, unreadable))

    def discard(self, left: LeftBehind) -> None:
        """Remove the folder."""
        self._do(partial(self._discard, left))

    def postpone(self, left: LeftBehind) -> None:
        """Leave the folder for the next window."""
        self._do(left.postpone)

    def close(self, leave: bool = False) -> None:
        """Stop, and remove all recovery files or leave them for the next window."""
        if not self._ending:
            self._leaves, self._ending = leave, True
            self._worker.do(self._end)
            self._worker.close(_PATIENCE)

    def _do(self, job: Callable[[], None]) -> None:
        self._worker.do(partial(self._when_recorded, job))

    def _go(self) -> None:
        self._worker.do(self._keep_up, key=_RECORD)

    # -- in the thread ------------------------------------------------------------------------------------------

    def _keep_up(self) -> None:
        """Write what is new, and schedule the next write."""
        if self._ending:
            return
        self._record()
        self._worker.rest(PACE)
        if (at := self._next_time()) is not None:
            self._worker.do(self._keep_up, key=_RECORD, at=at)

    def _when_recorded(self, job: Callable[[], None]) -> None:
        """Do a job that may depend on what is written now."""
        if not self._ending or self._leaves:
            self._record()
            self._go()
        if not (self._ending and job == self._look):  # the window is closing and cannot offer anything
            job()

    def _next_time(self) -> float | None:
        """The time of the next check for changes without a notification."""
        _, runs, _ = self._wanted
        if self._error:
            return self._again
        times = [time.monotonic() + 2 * PACE for kept in runs if kept.live]
        times += [kept.since for kept in runs if kept.trace not in self._journals]
        times += [each.next_story for each in self._journals.values() if each.story_waits]
        return min(times, default=None)

    def _record(self) -> None:
        if self._error and time.monotonic() < self._again and not self._ending:
            return
        before, self._error = self._error, ""
        self._try(self._write)
        if self._error:
            self._again = time.monotonic() + _AGAIN
        if self._error and not before:
            self._worker.post(self.write_failed.emit, self._error)
        elif before and not self._error:
            self._worker.post(self.write_resumed.emit)

    def _try(self, write: Callable[[], None]) -> None:
        """Write something; of several errors, the first is reported."""
        try:
            write()
        except InputError as error:
            self._error = self._error or str(error)
        except Exception as error:  # the window must survive any failure of recovery
            self._error = self._error or f"{type(error).__name__}: {error}."

    def _write(self) -> None:
        draft, runs, saved = self._wanted
        now = time.monotonic()
        due = [kept for kept in runs if len(kept.trace) and kept.since <= now]
        if self._folder is not None and not self._folder.path.is_dir():  # the folder was deleted
            self._forget()
        if self._folder is None:
            if draft is None and not due:
                return
            self._folder = OwnFolder(self.root)
        wanted = {kept.trace for kept in runs}
        for trace in [each for each in self._journals if each not in wanted]:
            self._try(self._journals.pop(trace).remove)
        if draft is not self._draft:
            self._try(partial(self._write_draft, self._folder, draft))
        for kept in due:
            self._try(partial(self._write_run, self._folder, kept))
        self._try(partial(self._write_places, self._folder, due))
        if saved != self._saved:
            self._try(partial(self._write_saved, self._folder, saved))

    def _write_draft(self, folder: OwnFolder, draft: Draft | None) -> None:
        self._draft_size = folder.keep_draft(draft)
        self._draft = draft

    def _write_run(self, folder: OwnFolder, kept: KeptRun) -> None:
        journal = self._journals.get(kept.trace)
        if journal is None or journal.behind:
            used = self._draft_size + sum(each.size for each in self._journals.values())
            if used > LIMIT:
                raise InputError(
                    f"The recovery files of this window already take {used // 10**6} MB. Save or remove runs to make "
                    "room for new ones."
                )
        if journal is None:
            journal = self._journals[kept.trace] = _Journal(folder, next(self._numbers), kept.trace)
        journal.write(kept)

    def _write_places(self, folder: OwnFolder, due: Sequence[KeptRun]) -> None:
        """Write the cursors if one of them has moved."""
        cursors, shown = [], None
        for kept in due:
            if kept.playback is not None and (journal := self._journals.get(kept.trace)) is not None:
                cursors.append((journal.number, None if kept.playback.live else kept.playback.cursor))
                shown = journal.number if kept.shown else shown
        places = RecoveryPaths(tuple(cursors), shown)
        if places != self._places:
            folder.keep_places(places)
            self._places = places

    def _write_saved(self, folder: OwnFolder, saved: tuple[SavedInstance, ...]) -> None:
        folder.keep_saved(saved)
        self._saved = saved

    def _forget(self) -> None:
        for journal in self._journals.values():
            self._try(journal.close)
        self._journals.clear()
        if self._folder is not None:
            self._folder.leave()
        self._folder = self._draft = None
        self._draft_size = 0
        self._places = RecoveryPaths()
        self._saved = ()

    def _end(self) -> None:
        if self._leaves:
            self._record()
            self._forget()
            return
        for journal in self._journals.values():
            self._try(journal.remove)
        if self._folder is not None:
            self._folder.remove()

    # -- ended windows ----------------------------------------------------------------------------------------

    def _look(self) -> None:
        with contextlib.suppress(InputError):
            make_folder(self.root, private=True)  # that of an older version was not
        found, sentences = left_behind(self.root)
        if found or sentences:
            self._worker.post(self.found.emit, found, sentences)

    def _restore(self, left: LeftBehind) -> None:
        read = []
        for each in left.read():
            if self._ending:
                left.postpone()
                return
            read.append(each)
        self._worker.post(self.recovered.emit, left, read)

    def _settle(self, left: LeftBehind, unreadable: bool) -> None:
        if self._error:
            left.postpone()  # not written to our folder: keep the old one
        else:
            left.remove(unreadable)

    def _discard(self, left: LeftBehind) -> None:
        left.remove()


class _Journal:
    """The files of one run: its events, and its story."""

    def __init__(self, folder: OwnFolder, number: int, trace: Trace) -> None:
        self._folder = folder
        self.number = number
        self._trace = trace
        self._file: RecoveryFile | None = None
        self._events = self.size = 0
        self._recorded_name: tuple[str, bool, str] | None = None
        self._story: Story | None = None
        self.next_story = 0.0

    @property
    def story_waits(self) -> bool:
        """Whether the story has to be written, from `next_story` on."""
        return self._trace.story is not self._story

    @property
    def behind(self) -> bool:
        """Whether the run has more events than the file."""
        return len(self._trace) > self._events

    def write(self, kept: KeptRun) -> None:
        """Write what is new."""
        if self.behind:
            if self._file is None:
                self._file = RecoveryFile(self._folder.journal(self.number), self._trace, private=True)
            else:
                self._file.flush()
            self._events, self.size = self._file.events, self._file.size
        if not kept.live:
            self.close()  # a window may have many runs: keep few files open
        if self._recorded_name != (kept.name, kept.pinned, kept.path):
            self._recorded_name = kept.name, kept.pinned, kept.path
            said = {"run": self.number, "name": kept.name, "pinned": kept.pinned, "path": kept.path}
            self._folder.note(said)
        self._write_story()

    def _write_story(self) -> None:
        story, began = self._trace.story, time.monotonic()
        if not self.story_waits or began < self.next_story:
            return
        path = self._folder.story(self.number)
        if story is None:
            path.unlink(missing_ok=True)
        else:
            alone = Trace(self._trace.instance)  # with its companions; the events are in the journal
            alone.story = story
            write_run(path, alone, private=True)
        self._story = story
        self.next_story = began + _STORY_PATIENCE * (time.monotonic() - began)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            file, self._file = self._file, None
            file.close()

    def remove(self) -> None:
        """Delete the files: the run is saved elsewhere, or not wanted."""
        if self._file is not None:
            file, self._file = self._file, None
            file.remove()
        self._folder.journal(self.number).unlink(missing_ok=True)
        self._folder.story(self.number).unlink(missing_ok=True)
