"""Files changed or deleted by other programs: what was saved there is unsaved again."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QObject

from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_gui.background.file_worker import CHANGED, GONE, FileDone
from gems_gui.services import Services
from gems_gui.workbench.unsaved import SavedInstance


class LostFiles(QObject):
    """Checks the files of saved runs and instances, and marks those that are no longer saved.

    Attributes
    ----------
    instances
        For the digest of each instance whose file no longer has it: what happened to the file.
    """

    def __init__(self, services: Services) -> None:
        super().__init__(services.host)
        self._workbench, self._files = services.workbench, services.files
        self.instances: dict[str, str] = {}
        self._files.done.connect(self._on_file_done)
        self._files.lost.connect(self._on_files_lost)
        self._files.looked_again.connect(self._on_looked_again)

    def look(self) -> None:
        """Check the files now."""
        files = self._files
        self._on_files_lost([(path, state) for path in self._paths() if (state := files.state_of(path))])

    def look_soon(self) -> None:
        """Check the files in the background, since a network drive may be slow."""
        if paths := self._paths():
            self._files.look_at(paths)

    def _paths(self) -> list[str]:
        runs = [run.path for run in self._workbench.runs if run.path and run.saved]
        return sorted({*runs, *self._workbench.saved_instances.values()})

    def _on_files_lost(self, found: Sequence[tuple[str, str]]) -> None:
        for path, state in found:
            self._forget(path, state)

    def _on_looked_again(self, found: Sequence[tuple[SavedInstance, str]]) -> None:
        """Instances of a recovered window are saved if their files are still the same."""
        for each, state in found:
            if not state:
                self._workbench.saved_instances.setdefault(each.digest, each.path)
            else:
                self._lost(each.digest, state)
        self._workbench.runs_changed()

    def _on_file_done(self, done: FileDone) -> None:
        if done.write_over is not None:
            self._forget(done.path, CHANGED)
        elif done.changed:
            self._forget(done.path, CHANGED, done.value)
        elif done.error:
            if done.task.startswith("save"):
                self.look_soon()  # the reason for the failure may also have removed the old file
        elif done.task == "save run":
            self._forget(done.path, "now contains another run", done.value)

    def _forget(self, path: str, state: str, but: Trace | Instance | None = None) -> None:
        """A file no longer contains what was saved there, except this."""
        place, found, lost = os.path.realpath(path), False, False
        for run in self._workbench.runs:
            if run.path and run.saved_events >= 0 and run.trace is not but and os.path.realpath(run.path) == place:
                run.saved_events, found = -1, True
                self._workbench.messages.log(f"{path} {state}. {run.name} is now unsaved.")
        saved = self._workbench.saved_instances
        for digest in [each for each, file in saved.items() if os.path.realpath(file) == place]:
            if not (isinstance(but, Instance) and but.digest == digest):
                del saved[digest]
                lost = True
                self._lost(digest, state)
        if found or lost:
            self._workbench.runs_changed()

    def _lost(self, digest: str, state: str) -> None:
        self.instances[digest] = "deleted" if state == GONE else "changed"
