"""Docks of views in a layout: placed, tabbed, maximised and restored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QTabBar, QWidget

from gems_gui.board.tab_bars import TabBars
from gems_gui.board.view_dock import ViewDock
from gems_gui.widgets.docking import put_back
from gems_gui.widgets.focus import kept_focus
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.layouts import (
    GAP,
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

_VERSION = 2  # of the saved state; a state of another version is replaced by the default layout
_WAYS = {"across": Qt.Orientation.Horizontal, "down": Qt.Orientation.Vertical}


class DockArea(QMainWindow):
    """Docks of views. Until a dock is moved by the user, the layout adapts to the size of the board.

    Moved docks stay where they are; while the board is too small for them, visible views share fewer positions as tabs.

    Attributes
    ----------
    docks
        The docks by name of the view.
    layout_name
        The layout that was chosen last: a built-in one, or the name of a saved one.
    maximised
        The maximised view, None if there is none.
    """

    arranged = Signal()
    """The layout or the maximised view has changed."""
    view_requested = Signal()
    """A layout or a view is requested while another page may cover the board."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Window, False)
        self.setDockNestingEnabled(True)
        self.setAnimated(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        TabBars(self, "Views in these tabs")
        self.docks: dict[str, ViewDock] = {}
        self.layout_name = next(iter(LAYOUTS))
        self.maximised: str | None = None
        self._before = QByteArray()
        self._part: Part | None = None
        self._squeezed: QByteArray | None = None  # the arrangement for which the board is too small at the moment
        self._needed = (0.0, 0.0)  # width and height that it needs, before font scaling
        self._fitting = QByteArray()  # the last arrangement that fitted
        self._asked = ""  # the view that was requested
        self._moved = False
        self._added: set[str] = set()
        self._own_work = 0
        self._hovered = ""
        self._scale = 1.0
        self._fit_timer = single_shot(self, self._fit)
        self._hidden_sizes: tuple[QSize, dict[str, QSize]] = QSize(), {}  # of itself and its docks when it was hidden

    def add_dock(self, dock: ViewDock) -> None:
        """Add a dock; a layout defines its position."""
        self.docks[dock.objectName()] = dock
        dock.hide()
        dock.pointed.connect(self._on_hovered)
        dock.maximise_asked.connect(self.toggle_maximised)
        dock.dockLocationChanged.connect(self._on_dock_moved)
        dock.topLevelChanged.connect(self._on_dock_moved)
        dock.toggleViewAction().triggered.connect(self._on_toggled)
        dock.hide_action.triggered.connect(self._on_dock_moved)

    def add_late(self, dock: ViewDock) -> None:
        """Add a dock after a layout was applied: where the last session had it, or hidden behind the last dock."""
        before = next(reversed(self.docks.values()))
        self.add_dock(dock)
        with self._working():
            if not self.restoreDockWidget(dock):
                self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, dock)
                self.tabifyDockWidget(before, dock)
                dock.hide()

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Within this context docks are moved by the program, not by the user."""
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
                # Qt deletes old tab bars later, and until then they cover the views.
                QCoreApplication.sendPostedEvents(bar, QEvent.Type.DeferredDelete.value)
            for dock in self.docks.values():
                dock.wait(False)
            self._own_work -= 1

    # -- layouts ------------------------------------------------------------------------------------------------

    @property
    def room(self) -> tuple[float, float]:
        """Width and height before font scaling."""
        return self.width() / self._scale, self.height() / self._scale

    def set_scale(self, scale: float) -> None:
        """Set the scale of fonts, which changes the room that views need."""
        if scale != self._scale:
            self._scale = scale
            self._fit_timer.start(0)

    def arrange(self, layout: BoardLayout) -> None:
        """Arrange all docks by this layout in the available room."""
        self.view_requested.emit()
        self.layout_name = layout.name
        self._moved = False
        self._added.clear()
        self._place(layout.part(*self.room))
        self.arranged.emit()

    def reset(self) -> None:
        """Reset the layout to its original arrangement; a saved layout is replaced by the default one."""
        self.arrange(LAYOUTS.get(self.layout_name, next(iter(LAYOUTS.values()))))

    def _place(self, part: Part) -> None:
        with self._working():
            self._part, self._squeezed, self._fitting = part, None, QByteArray()
            self.maximised = None
            placed = names_in(part)
            for name, dock in self.docks.items():
                put_back(dock)
                self.removeDockWidget(dock)
                if name not in placed:
                    self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, dock)
            self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self._first(part))
            self._split(part)
            for name, dock in self.docks.items():
                if name not in placed:  # its position when it is shown later
                    self.tabifyDockWidget(self.docks[placed[-1]], dock)
                dock.setVisible(name in placed or name in self._added)
            self._share(part, self.size())
            self._raise(part)
            for name in self._added:
                self.docks[name].raise_()
        self._share(part, self.size())  # again: views created just now have requested other sizes

    def _first(self, part: Part) -> ViewDock:
        return self.docks[names_in(part)[0]]

    def _split(self, part: Part) -> None:
        """Split the place of a part's first dock among all docks of the part."""
        if isinstance(part, Tabs):
            for name in part.names[1:]:
                self.tabifyDockWidget(self.docks[part.names[0]], self.docks[name])
            return
        for before, after in zip(part.parts, part.parts[1:], strict=False):
            self.splitDockWidget(self._first(before), self._first(after), _WAYS[part.way])
        for each in part.parts:
            self._split(each)

    def _share(self, part: Part, room: QSize) -> None:
        """Resize each part to its share of the room.

        Qt gives the sum of inner parts to the outer one. A sum that is more than there is squeezes the first of them
        where the board has not been shown yet, so the lengths are those in pixels.
        """
        if isinstance(part, Tabs):
            return
        across = part.way == "across"
        whole = (room.width() if across else room.height()) - GAP * (len(part.parts) - 1)
        lengths = [max(1, round(whole * share / sum(part.shares))) for share in part.shares]
        for each, length in zip(part.parts, lengths, strict=True):
            self._share(each, QSize(length, room.height()) if across else QSize(room.width(), length))
        self.resizeDocks([self._first(each) for each in part.parts], lengths, _WAYS[part.way])

    def _raise(self, part: Part) -> None:
        for each in part.parts if isinstance(part, Split) else ():
            self._raise(each)
        if isinstance(part, Tabs) and len(part.names) > 1:
            self.docks[part.names[0]].raise_()

    def _fit(self) -> None:
        """Adapt to the size: apply the layout again, or only squeeze docks that the user has moved."""
        if (part := self._arrangement()) is not None:
            self._place(part)
        elif self.moved and self.maximised is None and self.isVisible():  # otherwise the size is not known yet
            self._squeeze()

    def _arrangement(self) -> Part | None:
        """The arrangement that the layout has for this size, if it is another one."""
        if self.maximised is not None or self.moved:
            return None
        part = LAYOUTS[self.layout_name].part(*self.room)
        return part if part != self._part else None

    def _squeeze(self) -> None:
        """Combine visible docks as tabs where they do not fit side by side, and separate them when they do."""
        room, least = self.room, super().minimumSizeHint()
        if least.width() > self.width() or least.height() > self.height():
            if self._squeezed is None:
                # Qt has already squeezed the docks: their previous shares are in the state saved before.
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
                self._share(part, self.size())
                self._raise(part)
            if front is not None:
                self.docks[front].raise_()
        elif self._squeezed is not None and room[0] >= self._needed[0] and room[1] >= self._needed[1]:
            before, self._squeezed = self._squeezed, None
            shown = {name: not dock.isHidden() for name, dock in self.docks.items()}
            with self._working():
                self.restoreState(before, _VERSION)
                for name, dock in self.docks.items():
                    dock.setHidden(not shown[name])  # also docks that were shown or hidden in the meantime
        elif self._squeezed is None:
            self._fitting = self.saveState(_VERSION)
        self._asked = ""

    def _shown_part(self) -> Part:
        """The visible views two in a row, from the top left, followed by the views in tabs behind them."""
        shown = {name: dock for name, dock in self.docks.items() if not dock.isHidden() and not dock.isFloating()}
        fronts = sorted(
            (name for name in shown if shown[name].exposed), key=lambda name: (shown[name].y(), shown[name].x())
        )
        behind = [name for name in shown if name not in fronts]
        places = [*map(tabs, fronts[:-1]), tabs(*fronts[-1:], *behind)]
        return column(*(row(*places[at : at + 2]) for at in range(0, len(places), 2)))

    def minimumSizeHint(self) -> QSize:
        """The size of one view: the positions of docks must not widen the window."""
        width, height = least_size(tabs(*self.docks))
        return QSize(round(width * self._scale), round(height * self._scale))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible():
            self._fit_timer.start(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit before the window is painted: an old arrangement is not painted in a new room."""
        if event.type() == QEvent.Type.UpdateRequest and self._fit_timer.isActive():
            self._fit_timer.stop()
            self._fit()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Record the sizes after the user may have moved a separator between docks."""
        handled = super().event(event)
        if event.type() == QEvent.Type.MouseButtonRelease:
            self._fit_timer.start(0)
        return handled

    def hideEvent(self, event: QHideEvent) -> None:
        """Remember the sizes: if the room changes while another page is shown, Qt would share it out differently."""
        if not event.spontaneous():
            self._hidden_sizes = self.size(), self.sizes_with_tabs()
        super().hideEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the layout: the size is known now, and nothing is painted yet."""
        super().showEvent(event)
        self.window().installEventFilter(self)
        part = self._part
        self._fit()
        (room, sizes), self._hidden_sizes = self._hidden_sizes, (QSize(), {})
        if sizes and room != self.size() and part is self._part:
            across, down = self.width() / room.width(), self.height() / room.height()
            with self._working():
                self.resize_docks(
                    {
                        name: QSize(round(size.width() * across), round(size.height() * down))
                        for name, size in sizes.items()
                    }
                )

    def resize_docks(self, sizes: dict[str, QSize]) -> None:
        """Resize docks to these sizes, which include the tabs above them."""
        docks = [self.docks[name] for name in sizes if not self.docks[name].isFloating()]
        for way, length in ((Qt.Orientation.Horizontal, QSize.width), (Qt.Orientation.Vertical, QSize.height)):
            self.resizeDocks(docks, [length(sizes[dock.objectName()]) for dock in docks], way)

    def _on_dock_moved(self) -> None:
        if not self._own_work:
            self._moved = True
            self._fit_timer.start(0)

    # -- maximised view -----------------------------------------------------------------------------------------

    def _on_hovered(self, name: str) -> None:
        self._hovered = name

    @property
    def current(self) -> str | None:
        """The view that shortcuts apply to: the focused one, else the last one under the mouse, else the first."""
        focus = QApplication.focusWidget()
        seen = [name for name, dock in self.docks.items() if dock.exposed]
        for name in seen:
            if focus is not None and self.docks[name].isAncestorOf(focus):
                return name
        return self._hovered if self._hovered in seen else next(iter(seen), None)

    def toggle_maximised(self, name: str) -> None:
        """Maximise a view, or restore the maximised one. A floating view is docked first."""
        if self.docks[name].isFloating():
            self.docks[name].setFloating(False)
        elif self.maximised is not None:
            self.leave_maximised()
        else:
            self._maximise(name)

    def _maximise(self, name: str) -> None:
        with kept_focus(self), self._working():
            self._before = self.saveState(_VERSION)
            for other, dock in self.docks.items():
                if other != name and not dock.isFloating():
                    dock.hide()
            self.docks[name].show()
            self.maximised = name
        self.docks[name].maximise_action.setText("Restore")
        self.arranged.emit()

    def leave_maximised(self) -> None:
        """Restore the maximised view."""
        if self.maximised is None:
            return
        left, self.maximised = self.maximised, None
        self.docks[left].maximise_action.setText("Maximise")
        with kept_focus(self), self._working():
            self.restoreState(self._before, _VERSION)
        self._fit_timer.start(0)
        self.arranged.emit()

    def show_view(self, name: str) -> None:
        """Make a view visible, whatever hides it."""
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

    def add_view(self, name: str) -> None:
        """Make a view visible that the layout does not have; the layout continues to adapt to the size of the board."""
        dock = self.docks[name]
        if self.moved or self.maximised is not None or not dock.isHidden():
            self.show_view(name)
            return
        self.view_requested.emit()
        self._added.add(name)
        with self._working():
            dock.show()
        dock.raise_()

    def _on_toggled(self, shown: bool) -> None:
        """Hide a view that is seen and show one that is not, also if it was only behind another tab."""
        action = self.sender()
        name = next(name for name, dock in self.docks.items() if dock.toggleViewAction() is action)
        if not shown and self.maximised is None and self.docks[name].behind:
            self.docks[name].show()
            self.show_view(name)
            return
        self._on_dock_moved()
        if self.maximised is not None:
            self.leave_maximised()
            self.docks[name].setVisible(shown)
        if shown:
            self.show_view(name)

    # -- what is remembered -------------------------------------------------------------------------------------

    def state(self) -> QByteArray:
        """The arrangement of docks, as if no view were maximised."""
        if self._squeezed is not None:
            return QByteArray(self._squeezed)
        return QByteArray(self._before) if self.maximised is not None else self.saveState(_VERSION)

    @property
    def moved(self) -> bool:
        """Whether the user has moved docks away from the layout."""
        return self._moved or self.layout_name not in LAYOUTS

    def sizes_with_tabs(self) -> dict[str, QSize]:
        """The sizes of the visible docks as ``resizeDocks`` counts them: with the tabs above."""
        bars = [bar for bar in self.findChildren(QTabBar) if bar.isVisible() and bar.geometry().right() >= 0]
        sizes = {}
        for name, dock in self.docks.items():
            if dock.exposed:
                place = dock.geometry()
                tops = [
                    bar.y() for bar in bars if bar.x() == place.x() and 0 <= place.y() - bar.geometry().bottom() <= GAP
                ]
                sizes[name] = QSize(place.width(), place.bottom() + 1 - min([place.y(), *tops]))
        return sizes

    def keep_shares(self, state: QByteArray) -> None:
        """Restore the size of every dock, since Qt redistributes it when a dock gets another widget."""
        with self._working():
            self.restoreState(state, _VERSION)
        self._fit_timer.start(0)

    def restore(self, name: str, state: QByteArray) -> bool:
        """Restore a saved arrangement; returns False and changes nothing if the state is not valid."""
        self.view_requested.emit()
        self.leave_maximised()
        if state.isEmpty():
            return False
        seen = [dock for dock in self.docks.values() if not dock.isHidden()]
        with self._working():
            for dock in seen:
                dock.hide()  # Qt does not change views that a state of an older version lacks
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
        """Close floating docks together with the main window."""
        for dock in self.docks.values():
            if dock.isFloating():
                dock.hide()
