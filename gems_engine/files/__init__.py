"""The only place that opens files: untrusted bytes become values, and values become files at once or not at all."""

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.files.appending import MOST_IN_A_LINE, LineFile, Lines, RecoveryFile, in_use
from gems_engine.files.names import PathLike, as_path, named, printable, reason
from gems_engine.formats import certificate_format, csv_format, journal, json_format, npz_format, weights
from gems_engine.instance import Instance
from gems_engine.recipe import Recipe
from gems_engine.trace import Trace

__all__ = [
    "LIMITS",
    "MOST_IN_A_LINE",
    "RUN_LIMIT",
    "RUN_SUFFIX",
    "TEXT_LIMIT",
    "LineFile",
    "Lines",
    "NewFolder",
    "PathLike",
    "RecoveryFile",
    "atomic_write",
    "in_use",
    "looks_like_file",
    "make_folder",
    "read_bytes",
    "read_certificate",
    "read_instance",
    "read_items_csv",
    "read_recovery",
    "read_run",
    "read_text",
    "read_weights",
    "stamp",
    "write_certificate",
    "write_instance",
    "write_run",
    "write_weights",
]

T = TypeVar("T")

LIMITS = {".json": 2**25, ".csv": 2**28, ".npz": 2**28 + 2**20}
"""Largest file of each kind in bytes. JSON is the smallest: its values take up to twenty times their text."""
TEXT_LIMIT = 2**20
RUN_SUFFIX = ".gems"
_MOST_RUNS = 100  # in one file; a story needs a few
RUN_LIMIT = 2**32
"""Largest run file in bytes, a recovery file too: some million rounds."""


def read_instance(path: PathLike) -> Instance:
    """The instance in a .json, .npz or .csv file (a CSV's arms and targets are its rows, as they are given).

    Raises
    ------
    InputError
        One sentence that names the file and what is wrong in it. Nothing else is raised for any bytes.
    """
    file = as_path(path)
    name = printable(file.stem)
    file_name = printable(file.name)
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
    file = as_path(path)

    def parse(stream: IO[bytes]) -> Instance:
        items = csv_format.read_items(stream.read(), reward, name, columns)
        arms = csv_format.transform(items.features, features, intercept)
        steps = () if features == "as-given" else (f"features {features}{'' if intercept else ' without intercept'}",)
        recipe = Recipe(file=printable(file.name), steps=steps)
        return Instance.from_rewards(
            arms,
            items.rewards,
            name=printable(file.stem),
            recipe=recipe,
            arm_names=items.names,
            feature_names=csv_format.feature_names_of(items.columns) if features == "as-given" else None,
        )

    if file.suffix.lower() != ".csv":
        raise InputError(f"{file}: items are read from a .csv file.")
    return _read(file, parse)


def write_instance(path: PathLike, instance: Instance) -> None:
    """Save as .json (readable), .npz (exact to the bit) or .csv (arms with rewards and names: no theta, no noise)."""
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
            raise InputError(f"The instance takes {len(data)} bytes, too many for {suffix}: save it as .npz.")
    atomic_write(file, data)


def read_weights(path: PathLike, n_arms: int, arm_names: Sequence[str] | None = None) -> Floats:
    """Design weights, one for each arm, as they are given: they need not sum to 1.

    From a CSV (a column ``weight``, perhaps ``arm``, or one plain column or row), an NPY, an NPZ (the only array, or
    ``weights``) or JSON (a list, or an object with the list ``weights`` as ``gems design --json`` prints).
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
    """The certificate of a design in a .json file; whether it holds is for ``check_certificate`` to say."""
    return _read(as_path(path), lambda stream: certificate_format.from_json(stream.read()), LIMITS[".json"])


def write_certificate(path: PathLike, certificate: certificate_format.DesignCertificate) -> None:
    """Save a design with its proof, as JSON under any name."""
    file = as_path(path)
    data = certificate_format.to_json(certificate)
    if len(data) > LIMITS[".json"]:
        raise InputError(f"{file}: the certificate takes {len(data)} bytes: at most {LIMITS['.json']} are allowed.")
    atomic_write(file, data)


def read_run(path: PathLike) -> Trace:
    """The run in a .gems file or in a recovery file, whatever its name.

    Where the end was never written whole, the run is what came before, and its ``notes`` say so.

    Raises
    ------
    InputError
        One sentence that names the file, and the chunk if one is damaged. Nothing else is raised for any bytes.
    """
    file = as_path(path)

    def parse(stream: IO[bytes]) -> Trace:
        found = journal.Journal(stream, printable(file.stem), printable(file.name))
        trace = _recorded(found)
        companions = []
        while found.next_run():
            companions.append(_recorded(found))
            if len(companions) > _MOST_RUNS:
                raise InputError(f"The file holds more than {_MOST_RUNS} runs.")
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


def read_recovery(path: PathLike) -> Trace:
    """As much of the run in a recovery file as can be read: what is damaged, and what follows it, is left out.

    Its ``notes`` say so. Where not even the instance can be read, an InputError does.
    """
    file = as_path(path)

    def parse(stream: IO[bytes]) -> Trace:
        found = journal.Journal(stream, printable(file.stem), printable(file.name))
        trace = _recorded(found, damaged=True)
        trace.notes.extend(found.notes)
        return trace

    return _read(file, parse, RUN_LIMIT)


def _recorded(found: journal.Journal, damaged: bool = False) -> Trace:
    """The run at hand; of a damaged one, if it may be, what comes before the damage."""
    trace = Trace(found.instance)
    try:
        for record, events in found.records():
            trace.extend_with_record(record, events)
    except InputError as error:
        if not damaged:
            raise
        trace.notes.append(f"{error} What comes before it, {len(trace)} events, is there.")
    trace.state_at(len(trace))  # every event was folded once now: nothing that follows can fail
    return trace


def write_run(path: PathLike, trace: Trace) -> None:
    """Save a run as .gems with the story that is told with it, at once or not at all."""
    file = as_path(path)
    if file.suffix.lower() != RUN_SUFFIX:
        raise InputError(f"{file}: the name of a run must end in {RUN_SUFFIX}.")
    with named(file):
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


def read_text(path: PathLike, limit: int = TEXT_LIMIT) -> str:
    """A small text in UTF-8."""

    def parse(stream: IO[bytes]) -> str:
        try:
            return stream.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError("It is not text in UTF-8.") from error

    return _read(as_path(path), parse, limit)


def read_bytes(path: PathLike, limit: int) -> bytes:
    """All bytes of a file that is no larger than this."""
    return _read(as_path(path), lambda stream: stream.read(), limit)


def stamp(path: PathLike) -> tuple[int, int, int] | None:
    """What differs once somebody has written to a file; None where there is none."""
    try:
        found = os.stat(as_path(path))
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def make_folder(path: PathLike) -> Path:
    """A folder, made with its parents where there is none yet."""
    folder = as_path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made: {reason(error)}.") from error
    return folder


def atomic_write(path: PathLike, data: bytes | Iterable[bytes], wait: bool = True) -> None:
    """Replace a file at once: a reader, a full disk or a crash sees the old file or the new one, never a part.

    The bytes go to a temporary name in the same folder, to the disk, and then to their name. An old file's
    permissions and a symbolic link to it are kept; a failure leaves nothing behind. Who does not wait for the disk may
    lose the file in a power cut: for what can be made again.
    """
    file = as_path(path)
    try:
        goal = Path(os.path.realpath(file))
        old = goal.stat().st_mode if goal.exists() else None
        if old is not None and not stat.S_ISREG(old):
            raise InputError(f"{file}: it is not a file, so it cannot be written over.")
        temporary = goal.with_name(f".{goal.name[:50]}.{secrets.token_hex(8)}.tmp")
        # 50 letters: each may have four bytes. Not tempfile: that would ignore the umask, and the new file would be for
        # its owner only.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.writelines([data] if isinstance(data, bytes) else data)
                stream.flush()
                if wait:
                    os.fsync(stream.fileno())
            if old is not None:
                os.chmod(temporary, stat.S_IMODE(old))
            os.replace(temporary, goal)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        if wait:
            _sync_folder(goal.parent)
    except OSError as error:
        raise InputError(f"{file}: it cannot be written: {reason(error)}.") from error


class NewFolder:
    """A new folder that is there when all of its files are, or not at all.

    Parameters
    ----------
    path : path-like
        Where it shall be: nothing, or an empty folder.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = as_path(path)
        goal = Path(os.path.realpath(self.path))
        try:
            if goal.exists() and not (goal.is_dir() and not any(goal.iterdir())):
                raise InputError(f"{self.path}: it is there already; name a folder that is new or empty.")
            self._goal = goal
            self._temporary = goal.with_name(f".{goal.name[:50]}.{secrets.token_hex(8)}.tmp")
            self._temporary.mkdir()
        except OSError as error:
            raise InputError(f"{self.path}: the folder cannot be made: {reason(error)}.") from error

    def write(self, name: str, data: bytes) -> None:
        """Put a file into it."""
        try:
            (self._temporary / name).write_bytes(data)
        except OSError as error:
            raise InputError(f"{self.path}: {name} cannot be written: {reason(error)}.") from error

    def finish(self) -> None:
        """Give it its name."""
        try:
            if self._goal.is_dir():
                self._goal.rmdir()  # it was empty; what has come into it since is not ours to replace
            os.rename(self._temporary, self._goal)
        except OSError as error:
            self.cancel()
            raise InputError(f"{self.path}: the folder cannot be made: {reason(error)}.") from error
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
        with named(file), open(file, "rb") as stream:
            if os.fstat(stream.fileno()).st_size > limit:
                raise InputError(f"The file is larger than {limit} bytes, the limit for {file.suffix.lower() or 'it'}.")
            return parse(stream)
    except FileNotFoundError as error:
        raise InputError(f"{file}: there is no such file.") from error
    except OSError as error:
        raise InputError(f"{file}: it cannot be read: {reason(error)}.") from error


def _suffix(file: Path, *more: str) -> str:
    suffix = file.suffix.lower()
    if suffix not in (*LIMITS, *more):
        if file.is_dir():
            raise InputError(f"{file} is a folder, not a file.")
        kinds = ".json, .npz, .csv or .npy" if more else ".json, .npz or .csv, or .gems for a run"
        raise InputError(f"{file}: the name must end in {kinds}; it tells the format.")
    return suffix
