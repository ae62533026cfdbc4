"""Closing a window: the list of unsaved work, and the dialog that asks about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.files import RUN_SUFFIX
from gems_engine.terminal import number, plural
from gems_gui.analysis.design_controller import DesignController
from gems_gui.background.file_worker import FileDone
from gems_gui.closing.lost_files import LostFiles
from gems_gui.drafts.instance_table import ARMS, InstanceTable
from gems_gui.drafts.run_request import FINISHED
from gems_gui.drafts.sources import FromFile, FromTable
from gems_gui.experiments.experiment_controller import ExperimentController
from gems_gui.exports.export_controller import ExportController
from gems_gui.exports.exporting import Exported
from gems_gui.files.file_controller import FileController
from gems_gui.paths import file_stem
from gems_gui.recovery.recovery_banner import RecoveryController
from gems_gui.runs.run_differences import run_differences
from gems_gui.services import Services
from gems_gui.widgets.boxes import STRETCH, fill, grid, vbox
from gems_gui.widgets.dialogs import Dialog, LazyDialog, push_button, sentence_label
from gems_gui.widgets.explained import described
from gems_gui.workbench.command_line import repeating_line
from gems_gui.workbench.draft_controller import DraftController
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.unsaved import is_in_a_saved_run, kept_instances, unsaved_instance, unsaved_own, unsaved_run

if TYPE_CHECKING:
    from gems_gui.experiments.experiment_session import SpecSource

_READING = 0.3  # seconds that closing may spend on reading traces in total
_ROWS = 9  # items shown without scrolling
_SHOWN = 4  # arms of a custom instance, and features of each
_NAMED = 8  # runs that can be repeated, by name
_LONG = 60.0  # seconds of computing that are worth a question of their own
_UNDER_WAY = 5.0  # the same for a run that closing would stop
EXPORT, WEIGHTS = "export", "weights"
_LOST = "If you close now, this work is lost."
_WHERE = "View ▸ Log, Earlier messages"
_ONE_RUN = f"This run is in no file. The log file will have the command that repeats it ({_WHERE})."
_RUNS = f"These runs are in no file. The log file will have the commands that repeat them ({_WHERE})."
_BOTH = (
    "If you close now, this work is lost, except for the runs that can be repeated: the log file will have their "
    f"commands ({_WHERE})."
)


@dataclass(frozen=True, eq=False)
class Unsaved:
    """Unsaved work that closing would lose.

    Attributes
    ----------
    run, specification, own
        The run, the specification of an experiment, or a custom instance that was set aside; all None for the instance
        in the form, and for the others here.
    runs
        Runs that can be repeated, which are one question.
    kind
        ``export``: a file that is being written; ``weights``: of a design, set by hand; else empty.
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
    runs: tuple[RunSession, ...] = ()
    kind: str = ""

    @property
    def stem(self) -> str:
        """A name for its file."""
        if self.specification is not None:
            return self.specification.name
        if self.kind:
            return self.kind
        return "instance" if self.run is None else file_stem(self.run.name) or "run"

    @property
    def suffix(self) -> str:
        """The suffix of its file."""
        if self.specification is not None:
            return ".toml"
        if self.kind == WEIGHTS:
            return ".csv"
        return ".json" if self.run is None else RUN_SUFFIX

    @property
    def words(self) -> str:
        """Title and details in one line."""
        return ": ".join(filter(None, (self.title, self.details)))


def everything_unsaved(
    runs: Sequence[RunSession], drafts: DraftController, saved: Mapping[str, str], recorded: bool = True
) -> list[Unsaved]:
    """The unsaved work: first the instance, then the runs in their order, and last those that can be repeated.

    Parameters
    ----------
    saved
        Digests of saved instances with their files.
    recorded
        Whether all of it is in the recovery files, so that nothing can happen to it before it is repeated.
    """
    found, kept = [], kept_instances(runs, saved)
    source = drafts.draft.source
    if isinstance(source, FromTable) and unsaved_instance(drafts, kept):
        valid = drafts.instance is not None or not source.table.refusal()  # it may not be built yet
        words = "The instance in the form, edited by hand" if valid else "The instance in the form, not valid yet"
        found.append(Unsaved(None, words, can_save=valid))
    for own in unsaved_own(drafts, kept):
        words = f"{own.title}, edited earlier" + (", not valid yet" if own.table.refusal() else "")
        found.append(Unsaved(None, words, _contents(own.table), can_save=not own.table.refusal(), own=own))
    lost = [run for run in runs if len(run.trace) and unsaved_run(run) and not is_in_a_saved_run(run, runs)]
    again = []
    for run in lost:
        run.facts.follow(_READING / len(lost))
        if recorded and not (why := _only_here(run, saved, kept)):
            again.append(run)
        else:
            found.append(Unsaved(run, _named(run, runs), f"{_size(run)}. {why}" if recorded else _size(run)))
    return [*found, _repeatable({run: _named(run, runs) for run in again})] if again else found


def _named(run: RunSession, runs: Sequence[RunSession]) -> str:
    """A run, and what tells it apart from others of its kind, as in the list of runs."""
    return " · ".join((run.name, *run_differences(run, runs)))


def _contents(table: InstanceTable) -> str:
    """What tells custom instances apart: their size, and the names or the features of the first arms."""
    names, arms = table.names(ARMS), table.arms[: _SHOWN + 1, : _SHOWN + 1]
    rows = [names[at] or f"({_first([number(cell, 3) for cell in row])})" for at, row in enumerate(arms)]
    return f"{plural(len(table.arms), 'arm')}, {plural(table.D, 'feature')}: {_first(rows)}"


def _first(words: Sequence[str]) -> str:
    return ", ".join([*words[:_SHOWN], *(["…"] if len(words) > _SHOWN else [])])


def _size(run: RunSession) -> str:
    seconds = run.facts.seconds
    took = f"{number(seconds, 2)} s of computing" if seconds >= 0.1 else "less than 0.1 s of computing"
    if not run.facts.complete:  # a long trace is not read to its end here
        took = f"more than {took}"
    return f"{number(len(run.trace))} events, {took}"


def _only_here(run: RunSession, saved: Mapping[str, str], kept: Mapping[str, str]) -> str:
    """Why closing would lose a run, in a sentence; empty if a command repeats it soon.

    Parameters
    ----------
    saved, kept
        Digests of instances with the files that have them; ``kept`` also has the files of runs.
    """
    if run.story_edited:
        return "Its story was edited by hand."
    try:
        repeating_line(run, saved)
    except InputError as error:
        return _why_not(run, str(error), kept)
    if not run.playback.ended and run.facts.seconds > _UNDER_WAY:
        return "It is still being computed."
    long = run.facts.seconds > _LONG or not run.facts.complete
    return "To repeat it takes as long again." if long else ""


def _why_not(run: RunSession, sentence: str, kept: Mapping[str, str]) -> str:
    """Why no command repeats a run, without what to do for one."""
    started = run.trace.started
    if started is not None and started.rewards:
        return "Its rewards are external."
    if started is not None and started.forced:
        return "It is a branch of a run that is not saved."
    if run.request is None or run.request.refusal:
        return sentence
    path = kept.get(run.request.instance.digest)
    return f"Its instance is only in a run, {PurePath(path).name}." if path else "Its instance is not in a file."


def _repeatable(runs: Mapping[RunSession, str]) -> Unsaved:
    """The runs that can be repeated, with their names, as one question."""
    names = list(runs.values())
    if len(runs) == 1:
        (run,) = runs
        return Unsaved(None, names[0], f"{_size(run)}. It can be repeated from its seed.", runs=(run,))
    more = [f"and {number(len(runs) - _NAMED)} more"] if len(runs) > _NAMED else []
    title = f"{number(len(runs))} runs that can be repeated from their seeds"
    return Unsaved(None, title, "\n".join((*names[:_NAMED], *more)), runs=tuple(runs))


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
    """A list of unsaved work with Save and Discard for each; when all are decided, the window may close.

    It blocks the window, so that nothing is made that it does not list.
    """

    save_asked = Signal(object)
    """An `Unsaved` to save; call :meth:`was_saved` when it is saved."""
    save_all_asked = Signal(list)
    """A list of items to save."""
    decided = Signal()
    """Everything is saved or discarded."""

    def __init__(self, parent: QWidget, items: Sequence[Unsaved], also: str = "") -> None:
        super().__init__(parent, "Close without saving?")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.items = list(items)
        self.rows: list[_Row] = []
        self._also = also
        self.intro = sentence_label()
        self.column.addWidget(self.intro)
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
        self.forget = QCheckBox("Do not ask again about runs that can be repeated")
        self.forget.setToolTip(
            'Close without this question from now on; "Ask about repeatable runs" (File) restores it'
        )
        self.column.addWidget(self.forget)
        self.errors = sentence_label("error")
        self.errors.hide()
        self.column.addWidget(self.errors)
        self.save_all = push_button("Save all…", "Choose a folder and save everything there", self._save_all)
        self.discard_all = push_button("Discard all and close", "Close without saving", self._discard_all)
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

    def _say_what_is_lost(self) -> None:
        items = [row.item for row in self.rows if not row.settled]
        again = [item.runs for item in items if item.runs]
        runs = _ONE_RUN if sum(map(len, again)) == 1 else _RUNS
        words = runs if len(again) == len(items) else _BOTH if again else _LOST
        self.intro.setText(" ".join(filter(None, (words, self._also))))
        self.forget.setVisible(any(row.item.runs for row in self.rows))

    def _focus_safely(self) -> None:
        """Give the focus to a button that loses nothing, so that a key pressed by mistake is harmless."""
        (self.save_all if self.save_all.isEnabled() else self.cancel).setFocus()

    def was_saved(
        self, run: RunSession | None, specification: SpecSource | None = None, own: FromTable | None = None
    ) -> None:
        """A run, a specification, a custom instance or that in the form (all None) was saved, here or elsewhere."""
        for row in self.rows:
            item = row.item
            if item.runs:
                settled = run in item.runs and all(each.saved for each in item.runs)
            else:
                settled = not item.kind and (item.run, item.specification, item.own) == (run, specification, own)
            if settled:
                row.settle("saved")

    def set_repeatable(self, runs: Collection[RunSession]) -> None:
        """These runs can be repeated, some of them since their instance was saved."""
        for row in self.rows:
            if (run := row.item.run) is not None and run in runs:
                row.show_item(_repeatable({run: row.item.title}))
        self._look()

    def settle(self, kind: str, fate: str) -> None:
        """The items of a kind are decided."""
        for row in self.rows:
            if row.item.kind == kind:
                row.settle(fate)

    def show_error(self, sentence: str) -> None:
        """Show why something could not be saved."""
        self.errors.setText(sentence)
        self.errors.show()

    def _save_all(self) -> None:
        self.errors.hide()
        self.save_all_asked.emit(self._to_save())

    def _discard_all(self) -> None:
        for row in self.rows:
            row.settle("discarded")

    def _to_save(self) -> list[Unsaved]:
        return [row.item for row in self.rows if row.item.can_save and row.item.kind != EXPORT and not row.settled]

    def _look(self) -> None:
        self.save_all.setEnabled(bool(self._to_save()))
        self._say_what_is_lost()
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
        self.settled = False
        self.words, self.details = sentence_label(), sentence_label("dim")
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.column = vbox(spacing=0)
        self.column.addWidget(self.words)
        self.column.addWidget(self.details)
        self.fate = described(QLabel(), role="dim")
        self.save = QPushButton("Save…")
        self.save.setAutoDefault(False)
        self.save.setToolTip("Choose a file and save this" if item.can_save else "Cannot save: it is not valid")
        self.save.setEnabled(item.can_save)
        self.save.clicked.connect(self._save)
        self.discard = QPushButton("Discard")
        self.discard.setAutoDefault(False)  # Return never presses it: only a click or Space does
        self.discard.setToolTip("Close without saving this")
        self.discard.clicked.connect(self._discard)
        if item.kind == EXPORT:
            self.save.setText("Wait")
            self.save.setToolTip("Close the window as soon as the file is written")
            self.discard.setText("Cancel it")
            self.discard.setToolTip("Cancel the export; no file is written")
        self.show_item(item)

    def show_item(self, item: Unsaved) -> None:
        """Show an item, or what is true of it now."""
        self.item = item
        self.words.setText(item.title)
        self.details.setText(item.details)
        self.details.setHidden(not item.details)
        self.save.setAccessibleName(f"Save {item.words}")
        self.discard.setAccessibleName(f"Discard {item.words}")

    def settle(self, fate: str) -> None:
        """Mark the item as decided."""
        if not self.settled:
            self.settled = True
            self.fate.setText(fate)
            self.save.setEnabled(False)
            self.discard.setEnabled(False)
            self.decided.emit()

    def _save(self) -> None:
        if self.item.kind == EXPORT:
            self.fate.setText("waiting")
            self.save.setEnabled(False)
        else:
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
        self,
        services: Services,
        files: FileController,
        experiments: ExperimentController,
        designs: DesignController,
        exports: ExportController,
        recovery: RecoveryController,
        close: Callable[[], object],
    ) -> None:
        super().__init__(services.host)
        self._workbench, self._ui, self._files = services.workbench, services.ui, services.files
        self._host, self._settings = services.host, services.settings
        self._own_files, self._experiments, self._designs = files, experiments, designs
        self._exports, self._recovery, self._close = exports.exports, recovery, close
        self.asks = True
        self._dialog = LazyDialog(self._make_dialog)
        self._all: Sequence[Unsaved] = ()
        self._saved_weights: Floats | None = None
        self.files = LostFiles(services)
        self._files.done.connect(self._on_file_done)
        self._exports.ended.connect(self._on_exported)

    @property
    def dialog(self) -> ClosingDialog | None:
        """The dialog, if it is open."""
        return self._dialog.open

    def asks_repeatable(self) -> bool:
        """Whether closing asks about runs that can be repeated."""
        return self._settings.ask_repeatable

    def ask_repeatable(self, on: bool) -> None:
        """Ask on closing about runs that can be repeated, or do not."""
        self._settings.ask_repeatable = on

    def may_close(self) -> bool:
        """Whether nothing would be lost; otherwise open the dialog."""
        if not self.asks:
            return True
        self.commit_typing()
        items = [item for item in self.unsaved() if not item.runs or self._settings.ask_repeatable]
        if items:
            self._dialog.show(items)
        else:
            self._log_commands()
        return not items

    def commit_typing(self) -> None:
        """A cell that is being edited counts."""
        if (focused := QApplication.focusWidget()) is not None:
            focused.clearFocus()

    def unsaved(self) -> list[Unsaved]:
        """The unsaved work that closing would lose, and the runs that can be repeated."""
        work, saved = self._workbench, self._workbench.saved_instances
        self.files.look()
        items = everything_unsaved(work.runs, work.drafts, saved, self._recovery.works)
        source, weights = work.drafts.draft.source, self._designs.weights_by_hand
        if isinstance(source, FromFile) and (digest := source.instance.digest) in self.files.instances.keys() - saved:
            items.insert(0, Unsaved(None, f"The instance in the form, whose file was {self.files.instances[digest]}"))
        more = [
            Unsaved(None, f"The specification {each.name}, edited", specification=each)
            for each in self._experiments.unsaved()
        ]
        if weights is not None and not np.array_equal(weights, self._saved_weights):  # type: ignore[arg-type]
            more.append(Unsaved(None, "The weights of the design debugger, set by hand", kind=WEIGHTS))
        if self._exports.order is not None:
            name = PurePath(self._exports.order.file).name
            more.append(Unsaved(None, f"{name}, which is being exported", "It is not written yet.", kind=EXPORT))
        again = [item for item in items if item.runs]
        return [*(item for item in items if not item.runs), *more, *again]

    def _log_commands(self) -> None:
        """Write to the log how to repeat the runs that are closed without being saved."""
        for item in self.unsaved():
            for run in item.runs:
                command = repeating_line(run, self._workbench.saved_instances)
                self._workbench.messages.log(f"Closed {run.name} without saving it. To repeat it: {command}")

    def specification_saved(self, source: SpecSource) -> None:
        """A specification of an experiment was saved."""
        if self.dialog is not None:
            self.dialog.was_saved(None, source)

    def _make_dialog(self, items: Sequence[Unsaved]) -> ClosingDialog:
        dialog = ClosingDialog(self._host, items, self._workbench.jobs.at_close)
        dialog.save_asked.connect(self._save)
        dialog.save_all_asked.connect(self._save_all)
        dialog.decided.connect(self._on_decided)
        return dialog

    def _on_decided(self) -> None:
        if self.dialog is not None and self.dialog.forget.isChecked():
            self._settings.ask_repeatable = False
        self._log_commands()
        self._close()

    def _save(self, item: Unsaved) -> None:
        if item.runs:
            self._save_all([item])
        elif item.kind == WEIGHTS:
            self._designs.save_weights()
        elif item.specification is not None:
            self._experiments.save_source(item.specification)
        elif item.own is not None:
            self._own_files.save_own(item.own)
        elif item.run is None:
            self._own_files.save_instance()
        else:
            self._own_files.save_run(item.run)

    def _save_all(self, items: Sequence[Unsaved]) -> None:
        self._all = [*chain(*([Unsaved(run, run.name) for run in each.runs] or [each] for each in items))]
        if len(self._all) == 1:
            self._save(self._all[0])
            return
        self._ui.ask_folder("Save everything to a folder", self._save_into)

    def _save_into(self, folder: str) -> None:
        for item, path in places_for(self._all, Path(folder)):
            if item.kind == WEIGHTS:
                self._designs.write_weights(path)
            elif item.specification is not None:
                self._experiments.write_source(item.specification, path)
            elif item.own is not None:
                self._own_files.write_own(item.own, path)
            elif item.run is None:
                self._own_files.write_instance(path)
            else:
                self._own_files.write_run(item.run, path)

    def _on_exported(self, exported: Exported) -> None:
        if self.dialog is not None:
            self.dialog.settle(EXPORT, "written" if exported.outcome.how == FINISHED else "not written")

    def _on_file_done(self, done: FileDone) -> None:
        dialog = self.dialog
        if done.task == "save weights" and not done.error:
            self._saved_weights = done.value
        if dialog is None:
            return
        dialog.activateWindow()  # the dialog that asked for the file belongs to the main window
        if done.error:
            dialog.show_error(done.error)
            return
        if done.task == "save weights":
            dialog.settle(WEIGHTS, "saved")
        if done.task == "save instance":
            own, instance = self._own_files.saving_own.get(done.path, (None, None))
            dialog.set_repeatable([run for item in self.unsaved() for run in item.runs])
            dialog.was_saved(None, own=own if instance is done.value else None)
        for run in self._workbench.runs:
            if done.task == "save run" and run.trace is done.value:
                dialog.was_saved(run)
