"""Reads and writes files beside the window, one after another, so that a large one never stops it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
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
    write_instance,
    write_run,
    write_weights,
)
from gems_engine.instance import Instance
from gems_engine.trace import Trace


@dataclass(frozen=True, eq=False)
class FileDone:
    """What became of a file: what was read or written, or one sentence on why not."""

    path: str
    task: str
    """``open``, ``open weights``, ``open specification``, or ``save`` and a ``run``, an ``instance``, ``weights``, a
    ``specification`` or a ``picture``."""
    value: Any = None
    error: str = ""


class FileWorker(QObject):
    """One thread for all files of a window."""

    done = Signal(object)
    missed = Signal(object)
    """Which of the files that somebody looked for are not there: their paths."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

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

    def save_picture(self, path: str, data: bytes) -> None:
        """Write the bytes of a picture."""
        self._add("save picture", path, partial(atomic_write, path, data), data)

    def look_for(self, paths: Sequence[str]) -> None:
        """Say which of these files are not there; a disk in the network may take its time to answer."""
        self._begin(partial(self._look, tuple(paths)))

    def close(self) -> None:
        """Finish what was begun, and end."""
        if self._thread is not None:
            self._tasks.put(None)
            self._thread.join(30.0)  # writing is atomic: a file that is not whole in half a minute is not there
            self._thread = None

    def _add(self, task: str, path: str, work: Callable[[], Any], value: Any = None) -> None:
        self._begin(partial(self._do, task, path, work, value))

    def _begin(self, job: Callable[[], None]) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gems files", daemon=True)
            self._thread.start()
        self._tasks.put(job)

    def _work(self) -> None:
        while (job := self._tasks.get()) is not None:
            job()

    def _do(self, task: str, path: str, work: Callable[[], Any], written: Any) -> None:
        try:
            read = work()
            self.done.emit(FileDone(path, task, read if written is None else written))
        except InputError as error:
            self.done.emit(FileDone(path, task, error=str(error)))
        except Exception as error:  # whatever a file makes of us, the window says so and lives on
            name = PurePath(path).name
            self.done.emit(FileDone(path, task, error=f"{name}: {task} failed: {type(error).__name__}: {error}"))

    def _look(self, paths: tuple[str, ...]) -> None:
        self.missed.emit(tuple(path for path in paths if not Path(path).is_file()))
