"""Run beside it: a dialog to choose which algorithms run on the same instance with the same random numbers."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from gems_engine.algorithms import algorithms
from gems_gui.widgets.dialogs import SpeakingDialog, push_button, sentence_label
from gems_gui.widgets.explained import explain
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import MOST_COMPARED

_WIDTH = 460  # pixels at the normal size of text


class ComparisonRunDialog(SpeakingDialog):
    """The algorithms to tick."""

    asked = Signal(object)
    """The names of the algorithms."""

    def __init__(self, parent: QWidget, run: RunSession, font_scale: float) -> None:
        super().__init__(parent, "Run beside it")
        self.where = sentence_label()
        self.where.setAccessibleName("What they run on")
        self.boxes: dict[str, QCheckBox] = {}
        self.column.addWidget(self.where)
        for name, algorithm in algorithms().items():
            box = self.boxes[name] = QCheckBox(algorithm.title)
            box.setAccessibleName(algorithm.title)
            explain(box, f"{algorithm.summary}\nId: {name}")
            box.toggled.connect(self._on_item_changed)
            self.column.addWidget(box)
        self.column.addWidget(self.sentence)
        tip = "Compute these in the background and show them side by side (Enter)"
        self.go = push_button("Run beside it", tip, self.ask)
        self.go.setProperty("role", "primary")
        self.go.setDefault(True)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.go)
        self.column.addStretch(1)
        self.column.addLayout(row)
        self.setMinimumWidth(round(_WIDTH * font_scale))
        self.show_run(run)
        self._on_item_changed()

    @property
    def chosen(self) -> list[str]:
        """The names that are ticked."""
        return [name for name, box in self.boxes.items() if box.isChecked()]

    def show_run(self, run: RunSession) -> None:
        """Say what they would run on."""
        seed = "" if run.request is None else f" with seed {run.request.seed}"
        self.where.setText(
            f"On the instance of {run.name}{seed}: in every run the noise of an arm comes from the same stream of "
            "random numbers. Parameters that both have are those of this run. Each is computed to its end, behind the "
            "shown one."
        )

    def _on_item_changed(self) -> None:
        many = len(self.chosen) > MOST_COMPARED
        self.show_message(f"At most {MOST_COMPARED} can stand beside the shown run." if many else "")
        self.go.setEnabled(bool(self.chosen) and not many)

    def ask(self) -> None:
        """Ask for them."""
        if self.go.isEnabled():
            self.asked.emit(self.chosen)
