"""The log file of a window: everything in its log, for after the window is closed or has crashed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths

from gems_engine.error_log import append
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Workbench


def log_path() -> Path:
    """The path of the log file of this user."""
    place = QStandardPaths.StandardLocation.GenericStateLocation
    return Path(QStandardPaths.writableLocation(place)) / "gems-lab" / "log" / "gems-lab.log"


class LogFile:
    """Writes each new entry of the log of a workbench to the log file, if the program has one."""

    def __init__(self, workbench: Workbench) -> None:
        self._messages = workbench.messages
        self._written = 0  # of all entries ever logged
        workbench.subscribe(self._write_new, Field.MESSAGES)

    def _write_new(self, *_: object) -> None:
        new, self._written = self._messages.entries_since(self._written), self._messages.logged
        if new:
            append("\n".join(entry.copied for entry in new))
