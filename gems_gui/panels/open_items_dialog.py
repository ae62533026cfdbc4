"""The dialog that shows what opening a CSV file will do: which column is what, and how features are treated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from gems_engine.formats.item_options import AS_IS, COMPONENTS, STANDARDISED, ItemOptions
from gems_gui.appearance import Appearance
from gems_gui.drafts.open_plan import OpenPlan, OpenTrial
from gems_gui.drafts.paste_plan import FEATURE
from gems_gui.panels.sheet_preview import SheetModel, sheet_preview
from gems_gui.widgets.boxes import STRETCH, fill
from gems_gui.widgets.dialogs import SpeakingDialog, push_button, sentence_label
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import ElidingComboBox

_SIZE = (700, 500)  # pixels at the normal text size
_MOST_MEASURED = 200  # columns
_READING = "Reading the file …"
_TREATMENTS = {
    AS_IS: ("As they are", "Take the numbers of the file."),
    STANDARDISED: ("Standardised", "Divide each column by its standard deviation; with an intercept, centre it first."),
    COMPONENTS: ("Principal components", "Rotate the columns to the directions of largest variance, in order."),
}


class OpenItemsDialog(SpeakingDialog):
    """A CSV file with what becomes of it.

    Attributes
    ----------
    plan
        What opening does, as chosen so far.
    features, intercept, scale, role, earlier, later
        The inputs: the treatment of features, whether a feature of ones comes first, whether rewards are scaled, what
        the current column is, and the buttons that change the order of features.
    """

    changed = Signal(object)
    """Other options were chosen."""
    agreed = Signal(object)
    """The options, when the user has confirmed them."""

    def __init__(self, parent: QWidget, appearance: Appearance, path: str, plan: OpenPlan) -> None:
        super().__init__(parent, f"Open {PurePath(path).name}")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.path, self.plan = path, plan
        self._model = SheetModel(plan.sheet, appearance, self)
        self.preview = sheet_preview(self._model, appearance)
        self.preview.selectionModel().currentChanged.connect(self._show_column)
        self.features = ElidingComboBox("What is made of the features")
        self.features.setMinimumContentsLength(20)
        self.features.fill((words, key, tip) for key, (words, tip) in _TREATMENTS.items())
        self.features.activated.connect(self._on_features_chosen)
        self.intercept = described(QCheckBox("Intercept"))
        explain(self.intercept, "Put a feature of ones first, so that the rewards may have a mean other than 0.")
        self.intercept.clicked.connect(self._on_intercept_clicked)
        self.scale = described(QCheckBox("Scale rewards"))
        explain(
            self.scale,
            "Divide all rewards by one number, so that the largest gap is at most 2. The noise is then in these units.",
        )
        self.scale.clicked.connect(self._on_scale_clicked)
        self._column_label = QLabel()
        self._column_label.setTextFormat(Qt.TextFormat.PlainText)
        self.role = ElidingComboBox("What the current column is")
        self.role.fill((role, role, "Choose what this column of the file is.") for role in plan.sheet.choices)
        self.role.activated.connect(self._on_role_chosen)
        self.earlier = push_button(
            "Earlier", "Move this feature one place forward in the nested classes", self._earlier
        )
        self.later = push_button("Later", "Move this feature one place back in the nested classes", self._later)
        self.words = described(sentence_label(), name="What opening does")
        self.remarks = described(sentence_label("error"), name="What does not fit the paper's assumptions")
        self.go = described(
            push_button("Open", "Open the file as described, in one step of undo (Enter)", self.agree), role="primary"
        )
        self.go.setDefault(True)
        self._lay_out()
        scale = appearance.theme.font_scale
        self.resize(round(_SIZE[0] * scale), round(_SIZE[1] * scale))
        self._show_plan()
        first = plan.sheet.roles.index(FEATURE) if FEATURE in plan.sheet.roles else 0
        self.preview.setCurrentIndex(self._model.index(0, first))
        self.go.setFocus()

    def _lay_out(self) -> None:
        treatment = fill(QHBoxLayout(), QLabel("Features"), self.features, self.intercept, STRETCH, self.scale)
        column = fill(QHBoxLayout(), self._column_label, self.role, self.earlier, self.later, STRETCH)
        buttons = fill(QHBoxLayout(), STRETCH, self.cancel_button("Open nothing"), self.go)
        fill(self.column, treatment, column, (self.preview, 1), self.words, self.remarks, self.sentence, buttons)

    def adjustSize(self) -> None:
        """Keep the size: the preview makes room for a message."""

    # -- showing ------------------------------------------------------------------------------------------------

    def _show_plan(self) -> None:
        self._model.show_plan(self.plan.sheet)
        if len(self.plan.header) <= _MOST_MEASURED:
            self.preview.resizeColumnsToContents()
        self.features.choose(self.plan.features)
        self.intercept.setChecked(self.plan.intercept)
        self.scale.setChecked(self.plan.scale_rewards)
        self._show_column()
        refusal = self.plan.refusal()
        self.show_message(refusal)
        self.words.setText("" if refusal else _READING)
        self._show_remarks(())
        self.go.setEnabled(False)

    def _show_remarks(self, remarks: tuple[str, ...]) -> None:
        self.remarks.setText("\n".join(remarks))
        self.remarks.setVisible(bool(remarks))

    def _show_column(self) -> None:
        at = max(self.preview.currentIndex().column(), 0)
        label = self.plan.sheet.column_label(at)
        self._column_label.setText(f"{label[0].upper()}{label[1:]} is")
        self.role.choose(self.plan.sheet.roles[at])
        self.earlier.setEnabled(self.plan.neighbour(at, -1) is not None)
        self.later.setEnabled(self.plan.neighbour(at, 1) is not None)

    def show_trial(self, trial: OpenTrial, truth: bool) -> None:
        """Show what the file gives with the current options.

        Parameters
        ----------
        truth
            Whether what is known about gaps and linearity may be shown.
        """
        if trial.options != self.plan.options():
            return
        refused = trial.instance is None
        self.show_message(trial.sentence if refused else "")
        self.words.setText("" if refused else f"{trial.sentence[0].upper()}{trial.sentence[1:]}")
        self._show_remarks(trial.remarks if truth else ())
        self.scale.setEnabled(self.plan.scale_rewards or trial.can_scale or refused)
        self.go.setEnabled(not refused)

    # -- choices ------------------------------------------------------------------------------------------------

    def _choose(self, plan: OpenPlan) -> None:
        self.plan = plan
        self._show_plan()
        if not plan.refusal():
            self.changed.emit(plan.options())

    def _on_features_chosen(self) -> None:
        how = self.features.currentData()
        if how != self.plan.features:
            self._choose(replace(self.plan, features=how, intercept=ItemOptions(how).has_intercept))

    def _on_intercept_clicked(self, on: bool) -> None:
        self._choose(replace(self.plan, intercept=on))

    def _on_scale_clicked(self, on: bool) -> None:
        self._choose(replace(self.plan, scale_rewards=on))

    def _on_role_chosen(self) -> None:
        self._choose(self.plan.with_role(self._current(), self.role.currentData()))

    def _earlier(self) -> None:
        self._move(-1)

    def _later(self) -> None:
        self._move(1)

    def _move(self, step: int) -> None:
        to = self.plan.neighbour(self._current(), step)
        if to is not None:
            self._choose(self.plan.moved(self._current(), to))
            self.preview.setCurrentIndex(self._model.index(0, to))

    def _current(self) -> int:
        return max(self.preview.currentIndex().column(), 0)

    def agree(self) -> None:
        """Open as chosen."""
        if self.go.isEnabled():
            self.agreed.emit(self.plan.options())
            self.accept()
