"""The dialog of exports: what goes into a file, in which format, how it looks, and how far it is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QSizePolicy,
    QWidget,
)

from gems_engine.errors import InputError
from gems_engine.history import UNITS
from gems_engine.terminal import number
from gems_gui.exports.export_choice import ExportChoice, Scene, count_of, look_of, request_of, steps_of
from gems_gui.exports.export_request import ExportRequest
from gems_gui.painting.format import ExportJob, Format
from gems_gui.painting.formats import SUFFIXES, format_by_suffix
from gems_gui.painting.frames import Frame, FrameRange
from gems_gui.painting.rows import BOARD
from gems_gui.views import EVERY_VIEW
from gems_gui.widgets.boxes import hbox, vbox
from gems_gui.widgets.dialogs import Dialog, push_button, sentence_label
from gems_gui.widgets.explained import explain
from gems_gui.widgets.form_widgets import ElidingComboBox

_FORM = 380  # pixels at the normal size of text
_PREVIEW = (260, 180)  # pixels at least
_SIZE = (870, 470)  # pixels at the normal size of text
_SCREEN = 0.9  # the part of a screen that it may take
ONE, SEVERAL, STORY = "one", "several", "story"
_SCALES = ("1", "2", "3", "4")
_WAITING = "The preview is being painted …"


class ExportDialog(Dialog):
    """Fields on the left, what it will look like on the right; it stays open and blocks nothing."""

    changed = Signal()
    """Something else is chosen."""
    export_asked = Signal()
    copy_asked = Signal()
    command_asked = Signal()
    cancel_asked = Signal()

    def __init__(self, parent: QWidget, choice: ExportChoice, scene: Scene) -> None:
        super().__init__(parent, "Export")
        self.formats = {suffix: format_by_suffix(suffix) for suffix in SUFFIXES}
        self.valid = False
        self._scene = scene
        self._progress: tuple[int, int] | None = None
        self._make_fields()
        self.summary = sentence_label("dim")
        self.summary.setAccessibleName("What it will be")
        self.sentence = sentence_label("error")
        self.sentence.setAccessibleName("What is wrong")
        self.preview = Preview(*_PREVIEW)
        left = QWidget()
        left.setFixedWidth(round(_FORM * scene.text))
        column = vbox(left, 10)
        column.addLayout(self._grid)
        column.addWidget(self.summary)
        column.addWidget(self.sentence)
        column.addStretch(1)
        row = hbox(spacing=16)
        row.addWidget(left)
        row.addWidget(self.preview, 1)
        self.column.addLayout(row, 1)
        self.column.addLayout(self._make_progress())
        self.column.addLayout(self._make_buttons())
        self.choose(choice)
        screen = self.screen().availableSize() * _SCREEN
        self.resize((QSize(*_SIZE) * scene.text).boundedTo(screen))

    # -- parts ----------------------------------------------------------------------------------------------------

    def _make_fields(self) -> None:
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self.what = self._list("Show", "The views that are in sight, or one view alone.")
        board = ("Views in sight", BOARD, "All views that are in sight, arranged as on the board")
        self.what.fill([board, *((kind.title, name, kind.about) for name, kind in EVERY_VIEW.items())])
        self.format = self._list("Format", "The format of the file.")
        self.format.fill((each.title, suffix, each.about) for suffix, each in self.formats.items())
        self.pixels = self._line("Size", "Width × height in pixels, before the scale, as in 1600 × 1000.")
        self.scale = self._list("Scale", "So many times the pixels in each direction: 2 or more for print.")
        self.scale.fill((f"{each} ×", each, f"{each} times the pixels") for each in _SCALES)
        self.theme = self._list("Theme", "Dark text on a light ground, or light text on a dark one.")
        self.theme.fill((("Light", "light", "For paper and bright rooms"), ("Dark", "dark", "For dark rooms")))
        self.steps = self._list("Steps", "The step that is shown, or several for a film, pages or numbered pictures.")
        self._fill_steps()
        self.first = self._line(
            "From", "The first step: a number of events or a place as in l=2,i=1; empty: the start."
        )
        self.first.setPlaceholderText("the start")
        self.last = self._line("To", "The last step: a number of events or a place as in l=5,i=1,k=3; empty: the end.")
        self.last.setPlaceholderText("the end")
        self.every = self._list("Every", "Which steps in between: each event, or the end of each round and so on.")
        self.every.fill((unit.capitalize(), unit, "") for unit in UNITS)
        self.fps = self._line("Frames per second", "How many steps a film shows in a second.")
        self.captioned = QCheckBox("Caption")
        self.captioned.toggled.connect(self._on_edited)
        explain(self.captioned, "Words under each picture.")
        self.caption_field = QLineEdit()
        self.caption_field.setAccessibleName("Words of the caption")
        self.caption_field.setPlaceholderText("what has happened")
        self.caption_field.textEdited.connect(self._on_edited)
        explain(self.caption_field, "What the caption says; empty: where the run stands and what has happened.")
        row = self._grid.rowCount()
        self._grid.addWidget(self.captioned, row, 0)
        self._grid.addWidget(self.caption_field, row, 1)

    def _fill_steps(self) -> None:
        told = (("The story of the run", STORY, "Its moments with their captions, as in a talk"),)
        steps = (("The one that is shown", ONE, ""), ("A range", SEVERAL, ""))
        self.steps.fill((*steps, *(told if self._scene.telling is not None else ())))

    def _add(self, name: str, widget: QWidget, tip: str) -> None:
        label = QLabel(name)
        label.setBuddy(widget)
        explain(widget, tip)
        row = self._grid.rowCount()
        self._grid.addWidget(label, row, 0)
        self._grid.addWidget(widget, row, 1)

    def _list(self, name: str, tip: str) -> ElidingComboBox:
        box = ElidingComboBox(name)
        box.activated.connect(self._on_edited)
        self._add(name, box, tip)
        return box

    def _line(self, name: str, tip: str) -> QLineEdit:
        line = QLineEdit()
        line.setAccessibleName(name)
        line.textEdited.connect(self._on_edited)
        self._add(name, line, tip)
        return line

    def _make_progress(self) -> QHBoxLayout:
        self.bar = QProgressBar()
        self.bar.setAccessibleName("How far the export is")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.far = QLabel()
        self.far.setProperty("role", "dim")
        self.cancel = push_button("Cancel", "Give the export up: nothing of it stays", self.cancel_asked)
        row = hbox(spacing=10)
        row.addWidget(self.bar, 1)
        row.addWidget(self.far)
        row.addWidget(self.cancel)
        for part in (self.bar, self.far, self.cancel):  # the dialog shall not jump when it begins
            policy = part.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            part.setSizePolicy(policy)
        return row

    def _make_buttons(self) -> QHBoxLayout:
        self.command = push_button(
            "Copy command", "Copy the gems render line that makes the same file", self.command_asked
        )
        self.copy = push_button("Copy picture", "Put the picture into the clipboard", self.copy_asked)
        self.go = push_button("Export…", "Ask for a file, and write it in the background (Enter)", self.export_asked)
        self.go.setProperty("role", "primary")
        self.go.setDefault(True)
        row = QHBoxLayout()
        row.addWidget(self.command)
        row.addWidget(self.copy)
        row.addStretch(1)
        row.addWidget(self.go)
        return row

    # -- what is chosen -------------------------------------------------------------------------------------------

    @property
    def choice(self) -> ExportChoice:
        """What the fields say."""
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
            self.caption_field.text(),
            form.several and self.steps.currentData() == STORY,
        )

    @property
    def chosen_format(self) -> Format:
        """The format of the file."""
        return self.formats[str(self.format.currentData() or "")]

    def choose(self, choice: ExportChoice) -> None:
        """Fill the fields."""
        self.what.choose(choice.what if choice.what in EVERY_VIEW else BOARD)
        self.format.choose(choice.suffix)
        self.pixels.setText(choice.size)
        self.scale.choose(choice.scale if choice.scale in _SCALES else "1")
        self.theme.choose(choice.theme)
        told = choice.story and self._scene.telling is not None
        self.steps.choose(STORY if told else SEVERAL if choice.several else ONE)
        self.first.setText(choice.first)
        self.last.setText(choice.last)
        self.every.choose(choice.every if choice.every in UNITS else "round")
        self.fps.setText(choice.fps)
        self.captioned.blockSignals(True)
        self.captioned.setChecked(choice.captioned)
        self.captioned.blockSignals(False)
        self.caption_field.setText(choice.words)
        self._show()

    def show_scene(self, scene: Scene) -> None:
        """Follow what the window shows."""
        if (scene.telling is None) != (self._scene.telling is None):
            chosen = self.steps.currentData()
            self._scene = scene
            self._fill_steps()
            self.steps.choose(chosen if self.steps.findData(chosen) >= 0 else ONE)
        self._scene = scene
        self._show()

    def _on_edited(self) -> None:
        if self.sender() is self.format and self.chosen_format.film and self.steps.currentData() == ONE:
            self.steps.choose(SEVERAL)
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        """Which fields mean something, what it will be, and what is wrong."""
        form, choice = self.chosen_format, self.choice
        for widget, on in (
            (self.pixels, form.painted),
            (self.scale, form.painted),
            (self.theme, form.painted),
            (self.captioned, form.painted and not choice.story),
            (self.caption_field, form.painted and choice.captioned and not choice.story),
            (self.what, not choice.story),
            (self.steps, form.several),
            (self.first, choice.several),
            (self.last, choice.several),
            (self.every, choice.several),
            (self.fps, form.film),
        ):
            widget.setEnabled(on)
        try:
            words, wrong = self._words(), ""
        except InputError as error:
            words, wrong = "", str(error)
        self.valid = not wrong
        self.summary.setText(words)
        self.summary.setVisible(bool(words))
        self.show_message(wrong)
        busy = self._progress is not None
        self.go.setEnabled(self.valid and not busy)
        self.copy.setEnabled(self.valid and form.painted)
        self.command.setEnabled(self.valid)
        for part in (self.bar, self.far, self.cancel):
            part.setVisible(busy)

    def _words(self) -> str:
        """What will be written; an InputError where it cannot be."""
        form, choice, scene = self.chosen_format, self.choice, self._scene
        order = request_of(choice, scene, f"the export{form.suffix}")
        if not isinstance(order.what, FrameRange):
            return self._story_text(order, form)
        look, asked = look_of(choice, scene), steps_of(choice, scene)
        many = count_of(asked, scene.snapshot)
        # Which frames they are matters to no format, only how many, one or more.
        form.check(ExportJob(Path(order.file), [Frame(asked.last, asked.views)] * min(many, 2), look, order.fps))
        width, height = look.pixels
        parts = [f"{number(many)} steps" if many > 1 else f"after {number(asked.last)} events"]
        if form.film:
            parts.append(f"{number(round(many / order.fps, 1))} seconds")
        if form.painted:
            parts.append(f"{number(width)} × {number(height)} pixels")
        return " · ".join(parts)

    def _story_text(self, order: ExportRequest, form: Format) -> str:
        frames = list(order.what) if not isinstance(order.what, FrameRange) else []
        form.check(ExportJob(Path(order.file), frames, order.look, order.fps))
        telling = self._scene.telling
        parts = [f"{number(0 if telling is None else len(telling))} moments"]
        if form.film:
            seconds = sum(1 / order.fps if frame.seconds is None else frame.seconds for frame in frames)
            parts.append(f"{number(round(seconds, 1))} seconds")
        width, height = order.look.pixels
        return " · ".join((*parts, f"{number(width)} × {number(height)} pixels"))

    # -- how it goes ----------------------------------------------------------------------------------------------

    def show_message(self, sentence: str) -> None:
        """Say what is wrong."""
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    def show_progress(self, progress: tuple[int, int] | None, words: str = "") -> None:
        """How many frames are done, of how many; None where nothing is being exported."""
        self._progress = progress
        if progress is not None:
            self.bar.setRange(0, max(progress[1], 0))  # 0 of 0: it moves until more is known
            self.bar.setValue(progress[0])
            self.far.setText(words)
        self._show()


class Preview(QFrame):
    """A picture in the middle of its room, as large as fits, or words where there is none."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName("Preview")
        self.setMinimumSize(width, height)
        self._pixmap = QPixmap()
        self.label = QLabel(_WAITING)
        self.label.setProperty("role", "dim")
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        column = vbox(self, margins=(8, 8, 8, 8))
        column.addWidget(self.label)

    def room(self) -> QSize:
        """What there is for the picture, in pixels of the screen."""
        return self.label.size() * self.devicePixelRatioF()

    def show_picture(self, pixmap: QPixmap) -> None:
        """Show a picture."""
        self._pixmap = pixmap
        self._fit()

    def show_message(self, words: str) -> None:
        """Show words instead."""
        self._pixmap = QPixmap()
        self.label.setText(words)

    def _fit(self) -> None:
        if self._pixmap.isNull():
            return
        room = self.room()
        fitted = self._pixmap.scaled(
            room, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        fitted.setDevicePixelRatio(self.devicePixelRatioF())
        self.label.setPixmap(fitted)

    def resizeEvent(self, event: object) -> None:
        """Fit it again."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()
