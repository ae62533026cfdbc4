"""The welcome page in the window: when it is shown, and what its buttons do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from gems_gui.background.file_worker import FileDone
from gems_gui.board.page_area import PageArea
from gems_gui.services import Services
from gems_gui.welcome.welcome_page import WelcomePage
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.workbench import Page


class WelcomeController(QObject):
    """Shows the page instead of the board, next to the form, until another page is needed.

    Parameters
    ----------
    tell, start_preset, show_help, forget
        Functions that play a story, run a preset, show a help page, and remove recent files.

    Attributes
    ----------
    page
        None until it is first shown.
    """

    def __init__(
        self,
        services: Services,
        pages: PageArea,
        *,
        tell: Callable[[str], object],
        start_preset: Callable[[str], object],
        show_help: Callable[[str], object],
        forget: Callable[[Sequence[str]], object],
    ) -> None:
        super().__init__(services.host)
        self._services = services
        self._workbench, self._settings, self._files = services.workbench, services.settings, services.files
        self._play_story, self._start_preset, self._forget_files = tell, start_preset, forget
        self._show_help = show_help
        self.page: WelcomePage | None = None
        self._gone: tuple[str, ...] = ()
        self._painted = False
        pages.add(Page.WELCOME, self._make_page)
        pages.shown.connect(self._on_page_shown)
        self._workbench.subscribe(self._on_runs_changed, Field.RUNS)

    @property
    def is_open(self) -> bool:
        """Whether the page is shown."""
        return self._workbench.page is Page.WELCOME

    # -- coming and going ---------------------------------------------------------------------------------------

    def welcome(self) -> None:
        """Show the page instead of the current one."""
        self._workbench.show_page(Page.WELCOME)

    def begin(self) -> None:
        """Show the page at the start, unless the user has switched it off."""
        if self._settings.welcome:
            self.welcome()

    def look_for_files(self) -> None:
        """Check which recent files no longer exist, if the page is visible; called after the first paint."""
        self._painted = True
        if self.is_open and (recent := self._settings.recent()):
            self._files.look_for(recent)

    def dismiss(self) -> None:
        """Show the board."""
        if self.is_open:
            self._workbench.show_page(Page.BOARD)

    def _on_runs_changed(self, change: Change) -> None:
        if change.started:
            self.dismiss()

    def _on_page_shown(self, *_: object) -> None:
        page = self.page
        if page is None or not self.is_open:
            return
        page.show_files(self._settings.recent())
        page.at_start.setChecked(self._settings.welcome)
        page.race.setFocus()
        if self._painted:
            self.look_for_files()

    def _make_page(self) -> WelcomePage:
        self.page = page = WelcomePage(self._services.actions, self._services.appearance, self._settings.welcome)
        page.story_chosen.connect(self._play_story)
        page.preset_chosen.connect(self._start_preset)
        page.file_chosen.connect(self._open_file)
        page.page_chosen.connect(self._show_help)
        page.forget_asked.connect(self._forget)
        page.start_chosen.connect(self._choose_start)
        page.closed.connect(self.dismiss)
        self._files.done.connect(self._on_file_done)
        self._files.missed.connect(self._on_files_missing)
        return page

    # -- what its choices do ------------------------------------------------------------------------------------

    def _open_file(self, path: str) -> None:
        self._services.ui.open_files([path])

    def _choose_start(self, on: bool) -> None:
        self._settings.welcome = on

    def _on_file_done(self, done: FileDone) -> None:
        """Close the page after a file was opened; check the files after a failure."""
        if done.task != "open":
            return
        if not done.error:
            self.dismiss()
        elif self.is_open:
            self._files.look_for([done.path])

    def _on_files_missing(self, paths: Sequence[str]) -> None:
        self._gone = tuple({*self._gone, *paths})
        if self.page is not None:
            self.page.show_gone(paths)

    def _forget(self) -> None:
        self._forget_files(self._gone)
        if self.page is not None:
            self.page.show_files(self._settings.recent())
            self.look_for_files()
