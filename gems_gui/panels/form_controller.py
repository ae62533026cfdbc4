"""Connects the form with the draft of the workbench."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gems_gui.panels.form_panel import FormPanel
from gems_gui.services import Services
from gems_gui.workbench.changes import Change, Field


class FormController(QObject):
    """Shows the draft in the form, without the truth where it is hidden."""

    shown = Signal()
    """The form shows the current draft, so that advice about its fields can be updated."""

    def __init__(self, services: Services, form: FormPanel) -> None:
        super().__init__(services.host)
        self._workbench, self._form = services.workbench, form
        form.edited.connect(self._workbench.drafts.type_draft)
        form.chosen.connect(self._workbench.drafts.choose)
        form.run_requested.connect(services.actions["run"].trigger)
        for name in ("run", "run_to_end"):
            services.actions[name].triggered.connect(self._go_to_problem)
        self._workbench.subscribe(self._follow, Field.DRAFT, Field.TRUTH)

    def _go_to_problem(self) -> None:
        """Move the focus to the field that prevents the run, so that it can be corrected at once."""
        key = next(iter(self._form.errors), "")
        if key in self._form.fields:
            self._form.go_to_field(key)

    def _follow(self, change: Change) -> None:
        drafts = self._workbench.drafts
        if Field.TRUTH in change:
            self._form.set_truth(self._workbench.truth)
        if Field.DRAFT in change:
            self._form.set_draft(drafts.draft)
            self._form.show_instance(drafts.instance, drafts.refusal or drafts.assumptions)
        self.shown.emit()
