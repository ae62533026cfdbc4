"""Messages to the user, and the log; independent of Qt.

One message is current. Above it are persistent messages (until withdrawn) and failures (until resolved
or dismissed). All messages are logged as well.
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
    """An entry of the log.

    Attributes
    ----------
    kind
        ``note`` or ``error``.
    details
        A report for the developers; copied with the sentence, not shown.
    """

    sentence: str
    kind: str = NOTE
    details: str = ""
    when: datetime = field(default_factory=datetime.now)

    def __str__(self) -> str:
        return f"{self.when:%H:%M:%S}  {self.sentence}"

    @property
    def copied(self) -> str:
        """The text for the clipboard."""
        return f"{self.when:%Y-%m-%d %H:%M:%S}  {self.sentence}" + (f"\n{self.details}\n" if self.details else "")


class Messages:
    """The current messages, and the log.

    Attributes
    ----------
    current
        The current message, and what was added to it.
    failed
        The last failure; it stays until it is replaced, answered or dismissed.
    persistent
        Messages that stay until they are withdrawn or dismissed.
    transient
        Whether the current message disappears after some seconds.
    entries, logged
        The newest entries of the log, and the number of all entries ever logged.
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
        """The failures, those of files first."""
        return [*self._refused.values(), *([self.failed] if self.failed else [])]

    def show(
        self, sentence: str, holds: Callable[[], bool] | None = None, error: bool = False, transient: bool = False
    ) -> None:
        """Replace the current message; an empty sentence only removes it.

        Parameters
        ----------
        holds
            Whether it is still true: otherwise it is removed.
        error
            Whether it is a failure, which must not be overlooked.
        transient
            Whether it disappears after some seconds.
        """
        with self._publisher.changing(Field.MESSAGES):
            self.current = [sentence] if sentence and not error else []
            if error:
                self.failed = sentence
            self.transient, self._holds = transient, holds
            self.log(sentence)

    def fail(self, sentence: str, report: str = "") -> None:
        """Show a failure, which must not be overlooked, and log it with a report for the developers."""
        with self._publisher.changing(Field.MESSAGES):
            self.current, self.failed, self.transient, self._holds = [], sentence, False, None
            self.log(sentence, ERROR, report)

    def add(self, sentence: str) -> None:
        """Add a line to the current message, for example for each of several files."""
        with self._publisher.changing(Field.MESSAGES):
            self.current.append(sentence)
            self.transient = False

    def add_persistent(self, sentence: str) -> None:
        """Show a persistent message above the others, until it is withdrawn or dismissed."""
        with self._publisher.changing(Field.MESSAGES):
            self.persistent.append(sentence)

    def remove_persistent(self, sentence: str) -> None:
        """Withdraw a persistent message."""
        if sentence in self.persistent:
            with self._publisher.changing(Field.MESSAGES):
                self.persistent.remove(sentence)

    def refuse_file(self, path: str, sentence: str) -> None:
        """Show why a file or folder could not be read or written, until it is dismissed or resolved."""
        with self._publisher.changing(Field.MESSAGES):
            self._refused[path] = sentence
            self.transient = False

    def accept_file(self, path: str) -> None:
        """Withdraw the failure of a file or folder."""
        if path in self._refused:
            with self._publisher.changing(Field.MESSAGES):
                del self._refused[path]

    def answer(self) -> None:
        """Remove the current message and the last failure because something new begins; keep persistent messages."""
        with self._publisher.changing(Field.MESSAGES):
            self.current, self.failed, self.transient, self._holds = [], "", False, None

    def dismiss(self) -> None:
        """Remove all messages, persistent ones too."""
        with self._publisher.changing(Field.MESSAGES):
            self.persistent.clear()
            self._refused.clear()
            self.answer()

    def recheck(self, *_: object) -> None:
        """Remove messages that are no longer true."""
        if self._holds is not None and not self._holds():
            self.show("")

    def log(self, sentence: str, kind: str = NOTE, details: str = "") -> None:
        """Add an entry to the log without a message; an empty sentence is ignored."""
        if not sentence:
            return
        with self._publisher.changing(Field.MESSAGES):
            self.entries.append(LogEntry(sentence, kind, details))
            self.logged += 1

    def entries_since(self, logged: int) -> list[LogEntry]:
        """The entries after this number of all entries ever logged, as far as they are kept."""
        new = min(self.logged - logged, len(self.entries))
        return list(self.entries)[-new:] if new else []

    def log_error(self, sentence: str, report: str) -> None:
        """Add an error and its report to the log without a message."""
        self.log(sentence, ERROR, report)
