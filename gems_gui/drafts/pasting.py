"""Converts text of a spreadsheet to cells and back: tabs, semicolons or commas, header, names; independent of Qt."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, frozen
from gems_engine.errors import InputError
from gems_engine.features import LARGEST, check_size
from gems_engine.formats.csv_cells import csv_text, restored

NAME = "name"
"""Header of the column of names."""

_OWN_HEADER = re.compile(r"(x\d+|theta|reward)\Z")  # a first column of numbers, whatever it contains
_SPACES = r"[\s'’]"  # between groups of three digits; \s includes thin and no-break spaces
_GROUPED = re.compile(rf"[-+]?\d{{1,3}}(?:{_SPACES}\d{{3}})+(?:[.,]\d*)?(?:[eE][-+]?\d+)?\Z")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d*(?:[eE][-+]?\d+)?\Z")
_MANY_COMMAS = re.compile(r"[-+]?\d{1,3}(?:,\d{3}){2,}\Z|[-+]?\d{1,3}(?:,\d{3})+\.\d*\Z")
_MANY_POINTS = re.compile(r"[-+]?\d{1,3}(?:\.\d{3}){2,}\Z|[-+]?\d{1,3}(?:\.\d{3})+,\d*\Z")
_EITHER_COMMA = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}\Z")
_EITHER_POINT = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}\Z")
_QUOTED = re.compile(r'"[^"]*"')
SEPARATORS = "\t;,"
"""Possible separators of cells, the most likely first."""


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


def number_in(text: str, decimal_comma: bool = False) -> float:
    """The number in the text of a cell, also "0,5", "1 000", "1e−3" and "1.234.567,8".

    Parameters
    ----------
    text
        As typed or pasted.
    decimal_comma
        Whether a comma is known to be a decimal sign, because other cells cannot be read otherwise.

    Raises
    ------
    InputError
        With one sentence for a tooltip.
    """
    try:
        value = float(text)
    except ValueError:
        value = _written_for_people(text, decimal_comma)
    else:
        if decimal_comma and _EITHER_POINT.match(text.strip()):
            raise InputError(_either(text))
    if not abs(value) <= LARGEST:
        raise InputError(
            f'"{short_text(text)}" is not allowed: enter a finite number of magnitude at most {LARGEST:g}.'
        )
    return value


def _written_for_people(text: str, decimal_comma: bool) -> float:
    plain = text.strip().replace("−", "-")
    if not plain:
        raise InputError("The cell is empty: enter a number.")
    if _GROUPED.match(plain):
        plain = re.sub(_SPACES, "", plain)
    if _MANY_COMMAS.match(plain):
        plain = plain.replace(",", "")
    elif _MANY_POINTS.match(plain):
        plain = plain.replace(".", "").replace(",", ".")
    elif _DECIMAL_COMMA.match(plain):
        if _EITHER_COMMA.match(plain) and not decimal_comma:
            raise InputError(_either(text))
        plain = plain.replace(",", ".")
    try:
        return float(plain)
    except ValueError as error:
        raise InputError(f'"{short_text(text)}" is not a number.') from error


def _either(text: str) -> str:
    whole, part = re.split("[.,]", text.strip())
    return f'"{text.strip()}" is ambiguous: write {whole}.{part} or {whole}{part}.'


def short_text(text: str) -> str:
    """The beginning of a text, for a sentence."""
    text = "".join(letter if letter.isprintable() else "?" for letter in text.strip())
    return text if len(text) <= 30 else f"{text[:29]}…"


def why_bad(text: str) -> str:
    """Why the text of a cell is not a number, in one sentence."""
    try:
        number_in(text)
    except InputError as error:
        return str(error)
    return f'"{text}" is an ambiguous number: type it again.'


def is_number(text: str) -> bool:
    """Whether a cell reads as a number, even an ambiguous one."""
    try:
        number_in(text, True)
    except InputError:
        return bool(_EITHER_POINT.match(text.strip()))
    return True


# -- reading --------------------------------------------------------------------------------------------------------


def read_block(text: str, one_column: bool = False, at_names: bool = False) -> PastedBlock:
    """The cells in a text from a spreadsheet; a cell that is not a number is kept as text.

    Parameters
    ----------
    text
        Cells separated by tabs, semicolons or commas, in this order of preference.
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
    """What separates the cells of a text: tabs, semicolons or commas, in this order of preference."""
    bare = _QUOTED.sub("", text) if _quotes_match(text) else text
    return next((each for each in SEPARATORS if each in bare), "\t")


def cells_of(text: str, separator: str = "") -> list[list[str]]:
    """The rows of a text as they are, with escaped cells restored; none if there is no text in any cell.

    Parameters
    ----------
    separator
        Between cells; empty: the one that the text seems to have.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    lines = io.StringIO(text.rstrip("\n") + "\n", newline="") if text.strip("\n") else io.StringIO("")
    separator = separator or separator_of(text)
    try:
        rows = list(
            csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_MINIMAL if _quotes_match(text) else csv.QUOTE_NONE)
        )
    except csv.Error as error:
        raise InputError(f"Cannot paste the text: {error}.") from error
    if not any(cell.strip() for row in rows for cell in row):
        return []
    if "'" in text:
        rows = [[restored(cell) for cell in row] for row in rows]
    return [row or [""] for row in rows]


def _quotes_match(text: str) -> bool:
    return text.count('"') % 2 == 0  # otherwise an unmatched quote would swallow the rest


def may_be_decimals(text: str) -> bool:
    """Whether the commas of a text separate cells or are decimal signs, and nothing in it says which."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return bool(lines) and all(_DECIMAL_COMMA.match(line) and line.strip(",") == line for line in lines)


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
    return first[0].casefold() == NAME or not (only_names or any(is_number(cell) for cell in first if cell))


def _has_names(rows: Sequence[Sequence[str]], header: Sequence[str] | None, width: int, at_names: bool) -> bool:
    if header is not None:
        if header[0].casefold() == NAME or (not header[0] and width > 1):
            return True
        if _OWN_HEADER.match(header[0]):
            return False
    if width < 2 and not at_names:
        return False
    first = [row[0].strip() for row in rows if row and row[0].strip()]
    return bool(first) and not any(map(is_number, first))


def numbers_in(rows: Sequence[Sequence[str]], width: int) -> tuple[Floats, dict[tuple[int, int], str]]:
    """The numbers of cells, and the texts that are none; whether a comma is a decimal sign depends on all of them."""
    values = np.full((len(rows), width), math.nan)
    doubtful: list[tuple[int, int, str]] = []
    for i, row in enumerate(rows):
        try:  # the whole row at once: a large table has hundreds of thousands of cells
            values[i, : len(row)] = [float(cell) for cell in row]
        except ValueError:
            for j, cell in enumerate(row):
                try:
                    values[i, j] = float(cell)
                except ValueError:
                    doubtful.append((i, j, cell))
        doubtful.extend((i, j, "") for j in range(len(row), width))
    comma = any(_only_decimal(cell) for _, _, cell in doubtful)
    if comma:  # then a point may group digits
        for i, row in enumerate(rows):
            doubtful += [(i, j, cell) for j, cell in enumerate(row) if _EITHER_POINT.match(cell.strip())]
    doubtful += [(i, j, rows[i][j]) for i, j in np.argwhere(~(np.abs(values) <= LARGEST)).tolist() if j < len(rows[i])]
    bad: dict[tuple[int, int], str] = {}
    for i, j, cell in doubtful:
        try:
            values[i, j] = number_in(cell, comma)
        except InputError:
            values[i, j] = math.nan
            bad[i, j] = cell.strip()
    return frozen(values), bad


def _only_decimal(cell: str) -> bool:
    """Whether the comma in a cell can only be a decimal sign."""
    plain = re.sub(_SPACES, "", cell.strip().replace("−", "-"))
    return bool(_MANY_POINTS.match(plain) and "," in plain) or (
        bool(_DECIMAL_COMMA.match(plain)) and not _EITHER_COMMA.match(plain) and any(map(str.isdigit, plain))
    )


# -- writing --------------------------------------------------------------------------------------------------------


def written(rows: Sequence[Sequence[str]], header: Sequence[str] | None = None) -> str:
    """Cells as tab-separated text, which spreadsheets accept and `read_block` reads back unchanged."""
    return csv_text(rows if header is None else [header, *rows], "\t")
