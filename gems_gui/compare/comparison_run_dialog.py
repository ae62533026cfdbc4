"""The dialog "Compare algorithms": chooses algorithms to run on the same instance with the same random numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLayout, QWidget

from gems_engine.algorithms import algorithms
from gems_gui.compare.comparison_runs import refusals, usual_rival
from gems_gui.widgets.boxes import STRETCH, fill, grid
from gems_gui.widgets.dialogs import SpeakingDialog, push_button, sentence_label
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import SwitchLabel
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import MOST_COMPARED

_WIDTH = 820  # pixels at normal text size: the lines about the algorithms are not broken
_MARGIN = 60  # pixels of a narrow screen that stay free


class ComparisonRunDialog(SpeakingDialog):
    """The algorithms, each with a check box and a line about it; the one that it is usually compared with is checked.

    Attributes
    ----------
    lines
        By the name of the algorithm: what it does, or why it cannot be chosen.
    """

    asked = Signal(object)
    """The names of the algorithms."""

    def __init__(self, parent: QWidget, run: RunSession, truth: bool, font_scale: float) -> None:
        super().__init__(parent, "Compare algorithms")
        self.where = described(sentence_label(), name="Instance and seed")
        self.boxes: dict[str, QCheckBox] = {}
        self.lines: dict[str, SwitchLabel] = {}
        self._run: RunSession | None = None
        self.column.addWidget(self.where)
        self._list_algorithms()
        self.column.addWidget(self.sentence)
        tip = "Run these algorithms in the background and show all runs side by side (Enter)"
        self.go = described(push_button("Run", tip, self.ask), role="primary")
        self.go.setDefault(True)
        row = fill(QHBoxLayout(), STRETCH, self.cancel_button("Run nothing"), self.go)
        fill(self.column, STRETCH, row)
        self.show_run(run, truth)
        width = min(round(_WIDTH * font_scale), self.screen().availableGeometry().width() - _MARGIN)
        self.column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # that of lines broken at every word
        self.resize(width, self.height())
        self.adjustSize()

    def _list_algorithms(self) -> None:
        rows = grid(spacing=(14, 6), margins=(0, 0, 0, 0), stretched=1)
        for at, (name, algorithm) in enumerate(algorithms().items()):
            box = self.boxes[name] = QCheckBox(algorithm.title)
            box.setAccessibleName(algorithm.title)
            explain(box, f"{algorithm.summary}\nId: {name}")
            box.toggled.connect(self._on_item_changed)
            line = self.lines[name] = SwitchLabel("dim", self)
            line.setBuddy(box)
            rows.addWidget(box, at, 0, Qt.AlignmentFlag.AlignTop)
            rows.addWidget(line, at, 1)
        self.column.addLayout(rows)

    def adjustSize(self) -> None:
        """Make it as high as its texts need at this width."""
        self.resize(self.width(), self.column.heightForWidth(self.width()))

    @property
    def chosen(self) -> list[str]:
        """The names of the checked algorithms."""
        return [name for name, box in self.boxes.items() if box.isChecked()]

    def show_run(self, run: RunSession, truth: bool) -> None:
        """Show what can be compared with a run, with the usual choice."""
        if run is self._run:
            return
        self._run = run
        self.where.setText(
            f"Choose algorithms to compare with {run.name}. They run on the same instance, with the same values of the "
            f"parameters that they share with this run. {_seed_text(run)} Each run is computed to its end in the "
            "background."
        )
        why_not = refusals(run, truth)
        usual = usual_rival(run)
        for name, algorithm in algorithms().items():
            reason = why_not.get(name, "")
            self.lines[name].show_text(reason or algorithm.summary)
            self.boxes[name].setEnabled(not reason)
            self.boxes[name].setChecked(name == usual and not reason)
            if self.boxes[name].isChecked():
                self.boxes[name].setFocus()
        self._on_item_changed()

    def _on_item_changed(self) -> None:
        many = len(self.chosen) > MOST_COMPARED
        self.show_message(f"Choose at most {MOST_COMPARED} algorithms." if many else "")
        self.go.setEnabled(bool(self.chosen) and not many)

    def ask(self) -> None:
        """Request the runs."""
        if self.go.isEnabled():
            self.asked.emit(self.chosen)


def _seed_text(run: RunSession) -> str:
    started = run.trace.started
    if started is None or not started.forced:
        return "The seed is the same: the noise of an arm comes from the same stream of random numbers."
    return f"Their seed is {started.seed}, and they are without what is forced on this branch."
