"""What the actions on designs do; the debugger itself is loaded when it is first opened."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.formats.weights import rescaling, total
from gems_gui.background.file_worker import FileDone
from gems_gui.board.board import Board
from gems_gui.board.page_area import PageArea
from gems_gui.painting.frames import Look
from gems_gui.paths import file_stem
from gems_gui.services import Services
from gems_gui.snapshot import Snapshot
from gems_gui.workbench.workbench import Page

if TYPE_CHECKING:
    from gems_gui.analysis.design_debugger import DesignDebugger
    from gems_gui.analysis.design_panel import DesignPanel
    from gems_gui.views.view import View

_WEIGHTS = "Weights (*.csv *.npy *.npz *.json);;All files (*)"
_SAVED_WEIGHTS = "CSV (*.csv);;NumPy (*.npz);;JSON (*.json)"
_CERTIFICATES = "Certificate (*.json)"
_PICTURES = "PNG (*.png)"
_PICTURE_HEIGHT = 700  # minimum, in pixels before font scaling
_PROBLEMS = "JSON (*.json);;NumPy (*.npz)"
_HIDDEN = "The file would contain the rewards and so the hidden truth. Show the truth first (T)."


class DesignController(QObject):
    """The methods behind these actions.

    Attributes
    ----------
    panel
        The debugger's widget; None until it is first opened.
    """

    def __init__(self, services: Services, pages: PageArea, board: Board) -> None:
        super().__init__(services.host)
        self._workbench, self._ui, self._actions = services.workbench, services.ui, services.actions
        self._files, self._queries, self._appearance = services.files, services.queries, services.appearance
        self._follows = False
        self.debugger: DesignDebugger | None = None
        self.panel: DesignPanel | None = None
        pages.add(Page.DESIGNS, self._make_panel)
        board.snapshot_changed.connect(self._show_snapshot)  # the board's, as a talk may hide both
        pages.shown.connect(self._on_page_shown)

    @property
    def is_open(self) -> bool:
        """Whether the debugger is shown instead of the board."""
        return self._workbench.page is Page.DESIGNS

    # -- pictures -----------------------------------------------------------------------------------------------

    @property
    def views(self) -> dict[str, View]:
        """The debugger's views by name."""
        return {} if self.panel is None else self.panel.views

    @property
    def options(self) -> dict[str, dict[str, str]]:
        """The options of each view."""
        return {name: dict(view.settings) for name, view in self.views.items()}

    def picture(self) -> bytes:
        """The views as they are now, with selections and dragged weights, as the bytes of a PNG."""
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
        """Show the debugger instead of form and board, or go back to them."""
        self._workbench.show_page(Page.DESIGNS if on else Page.BOARD)

    def _on_page_shown(self, *_: object) -> None:
        """Follow the run only while the page is shown."""
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
        """Maximise the view with the focus, or restore it."""
        if self.panel is not None:
            self.panel.grid.toggle_maximised(self.panel.grid.current)

    def improve_weights(self) -> None:
        """Take one step towards better weights."""
        if not self._examines() or self.debugger is None:
            return
        if self.debugger.study is None or self.debugger.study.subject is not self.debugger.subject:
            self._workbench.messages.show("The design is still being solved. Improve it when it is ready.")
        self.debugger.improve()

    def certify_weights(self) -> None:
        """Ask for a file with weights."""
        if self._examines():
            self._ui.ask_file("Certify weights", _WEIGHTS, self.load_weights)

    def load_weights(self, path: str) -> None:
        """Read weights for the arms of the current run."""
        snapshot = self._workbench.snapshot
        if snapshot is not None:
            instance = snapshot.instance
            self._files.open_weights(path, len(instance.arms), instance.arm_names)

    def save_problem(self) -> None:
        """Ask where to save the design problem."""
        if not self._workbench.truth:
            self._workbench.messages.show(_HIDDEN, holds=lambda: not self._workbench.truth)
        elif self._examines():
            name = f"{self._stem()}.json"
            self._ui.ask_save("Save design problem", _PROBLEMS, ".json", self._save_problem, name)

    def save_weights(self) -> None:
        """Ask where to save the weights."""
        if self._examines():
            name = f"{self._stem()}-weights.csv"
            self._ui.ask_save("Save design weights", _SAVED_WEIGHTS, ".csv", self.write_weights, name)

    def save_certificate(self) -> None:
        """Ask where to save the certificate of the weights shown."""
        if self._examines():
            name = f"{self._stem()}-certificate.json"
            self._ui.ask_save("Save certificate", _CERTIFICATES, ".json", self._save_certificate, name)

    def save_picture(self) -> None:
        """Ask where to save a picture of the debugger."""
        if self._examines():
            name = f"{self._stem()}.png"
            self._ui.ask_save("Save picture", _PICTURES, ".png", self._save_picture, name)

    def _stem(self) -> str:
        """A file name for what is examined, such as "paper-hard-3-targets-d9"."""
        subject = None if self.debugger is None else self.debugger.subject
        if subject is None:
            return "design"
        name = file_stem(subject.instance.name.partition(":")[0]) or "design"
        return f"{name}-{len(subject.chosen)}-targets-d{subject.d}"

    def _save_picture(self, path: str) -> None:
        self._files.save_picture(path, self.picture())

    def _examines(self) -> bool:
        """Open the debugger if necessary; whether it has something to examine. If not, show a message."""
        if not self.is_open:
            self.debug_design()
        if self.debugger is None or self.debugger.subject is None:
            self._workbench.messages.show("No design yet. Press Ctrl+R to run the form.")
            return False
        return True

    def _save_problem(self, path: str) -> None:
        subject = None if self.debugger is None else self.debugger.subject
        if subject is not None:
            instance = subject.instance.comparing(subject.chosen).truncated(subject.d)
            self._files.save_instance(path, instance)

    @property
    def weights_by_hand(self) -> Floats | None:
        """The weights that were dragged by hand; None if there are none."""
        if self.debugger is None:
            return None
        from gems_gui.analysis.inquiry import BY_HAND  # loaded with the debugger

        custom = self.debugger.inquiry.custom
        return custom.weights if custom is not None and custom.label == BY_HAND else None

    def write_weights(self, path: str) -> None:
        """Save the weights shown to this file."""
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
        """Take the weights that were read."""
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
        self.panel = panel = DesignPanel(self.debugger, self._actions, self._appearance)
        panel.arm_picked.connect(self._workbench.select_arm)
        panel.view_failed.connect(self._workbench.messages.log_error)
        panel.target_picked.connect(self._workbench.select_target)
        panel.save_picture_asked.connect(self.save_picture)
        panel.close_asked.connect(self._close)
        return panel

    def _close(self) -> None:
        self.debug_design(False)

    def _show_snapshot(self, snapshot: Snapshot | None) -> None:
        if self.debugger is not None and self.is_open:
            self.debugger.show_snapshot(snapshot)

    def close(self) -> None:
        """Cancel all queries, as the window closes."""
        if self.debugger is not None and self.panel is not None:
            self.panel.grid.stop()
            self.debugger.close()
