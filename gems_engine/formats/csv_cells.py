"""Cells of CSV files and of the clipboard: texts that a spreadsheet would run as formulas are escaped, and restored.

Spreadsheets take a cell that begins with =, +, -, @, a tab or a carriage return for a formula. Such a text gets an
apostrophe in front, as does a text that already begins with apostrophes before one of these characters. Numbers are
never escaped, also where they are given as text.
"""

import re
from collections.abc import Iterable
from typing import Any

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r]")
_QUOTED = re.compile(r'[\t,;"\r\n]')  # all that may separate cells, so that it is clear which does
_NO_CELL = '""'  # an empty line would be no row


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


def csv_text(rows: Iterable[Iterable[Any]], separator: str = ",") -> str:
    """Rows as CSV; a cell is a text, a number with all its digits, true or false, or None if it is empty.

    Parameters
    ----------
    rows
        The cells, row by row.
    separator
        A comma, or a tab for the clipboard; cells with any possible separator are quoted.
    """
    return "".join((separator.join(map(_cell, row)) or _NO_CELL) + "\n" for row in rows)


def _cell(value: Any) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    cell = escaped(value)
    return '"{}"'.format(cell.replace('"', '""')) if _QUOTED.search(cell) else cell
