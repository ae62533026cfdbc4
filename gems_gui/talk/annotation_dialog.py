"""The dialog for one annotation of a moment: an arrow at a point of a plot, or a bracket along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLabel, QLineEdit, QWidget

from gems_engine.errors import InputError
from gems_engine.talk.annotation import AXES, SIDES, Annotation, Arrow, Bracket
from gems_engine.terminal import with_indices
from gems_gui.views import STAGE_VIEWS
from gems_gui.widgets.boxes import STRETCH, fill, grid, hbox
from gems_gui.widgets.dialogs import SpeakingDialog, push_button, sentence_label
from gems_gui.widgets.explained import described, explain

_WIDTH = 420
_POSITION = "a number, or a placeholder such as {tau} or {RAGE.tau}"


class AnnotationDialog(SpeakingDialog):
    """The fields of an arrow or a bracket.

    Parameters
    ----------
    given
        The annotation to edit.
    views
        Names of the plots that it can be in.
    """

    chosen = Signal(object)
    """The annotation as it is in the fields."""

    def __init__(self, parent: QWidget, given: Annotation, views: Sequence[str]) -> None:
        self._bracket = isinstance(given, Bracket)
        super().__init__(parent, "Bracket" if self._bracket else "Arrow")
        self.view = QComboBox()
        for name in views:
            self.view.addItem(with_indices(STAGE_VIEWS.title_of(name) if name in STAGE_VIEWS else name), name)
        self.view.setCurrentIndex(max(0, self.view.findData(given.view)))
        self.first, self.last, self.text = QLineEdit(), QLineEdit(), QLineEdit(given.text)
        self.orientation = QComboBox()
        self.orientation.addItems(list(AXES if self._bracket else SIDES))
        self.across = QDoubleSpinBox(self)
        self.across.setVisible(self._bracket)
        self.across.setRange(0.0, 1.0)
        self.across.setSingleStep(0.05)
        self.across.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.across.setValue(0.5)
        if isinstance(given, Bracket):
            self.first.setText(given.start)
            self.last.setText(given.end)
            self.orientation.setCurrentText(given.axis)
            self.across.setValue(given.at)
        else:
            self.first.setText(given.x)
            self.last.setText(given.y)
            self.orientation.setCurrentText(given.side)
        self.second = QCheckBox("In the plot of the second run")
        self.second.setChecked(given.second)
        explain(self.second, "Draw it in the plot of the second run, with the numbers of that run.")
        self._lay_out()

    def _lay_out(self) -> None:
        two = ("From", "To") if self._bracket else ("x", "y")
        rows: list[tuple[str, QWidget, str]] = [
            ("View", self.view, "Choose the view that it is drawn in."),
            (two[0], self.first, f"Enter a position in units of the axis: {_POSITION}."),
            (two[1], self.last, f"Enter a position in units of the axis: {_POSITION}."),
            (
                "Along" if self._bracket else "Text is",
                self.orientation,
                "Choose the axis." if self._bracket else "Choose where.",
            ),
        ]
        if self._bracket:
            rows.append(("Across", self.across, "Set where it is across the plot: 0 at the axis, 1 at the other side."))
        about = (
            "{factor} is the end divided by the start." if self._bracket else "Placeholders are filled from the run."
        )
        rows.append(("Text", self.text, f"Enter the text. {about}"))
        fields = grid(None, (None, 8), (0, 0, 0, 0), stretched=1)
        for at, (words, field, tip) in enumerate(rows):
            label = described(QLabel(words), role="dim")
            label.setBuddy(field)
            described(field, name=words)
            explain(field, tip)
            fields.addWidget(label, at, 0)
            fields.addWidget(field, at, 1)
        hint = sentence_label("dim")
        hint.setText(f"A position is {_POSITION}. {about}")
        go = push_button("OK", "Use this annotation (Enter)", self.choose)
        go.setDefault(True)
        fill(
            self.column,
            fields,
            self.second,
            hint,
            self.sentence,
            fill(hbox(), STRETCH, self.cancel_button("Change nothing"), go),
        )
        self.setMinimumWidth(_WIDTH)

    def value(self) -> Annotation:
        """The annotation in the fields; raises InputError if it is not valid."""
        view, first, last = self.view.currentData() or "", self.first.text().strip(), self.last.text().strip()
        text, orientation, second = self.text.text().strip(), self.orientation.currentText(), self.second.isChecked()
        if self._bracket:
            return Bracket(view, first, last, text, orientation, round(self.across.value(), 3), second)
        return Arrow(view, first, last, text, orientation, second)

    def choose(self) -> None:
        """Use the annotation, or show what is wrong with it."""
        try:
            value = self.value()
        except InputError as error:
            self.show_message(str(error))
            return
        self.chosen.emit(value)
        self.accept()
