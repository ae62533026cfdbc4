"""Where views stand on a stage, and how large everything is there; knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

BOARD = "board"
"""Stands for the views in sight, or in a command those of the first layout, where a view would be named."""
ALONE = ("survivors", "dimension", "recommendation")
"""Views of a moment that names none, where none are in sight."""
TALL = "pseudocode"
"""The view with the most lines: next to others it has the whole height."""
_LEFT, _RIGHT = 4, 3  # columns of a grid for all others, and for the tall one
_HALL = (1920.0, 1080.0)
_SCALES = ((2, 2.0), (4, 1.75), (6, 1.5))
_LEAST_SCALE = 1.25


def rows_of(views: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Views in rows, in their order: two side by side; of an odd number the first has a row of its own."""
    names = tuple(views)
    if len(names) % 2:
        return (names[:1], *(names[at : at + 2] for at in range(1, len(names), 2)))
    return tuple(names[at : at + 2] for at in range(0, len(names), 2))


Cell = tuple[int, int, int, int]
"""A place in a grid: the first row, the first column, how many rows and how many columns."""


def cells_of(rows: Sequence[Sequence[str]]) -> dict[str, Cell]:
    """Where the views of rows are in a grid: each row is as wide as the others."""
    columns = lcm(*map(len, rows))
    return {
        name: (at, place * columns // len(row), 1, columns // len(row))
        for at, row in enumerate(rows)
        for place, name in enumerate(row)
    }


def projector_cells(views: Sequence[str]) -> dict[str, Cell]:
    """Where views are on a stage: in their rows, and next to them the tall one if it is among them."""
    others = [name for name in views if name != TALL]
    if TALL not in views or not others:
        return cells_of(rows_of(views))
    rows = [(name,) for name in others] if len(others) == 2 else rows_of(others)
    left = cells_of(rows)
    wide = _LEFT // max(column + columns for _, column, _, columns in left.values())
    cells = {name: (row, column * wide, 1, columns * wide) for name, (row, column, _, columns) in left.items()}
    return {**cells, TALL: (0, _LEFT, len(rows), _RIGHT)}


def scale_of(width: int, height: int, views: int) -> float:
    """The scale of text at which the last row can read the numbers of an axis: a fiftieth of the height, and more.

    Many views leave less room for each, so that their text is smaller; a picture of half the size has half of it.
    """
    part = min(width / _HALL[0], height / _HALL[1])
    scale = next((scale for most, scale in _SCALES if views <= most), _LEAST_SCALE)
    return max(round(scale * part, 2), 0.5)
