"""The commands of the instance table on rows, columns and cells: one list for buttons, keys and menu."""

from __future__ import annotations

from dataclasses import dataclass

ROWS, COLUMNS, CELLS = "Rows", "Columns", "Cells"
"""What a command applies to."""


@dataclass(frozen=True)
class TableCommand:
    """A command on a table.

    Attributes
    ----------
    name
        The method of the editor that carries it out.
    text
        Text in the menu.
    tip
        What it does, without a full stop.
    key
        Shortcut while the table has the focus; empty for none.
    icon
        Icon of its button; empty for none.
    """

    name: str
    about: str
    text: str
    tip: str
    key: str = ""
    icon: str = ""


COMMANDS = (
    TableCommand("add_row", ROWS, "Add row", "Add a row of zeros below", "Insert", "add"),
    TableCommand(
        "duplicate_rows", ROWS, "Duplicate rows", "Insert copies of the selected rows below them", "Ctrl+D", "duplicate"
    ),
    TableCommand("remove_rows", ROWS, "Remove rows", "Remove the selected rows", "Ctrl+Del", "remove"),
    TableCommand("rows_up", ROWS, "Move rows up", "Move the selected rows up", "Alt+Up", "up"),
    TableCommand("rows_down", ROWS, "Move rows down", "Move the selected rows down", "Alt+Down", "down"),
    TableCommand("add_column", COLUMNS, "Add column", "Add a feature of zeros to the right", "Shift+Insert", "add"),
    TableCommand(
        "duplicate_columns",
        COLUMNS,
        "Duplicate columns",
        "Copy the selected features; θ⋆ does not use the copies, so rewards do not change",
        "Ctrl+Shift+D",
        "duplicate",
    ),
    TableCommand(
        "remove_columns", COLUMNS, "Remove columns", "Remove the selected features", "Ctrl+Shift+Del", "remove"
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
    TableCommand("paste", CELLS, "Paste", "Paste cells here; rows and columns are added as needed", "Ctrl+V"),
    TableCommand(
        "paste_whole",
        CELLS,
        "Paste as the whole table",
        "Replace all rows and columns with the pasted cells",
        "Ctrl+Shift+V",
    ),
    TableCommand(
        "clear", CELLS, "Clear", "Clear the selected cells; remove rows or columns that are selected as a whole", "Del"
    ),
)
