"""The only place that opens files: untrusted bytes become values, and values become files at once or not at all."""

import contextlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.formats import csv_format, journal, json_format, npz_format, weights
from gems_engine.instance import Instance, Recipe
from gems_engine.locks import lock, unlock
from gems_engine.tables import MAX_NAME
from gems_engine.trace import Trace

PathLike = str | os.PathLike[str]
T = TypeVar("T")

LIMITS = {".json": 2**26, ".csv": 2**29, ".npz": 2**30 + 2**20}
"""Largest file of each kind in bytes. JSON is the smallest: its values take up to twenty times their text."""
TEXT_LIMIT = 2**20
MOST_IN_A_LINE = 2**20
RUN_SUFFIX = ".gems"
RUN_LIMIT = 2**32
"""Largest run file in bytes, a recovery file too: some million rounds."""


def read_instance(path: PathLike) -> Instance:
    """The instance in a .json, .npz or .csv file (a CSV's arms and targets are its rows, as they are given).

    Raises
    ------
    InputError
        One sentence that names the file and what is wrong in it. Nothing else is raised for any bytes.
    """
    file = _path(path)
    name = _printable(file.stem)
    file_name = _printable(file.name)
    suffix = _suffix(file)
    if suffix == ".csv":
        return read_items_csv(path)
    if suffix == ".json":
        return _read(file, lambda stream: json_format.from_json(stream.read(), name, file_name))
    return _read(file, lambda stream: npz_format.from_npz(stream, name, file_name))


def looks_like_file(text: str) -> bool:
    """Whether a word of a command line means a file rather than a family of instances."""
    path = Path(text)
    return path.suffix.lower() in LIMITS or os.sep in text or path.is_file()


def read_items_csv(
    path: PathLike,
    features: str = "as-given",
    *,
    reward: str = "reward",
    name: str = "name",
    columns: Sequence[str] | None = None,
    intercept: bool = True,
) -> Instance:
    """Real data: every row of a CSV becomes an arm and a target.

    Parameters
    ----------
    path : path-like
        A CSV with a header.
    features : {"as-given", "standardised", "principal-components"}
        Principal components come in order of variance, so that the nested classes are the leading ones.
    reward, name : str
        The column of mean rewards, and the one of names, which may be absent.
    columns : sequence of str, optional
        The features in the order of the nested classes; by default all other columns in their order.
    intercept : bool
        Unless features are taken as given, centre them, drop constant ones and put a column of ones first, so that
        rewards linear before, and rewards with a mean, are linear after. Without, nothing is centred or dropped.
    """
    file = _path(path)

    def parse(stream: IO[bytes]) -> Instance:
        items = csv_format.read_items(stream.read(), reward, name, columns)
        arms = csv_format.transform(items.features, features, intercept)
        steps = () if features == "as-given" else (f"features {features}{'' if intercept else ' without intercept'}",)
        recipe = Recipe(file=_printable(file.name), steps=steps)
        return Instance.from_rewards(
            arms, items.rewards, name=_printable(file.stem), recipe=recipe, arm_names=items.names
        )

    if file.suffix.lower() != ".csv":
        raise InputError(f"{file}: items are read from a .csv file.")
    return _read(file, parse)


def write_instance(path: PathLike, instance: Instance) -> None:
    """Save as .json (readable), .npz (exact to the bit) or .csv (arms with rewards and names: no theta, no noise)."""
    file = _path(path)
    suffix = _suffix(file)
    writers: dict[str, Callable[[Instance], bytes]] = {
        ".json": json_format.to_json,
        ".npz": npz_format.to_npz,
        ".csv": csv_format.to_csv,
    }
    with _named(file):
        data = writers[suffix](instance)
        if len(data) > LIMITS[suffix]:
            raise InputError(f"The instance takes {len(data)} bytes, too many for {suffix}: save it as .npz.")
    atomic_write(file, data)


def read_weights(path: PathLike, n_arms: int, arm_names: Sequence[str] | None = None) -> Floats:
    """Design weights, one for each arm, divided by their sum.

    From a CSV (a column ``weight``, perhaps ``arm``, or one plain column), an NPZ (array ``weights``) or JSON (a
    list, or an object with the list ``weights`` as ``gems design --json`` prints).
    """
    file = _path(path)
    suffix = _suffix(file)
    if suffix == ".csv":
        return _read(file, lambda s: weights.checked(weights.weights_from_csv(s.read(), n_arms, arm_names), n_arms))
    if suffix == ".json":
        return _read(file, lambda s: weights.checked(weights.weights_from_json(s.read()), n_arms))
    return _read(file, lambda s: weights.checked(weights.weights_from_npz(s), n_arms))


def write_weights(path: PathLike, values: ArrayLike) -> None:
    """Save design weights as .csv, .npz or .json."""
    file = _path(path)
    suffix = _suffix(file)
    with _named(file):
        array = weights.checked(values, np.size(values))
    atomic_write(file, weights.to_bytes(suffix, array))


def read_run(path: PathLike) -> Trace:
    """The run in a .gems file or in a recovery file, whatever its name.

    Where the end was never written whole, the run is what came before, and its ``notes`` say so.

    Raises
    ------
    InputError
        One sentence that names the file, and the chunk if one is damaged. Nothing else is raised for any bytes.
    """
    file = _path(path)

    def parse(stream: IO[bytes]) -> Trace:
        found = journal.Journal(stream, _printable(file.stem), _printable(file.name))
        trace = _recorded(found)
        companions = []
        while found.next_run():
            companions.append(_recorded(found))
        trace.notes.extend(found.notes)
        if found.story is not None:
            from gems_engine.formats import story_format  # most runs have none, and a window starts sooner without it

            try:
                trace.story = story_format.from_json(found.story, companions)
            except InputError as error:  # the run is there all the same
                trace.notes.append(f"The story in the file was left out: {error}")
        elif companions:
            trace.notes.append(f"{len(companions)} further runs in the file were left out: no story is told with them.")
        return trace

    return _read(file, parse, RUN_LIMIT)


def _recorded(found: journal.Journal) -> Trace:
    """The run at hand."""
    trace = Trace(found.instance)
    for record, events in found.records():
        trace.extend_with_record(record, events)
    trace.state_at(len(trace))  # every event was folded once now: nothing that follows can fail
    return trace


def write_run(path: PathLike, trace: Trace) -> None:
    """Save a run as .gems with the story that is told with it, at once or not at all."""
    file = _path(path)
    if file.suffix.lower() != RUN_SUFFIX:
        raise InputError(f"{file}: the name of a run must end in {RUN_SUFFIX}.")
    with _named(file):
        parts = [journal.header(trace.instance), *(record for record, _ in trace.records_from(0))]
        if trace.story is not None:
            from gems_engine.formats import story_format

            for companion in trace.story.companions:
                parts.append(journal.beginning(companion.trace.instance))
                parts.extend(record for record, _ in companion.trace.records_from(0))
            parts.append(journal.story_record(story_format.to_json(trace.story)))
        size = sum(map(len, parts))
        if size > RUN_LIMIT:
            raise InputError(f"The run takes {size} bytes: at most {RUN_LIMIT} can be read again.")
    atomic_write(file, parts)


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
        self.path = _path(path)
        self._trace = trace
        self._interval, self._most = interval, most
        self._written = 0  # events
        self._size = 0  # bytes
        with _named(self.path):
            head = journal.header(trace.instance)
        self._stream: IO[bytes] | None = _open_locked(self.path, "run", truncate=True)
        try:
            self._write(head)
            self.flush()
        except BaseException:
            self._release()
            raise

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
        self._path = _path(path)
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
            raise InputError(f"{self._path}: it cannot be read: {_reason(error)}.") from error


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
        self.path = _path(path)
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
            raise InputError(f"{self.path}: it cannot be written: {_reason(error)}.") from error

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


def read_text(path: PathLike, limit: int = TEXT_LIMIT) -> str:
    """A small text in UTF-8."""

    def parse(stream: IO[bytes]) -> str:
        try:
            return stream.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError("It is not text in UTF-8.") from error

    return _read(_path(path), parse, limit)


def make_folder(path: PathLike) -> Path:
    """A folder, made with its parents where there is none yet."""
    folder = _path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made: {_reason(error)}.") from error
    return folder


def in_use(path: PathLike) -> bool:
    """Whether a process records its run in this file right now."""
    try:
        with open(_path(path), "r+b") as stream:
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
        raise InputError(f"{path}: it cannot be written: {_reason(error)}.") from error


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
        raise InputError(f"{path}: it cannot be written: {_reason(error)}.") from error
    return size + len(data)


def atomic_write(path: PathLike, data: bytes | Iterable[bytes]) -> None:
    """Replace a file at once: a reader, a full disk or a crash sees the old file or the new one, never a part.

    The bytes go to a temporary name in the same folder, to the disk, and then to their name. An old file's
    permissions and a symbolic link to it are kept; a failure leaves nothing behind.
    """
    file = _path(path)
    try:
        goal = Path(os.path.realpath(file))
        old = goal.stat().st_mode if goal.exists() else None
        if old is not None and not stat.S_ISREG(old):
            raise InputError(f"{file}: it is not a file, so it cannot be written over.")
        temporary = goal.with_name(f".{goal.name[:100]}.{secrets.token_hex(8)}.tmp")
        # not tempfile: that would ignore the umask, and the new file would be for its owner only
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.writelines([data] if isinstance(data, bytes) else data)
                stream.flush()
                os.fsync(stream.fileno())
            if old is not None:
                os.chmod(temporary, stat.S_IMODE(old))
            os.replace(temporary, goal)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(goal.parent)
    except OSError as error:
        raise InputError(f"{file}: it cannot be written: {_reason(error)}.") from error


class NewFolder:
    """A new folder that is there when all of its files are, or not at all.

    Parameters
    ----------
    path : path-like
        Where it shall be: nothing, or an empty folder.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = _path(path)
        goal = Path(os.path.realpath(self.path))
        try:
            if goal.exists() and not (goal.is_dir() and not any(goal.iterdir())):
                raise InputError(f"{self.path}: it is there already; name a folder that is new or empty.")
            self._goal = goal
            self._temporary = goal.with_name(f".{goal.name[:100]}.{secrets.token_hex(8)}.tmp")
            self._temporary.mkdir()
        except OSError as error:
            raise InputError(f"{self.path}: the folder cannot be made: {_reason(error)}.") from error

    def write(self, name: str, data: bytes) -> None:
        """Put a file into it."""
        try:
            (self._temporary / name).write_bytes(data)
        except OSError as error:
            raise InputError(f"{self.path}: {name} cannot be written: {_reason(error)}.") from error

    def finish(self) -> None:
        """Give it its name."""
        try:
            if self._goal.is_dir():
                self._goal.rmdir()  # it was empty; what has come into it since is not ours to replace
            os.rename(self._temporary, self._goal)
        except OSError as error:
            self.cancel()
            raise InputError(f"{self.path}: the folder cannot be made: {_reason(error)}.") from error
        _sync_folder(self._goal.parent)

    def cancel(self) -> None:
        """Leave nothing of it behind; once it has its name, nothing happens."""
        shutil.rmtree(self._temporary, ignore_errors=True)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a crash, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _read(file: Path, parse: Callable[[IO[bytes]], T], limit: int | None = None) -> T:
    """Parse an open file whose size was checked; every complaint begins with the file's name."""
    limit = LIMITS[file.suffix.lower()] if limit is None else limit
    try:
        found = file.stat()  # before opening: opening a pipe would wait for ever
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{file}: it is not a file.")
        with _named(file), open(file, "rb") as stream:
            if os.fstat(stream.fileno()).st_size > limit:
                raise InputError(f"The file is larger than {limit} bytes, the limit for {file.suffix.lower() or 'it'}.")
            return parse(stream)
    except FileNotFoundError as error:
        raise InputError(f"{file}: there is no such file.") from error
    except OSError as error:
        raise InputError(f"{file}: it cannot be read: {_reason(error)}.") from error


@contextlib.contextmanager
def _named(file: Path) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def _path(path: PathLike) -> Path:
    file = Path(path)
    if "\0" in str(file):
        raise InputError("A file's name cannot contain a zero byte.")
    return file


def _suffix(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in LIMITS:
        if file.is_dir():
            raise InputError(f"{file} is a folder, not a file.")
        raise InputError(f"{file}: the name must end in .json, .npz or .csv, or .gems for a run; it tells the format.")
    return suffix


def _printable(name: str) -> str:
    """A file's name as a name of an instance."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)[:MAX_NAME]


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
