"""The fields of one moment: its caption, views, marks, second run, axes, annotations and notes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QAction, QFocusEvent
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)

from gems_engine.errors import InputError
from gems_engine.talk.story import MOST_VIEWS, StoryMoment
from gems_engine.talk.vocabulary import VOCABULARY
from gems_engine.terminal import with_indices
from gems_gui.talk.annotation_list import AnnotationList
from gems_gui.theme import restyle
from gems_gui.views import DESIGN_VIEWS, STAGE_VIEWS
from gems_gui.widgets.boxes import STRETCH, fill, grid, hbox
from gems_gui.widgets.dialogs import sentence_label
from gems_gui.widgets.explained import described, explain

_EXAMPLES = {"arm": "0", "target": "0", "dimension": "d_k", "feature": "1", "parameter": "zeta"}


class TextField(QPlainTextEdit):
    """A text field of several lines; Tab moves to the next field."""

    left = Signal()

    def __init__(self, name: str, lines: int) -> None:
        super().__init__()
        self._lines = lines
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)  # the window opens files
        self._size()

    def _size(self) -> None:
        room = 2 * round(self.document().documentMargin()) + 10
        self.setFixedHeight(self._lines * self.fontMetrics().lineSpacing() + room)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._size()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


class MomentEditor(QWidget):
    """Edits one moment, and emits every change."""

    changed = Signal(object, str, str)
    """The moment, the text for undo, and the key under which successive changes are merged."""
    picked_asked = Signal()
    """Mark what is selected in the views."""
    second_asked = Signal()
    """Show what is shown now as the second run of the moment."""
    sealed = Signal()
    """The next change is a new undo step."""

    def __init__(self) -> None:
        super().__init__()
        self.moment: StoryMoment | None = None
        self._showing = False
        self.caption = TextField("Caption of the moment", 3)
        explain(self.caption, "Edit the text under the views; placeholders such as {samples} are filled from the run.")
        self.preview = described(sentence_label("dim"), name="Preview of the caption")
        self.insert = self._button(
            "Number…", "Insert a number of the run into the caption; it is filled in when the story is shown."
        )
        self.insert.setMenu(self._vocabulary())
        self.views = self._button(
            "Views…", "Choose the views of the moment; they are shown in the order in which you choose them."
        )
        self.views.setMenu(self._view_menu())
        self.picked = QPushButton("Mark selected arm")
        explain(self.picked, "Mark the arm that is selected in the views; if none is selected, remove the mark.")
        self.dimension = described(QSpinBox(), name="Marked dimension")
        self.dimension.setSpecialValueText("none")
        self.dimension.setPrefix("d = ")
        explain(self.dimension, "Choose the dimension to mark in the views of dimensions, or none.")
        self.seconds = described(QDoubleSpinBox(), name="Duration in seconds")
        self.seconds.setRange(0.0, 600.0)
        self.seconds.setDecimals(1)
        self.seconds.setSpecialValueText("automatic")
        self.seconds.setSuffix(" s")
        for box in (self.dimension, self.seconds):
            box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        explain(
            self.seconds,
            "Set how long the moment is shown when the story plays automatically.",
        )
        self.second = self._button("One run…", "Show another run, or another position, next to this one.")
        self.second.setMenu(self._second_menu())
        self.lock = described(QLineEdit(), name="Group of moments with the same axes")
        self.lock.setMaxLength(40)
        self.lock.setPlaceholderText("own axes")
        explain(self.lock, "Enter a name: a view has the same axes in all moments with this name.")
        self.annotations = AnnotationList()
        self.notes = TextField("Speaker's notes", 3)
        self.notes.setPlaceholderText("Speaker's notes")
        explain(self.notes, "Edit the speaker's notes; press N in a talk to show them.")
        self._lay_out()
        self.caption.textChanged.connect(self._on_caption_edited)
        self.notes.textChanged.connect(self._on_notes_edited)
        self.caption.left.connect(self.sealed)
        self.notes.left.connect(self.sealed)
        self.picked.clicked.connect(self.picked_asked)
        self.lock.textEdited.connect(self._on_lock_edited)
        self.lock.editingFinished.connect(self.sealed)
        self.annotations.changed.connect(self._on_annotations_changed)
        self.dimension.valueChanged.connect(self._on_dimension_chosen)
        self.seconds.valueChanged.connect(self._on_seconds_chosen)

    def _button(self, words: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(words)
        button.setAccessibleName(words.rstrip("…"))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setProperty("role", "tool")
        explain(button, tip)
        return button

    def _lay_out(self) -> None:
        rows = grid(self, (None, 5), (0, 0, 0, 0), stretched=1)
        rows.addWidget(self.caption, 0, 0, 1, 2)
        rows.addWidget(self.preview, 1, 0, 1, 2)
        row = fill(hbox(spacing=4), self.insert, self.views, self.picked, STRETCH)
        rows.addLayout(row, 2, 0, 1, 2)
        fields = (("marks", self.dimension), ("shows", self.second), ("axes", self.lock), ("stays", self.seconds))
        for at, (words, field) in enumerate(fields, start=3):
            label = described(QLabel(words), role="dim")
            label.setBuddy(field)
            rows.addWidget(label, at, 0)
            rows.addWidget(field, at, 1)
        rows.addWidget(self.annotations, 7, 0, 1, 2)
        rows.addWidget(self.notes, 8, 0, 1, 2)
        rows.setRowStretch(9, 1)

    # -- menus --------------------------------------------------------------------------------------------------

    def _vocabulary(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        truth = QMenu("About the truth", menu)
        for word in VOCABULARY.values():
            index = f"[{_EXAMPLES[word.of]}]" if word.of else ""
            action = QAction(f"{{{word.name}{index}}}  {word.about}", menu)
            action.setData(f"{{{word.name}{index}}}")
            action.setToolTip(word.about)
            action.setStatusTip(f"Insert into the caption: {word.about}.")
            (truth if word.truth else menu).addAction(action)
        menu.addMenu(truth)
        menu.triggered.connect(self._insert)  # also emitted for the submenu
        return menu

    def _insert(self, action: QAction) -> None:
        self.caption.insertPlainText(action.data())
        self.caption.setFocus()

    def _second_menu(self) -> QMenu:
        menu = QMenu(self)
        self._second_here = QAction("Show what is shown now as the second run", menu)
        self._second_here.setStatusTip("Show the run and the position of the window next to this moment's own.")
        self._second_here.triggered.connect(self.second_asked)
        self._second_none = QAction("Show one run", menu)
        self._second_none.setStatusTip("Show only the run of this moment.")
        self._second_none.triggered.connect(self._remove_second)
        menu.addActions([self._second_here, self._second_none])
        return menu

    def _remove_second(self) -> None:
        self._emit_edit("removal of the second run", "", second=None)

    def _view_menu(self) -> QMenu:
        menu = QMenu(self)
        self._choices: dict[str, QAction] = {}
        design = QMenu("Design debugger", menu)
        for name in STAGE_VIEWS:
            title = with_indices(STAGE_VIEWS.title_of(name))
            action = QAction(title, menu)
            action.setCheckable(True)
            action.setData(name)
            action.setStatusTip(f'Show or hide the view "{title}" in this moment.')
            (design if name in DESIGN_VIEWS else menu).addAction(action)
            self._choices[name] = action
        menu.addMenu(design)
        menu.triggered.connect(self._on_view_chosen)  # also emitted for the submenu
        return menu

    def _on_view_chosen(self, action: QAction) -> None:
        if self.moment is None:
            return
        name = action.data()
        views = tuple(view for view in self.moment.views if view != name)
        if action.isChecked():
            views = (*views, name)[-MOST_VIEWS:]
        self._emit_edit("choice of views", "", views=views)

    # -- editing ------------------------------------------------------------------------------------------------

    def show_moment(self, moment: StoryMoment | None, features: int, second: str = "") -> None:
        """Edit this moment, with the text of its second run."""
        self._showing = True
        self.moment = moment
        self.setEnabled(moment is not None)
        caption, notes = ("", "") if moment is None else (moment.caption, moment.notes)
        if self.caption.toPlainText() != caption:
            self.caption.setPlainText(caption)
        if self.notes.toPlainText() != notes:
            self.notes.setPlainText(notes)
        self.dimension.setRange(0, max(features, 0 if moment is None else moment.dimension or 0))
        self.dimension.setValue(0 if moment is None else moment.dimension or 0)
        self.seconds.setValue(0.0 if moment is None else moment.seconds or 0.0)
        for name, action in self._choices.items():
            action.setChecked(moment is not None and name in moment.views)
        lock = "" if moment is None else moment.lock
        if self.lock.text().strip() != lock:
            self.lock.setText(lock)
        self.annotations.show_moment(moment)
        self.second.setText(f"Also {second}…" if second else "One run…")
        self._second_none.setEnabled(bool(second))
        count = 0 if moment is None else len(moment.views)
        self.views.setText(f"Views ({count})…")
        self._showing = False

    def show_preview(self, words: str, right: bool) -> None:
        """Show the caption with its numbers, or what is wrong with it."""
        role = "dim" if right else "error"
        if self.preview.property("role") != role:
            self.preview.setProperty("role", role)
            restyle(self.preview)
        self.preview.setText(words)

    def _on_caption_edited(self) -> None:
        text = " ".join(self.caption.toPlainText().split("\n"))
        self._emit_edit("change of the caption", "caption", caption=text)

    def _on_notes_edited(self) -> None:
        self._emit_edit("change of the notes", "notes", notes=self.notes.toPlainText())

    def _on_dimension_chosen(self, d: int) -> None:
        self._emit_edit("choice of the marked dimension", "dimension", dimension=d or None)

    def _on_seconds_chosen(self, seconds: float) -> None:
        self._emit_edit("change of the duration", "seconds", seconds=seconds or None)

    def _on_lock_edited(self, text: str) -> None:
        self._emit_edit("choice of the axes", "lock", lock=text.strip())

    def _on_annotations_changed(self, annotations: object, what: str) -> None:
        self._emit_edit(what, "", annotations=annotations)

    def _emit_edit(self, what: str, merge: str, **values: object) -> None:
        if self._showing or self.moment is None:
            return
        try:
            moment = replace(self.moment, **values)  # type: ignore[arg-type]
        except InputError as error:
            self.show_preview(str(error), False)
            return
        if moment != self.moment:
            self.moment = moment
            self.changed.emit(moment, what, merge)
