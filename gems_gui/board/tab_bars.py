"""The tabs of docks that share a place, which Qt makes when it needs them: named, on top, reached by Tab."""

from __future__ import annotations

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget


class TabBars(QObject):
    """Looks after the tab bars of a window with docks.

    Parameters
    ----------
    words
        What the docks are that share a place.
    """

    def __init__(self, window: QMainWindow, words: str) -> None:
        super().__init__(window)
        self._words = words
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Dress a new tab bar; one that Qt has outside of the window, for docks that are hidden, takes no focus."""
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
        bar.setStatusTip(f"{self._words}: the arrow keys choose one.")
        bar.setWhatsThis(f"{self._words}: choose the one in front. Drag a tab to take it out.")
        bar.setDrawBase(False)
        bar.setElideMode(Qt.TextElideMode.ElideNone)  # whole words, and arrows where not all have room
        bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        bar.installEventFilter(self)
