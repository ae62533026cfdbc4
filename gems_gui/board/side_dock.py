"""A dock next to the board; several of them share one position as tabs."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QHideEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QLayout,
    QMainWindow,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gems_gui.appearance import Appearance
from gems_gui.icons import icon
from gems_gui.theme import Theme
from gems_gui.views.card import Head
from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.descendants import descendants
from gems_gui.widgets.docking import put_back
from gems_gui.widgets.explained import complete, described, explain
from gems_gui.widgets.focus import release_focus
from gems_gui.widgets.timers import soon

_MARGIN = 8  # pixels to the edge of the window, as for the cards of the board
_LEAST = 230  # least width of a docked one in pixels, before font scaling
_LEFT = 80  # pixels granted to the board beyond its minimum, before font scaling
_HEIGHT = 420  # height of a floating one in pixels, before font scaling


class SideDock(QDockWidget):
    """A card with a title, initially on the right of the window.

    Parameters
    ----------
    name
        The key of its saved state.
    width
        Its width when it opens, in pixels before font scaling.
    """

    def __init__(self, name: str, title: str, appearance: Appearance, parent: QWidget, width: int = 340) -> None:
        super().__init__(title, parent)
        self.setObjectName(name)
        self._width = width
        self._appearance = appearance
        self._gave_way = False  # it floats for lack of room, not by the user's choice
        self.head = Head(title)
        self.close_button = self._button("close", f'Close "{title}"', self.close)
        bar = QWidget()
        self._bar = QVBoxLayout(bar)
        self._bar.addWidget(self.head)
        self.setTitleBarWidget(bar)
        self._around: QVBoxLayout | None = None
        self.dockLocationChanged.connect(self._keep_margins)
        self._keep_margins(Qt.DockWidgetArea.RightDockWidgetArea)
        appearance.follow(self._apply_theme_to_frame)

    def _button(self, name: str, tip: str, slot: object) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setAccessibleName(tip)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a shortcut closes it
        explain(button, f"{tip}.")
        button.clicked.connect(slot)
        layout = self.head.layout()
        assert layout is not None
        layout.addWidget(button)
        return button

    def put(self, content: QWidget) -> None:
        """Set its content."""
        body = QFrame()
        body.setProperty("role", "body")
        inside = vbox(body)
        inside.addWidget(content)
        around = QWidget()
        self._around = QVBoxLayout(around)
        self._around.addWidget(body)
        self._keep_margins(Qt.DockWidgetArea.RightDockWidgetArea)
        self.setWidget(around)

    def _keep_margins(self, area: Qt.DockWidgetArea) -> None:
        """Set the margins at the edges of the window to those of the cards; Qt adds a gap on the other side."""
        left = 0 if area == Qt.DockWidgetArea.RightDockWidgetArea else _MARGIN
        right = 0 if area == Qt.DockWidgetArea.LeftDockWidgetArea else _MARGIN
        self._bar.setContentsMargins(left, 0, right, 0)
        if self._around is not None:
            self._around.setContentsMargins(left, 0, right, _MARGIN)

    # -- content ------------------------------------------------------------------------------------------------

    def column(self) -> QVBoxLayout:
        """A new content widget with a vertical layout."""
        inside = QWidget()
        column = vbox(inside, 6, margins=(8, 4, 8, 8))
        self.put(inside)
        return column

    def act(self, words: str, tip: str, slot: object) -> QAction:
        """A new action of this dock."""
        action = QAction(words, self)
        action.setToolTip(tip)
        action.setStatusTip(f"{tip}.")
        action.triggered.connect(slot)
        return action

    def tool(self, action: QAction) -> QToolButton:
        """A button for an action."""
        button = described(QToolButton(), role="tool")
        button.setDefaultAction(action)
        button.setAccessibleName(action.text().rstrip("…"))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _apply_theme_to_frame(self, theme: Theme) -> None:
        """Apply the theme to the frame; the content follows the appearance itself."""
        self.head.apply_theme(theme)
        self.close_button.setIconSize(self.head.options.iconSize())
        self.close_button.setIcon(icon("close", theme))

    # -- position -----------------------------------------------------------------------------------------------

    def take_place(self) -> None:
        """Restore its position, or add it as a tab to the other side docks; initially hidden."""
        window = self.parentWidget()
        assert isinstance(window, QMainWindow)
        others = [each for each in window.findChildren(SideDock) if each is not self and not each.isFloating()]
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self)
        self.hide()
        if others:
            hidden = others[0].isHidden()
            window.tabifyDockWidget(others[0], self)
            others[0].setHidden(hidden)  # Qt shows both docks
            self.hide()
        window.restoreDockWidget(self)

    def take_place_hidden(self) -> None:
        """Take a place without being shown, whatever the last session had; for a dock that is made on demand."""
        self.take_place()
        self.hide()
        complete(self)

    @property
    def exposed(self) -> bool:
        """Whether it is visible and not behind another tab."""
        return self.isVisible() and (self.isFloating() or not self.visibleRegion().isEmpty())

    def toggle(self, on: bool) -> bool:
        """Bring it to the front, or hide it if it is in front; returns whether it is open afterwards."""
        if not on and self.exposed:
            self.close()
            return False
        self.open()
        return True

    def hideEvent(self, event: QHideEvent) -> None:
        release_focus(self)
        super().hideEvent(event)

    def open(self) -> None:
        """Show it in front; as a floating window if the board would become too small."""
        window = self.parentWidget()
        if self.isHidden() and isinstance(window, QMainWindow):
            self.come_back()
            self._leave(window)
        self.show()
        self.raise_()
        if self.isFloating():
            self.activateWindow()  # keys belong to it, as to a docked one
        soon(self, self._widen)

    def collapse(self) -> None:
        """Float if it leaves the board too little room, for example after the text was enlarged."""
        window = self.parentWidget()
        if not self.isHidden() and isinstance(window, QMainWindow):
            self._leave(window)

    def come_back(self) -> None:
        """Dock again if it floats for lack of room and there is room now."""
        if self._gave_way:
            self.dock_again()

    def dock_again(self) -> None:
        """Dock again if it floats and there is room."""
        window = self.parentWidget()
        if self.isFloating() and isinstance(window, QMainWindow) and self._fits(window):
            put_back(self)
            self._gave_way = False
            soon(self, self._widen)

    def _leave(self, window: QMainWindow) -> None:
        sides = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)
        if self.isFloating() or window.dockWidgetArea(self) not in sides or self._fits(window):
            return
        self.setFloating(True)
        self._gave_way = True
        pixels = self._appearance.theme.pixels
        self.resize(pixels(self._width), min(pixels(_HEIGHT), window.height()))
        others = [each for each in window.findChildren(SideDock) if each is not self]
        before = sum(each.isFloating() and not each.isHidden() for each in others)
        aside = QPoint(-self.width(), 0) + QPoint(-3, 8) * _MARGIN + QPoint(-6, 6) * _MARGIN * before
        self.move(window.frameGeometry().topRight() + aside)

    def _spare(self, window: QMainWindow) -> int:
        """The width that the minimum sizes of the rest of the window leave."""
        central = window.centralWidget()
        return window.width() - _MARGIN - (0 if central is None else central.minimumSizeHint().width())

    def _fits(self, window: QMainWindow) -> bool:
        central = window.centralWidget()
        for widget in descendants(self, QWidget):  # what was made just now has neither its fonts nor its size
            widget.ensurePolished()
            widget.updateGeometry()
        for part in (self, *(() if central is None else (central,))):
            for layout in descendants(part, QLayout):
                layout.invalidate()  # new fonts reach outer layouts only with later events
        return max(self.minimumSizeHint().width(), self._appearance.theme.pixels(_LEAST)) <= self._spare(window)

    def _widen(self) -> None:
        """Resize to the wanted width, as far as the board keeps more than its minimum."""
        window = self.parentWidget()
        if not isinstance(window, QMainWindow) or self.isFloating() or not self.isVisible():
            return
        pixels = self._appearance.theme.pixels
        wanted = min(pixels(self._width), self._spare(window) - pixels(_LEFT))
        if self.width() < wanted:
            window.resizeDocks([self], [wanted], Qt.Orientation.Horizontal)
