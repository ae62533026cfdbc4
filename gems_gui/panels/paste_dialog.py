"""The dialog that shows what pasting a sheet will do, before it does: which column is what, and where rows go."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QWidget,
)

from gems_engine.errors import InputError
from gems_engine.formats.spreadsheet import SEPARATORS
from gems_gui.appearance import Appearance
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.drafts.paste_plan import APPEND, OVER, REPLACE, PastePlan, header_row
from gems_gui.drafts.pasting import SPACES, separator_of
from gems_gui.panels.sheet_preview import SheetModel, sheet_preview
from gems_gui.widgets.boxes import STRETCH, fill
from gems_gui.widgets.dialogs import SpeakingDialog, push_button, sentence_label
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import ElidingComboBox

_SIZE = (640, 460)  # pixels at the normal text size
_ONE_COLUMN = "\x1f"  # in no text of a spreadsheet
_SEPARATOR_NAMES = {**SEPARATORS, SPACES: "spaces", _ONE_COLUMN: "nothing: one column"}
_PLACES = {
    REPLACE: ("Replace all rows", "Remove the rows of the table and put those of the sheet in their place."),
    APPEND: ("Add below", "Keep all rows of the table and add those of the sheet below them."),
    OVER: ("Overwrite from the current cell", "Write over cells from the current one on, as a spreadsheet does."),
}


class PasteDialog(SpeakingDialog):
    """A sheet with what becomes of it.

    Attributes
    ----------
    plan
        What pasting does, as chosen so far.
    place, header, separator, role
        The inputs: where the rows go, whether the first row is a header, what separates cells, and what the current
        column is.
    """

    agreed = Signal(object)
    """The plan, when the user has confirmed it."""

    def __init__(
        self, parent: QWidget, appearance: Appearance, text: str, plan: PastePlan, table: InstanceTable
    ) -> None:
        super().__init__(parent, "Paste a sheet")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._text, self._table, self.plan = text, table, plan
        self._model = SheetModel(plan, appearance, self, table)
        self.preview = sheet_preview(self._model, appearance)
        self.preview.selectionModel().currentChanged.connect(self._show_role)
        self.place = ElidingComboBox("Where the rows go")
        self.place.setMinimumContentsLength(26)
        self.place.fill((*_PLACES[place][:1], place, _PLACES[place][1]) for place in plan.places)
        self.place.activated.connect(self._on_place_chosen)
        self.header = described(QCheckBox("The first row is a header"))
        explain(self.header, "Take this row for the names of the columns.")
        self.header.clicked.connect(self._on_header_clicked)
        self.separator = ElidingComboBox("Cells are separated by")
        tip = "Choose what separates the cells of the text."
        self.separator.fill((words, key, tip) for key, words in _SEPARATOR_NAMES.items())
        self.separator.setMinimumContentsLength(10)
        self.separator.choose(separator_of(text))
        self.separator.activated.connect(self._on_separator_chosen)
        self._column_label = QLabel()
        self._column_label.setTextFormat(Qt.TextFormat.PlainText)
        self.role = ElidingComboBox("What the current column is")
        self.role.fill((role, role, "Choose what this column of the sheet is.") for role in plan.choices)
        self.role.activated.connect(self._on_role_chosen)
        self.words = described(sentence_label(), name="What pasting does")
        self.go = described(
            push_button("Paste", "Paste as described, in one step of undo (Enter)", self.agree), role="primary"
        )
        self.go.setDefault(True)
        self._lay_out()
        scale = appearance.theme.font_scale
        self.resize(round(_SIZE[0] * scale), round(_SIZE[1] * scale))
        self._show_plan()
        self.preview.setCurrentIndex(self._model.index(0, 0))
        self.go.setFocus()

    def _lay_out(self) -> None:
        where = fill(QHBoxLayout(), self.place, STRETCH, QLabel("Cells are separated by"), self.separator)
        column = fill(QHBoxLayout(), self._column_label, self.role, STRETCH)
        buttons = fill(QHBoxLayout(), STRETCH, self.cancel_button("Paste nothing"), self.go)
        fill(self.column, where, self.header, column, (self.preview, 1), self.words, self.sentence, buttons)

    def adjustSize(self) -> None:
        """Keep the size: the preview makes room for a message."""

    # -- showing ------------------------------------------------------------------------------------------------

    def _show_plan(self) -> None:
        self._model.show_plan(self.plan)
        self.preview.resizeColumnsToContents()
        self.place.choose(self.plan.where)
        self.header.setChecked(self.plan.header is not None)
        top = header_row(self.plan.rows)
        self.header.setText(f"Row {top + 1} is the header" if top else "The first row is a header")
        self.header.setEnabled(len(self.plan.rows) > 1)
        self._show_role()
        self.words.setText("\n".join(self.plan.sentences(self._table)))
        try:
            self.plan.pasted(self._table)
            error = ""
        except InputError as refused:
            error = str(refused)
        self.show_message(error)
        self.go.setEnabled(not error)

    def _show_role(self) -> None:
        column = max(self.preview.currentIndex().column(), 0)
        label = self.plan.column_label(column)
        self._column_label.setText(f"{label[0].upper()}{label[1:]} is")
        self.role.choose(self.plan.roles[column])

    # -- choices ------------------------------------------------------------------------------------------------

    def _on_place_chosen(self) -> None:
        self.plan = replace(self.plan, where=self.place.currentData())
        self._show_plan()

    def _on_header_clicked(self, on: bool) -> None:
        self.plan = self.plan.with_header(header_row(self.plan.rows) if on else None)
        self._show_plan()

    def _on_separator_chosen(self) -> None:
        plan = PastePlan.of(self._text, self.plan.part, self.plan.at, separator=self.separator.currentData())
        self.plan = replace(plan, where=self.plan.where)
        self._show_plan()

    def _on_role_chosen(self) -> None:
        self.plan = self.plan.with_role(max(self.preview.currentIndex().column(), 0), self.role.currentData())
        self._show_plan()

    def agree(self) -> None:
        """Paste as chosen."""
        if self.go.isEnabled():
            self.agreed.emit(self.plan)
            self.accept()
