"""What the acts about the design debugger do; the debugger itself is loaded when somebody opens it."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_engine.formats.weights import rescaling, total
from gems_gui.background.file_worker import FileDone
from gems_gui.closing.closing import file_stem
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme

if TYPE_CHECKING:
    from gems_gui.analysis.design_debugger import DesignDebugger
    from gems_gui.analysis.design_panel import DesignPanel
    from gems_gui.views.view import View
    from gems_gui.window import MainWindow

_WEIGHTS = "Weights (*.csv *.npy *.npz *.json);;All files (*)"
_SAVED_WEIGHTS = "CSV (*.csv);;NumPy (*.npz);;JSON (*.json)"
_CERTIFICATES = "Certificate (*.json)"
_PICTURES = "PNG (*.png)"
_PICTURE_HEIGHT = 700  # pixels before the scale of fonts, at least
_PROBLEMS = "JSON (*.json);;NumPy (*.npz)"
_HIDDEN = "The file would hold the rewards and so the truth, which is hidden: show it first."


class DesignController(QObject):
    """The methods behind these acts.

    Attributes
    ----------
    panel
        What is seen of the debugger, None until somebody opens it.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.debugger: DesignDebugger | None = None
        self.panel: DesignPanel | None = None
        window.board.wanted.connect(self._make_room)

    @property
    def is_open(self) -> bool:
        """Whether it stands in the place of the board."""
        return self.panel is not None and not self.panel.isHidden()

    # -- for a picture of it ------------------------------------------------------------------------------------

    @property
    def views(self) -> dict[str, View]:
        """Its views by name."""
        return {} if self.panel is None else self.panel.views

    @property
    def options(self) -> dict[str, dict[str, str]]:
        """What is chosen about each of them."""
        return {name: dict(view.settings) for name, view in self.views.items()}

    def picture(self) -> bytes:
        """Its views as they are now, with all that is picked and dragged, as the bytes of a PNG."""
        from gems_gui.painting.frames import Look
        from gems_gui.painting.render import PictureSheet, png

        assert self.panel is not None
        grid, theme = self.panel.grid, self._window.theme
        size = grid.width(), max(grid.height(), theme.pixels(_PICTURE_HEIGHT))
        sheet = PictureSheet(list(self.views), Look(size, 2.0, theme.name, theme.font_scale, options=self.options))
        try:
            if grid.snapshot is not None:
                sheet.show(grid.snapshot)
            return png(sheet.image())
        finally:
            sheet.close()

    # -- acts ---------------------------------------------------------------------------------------------------

    def debug_design(self, on: bool = True) -> None:
        """Open the debugger in the place of form and board, or give it back to them."""
        window = self._window
        if on:
            window.experiments.collapse()
        if self.panel is not None and not on:
            self.panel.hide()
        for part in (window.form, window.board):  # before the panel: a window grows by what it has to hold at once
            part.setVisible(not on)
        if on:
            panel, debugger = self._made()
            panel.show()
            debugger.open(window.workspace.snapshot)
            panel.grid.look_again()
        elif self.panel is not None and self.debugger is not None:
            self.panel.grid.stop()
            self.debugger.close()
        window.acts.mark("debug_design", on)
        window.run_handlers.show_undo()
        if on and self.panel is not None:
            self.panel.setFocus()
        else:
            window.centralWidget().setFocus()

    def maximise_view(self) -> None:
        """Let the view with the focus fill the place of all, or give it back."""
        if self.panel is not None:
            self.panel.grid.toggle_maximised(self.panel.grid.current)

    def improve_weights(self) -> None:
        """Take one step to better weights."""
        if not self._examines() or self.debugger is None:
            return
        if self.debugger.study is None or self.debugger.study.subject is not self.debugger.subject:
            self._window.say("The design is still being solved: improve it when it is there.")
        self.debugger.improve()

    def certify_weights(self) -> None:
        """Ask for a file with weights."""
        if self._examines():
            self._window.handlers.open_dialog("Certify weights of your own", _WEIGHTS, self.load_weights)

    def load_weights(self, path: str) -> None:
        """Read weights for the arms of the shown run."""
        snapshot = self._window.workspace.snapshot
        if snapshot is not None:
            instance = snapshot.instance
            self._window.files.open_weights(path, len(instance.arms), instance.arm_names)

    def save_problem(self) -> None:
        """Ask where the design problem goes."""
        if not self._window.workspace.truth:
            self._window.say(_HIDDEN, holds=lambda: not self._window.workspace.truth)
        elif self._examines():
            name = f"{self._stem()}.json"
            self._window.handlers.save_dialog("Save the design problem", _PROBLEMS, ".json", self._save_problem, name)

    def save_weights(self) -> None:
        """Ask where the weights go."""
        if self._examines():
            name = f"{self._stem()}-weights.csv"
            self._window.handlers.save_dialog("Save the weights", _SAVED_WEIGHTS, ".csv", self._save_weights, name)

    def save_certificate(self) -> None:
        """Ask where the certificate of the weights that are shown goes."""
        if self._examines():
            name = f"{self._stem()}-certificate.json"
            self._window.handlers.save_dialog(
                "Save the certificate", _CERTIFICATES, ".json", self._save_certificate, name
            )

    def save_picture(self) -> None:
        """Ask where a picture of the debugger goes."""
        if self._examines():
            name = f"{self._stem()}.png"
            self._window.handlers.save_dialog("Save a picture", _PICTURES, ".png", self._save_picture, name)

    def _stem(self) -> str:
        """A name for files about what is examined: «paper-hard-3-targets-d9»."""
        subject = None if self.debugger is None else self.debugger.subject
        if subject is None:
            return "design"
        name = file_stem(subject.instance.name.partition(":")[0]) or "design"
        return f"{name}-{len(subject.chosen)}-targets-d{subject.d}"

    def _save_picture(self, path: str) -> None:
        self._window.files.save_picture(path, self.picture())

    def _examines(self) -> bool:
        """Open the debugger if it is not there; whether it then has something to examine, and say so if not."""
        if not self.is_open:
            self.debug_design()
        if self.debugger is None or self.debugger.subject is None:
            self._window.say("There is no design to speak of yet: run something first.")
            return False
        return True

    def _save_problem(self, path: str) -> None:
        subject = None if self.debugger is None else self.debugger.subject
        if subject is not None:
            instance = subject.instance.comparing(subject.chosen).truncated(subject.d)
            self._window.files.save_instance(path, instance)

    def _save_weights(self, path: str) -> None:
        study = None if self.debugger is None else self.debugger.study
        if study is not None:
            self._window.files.save_weights(path, study.main.examination.weights)

    def _save_certificate(self, path: str) -> None:
        study = None if self.debugger is None else self.debugger.study
        try:
            if study is not None:
                self._window.files.save_certificate(path, study.certificate())
        except InputError as error:
            self._window.say(str(error))

    def file_done(self, done: FileDone) -> None:
        """Weights were read."""
        if self.debugger is not None and self.is_open:
            self.debugger.take_weights(PurePath(done.path).name, done.value)
            if said := rescaling(total(done.value)):
                self._window.say(said)

    # -- parts --------------------------------------------------------------------------------------------------

    def _made(self) -> tuple[DesignPanel, DesignDebugger]:
        if self.panel is None or self.debugger is None:
            from gems_gui.analysis.design_debugger import DesignDebugger
            from gems_gui.analysis.design_panel import DesignPanel

            window = self._window
            self.debugger = DesignDebugger(window.queries, self)
            self.debugger.edited.connect(window.run_handlers.show_undo)
            self.panel = DesignPanel(self.debugger, window.theme)
            self.panel.hide()
            self.panel.arm_picked.connect(window.workspace.select_arm)
            self.panel.target_picked.connect(window.workspace.select_target)
            self.panel.improve_asked.connect(self.improve_weights)
            self.panel.certify_asked.connect(self.certify_weights)
            self.panel.save_problem_asked.connect(self.save_problem)
            self.panel.save_weights_asked.connect(self.save_weights)
            self.panel.save_certificate_asked.connect(self.save_certificate)
            self.panel.save_picture_asked.connect(self.save_picture)
            self.panel.close_asked.connect(self._close)
            window.board_place.addWidget(self.panel, 1)
        return self.panel, self.debugger

    def _close(self) -> None:
        self.debug_design(False)

    def _make_room(self) -> None:
        """Somebody wants to see the views of the run."""
        if self.is_open:
            self.debug_design(False)

    def show_snapshot(self, snapshot: Snapshot | None) -> None:
        """Follow the run."""
        if self.debugger is not None and self.is_open:
            self.debugger.show_snapshot(snapshot)

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        if self.panel is not None:
            self.panel.set_theme(theme)

    def close(self) -> None:
        """The window closes: ask for nothing more."""
        if self.debugger is not None and self.panel is not None:
            self.panel.grid.stop()
            self.debugger.close()
