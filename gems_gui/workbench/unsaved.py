"""Unsaved work: the instance in the form, custom instances that were set aside, and runs; independent of Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gems_gui.drafts.sources import FromTable
from gems_gui.workbench.draft_controller import DraftController
from gems_gui.workbench.run_session import RunSession

Stamp = tuple[int, int, int]
"""The stamp of a file: it differs as soon as the file is written again."""


@dataclass(frozen=True)
class SavedInstance:
    """An instance that was saved to a file or opened from it.

    Attributes
    ----------
    digest
        The digest of the instance, or of its table.
    stamp
        The stamp of the file after that.
    """

    digest: str
    path: str
    stamp: Stamp


def kept_instances(runs: Iterable[RunSession], saved: Mapping[str, str]) -> dict[str, str]:
    """The digests of instances with files that contain them: those that were saved, and those of saved runs."""
    in_runs = {
        run.request.instance.digest: run.path for run in runs if run.path and run.saved and run.request is not None
    }
    return {**in_runs, **saved}


def unsaved_instance(drafts: DraftController, saved: Mapping[str, str]) -> bool:
    """Whether the instance in the form was edited by hand and is not saved.

    Parameters
    ----------
    saved
        Digests of saved instances with their files.
    """
    source = drafts.draft.source
    if not isinstance(source, FromTable) or source.untouched:
        return False  # a family, a file or "New instance" can produce it again
    return drafts.instance is None or drafts.instance.digest not in saved


def unsaved_own(drafts: DraftController, saved: Mapping[str, str]) -> list[FromTable]:
    """The unsaved custom instances that were set aside.

    Parameters
    ----------
    saved
        Digests of saved instances and tables with their files.
    """
    return [own for own in drafts.draft.own if own.table.digest not in saved and not _is_in(own, saved)]


def _is_in(own: FromTable, saved: Mapping[str, str]) -> bool:
    return bool(saved) and not own.table.refusal() and own.table.instance().digest in saved


def unsaved_run(run: RunSession) -> bool:
    """Whether closing would lose a run made by the user, however short it is.

    Every run started by hand counts, although the form and the seed would repeat it: it is not saved. Of those
    that auto-run made during a drag, each replaced the one before, so that only the last one exists.
    Runs started by the program, such as the first run of ``gems demo`` and of ``--play`` and those of a built-in
    story, do not count until they are renamed or pinned or their story is edited. A run that was saved and has
    continued since is unsaved too.
    """
    touched = run.by_hand or run.pinned or bool(run.path) or run.story_edited
    return touched and not run.saved


def is_in_a_saved_run(run: RunSession, runs: Iterable[RunSession]) -> bool:
    """Whether a saved run in the list has the same events: the same instance, settings and seed, and as many events."""
    started = run.trace.started
    if started is None or started.rewards or run.story_edited:
        return False
    saved = (each.trace for each in runs if each is not run and each.path and each.saved)
    return any(
        each.started == started and len(each) >= len(run.trace) and each.instance.digest == run.trace.instance.digest
        for each in saved
    )
