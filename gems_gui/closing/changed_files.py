"""The bar that asks before a file is written over that another program has changed."""

from __future__ import annotations

import os

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
        self._ask_about_all()

    def settle(self, done: FileDone) -> None:
        """Ask no more about what this has answered: the file was read or written, or what was to go there is saved."""
        if settled := [key for key, each in self._waiting.items() if _answers(done, each)]:
            for key in settled:
                del self._waiting[key]
            self._ask_about_all()

    def _ask_about_all(self) -> None:
        sentences = [each.error for each in self._waiting.values()]
        self.show_message(" ".join((*sentences, "Nothing was written.")) if sentences else "")

    def _leave(self) -> None:
        self._waiting.clear()
        self._ask_about_all()

    def _write(self) -> None:
        waiting = list(self._waiting.values())
        self._leave()
        for each in waiting:
            if each.write_over is not None:
                each.write_over()


def _answers(done: FileDone, waiting: FileDone) -> bool:
    """Whether what became of a file leaves nothing to ask about another one."""
    if os.path.realpath(done.path) == os.path.realpath(waiting.path):
        return not done.error or done.task == waiting.task
    same = done.value is waiting.value or done.task == "save instance"  # a form has one instance
    return not done.error and done.task == waiting.task and same
