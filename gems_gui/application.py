"""The Qt application with its name and icon."""

from __future__ import annotations

import sys

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from gems_gui.assets import asset

_TURN = 0.0005  # seconds until a computing thread yields to the window; Python's default of 5 ms is noticeable


def application() -> QApplication:
    """The application of this process, created with its name and icon if necessary."""
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
