"""The size of a picture as text; does not import Qt."""

from __future__ import annotations

import re

from gems_engine.errors import InputError, quoted
from gems_gui.painting.limits import LEAST_SIDE, MOST_PIXELS


def picture_size(text: str, what: str = "--size") -> tuple[int, int]:
    """Width and height from a text such as 1600x1000; ``what`` is the name of the option, for error messages."""
    match = re.fullmatch(r"\s*(\d{1,6})\s*[x×X]\s*(\d{1,6})\s*", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if min(size) < LEAST_SIDE or size[0] * size[1] > MOST_PIXELS:
        raise InputError(
            f"{what} {quoted(text)} is not valid. Write WIDTHxHEIGHT in pixels, such as 1600x1000; each at least "
            f"{LEAST_SIDE}, at most {MOST_PIXELS // 10**6} million pixels in total."
        )
    return size
