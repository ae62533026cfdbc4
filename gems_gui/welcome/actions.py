"""The action that shows the welcome page."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.welcome.welcome_controller import WelcomeController

WELCOME_ACTIONS: tuple[ActionSpec[WelcomeController], ...] = in_section(
    "Help",
    "Help",
    ActionSpec(
        "welcome",
        "Welcome page",
        "Show stories, presets, recent files and documentation to start from",
        do=WelcomeController.welcome,
        after="help",
        words="home start tutorial examples",
    ),
)
