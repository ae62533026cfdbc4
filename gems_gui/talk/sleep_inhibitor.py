"""Keeps the screen on during a talk, if the system supports it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusPendingCallWatcher

_CONNECTION = "gems-talk"
_REASON = "A talk is being given"
_SERVICE = ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver")
_ON_WINDOWS = 0x80000000 | 0x00000002  # ES_CONTINUOUS, ES_DISPLAY_REQUIRED


class SleepInhibitor(QObject):
    """Asks the system to keep the screen on, and withdraws the request after the talk.

    On Linux and the BSDs the session is asked over D-Bus (org.freedesktop.ScreenSaver, which common desktops have);
    without an answer, nothing happens, and the screen saver may start. Windows and macOS have their own interfaces.
    Nothing here blocks, and errors are ignored.

    Attributes
    ----------
    how
        The interface in use, or empty.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.how = ""
        self._watcher: QDBusPendingCallWatcher | None = None
        self._end: Callable[[], None] | None = None

    def begin(self) -> None:
        """Keep the screen on."""
        if self.how:
            return
        if sys.platform == "win32":
            self._ask_windows()
        elif sys.platform == "darwin":
            self._ask_macos()
        else:
            self._ask_session()

    def end(self) -> None:
        """Allow the screen to turn off again."""
        end, self._end = self._end, None
        self.how = ""
        if end is not None:
            with suppress(Exception):
                end()

    # -- D-Bus --------------------------------------------------------------------------------------------------

    def _ask_session(self) -> None:
        try:
            from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher  # an optional part of Qt
        except ImportError:  # Qt was built without it
            return
        # A separate connection: closing it ends the request. The usual call needs the unsigned number of the answer,
        # which PySide cannot send.
        bus = QDBusConnection.connectToBus(QDBusConnection.BusType.SessionBus, _CONNECTION)
        if not bus.isConnected():
            return
        self.how, self._end = "D-Bus", self._leave_session
        call = QDBusMessage.createMethodCall(*_SERVICE, "Inhibit")
        call.setArguments(["GEMS Lab", _REASON])
        self._watcher = QDBusPendingCallWatcher(bus.asyncCall(call), self)
        self._watcher.finished.connect(self._on_answer)

    @Slot()
    def _on_answer(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None and watcher.isError():  # no such service, or it refuses
            self.end()

    def _leave_session(self) -> None:
        from PySide6.QtDBus import QDBusConnection  # an optional part of Qt

        self._watcher = None
        QDBusConnection.disconnectFromBus(_CONNECTION)

    # -- other systems ------------------------------------------------------------------------------------------

    def _ask_windows(self) -> None:
        kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
        kernel.SetThreadExecutionState(_ON_WINDOWS)
        self.how = "SetThreadExecutionState"
        self._end = lambda: kernel.SetThreadExecutionState(0x80000000)

    def _ask_macos(self) -> None:
        with suppress(OSError):
            helper = subprocess.Popen(["caffeinate", "-d", "-w", str(os.getpid())])
            self.how, self._end = "caffeinate", helper.terminate
