"""Sets up the tab bars that Qt creates for tabbed docks: accessible names, position on top, keyboard focus."""

from __future__ import annotations

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget


class TabBars(QObject):
    """Sets up the tab bars of a window with docks.

    Parameters
    ----------
    words
        A description of the tabbed docks.
    """

    def __init__(self, window: QMainWindow, words: str) -> None:
        super().__init__(window)
        self._words = words
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Set up a new tab bar; one outside the window, which Qt uses for hidden docks, gets no focus."""
        if isinstance(event, QChildEvent) and event.polished():
            bar = event.child()
            if isinstance(bar, QTabBar):
                self._apply_theme(bar)
        elif event.type() == QEvent.Type.Move and isinstance(watched, QTabBar):
            seen = watched.geometry().right() >= 0
            watched.setFocusPolicy(Qt.FocusPolicy.TabFocus if seen else Qt.FocusPolicy.NoFocus)
        return super().eventFilter(watched, event)

    def _apply_theme(self, bar: QTabBar) -> None:
        bar.setAccessibleName(self._words)
        bar.setToolTip(self._words)
        bar.setStatusTip(f"{self._words}: choose one with the arrow keys.")
        bar.setWhatsThis(f"{self._words}: click a tab to bring it to the front, or drag it to detach it.")
        bar.setDrawBase(False)
        bar.setElideMode(Qt.TextElideMode.ElideNone)  # complete titles, with arrows if they do not fit
        bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        bar.installEventFilter(self)
