"""The actions on the list of runs, on undo and the log, and on branches."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.runs.branch_controller import BranchController
from gems_gui.runs.run_list_controller import RunListController

RUN_LIST_ACTIONS: tuple[ActionSpec[RunListController], ...] = (
    *in_section(
        "Edit",
        "Undo",
        ActionSpec(
            "undo",
            "Undo",
            "Undo the last change of the form, removal of a run, or step in the design debugger",
            ("Ctrl+Z",),
            "undo",
            RunListController.undo,
            refusal=lambda runs: "" if runs.undo_text() else "Nothing to undo.",
            text_of=lambda runs: f"Undo {runs.undo_text()}".strip(),
            repeats=True,
        ),
        ActionSpec(
            "redo",
            "Redo",
            "Redo what was undone",
            ("Ctrl+Shift+Z", "Ctrl+Y"),
            "redo",
            RunListController.redo,
            refusal=lambda runs: "" if runs.redo_text() else "Nothing to redo.",
            text_of=lambda runs: f"Redo {runs.redo_text()}".strip(),
            repeats=True,
        ),
    ),
    *in_section(
        "Edit",
        "Copy",
        ActionSpec(
            "copy_command",
            "Copy as command",
            "Copy the command line that repeats the current run",
            ("Ctrl+Shift+C",),
            "copy",
            RunListController.copy_command,
            refusal=RunListController.copy_command_refusal,
            words="cli terminal shell",
        ),
    ),
    *in_section(
        "View",
        "Lists",
        ActionSpec(
            "list_runs",
            "Runs",
            "Show the list of runs in this window",
            ("Ctrl+L",),
            toggle=RunListController.list_runs,
            checked=RunListController.shows_runs,
            words="history list",
        ),
        ActionSpec(
            "show_log",
            "Log",
            "Show the messages of this window with their times",
            toggle=RunListController.show_log,
            checked=RunListController.shows_log,
        ),
    ),
)
BRANCH_ACTIONS: tuple[ActionSpec[BranchController], ...] = in_section(
    "Run",
    "Runs",
    ActionSpec(
        "branch",
        "Branch from here…",
        "Repeat the run up to the cursor, then continue with another seed, d, B, solver or tolerance",
        ("Ctrl+B",),
        do=BranchController.branch,
        refusal=BranchController.branch_refusal,
        words="fork what if",
    ),
)
