"""Files that are appended to under a lock that is released after a crash: a kill loses only buffered data."""

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from gems_engine.errors import InputError
from gems_engine.files.names import PathLike, as_path, make_private, named, reason
from gems_engine.formats import journal
from gems_engine.locks import lock, unlock
from gems_engine.trace import Trace

MOST_IN_A_LINE = 2**20


class RecoveryFile:
    """The events of a run, written to disk as they happen, so that a kill loses at most the last second.

    The file is locked while it is open: a file that is not :func:`in_use` can be recovered with :func:`read_run`.
    Writes are not synced to disk, so a power cut may lose more than a kill. A file without events is not kept.

    Parameters
    ----------
    path : path-like
        A new file, or an old one that is not in use, which is overwritten.
    trace : Trace
        The run to record; its existing events are written immediately.
    interval : float
        The longest time in seconds for which ``update`` buffers events.
    most : int
        The largest number of buffered events.
    private : bool
        Whether only its owner may read it.
    """

    def __init__(
        self, path: PathLike, trace: Trace, interval: float = 1.0, most: int = 4096, private: bool = False
    ) -> None:
        self.path = as_path(path)
        self._trace = trace
        self._interval, self._most = interval, most
        self._written = 0  # events
        self._size = 0  # bytes
        with named(self.path):
            head = journal.header(trace.instance)
        self._stream: IO[bytes] | None = _open_locked(self.path, "run", private, truncate=True)
        try:
            self._write(head)
            self.flush()
        except BaseException:  # a full disk
            if self._written:
                self._release()
            else:
                self.remove()
            raise

    @property
    def events(self) -> int:
        """The number of events in it."""
        return self._written

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self._size

    def update(self) -> None:
        """Write buffered events if they have waited long enough; call it after every event or batch of events."""
        waiting = len(self._trace) - self._written
        if waiting and (waiting >= self._most or time.monotonic() - self._flushed >= self._interval):
            self.flush()

    def flush(self) -> None:
        """Write all buffered events."""
        if self._stream is None:
            raise InputError(f"Cannot write {self.path}: the file is closed.")
        for data, events in self._trace.records_from(self._written):
            self._write(data)
            self._written += events
        self._flushed = time.monotonic()

    def _write(self, data: bytes) -> None:
        assert self._stream is not None
        self._size = _append(self._stream, self.path, self._size, data)

    def close(self) -> None:
        """Write buffered events, sync them to disk and release the lock; the file is kept if it has events."""
        if self._stream is None:
            return
        try:
            self.flush()
            with contextlib.suppress(OSError):
                os.fsync(self._stream.fileno())
        finally:
            if self._written:
                self._release()
            else:
                self.remove()

    def remove(self) -> None:
        """Close and delete it, after the run was saved or discarded."""
        with contextlib.suppress(OSError):
            self.path.unlink()  # while it is locked, so that another process gets a new file under this name
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
    """The lines of a file of a :class:`LineFile`, one by one and without line feeds.

    Attributes
    ----------
    torn : bool
        Whether the last line is incomplete, after a kill or because it is being written; known when all were read.
    """

    def __init__(self, path: PathLike) -> None:
        self._path = as_path(path)
        self.torn = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            if not stat.S_ISREG(self._path.stat().st_mode):
                raise InputError(f"Cannot open {self._path}: it is not a file.")
            with open(self._path, "rb") as stream:
                for line in iter(lambda: stream.readline(MOST_IN_A_LINE), b""):
                    self.torn = not line.endswith(b"\n")
                    if not self.torn:
                        yield line[:-1]
                    elif len(line) == MOST_IN_A_LINE:
                        raise InputError(f"{self._path}: a line is longer than {MOST_IN_A_LINE} bytes.")
        except FileNotFoundError as error:
            raise InputError(f"There is no file {self._path}.") from error
        except OSError as error:
            raise InputError(f"Cannot read {self._path}: {reason(error)}.") from error


def lines_at(path: PathLike, positions: Iterable[int]) -> Iterator[bytes]:
    """The lines of such a file that begin at these positions, without line feeds."""
    file = as_path(path)
    try:
        with open(file, "rb") as stream:
            for position in positions:
                if stream.tell() != position:
                    stream.seek(position)
                yield stream.readline(MOST_IN_A_LINE).removesuffix(b"\n")
    except OSError as error:
        raise InputError(f"Cannot read {file}: {reason(error)}.") from error


class LineFile:
    """Lines that are appended one by one, so that a kill loses at most the last one.

    The file is locked while it is open. An incomplete last line, without a line feed, is removed. Writes are synced to
    disk only at the end, so a power cut may lose more than a kill.

    Parameters
    ----------
    path : path-like
        A new file, or an old one that is not in use, which is continued.
    private : bool
        Whether only its owner may read it.

    Attributes
    ----------
    torn : int
        The number of bytes removed.
    """

    def __init__(self, path: PathLike, private: bool = False) -> None:
        self.path = as_path(path)
        self._stream: IO[bytes] | None = _open_locked(self.path, "rows", private, truncate=False)
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
            raise InputError(f"Cannot write {self.path}: {reason(error)}.") from error

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self._size

    def append(self, line: bytes) -> None:
        """Write a line, which ends with a line feed, completely or not at all."""
        if self._stream is None:
            raise InputError(f"Cannot write {self.path}: the file is closed.")
        self._size = _append(self._stream, self.path, self._size, line)

    def close(self) -> None:
        """Sync to disk and release the lock."""
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
    """Whether a process is recording a run in this file."""
    try:
        with open(as_path(path), "r+b") as stream:
            free = lock(stream.fileno())
            if free:
                unlock(stream.fileno())
            return not free
    except OSError:
        return False


def append_private(path: PathLike, data: bytes, most: int) -> None:
    """Append to a file that several processes write and only its owner may read, such as a log.

    A file larger than ``most`` bytes is renamed to ``….old`` first.
    """
    file = as_path(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        if file.exists() and file.stat().st_size > most:
            os.replace(file, file.with_name(f"{file.name}.old"))
        handle = os.open(file, flags, 0o600)
        try:
            make_private(file)
            os.write(handle, data)
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(f"Cannot write {file}: {reason(error)}.") from error


@contextlib.contextmanager
def exclusive(path: PathLike, patience: float = 0.5) -> Iterator[None]:
    """Hold the lock of a file that is created for this, so that processes change something one after the other.

    If another process holds it for longer than ``patience`` seconds, or the file cannot be created, go on without it.
    """
    deadline = time.monotonic() + patience
    try:
        handle = os.open(as_path(path), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        yield
        return
    try:
        while not lock(handle) and time.monotonic() < deadline:
            time.sleep(0.002)
        yield
    finally:
        os.close(handle)


def has_events(path: PathLike) -> bool:
    """Whether a recovery file has an event; True if it is damaged, so that this is reported when it is read."""
    file = as_path(path)
    try:
        with open(file, "rb") as stream:
            if not os.fstat(stream.fileno()).st_size:
                return False
            return next(journal.Journal(stream, "", "").records(), None) is not None
    except InputError:
        return True
    except OSError as error:
        raise InputError(f"Cannot read {file}: {reason(error)}.") from error


def _open_locked(path: Path, what: str, private: bool, truncate: bool) -> IO[bytes]:
    """Open a new or existing file for writing, and lock it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        # Not truncated on opening: another process may be using it, which only the lock shows.
        handle = os.open(path, flags, 0o600 if private else 0o666)
        try:
            if private:
                make_private(path)
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InputError(f"Cannot record the {what} in {path}: it is not a file.")
            if not lock(handle):
                raise InputError(f"Cannot record the {what} in {path}: another process is using it.")
            if truncate:
                os.ftruncate(handle, 0)
        except BaseException:
            os.close(handle)
            raise
        return os.fdopen(handle, "r+b", buffering=0)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {reason(error)}.") from error


def _append(stream: IO[bytes], path: Path, size: int, data: bytes) -> int:
    """Write after the first ``size`` bytes, all or nothing; return the new size."""
    left = memoryview(data)
    try:
        while left:  # an unbuffered file may take a part
            left = left[stream.write(left) :]
    except OSError as error:
        with contextlib.suppress(OSError):  # a partial record would damage later ones
            stream.truncate(size)
            stream.seek(size)
        raise InputError(f"Cannot write {path}: {reason(error)}.") from error
    return size + len(data)
