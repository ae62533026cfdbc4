"""The speaker's side of a talk: the screens, the notes, pictures of this moment and the next, and the list of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QPixmap
from PySide6.QtWidgets import QWidget

from gems_engine.trace import Trace
from gems_gui.menus.key_sheet import KeySheet
from gems_gui.painting.frames import Frame, Look
from gems_gui.services import Services
from gems_gui.snapshot import NOTHING
from gems_gui.talk.screens import Screens
from gems_gui.talk.speaker_window import SpeakerText, SpeakerWindow
from gems_gui.talk.stage import Stage
from gems_gui.talk.stage_actions import STAGE_ACTIONS
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.widgets.timers import single_shot
from gems_gui.widgets.window_area import WindowArea

_REST = 150  # milliseconds without a change of the stage after which its small picture is renewed
_NEXT_SIZE = (960, 540)


class PicturePainter(Protocol):
    """Paints pictures in another process."""

    @property
    def painted(self) -> SignalInstance:
        """A picture has arrived: its ticket, and its data as a PNG or empty."""

    def paint(self, traces: Sequence[Trace], frame: Frame, look: Look) -> int:
        """Ask for a picture; returns the ticket of the answer."""


class SpeakerSide(QObject):
    """Shows the speaker what the audience does not need.

    On a second screen, it is a window with notes, the next moment and the time. With a single screen, the notes have a
    strip next to the picture, if they are asked for. Screens may be plugged in and removed during a talk.

    Attributes
    ----------
    wanted
        Whether the notes are shown; by default, if there is a second screen.
    window
        The window on the second screen, if there is one.
    """

    placed = Signal()
    """The notes are at another place, or hidden."""

    def __init__(self, services: Services, area: WindowArea) -> None:
        super().__init__(services.host)
        self._appearance, self._actions = services.appearance, services.actions
        self.screens = Screens(area, self)
        self.wanted = False
        self.window: SpeakerWindow | None = None
        self._stage: Stage | None = None
        self._text: SpeakerText | None = None
        self._pictures: PicturePainter | None = None
        self._ticket = 0
        self._next: tuple[object, ...] = ()
        self._grab = single_shot(self, self._show_now, _REST)
        self._keys = LazyDialog(self._make_keys)
        self.screens.changed.connect(self._on_screens_changed)

    def use(self, pictures: PicturePainter) -> None:
        """Use this painter for pictures of the next moment."""
        self._pictures = pictures
        pictures.painted.connect(self._on_painted)

    # -- windows ------------------------------------------------------------------------------------------------

    @property
    def on_second_screen(self) -> bool:
        """Whether the speaker's window is visible."""
        return self.window is not None and self.wanted

    def open(self, stage: Stage, full_screen: bool) -> None:
        """Show a stage in full screen, and the speaker's window if there is a second screen."""
        self._stage = stage
        stage.painted.connect(self._grab.start)
        self.wanted = full_screen and self.screens.speaker is not None
        if full_screen:
            self.screens.fill(stage)
        self._place()

    def _on_screens_changed(self) -> None:
        """A screen was plugged in or removed: the audience keeps the picture, the speaker the notes if possible."""
        stage = self._stage
        if stage is None or not stage.isWindow():
            return
        second = self.screens.speaker is not None
        if second != (self.window is not None):
            self.wanted = second
        self.screens.fill(stage)
        self._place()

    def _place(self) -> None:
        """Show the notes where they belong."""
        stage = self._stage
        if stage is None:
            return
        screen = self.screens.speaker if stage.isWindow() else None
        if screen is None:
            self._close_window()
        elif self.window is None:
            self.window = SpeakerWindow(self._appearance, stage)
            self.window.addActions(self._actions.in_context("stage"))
            self.window.closed.connect(self._on_window_closed)
        if self.window is not None and screen is not None:
            if self.wanted:
                self.window.open_on(screen)
            else:
                self.window.hide()
        if stage.isWindow():
            stage.activateWindow()
        stage.show_notes(self.wanted and self.window is None)
        self._fill()
        self._next = ()
        self._grab.start()
        self.placed.emit()

    def _on_window_closed(self) -> None:
        self.wanted = False
        self.placed.emit()

    def _close_window(self) -> None:
        window, self.window = self.window, None
        if window is not None:
            window.closed.disconnect(self._on_window_closed)
            window.close()
            window.deleteLater()

    def swap(self) -> None:
        """Show the talk on the next screen."""
        if self._stage is not None and self._stage.isWindow():
            self.screens.swap()
            self.screens.fill(self._stage)
            self._place()

    def switch(self) -> None:
        """Show or hide the notes."""
        self.wanted = not self.wanted
        self._place()

    def close(self) -> None:
        """End with the talk."""
        if (keys := self._keys.open) is not None:
            keys.close()
        self._close_window()
        self._stage, self._text, self._next, self._ticket = None, None, (), 0
        self._grab.stop()
        self.screens.restore()

    # -- content ------------------------------------------------------------------------------------------------

    def show_text(self, text: SpeakerText) -> None:
        """Show the texts of a moment."""
        if text != self._text:
            self._text = text
            self._fill()

    def _fill(self) -> None:
        if self._text is None or self._stage is None:
            return
        if self.window is not None:
            self.window.show_text(self._text)
        else:
            self._stage.notes.show_text(self._text)

    def show_next(self, traces: Sequence[Trace], frame: Frame | None, truth: bool) -> None:
        """Ask for a picture of the next moment, unless it is shown; None: there is none."""
        if self.window is None or not self.on_second_screen or self._pictures is None:
            return
        look = Look(_NEXT_SIZE, theme=self._appearance.theme.name, captions=True, truth=truth, projector=True)
        marked = NOTHING if frame is None else frame.selection  # compared by what it marks, not as an object
        content = None if frame is None else replace(frame, selection=NOTHING)
        wanted = (*map(id, traces), content, marked.arm, marked.target, marked.dimension, look.theme, truth)
        if wanted == self._next:
            return
        self._next = wanted
        self._ticket = 0 if frame is None else self._pictures.paint(traces, frame, look)
        self.window.next.set_pixmap(QPixmap())

    def _on_painted(self, painted: object) -> None:
        if not self._ticket or getattr(painted, "ticket", 0) != self._ticket or self.window is None:
            return
        picture = QPixmap()
        picture.loadFromData(getattr(painted, "data", b""))
        self.window.next.set_pixmap(picture)

    def _show_now(self) -> None:
        """Renew the small picture of the stage once it rests."""
        if self.window is not None and self.on_second_screen and self._stage is not None:
            self.window.now.set_pixmap(self._stage.grab())

    # -- keys ---------------------------------------------------------------------------------------------------

    def switch_keys(self) -> None:
        """Show or hide the keys of a talk, on the speaker's screen."""
        shown = self._keys.open
        if shown is not None:
            shown.close()
        elif self._stage is not None:
            on_second = self.window if self.on_second_screen else None
            self._keys.show(on_second or self._stage)

    def _make_keys(self, parent: QWidget) -> KeySheet:
        specs = [spec for spec in self._actions.specs if "stage" in spec.contexts]
        sheet = KeySheet(parent, (*STAGE_ACTIONS, *specs))
        sheet.installEventFilter(self)
        return sheet

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A key closes the list of keys, and does what it says; Esc and ? only close it."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        if (keys := self._keys.open) is not None:
            keys.close()
        if self._stage is not None and event.key() not in (Qt.Key.Key_Escape, Qt.Key.Key_Question, Qt.Key.Key_F1):
            self._stage.event(event)
        return True
