"""The dialog "Compare runs": different settings, the first event that differs, and both values side by side."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gems_engine.diff_wording import decision_text, difference_text
from gems_gui.appearance import Appearance
from gems_gui.compare.comparing import Comparing
from gems_gui.series.run_difference import NAMES, difference_rows, first_events
from gems_gui.views.card import ElidedLabel
from gems_gui.views.difference import DifferenceModel, DifferenceTable
from gems_gui.widgets.boxes import STRETCH, fill, grid
from gems_gui.widgets.dialogs import Dialog, push_button, sentence_label
from gems_gui.widgets.explained import described
from gems_gui.widgets.form_widgets import ElidingComboBox
from gems_gui.workbench.run_session import RunSession

_SIZE = (740, 420)  # pixels at normal text size
_EQUALS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
_GO = "Close this dialog, and move the cursors of both runs there"
_MOST_TOLD = 3  # words and settings next to the name of a run; its tooltip has all
_NO_OTHER = "No other run to compare with. Run or open another one, or branch this one."


class CompareDialog(Dialog):
    """The current run and another one; a click on an event goes there in both."""

    show_asked = Signal(object)
    """Show this run."""

    def __init__(self, parent: QWidget, comparing: Comparing, appearance: Appearance) -> None:
        super().__init__(parent, "Compare runs")
        self._comparing = comparing
        self._truth = True
        self._listed: object = None  # what the list of the other runs depends on
        self.shown = ElidedLabel()
        self.other = described(ElidingComboBox("Other run"), about="Choose the run to compare the current one with.")
        self.other.activated.connect(self._on_run_chosen)
        rows = grid(spacing=(10, None), stretched=1)
        for at, (words, widget) in enumerate((("This run", self.shown), ("Other run", self.other))):
            label = QLabel(words)
            label.setBuddy(widget)
            rows.addWidget(label, at, 0)
            rows.addWidget(widget, at, 1)
        self.sentence = described(sentence_label(), name="Differences")
        self.model = DifferenceModel()
        self.table = DifferenceTable(self.model, "Click an event to go there in both runs")
        self.table.went_to.connect(self._on_row_activated)
        self.go = push_button("Go to the first difference", _GO, self.go_to_first)
        self.swap = push_button("Show the other run", "Show the other run at its own cursor", self.show_other)
        row = fill(QHBoxLayout(), self.swap, STRETCH, self.close_button(), self.go)
        self.go.setProperty("role", "primary")
        self.go.setDefault(True)
        fill(self.column, rows, self.sentence, (self.table, 1), row)
        appearance.follow(self.table.apply_theme)
        self.resize(*(appearance.theme.pixels(each) for each in _SIZE))

    def set_truth(self, shown: bool) -> None:
        """Show or hide what reveals the truth."""
        self._truth = shown
        self.show_difference()

    def show_difference(self) -> None:
        """Show the two runs and their differences, as far as they are known."""
        comparing = self._comparing
        comparison = comparing.comparison
        self.shown.setText("" if comparing.run is None else comparing.run.name)
        others = comparing.others()
        listed = comparing.run, [(run, run.name, run.trace.started is None) for run in others]
        if listed != self._listed:
            self._listed = listed
            self.other.fill(self._entry(run, str(at)) for at, run in enumerate(others))
        if comparing.other in others:
            self.other.choose(str(others.index(comparing.other)))
        self.other.setEnabled(bool(others))
        for button in (self.go, self.swap):
            button.setEnabled(comparison is not None)
        if comparison is None:
            self.sentence.setText(_NO_OTHER)
            self.model.list([])
            return
        words = difference_text(comparison, comparing.over, busy=comparing.busy, truth=self._truth, names=NAMES)
        self.sentence.setText(words.replace(" = ", _EQUALS))
        self.model.list(difference_rows(comparison, self._truth))
        self.table.wrap_rows()
        self.go.setEnabled(first_events(comparison.found) is not None)

    def _entry(self, run: RunSession, key: str) -> tuple[str, str, str]:
        """A run in the list of the others: its name, and what tells it apart."""
        parts = [run.name, *self._comparing.told_apart(run)]
        return " · ".join(parts[: 1 + _MOST_TOLD]), key, " · ".join(parts)

    # -- input --------------------------------------------------------------------------------------------------

    def _on_run_chosen(self, at: int) -> None:
        self._comparing.choose(self._comparing.others()[at])

    def _on_row_activated(self, row: int) -> None:
        events = self.model.rows[row].events
        if events is not None:
            self._comparing.go_to(*events)

    def go_to_first(self) -> None:
        """Go to where the runs first differ, in both, and close: the views show it."""
        comparison = self._comparing.comparison
        if comparison is not None and (events := first_events(comparison.found)) is not None:
            self._comparing.go_to(*events)
            decided = decision_text(comparison.found, comparison.a, comparison.b, self._truth, NAMES)
            self._comparing.say(decided or self.sentence.text())
            self.close()

    def show_other(self) -> None:
        """Show the other run; the two change roles."""
        if self._comparing.other is not None:
            self.show_asked.emit(self._comparing.other)
