"""Files that were changed or deleted under a window: what was saved there is unsaved again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_gui.background.file_worker import CHANGED, GONE, FileDone

if TYPE_CHECKING:
    from gems_gui.window import MainWindow


class LostFiles(QObject):
    """Looks at the files of what is saved, and tells runs and instances when they are in them no more.

    Attributes
    ----------
    instances
        Digests of instances whose files were deleted.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.instances: set[str] = set()
        window.files.done.connect(self._file_done)
        window.files.lost.connect(self._lost)

    def look(self) -> None:
        """Look at once, before anything depends on it."""
        files = self._window.files
        self._lost([(path, state) for path in self._paths() if (state := files.state_of(path))])

    def look_soon(self) -> None:
        """Have them looked at; a disk in the network may take its time to answer."""
        if paths := self._paths():
            self._window.files.look_at(paths)

    def _paths(self) -> list[str]:
        runs = [run.path for run in self._window.workbench.runs if run.path and run.saved]
        return sorted({*runs, *self._window.workbench.saved_instances.values()})

    def _lost(self, found: Sequence[tuple[str, str]]) -> None:
        for path, state in found:
            self._forget(path, state)

    def _file_done(self, done: FileDone) -> None:
        if done.write_over is not None:
            self._forget(done.path, CHANGED)
        elif done.changed:
            self._forget(done.path, CHANGED, done.value)
        elif done.error:
            if done.task.startswith("save"):
                self.look_soon()  # what keeps it from being written may have taken what was there
        elif done.task == "save run":
            self._forget(done.path, "has another run now", done.value)

    def _forget(self, path: str, state: str, but: Trace | Instance | None = None) -> None:
        """A file has no more what was saved there, apart from this."""
        window, place, found, lost = self._window, os.path.realpath(path), False, False
        for run in window.workbench.runs:
            if run.path and run.saved_events >= 0 and run.trace is not but and os.path.realpath(run.path) == place:
                run.saved_events, found = -1, True
                window.workbench.messages.log(f"{path} {state}, so that {run.name} is unsaved.")
        saved = window.workbench.saved_instances
        for digest in [each for each, file in saved.items() if os.path.realpath(file) == place]:
            if not (isinstance(but, Instance) and but.digest == digest):
                del saved[digest]
                lost = True
                if state == GONE:
                    self.instances.add(digest)
        if found or lost:
            window.workbench.runs_changed()
