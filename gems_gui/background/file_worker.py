"""Reads and writes files in the background, so that a large file never blocks the window."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QObject, Signal

from gems_engine.arrays import Floats
from gems_engine.errors import Cancelled, InputError
from gems_engine.files import (
    RUN_SUFFIX,
    atomic_write,
    read_instance,
    read_run,
    read_text,
    read_weights,
    stamp,
    write_certificate,
    write_instance,
    write_run,
    write_weights,
)
from gems_engine.formats.certificate_format import DesignCertificate
from gems_engine.formats.item_options import ItemOptions
from gems_engine.history import History, histories
from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_gui.background.worker_thread import WorkerThread
from gems_gui.drafts.open_plan import OpenPlan, try_options
from gems_gui.workbench.unsaved import SavedInstance, Stamp

ITEM_TASKS = ("plan items", "try items")
"""The tasks that only prepare opening a CSV file."""
GONE, CHANGED = "no longer exists", "was changed by another program"
_STOPS = 1.0  # seconds for a reading that was cancelled; it looks several times per second
_PATIENCE = 30.0  # seconds; writing is atomic, so a file that is not complete by then is not written


@dataclass(frozen=True, eq=False)
class FileDone:
    """The result of reading or writing a file: the contents, or one sentence on what failed."""

    path: str
    task: str
    """``open``, ``plan items``, ``try items``, ``open weights``, ``open specification``, or ``save`` and a ``run``, an
    ``instance``, ``weights``, a ``specification`` or a ``picture``."""
    value: Any = None
    """What was read or written, or was not written because another program changed the file."""
    error: str = ""
    note: str = ""
    """A note for the user."""
    write_over: Callable[[], None] | None = None
    """If the file was not written because another program changed it: writes it anyway."""
    changed: bool = False
    """Whether the file has changed since this window read or wrote it."""
    histories: tuple[History, ...] = ()
    """The histories of a run that was read and of the other runs of its story."""
    cancelled: bool = False
    """Whether the user cancelled the reading."""


class _Changed(InputError):
    """Another program has changed the file."""


@dataclass(frozen=True)
class Reading:
    """A file that is being read: bytes of a file, and then events of a run, done and in total."""

    path: str
    unit: str = "bytes"
    done: int = 0
    total: int = 0


class FileWorker(QObject):
    """One thread that reads the files of a window and one that writes them: reading never delays saving.

    A file that was changed by another program since this window read or wrote it is overwritten only if the user
    confirms it.
    """

    done = Signal(object)
    read_started = Signal()
    """A file is about to be read; `reading` is the progress."""
    missed = Signal(object)
    """The paths of missing files, as the answer to `look_for`."""
    lost = Signal(object)
    """The paths of deleted or changed files with their state, as the answer to `look_at`."""
    looked_again = Signal(object)
    """The saved instances with the states of their files, as the answer to `look_again`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._writer = WorkerThread("gems reader", self), WorkerThread("gems files", self)
        self._unwritten: Counter[str] = Counter()  # files that are going to be written, by their real paths
        self._unread = 0
        self._cancellations = 0  # what began to be read before the last one stops
        self.reading: Reading | None = None
        """The file that is being read now."""
        self._known: dict[str, Stamp | None] = {}  # stamps of files; used only in the thread
        self.stamps: dict[str, Stamp | None] = {}
        """Stamps of the files that were read or written, by the paths that were given."""

    def open(self, path: str, options: ItemOptions | None = None) -> None:
        """Read an instance or a run, according to the suffix; a CSV file with options for its columns."""
        if path.lower().endswith(RUN_SUFFIX):
            self._add("open", path, partial(self._read_run, path, self._cancellations))
        else:
            self._add("open", path, partial(read_instance, path, options))

    def plan_items(self, path: str, options: ItemOptions | None, usual: ItemOptions) -> None:
        """Read the first rows of a CSV file, and propose what becomes of its columns."""
        self._add("plan items", path, partial(OpenPlan.read, path, options, usual))

    def try_items(self, path: str, options: ItemOptions) -> None:
        """Find out what a CSV file gives with some options."""
        self._add("try items", path, partial(try_options, path, options))

    def open_weights(self, path: str, arms: int, names: Sequence[str] | None) -> None:
        """Read the weights of a design for a number of arms."""
        self._add("open weights", path, partial(read_weights, path, arms, names))

    def open_specification(self, path: str) -> None:
        """Read the text of a specification."""
        self._add("open specification", path, partial(read_text, path))

    def save_specification(self, path: str, text: str) -> None:
        """Write the text of a specification."""
        self._add("save specification", path, partial(atomic_write, path, text.encode()), text)

    def save_run(self, path: str, trace: Trace) -> None:
        """Write a run."""
        self._add("save run", path, partial(write_run, path, trace), trace)

    def save_instance(self, path: str, instance: Instance) -> None:
        """Write an instance, in the format of the suffix."""
        self._add("save instance", path, partial(write_instance, path, instance), instance)

    def save_weights(self, path: str, weights: Floats) -> None:
        """Write the weights of a design, in the format of the suffix."""
        self._add("save weights", path, partial(write_weights, path, weights), weights)

    def save_certificate(self, path: str, certificate: DesignCertificate) -> None:
        """Write the certificate of a design."""
        self._add("save certificate", path, partial(write_certificate, path, certificate), certificate)

    def save_picture(self, path: str, data: bytes) -> None:
        """Write the bytes of a picture."""
        self._add("save picture", path, partial(atomic_write, path, data), data)

    def look_for(self, paths: Sequence[str]) -> None:
        """Find out which of these files are missing; a slow network drive does not delay saving."""
        self._reader.do(partial(_missing, tuple(paths)), self.missed.emit)

    def look_at(self, paths: Sequence[str]) -> None:
        """Find out which of these files have changed since this window read or wrote them."""
        self._writer.do(partial(self._look_at, tuple(paths)), self.lost.emit)

    def look_again(self, saved: Sequence[SavedInstance]) -> None:
        """Find out which files with instances of an earlier window have changed since then."""
        self._writer.do(partial(self._look_again, tuple(saved)), self.looked_again.emit)

    def state_of(self, path: str) -> str:
        """Whether a file was deleted or changed since it was read or written here, in a few words, or empty."""
        known, now = self._known.get(os.path.realpath(path)), stamp(path)
        if now is None:
            return GONE
        return CHANGED if known is not None and known != now else ""

    @property
    def busy_reading(self) -> bool:
        """Whether a file is being read or waits to be read."""
        return self._unread > 0

    def cancel_reading(self) -> None:
        """Read no further; the user is told for each file."""
        self._cancellations += 1

    def close(self) -> None:
        """Finish writing, stop reading, and end the threads."""
        self.cancel_reading()
        self._reader.close(_STOPS, drop=True)
        self._writer.close(_PATIENCE)

    def _add(self, task: str, path: str, work: Callable[[], Any], value: Any = None) -> None:
        self._begin(_Task(task, path, work, value))

    def _begin(self, task: _Task) -> None:
        place = os.path.realpath(task.path)
        if task.value is not None:
            self._unwritten[place] += 1
            self._writer.do(partial(self._do, task), self._on_written)
        else:
            self._unread += 1
            lane = self._writer if self._unwritten[place] else self._reader  # a file is read after it was written
            lane.do(partial(self._do, task), self._on_read)
            self.read_started.emit()

    def _on_written(self, done: FileDone) -> None:
        self._unwritten[os.path.realpath(done.path)] -= 1
        self.done.emit(done)

    def _on_read(self, done: FileDone) -> None:
        self._unread -= 1
        self.done.emit(done)

    def _read_run(self, path: str, cancellations: int) -> tuple[Trace, tuple[History, ...]]:
        """The run and the histories of its story's runs, which would take the window too long."""

        def watch(unit: str, done: int, total: int) -> None:
            if cancellations != self._cancellations:
                raise Cancelled
            self.reading = Reading(path, unit, done, total)

        try:
            trace = read_run(path, partial(watch, "bytes"))
            return trace, histories(trace, partial(watch, "events"))
        finally:
            self.reading = None

    def _do(self, task: _Task) -> FileDone:
        try:
            return self._read(task) if task.value is None else self._write(task)
        except Cancelled:
            return FileDone(task.path, task.name, cancelled=True)
        except _Changed as error:
            again = partial(self._begin, replace(task, over=True))
            return FileDone(task.path, task.name, task.value, str(error), write_over=again)
        except InputError as error:
            return FileDone(task.path, task.name, error=str(error))
        except Exception as error:  # the window shows any error and goes on
            sentence = f"Cannot {task.name} {PurePath(task.path).name}: {type(error).__name__}: {error}"
            return FileDone(task.path, task.name, error=sentence)

    def _look_at(self, paths: tuple[str, ...]) -> list[tuple[str, str]]:
        return [(path, state) for path in paths if (state := self.state_of(path))]

    def _look_again(self, saved: tuple[SavedInstance, ...]) -> list[tuple[SavedInstance, str]]:
        found = []
        for each in saved:
            now = stamp(each.path)
            if now == each.stamp:
                self._known.setdefault(os.path.realpath(each.path), now)
                self.stamps.setdefault(each.path, now)
            found.append((each, GONE if now is None else CHANGED if now != each.stamp else ""))
        return found

    def _know(self, path: str, now: Stamp | None) -> None:
        self._known[os.path.realpath(path)] = self.stamps[path] = now

    def _read(self, task: _Task) -> FileDone:
        before = stamp(task.path)  # a change while the file is read counts
        read, place = task.work(), os.path.realpath(task.path)
        read_histories: tuple[History, ...] = ()
        if isinstance(read, tuple):
            read, read_histories = read
        changed = self._known.get(place, before) != before
        self._know(task.path, before)
        return FileDone(task.path, task.name, read, changed=changed, histories=read_histories)

    def _write(self, task: _Task) -> FileDone:
        place = os.path.realpath(task.path)
        known, now = self._known.get(place), stamp(place)
        if known is not None and now not in (known, None) and not task.over:
            raise _Changed(f"Another program has changed {task.path} since this window opened or saved it.")
        task.work()
        self._know(task.path, stamp(place))
        gone = known is not None and now is None
        note = "The file had been deleted and was written again." if gone else ""
        return FileDone(task.path, task.name, task.value, note=note)


def _missing(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if not os.path.isfile(path))


@dataclass(frozen=True, eq=False)
class _Task:
    """A task on a file: with a value it is written, and overwritten if requested."""

    name: str
    path: str
    work: Callable[[], Any]
    value: Any = None
    over: bool = False
