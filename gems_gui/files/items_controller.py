"""Opens CSV files: a dialog shows first what becomes of the columns."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_engine.formats.item_options import ItemOptions, item_options
from gems_gui.background.file_worker import FileDone
from gems_gui.drafts.open_plan import OpenPlan, OpenTrial
from gems_gui.panels.open_items_dialog import OpenItemsDialog
from gems_gui.services import Services
from gems_gui.widgets.dialogs import LazyDialog


class ItemsController(QObject):
    """Asks what becomes of the columns of a CSV file, and remembers the answer for the file.

    Attributes
    ----------
    asks
        Whether to ask; otherwise files are opened as `gems run` does without options.
    """

    def __init__(self, services: Services) -> None:
        super().__init__(services.host)
        self._workbench, self._files = services.workbench, services.files
        self._settings, self._appearance, self._host = services.settings, services.appearance, services.host
        self._waiting: deque[tuple[str, OpenPlan]] = deque()  # files whose dialog comes next
        self._wanted: ItemOptions | None = None  # options to try after those that are being tried
        self._trying = False
        self.dialog = LazyDialog(self._make_dialog)
        self.asks = True

    def open(self, path: str) -> None:
        """Open a CSV file, after a dialog if it asks."""
        if self.asks:
            self._files.plan_items(path, self._known(path), self._usual())
        else:
            self._files.open(path)

    def _known(self, path: str) -> ItemOptions | None:
        """The options with which a file was opened before."""
        return _options(self._settings.item_options().get(path))

    def _usual(self) -> ItemOptions:
        """How the columns of the file that was opened last were treated."""
        last = next(iter(self._settings.item_options().values()), None)
        options = _options(last) or ItemOptions()
        return ItemOptions(options.features, options.intercept)

    def file_done(self, done: FileDone) -> None:
        """The first rows of a file were read, or it was read with some options."""
        if isinstance(done.value, OpenPlan):
            self._waiting.append((done.path, done.value))
            if self.dialog.open is None:
                self._show_next()
        elif isinstance(done.value, OpenTrial):
            self._on_tried(done.path, done.value)

    def _show_next(self) -> None:
        if self._waiting:
            path, plan = self._waiting.popleft()
            dialog = self.dialog.show(path, plan)
            if not plan.refusal():
                self._try(dialog.plan.options())

    def _make_dialog(self, path: str, plan: OpenPlan) -> OpenItemsDialog:
        dialog = OpenItemsDialog(self._host, self._appearance, path, plan)
        dialog.changed.connect(self._try)
        dialog.agreed.connect(self._on_agreed)
        dialog.finished.connect(self._on_finished)
        return dialog

    def _try(self, options: ItemOptions) -> None:
        """Read the file with these options; while it is being read with others, only the newest ones wait."""
        self._wanted = options
        if not self._trying and (dialog := self.dialog.open) is not None:
            self._trying, self._wanted = True, None
            self._files.try_items(dialog.path, options)

    def _on_tried(self, path: str, trial: OpenTrial) -> None:
        self._trying = False
        dialog = self.dialog.open
        if dialog is not None and dialog.path == path:
            dialog.show_trial(trial, self._workbench.truth)
        if dialog is not None and self._wanted is not None:
            self._try(self._wanted)

    def _on_agreed(self, options: ItemOptions) -> None:
        dialog = self.dialog.open
        if dialog is not None:
            self._settings.keep_item_options(dialog.path, options.given())
            self._files.open(dialog.path, options)

    def _on_finished(self) -> None:
        self._wanted = None
        self._show_next()


def _options(value: object) -> ItemOptions | None:
    """The options in the settings; None if there are none, or invalid ones."""
    try:
        return item_options(value) if isinstance(value, dict) else None
    except InputError:
        return None
