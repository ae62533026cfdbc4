"""Actions on the board: layouts, and maximised or floating views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject
from PySide6.QtGui import QAction, QActionGroup

from gems_engine.plugins import BrokenPlugin
from gems_gui.board.board import Board
from gems_gui.board.view_dock import ViewDock
from gems_gui.markup import label_text, plain_text
from gems_gui.services import Services
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.widgets.timers import soon
from gems_gui.workbench.changes import Field
from gems_gui.workbench.layouts import LAYOUTS
from gems_gui.workbench.workbench import Page

if TYPE_CHECKING:
    from gems_gui.board.layout_dialog import LayoutDialog

_OF_RACES = "race"
_NO_VIEW = "No view is shown here. Press Ctrl+1 for the views of the run."


class LayoutController(QObject):
    """The methods of the menus of views and layouts, and the dynamic parts of those menus.

    Parameters
    ----------
    maximise
        Maximises or restores a view on pages with their own views.
    dock_again
        Docks what floats for lack of room and fits now.
    """

    def __init__(
        self,
        services: Services,
        board: Board,
        maximise: Mapping[Page, Callable[[], None]],
        dock_again: Callable[[], None],
    ) -> None:
        super().__init__(services.host)
        self._workbench, self._settings, self._actions = services.workbench, services.settings, services.actions
        self._host = services.host
        self._board = board
        self._maximise, self._dock_again = maximise, dock_again
        self._dialog = LazyDialog(self._make_dialog)
        self._own = QActionGroup(self)
        self._own.triggered.connect(self._choose)
        self._gone = QActionGroup(self)
        self._gone.triggered.connect(self._delete)
        self._board.arranged.connect(self.show_layout)
        self._workbench.subscribe(self._follow_selection, Field.SNAPSHOT)

    # -- layouts ------------------------------------------------------------------------------------------------

    @property
    def current(self) -> str:
        """The name of the layout that was applied last, built-in or saved."""
        return self._board.layout_name

    def reset_layout(self) -> None:
        """Reset the layout, with docks next to the board where they fit."""
        self._board.reset()
        soon(self, self._dock_again)  # the size that the board needs is known after its layout

    def save_layout(self) -> None:
        """Ask for a name."""
        self._dialog.show()

    def _make_dialog(self) -> LayoutDialog:
        from gems_gui.board.layout_dialog import LayoutDialog  # loaded when it is first opened

        dialog = LayoutDialog(self._host, self.own_layouts())
        dialog.named.connect(self.keep)
        return dialog

    def own_layouts(self) -> list[str]:
        """The names of saved layouts."""
        return list(self._settings.layouts())

    def keep(self, name: str) -> None:
        """Save the current arrangement under a name; replaces a layout of the same name."""
        self._settings.keep_layout(name, self._board.state())
        self._board.layout_name = name
        self.fill_own()
        self._workbench.messages.show(f'Layout "{name}" saved (View ▸ Layout).')

    def choose(self, name: str) -> None:
        """Apply a layout by its name, built-in or saved; the first one if it was deleted."""
        own = self._settings.layouts()
        if name in LAYOUTS or name not in own:
            self._board.arrange(LAYOUTS.get(name, next(iter(LAYOUTS.values()))))
        elif not self._board.restore(name, own[name]):
            self._workbench.messages.show(
                f'Cannot read the layout "{name}": it was made by another version of the program.'
            )
            self.show_layout()

    def delete(self, name: str) -> None:
        """Delete a saved layout."""
        self._settings.forget_layout(name)
        self.fill_own()
        self._workbench.messages.show(f'Layout "{name}" deleted.')

    def _choose(self, action: QAction) -> None:
        self.choose(action.data())

    def _delete(self, action: QAction) -> None:
        self.delete(action.data())

    # -- views --------------------------------------------------------------------------------------------------

    @property
    def is_maximised(self) -> bool:
        """Whether a view is maximised."""
        return self._board.maximised is not None

    def escape_refusal(self) -> str:
        """Why Esc has no effect."""
        workbench = self._workbench
        welcome = workbench.page is Page.WELCOME
        leaves = self.is_maximised or workbench.searching or welcome or workbench.messages.any
        return "" if leaves or self._selects else "All views are shown, and nothing is selected."

    @property
    def _selects(self) -> bool:
        """Whether something is selected in the views."""
        shown = self._workbench.active
        return self._workbench.page is Page.BOARD and shown is not None and shown.selection.any

    def _follow_selection(self, *_: object) -> None:
        """Update the actions when something is selected, or nothing is any more; not whenever the cursor moves."""
        if self._actions["leave_maximised"].isEnabled() == bool(self.escape_refusal()):
            self._actions.refresh()

    def maximise_view(self) -> None:
        """Maximise or restore a view."""
        if (elsewhere := self._maximise.get(self._workbench.page)) is not None:
            elsewhere()
        elif self._board.maximised is not None:
            self._board.leave_maximised()
        elif (name := self._board.current) is not None:
            self._board.toggle_maximised(name)
        else:
            self._workbench.messages.show(_NO_VIEW)

    def leave_maximised(self) -> None:
        """Do the first that applies.

        Cancel "run until", close the welcome page, clear the selection, restore the maximised view, dismiss messages.
        """
        if self._workbench.stop_search():
            return
        if self._workbench.page is Page.WELCOME:
            self._workbench.show_page(Page.BOARD)
        elif self._selects:
            self._workbench.select_arm(None)
        elif self.is_maximised:
            self._board.leave_maximised()
        else:
            self._workbench.messages.dismiss()

    def float_view(self) -> None:
        """Float or dock a view."""
        if (name := self._board.current) is not None:
            self._board.docks[name].float_action.trigger()
        else:
            self._workbench.messages.show(_NO_VIEW)

    # -- what is remembered -------------------------------------------------------------------------------------

    def restore(self) -> None:
        """Restore the board of the last session, except for the layout of a race: the session has none yet."""
        settings = self._settings
        self._board.set_options(settings.view_options())
        if settings.layout != _OF_RACES:
            self._board.begin(settings.layout, settings.bytes_of("board"))

    def remember(self) -> None:
        """Save the arrangement and the options of views, and close floating views."""
        settings = self._settings
        settings.layout = self._board.layout_name
        settings.keep_bytes("board", self._board.state() if self._board.moved else QByteArray())
        settings.keep_view_options(self._board.options)
        self._board.hide_floating()

    # -- menus --------------------------------------------------------------------------------------------------

    def fill_menus(self) -> None:
        """Create the menus that are not in the action table: views and saved layouts."""
        views = self._actions.menu("View/Views")
        views.setToolTipsVisible(True)
        self.list_views(self._board.docks.values())
        self._actions.menu("View/Layout").addSeparator()
        self.fill_own()

    def list_views(self, docks: Iterable[ViewDock], broken: Iterable[BrokenPlugin] = ()) -> None:
        """Add views to their menu, and those of other packages that cannot be used, with the reason."""
        views = self._actions.menu("View/Views")
        for dock in docks:
            views.addAction(dock.toggleViewAction())
        for each in broken:
            action = views.addAction(label_text(f"{each.name or each.package} (broken)"))
            action.setEnabled(False)
            action.setToolTip(plain_text(each.sentence))

    def fill_own(self) -> None:
        """List the saved layouts, and those that can be deleted."""
        menu, deletable = (self._actions.menu(path) for path in ("View/Layout", "View/Layout/Delete"))
        deletable.clear()
        for group in (self._own, self._gone):
            for action in group.actions():
                group.removeAction(action)
                menu.removeAction(action)
                action.deleteLater()
        names = self.own_layouts()
        for name in names:
            for group, tip in ((self._own, f'Arrange the views as in "{name}".'), (self._gone, f'Delete "{name}".')):
                action = QAction(label_text(name), group)
                action.setData(name)
                action.setStatusTip(tip)
                action.setToolTip(plain_text(tip))
                action.setCheckable(group is self._own)
                (menu if group is self._own else deletable).addAction(action)
        deletable.menuAction().setVisible(bool(names))
        self.show_layout()

    def show_layout(self) -> None:
        """Check the current layout in the menus."""
        for action in self._own.actions():
            action.setChecked(self.current == action.data())
        self._actions.refresh()
