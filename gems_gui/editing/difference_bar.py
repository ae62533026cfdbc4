"""The bar that says that the form and the shown run differ."""

from __future__ import annotations

from gems_gui.actions.run_actions import put_into_form
from gems_gui.editing.auto_run import AutoRun
from gems_gui.widgets.notice import Notice
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Page, Workbench


class DifferenceBar(Notice):
    """Follows the draft and the shown run; with auto-run on, it stays hidden: the next run is on its way."""

    def __init__(self, workbench: Workbench, auto: AutoRun) -> None:
        super().__init__(
            "The form differs from the run",
            {"Run again": workbench.run, "Revert form": self._revert},
            tips={
                "Run again": "Start the engine on the form as it is now; the run that is shown stays in the list.",
                "Revert form": "Put what the shown run was started with into the form.",
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
        self.show_message("The form differs from the run that is shown." if differs else "")

    def _revert(self) -> None:
        if self._workbench.active is not None:
            put_into_form(self._workbench, self._workbench.active)
