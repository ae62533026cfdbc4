"""Docks of views in a layout: placed, tabbed, maximised, remembered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QTabBar, QWidget

from gems_gui.board.tab_bars import TabBars
from gems_gui.board.view_dock import ViewDock
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.layouts import (
    LAYOUTS,
    BoardLayout,
    Part,
    Split,
    Tabs,
    column,
    fitted,
    least_size,
    names_in,
    row,
    tabs,
)

_VERSION = 2  # of what is remembered: another number, and it is the layout of a first start
_WAYS = {"across": Qt.Orientation.Horizontal, "down": Qt.Orientation.Vertical}


class DockArea(QMainWindow):
    """Docks of views. As long as nobody has moved one, the layout follows the room there is.

    What somebody has moved stays where it is; while there is no room for that, those that are seen are in fewer places.

    Attributes
    ----------
    docks
        By name of the view.
    layout_name
        The layout that was chosen last: one of the program's, or a name of the user's.
    maximised
        The view that fills the board, None if there is none.
    """

    arranged = Signal()
    """Another layout, a maximised view, or no more."""
    view_requested = Signal()
    """Somebody asks for a layout or a view, which something else may stand before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Window, False)
        self.setDockNestingEnabled(True)
        self.setAnimated(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        TabBars(self, "Views that share this place")
        self.docks: dict[str, ViewDock] = {}
        self.layout_name = next(iter(LAYOUTS))
        self.maximised: str | None = None
        self._before = QByteArray()
        self._part: Part | None = None
        self._squeezed: QByteArray | None = None  # where everything was, as long as there is no room for it
        self._needed = (0.0, 0.0)  # width and height for that, before the scale of fonts
        self._fitting = QByteArray()  # where everything was when there was room for it last
        self._asked = ""  # the view that somebody has asked for
        self._moved = False
        self._own_work = 0
        self._hovered = ""
        self._scale = 1.0
        self._fit_timer = single_shot(self, self._fit)

    def add_dock(self, dock: ViewDock) -> None:
        """Take a dock; a layout says where it is."""
        self.docks[dock.objectName()] = dock
        dock.hide()
        dock.pointed.connect(self._on_hovered)
        dock.maximise_asked.connect(self.toggle_maximised)
        dock.dockLocationChanged.connect(self._on_dock_moved)
        dock.topLevelChanged.connect(self._on_dock_moved)
        dock.toggleViewAction().triggered.connect(self._on_toggled)
        dock.hide_action.triggered.connect(self._on_dock_moved)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """While inside, docks move because we move them."""
        for dock in self.docks.values():
            dock.wait(True)
        self._own_work += 1
        self.setUpdatesEnabled(False)
        try:
            yield
        finally:
            self.setUpdatesEnabled(True)
            if (layout := self.layout()) is not None:
                layout.activate()
            for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
                # Qt lets go of old tab bars some time later, and until then they lie over the views.
                QCoreApplication.sendPostedEvents(bar, QEvent.Type.DeferredDelete.value)
            for dock in self.docks.values():
                dock.wait(False)
            self._own_work -= 1

    # -- layouts ------------------------------------------------------------------------------------------------

    @property
    def room(self) -> tuple[float, float]:
        """Width and height, before the scale of fonts."""
        return self.width() / self._scale, self.height() / self._scale

    def set_scale(self, scale: float) -> None:
        """The scale of fonts, by which views need more or less room."""
        if scale != self._scale:
            self._scale = scale
            self._fit_timer.start(0)

    def arrange(self, layout: BoardLayout) -> None:
        """Put every dock where this layout has it in the room there is."""
        self.view_requested.emit()
        self.layout_name = layout.name
        self._moved = False
        self._place(layout.part(*self.room))
        self.arranged.emit()

    def reset(self) -> None:
        """The layout as it was before anybody moved a dock; that of the first start where the user made it."""
        self.arrange(LAYOUTS.get(self.layout_name, next(iter(LAYOUTS.values()))))

    def _place(self, part: Part) -> None:
        with self._working():
            self._part, self._squeezed, self._fitting = part, None, QByteArray()
            self.maximised = None
            placed = names_in(part)
            for name, dock in self.docks.items():
                dock.setFloating(False)
                self.removeDockWidget(dock)
                if name not in placed:
                    self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, dock)
            self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self._first(part))
            self._split(part)
            for name, dock in self.docks.items():
                if name not in placed:  # where it comes to stand when somebody shows it
                    self.tabifyDockWidget(self.docks[placed[-1]], dock)
                dock.setVisible(name in placed)
            self._share(part)
            self._raise(part)
        self._share(part)  # once more: views that were only made now have asked for other sizes

    def _first(self, part: Part) -> ViewDock:
        return self.docks[names_in(part)[0]]

    def _split(self, part: Part) -> None:
        """Divide the place of a part's first dock among all of the part."""
        if isinstance(part, Tabs):
            for name in part.names[1:]:
                self.tabifyDockWidget(self.docks[part.names[0]], self.docks[name])
            return
        for before, after in zip(part.parts, part.parts[1:], strict=False):
            self.splitDockWidget(self._first(before), self._first(after), _WAYS[part.way])
        for each in part.parts:
            self._split(each)

    def _share(self, part: Part) -> None:
        """Give each part its share of the room."""
        if isinstance(part, Split):
            for each in part.parts:  # the inner ones first: Qt gives the sum of theirs to the outer ones
                self._share(each)
            docks = [self._first(each) for each in part.parts]
            self.resizeDocks(docks, [1000 * share for share in part.shares], _WAYS[part.way])

    def _raise(self, part: Part) -> None:
        for each in part.parts if isinstance(part, Split) else ():
            self._raise(each)
        if isinstance(part, Tabs) and len(part.names) > 1:
            self.docks[part.names[0]].raise_()

    def _fit(self) -> None:
        """Follow the room: with the layout while nobody has moved anything, else only where there is too little."""
        if self.maximised is not None:
            return
        if self.moved:
            if self.isVisible():  # else nobody knows the room yet
                self._squeeze()
            return
        part = LAYOUTS[self.layout_name].part(*self.room)
        if part != self._part:
            self._place(part)

    def _squeeze(self) -> None:
        """Put what is seen into fewer places where docks have no room side by side, and back when there is."""
        room, least = self.room, super().minimumSizeHint()
        if least.width() > self.width() or least.height() > self.height():
            if self._squeezed is None:
                # By now Qt has squeezed all of them: the shares that they had are in what was kept before.
                self._squeezed = self.saveState(_VERSION) if self._fitting.isEmpty() else self._fitting
                self._needed = (least.width() / self._scale, least.height() / self._scale)
            front = self._asked or self.current
            part = fitted(self._shown_part(), *room)
            with self._working():
                for name in names_in(part):
                    self.removeDockWidget(self.docks[name])
                self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self._first(part))
                self._split(part)
                for name in names_in(part):
                    self.docks[name].show()
                self._share(part)
                self._raise(part)
            if front is not None:
                self.docks[front].raise_()
        elif self._squeezed is not None and room[0] >= self._needed[0] and room[1] >= self._needed[1]:
            before, self._squeezed = self._squeezed, None
            shown = {name: not dock.isHidden() for name, dock in self.docks.items()}
            with self._working():
                self.restoreState(before, _VERSION)
                for name, dock in self.docks.items():
                    dock.setHidden(not shown[name])  # also what came or went meanwhile
        elif self._squeezed is None:
            self._fitting = self.saveState(_VERSION)
        self._asked = ""

    def _shown_part(self) -> Part:
        """What is in sight two in a row, from the top left, and at the end what is behind it as tabs."""
        shown = {name: dock for name, dock in self.docks.items() if not dock.isHidden() and not dock.isFloating()}
        fronts = sorted(
            (name for name in shown if shown[name].exposed), key=lambda name: (shown[name].y(), shown[name].x())
        )
        behind = [name for name in shown if name not in fronts]
        places = [*map(tabs, fronts[:-1]), tabs(*fronts[-1:], *behind)]
        return column(*(row(*places[at : at + 2]) for at in range(0, len(places), 2)))

    def minimumSizeHint(self) -> QSize:
        """A place for one view: no window has to be wider because of where docks are."""
        width, height = least_size(tabs(*self.docks))
        return QSize(round(width * self._scale), round(height * self._scale))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another room may need another layout."""
        super().resizeEvent(event)
        if self.isVisible():
            self._fit_timer.start(0)

    def event(self, event: QEvent) -> bool:
        """Somebody may have drawn the line between two docks elsewhere: so it is to be kept."""
        handled = super().event(event)
        if event.type() == QEvent.Type.MouseButtonRelease:
            self._fit_timer.start(0)
        return handled

    def showEvent(self, event: QShowEvent) -> None:
        """The room is known now, and nothing is painted yet."""
        super().showEvent(event)
        self._fit()

    def _on_dock_moved(self) -> None:
        if not self._own_work:
            self._moved = True
            self._fit_timer.start(0)

    # -- one view for all the room ------------------------------------------------------------------------------

    def _on_hovered(self, name: str) -> None:
        self._hovered = name

    @property
    def current(self) -> str | None:
        """The view that keys are about: that with the focus, else that last under the mouse, else the first."""
        focus = QApplication.focusWidget()
        seen = [name for name, dock in self.docks.items() if dock.exposed]
        for name in seen:
            if focus is not None and self.docks[name].isAncestorOf(focus):
                return name
        return self._hovered if self._hovered in seen else next(iter(seen), None)

    def toggle_maximised(self, name: str) -> None:
        """Let a view fill the board; if one does, give back the room. One that floats comes back first."""
        if self.docks[name].isFloating():
            self.docks[name].setFloating(False)
        elif self.maximised is not None:
            self.leave_maximised()
        else:
            self._maximise(name)

    def _maximise(self, name: str) -> None:
        with self._working():
            self._before = self.saveState(_VERSION)
            for other, dock in self.docks.items():
                if other != name and not dock.isFloating():
                    dock.hide()
            self.docks[name].show()
            self.maximised = name
        self.docks[name].maximise_action.setText("Give back the room")
        self.arranged.emit()

    def leave_maximised(self) -> None:
        """Everything is again where it was."""
        if self.maximised is None:
            return
        left, self.maximised = self.maximised, None
        self.docks[left].maximise_action.setText("Maximise")
        with self._working():
            self.restoreState(self._before, _VERSION)
        self._fit_timer.start(0)
        self.arranged.emit()

    def show_view(self, name: str) -> None:
        """Bring a view into sight, whatever hides it."""
        self.view_requested.emit()
        if self.maximised not in (None, name):
            self.leave_maximised()
        dock = self.docks[name]
        if dock.isHidden():
            self._moved = True
            dock.show()
            self._asked = name
            self._fit_timer.start(0)
        dock.raise_()

    def _on_toggled(self, shown: bool) -> None:
        self._on_dock_moved()
        action = self.sender()
        name = next(name for name, dock in self.docks.items() if dock.toggleViewAction() is action)
        if self.maximised is not None:
            self.leave_maximised()
            self.docks[name].setVisible(shown)
        if shown:
            self.show_view(name)

    # -- what is remembered -------------------------------------------------------------------------------------

    def state(self) -> QByteArray:
        """Where everything is, or would be if nothing were maximised."""
        if self._squeezed is not None:
            return QByteArray(self._squeezed)
        return QByteArray(self._before) if self.maximised is not None else self.saveState(_VERSION)

    @property
    def moved(self) -> bool:
        """Whether docks are where the user has put them, not where the layout has them."""
        return self._moved or self.layout_name not in LAYOUTS

    def keep_shares(self, state: QByteArray) -> None:
        """Give every dock the room back that it had: Qt shares it anew where a dock gets another widget."""
        with self._working():
            self.restoreState(state, _VERSION)
        self._fit_timer.start(0)

    def restore(self, name: str, state: QByteArray) -> bool:
        """Put everything where it was when this state was taken; False, and nothing is changed, if it is none."""
        self.view_requested.emit()
        self.leave_maximised()
        if state.isEmpty():
            return False
        seen = [dock for dock in self.docks.values() if not dock.isHidden()]
        with self._working():
            for dock in seen:
                dock.hide()  # a state of an older version does not name newer views, which Qt then leaves as they are
            if not self.restoreState(state, _VERSION):
                for dock in seen:
                    dock.show()
                return False
        self.layout_name, self._moved, self._part = name, True, None
        self._squeezed, self._fitting = None, QByteArray(state)
        self._fit_timer.start(0)
        self.arranged.emit()
        return True

    def hide_floating(self) -> None:
        """Windows of their own go with the one that they belong to."""
        for dock in self.docks.values():
            if dock.isFloating():
                dock.hide()
