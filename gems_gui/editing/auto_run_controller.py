"""Everything that lets a window compute while somebody edits: auto-run, sliders, and arms that can be dragged."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

from gems_gui.board.board import Board
from gems_gui.board.stale_veil import StaleVeil
from gems_gui.editing.auto_run import AutoRun
from gems_gui.panels.form_panel import FormPanel
from gems_gui.services import Services
from gems_gui.workbench.changes import Field

if TYPE_CHECKING:
    from gems_gui.panels.plane import PlanePanel

_PLANE = 197  # pixels before the scale of fonts: the height of the picture of the arms with what is under it


class AutoRunController(QObject):
    """Auto-run and its controls in a window; the method behind its action."""

    def __init__(self, services: Services, form: FormPanel, board: Board) -> None:
        super().__init__(services.host)
        self._workbench, self._appearance, self._actions = services.workbench, services.appearance, services.actions
        self._form = form
        self.auto = AutoRun(self._workbench, services.queries, self)
        self.veil = StaleVeil(board, self._appearance)
        self.switch = QToolButton()
        self.switch.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.switch.setProperty("role", "switch")
        self.switch.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.switch.setAccessibleName("Auto-run")
        self._form.add_beside_run(self.switch)
        self._form.keep_room(self._appearance.theme.pixels(_PLANE))
        self._form.stroke_begun.connect(self._workbench.drafts.history.seal)
        self._workbench.subscribe(self._show_stale, Field.STALE)
        self._workbench.subscribe(self.veil.refreshed, Field.ACTIVE)
        self.auto.toggled.connect(self._on_toggled)

    @cached_property
    def plane(self) -> PlanePanel:
        """The picture of the arms; with it comes pyqtgraph, which the first picture of the window does not wait for."""
        from gems_gui.editing.plane_controller import PlaneController  # brings the plots: not needed to start
        from gems_gui.panels.plane import PlanePanel  # brings the plots: not needed to start

        panel = PlanePanel(self._appearance)
        editing = PlaneController(panel, self._workbench, self)
        self._form.add_picture(panel, panel.inputs())
        editing.show_draft()
        return panel

    def show_switch(self, action: QAction) -> None:
        """Let the switch beside Run ask for this action."""
        self.switch.setDefaultAction(action)

    def create_widgets(self) -> None:
        """Make what can wait until the window is painted."""
        self.plane.show()

    def auto_run(self, on: bool) -> None:
        """Compute every change of the form at once, or not."""
        self.auto.auto_run(on)

    @property
    def on(self) -> bool:
        """Whether every change of the form is computed."""
        return self.auto.on

    def _on_toggled(self, on: bool) -> None:
        self._workbench.drafts.dragged = on
        self._form.show_sliders(on)
        self._actions.refresh()

    def _show_stale(self, *_: object) -> None:
        self.veil.set_reason(self._workbench.stale)

    def close(self) -> None:
        """Compute nothing more."""
        self.auto.close()
        self._workbench.drafts.close()
        self.veil.set_reason("")
