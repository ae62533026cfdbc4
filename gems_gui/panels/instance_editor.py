"""The instance editor: arms, targets, θ⋆ or rewards as tables, with commands for rows, columns and cells."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gems_engine.errors import InputError
from gems_engine.terminal import number, plural
from gems_gui.appearance import Appearance
from gems_gui.drafts.instance_table import ARMS, REWARDS, TARGET_REWARDS, THETA, InstanceTable
from gems_gui.field_text import PART_TITLES
from gems_gui.icons import icon
from gems_gui.menus.action_set import key_text
from gems_gui.panels.cell_view import CellView
from gems_gui.panels.table_commands import CELLS, COLUMNS, COMMANDS, ROWS, TableCommand
from gems_gui.panels.table_editing import TableEditing
from gems_gui.panels.table_model import TableModel
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import STRETCH, fill, grid, vbox
from gems_gui.widgets.explained import described
from gems_gui.widgets.form_widgets import WrappingLabel

_TRUTHS = (THETA, REWARDS, TARGET_REWARDS)
_ACROSS, _DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
_WIDE = 640  # pixels before font scaling, from which the commands are next to the table
_LEAST = (320, 220)
_LINEAR = "Compute all rewards from θ⋆, or enter each reward as a number"
_NO_REWARDS = "The instance has no rewards; paste a table with a column of rewards to add them"
_HIDDEN = "Hidden with the truth: it would reveal the best arm"


class InstanceEditor(QWidget):
    """Shows a table and emits a new one after every edit; it stores none itself."""

    edited = Signal(object)
    """The new table, after every edit."""
    message = Signal(str)
    """A message about an edit: what it did, or why it is not possible."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setAccessibleName("Instance table")
        self._appearance = appearance
        self.model = TableModel(appearance, self)
        self.model.edited.connect(self.edited)
        self.view = CellView(self.model, appearance)
        self.editing = TableEditing(self.view, self.model, self)
        self.editing.edited.connect(self.edited)
        self.editing.message.connect(self.message)
        self.view.commanded.connect(self.do)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.tabs = described(QTabBar(), name="Parts of the instance")
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.status = WrappingLabel("dim", self)
        self.same_targets = self._switch("Targets are the arms", "Compare the arms themselves, or separate targets")
        self.same_targets.clicked.connect(self._switch_targets)
        self.linear = self._switch("Rewards from θ⋆", _LINEAR)
        self.linear.clicked.connect(self._switch_linear)
        self.buttons: dict[str, QToolButton | QPushButton] = {}
        self._truth = True
        self._columns_before = -1
        self._head, self._row = QBoxLayout(_DOWN), QBoxLayout(_DOWN, self)
        self._lay_out()
        appearance.follow(self._apply_theme)
        self.show_table(None, "")

    # -- making -------------------------------------------------------------------------------------------------

    def _switch(self, text: str, tip: str) -> QCheckBox:
        return described(QCheckBox(text), tip=f"{tip}.")

    def _lay_out(self) -> None:
        switches = fill(QHBoxLayout(), self.same_targets, self.linear, STRETCH)
        switches.setSpacing(14)
        fill(self._head, self.tabs, STRETCH, switches)
        left = fill(vbox(spacing=4), self._head, (self.view, 1))
        side = fill(QVBoxLayout(), self._command_grid(), STRETCH, self.status)
        self._row.setContentsMargins(8, 4, 8, 8)
        self._row.setSpacing(10)
        fill(self._row, (left, 1), side)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the commands next to the table if it is wide enough, otherwise under it."""
        super().resizeEvent(event)
        way = _ACROSS if event.size().width() >= self._appearance.theme.pixels(_WIDE) else _DOWN
        if way != self._row.direction():
            self._row.setDirection(way)
            self._head.setDirection(way)

    def minimumSizeHint(self) -> QSize:
        """The size needed with the commands under the table, wherever they are now."""
        return QSize(self._appearance.theme.pixels(_LEAST[0]), self._appearance.theme.pixels(_LEAST[1]))

    def _command_grid(self) -> QGridLayout:
        rows = grid(spacing=(2, 4), stretched=0)
        for line, about in enumerate((ROWS, COLUMNS, CELLS)):
            heading = described(QLabel(about), role="dim")
            rows.addWidget(heading, line, 0)
            shown = [command for command in COMMANDS if command.about == about and command.icon]
            for place, command in enumerate(shown):
                rows.addWidget(self._button(command), line, place + 1)
        paste = QPushButton("Paste")
        paste.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._describe(paste, next(command for command in COMMANDS if command.name == "paste"))
        rows.addWidget(paste, 2, 2, 1, 3)
        return rows

    def _button(self, command: TableCommand) -> QToolButton:
        button = described(QToolButton(), role="tool")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._describe(button, command)
        return button

    def _describe(self, button: QToolButton | QPushButton, command: TableCommand) -> None:
        button.setObjectName(command.name)
        button.setAccessibleName(command.text)
        button.setToolTip(f"{command.tip} ({key_text(command.key)})." if command.key else f"{command.tip}.")
        button.clicked.connect(self._on_button_clicked)
        self.buttons[command.name] = button

    def _apply_theme(self, theme: Theme) -> None:
        self._columns_before = -1
        self._fit_names(theme)
        for command in COMMANDS:
            button = self.buttons.get(command.name)
            if command.icon and button is not None:
                button.setIcon(icon(command.icon, theme))
                button.setIconSize(QSize(theme.pixels(16), theme.pixels(16)))

    def _fit_names(self, theme: Theme) -> None:
        if self.model.first and self.model.columnCount():
            self.view.setColumnWidth(0, theme.pixels(110))

    # -- showing ------------------------------------------------------------------------------------------------

    @property
    def table(self) -> InstanceTable | None:
        """The table that is shown."""
        return self.model.table

    @property
    def part(self) -> str:
        """The part that is shown."""
        return self.model.part

    def show_table(self, table: InstanceTable | None, sentence: str = "") -> None:
        """Show a table; None: show a sentence that says why there is none, and disable editing."""
        parts = table.parts if table is not None else (ARMS,)
        part = self.part if self._offered(self.part, parts) else self._nearest(self.part, parts)
        self._show_tabs(parts, part)
        self._show_part(table, part)
        usable = table is not None
        self.view.setEnabled(usable)
        self.same_targets.setChecked(table is None or table.targets is None)
        self.linear.setChecked(table is None or table.linear)
        self.same_targets.setEnabled(usable)
        known = table is None or table.has_rewards
        self.linear.setEnabled(usable and self._truth and known)
        self.linear.setToolTip(f"{_NO_REWARDS if not known else _LINEAR if self._truth else _HIDDEN}.")
        self.status.show_text(sentence if table is None else _summary(table))
        self._enable()

    def go_to_start(self) -> None:
        """Show the first feature of the first arm, ready to be typed over."""
        self.tabs.setCurrentIndex(0)
        self.view.go(0, self.model.first)

    def wait(self) -> None:
        """Disable editing of a table that is about to be replaced."""
        for widget in (self.view, self.same_targets, self.linear, *self.buttons.values()):
            widget.setEnabled(False)

    def set_truth(self, shown: bool) -> None:
        """Show θ⋆ and rewards, or hide them."""
        self._truth = shown
        self.show_table(self.table, self.status.text_shown)

    def _offered(self, part: str, parts: tuple[str, ...]) -> bool:
        return part in parts and (self._truth or part not in _TRUTHS)

    def _nearest(self, part: str, parts: tuple[str, ...]) -> str:
        """The tab to show when a part disappears: θ⋆ and rewards replace each other."""
        other = {THETA: REWARDS, REWARDS: THETA, TARGET_REWARDS: THETA}.get(part, ARMS)
        return other if self._offered(other, parts) else ARMS

    def _show_tabs(self, parts: tuple[str, ...], part: str) -> None:
        self.tabs.blockSignals(True)
        if tuple(self.tabs.tabData(at) for at in range(self.tabs.count())) != parts:
            while self.tabs.count():
                self.tabs.removeTab(0)
            for each in parts:
                self.tabs.setTabData(self.tabs.addTab(PART_TITLES[each]), each)
        for at, each in enumerate(parts):
            offered = self._offered(each, parts)
            self.tabs.setTabEnabled(at, offered)
            self.tabs.setTabToolTip(at, "" if offered else f"{_HIDDEN}.")
        self.tabs.setCurrentIndex(parts.index(part))
        self.tabs.blockSignals(False)

    def _on_tab_changed(self, at: int) -> None:
        if at >= 0:
            self._show_part(self.table, self.tabs.tabData(at))
            self._enable()

    def _show_part(self, table: InstanceTable | None, part: str) -> None:
        at, same = self.view.currentIndex(), part == self.part
        row, column = at.row(), at.column()
        if self.model.show_part(table, part) and self.model.rowCount():
            row = min(row, self.model.rowCount() - 1) if same and row >= 0 else 0
            column = min(column, self.model.columnCount() - 1) if same and column >= 0 else self.model.first
            self.view.go(row, column)
            if self._columns_before != self.model.first:
                self._columns_before = self.model.first
                self.view.horizontalHeader().resizeSections(self.view.horizontalHeader().ResizeMode.Interactive)
            self._fit_names(self._appearance.theme)

    def _enable(self) -> None:
        usable = self.table is not None
        for command in COMMANDS:
            if (button := self.buttons.get(command.name)) is not None:
                button.setEnabled(usable and self.editing.can(command))

    # -- commands -----------------------------------------------------------------------------------------------

    def do(self, name: str) -> None:
        """Carry out a command, or say why it is not possible."""
        command = next(each for each in COMMANDS if each.name == name)
        if self.table is None or not self.view.isEnabled() or not self.editing.can(command):
            return
        try:
            self.editing.do(name)
        except InputError as error:
            self.message.emit(str(error))

    def _on_button_clicked(self) -> None:
        self.do(self.sender().objectName())

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        about = COMMANDS[0].about
        for command in COMMANDS:
            if command.about != about:
                menu.addSeparator()
                about = command.about
            action = menu.addAction(f"{command.text}\t{key_text(command.key)}")
            action.setObjectName(command.name)
            action.setToolTip(f"{command.tip}.")
            action.setEnabled(self.table is not None and self.editing.can(command))
            action.triggered.connect(self._on_button_clicked)
        menu.popup(self.view.viewport().mapToGlobal(place))

    # -- kinds --------------------------------------------------------------------------------------------------

    def _switch_targets(self, same: bool) -> None:
        if self.table is not None:
            self.edited.emit(self.table.with_own_targets(not same))

    def _switch_linear(self, linear: bool) -> None:
        if self.table is None:
            return
        try:
            table = self.table.with_fitted_theta() if linear else self.table.with_given_rewards()
        except InputError as error:
            self.linear.setChecked(not linear)
            self.message.emit(str(error))
            return
        change = _largest_change(self.table, table) if linear else 0.0
        self.edited.emit(table)
        if change > 0:
            self.message.emit(f"θ⋆ was fitted to the rewards. The largest change of a reward is {number(change)}.")


def _largest_change(before: InstanceTable, after: InstanceTable) -> float:
    """The largest change of a reward, beyond rounding, when θ⋆ determines it."""
    given = after.with_given_rewards()
    pairs = ((before.rewards, given.rewards), (before.target_rewards, given.target_rewards))
    changes = [float(np.abs(a - b).max()) for a, b in pairs if a is not None and b is not None]
    size = max(float(np.abs(a).max()) for a, _ in pairs if a is not None)
    change = max(changes)
    return change if change > 1e-9 * max(size, 1.0) else 0.0


def _summary(table: InstanceTable) -> str:
    words = [plural(len(table.arms), "arm"), plural(table.D, "feature")]
    if table.targets is not None:
        words.insert(1, plural(len(table.targets), "target"))
    if not table.has_rewards:
        words.append("no rewards")
    if table.bad:
        words.append(f"{number(len(table.bad))} marked")
    return " · ".join(words)
