"""Opens the settings of this user: a damaged file is put aside first, and one of a newer version is left as it is.

Versions: 0 and 1 have the same names and values; from 1 on the file says which it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QSettings

from gems_engine.errors import InputError
from gems_engine.files import atomic_write, read_bytes

VERSION = 1
_NAME = "gems-lab"
_VERSION, _TOLD = "version", "told"
_MOST = 2**24  # bytes of a damaged file that are put aside


@dataclass(frozen=True)
class Remark:
    """A sentence about the settings.

    Attributes
    ----------
    aloud
        Whether it is to be said, and not only written down: the user has not heard it yet.
    """

    sentence: str
    aloud: bool = True


class SettingsStore:
    """Qt's settings, with a version and remarks about them.

    Attributes
    ----------
    remarks
        What the user should know about the file.
    """

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self._qt = QSettings(_NAME, _NAME)
        self._qt.allKeys()  # only now is the file read
        if self._qt.status() == QSettings.Status.FormatError:
            self._put_aside(self._qt.fileName())
        version = _version_in(self._qt)
        if version > VERSION:
            self._leave(version)

    def _put_aside(self, file: str) -> None:
        copy = f"{file}.damaged"
        try:
            atomic_write(copy, read_bytes(file, _MOST))
            kept = f"it is kept as {copy}"
        except InputError as error:
            kept = f"it could not be kept ({str(error).rstrip('.')})"
        self._remark(f"{file}: the settings are damaged; what could be read of them holds, and {kept}.")

    def _leave(self, version: int) -> None:
        """Keep our own settings beside those of a newer version, whose names may mean something else."""
        file = self._qt.fileName()
        self._qt = QSettings(_NAME, f"{_NAME}-{VERSION}")
        aloud = self._qt.value(_TOLD) != str(version)
        if aloud:
            self.keep(_TOLD, str(version))
        self._remark(
            f"{file}: the settings were written by a newer version of this program (settings version {version}, this "
            f"one reads {VERSION}); they stay as they are, and this version keeps its own in {self._qt.fileName()}.",
            aloud,
        )

    def look_at_writing(self) -> None:
        """Remark if nothing can be kept; that takes a look at the disk, which a start does not wait for."""
        if not self._qt.isWritable():
            file = self._qt.fileName()
            self._remark(f"{file}: the settings cannot be written, so that changes hold until the window is closed.")

    def _remark(self, sentence: str, aloud: bool = True) -> None:
        self.remarks.append(Remark(sentence, aloud))

    def value(self, name: str, default: Any = None) -> Any:
        """What stands there, of whatever type."""
        return self._qt.value(name, default)

    def keep(self, name: str, value: Any) -> None:
        """Remember a value."""
        if self._qt.value(_VERSION) is None:
            self._qt.setValue(_VERSION, VERSION)
        self._qt.setValue(name, value)


def _version_in(store: QSettings) -> int:
    """The version that wrote the settings; 0 where they do not say it, or something else."""
    try:
        return int(str(store.value(_VERSION, 0)))
    except ValueError:
        return 0
