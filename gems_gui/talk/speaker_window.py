"""What only the speaker sees: notes, the next moment, and the time; next to the picture or on a second screen."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QPainter, QPaintEvent, QPixmap, QScreen
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

from gems_gui.appearance import Appearance
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import fill, hbox, vbox
from gems_gui.widgets.explained import described

NO_NOTES = "No notes for this moment."
LAST = "This is the last moment."
_PART = 0.8  # of the screen that the window takes
_KEYS = "→ next · ← back · ? keys · S swap screens · Esc end"
_NOW, _NEXT = "On the screen now", "Next moment"


@dataclass(frozen=True)
class SpeakerText:
    """What the speaker reads: where the talk is, the time, the notes, and the captions now and next."""

    place: str
    elapsed: str
    daytime: str
    notes: str
    now: str
    upcoming: str


class SpeakerNotes(QWidget):
    """The notes of a moment and the caption of the next one, in a strip of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("speaker")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.notes = described(plain_label(), name="Notes")
        self.upcoming = described(plain_label(), name=_NEXT)
        column = vbox(self, 8, margins=(12, 8, 12, 8))
        fill(column, heading("Notes"), (scrolled(self.notes), 1), heading(_NEXT), self.upcoming)

    def show_text(self, text: SpeakerText) -> None:
        """Show the texts of a moment."""
        self.notes.setText(text.notes)
        self.upcoming.setText(text.upcoming)


class SpeakerWindow(QWidget):
    """A window on the speaker's screen; every key in it is a key of the talk.

    Parameters
    ----------
    appearance
        The appearance of the window.
    stage
        The widget that gets the keys.
    """

    closed = Signal()
    """The speaker has closed the window; the talk goes on."""

    def __init__(self, appearance: Appearance, stage: QWidget) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setObjectName("speakerWindow")
        self.setWindowTitle("Speaker")
        self.setAccessibleName("Speaker")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)  # the stage has the keys
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._stage = stage
        self.place = described(plain_label(), name="Moment")
        self.elapsed = described(plain_label(), name="Time since the talk began")
        self.daytime = described(plain_label(), name="Time of day")
        self.now, self.next = SmallPicture(_NOW), SmallPicture(_NEXT)
        self.caption = described(plain_label(), name="Caption")
        self.upcoming = described(plain_label(), name="Next caption")
        self.notes = described(plain_label(), name="Notes")
        self.notes.setObjectName("notes")
        for each in (self.place, self.elapsed, self.daytime):
            each.setObjectName("clock")
            each.setWordWrap(False)
        top = fill(hbox(spacing=24), self.place, 1, self.elapsed, 1, self.daytime)
        seen = fill(vbox(spacing=6), heading(_NOW), (self.now, 1), self.caption)
        fill(seen, heading(_NEXT), (self.next, 1), self.upcoming)
        read = fill(vbox(spacing=6), heading("Notes"), (scrolled(self.notes), 1))
        middle = fill(hbox(spacing=24), (seen, 1), (read, 1))
        keys = described(plain_label(_KEYS), role="dim")
        fill(vbox(self, 10, margins=(16, 12, 16, 12)), top, (middle, 1), keys)
        appearance.follow(self._apply_theme)

    def _apply_theme(self, theme: Theme) -> None:
        large, clock = theme.pixels(18), theme.pixels(26)
        self.setStyleSheet(
            f"#speakerWindow {{ background: {theme.window}; }}"
            f"#notes {{ font-size: {large}px; }} #clock {{ font-size: {clock}px; font-weight: bold; }}"
        )

    def open_on(self, screen: QScreen) -> None:
        """Show the window in the middle of a screen."""
        room = screen.availableGeometry()
        size = QSize(round(room.width() * _PART), round(room.height() * _PART))
        self.setScreen(screen)
        self.resize(size)
        self.move(room.center() - self.rect().center())
        self.show()
        self.raise_()

    def show_text(self, text: SpeakerText) -> None:
        """Show the texts of a moment."""
        self.place.setText(text.place)
        self.elapsed.setText(text.elapsed)
        self.daytime.setText(text.daytime)
        self.caption.setText(text.now)
        self.notes.setText(text.notes)
        self.upcoming.setText(text.upcoming)

    def event(self, event: QEvent) -> bool:
        """Give the keys to the talk."""
        keys = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if isinstance(event, QKeyEvent) and event.type() in keys and self._stage.event(event):
            return True
        return super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


class SmallPicture(QWidget):
    """A picture as large as fits, with its proportions."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMinimumHeight(80)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.pixmap = QPixmap()

    def set_pixmap(self, pixmap: QPixmap) -> None:
        """Show a picture, or none."""
        self.pixmap = pixmap
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.pixmap.isNull():
            return
        smooth, keep = Qt.TransformationMode.SmoothTransformation, Qt.AspectRatioMode.KeepAspectRatio
        ratio = self.devicePixelRatioF()
        scaled = self.pixmap.scaled(self.size() * ratio, keep, smooth)
        scaled.setDevicePixelRatio(ratio)
        size = scaled.deviceIndependentSize()
        QPainter(self).drawPixmap(0, round((self.height() - size.height()) / 2), scaled)


def plain_label(text: str = "") -> QLabel:
    """A label of plain text in several lines."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def scrolled(label: QLabel) -> QScrollArea:
    """A label that may be longer than its room."""
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    area = QScrollArea()
    area.setWidget(label)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def heading(text: str) -> QLabel:
    """A small heading."""
    return described(QLabel(text.upper()), role="section")
