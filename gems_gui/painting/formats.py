"""Formats of files that a run can be exported to, one file each, and their registry.

A new one is a file with a `Format` and a line in `_FORMATS`. A format is imported when it is asked for: it brings Qt,
which :mod:`gems_gui.painting.frames` does not.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from gems_engine.errors import InputError

if TYPE_CHECKING:
    from gems_gui.painting.format import Format

_FORMATS = {
    ".png": "png:Png",
    ".svg": "svg:Svg",
    ".pdf": "pdf:Pdf",
    ".gif": "gif:Gif",
    ".mp4": "mp4:Mp4",
    ".csv": "csv_table:Csv",
    "": "numbered:Numbered",
}
FILMS = (".gif", ".mp4")
"""Formats that play."""
SUFFIXES = tuple(_FORMATS)
"""All formats by what the names of their files end in, in the order in which they are offered; a folder has nothing."""


def format_by_suffix(suffix: str) -> Format:
    """The format of such files."""
    module, _, name = _FORMATS[suffix].partition(":")
    made: Format = getattr(import_module(f"gems_gui.painting.{module}"), name)()
    return made


def suffix_of(file: Path) -> str:
    """The suffix that tells a file's format; an InputError where there is no such format."""
    suffix = file.suffix.lower()
    if suffix not in _FORMATS:
        known = [each for each in _FORMATS if each]
        raise InputError(
            f"{file}: the name must end in {', '.join(known[:-1])} or {known[-1]}, or in nothing for a folder of "
            "numbered pictures."
        )
    return suffix
