"""Names of files: checks, printable forms, and prefixes of error messages."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from gems_engine.errors import InputError
from gems_engine.features import MAX_NAME

PathLike = str | os.PathLike[str]


@contextlib.contextmanager
def named(file: Path) -> Iterator[None]:
    """Prefix InputErrors raised inside with the name of a file."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def as_path(path: PathLike) -> Path:
    """The path, if it is valid."""
    file = Path(path)
    if "\0" in str(file):
        raise InputError("A file name cannot contain a zero byte.")
    return file


def printable(name: str) -> str:
    """The name of a file as the name of an instance."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)[:MAX_NAME]


def make_private(path: Path) -> None:
    """Let only its owner read a file or folder, as far as the file system knows permissions."""
    with contextlib.suppress(OSError):  # of another user, who decides
        os.chmod(path, 0o700 if path.is_dir() else 0o600)


def reason(error: OSError) -> str:
    """The system's error message, as the end of a sentence."""
    return (error.strerror or type(error).__name__).lower()
