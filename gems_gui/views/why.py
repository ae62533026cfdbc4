"""The view that explains why the step at the cursor happened."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gems_engine.explanation import explain
from gems_engine.explanation.step import Memory
from gems_engine.trace import Trace
from gems_gui.snapshot import Snapshot
from gems_gui.views.text_view import TextView


class Why(TextView):
    """The step at the cursor in sentences, with the paper's inequalities and their numbers."""

    name = "why"
    title = "Why"
    about = (
        "Why the step at the cursor happened: the paper's inequality or formula with the numbers of this run. The step "
        "itself comes first, then what led to it in its round. If an arm is selected, its history precedes the step."
    )

    def make(self) -> QWidget:
        self._memory: Memory = {}
        self._trace: Trace | None = None
        return super().make()

    def clear(self) -> None:
        self._trace = None
        self._memory.clear()
        super().clear()

    def paint(self, snapshot: Snapshot) -> None:
        if snapshot.trace is not self._trace:
            self._trace = snapshot.trace
            self._memory.clear()
        told = explain(
            snapshot.trace,
            snapshot.cursor,
            truth=snapshot.truth,
            target=snapshot.selection.target,
            history=snapshot.history,
            memory=self._memory,
        )
        self.put(told, told.title)
