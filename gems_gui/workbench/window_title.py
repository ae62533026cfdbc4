"""The title of a window; independent of Qt."""

from __future__ import annotations

from pathlib import PurePath

from gems_gui.drafts.sources import FromGallery
from gems_gui.workbench.unsaved import unsaved_instance, unsaved_own, unsaved_run
from gems_gui.workbench.workbench import Workbench


def window_title(workbench: Workbench) -> str:
    """The file or the name of the shown run, and the file of the form's instance; a star marks what is not saved."""
    run, source, saved = workbench.active, workbench.drafts.draft.source, workbench.saved_instances
    parts, own = [], len(unsaved_own(workbench.drafts, saved))
    if run is not None:
        parts.append((PurePath(run.path).name or run.name) + ("*" if unsaved_run(run) else ""))
    if not isinstance(source, FromGallery):
        star = "*" if unsaved_instance(workbench.drafts, saved) else ""
        if source.path:
            parts.append(PurePath(source.path).name + star)
        else:
            own += bool(star)
    if own:
        parts.append("custom instance*" if own == 1 else f"{own} custom instances*")
    return " – ".join((*parts, "GEMS Lab"))
