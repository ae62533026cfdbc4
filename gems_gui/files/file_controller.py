"""Saves runs and instances, and handles those that were opened or saved."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gems_engine.errors import InputError
from gems_engine.files import RUN_SUFFIX, is_sheet
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_gui.actions.refusals import needs_run
from gems_gui.background.file_worker import ITEM_TASKS, FileDone
from gems_gui.drafts.draft import Draft, FromFile, FromGallery, FromTable, Source
from gems_gui.drafts.instance_table import fits_csv
from gems_gui.drafts.run_request import RunRequest
from gems_gui.paths import file_stem
from gems_gui.services import Services
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.messages import ERROR
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Page

if TYPE_CHECKING:
    from gems_engine.talk.story import Story
    from gems_gui.workbench.run_session import RunSession

_INSTANCES = "JSON (*.json);;NumPy (*.npz);;CSV (*.csv)"
_RUNS = f"Runs (*{RUN_SUFFIX})"


class FileController(QObject):
    """Handles files of runs and instances.

    Attributes
    ----------
    saving_own
        Custom instances that were set aside and are being saved.
    """

    recent_changed = Signal()
    """The list of recent files has changed."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.host)
        self._workbench, self._ui = services.workbench, services.ui
        self._files, self._settings = services.files, services.settings
        self._saving: dict[str, tuple[int, Story | None]] = {}  # length and story of a run that is being saved
        self.saving_own: dict[str, tuple[FromTable, Instance]] = {}
        self._written: set[str] = set()  # files of instances that were saved here
        self._opened: Instance | None = None  # opened, and its assumptions are being checked
        self._files.done.connect(self._note)
        self._workbench.subscribe(self._on_draft_changed, Field.DRAFT)

    # -- runs ---------------------------------------------------------------------------------------------------

    def save_refusal(self) -> str:
        """Why there is no run to save."""
        return needs_run(self._workbench)

    def save(self) -> None:
        """Save the current run to its file, or ask where."""
        if self._workbench.active is not None:
            self.save_run(self._workbench.active)

    def save_as(self) -> None:
        """Ask where to save the current run."""
        if self._workbench.active is not None:
            self.save_run_as(self._workbench.active)

    def save_run(self, run: RunSession) -> None:
        """Save a run, the shown one or another, to its file; ask where if it has none, or if its file contains more."""
        if run.path and not run.trace.notes:
            self.write_run(run, run.path)
        else:
            self.save_run_as(run)

    def save_run_as(self, run: RunSession) -> None:
        """Ask where to save a run."""
        name = (file_stem(run.name) or "run").removesuffix(RUN_SUFFIX)
        path = run.path or run.proposed or f"{name}{RUN_SUFFIX}"
        self._ui.ask_save("Save run", _RUNS, RUN_SUFFIX, partial(self.write_run, run), path)

    def write_run(self, run: RunSession, path: str) -> None:
        """Save a run to this file."""
        self._saving[path] = (len(run.trace), run.trace.story)  # both may change meanwhile
        self._files.save_run(path, run.trace)

    # -- instances ----------------------------------------------------------------------------------------------

    def save_instance(self) -> None:
        """Save the instance in the form to the file it was opened from, or else ask where.

        A CSV file that this window has not written is not overwritten unasked: it may have other columns, in another
        order, and decimal commas.
        """
        drafts = self._workbench.drafts
        source = drafts.draft.source
        path = source.path if isinstance(source, FromTable) else ""
        if path and drafts.instance is not None and (path in self._written or not is_sheet(path)):
            self.write_instance(path)
        else:
            self.save_instance_as()

    def save_instance_as(self) -> None:
        """Ask where to save the instance in the form."""
        drafts = self._workbench.drafts
        source = drafts.draft.source
        if drafts.instance is None:
            self._workbench.messages.show(
                "The instance in the form is not valid. Correct the marked fields, then save it again.",
                holds=lambda: drafts.instance is None,
            )
        else:
            path = f"{source.family}.json" if isinstance(source, FromGallery) else source.path or "instance.json"
            if is_sheet(path) and path not in self._written:
                path = str(PurePath(path).with_suffix(".json"))
            self._ui.ask_save("Save instance", _INSTANCES, ".json", self.write_instance, path)

    def write_instance(self, path: str) -> None:
        """Save the instance in the form to this file."""
        instance = self._workbench.drafts.instance
        if instance is not None:
            self._written.add(path)
            self._files.save_instance(path, instance)

    def save_own(self, own: FromTable) -> None:
        """Ask where to save a custom instance that was set aside."""
        path = own.path or "own-instance.json"
        self._ui.ask_save("Save instance", _INSTANCES, ".json", partial(self.write_own, own), path)

    def write_own(self, own: FromTable, path: str) -> None:
        """Save a custom instance that was set aside to this file."""
        instance = own.table.instance()
        self.saving_own[path] = own, instance
        self._files.save_instance(path, instance)

    # -- results of reading and writing -------------------------------------------------------------------------------

    def _note(self, done: FileDone) -> None:
        """Log the result of reading or writing a file, and record which instances are saved."""
        work = self._workbench
        if done.cancelled or (done.task in ITEM_TASKS and not done.error):
            return
        if done.error:
            work.messages.log(done.error, ERROR)
            return
        if isinstance(done.value, Instance):
            if done.task == "save instance":
                self._forget_saved(done.path)
            work.saved_instances[done.value.digest] = done.path
            own, instance = self.saving_own.get(done.path, (None, None))
            if own is not None and instance is done.value:
                work.saved_instances[own.table.digest] = done.path
        saved = "Saved the run as" if isinstance(done.value, Trace) else "Saved"
        words = "Opened" if done.task.startswith("open") else saved
        work.messages.log(f"{words} {done.path}.")
        work.runs_changed()

    def _forget_saved(self, path: str) -> None:
        """A file that is written no longer contains what was saved there before."""
        saved, place = self._workbench.saved_instances, os.path.realpath(path)
        for digest in [each for each, file in saved.items() if os.path.realpath(file) == place]:
            del saved[digest]

    def forget_recent(self, paths: Sequence[str]) -> None:
        """Remove files from the list of recent files."""
        self._settings.forget_recent(paths)
        self.recent_changed.emit()

    def file_done(self, done: FileDone) -> None:
        """A file was read or written."""
        work = self._workbench
        if done.task == "open" and isinstance(done.value, Trace):
            if (run := self._open_already(done)) is None:
                self._run_opened(done.value, done.path, done.histories)
            else:
                work.show_page(Page.BOARD)
                work.activate(run)
                work.messages.show(
                    f"{PurePath(done.path).name} is already open.", lambda: work.active is run, transient=True
                )
        elif done.task == "open" and isinstance(done.value, Instance):
            self._instance_opened(done.value, done.path)
        elif done.task == "save run":
            self._run_saved(done)
        else:
            work.messages.show(f"Saved as {done.path}.")
            if done.task == "save instance":
                self._instance_saved(done)
        if done.task in ("open", "save run", "save instance"):
            self._settings.add_recent(done.path)
            self.recent_changed.emit()

    def _open_already(self, done: FileDone) -> RunSession | None:
        """The run that is the content of a file, as it was opened or saved in this window."""
        place = os.path.realpath(done.path)
        runs = (run for run in self._workbench.runs if run.path and run.main_run is None and run.saved)
        return None if done.changed else next((run for run in runs if os.path.realpath(run.path) == place), None)

    def _run_opened(self, trace: Trace, path: str, histories: tuple[History, ...]) -> None:
        work = self._workbench
        self._fill_untouched_form(trace)
        run = work.open(trace, path, histories=histories, play=work.play_opened)
        if not run.playback.playing:
            work.control(Playback.last, run)  # the verdict, what a session waits for, or the last recorded event
        if trace.notes:
            work.messages.add(" ".join(trace.notes), lambda: work.active is run)
        if trace.story is not None:
            hint = f'The run has a story, "{trace.story.title}". Press F5 to present it.'
            work.messages.add(hint, lambda: work.active is run)

    def _fill_untouched_form(self, trace: Trace) -> None:
        """Fill the form with the settings of the first run that is opened, unless the user has used the form."""
        work, request = self._workbench, RunRequest.of_trace(trace)
        if work.runs or work.drafts.can_undo or work.drafts.can_redo or request is None:
            return
        with suppress(InputError):  # an algorithm that is not installed here, or another version of it
            work.drafts.set_draft(Draft.from_request(request))

    def _instance_opened(self, instance: Instance, path: str) -> None:
        work, drafts = self._workbench, self._workbench.drafts
        edited = isinstance(drafts.draft.source, FromTable)
        self._opened = instance
        drafts.set_draft(drafts.draft.with_instance(instance, path))
        if work.page is not Page.WELCOME:
            work.show_page(Page.BOARD)  # other pages hide the form
        if edited:
            work.messages.show(
                "Your edited instance is still available in the list of instances.",
                lambda: _is(drafts.draft.source, instance),
            )
        if work.play_opened:
            work.run()

    def _on_draft_changed(self, change: Change) -> None:
        """Say what does not fit the paper's assumptions, once they are checked for an instance that was opened."""
        opened, work, drafts = self._opened, self._workbench, self._workbench.drafts
        source, found = drafts.draft.source, drafts.assumptions
        if opened is None or (found is None and _is(source, opened)):
            return
        self._opened = None
        if found is None or not _is(source, opened) or not work.truth:
            return
        broken = [each for each in found if each.name in drafts.draft.proposals() and not each.holds]
        if broken:
            words = " ".join(each.statement for each in broken)
            work.messages.add(
                f"{words} See the assumptions in the form for what to do.", lambda: _is(drafts.draft.source, opened)
            )

    def _run_saved(self, done: FileDone) -> None:
        for run in self._workbench.runs:
            if run.trace is done.value:
                if run.name == PurePath(run.path).name:  # it is called after its file
                    run.name = PurePath(done.path).name
                run.path = done.path
                now = (len(run.trace), run.trace.story)
                run.saved_events, run.saved_story = self._saving.pop(done.path, now)
        self._workbench.runs_changed()
        self._workbench.messages.show(f"Run saved as {done.path}.", transient=True)

    def _instance_saved(self, done: FileDone) -> None:
        """The custom instance in the form now belongs to the file, unless the file has only a part of it."""
        drafts = self._workbench.drafts
        saved = drafts.instance
        if saved is None or saved is not done.value or not isinstance(drafts.draft.source, FromTable):
            return
        if done.path.lower().endswith(".csv") and not fits_csv(saved):
            self._workbench.messages.add("A CSV file has no θ⋆, targets or noise: save the instance as .json too.")
        else:
            drafts.belong_to(done.path)


def _is(source: Source, instance: Instance) -> bool:
    """Whether the form has this opened instance."""
    return isinstance(source, FromFile) and source.instance is instance
