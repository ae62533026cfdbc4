"""Text of a spreadsheet, in a file or pasted: what separates its cells, and numbers as people write them."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from gems_engine.arrays import Floats, frozen
from gems_engine.errors import InputError
from gems_engine.features import LARGEST

SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas"}
"""What may separate cells, the most likely first, and how it is called."""

_SPACES = r"[\s'’]"  # between groups of three digits; \s includes thin and no-break spaces
_GROUPED = re.compile(rf"[-+]?\d{{1,3}}(?:{_SPACES}\d{{3}})+(?:[.,]\d*)?(?:[eE][-+]?\d+)?\Z")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d*(?:[eE][-+]?\d+)?\Z")
_MANY_COMMAS = re.compile(r"[-+]?\d{1,3}(?:,\d{3}){2,}\Z|[-+]?\d{1,3}(?:,\d{3})+\.\d*\Z")
_MANY_POINTS = re.compile(r"[-+]?\d{1,3}(?:\.\d{3}){2,}\Z|[-+]?\d{1,3}(?:\.\d{3})+,\d*\Z")
_EITHER_COMMA = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}\Z")
_EITHER_POINT = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}\Z")


# -- separators -----------------------------------------------------------------------------------------------------


def fitting(separators: Iterable[str], read: Callable[[str], Iterable[Sequence[str]]]) -> Iterator[str]:
    """The separators with which all rows are equally long; `read` gives the rows of the text with a separator."""
    return (each for each in separators if _equally_long(read(each)))


def _equally_long(rows: Iterable[Sequence[str]]) -> bool:
    length = 0
    try:
        for row in rows:
            if any(map(str.strip, row)):
                length = length or len(row)
                if len(row) != length:
                    return False
    except InputError:  # not a table with this separator
        return False
    return True


# -- numbers --------------------------------------------------------------------------------------------------------


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
    value = value_in(text, decimal_comma)
    if not abs(value) <= LARGEST:
        raise InputError(
            f'"{short_text(text)}" is not allowed: enter a finite number of magnitude at most {LARGEST:g}.'
        )
    return value


def value_in(text: str, decimal_comma: bool) -> float:
    """The number in the text of a cell, however large it is; see :func:`number_in`."""
    try:
        value = _plain(text)
    except ValueError:
        return _written_for_people(text, decimal_comma)
    if decimal_comma and _EITHER_POINT.match(text.strip()):
        raise InputError(_either(text))
    return value


def _plain(cell: str) -> float:
    if "_" in cell:  # Python reads 1_000
        raise ValueError(cell)
    return float(cell)


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
        return _plain(plain)
    except ValueError as error:
        raise InputError(f'"{short_text(text)}" is not a number.') from error


def _either(text: str) -> str:
    whole, part = re.split("[.,]", text.strip())
    return f'"{text.strip()}" is ambiguous: write {whole}.{part} or {whole}{part}.'


def short_text(text: str) -> str:
    """The beginning of a text, for a sentence."""
    text = "".join(letter if letter.isprintable() else "?" for letter in text.strip())
    return text if len(text) <= 30 else f"{text[:29]}…"


def reads_as_number(text: str) -> bool:
    """Whether a cell reads as a number, even an ambiguous one."""
    try:
        number_in(text, True)
    except InputError:
        return bool(_EITHER_POINT.match(text.strip()))
    return True


def may_be_decimals(text: str) -> bool:
    """Whether the commas of a text separate cells or are decimal signs, and nothing in it says which."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return bool(lines) and all(_DECIMAL_COMMA.match(line) and line.strip(",") == line for line in lines)


def numbers_in(rows: Sequence[Sequence[str]], width: int) -> tuple[Floats, dict[tuple[int, int], str]]:
    """The numbers of cells, and the texts that are none; whether a comma is a decimal sign depends on all of them."""
    values = np.full((len(rows), width), math.nan)
    doubtful: list[tuple[int, int, str]] = []
    for i, row in enumerate(rows):
        try:  # the whole row at once: a large table has hundreds of thousands of cells
            values[i, : len(row)] = [_plain(cell) for cell in row]
        except ValueError:
            for j, cell in enumerate(row):
                try:
                    values[i, j] = _plain(cell)
                except ValueError:
                    doubtful.append((i, j, cell))
        doubtful.extend((i, j, "") for j in range(len(row), width))
    comma = any(only_decimal(cell) for _, _, cell in doubtful)
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


def only_decimal(cell: str) -> bool:
    """Whether the comma in a cell can only be a decimal sign."""
    plain = re.sub(_SPACES, "", cell.strip().replace("−", "-"))
    return bool(_MANY_POINTS.match(plain) and "," in plain) or (
        bool(_DECIMAL_COMMA.match(plain)) and not _EITHER_COMMA.match(plain) and any(map(str.isdigit, plain))
    )
