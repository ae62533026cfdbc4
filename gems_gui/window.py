"""The main window: creates, arranges and connects its parts."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QLayout, QVBoxLayout, QWidget

from gems_engine.algorithms import plugin_algorithms
from gems_engine.commands import broken_plugins
from gems_engine.gallery import plugin_families
from gems_gui.action_table import ACTIONS, EVERY_ACTION
from gems_gui.analysis.actions import DESIGN_ACTIONS
from gems_gui.analysis.design_controller import DesignController
from gems_gui.analysis.dimension_explorer import DimensionExplorer
from gems_gui.analysis.suggesting import Suggesting
from gems_gui.background.numerics import load_numerics
from gems_gui.board.actions import LAYOUT_ACTIONS
from gems_gui.board.board_controller import BoardController
from gems_gui.board.layout_controller import LayoutController
from gems_gui.board.message_bar import MessageBar
from gems_gui.board.notice_area import NoticeArea
from gems_gui.board.page_area import PageArea
from gems_gui.board.side_dock import SideDock
from gems_gui.board.strip import Strip
from gems_gui.board.strip_controller import StripController
from gems_gui.closing.actions import CLOSING_ACTIONS
from gems_gui.closing.changed_files import ChangedFiles
from gems_gui.closing.closing import Closing
from gems_gui.compare.actions import COMPARE_ACTIONS, COMPARISON_RUN_ACTIONS
from gems_gui.compare.compare_controller import CompareController
from gems_gui.compare.comparison_run_controller import ComparisonRunController
from gems_gui.core_window import CoreWindow
from gems_gui.drafts.advice import Advice
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.presets import FIRST, PRESETS
from gems_gui.drafts.undo_order import Editable
from gems_gui.editing.actions import AUTO_RUN_ACTIONS, TABLE_ACTIONS
from gems_gui.editing.auto_run_controller import AutoRunController
from gems_gui.editing.difference_bar import DifferenceBar
from gems_gui.editing.table_controller import TableController
from gems_gui.experiments.actions import EXPERIMENT_ACTIONS
from gems_gui.experiments.experiment_controller import ExperimentController
from gems_gui.exports.actions import EXPORT_ACTIONS
from gems_gui.exports.export_controller import ExportController
from gems_gui.file_router import FileRouter
from gems_gui.files.actions import FILE_ACTIONS
from gems_gui.files.file_controller import FileController
from gems_gui.files.items_controller import ItemsController
from gems_gui.files.opening_bar import OpeningBar
from gems_gui.files.recent_menu import RecentMenu
from gems_gui.help.actions import HELP_ACTIONS
from gems_gui.help.help_controller import HelpController
from gems_gui.panels.form_controller import FormController
from gems_gui.race.actions import RACE_ACTIONS
from gems_gui.race.race_controller import RaceController
from gems_gui.recovery.recovery_banner import RecoveryController
from gems_gui.runs.actions import BRANCH_ACTIONS, RUN_LIST_ACTIONS
from gems_gui.runs.branch_controller import BranchController
from gems_gui.runs.run_list_controller import RunListController
from gems_gui.runs.run_menus import RunMenus
from gems_gui.settings_store import Remark
from gems_gui.talk.actions import TALK_ACTIONS
from gems_gui.talk.talk_controller import TalkController
from gems_gui.transport.actions import GO_TO_ACTIONS, UNTIL_ACTIONS
from gems_gui.transport.transport_controller import TransportController
from gems_gui.transport.until_controller import UntilController
from gems_gui.trials.actions import REPLICATE_ACTIONS, SENSITIVITY_ACTIONS
from gems_gui.trials.replicate_controller import ReplicateController
from gems_gui.trials.sensitivity_controller import SensitivityController
from gems_gui.views import plugin_views
from gems_gui.welcome.actions import WELCOME_ACTIONS
from gems_gui.welcome.welcome_controller import WelcomeController
from gems_gui.widgets.boxes import fill, hbox, vbox
from gems_gui.widgets.explained import complete
from gems_gui.widgets.status_tip import StatusTip
from gems_gui.widgets.timers import single_shot, soon
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.messages import ERROR
from gems_gui.workbench.window_title import window_title
from gems_gui.workbench.workbench import Page

if TYPE_CHECKING:
    from gems_gui.menus.palette import PaletteEntry

_MARGIN = 8
_FRAME = QSize(8, 40)  # pixels of the window frame and title bar, which are unknown before the first start
_PAINTED, _UNPAINTED = 15, 300  # milliseconds until deferred work begins, after the first paint or without one


class MainWindow(CoreWindow):
    """Form, board and transport of one workbench.

    Parameters
    ----------
    draft
        The initial content of the form; by default the paper's hard instance.
    in_thread
        Whether the engine and the queries compute in this process, for tests and debugging.
    """

    def __init__(self, draft: Draft | None = None, *, in_thread: bool = False) -> None:
        super().__init__(PRESETS[FIRST].draft if draft is None else draft, self.open_files, in_thread=in_thread)
        services = self.services
        self.middle = QVBoxLayout()
        self.pages = PageArea(self.workbench, self.form, self.board, self.middle)
        self.transport_controller = TransportController(services, self.transport, self.board)
        self.form_controller = FormController(services, self.form)
        self.board_controller = BoardController(services, self.board, self._covered)
        self.designs = DesignController(services, self.pages, self.board)
        self.layouts = LayoutController(
            services, self.board, {Page.DESIGNS: self.designs.maximise_view}, self._dock_again
        )
        self.file_controller = FileController(services)
        self.items_controller = ItemsController(services)
        self.notice = MessageBar(self.workbench)
        self.opening = OpeningBar(self.files)
        self.changed_files = ChangedFiles()
        self.instance_table = TableController(services)
        self.run_list = RunListController(services, self._edited)
        self.run_until = UntilController(services)
        self.branches = BranchController(services)
        self.comparison = CompareController(services, self.run_list.runs_dock.chosen_in_sight)
        self.comparison_runs = ComparisonRunController(services, self.board, self.layouts.choose)
        self.replicates = ReplicateController(services, self.board)
        self.sensitivity = SensitivityController(services, self.form, self._advice)
        self.dimensions = DimensionExplorer(services, self.board)
        self.suggesting = Suggesting(services, self.form, self.form_controller.shown)
        self.status_tip = StatusTip(self)
        self.auto_run = AutoRunController(services, self.form, self.board)
        self.race = RaceController(
            services, self.board, self.comparison_runs.runs, self.auto_run.auto, self.layouts.choose
        )
        self.comparison_runs.comparing.connect(self.race.end)
        self.difference_bar = DifferenceBar(self.bench, self.auto_run.auto)
        self.strip = Strip(self.appearance, self.difference_bar)
        self.strip_controller = StripController(services, self.strip, self.board, self.theory_scan.want)
        self.talk = TalkController(services, self.board, self.transport, self.area)
        self.exports = ExportController(services, self.board, self.designs, self.talk)
        self.talk.use_pictures(self.exports.exports)
        self.experiments = ExperimentController(services, self.pages, self.comparison_runs.run_with)
        self.file_router = FileRouter(
            services, self.file_controller, self.items_controller, self.experiments, self.designs, self.changed_files
        )
        self.recovery = RecoveryController(services)
        self.closing = Closing(
            services,
            self.file_controller,
            self.experiments,
            self.designs,
            self.exports,
            self.recovery,
            self.close_without_asking,
        )
        self.help_controller = HelpController(
            services, self.area, EVERY_ACTION, self._palette_entries, self._page_meant
        )
        self.welcome = WelcomeController(
            services,
            self.pages,
            tell=self.talk.tell,
            start_preset=self.start_preset,
            show_help=self.help_controller.show_page,
            forget=self.file_controller.forget_recent,
        )
        self._begun = False
        self._deferred = single_shot(self, self._begin)
        self._closed = False
        self._lay_out()
        self._connect()
        self._add_actions()
        self._fill_menus()
        self._restore()
        self.board_controller.show_snapshot()
        self.action_set.refresh()

    # -- parts --------------------------------------------------------------------------------------------------

    def _add_actions(self) -> None:
        """Add the actions of features; those of the core exist already, for the buttons of the transport."""
        actions = self.action_set
        actions.add(FILE_ACTIONS, self.file_controller)
        actions.add(CLOSING_ACTIONS, self.closing)
        actions.add(TABLE_ACTIONS, self.instance_table)
        actions.add(AUTO_RUN_ACTIONS, self.auto_run.auto)
        actions.add(RUN_LIST_ACTIONS, self.run_list)
        actions.add(GO_TO_ACTIONS, self.transport_controller)
        actions.add(UNTIL_ACTIONS, self.run_until)
        actions.add(BRANCH_ACTIONS, self.branches)
        actions.add(COMPARISON_RUN_ACTIONS, self.comparison_runs)
        actions.add(RACE_ACTIONS, self.race)
        actions.add(COMPARE_ACTIONS, self.comparison)
        actions.add(REPLICATE_ACTIONS, self.replicates)
        actions.add(SENSITIVITY_ACTIONS, self.sensitivity)
        actions.add(EXPORT_ACTIONS, self.exports)
        actions.add(LAYOUT_ACTIONS, self.layouts)
        actions.add(DESIGN_ACTIONS, self.designs)
        actions.add(EXPERIMENT_ACTIONS, self.experiments)
        actions.add(TALK_ACTIONS, self.talk)
        actions.add(HELP_ACTIONS, self.help_controller)
        actions.add(WELCOME_ACTIONS, self.welcome)
        actions.refused.connect(self._refuse)
        self.strip_controller.add_buttons(actions)
        self.auto_run.show_switch(actions["auto_run"])

    def _fill_menus(self) -> None:
        """Create the menus of the action table, then those that list runs, files, layouts and stories."""
        self.action_set.fill(self.menuBar(), ACTIONS)
        RunMenus(self.action_set, self.workbench, self)
        recent = RecentMenu(self.action_set, self.settings, self.interface, self)
        self.file_controller.recent_changed.connect(recent.fill)
        self.layouts.fill_menus()
        self.talk.fill_menus()
        self._place_tabs()

    def _palette_entries(self) -> list[PaletteEntry]:
        from gems_gui.palette_entries import palette_entries  # loaded with the palette

        return palette_entries(self.services, self.board, self.layouts, self.form, self.talk.tell, self.start_preset)

    def _page_meant(self) -> str:
        from gems_gui.help.context import page_meant  # loaded with the first help page

        return page_meant(self)

    def _lay_out(self) -> None:
        centre = QWidget()
        # The keys of the transport apply outside text fields: at the start, and after a click outside the fields.
        centre.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        column = vbox(centre, _MARGIN, margins=(_MARGIN, 0, _MARGIN, _MARGIN))
        row = hbox(spacing=_MARGIN)
        self.middle.setSpacing(_MARGIN)
        notices = (
            *(self.recovery.notice, self.opening, self.notice, self.changed_files),
            self.instance_table.question,
        )
        self.notices = NoticeArea(self.workbench, self.strip, notices, centre)
        fill(self.middle, self.notices, (self.board, 1))
        fill(row, self.form, (self.middle, 1))
        fill(column, (row, 1), self.transport)
        self.setCentralWidget(centre)
        centre.setFocus()

    def _connect(self) -> None:
        work = self.workbench
        work.subscribe(self.show_title, Field.DRAFT, Field.RUNS, Field.ACTIVE, Field.ENGINE)  # a saved run may grow
        work.subscribe(self._leave_form, Field.RUNS)
        self.pages.shown.connect(self._leave_page)
        # Last: whether actions are available depends on how the parts have handled the change.
        matters = Field.ENGINE, Field.RUNS, Field.DRAFT, Field.PAGE, Field.TRUTH, Field.MESSAGES
        work.subscribe(self.action_set.refresh, *matters, last=True)
        self.form.instance_form.table_requested.connect(self.instance_table.edit_table)
        self.board.views_created.connect(self._load, Qt.ConnectionType.SingleShotConnection)  # it may be emitted again
        self.board.views_created.connect(self._complete)
        self.board.export_asked.connect(self.exports.export_view)
        self.board.help_asked.connect(self.help_controller.help_on_view)
        self.board.symbols_requested.connect(self.help_controller.symbols_of_view)
        self.transport.status.symbols_requested.connect(self.help_controller.show_page)
        self.strip.text.symbols_requested.connect(self.help_controller.show_page)
        self.difference_bar.toggled.connect(self.strip.arrange)
        self.theory_scan.found.connect(self.strip_controller.show)
        self.theory_scan.found.connect(self.run_list.runs_dock.model.refresh_rows)  # a result may need another line
        self.board.until_asked.connect(self.run_until.go)
        self.problem_scan.looked.connect(partial(self.board.show_again, "problems"))
        self.board.theory_asked.connect(self.theory_scan.want)
        for name in ("theory", "grid"):
            self.theory_scan.found.connect(partial(self.board.show_again, name))
        self.problem_scan.found.connect(self.transport.scrubber.update)
        for changing in (self.appearance.changing, self.pages.changing):
            changing.connect(partial(self._set_constraint, QLayout.SizeConstraint.SetNoConstraint))
        self.appearance.applied.connect(self._keep_width)
        self.run_list.runs_dock.save_asked.connect(self.file_controller.save_run)
        self.run_list.runs_dock.compare_asked.connect(self.comparison.compare_with)
        self.talk.ended.connect(self.board_controller.show_snapshot)
        self.experiments.source_saved.connect(self.closing.specification_saved)
        self.experiments.tabs_resized.connect(self._place_tabs)

    def _restore(self) -> None:
        """Apply the style sheet, and restore the size and the arrangement of the last session."""
        self.appearance.set_style_sheet()
        if not self.restoreGeometry(self.settings.bytes_of("geometry")):
            screen = self.screen()
            self.resize((QSize(1440, 900) * self.theme.font_scale).boundedTo(screen.availableSize() - _FRAME))
            place = QRect(QPoint(), self.size() + _FRAME)
            place.moveCenter(screen.availableGeometry().center())
            self.move(place.topLeft())  # known at once, so that a dialog that opens with the window is centred on it
        self.layouts.restore()
        self.restoreState(self.settings.bytes_of("docks"))
        self._keep_width()

    def _keep_width(self) -> None:
        """Docks next to the board do not widen the window: they float if there is no room."""
        for dock in self.findChildren(SideDock):
            dock.collapse()
        self._set_constraint(QLayout.SizeConstraint.SetDefaultConstraint)

    def _set_constraint(self, constraint: QLayout.SizeConstraint) -> None:
        """Set whether the window grows to what it contains: not while only a part has the new text size or page."""
        layout = self.layout()
        assert layout is not None
        layout.setSizeConstraint(constraint)

    def _dock_again(self) -> None:
        """Dock what floats and fits now."""
        for dock in self.findChildren(SideDock):
            dock.dock_again()

    def showEvent(self, event: QShowEvent) -> None:
        """Start deferred work after the first paint, or soon if the window is not painted because it is covered."""
        super().showEvent(event)
        if not self._begun:
            self._deferred.start(_UNPAINTED)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._begun and self._deferred.interval() != _PAINTED:
            self._deferred.start(_PAINTED)

    @property
    def begun(self) -> bool:
        """Whether the window has been painted, so that deferred work may begin."""
        return self._begun

    def _begin(self) -> None:
        if self._closed or self._begun:
            return
        self._begun = True
        self.engine.warm()
        self.queries.warm()
        self.workbench.drafts.begin()
        self.recovery.begin()
        self.suggesting.begin()
        self.welcome.look_for_files()
        for remark in self.settings.remarks():
            self._hear(remark)
        self.settings.set_listener(self._hear)
        self._list_plugins()  # looks through all packages: once, and after the first paint
        self.board.create_views()  # last: processes start in the meantime

    def _list_plugins(self) -> None:
        """List what other packages provide; what cannot be used is in the log."""
        self.form.algorithm_form.list_plugins(plugin_algorithms())
        self.form.instance_form.list_plugins(plugin_families())
        self.layouts.list_views(self.board.add_plugin_views(), plugin_views().broken)
        for plugin in broken_plugins():
            self.workbench.messages.log(plugin.sentence, ERROR)

    def _hear(self, remark: Remark) -> None:
        self.workbench.messages.log(remark.sentence)
        if remark.as_message:
            self.workbench.messages.add_persistent(remark.sentence)

    def _load(self) -> None:
        """Create what is not needed for the first paint."""
        self.auto_run.create_widgets()
        load_numerics()

    def _complete(self) -> None:
        complete(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved work; then save the arrangement and stop the engine."""
        if not self._closed and not self.closing.may_close():
            event.ignore()
            return
        if not self._closed:
            self._closed = True
            self.settings.keep_bytes("geometry", self.saveGeometry())
            self.layouts.remember()
            self.settings.keep_bytes("docks", self.saveState())
            for dialog in self.findChildren(QDialog):
                dialog.close()
            self._end()
        super().closeEvent(event)

    def _end(self) -> None:
        """Stop the parts: first those that show or ask, then those that compute, then those that write."""
        for part in (
            self.file_router,
            *(self.talk, self.auto_run, self.designs, self.dimensions, self.suggesting, self.experiments),
            self.problem_scan,
            *(self.theory_scan, self.comparison, self.comparison_runs, self.race),
            *(self.replicates, self.sensitivity, self.exports),
            *(self.engine, self.bridge, self.queries, self.files, self.recovery),
        ):
            part.close()

    def close_without_asking(self) -> None:
        """Close without asking about unsaved work: after the question, for a screenshot, or in a test."""
        self.closing.asks = False
        self.close()

    def end_at_once(self) -> None:
        """Close when the system or a terminal ends the program; the next start offers unsaved work."""
        self.closing.commit_typing()
        if self.closing.unsaved():
            self.recovery.leave()
        self.close_without_asking()

    # -- title and focus ---------------------------------------------------------------------------------------

    def show_title(self, *_: object) -> None:
        """Update the title of the window."""
        title = window_title(self.workbench)
        if title != self.windowTitle():
            self.setWindowTitle(title)

    def _leave_page(self, page: Page) -> None:
        """Move the focus off a hidden page; docks float while the page has no room for them."""
        for dock in self.findChildren(SideDock):
            dock.come_back()
        self._keep_width()
        if page is Page.BOARD:
            self.interface.focus_board()

    def _leave_form(self, change: Change) -> None:
        """Move the focus out of the form when a run starts, so that arrow keys and Space control the run.

        A run of auto-run leaves it where the user is typing or dragging.
        """
        active, focused = self.workbench.active, QApplication.focusWidget()
        started = active is not None and active in change.started and not self.workbench.is_passing(active)
        in_form = focused is None or self.form.isAncestorOf(focused)
        if started and in_form and active is not None and not self.workbench.is_passing(active):
            self.interface.focus_board()

    def _place_tabs(self) -> None:
        """Update the widths of the menus in the menu bar."""
        self.menuBar().setCornerWidget(self.experiments.tabs)

    # -- requests of parts ----------------------------------------------------------------------------------------

    def _edited(self) -> Sequence[Editable]:
        """What undo and redo apply to: the form, or the design debugger while it is shown, and the story of the run."""
        debugger, story = self.designs.debugger, self.talk.edited_story()
        first = debugger if self.designs.is_open and debugger is not None else self.workbench.drafts
        return (first,) if story is None else (first, story)

    def _advice(self) -> Advice | None:
        """Update the advice on B, n and T."""
        return self.suggesting.advice

    def _covered(self) -> bool:
        return self.talk.covers

    def start_preset(self, name: str) -> None:
        """Load a preset into the form and run it."""
        self.workbench.drafts.choose(PRESETS[name].draft)
        self.run_preset(name)

    def run_preset(self, name: str | None) -> None:
        """Run the form, as a race if the preset is one."""
        if name is not None and PRESETS[name].race:
            self.race.race()
        else:
            self.workbench.run()

    def begin_with(
        self,
        files: Sequence[str],
        play: bool,
        story: str | None,
        preset: str | None = None,
        *,
        welcome: bool,
        recovers: bool,
    ) -> None:
        """Open files, run the form, play a story, or show the welcome page."""
        self.recovery.offers = recovers
        self.workbench.play_opened = play
        self.items_controller.asks = not play and recovers  # a picture or a run at once cannot wait for an answer
        self.board.views_created.connect(gc.freeze)  # these objects live as long as the program
        if files:
            self._open_files(files)
        elif play:
            soon(self, partial(self.run_preset, preset))
        if story is not None:
            self.talk.tell_first(story)
        if welcome:
            self.welcome.begin()

    # -- files --------------------------------------------------------------------------------------------------

    def open_files(self, paths: Sequence[str]) -> None:
        """Open what the user has chosen: a dialog may ask about columns, and nothing runs unasked."""
        self.items_controller.asks, self.workbench.play_opened = True, False
        self._open_files(paths)

    def _open_files(self, paths: Sequence[str]) -> None:
        """Open instances in the form, runs in the list of runs, and experiments in their page."""
        self.interface.use_folder(paths)
        self.file_router.open(paths)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _local_files(event):
            _accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.open_files(_local_files(event))
        _accept_copy(event)

    # -- messages -----------------------------------------------------------------------------------------------

    def _refuse(self, action: QAction) -> None:
        """Say why a key has no effect, as long as that is so; Home and End say nothing where the cursor is there."""
        if self.workbench.active is not None and action.objectName() in ("first", "last"):
            return
        actions, why = self.action_set, self.action_set.refusal(action)
        self.workbench.messages.show(why, holds=lambda: actions.refusal(action) == why, transient=True)

    # -- state of the window ------------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        """Update the menu when the desktop ends full screen; check files when the window becomes active."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self._begun and not self._closed and self.isActiveWindow():
            self.closing.files.look_soon()
        if event.type() == QEvent.Type.WindowStateChange and self._begun:
            self.action_set.refresh()


def _local_files(event: QDropEvent) -> list[str]:
    return [path for url in event.mimeData().urls() if (path := url.toLocalFile())]


def _accept_copy(event: QDropEvent) -> None:
    """Accept files without moving them: a file manager may delete what another program says it has moved."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def open_window(
    files: Sequence[str] = (),
    preset: str | None = None,
    play: bool = False,
    story: str | None = None,
    *,
    recovers: bool = True,
) -> MainWindow:
    """Open the window with files or a preset in its form; optionally run it or play a story.

    By default it shows the welcome page.

    Parameters
    ----------
    recovers
        Whether it offers the work of windows that ended unexpectedly.
    """
    window = MainWindow(None if preset is None else PRESETS[preset].draft)
    asked = bool(files) or preset is not None or play or story is not None
    window.begin_with(files, play, story, preset, welcome=not asked, recovers=recovers)
    return window
