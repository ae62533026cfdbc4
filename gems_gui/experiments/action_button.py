"""A button for an act: it says, allows and does what the act does."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton

from gems_gui.widgets.explained import explain


class ActionButton(QPushButton):
    """Follows an action of the window.

    Parameters
    ----------
    words
        On the button: those of the menu say what they are about, which a button need not.
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
