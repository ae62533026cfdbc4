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
            "Export pictures, a film, pages, a page to share or the plotted numbers",
            ("Ctrl+E",),
            "export",
            ExportController.export,
            refusal=ExportController.export_refusal,
            words="png svg pdf gif mp4 html csv figure image movie",
        ),
    ),
    *in_section(
        "Edit",
        "Copy",
        ActionSpec(
            "copy_picture",
            "Copy picture",
            "Copy a picture of the visible views to the clipboard",
            ("Ctrl+Shift+E",),
            do=ExportController.copy_picture,
            refusal=ExportController.export_refusal,
            words="png image figure screenshot",
        ),
    ),
)
