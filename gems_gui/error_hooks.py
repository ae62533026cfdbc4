"""Errors that nothing catches, in any thread, and messages of Qt: all lead to the log of the window.

They are printed as well, as without these hooks. The log of the window is also written to the log file. What happens
before there is a window is logged when it opens; if it does not open, or is closed already, only in the file.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, TextIO, cast

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, Slot, qInstallMessageHandler

from gems_engine.error_log import VARIABLE, append
from gems_engine.errors import InputError
from gems_gui.log_file import log_path
from gems_gui.workbench.messages import ERROR, NOTE, LogEntry, Messages

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_SEVERE = (QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)
QtHandler = Callable[[QtMsgType, QMessageLogContext, str], None]
_WHERE = "The log has the report (View ▸ Log)."
_MOST = 1_000  # different entries that are counted


class ErrorHooks(QObject):
    """Installs the hooks until :meth:`restore`.

    An entry that repeats, such as an error in every paint event, is logged the 1st, 10th, 100th… time.
    """

    _news = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._messages: Messages | None = None
        self._over = False
        self._entries: deque[tuple[LogEntry, bool]] = deque()  # and whether it is also a message
        self._times: Counter[tuple[str, str]] = Counter()
        self._inside = threading.local()
        self._news.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._variable = os.environ.get(VARIABLE)
        os.environ[VARIABLE] = str(log_path())  # worker processes inherit it
        self._before = sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning
        sys.excepthook, threading.excepthook = self._on_error, self._on_thread_error
        sys.unraisablehook, warnings.showwarning = self._on_unraisable, self._on_warning
        self._qt_before = cast("QtHandler | None", qInstallMessageHandler(self._on_qt_message))

    def show_in(self, messages: Messages) -> None:
        """Show what has happened, and what happens from now on, in the log of a window."""
        self._messages = messages
        self._news.emit()

    def restore(self) -> None:
        """Restore the previous hooks; what is still waiting goes to the log file."""
        sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning = self._before
        qInstallMessageHandler(self._qt_before)
        self._messages, self._over = None, True
        self._deliver()
        os.environ.pop(VARIABLE, None)
        if self._variable is not None:
            os.environ[VARIABLE] = self._variable

    # -- in any thread ------------------------------------------------------------------------------------------

    def _on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            self.log(error)
        self._before[0](kind, error, trace)

    def _on_thread_error(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            name = "a thread" if args.thread is None else f"the thread {args.thread.name}"
            self.log(args.exc_value, f"An unexpected error occurred in {name}")
        self._before[1](args)

    def _on_unraisable(self, args: UnraisableHookArgs) -> None:
        if args.exc_value is not None:
            self.log(args.exc_value, "An unexpected error was ignored")
        self._before[2](args)

    def _on_warning(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        self._take(LogEntry(f"{category.__name__}: {message}", NOTE, f"{filename}:{lineno}"))
        self._before[3](message, category, filename, lineno, file, line)

    def _on_qt_message(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        category = context.category if context.category != "default" else ""
        entry = LogEntry(f"Qt: {message}", ERROR if kind in _SEVERE else NOTE, category or "")
        self._take(entry, at_once=kind == QtMsgType.QtFatalMsg)
        if self._qt_before is not None:
            self._qt_before(kind, context, message)
        elif sys.stderr is not None:
            print(message, file=sys.stderr)

    def log(self, error: BaseException, sentence: str = "An unexpected error occurred") -> None:
        """Log an error with a report."""
        from gems_gui.background.worker import unexpected  # needed only now

        outcome = unexpected(error, sentence, sentence)
        self._take(LogEntry(f"{outcome.sentence.rstrip('.')}. {_WHERE}", ERROR, outcome.report), message=True)

    def _take(self, entry: LogEntry, message: bool = False, at_once: bool = False) -> None:
        """Log an entry, unless it is about logging itself: in the window, or in the file if that cannot wait."""
        if getattr(self._inside, "taking", False):
            return
        self._inside.taking = True
        try:
            times = self._count(entry)
            if str(times).strip("0") != "1":
                return
            counted = entry if times == 1 else replace(entry, sentence=f"{entry.sentence} ({times} times)")
            if at_once or self._over:
                append(counted.copied)
            else:
                self._entries.append((counted, message))
                self._news.emit()
        finally:
            self._inside.taking = False

    def _count(self, entry: LogEntry) -> int:
        """How often this happened."""
        if len(self._times) >= _MOST:
            self._times.clear()
        self._times[entry.sentence, entry.details] += 1
        return self._times[entry.sentence, entry.details]

    # -- in the window's thread ---------------------------------------------------------------------------------

    @Slot()
    def _deliver(self) -> None:
        while self._entries and (self._messages is not None or self._over):
            entry, message = self._entries.popleft()
            try:
                self._show(entry, message)
            except Exception:
                append(entry.copied)
                raise

    def _show(self, entry: LogEntry, message: bool) -> None:
        if self._messages is None:
            append(entry.copied)
        elif message:
            self._messages.fail(entry.sentence, entry.details)
        else:
            self._messages.log(entry.sentence, entry.kind, entry.details)


@contextmanager
def error_hooks() -> Iterator[ErrorHooks]:
    """While inside, errors that nothing catches are logged."""
    hooks = ErrorHooks()
    try:
        yield hooks
    except InputError:
        raise
    except Exception as error:
        hooks.log(error)
        raise
    finally:
        hooks.restore()
