"""The numbers that a view shows, as a table: column names and rows of plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.formats.csv_cells import csv_text
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import Snapshot


class Table(NamedTuple):
    """A table; a cell is a number, a text, True or False, or None if it is empty."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class Tabled(Protocol):
    """A series that can be written as a table."""

    def table(self, snapshot: Snapshot) -> Table:
        """The drawn values, in the order in which they are drawn."""


class Plotted(Tabled, Protocol):
    """A series that a plot draws."""

    @property
    def subtitle(self) -> Phrasings:
        """What the plot shows, next to its title."""

    @property
    def placeholder(self) -> str | Phrasings:
        """Why there is nothing to draw; empty if there is."""


class TextRow:
    """A row of a table on the screen."""

    @property
    def merged(self) -> bool:
        """Whether the second cell takes the rest of the row."""
        return False

    def texts(self) -> tuple[str, ...]:
        """The text of each cell."""
        raise NotImplementedError

    def tip(self, column: int) -> str:
        """An explanation of a cell; its first line is also the text for screen readers."""
        return ""

    def role(self, column: int) -> str:
        """The role of a cell's colour; empty for that of all text."""
        return ""

    def bold(self, column: int) -> bool:
        """Whether a cell is bold."""
        return False


def by_columns(columns: Mapping[str, np.ndarray | Sequence[Any]]) -> Table:
    """A table of columns of equal length."""
    plain = [each.tolist() if isinstance(each, np.ndarray) else list(each) for each in columns.values()]
    return Table(tuple(columns), list(zip(*plain, strict=True)))


def masked(values: ArrayLike, there: ArrayLike | bool) -> list[Any]:
    """A column in which some cells are empty."""
    array = np.asarray(values)
    known = np.broadcast_to(np.asarray(there, dtype=bool), array.shape)
    return [value if is_there else None for value, is_there in zip(array.tolist(), known.tolist(), strict=True)]


def as_csv(table: Table) -> str:
    """A table as CSV; numbers have all their digits."""
    return csv_text([table.columns, *table.rows])
