"""The actions that make files and pictures of what is shown."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.exports.export_controller import ExportController

EXPORT_ACTIONS: tuple[ActionSpec[ExportController], ...] = (
    *in_section(
        "File",
        "Files",
        ActionSpec(
            "export",
            "Export…",
            "Write pictures, a film, pages or the plotted numbers to a file",
            ("Ctrl+E",),
            "export",
            ExportController.export,
            enabled=ExportController.can_export,
        ),
    ),
    *in_section(
        "Edit",
        "Copy",
        ActionSpec(
            "copy_picture",
            "Copy picture",
            "Put a picture of the views in sight into the clipboard",
            ("Ctrl+Shift+E",),
            do=ExportController.copy_picture,
            enabled=ExportController.can_export,
        ),
    ),
)
