"""Closing a window: the list of unsaved work, and the non-modal dialog that asks about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QSizePolicy, QWidget

from gems_engine.files import RUN_SUFFIX
from gems_engine.terminal import number
from gems_gui.background.file_worker import FileDone
from gems_gui.closing.lost_files import LostFiles
from gems_gui.drafts.sources import FromFile, FromTable
from gems_gui.experiments.experiment_controller import ExperimentController
from gems_gui.files.file_controller import FileController
from gems_gui.paths import file_stem
from gems_gui.services import Services
from gems_gui.widgets.boxes import STRETCH, fill, grid, vbox
from gems_gui.widgets.dialogs import Dialog, LazyDialog, push_button, sentence_label
from gems_gui.widgets.explained import described
from gems_gui.workbench.draft_controller import DraftController
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.unsaved import unsaved_instance, unsaved_own, unsaved_run

if TYPE_CHECKING:
    from gems_gui.experiments.experiment_session import SpecSource

_READING = 0.3  # seconds that closing may spend on reading traces in total
_ROWS = 9  # items shown without scrolling


@dataclass(frozen=True, eq=False)
class Unsaved:
    """Unsaved work that closing would lose.

    Attributes
    ----------
    run, specification, own
        The run, the specification of an experiment, or a custom instance that was set aside; all None for the instance
        in the form.
    title, details
        Its name and its size, for the dialog.
    can_save
        False if it is not valid and cannot be written to a file.
    """

    run: RunSession | None
    title: str
    details: str = ""
    can_save: bool = True
    specification: SpecSource | None = None
    own: FromTable | None = None

    @property
    def stem(self) -> str:
        """A name for its file."""
        if self.specification is not None:
            return self.specification.name
        return "instance" if self.run is None else file_stem(self.run.name) or "run"

    @property
    def suffix(self) -> str:
        """The suffix of its file."""
        if self.specification is not None:
            return ".toml"
        return ".json" if self.run is None else RUN_SUFFIX

    @property
    def words(self) -> str:
        """Title and details in one line."""
        return ": ".join(filter(None, (self.title, self.details)))


def everything_unsaved(runs: Sequence[RunSession], drafts: DraftController, saved: Mapping[str, str]) -> list[Unsaved]:
    """The unsaved work: first the instance, then the runs in their order."""
    found = []
    if unsaved_instance(drafts, saved):
        valid = drafts.instance is not None
        words = "The instance in the form, edited by hand" if valid else "The instance in the form, not valid yet"
        found.append(Unsaved(None, words, can_save=valid))
    for own in unsaved_own(drafts, saved):
        words = f"{own.title}, edited earlier" + (", not valid yet" if own.table.refusal() else "")
        found.append(Unsaved(None, words, can_save=not own.table.refusal(), own=own))
    lost = [run for run in runs if len(run.trace) and unsaved_run(run)]
    for run in lost:
        run.facts.follow(_READING / len(lost))
        took = f"{number(run.facts.seconds, 2)} s of computing"
        if not run.facts.complete:  # a long trace is not read to its end here
            took = f"more than {took}"
        story = "" if run.story_saved else ", with a story"
        found.append(Unsaved(run, run.name, f"{number(len(run.trace))} events, {took}{story}"))
    return found


def places_for(items: Sequence[Unsaved], folder: Path) -> list[tuple[Unsaved, str]]:
    """A new file in a folder for each item, named after it; existing files are not overwritten."""
    taken: set[Path] = set()
    places = []
    for item in items:
        suffix = item.suffix
        stem = item.stem.removesuffix(suffix)
        names = (f"{stem}{suffix}" if n == 1 else f"{stem}-{n}{suffix}" for n in count(1))
        path = next(each for each in map(folder.joinpath, names) if each not in taken and not each.exists())
        taken.add(path)
        places.append((item, str(path)))
    return places


class ClosingDialog(Dialog):
    """A list of unsaved work with Save and Discard for each; when all are decided, the window may close."""

    save_asked = Signal(object)
    """An `Unsaved` to save; call :meth:`was_saved` when it is saved."""
    save_all_asked = Signal(list)
    """A list of items to save."""
    decided = Signal()
    """Everything is saved or discarded."""

    def __init__(self, parent: QWidget, items: Sequence[Unsaved], also: str = "") -> None:
        super().__init__(parent, "Close without saving?")
        self.items = list(items)
        self.rows: list[_Row] = []
        intro = sentence_label()
        intro.setText(
            " ".join(filter(None, ("If you close now, this work is lost. Runs continue while you decide.", also)))
        )
        self.column.addWidget(intro)
        frame = described(QFrame(), role="card")
        rows = grid(frame, (10, 8), (12, 10, 12, 10), stretched=0)
        for at, item in enumerate(self.items):
            row = _Row(item, frame)
            row.save_asked.connect(self.save_asked)
            row.decided.connect(self._look)
            rows.addLayout(row.column, at, 0)
            for place, widget in enumerate((row.fate, row.save, row.discard), 1):
                rows.addWidget(widget, at, place)
            self.rows.append(row)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its buttons take the focus and scroll into view
        area.setWidget(frame)
        self.column.addWidget(area, 1)
        self.errors = sentence_label("error")
        self.errors.hide()
        self.column.addWidget(self.errors)
        self.save_all = push_button("Save all…", "Choose a folder and save everything there", self._save_all)
        self.discard_all = push_button(
            "Discard all and close", "Close without saving; unsaved work is lost", self._discard_all
        )
        self.cancel = push_button("Cancel", "Keep the window open", self.close)
        self.cancel.setDefault(True)
        self.save_all.setAutoDefault(True)  # Return presses it while it has the focus
        buttons = fill(QHBoxLayout(), self.save_all, self.discard_all, STRETCH, self.cancel)
        self.column.addLayout(buttons)
        self.ensurePolished()
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 90)
        area.setMinimumHeight(min(frame.sizeHint().height(), _ROWS * self.rows[0].save.sizeHint().height()))
        self._look()
        self._focus_safely()

    def _focus_safely(self) -> None:
        """Give the focus to a button that loses nothing, so that a key pressed by mistake is harmless."""
        (self.save_all if self.save_all.isEnabled() else self.cancel).setFocus()

    def was_saved(
        self, run: RunSession | None, specification: SpecSource | None = None, own: FromTable | None = None
    ) -> None:
        """A run, a specification, a custom instance or that in the form (all None) was saved, here or elsewhere."""
        for row in self.rows:
            if row.item.run is run and row.item.specification == specification and row.item.own == own:
                row.settle("saved")

    def show_error(self, sentence: str) -> None:
        """Show why something could not be saved."""
        self.errors.setText(sentence)
        self.errors.show()

    def _save_all(self) -> None:
        self.errors.hide()
        left = self._to_save()
        if len(left) == 1:
            self.save_asked.emit(left[0])
        else:
            self.save_all_asked.emit(left)

    def _discard_all(self) -> None:
        for row in self.rows:
            row.settle("discarded")

    def _to_save(self) -> list[Unsaved]:
        return [row.item for row in self.rows if row.item.can_save and not row.settled]

    def _look(self) -> None:
        self.save_all.setEnabled(bool(self._to_save()))
        if all(row.settled for row in self.rows):
            self.decided.emit()
        elif self.isVisible():
            self._focus_safely()  # its buttons are disabled, and Qt would focus the next "Discard"


class _Row(QObject):
    """One row of the dialog: an unsaved item with its buttons."""

    save_asked = Signal(object)
    decided = Signal()

    def __init__(self, item: Unsaved, parent: QWidget) -> None:
        super().__init__(parent)
        self.item = item
        self.settled = False
        self.words = sentence_label()
        self.words.setText(item.title)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.column = vbox(spacing=0)
        self.column.addWidget(self.words)
        if item.details:
            details = sentence_label("dim")
            details.setText(item.details)
            self.column.addWidget(details)
        self.fate = described(QLabel(), role="dim")
        self.save = QPushButton("Save…")
        self.save.setAutoDefault(False)
        self.save.setAccessibleName(f"Save {item.words}")
        self.save.setToolTip("Choose a file and save this" if item.can_save else "Cannot save: it is not valid")
        self.save.setEnabled(item.can_save)
        self.save.clicked.connect(self._save)
        self.discard = QPushButton("Discard")
        self.discard.setAutoDefault(False)  # Return never presses it: only a click or Space does
        self.discard.setAccessibleName(f"Discard {item.words}")
        self.discard.setToolTip("Do not save this; it is lost when the window closes")
        self.discard.clicked.connect(self._discard)

    def settle(self, fate: str) -> None:
        """Mark the item as decided."""
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
    """Decides whether a window may close, and asks about unsaved work.

    Attributes
    ----------
    asks
        Whether a user can answer.
    """

    def __init__(
        self, services: Services, files: FileController, experiments: ExperimentController, close: Callable[[], object]
    ) -> None:
        super().__init__(services.host)
        self._workbench, self._ui, self._files = services.workbench, services.ui, services.files
        self._host = services.host
        self._own_files, self._experiments, self._close = files, experiments, close
        self.asks = True
        self._dialog = LazyDialog(self._make_dialog)
        self._all: Sequence[Unsaved] = ()
        self.files = LostFiles(services)
        self._files.done.connect(self._on_file_done)

    @property
    def dialog(self) -> ClosingDialog | None:
        """The dialog, if it is open."""
        return self._dialog.open

    def may_close(self) -> bool:
        """Whether nothing would be lost; otherwise open the dialog."""
        if not self.asks:
            return True
        items = self.unsaved()
        if items:
            self._dialog.show(items)
        return not items

    def unsaved(self) -> list[Unsaved]:
        """The unsaved work that closing would lose."""
        saved = self._workbench.saved_instances
        self.files.look()
        items = everything_unsaved(self._workbench.runs, self._workbench.drafts, saved)
        source = self._workbench.drafts.draft.source
        if isinstance(source, FromFile) and source.instance.digest in self.files.instances - saved.keys():
            items.insert(0, Unsaved(None, "The instance in the form, whose file was deleted"))
        items += [
            Unsaved(None, f"The specification {each.name}, edited", specification=each)
            for each in self._experiments.unsaved()
        ]
        return items

    def specification_saved(self, source: SpecSource) -> None:
        """A specification of an experiment was saved."""
        if self.dialog is not None:
            self.dialog.was_saved(None, source)

    def _make_dialog(self, items: Sequence[Unsaved]) -> ClosingDialog:
        dialog = ClosingDialog(self._host, items, self._workbench.jobs.at_close)
        dialog.save_asked.connect(self._save)
        dialog.save_all_asked.connect(self._save_all)
        dialog.decided.connect(self._close)
        return dialog

    def _save(self, item: Unsaved) -> None:
        if item.specification is not None:
            self._experiments.save_source(item.specification)
        elif item.own is not None:
            self._own_files.save_own(item.own)
        elif item.run is None:
            self._own_files.save_instance()
        else:
            self._own_files.save_run(item.run)

    def _save_all(self, items: Sequence[Unsaved]) -> None:
        self._all = items
        self._ui.ask_folder("Save everything to a folder", self._save_into)

    def _save_into(self, folder: str) -> None:
        for item, path in places_for(self._all, Path(folder)):
            if item.specification is not None:
                self._experiments.write_source(item.specification, path)
            elif item.own is not None:
                self._own_files.write_own(item.own, path)
            elif item.run is None:
                self._own_files.write_instance(path)
            else:
                self._own_files.write_run(item.run, path)

    def _on_file_done(self, done: FileDone) -> None:
        dialog = self.dialog
        if dialog is None:
            return
        if done.error:
            dialog.show_error(done.error)
            return
        if done.task == "save instance":
            own, instance = self._own_files.saving_own.get(done.path, (None, None))
            dialog.was_saved(None, own=own if instance is done.value else None)
        for run in self._workbench.runs:
            if done.task == "save run" and run.trace is done.value:
                dialog.was_saved(run)
