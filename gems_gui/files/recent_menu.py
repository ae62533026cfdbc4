"""The menu of the files that were opened or saved last."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup

from gems_gui.actions.interface import Interface
from gems_gui.markup import label_text, plain_text
from gems_gui.menus.action_set import ActionSet
from gems_gui.settings import Settings


class RecentMenu(QObject):
    """The menu File ▸ Recent; create it after the menus of the action table."""

    def __init__(self, actions: ActionSet, settings: Settings, ui: Interface, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._ui = ui
        self._menu = actions.menu("File/Recent")
        actions.menu("File").insertMenu(actions["save"], self._menu)  # after "Open…", not after "Quit"
        self._files = QActionGroup(self)
        self._files.triggered.connect(self._on_triggered)
        self.fill()

    def fill(self) -> None:
        """List the files that were opened or saved last."""
        self._menu.clear()
        for action in self._files.actions():
            self._files.removeAction(action)
            action.deleteLater()
        for path in self._settings.recent():
            name = Path(path).name
            action = QAction(label_text(name), self._files)
            action.setData(path)
            action.setToolTip(plain_text(name))
            action.setStatusTip(plain_text(path))
            self._menu.addAction(action)
        self._menu.setEnabled(bool(self._files.actions()))

    def _on_triggered(self, action: QAction) -> None:
        self._ui.open_files([action.data()])
