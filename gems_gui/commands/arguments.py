"""Arguments that several of these commands share, and the exit if a command cannot start."""

from __future__ import annotations

import sys
from pathlib import Path

from gems_engine.errors import InputError
from gems_gui.painting.formats import suffix_of
from gems_gui.start_checks import NO_WINDOW

STORIES = "assets/stories"
"""The folder of the story files in a checkout."""
WHAT_HAPPENED = "\0"
"""A caption that says what has happened; it cannot be typed by a user."""


def picture_file(text: str, option: str) -> Path:
    """The path of a picture; raises an InputError if it does not end in .png or its folder does not exist."""
    file = Path(text)
    if file.suffix.lower() != ".png":
        raise InputError(f"{option} {text}: the file name must end in .png.")
    return _in_a_folder(file, option)


def export_file(text: str) -> Path:
    """The path of an export; raises an InputError if its suffix is unknown or its folder does not exist."""
    file = Path(text)
    suffix_of(file)
    return _in_a_folder(file, "-o")


def _in_a_folder(file: Path, option: str) -> Path:
    if not file.parent.is_dir():
        raise InputError(f"{option} {file}: the folder {file.parent} does not exist.")
    return file


def refuse(obstacle: str) -> int:
    """Print why the command cannot start, and return its exit code."""
    print(f"gems: {obstacle}", file=sys.stderr)
    return NO_WINDOW
