"""The experiments page, shown instead of form and board: the specification on the left, results on the right."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gems_engine.experiment.tables import tables_of
from gems_gui.appearance import Appearance
from gems_gui.experiments.action_button import ActionButton
from gems_gui.experiments.editor import SpecificationEditor
from gems_gui.experiments.numbers import Numbers
from gems_gui.experiments.pictures import Pictures
from gems_gui.experiments.spec_picker import SpecPicker
from gems_gui.experiments.trials import Trials
from gems_gui.icons import icon
from gems_gui.menus.action_set import ActionSet
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import STRETCH, fill, hbox, vbox
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.fitting_label import FittingLabel
from gems_gui.workbench.layouts import GAP

if TYPE_CHECKING:
    from gems_engine.experiment.measures import Summary

_LEFT, _LEAST = 296, 220  # pixels before font scaling; the first is the width of the form
_SHARES = 1, 2  # of the page: the list takes no more than the first
TABS = ("Plots", "Numbers", "Trials", "Specification")
_TIPS = (
    "Show plots of the results so far",
    "Show the results so far as tables, with the numbers of the paper",
    "List all trials; Enter opens the run of a trial in the window",
    "Edit the specification",
)
HIDDEN = "Success, τ, the bounds and the specification are hidden with the truth. T shows it."
PAGE = "topics/experiments"
"""The help page."""


class ExperimentPage(QWidget):
    """All widgets for experiments."""

    close_asked = Signal()

    def __init__(self, actions: ActionSet, appearance: Appearance) -> None:
        super().__init__()
        self.setAccessibleName("Experiments")
        self.setProperty("help", PAGE)
        self.title = described(QLabel("Experiments"), role="title")
        self.words = FittingLabel("Experiment shown", appearance, least=60, most=2000)
        self.report = ActionButton(actions["experiment_report"], "Write report")
        self.copy = QPushButton("Copy")
        self.copy.setAutoDefault(False)
        explain(self.copy, "Copy the results, as Markdown for a README or as CSV for other programs.")
        menu = QMenu(self.copy)
        menu.addActions([actions["experiment_markdown"], actions["experiment_csv"]])
        self.copy.setMenu(menu)
        self.save = ActionButton(actions["experiment_save"], "Save")
        self.save_as = ActionButton(actions["experiment_save_as"], "Save as…")
        self.close_button = QToolButton()
        self.close_button.setAccessibleName("Close the experiments page")
        explain(self.close_button, "Go back to the run (Ctrl+Shift+X); a running experiment continues.")
        self.close_button.clicked.connect(self.close_asked)
        self.spec_picker = SpecPicker(actions, appearance)
        self.pictures = Pictures(appearance)
        self.numbers = Numbers(appearance)
        self.trials = Trials(appearance)
        self.editor = SpecificationEditor(appearance)
        self.tabs = described(QTabBar(), name="Results and specification")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        explain(self.tabs, "Choose plots, numbers, trials or the specification.")
        for words, tip in zip(TABS, _TIPS, strict=True):
            self.tabs.setTabToolTip(self.tabs.addTab(words), tip)
        self.stack = QStackedWidget()
        for widget in (self.pictures, self.numbers, self.trials, self.editor):
            self.stack.addWidget(widget)
        self.tabs.currentChanged.connect(self._show_tab)
        self.veil = QLabel(HIDDEN)
        self.veil.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.veil.setWordWrap(True)
        self.covered = QStackedWidget()
        self._buttons = (self.save, self.save_as, self.copy, self.report)
        self._lay_out()
        appearance.follow(self._apply_theme)

    def _lay_out(self) -> None:
        top = hbox(spacing=8)
        top.addWidget(self.title)
        top.addSpacing(6)
        fill(top, (self.words, 1), self.close_button)
        inside = described(QFrame(), role="card")
        column = vbox(inside, 6, margins=(10, 6, 10, 10))
        row = fill(hbox(spacing=6), self.tabs, STRETCH, *self._buttons)
        fill(column, row, (self.stack, 1))
        hidden = described(QFrame(), role="card")
        QVBoxLayout(hidden).addWidget(self.veil)
        self.covered.addWidget(inside)
        self.covered.addWidget(hidden)
        body = fill(hbox(spacing=GAP), (self.spec_picker, _SHARES[0]), (self.covered, _SHARES[1]))
        fill(vbox(self, GAP), top, (body, 1))
        left = self.spec_picker
        stops: list[QWidget] = [
            *(left.source, left.open, left.results, left.trials, left.seed, left.jobs, left.folder, left.browse),
            *(left.start, left.pause, left.cancel, self.tabs, *self._buttons),
            *(self.pictures, self.numbers, self.trials.cell, self.trials.failed, self.trials.open, self.trials.table),
            *(self.editor.text, self.editor.revert, self.close_button),
        ]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)
        self._show_tab(0)

    def _apply_theme(self, theme: Theme) -> None:
        self.spec_picker.setMinimumWidth(theme.pixels(_LEAST))
        self.spec_picker.setMaximumWidth(theme.pixels(_LEFT))
        self.close_button.setIcon(icon("close", theme))

    def set_truth(self, shown: bool) -> None:
        """Show or hide what reveals the truth; the progress is always shown."""
        self.covered.setCurrentIndex(0 if shown else 1)

    @property
    def shown_tab(self) -> str:
        """The name of the current tab."""
        return TABS[self.tabs.currentIndex()]

    def show_tab(self, name: str) -> None:
        """Switch to a tab."""
        self.tabs.setCurrentIndex(TABS.index(name))

    def _show_tab(self, at: int) -> None:
        self.stack.setCurrentIndex(at)
        of = (self.save, self.save_as) if TABS[at] == "Specification" else (self.copy, self.report)
        for button in self._buttons:
            button.setVisible(button in of)

    def show_summary(self, summary: Summary | None) -> None:
        """Show the numbers."""
        self.numbers.show_tables([] if summary is None else tables_of(summary))
