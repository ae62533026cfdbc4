"""Auto-run in a window, with its sliders and the picture of the arms that can be dragged."""

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

_PLANE = 272  # pixels before font scaling: the height of the picture of the arms and its controls


class AutoRunController(QObject):
    """Auto-run and its controls in a window."""

    def __init__(self, services: Services, form: FormPanel, board: Board) -> None:
        super().__init__(services.host)
        self._workbench, self._appearance = services.workbench, services.appearance
        self._form = form
        self.auto = AutoRun(self._workbench, services.queries, self)
        self.veil = StaleVeil(board, self._appearance)
        self.switch = QToolButton()
        self.switch.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.switch.setProperty("role", "switch")
        self.switch.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.switch.setAccessibleName("Auto-run")
        self._form.add_next_to_run(self.switch)
        self._form.keep_room(self._appearance.theme.pixels(_PLANE))
        self._form.stroke_begun.connect(self._workbench.drafts.history.seal)
        self._workbench.subscribe(self._show_stale, Field.STALE)
        self._workbench.subscribe(self.veil.refreshed, Field.ACTIVE)
        self.auto.toggled.connect(self._on_toggled)
        self.auto.toggled.connect(services.actions.refresh)

    @cached_property
    def plane(self) -> PlanePanel:
        """Create the picture of the arms; it needs pyqtgraph, which is loaded after the first paint of the window."""
        from gems_gui.editing.plane_controller import PlaneController  # imports the plots: not needed to start
        from gems_gui.panels.plane import PlanePanel  # imports the plots: not needed to start

        panel = PlanePanel(self._appearance)
        editing = PlaneController(panel, self._workbench, self)
        panel.drag_begun.connect(self._form.hold)
        panel.drag_ended.connect(self._form.release)
        panel.drag_cancelled.connect(self._form.release)
        self._form.add_picture(panel, panel.inputs())
        editing.show_draft()
        return panel

    def show_switch(self, action: QAction) -> None:
        """Connect the switch next to Run with this action."""
        self.switch.setDefaultAction(action)

    def create_widgets(self) -> None:
        """Create what is not needed for the first paint."""
        self.plane.show()

    def _on_toggled(self, on: bool) -> None:
        self._workbench.drafts.dragged = on
        self._form.show_sliders(on)

    def _show_stale(self, *_: object) -> None:
        self.veil.set_reason(self._workbench.stale)

    def close(self) -> None:
        """Stop computing."""
        self.auto.close()
        self._workbench.drafts.close()
        self.veil.set_reason("")
