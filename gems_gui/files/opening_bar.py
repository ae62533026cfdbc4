"""The bar over the board while a large file is being opened: how far it is, and Cancel."""

from __future__ import annotations

from pathlib import PurePath

from gems_engine.terminal import number
from gems_gui.background.file_worker import FileWorker, Reading
from gems_gui.widgets.notice import Notice
from gems_gui.widgets.timers import repeating

_EVERY = 200  # milliseconds; a file that opens faster shows nothing


class OpeningBar(Notice):
    """Shows the progress of reading files that take a while."""

    def __init__(self, files: FileWorker) -> None:
        super().__init__("Opening a file", {"Cancel": files.cancel_reading}, {"Cancel": "Do not open the file."})
        self._files = files
        self._timer = repeating(self, self._show, _EVERY)
        files.read_started.connect(self._timer.start)

    def _show(self) -> None:
        if not self._files.busy_reading:
            self._timer.stop()
            self.show_message("")
        elif self._files.reading is not None:
            self.show_message(progress_text(self._files.reading))


def progress_text(reading: Reading) -> str:
    """How far a file is read, in one sentence."""
    name = PurePath(reading.path).name
    if reading.unit == "bytes":
        return f"Opening {name}: {reading.done / 1e6:.1f} of {reading.total / 1e6:.1f} MB."
    return f"Opening {name}: {number(reading.done)} of {number(reading.total)} events prepared."
