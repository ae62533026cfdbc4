"""Names of files: checked, made printable, and put before what is complained about."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from gems_engine.errors import InputError
from gems_engine.features import MAX_NAME

PathLike = str | os.PathLike[str]


@contextlib.contextmanager
def named(file: Path) -> Iterator[None]:
    """Put the name of a file before what is complained about inside."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def as_path(path: PathLike) -> Path:
    """The path, if it can be one."""
    file = Path(path)
    if "\0" in str(file):
        raise InputError("A file's name cannot contain a zero byte.")
    return file


def printable(name: str) -> str:
    """A file's name as a name of an instance."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)[:MAX_NAME]


def reason(error: OSError) -> str:
    """What the system says, to end a sentence with."""
    return (error.strerror or type(error).__name__).lower()
