"""What the actions on exports do: the dialog with its preview, the export to a file, the clipboard."""

from __future__ import annotations

import pickle
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPixmap

from gems_engine.errors import InputError
from gems_engine.terminal import number
from gems_gui.actions.refusals import needs_run
from gems_gui.analysis.design_controller import DesignController
from gems_gui.background.worker import Outcome
from gems_gui.board.board import Board
from gems_gui.drafts.run_request import FINISHED, STOPPED
from gems_gui.exports.export_choice import (
    ExportChoice,
    Scene,
    preview_look,
    preview_of,
    render_line,
    request_of,
    traces_of,
    views_of,
)
from gems_gui.exports.exporting import Exported, Exports, Painted
from gems_gui.painting.frames import shows_several
from gems_gui.painting.limits import MOST_SCALE
from gems_gui.painting.rows import BOARD
from gems_gui.paths import file_stem
from gems_gui.series.side_by_side import MOST
from gems_gui.services import Services
from gems_gui.talk.talk_controller import TalkController
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.widgets.error_report import ErrorReport
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Field

if TYPE_CHECKING:
    from gems_gui.exports.export_dialog import ExportDialog

_SOON = 150  # milliseconds from a change to the next preview, as numbers are typed digit by digit
_UNSAVED = "The run has not been saved, so the command cannot name its file. Save the run first (Ctrl+S)."
_UNSAVED_BESIDE = "A compared run has not been saved, so the command cannot name its file. Save it in the list of runs."
_HIDDEN = "The command would name the run file, which contains the hidden truth. Show the truth first (T)."


class ExportController(QObject):
    """The methods behind these actions, and the process that paints for them."""

    def __init__(self, services: Services, board: Board, designs: DesignController, stories: TalkController) -> None:
        super().__init__(services.host)
        self._workbench, self._settings, self._appearance = services.workbench, services.settings, services.appearance
        self._host, self._ui = services.host, services.ui
        self._board, self._designs, self._stories = board, designs, stories
        self.exports = Exports(self._workbench.jobs, self)
        self.exports.painted.connect(self._on_painted)
        self.exports.ended.connect(self._on_ended)
        self._dialog = LazyDialog(self._make_dialog)
        self._report = LazyDialog(partial(ErrorReport, self._host))
        self._workbench.subscribe(self._show_progress, Field.JOBS)
        # After the board, whose visible views it shows.
        self._workbench.subscribe(self.show_scene, Field.ENGINE, last=True)
        stories.ended.connect(self.show_scene)
        self._shown: tuple[object, ...] = ()
        self._preview = 0
        self._stale = False
        self._copy = 0
        self._began = 0.0
        self._timer = single_shot(self, self._paint_preview, _SOON)

    @property
    def dialog(self) -> ExportDialog | None:
        """The dialog, if it is open."""
        return self._dialog.open

    @property
    def scene(self) -> Scene | None:
        """What the window shows now."""
        snapshot, board, designs = self._workbench.snapshot, self._board, self._designs
        if snapshot is None:
            return None
        seen, options = tuple(name for name, dock in board.docks.items() if dock.exposed), board.options
        if designs.is_open:
            seen, options = tuple(designs.views), designs.options
        bound_story = None if designs.is_open else self._stories.story_to_export()
        look_up = None if bound_story is None else self._stories.numbers.look_up
        scale = self._appearance.theme.font_scale
        return Scene(replace(snapshot, stale=False), seen, options, scale, bound_story, look_up)

    # -- the actions ----------------------------------------------------------------------------------------------

    def export_refusal(self) -> str:
        """Why there is nothing to export."""
        return needs_run(self._workbench)

    def export(self) -> None:
        """Open the export dialog."""
        self._open(ExportChoice.remembered(self._settings.export_choice()))

    def export_view(self, name: str) -> None:
        """Open the export dialog for one view."""
        self._open(ExportChoice.remembered(self._settings.export_choice()).showing(name))

    def _open(self, choice: ExportChoice) -> None:
        scene = self.scene
        if scene is None:
            return
        came = self._stories.numbers.came
        came.connect(self._on_numbers_changed, Qt.ConnectionType.UniqueConnection)
        self.exports.warm()
        self._dialog.show(choice, scene)
        self._show_progress()
        self._ask_for_preview()

    def _make_dialog(self, choice: ExportChoice, scene: Scene) -> ExportDialog:
        from gems_gui.exports.export_dialog import ExportDialog  # loaded when it is first opened

        dialog = ExportDialog(self._host, choice, scene)
        dialog.changed.connect(self._on_dialog_changed)
        dialog.export_asked.connect(self._ask_for_file)
        dialog.copy_asked.connect(self._copy_chosen)
        dialog.command_asked.connect(self._copy_command)
        dialog.cancel_asked.connect(self.exports.cancel)
        return dialog

    def _on_numbers_changed(self) -> None:
        """Update the dialog, which may wait for these numbers of a story's captions."""
        self._shown = ()
        self.show_scene()

    def copy_picture(self) -> None:
        """Copy a picture of the visible views, or of the maximised view, to the clipboard."""
        scene = self.scene
        if self._designs.is_open:
            self._copied(Painted(0, self._designs.picture(), Outcome(FINISHED)))
        elif scene is not None:
            size = self._board.size()
            self._copy_painted(ExportChoice(size=f"{size.width()} × {size.height()}", scale="2"), scene)

    def show_scene(self, *_: object) -> None:
        """Update the dialog to what the window shows now."""
        dialog = self.dialog
        if dialog is None:
            return
        scene = self.scene
        if scene is None:
            dialog.close()
            return
        snapshot = scene.snapshot
        story = None if scene.bound_story is None else scene.bound_story.story
        where = (snapshot.trace, snapshot.cursor, snapshot.history.events)
        others = tuple(each.trace for each in snapshot.compared)
        shown = (*where, snapshot.truth, snapshot.selection, scene.visible_views, story, others)
        if shown != self._shown:
            self._shown = shown
            dialog.show_scene(scene)
            self._ask_for_preview()

    def close(self) -> None:
        """End the process and its export."""
        self._timer.stop()
        self.exports.close()

    # -- the dialog -----------------------------------------------------------------------------------------------

    def _on_dialog_changed(self) -> None:
        dialog = self.dialog
        if dialog is not None:
            self._settings.keep_export_choice(asdict(dialog.choice))
            self._ask_for_preview()

    def _ask_for_file(self) -> None:
        dialog = self.dialog
        if dialog is None or not dialog.valid or self.exports.busy:
            return
        form, run = dialog.chosen_format, self._workbench.active
        filters = f"{form.title} (*{form.suffix})" if form.suffix else ""
        name = "" if run is None else PurePath(run.path).stem or file_stem(run.name)
        view = "" if dialog.choice.what == BOARD or dialog.choice.story else dialog.choice.what
        proposed = "-".join(filter(None, (name, view))) or "run"
        self._ui.ask_save("Export", filters, form.suffix, self.export_to, f"{proposed}{form.suffix}", dialog)

    def export_to(self, file: str) -> None:
        """Export to a file with the settings of the dialog, in the background."""
        dialog, scene = self.dialog, self.scene
        if dialog is None or scene is None or self.exports.busy:
            return
        try:
            order = request_of(dialog.choice, scene, file)
        except InputError as error:
            dialog.show_message(str(error))
            return
        self._began = time.monotonic()
        self.exports.export(traces_of(dialog.choice, scene), order, _replicates(scene))

    def _copy_chosen(self) -> None:
        dialog, scene = self.dialog, self.scene
        if dialog is not None and scene is not None:
            self._copy_painted(dialog.choice, scene)

    def _copy_painted(self, choice: ExportChoice, scene: Scene) -> None:
        try:
            frame = preview_of(choice, scene)
            look = preview_look(choice, scene, frame)
        except InputError as error:
            self._workbench.messages.show(str(error))
            return
        self._copy = self.exports.paint(traces_of(choice, scene), frame, look, _replicates(scene))

    def _copy_command(self) -> None:
        dialog, scene, run = self.dialog, self.scene, self._workbench.active
        if dialog is None or scene is None or run is None:
            return
        several = shows_several(views_of(dialog.choice, scene))
        others = [each for each in self._workbench.compared if each is not run][: MOST - 1] if several else []
        if not all(each.saved for each in (run, *others)):
            dialog.show_message(_UNSAVED_BESIDE if run.saved else _UNSAVED)
            return
        if scene.snapshot.hides:
            dialog.show_message(_HIDDEN)
            return
        try:
            file = f"{PurePath(run.path).stem}{dialog.choice.suffix}"
            line = render_line(dialog.choice, scene, run.path, file, [each.path for each in others])
        except InputError as error:
            dialog.show_message(str(error))
            return
        QGuiApplication.clipboard().setText(line)
        self._say("Copied the command that makes the same file.")

    # -- the preview ----------------------------------------------------------------------------------------------

    def _ask_for_preview(self) -> None:
        self._stale = True
        if not self._timer.isActive():
            self._timer.start()

    def _paint_preview(self) -> None:
        """Ask for one picture at a time; while the run plays, intermediate ones are skipped."""
        dialog, scene = self.dialog, self.scene
        if dialog is None or scene is None or not self._stale or self._preview:
            return
        self._stale = False
        try:
            frame = preview_of(dialog.choice, scene)
            look = preview_look(dialog.choice, scene, frame)
        except InputError:
            return  # the dialog shows the error
        room = dialog.preview.room()
        fits = min(room.width() / look.size[0], room.height() / look.size[1])
        scale = min(
            2 * fits, max(look.scale, 1.0) if look.inches else 1.0, MOST_SCALE
        )  # twice the size, then reduced, so that text stays readable
        traces, finer = traces_of(dialog.choice, scene), replace(look, scale=scale)
        self._preview = self.exports.paint(traces, frame, finer, _replicates(scene))

    def _on_painted(self, painted: Painted) -> None:
        if painted.ticket == self._copy:
            self._copied(painted)
        if painted.ticket != self._preview:
            return
        self._preview = 0
        dialog = self.dialog
        if dialog is None:
            return
        if painted.outcome.how == FINISHED:
            picture = QPixmap()
            picture.loadFromData(painted.data)
            dialog.preview.show_picture(picture)
        else:
            dialog.preview.show_message(painted.outcome.sentence)
        if self._stale:
            self._timer.start()

    def _copied(self, painted: Painted) -> None:
        self._copy = 0
        if painted.outcome.how != FINISHED:
            self._workbench.messages.show(painted.outcome.sentence, error=True)
            return
        image = QImage.fromData(painted.data)
        QGuiApplication.clipboard().setImage(image)
        self._say(f"Copied a picture of {number(image.width())} × {number(image.height())} pixels.")

    def _say(self, sentence: str) -> None:
        """Say what was done, also in the dialog, which may cover the window."""
        self._workbench.messages.show(sentence)
        if (dialog := self.dialog) is not None:
            dialog.show_done(sentence)

    # -- the export -----------------------------------------------------------------------------------------------

    def _show_progress(self, *_: object) -> None:
        dialog, exports = self.dialog, self.exports
        if dialog is None:
            return
        if not exports.busy:
            dialog.show_progress(None)
            return
        done, total = exports.progress
        words = f"{number(done)} of {number(total)}" if total else "starting"
        if total and done >= 3:
            remaining = (time.monotonic() - self._began) * (total - done) / done
            words += f" · {number(max(1, round(remaining)))} s remaining"
        dialog.show_progress((done, total), words)

    def _on_ended(self, exported: Exported) -> None:
        outcome, file = exported.outcome, exported.order.file
        if outcome.how == FINISHED:
            self._workbench.messages.accept_file(str(file))
            self._say(f"Exported to {file}.")
        elif outcome.how == STOPPED:
            self._workbench.messages.show(f"The export was cancelled. {file} was not written.")
        else:
            self._workbench.messages.refuse_file(str(file), outcome.sentence)
            self._workbench.messages.log(outcome.sentence, "error", outcome.report)
            if outcome.report:
                self._report.show(outcome.sentence, outcome.report)


def _replicates(scene: Scene) -> bytes:
    """A pickled copy of the replicates of the run and the seeds of its race, for the process that paints."""
    found = scene.snapshot.replicates, scene.snapshot.seeds
    return b"" if found == (None, None) else pickle.dumps(found)
