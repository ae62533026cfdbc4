"""Qt without a screen, for a process that only paints."""

from __future__ import annotations

import os


def start_painting() -> None:
    """Make the application, on no screen where that is possible, so that a picture never depends on one."""
    if os.name == "posix":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gems_gui.application import application  # imports Qt, which a command does after its checks only
    from gems_gui.theme import LIGHT  # imports Qt, too

    application().setFont(LIGHT.font())  # what asks the program for its font must not get what the desktop has
