"""Arguments that several of these commands share, and the refusal to start."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from gems_engine.errors import InputError
from gems_gui.start_checks import NO_WINDOW

MOST_PIXELS = 10**8
"""Of one picture: 400 MB while it is painted."""


def picture_size(text: str, least: int = 200) -> tuple[int, int]:
    """Width and height of a word such as 1600x1000."""
    match = re.fullmatch(r"\s*(\d{1,6})\s*[x×X]\s*(\d{1,6})\s*", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if min(size) < least or size[0] * size[1] > MOST_PIXELS:
        raise InputError(
            f"--size {text!r} is not allowed: it must be WIDTHxHEIGHT in pixels, as in 1600x1000, each at least "
            f"{least} and together at most {MOST_PIXELS // 10**6} million."
        )
    return size


def picture_file(text: str, option: str) -> Path:
    """A name for a picture that can be written: it ends in .png and its folder is there."""
    file = Path(text)
    if file.suffix.lower() != ".png":
        raise InputError(f"{option} {text}: the name of a picture must end in .png.")
    if not file.parent.is_dir():
        raise InputError(f"{option} {text}: there is no folder {file.parent}.")
    return file


def refuse(obstacle: str) -> int:
    """Say why this cannot start, and give the exit code for it."""
    print(f"gems: {obstacle}", file=sys.stderr)
    return NO_WINDOW
