"""The fields of the export dialog: what to export, format and look."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QWidget

from gems_engine.history import UNITS
from gems_engine.terminal import with_indices
from gems_gui.exports.export_choice import ExportChoice
from gems_gui.painting.format import Format
from gems_gui.painting.formats import SUFFIXES, format_by_suffix
from gems_gui.painting.frames import PAPER, WINDOW
from gems_gui.painting.picture_size import PAPER_SIZES
from gems_gui.painting.rows import BOARD
from gems_gui.views import EVERY_VIEW
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import ElidingComboBox

ONE, SEVERAL, STORY = "one", "several", "story"
_SCALES = ("1", "2", "3", "4")


class ExportFields(QGridLayout):
    """A field in each row.

    Parameters
    ----------
    told
        Whether the run has a story, which can also be exported.
    """

    edited = Signal()

    def __init__(self, told: bool) -> None:
        super().__init__()
        self.formats = {suffix: format_by_suffix(suffix) for suffix in SUFFIXES}
        self._usual = ExportChoice().usual_sizes
        self.setHorizontalSpacing(10)
        self.setVerticalSpacing(8)
        self.setColumnStretch(1, 1)
        self.what = self._list("Show", "Choose all visible views or a single view.")
        board = ("Visible views", BOARD, "All visible views, arranged as on the board")
        self.what.fill([board, *((with_indices(kind.title), name, kind.about) for name, kind in EVERY_VIEW.items())])
        self.format = self._list("Format", "Choose the file format.")
        self.format.fill((each.title, suffix, each.about) for suffix, each in self.formats.items())
        self.style = self._list("Style", "Choose the look of the window, or figures for print.")
        paper = "No title or card, text of 7 to 9 pt, and hatches and markers in addition to colours"
        self.style.fill((("Window", WINDOW, "As on screen"), ("Paper", PAPER, paper)))
        self.paper_size = self._line(
            "Size on paper",
            f"Set width × height, as in 3.25 × 2.2 in or 8.5 × 6 cm; or {', '.join(PAPER_SIZES)}.",
        )
        self.pixels = self._line(
            "Size",
            "Set width × height in pixels before scaling, as in 1600 × 1000; for a page, those of each view.",
        )
        self.scale = self._list("Scale", "Multiply the pixels in each direction; use 2 or more for print.")
        self.scale.fill((f"{each} ×", each, f"{each} times the pixels") for each in _SCALES)
        self.theme = self._list("Theme", "Choose a light or dark background.")
        self.theme.fill((("Light", "light", "For paper and bright rooms"), ("Dark", "dark", "For dark rooms")))
        self.steps = self._list("Steps", "Choose the current step, or several for a film, pages or numbered pictures.")
        self.offer_story(told)
        self.first = self._line(
            "From", "Set the first step: a number of events, or a position as in l=2,i=1; if empty, the start."
        )
        self.first.setPlaceholderText("the start")
        self.last = self._line(
            "To", "Set the last step: a number of events, or a position as in l=5,i=1,k=3; if empty, the end."
        )
        self.last.setPlaceholderText("the end")
        self.every = self._list(
            "Every", "Choose the steps in between: every event, or the end of every round, for example."
        )
        self.every.fill((unit.capitalize(), unit, "") for unit in UNITS)
        self.fps = self._line("Frames per second", "Set how many steps a film shows per second.")
        self.captioned = QCheckBox("Caption")
        self.captioned.toggled.connect(self._edited)
        explain(self.captioned, "Add a line of text under each picture.")
        self.words = described(QLineEdit(), name="Caption text")
        self.words.setPlaceholderText("what has happened")
        self.words.textEdited.connect(self._edited)
        explain(
            self.words, "Set the text of the caption; if empty, it gives the position in the run and what has happened."
        )
        row = self.rowCount()
        self.addWidget(self.captioned, row, 0)
        self.addWidget(self.words, row, 1)

    def offer_story(self, told: bool) -> None:
        """Offer the story of the run or not; the selection is kept if possible."""
        chosen = self.steps.currentData()
        story = (("Story of the run", STORY, "The moments with their captions, as in a talk"),)
        steps = (("Current step", ONE, ""), ("A range", SEVERAL, ""))
        self.steps.fill((*steps, *(story if told else ())))
        self.steps.choose(chosen if self.steps.findData(chosen) >= 0 else ONE)

    def _add_field(self, name: str, widget: QWidget, tip: str) -> None:
        label = QLabel(name)
        label.setBuddy(widget)
        explain(widget, tip)
        row = self.rowCount()
        self.addWidget(label, row, 0)
        self.addWidget(widget, row, 1)

    def _list(self, name: str, tip: str) -> ElidingComboBox:
        box = ElidingComboBox(name)
        box.activated.connect(self._edited)
        self._add_field(name, box, tip)
        return box

    def _line(self, name: str, tip: str) -> QLineEdit:
        line = described(QLineEdit(), name=name)
        line.textEdited.connect(self._edited)
        self._add_field(name, line, tip)
        return line

    def _choose_usual_size(self) -> None:
        """Replace the usual sizes of the settings before by those of the chosen ones."""
        before, self._usual = self._usual, self.choice.usual_sizes
        for field, old, new in zip((self.pixels, self.paper_size), before, self._usual, strict=True):
            if field.text() == old:
                field.setText(new)

    def _edited(self) -> None:
        if self.sender() is self.format and self.chosen_format.all_rounds and self.steps.currentData() == ONE:
            self.steps.choose(SEVERAL)
        self._choose_usual_size()
        self.edited.emit()

    # -- settings -------------------------------------------------------------------------------------------------

    @property
    def choice(self) -> ExportChoice:
        """The settings of the fields."""
        form = self.chosen_format
        return ExportChoice(
            str(self.what.currentData()),
            form.suffix,
            self.pixels.text(),
            str(self.scale.currentData()),
            str(self.theme.currentData()),
            form.several and self.steps.currentData() == SEVERAL,
            self.first.text(),
            self.last.text(),
            str(self.every.currentData()),
            self.fps.text(),
            self.captioned.isChecked() and form.painted,
            self.words.text(),
            form.several and self.steps.currentData() == STORY,
            str(self.style.currentData()),
            self.paper_size.text(),
        )

    @property
    def chosen_format(self) -> Format:
        """The format of the file."""
        return self.formats[str(self.format.currentData() or "")]

    def choose(self, choice: ExportChoice) -> None:
        """Fill the fields."""
        self.what.choose(choice.what if choice.what in EVERY_VIEW else BOARD)
        self.format.choose(choice.suffix)
        self._usual = choice.usual_sizes
        self.style.choose(choice.style if choice.style in (WINDOW, PAPER) else WINDOW)
        self.paper_size.setText(choice.paper_size)
        self.pixels.setText(choice.size)
        self.scale.choose(choice.scale if choice.scale in _SCALES else "1")
        self.theme.choose(choice.theme)
        told = choice.story and self.steps.findData(STORY) >= 0
        self.steps.choose(STORY if told else SEVERAL if choice.several else ONE)
        self.first.setText(choice.first)
        self.last.setText(choice.last)
        self.every.choose(choice.every if choice.every in UNITS else "round")
        self.fps.setText(choice.fps)
        self.captioned.blockSignals(True)
        self.captioned.setChecked(choice.captioned)
        self.captioned.blockSignals(False)
        self.words.setText(choice.words)

    def enable(self) -> None:
        """Enable the fields that apply to the settings."""
        form, choice = self.chosen_format, self.choice
        on_screen = form.painted and not choice.on_paper
        for widget, on in (
            (self.style, form.painted and not form.size and not choice.story),
            (self.paper_size, form.painted and choice.on_paper),
            (self.pixels, on_screen),
            (self.scale, on_screen and not form.size),
            (self.theme, on_screen),
            (self.captioned, on_screen and not choice.story),
            (self.words, on_screen and choice.captioned and not choice.story),
            (self.what, not choice.story),
            (self.steps, form.several),
            (self.first, choice.several),
            (self.last, choice.several),
            (self.every, choice.several),
            (self.fps, form.film),
        ):
            widget.setEnabled(on)
