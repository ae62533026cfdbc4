"""Branch from here: a dialog to choose what is forced on a run from the cursor on."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gems_engine.branching import in_force
from gems_engine.errors import InputError
from gems_engine.forcing import PARAMETERS, Forced
from gems_engine.terminal import number
from gems_engine.wording import place_text
from gems_gui.field_text import FORCED, text_of
from gems_gui.panels.form_dialog import FormDialog
from gems_gui.snapshot import Snapshot
from gems_gui.widgets.dialogs import push_button, sentence_label

_WIDTH = 380  # pixels at the normal size of text
_SCOPES = {"dimension": "dimension_for", "selection_budget": "budget_for"}
_BUSY = "The engine leaves the run that it computes now; what is recorded of it stays."
_AT_THE_END = "The run is over at the cursor: go back to where the branch shall leave it."


class BranchDialog(FormDialog):
    """What can be forced as a form; the branch leaves the run where the cursor is when it is asked for."""

    asked = Signal(object)
    """What is forced: a `Forced`, perhaps nothing."""

    def __init__(self, parent: QWidget, snapshot: Snapshot, busy: bool, font_scale: float) -> None:
        super().__init__(parent, "Branch from here", FORCED, "What is forced")
        self._snapshot = snapshot
        self.where = sentence_label()
        self.where.setAccessibleName("Where the branch begins")
        tip = "Run the branch and show it, where it leaves this run (Enter)"
        self.go = push_button("Branch", tip, self.ask)
        self.lay_out(self.where, (), self.go, _WIDTH * font_scale)
        self._make()
        self.show_snapshot(snapshot, busy)
        self.form.field("seed").input.setFocus()

    def _make(self) -> None:
        D = self._snapshot.instance.D
        self.form.make([replace(each, maximum=D) if each.name == "dimension" else each for each in PARAMETERS])

    def show_snapshot(self, snapshot: Snapshot, busy: bool) -> None:
        """Follow the cursor of the run that is shown; ``busy`` if the engine computes, which it would leave."""
        before, self._snapshot, self._busy = self._snapshot, snapshot, busy
        if snapshot.trace is not before.trace:
            self._make()
        self.show_form()

    def show_form(self) -> None:
        """Say where the branch begins and what is forced; how long counts only for what is forced."""
        for name, scope in _SCOPES.items():
            on = bool(self.form.field(name).text.strip())
            for widget in (self.form.field(scope).input, self.form.field(scope).label):
                widget.setEnabled(on)
        over = self._snapshot.state.finished is not None
        self.form.show_placeholder(self._as_it_is())
        self.where.setText(_AT_THE_END if over else f"The same run up to {self._here()}, then as forced here.")
        busy = _BUSY if self._busy else ""
        self.preview.setText(" ".join(filter(None, (self.asked_for(), busy))))
        self.go.setEnabled(not over)
        self.adjustSize()

    def _as_it_is(self) -> dict[str, str]:
        """What stands in a field that is left alone: the value that the run has there."""
        snapshot = self._snapshot
        try:
            values = in_force(snapshot.trace, min(snapshot.cursor, len(snapshot.trace) - 1))
        except InputError:  # then there is no branch, and the engine says why
            return {}
        subroutine = snapshot.state.subroutine
        if subroutine is not None and isfinite(subroutine.selection_budget):
            values["selection_budget"] = subroutine.selection_budget
        known = {each.name: each for each in PARAMETERS}
        words = {name: f"{text_of(known[name], value)}, as it is" for name, value in values.items()}
        return {"dimension": "as it is chosen", "selection_budget": "as it is", **words}

    def _here(self) -> str:
        state = self._snapshot.state
        place = place_text(state.place, state.algorithm)
        return f"event {number(state.cursor)}{f' ({place})' if place else ''}"

    def words(self, value: Forced) -> str:
        """What the form forces, in a sentence."""
        return f"Forced from here on: {value}." if value else "Nothing is forced: it is the same run once more."

    def value(self) -> Forced:
        """What the form forces; an InputError if that is nothing valid."""
        return Forced(**self.form.values())  # type: ignore[arg-type]

    def ask(self) -> None:
        """Ask for the branch, or say what is wrong with the form."""
        forced = self.checked()
        if forced is not None:
            self.asked.emit(forced)
