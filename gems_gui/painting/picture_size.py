"""The size of a picture as people write it; knows no Qt."""

from __future__ import annotations

import re

from gems_engine.errors import InputError
from gems_gui.painting.limits import LEAST_SIDE, MOST_PIXELS


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
