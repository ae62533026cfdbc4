"""The board: each view has its own dock; views are painted in turn so that plots do not block the window."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Signal
from PySide6.QtGui import QShowEvent

from gems_gui.appearance import Appearance
from gems_gui.board.dock_area import DockArea
from gems_gui.board.view_dock import ViewDock
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views import VIEWS
from gems_gui.widgets.timers import single_shot, soon
from gems_gui.workbench.layouts import LAYOUTS

if TYPE_CHECKING:
    from gems_gui.views.view import View

_PERIOD = 0.055  # seconds from one round of painting to the next: 18 frames per second look smooth
_LEAST_REST = 0.006  # seconds reserved for user input where painting takes longer than the period


class Board(DockArea):
    """All views of one snapshot.

    Only views that are visible and whose snapshot has changed are painted, one in each pass of the event loop. In a
    round of painting all of them show the same snapshot. When snapshots come faster than rounds, some are skipped,
    and the rest of each period stays free for everything else.
    """

    arm_picked = Signal(object)
    target_picked = Signal(object)
    place_picked = Signal(object)
    until_asked = Signal(object, bool)
    """The user wants to go forward or back to where a condition holds."""
    seed_picked = Signal(object)
    race_seed_picked = Signal(object)
    samples_picked = Signal(object)
    theory_asked = Signal(object)
    """A view needs the bounds of the theorems for a run."""
    export_asked = Signal(str)
    """The user wants to export a view."""
    help_asked = Signal(str)
    snapshot_changed = Signal(object)
    """The snapshot that is shown from now on."""
    symbols_requested = Signal(str)
    view_failed = Signal(str, str)
    """A view cannot be drawn: a sentence, and a report."""
    views_created = Signal()
    """Every visible view has been created."""

    def __init__(self, appearance: Appearance, *, deferred: bool = False) -> None:
        super().__init__()
        self.snapshot: Snapshot | None = None
        self._algorithm = ""
        self._dirty: dict[str, None] = {}  # the views to paint in the next round
        self._queue: deque[str] = deque()  # the views still to paint in this round
        self._painted: Snapshot | None = None  # the snapshot of this round
        self._timer = single_shot(self, self._paint_next)
        self._painting_since = 0.0
        self._rest_until = 0.0
        self._ends = False  # whether the last view of a round is being painted
        self._appearance = appearance
        self._saved_options: dict[str, dict[str, str]] = {}
        appearance.follow(self._apply_theme)
        for name in VIEWS.built_in:  # views of plug-ins are added after the first paint
            self.add_dock(self._dock(name, appearance))
        self._deferred_docks = list(self.docks.values()) if deferred else []
        self._unloaded = list(VIEWS.built_in) if deferred else []
        self._wakes_when_shown = False
        for dock in self.docks.values():
            if deferred:
                dock.defer()
            else:
                dock.create_view()

    def add_plugin_views(self) -> list[ViewDock]:
        """Add a dock for each view of another package, once; it is hidden, unless it was visible in the last session.

        Call it before :meth:`create_views`.
        """
        made = []
        for name in VIEWS:
            if name not in self.docks:
                dock = self._dock(name, self._appearance)
                made.append(dock)
                dock.defer()
                self.add_late(dock)
                dock.set_options(self._saved_options.get(name, {}))
        self._deferred_docks += made
        return made

    def create_views(self) -> None:
        """Create the visible views; the others when they become visible.

        All at once, in a tenth of a second: one by one, each would take room from the others, the sizes would be
        restored, and everything would be painted again each time. While another page covers the board, no view is
        visible: their modules are loaded, and they are created when the board is shown.
        """
        if not self.isVisible():
            self._load_next()
            return
        if self._deferred_docks:
            before = self.state()
            for dock in self._deferred_docks:
                dock.create_view()
            self._deferred_docks.clear()
            self.keep_shares(before)
        self.views_created.emit()

    def _load_next(self) -> None:
        if self._unloaded:
            with suppress(Exception):  # reported when the view is shown
                _ = VIEWS[self._unloaded.pop(0)]
            soon(self, self.create_views)
        elif not self._wakes_when_shown:
            self._wakes_when_shown = True
            self.views_created.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._wakes_when_shown and self._deferred_docks:
            soon(self, self.create_views)
        self._wakes_when_shown = False

    @property
    def ready(self) -> bool:
        """Whether every visible view has been created."""
        return not self._deferred_docks

    def _dock(self, name: str, appearance: Appearance) -> ViewDock:
        dock = ViewDock(name, appearance, self)
        dock.created.connect(self._connect)
        dock.export_asked.connect(self.export_asked)
        dock.help_asked.connect(self.help_asked)
        dock.symbols_requested.connect(self.symbols_requested)
        dock.visibilityChanged.connect(self._on_visibility_changed)
        return dock

    def _connect(self, view: View) -> None:
        view.arm_picked.connect(self.arm_picked)
        view.target_picked.connect(self.target_picked)
        view.place_picked.connect(self.place_picked)
        view.seed_picked.connect(self.seed_picked)
        view.race_seed_picked.connect(self.race_seed_picked)
        view.samples_picked.connect(self.samples_picked)
        view.theory_asked.connect(self.theory_asked)
        view.until_asked.connect(self.until_asked)
        view.view_asked.connect(self.show_view)
        view.failed.connect(self.view_failed)
        if view.failure is not None:
            self.view_failed.emit(*view.failure)
        view.attempt(partial(view.expect, self._algorithm))
        self._dirty[view.name] = None
        self._paint_soon()  # needed here: a layout creates its views after they have become visible

    @property
    def views(self) -> dict[str, View]:
        """The views created so far, by name."""
        return {name: dock.view for name, dock in self.docks.items() if dock.view is not None}

    # -- what is remembered -------------------------------------------------------------------------------------

    @property
    def options(self) -> dict[str, dict[str, str]]:
        """The options of each view."""
        return {name: dock.options for name, dock in self.docks.items() if dock.options}

    def set_options(self, options: dict[str, dict[str, str]]) -> None:
        """Restore the options of views, also of those that are added later."""
        self._saved_options = options
        for name in self.docks.keys() & options.keys():
            self.docks[name].set_options(options[name])

    def begin(self, layout: str, state: QByteArray) -> None:
        """Restore the last arrangement: moved docks, or a layout as soon as the size is known."""
        if not self.restore(layout, state) and layout in LAYOUTS:
            self.layout_name = layout

    # -- what is shown ------------------------------------------------------------------------------------------

    def show_snapshot(self, snapshot: Snapshot | None) -> None:
        """Show this snapshot in every view, one after another."""
        self.snapshot = snapshot
        before = self._painted
        if before is None or snapshot is None or (before.trace, before.truth) != (snapshot.trace, snapshot.truth):
            self._painted = snapshot  # another run, or the truth is hidden: no view may show the old snapshot
        if snapshot is not None and not snapshot.truth:
            self._forget_truth()
        self._mark_all()
        self.snapshot_changed.emit(snapshot)

    def _forget_truth(self) -> None:
        """Remove the hidden truth from views that are not visible."""
        for name, view in self.views.items():
            if view.snapshot is not None and view.snapshot.truth and not self._visible(name):
                view.show(None)

    def expect(self, algorithm: str) -> None:
        """Set the algorithm of the form, for views that show it before the first run."""
        self._algorithm = algorithm
        for view in self.views.values():
            view.attempt(partial(view.expect, algorithm))

    def show_again(self, name: str) -> None:
        """Show the same snapshot again in one view, because more is known about it."""
        self._dirty[name] = None
        self._paint_soon()

    def _apply_theme(self, theme: Theme) -> None:
        self.set_scale(theme.font_scale)

    @property
    def settled(self) -> bool:
        """Whether every visible view shows the newest snapshot."""
        return self.ready and not any(self._visible(name) for name in (*self._queue, *self._dirty))

    def settle(self) -> None:
        """Paint all pending views now."""
        self._dirty.update(dict.fromkeys(self._queue))
        self._queue.clear()
        while (name := next(filter(self._visible, self._dirty), None)) is not None:  # one may make another visible
            del self._dirty[name]
            self.views[name].show(self.snapshot)

    def _mark_all(self) -> None:
        self._dirty.update(dict.fromkeys(self.docks))
        self._paint_soon()

    def _paint_soon(self) -> None:
        if not self._timer.isActive() and not self._ends:
            self._timer.start(max(0, round(1e3 * (self._rest_until - time.perf_counter()))))

    def _visible(self, name: str) -> bool:
        view = self.docks[name].view
        return view is not None and view.body.isVisible()

    def _paint_next(self) -> None:
        """Update one view; Qt paints it before the next idle pass of the event loop."""
        if not self._queue:
            self._painting_since, self._painted = time.perf_counter(), self.snapshot
            self._queue.extend(name for name in self._dirty if self._visible(name))
            self._dirty = {name: None for name in self._dirty if name not in self._queue}
        if self._queue:
            name = self._queue.popleft()
            if self._visible(name):
                self.views[name].show(self._painted)
            else:
                self._dirty[name] = None
        if self._queue:
            self._timer.start(0)
        else:
            self._ends = True
            soon(self, self._rest)

    def _rest(self) -> None:
        """Paint nothing for the rest of the period, which is reserved for the user and the engine."""
        self._ends = False
        self._rest_until = max(self._painting_since + _PERIOD, time.perf_counter() + _LEAST_REST)
        if not self.settled:
            self._paint_soon()

    def _on_visibility_changed(self, visible: bool) -> None:
        if visible and self._dirty and not self._timer.isActive():
            self._timer.start(0)
