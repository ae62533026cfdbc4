"""Connects the picture of the arms with the draft that it edits and the views in which it marks arms."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import count

from PySide6.QtCore import QObject

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_engine.rewards import Noise
from gems_gui.drafts.draft import Draft, FromTable
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.drafts.undo_stack import Bookmark
from gems_gui.panels.plane import PlanePanel
from gems_gui.series.plane import THETA, is_edited
from gems_gui.workbench.changes import Field
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench


class PlaneController(QObject):
    """Shows the draft's instance in the plane and turns each drag into one undo step."""

    def __init__(self, panel: PlanePanel, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self._drafts = workbench.drafts
        self._workbench = workbench
        self._instance: Instance | None = None
        self._source: object = None
        self._selected: int | None = None
        self._marked: int | None = None
        self._strokes = count(1)
        self._merge = ""
        self._before: Bookmark[Draft] | None = None
        self._shown: tuple[Instance | None, int | None, bool] | None = None
        panel.point_picked.connect(self._pick)
        panel.drag_begun.connect(self._begin)
        panel.drag_cancelled.connect(self._cancel)
        panel.point_moved.connect(self._move)
        workbench.subscribe(self.show_draft, Field.DRAFT, Field.SNAPSHOT, Field.TRUTH)

    def show_draft(self, *_: object) -> None:
        """Show the draft's instance; while one of a family is being built, the previous one is shown."""
        drafts = self._drafts
        if isinstance(drafts.draft.source, FromTable):
            if drafts.draft.source is not self._source:
                self._instance = _drawable(drafts.draft.source.table)
        elif drafts.instance is not None:
            self._instance = drafts.instance
        elif drafts.refusal or drafts.draft.instance_key() is None:
            self._instance = None
        self._source = drafts.draft.source
        if self._shown and _is_another(self._shown[0], self._instance):
            self._marked = self._selected = None
        self._follow_selection()
        shown = (self._instance, self._selected, self._workbench.truth)
        if not self._shown or shown[1:] != self._shown[1:] or shown[0] is not self._shown[0]:
            self._shown = shown
            self._panel.show_instance(*shown)

    def _follow_selection(self) -> None:
        """Take over the arm that is marked in the views, when that changes."""
        run = self._run_of_these_arms()
        arm = None if run is None else run.selection.arm
        if arm != self._marked:
            self._marked = self._selected = arm
        if self._instance is None or (self._selected is not None and self._selected >= len(self._instance.arms)):
            self._selected = None

    def _run_of_these_arms(self) -> RunSession | None:
        """The shown run if its arms are those in the plane, wherever they have been moved: then marks are shared."""
        run = self._workbench.active
        if run is None or self._instance is None:
            return None
        run_arms, arms = run.trace.instance, self._instance
        same = (len(run_arms.arms), run_arms.arm_names) == (len(arms.arms), arms.arm_names)
        return run if same else None

    def _pick(self, point: int | None) -> None:
        self._selected = point
        if self._run_of_these_arms() is not None and point != THETA:
            self._marked = point
            self._workbench.select_arm(point)
        self.show_draft()

    # -- drags --------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._merge = f"drag {next(self._strokes)}"
        self._before = self._drafts.history.bookmark()

    def _cancel(self) -> None:
        if self._before is not None:
            self._drafts.go_back(self._before)

    def _move(self, point: int, vector: Floats) -> None:
        source = self._drafts.draft.source
        if isinstance(source, FromTable):
            table = source.table
        elif self._instance is not None:
            table = InstanceTable.of(self._instance)
        else:
            return
        moved = table.with_theta(vector) if point == THETA else table.with_arm(point, vector)
        self._drafts.set_draft(self._drafts.draft.with_table(moved), self._merge)


def _drawable(table: InstanceTable) -> Instance | None:
    """The instance of a table, also one that cannot run because its rewards do not fit its noise; None if not valid.

    Otherwise a drag that makes a reward of a Bernoulli arm larger than 1 would remove the picture.
    """
    for each in (table, replace(table, noise=Noise())):
        with suppress(InputError):
            return each.instance()
    return None


def _is_another(before: Instance | None, now: Instance | None) -> bool:
    """Whether the arms are those of another instance, not edited ones."""
    return before is not None and now is not None and now is not before and not is_edited(before, now)
