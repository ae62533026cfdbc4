"""What is said to the user, and the log of what happened; knows no Qt.

One thing is said at a time. Above it are what lasts (until it is taken back) and what could not be done (until it can
be, or has been read). What is said is in the log as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from gems_gui.workbench.changes import Field, Publisher

NOTE, ERROR = "note", "error"
LONGEST = 2_000
"""Entries that the log keeps."""


@dataclass(frozen=True)
class LogEntry:
    """One thing that happened.

    Attributes
    ----------
    kind
        ``note`` or ``error``.
    details
        A report for whoever mends the program; copied with the sentence, not shown.
    """

    sentence: str
    kind: str = NOTE
    details: str = ""
    when: datetime = field(default_factory=datetime.now)

    def __str__(self) -> str:
        return f"{self.when:%H:%M:%S}  {self.sentence}"

    @property
    def copied(self) -> str:
        """As it is copied."""
        return f"{self.when:%Y-%m-%d %H:%M:%S}  {self.sentence}" + (f"\n{self.details}\n" if self.details else "")


class Messages:
    """What is said now, and the log.

    Attributes
    ----------
    current
        What was said last, and what was added to it.
    failed
        The last thing that could not be done; it stays until another takes its place, or it is answered or dismissed.
    persistent
        What stays until it is taken back or dismissed.
    transient
        Whether what was said last may go by itself after some seconds.
    entries, logged
        The newest entries of the log, and how many there ever were.
    """

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self.current: list[str] = []
        self.failed = ""
        self.persistent: list[str] = []
        self.transient = False
        self.entries: deque[LogEntry] = deque(maxlen=LONGEST)
        self.logged = 0
        self._refused: dict[str, str] = {}
        self._holds: Callable[[], bool] | None = None

    @property
    def errors(self) -> list[str]:
        """What could not be done, files first."""
        return [*self._refused.values(), *([self.failed] if self.failed else [])]

    def show(
        self, sentence: str, holds: Callable[[], bool] | None = None, error: bool = False, transient: bool = False
    ) -> None:
        """Say something instead of what was said before; an empty sentence takes only that away.

        Parameters
        ----------
        holds
            Whether it is still so: as soon as it is not, it is said no more.
        error
            Whether it says what could not be done, and is not to be overlooked.
        transient
            Whether it may go by itself after some seconds.
        """
        with self._publisher.changing(Field.MESSAGES):
            self.current = [sentence] if sentence and not error else []
            if error:
                self.failed = sentence
            self.transient, self._holds = transient, holds
            self.log(sentence)

    def add(self, sentence: str) -> None:
        """Say this too, on a line of its own: of several files each may have something to say."""
        with self._publisher.changing(Field.MESSAGES):
            self.current.append(sentence)
            self.transient = False

    def add_persistent(self, sentence: str) -> None:
        """Say this above whatever else is said, until it is taken back or dismissed."""
        with self._publisher.changing(Field.MESSAGES):
            self.persistent.append(sentence)

    def remove_persistent(self, sentence: str) -> None:
        """Something that would last holds no more."""
        if sentence in self.persistent:
            with self._publisher.changing(Field.MESSAGES):
                self.persistent.remove(sentence)

    def refuse_file(self, path: str, sentence: str) -> None:
        """Say why a file or a folder could not be read or written, until that is read, or it can."""
        with self._publisher.changing(Field.MESSAGES):
            self._refused[path] = sentence
            self.transient = False

    def accept_file(self, path: str) -> None:
        """A file or a folder can be read or written after all."""
        if path in self._refused:
            with self._publisher.changing(Field.MESSAGES):
                del self._refused[path]

    def answer(self) -> None:
        """What was said, and the last thing that failed, are answered by what begins now; what lasts stays."""
        with self._publisher.changing(Field.MESSAGES):
            self.current, self.failed, self.transient, self._holds = [], "", False, None

    def dismiss(self) -> None:
        """Say nothing, not even what lasts."""
        with self._publisher.changing(Field.MESSAGES):
            self.persistent.clear()
            self._refused.clear()
            self.answer()

    def recheck(self) -> None:
        """Say no more what no longer holds."""
        if self._holds is not None and not self._holds():
            self.show("")

    def log(self, sentence: str, kind: str = NOTE, details: str = "") -> None:
        """Write down what happened, without saying it; an empty sentence is nothing."""
        if not sentence:
            return
        with self._publisher.changing(Field.MESSAGES):
            self.entries.append(LogEntry(sentence, kind, details))
            self.logged += 1
