"""What can be done to the rows, columns and cells of an instance's table: one list for buttons, keys and menu."""

from __future__ import annotations

from dataclasses import dataclass

ROWS, COLUMNS, CELLS = "Rows", "Columns", "Cells"
"""What a command is about."""


@dataclass(frozen=True)
class TableCommand:
    """Something to do to a table.

    Attributes
    ----------
    name
        Of the editor's method that does it.
    text
        As a menu shows it.
    tip
        What it does, without a full stop.
    key
        That does it while the table has the focus; empty for none.
    icon
        On its button; empty: it has none.
    """

    name: str
    about: str
    text: str
    tip: str
    key: str = ""
    icon: str = ""


COMMANDS = (
    TableCommand("add_row", ROWS, "Add row", "Put a new row of zeros below", "Insert", "add"),
    TableCommand(
        "duplicate_rows", ROWS, "Duplicate rows", "Copy the selected rows below themselves", "Ctrl+D", "duplicate"
    ),
    TableCommand("remove_rows", ROWS, "Remove rows", "Take the selected rows away", "Ctrl+Del", "remove"),
    TableCommand("rows_up", ROWS, "Move rows up", "Move the selected rows up", "Alt+Up", "up"),
    TableCommand("rows_down", ROWS, "Move rows down", "Move the selected rows down", "Alt+Down", "down"),
    TableCommand("add_column", COLUMNS, "Add column", "Put a new feature of zeros to the right", "Shift+Insert", "add"),
    TableCommand(
        "duplicate_columns",
        COLUMNS,
        "Duplicate columns",
        "Copy the selected features; θ⋆ does not use the copies, so rewards stay",
        "Ctrl+Shift+D",
        "duplicate",
    ),
    TableCommand(
        "remove_columns", COLUMNS, "Remove columns", "Take the selected features away", "Ctrl+Shift+Del", "remove"
    ),
    TableCommand(
        "columns_left", COLUMNS, "Move columns left", "Move the selected features to the left", "Alt+Left", "left"
    ),
    TableCommand(
        "columns_right",
        COLUMNS,
        "Move columns right",
        "Move the selected features to the right",
        "Alt+Right",
        "right",
    ),
    TableCommand("copy", CELLS, "Copy", "Copy the selected cells with a header, for a spreadsheet", "Ctrl+C", "copy"),
    TableCommand(
        "paste", CELLS, "Paste", "Paste cells here; rows and columns are added where they are needed", "Ctrl+V"
    ),
    TableCommand(
        "paste_whole",
        CELLS,
        "Paste as the whole table",
        "Let the pasted cells take the place of all rows and columns",
        "Ctrl+Shift+V",
    ),
    TableCommand(
        "clear", CELLS, "Clear", "Empty the selected cells, or take whole selected rows or columns away", "Del"
    ),
)
