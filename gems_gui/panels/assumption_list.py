"""The paper's assumptions, each with a mark, a sentence, and the consequence where it does not hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gems_engine.assumptions import GAPS, LINEAR, Assumption
from gems_engine.terminal import mark, with_indices
from gems_gui.markup import plain_text
from gems_gui.truth import discreet_assumptions, is_hidden
from gems_gui.widgets.boxes import fill, grid, vbox
from gems_gui.widgets.explained import explain
from gems_gui.widgets.form_widgets import WrappingLabel

_NO_REWARDS = "Those about the best target and the gaps depend on the rewards, which are not known."
PROPOSALS = {
    LINEAR: ('Use "GEMS (misspecified)"', "Choose the algorithm that allows for rewards that are not linear."),
    GAPS: (
        "Scale rewards",
        "Divide all rewards by one number, so that the largest gap is at most 2. The noise is then in these units.",
    ),
}
"""What can be done about an assumption that does not hold: the text of its button, and what it does."""
COMPUTING = "Checking the paper's assumptions …"


class AssumptionList(QWidget):
    """Shows the results of `Instance.assumptions()`, with a button for what can be done where one does not hold."""

    proposal_chosen = Signal(str)
    """The name of the assumption whose proposal the user has chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("The paper's assumptions")
        self.status = WrappingLabel("dim", self)
        self._rows = grid(spacing=(6, 3), margins=(0, 0, 0, 0), stretched=1)
        fill(vbox(self, 4), self.status, self._rows)
        self._shown: tuple[Assumption, ...] = ()
        self._truth = True
        self._proposals: frozenset[str] = frozenset()
        self.buttons: dict[str, QPushButton] = {}
        """The buttons by the name of the assumption."""
        self.show_assumptions(None)

    def show_assumptions(
        self, found: Sequence[Assumption] | str | None, truth: bool = True, proposals: Collection[str] = ()
    ) -> None:
        """Show the assumptions, or a sentence that says why there are none; None: they are being computed.

        Parameters
        ----------
        truth
            Whether to show the results about the best target and the gaps.
        proposals
            Assumptions for which there is something to do, if they do not hold.
        """
        if truth != self._truth or frozenset(proposals) != self._proposals:
            self._fill(())
        self._truth, self._proposals = truth, frozenset(proposals)
        if found is None or isinstance(found, str):
            self._fill(())
            self.status.show_text(COMPUTING if found is None else found)
            return
        found = tuple(found) if truth else discreet_assumptions(found)
        self._fill(found)
        broken = sum(not each.holds for each in found)
        words = f"{broken} of {len(found)} {'does' if broken == 1 else 'do'} not hold." if broken else ""
        if not any(map(is_hidden, found)):
            words = f"{words} {_NO_REWARDS}".strip()
        self.status.show_text(words)

    def _fill(self, assumptions: tuple[Assumption, ...]) -> None:
        if assumptions == self._shown:
            return
        self._shown = assumptions
        self.buttons = {}
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()  # otherwise Qt shows a newly added widget as a separate window
                widget.setParent(None)
                widget.deleteLater()
        for each in assumptions:
            self._add(each)

    def _add(self, assumption: Assumption) -> None:
        hidden = not self._truth and is_hidden(assumption)
        sign = QLabel("?" if hidden else mark(assumption.holds))
        sign.setProperty("role", "dim" if hidden else "good" if assumption.holds else "error")
        sign.setAccessibleName("hidden" if hidden else "holds" if assumption.holds else "does not hold")
        statement = WrappingLabel(parent=self)
        statement.show_text(with_indices(assumption.statement))
        row = self._rows.rowCount()
        self._rows.addWidget(sign, row, 0, Qt.AlignmentFlag.AlignTop)
        self._rows.addWidget(statement, row, 1)
        for widget in (sign, statement):
            good = assumption.holds and not hidden
            widget.setToolTip(plain_text("This assumption holds." if good else with_indices(assumption.consequence)))
        if not assumption.holds:
            consequence = WrappingLabel("dim", self)
            consequence.show_text(with_indices(assumption.consequence))
            self._rows.addWidget(consequence, row + 1, 1)
            if assumption.name in self._proposals:
                self._rows.addWidget(self._button(assumption.name), row + 2, 1, Qt.AlignmentFlag.AlignLeft)

    def _button(self, name: str) -> QPushButton:
        words, tip = PROPOSALS[name]
        button = self.buttons[name] = QPushButton(words)
        button.setAutoDefault(False)
        explain(button, tip)
        button.clicked.connect(partial(self.proposal_chosen.emit, name))
        return button
