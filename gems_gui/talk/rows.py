"""Where views stand on a stage, and how large everything is there; knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence

ALONE = ("survivors", "dimension", "recommendation")
"""Views of a moment that names none, where none are in sight."""
_HALL = (1920.0, 1080.0)
_SCALES = ((2, 2.0), (4, 1.75), (6, 1.5))
_LEAST_SCALE = 1.25


def rows_of(views: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Views in rows, in their order: two side by side; of an odd number the first has a row of its own."""
    names = tuple(views)
    if len(names) % 2:
        return (names[:1], *(names[at : at + 2] for at in range(1, len(names), 2)))
    return tuple(names[at : at + 2] for at in range(0, len(names), 2))


def scale_of(width: int, height: int, views: int) -> float:
    """The scale of text at which the last row can read the numbers of an axis: a fiftieth of the height, and more.

    Many views leave less room for each, so that their text is smaller; a picture of half the size has half of it.
    """
    part = min(width / _HALL[0], height / _HALL[1])
    scale = next((scale for most, scale in _SCALES if views <= most), _LEAST_SCALE)
    return max(round(scale * part, 2), 0.5)
