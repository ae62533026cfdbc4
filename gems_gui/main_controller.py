"""What the acts about playing, files, looks and help do, each a method that calls whoever knows how."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFileDialog

from gems_engine.errors import InputError
from gems_engine.files import RUN_SUFFIX
from gems_engine.instance import Instance
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_gui.background.file_worker import FileDone
from gems_gui.closing.closing import file_stem
from gems_gui.drafts.draft import Draft, FromGallery, FromTable
from gems_gui.drafts.instance_table import fits_csv
from gems_gui.runs.workspace import RunSession
from gems_gui.settings import LARGEST_SCALE, SMALLEST_SCALE
from gems_gui.workbench.playback import SPEEDS, Playback

if TYPE_CHECKING:
    from gems_engine.talk.story import Story
    from gems_gui.window import MainWindow

_OPENED = f"Instances, runs and experiments (*.json *.npz *.csv *.toml *{RUN_SUFFIX});;All files (*)"
_INSTANCES = "JSON (*.json);;NumPy (*.npz);;CSV (*.csv)"
_RUNS = f"Runs (*{RUN_SUFFIX})"
_LOOK_AHEADS = (0, 100, 2_000, 20_000)
_NEEDS_RUN = ("save", "revert", "go_to")


class MainController(QObject):
    """The methods behind menus, buttons and keys."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.play_opened = False
        """Whether what is opened is played at once."""
        self._runs = QActionGroup(self)
        self._runs.triggered.connect(self._choose_run)
        self._ahead = QActionGroup(self)
        self._ahead.triggered.connect(self._choose_look_ahead)
        self._recent = QActionGroup(self)
        self._recent.triggered.connect(self._open_recent)
        self._to_save: RunSession | None = None
        self._saving: dict[str, tuple[int, Story | None]] = {}  # length and story on their way to a file
        self.saving_own: dict[str, tuple[FromTable, Instance]] = {}
        """Own instances that are set aside, on their way to a file."""

    # -- the run ------------------------------------------------------------------------------------------------

    @property
    def _playback(self) -> Playback | None:
        return self._window.workspace.playback

    def run(self) -> None:
        """Start what the form says."""
        self._window.drafting.run()

    def stop(self) -> None:
        """End the engine."""
        self._window.workspace.stop()

    def hold(self, on: bool) -> None:
        """Let the engine wait."""
        if self._playback is not None:
            self._playback.hold(on)
            self._refresh()

    def run_to_end(self, on: bool) -> None:
        """Compute up to the cap; where there is no run, start what the form says."""
        if self._playback is not None:
            self._playback.run_to_end(on)
        else:
            self._window.drafting.run(to_the_end=True)
        self._refresh()

    def play(self) -> None:
        """Play or pause."""
        if self._playback is not None:
            self._playback.toggle()
            self._refresh()

    def live(self, on: bool) -> None:
        """Follow the newest event."""
        if self._playback is not None:
            self._playback.follow(on)
            self._refresh()

    def slower(self) -> None:
        """The next smaller speed."""
        if self._playback is not None:
            self._playback.slower()
            self._refresh()

    def faster(self) -> None:
        """The next larger speed."""
        if self._playback is not None:
            self._playback.faster()
            self._refresh()

    def set_speed(self, speed: float) -> None:
        """A speed from the slider."""
        if self._playback is not None and speed in SPEEDS:
            self._playback.set_speed(speed)
            self._refresh()

    def repeat(self, on: bool) -> None:
        """Begin again at the end."""
        if self._playback is not None:
            self._playback.loop = (0, None) if on else None
            self._refresh()

    def seek(self, cursor: int) -> None:
        """Go to a cursor."""
        if self._playback is not None:
            self._playback.seek(cursor)
            self._refresh()

    def go_to_event(self, event: int) -> None:
        """Move the cursor so that this event is the last one shown."""
        self.seek(event + 1)

    def first(self) -> None:
        """Before the first event."""
        self.seek(0)

    def last(self) -> None:
        """The newest event."""
        if self._playback is not None:
            self._playback.last()
            self._refresh()

    def _step(self, unit: str, direction: int) -> None:
        if self._playback is not None:
            self._playback.step(unit, direction)
            self._refresh()

    def event_forward(self) -> None:
        """One event on."""
        self._step("event", 1)

    def event_back(self) -> None:
        """One event back."""
        self._step("event", -1)

    def round_forward(self) -> None:
        """One round on."""
        self._step("round", 1)

    def round_back(self) -> None:
        """One round back."""
        self._step("round", -1)

    def subroutine_forward(self) -> None:
        """One subroutine on."""
        self._step("subroutine", 1)

    def subroutine_back(self) -> None:
        """One subroutine back."""
        self._step("subroutine", -1)

    def loop_forward(self) -> None:
        """One ℓ on."""
        self._step("loop", 1)

    def loop_back(self) -> None:
        """One ℓ back."""
        self._step("loop", -1)

    def go_to(self) -> None:
        """Ask where to go."""
        from gems_gui.transport.go_to import GoTo

        dialog = GoTo(self._window, self._playback)
        dialog.went.connect(self._refresh)
        dialog.show()

    def revert(self) -> None:
        """Put the shown run back into the form."""
        if self._window.workspace.active is not None:
            self.put_into_form(self._window.workspace.active)

    def put_into_form(self, run: RunSession) -> None:
        """Put what a run was started with into the form, or say why that cannot be."""
        try:
            self._window.drafting.set_draft(self.draft_of(run))
        except InputError as error:  # a run of an algorithm that is not installed here, or of another version of it
            self._window.say(str(error))

    def draft_of(self, run: RunSession) -> Draft:
        """The form that asks for a run."""
        if run.draft is not None:
            return run.draft
        if run.request is None:
            return self._window.drafting.draft
        return Draft.from_request(run.request)

    def _refresh(self) -> None:
        self._window.workspace.refresh()

    # -- files --------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Ask for files."""
        dialog = self._dialog("Open", _OPENED)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._window.open_files)
        dialog.open()

    def save(self) -> None:
        """Ask where the run goes."""
        run = self._window.workspace.active
        if run is not None:
            self.save_run(run)

    def save_run(self, run: RunSession) -> None:
        """Ask where a run goes, the shown one or another."""
        self._to_save = run
        name = (file_stem(run.name) or "run").removesuffix(RUN_SUFFIX)
        self.save_dialog("Save the run", _RUNS, RUN_SUFFIX, self._save_run, run.path or f"{name}{RUN_SUFFIX}")

    def write_run(self, run: RunSession, path: str) -> None:
        """Save a run to this file."""
        self._saving[path] = (len(run.trace), run.trace.story)  # both may change meanwhile
        self._window.files.save_run(path, run.trace)

    def save_instance(self) -> None:
        """Save the form's instance: to the file that it was opened from and edited since, or where the user says."""
        source = self._window.drafting.draft.source
        if isinstance(source, FromTable) and source.path and self._window.drafting.instance is not None:
            self.write_instance(source.path)
        else:
            self.save_instance_as()

    def save_instance_as(self) -> None:
        """Ask where the form's instance goes."""
        source = self._window.drafting.draft.source
        if self._window.drafting.instance is None:
            self._window.say("The form has no valid instance to save yet.")
        else:
            path = f"{source.family}.json" if isinstance(source, FromGallery) else source.path or "instance.json"
            self.save_dialog("Save the instance", _INSTANCES, ".json", self.write_instance, path)

    def _dialog(self, title: str, filters: str) -> QFileDialog:
        dialog = QFileDialog(self._window, title, str(Path.cwd()), filters)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    def open_dialog(self, title: str, filters: str, take: object) -> None:
        """Ask for a file that is there."""
        dialog = self._dialog(title, filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(take)
        dialog.open()

    def save_dialog(self, title: str, filters: str, suffix: str, save: object, path: str = "") -> None:
        """Ask where something goes."""
        dialog = self._dialog(title, filters)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix.removeprefix("."))
        if path:
            dialog.selectFile(path)
        dialog.fileSelected.connect(save)
        dialog.open()

    def folder_dialog(self, title: str, take: object) -> None:
        """Ask for a folder."""
        dialog = self._dialog(title, "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(take)
        dialog.open()

    def _save_run(self, path: str) -> None:
        if self._to_save is not None:
            self.write_run(self._to_save, path)

    def write_instance(self, path: str) -> None:
        """Save the form's instance to this file."""
        instance = self._window.drafting.instance
        if instance is not None:
            self._window.files.save_instance(path, instance)

    def save_own(self, own: FromTable) -> None:
        """Ask where an own instance goes that is set aside."""
        path = own.path or "own-instance.json"
        self.save_dialog("Save the instance", _INSTANCES, ".json", partial(self._save_own, own), path)

    def _save_own(self, own: FromTable, path: str) -> None:
        self.write_own(own, path)

    def write_own(self, own: FromTable, path: str) -> None:
        """Save an own instance that is set aside to this file."""
        instance = own.table.instance()
        self.saving_own[path] = own, instance
        self._window.files.save_instance(path, instance)

    def file_done(self, done: FileDone) -> None:
        """A file was read or written."""
        window = self._window
        if done.task == "open" and isinstance(done.value, Trace):
            run = window.workspace.open(done.value, done.path)
            if self.play_opened:
                run.playback.play()
                window.workspace.refresh()
            if done.value.notes:
                window.notice.add(" ".join(done.value.notes))
            if done.value.story is not None:
                window.notice.add(f"The run comes with the story «{done.value.story.title}»: F5 tells it.")
        elif done.task == "open" and isinstance(done.value, Instance):
            edited = isinstance(window.drafting.draft.source, FromTable)
            window.drafting.set_draft(window.drafting.draft.with_instance(done.value, done.path))
            if edited:
                window.say("The instance that was edited by hand stays in the list of instances.")
            if self.play_opened:
                window.drafting.run()
        elif done.task.endswith("specification"):
            window.experiments.file_done(done)
        elif done.task == "open weights":
            window.designs.file_done(done)
        elif done.task == "save run":
            for run in window.workspace.runs:
                if run.trace is done.value:
                    run.path = done.path
                    now = (len(run.trace), run.trace.story)
                    run.saved_events, run.saved_story = self._saving.pop(done.path, now)
            window.workspace.runs_changed.emit()
            window.say(f"The run is saved as {done.path}.")
        else:
            window.say(f"Saved as {done.path}.")
            if done.task == "save instance":
                self._instance_saved(done)
        if done.task in ("open", "save run", "save instance"):
            window.settings.add_recent(done.path)
            self.fill_recent()

    def _instance_saved(self, done: FileDone) -> None:
        """The form's own instance is a file's from now on, unless the file has only a part of it."""
        drafting = self._window.drafting
        saved = drafting.instance
        if saved is None or saved is not done.value or not isinstance(drafting.draft.source, FromTable):
            return
        if done.path.lower().endswith(".csv") and not fits_csv(saved):
            self._window.notice.add("A CSV has no θ⋆, no targets and no noise: save it as .json too.")
        else:
            drafting.set_draft(drafting.draft.with_instance(saved, done.path))

    def quit(self) -> None:
        """Close the window."""
        self._window.close()

    # -- menus that grow ----------------------------------------------------------------------------------------

    def fill_menus(self) -> None:
        """Make the menus that are not in the table: look-ahead, runs, recent files."""
        actions = self._window.acts
        ahead = actions.menu("Run/Look-ahead")
        ahead.setToolTipsVisible(True)
        for events in _LOOK_AHEADS:
            words = f"{number(events)} events" if events else "None: compute only what is shown"
            action = QAction(words, self._ahead)
            action.setCheckable(True)
            action.setData(events)
            action.setChecked(events == self._window.workspace.look_ahead)
            action.setToolTip("How far the engine may run ahead of the cursor")
            action.setStatusTip("How far the engine may run ahead of the cursor.")
            ahead.addAction(action)
        self.fill_runs()
        self.fill_recent()

    def fill_runs(self) -> None:
        """List the runs of this window."""
        menu = self._window.acts.menu("Run/Runs")
        menu.clear()
        for action in self._runs.actions():
            self._runs.removeAction(action)
            action.deleteLater()
        workspace = self._window.workspace
        for run in workspace.runs:
            action = QAction(run.name, self._runs)
            action.setCheckable(True)
            action.setData(workspace.runs.index(run))
            action.setChecked(run is workspace.active)
            action.setStatusTip("Show this run, where it was left.")
            menu.addAction(action)
        menu.setEnabled(bool(workspace.runs))

    def fill_recent(self) -> None:
        """List the files that were opened or saved last."""
        menu = self._window.acts.menu("File/Recent")
        self._window.acts.menu("File").insertMenu(self._window.acts["save"], menu)  # after «Open…», not after «Quit»
        menu.clear()
        for action in self._recent.actions():
            self._recent.removeAction(action)
            action.deleteLater()
        for path in self._window.settings.recent():
            action = QAction(Path(path).name, self._recent)
            action.setData(path)
            action.setStatusTip(path)
            menu.addAction(action)
        menu.setEnabled(bool(self._recent.actions()))

    def _choose_run(self, action: QAction) -> None:
        self._window.workspace.activate(self._window.workspace.runs[action.data()])

    def _choose_look_ahead(self, action: QAction) -> None:
        self._window.workspace.set_look_ahead(action.data())

    def _open_recent(self, action: QAction) -> None:
        self._window.open_files([action.data()])

    # -- looks --------------------------------------------------------------------------------------------------

    def font_larger(self) -> None:
        """Ten percent more."""
        self._scale(1.1)

    def font_smaller(self) -> None:
        """Ten percent less."""
        self._scale(1 / 1.1)

    def font_normal(self) -> None:
        """As it was."""
        self._window.set_theme(font_scale=1.0)

    def _scale(self, factor: float) -> None:
        scale = min(max(self._window.theme.font_scale * factor, SMALLEST_SCALE), LARGEST_SCALE)
        self._window.set_theme(font_scale=scale)

    def theme_system(self) -> None:
        """As the desktop."""
        self._window.set_theme("system")

    def theme_light(self) -> None:
        """Light."""
        self._window.set_theme("light")

    def theme_dark(self) -> None:
        """Dark."""
        self._window.set_theme("dark")

    def full_screen(self, on: bool) -> None:
        """Fill the screen, or not."""
        if on:
            self._window.showFullScreen()
        else:
            self._window.showNormal()

    def help(self) -> None:
        """Show the page about what has the focus or is pointed at, or how to read the window."""
        from gems_gui.help.context import page_meant
        from gems_gui.help.help_window import show_help

        show_help(self._window, page_meant(self._window))

    def help_on_view(self, name: str) -> None:
        """Show the page about a view."""
        from gems_gui.help.help_window import show_help
        from gems_gui.help.pages import view_key

        show_help(self._window, view_key(name))

    def how_to_read(self) -> None:
        """Show the page that help starts from."""
        from gems_gui.help.help_window import show_help
        from gems_gui.help.pages import START

        show_help(self._window, START)

    def keys(self) -> None:
        """Show the sheet of keys."""
        from gems_gui.menus.key_sheet import KeySheet

        KeySheet(self._window, self._window.acts).show()

    def about(self) -> None:
        """Show what the program is made of."""
        from gems_gui.help.about import About

        About(self._window).show()

    # -- what the menus show ------------------------------------------------------------------------------------

    def show_state(self) -> None:
        """Let menus and buttons say how things are."""
        window, actions = self._window, self._window.acts
        actions.enable(_NEEDS_RUN, window.workspace.active is not None)
        actions.enable(("stop",), window.engine.running)
        actions.mark("full_screen", window.isFullScreen())
        actions.mark(f"theme_{window.settings.theme}", True)
