"""Qt without a screen, for a process that only paints."""

from __future__ import annotations

import os


def start_painting() -> None:
    """Create the application, without a screen if possible, so that pictures do not depend on it."""
    if os.name == "posix":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gems_gui.application import application  # imports Qt, which a command does only after its checks
    from gems_gui.theme import LIGHT  # imports Qt, too

    application().setFont(LIGHT.font())  # not the font of the desktop
