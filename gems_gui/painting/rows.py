"""The arrangement of views on a stage, and their text size; does not import Qt."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

BOARD = "board"
"""Placeholder for the visible views, or in a command those of the first layout."""
ALONE = ("survivors", "recommendation")
"""Views of a moment that names none, if none are visible."""
TALL = "pseudocode"
"""The view with the most lines: next to others, it has the full height."""
_LEFT, _RIGHT = 4, 3  # columns of the grid for all other views, and for the tall one
_PARTS = ((2, 28), (4, 40), (6, 50))  # the largest number of views, and text as a part of the height
_LEAST_PART = 60
_LEAST_TEXT = 6.0  # pixels


def rows_of(views: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Views in rows, in their order: two side by side; with an odd number, the first has its own row."""
    names = tuple(views)
    if len(names) % 2:
        return (names[:1], *(names[at : at + 2] for at in range(1, len(names), 2)))
    return tuple(names[at : at + 2] for at in range(0, len(names), 2))


Cell = tuple[int, int, int, int]
"""A cell of a grid: first row, first column, number of rows and number of columns."""


def cells_of(rows: Sequence[Sequence[str]]) -> dict[str, Cell]:
    """The grid cells of the views in rows: all rows have the same width."""
    columns = lcm(*map(len, rows))
    return {
        name: (at, place * columns // len(row), 1, columns // len(row))
        for at, row in enumerate(rows)
        for place, name in enumerate(row)
    }


def projector_cells(views: Sequence[str]) -> dict[str, Cell]:
    """The grid cells of views on a stage: in their rows, with the tall one next to them if it is among them."""
    others = [name for name in views if name != TALL]
    if TALL not in views or not others:
        return cells_of(rows_of(views))
    rows = [(name,) for name in others] if len(others) == 2 else rows_of(others)
    left = cells_of(rows)
    wide = _LEFT // max(column + columns for _, column, _, columns in left.values())
    cells = {name: (row, column * wide, 1, columns * wide) for name, (row, column, _, columns) in left.items()}
    return {**cells, TALL: (0, _LEFT, len(rows), _RIGHT)}


def hall_text(width: int, height: int, views: int) -> float:
    """The size in pixels of text in plots that is readable from the last row: 1/28 of the height of the picture.

    With more than two views there is less space for each, so the text is smaller. A picture that is higher than 4:3 has
    the text of one of its width.
    """
    part = next((part for most, part in _PARTS if views <= most), _LEAST_PART)
    return max(min(height, 3 * width / 4) / part, _LEAST_TEXT)
