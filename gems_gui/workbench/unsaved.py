"""What no file has yet: the instance of the form, own instances that are set aside, runs; knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping

from gems_gui.drafts.sources import FromTable
from gems_gui.workbench.draft_controller import DraftController
from gems_gui.workbench.run_session import RunSession


def unsaved_instance(drafts: DraftController, saved: Mapping[str, str]) -> bool:
    """Whether the form's instance was made or changed by hand and no file has it as it is.

    Parameters
    ----------
    saved
        From digests of instances to the files that have them.
    """
    if not isinstance(drafts.draft.source, FromTable):
        return False  # a family makes it again, and what was only opened is in its file
    return drafts.instance is None or drafts.instance.digest not in saved


def unsaved_own(drafts: DraftController, saved: Mapping[str, str]) -> list[FromTable]:
    """The own instances that are set aside and that no file has.

    Parameters
    ----------
    saved
        From digests of tables, too, to the files that have them.
    """
    return [own for own in drafts.draft.own if own.table.digest not in saved]


def unsaved_run(run: RunSession) -> bool:
    """Whether closing would lose a run that somebody has made, however short it is.

    Every run that was started by hand counts, although the form and the seed would repeat it: no file has it. Of those
    that auto-run made while something was dragged, each took the place of the one before, so that the last one is left.
    What the program started by itself, the first run of ``gems demo`` and of ``--play`` and those of a story that it
    comes with, is nobody's work until somebody renames or pins it or edits its story. A run that was saved and has gone
    on since is unsaved too.
    """
    touched = run.by_hand or run.pinned or bool(run.path) or not run.story_saved
    return touched and not run.saved
