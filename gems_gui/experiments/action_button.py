"""A button for an action."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton

from gems_gui.widgets.explained import explain


class ActionButton(QPushButton):
    """Triggers an action of the window, and has its tooltip and enabled state.

    Parameters
    ----------
    words
        The text of the button, which can be shorter than that of the menu.
    """

    def __init__(self, action: QAction, words: str) -> None:
        super().__init__(words)
        self._action = action
        self.setAutoDefault(False)
        self.setCheckable(action.isCheckable())
        self.setToolTip(action.toolTip())
        explain(self, action.statusTip())
        self.setAccessibleName(action.text().rstrip("…"))
        self.clicked.connect(self._click)
        action.changed.connect(self._follow)
        self._follow()

    def _click(self) -> None:
        self._action.trigger()
        self._follow()

    def _follow(self) -> None:
        self.setEnabled(self._action.isEnabled())
        if self._action.isCheckable():
            self.setChecked(self._action.isChecked())
