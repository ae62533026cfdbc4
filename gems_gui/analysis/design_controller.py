"""What the actions on designs do; the debugger itself is loaded when somebody opens it."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_engine.formats.weights import rescaling, total
from gems_gui.background.file_worker import FileDone
from gems_gui.board.board import Board
from gems_gui.board.page_area import PageArea
from gems_gui.painting.frames import Look
from gems_gui.paths import file_stem
from gems_gui.services import Services
from gems_gui.snapshot import Snapshot
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Page

if TYPE_CHECKING:
    from gems_gui.analysis.design_debugger import DesignDebugger
    from gems_gui.analysis.design_panel import DesignPanel
    from gems_gui.views.view import View

_WEIGHTS = "Weights (*.csv *.npy *.npz *.json);;All files (*)"
_SAVED_WEIGHTS = "CSV (*.csv);;NumPy (*.npz);;JSON (*.json)"
_CERTIFICATES = "Certificate (*.json)"
_PICTURES = "PNG (*.png)"
_PICTURE_HEIGHT = 700  # pixels before the scale of fonts, at least
_PROBLEMS = "JSON (*.json);;NumPy (*.npz)"
_HIDDEN = "The file would hold the rewards and so the truth, which is hidden: show it first."


class DesignController(QObject):
    """The methods behind these actions.

    Attributes
    ----------
    panel
        What is seen of the debugger, None until somebody opens it.
    """

    def __init__(self, services: Services, pages: PageArea, board: Board) -> None:
        super().__init__(services.host)
        self._workbench, self._ui, self._actions = services.workbench, services.ui, services.actions
        self._files, self._queries, self._appearance = services.files, services.queries, services.appearance
        self._follows = False
        self.debugger: DesignDebugger | None = None
        self.panel: DesignPanel | None = None
        pages.add(Page.DESIGNS, self._make_panel)
        board.snapshot_changed.connect(self._show_snapshot)  # not the workbench's: a talk may hide both
        self._workbench.subscribe(self._on_page_changed, Field.PAGE)

    @property
    def is_open(self) -> bool:
        """Whether it stands in the place of the board."""
        return self._workbench.page is Page.DESIGNS

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
        from gems_gui.painting.render import PictureSheet, png  # brings the plots: not needed to start

        assert self.panel is not None
        grid, theme = self.panel.grid, self._appearance.theme
        size = grid.width(), max(grid.height(), theme.pixels(_PICTURE_HEIGHT))
        sheet = PictureSheet(list(self.views), Look(size, 2.0, theme.name, theme.font_scale, options=self.options))
        try:
            if grid.snapshot is not None:
                sheet.show(grid.snapshot)
            return png(sheet.image())
        finally:
            sheet.close()

    # -- actions ------------------------------------------------------------------------------------------------

    def debug_design(self, on: bool = True) -> None:
        """Open the debugger in the place of form and board, or give it back to them."""
        self._workbench.show_page(Page.DESIGNS if on else Page.BOARD)

    def _on_page_changed(self, *_: object) -> None:
        """Follow the run while the page is shown, and only then."""
        if self.panel is None or self.debugger is None or self.is_open == self._follows:
            return
        self._follows = self.is_open
        if self.is_open:
            self.debugger.open(self._workbench.snapshot)
            self.panel.grid.look_again()
            self.panel.setFocus()
        else:
            self.panel.grid.stop()
            self.debugger.close()

    def maximise_view(self) -> None:
        """Let the view with the focus fill the place of all, or give it back."""
        if self.panel is not None:
            self.panel.grid.toggle_maximised(self.panel.grid.current)

    def improve_weights(self) -> None:
        """Take one step to better weights."""
        if not self._examines() or self.debugger is None:
            return
        if self.debugger.study is None or self.debugger.study.subject is not self.debugger.subject:
            self._workbench.messages.show("The design is still being solved: improve it when it is there.")
        self.debugger.improve()

    def certify_weights(self) -> None:
        """Ask for a file with weights."""
        if self._examines():
            self._ui.ask_file("Certify weights of your own", _WEIGHTS, self.load_weights)

    def load_weights(self, path: str) -> None:
        """Read weights for the arms of the shown run."""
        snapshot = self._workbench.snapshot
        if snapshot is not None:
            instance = snapshot.instance
            self._files.open_weights(path, len(instance.arms), instance.arm_names)

    def save_problem(self) -> None:
        """Ask where the design problem goes."""
        if not self._workbench.truth:
            self._workbench.messages.show(_HIDDEN, holds=lambda: not self._workbench.truth)
        elif self._examines():
            name = f"{self._stem()}.json"
            self._ui.ask_save("Save the design problem", _PROBLEMS, ".json", self._save_problem, name)

    def save_weights(self) -> None:
        """Ask where the weights go."""
        if self._examines():
            name = f"{self._stem()}-weights.csv"
            self._ui.ask_save("Save the weights", _SAVED_WEIGHTS, ".csv", self._save_weights, name)

    def save_certificate(self) -> None:
        """Ask where the certificate of the weights that are shown goes."""
        if self._examines():
            name = f"{self._stem()}-certificate.json"
            self._ui.ask_save("Save the certificate", _CERTIFICATES, ".json", self._save_certificate, name)

    def save_picture(self) -> None:
        """Ask where a picture of the debugger goes."""
        if self._examines():
            name = f"{self._stem()}.png"
            self._ui.ask_save("Save a picture", _PICTURES, ".png", self._save_picture, name)

    def _stem(self) -> str:
        """A name for files about what is examined: «paper-hard-3-targets-d9»."""
        subject = None if self.debugger is None else self.debugger.subject
        if subject is None:
            return "design"
        name = file_stem(subject.instance.name.partition(":")[0]) or "design"
        return f"{name}-{len(subject.chosen)}-targets-d{subject.d}"

    def _save_picture(self, path: str) -> None:
        self._files.save_picture(path, self.picture())

    def _examines(self) -> bool:
        """Open the debugger if it is not there; whether it then has something to examine, and say so if not."""
        if not self.is_open:
            self.debug_design()
        if self.debugger is None or self.debugger.subject is None:
            self._workbench.messages.show("There is no design to speak of yet: run something first.")
            return False
        return True

    def _save_problem(self, path: str) -> None:
        subject = None if self.debugger is None else self.debugger.subject
        if subject is not None:
            instance = subject.instance.comparing(subject.chosen).truncated(subject.d)
            self._files.save_instance(path, instance)

    def _save_weights(self, path: str) -> None:
        study = None if self.debugger is None else self.debugger.study
        if study is not None:
            self._files.save_weights(path, study.main.examination.weights)

    def _save_certificate(self, path: str) -> None:
        study = None if self.debugger is None else self.debugger.study
        try:
            if study is not None:
                self._files.save_certificate(path, study.certificate())
        except InputError as error:
            self._workbench.messages.show(str(error))

    def file_done(self, done: FileDone) -> None:
        """Weights were read."""
        if self.debugger is not None and self.is_open:
            self.debugger.take_weights(PurePath(done.path).name, done.value)
            if said := rescaling(total(done.value)):
                self._workbench.messages.show(said)

    # -- parts --------------------------------------------------------------------------------------------------

    def _make_panel(self) -> DesignPanel:
        from gems_gui.analysis.design_debugger import DesignDebugger  # brings explanations: not needed to start
        from gems_gui.analysis.design_panel import DesignPanel  # loaded when it is first opened

        self.debugger = DesignDebugger(self._queries, self)
        self.debugger.edited.connect(self._actions.refresh)
        self.panel = panel = DesignPanel(self.debugger, self._appearance)
        panel.arm_picked.connect(self._workbench.select_arm)
        panel.target_picked.connect(self._workbench.select_target)
        panel.improve_asked.connect(self.improve_weights)
        panel.certify_asked.connect(self.certify_weights)
        panel.save_problem_asked.connect(self.save_problem)
        panel.save_weights_asked.connect(self.save_weights)
        panel.save_certificate_asked.connect(self.save_certificate)
        panel.save_picture_asked.connect(self.save_picture)
        panel.close_asked.connect(self._close)
        return panel

    def _close(self) -> None:
        self.debug_design(False)

    def _show_snapshot(self, snapshot: Snapshot | None) -> None:
        if self.debugger is not None and self.is_open:
            self.debugger.show_snapshot(snapshot)

    def close(self) -> None:
        """The window closes: ask for nothing more."""
        if self.debugger is not None and self.panel is not None:
            self.panel.grid.stop()
            self.debugger.close()
