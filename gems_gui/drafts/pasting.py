"""Converts text of a spreadsheet to cells and back: tabs, semicolons or commas, header, names; independent of Qt."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.features import check_size
from gems_engine.formats.csv_cells import csv_text, restored
from gems_engine.formats.spreadsheet import SEPARATORS, fitting, number_in, numbers_in, reads_as_number

SPACES = " "
"""Between the cells of what programs print: numpy, R and Octave separate columns by one space or more."""
NAME = "name"
"""Header of the column of names."""

_OWN_HEADER = re.compile(r"(x\d+|theta|reward)\Z")  # a first column of numbers, whatever it contains
_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True, eq=False)
class PastedBlock:
    """Cells of a spreadsheet.

    Attributes
    ----------
    values : array of shape (rows, columns)
        NaN where a cell is not a number.
    bad
        The texts of those cells by (row, column).
    names
        Names of the rows, if there is a column of names.
    header
        Headers of all columns, if the first line has them.
    """

    values: Floats
    bad: Mapping[tuple[int, int], str]
    names: tuple[str, ...] | None = None
    header: tuple[str, ...] | None = None


def why_bad(text: str) -> str:
    """Why the text of a cell is not a number, in one sentence."""
    try:
        number_in(text)
    except InputError as error:
        return str(error)
    return f'"{text}" is an ambiguous number: type it again.'


# -- reading --------------------------------------------------------------------------------------------------------


def read_block(text: str, one_column: bool = False, at_names: bool = False) -> PastedBlock:
    """The cells in a text from a spreadsheet; a cell that is not a number is kept as text.

    Parameters
    ----------
    text
        Cells separated by tabs, semicolons or commas, in this order of preference, or by spaces.
    one_column
        Whether the destination has only one column: then "0,5" is one number, not two.
    at_names
        Whether the destination is the column of names: then a single column of texts is names.

    Raises
    ------
    InputError
        If the text is empty, or larger than a table may be.
    """
    rows = cells_of(text, "\t" if one_column and separator_of(text) == "," else "")
    if not rows:
        raise InputError("Cannot paste: the clipboard contains no text.")
    width = max(map(len, rows))
    check_size(len(rows), width, "pasted cells")
    header = None
    if first_row_is_header(rows, only_names=at_names and width == 1):
        header, rows = tuple(cell.strip() for cell in rows[0]), rows[1:]
    named = _has_names(rows, header, width, at_names)
    names = tuple(row[0] if row else "" for row in rows) if named else None
    first = 1 if named else 0
    values, bad = numbers_in([row[first:] for row in rows], width - first)
    return PastedBlock(values, bad, names, header)


def separator_of(text: str) -> str:
    """What separates the cells of a text: of tabs, semicolons and commas, the first that gives equally long rows.

    Without any of these, spaces do if all rows have as many numbers; "1 000" is one number.
    """
    text = _cleaned(text)
    bare = _QUOTED.sub("", text) if _quotes_match(text) else text
    found = [each for each in SEPARATORS if each in bare]
    if not found:
        return SPACES if _is_printed(text) else "\t"
    if len(found) == 1:
        return found[0]
    return next(fitting(found, lambda each: _rows(text, each)), found[0])


def _is_printed(text: str) -> bool:
    """Whether the words of all lines are as many numbers, behind a name or not, below a header or not."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    rows = [line.split() for line in lines]
    if not rows or len({len(row) for row in rows}) > 1:
        return False
    cells = rows[1:] if len(rows) > 1 else rows
    named = not all(reads_as_number(row[0]) for row in cells)
    if len(rows[0]) < 2 + named or not all(map(reads_as_number, (cell for row in cells for cell in row[named:]))):
        return False
    return not all(map(reads_as_number, lines))  # "1 000"


def cells_of(text: str, separator: str = "") -> list[list[str]]:
    """The rows of a text as they are, with escaped cells restored; none if there is no text in any cell.

    Parameters
    ----------
    separator
        Between cells; empty: the one that the text seems to have.
    """
    text = _cleaned(text)
    rows = _rows(text, separator or separator_of(text))
    if not any(cell.strip() for row in rows for cell in row):
        return []
    if "'" in text:
        rows = [[restored(cell) for cell in row] for row in rows]
    return [row or [""] for row in rows]


def _cleaned(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _rows(text: str, separator: str) -> list[list[str]]:
    if separator == SPACES:
        return [line.split() for line in text.rstrip("\n").split("\n")]
    lines = io.StringIO(text.rstrip("\n") + "\n", newline="") if text.strip("\n") else io.StringIO("")
    try:
        return list(
            csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_MINIMAL if _quotes_match(text) else csv.QUOTE_NONE)
        )
    except csv.Error as error:
        raise InputError(f"Cannot paste the text: {error}.") from error


def _quotes_match(text: str) -> bool:
    return text.count('"') % 2 == 0  # otherwise an unmatched quote would swallow the rest


def first_row_is_header(rows: Sequence[Sequence[str]], only_names: bool = False) -> bool:
    """Whether the first of several rows has headers: no number is among them, or the first is "name".

    Parameters
    ----------
    only_names
        Whether all rows are names: then only the word "name" is a header.
    """
    first = [cell.strip() for cell in rows[0]]
    if len(rows) < 2 or not any(first):
        return False
    return first[0].casefold() == NAME or not (only_names or any(reads_as_number(cell) for cell in first if cell))


def _has_names(rows: Sequence[Sequence[str]], header: Sequence[str] | None, width: int, at_names: bool) -> bool:
    if header is not None:
        if header[0].casefold() == NAME or (not header[0] and width > 1):
            return True
        if _OWN_HEADER.match(header[0]):
            return False
    if width < 2 and not at_names:
        return False
    first = [row[0].strip() for row in rows if row and row[0].strip()]
    return bool(first) and not any(map(reads_as_number, first))


# -- writing --------------------------------------------------------------------------------------------------------


def written(rows: Sequence[Sequence[str]], header: Sequence[str] | None = None) -> str:
    """Cells as tab-separated text, which spreadsheets accept and `read_block` reads back unchanged."""
    return csv_text(rows if header is None else [header, *rows], "\t")
