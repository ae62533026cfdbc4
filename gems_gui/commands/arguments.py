"""Arguments that several of these commands share, and the refusal to start."""

from __future__ import annotations

import sys
from pathlib import Path

from gems_engine.errors import InputError
from gems_gui.painting.formats import suffix_of
from gems_gui.start_checks import NO_WINDOW

STORIES = "assets/stories"
"""Where a checkout has the files of the stories."""
WHAT_HAPPENED = "\0"
"""The caption that says what has happened: none that could be typed."""


def picture_file(text: str, option: str) -> Path:
    """A name for a picture that can be written: it ends in .png and its folder is there."""
    file = Path(text)
    if file.suffix.lower() != ".png":
        raise InputError(f"{option} {text}: the name of a picture must end in .png.")
    return _in_a_folder(file, option)


def export_file(text: str) -> Path:
    """A name for an export that can be written: its suffix is one of a format, and its folder is there."""
    file = Path(text)
    suffix_of(file)
    return _in_a_folder(file, "-o")


def _in_a_folder(file: Path, option: str) -> Path:
    if not file.parent.is_dir():
        raise InputError(f"{option} {file}: there is no folder {file.parent}.")
    return file


def refuse(obstacle: str) -> int:
    """Say why this cannot start, and give the exit code for it."""
    print(f"gems: {obstacle}", file=sys.stderr)
    return NO_WINDOW
