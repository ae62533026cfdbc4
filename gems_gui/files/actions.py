"""The actions that save runs and instances."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.files.file_controller import FileController

FILE_ACTIONS: tuple[ActionSpec[FileController], ...] = in_section(
    "File",
    "Files",
    ActionSpec(
        "save",
        "Save run",
        "Save the current run to its file; a run without one asks for a name",
        ("Ctrl+S",),
        "save",
        FileController.save,
        refusal=FileController.save_refusal,
    ),
    ActionSpec(
        "save_run_as",
        "Save run as…",
        "Save the current run to another .gems file",
        ("Ctrl+Shift+S",),
        do=FileController.save_as,
        refusal=FileController.save_refusal,
    ),
    ActionSpec(
        "save_instance",
        "Save instance",
        "Save the instance in the form; an opened instance is saved to its file",
        ("Ctrl+Shift+I",),
        do=FileController.save_instance,
    ),
    ActionSpec(
        "save_instance_as",
        "Save instance as…",
        "Save the instance in the form to another file",
        do=FileController.save_instance_as,
    ),
)
