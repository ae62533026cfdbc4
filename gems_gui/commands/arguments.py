"""Arguments that several of these commands share, and the refusal to start."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from gems_engine.errors import InputError
from gems_gui.painting.formats import suffix_of
from gems_gui.painting.limits import LEAST_SIDE, MOST_PIXELS
from gems_gui.start_checks import NO_WINDOW


def picture_size(text: str, what: str = "--size") -> tuple[int, int]:
    """Width and height of a word such as 1600x1000; who says it is for a complaint."""
    match = re.fullmatch(r"\s*(\d{1,6})\s*[x×X]\s*(\d{1,6})\s*", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if min(size) < LEAST_SIDE or size[0] * size[1] > MOST_PIXELS:
        raise InputError(
            f"{what} {text!r} is not allowed: it must be WIDTHxHEIGHT in pixels, as in 1600x1000, each at least "
            f"{LEAST_SIDE} and together at most {MOST_PIXELS // 10**6} million."
        )
    return size


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
