"""The file of this user's settings: JSON, because Qt's own settings unpickle what a file tells them to.

A damaged file is put aside, and one of a newer version is left as it is.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths

from gems_engine.errors import InputError
from gems_engine.files import atomic_write, make_folder, read_bytes
from gems_engine.formats.json_format import parse_json

VERSION = 1
_NAME = "gems-lab"
_VERSION, _TOLD = "version", "told"
_MOST = 2**24  # bytes that settings may have


@dataclass(frozen=True)
class Remark:
    """A sentence about the settings.

    Attributes
    ----------
    as_message
        Whether it is to be said, and not only written down: the user has not heard it yet.
    """

    sentence: str
    as_message: bool = True


def settings_file(suffix: str = "") -> Path:
    """Where the settings of this user are."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Path(folder) / _NAME / f"settings{suffix}.json"


class SettingsStore:
    """Plain values by name in a file, with a version and remarks about them.

    Attributes
    ----------
    remarks
        What the user should know about the file.
    set_listener
        Called with each remark that comes later; None while nobody is there to whom it could be said.
    """

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self.set_listener: Callable[[Remark], None] | None = None
        self._file = settings_file()
        self._values = self._read()
        self._unwritten: set[str] = set()  # what holds in this window alone
        version = _version_in(self._values)
        if version > VERSION:
            self._leave(version)

    def _read(self) -> dict[str, Any]:
        if not self._file.exists():
            return {}
        try:
            data = read_bytes(self._file, _MOST)
        except InputError as error:
            self._remark(str(error))
            return {}
        try:
            return _values_in(data)
        except InputError:
            self._put_aside(data)
            return {}

    def _put_aside(self, data: bytes) -> None:
        copy = f"{self._file}.damaged"
        try:
            atomic_write(copy, data)
            kept = f"are kept as {copy}"
        except InputError as error:
            kept = f"could not be kept ({str(error).rstrip('.')})"
        self._remark(f"{self._file}: the settings are damaged; they {kept}, and those of a first start hold.")

    def _leave(self, version: int) -> None:
        """Keep our own settings beside those of a newer version, whose names may mean something else."""
        newer, self._file = self._file, settings_file(f"-{VERSION}")
        self._values = self._read()
        aloud = self._values.get(_TOLD) != version
        if aloud:
            self.set_value(_TOLD, version)
        self._remark(self._newer(newer, version), aloud)

    def _leave_now(self, version: int) -> None:
        """Do so from now on: a newer version has written the file since this window began."""
        newer, self._file = self._file, settings_file(f"-{VERSION}")
        if newer == self._file:
            return  # somebody has put it there; what changes holds in this window
        self._values = {**self._read(), **self._values}
        if self.set_listener is not None:  # else it is said at the next start
            self._values[_TOLD] = version
        with contextlib.suppress(InputError):  # it holds in this window
            self._write(self._values)
        self._remark(self._newer(newer, version))

    def _newer(self, file: Path, version: int) -> str:
        return (
            f"{file}: the settings were written by a newer version of this program (settings version {version}, this "
            f"one reads {VERSION}); they stay as they are, and this version keeps its own in {self._file}."
        )

    def look_at_writing(self) -> None:
        """Remark if nothing can be kept; that takes a look at the disk, which a start does not wait for."""
        there = next(each for each in self._file.parents if each.exists())  # the folders below it can be made
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            sentence = f"{self._file}: the settings cannot be written, so that changes hold until the window is closed."
            self._remark(sentence)

    def _write(self, values: dict[str, Any]) -> None:
        make_folder(self._file.parent)
        atomic_write(self._file, json.dumps(values, indent=1).encode(), wait=False)

    def _remark(self, sentence: str, aloud: bool = True) -> None:
        remark = Remark(sentence, aloud)
        self.remarks.append(remark)
        if self.set_listener is not None:
            self.set_listener(remark)

    def value(self, name: str, default: Any = None) -> Any:
        """What stood there when this window began, or was kept since; of whatever type."""
        return self._values.get(name, default)

    def value_now(self, name: str, default: Any = None) -> Any:
        """What stands there at this moment, by whichever window: for what is added to, not replaced."""
        others = self._others()
        if name in others and name not in self._unwritten and _version_in(others) <= VERSION:
            self._values[name] = others[name]
        return self.value(name, default)

    def _others(self) -> dict[str, Any]:
        """What the file has now, by whichever window; empty where it cannot be read."""
        try:
            return _values_in(read_bytes(self._file, _MOST)) if self._file.exists() else {}
        except InputError:
            return {}

    def set_value(self, name: str, value: Any) -> None:
        """Remember a plain value; what another window has changed meanwhile stays as it left it."""
        if name in self._values and self._values[name] == value:
            return
        self._values[name] = value
        self._values.setdefault(_VERSION, VERSION)
        others = self._others()
        if (version := _version_in(others)) > VERSION:
            self._leave_now(version)
            return
        self._unwritten.add(name)
        with contextlib.suppress(InputError):  # it holds in this window; that was said at its start
            self._write({**others, _VERSION: VERSION, name: value} if others else self._values)
            self._unwritten.discard(name)


def _values_in(data: bytes) -> dict[str, Any]:
    """What a file has by name.

    Raises
    ------
    InputError
        If it is damaged.
    """
    values = parse_json(data)
    if not isinstance(values, dict):
        raise InputError("It is not an object.")
    return values


def _version_in(values: dict[str, Any]) -> int:
    """The version that wrote the settings, however it is written; 0 where they do not say it, or something else."""
    found = values.get(_VERSION, 0)
    if isinstance(found, int):
        return 0 if isinstance(found, bool) else found
    try:
        return math.ceil(float(found)) if isinstance(found, float | str) else 0
    except (ValueError, OverflowError):  # no number, or none that ends
        return 0
