"""The bar that appears when the form and the shown run differ."""

from __future__ import annotations

from gems_gui.actions.run_actions import put_into_form
from gems_gui.editing.auto_run import AutoRun
from gems_gui.widgets.notice import Notice
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Page, Workbench


class DifferenceBar(Notice):
    """Follows the draft and the shown run; hidden while auto-run is on, because the next run is being computed."""

    def __init__(self, workbench: Workbench, auto: AutoRun) -> None:
        super().__init__(
            "The form differs from the run",
            {"Run again": workbench.run, "Revert form": self._revert},
            tips={
                "Run again": "Run with the settings in the form; the current run stays in the list.",
                "Revert form": "Fill the form with the settings of the current run.",
            },
        )
        self._workbench, self._auto = workbench, auto
        workbench.subscribe(self._look, Field.DRAFT, Field.ACTIVE, Field.PAGE)
        auto.toggled.connect(self._look)

    def _look(self, *_: object) -> None:
        work, run = self._workbench, self._workbench.active
        request = None if run is None or self._auto.on else run.request
        elsewhere = work.page is Page.EXPERIMENTS or (run is not None and run.unasked == work.drafts.draft)
        differs = request is not None and not elsewhere and work.drafts.differs_from(request)
        self.show_message("The form differs from the current run." if differs else "")

    def _revert(self) -> None:
        if self._workbench.active is not None:
            put_into_form(self._workbench, self._workbench.active)
