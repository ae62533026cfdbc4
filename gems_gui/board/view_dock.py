"""A dock that holds one view and creates it when it first becomes visible."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QFrame, QToolButton, QWidget

from gems_engine.errors import InputError
from gems_engine.terminal import with_indices
from gems_gui.appearance import Appearance
from gems_gui.board.view_interaction import explain_view, handle_key, show_focus
from gems_gui.theme import restyle
from gems_gui.views import VIEWS
from gems_gui.views.card import Head
from gems_gui.widgets.explained import described
from gems_gui.widgets.focus import release_focus
from gems_gui.workbench.layouts import LEAST

if TYPE_CHECKING:
    from gems_gui.views.view import View

_ASIDE = 32  # pixels by which a view that is detached moves right and down, or the other way at an edge of the screen
_HEAD = 36  # pixels before font scaling; the rest of the minimum height is for the plot
_BACK = "Put this view back into the window"
_HOW = "Drag to move this view or stack it in tabs, double-click to maximise it, right-click for more"


class ViewDock(QDockWidget):
    """One view on the board; it is moved by its head.

    With the focus in it, the up and down arrows change what is selected, in the order of the view; Esc clears it.
    """

    created = Signal(object)
    """The view exists now."""
    maximise_asked = Signal(str)
    """The user wants to maximise or restore it."""
    export_asked = Signal(str)
    """The user wants to export it."""
    help_asked = Signal(str)
    """The user wants help on it."""
    symbols_requested = Signal(str)
    """The user wants to see what its symbols mean."""
    pointed = Signal(str)
    """The mouse has entered it."""

    def __init__(self, name: str, appearance: Appearance, parent: QWidget) -> None:
        title = VIEWS.title_of(name)
        super().__init__(VIEWS.tab_of(name), parent)  # the title of its tab; the head has the complete title
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._appearance = appearance
        self._options: dict[str, str] = {}
        self.view: View | None = None
        self.maximise_action = self._action("Maximise", "Maximise or restore this view")
        self.maximise_action.triggered.connect(self._ask_to_maximise)
        self.float_action = self._action("Float", "Detach this view from the window, or put it back")
        self.float_action.setCheckable(True)
        self.float_action.triggered.connect(self._float)
        self.hide_action = self._action("Hide", "Hide this view; View ▸ Views shows it again")
        self.hide_action.triggered.connect(self.close)
        self.export_action = self._action("Export…", "Export this view as a picture, a film or numbers")
        self.export_action.triggered.connect(self._ask_for_export)
        self.help_action = self._action("Help", "Open the help page of this view (F1)")
        self.help_action.triggered.connect(self._ask_for_help)
        self.symbols_action = self._action("Symbols", "Show what the symbols in this view mean, in the glossary")
        self.symbols_action.triggered.connect(self._ask_for_symbols)
        self.topLevelChanged.connect(self.float_action.setChecked)
        self.topLevelChanged.connect(self._frame)
        shown = self.toggleViewAction()
        shown.setText(title)
        for say in (shown.setToolTip, shown.setStatusTip, shown.setWhatsThis):
            say(f'Show or hide the view "{title}"')
        self.visibilityChanged.connect(self._on_visibility_changed)
        self._waits = False
        self._deferred = False
        appearance.follow(self._limit)

    @property
    def kind(self) -> type[View]:
        """The class of its view, loaded on demand."""
        return VIEWS[self.objectName()]

    def defer(self) -> None:
        """Show only a card with a title until :meth:`create_view`, so that the window opens faster."""
        self._deferred = True
        body = QFrame()
        body.setProperty("role", "body")
        self._keep_readable(body)
        self.setTitleBarWidget(Head(self.windowTitle()))
        self.setWidget(body)

    def create_view(self) -> None:
        """Create the view if it is visible, and set its help texts in any case."""
        self._deferred = False
        self._on_visibility_changed(self.exposed)
        with suppress(Exception):  # a module that cannot be imported is reported by the view
            self.setWhatsThis(with_indices(self.kind.about))

    def _action(self, text: str, tip: str) -> QAction:
        action = QAction(text, self)
        for say in (action.setToolTip, action.setStatusTip, action.setWhatsThis):
            say(tip)
        return action

    def _float(self, on: bool) -> None:
        """Detach it from the window, a little aside so that this can be seen, or put it back; it has the focus."""
        at, room = self.mapToGlobal(QPoint()), self.screen().availableGeometry()
        focused = QApplication.focusWidget()
        self.setFloating(on)
        if on:
            self.resize(self.size().boundedTo(room.size()))
            x = _aside(at.x(), self.width(), room.left(), room.right() + 1)
            self.move(x, _aside(at.y(), self.height(), room.top(), room.bottom() + 1))
        self.activateWindow()
        if focused is not None and self.isAncestorOf(focused):
            focused.setFocus()
        elif self.view is not None:
            self.view.body.setFocus()

    def _frame(self, floating: bool) -> None:
        """Give a floating view a visible border, and show the button that puts it back."""
        if self.view is None:
            return
        for part in (self.view.head, self.view.body):
            part.setProperty("floating", floating)
            restyle(part)
        self._back.setVisible(floating)

    def _add_back_button(self, head: Head) -> None:
        self._back = described(QToolButton(head), tip=_BACK, about=f"{_BACK}.", role="switch")
        self._back.setText("Put back")
        self._back.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._back.clicked.connect(self.float_action.trigger)
        layout = head.layout()
        assert layout is not None
        layout.addWidget(self._back)
        self._back.hide()

    def make(self) -> View:
        """The view, created if necessary."""
        if self.view is None:
            from gems_gui.views.creation import BrokenView, create_view  # imports pyqtgraph: not before the first view

            view = self.view = create_view(self.objectName(), self._appearance)
            if isinstance(view, BrokenView):
                view.replacement_requested.connect(self._replace)
            view.setParent(self)  # so that its timers end with its widgets
            self._limit()
            explain_view(view, _HOW)
            if view.is_plot:  # a text or a table has its own focus
                view.body.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            policy = view.body.sizePolicy()
            policy.setRetainSizeWhenHidden(True)  # without a size, Qt treats a tab in the background as fixed
            view.body.setSizePolicy(policy)
            first = (self.maximise_action, self.float_action, self.hide_action, self.export_action)
            for place in (view.head, view.body) if view.is_plot else (view.head,):  # others have menus of their own
                place.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
                place.addActions((*first, self.help_action, self.symbols_action))
            view.head.subtitle.setCursor(Qt.CursorShape.PointingHandCursor)
            view.head.subtitle.setStatusTip("Click to show what the symbols in this view mean, in the glossary")
            for part in (view.head, view.head.subtitle, view.body):
                part.installEventFilter(self)
            before = self.titleBarWidget(), self.widget()
            self.setTitleBarWidget(view.head)  # not hidden before: without contents, the dock would shrink
            self.setWidget(view.body)
            for each in before:
                if each is not None:
                    each.deleteLater()
            QWidget.setTabOrder(view.head.options, view.body)
            self.set_options(self._options)
            self._add_back_button(view.head)
            if self.isFloating():
                self._frame(floating=True)
            self.created.emit(view)
        return self.view

    def _replace(self) -> None:
        """Create the view again."""
        before, self.view = self.view, None
        self.make()
        if before is not None:
            before.deleteLater()

    def _limit(self, *_: object) -> None:
        """Set the minimum size at which the view can be read."""
        if self.view is not None:
            self._keep_readable(self.view.body)

    def _keep_readable(self, body: QWidget) -> None:
        pixels = self._appearance.theme.pixels
        body.setMinimumSize(pixels(LEAST[0]), pixels(LEAST[1] - _HEAD))

    @property
    def exposed(self) -> bool:
        """Whether it is visible and not behind another tab, where Qt keeps it outside the window."""
        return self.isVisible() and not self.behind

    @property
    def behind(self) -> bool:
        """Whether it is behind another tab, or was when it was hidden."""
        place = self.geometry()
        return not self.isFloating() and (place.right() < 0 or place.bottom() < 0)

    def wait(self, waits: bool) -> None:
        """Do not create views while docks are being moved."""
        self._waits = waits
        self._on_visibility_changed(self.exposed)

    def _on_visibility_changed(self, visible: bool) -> None:
        """Create the view if needed; behind another tab it neither paints nor takes the focus."""
        if self._waits:
            return
        if visible and not self._deferred:
            self.make()
        if self.view is not None:
            self.view.body.setVisible(visible)
            self.view.head.options.setEnabled(visible)

    # -- options ------------------------------------------------------------------------------------------------

    @property
    def options(self) -> dict[str, str]:
        """The options of the view."""
        return dict(self._options) if self.view is None else dict(self.view.settings)

    def set_options(self, options: dict[str, str]) -> None:
        """Restore options, as far as they still exist."""
        self._options = dict(options)
        if self.view is None:
            return
        for name in self.view.settings.keys() & options.keys():
            if self.view.settings[name] == options[name]:
                continue
            try:
                self.view.set_option(name, options[name])
            except InputError:  # an option of an older or newer version
                continue

    # -- mouse and keys -----------------------------------------------------------------------------------------

    def hideEvent(self, event: QHideEvent) -> None:
        release_focus(self)
        super().hideEvent(event)

    def _ask_to_maximise(self) -> None:
        self.maximise_asked.emit(self.objectName())

    def _ask_for_export(self) -> None:
        self.export_asked.emit(self.objectName())

    def _ask_for_help(self) -> None:
        self.help_asked.emit(self.objectName())

    def _ask_for_symbols(self) -> None:
        self.symbols_requested.emit(self.objectName())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle double clicks on the head, the mouse entering, and keys for the view."""
        kind = event.type()
        if kind == QEvent.Type.Enter:
            self.pointed.emit(self.objectName())
        elif kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut) and self.view is not None:
            if watched is self.view.body:
                show_focus(self.view, kind == QEvent.Type.FocusIn)
        elif isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseButtonDblClick:
            return self._double_clicked(watched, event)
        elif isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseButtonRelease:
            self._released(watched, event)  # not after the view was dragged
        elif isinstance(event, QKeyEvent) and self.view is not None and watched is self.view.body:
            return handle_key(self.view, event)
        return super().eventFilter(watched, event)

    def _released(self, watched: QObject, event: QMouseEvent) -> None:
        """Show what the symbols mean after a click on the text of the subtitle."""
        if self.view is None or watched is not self.view.head.subtitle:
            return
        inside = self.view.head.subtitle.mask().contains(event.position().toPoint())
        if inside and event.button() == Qt.MouseButton.LeftButton:
            self._ask_for_symbols()

    def _double_clicked(self, watched: QObject, event: QMouseEvent) -> bool:
        """Maximise on a double click on the head, instead of Qt's default."""
        if self.view is None or watched is not self.view.head or event.button() != Qt.MouseButton.LeftButton:
            return False
        self._ask_to_maximise()
        event.accept()
        return True


def _aside(start: int, length: int, low: int, high: int) -> int:
    """Another place for what starts here, on a screen from low to high."""
    moved = start + _ASIDE if start + length + _ASIDE <= high else start - _ASIDE
    return max(low, min(moved, high - length))
