"""Cells of CSV files: texts that a spreadsheet would run as formulas are escaped, and restored exactly.

Spreadsheets take a cell that begins with =, +, -, @, a tab or a carriage return for a formula. Such a text gets an
apostrophe in front, as does a text that already begins with apostrophes before one of these characters. Numbers are
never escaped, also where they are given as text.
"""

import re
from collections.abc import Iterable
from typing import Any

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r]")
_QUOTED = re.compile(r'[,"\r\n]')


def is_number(cell: str) -> bool:
    """Whether a cell is a number, finite or not."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def escaped(text: str) -> str:
    """A text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def restored(cell: str) -> str:
    """The text of an escaped cell; any other cell is returned unchanged."""
    return cell[1:] if _ESCAPED.match(cell) else cell


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV; a cell is a text, a number with all its digits, true or false, or None if it is empty."""
    return "".join(f"{_line(row)}\n" for row in rows)


def _line(row: Iterable[Any]) -> str:
    return ",".join(map(_cell, row)) or '""'  # an empty line would be no row


def _cell(value: Any) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    cell = escaped(value)
    return '"{}"'.format(cell.replace('"', '""')) if _QUOTED.search(cell) else cell
