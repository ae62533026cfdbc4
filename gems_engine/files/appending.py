"""Files that are appended to as things come, under a lock that a crash releases: a kill loses only what waited."""

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gems_engine.errors import InputError
from gems_engine.files.names import PathLike, as_path, named, reason
from gems_engine.formats import journal
from gems_engine.locks import lock, unlock
from gems_engine.trace import Trace

MOST_IN_A_LINE = 2**20


class RecoveryFile:
    """A run's events on disk as they come, so that a kill loses at most its last second.

    The file is locked while it is open: who finds one that is not :func:`in_use` may read it with :func:`read_run` and
    offer it. Nobody waits for the disk, so that a power cut may lose more than a kill.

    Parameters
    ----------
    path : path-like
        A new file, or an old one that no one has open, which is overwritten.
    trace : Trace
        What is recorded; what it holds already is written at once.
    interval : float
        Seconds for which ``update`` lets events wait.
    most : int
        Events that it lets wait.
    """

    def __init__(self, path: PathLike, trace: Trace, interval: float = 1.0, most: int = 4096) -> None:
        self.path = as_path(path)
        self._trace = trace
        self._interval, self._most = interval, most
        self._written = 0  # events
        self._size = 0  # bytes
        with named(self.path):
            head = journal.header(trace.instance)
        self._stream: IO[bytes] | None = _open_locked(self.path, "run", truncate=True)
        try:
            self._write(head)
            self.flush()
        except BaseException:
            self._release()
            raise

    @property
    def events(self) -> int:
        """Events in it."""
        return self._written

    @property
    def size(self) -> int:
        """Bytes in it."""
        return self._size

    def update(self) -> None:
        """Write what waits if it has waited long enough; to be called after every event, or batch of them."""
        waiting = len(self._trace) - self._written
        if waiting and (waiting >= self._most or time.monotonic() - self._flushed >= self._interval):
            self.flush()

    def flush(self) -> None:
        """Write all events that wait."""
        if self._stream is None:
            raise InputError(f"{self.path}: it is closed, so nothing can be recorded in it.")
        for data, events in self._trace.records_from(self._written):
            self._write(data)
            self._written += events
        self._flushed = time.monotonic()

    def _write(self, data: bytes) -> None:
        assert self._stream is not None
        self._size = _append(self._stream, self.path, self._size, data)

    def close(self) -> None:
        """Write what waits, wait for the disk and give the lock back; the file stays."""
        if self._stream is None:
            return
        try:
            self.flush()
            with contextlib.suppress(OSError):
                os.fsync(self._stream.fileno())
        finally:
            self._release()

    def remove(self) -> None:
        """Close and delete it: the run was saved, or is not wanted."""
        with contextlib.suppress(OSError):
            self.path.unlink()  # while it is ours: the next to take the name has a file of its own
        self._release()
        if os.name == "nt":  # where an open file cannot be deleted
            with contextlib.suppress(OSError):
                self.path.unlink()

    def _release(self) -> None:
        if self._stream is not None:
            unlock(self._stream.fileno())
            self._stream.close()
            self._stream = None

    def __enter__(self) -> "RecoveryFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Lines:
    """The lines of a file that was written by a :class:`LineFile`, one by one and without their line feeds.

    Attributes
    ----------
    torn : bool
        Whether something follows the last whole line, known when all were read: a kill tore it, or it is just being
        written.
    """

    def __init__(self, path: PathLike) -> None:
        self._path = as_path(path)
        self.torn = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            if not stat.S_ISREG(self._path.stat().st_mode):
                raise InputError(f"{self._path}: it is not a file.")
            with open(self._path, "rb") as stream:
                for line in iter(lambda: stream.readline(MOST_IN_A_LINE), b""):
                    self.torn = not line.endswith(b"\n")
                    if not self.torn:
                        yield line[:-1]
                    elif len(line) == MOST_IN_A_LINE:
                        raise InputError(f"{self._path}: a line is longer than {MOST_IN_A_LINE} bytes.")
        except FileNotFoundError as error:
            raise InputError(f"{self._path}: there is no such file.") from error
        except OSError as error:
            raise InputError(f"{self._path}: it cannot be read: {reason(error)}.") from error


class LineFile:
    """Lines that are appended as they come, so that a kill loses at most the one that it tears.

    The file is locked while it is open. What does not end with a line feed was torn: it is cut off. Nobody waits for
    the disk before the end, so that a power cut may lose more than a kill.

    Parameters
    ----------
    path : path-like
        A new file, or an old one that no one has open, which is continued.

    Attributes
    ----------
    torn : int
        Bytes that were cut off.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = as_path(path)
        self._stream: IO[bytes] | None = _open_locked(self.path, "rows", truncate=False)
        try:
            size = os.fstat(self._stream.fileno()).st_size
            self._stream.seek(max(0, size - MOST_IN_A_LINE))
            tail = self._stream.read(MOST_IN_A_LINE) or b""
            self.torn = len(tail) - (tail.rfind(b"\n") + 1)
            self._size = size - self.torn
            self._stream.truncate(self._size)
            self._stream.seek(self._size)
        except OSError as error:
            self._release()
            raise InputError(f"{self.path}: it cannot be written: {reason(error)}.") from error

    @property
    def size(self) -> int:
        """Bytes in it."""
        return self._size

    def append(self, line: bytes) -> None:
        """Write a line, which ends with a line feed, whole or not at all."""
        if self._stream is None:
            raise InputError(f"{self.path}: it is closed, so nothing can be recorded in it.")
        self._size = _append(self._stream, self.path, self._size, line)

    def close(self) -> None:
        """Wait for the disk and give the lock back."""
        if self._stream is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._stream.fileno())
            self._release()

    def _release(self) -> None:
        assert self._stream is not None
        unlock(self._stream.fileno())
        self._stream.close()
        self._stream = None

    def __enter__(self) -> "LineFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_use(path: PathLike) -> bool:
    """Whether a process records its run in this file right now."""
    try:
        with open(as_path(path), "r+b") as stream:
            free = lock(stream.fileno())
            if free:
                unlock(stream.fileno())
            return not free
    except OSError:
        return False


def _open_locked(path: Path, what: str, truncate: bool) -> IO[bytes]:
    """A file of our own to write to, as long as it is open; new, or an old one."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        # Not truncated by opening: another process may have it, which only the lock tells.
        handle = os.open(path, flags, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InputError(f"{path}: it is not a file, so no {what} can be recorded in it.")
            if not lock(handle):
                raise InputError(f"{path}: another process records its {what} there.")
            if truncate:
                os.ftruncate(handle, 0)
        except BaseException:
            os.close(handle)
            raise
        return os.fdopen(handle, "r+b", buffering=0)
    except OSError as error:
        raise InputError(f"{path}: it cannot be written: {reason(error)}.") from error


def _append(stream: IO[bytes], path: Path, size: int, data: bytes) -> int:
    """Write behind the first ``size`` bytes, all or nothing; how many there are then."""
    left = memoryview(data)
    try:
        while left:  # an unbuffered file may take a part
            left = left[stream.write(left) :]
    except OSError as error:
        with contextlib.suppress(OSError):  # half a record would damage those that follow, if there is room again
            stream.truncate(size)
            stream.seek(size)
        raise InputError(f"{path}: it cannot be written: {reason(error)}.") from error
    return size + len(data)
