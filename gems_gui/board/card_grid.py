"""A grid of views as cards with as many columns as fit; one view can be maximised."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gems_gui.appearance import Appearance
from gems_gui.board.view_interaction import explain_view, handle_key, show_focus
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.card import Card
from gems_gui.views.view import View
from gems_gui.widgets.boxes import grid
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.layouts import GAP, LEAST

_HOW = "Double-click to maximise or restore this view"
_TABLE_HEAD = 76  # pixels before font scaling: the head of a card and the header of the table
_TABLE_ROW = 22
_MOST_COLUMNS = 3


class CardGrid(QScrollArea):
    """Cards of equal size under one of full width; scrolls where they would be too small to read.

    One card is painted in each pass of the event loop, so that the window does not block.

    Parameters
    ----------
    across
        The view of full width on top, a table whose height depends on its rows.
    views
        The views below it.
    """

    key_pressed = Signal(object, object)
    """A view and a key that it does not handle."""

    def __init__(self, across: View, views: list[View], appearance: Appearance) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Views of the design")
        self.across, self.views = across, views
        self.every = [across, *views]
        self.maximised: View | None = None
        self.snapshot: Snapshot | None = None
        self._appearance = appearance
        self._arranged: tuple[int, View | None] = (0, None)
        self._rows = 2
        self._dirty: deque[View] = deque()
        self._timer = single_shot(self, self._paint_next)
        inside = QWidget()
        self._grid = grid(inside, (GAP, GAP), (0, 0, 0, 0))
        self.cards = {view: Card(view.head, view.body) for view in self.every}
        for view in self.every:
            self.cards[view].setObjectName(view.name)
            view.setParent(self)
            explain_view(view, _HOW)
            if view.is_plot:  # a table has its own focus
                view.body.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            for part in (view.head, view.body):
                part.installEventFilter(self)
        self.setWidget(inside)
        appearance.follow(self._apply_theme)  # after the views, which exist already

    # -- layout -----------------------------------------------------------------------------------------------

    def set_rows(self, rows: int) -> None:
        """Set the number of rows of the table on top."""
        if rows != self._rows:
            self._rows = rows
            self._limit()

    def _limit(self) -> None:
        """Set minimum sizes at which the views can be read."""
        width, height = (self._appearance.theme.pixels(each) for each in LEAST)
        tallest = max(view.head.sizeHint().height() for view in self.every)
        for view in self.every:
            view.head.setMinimumHeight(tallest)  # some heads have a button
        for view in self.views:
            self.cards[view].setMinimumSize(min(width, max(self.viewport().width(), 1)), height)
        card = self.cards[self.across]
        if self.maximised is self.across:
            card.setMinimumHeight(0)
            card.setMaximumHeight(16_777_215)
        else:
            card.setFixedHeight(self._appearance.theme.pixels(_TABLE_HEAD + _TABLE_ROW * self._rows))

    def _arrange(self) -> None:
        """The number of columns that fit."""
        least = self._appearance.theme.pixels(LEAST[0])
        columns = max(1, min(_MOST_COLUMNS, (self.viewport().width() + GAP) // (least + GAP)))
        if (columns, self.maximised) == self._arranged:
            return
        self._arranged = columns, self.maximised
        while self._grid.takeAt(0) is not None:
            pass
        shown = [view for view in self.every if self.maximised in (None, view)]
        pictures = [view for view in shown if view is not self.across]
        if self.across in shown:
            self._grid.addWidget(self.cards[self.across], 0, 0, 1, columns)
        columns = min(columns, len(pictures)) or 1
        for at, view in enumerate(pictures):
            self._grid.addWidget(self.cards[view], 1 + at // columns, at % columns)
        for row in range(1, len(self.views) + 1):
            self._grid.setRowStretch(row, 1 if row <= -(-len(pictures) // columns) else 0)
        self._grid.setRowStretch(0, 0 if pictures else 1)
        for column in range(_MOST_COLUMNS):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._limit()
        self._arrange()

    def toggle_maximised(self, view: View) -> None:
        """Maximise a view, or restore the maximised one."""
        self.maximised = None if self.maximised is not None else view
        for each, card in self.cards.items():
            card.setVisible(self.maximised in (None, each))
        self._limit()
        self._arrange()
        self._mark_all()

    @property
    def current(self) -> View:
        """The view with the focus, otherwise the first plot."""
        return next((each for each in self.every if each.body.isAncestorOf(self.focusWidget() or self)), self.views[0])

    # -- what they show -----------------------------------------------------------------------------------------

    def _apply_theme(self, theme: Theme) -> None:
        self._limit()
        self._arrange()

    def show_snapshot(self, snapshot: Snapshot | None) -> None:
        """Show this snapshot in every view, one after another."""
        self.snapshot = snapshot
        self._mark_all()

    def _mark_all(self) -> None:
        waiting = set(self._dirty)
        self._dirty.extend(view for view in self.every if view not in waiting)
        if not self._timer.isActive():
            self._timer.start(0)

    @property
    def settled(self) -> bool:
        """Whether every visible view shows the newest snapshot."""
        return not any(each.body.isVisible() for each in self._dirty)

    def _paint_next(self) -> None:
        view = next((each for each in self._dirty if each.body.isVisible()), None)
        if view is None:
            return
        self._dirty.remove(view)
        view.show(self.snapshot)
        if not self.settled:
            self._timer.start(0)

    def look_again(self) -> None:
        """Paint the views that changed while the grid was hidden."""
        if self._dirty and not self._timer.isActive():
            self._timer.start(0)

    def stop(self) -> None:
        """Stop painting."""
        self._timer.stop()

    # -- mouse and keys -----------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseButtonDblClick and isinstance(event, QMouseEvent):
            view = next((each for each in self.every if each.head is watched), None)
            if view is not None and event.button() == Qt.MouseButton.LeftButton:
                self.toggle_maximised(view)
                return True
        elif kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            view = next((each for each in self.every if each.body is watched), None)
            if view is not None:
                show_focus(view, kind == QEvent.Type.FocusIn)
        elif isinstance(event, QKeyEvent):
            view = next((each for each in self.every if each.body is watched), None)
            if view is not None:
                if handle_key(view, event):
                    return True
                if kind == QEvent.Type.KeyPress:
                    self.key_pressed.emit(view, event)
        return super().eventFilter(watched, event)
