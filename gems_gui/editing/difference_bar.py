"""What the strip shows when the form and the shown run differ."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton

from gems_gui.actions.interface import Bench
from gems_gui.actions.run_actions import form_differs, put_into_form, run
from gems_gui.board.strip import Aside
from gems_gui.editing.auto_run import AutoRun
from gems_gui.widgets.boxes import fill, hbox
from gems_gui.widgets.explained import explain
from gems_gui.widgets.focus import release_focus
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Page

_RUN, _REVERT = "Run the form", "Revert form"
_TIPS = {
    _RUN: "Run with the settings in the form; the current run stays in the list.",
    _REVERT: "Fill the form with the settings of the current run.",
}
_SENTENCE = "The form differs."
_BRIEF = {_SENTENCE: "Form differs.", _RUN: "Run", _REVERT: "Revert"}


class DifferenceBar(Aside):
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
        self.sentence = QLabel(_SENTENCE)
        explain(self.sentence, "The settings in the form are not those of the current run.")
        self.buttons = {text: QPushButton(text) for text in _TIPS}
        for text, button in self.buttons.items():
            explain(button, _TIPS[text])
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the run
        self.buttons[_RUN].clicked.connect(partial(run, bench))
        self.buttons[_REVERT].clicked.connect(self._revert)
        fill(hbox(self, 6), self.sentence, *self.buttons.values())
        self.hide()
        workbench.subscribe(self._look, Field.DRAFT, Field.ACTIVE, Field.PAGE)
        auto.toggled.connect(self._look)

    def fit(self, room: int) -> None:
        """Use short texts if the usual ones do not fit."""
        parts: dict[str, QLabel | QPushButton] = {_SENTENCE: self.sentence, **self.buttons}
        wider = sum(
            part.fontMetrics().horizontalAdvance(text) - part.fontMetrics().horizontalAdvance(part.text())
            for text, part in parts.items()
        )
        brief = self.sizeHint().width() + wider > room
        for text, part in parts.items():
            part.setText(_BRIEF[text] if brief else text)

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
