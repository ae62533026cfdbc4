"""The dock for sensitivity: a parameter and its values, two curves, and the trials behind a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QProgressBar, QWidget

from gems_engine.parameters import Parameter
from gems_gui.appearance import Appearance
from gems_gui.board.side_dock import SideDock
from gems_gui.field_text import ALGORITHM, label_of
from gems_gui.theme import Theme
from gems_gui.trials.replicates_dock import SeedList
from gems_gui.trials.sensitivity_plots import SensitivityPlots
from gems_gui.widgets.boxes import fill, hbox
from gems_gui.widgets.dialogs import push_button, sentence_label
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import ElidingComboBox, FieldLine

if TYPE_CHECKING:
    from gems_gui.series.sensitivity import SensitivitySeries

TRIALS = 20
_LEAST_LIST = 60  # pixels before font scaling


class SensitivityDock(SideDock):
    """Inputs, curves and a list of trials."""

    parameter_chosen = Signal(str)
    start_asked = Signal()
    cancel_asked = Signal()
    copy_asked = Signal()
    toml_asked = Signal()
    open_asked = Signal(object)
    """The index of a trial to open as a run."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__("sensitivity", "Sensitivity", appearance, parent, width=400)
        self.setProperty("help", "topics/sensitivity")
        self.parameter = ElidingComboBox("Parameter to vary")
        explain(self.parameter, "Choose the parameter to vary; all others have the values of the form.")
        self.parameter.activated.connect(self._on_parameter_chosen)
        self.values = _line("Values", "Enter the values of the parameter, separated by commas.")
        self.trials = _line(
            "Trials for each value", "Set the number of trials for each value; all values use the same seeds."
        )
        self.trials.setText(str(TRIALS))
        self.start = push_button("Start", "Run the trials of all values in the background", self.start_asked)
        self.start.setProperty("role", "primary")
        self.stop = push_button("Cancel", "Cancel immediately; keep the finished trials", self.cancel_asked)
        self.copy = push_button("Copy numbers", "Copy the curve as a table (CSV)", self.copy_asked)
        self.toml = push_button(
            "Copy as experiment", "Copy a specification that repeats these trials with gems experiment", self.toml_asked
        )
        self.bar = described(QProgressBar(), name="Finished trials")
        self.bar.setTextVisible(False)
        self.words = described(sentence_label("dim"), name="What the curves show")
        self.refusal = described(sentence_label("error"), name="Error")
        self.plots = SensitivityPlots(appearance)
        self.list = SeedList(
            "Trials of the selected value", "Trials of a value; Enter or a double click opens one as a run."
        )
        self.list.opened.connect(self.open_asked)
        self.heading = described(sentence_label(), name="Selected value")
        self._lay_out()
        appearance.follow(self._apply_theme)
        self.show_message("")
        self.show_progress(None)

    def _lay_out(self) -> None:
        column = self.column()
        fill(column, _row("Vary", self.parameter), _row("Values", self.values))
        fill(column, _row("Trials", self.trials, self.start, self.stop), self.bar, self.refusal, self.words)
        fill(column, (self.plots, 3), self.heading, (self.list, 1), _row("", self.copy, self.toml))
        for line in (self.values, self.trials):
            line.returnPressed.connect(self.start_asked)

    def _apply_theme(self, theme: Theme) -> None:
        self.bar.setFixedHeight(theme.pixels(6))
        self.list.setMinimumHeight(theme.pixels(_LEAST_LIST))

    # -- display ----------------------------------------------------------------------------------------------------

    def offer(self, parameters: tuple[Parameter, ...], chosen: str) -> None:
        """Offer these parameters, with one of them selected."""
        lines = [(label_of(each, ALGORITHM), each.name, each.help) for each in parameters]
        now = [(self.parameter.itemText(at), self.parameter.itemData(at)) for at in range(self.parameter.count())]
        if now != [line[:2] for line in lines]:
            self.parameter.fill(lines)
        self.parameter.choose(chosen)

    def show_series(self, series: SensitivitySeries | None, nothing: str, words: str) -> None:
        """Draw the curves, or show why there are none."""
        if series is None or nothing:
            self.plots.show_nothing((nothing,))
            self.show_trials("", [])
        else:
            self.plots.show_series(series)
        self.words.setText(words)
        self.words.setVisible(bool(words))
        for button in (self.copy, self.toml):
            button.setEnabled(series is not None and not nothing)

    def show_trials(self, heading: str, lines: list[tuple[int, str]]) -> None:
        """List the trials of one value."""
        self.heading.setText(heading)
        self.heading.setVisible(bool(heading))
        self.list.list(lines)

    def show_progress(self, progress: tuple[int, int] | None) -> None:
        """Show how many trials of how many are done; None if none are running."""
        self.bar.setVisible(progress is not None)
        self.start.setVisible(progress is None)
        self.stop.setVisible(progress is not None)
        if progress is not None:
            self.bar.setRange(0, progress[1])
            self.bar.setValue(progress[0])

    def show_message(self, sentence: str) -> None:
        """Show why a request was refused, or nothing."""
        self.refusal.setText(sentence)
        self.refusal.setVisible(bool(sentence))

    def _on_parameter_chosen(self) -> None:
        self.parameter_chosen.emit(str(self.parameter.currentData()))


def _line(name: str, tip: str) -> QLineEdit:
    line = described(FieldLine(), name=name)
    line.setMinimumWidth(1)
    explain(line, tip)
    return line


def _row(words: str, first: QWidget, *rest: QWidget) -> QHBoxLayout:
    row = hbox(spacing=6)
    if words:
        label = QLabel(words)
        label.setBuddy(first)
        fill(row, label, (first, 1))
    else:
        row.addWidget(first)
    fill(row, *rest)
    if not words:
        row.addStretch(1)
    return row
