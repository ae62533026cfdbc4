"""The actions on the instance of the form and on auto-run."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.editing.auto_run import AutoRun
from gems_gui.editing.table_controller import TableController

TABLE_ACTIONS: tuple[ActionSpec[TableController], ...] = (
    *in_section(
        "File",
        "Files",
        ActionSpec(
            "new_instance",
            "New instance",
            "Create an instance, starting from a small table",
            ("Ctrl+N",),
            do=TableController.new_instance,
        ),
    ),
    *in_section(
        "Edit",
        "Instance",
        ActionSpec(
            "edit_table",
            "Edit table",
            "Edit arms, targets and rewards in a table",
            ("Ctrl+T",),
            toggle=TableController.edit_table,
            checked=lambda table: table.is_open,
            words="features rewards spreadsheet",
        ),
    ),
)
AUTO_RUN_ACTIONS: tuple[ActionSpec[AutoRun], ...] = in_section(
    "Run",
    "Engine",
    ActionSpec(
        "auto_run",
        "Auto-run",
        "Run again after every change of the form, and show the same position",
        ("Ctrl+Shift+R",),
        toggle=AutoRun.auto_run,
        checked=lambda auto: auto.on,
        after="run",
    ),
)
