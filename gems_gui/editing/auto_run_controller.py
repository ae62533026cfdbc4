"""Everything that lets a window compute while somebody edits: auto-run, sliders, and arms that can be dragged."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QToolButton

from gems_gui.board.stale_veil import StaleVeil
from gems_gui.editing.auto_run import AutoRun
from gems_gui.theme import Theme

if TYPE_CHECKING:
    from gems_gui.panels.plane import PlanePanel
    from gems_gui.window import MainWindow

_PLANE = 197  # pixels before the scale of fonts: the height of the picture of the arms with what is under it


class AutoRunController(QObject):
    """Auto-run and its controls in a window; the method behind its act."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.auto = AutoRun(window.drafting, window.queries, window.workspace, self)
        self.veil = StaleVeil(window.board, window.theme)
        self.switch = QToolButton()
        self.switch.setDefaultAction(window.acts["auto_run"])
        self.switch.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.switch.setProperty("role", "switch")
        self.switch.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.switch.setAccessibleName("Auto-run")
        window.form.add_beside_run(self.switch)
        window.form.keep_room(window.theme.pixels(_PLANE))
        window.form.stroke_begun.connect(window.drafting.history.seal)
        window.workspace.stale_changed.connect(self.veil.say)
        window.workspace.active_changed.connect(self.veil.refreshed)
        self.auto.toggled.connect(self._toggled)

    @cached_property
    def plane(self) -> PlanePanel:
        """The picture of the arms; with it comes pyqtgraph, which the first picture of the window does not wait for."""
        from gems_gui.editing.plane_controller import PlaneController
        from gems_gui.panels.plane import PlanePanel

        window = self._window
        panel = PlanePanel(window.theme)
        editing = PlaneController(panel, window.drafting, window.workspace, self)
        window.form.add_picture(panel, panel.inputs())
        editing.show_draft()
        return panel

    def wake(self) -> None:
        """Make what can wait until the window is painted."""
        self.plane.show()

    def auto_run(self, on: bool) -> None:
        """Compute every change of the form at once, or not."""
        self.auto.auto_run(on)

    @property
    def on(self) -> bool:
        """Whether every change of the form is computed."""
        return self.auto.on

    def _toggled(self, on: bool) -> None:
        window = self._window
        window.drafting.dragged = on
        window.form.show_sliders(on)
        window.acts.mark("auto_run", on)
        window.show_difference()

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        if "plane" in vars(self):
            self.plane.set_theme(theme)
        self.veil.set_theme(theme)

    def close(self) -> None:
        """Compute nothing more."""
        self.auto.close()
        self._window.drafting.close()
        self.veil.say("")
