"""Services shared by the parts of a window, which do not depend on the window itself."""

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
    """State, background work and the interface to the window, for controllers.

    Attributes
    ----------
    host
        The parent of controllers, docks and dialogs, and nothing else. Requests to the window go through ``ui``.
    in_thread
        Whether background work stays in this process, for tests and debugging.
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
