"""The bar that asks before a file is written over that another program has changed."""

from __future__ import annotations

from gems_gui.background.file_worker import FileDone
from gems_gui.widgets.notice import Notice

_LEAVE, _OVER = "Leave the file", "Write over it"


class ChangedFiles(Notice):
    """Files that were not written because they are not as this window knows them, until somebody decides."""

    def __init__(self) -> None:
        super().__init__(
            "Changed file",
            {_LEAVE: self._leave, _OVER: self._write},
            tips={
                _LEAVE: "Keep what the other program wrote; what is here stays unsaved, and can be saved elsewhere.",
                _OVER: "Replace what the other program wrote by what is here.",
            },
        )
        self._waiting: dict[tuple[str, str], FileDone] = {}

    def ask(self, done: FileDone) -> None:
        """Say that a file was not written, and ask what shall be."""
        self._waiting[done.task, done.path] = done
        self.say(" ".join((*(each.error for each in self._waiting.values()), "Nothing was written.")))

    def _leave(self) -> None:
        self._waiting.clear()
        self.say("")

    def _write(self) -> None:
        waiting = list(self._waiting.values())
        self._leave()
        for each in waiting:
            if each.write_over is not None:
                each.write_over()
