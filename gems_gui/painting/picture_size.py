"""The size of a picture as text; does not import Qt."""

from __future__ import annotations

import re

from gems_engine.errors import InputError, quoted
from gems_gui.painting.limits import DPI, LEAST_INCHES, LEAST_SIDE, MOST_INCHES, MOST_PIXELS

PAPER_SIZES = {
    "icml-column": (3.25, 2.2),
    "icml-page": (6.75, 2.6),
    "neurips": (5.5, 2.6),
    "jmlr": (6.0, 2.8),
    "ieee-column": (3.5, 2.3),
    "ieee-page": (7.16, 2.8),
    "acm-column": (3.33, 2.2),
    "acm-page": (7.0, 2.8),
}
"""Width and height in inches of figures in common formats, one column or the whole page wide."""
PAPER_SIZE = "icml-column"
"""The default size on paper."""
_CM = 2.54  # in an inch


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


def paper_size(text: str, what: str = "--size") -> tuple[float, float]:
    """Width and height in inches from a text such as 3.25x2.2in, 8.5x6cm or icml-column."""
    if text.strip().lower() in PAPER_SIZES:
        return PAPER_SIZES[text.strip().lower()]
    match = re.fullmatch(r"\s*(\d{1,3}(?:\.\d{1,4})?)\s*[x×X]\s*(\d{1,3}(?:\.\d{1,4})?)\s*(in|cm)\s*", text)
    unit = _CM if match and match[3] == "cm" else 1.0
    size = (float(match[1]) / unit, float(match[2]) / unit) if match else (0.0, 0.0)
    if min(size) < LEAST_INCHES or max(size) > MOST_INCHES:
        raise InputError(
            f"{what} {quoted(text)} is not valid. Write WIDTHxHEIGHT with a unit, such as 3.25x2.2in or "
            f"8.5x6cm, each from {LEAST_INCHES:g} to {MOST_INCHES:g} inches, or one of {', '.join(PAPER_SIZES)}."
        )
    return size


def in_pixels(inches: tuple[float, float]) -> tuple[int, int]:
    """Width and height in pixels before the scale of a picture on paper."""
    return round(inches[0] * DPI), round(inches[1] * DPI)
