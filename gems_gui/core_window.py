"""The window before its features: state, background work, form, board, transport, and the services for controllers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QApplication

from gems_gui.actions.interface import Bench
from gems_gui.actions.run_actions import RUN_ACTIONS
from gems_gui.actions.window_actions import WINDOW_ACTIONS
from gems_gui.analysis.problem_scan import ProblemScan
from gems_gui.analysis.theory_scan import TheoryScan
from gems_gui.appearance import ChosenAppearance
from gems_gui.background.engine_bridge import EngineBridge, timers
from gems_gui.background.engine_client import EngineClient
from gems_gui.background.file_worker import FileWorker
from gems_gui.background.queries import Queries
from gems_gui.board.board import Board
from gems_gui.board.tab_bars import TabBars
from gems_gui.drafts.draft import Draft
from gems_gui.log_file import LogFile
from gems_gui.menus.action_set import ActionSet
from gems_gui.panels.form_panel import FormPanel
from gems_gui.services import Services
from gems_gui.settings import Settings
from gems_gui.theme import Theme
from gems_gui.transport.transport import Transport
from gems_gui.widgets.focus import FocusWindow
from gems_gui.widgets.window_area import WindowArea
from gems_gui.window_interface import WindowInterface
from gems_gui.workbench.workbench import Workbench

_FORM_WIDTH = 296  # pixels at the normal text size


class CoreWindow(FocusWindow):
    """What every feature of the window uses.

    Parameters
    ----------
    draft
        The initial content of the form.
    open_files
        The function that opens files.
    in_thread
        Whether the engine and the queries compute in this process, for tests and debugging.
    """

    def __init__(self, draft: Draft, open_files: Callable[[Sequence[str]], object], *, in_thread: bool) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        settings = Settings()
        self.appearance = ChosenAppearance(app, settings)  # before the window is created: it sets the font
        super().__init__()
        self.appearance.setParent(self)
        self.setWindowTitle("GEMS Lab")
        self.setAcceptDrops(True)
        TabBars(self, "Docks in these tabs")
        self.settings = settings
        self.engine = EngineClient(self, in_thread=in_thread)
        self.queries = Queries(self, in_thread=in_thread)
        self.files = FileWorker(self)
        self.workbench = Workbench(draft, self.engine, self.queries, timers(self))
        self.log_file = LogFile(self.workbench)
        self.bridge = EngineBridge(self.workbench, self.engine, self.queries, self)
        self.problem_scan = ProblemScan(self.workbench, self)
        self.theory_scan = TheoryScan(self.queries, self)
        self.form = FormPanel(draft)
        self.appearance.follow(self._size_form)
        self.board = Board(self.appearance, deferred=True)
        self.interface = WindowInterface(self, self.appearance, open_files)
        self.bench = Bench(self.workbench, self.interface)
        self.action_set = ActionSet(self, self.appearance)
        self.action_set.add((*RUN_ACTIONS, *WINDOW_ACTIONS), self.bench)
        self.transport = Transport(self.action_set, self.appearance)
        self.area = WindowArea(self)
        self.services = Services(
            workbench=self.workbench,
            ui=self.interface,
            appearance=self.appearance,
            settings=settings,
            files=self.files,
            queries=self.queries,
            actions=self.action_set,
            host=self,
            in_thread=in_thread,
        )

    @property
    def theme(self) -> Theme:
        """The current theme."""
        return self.appearance.theme

    def _size_form(self, theme: Theme) -> None:
        self.form.setFixedWidth(theme.pixels(_FORM_WIDTH))
