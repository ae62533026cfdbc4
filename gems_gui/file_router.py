"""Routes files to parts of the window: when they are opened, and after they were read or written."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QObject

from gems_engine.files import is_sheet
from gems_gui.analysis.design_controller import DesignController
from gems_gui.background.file_worker import ITEM_TASKS, FileDone
from gems_gui.closing.changed_files import ChangedFiles
from gems_gui.experiments.experiment_controller import ExperimentController
from gems_gui.files.file_controller import FileController
from gems_gui.files.items_controller import ItemsController
from gems_gui.paths import absolute
from gems_gui.services import Services


class FileRouter(QObject):
    """Opens files by their type, and passes results to the part that requested them."""

    def __init__(
        self,
        services: Services,
        controller: FileController,
        items: ItemsController,
        experiments: ExperimentController,
        designs: DesignController,
        changed: ChangedFiles,
    ) -> None:
        super().__init__(services.host)
        self._files, self._messages = services.files, services.workbench.messages
        self._controller, self._items = controller, items
        self._experiments, self._designs = experiments, designs
        self._changed = changed
        self._closed = False
        self._files.done.connect(self._on_file_done)

    def open(self, paths: Sequence[str]) -> None:
        """Open instances in the form, runs in the list of runs, and experiments in their page."""
        self._messages.show("")
        self._messages.forget_unread_files()
        for path in map(absolute, paths):
            if path.lower().endswith(".toml"):
                self._experiments.open_specification(path)
            elif os.path.isdir(path):
                self._experiments.open_results(path)
            elif is_sheet(path):
                self._items.open(path)
            else:
                self._files.open(path)

    def _on_file_done(self, done: FileDone) -> None:
        if self._closed:
            return
        if done.cancelled:
            self._messages.show(f"Opening {done.path} was cancelled.")
            return
        self._messages.accept_file(done.path)  # older messages about this file are resolved
        if done.write_over is not None:
            self._changed.ask(done)
            return
        self._changed.settle(done)
        if done.error:
            self._messages.refuse_file(done.path, done.error, opening=not done.task.startswith("save"))
            return
        self._take(done)
        if done.note:
            self._messages.add(done.note)

    def _take(self, done: FileDone) -> None:
        if done.task.endswith("specification"):
            self._experiments.file_done(done)
        elif done.task == "open weights":
            self._designs.file_done(done)
        elif done.task in ITEM_TASKS:
            self._items.file_done(done)
        else:
            self._controller.file_done(done)

    def close(self) -> None:
        """Ignore results from now on; a file may still be in progress."""
        self._closed = True
