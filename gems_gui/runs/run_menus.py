"""The menus of the runs and of the look-ahead."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup

from gems_engine.terminal import number
from gems_gui.markup import label_text, plain_text
from gems_gui.menus.action_set import ActionSet
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Workbench

_LOOK_AHEADS = (0, 100, 2_000, 20_000)


class RunMenus(QObject):
    """The menus Run ▸ Look-ahead and Run ▸ Runs; create them after the menus of the action table."""

    def __init__(self, actions: ActionSet, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._ahead = QActionGroup(self)
        self._ahead.triggered.connect(self._choose_look_ahead)
        self._list_look_aheads(actions)
        self._runs = QActionGroup(self)
        self._runs.triggered.connect(self._choose_run)
        self._menu = actions.menu("Run/Runs")
        self.fill()
        workbench.subscribe(self.fill, Field.RUNS, Field.ACTIVE)

    def _list_look_aheads(self, actions: ActionSet) -> None:
        menu = actions.menu("Run/Look-ahead")
        menu.setToolTipsVisible(True)
        for events in _LOOK_AHEADS:
            words = f"{number(events)} events" if events else "None: compute only what is shown"
            action = QAction(words, self._ahead)
            action.setCheckable(True)
            action.setData(events)
            action.setChecked(events == self._workbench.look_ahead)
            action.setToolTip("Set how far the engine may run ahead of the cursor")
            action.setStatusTip("Set how far the engine may run ahead of the cursor.")
            menu.addAction(action)

    def fill(self, *_: object) -> None:
        """List the runs of this window."""
        self._menu.clear()
        for action in self._runs.actions():
            self._runs.removeAction(action)
            action.deleteLater()
        for at, run in enumerate(self._workbench.runs):
            action = QAction(label_text(run.name), self._runs)
            action.setToolTip(plain_text(run.name))
            action.setCheckable(True)
            action.setData(at)
            action.setChecked(run is self._workbench.active)
            action.setStatusTip("Show this run at its last position.")
            self._menu.addAction(action)
        self._menu.setEnabled(bool(self._workbench.runs))

    def _choose_run(self, action: QAction) -> None:
        self._workbench.activate(self._workbench.runs[action.data()])

    def _choose_look_ahead(self, action: QAction) -> None:
        self._workbench.set_look_ahead(action.data())
