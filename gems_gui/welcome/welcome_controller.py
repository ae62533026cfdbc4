"""The welcome page in the window: when it is there, what its choices do, and that it is never in the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from gems_gui.background.file_worker import FileDone
from gems_gui.theme import Theme

if TYPE_CHECKING:
    from gems_gui.welcome.welcome_page import WelcomePage
    from gems_gui.window import MainWindow


class WelcomeController(QObject):
    """Shows the page in the place of the board, with the form beside it, until something else wants that place.

    Attributes
    ----------
    page
        None until somebody sees it.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.page: WelcomePage | None = None
        self._gone: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it stands in the place of the board."""
        return self.page is not None and not self.page.isHidden()

    # -- coming and going ---------------------------------------------------------------------------------------

    def welcome(self) -> None:
        """Show the page, whatever has its place now."""
        self._window.board.wanted.emit()  # who stands before the board makes room
        self.open()

    def begin(self) -> None:
        """Start the program with it, unless the user does not want that."""
        if self._window.settings.welcome:
            self.open()

    def open(self) -> None:
        """Put it into the place of the board."""
        window = self._window
        page = self._made()
        page.show_files(window.settings.recent())
        page.at_start.setChecked(window.settings.welcome)
        window.board.hide()
        page.show()
        next(iter(page.steps.values())).setFocus()
        for part in (window.board, window.form):
            part.installEventFilter(self)
        window.layouts.show_escape()
        if window.begun:
            self.look_for_files()

    def look_for_files(self) -> None:
        """Find out which of the recent files are gone, if somebody sees them."""
        if self.is_open and (recent := self._window.settings.recent()):
            self._window.files.look_for(recent)

    def dismiss(self) -> bool:
        """Give its place to the board; False where it was not there."""
        return self._leave(show_board=True)

    def _leave(self, show_board: bool) -> bool:
        if self.page is None or not self.is_open:
            return False
        window = self._window
        for part in (window.board, window.form):
            part.removeEventFilter(self)
        focus = QApplication.focusWidget()
        held = focus is not None and self.page.isAncestorOf(focus)
        self.page.hide()
        if show_board:
            window.board.show()
        if held:
            window.centralWidget().setFocus()
        window.layouts.show_escape()
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go when the board comes back, or when something takes the place of form and board."""
        shown = watched is self._window.board and event.type() == QEvent.Type.ShowToParent
        hidden = watched is self._window.form and event.type() == QEvent.Type.HideToParent
        if shown or hidden:
            self._leave(show_board=False)
        return super().eventFilter(watched, event)

    def _made(self) -> WelcomePage:
        if self.page is None:
            from gems_gui.welcome.welcome_page import WelcomePage

            window = self._window
            self.page = page = WelcomePage(window.acts, window.theme, window.settings.welcome)
            page.hide()
            page.story_chosen.connect(window.talk.tell)
            page.preset_chosen.connect(window.start_preset)
            page.file_chosen.connect(self._open_file)
            page.page_chosen.connect(self._read)
            page.forget_asked.connect(self._forget)
            page.start_chosen.connect(self._choose_start)
            page.closed.connect(self.dismiss)
            window.board_place.addWidget(page, 1)
            window.workspace.added.connect(self.dismiss)
            window.board.wanted.connect(self.dismiss)
            window.files.done.connect(self._file_done)
            window.files.missed.connect(self._missed)
            window.acts["new_instance"].triggered.connect(self.dismiss)
        return self.page

    # -- what its choices do ------------------------------------------------------------------------------------

    def _open_file(self, path: str) -> None:
        self._window.open_files([path])

    def _read(self, key: str) -> None:
        from gems_gui.help.help_window import show_help

        show_help(self._window, key)

    def _choose_start(self, on: bool) -> None:
        self._window.settings.welcome = on

    def _file_done(self, done: FileDone) -> None:
        """A file that was opened is what one wanted; one that could not be may be gone."""
        if done.task != "open":
            return
        if not done.error:
            self.dismiss()
        elif self.is_open:
            self._window.files.look_for([done.path])

    def _missed(self, paths: Sequence[str]) -> None:
        self._gone = tuple({*self._gone, *paths})
        if self.page is not None:
            self.page.show_gone(paths)

    def _forget(self) -> None:
        window = self._window
        window.settings.forget_recent(self._gone)
        window.handlers.fill_recent()
        if self.page is not None:
            self.page.show_files(window.settings.recent())
            self.look_for_files()

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        if self.page is not None:
            self.page.set_theme(theme)
