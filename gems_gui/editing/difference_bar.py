"""What the strip shows when the form and the shown run differ."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gems_gui.actions.interface import Bench
from gems_gui.actions.run_actions import form_differs, put_into_form, run
from gems_gui.editing.auto_run import AutoRun
from gems_gui.widgets.boxes import fill, hbox
from gems_gui.widgets.explained import explain
from gems_gui.widgets.focus import release_focus
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Page

_RUN = "Run the form"
_TIPS = {
    _RUN: "Run with the settings in the form; the current run stays in the list.",
    "Revert form": "Fill the form with the settings of the current run.",
}


class DifferenceBar(QWidget):
    """Follows the draft and the shown run; hidden while auto-run is on, because the next run is being computed.

    Signals
    -------
    toggled
        It was shown or hidden.
    """

    toggled = Signal()

    def __init__(self, bench: Bench, auto: AutoRun) -> None:
        super().__init__()
        self.setAccessibleName("The form differs from the run")
        workbench = self._workbench = bench.workbench
        self._auto = auto
        self.sentence = QLabel("The form differs.")
        explain(self.sentence, "The settings in the form are not those of the current run.")
        self.buttons = {text: QPushButton(text) for text in _TIPS}
        for text, button in self.buttons.items():
            explain(button, _TIPS[text])
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the run
        self.buttons[_RUN].clicked.connect(partial(run, bench))
        self.buttons["Revert form"].clicked.connect(self._revert)
        fill(hbox(self, 6), self.sentence, *self.buttons.values())
        self.hide()
        workbench.subscribe(self._look, Field.DRAFT, Field.ACTIVE, Field.PAGE)
        auto.toggled.connect(self._look)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.toggled.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        release_focus(self)
        super().hideEvent(event)
        self.toggled.emit()

    def _look(self, *_: object) -> None:
        elsewhere = self._auto.on or self._workbench.page is Page.EXPERIMENTS
        self.setVisible(not elsewhere and form_differs(self._workbench))

    def _revert(self) -> None:
        if self._workbench.active is not None:
            put_into_form(self._workbench, self._workbench.active)
