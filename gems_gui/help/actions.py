"""The actions that explain the program and find things in it."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.help.help_controller import HelpController

HELP_ACTIONS: tuple[ActionSpec[HelpController], ...] = (
    *in_section(
        "Help",
        "Help",
        ActionSpec(
            "help",
            "Help",
            "Open the help page of the view or field that has the focus or is under the mouse",
            ("F1",),
            "help",
            HelpController.help,
            contexts=("window", "dialog"),
        ),
        ActionSpec(
            "how_to_read",
            "How to read this window",
            "Read what the program does and what its views show",
            do=HelpController.how_to_read,
            words="tutorial manual guide",
        ),
        ActionSpec(
            "keys",
            "Keys",
            "Show all keyboard shortcuts",
            ("?",),
            "keys",
            HelpController.keys,
            words="shortcuts keyboard bindings",
        ),
        ActionSpec(
            "whats_this",
            "What is this?",
            "Click anything in the window to read what it is",
            ("Shift+F1",),
            do=HelpController.whats_this,
        ),
        ActionSpec(
            "palette",
            "Command palette…",
            "Search commands, presets, stories, views, settings and recent files",
            ("Ctrl+Shift+P",),
            do=HelpController.palette,
        ),
    ),
    *in_section(
        "Help",
        "About",
        ActionSpec(
            "about",
            "About GEMS Lab",
            "Show versions, licence, how to cite the paper, and a self-test",
            do=HelpController.about,
            words="version licence license cite citation",
        ),
    ),
)
