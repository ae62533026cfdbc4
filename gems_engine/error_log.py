"""The log file of a window: its messages, and the reports of errors in it and in its worker processes.

The window names the file in an environment variable, which worker processes inherit. A process without a window has
no log file and prints its errors as usual. Only the owner may read the file.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from datetime import datetime
from types import TracebackType

VARIABLE = "GEMS_LOG_FILE"
MOST = 2**20
"""The size in bytes at which a new file begins; the previous one is kept as well."""


def append(text: str) -> None:
    """Add a text to the log file, if there is one; a file that cannot be written must not cause another error."""
    if path := os.environ.get(VARIABLE):
        from gems_engine.errors import InputError
        from gems_engine.files import append_private, make_folder  # imports numpy, which a worker must not do early

        with contextlib.suppress(InputError):
            make_folder(os.path.dirname(path), private=True)
            append_private(path, f"{text.rstrip()}\n".encode("utf-8", "replace"), MOST)


def one_line(error: BaseException) -> str:
    """An error with its type in one line of limited length."""
    words = " ".join("".join(traceback.format_exception_only(error)).split())
    return words if len(words) <= 300 else f"{words[:299]}…"


def log_worker_errors() -> None:
    """In a worker process of a window, add errors that nothing catches to the log file; they are printed as well."""
    if VARIABLE not in os.environ:
        return
    before, in_thread = sys.excepthook, threading.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _append_error(error)
        before(kind, error, trace)

    def thread_hook(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            _append_error(args.exc_value)
        in_thread(args)

    sys.excepthook, threading.excepthook = hook, thread_hook


def _append_error(error: BaseException) -> None:
    details = "".join(traceback.format_exception(error))
    append(f"{datetime.now():%Y-%m-%d %H:%M:%S}  A worker process failed: {one_line(error)}\n{details}")
