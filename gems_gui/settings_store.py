"""The settings file of this user: JSON, because Qt's own settings unpickle data from the file.

A damaged file is renamed, and one of a newer version is not changed.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths

from gems_engine.errors import InputError
from gems_engine.files import atomic_write, exclusive, make_folder, read_bytes
from gems_engine.formats.json_format import parse_json

VERSION = 1
_NAME = "gems-lab"
_VERSION, _TOLD = "version", "told"
_MOST = 2**24  # largest size in bytes


@dataclass(frozen=True)
class Remark:
    """A remark about the settings.

    Attributes
    ----------
    as_message
        Whether to show it and not only log it, because the user has not seen it yet.
    """

    sentence: str
    as_message: bool = True


def settings_file(suffix: str = "") -> Path:
    """The path of the settings file of this user."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Path(folder) / _NAME / f"settings{suffix}.json"


class SettingsStore:
    """Plain values by name in a file with a version, and remarks about the file.

    Attributes
    ----------
    remarks
        Remarks about the file for the user.
    set_listener
        Called with each later remark; None if there is no listener yet.
    """

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self.set_listener: Callable[[Remark], None] | None = None
        self._file = settings_file()
        self._values = self._read()
        self._unwritten: set[str] = set()  # values that apply only in this window
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
            atomic_write(copy, data, private=True)
            kept = f"were saved as {copy}"
        except InputError as error:
            kept = f"could not be saved ({str(error).rstrip('.')})"
        self._remark(f"The settings in {self._file} are damaged. They {kept}; default settings are used.")

    def _leave(self, version: int) -> None:
        """Use a separate file if the settings were written by a newer version, whose names may differ in meaning."""
        newer, self._file = self._file, settings_file(f"-{VERSION}")
        self._values = self._read()
        aloud = self._values.get(_TOLD) != version
        if aloud:
            self.set_value(_TOLD, version)
        self._remark(self._newer(newer, version), aloud)

    def _leave_now(self, version: int) -> None:
        """Use a separate file from now on, because a newer version has written the file since this window opened."""
        newer, self._file = self._file, settings_file(f"-{VERSION}")
        if newer == self._file:
            return  # created by another program; changes apply only in this window
        self._values = {**self._read(), **self._values}
        if self.set_listener is not None:  # otherwise it is shown at the next start
            self._values[_TOLD] = version
        with contextlib.suppress(InputError):  # the value applies in this window
            self._write(self._values)
        self._remark(self._newer(newer, version))

    def _newer(self, file: Path, version: int) -> str:
        return (
            f"The settings in {file} were written by a newer version of this program (settings version {version}, this "
            f"one reads {VERSION}). They are not changed; this version uses {self._file}."
        )

    def look_at_writing(self) -> None:
        """Add a remark if the file cannot be written; this reads the disk, so it is not done during startup."""
        there = next(each for each in self._file.parents if each.exists())  # folders below it can be created
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            sentence = f"Cannot write the settings to {self._file}. Changes apply only until the window is closed."
            self._remark(sentence)

    def _write(self, values: dict[str, Any]) -> None:
        make_folder(self._file.parent, private=True)
        atomic_write(self._file, json.dumps(values, indent=1).encode(), wait=False, private=True)

    def _remark(self, sentence: str, aloud: bool = True) -> None:
        remark = Remark(sentence, aloud)
        self.remarks.append(remark)
        if self.set_listener is not None:
            self.set_listener(remark)

    def value(self, name: str, default: Any = None) -> Any:
        """The value read at the start, or set since; of any type."""
        return self._values.get(name, default)

    def change_value(self, name: str, change: Callable[[Any], Any]) -> None:
        """Save what a function makes of the value in the file now, which another window may have changed."""
        with self._alone():
            others = self._others()
            if name in others and name not in self._unwritten and _version_in(others) <= VERSION:
                self._values[name] = others[name]
            self._set(name, change(self.value(name)))

    def _others(self) -> dict[str, Any]:
        """The values in the file now, from any window; empty if it cannot be read."""
        try:
            return _values_in(read_bytes(self._file, _MOST)) if self._file.exists() else {}
        except InputError:
            return {}

    def set_value(self, name: str, value: Any) -> None:
        """Save a plain value; values that another window has changed are kept."""
        with self._alone():
            self._set(name, value)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other window write the file between reading and writing it."""
        with contextlib.suppress(InputError):  # reported with the values
            make_folder(self._file.parent, private=True)
        with exclusive(self._file.with_suffix(".lock")):
            yield

    def _set(self, name: str, value: Any) -> None:
        if name in self._values and self._values[name] == value:
            return
        self._values[name] = value
        self._values.setdefault(_VERSION, VERSION)
        others = self._others()
        if (version := _version_in(others)) > VERSION:
            self._leave_now(version)
            return
        self._unwritten.add(name)
        with contextlib.suppress(InputError):  # the value applies in this window, as said at its start
            self._write({**others, _VERSION: VERSION, name: value} if others else self._values)
            self._unwritten.discard(name)


def _values_in(data: bytes) -> dict[str, Any]:
    """The values in a file by name.

    Raises
    ------
    InputError
        If the file is damaged.
    """
    values = parse_json(data)
    if not isinstance(values, dict):
        raise InputError("It is not an object.")
    return values


def _version_in(values: dict[str, Any]) -> int:
    """The version that wrote the settings, in any notation; 0 if it is missing or invalid."""
    found = values.get(_VERSION, 0)
    if isinstance(found, int):
        return 0 if isinstance(found, bool) else found
    try:
        return math.ceil(float(found)) if isinstance(found, float | str) else 0
    except (ValueError, OverflowError):  # not a number, or not finite
        return 0
