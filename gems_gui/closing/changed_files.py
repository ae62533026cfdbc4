"""The bar that asks before a file changed by another program is overwritten."""

from __future__ import annotations

import os

from gems_gui.background.file_worker import FileDone
from gems_gui.widgets.notice import Notice

_LEAVE, _OVER = "Keep the file", "Overwrite"


class ChangedFiles(Notice):
    """Files that were not written because another program changed them, until the user decides."""

    def __init__(self) -> None:
        super().__init__(
            "Changed file",
            {_LEAVE: self._leave, _OVER: self._write},
            tips={
                _LEAVE: "Keep what the other program wrote. Your version stays unsaved; save it under another name.",
                _OVER: "Replace what the other program wrote with your version.",
            },
        )
        self._waiting: dict[tuple[str, str], FileDone] = {}

    def ask(self, done: FileDone) -> None:
        """Say that a file was not written, and ask what to do."""
        self._waiting[done.task, done.path] = done
        self._ask_about_all()

    def settle(self, done: FileDone) -> None:
        """Remove questions that this result answers: the file was read or written, or its content is saved."""
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
    """Whether the result for one file answers the question about another."""
    if os.path.realpath(done.path) == os.path.realpath(waiting.path):
        return not done.error or done.task == waiting.task
    same = done.value is waiting.value or done.task == "save instance"  # a form has one instance
    return not done.error and done.task == waiting.task and same
