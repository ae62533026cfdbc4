"""The export dialog: what to export, format and look, preview, and progress."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from gems_engine.errors import InputError
from gems_engine.terminal import number, plural
from gems_gui.exports.export_choice import ExportChoice, Scene, count_of, look_of, request_of, steps_of
from gems_gui.exports.export_fields import ExportFields
from gems_gui.exports.export_request import ExportRequest
from gems_gui.painting.format import ExportJob, Format
from gems_gui.painting.frames import Frame, FrameRange
from gems_gui.theme import restyle
from gems_gui.widgets.boxes import STRETCH, fill, hbox, vbox
from gems_gui.widgets.dialogs import Dialog, push_button, sentence_label
from gems_gui.widgets.explained import described

_FORM = 380  # pixels at normal text size
_PREVIEW = (260, 180)  # smallest size in pixels
_SIZE = (870, 470)  # pixels at normal text size
_SCREEN = 0.9  # largest share of the screen
_MESSAGE = 3  # lines that are kept free for an error
_PER_VIEW = " for each view"
_WAITING = "Painting the preview …"


class ExportDialog(Dialog):
    """Fields on the left, a preview on the right; it is not modal and stays open."""

    changed = Signal()
    """A setting has changed."""
    export_asked = Signal()
    copy_asked = Signal()
    command_asked = Signal()
    cancel_asked = Signal()

    def __init__(self, parent: QWidget, choice: ExportChoice, scene: Scene) -> None:
        super().__init__(parent, "Export")
        self.valid = False
        self._scene = scene
        self._progress: tuple[int, int] | None = None
        self.fields = ExportFields(scene.bound_story is not None)
        self.fields.edited.connect(self._edited)
        self.summary = described(sentence_label("dim"), name="Summary")
        self._done = ""
        self.sentence = described(sentence_label("error"), name="Error or result")
        for said in (self.summary, self.sentence):
            policy = said.sizePolicy()
            policy.setRetainSizeWhenHidden(True)  # nothing moves when a message comes or goes
            said.setSizePolicy(policy)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.sentence.setMinimumHeight(_MESSAGE * self.sentence.fontMetrics().lineSpacing())
        self.preview = Preview(*_PREVIEW)
        self.bar, self.far = QProgressBar(), QLabel()
        self.cancel = push_button("Cancel", "Cancel the export; no file is written", self.cancel_asked)
        self.command = push_button(
            "Copy command", "Copy the gems render command that makes the same file", self.command_asked
        )
        self.copy = push_button("Copy picture", "Copy the picture to the clipboard", self.copy_asked)
        self.go = push_button("Export…", "Choose a file, and write it in the background (Enter)", self.export_asked)
        left = QWidget()
        left.setFixedWidth(round(_FORM * scene.text))
        fill(vbox(left, 10), self.fields, self.summary, self.sentence, STRETCH)
        row = fill(hbox(spacing=16), left, (self.preview, 1))
        fill(self.column, (row, 1), self._progress_row(), self._button_row())
        self.choose(choice)
        screen = self.screen().availableSize() * _SCREEN
        self.resize((QSize(*_SIZE) * scene.text).boundedTo(screen))

    # -- parts ----------------------------------------------------------------------------------------------------

    def _progress_row(self) -> QHBoxLayout:
        self.bar.setAccessibleName("Progress of the export")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.far.setProperty("role", "dim")
        row = fill(hbox(spacing=10), (self.bar, 1), self.far, self.cancel)
        for part in (self.bar, self.far, self.cancel):  # the dialog keeps its size when an export starts
            policy = part.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            part.setSizePolicy(policy)
        return row

    def _button_row(self) -> QHBoxLayout:
        self.go.setProperty("role", "primary")
        self.go.setDefault(True)
        return fill(QHBoxLayout(), self.command, self.copy, STRETCH, self.close_button(), self.go)

    # -- settings -------------------------------------------------------------------------------------------------

    def show_scene(self, scene: Scene) -> None:
        """Update to what the window shows."""
        if (scene.bound_story is None) != (self._scene.bound_story is None):
            self.fields.offer_story(scene.bound_story is not None)
        self._scene = scene
        self._show()

    @property
    def choice(self) -> ExportChoice:
        """The settings of the fields."""
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
        self._done = ""
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        """Enable the fields that apply, and show the summary or the error."""
        self.fields.enable()
        try:
            words, wrong = self._words(), ""
        except InputError as error:
            words, wrong = "", str(error)
        self.valid = not wrong
        self.summary.setText(words)
        self.summary.setVisible(bool(words))
        self.show_message(wrong or self._done, "error" if wrong else "text")
        busy = self._progress is not None
        self.go.setEnabled(self.valid and not busy)
        self.copy.setEnabled(self.valid and self.chosen_format.painted)
        self.command.setEnabled(self.valid)
        for part in (self.bar, self.far, self.cancel):
            part.setVisible(busy)

    def _words(self) -> str:
        """The summary of the export; raises an InputError if it is not possible."""
        form, choice, scene = self.chosen_format, self.choice, self._scene
        order = request_of(choice, scene, f"the export{form.suffix}")
        if not isinstance(order.what, FrameRange):
            return self._story_text(order, form)
        look, asked = look_of(choice, scene), steps_of(choice, scene)
        many = count_of(asked, scene.snapshot)
        # Formats check only whether there is one frame or several.
        form.check(ExportJob(Path(order.file), [Frame(asked.last, asked.views)] * min(many, 2), look, order.fps))
        width, height = look.pixels
        parts = [plural(many, "step") if many > 1 else f"after {plural(asked.last, 'event')}"]
        if form.film:
            parts.append(f"{number(round(many / order.fps, 1))} seconds")
        if look.inches is not None:
            parts.append(f"{number(look.inches[0], 3)} × {number(look.inches[1], 3)} inches")
        elif form.painted:
            parts.append(f"{number(width)} × {number(height)} pixels{_PER_VIEW if form.size else ''}")
        return " · ".join(parts)

    def _story_text(self, order: ExportRequest, form: Format) -> str:
        frames = list(order.what) if not isinstance(order.what, FrameRange) else []
        form.check(ExportJob(Path(order.file), frames, order.look, order.fps))
        bound_story = self._scene.bound_story
        parts = [plural(0 if bound_story is None else len(bound_story), "moment")]
        if form.film:
            seconds = sum(1 / order.fps if frame.seconds is None else frame.seconds for frame in frames)
            parts.append(f"{number(round(seconds, 1))} seconds")
        width, height = order.look.pixels
        each = _PER_VIEW if form.size else ""
        return " · ".join((*parts, f"{number(width)} × {number(height)} pixels{each}"))

    # -- progress -------------------------------------------------------------------------------------------------

    def show_done(self, sentence: str) -> None:
        """Show what was done, until a field is edited or something else is done: the window is behind the dialog."""
        self._done = sentence
        self._show()

    def show_message(self, sentence: str, role: str = "error") -> None:
        """Show an error, or with the role "text" what was done."""
        self.sentence.setProperty("role", role)
        restyle(self.sentence)
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    def show_progress(self, progress: tuple[int, int] | None, words: str = "") -> None:
        """Show how many frames of how many are done; None if there is no export."""
        self._progress = progress
        if progress is not None:
            self._done = ""
            self.bar.setRange(0, max(progress[1], 0))  # 0 of 0: busy
            self.bar.setValue(progress[0])
            self.far.setText(words)
        self._show()


class Preview(QFrame):
    """A centred picture, as large as fits, or a text if there is none."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName("Preview")
        self.setMinimumSize(width, height)
        self._pixmap = QPixmap()
        self.label = described(QLabel(_WAITING), role="dim")
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        column = vbox(self, margins=(8, 8, 8, 8))
        column.addWidget(self.label)

    def room(self) -> QSize:
        """The size available for the picture, in pixels of the screen."""
        return self.label.size() * self.devicePixelRatioF()

    def show_picture(self, pixmap: QPixmap) -> None:
        """Show a picture."""
        self._pixmap = pixmap
        self._fit()

    def show_message(self, words: str) -> None:
        """Show a text instead of a picture."""
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
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()
