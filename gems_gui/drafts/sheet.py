"""An immutable table of numbers; cells that are not numbers are kept as text; independent of Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gems_engine.arrays import Floats, frozen
from gems_engine.errors import InputError
from gems_engine.features import check_size
from gems_engine.formats.spreadsheet import number_in
from gems_gui.drafts.pasting import why_bad

NEW = -1
"""Denotes a new row or column of zeros in an order of rows or columns."""


@dataclass(frozen=True, eq=False)
class NumberGrid:
    """A table of cells.

    Attributes
    ----------
    values : array of shape (rows, columns)
        NaN where a cell is not a number.
    bad
        The texts of those cells by (row, column).
    """

    values: Floats
    bad: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def text(self, row: int, column: int) -> str:
        """A cell as typed, or its number with all digits."""
        bad = self.bad.get((row, column))
        return repr(float(self.values[row, column])) if bad is None else bad

    def reason(self, row: int, column: int) -> str:
        """The error of a cell, in one sentence; empty if it is valid."""
        bad = self.bad.get((row, column))
        return "" if bad is None else why_bad(bad)

    def with_cell(self, row: int, column: int, text: str) -> NumberGrid:
        """The sheet with another text in a cell, whether it is a number or not."""
        values, bad = np.array(self.values), dict(self.bad)
        bad.pop((row, column), None)
        try:
            values[row, column] = number_in(text)
        except InputError:
            values[row, column], bad[row, column] = math.nan, text.strip()
        return NumberGrid(frozen(values), bad)

    def with_row(self, row: int, numbers: Sequence[float] | Floats) -> NumberGrid:
        """The sheet with other numbers in a row."""
        values = np.array(self.values)
        values[row] = numbers
        return NumberGrid(frozen(values), {cell: text for cell, text in self.bad.items() if cell[0] != row})

    def with_block(self, row: int, column: int, values: Floats, bad: Mapping[tuple[int, int], str]) -> NumberGrid:
        """The sheet with other cells from a position on, which must fit."""
        mine = np.array(self.values)
        height, width = values.shape
        mine[row : row + height, column : column + width] = values
        kept = {
            (i, j): text
            for (i, j), text in self.bad.items()
            if not (row <= i < row + height and column <= j < column + width)
        }
        return NumberGrid(frozen(mine), kept | {(row + i, column + j): text for (i, j), text in bad.items()})

    def rows(self, order: Sequence[int]) -> NumberGrid:
        """These rows in this order; `NEW` is a row of zeros."""
        check_size(len(order), self.shape[1], "cells")
        places = _places(order)
        bad = {(new, j): text for (i, j), text in self.bad.items() for new in places.get(i, ())}
        return NumberGrid(frozen(_taken(self.values, order)), bad)

    def columns(self, order: Sequence[int]) -> NumberGrid:
        """These columns in this order; `NEW` is a column of zeros."""
        check_size(self.shape[0], len(order), "cells")
        places = _places(order)
        bad = {(i, new): text for (i, j), text in self.bad.items() for new in places.get(j, ())}
        return NumberGrid(frozen(_taken(self.values.T, order).T), bad)


def _taken(values: Floats, order: Sequence[int]) -> Floats:
    source = np.asarray(order, dtype=np.int64)
    taken = np.zeros((len(source), values.shape[1]))
    taken[source != NEW] = values[source[source != NEW]]
    return taken


def _places(order: Sequence[int]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for new, old in enumerate(order):
        places.setdefault(old, []).append(new)
    return places


# -- orders ---------------------------------------------------------------------------------------------------------


def inserted(length: int, at: int, count: int = 1) -> list[int]:
    """The order with new ones before `at`."""
    return [*range(at), *[NEW] * count, *range(at, length)]


def duplicated(length: int, picked: Iterable[int]) -> list[int]:
    """The order with copies of the picked ones after the last of them."""
    copies = sorted(set(picked))
    after = copies[-1] + 1 if copies else length
    return [*range(after), *copies, *range(after, length)]


def removed(length: int, picked: Iterable[int]) -> list[int]:
    """The order without the picked ones."""
    gone = set(picked)
    return [each for each in range(length) if each not in gone]


def moved(length: int, picked: Iterable[int], by: int) -> list[int]:
    """The order with the picked ones moved together by a number of places, at most to an end."""
    block = sorted(set(picked))
    if not block:
        return list(range(length))
    rest = removed(length, block)
    at = min(max(block[0] + by, 0), len(rest))
    return [*rest[:at], *block, *rest[at:]]
