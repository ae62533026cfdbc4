"""The dialog of exports: what goes into a file, in which format, how it looks, and how far it is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QWidget,
)

from gems_engine.errors import InputError
from gems_engine.terminal import number
from gems_gui.exports.export_choice import ExportChoice, Scene, count_of, look_of, request_of, steps_of
from gems_gui.exports.export_fields import ExportFields
from gems_gui.exports.export_request import ExportRequest
from gems_gui.painting.format import ExportJob, Format
from gems_gui.painting.frames import Frame, FrameRange
from gems_gui.widgets.boxes import hbox, vbox
from gems_gui.widgets.dialogs import Dialog, push_button, sentence_label

_FORM = 380  # pixels at the normal size of text
_PREVIEW = (260, 180)  # pixels at least
_SIZE = (870, 470)  # pixels at the normal size of text
_SCREEN = 0.9  # the part of a screen that it may take
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
        self.valid = False
        self._scene = scene
        self._progress: tuple[int, int] | None = None
        self.fields = ExportFields(scene.telling is not None)
        self.fields.edited.connect(self._edited)
        self.summary = sentence_label("dim")
        self.summary.setAccessibleName("What it will be")
        self.sentence = sentence_label("error")
        self.sentence.setAccessibleName("What is wrong")
        self.preview = Preview(*_PREVIEW)
        self.bar, self.far = QProgressBar(), QLabel()
        self.cancel = push_button("Cancel", "Give the export up: nothing of it stays", self.cancel_asked)
        self.command = push_button(
            "Copy command", "Copy the gems render line that makes the same file", self.command_asked
        )
        self.copy = push_button("Copy picture", "Put the picture into the clipboard", self.copy_asked)
        self.go = push_button("Export…", "Ask for a file, and write it in the background (Enter)", self.export_asked)
        left = QWidget()
        left.setFixedWidth(round(_FORM * scene.text))
        column = vbox(left, 10)
        column.addLayout(self.fields)
        column.addWidget(self.summary)
        column.addWidget(self.sentence)
        column.addStretch(1)
        row = hbox(spacing=16)
        row.addWidget(left)
        row.addWidget(self.preview, 1)
        self.column.addLayout(row, 1)
        self.column.addLayout(self._progress_row())
        self.column.addLayout(self._button_row())
        self.choose(choice)
        screen = self.screen().availableSize() * _SCREEN
        self.resize((QSize(*_SIZE) * scene.text).boundedTo(screen))

    # -- parts ----------------------------------------------------------------------------------------------------

    def _progress_row(self) -> QHBoxLayout:
        self.bar.setAccessibleName("How far the export is")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.far.setProperty("role", "dim")
        row = hbox(spacing=10)
        row.addWidget(self.bar, 1)
        row.addWidget(self.far)
        row.addWidget(self.cancel)
        for part in (self.bar, self.far, self.cancel):  # the dialog shall not jump when it begins
            policy = part.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            part.setSizePolicy(policy)
        return row

    def _button_row(self) -> QHBoxLayout:
        self.go.setProperty("role", "primary")
        self.go.setDefault(True)
        row = QHBoxLayout()
        row.addWidget(self.command)
        row.addWidget(self.copy)
        row.addStretch(1)
        row.addWidget(self.go)
        return row

    # -- what is chosen -------------------------------------------------------------------------------------------

    def show_scene(self, scene: Scene) -> None:
        """Follow what the window shows."""
        if (scene.telling is None) != (self._scene.telling is None):
            self.fields.offer_story(scene.telling is not None)
        self._scene = scene
        self._show()

    @property
    def choice(self) -> ExportChoice:
        """What the fields say."""
        return self.fields.choice

    @property
    def chosen_format(self) -> Format:
        """The format of the file."""
        return self.fields.chosen_format

    def choose(self, choice: ExportChoice) -> None:
        """Fill the fields."""
        self.fields.choose(choice)
        self._show()

    def _edited(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        """Which fields mean something, what it will be, and what is wrong."""
        self.fields.enable()
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
        self.copy.setEnabled(self.valid and self.chosen_format.painted)
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
