"""What the parts of a window share; none of them knows the window, and another part only if it is handed to them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from gems_gui.actions.interface import Interface
from gems_gui.appearance import Appearance
from gems_gui.background.file_worker import FileWorker
from gems_gui.background.queries import Queries
from gems_gui.menus.action_set import ActionSet
from gems_gui.settings import Settings
from gems_gui.workbench.workbench import Workbench


@dataclass(frozen=True, eq=False)
class Services:
    """State, background work and the little of the interface that controllers are given.

    Attributes
    ----------
    host
        The parent of controllers, docks and dialogs, as a plain widget; what else they want of the window is in ``ui``.
    in_thread
        Whether work in the background stays in this process: for tests and debugging.
    """

    workbench: Workbench
    ui: Interface
    appearance: Appearance
    settings: Settings
    files: FileWorker
    queries: Queries
    actions: ActionSet
    host: QWidget
    in_thread: bool = False
