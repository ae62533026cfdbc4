"""Qt's application, with its name and icon."""

from __future__ import annotations

import sys

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from gems_gui.assets import asset

_TURN = 0.0005  # seconds after which a thread that computes gives way to the window's; Python's own 5 ms can be felt


def application() -> QApplication:
    """The application of this process, made with its name and icon if there is none yet."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    sys.setswitchinterval(_TURN)
    app = QApplication(["gems"])
    app.setOrganizationName("gems-lab")
    app.setApplicationName("gems-lab")
    app.setApplicationDisplayName("GEMS Lab")
    app.setDesktopFileName("gems-lab")
    app.setWindowIcon(QIcon(str(asset("icon.svg"))))
    return app
