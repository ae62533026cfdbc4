"""The recovery folder of one window: a locked list of contents, a journal for each run, the draft; independent of Qt.

A window creates its folder when there is something to keep, and holds the lock of its list until it closes. A
folder whose list is not locked belongs to a window that ended unexpectedly. The process that takes the lock may
offer the contents, and no other process does so at the same time.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from gems_engine.errors import InputError
from gems_engine.files import (
    LineFile,
    Lines,
    atomic_write,
    has_events,
    in_use,
    make_folder,
    read_bytes,
    read_recovery,
    read_run,
)
from gems_engine.formats.content import require_version
from gems_engine.formats.json_format import parse_json
from gems_engine.history import History, histories
from gems_engine.trace import Trace
from gems_gui.drafts.draft import Draft
from gems_gui.recovery import draft_json
from gems_gui.workbench.unsaved import SavedInstance

FORMAT = "gems-recovery"
VERSION = 1
LIST, DRAFT, PLACES, SAVED = "window.jsonl", "draft.json", "places.json", "saved.json"
MOST_DRAFT = 2**26
"""Most bytes of a draft: a larger one could not be read back."""
_MOST_PLACES = _MOST_SAVED = 2**20
KEPT = 30 * 86_400.0
"""Seconds after which contents that were offered before, or cannot be read, are removed."""
_YOUNG = 60.0  # seconds during which a folder without a list may still be in creation
_DAMAGED, _GONE = "damaged-", "gone-"
_RUN = re.compile(r"run-(\d{1,9})\.gems")


@dataclass(frozen=True)
class RecoveryPaths:
    """The cursors of a window and its shown run.

    Attributes
    ----------
    cursors
        Cursor of each run by its number, in the order of the window; None for a run that is followed to its end.
    shown
        The number of the shown run, None if it is not among these.
    """

    cursors: tuple[tuple[int, int | None], ...] = ()
    shown: int | None = None


class OwnFolder:
    """The recovery folder of an open window.

    Parameters
    ----------
    root
        The parent folder of all windows of this user.
    """

    def __init__(self, root: Path) -> None:
        began = datetime.now()
        make_folder(root, private=True)
        self.path = make_folder(root / f"{began:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}", private=True)
        with contextlib.ExitStack() as undo:  # a full disk leaves nothing
            undo.callback(shutil.rmtree, self.path, ignore_errors=True)
            self._list = LineFile(self.path / LIST, private=True)
            undo.callback(self._list.close)
            self.note({"format": FORMAT, "version": VERSION, "began": began.isoformat(timespec="seconds")})
            undo.pop_all()

    def note(self, said: dict[str, Any]) -> None:
        """Append an entry to the list."""
        self._list.append(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    def journal(self, number: int) -> Path:
        """The path of the journal of a run."""
        return self.path / f"run-{number}.gems"

    def story(self, number: int) -> Path:
        """The path of the story of a run."""
        return _story_of(self.journal(number))

    def keep_draft(self, draft: Draft | None) -> int:
        """Write the form to its file atomically; None: there is nothing to keep. Returns the number of bytes."""
        if draft is None:
            with contextlib.suppress(OSError):
                (self.path / DRAFT).unlink()
            return 0
        pieces = list(draft_json.to_json(draft))
        size = sum(map(len, pieces))
        if size > MOST_DRAFT:
            raise InputError(f"The instance in the form takes {size} bytes, too many for crash recovery: save it.")
        atomic_write(self.path / DRAFT, pieces, private=True)
        return size

    def keep_places(self, places: RecoveryPaths) -> None:
        """Write the cursors; this happens often, so it does not wait for the disk."""
        cursors = {str(number): cursor for number, cursor in places.cursors}
        said = {"shown": places.shown, "cursors": cursors}
        atomic_write(self.path / PLACES, json.dumps(said).encode(), wait=False, private=True)

    def keep_saved(self, saved: Sequence[SavedInstance]) -> None:
        """Write where instances are saved."""
        said = [[each.digest, each.path, each.stamp] for each in saved]
        atomic_write(self.path / SAVED, json.dumps(said).encode(), private=True)

    def leave(self) -> None:
        """Release the lock, so that the next window finds the folder."""
        self._list.close()

    def remove(self) -> None:
        """Delete the folder when it is no longer needed."""
        _remove(self.path, self._list)


@dataclass(frozen=True, eq=False)
class Recovered:
    """A recovered run with its name, or the draft; or one sentence that says why it cannot be read.

    Attributes
    ----------
    histories
        The histories of the run and of the other runs of its story, which would take the window too long.
    cursor
        The cursor of the run, at most its end.
    shown
        Whether the window showed this run.
    path
        The file of the run, which has not all of it; empty if there was none.
    """

    name: str = ""
    histories: tuple[History, ...] = ()
    pinned: bool = False
    cursor: int = 0
    shown: bool = False
    path: str = ""
    draft: Draft | None = None
    sentence: str = ""

    @property
    def trace(self) -> Trace | None:
        """The run."""
        return self.histories[0].trace if self.histories else None


class LeftBehind:
    """The folder of a window that has ended, locked by us until it is postponed or removed, or until we end.

    Attributes
    ----------
    path
        The folder.
    ended
        When it was last written to.
    runs
        The journals, in the order in which they began.
    has_draft
        Whether the form was edited.
    saved
        The instances that were in files; the files may have changed since then.
    offered
        Whether it was offered before.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._list = LineFile(path / LIST)  # raises InputError if another window has just locked it
        try:
            self.offered = False
            self._names: dict[int, tuple[str, bool, str]] = {}
            for at, line in enumerate(Lines(path / LIST)):
                self._hear(at, line)
            journals = (each for each in path.iterdir() if _RUN.fullmatch(each.name))
            # A full disk, or a kill before the first event, leaves files without events.
            self.runs = sorted(filter(has_events, journals), key=_number)
            self.has_draft = (path / DRAFT).is_file()
            self.saved = _saved(path / SAVED)
            others = (each for each in path.iterdir() if each.name != LIST)  # opening it changed its time
            written = [each.stat().st_mtime for each in others]
            self.ended = datetime.fromtimestamp(max(written, default=time.time()))
        except BaseException as error:
            self._list.close()
            if isinstance(error, OSError):
                raise InputError(f"Cannot read {path}: {error.strerror}.") from error
            raise

    def _hear(self, at: int, line: bytes) -> None:
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return  # only the names are lost
        if not isinstance(said, dict):
            return
        if at == 0 and said.get("format") == FORMAT:
            require_version(said.get("version"), VERSION)
        number, name, path = said.get("run"), said.get("name"), said.get("path")
        if isinstance(number, int) and isinstance(name, str):
            self._names[number] = name[:200], said.get("pinned") is True, path if isinstance(path, str) else ""
        self.offered |= "offered" in said

    @property
    def empty(self) -> bool:
        """Whether there is nothing to offer."""
        return not self.runs and not self.has_draft

    def note_offer(self) -> None:
        """Record that it was offered."""
        with contextlib.suppress(InputError):  # a full disk must not prevent the offer
            self._list.append(json.dumps({"offered": datetime.now().isoformat(timespec="seconds")}).encode() + b"\n")

    def read(self) -> Iterator[Recovered]:
        """The contents, one by one; a sentence for what cannot be read."""
        places = _places(self.path / PLACES)
        cursors = dict(places.cursors)
        rows = {number: row for row, number in enumerate(cursors)}  # in the window; a restored run has a young journal
        runs = sorted(self.runs, key=lambda journal: rows.get(_number(journal), len(rows)))
        for number, journal in enumerate(runs, start=1):
            name, pinned, path = self._names.get(_number(journal), (f"run {number}", False, ""))
            try:
                trace = read_recovery(journal)
                if not len(trace):
                    raise InputError(" ".join((f"{journal}:", *trace.notes)))
            except InputError as error:
                yield Recovered(name, sentence=f"Cannot restore {name}. {error}")
                continue
            notes = list(trace.notes)
            if _story_of(journal).exists():
                try:
                    trace.story = read_run(_story_of(journal)).story
                except InputError as error:
                    notes.append(f"Cannot restore its story. {error}")
            cursor = cursors.get(_number(journal), 0)
            cursor = len(trace) if cursor is None else min(cursor, len(trace))
            said = f"{name}: {' '.join(notes)}" if notes else ""
            shown = places.shown == _number(journal)
            yield Recovered(name, histories(trace), pinned, cursor, shown, path, sentence=said)
        if self.has_draft:
            try:
                yield Recovered(draft=draft_json.from_json(read_bytes(self.path / DRAFT, MOST_DRAFT)))
            except InputError as error:
                yield Recovered(sentence=f"Cannot restore the form. {error}")

    def postpone(self) -> None:
        """Leave the contents for the next window."""
        self._list.close()

    def remove(self, but_unreadable: bool = False) -> str:
        """Delete the folder; optionally keep unreadable files for a month and return the folder that holds them."""
        if not but_unreadable:
            _remove(self.path, self._list)
            return ""
        new = self.path.with_name(f"{_DAMAGED}{self.path.name}")
        self._list.close()
        with contextlib.suppress(OSError):
            self.path.rename(new)
        return str(new)


def left_behind(root: Path) -> tuple[list[LeftBehind], list[str]]:
    """The folders of windows that have ended, oldest first and locked by us, with sentences about the others."""
    found: list[LeftBehind] = []
    sentences: list[str] = []
    try:
        folders = sorted(each for each in root.iterdir() if each.is_dir() and not each.is_symlink())
    except OSError:
        return [], []
    for folder in folders:
        age = _age(folder)
        if folder.name.startswith(_GONE) or (folder.name.startswith(_DAMAGED) and age > KEPT):
            shutil.rmtree(folder, ignore_errors=True)
        elif folder.name.startswith(_DAMAGED) or in_use(folder / LIST):
            continue
        elif not (folder / LIST).is_file():
            if age > _YOUNG:
                with contextlib.suppress(OSError):
                    folder.rmdir()  # left empty by a kill
        else:
            _claim(folder, found, sentences)
    return sorted(found, key=lambda each: each.ended), sentences


def _claim(folder: Path, found: list[LeftBehind], sentences: list[str]) -> None:
    try:
        left = LeftBehind(folder)
    except InputError as error:
        if not in_use(folder / LIST):  # otherwise another window was faster
            sentences.append(f"Cannot restore the work of an earlier window in {folder}. {error}")
        return
    old = time.time() - left.ended.timestamp() > KEPT
    if left.empty or (old and left.offered):
        if not left.empty:
            sentences.append(f"Deleted the unsaved work of {left.ended:%Y-%m-%d}, which had been offered for recovery.")
        left.remove()
    else:
        left.note_offer()
        found.append(left)


def _places(file: Path) -> RecoveryPaths:
    """The cursors in a file; empty if it cannot be read, since a run can be restored without its cursor."""
    try:
        said = parse_json(read_bytes(file, _MOST_PLACES)) if file.is_file() else {}
    except InputError:
        return RecoveryPaths()
    cursors = said.get("cursors") if isinstance(said, dict) else None
    if not isinstance(cursors, dict):
        return RecoveryPaths()
    good = {
        int(number): cursor
        for number, cursor in cursors.items()
        if re.fullmatch(r"[0-9]{1,9}", number) and (cursor is None or (type(cursor) is int and cursor >= 0))
    }
    shown = said.get("shown")
    return RecoveryPaths(tuple(good.items()), shown if type(shown) is int else None)


def _saved(file: Path) -> tuple[SavedInstance, ...]:
    """Where instances are saved; entries that are not valid are left out, so that closing asks about them."""
    try:
        said = parse_json(read_bytes(file, _MOST_SAVED)) if file.is_file() else []
    except InputError:
        return ()
    found = []
    for each in said if isinstance(said, list) else []:
        match each:
            case [str(digest), str(path), [int(), int(), int()] as stamp] if os.path.isabs(path):
                found.append(SavedInstance(digest, path, tuple(stamp)))
    return tuple(found)


def _age(folder: Path) -> float:
    try:
        return time.time() - folder.stat().st_mtime
    except OSError:
        return 0.0


def _remove(folder: Path, held: LineFile) -> None:
    """Rename a folder and delete it, so that no process finds a part of it."""
    gone = folder.with_name(f"{_GONE}{folder.name}")
    if os.name == "nt":  # on Windows a folder with an open file cannot be renamed
        held.close()
    with contextlib.suppress(OSError):
        folder.rename(gone)
    held.close()
    shutil.rmtree(gone, ignore_errors=True)


def _story_of(journal: Path) -> Path:
    return journal.with_suffix(".story.gems")


def _number(journal: Path) -> int:
    match = _RUN.fullmatch(journal.name)
    return int(match[1]) if match else 0
