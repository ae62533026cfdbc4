"""The export formats, one module each, and their registry.

To add one, write a module with a `Format` and add a line to `_FORMATS`. A format is imported when it is needed, because
it imports Qt, which :mod:`gems_gui.painting.frames` does not.
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
    ".html": "html:Html",
    ".csv": "csv_table:Csv",
    "": "numbered:Numbered",
}
FILMS = (".gif", ".mp4")
"""Film formats."""
PAGE = ".html"
"""The page to share, whose pictures show one view each."""
SUFFIXES = tuple(_FORMATS)
"""All formats by the suffix of their files, in the order in which they are offered; a folder has an empty suffix."""


def format_by_suffix(suffix: str) -> Format:
    """The format for a suffix."""
    module, _, name = _FORMATS[suffix].partition(":")
    made: Format = getattr(import_module(f"gems_gui.painting.{module}"), name)()
    return made


def suffix_of(file: Path) -> str:
    """The suffix that determines a file's format; an InputError if there is no such format."""
    suffix = file.suffix.lower()
    if suffix not in _FORMATS:
        known = [each for each in _FORMATS if each]
        raise InputError(
            f"Cannot write {file}: the name must end in {', '.join(known[:-1])} or {known[-1]}, or have no suffix "
            "for a folder of numbered pictures."
        )
    return suffix
