"""The only package that opens files: reading does not trust their bytes, and writing is atomic."""

import contextlib
import io
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.files.appending import (
    MOST_IN_A_LINE,
    LineFile,
    Lines,
    RecoveryFile,
    append_private,
    exclusive,
    has_events,
    in_use,
    lines_at,
)
from gems_engine.files.names import PathLike, as_path, make_private, named, printable, reason
from gems_engine.formats import (
    certificate_format,
    csv_format,
    journal,
    json_format,
    npz_format,
    pending_format,
    weights,
)
from gems_engine.formats.item_options import AS_IS, ItemOptions
from gems_engine.instance import Instance
from gems_engine.locks import lock
from gems_engine.processes import may_exist
from gems_engine.trace import Trace

__all__ = [
    "LIMITS",
    "MOST_IN_A_LINE",
    "RUN_LIMIT",
    "RUN_SUFFIX",
    "SHEETS",
    "TEXT_LIMIT",
    "LineFile",
    "Lines",
    "NewFolder",
    "PathLike",
    "RecoveryFile",
    "append_private",
    "atomic_write",
    "exclusive",
    "has_events",
    "in_use",
    "is_sheet",
    "lines_at",
    "looks_like_file",
    "make_folder",
    "read_bytes",
    "read_certificate",
    "read_first_rows",
    "read_instance",
    "read_items_csv",
    "read_recovery",
    "read_run",
    "read_text",
    "read_weights",
    "remove_parts",
    "stamp",
    "write_certificate",
    "write_instance",
    "write_run",
    "write_weights",
]

T = TypeVar("T")
Watch = Callable[[int, int], None]
"""Called with what is done and the total; it may raise :class:`Cancelled`."""

LIMITS = {".json": 2**25, ".npz": 2**28 + 2**20, ".csv": 2**28}
"""The largest file of each kind in bytes. JSON is the smallest: its values take up to twenty times their text."""
SHEETS = (".csv", ".tsv")
"""Files with a row for each arm; what separates their cells is found in the text."""
TEXT_LIMIT = 2**20
RUN_SUFFIX = ".gems"
_MOST_RUNS = 100  # in one file; a story needs a few
RUN_LIMIT = 2**32
"""The largest run file or recovery file in bytes: a few million rounds."""


def read_instance(path: PathLike, options: ItemOptions | None = None) -> Instance:
    """The instance in a .json, .npz, .csv or .tsv file (the rows of a sheet are both arms and targets).

    Parameters
    ----------
    path : path-like
        The file; its suffix says which format it has.
    options : ItemOptions, optional
        What is made of the columns of a CSV file; the rewards of any file can be scaled.

    Returns
    -------
    Instance
        The instance in the file.

    Raises
    ------
    InputError
        One sentence that names the file and the error. No other exception is raised for any bytes.
    """
    file = as_path(path)
    name = printable(file.stem)
    file_name = printable(file.name)
    suffix = _suffix(file, ".tsv")
    options = options or ItemOptions()
    if is_sheet(file):
        items = partial(csv_format.instance_of_items, options=options, name=name, file_name=file_name)
        return _read(file, lambda stream: items(stream.read()), LIMITS[".csv"])
    if options.of_columns:
        option = next(iter(options.given())).replace("_", " ")
        raise InputError(f"{file}: the option {option} is for the columns of a CSV file.")
    if suffix == ".json":
        instance = _read(file, lambda stream: json_format.from_json(stream.read(), name, file_name))
    else:
        instance = _read(file, lambda stream: npz_format.from_npz(stream, name, file_name))
    with named(file):
        return instance.with_scaled_rewards() if options.scale_rewards else instance


def read_first_rows(path: PathLike, most: int) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The header and at most ``most`` rows of a CSV file, as texts."""
    return _read(as_path(path), lambda stream: csv_format.first_rows(stream.read(), most), LIMITS[".csv"])


def is_sheet(path: PathLike) -> bool:
    """Whether a file has a row for each arm, by its suffix."""
    return as_path(path).suffix.lower() in SHEETS


def looks_like_file(text: str) -> bool:
    """Whether an argument names a file rather than a family of instances."""
    path = Path(text)
    return path.suffix.lower() in (*LIMITS, *SHEETS) or os.sep in text or path.is_file()


def read_items_csv(
    path: PathLike,
    features: str = AS_IS,
    *,
    reward: str = "reward",
    name: str = "name",
    columns: Sequence[str] | None = None,
    intercept: bool | None = None,
    ignore: Sequence[str] = (),
    scale_rewards: bool = False,
) -> Instance:
    """Real data: every row of a CSV file becomes an arm and a target.

    Parameters
    ----------
    path : path-like
        A CSV file with a header.
    features : {"as-is", "standardised", "principal-components"}
        Principal components are in order of variance, so that the nested classes use the leading ones.
    reward, name : str
        The column of mean rewards, and that of names, which may be absent. Without a column "reward", the instance has
        no rewards: it is for a real experiment.
    columns : sequence of str, optional
        The features in the order of the nested classes; by default all other columns in their order.
    intercept : bool, optional
        Put a column of ones first and drop constant columns, so that rewards with a mean can be linear; features that
        are not taken as they are are centred then. By default, unless features are taken as they are.
    ignore : sequence of str
        Columns that are left out.
    scale_rewards : bool
        Divide the rewards by a number so that the largest gap is at most 2: see
        :meth:`Instance.with_scaled_rewards <gems_engine.instance.Instance.with_scaled_rewards>`.

    Returns
    -------
    Instance
        Its arms are its targets, with the names of the rows.
    """
    file = as_path(path)
    if not is_sheet(file):
        raise InputError(f"Cannot read items from {file}: the name must end in .csv or .tsv.")
    chosen = None if columns is None else tuple(columns)
    return read_instance(path, ItemOptions(features, intercept, name, reward, tuple(ignore), chosen, scale_rewards))


def write_instance(path: PathLike, instance: Instance) -> None:
    """Save as .json (readable), .npz (exact to the bit) or .csv (arms with rewards and names: no theta, no noise).

    An instance without rewards is saved without them.

    Parameters
    ----------
    path : path-like
        The file; its suffix says which format it gets.
    instance : Instance
        The instance.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from gems_engine import instances
    >>> with TemporaryDirectory() as folder:
    ...     instances.write(f"{folder}/soare.json", instances.make("soare"))
    ...     instances.read(f"{folder}/soare.json").D
    5
    """
    file = as_path(path)
    suffix = _suffix(file)
    writers: dict[str, Callable[[Instance], bytes]] = {
        ".json": json_format.to_json,
        ".npz": npz_format.to_npz,
        ".csv": csv_format.to_csv,
    }
    with named(file):
        data = writers[suffix](instance)
        if len(data) > LIMITS[suffix]:
            raise InputError(f"The instance takes {len(data)} bytes, too many for {suffix}. Save it as .npz.")
    atomic_write(file, data)


def read_weights(path: PathLike, n_arms: int, arm_names: Sequence[str] | None = None) -> Floats:
    """Design weights, one for each arm; they need not sum to 1.

    From CSV (a column ``weight``, possibly ``arm``, or one plain column or row), NPY, NPZ (the only array, or
    ``weights``) or JSON (a list, or an object with the list ``weights``, as printed by ``gems design --json``).
    """
    file = as_path(path)
    readers: dict[str, Callable[[IO[bytes]], Any]] = {
        ".csv": lambda stream: weights.weights_from_csv(stream.read(), n_arms, arm_names),
        ".json": lambda stream: weights.weights_from_json(stream.read()),
        ".npz": weights.weights_from_npz,
        ".npy": lambda stream: weights.weights_from_npy(stream.read()),
    }
    suffix = _suffix(file, ".npy")
    limit = LIMITS[".npz" if suffix == ".npy" else suffix]
    return _read(file, lambda stream: weights.checked(readers[suffix](stream), n_arms), limit)


def write_weights(path: PathLike, values: ArrayLike) -> None:
    """Save design weights as .csv, .npz or .json, divided by their sum."""
    file = as_path(path)
    suffix = _suffix(file)
    with named(file):
        array = weights.scaled(weights.checked(values, np.size(values)))
    atomic_write(file, weights.to_bytes(suffix, array))


def read_certificate(path: PathLike) -> certificate_format.DesignCertificate:
    """The certificate of a design in a .json file; ``check_certificate`` checks it."""
    return _read(as_path(path), lambda stream: certificate_format.from_json(stream.read()), LIMITS[".json"])


def write_certificate(path: PathLike, certificate: certificate_format.DesignCertificate) -> None:
    """Save a design with its proof, as JSON under any name."""
    file = as_path(path)
    data = certificate_format.to_json(certificate)
    if len(data) > LIMITS[".json"]:
        raise InputError(f"Cannot write {file}: the certificate takes {len(data)} bytes, more than {LIMITS['.json']}.")
    atomic_write(file, data)


def read_run(path: PathLike, watch: Watch | None = None) -> Trace:
    """The run in a .gems file or in a recovery file, whatever its name.

    If the end is incomplete, the run consists of what came before, and its ``notes`` say so.

    Parameters
    ----------
    path : path-like
        The file.
    watch
        Called with the number of bytes read and the size of the file; it may raise :class:`Cancelled`.

    Returns
    -------
    Trace
        The events, with their instance.

    Raises
    ------
    InputError
        One sentence that names the file, and the chunk if one is damaged. No other exception is raised for any bytes.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from gems_engine import instances, read_run, run, write_run
    >>> with TemporaryDirectory() as folder:
    ...     write_run(f"{folder}/run.gems", run(instances.make("soare"), "rage", seed=1).finish())
    ...     read_run(f"{folder}/run.gems").started.algorithm
    'rage'
    """
    file = as_path(path)

    def parse(stream: IO[bytes]) -> Trace:
        found = journal.Journal(stream, printable(file.stem), printable(file.name))
        trace = _recorded(found)
        companions = []
        while found.next_run():
            companions.append(_recorded(found))
            if len(companions) > _MOST_RUNS:
                raise InputError(f"The file has more than {_MOST_RUNS} runs.")
        trace.notes.extend(found.notes)
        if found.story is not None:
            from gems_engine.formats import story_format  # most runs have none, and a window starts faster without it

            try:
                trace.story = story_format.from_json(found.story, companions)
            except InputError as error:  # the run is still readable
                trace.notes.append(f"The story in the file was skipped: {error}")
        elif companions:
            trace.notes.append(f"{len(companions)} further runs in the file were skipped: no story uses them.")
        return trace

    return _read(file, parse, RUN_LIMIT, watch)


def read_recovery(path: PathLike) -> Trace:
    """The readable part of the run in a recovery file: damage and everything after it is skipped.

    Its ``notes`` say so. If not even the instance can be read, an InputError is raised.
    """
    file = as_path(path)

    def parse(stream: IO[bytes]) -> Trace:
        found = journal.Journal(stream, printable(file.stem), printable(file.name))
        trace = _recorded(found, damaged=True)
        trace.notes.extend(found.notes)
        return trace

    return _read(file, parse, RUN_LIMIT)


def _recorded(found: journal.Journal, damaged: bool = False) -> Trace:
    """The current run; if damage is allowed, the part before it."""
    from gems_engine.algorithms.recorded import check_recorded  # algorithms import traces, too

    trace = Trace(found.instance)
    try:
        for record, batch in found.records():
            trace.extend_with_record(record, batch)
    except InputError as error:
        if not damaged:
            raise
        trace.notes.append(f"{error} The {len(trace)} events before it were read.")
    if trace.started is not None:
        check_recorded(trace.started)
    if found.pending is not None:
        try:
            trace.pending = pending_format.from_json(found.pending, trace[-1] if len(trace) else None)
        except InputError as error:
            if not damaged:
                raise
            trace.notes.append(str(error))
    return trace


def run_parts(trace: Trace, story: bytes = b"", companions: Sequence[Trace] = ()) -> list[bytes]:
    """The content of a run file, in parts.

    Parameters
    ----------
    story
        The record of its story, as :mod:`gems_engine.formats.story_format` writes it; empty for none.
    companions
        The other runs of the story.
    """
    parts = [journal.header(trace.instance), *(record for record, _ in trace.records_from(0))]
    if trace.pending is not None:
        parts.append(journal.pending_record(pending_format.to_json(trace.pending)))
    if story:
        for companion in companions:
            parts.append(journal.beginning(companion.instance))
            parts.extend(record for record, _ in companion.records_from(0))
        parts.append(journal.story_record(story))
    size = sum(map(len, parts))
    if size > RUN_LIMIT:
        raise InputError(f"The run takes {size} bytes: at most {RUN_LIMIT} can be read back.")
    return parts


def write_run(path: PathLike, trace: Trace, private: bool = False) -> None:
    """Save a run as .gems with its story, atomically, and optionally for its owner only.

    Parameters
    ----------
    path : path-like
        The file; its name must end in ``.gems``.
    trace : Trace
        The run.
    private : bool
        Whether only its owner may read the file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from gems_engine import instances, read_run, run, write_run
    >>> trace = run(instances.make("soare"), "rage", seed=1).finish()
    >>> with TemporaryDirectory() as folder:
    ...     write_run(f"{folder}/run.gems", trace)
    ...     list(read_run(f"{folder}/run.gems")) == list(trace)
    True
    """
    file = as_path(path)
    if file.suffix.lower() != RUN_SUFFIX:
        raise InputError(f"Cannot save a run as {file}: the name must end in {RUN_SUFFIX}.")
    with named(file):
        if trace.story is None:
            parts = run_parts(trace)
        else:
            from gems_engine.formats import story_format

            parts = run_parts(trace, story_format.to_json(trace.story), [each.trace for each in trace.story.companions])
    atomic_write(file, parts, private=private)


def read_text(path: PathLike, limit: int = TEXT_LIMIT) -> str:
    """A small text in UTF-8."""

    def parse(stream: IO[bytes]) -> str:
        try:
            return stream.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError("It is not UTF-8 text.") from error

    return _read(as_path(path), parse, limit)


def read_bytes(path: PathLike, limit: int) -> bytes:
    """All bytes of a file that is no larger than ``limit``."""
    return _read(as_path(path), lambda stream: stream.read(), limit)


def stamp(path: PathLike) -> tuple[int, int, int] | None:
    """A stamp that changes when a file is written; None if there is no file."""
    try:
        found = os.stat(as_path(path))
    except (OSError, ValueError):  # ValueError: no file can have such a name
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def make_folder(path: PathLike, private: bool = False) -> Path:
    """A folder, created with its parents if it does not exist; only its owner may read a ``private`` one."""
    folder = as_path(path)
    try:
        missing = [each for each in folder.parents if not each.exists()]
        for each in (*reversed(missing), folder):
            each.mkdir(0o700 if private else 0o777, exist_ok=True)
        if private:
            make_private(folder)
    except OSError as error:
        raise InputError(f"Cannot create the folder {folder}: {reason(error)}.") from error
    return folder


def atomic_write(path: PathLike, data: bytes | Iterable[bytes], wait: bool = True, private: bool = False) -> None:
    """Replace a file atomically: after a crash or on a full disk, the old file or the new one is there, never a part.

    The bytes are written to a temporary file in the same folder, synced to disk, and renamed. An old file's permissions
    and a symbolic link to it are kept; a failure leaves no files behind. Without ``wait``, the file may be lost in a
    power cut; this is for files that can be made again. Only its owner may read a ``private`` file, whatever the old
    one allowed. The temporary files of killed processes for the same goal are removed.
    """
    file = as_path(path)
    try:
        goal = Path(os.path.realpath(file))
        old = goal.stat().st_mode if goal.exists() else None
        if old is not None and not stat.S_ISREG(old):
            raise InputError(f"Cannot overwrite {file}: it is not a file.")
        _remove_abandoned(goal)
        temporary = _temporary(goal)
        mode = 0o600 if private else 0o666
        # tempfile would ignore the umask and make the file private.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        try:
            with os.fdopen(handle, "wb") as stream:
                lock(handle)  # on a network drive, another computer does not know this process
                stream.writelines([data] if isinstance(data, bytes) else data)
                stream.flush()
                if wait:
                    os.fsync(stream.fileno())
            if old is not None and not private:
                os.chmod(temporary, stat.S_IMODE(old))
            os.replace(temporary, goal)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        if wait:
            _sync_folder(goal.parent)
    except OSError as error:
        raise InputError(f"Cannot write {file}: {reason(error)}.") from error


class NewFolder:
    """A new folder that appears only when all of its files are written.

    Parameters
    ----------
    path : path-like
        The path of the folder, which must not exist or be empty.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = as_path(path)
        goal = Path(os.path.realpath(self.path))
        try:
            if goal.exists() and not (goal.is_dir() and not any(goal.iterdir())):
                raise InputError(f"{self.path} already exists. Choose a new or empty folder.")
            self._goal = goal
            self._temporary = _temporary(goal)
            self._temporary.mkdir()
        except OSError as error:
            raise InputError(f"Cannot create the folder {self.path}: {reason(error)}.") from error

    def write(self, name: str, data: bytes) -> None:
        """Write a file into it."""
        try:
            (self._temporary / name).write_bytes(data)
        except OSError as error:
            raise InputError(f"Cannot write {name} in {self.path}: {reason(error)}.") from error

    def finish(self) -> None:
        """Rename it to its final name."""
        try:
            if self._goal.is_dir():
                self._goal.rmdir()  # it was empty; new files in it must not be replaced
            os.rename(self._temporary, self._goal)
        except OSError as error:
            self.cancel()
            raise InputError(f"Cannot create the folder {self.path}: {reason(error)}.") from error
        _sync_folder(self._goal.parent)

    def cancel(self) -> None:
        """Remove it; does nothing after :meth:`finish`."""
        shutil.rmtree(self._temporary, ignore_errors=True)


def _temporary(goal: Path) -> Path:
    """A new name for what will be renamed to ``goal``: hidden, and with the process that writes it."""
    return goal.with_name(f"{_part_of(goal, os.getpid())}{secrets.token_hex(8)}.tmp")


def _part_of(goal: Path, process: int) -> str:
    """The beginning of the temporary names of a file: 50 of its characters, since each may have four bytes."""
    return f".{goal.name[:50]}.{process}."


def remove_parts(path: PathLike, process: int) -> None:
    """Remove what a process that was killed has written of a file or a folder before it got its name."""
    goal = Path(os.path.realpath(as_path(path)))
    with contextlib.suppress(OSError):
        for each in goal.parent.iterdir():
            if each.name.startswith(_part_of(goal, process)) and each.name.endswith(".tmp"):
                shutil.rmtree(each) if each.is_dir() else each.unlink()


def _remove_abandoned(goal: Path) -> None:
    """Remove temporary files of ``goal`` that a killed process left: it does not exist, and the file is not locked."""
    name = re.compile(rf"\.{re.escape(goal.name[:50])}\.(\d{{1,9}})\.[0-9a-f]{{16}}\.tmp")
    with contextlib.suppress(OSError):
        for each in goal.parent.iterdir():
            found = name.fullmatch(each.name)
            if found and each.is_file() and not may_exist(int(found[1])) and not in_use(each):
                each.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, if the system supports it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class _WatchedFile(io.BufferedReader):
    """A file that reports how far it was read."""

    def __init__(self, file: Path, watch: Watch) -> None:
        super().__init__(io.FileIO(file))
        self._watch = watch
        self._size = os.fstat(self.fileno()).st_size

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self._watch(self.tell(), self._size)
        return found


def _read(file: Path, parse: Callable[[IO[bytes]], T], limit: int | None = None, watch: Watch | None = None) -> T:
    """Parse an open file after checking its size; every error names the file."""
    limit = LIMITS[file.suffix.lower()] if limit is None else limit
    try:
        found = file.stat()  # before opening, because opening a pipe would block
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"Cannot open {file}: it is not a file.")
        with named(file), open(file, "rb") if watch is None else _WatchedFile(file, watch) as stream:
            if os.fstat(stream.fileno()).st_size > limit:
                raise InputError(f"The file is larger than {limit} bytes, the limit for {file.suffix.lower() or 'it'}.")
            with _unchanged(file, stream):
                return parse(stream)
    except FileNotFoundError as error:
        raise InputError(f"There is no file {file}.") from error
    except OSError as error:
        raise InputError(f"Cannot read {file}: {reason(error)}.") from error


@contextlib.contextmanager
def _unchanged(file: Path, stream: IO[bytes]) -> Iterator[None]:
    """Raise InputError if the file was written to inside: what was read may be a part of each content.

    A recovery file in use only grows, so that its beginning can be read.
    """

    def written() -> tuple[int, int]:
        found = os.fstat(stream.fileno())
        return found.st_size, found.st_mtime_ns

    def check(cause: InputError | None) -> None:
        if written() != before and not in_use(file):
            raise InputError("The file was changed while it was read. Open it again.") from cause

    before = written()
    try:
        yield
    except InputError as error:
        check(error)
        raise
    check(None)


def _suffix(file: Path, *more: str) -> str:
    suffix = file.suffix.lower()
    if suffix not in (*LIMITS, *more):
        if file.is_dir():
            raise InputError(f"{file} is a folder, not a file.")
        *kinds, last = *LIMITS, *more
        run = "" if ".npy" in more else f", or {RUN_SUFFIX} for a run"
        raise InputError(f"{file}: unknown file format. The name must end in {', '.join(kinds)} or {last}{run}.")
    return suffix
