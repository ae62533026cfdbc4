"""What is asked of the board and of the window's manners: layouts, maximised views, the palette, «What's this?»."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, QTimer
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QWhatsThis

from gems_gui.board.side_dock import SideDock
from gems_gui.workbench.layouts import LAYOUTS

if TYPE_CHECKING:
    from gems_gui.window import MainWindow


class LayoutController(QObject):
    """The methods behind the menus of views and layouts, and those menus as far as they grow."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._board = window.board
        self._own = QActionGroup(self)
        self._own.triggered.connect(self._choose)
        self._gone = QActionGroup(self)
        self._gone.triggered.connect(self._delete)
        self._board.arranged.connect(self.show_state)

    # -- layouts ------------------------------------------------------------------------------------------------

    def layout_explore(self) -> None:
        """The layout of the first start."""
        self._board.arrange(LAYOUTS["explore"])

    def layout_debug(self) -> None:
        """All views."""
        self._board.arrange(LAYOUTS["debug"])

    def layout_talk(self) -> None:
        """Few and large."""
        self._board.arrange(LAYOUTS["talk"])

    def layout_compare(self) -> None:
        """Several runs."""
        self._board.arrange(LAYOUTS["compare"])

    def reset_layout(self) -> None:
        """As the layout is before anything is moved, with the lists beside it where they have room."""
        self._board.reset()
        QTimer.singleShot(0, self, self._bring_back)  # what the board needs now is known after it is laid out

    def _bring_back(self) -> None:
        for dock in self._window.findChildren(SideDock):
            dock.come_back()

    def save_layout(self) -> None:
        """Ask for a name."""
        from gems_gui.board.layout_dialog import LayoutDialog

        dialog = LayoutDialog(self._window, self.own_layouts())
        dialog.named.connect(self.keep)
        dialog.show()

    def own_layouts(self) -> list[str]:
        """The names that the user has given."""
        return list(self._window.settings.layouts())

    def keep(self, name: str) -> None:
        """Remember the arrangement of now under a name; one with the same name goes."""
        self._window.settings.keep_layout(name, self._board.state())
        self._board.layout_name = name
        self.fill_own()
        self._window.say(f'Layout "{name}" saved (View ▸ Layout).')

    def choose(self, name: str) -> None:
        """Take a layout by its name, the program's or the user's."""
        if name in LAYOUTS:
            self._board.arrange(LAYOUTS[name])
        elif not self._board.restore(name, self._window.settings.layouts()[name]):
            self._window.say(f'Cannot read the layout "{name}": it was made by another version of the program.')
            self.show_state()

    def delete(self, name: str) -> None:
        """Forget a layout of the user's."""
        self._window.settings.forget_layout(name)
        self.fill_own()
        self._window.say(f'Layout "{name}" deleted.')

    def _choose(self, action: QAction) -> None:
        self.choose(action.data())

    def _delete(self, action: QAction) -> None:
        self.delete(action.data())

    # -- views --------------------------------------------------------------------------------------------------

    def maximise_view(self) -> None:
        """Fill the board, or give back the room."""
        if self._window.designs.is_open:
            self._window.designs.maximise_view()
        elif self._board.maximised is not None:
            self._board.leave_maximised()
        elif (name := self._board.current) is not None:
            self._board.toggle_maximised(name)

    def leave_maximised(self) -> None:
        """End what the run is run until; if it is not, close the welcome page or give back the room."""
        if not self._window.until.stop() and not self._window.welcome.dismiss():
            self._board.leave_maximised()

    def float_view(self) -> None:
        """Out of the window, or back into it."""
        if (name := self._board.current) is not None:
            self._board.docks[name].float_action.trigger()

    # -- what is remembered -------------------------------------------------------------------------------------

    def restore(self) -> None:
        """Put the board as it was when the program ended."""
        settings = self._window.settings
        self._board.set_options(settings.view_options())
        self._board.begin(settings.layout, settings.bytes_of("board"))

    def remember(self) -> None:
        """Keep where everything is and what is chosen about each view; what floats goes with the window."""
        settings = self._window.settings
        settings.layout = self._board.layout_name
        settings.keep_bytes("board", self._board.state() if self._board.moved else QByteArray())
        settings.keep_view_options(self._board.options)
        self._board.hide_floating()

    # -- manners ------------------------------------------------------------------------------------------------

    def palette(self) -> None:
        """Open the command palette."""
        from gems_gui.menus.palette import Palette

        Palette(self._window).open()

    def whats_this(self) -> None:
        """The next click explains what is clicked."""
        QWhatsThis.enterWhatsThisMode()

    # -- menus --------------------------------------------------------------------------------------------------

    def fill_menus(self) -> None:
        """Make the menus that are not in the table of acts: the views, and the user's own layouts."""
        views = self._window.acts.menu("View/Views")
        views.setToolTipsVisible(True)
        for dock in self._board.docks.values():
            views.addAction(dock.toggleViewAction())
        self._window.acts.menu("View/Layout").addSeparator()
        self.fill_own()

    def fill_own(self) -> None:
        """List the user's own layouts, and those that can be deleted."""
        menu, deletable = (self._window.acts.menu(path) for path in ("View/Layout", "View/Layout/Delete"))
        deletable.clear()
        for group in (self._own, self._gone):
            for action in group.actions():
                group.removeAction(action)
                menu.removeAction(action)
                action.deleteLater()
        names = self.own_layouts()
        for name in names:
            for group, tip in ((self._own, f'Arrange the views as in "{name}".'), (self._gone, f'Delete "{name}".')):
                action = QAction(name, group)
                action.setData(name)
                action.setStatusTip(tip)
                action.setToolTip(tip)
                action.setCheckable(group is self._own)
                (menu if group is self._own else deletable).addAction(action)
        deletable.menuAction().setVisible(bool(names))
        self.show_state()

    def show_state(self) -> None:
        """Let the menus say which layout there is, and what can be asked for."""
        acts, board = self._window.acts, self._board
        for name in LAYOUTS:
            acts.mark(f"layout_{name}", board.layout_name == name)
        for action in self._own.actions():
            action.setChecked(board.layout_name == action.data())
        self.show_escape()
        text = "Give back the room" if board.maximised is not None else "Maximise view"
        if acts["maximise_view"].text() != text:
            acts["maximise_view"].setText(text)

    def show_escape(self) -> None:
        """Let Esc be asked for where it ends something."""
        window = self._window
        on = self._board.maximised is not None or window.until.waiting or window.welcome.is_open
        window.acts.enable(("leave_maximised",), on)
