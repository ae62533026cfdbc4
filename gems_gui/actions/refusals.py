"""Why an action is not available, in one sentence that says what to do."""

from __future__ import annotations

from gems_engine.events import OUTSIDE
from gems_gui.workbench.workbench import Workbench

NO_RUN = "No run yet. Press Ctrl+R to start one."
_UNKNOWN = "The settings of this run are not known. Press Ctrl+R to run the form instead."


EXTERNAL = "The rewards of this run are external, so {}."


def needs_simulation(workbench: Workbench, consequence: str) -> str:
    """Why something that needs other rewards of the shown run is not available; empty if they can be drawn."""
    started = None if workbench.active is None else workbench.active.trace.started
    if started is not None and started.rewards == OUTSIDE:
        return EXTERNAL.format(consequence)
    return needs_run(workbench)


def needs_run(workbench: Workbench) -> str:
    """Why something about the shown run is not available; empty if a run is shown."""
    return NO_RUN if workbench.active is None else ""


def needs_settings(workbench: Workbench) -> str:
    """Why the shown run cannot be repeated; empty if its settings are known."""
    if workbench.active is None:
        return NO_RUN
    return "" if workbench.active.request is not None else _UNKNOWN
