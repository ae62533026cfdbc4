"""The Runs dock: lists the runs of this window, to show, rename, pin, compare, save or remove them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QLabel, QListView, QMenu, QToolButton, QWidget

from gems_gui.appearance import Appearance
from gems_gui.board.side_dock import SideDock
from gems_gui.runs.runs_delegate import RunsDelegate
from gems_gui.runs.runs_model import Index, RunsModel
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import fill
from gems_gui.widgets.explained import described
from gems_gui.widgets.flow_layout import FlowLayout
from gems_gui.widgets.focus import focus_middle
from gems_gui.widgets.notice import Notice
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.removed_runs import RemovedRuns
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench

_PACE = 150  # milliseconds between two updates of growing runs
_BETWEEN = 10  # milliseconds for other events while a long trace is read
_LINES = 9  # of text, which are two rows
_PIN = ("Pin", "Pin this run for comparison, so that nothing replaces it")
_UNPIN = ("Unpin", "Let other runs replace this one, and compare it no longer")
_EMPTY = "No runs yet: press Ctrl+R."


class RunsList(QListView):
    """The list itself, with its keys."""

    activated_by_key = Signal(QModelIndex)
    removed_by_key = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Runs of this window")
        self.setToolTip("Press Enter or double-click to show a run, F2 to rename it, Del to remove it")
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setWordWrap(True)  # rows are laid out again when the width changes
        self._heights: list[int] = []
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setTabKeyNavigation(False)

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Lay the rows out again where a text needs more lines or fewer."""
        super().dataChanged(first, last, roles)
        rows = range(self.model().rowCount())
        heights = [self.sizeHintForIndex(self.model().index(row, 0)).height() for row in rows]
        if heights != self._heights:
            self._heights = heights
            self.doItemsLayout()
            if self.viewport().rect().contains(self.visualRect(self.currentIndex()).topLeft()):  # it may have grown
                self.scrollTo(self.currentIndex())

    def sizeHint(self) -> QSize:
        """The height of a few rows, so that a list under the board takes little room."""
        return QSize(super().sizeHint().width(), _LINES * self.fontMetrics().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated_by_key.emit(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.Delete):
            self.removed_by_key.emit()
        else:
            super().keyPressEvent(event)


class RunsDock(SideDock):
    """The list of runs, buttons for the chosen run, and a bar to undo a removal."""

    into_form = Signal(object)
    """Fill the form with the settings of this run."""
    save_asked = Signal(object)
    """Save this run."""
    compare_asked = Signal(object)
    """Compare the shown run with this one."""
    removals_changed = Signal()
    """What undo and redo would do may have changed."""

    def __init__(self, workbench: Workbench, appearance: Appearance, parent: QWidget) -> None:
        super().__init__("runs", "Runs", appearance, parent)
        self._workbench = workbench
        self.removed = RemovedRuns(workbench)
        self.model = RunsModel(workbench, self)
        self.list = RunsList()
        self.list.setModel(self.model)
        self.list.setItemDelegate(RunsDelegate(appearance, self.list))
        self.empty = described(QLabel(_EMPTY), role="dim")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = Notice(
            "Removed runs",
            {"Undo": self.undo_remove, "Dismiss": self._forget_removed},
            tips={"Undo": "Put the removed run back into the list.", "Dismiss": "Forget the removed runs."},
        )
        self.bar.sentence.setMinimumWidth(1)  # wraps in a narrow dock instead of widening it
        self.buttons: dict[str, QToolButton] = {}
        self._actions = {
            "show": self.act("Show", "Show this run at its last position (Enter)", self.show_chosen),
            "rename": self.act("Rename", "Rename this run (F2)", self.rename_chosen),
            "pin": self.act(*_PIN, self.pin_chosen),
            "compare": self.act("Compare", "Compare this run with the current run", self._compare),
            "form": self.act("Copy to form", "Fill the form with the settings of this run", self._into_form),
            "save": self.act("Save", "Save this run to its file; a run without one asks for a name", self._save),
            "remove": self.act("Remove", "Remove this run from the list (Del); Undo restores it", self.remove_chosen),
        }
        self._timer = single_shot(self, self._look)
        self._lay_out()
        appearance.follow(self._apply_theme)
        self._connect()
        self._show_rows()

    # -- parts --------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        column = self.column()
        row = FlowLayout(gap=2, line_gap=2)
        for name in ("pin", "form", "save", "remove"):
            self.buttons[name] = self.tool(self._actions[name])
            row.addWidget(self.buttons[name])
        fill(column, (self.list, 1), (self.empty, 1), row, self.bar)

    def _connect(self) -> None:
        work = self._workbench
        self.list.doubleClicked.connect(self._activate)
        self.list.activated_by_key.connect(self._activate)
        self.list.removed_by_key.connect(self.remove_chosen)
        self.list.customContextMenuRequested.connect(self._menu)
        self.list.selectionModel().currentChanged.connect(self._update_actions)
        work.subscribe(self._show_runs, Field.RUNS, Field.ACTIVE, Field.TRUTH)
        work.subscribe(self._look_soon, Field.ENGINE)
        self.visibilityChanged.connect(self._look_soon)

    def _apply_theme(self, theme: Theme) -> None:
        self.list.setMinimumWidth(theme.pixels(200))
        self.list.scheduleDelayedItemsLayout()
        self.list.viewport().update()

    # -- what it shows ------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> RunSession | None:
        """The run that buttons and keys apply to."""
        return self.model.run_at(self.list.currentIndex())

    def chosen_in_sight(self) -> RunSession | None:
        """The chosen run, if the list is visible and shows which one it is."""
        return self.chosen if self.exposed else None

    def choose(self, run: RunSession | None) -> None:
        """Choose the run that buttons and keys apply to."""
        row = self.model.row_of(run)
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row))

    def _show_runs(self, change: Change) -> None:
        self.model.reload()
        if Field.RUNS in change:
            self._show_rows()
        if Field.ACTIVE in change:
            self._show_active()

    def _show_rows(self) -> None:
        self.empty.setVisible(not self._workbench.runs)
        self.list.setVisible(bool(self._workbench.runs))
        if self.chosen is None:
            self.choose(self._workbench.active)
        self._update_actions()
        self._look_soon()

    def _show_active(self) -> None:
        self.choose(self._workbench.active)
        self._update_actions()

    def _update_actions(self) -> None:
        run = self.chosen
        for action in self._actions.values():
            action.setEnabled(run is not None)
        self._actions["form"].setEnabled(run is not None and (run.request is not None or run.draft is not None))
        self._actions["compare"].setEnabled(run is not None and len(self._workbench.runs) > 1)
        words, tip = _UNPIN if run is not None and run.pinned else _PIN
        self._actions["pin"].setText(words)
        self._actions["pin"].setToolTip(tip)
        self._actions["pin"].setStatusTip(f"{tip}.")
        self.buttons["pin"].setAccessibleName(words)

    def _look_soon(self, *_: object) -> None:
        if self.isVisible() and not self._timer.isActive():
            self._timer.start(_PACE)

    def _look(self) -> None:
        if self.isVisible() and not self.model.read_on():
            self._timer.start(_BETWEEN)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()

    # -- what can be done ---------------------------------------------------------------------------------------

    def _activate(self, index: QModelIndex) -> None:
        run = self.model.run_at(index)
        if run is not None:
            if run.is_comparison and run.playback.ended and run.playback.cursor == 0:  # it was never shown
                self._workbench.control(Playback.last, run)
            self._workbench.activate(run)
            focus_middle(self)  # Home and End belong to the run that is shown

    def show_chosen(self) -> None:
        """Show the chosen run."""
        self._activate(self.list.currentIndex())

    def rename_chosen(self) -> None:
        """Edit the name in place."""
        if self.chosen is not None:
            self.list.edit(self.list.currentIndex())

    def pin_chosen(self) -> None:
        """Pin or unpin the chosen run."""
        if self.chosen is not None:
            self._workbench.pin(self.chosen, not self.chosen.pinned)

    def _into_form(self) -> None:
        if self.chosen is not None:
            self.into_form.emit(self.chosen)

    def _compare(self) -> None:
        if self.chosen is not None:
            self.compare_asked.emit(self.chosen)

    def _save(self) -> None:
        if self.chosen is not None:
            self.save_asked.emit(self.chosen)

    def remove_chosen(self) -> None:
        """Remove the chosen run; this can be undone."""
        if self.chosen is not None:
            self.removed.remove(self.chosen)
            self._show_removed()

    def undo_remove(self) -> None:
        """Restore the run that was removed last."""
        run = self.removed.undo()
        if run is not None:
            self.choose(run)
        self._show_removed()

    def remove_again(self) -> None:
        """Remove the run that was restored last."""
        self.removed.redo()
        self._show_removed()

    def _show_removed(self) -> None:
        last = self.removed.last
        self.bar.show_message("" if last is None else f"Removed {last.name}.")
        self.removals_changed.emit()

    def _forget_removed(self) -> None:
        self.removed.forget()
        self._show_removed()

    def _menu(self, at: QPoint) -> None:
        if not self.list.indexAt(at).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.addActions(list(self._actions.values()))
        menu.popup(self.list.viewport().mapToGlobal(at))
