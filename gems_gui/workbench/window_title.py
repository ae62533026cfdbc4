"""The title of a window; independent of Qt."""

from __future__ import annotations

from pathlib import PurePath

from gems_gui.drafts.sources import FromGallery
from gems_gui.workbench.unsaved import kept_instances, unsaved_instance, unsaved_run
from gems_gui.workbench.workbench import Workbench


def window_title(workbench: Workbench) -> str:
    """The shown run, and the instance in the form if it is a file or was edited; a star marks each that is not saved.

    Instances that were set aside are not shown, so the title does not name them: closing the window does.
    """
    run, source, drafts = workbench.active, workbench.drafts.draft.source, workbench.drafts
    parts = []
    if run is not None:
        parts.append((PurePath(run.path).name or run.name) + ("*" if unsaved_run(run) else ""))
    if not isinstance(source, FromGallery):
        star = "*" if unsaved_instance(drafts, kept_instances(workbench.runs, workbench.saved_instances)) else ""
        name = PurePath(source.path).name or ("custom instance" if star else "")
        parts.append(name + star)
    return " – ".join((*filter(None, parts), "GEMS Lab"))
