"""Connects the picture of the arms with the draft that it edits and the views in which it marks arms."""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import QObject

from gems_engine.arrays import Floats
from gems_engine.instance import Instance
from gems_gui.drafts.draft import FromTable
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.panels.plane import PlanePanel
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Workbench


class PlaneController(QObject):
    """Shows the draft's instance in the plane and turns each drag into one undo step."""

    def __init__(self, panel: PlanePanel, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self._drafts = workbench.drafts
        self._workbench = workbench
        self._instance: Instance | None = None
        self._strokes = count(1)
        self._merge = ""
        self._shown: tuple[object, ...] = ()
        panel.arm_picked.connect(self._pick)
        panel.drag_begun.connect(self._begin)
        panel.arm_moved.connect(self._move_arm)
        panel.theta_moved.connect(self._move_theta)
        workbench.subscribe(self.show_draft, Field.DRAFT, Field.SNAPSHOT, Field.TRUTH)

    def show_draft(self, *_: object) -> None:
        """Show the draft's instance; while a new one is being built, the previous one is shown."""
        drafts = self._drafts
        if drafts.instance is not None:
            self._instance = drafts.instance
        elif drafts.refusal or drafts.draft.instance_key() is None:
            self._instance = None
        shown = (self._instance, self._selected(), self._workbench.truth)
        if shown[1:] != self._shown[1:] or not self._shown or shown[0] is not self._shown[0]:
            self._shown = shown
            self._panel.show_instance(*shown)

    def _selected(self) -> int | None:
        """The marked arm, if the form's instance has it."""
        run = self._workbench.active
        arm = None if run is None else run.selection.arm
        return arm if arm is None or self._instance is None or arm < len(self._instance.arms) else None

    def _pick(self, arm: int | None) -> None:
        run = self._workbench.active
        if run is not None and (arm is None or arm < len(run.trace.instance.arms)):
            self._workbench.select_arm(arm)

    # -- drags --------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._merge = f"drag {next(self._strokes)}"

    def _table(self) -> InstanceTable | None:
        source = self._drafts.draft.source
        if isinstance(source, FromTable):
            return source.table
        return None if self._instance is None else InstanceTable.of(self._instance)

    def _move_arm(self, arm: int, features: Floats) -> None:
        table = self._table()
        if table is not None and arm < len(table.arms):
            self._take(table.with_arm(arm, features))

    def _move_theta(self, theta: Floats) -> None:
        table = self._table()
        if table is not None:
            self._take(table.with_theta(theta))

    def _take(self, table: InstanceTable) -> None:
        self._drafts.set_draft(self._drafts.draft.with_table(table), self._merge)
