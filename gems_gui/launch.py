"""Opens the window in the Qt application, until the user, Ctrl-C or a finished screenshot closes it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSocketNotifier
from PySide6.QtWidgets import QApplication

from gems_gui.application import application
from gems_gui.error_hooks import error_hooks
from gems_gui.gc_timer import GcTimer
from gems_gui.widgets.timers import single_shot

if TYPE_CHECKING:
    from gems_gui.window import MainWindow

INTERRUPTED = 130
"""Exit code after Ctrl-C, as for every command."""


@dataclass(frozen=True)
class Screenshot:
    """A screenshot of the window, taken a number of seconds after it opened; then the program ends."""

    after: float
    size: tuple[int, int] | None = None


def show(
    files: Sequence[str] = (),
    preset: str | None = None,
    play: bool = False,
    screenshot: Screenshot | None = None,
    story: str | None = None,
) -> tuple[int, bytes]:
    """Open the window until it is closed; returns the exit code and the screenshot (empty if not requested)."""
    app = application()
    with error_hooks() as hooks:
        collector = GcTimer(app)
        from gems_gui.window import open_window  # with all its parts, so only after the application exists

        window = open_window(files=tuple(files), preset=preset, play=play, story=story, recovers=screenshot is None)
        hooks.show_in(window.workbench.messages)
        photographer = Photographer(window)
        if screenshot is not None:
            if screenshot.size is not None:
                window.resize(*screenshot.size)
            single_shot(window, photographer.take, int(screenshot.after * 1000)).start()
        with interruptions(window) as caught:
            window.show()
            code = app.exec()
        # Closing the last window also requests to quit, which would end the next event loop before it begins.
        QCoreApplication.removePostedEvents(app, QEvent.Type.Quit.value)
        collector.end()
    return INTERRUPTED if caught.interrupted else code, photographer.picture


class Photographer(QObject):
    """Takes a screenshot of a window and closes it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self.picture = b""

    def take(self) -> None:
        """Paint the window into PNG bytes, then end the program."""
        from gems_gui.painting.render import png  # imports the views, needed only for a screenshot

        self.picture = png(self._window.grab().toImage())
        self._window.close_without_asking()
        QApplication.quit()


class Interruptions(QObject):
    """Closes a window when Ctrl-C or a request to end arrives.

    The event loop of Qt runs no Python code while it is idle, so a signal would wait for the next event. Its byte in a
    socket wakes the loop up.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self.interrupted = False
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_interrupt)
        self._before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, self._noted) for number in (signal.SIGINT, signal.SIGTERM)}

    def _noted(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = True

    def _on_interrupt(self) -> None:
        self._reader.recv(64)
        if self.interrupted:
            self._window.end_at_once()
            QApplication.quit()

    def restore(self) -> None:
        """Restore the previous signal handlers."""
        self._notifier.setEnabled(False)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._before)
        self._reader.close()
        self._writer.close()


@contextmanager
def interruptions(window: MainWindow) -> Iterator[Interruptions]:
    """While inside, Ctrl-C closes the window."""
    caught = Interruptions(window)
    try:
        yield caught
    finally:
        caught.restore()
