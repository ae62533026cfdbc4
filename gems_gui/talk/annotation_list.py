"""The arrows and brackets of a moment as a list, in which they can be added, edited and removed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QPushButton, QWidget

from gems_engine.talk.annotation import MOST_ANNOTATIONS, Annotation, Arrow, Bracket
from gems_engine.talk.story import StoryMoment
from gems_gui.markup import plain_text
from gems_gui.talk.annotation_dialog import AnnotationDialog
from gems_gui.talk.moment_text import annotation_text
from gems_gui.views import STAGE_VIEWS
from gems_gui.widgets.boxes import STRETCH, fill, hbox, vbox
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.widgets.explained import explain

_LINES = 3


class AnnotationList(QWidget):
    """The annotations of a moment."""

    changed = Signal(object, str)
    """All annotations, and the text for undo."""

    def __init__(self) -> None:
        super().__init__()
        self._moment: StoryMoment | None = None
        self.list = QListWidget()
        self.list.setAccessibleName("Arrows and brackets")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        explain(self.list, "The arrows and brackets in the views of the moment; double-click one to edit it.")
        self.list.setFixedHeight(_LINES * self.fontMetrics().lineSpacing() + 10)
        self.dialog = LazyDialog(self._make_dialog)
        self.arrow = self._button("Arrow…", "Add an arrow with a text at a point of a plot.", partial(self._add, Arrow))
        self.bracket = self._button(
            "Bracket…", "Add a bracket between two positions of an axis, such as × 16.", partial(self._add, Bracket)
        )
        self.edit = self._button("Edit…", "Edit the selected arrow or bracket.", self._edit)
        self.remove = self._button("Remove", "Remove the selected arrow or bracket.", self._remove)
        buttons = fill(hbox(spacing=4), self.arrow, self.bracket, self.edit, self.remove, STRETCH)
        fill(vbox(self, 4), self.list, buttons)
        self.list.currentRowChanged.connect(self._show_buttons)
        self.list.itemDoubleClicked.connect(self._edit)

    def _button(self, words: str, tip: str, slot: object) -> QPushButton:
        button = QPushButton(words)
        explain(button, tip)
        button.clicked.connect(slot)
        return button

    # -- display ------------------------------------------------------------------------------------------------

    def show_moment(self, moment: StoryMoment | None) -> None:
        """List the annotations of a moment."""
        self._moment = moment
        words = [] if moment is None else [annotation_text(each) for each in moment.annotations]
        if words != [self.list.item(row).text() for row in range(self.list.count())]:
            row = self.list.currentRow()
            self.list.clear()
            self.list.addItems(words)
            for number, text in enumerate(words):
                self.list.item(number).setToolTip(plain_text(text))
            self.list.setCurrentRow(min(max(row, 0), len(words) - 1))
        self._show_buttons()

    def _show_buttons(self, *_: object) -> None:
        room = len(self._all) < MOST_ANNOTATIONS and bool(self._plots)
        for button, on in (
            (self.arrow, room),
            (self.bracket, room),
            (self.edit, self._chosen >= 0),
            (self.remove, self._chosen >= 0),
        ):
            button.setEnabled(on)

    @property
    def _all(self) -> tuple[Annotation, ...]:
        return () if self._moment is None else self._moment.annotations

    @property
    def _chosen(self) -> int:
        row = self.list.currentRow()
        return row if 0 <= row < len(self._all) else -1

    @property
    def _plots(self) -> list[str]:
        """The views of the moment that are plots."""
        views = () if self._moment is None else self._moment.views
        return [name for name in views if name in STAGE_VIEWS and STAGE_VIEWS[name].is_plot]

    # -- commands -----------------------------------------------------------------------------------------------

    def _make_dialog(self, given: Annotation, at: int) -> AnnotationDialog:
        dialog = AnnotationDialog(self, given, list(dict.fromkeys((*self._plots, given.view))))
        dialog.chosen.connect(partial(self._put, at))
        return dialog

    def _add(self, kind: type[Arrow] | type[Bracket], *_: object) -> None:
        view = self._plots[0]
        new: Annotation = Arrow(view, "0", "0") if kind is Arrow else Bracket(view, "0", "1")
        self.dialog.show(new, len(self._all))

    def _edit(self, *_: object) -> None:
        if self._chosen >= 0:
            self.dialog.show(self._all[self._chosen], self._chosen)

    def _remove(self, *_: object) -> None:
        if self._chosen >= 0:
            at = self._chosen
            self.changed.emit((*self._all[:at], *self._all[at + 1 :]), "removal of an annotation")

    def _put(self, at: int, annotation: Annotation) -> None:
        """Replace an annotation, or add one at the end."""
        what = "change of an annotation" if at < len(self._all) else "addition of an annotation"
        self.changed.emit((*self._all[:at], annotation, *self._all[at + 1 :]), what)
