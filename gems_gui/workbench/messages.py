"""Messages to the user, and the log; independent of Qt.

One message is current: it disappears after some seconds or, if it says how long it holds, when that ends. Above it
are persistent messages (until withdrawn) and failures (until resolved, dismissed, or a run starts). All messages are
logged as well.
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
        self._unread: set[str] = set()
        self._holds: dict[str, Callable[[], bool]] = {}
        self._failure_holds: Callable[[], bool] | None = None

    @property
    def any(self) -> bool:
        """Whether there is a message to dismiss."""
        return bool(self.current or self.persistent or self.errors)

    @property
    def errors(self) -> list[str]:
        """The failures, those of files first."""
        return [*self._refused.values(), *([self.failed] if self.failed else [])]

    def show(
        self,
        sentence: str,
        holds: Callable[[], bool] | None = None,
        error: bool = False,
        transient: bool | None = None,
    ) -> None:
        """Replace the current message; an empty sentence only removes it.

        Parameters
        ----------
        holds
            Whether it is still true: otherwise it is removed.
        error
            Whether it is a failure, which must not be overlooked.
        transient
            Whether it disappears after some seconds; by default if nothing says how long it holds.
        """
        with self._publisher.changing(Field.MESSAGES):
            self.current, self._holds = [], {}
            if error:
                self.failed, self._failure_holds = sentence, holds
            elif sentence:
                self.add(sentence, holds)
            if transient is not None:
                self.transient = transient
            self.log(sentence)

    def fail(self, sentence: str, report: str = "", holds: Callable[[], bool] | None = None) -> None:
        """Show a failure, which must not be overlooked, and log it with a report for the developers."""
        with self._publisher.changing(Field.MESSAGES):
            self.current, self._holds, self.failed, self._failure_holds = [], {}, sentence, holds
            self.log(sentence, ERROR, report)

    def add(self, sentence: str, holds: Callable[[], bool] | None = None) -> None:
        """Add a line to the current message, for example for each of several files."""
        with self._publisher.changing(Field.MESSAGES):
            self.current.append(sentence)
            if holds is not None:
                self._holds[sentence] = holds
            self.transient = not self._holds

    def add_persistent(self, sentence: str) -> None:
        """Show a persistent message above the others, until it is withdrawn or dismissed."""
        with self._publisher.changing(Field.MESSAGES):
            self.persistent.append(sentence)

    def remove_persistent(self, sentence: str) -> None:
        """Withdraw a persistent message."""
        if sentence in self.persistent:
            with self._publisher.changing(Field.MESSAGES):
                self.persistent.remove(sentence)

    def refuse_file(self, path: str, sentence: str, opening: bool = False) -> None:
        """Show why a file or folder could not be read or written, until it is dismissed or resolved.

        If it could not be opened, another file or a new run resolves it too; what was not written could be lost.
        """
        with self._publisher.changing(Field.MESSAGES):
            self._refused[path] = sentence
            (self._unread.add if opening else self._unread.discard)(path)

    def forget_unread_files(self) -> None:
        """Withdraw the failures of files that could not be opened, because the user goes on with something else."""
        with self._publisher.changing(Field.MESSAGES):
            self._refused = {path: why for path, why in self._refused.items() if path not in self._unread}
            self._unread.clear()

    def accept_file(self, path: str) -> None:
        """Withdraw the failure of a file or folder."""
        if path in self._refused:
            with self._publisher.changing(Field.MESSAGES):
                del self._refused[path]

    def answer(self) -> None:
        """Remove the current message and the last failure because something new begins; keep persistent messages."""
        with self._publisher.changing(Field.MESSAGES):
            self.current, self._holds, self.failed, self._failure_holds = [], {}, "", None

    def dismiss(self) -> None:
        """Remove all messages, persistent ones too."""
        with self._publisher.changing(Field.MESSAGES):
            self.persistent.clear()
            self._refused.clear()
            self.answer()

    def recheck(self, *_: object) -> None:
        """Remove messages that are no longer true."""
        over = [sentence for sentence, holds in self._holds.items() if not holds()]
        failed = self._failure_holds is None or self._failure_holds()
        if not over and failed:
            return
        with self._publisher.changing(Field.MESSAGES):
            self.current = [sentence for sentence in self.current if sentence not in over]
            self._holds = {sentence: holds for sentence, holds in self._holds.items() if sentence not in over}
            self.transient = not self._holds
            if not failed:
                self.failed, self._failure_holds = "", None

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
