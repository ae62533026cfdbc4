"""The dialog "Compare algorithms": chooses algorithms to run on the same instance with the same random numbers."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from gems_engine.algorithms import algorithms
from gems_gui.widgets.boxes import STRETCH, fill
from gems_gui.widgets.dialogs import SpeakingDialog, push_button, sentence_label
from gems_gui.widgets.explained import described, explain
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import MOST_COMPARED

_WIDTH = 460  # pixels at normal text size


class ComparisonRunDialog(SpeakingDialog):
    """The algorithms, each with a check box."""

    asked = Signal(object)
    """The names of the algorithms."""

    def __init__(self, parent: QWidget, run: RunSession, font_scale: float) -> None:
        super().__init__(parent, "Compare algorithms")
        self.where = described(sentence_label(), name="Instance and seed")
        self.boxes: dict[str, QCheckBox] = {}
        self.column.addWidget(self.where)
        for name, algorithm in algorithms().items():
            box = self.boxes[name] = QCheckBox(algorithm.title)
            box.setAccessibleName(algorithm.title)
            explain(box, f"{algorithm.summary}\nId: {name}")
            box.toggled.connect(self._on_item_changed)
            self.column.addWidget(box)
        self.column.addWidget(self.sentence)
        tip = "Run these algorithms in the background and show all runs side by side (Enter)"
        self.go = described(push_button("Run", tip, self.ask), role="primary")
        self.go.setDefault(True)
        row = fill(QHBoxLayout(), STRETCH, self.go)
        fill(self.column, STRETCH, row)
        self.setMinimumWidth(round(_WIDTH * font_scale))
        self.show_run(run)
        self._on_item_changed()

    @property
    def chosen(self) -> list[str]:
        """The names of the checked algorithms."""
        return [name for name, box in self.boxes.items() if box.isChecked()]

    def show_run(self, run: RunSession) -> None:
        """Show which instance and seed they run on."""
        self.where.setText(
            f"Choose algorithms to compare with {run.name}. They run on the same instance with the same seed. In all "
            "runs the noise of an arm comes from the same stream of random numbers. Parameters that an algorithm "
            "shares with this run have the same values. Each run is computed to its end in the background."
        )

    def _on_item_changed(self) -> None:
        many = len(self.chosen) > MOST_COMPARED
        self.show_message(f"Choose at most {MOST_COMPARED} algorithms." if many else "")
        self.go.setEnabled(bool(self.chosen) and not many)

    def ask(self) -> None:
        """Request the runs."""
        if self.go.isEnabled():
            self.asked.emit(self.chosen)
