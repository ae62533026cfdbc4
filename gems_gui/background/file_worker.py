"""Reads and writes files beside the window, one after another, so that a large one never stops it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QObject, Signal

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
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
from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_gui.background.worker_thread import WorkerThread

GONE, CHANGED = "is gone", "was changed by another program"
_PATIENCE = 30.0  # seconds: writing is atomic, and a file that is not whole by then is not there


@dataclass(frozen=True, eq=False)
class FileDone:
    """What became of a file: what was read or written, or one sentence on why not."""

    path: str
    task: str
    """``open``, ``open weights``, ``open specification``, or ``save`` and a ``run``, an ``instance``, ``weights``, a
    ``specification`` or a ``picture``."""
    value: Any = None
    """What was read or written, or was not written because another program has changed the file."""
    error: str = ""
    note: str = ""
    """What the user should know besides."""
    write_over: Callable[[], None] | None = None
    """Where another program has changed the file, so that it was not written: does it all the same."""
    changed: bool = False
    """Whether what was read is not what this window had read or written there before."""


class _Changed(InputError):
    """The file is not as this window knows it."""


class FileWorker(QObject):
    """One thread for all files of a window.

    A file that this window has read or written, and another program has changed since, is not written over unless the
    user says so.
    """

    done = Signal(object)
    missed = Signal(object)
    """Which of the files that somebody looked for are not there: their paths."""
    lost = Signal(object)
    """Which of the files that somebody looked at are not as they were: paths, each with what has become of it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = WorkerThread("gems files", self)
        self._known: dict[str, tuple[int, int, int] | None] = {}  # stamps of files; the thread's

    def open(self, path: str) -> None:
        """Read an instance or, by its suffix, a run."""
        reader = read_run if path.lower().endswith(RUN_SUFFIX) else read_instance
        self._add("open", path, partial(reader, path))

    def open_weights(self, path: str, arms: int, names: Sequence[str] | None) -> None:
        """Read the weights of a design for so many arms."""
        self._add("open weights", path, partial(read_weights, path, arms, names))

    def open_specification(self, path: str) -> None:
        """Read the text of an experiment."""
        self._add("open specification", path, partial(read_text, path))

    def save_specification(self, path: str, text: str) -> None:
        """Write the text of an experiment."""
        self._add("save specification", path, partial(atomic_write, path, text.encode()), text)

    def save_run(self, path: str, trace: Trace) -> None:
        """Write a run."""
        self._add("save run", path, partial(write_run, path, trace), trace)

    def save_instance(self, path: str, instance: Instance) -> None:
        """Write an instance, in the format that the suffix names."""
        self._add("save instance", path, partial(write_instance, path, instance), instance)

    def save_weights(self, path: str, weights: Floats) -> None:
        """Write the weights of a design, in the format that the suffix names."""
        self._add("save weights", path, partial(write_weights, path, weights), weights)

    def save_certificate(self, path: str, certificate: DesignCertificate) -> None:
        """Write the certificate of a design."""
        self._add("save certificate", path, partial(write_certificate, path, certificate), certificate)

    def save_picture(self, path: str, data: bytes) -> None:
        """Write the bytes of a picture."""
        self._add("save picture", path, partial(atomic_write, path, data), data)

    def look_for(self, paths: Sequence[str]) -> None:
        """Say which of these files are not there; a disk in the network may take its time to answer."""
        self._worker.do(partial(_missing, tuple(paths)), self.missed.emit)

    def look_at(self, paths: Sequence[str]) -> None:
        """Say which of these files are not as this window has read or written them."""
        self._worker.do(partial(self._look_at, tuple(paths)), self.lost.emit)

    def state_of(self, path: str) -> str:
        """What others have done to a file since it was read or written here, in a few words; empty: nothing."""
        known, now = self._known.get(os.path.realpath(path)), stamp(path)
        if now is None:
            return GONE
        return CHANGED if known is not None and known != now else ""

    def close(self) -> None:
        """Finish what was begun, and end."""
        self._worker.close(_PATIENCE)

    def _add(self, task: str, path: str, work: Callable[[], Any], value: Any = None) -> None:
        self._begin(_Task(task, path, work, value))

    def _begin(self, task: _Task) -> None:
        self._worker.do(partial(self._do, task), self.done.emit)

    def _do(self, task: _Task) -> FileDone:
        try:
            return self._read(task) if task.value is None else self._write(task)
        except _Changed as error:
            again = partial(self._begin, replace(task, over=True))
            return FileDone(task.path, task.name, task.value, str(error), write_over=again)
        except InputError as error:
            return FileDone(task.path, task.name, error=str(error))
        except Exception as error:  # whatever a file makes of us, the window says so and lives on
            sentence = f"{PurePath(task.path).name}: {task.name} failed: {type(error).__name__}: {error}"
            return FileDone(task.path, task.name, error=sentence)

    def _look_at(self, paths: tuple[str, ...]) -> list[tuple[str, str]]:
        return [(path, state) for path in paths if (state := self.state_of(path))]

    def _read(self, task: _Task) -> FileDone:
        before = stamp(task.path)  # who writes while it is read has changed it
        read, place = task.work(), os.path.realpath(task.path)
        changed = self._known.get(place, before) != before
        self._known[place] = before
        return FileDone(task.path, task.name, read, changed=changed)

    def _write(self, task: _Task) -> FileDone:
        place = os.path.realpath(task.path)
        known, now = self._known.get(place), stamp(place)
        if known is not None and now not in (known, None) and not task.over:
            raise _Changed(f"{task.path}: another program has changed it since this window opened or saved it.")
        task.work()
        self._known[place] = stamp(place)
        gone = known is not None and now is None
        return FileDone(task.path, task.name, task.value, note="It had been deleted meanwhile." if gone else "")


def _missing(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if not os.path.isfile(path))


@dataclass(frozen=True, eq=False)
class _Task:
    """Something to do with a file; with a value it is written, and over whatever is there if that is said."""

    name: str
    path: str
    work: Callable[[], Any]
    value: Any = None
    over: bool = False
